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
/// They are only kept for scorers that read them.
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

    /// Forgets all trees; those to come are kept or not.
    pub fn start(&self, are_kept: bool) {
        self.are_kept.set(are_kept);
        let Inner { made, by_parts } = &mut *self.inner.borrow_mut();
        made.clear();
        by_parts.clear();
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
        trees.start(true);
        let arc = |head, dependent, label| Composition { head, dependent, label, is_left: dependent < head };
        let of = |parts: [Composition; 2]| trees.compose(Composition { head: trees.compose(parts[0]), ..parts[1] });
        let (left, right) = (arc(2, 1, 0), arc(2, 3, 1));
        let (one, other) = (of([left, right]), of([right, left]));
        assert!(one != other && one == of([left, right]));
        assert_eq!(trees.parts(trees.parts(one).unwrap().head), Some(left));
        assert_eq!(trees.parts(2), None);
        trees.start(false);
        assert_eq!(trees.parts(one), None);
        assert!(!trees.are_kept());
    }
}
