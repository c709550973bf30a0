//! Time, iterations, sizes and memory of a training.

use serde::{Deserialize, Serialize};

use treebeam::learn::IterationReport;

/// Counts, times and memory of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stats {
    /// Sentences in one pass, of all replicas.
    pub sentences: usize,
    /// Wall time from reading the data to the model on disk.
    pub seconds: f64,
    /// Reports of iterations; with `--resume`, also those of the run before.
    pub iterations: Vec<IterationReport>,
    /// The iteration whose weights were kept.
    pub kept_iteration: u32,
    /// Features in the model.
    pub features: usize,
    /// Weights in the model.
    pub weights: usize,
    /// The most memory that the process has held; none where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
}
