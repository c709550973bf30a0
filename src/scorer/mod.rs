//! Scorers: the interface between decoders and models of any kind.
//!
//! A [`Scorer`] looks at a sentence once ([`Scorer::begin`]) and then fills, step by step, a matrix of scores: a row for each
//! configuration and point of a beam ([`Query`]), a lane for each action ([`Scores`]). It knows nothing of beams, oracles or
//! training. All its scratch memory belongs to the caller, so that one scorer serves all threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `matrix` | rows of scores, as sums of vectors that rows share |
//! | `sides`, `lanes` | scores of a step whose configurations are known by the states of their nodes' sides |
//! | `identities` | a set of fingerprints that forgets everything in constant time |
//! | `stages` | which lanes are decided on together: whole actions, or moves first and then their labels |
//!
//! A kind of scorer is a folder of its own: [`linear`](crate::linear) is the sparse one. What else it takes to be trained and
//! to be kept in a file say [`Trainable`](crate::model::Trainable) and [`Frozen`](crate::model::Frozen).

mod identities;
pub(crate) mod lanes;
mod matrix;
mod sides;
mod stages;

pub use identities::Identities;
pub(crate) use matrix::{Block, MAX_TERMS};
pub use matrix::{Scores, Vectors, best_permitted};
pub use sides::SideScores;
pub use stages::{Decisions, Stages};

use std::fmt::Debug;

use crate::configuration::{InternedConfiguration, LabelSets, Point, SlotMask, Tables, View};
use crate::features::{Input, Sides};
use crate::system::{Actions, Permitted};

/// Query for scores: all actions in one configuration, taken at one point.
#[derive(Debug, Clone, Copy)]
pub struct Query<V> {
    /// The configuration.
    pub view: V,
    /// Where moves are taken.
    pub point: Point,
    /// Permitted actions there; the scores of other actions may be anything.
    pub permitted: Permitted,
}

/// Context of a query: all that scorers see besides configurations.
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

    /// True if the last actions of a derivation are read: views then have them in their cell for actions.
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

    /// Scores as [`Scorer::score_one`] gives them, of a derivation that never comes back to a configuration: cells need
    /// no keys.
    #[inline]
    fn score_once<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut Self::Memory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        self.score_one(memory, context, query)
    }

    /// Side features, if scores depend on nothing else: then [`Scorer::begin_sides`] and [`Scorer::score_sides`] score
    /// configurations of [interned states](crate::configuration::InternedConfiguration).
    fn sides(&self) -> Option<&Sides> {
        None
    }

    /// [`Scorer::begin`] for configurations of interned states.
    fn begin_sides(&self, _memory: &mut Self::Memory, _context: Context) {}

    /// [`Scorer::score`] for configurations of interned states, whose states `tables` holds; `None` if there is no
    /// [`Scorer::sides`].
    fn score_sides<'s>(
        &self,
        _memory: &'s mut Self::Memory,
        _context: Context,
        _tables: &Tables,
        _queries: &[Query<&InternedConfiguration>],
    ) -> Option<&'s SideScores> {
        None
    }
}
