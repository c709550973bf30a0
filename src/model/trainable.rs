//! Trainable scorers: the interface of a kind of scorer to training.
//!
//! Training asks for the scores of a decision, or decodes with beams, and hands back gradients: by how much the loss grows
//! with the score of an action in a configuration. What becomes of a gradient (which parameters change, how far) is the
//! scorer's business; which gradient it is, the objective's.

use std::fmt::Debug;

use super::Scoring;
use crate::configuration::View;
use crate::error::Result;
use crate::features::{Input, mix};
use crate::files::{Section, Sections};
use crate::scorer::{Context, Query, Scorer, best_permitted};
use crate::system::{ActionId, FORBIDDEN};

/// Parameters that end as averages or as they are, and that a checkpoint holds meanwhile: all that a training run asks of
/// what it trains, whatever kind of parser that is part of.
pub trait Averaged: Clone + Debug + Send + Sync {
    /// Finished parameters.
    type Finished: Clone + Debug + Send + Sync;

    /// Number of features, or other inputs, that have parameters.
    fn n_features(&self) -> usize;

    /// Ends a training sentence: parameters from here on count for the average of the next one.
    fn end_sentence(&mut self);

    /// Ends a pass over the data.
    fn end_pass(&mut self) {}

    /// Starts the average anew.
    fn restart_average(&mut self);

    /// True if parameters have grown beyond what can be summed or written, so that nothing may be scored any more. It
    /// is asked after every sentence, and costs nothing; some look at their parameters at the end of a pass only.
    fn has_diverged(&self) -> bool {
        false
    }

    /// Finished parameters of all replicas together.
    fn finish(replicas: &[&Self]) -> Self::Finished;

    /// The sections of a checkpoint.
    fn save(&self) -> Vec<Section<'_>>;

    /// Replaces the parameters by those that stand in `sections`.
    ///
    /// # Errors
    /// If they do not fit; nothing can be said of the parameters then.
    fn load(&mut self, sections: &Sections) -> Result<()>;

    /// The sections of a checkpoint that hold what parameters have ended as.
    fn save_finished(finished: &Self::Finished) -> Vec<Section<'_>>;

    /// Finished parameters from the sections of [`Averaged::save_finished`].
    ///
    /// # Errors
    /// If it does not fit.
    fn load_finished(&self, sections: &Sections) -> Result<Self::Finished>;
}

/// A scorer whose parameters can be changed by gradients.
pub trait Trainable: Averaged<Finished: Scoring> {
    /// The scores of decisions while training.
    type Lane: Lane;
    /// Record of a configuration besides its scores, kept until its gradient is known.
    type Kept: Default + Debug + Clone;
    /// Gradients in the scorer's own form.
    type Gradient: Default + Debug + Send;
    /// The scratch memory of scoring.
    type Memory: Default + Debug + Send;
    /// Scorer with the current parameters.
    type Scorer<'w>: Scorer<Memory = Self::Memory>
    where
        Self: 'w;

    /// True if a decision without any gradient counts, too, as it does where steps depend on the number of decisions.
    fn counts_decisions(&self) -> bool {
        false
    }

    /// True if parameters change by whole mini-batches, be they of one sentence, and so never within one.
    fn by_batch(&self) -> bool {
        false
    }

    /// Scorer with the current parameters.
    fn scorer(&self) -> Self::Scorer<'_>;

    /// True if the last actions of a derivation are read.
    fn reads_history(&self) -> bool {
        self.scorer().reads_history()
    }

    /// Forgets the last sentence and looks at the one of `context`.
    fn begin(&self, memory: &mut Self::Memory, context: Context) {
        self.scorer().begin(memory, context);
    }

    /// Looks at sentences that are about to be begun, with parameters as they are, if it is faster to do so together. What comes of
    /// them is the same if it is not done.
    fn look_ahead(&self, _memory: &mut Self::Memory, _inputs: &[&Input]) {}

    /// Forgets what depends on parameters, which have changed.
    fn forget(&self, memory: &mut Self::Memory) {
        self.scorer().forget(memory);
    }

    /// Scores the first stage of a decision, leaving out the features in `dropped`, in a derivation that never comes back to
    /// this configuration.
    fn see<'a, V: View<'a>>(
        &self,
        memory: &mut Self::Memory,
        context: Context,
        query: Query<V>,
        dropped: Dropped,
        seen: &mut Seen<Self::Lane, Self::Kept>,
    );

    /// Scores another stage of what was seen.
    fn see_stage(&self, stage: usize, seen: &mut Seen<Self::Lane, Self::Kept>);

    /// Adds to `into` the gradient of the loss in the scores of some lanes of a stage at `query`, of which `seen` is known if
    /// it was seen.
    #[expect(clippy::too_many_arguments, reason = "all that a gradient depends on; the caller owns the memory")]
    fn credit<'a, V: View<'a>>(
        &self,
        memory: &mut Self::Memory,
        context: Context,
        query: Query<V>,
        seen: Option<&Seen<Self::Lane, Self::Kept>>,
        stage: usize,
        gradient: &[(u32, f32)],
        into: &mut Self::Gradient,
    );

    /// Changes the parameters by a gradient, and empties it. What memories hold is void then.
    fn learn(&mut self, gradient: &mut Self::Gradient);

    /// Scale of scores: the value of a score of 1.0 in the fixed point of [`Trainable::scorer`].
    fn unit(&self) -> f32 {
        1.0
    }

    /// Multiplies the gradient of the difference between two scores so that learning from it makes up for a loss, as far as a
    /// step of at most `longest` does: passive-aggressive steps (Crammer et al. 2006, PA-I). Parameters whose steps have one
    /// length leave it as it is.
    fn lengthen(&self, _gradient: &mut Self::Gradient, _loss: f32, _longest: f32) {}

    /// Changes the parameters by the gradients of a mini-batch's sentences, in their order, ends each sentence, and empties
    /// the gradients.
    fn learn_batch(&mut self, gradients: &mut [Self::Gradient]) {
        for gradient in gradients {
            self.learn(gradient);
            self.end_sentence();
        }
    }

    /// The squared norm, in the parameters, of the gradient of the difference between the scores of two lanes, each in what was
    /// seen at its point; `same` says whether that is one point. For MIRA.
    fn squared_distance(
        &self,
        right: (&Seen<Self::Lane, Self::Kept>, u32),
        wrong: (&Seen<Self::Lane, Self::Kept>, u32),
    ) -> f32;
}

/// Scores and record of a configuration at one point.
#[derive(Debug, Clone, Default)]
pub struct Seen<L, K> {
    /// Scores, by lane, of the stages that were scored.
    pub lanes: Vec<L>,
    /// Whatever the scorer keeps.
    pub kept: K,
}

/// A score while training.
pub trait Lane: Copy + Default + PartialOrd + Debug + Send + Sync {
    /// The score as a real number.
    fn real(self) -> f32;

    /// The permitted action of the highest score, the first of them on ties; `mask` is 0 for permitted ones and
    /// [`FORBIDDEN`] for others.
    fn best_permitted(lanes: &[Self], mask: &[i32]) -> Option<(Self, ActionId)> {
        let mut best: Option<(Self, ActionId)> = None;
        for (action, (&score, _)) in lanes.iter().zip(mask).enumerate().filter(|(_, (_, mask))| **mask != FORBIDDEN) {
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, action as ActionId));
            }
        }
        best
    }
}

impl Lane for f32 {
    fn real(self) -> f32 {
        self
    }
}

impl Lane for f64 {
    fn real(self) -> f32 {
        self as f32
    }

    #[inline]
    fn best_permitted(lanes: &[f64], mask: &[i32]) -> Option<(f64, ActionId)> {
        // Several maxima side by side are a vector instruction's.
        const WIDTH: usize = 8;
        let permitted = |score: f64, mask: i32| if mask == FORBIDDEN { f64::NEG_INFINITY } else { score };
        let (scores, masks) = (lanes.as_chunks::<WIDTH>(), mask[..lanes.len()].as_chunks::<WIDTH>());
        let mut highest = [f64::NEG_INFINITY; WIDTH];
        for (scores, masks) in scores.0.iter().zip(masks.0) {
            for place in 0..WIDTH {
                let score = permitted(scores[place], masks[place]);
                highest[place] = if score > highest[place] { score } else { highest[place] };
            }
        }
        let rest = scores.1.iter().zip(masks.1).map(|(&score, &mask)| permitted(score, mask));
        let highest = highest.into_iter().chain(rest).fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
        let is_best = |(&score, &mask): (&f64, &i32)| mask != FORBIDDEN && score == highest;
        let action = lanes.iter().zip(mask).position(is_best)?;
        Some((highest, action as ActionId))
    }
}

impl Lane for i32 {
    fn real(self) -> f32 {
        self as f32
    }

    #[inline]
    fn best_permitted(lanes: &[i32], mask: &[i32]) -> Option<(i32, ActionId)> {
        best_permitted(lanes, mask)
    }
}

/// A choice of features to leave out: those whose hash with the salt lies below the threshold. By default none is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dropped {
    salt: u64,
    threshold: u64,
}

impl Dropped {
    /// Leaves out each feature with this probability; different salts leave out different ones.
    pub fn new(salt: u64, probability: f64) -> Dropped {
        Dropped { salt, threshold: (probability * u64::MAX as f64) as u64 }
    }

    /// The probability with which a feature is left out.
    pub fn probability(self) -> f64 {
        self.threshold as f64 / u64::MAX as f64
    }

    /// Salt of the random choice of others.
    pub fn salt(self) -> u64 {
        self.salt
    }

    /// True if none is left out.
    pub fn is_none(self) -> bool {
        self.threshold == 0
    }

    /// True if this one is left out.
    #[inline]
    pub fn has(self, feature: u64) -> bool {
        mix((feature ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15)) < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Lanes of every kind, and any number of them, decide alike.
        #[test]
        fn the_first_of_the_best_permitted_lanes(lanes in prop::collection::vec((-4i32..4, prop::bool::ANY), 0..40)) {
            let scores: Vec<i32> = lanes.iter().map(|lane| lane.0).collect();
            let mask: Vec<i32> = lanes.iter().map(|lane| if lane.1 { 0 } else { FORBIDDEN }).collect();
            let expected = scores.iter().zip(&mask).map(|(score, mask)| score + mask).max().filter(|&best| best > -5);
            let expected = expected.map(|best| (best, (0..).zip(&lanes).find(|(_, lane)| **lane == (best, true)).unwrap().0));
            let of_f64 = f64::best_permitted(&scores.iter().map(|&score| score.into()).collect::<Vec<_>>(), &mask);
            let of_f32 = f32::best_permitted(&scores.iter().map(|&score| score as f32).collect::<Vec<_>>(), &mask);
            prop_assert_eq!(of_f64, expected.map(|(best, action)| (best.into(), action)));
            prop_assert_eq!(of_f32, expected.map(|(best, action)| (best as f32, action)));
            prop_assert_eq!(i32::best_permitted(&scores, &mask), expected);
        }
    }
}
