//! State of a training run between two iterations, and the report of one.

use super::IterationReport;
use crate::choice::choice;
use crate::error::{Error, Result};
use crate::model::Averaged;

choice! {
    /// Selection of the weights to keep.
    pub enum Keep {
        /// Weights of the iteration with the best labelled attachment score on the development data.
        Best,
        /// Weights of the last iteration.
        Last,
    }
}

/// The state of a training run between two iterations: all that a later one depends on.
#[derive(Debug, Clone)]
pub struct Progress<P: Averaged> {
    /// Iterations done.
    pub iteration: u32,
    /// Parameters in training, once for each replica.
    pub replicas: Vec<P>,
    /// Best iteration so far.
    pub best: Option<Best<P::Finished>>,
    /// Reports of the iterations.
    pub reports: Vec<IterationReport>,
}

/// Result of the iteration to keep.
#[derive(Debug, Clone)]
pub struct Best<F> {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Correct heads and labels on the development data.
    pub score: u64,
    /// The averages.
    pub finished: F,
}

impl<P: Averaged> Progress<P> {
    /// Before the first iteration.
    pub fn new(replicas: Vec<P>) -> Progress<P> {
        Progress { iteration: 0, replicas, best: None, reports: Vec::new() }
    }

    /// The parameters to make a model of.
    ///
    /// # Errors
    /// If there was no iteration.
    pub fn kept(&self) -> Result<&Best<P::Finished>> {
        self.best.as_ref().ok_or_else(|| Error::Usage("training for 0 iterations makes no model".to_owned()))
    }
}
