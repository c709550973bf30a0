//! Configurations ⟨λ, A⟩ of easy-first: a list of pending nodes, and the arcs made so far.
//!
//! λ holds the root and, in the order of the sentence, every word that has no head yet. A move is taken at a *point*,
//! between two neighbours on the list, and takes one of them off it.

mod plain;
mod shared;

pub use plain::PlainPending;
pub use shared::SharedPending;

use super::{Configuration, Point};
use crate::tree::{LabelId, Node};

/// A configuration ⟨λ, A⟩. Point i stands between the nodes at i and at i + 1 of the list, which starts at 0 with the root.
pub trait Pending: Configuration {
    /// The configuration before the first transition, for a sentence of `n_words`.
    fn initial(arena: Self::Arena, n_words: usize) -> Self;

    /// The number of pending nodes, the root included.
    fn n_pending(&self) -> usize;
    /// The node at `index` of the list.
    fn pending(&self, index: usize) -> Option<Node>;
    /// The place of `node` on the list, if it is pending.
    fn index_of(&self, node: Node) -> Option<usize>;
    /// True if `node` is on the list.
    fn is_pending(&self, node: Node) -> bool;

    /// Makes the node before `point` a dependent of the one behind it.
    fn left_arc_at(&self, point: Point, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes the node behind `point` a dependent of the one before it.
    fn right_arc_at(&self, point: Point, label: LabelId, arena: Self::Arena) -> Self;
}
