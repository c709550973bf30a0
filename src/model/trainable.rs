//! Trainable scorers: the interface of a kind of scorer to training.
//!
//! Training asks for the scores of a decision, or decodes with beams, and hands back gradients: the growth of the loss
//! with the score of an action in a configuration. What becomes of a gradient (which parameters change, how far) is the
//! scorer's business; which gradient it is, the objective's.

use std::fmt::Debug;

use crate::configuration::Reads;
use crate::error::Result;
use crate::features::{Input, mix};
use crate::files::{Section, Sections};
use crate::scorer::{Context, Opaque, Query, Scorer};
use crate::system::{ActionId, FORBIDDEN};
use crate::vector::vectorised;

/// Parameters that end as averages or as they are, and that a checkpoint holds meanwhile: all that a training run asks of
/// what it trains, whatever kind of parser that is part of.
pub trait Averaged: Clone + Debug + Send + Sync {
    /// Finished parameters.
    type Finished: Clone + Debug + Send + Sync;

    /// Number of features, or other inputs, that have parameters.
    fn n_features(&self) -> usize;

    /// Ends a training sentence: parameters from here on count for the average of the next one.
    fn end_sentence(&mut self) {}

    /// Ends a pass over the data.
    fn end_pass(&mut self) {}

    /// Starts the average anew. Moving averages forget by themselves.
    fn restart_average(&mut self) {}

    /// True if parameters have grown beyond what can be summed or written, so that nothing may be scored any more. It
    /// is asked after every sentence, and costs nothing; some look at their parameters at the end of a pass only.
    fn has_diverged(&self) -> bool {
        false
    }

    /// True if nothing more can be learned: in most steps of the last pass no gradient reached the embeddings.
    fn is_dead(&self) -> bool {
        false
    }

    /// Of networks, the learning rate and the number of steps so far.
    fn rate(&self) -> Option<(f64, u64)> {
        None
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
pub trait Trainable: Debug + Send + Sync {
    /// True if a decision without any gradient counts, too, as it does where steps depend on the number of decisions.
    fn counts_decisions(&self) -> bool {
        false
    }

    /// True if parameters change by whole mini-batches, be they of one sentence, and so never within one.
    fn by_batch(&self) -> bool {
        false
    }

    /// Scorer with the current parameters.
    fn scorer(&self) -> Box<dyn Scorer + '_>;

    /// Parts of partial trees and derivations that are read.
    fn reads(&self) -> &Reads;

    /// The weight of a feature for an output; 0 where parameters are none of sparse features.
    fn weight(&self, _feature: u64, _output: u32) -> f32 {
        0.0
    }

    /// True if a feature has weights, or may get some.
    fn knows(&self, _feature: u64) -> bool {
        false
    }

    /// Forgets the last sentence and looks at the one of `context`.
    fn begin(&self, memory: &mut Opaque, context: Context) {
        self.scorer().begin(memory, context);
    }

    /// Looks at sentences that are about to be begun, with parameters as they are, if it is faster to do so together. What comes of
    /// them is the same if it is not done.
    fn look_ahead(&self, _memory: &mut Opaque, _inputs: &[&Input]) {}

    /// Forgets what depends on parameters, which have changed.
    fn forget(&self, memory: &mut Opaque) {
        self.scorer().forget(memory);
    }

    /// Scores the first stage of a decision, leaving out the features in `dropped`, in a derivation that never comes back to
    /// this configuration.
    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, dropped: DroppedFeatures, seen: &mut Seen);

    /// Scores another stage of the decision that was seen.
    fn see_stage(&self, _stage: usize, _seen: &mut Seen) {}

    /// Adds to `into` the gradient of the loss in the scores of some outputs of a stage at `query`, of which `seen` is known if
    /// it was seen.
    #[expect(clippy::too_many_arguments, reason = "all that a gradient depends on; the caller owns the memory")]
    fn credit(
        &self,
        memory: &mut Opaque,
        context: Context,
        query: &Query,
        seen: Option<&Seen>,
        stage: usize,
        gradient: &[(u32, f32)],
        into: &mut Opaque,
    );

    /// Changes the parameters by a gradient, and empties it. What memories hold is void then.
    fn learn(&mut self, gradient: &mut Opaque);

    /// Scale of scores: the value of a score of 1.0 in the fixed point of [`Trainable::scorer`].
    fn unit(&self) -> f32 {
        1.0
    }

    /// Multiplies the gradient of the difference between two scores so that learning from it makes up for a loss, as far as a
    /// step of at most `longest` does: passive-aggressive steps (Crammer et al. 2006, PA-I). Parameters whose steps have one
    /// length leave it as it is.
    fn lengthen(&self, _gradient: &mut Opaque, _loss: f32, _longest: f32) {}

    /// Changes the parameters by the gradients of a mini-batch's sentences, in their order, and empties the gradients.
    fn learn_batch(&mut self, gradients: &mut [Opaque]) {
        gradients.iter_mut().for_each(|gradient| self.learn(gradient));
    }

    /// True if parameters have grown beyond what can be summed, as [`Averaged::has_diverged`] says.
    fn diverges(&self) -> bool {
        false
    }

    /// The squared norm, in the parameters, of the gradient of the difference between the scores of two outputs, each in what was
    /// seen at its point; for MIRA. 1 where steps have one length.
    fn squared_distance(&self, _right: (&Seen, u32), _wrong: (&Seen, u32)) -> f32 {
        1.0
    }
}

/// Scores and record of a configuration at one point.
#[derive(Debug, Default)]
pub struct Seen {
    /// Scores, by output, of the stages that were scored: whole and real ones alike, without rounding.
    pub scores: Vec<f64>,
    /// State of the learner.
    pub kept: Opaque,
}

impl Seen {
    /// Replaces the scores.
    pub fn set<S: Into<f64> + Copy>(&mut self, scores: &[S]) {
        self.scores.clear();
        self.scores.extend(scores.iter().map(|&score| score.into()));
    }
}

/// The permitted action of the highest score, the first of them on ties; `mask` is 0 for permitted ones and [`FORBIDDEN`] for
/// others.
#[inline]
pub fn best_permitted(scores: &[f64], mask: &[i32]) -> Option<(f64, ActionId)> {
    vectorised!(_simd => best_permitted_with(scores, mask))
}

#[inline(always)]
fn best_permitted_with(all: &[f64], mask: &[i32]) -> Option<(f64, ActionId)> {
    // Several maxima side by side are a vector instruction's.
    const WIDTH: usize = 8;
    let permitted = |score: f64, mask: i32| if mask == FORBIDDEN { f64::NEG_INFINITY } else { score };
    let (scores, masks) = (all.as_chunks::<WIDTH>(), mask[..all.len()].as_chunks::<WIDTH>());
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
    let action = all.iter().zip(mask).position(is_best)?;
    Some((highest, action as ActionId))
}

/// A choice of features to leave out: those whose hash with the salt lies below the threshold. By default none is.
#[derive(Debug, Clone, Copy, Default)]
pub struct DroppedFeatures {
    salt: u64,
    threshold: u64,
}

impl DroppedFeatures {
    /// Leaves out each feature with this probability; different salts leave out different ones.
    pub fn new(salt: u64, probability: f64) -> DroppedFeatures {
        DroppedFeatures { salt, threshold: (probability * u64::MAX as f64) as u64 }
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
        #[test]
        fn the_first_of_the_best_permitted_actions(actions in prop::collection::vec((-4i32..4, prop::bool::ANY), 0..40)) {
            let scores: Vec<f64> = actions.iter().map(|action| action.0.into()).collect();
            let mask: Vec<i32> = actions.iter().map(|action| if action.1 { 0 } else { FORBIDDEN }).collect();
            let expected = actions.iter().filter(|action| action.1).map(|action| action.0).max();
            let expected = expected.map(|best| (best.into(), (0..).zip(&actions).find(|(_, action)| **action == (best, true)).unwrap().0));
            prop_assert_eq!(best_permitted(&scores, &mask), expected);
        }
    }
}
