//! The loss of arc-standard's configurations: how many words cannot get their gold heads any more (Nederhof, TACL 2019).
//!
//! Whatever transitions follow, arc-standard builds around S0 a growing **interval**: some topmost items of the stack, and
//! some subtrees that will be made of the front of the buffer. Each step joins to the interval its neighbour on the left
//! (the next item of the stack) or on the right (the next subtree). An arc between the two makes one of them the root of
//! the new interval: either the neighbour becomes a dependent of the interval's root, or it becomes the new root itself.
//! So a derivation is a sequence of roots, from S0 to the last, and of two nodes that are roots one after the other the
//! later one is the head of the earlier one. Everything else that joins while a node is the root becomes its dependent.
//! Counts are of the arcs of the gold tree among those that are made.
//!
//! | file | gold trees | time for m items on the stack and n words in the buffer |
//! |---|---|---|
//! | `linear` | projective | O(m + n), of which the n only counts words |
//! | `cubic` | all | O(q³ + m q (m + q)), where q ≤ n words of the buffer are left after whole gold subtrees are made of the others |
//!
//! Goldberg, Sartorio & Satta (TACL 2014) tabulate the intervals of projective gold trees in O(m q (m + q)). The algorithms
//! here were derived from the above, not taken from Nederhof's paper, and agree with exhaustive search.
//!
//! **One root.** If one word alone may hang on the root, the root is not among the items and is joined last of all.

mod cubic;
mod linear;
#[cfg(test)]
mod tests;

use std::ops::Range;

use cubic::CubicTime;
use linear::LinearTime;
use treebeam::system::Roots;
use treebeam::tree::{Gold, Node, ROOT};

/// "Cannot be": less than any number of arcs, also after a few numbers of arcs, or of these, have been added.
const NEVER: i32 = -(1 << 24);

/// The memory of the computation, to be used again.
#[derive(Debug, Default)]
pub(super) struct Reachable {
    /// The items of the stack from the top down.
    stack: Vec<Node>,
    linear: LinearTime,
    cubic: CubicTime,
}

impl Reachable {
    /// The number of words on the stack and in the buffer that the best derivation gives other heads than `gold` does, each
    /// counted by its weight. The stack, given from the top down, ends in the root, and with one root holds a word at least; the
    /// buffer is the words of `buffer`, up to the last one of the sentence.
    pub(super) fn loss(
        &mut self,
        gold: &Gold,
        stack: impl Iterator<Item = Node>,
        buffer: Range<Node>,
        roots: Roots,
    ) -> u32 {
        self.stack.clear();
        self.stack.extend(stack.filter(|&node| roots == Roots::Several || node != ROOT));
        let words = self.stack.iter().copied().filter(|&node| node != ROOT).chain(buffer.clone());
        let of_words: u32 = words.map(|word| gold.weight(word)).sum();
        // The linear algorithm counts arcs and, with one root, needs a single gold dependent of the root.
        let is_linear = !gold.is_weighted()
            && gold.is_projective()
            && (roots == Roots::Several || gold.dependents(ROOT).len() == 1);
        let n_right = match is_linear {
            true => self.linear.n_right(gold, &self.stack, buffer, roots),
            false => self.cubic.n_right(gold, &self.stack, buffer, roots),
        };
        of_words - n_right
    }
}
