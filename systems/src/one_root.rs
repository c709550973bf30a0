//! Single-root constraint: the loss of arc-eager beyond its arc-by-arc costs if one word alone may hang on the root.
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
//! If a word r can be attached to the root before the end (`arc_eager_start`), it stays at the bottom of the stack for
//! good, and takes the place of u1. One gold arc more is then lost
//!
//! 3. if the word that hangs on the root in the gold tree is another one, and still in the buffer.
//!
//! Arcs that do not count are left out: the first and the third term count what the arc from the root does, and a word whose arc does not
//! count is nobody's descendant in the second.
//!
//! With these terms the costs equal exhaustive search for every projective gold tree with one root of up to seven words.

use treebeam::system::Move;
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The terms for one configuration, and what they become after each move.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneRoot {
    s0: Node,
    b0: Node,
    /// The gold dependent of the root, and the weight of its arc.
    gold_root: Node,
    weight_of_root: u32,
    /// The word that was attached to the root.
    taken: Option<Node>,
    /// True if B0 is the last word.
    b0_is_last: bool,
    /// The number p of words u1..up.
    n_headless: usize,
    /// The first term's word: a gold dependent of the root among u2..up.
    barred: Option<Node>,
    /// t of the second term, whatever its gold head, and the weight of its arc.
    entry: Node,
    weight_of_entry: u32,
    /// The weight of the arc into the word that takes the place of t when t leaves the buffer.
    weight_below_entry: u32,
    /// The second term's item: t's gold head, if it is on the stack at or above u2.
    crowded: Option<Node>,
}

impl OneRoot {
    /// The terms for the nodes of a stack from the top down, each with whether it has a head, `n_headless` of which are
    /// words without; for `b0`, a word, in front of the buffer; and for the word that was attached to the root, if one was.
    ///
    /// Complexity: the stack's length and the last word's depth.
    pub(super) fn of(
        gold: &Gold,
        stack: impl Iterator<Item = (Node, bool)>,
        n_headless: usize,
        b0: Node,
        taken: Option<Node>,
    ) -> OneRoot {
        let last = gold.n_words() as Node;
        let (mut entry, mut below_entry) = (last, last);
        while gold.head(entry) >= b0 && gold.weight(entry) > 0 {
            below_entry = entry;
            entry = gold.head(entry);
        }
        let (mut barred, mut crowded) = (None, None);
        let n_headless = n_headless + usize::from(taken.is_some());
        // Those of u1..up at or below the item at hand.
        let mut n_below = n_headless;
        let mut s0 = None;
        for (item, has_head) in stack {
            s0 = s0.or(Some(item));
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
        let gold_root = gold.dependents(ROOT).first().copied();
        OneRoot {
            s0: s0.unwrap_or(NO_NODE),
            b0,
            gold_root: gold_root.unwrap_or(NO_NODE),
            weight_of_root: gold_root.map_or(0, |word| gold.weight(word)),
            taken,
            b0_is_last: b0 == last,
            n_headless,
            barred,
            entry,
            weight_of_entry: gold.weight(entry),
            weight_below_entry: gold.weight(below_entry),
            crowded,
        }
    }

    /// The value of the terms that hold, for this weight of the arc into t.
    fn sum(&self, barred: bool, (crowded, weight): (bool, u32), stranded: bool) -> u32 {
        let of = |holds: bool, weight: u32| if holds { weight } else { 0 };
        of(barred, self.weight_of_root) + of(crowded, weight) + of(stranded, self.weight_of_root)
    }

    fn loss(&self) -> u32 {
        let stranded = self.taken.is_some_and(|taken| taken != self.gold_root) && self.gold_root >= self.b0;
        self.sum(self.barred.is_some(), (self.crowded.is_some(), self.weight_of_entry), stranded)
    }

    fn loss_after(&self, mv: Move) -> u32 {
        match mv {
            Move::Left | Move::Reduce => {
                let s0 = Some(self.s0);
                self.loss() - self.sum(self.barred == s0, (self.crowded == s0, self.weight_of_entry), false)
            }
            _ => {
                let shift = mv == Move::Shift;
                let taken = if !shift && self.s0 == ROOT { Some(self.b0) } else { self.taken };
                let n_headless = self.n_headless + usize::from(shift || taken != self.taken);
                let barred = self.barred.is_some() || shift && self.b0 == self.gold_root && n_headless >= 2;
                let crowded = match self.b0 == self.entry {
                    true => (!self.b0_is_last && n_headless >= 2, self.weight_below_entry),
                    false => (self.crowded.is_some(), self.weight_of_entry),
                };
                let stranded = taken.is_some_and(|taken| taken != self.gold_root) && self.gold_root > self.b0;
                self.sum(barred, crowded, stranded)
            }
        }
    }

    /// The cost of `mv`, if without the demand for one root it were `cost`.
    pub(super) fn cost(&self, mv: Move, cost: u32) -> u32 {
        (cost + self.loss_after(mv)).saturating_sub(self.loss())
    }
}
