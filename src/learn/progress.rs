//! Where a training run stands between two iterations, and what one of them did.

use serde::{Deserialize, Serialize};

use super::base::Base;
use super::{Keep, Stopping};
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::model::{FrozenWeights, Layer, LiveWeights};

/// What one iteration did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationReport {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Greedy and learning to search: wrong decisions. Global and graph-based: sentences with an update. Over all replicas.
    pub updates: u64,
    /// Features with a row of live weights, in the first replica.
    pub features: usize,
    /// Correct heads and labels on the development data, decoded with the averaged weights.
    pub dev: Option<Counts>,
    /// Wall time of the iteration's training, without the development data.
    pub seconds: f64,
    /// Seconds of the processor that all threads of the run used for it, without the development data; none where the system
    /// does not tell.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
}

/// The state of a training run between two iterations: all that a later one depends on.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u32,
    /// The live weights of each replica; none before the first iteration.
    pub replicas: Vec<LiveWeights>,
    /// The base learners of real weights instead, if it is they that are trained.
    pub bases: Vec<Base>,
    /// The weights to keep so far.
    pub best: Option<Best>,
    /// What the iterations did.
    pub reports: Vec<IterationReport>,
}

/// The weights of the iteration to keep.
#[derive(Debug, Clone)]
pub struct Best {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Correct heads and labels on the development data.
    pub score: u64,
    /// The averages.
    pub weights: FrozenWeights,
    /// Hidden layers, if there are any.
    pub layers: Vec<Layer>,
}

/// A pass over the training data that has just ended.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// See [`IterationReport::updates`].
    pub updates: u64,
    /// Its wall time.
    pub seconds: f64,
    /// See [`IterationReport::cpu_seconds`].
    pub cpu_seconds: Option<f64>,
    /// Lanes of score vectors; of networks, what their layers ask for.
    pub width: usize,
    /// When the run stops.
    pub stopping: Stopping,
    /// Which iteration's weights are kept.
    pub keep: Keep,
    /// Whether there are development data.
    pub has_dev: bool,
}

impl Progress {
    /// Makes the replicas before the first iteration, and starts their averages anew if the next one is the first that
    /// counts.
    pub fn start_pass(&mut self, n_replicas: u32, average_from: u32) {
        if self.bases.is_empty() {
            self.replicas.resize_with(n_replicas as usize, LiveWeights::default);
        }
        if self.iteration > 0 && self.iteration == average_from {
            self.replicas.iter_mut().for_each(LiveWeights::restart_average);
            self.bases.iter_mut().for_each(Base::restart_average);
        }
    }

    /// What has been learned so far, finished.
    fn finished(&self, width: usize) -> (FrozenWeights, Vec<Layer>) {
        if self.bases.is_empty() {
            return (FrozenWeights::average(&self.replicas, width), Vec::new());
        }
        Base::freeze(&self.bases, width)
    }

    /// Ends an iteration: averages the weights, scores them on the development data, keeps them if they are to be kept, and
    /// reports.
    pub fn end_pass(&mut self, pass: Pass, score_dev: impl FnOnce(&FrozenWeights, &[Layer]) -> Option<Counts>) {
        self.iteration += 1;
        let wanted = pass.keep == Keep::Best || self.iteration == pass.stopping.most;
        let mut dev = None;
        if wanted || pass.has_dev {
            let (averaged, layers) = self.finished(pass.width);
            dev = score_dev(&averaged, &layers);
            let score = dev.map_or(0, |counts| counts.labelled);
            let better = self.best.as_ref().is_none_or(|best| score > best.score);
            if pass.keep == Keep::Last || dev.is_none() || better {
                self.best = Some(Best { iteration: self.iteration, score, weights: averaged, layers });
            }
        }
        self.reports.push(IterationReport {
            iteration: self.iteration,
            updates: pass.updates,
            features: match &self.bases[..] {
                [] => self.replicas[0].n_features(),
                [base, ..] => base.n_features(),
            },
            dev,
            seconds: pass.seconds,
            cpu_seconds: pass.cpu_seconds,
        });
    }

    /// The weights to make a model of.
    ///
    /// # Errors
    /// If there was no iteration.
    pub fn kept(&self) -> Result<&Best> {
        self.best.as_ref().ok_or_else(|| Error::Usage("training for 0 iterations makes no model".to_owned()))
    }
}
