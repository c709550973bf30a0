//! What decoders ask of a model, whatever its scores are made of.
//!
//! A [`Scorer`] looks at a sentence once ([`Scorer::begin`]) and then fills, step by step, a matrix of scores: a row for each
//! configuration and point of a beam ([`Query`]), a lane for each action ([`Scores`]). It knows nothing of beams, oracles or
//! training. All its scratch memory belongs to the caller, so that one scorer serves all threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `matrix` | rows of scores, as sums of vectors that rows share |
//! | `memo` | a hash table that forgets everything in constant time, for what is memoised of one sentence |
//! | `stages` | which lanes are decided on together: whole actions, or moves first and then their labels |
//!
//! A kind of scorer is a folder of its own: [`linear`](crate::linear) is the sparse one. What else it takes to be trained and
//! to be kept in a file say [`Trainable`](crate::model::Trainable) and [`Frozen`](crate::model::Frozen).

mod matrix;
mod memo;
mod stages;

pub(crate) use matrix::{Block, MAX_TERMS};
pub use matrix::{Scores, Vectors, best_permitted};
pub use memo::Identities;
pub(crate) use memo::Memo;
pub use stages::{Decisions, Stages};

use std::fmt::Debug;

use crate::configuration::{LabelSets, Point, SlotMask, View};
use crate::features::Input;
use crate::system::{Actions, Permitted};

/// What is to be scored: all actions in one configuration, taken at one point.
#[derive(Debug, Clone, Copy)]
pub struct Query<V> {
    /// The configuration.
    pub view: V,
    /// Where moves are taken.
    pub point: Point,
    /// What may be done there; the scores of other actions may be anything.
    pub permitted: Permitted,
}

/// What scorers see besides configurations.
#[derive(Debug, Clone, Copy)]
pub struct Context<'s> {
    /// The sentence: its columns as hashed values and as numbers in the vocabulary.
    pub input: &'s Input,
    /// The sets of labels that cells name.
    pub label_sets: &'s LabelSets,
    /// The actions, one lane each.
    pub actions: &'s Actions,
}

/// Scores actions in fixed point: integers, so that sums do not depend on the order of summation.
pub trait Scorer: Sync {
    /// Scratch memory for one sentence after another.
    type Memory: Default + Debug + Send;

    /// The masks under which the cells of views must carry keys.
    fn masks(&self) -> &[SlotMask] {
        &[]
    }

    /// Whether the last actions of a derivation are read: views then have them in their cell for actions.
    fn reads_history(&self) -> bool {
        false
    }

    /// Forgets the last sentence and looks at the one of `context`.
    fn begin(&self, memory: &mut Self::Memory, context: Context);

    /// Forgets what depends on parameters, which have changed.
    fn forget(&self, memory: &mut Self::Memory);

    /// Scores a whole step: afterwards [`Scorer::row`] gives the scores of each of `queries`, by its number. Rows of earlier
    /// steps are void.
    fn score<'a, V: View<'a>>(&self, memory: &mut Self::Memory, context: Context, queries: &[Query<V>]);

    /// The scores of query `number` of the step, of which `permitted` is what was permitted.
    fn row<'s>(
        &self,
        memory: &'s mut Self::Memory,
        context: Context,
        number: usize,
        permitted: Permitted,
    ) -> Scores<'s>;

    /// The scores of one query by itself, by lane.
    fn score_one<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut Self::Memory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32];

    /// What [`Scorer::score_one`] gives, of a derivation that never comes back to a configuration: cells need no keys.
    #[inline]
    fn score_once<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut Self::Memory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        self.score_one(memory, context, query)
    }
}
