//! Models written again in fewer bits, and without small weights.

use std::path::Path;
use std::sync::Arc;

use super::Loaded;
use crate::error::{Error, Result};
use crate::graph::{GraphModel, GraphScorer};
use crate::linear::{FrozenWeights, Linear, Precision};
use crate::model::{Frozen as _, Model, Pruned, Size};
use crate::scorers::AnyScorer;

/// Weights nearer to 0 than this are left out of small models.
pub const SMALL_WEIGHTS: f64 = 1.0;

impl Loaded {
    /// The precision of the weights.
    pub fn precision(&self) -> Precision {
        match self {
            Loaded::Transitions(model) => match &model.scorer {
                AnyScorer::Linear(linear) => linear.precision(),
                AnyScorer::FeedForward(network) => network.precision(),
            },
            Loaded::Graph(model) => match &model.scorer {
                GraphScorer::Linear(weights) => weights.precision(),
                GraphScorer::Biaffine(_) => Precision::Full,
            },
        }
    }

    /// The numbers of features and weights.
    pub fn size(&self) -> Size {
        match self {
            Loaded::Transitions(model) => model.scorer.size(),
            Loaded::Graph(model) => model.scorer.size(),
        }
    }

    /// The bytes of the scorer in a file.
    pub fn bytes(&self) -> u64 {
        let sections = match self {
            Loaded::Transitions(model) => model.scorer.sections(),
            Loaded::Graph(model) => match &model.scorer {
                GraphScorer::Linear(weights) => weights.sections(),
                GraphScorer::Biaffine(network) => network.sections(),
            },
        };
        sections.iter().map(|section| section.bytes().len() as u64).sum()
    }

    /// The model with weights of this precision.
    ///
    /// # Errors
    /// If it has 8 bits and 16 are asked for, which bring nothing back, or if it is a graph-based network.
    pub fn quantise(self, precision: Precision) -> Result<Loaded> {
        if self.precision() == Precision::I8 && precision == Precision::I16 {
            let found =
                "its weights have 8 bits, to which 16 bring nothing back; expected the model that it was made of";
            return Err(Error::Usage(found.to_owned()));
        }
        Ok(match self {
            Loaded::Transitions(model) => {
                let model = Arc::unwrap_or_clone(model);
                let scorer = match model.scorer {
                    AnyScorer::Linear(linear) => AnyScorer::Linear(linear.quantise(precision)),
                    AnyScorer::FeedForward(network) => AnyScorer::FeedForward(network.quantise(precision)),
                };
                Loaded::Transitions(Arc::new(Model { scorer, ..model }))
            }
            Loaded::Graph(model) => {
                let model = Arc::unwrap_or_clone(model);
                let scorer = match model.scorer {
                    GraphScorer::Linear(weights) if weights.precision() != precision => {
                        GraphScorer::Linear(weights.quantise(precision))
                    }
                    GraphScorer::Biaffine(_) if precision != Precision::Full => {
                        let found = "fewer bits are for linear models and networks of transition systems";
                        return Err(Error::Usage(found.to_owned()));
                    }
                    other => other,
                };
                Loaded::Graph(Arc::new(GraphModel { scorer, ..model }))
            }
        })
    }

    /// The linear model without weights nearer to 0 than `least`.
    ///
    /// # Errors
    /// If it is a network.
    pub fn prune(self, least: f64) -> Result<Loaded> {
        self.linear(|linear| linear.prune(least), |weights| weights.prune(least))
    }

    /// The linear model with a table of features that is nearly full.
    ///
    /// # Errors
    /// If it is a network.
    pub fn pack(self) -> Result<Loaded> {
        self.linear(Linear::pack, FrozenWeights::pack)
    }

    /// The linear model with other weights.
    fn linear(
        self,
        of_linear: impl FnOnce(Linear) -> Linear,
        of_weights: impl FnOnce(&FrozenWeights) -> FrozenWeights,
    ) -> Result<Loaded> {
        let refused = || {
            Error::Usage("small weights are left out of linear models; expected a model without a network".to_owned())
        };
        Ok(match self {
            Loaded::Transitions(model) => {
                let model = Arc::unwrap_or_clone(model);
                let AnyScorer::Linear(linear) = model.scorer else { return Err(refused()) };
                Loaded::Transitions(Arc::new(Model { scorer: AnyScorer::Linear(of_linear(linear)), ..model }))
            }
            Loaded::Graph(model) => {
                let model = Arc::unwrap_or_clone(model);
                let GraphScorer::Linear(weights) = model.scorer else { return Err(refused()) };
                Loaded::Graph(Arc::new(GraphModel { scorer: GraphScorer::Linear(of_weights(&weights)), ..model }))
            }
        })
    }

    /// Notes in the header what was left out.
    pub fn note_pruned(&mut self, pruned: Pruned) {
        match self {
            Loaded::Transitions(model) => Arc::make_mut(model).header.provenance.pruned = Some(pruned),
            Loaded::Graph(model) => Arc::make_mut(model).header.provenance.pruned = Some(pruned),
        }
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_file(&self, path: &Path) -> Result<()> {
        match self {
            Loaded::Transitions(model) => model.write(path),
            Loaded::Graph(model) => model.write(path),
        }
    }
}
