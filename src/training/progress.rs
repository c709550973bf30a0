//! Where a training run stands between two iterations, and what one of them did.

use super::{IterationReport, Stopping};
use crate::choice::choice;
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::model::{Averaged, Provenance};
use crate::process::Clock;

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

/// A pass over the training data that has just ended.
#[derive(Debug, Clone, Copy)]
pub struct Pass<'c> {
    /// See [`IterationReport::updates`].
    pub updates: u64,
    /// Clock that has measured its time.
    pub clock: &'c Clock<'c>,
    /// When the run stops.
    pub stopping: Stopping,
    /// Selection of the iteration whose parameters are kept.
    pub keep: Keep,
    /// True if there are development data.
    pub has_dev: bool,
}

impl<P: Averaged> Progress<P> {
    /// Before the first iteration.
    pub fn new(replicas: Vec<P>) -> Progress<P> {
        Progress { iteration: 0, replicas, best: None, reports: Vec::new() }
    }

    /// Starts averages anew if the next iteration is the first that counts.
    pub fn start_pass(&mut self, average_from: u32) {
        if self.iteration > 0 && self.iteration == average_from {
            self.replicas.iter_mut().for_each(P::restart_average);
        }
    }

    /// Ends an iteration: averages the parameters, scores them on the development data, keeps them if they are to be kept, and
    /// reports.
    pub fn end_pass(&mut self, pass: Pass, score_dev: impl FnOnce(&P::Finished) -> Option<Counts>) {
        let (seconds, cpu_seconds) = (pass.clock.seconds(), pass.clock.cpu_seconds());
        self.iteration += 1;
        let wanted = pass.keep == Keep::Best || self.iteration == pass.stopping.most;
        let mut dev = None;
        if wanted || pass.has_dev {
            let finished = P::finish(&self.replicas.iter().collect::<Vec<&P>>());
            dev = score_dev(&finished);
            let score = dev.map_or(0, |counts| counts.labelled);
            let better = self.best.as_ref().is_none_or(|best| score > best.score);
            if pass.keep == Keep::Last || dev.is_none() || better {
                self.best = Some(Best { iteration: self.iteration, score, finished });
            }
        }
        self.reports.push(IterationReport {
            iteration: self.iteration,
            updates: pass.updates,
            features: self.replicas[0].n_features(),
            dev,
            seconds,
            cpu_seconds,
        });
    }

    /// The parameters to make a model of.
    ///
    /// # Errors
    /// If there was no iteration.
    pub fn kept(&self) -> Result<&Best<P::Finished>> {
        self.best.as_ref().ok_or_else(|| Error::Usage("training for 0 iterations makes no model".to_owned()))
    }

    /// Tells a model of `iteration` where it comes from, and how good it was on the development data.
    pub fn tell(&self, provenance: &mut Provenance, iteration: u32) {
        provenance.iteration = iteration;
        provenance.dev_scores =
            self.reports.iter().find(|report| report.iteration == iteration).and_then(|report| report.dev);
    }
}
