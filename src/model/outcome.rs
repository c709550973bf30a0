//! From decoded trees to the trees that users get.

use crate::tree::lift::{Lowering, Scheme};
use crate::tree::{Labels, Tree};

/// What becomes of a decoded tree: nothing, or its lifted arcs are lowered and its labels become plain ones.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The tree as it was decoded.
    AsDecoded(Labels),
    /// Lifts undone.
    Lowered(Lowering),
}

impl Outcome {
    /// The outcome of a model with these labels.
    pub fn new(labels: Labels, lift: Option<Scheme>) -> Outcome {
        match lift {
            None => Outcome::AsDecoded(labels),
            Some(scheme) => Outcome::Lowered(Lowering::new(&labels, scheme)),
        }
    }

    /// The labels of finished trees.
    pub fn labels(&self) -> &Labels {
        match self {
            Outcome::AsDecoded(labels) => labels,
            Outcome::Lowered(lowering) => lowering.plain(),
        }
    }

    /// The finished tree.
    pub fn finish(&self, tree: Tree) -> Tree {
        match self {
            Outcome::AsDecoded(_) => tree,
            Outcome::Lowered(lowering) => lowering.lower(&tree),
        }
    }
}
