//! One cell of a structure-sharing stack: a node with what features need of its partial tree.

use std::ops::Deref;

use super::PartialTree;

/// A cell of a stack or buffer: immutable, shared by every configuration that stands on it.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    /// Partial tree of the node.
    pub partial: PartialTree,
    /// The next cell: below in a stack, behind in a buffer.
    pub below: Option<&'a Cell<'a>>,
    /// On the stack: the node's cell before its last dependent in the buffer was attached to it. In the buffer: the cell
    /// that the node had on the stack, if it came back from there and is bound.
    pub(super) before: Option<&'a Cell<'a>>,
    /// A fingerprint of the nodes of this cell and all that follow it.
    pub(super) nodes: u64,
}

impl Deref for Cell<'_> {
    type Target = PartialTree;

    #[inline]
    fn deref(&self) -> &PartialTree {
        &self.partial
    }
}

impl<'a> Cell<'a> {
    /// The cell of a partial tree on `below`.
    #[inline]
    pub(super) fn on(partial: PartialTree, below: Option<&'a Cell<'a>>) -> Cell<'a> {
        let rest = below.map_or(0, |cell| cell.nodes);
        let node = u64::from(partial.row()) + 1;
        let nodes = (rest.rotate_left(21) ^ node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Cell { partial, below, before: None, nodes }
    }

    /// The cell in the buffer of a node that came back from the stack, where its cell was `before`.
    pub(super) fn bound(self, before: &'a Cell<'a>) -> Cell<'a> {
        Cell { before: Some(before), nodes: self.nodes.rotate_left(7), ..self }
    }
}

/// The last actions of a derivation, as far as scorers read them.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// The last actions, the last one first; [`NO_NODE`](crate::tree::NO_NODE) where there are no more.
    pub last: [u16; History::LENGTH],
    /// The history before the last action, where scorers read the whole derivation.
    pub before: Option<&'a History<'a>>,
}

impl History<'_> {
    /// Number of actions that features can read.
    pub const LENGTH: usize = 4;

    /// The last actions as one number.
    #[inline]
    pub fn as_number(&self) -> u64 {
        bytemuck::cast(self.last)
    }
}
