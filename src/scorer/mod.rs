//! Scorers: the interface between decoders and models of any kind.
//!
//! A [`Scorer`] looks at a sentence once ([`Scorer::begin`]) and then scores, step by step, the actions of each configuration
//! and point of a beam ([`Query`], [`StepScores`]). It knows nothing of beams, oracles or training. All its scratch memory
//! belongs to the caller, so that one scorer serves all threads.
//!
//! | file | content |
//! |---|---|
//! | `step`, `lanes` | the scores of a step, in which queries that look alike share a row; loops over them |
//! | `vectors` | vectors of scores in memory that is used again |
//! | `identities` | a set of fingerprints that forgets everything in constant time |
//! | `stages` | outputs that are decided on together: whole actions, or moves first and then their labels |
//!
//! A kind of scorer is a folder of its own: [`linear`](crate::linear) is the sparse one. What else it takes to be trained and
//! to be kept in a file say [`Trainable`](crate::model::Trainable) and [`Frozen`](crate::model::Frozen).

mod identities;
pub(crate) mod lanes;
mod stages;
mod step;
mod vectors;

pub use identities::Identities;
pub use stages::{Decisions, Stages};
pub use step::StepScores;
pub use vectors::{Vectors, best_permitted};

use std::any::Any;
use std::fmt;

use crate::configuration::{Interner, Reads, View};
use crate::features::Input;
use crate::system::{Actions, Permitted};

/// Query for scores: all actions in one configuration, taken at one point.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The configuration as seen from the point.
    pub view: View<'a>,
    /// Permitted actions there; the scores of other actions may be anything.
    pub permitted: Permitted,
}

/// Context of a query: all that scorers see besides configurations.
#[derive(Debug, Clone, Copy)]
pub struct Context<'s> {
    /// The sentence: its columns as hashed values and as numbers in the vocabulary.
    pub input: &'s Input,
    /// The partial trees and the sets of labels that cells name.
    pub interner: &'s Interner,
    /// The actions.
    pub actions: &'s Actions,
}

/// A value whose type is known to its scorer or learner alone: scratch memory, gradients, records of configurations. The caller
/// keeps it.
#[derive(Default)]
pub struct Opaque(Option<Box<dyn Any + Send + Sync>>);

impl Opaque {
    /// The value; a new one, if there is none of this type.
    #[inline]
    pub fn get<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|value| value.is::<T>()) {
            self.0 = Some(Box::new(T::default()));
        }
        self.0.as_mut().and_then(|value| value.downcast_mut()).expect("it is of this type")
    }

    /// The value, if there is one of this type.
    #[inline]
    pub fn as_ref<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref().and_then(|value| value.downcast_ref())
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opaque")
    }
}

/// Scores actions in fixed point: integers, so that sums do not depend on the order of summation.
pub trait Scorer: Sync {
    /// Parts of partial trees and derivations that are read.
    fn reads(&self) -> &Reads;

    /// Forgets the last sentence and looks at the one of `context`, whose interner was
    /// [started](crate::configuration::Interner::start) for what is read.
    fn begin(&self, memory: &mut Opaque, context: Context);

    /// Forgets what depends on parameters, which have changed.
    fn forget(&self, memory: &mut Opaque);

    /// The scores of a whole step.
    fn score<'s>(&self, memory: &'s mut Opaque, context: Context, queries: &[Query]) -> &'s mut StepScores;

    /// The scores of one query by itself, by output, of a derivation that hardly comes back to its configuration; those of
    /// actions that are not permitted may be anything.
    fn score_one<'s>(&self, memory: &'s mut Opaque, context: Context, query: &Query) -> &'s [i32];
}

impl fmt::Debug for dyn Scorer + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scorer")
    }
}
