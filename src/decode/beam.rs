//! The beam: scoring all successors, keeping the best, building only those.

use fearless_simd::i32x8;
use fearless_simd::prelude::*;

use crate::configuration::{Cell, Cells, Point, Role, View};
use crate::scorer::{Block, MAX_TERMS, Scores};
use crate::system::{ActionId, Actions, Choice, FORBIDDEN, Permitted};
use crate::vector::vectorised;

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
    /// The last actions, where scorers read them: of those that read all, linked back to the first one.
    pub history: Option<&'a Cell<'a>>,
}

/// Padding action of an item whose derivation is complete.
pub const IDLE: Choice = Choice { point: 0, action: ActionId::MAX };

/// A successor that has not been built: the parent's rank in the beam, the choice, and the score.
///
/// All in one number, so that its order is the order of a beam, best first: the highest score, ties by the parent's
/// rank, then by point and action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate(u128);

const SIGN: u64 = 1 << 63;

impl Candidate {
    /// The candidate with this score of its whole derivation.
    #[inline]
    pub fn new(score: i64, rank: u32, choice: Choice) -> Candidate {
        let descending = !(score as u64 ^ SIGN);
        let tie = u64::from(rank) << 32 | u64::from(choice.point) << 16 | u64::from(choice.action);
        Candidate(u128::from(descending) << 64 | u128::from(tie))
    }

    /// The score of the whole derivation.
    #[inline]
    pub fn score(self) -> i64 {
        (!((self.0 >> 64) as u64) ^ SIGN) as i64
    }

    /// The parent's rank.
    #[inline]
    pub fn rank(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The action and where it is taken.
    #[inline]
    pub fn choice(self) -> Choice {
        Choice { point: (self.0 >> 16) as Point, action: self.0 as ActionId }
    }
}

/// Memory of selecting the candidates of one step after the other.
#[derive(Debug, Clone)]
pub struct Selection {
    candidates: Vec<Candidate>,
    /// Number of candidates in each band of scores below the reference.
    bands: [usize; N_BANDS],
    /// The logarithm of a band's width: that of the last step is a good guess for the next.
    shift: u32,
    /// Rows of scores.
    rows: Vec<Row>,
}

/// An item's rank and score, and what of it is offered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub rank: u32,
    pub base: i64,
    pub of: Of,
}

/// Kinds of candidates of an item.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    /// Permitted actions at this point: a row of scores.
    Point(Point, Permitted),
    /// Waiting by this action, once the derivation is complete: a row of scores.
    Idle(ActionId),
    /// Waiting where it is not scored.
    Ended,
}

const N_BANDS: usize = 128;

/// The margin that prunes nothing.
pub const NO_MARGIN: i64 = i64::MAX / 2;

impl Default for Selection {
    fn default() -> Selection {
        Selection { candidates: Vec::new(), bands: [0; N_BANDS], shift: 10, rows: Vec::new() }
    }
}

/// Selects the best candidates of one step.
///
/// Candidates are counted by bands of scores; once the bands above one hold as many as are wanted, nothing in it or below
/// is of interest any more. Where the bands lie decides how much work is saved, never what is selected.
///
/// Complexity: O(c + b log b) for c candidates above the running threshold and width b.
#[derive(Debug)]
pub struct Beam<'w> {
    width: usize,
    selection: &'w mut Selection,
    /// The score at which the first band begins; what is higher belongs to it, too.
    top: i64,
    /// The last band of interest, and how many candidates there are in it and above.
    last: usize,
    n: usize,
    /// Candidates must score more than this.
    threshold: i64,
    /// Largest lag of candidates behind the best.
    margin: i64,
}

impl<'w> Beam<'w> {
    /// An empty selection of at most `width` candidates, from items of which the best has this score.
    pub fn new(width: usize, best: i64, selection: &'w mut Selection) -> Beam<'w> {
        selection.candidates.clear();
        selection.bands.fill(0);
        // The successors of the best item gain something, too.
        let top = best.saturating_add((N_BANDS as i64 / 4) << selection.shift);
        Beam { width, selection, top, last: N_BANDS - 1, n: 0, threshold: i64::MIN, margin: NO_MARGIN }
    }

    /// The selection without candidates that lag more than `margin` behind the best.
    #[must_use]
    #[inline]
    pub fn with_margin(self, margin: i64) -> Beam<'w> {
        Beam { margin, ..self }
    }

    /// An empty list of rows, to be [given back](Beam::give_back) so that the next step has its memory.
    pub(super) fn take_rows(&mut self) -> Vec<Row> {
        let mut rows = std::mem::take(&mut self.selection.rows);
        rows.clear();
        rows
    }

    pub(super) fn give_back(&mut self, rows: Vec<Row>) {
        self.selection.rows = rows;
    }

    /// Offers every permitted action at `point` of the item of this `rank`. Ranks, and points of a rank, must come in
    /// ascending order.
    ///
    /// `scores` are those of the actions, `mask` is 0 for permitted ones and [`FORBIDDEN`] for others.
    #[inline]
    pub fn offer_all(&mut self, rank: u32, point: Point, base: i64, scores: Scores, mask: &[i32]) {
        vectorised!(simd => self.offer_all_with(simd, (rank, point, base), scores, mask));
    }

    /// [`Beam::offer_all`] where the vector instructions have been chosen.
    #[inline(always)]
    pub(super) fn offer_all_with<V: Simd>(&mut self, simd: V, of: (u32, Point, i64), scores: Scores, mask: &[i32]) {
        let vector = |term: u32| scores.vectors.blocks_of(term);
        match *scores.terms {
            [a] => self.offer_sum(simd, of, [vector(a)], mask),
            [a, b] => self.offer_sum(simd, of, [vector(a), vector(b)], mask),
            [a, b, c] => self.offer_sum(simd, of, [vector(a), vector(b), vector(c)], mask),
            [a, b, c, d] => self.offer_sum(simd, of, [vector(a), vector(b), vector(c), vector(d)], mask),
            _ => unreachable!("scores have 1 to {MAX_TERMS} terms"),
        }
    }

    /// Adds up `N` vectors and the mask, and keeps what is above the threshold: a block of lanes at a time, which mostly has
    /// nothing to keep.
    #[inline(always)]
    fn offer_sum<V: Simd, const N: usize>(
        &mut self,
        simd: V,
        (rank, point, base): (u32, Point, i64),
        vectors: [&[Block]; N],
        mask: &[i32],
    ) {
        const HALF: usize = Actions::LANES / 2;
        let (masks, _) = mask.as_chunks::<{ Actions::LANES }>();
        let vectors = vectors.map(|vector| &vector[..masks.len()]);
        let halves = |block: &[i32; Actions::LANES]| {
            let halves: [[i32; HALF]; 2] = bytemuck::cast(*block);
            halves.map(|half| i32x8::simd_from(simd, half))
        };
        let limits = i32x8::splat(simd, self.limit(base));
        for (number, mask) in masks.iter().enumerate() {
            let [mut low, mut high] = halves(mask);
            for vector in vectors {
                let halves = halves(&vector[number].0);
                low += halves[0];
                high += halves[1];
            }
            let above = [low.simd_gt(limits), high.simd_gt(limits)];
            if !(above[0] | above[1]).any_true() {
                continue;
            }
            let mut above = above[0].to_bitmask() | above[1].to_bitmask() << HALF;
            let sums: [i32; Actions::LANES] = bytemuck::cast([<[i32; HALF]>::from(low), <[i32; HALF]>::from(high)]);
            while above != 0 {
                let lane = above.trailing_zeros() as usize % Actions::LANES;
                above &= above - 1;
                let action = (number * Actions::LANES + lane) as ActionId;
                self.offer(Candidate::new(base + i64::from(sums[lane]), rank, Choice { point, action }));
            }
        }
    }

    /// Offers one successor. Ranks, and choices of a rank, must come in ascending order.
    #[inline(always)]
    pub fn offer(&mut self, candidate: Candidate) {
        let score = candidate.score();
        if score <= self.threshold {
            return;
        }
        self.selection.candidates.push(candidate);
        let below_top = self.top.saturating_sub(score).max(0) as u64;
        let band = ((below_top >> self.selection.shift) as usize).min(N_BANDS - 1);
        self.selection.bands[band] += 1;
        self.n += 1;
        while self.n - self.selection.bands[self.last] >= self.width {
            self.n -= self.selection.bands[self.last];
            self.last -= 1;
            // The lowest score of the last band, and one less: nothing below can be selected.
            self.threshold = self.threshold.max(self.top - ((self.last as i64 + 1) << self.selection.shift));
        }
        self.threshold = self.threshold.max(score.saturating_sub(self.margin) - 1);
    }

    /// The threshold relative to an item's score; never below what a forbidden action can reach.
    #[inline]
    fn limit(&self, base: i64) -> i32 {
        self.threshold.saturating_sub(base).clamp(i64::from(FORBIDDEN / 2), i64::from(i32::MAX)) as i32
    }

    /// The best candidates, in order.
    pub fn finish(self) -> &'w [Candidate] {
        let Selection { candidates, shift, .. } = self.selection;
        candidates.retain(|candidate| candidate.score() > self.threshold);
        if candidates.len() > self.width {
            candidates.select_nth_unstable(self.width - 1);
            candidates.truncate(self.width);
        }
        candidates.sort_unstable();
        if let [best, .., last] = candidates[..] {
            let spread = best.score().saturating_sub(last.score()).max(1) as u64;
            *shift = spread.ilog2().saturating_sub(N_BANDS.ilog2() - 2);
        }
        candidates
    }
}

impl<'a, C> Item<'a, C> {
    /// The items from this one back to the initial one.
    pub fn history(&'a self) -> impl Iterator<Item = &'a Item<'a, C>> {
        std::iter::successors(Some(self), |item| item.parent)
    }

    /// The number of transitions so far; waiting is none.
    pub fn length(&'a self) -> usize {
        self.history().filter(|item| item.parent.is_some() && item.choice != IDLE).count()
    }
}

impl<'a, C: View<'a>> View<'a> for Item<'a, C> {
    #[inline]
    fn cells(&self, point: Point) -> Cells<'a> {
        let mut cells = self.configuration.cells(point);
        cells[Role::A as usize] = self.history;
        cells
    }

    #[inline]
    fn cell(&self, point: Point, role: Role) -> Option<&'a Cell<'a>> {
        if role == Role::A { self.history } else { self.configuration.cell(point, role) }
    }

    #[inline]
    fn identity(&self) -> u64 {
        // Whole histories are no part of it: else every derivation of a configuration would take a place of the beam.
        let history = self.history.filter(|history| history.below.is_none());
        let history = history.map_or(0, |history| history.slots.history());
        self.configuration.identity() ^ history.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use super::*;
    use crate::scorer::Vectors;
    use crate::vector::versions;
    use proptest::prelude::*;

    /// Offers a row of scores under a mask.
    type Offer<'o> = &'o dyn Fn(&mut Beam, (u32, Point, i64), Scores, &[i32]);

    proptest! {
        /// Against sorting everything.
        #[test]
        fn selects_what_sorting_would(
            width in 1usize..20,
            shift in 0u32..8,
            best in -20i64..20,
            margin in prop::sample::select(vec![0, 1, 3, 10, NO_MARGIN]),
            items in prop::collection::vec((-5i64..5, prop::collection::vec((-4i32..4, prop::bool::ANY), 32)), 1..10),
        ) {
            let select = |offer: Offer| {
                let mut selection = Selection { shift, ..Selection::default() };
                let mut beam = Beam::new(width, best, &mut selection).with_margin(margin);
                let mut vectors = Vectors::default();
                for (rank, (base, lanes)) in items.iter().enumerate() {
                    // Every score is a sum of two numbers.
                    vectors.clear(32);
                    vectors.push_zero().iter_mut().zip(0..).for_each(|(score, lane)| *score = lane);
                    let scores = lanes.iter().zip(0..).map(|(scored, lane)| scored.0 - lane);
                    vectors.push_zero().copy_from_slice(&scores.collect::<Vec<i32>>());
                    let mask: Vec<i32> = lanes.iter().map(|lane| if lane.1 { 0 } else { FORBIDDEN }).collect();
                    let scores = Scores::new(&vectors, &[0, 1]);
                    offer(&mut beam, (rank as u32, 0, *base), scores, &mask);
                }
                beam.finish().to_vec()
            };
            let selected = versions!(simd => select(&|beam, of, scores, mask| beam.offer_all_with(simd, of, scores, mask)));
            let mut all = Vec::new();
            for (rank, (base, lanes)) in items.iter().enumerate() {
                for (action, lane) in lanes.iter().enumerate().filter(|(_, lane)| lane.1) {
                    let score = base + i64::from(lane.0);
                    let choice = Choice { point: 0, action: action as ActionId };
                    all.push(Candidate::new(score, rank as u32, choice));
                }
            }
            all.sort_by_key(|c| (Reverse(c.score()), c.rank(), c.choice()));
            all.truncate(width);
            let highest = all.first().map_or(0, |c| c.score());
            all.retain(|c| c.score() >= highest - margin);
            for selected in selected {
                prop_assert_eq!(&selected, &all);
            }
        }
    }
}
