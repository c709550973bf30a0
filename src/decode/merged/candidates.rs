//! The successors of a step's items, best first.
//!
//! An item has pushes, which its prefix score is added to, and pops, each with every predictor. Both are sorted, as predictors
//! are, so that what comes next is known from what came before: a heap holds the next one of each item, as in cube pruning
//! (Huang & Chiang 2005).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::system::ActionId;

/// An action of an item with its score.
pub(super) type ScoredAction = (i64, ActionId);

/// Candidates of an item.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// The item's prefix score.
    pub prefix: i64,
    /// The pushes, best first; of equals, the lower number first.
    pub pushes: Vec<ScoredAction>,
    /// The pops in this order.
    pub pops: Vec<ScoredAction>,
    /// By predictor, best first: the score of the item's derivations with this predictor.
    pub with_predictors: Vec<i64>,
}

/// A successor that has not been built. The greatest one is the best: of equal scores that of the better item, then the one with
/// the lower action and the better predictor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MergedCandidate {
    /// The score of its best derivation.
    pub score: i64,
    /// The rank of the item.
    pub rank: u32,
    /// The action.
    pub action: ActionId,
    /// The number of the predictor below after a pop.
    pub predictor: u32,
    /// The action's place among the pushes or pops.
    place: u32,
    /// True if the action pushes.
    pub is_push: bool,
}

impl Ord for MergedCandidate {
    fn cmp(&self, other: &MergedCandidate) -> Ordering {
        let key = |c: &MergedCandidate| (c.score, Reverse(c.rank), Reverse(c.action), Reverse(c.predictor));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for MergedCandidate {
    fn partial_cmp(&self, other: &MergedCandidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Goes through the candidates of a step.
#[derive(Debug)]
pub(super) struct Candidates<'o> {
    offers: &'o [Offers],
    next: BinaryHeap<MergedCandidate>,
}

impl<'o> Candidates<'o> {
    pub fn new(offers: &'o [Offers]) -> Candidates<'o> {
        let mut candidates = Candidates { offers, next: BinaryHeap::with_capacity(4 * offers.len()) };
        for rank in 0..offers.len() as u32 {
            candidates.add(rank, true, 0, 0);
            candidates.add(rank, false, 0, 0);
        }
        candidates
    }

    fn add(&mut self, rank: u32, is_push: bool, place: u32, predictor: u32) {
        let Offers { prefix, pushes, pops, with_predictors } = &self.offers[rank as usize];
        let (actions, base) = match is_push {
            true => (pushes, Some(prefix)),
            false => (pops, with_predictors.get(predictor as usize)),
        };
        if let (Some(&(gained, action)), Some(&base)) = (actions.get(place as usize), base) {
            self.next.push(MergedCandidate { score: base + gained, rank, action, predictor, place, is_push });
        }
    }

    /// The score of a candidate's action.
    pub fn gained(&self, c: &MergedCandidate) -> i64 {
        let Offers { pushes, pops, .. } = &self.offers[c.rank as usize];
        if c.is_push { pushes[c.place as usize].0 } else { pops[c.place as usize].0 }
    }
}

impl Iterator for Candidates<'_> {
    type Item = MergedCandidate;

    fn next(&mut self) -> Option<MergedCandidate> {
        let candidate = self.next.pop()?;
        let MergedCandidate { rank, predictor, place, is_push, .. } = candidate;
        self.add(rank, is_push, place + 1, predictor);
        if place == 0 && !is_push {
            self.add(rank, false, 0, predictor + 1);
        }
        Some(candidate)
    }
}
