//! The linear scorer: scores are sums of the weights of sparse features.
//!
//! | file | content |
//! |---|---|
//! | `score`, `lookup` | scoring a beam's configurations by the states of their nodes' sides, sharing what they have in common |
//! | `model` | the finished scorer and its sections of a model file |
//! | `frozen`, `buckets`, `rows`, `levels`, `build` | its weights: a table that is only read |
//! | `output` | what stands between sums of weights and scores: hidden layers, separate decisions |
//! | `table` | rows of weights while they are learned, whatever their type |
//! | `integers`, `perceptron` | weights that change by whole numbers, and the perceptron that changes them |
//! | `svm` | a support vector machine over all decisions at once |
//! | `reals`, `regressors`, `learner` | weights that change by learners' rules, and the regressors made of them |

mod buckets;
mod build;
mod frozen;
mod integers;
mod learner;
mod levels;
mod lookup;
mod model;
mod output;
mod perceptron;
mod reals;
mod regressors;
mod rows;
mod score;
mod svm;
mod table;

use crate::vector::vectorised;

pub use build::Averages;
pub use frozen::FrozenWeights;
pub use integers::IntegerWeights;
pub use learner::{Learner, LearnerOptions};
pub use model::{Linear, LinearModel};
pub use output::{HiddenLayer, OutputLayer};
#[cfg(test)]
pub(crate) use perceptron::Change;
pub use perceptron::Perceptron;
pub use reals::{Outputs, RealWeights, WeightState};
pub use regressors::Regressors;
#[cfg(test)]
pub(crate) use regressors::ScoreGradients;
pub use rows::Precision;
pub use score::{LinearMemory, LinearScorer};
pub use svm::{Examples, SupportVectors};

/// Rows of weights by feature. A row holds the weights of one feature for those actions that have one.
pub trait Weights: Sync {
    /// Scale of fixed point: the value of a weight of 1.0.
    fn scale(&self) -> u32 {
        1
    }

    /// Function that prefetches the place of a feature, to be called some time before the look-up.
    #[inline]
    fn prefetcher(&self) -> impl Fn(u64) {
        |_| ()
    }

    /// Finds the rows of `features`, as many as `rows` has places.
    ///
    /// Finding and adding are two steps so that the misses of many features' look-ups overlap.
    fn find(&self, features: &[u64], rows: &mut [Row]);

    /// Adds `rows`, as [`Weights::find`] has found them, to `scores`, one number an action.
    fn add(&self, rows: &[Row], scores: &mut [i32]);

    /// Adds the rows of all `features` to `scores`: all steps at once.
    #[inline]
    fn add_features(&self, features: &[u64], scores: &mut [i32]) {
        features.iter().copied().for_each(self.prefetcher());
        self.add_prefetched(features, scores);
    }

    /// Finds and adds the rows of all `features`, all of which were prefetched.
    #[inline]
    fn add_prefetched(&self, features: &[u64], scores: &mut [i32]) {
        const BATCH: usize = 128;
        let mut rows = [Row::default(); BATCH];
        for features in features.chunks(BATCH) {
            let rows = &mut rows[..features.len()];
            self.find(features, rows);
            vectorised!(_simd => self.add(rows, scores));
        }
    }
}

/// Place of a feature's row in the table that found it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row(pub u64);
