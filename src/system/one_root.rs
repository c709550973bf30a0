//! What arc-eager loses beyond its arc-by-arc costs if one word alone may hang on the root.
//!
//! Arc-eager is arc-decomposable: gold arcs that can each still be made can all be made (Goldberg & Nivre, TACL 2013),
//! and so its costs count arcs one by one. The demand for one root breaks this in two places. Let u1..up be the words
//! without a head on the stack, u1 at its bottom. They leave the stack from the top, so u2..up must all get heads among
//! the words of the buffer, and u1 at most is left for the root. Hence
//!
//! 1. the gold arc from the root to one of u2..up is lost, though the unrestricted system could still make it;
//! 2. one gold arc more is lost if the last word descends, by gold arcs within the buffer, from a word t whose gold head
//!    is on the stack at or above u2. Up to t there is a word between u2 and its future head; from t on every word
//!    descends from an item above u2 and can no more be its head. To give up the arc into t is enough: then t can be the
//!    head of u2..up. In all other cases there is a word that can take them at no loss.
//!
//! With these two terms the costs equal exhaustive search for every projective gold tree with one root of up to seven words.

use super::Move;
use crate::configuration::Stacks;
use crate::tree::{Gold, NO_NODE, Node, ROOT};

/// The two terms for one configuration, and what they become after each move.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneRoot {
    s0: Node,
    b0: Node,
    /// Whether B0 is a gold dependent of the root.
    b0_is_root: bool,
    /// Whether B0 is the last word.
    b0_is_last: bool,
    /// The number of words without a head on the stack.
    n_headless: usize,
    /// The first term's word: a gold dependent of the root among u2..up.
    barred: Option<Node>,
    /// t of the second term, whatever its gold head.
    entry: Node,
    /// The second term's item: t's gold head, if it is on the stack at or above u2.
    crowded: Option<Node>,
}

impl OneRoot {
    /// The terms in `c`, where the buffer's front is a word.
    ///
    /// Complexity: the stack's length and the last word's depth.
    pub(super) fn of<C: Stacks>(gold: &Gold, c: &C, b0: Node) -> OneRoot {
        let last = gold.n_words() as Node;
        let mut entry = last;
        while gold.head(entry) >= b0 {
            entry = gold.head(entry);
        }
        let (mut barred, mut crowded) = (None, None);
        // Of the words without a head, those at or below the item at hand.
        let mut n_below = c.n_headless();
        for (item, has_head) in c.stack_nodes() {
            if n_below < 2 {
                break;
            }
            if !has_head && gold.head(item) == ROOT {
                barred = Some(item);
            }
            if item == gold.head(entry) {
                crowded = Some(item);
            }
            n_below -= usize::from(!has_head);
        }
        OneRoot {
            s0: c.stack(0).unwrap_or(NO_NODE),
            b0,
            b0_is_root: gold.head(b0) == ROOT,
            b0_is_last: b0 == last,
            n_headless: c.n_headless(),
            barred,
            entry,
            crowded,
        }
    }

    fn loss(&self) -> u32 {
        u32::from(self.barred.is_some()) + u32::from(self.crowded.is_some())
    }

    fn loss_after(&self, mv: Move) -> u32 {
        match mv {
            Move::Left | Move::Reduce => {
                let s0 = Some(self.s0);
                self.loss() - u32::from(self.barred == s0) - u32::from(self.crowded == s0)
            }
            _ => {
                let n_headless = self.n_headless + usize::from(mv == Move::Shift);
                let barred = self.barred.is_some() || mv == Move::Shift && self.b0_is_root && n_headless >= 2;
                let crowded =
                    if self.b0 == self.entry { !self.b0_is_last && n_headless >= 2 } else { self.crowded.is_some() };
                u32::from(barred) + u32::from(crowded)
            }
        }
    }

    /// The cost of `mv`, if without the demand for one root it were `cost`.
    pub(super) fn cost(&self, mv: Move, cost: u32) -> u32 {
        (cost + self.loss_after(mv)).saturating_sub(self.loss())
    }
}
