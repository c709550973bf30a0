//! Speed of parsing a file.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

use treebeam::error::counted;

/// Counts, times and speeds of one run, without the time to load the model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ParsingStats {
    /// Sentences.
    pub sentences: usize,
    /// Words.
    pub tokens: usize,
    /// Wall time of reading, parsing and writing.
    pub seconds: f64,
    /// Wall time of parsing alone.
    pub decoding_seconds: f64,
    /// Sentences per second of `seconds`.
    pub sentences_per_second: f64,
    /// Words per second of `seconds`.
    pub tokens_per_second: f64,
    /// Wall time of loading the model; not part of `seconds`.
    pub model_load_seconds: f64,
    /// The width of the beam; none if the search is exact.
    pub beam: Option<usize>,
    /// True if items of the beam were merged.
    pub merge: bool,
    /// Number of configurations scored: the items of beams, or the choices of positions of exact search; none for graph-based
    /// parsers.
    pub configurations: Option<u64>,
    /// Margin of pruning, as a score; none if the beam alone pruned.
    pub margin: Option<f64>,
    /// Threads.
    pub threads: usize,
    /// Peak memory of the process, the model included; none where the system does not measure it.
    pub peak_rss_bytes: Option<u64>,
}

impl fmt::Display for ParsingStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut beam = self.beam.map_or(String::new(), |width| format!("beam {width}, "));
        if self.merge {
            beam += "merging, ";
        }
        if let Some(margin) = self.margin {
            let _ = write!(beam, "margin {margin:.1}, ");
        }
        write!(
            f,
            "{} sentences, {} tokens in {:.2} s ({:.2} s of it parsing): {:.0} sentences/s, {:.0} tokens/s; {beam}{}",
            self.sentences,
            self.tokens,
            self.seconds,
            self.decoding_seconds,
            self.sentences_per_second,
            self.tokens_per_second,
            counted(self.threads, "thread")
        )
    }
}
