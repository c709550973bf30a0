//! The state of a configuration that losses depend on, and the effects of moves on it.

use treebeam::configuration::Lists;
use treebeam::tree::{NO_NODE, Node, ROOT};

/// The topmost node above `node`: the root, or a word without a head.
#[inline]
pub(super) fn top(heads: &[Node], node: Node) -> Node {
    let mut top = node;
    while heads[top as usize] != NO_NODE {
        top = heads[top as usize];
    }
    top
}

/// True if `ancestor` is `node` or above it.
pub(super) fn is_above(heads: &[Node], ancestor: Node, node: Node) -> bool {
    let mut above = node;
    while above != ancestor && heads[above as usize] != NO_NODE {
        above = heads[above as usize];
    }
    above == ancestor
}

/// State (i, j, A) of a list-based configuration, to try moves on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct ListState {
    /// The length of λ1.
    pub n_left: Node,
    /// The right focus.
    pub right: Node,
    /// Heads by node; [`NO_NODE`] where there is none.
    pub heads: Vec<Node>,
}

impl ListState {
    pub fn of<C: Lists>(c: &C) -> ListState {
        ListState { n_left: c.n_left(), right: c.right(), heads: c.heads().to_vec() }
    }

    /// The last word.
    pub fn last(&self) -> Node {
        self.heads.len() as Node - 1
    }

    /// True if transitions can still look at the pair of `x` and `d`.
    #[inline]
    pub fn will_meet(&self, x: Node, d: Node) -> bool {
        let (min, max) = if x < d { (x, d) } else { (d, x) };
        self.right < max || self.right == max && min < self.n_left
    }

    /// Effect of SHIFT.
    pub fn shift(&mut self) {
        self.right += 1;
        self.n_left = self.right;
    }

    /// Effect of passing over the last `n` nodes of λ1.
    pub fn pass(&mut self, n: Node) {
        self.n_left -= n;
    }

    /// Makes `dependent` a dependent of `head`, after taking their heads from the words `detached`.
    pub fn attach(&mut self, head: Node, dependent: Node, detached: impl IntoIterator<Item = Node>) {
        for word in detached {
            self.heads[word as usize] = NO_NODE;
        }
        self.heads[dependent as usize] = head;
    }
}

/// The words, besides `dependent`, that lose their heads when arcs are revocable and `head` → `dependent` is made: the head,
/// if the arc would close a cycle; with `one_root`, the word that hangs on the root, if the arc comes from the root.
pub(super) fn detached(heads: &[Node], head: Node, dependent: Node, one_root: bool) -> [Option<Node>; 2] {
    let closes_cycle = head != ROOT && is_above(heads, dependent, head);
    let root_word = if one_root && head == ROOT { super::root_word(heads) } else { None };
    [closes_cycle.then_some(head), root_word.filter(|&word| word != dependent)]
}
