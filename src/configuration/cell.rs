//! One cell of a structure-sharing stack: a node with what features need of its partial tree.

use std::ops::Deref;

use super::PartialTree;

/// The number of places that the slots of a partial tree take.
pub const N_SLOTS: usize = 24;

/// Slots of a partial tree: the facts about its node that features read. Every slot is a `u16`: a node, a label, a count or
/// a label set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Slot {
    /// The node itself.
    Node,
    /// The label of the arc into it.
    Label,
    /// Its leftmost dependent.
    L1,
    /// The label of the leftmost dependent.
    L1Label,
    /// The second leftmost left dependent.
    L2,
    /// Its label.
    L2Label,
    /// The rightmost dependent.
    R1,
    /// Its label.
    R1Label,
    /// The second rightmost right dependent.
    R2,
    /// Its label.
    R2Label,
    /// The number of left dependents.
    LeftValency,
    /// The number of right dependents.
    RightValency,
    /// The set of labels of left dependents.
    LeftLabels,
    /// The set of labels of right dependents.
    RightLabels,
    /// The head.
    Head,
    /// The label of the arc into the head.
    HeadLabel,
    /// The head's head.
    Head2,
    /// The label of the arc into the head's head.
    Head2Label,
    /// The number of words of its partial tree, itself included, each dependent's tree as it was when it was attached.
    Size,
    /// The leftmost dependent of the leftmost dependent, as that was when it was attached.
    L1L1,
    /// Its label.
    L1L1Label,
    /// The rightmost dependent of the rightmost dependent, as that was when it was attached.
    R1R1,
    /// Its label.
    R1R1Label,
}

impl Slot {
    /// Every slot.
    pub const ALL: [Slot; 23] = {
        use Slot::*;
        [
            Node,
            Label,
            L1,
            L1Label,
            L2,
            L2Label,
            R1,
            R1Label,
            R2,
            R2Label,
            LeftValency,
            RightValency,
            LeftLabels,
            RightLabels,
            Head,
            HeadLabel,
            Head2,
            Head2Label,
            Size,
            L1L1,
            L1L1Label,
            R1R1,
            R1R1Label,
        ]
    };
}

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
        let node = u64::from(partial.node()) + 1;
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
