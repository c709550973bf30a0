//! The loss of arc-standard's configurations, by tabulation (Goldberg, Sartorio & Satta, TACL 2014).
//!
//! Whatever transitions follow, arc-standard builds around S0 a growing interval: some topmost items of the stack, and
//! some subtrees that will be made of the front of the buffer. Each step joins to the interval its neighbour on the left
//! (the next item of the stack) or on the right (the next subtree); an arc between the two roots makes one of them the
//! root of the new interval. The table maps each interval and each possible root of it to the least number of gold arcs
//! lost on the way.
//!
//! **Subtrees of the buffer.** A word of the buffer joins its gold head inside the buffer at no loss, unless it may be
//! wanted as it is: because its gold head is left of the buffer, or because one of its gold descendants, by arcs within
//! the buffer, has a gold dependent on the stack. The paper keeps a word for any gold dependent left of the buffer; a
//! dependent that is attached already (and so not on the stack) must not count, for it keeps apart a head and a word
//! that would have been joined, and the loss comes out too high. With this condition the losses equal exhaustive search
//! for projective gold trees. It also means that the table of one configuration does not give the losses of its
//! successors: once a move has attached an item of the stack, fewer words are wanted.
//!
//! **One root.** If one word alone may hang on the root, the root stays out of the table and is joined last of all.
//!
//! Complexity: O(m q (m + q)) for m items on the stack and q subtrees; q is small where few gold arcs cross the
//! boundary between stack and buffer. The costs of all moves, three tables, take about 0.6 µs on the way to a tree of 25
//! words and 1.1 µs for 50.

use std::ops::Range;

use super::Roots;
use crate::tree::{Gold, NO_NODE, Node, ROOT};

/// "Cannot be": more than any loss, and adding to it cannot overflow.
const NEVER: u32 = u32::MAX / 2;

/// The memory of a tabulation, to be used again.
#[derive(Debug, Default)]
pub(super) struct Tabulation {
    /// What may be the root of an interval, from left to right: the stack from the bottom up, then the subtrees.
    nodes: Vec<Node>,
    /// The gold heads of `nodes`.
    heads: Vec<Node>,
    /// By word of the buffer: whether a gold path within the buffer leads from it down to a gold head of an item of the
    /// stack.
    wanted: Vec<bool>,
    /// One row for each number of subtrees in the interval, by root; all for the same number of items of the stack.
    rows: Vec<u32>,
}

impl Tabulation {
    /// The number of gold arcs that the best derivation loses from here on. The stack, given from the top down, ends in
    /// the root, and with one root holds a word at least; the buffer is the words of `buffer`.
    pub(super) fn loss(
        &mut self,
        gold: &Gold,
        stack: impl Iterator<Item = Node>,
        buffer: Range<Node>,
        roots: Roots,
    ) -> u32 {
        self.nodes.clear();
        self.nodes.extend(stack.filter(|&node| roots == Roots::Several || node != ROOT));
        self.nodes.reverse();
        let n_items = self.nodes.len();
        self.add_subtrees(gold, buffer);
        self.heads.clear();
        self.heads.extend(self.nodes.iter().map(|&node| gold.head(node)));

        let width = self.nodes.len();
        self.rows.clear();
        self.rows.resize((width - n_items + 1) * width, NEVER);
        self.rows[n_items - 1] = 0;
        for first in (0..n_items).rev() {
            for end in n_items..=width {
                let (previous, row) = self.rows[..(end - n_items + 1) * width].split_at_mut((end - n_items) * width);
                if first < n_items - 1 {
                    join_left(row, &self.nodes, &self.heads, first..end);
                }
                if end > n_items {
                    join_right(row, &previous[previous.len() - width..], &self.nodes, &self.heads, first..end);
                }
            }
        }
        let whole = &self.rows[self.rows.len() - width..];
        match roots {
            Roots::Several => whole[0],
            Roots::Single => best_below(whole, &self.heads, ROOT),
        }
    }

    fn add_subtrees(&mut self, gold: &Gold, buffer: Range<Node>) {
        let front = buffer.start;
        self.wanted.clear();
        self.wanted.resize(buffer.len(), false);
        for &node in &self.nodes {
            let mut above = gold.head(node);
            while buffer.contains(&above) && !self.wanted[(above - front) as usize] {
                self.wanted[(above - front) as usize] = true;
                above = gold.head(above);
            }
        }
        let kept = buffer.filter(|&word| gold.head(word) < front || self.wanted[(word - front) as usize]);
        self.nodes.extend(kept);
    }
}

/// The least loss if `head` is made the head of an interval whose roots have these losses and gold heads.
fn best_below(losses: &[u32], heads: &[Node], head: Node) -> u32 {
    // The root, the only node without a gold head, is nobody's dependent.
    let joined = |(&loss, &g): (&u32, &Node)| if g == NO_NODE { NEVER } else { loss + u32::from(g != head) };
    losses.iter().zip(heads).map(joined).min().unwrap_or(NEVER)
}

/// Makes `row`, which holds the losses of the interval without its leftmost node, into those of the whole `interval`.
fn join_left(row: &mut [u32], nodes: &[Node], heads: &[Node], interval: Range<usize>) {
    let rest = interval.start + 1..interval.end;
    let (node, head) = (nodes[interval.start], heads[interval.start]);
    row[interval.start] = best_below(&row[rest.clone()], &heads[rest.clone()], node);
    for (loss, &root) in row[rest.clone()].iter_mut().zip(&nodes[rest]) {
        *loss = if head == NO_NODE { NEVER } else { *loss + u32::from(root != head) };
    }
}

/// Lowers `row` where it is better to make the `interval` by joining its rightmost node to the rest of it, whose losses
/// `previous` holds.
fn join_right(row: &mut [u32], previous: &[u32], nodes: &[Node], heads: &[Node], interval: Range<usize>) {
    let last = interval.end - 1;
    let rest = interval.start..last;
    let on_top = best_below(&previous[rest.clone()], &heads[rest.clone()], nodes[last]);
    row[last] = row[last].min(on_top);
    for ((loss, &before), &root) in row[rest.clone()].iter_mut().zip(&previous[rest.clone()]).zip(&nodes[rest]) {
        *loss = (*loss).min(before + u32::from(root != heads[last]));
    }
}
