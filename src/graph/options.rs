//! Everything that decides what the training of a graph-based parser computes.

use serde::{Deserialize, Serialize};

use super::GraphKind;
use crate::choice::choice;
use crate::error::{Error, Result};
use crate::features::{ColumnName, WordShape};
use crate::learn::check_ranges;
use crate::training::{Iterations, Keep, Nonprojective, Stopping};
use crate::tree::Roots;
use crate::tree::lift::Scheme;

choice! {
    /// How far an update goes.
    pub enum Learner {
        /// Structured perceptron (Collins 2002): always by 1.
        Perceptron,
        /// 1-best MIRA (McDonald, Crammer & Pereira 2005; PA-I of Crammer et al. 2006): as far as it takes for the gold tree to
        /// win over the worst of the others by that one's loss, but at most by the aggressiveness.
        Mira,
    }
}

/// The options of a training run. They are written into the model's header; two runs with equal options on equal data make
/// equal models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GraphOptions {
    /// The parser.
    pub system: GraphKind,
    /// How far an update goes.
    pub learner: Learner,
    /// MIRA: the longest step (C of PA-I).
    pub aggressiveness: f64,
    /// Passes over the training data: a number, or `plateau`.
    pub iterations: Iterations,
    /// With `plateau`: stop after so many iterations without a better score; `None`: [`Iterations::PATIENCE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// With `plateau`: the most iterations; `None`: [`Iterations::MOST`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Averages begin after this many iterations, if there are more.
    pub average_from: u32,
    /// The seed of shuffling.
    pub seed: u64,
    /// What to do with non-projective training trees. [`Nonprojective::MinCost`] is, for Eisner's algorithm, to learn the
    /// projective tree that shares most arcs with the gold tree, and for the other, the gold tree.
    pub nonprojective: Nonprojective,
    /// With lifting: what labels remember of it.
    pub lift: Scheme,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// The column that features of words read.
    pub word_column: ColumnName,
    /// What features of words make of their column.
    pub word_shape: WordShape,
    /// The column that features of tags read.
    pub tag_column: ColumnName,
    /// Which iteration's weights become the model.
    pub keep: Keep,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            system: GraphKind::Eisner,
            learner: Learner::Mira,
            aggressiveness: 1.0,
            iterations: Iterations::Number(10),
            patience: None,
            max_iterations: None,
            average_from: 1,
            seed: 1,
            nonprojective: Nonprojective::MinCost,
            lift: Scheme::Head,
            roots: Roots::Single,
            word_column: ColumnName::Form,
            word_shape: WordShape::Normalised,
            tag_column: ColumnName::Upos,
            keep: Keep::Best,
        }
    }
}

impl GraphOptions {
    /// Whether the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        check_ranges(self)?;
        self.iterations.check(self.patience, self.max_iterations)?;
        if !self.system.is_projective() && self.nonprojective == Nonprojective::Lift {
            let message = "--nonprojective lift makes trees projective, and `--system mst` needs none; leave it out";
            return Err(Error::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// When training stops.
    pub fn stopping(&self) -> Stopping {
        self.iterations.stopping(self.patience, self.max_iterations, self.average_from)
    }
}
