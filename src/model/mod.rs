//! Weights while learning, averaged, frozen; the file format.

mod buckets;
mod build;
pub mod file;
mod format;
mod frozen;
mod header;
mod levels;
mod live;
mod memory;
mod outcome;
mod readout;
mod real;
mod rows;

pub use build::Averages;
pub use frozen::{FrozenWeights, from_bytes};
pub use header::{ArcLabel, Header, Provenance};
pub use live::LiveWeights;
pub use outcome::Outcome;
pub use readout::{Decisions, Layer, Parts, Reading, Readout};
pub use real::{Lanes, RealWeights, State};
pub use rows::Precision;

use crate::error::{Error, Result};
use crate::features::{Columns, Compiled, FeatureSet};
use crate::system::{Actions, Move, Permitted, System, SystemKind};
use crate::tree::Labels;
use crate::with_system;

/// Rows of weights by feature. A row holds the weights of one feature for those actions that have one.
pub trait Weights: Sync {
    /// Tells the memory that `features` will soon be looked up.
    #[inline]
    fn prefetch(&self, _features: &[u64]) {}

    /// Finds the rows of `features`, as many as `rows` has places.
    ///
    /// Finding and adding are two steps so that the misses of many features' look-ups overlap.
    fn find(&self, features: &[u64], rows: &mut [Row]);

    /// Adds `rows`, as [`Weights::find`] has found them, to `scores`, one lane an action.
    fn add(&self, rows: &[Row], scores: &mut [i32]);

    /// Adds the rows of all `features` to `scores`: both steps at once.
    #[inline]
    fn add_features(&self, features: &[u64], scores: &mut [i32]) {
        const BATCH: usize = 32;
        let mut rows = [Row::default(); BATCH];
        for features in features.chunks(BATCH) {
            let rows = &mut rows[..features.len()];
            self.find(features, rows);
            self.add(rows, scores);
        }
    }

    /// The lanes of sums of rows, where scores of actions have `width`.
    fn n_sums(&self, width: usize) -> usize {
        width
    }

    /// Whether sums are scores: whether [`Weights::scores`] gives back what it gets.
    #[inline]
    fn sums_are_scores(&self) -> bool {
        true
    }

    /// The scores of all actions where `permitted` holds, from the sums of the rows; those of other actions may be anything.
    /// `scores` is memory for them.
    #[inline]
    fn scores<'s>(&self, sums: &'s [i32], _: &Actions, _: Permitted, _scores: &'s mut Vec<i32>) -> &'s [i32] {
        sums
    }
}

/// No weights: everything scores 0. For those who decode by other means.
impl Weights for () {
    fn find(&self, _: &[u64], _: &mut [Row]) {}

    fn add(&self, _: &[Row], _: &mut [i32]) {}
}

/// Where a feature's row is, in the table that found it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row(pub u64);

/// A finished model: everything that parsing needs. Shared by all threads.
#[derive(Debug, Clone)]
pub struct Model {
    /// What the model is and how it was made.
    pub header: Header,
    /// What becomes of decoded trees.
    pub outcome: Outcome,
    /// The compiled features.
    pub features: Compiled,
    /// The actions.
    pub actions: Actions,
    /// The weights.
    pub weights: FrozenWeights,
    /// How scores are made of sums of weights.
    pub readout: Readout,
}

impl Model {
    /// The model of this header and these weights.
    ///
    /// # Errors
    /// If the header's feature set does not parse or there are too many labels.
    pub fn new(header: Header, weights: FrozenWeights) -> Result<Model> {
        let (labels, features, actions) = header.compile()?;
        let outcome = Outcome::new(labels, header.lift);
        let readout = header.readout(&actions)?;
        Ok(Model { header, outcome, features, actions, weights, readout })
    }

    /// What decoders score with.
    pub fn reading(&self) -> Reading<'_> {
        Reading { weights: &self.weights, readout: &self.readout }
    }

    /// The transition system's name.
    pub fn system(&self) -> SystemKind {
        self.header.system
    }
}

impl Header {
    /// The labels, features and actions that the header describes.
    ///
    /// # Errors
    /// If the system has no such setting of roots, the feature set does not parse or reads what the system has not, or there
    /// are too many labels.
    pub fn compile(&self) -> Result<(Labels, Compiled, Actions)> {
        self.system.check_roots(self.roots)?;
        let set = FeatureSet::parse(&self.features, &format!("{}.feat", self.features), &self.feature_text)?;
        let columns = Columns::of(&set, self.word_column.into(), self.word_shape, self.tag_column.into());
        let labels: Labels = self.labels.iter().collect();
        let moves = with_system!(self.system, self.roots, |system| moves(&system));
        let arcs = self.arcs.iter().map(|arc| (arc.mv, arc.label, arc.from_root));
        let actions = Actions::new(moves, labels.len(), arcs)?.with_root_label(self.root_label)?;
        let suffix = with_system!(self.system, self.roots, |system| buffer_is_suffix(&system));
        set.check(self.system.name(), suffix)?;
        Ok((labels, Compiled::new(&set, columns, suffix), actions))
    }
}

impl Header {
    /// How scores are made of sums.
    ///
    /// # Errors
    /// If the hidden layers do not fit the actions.
    pub fn readout(&self, actions: &Actions) -> Result<Readout> {
        Readout::new(Parts::new(self.decisions, actions), &self.layers)
            .ok_or_else(|| Error::Usage("the hidden layers do not fit the actions; the file is damaged".to_owned()))
    }
}

fn moves<S: System>(_: &S) -> &'static [Move] {
    S::MOVES
}

fn buffer_is_suffix<S: System>(_: &S) -> bool {
    S::BUFFER_IS_SUFFIX
}
