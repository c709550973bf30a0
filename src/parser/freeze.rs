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

    /// Checks that weights of this precision can be made of the model's.
    ///
    /// # Errors
    /// If it has 8 bits and 16 are asked for, which bring nothing back.
    pub fn check_precision(&self, precision: Precision) -> Result<()> {
        let found = "its weights have 8 bits, to which 16 bring nothing back; expected the model that it was made of";
        match (self.precision(), precision) {
            (Precision::I8, Precision::I16) => Err(Error::Usage(found.to_owned())),
            _ => Ok(()),
        }
    }

    /// The model with weights of this precision.
    ///
    /// # Errors
    /// As [`Loaded::check_precision`], or if it is a graph-based network.
    pub fn quantise(self, precision: Precision) -> Result<Loaded> {
        self.check_precision(precision)?;
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

    /// The linear model without weights nearer to 0 than `below`, as its header then says; with a table of features that is nearly full if
    /// it `packs`.
    ///
    /// # Errors
    /// If it is a network.
    pub fn prune(self, below: f64, packs: bool) -> Result<Loaded> {
        let (size, bytes) = (self.size(), self.bytes());
        let mut pruned = self.linear(|linear| linear.prune(below), |weights| weights.prune(below))?;
        if packs {
            pruned = pruned.linear(Linear::pack, FrozenWeights::pack)?;
        }
        let (weights, bytes) = (size.weights - pruned.size().weights, bytes.saturating_sub(pruned.bytes()));
        *pruned.pruned() = Some(Pruned { below, weights, bytes, las: None });
        Ok(pruned)
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

    /// Note in the header of the weights that were left out.
    pub fn pruned(&mut self) -> &mut Option<Pruned> {
        match self {
            Loaded::Transitions(model) => &mut Arc::make_mut(model).header.provenance.pruned,
            Loaded::Graph(model) => &mut Arc::make_mut(model).header.provenance.pruned,
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
