//! The beam: scoring all successors, keeping the best, building only those.

use std::cmp::Reverse;

use crate::configuration::{Cell, Cells, Point, Role, View};
use crate::system::{ActionId, Choice, FORBIDDEN};

/// An item of a beam: a configuration, its score, and the way back.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a, C> {
    /// The configuration.
    pub configuration: C,
    /// The item that this one succeeded; `None` for the initial one.
    pub parent: Option<&'a Item<'a, C>>,
    /// The choice that led here; meaningless for the initial item. After the end of its derivation an item succeeds itself
    /// by [`IDLE`], so that all items of a beam have histories of one length.
    pub choice: Choice,
    /// The sum of the scores of all actions so far.
    pub score: i64,
    /// In training: whether the derivation so far is a gold one.
    pub is_gold: bool,
    /// The last actions, where features read them.
    pub history: Option<&'a Cell<'a>>,
}

/// What an item does whose derivation is complete.
pub const IDLE: Choice = Choice { point: 0, action: ActionId::MAX };

/// A successor that has not been built: the parent's rank in the beam, the action, and the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The score of the whole derivation.
    pub score: i64,
    /// The parent's rank.
    pub rank: u32,
    /// The action and where it is taken.
    pub choice: Choice,
}

impl Candidate {
    /// The order of a beam: best score first, ties by the parent's rank, the point, the action's number.
    #[inline]
    fn key(&self) -> (Reverse<i64>, u32, Choice) {
        (Reverse(self.score), self.rank, self.choice)
    }
}

/// Selects the best candidates of one step.
///
/// Complexity: O(c + b log b) for c candidates above the running threshold and width b.
#[derive(Debug)]
pub struct Beam<'w> {
    width: usize,
    candidates: &'w mut Vec<Candidate>,
    /// Candidates must score more than this: once there are `width` of them, a later one of equal score loses the tie.
    threshold: i64,
}

impl<'w> Beam<'w> {
    /// An empty selection of at most `width` candidates.
    pub fn new(width: usize, candidates: &'w mut Vec<Candidate>) -> Beam<'w> {
        candidates.clear();
        Beam { width, candidates, threshold: i64::MIN }
    }

    /// Offers every permitted action at `point` of the item of this `rank`. Ranks, and points of a rank, must come in
    /// ascending order.
    ///
    /// `scores` are those of the actions, `mask` is 0 for permitted ones and [`FORBIDDEN`] for others.
    #[inline]
    pub fn offer_all(&mut self, rank: u32, point: Point, base: i64, scores: &[i32], mask: &[i32]) {
        const LANES: usize = 16;
        let mut limit = self.limit(base);
        for (block, (scores, mask)) in scores.chunks_exact(LANES).zip(mask.chunks_exact(LANES)).enumerate() {
            let mut above = 0u32;
            for lane in 0..LANES {
                above |= u32::from(scores[lane] + mask[lane] > limit) << lane;
            }
            while above != 0 {
                let lane = above.trailing_zeros() as usize;
                above &= above - 1;
                let score = scores[lane] + mask[lane];
                if score > limit {
                    let action = (block * LANES + lane) as ActionId;
                    self.push(Candidate { score: base + i64::from(score), rank, choice: Choice { point, action } });
                    limit = self.limit(base);
                }
            }
        }
    }

    /// Offers one successor. Ranks, and choices of a rank, must come in ascending order.
    #[inline]
    pub fn offer(&mut self, candidate: Candidate) {
        if candidate.score > self.threshold {
            self.push(candidate);
        }
    }

    fn push(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
        // Twice the width amortises the selection to a constant per candidate.
        if self.candidates.len() >= self.width.saturating_mul(2).max(8) {
            self.select();
        }
    }

    fn select(&mut self) {
        if self.candidates.len() > self.width {
            self.candidates.select_nth_unstable_by_key(self.width - 1, Candidate::key);
            self.candidates.truncate(self.width);
            self.threshold = self.candidates[self.width - 1].score;
        }
    }

    /// The threshold relative to an item's score; never below what a forbidden action can reach.
    #[inline]
    fn limit(&self, base: i64) -> i32 {
        self.threshold.saturating_sub(base).clamp(i64::from(FORBIDDEN / 2), i64::from(i32::MAX)) as i32
    }

    /// The best candidates, in order.
    pub fn finish(mut self) -> &'w [Candidate] {
        self.select();
        self.candidates.sort_unstable_by_key(Candidate::key);
        self.candidates
    }
}

impl<'a, C> Item<'a, C> {
    /// The cells that features read at `point`.
    #[inline]
    pub fn cells(&self, point: Point) -> Cells<'a>
    where
        C: View<'a>,
    {
        let mut cells = self.configuration.cells(point);
        cells[Role::A as usize] = self.history;
        cells
    }

    /// A fingerprint of all that its successors and their scores depend on; see [`View::identity`].
    #[inline]
    pub fn identity(&self) -> u64
    where
        C: View<'a>,
    {
        let history = self.history.map_or(0, |history| history.slots.history());
        self.configuration.identity() ^ history.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The items from this one back to the initial one.
    pub fn history(&'a self) -> impl Iterator<Item = &'a Item<'a, C>> {
        std::iter::successors(Some(self), |item| item.parent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against sorting everything.
        #[test]
        fn selects_what_sorting_would(
            width in 1usize..20,
            items in prop::collection::vec((-5i64..5, prop::collection::vec((-4i32..4, prop::bool::ANY), 32)), 1..10),
        ) {
            let mut buffer = Vec::new();
            let mut beam = Beam::new(width, &mut buffer);
            let mut all = Vec::new();
            for (rank, (base, lanes)) in items.iter().enumerate() {
                let scores: Vec<i32> = lanes.iter().map(|lane| lane.0).collect();
                let mask: Vec<i32> = lanes.iter().map(|lane| if lane.1 { 0 } else { FORBIDDEN }).collect();
                beam.offer_all(rank as u32, 0, *base, &scores, &mask);
                for (action, lane) in lanes.iter().enumerate().filter(|(_, lane)| lane.1) {
                    let score = base + i64::from(lane.0);
                    let choice = Choice { point: 0, action: action as ActionId };
                    all.push(Candidate { score, rank: rank as u32, choice });
                }
            }
            all.sort_by_key(Candidate::key);
            all.truncate(width);
            prop_assert_eq!(beam.finish(), &all[..]);
        }
    }
}
