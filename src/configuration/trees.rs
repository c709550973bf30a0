//! The partial trees of a sentence's configurations by number, for scorers that compose a vector of each.

use hashbrown::HashMap;
use std::cell::{Cell, RefCell};

use crate::tree::LabelId;

/// The number of a partial tree: that of its node where this has no dependents; others come after all nodes.
pub type TreeId = u32;

/// Composition of a partial tree: its head, its last dependent, and their arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Composition {
    /// The head's tree before it got the dependent.
    pub head: TreeId,
    /// The dependent's tree.
    pub dependent: TreeId,
    /// The label of the arc.
    pub label: LabelId,
    /// True if the dependent stands to the left of the head.
    pub is_left: bool,
}

/// An interner of partial trees: trees that were composed of the same parts in the same order have the same number, whichever
/// configurations they stand in. A tree's parts have smaller numbers than the tree.
///
/// They are only kept once a scorer that reads them has [started](Trees::start) a sentence; then the [cells](super::Cell) of
/// configurations carry the numbers in place of keys, and those of their last actions are linked back to the first one.
#[derive(Debug, Default)]
pub struct Trees {
    are_kept: Cell<bool>,
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    made: Vec<Composition>,
    by_parts: HashMap<Composition, TreeId>,
}

impl Trees {
    /// The number of the first tree with a dependent: one more than any node's.
    pub const FIRST: TreeId = 1 << 16;

    /// Forgets all trees, and keeps those to come.
    pub fn start(&self) {
        self.are_kept.set(true);
        let Inner { made, by_parts } = &mut *self.inner.borrow_mut();
        made.clear();
        by_parts.clear();
    }

    /// Keeps no trees from here on: the next scorer may read keys.
    pub fn stop(&self) {
        self.are_kept.set(false);
    }

    /// True if trees are kept.
    #[inline]
    pub fn are_kept(&self) -> bool {
        self.are_kept.get()
    }

    /// The number of the tree that these parts make.
    pub fn compose(&self, parts: Composition) -> TreeId {
        let Inner { made, by_parts } = &mut *self.inner.borrow_mut();
        *by_parts.entry(parts).or_insert_with(|| {
            made.push(parts);
            Trees::FIRST + (made.len() - 1) as TreeId
        })
    }

    /// Composition of a tree, if it is more than a node.
    pub fn parts(&self, tree: TreeId) -> Option<Composition> {
        let number = tree.checked_sub(Trees::FIRST)?;
        self.inner.borrow().made.get(number as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_its_parts_in_their_order() {
        let trees = Trees::default();
        assert!(!trees.are_kept());
        trees.start();
        let arc = |head, dependent, label| Composition { head, dependent, label, is_left: dependent < head };
        let of = |parts: [Composition; 2]| trees.compose(Composition { head: trees.compose(parts[0]), ..parts[1] });
        let (left, right) = (arc(2, 1, 0), arc(2, 3, 1));
        let (one, other) = (of([left, right]), of([right, left]));
        assert!(one != other && one == of([left, right]));
        assert_eq!(trees.parts(trees.parts(one).unwrap().head), Some(left));
        assert_eq!(trees.parts(2), None);
        trees.start();
        assert_eq!(trees.parts(one), None);
        trees.stop();
        assert!(!trees.are_kept());
    }
}
