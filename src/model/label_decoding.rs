//! Decoding of labels: turns decoded trees into the trees that users get.

use crate::tree::lift::{Lowering, Scheme};
use crate::tree::{Labels, Node, Tree};

/// Label decoding of a parsed tree: none, or lifted arcs are lowered and labels become plain ones.
#[derive(Debug, Clone)]
pub enum LabelDecoding {
    /// The tree as it was decoded.
    AsDecoded(Labels),
    /// Lifts undone.
    Lowered(Lowering),
}

impl LabelDecoding {
    /// The label decoding of a model with these labels.
    pub fn new(labels: Labels, lift: Option<Scheme>) -> LabelDecoding {
        match lift {
            None => LabelDecoding::AsDecoded(labels),
            Some(scheme) => LabelDecoding::Lowered(Lowering::new(&labels, scheme)),
        }
    }

    /// The labels of finished trees.
    pub fn labels(&self) -> &Labels {
        match self {
            LabelDecoding::AsDecoded(labels) => labels,
            LabelDecoding::Lowered(lowering) => lowering.plain(),
        }
    }

    /// The finished tree.
    pub fn finish(&self, tree: Tree) -> Tree {
        self.finish_others(tree, |_| false)
    }

    /// The finished tree, where some words keep their heads.
    pub fn finish_others(&self, tree: Tree, keeps: impl Fn(Node) -> bool) -> Tree {
        match self {
            LabelDecoding::AsDecoded(_) => tree,
            LabelDecoding::Lowered(lowering) => lowering.lower_others(&tree, keeps),
        }
    }
}
