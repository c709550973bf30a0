//! The pending list as a plain vector.

use super::Pending;
use crate::configuration::{Configuration, PlainView, Point};
use crate::tree::{LabelId, NO_NODE, Node, ROOT, Tree};

/// A configuration that owns its list and its arcs and copies both on every transition, O(n): the reference for
/// [`SharedPending`](super::SharedPending), and what exhaustive search enumerates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlainPending {
    pending: Vec<Node>,
    tree: Tree,
}

impl PlainPending {
    fn attached(&self, dependent: usize, head: usize, label: LabelId) -> PlainPending {
        let mut next = self.clone();
        next.tree.attach(self.pending[dependent], self.pending[head], label);
        next.pending.remove(dependent);
        next
    }
}

impl Configuration for PlainPending {
    type Arena = ();
}

impl PlainView for PlainPending {
    fn tree(&self) -> Tree {
        self.tree.clone()
    }

    fn lists(&self) -> Vec<Vec<Node>> {
        vec![self.pending.clone()]
    }
}

impl Pending for PlainPending {
    fn initial((): (), n_words: usize) -> Self {
        PlainPending { pending: (ROOT..=n_words as Node).collect(), tree: Tree::unattached(n_words) }
    }

    fn n_pending(&self) -> usize {
        self.pending.len()
    }

    fn pending(&self, index: usize) -> Option<Node> {
        self.pending.get(index).copied()
    }

    fn index_of(&self, node: Node) -> Option<usize> {
        self.pending.iter().position(|&pending| pending == node)
    }

    fn is_pending(&self, node: Node) -> bool {
        self.tree.head(node) == NO_NODE
    }

    fn left_arc_at(&self, point: Point, label: LabelId, (): ()) -> Self {
        self.attached(point as usize, point as usize + 1, label)
    }

    fn right_arc_at(&self, point: Point, label: LabelId, (): ()) -> Self {
        self.attached(point as usize + 1, point as usize, label)
    }
}
