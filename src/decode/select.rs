//! Selection of the best successors of a beam's items.
//!
//! Scores count by bands below the best one's; once the bands above one hold as many as are wanted, nothing in it or below is
//! of interest. Where the bands lie decides how much work is saved, never what is selected.
//!
//! Complexity: O(c + b log b) for c candidates above the threshold and width b.

use fearless_simd::prelude::*;
use fearless_simd::{i32x4, u32x4};

use super::item::{Candidate, IDLE};
use crate::configuration::Point;
use crate::scorer::StepScores;
use crate::scorer::lanes::{self, MAX_GAP, N_BEST, NO_SCORE};
use crate::system::{ActionId, Choice, FORBIDDEN};
use crate::vector::vectorised;

/// Successors of an item at one point.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// The item's rank in the beam.
    pub rank: u32,
    /// The point at which moves are taken.
    pub point: Point,
    /// True if the item's derivation is complete: padding (IDLE) alone succeeds it.
    pub is_complete: bool,
    /// The number of its query; none if padding is not scored.
    pub query: Option<u32>,
    /// The item's score. Items come in the order of a beam, best first.
    pub base: i64,
}

/// The scores of a step's queries, and the action whose score is that of padding (IDLE), if it is scored.
#[derive(Debug, Clone, Copy)]
pub struct ScoredStep<'s> {
    /// The scores.
    pub scores: &'s StepScores,
    /// The action of padding.
    pub idle: Option<ActionId>,
}

impl ScoredStep<'_> {
    /// The score of padding after a complete derivation.
    fn padding(&self, offer: &Offer) -> i32 {
        let scored = offer.query.zip(self.idle);
        scored.map_or(0, |(query, idle)| self.scores.row(query as usize)[usize::from(idle)] - FORBIDDEN)
    }
}

/// Scratch memory of selection. All scores are relative to that of the best item here, and so are numbers of 32 bits.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// By offer: the scores of some of its candidates, or [`NO_SCORE`] and less.
    bounds: Vec<[i32; N_BEST]>,
    /// Candidates, by how far they are below the best, their offer's number and their action, with room for more; and the best of
    /// them in order.
    keys: Vec<u64>,
    sorted: Vec<u64>,
    bands: Bands,
    all: Vec<Candidate>,
}

const N_BANDS: usize = 128;

/// The scores of candidates count by bands below the best one's.
#[derive(Debug, Clone)]
struct Bands {
    counts: [u32; N_BANDS],
    /// The logarithm of a band's width.
    shift: u32,
    /// The bounds that are scores.
    permitted: Vec<i32>,
}

impl Default for Bands {
    fn default() -> Bands {
        Bands { counts: [0; N_BANDS], shift: 10, permitted: Vec::new() }
    }
}

/// The widest bands: with them, forbidden actions are still in the last one.
const MAX_SHIFT: u32 = 23;

/// The most candidates that are sorted without bands.
const FEW: usize = 24;

/// The most candidates in one band that are sorted by insertion.
const MAX_IN_BAND: u32 = 12;

impl Bands {
    /// A number than which at least `wanted` of `bounds` are greater, not much less than it could be; none of them is greater
    /// than `top`. [`i32::MIN`] if there are not so many.
    #[inline(always)]
    fn threshold<V: Simd>(&mut self, simd: V, bounds: &[[i32; N_BEST]], top: i32, wanted: usize) -> i32 {
        self.counts.fill(0);
        let (tops, last) = (i32x4::splat(simd, top), u32x4::splat(simd, N_BANDS as u32 - 1));
        for &bounds in bounds {
            let below: u32x4<V> = (tops - i32x4::simd_from(simd, bounds)).bitcast();
            for band in <[u32; N_BEST]>::from((below >> self.shift).min(last)) {
                self.counts[band as usize % N_BANDS] += 1;
            }
        }
        let mut n = 0;
        for (band, &count) in self.counts[..N_BANDS - 1].iter().enumerate() {
            n += count as usize;
            if n >= wanted {
                return top - ((band as i32 + 1) << self.shift);
            }
        }
        // Scores of the last band may have any value.
        let permitted = bounds.as_flattened().iter().copied().filter(|&bound| bound > FORBIDDEN);
        self.permitted.clear();
        self.permitted.extend(permitted);
        match self.permitted.len() {
            n if n < wanted => i32::MIN,
            _ => *self.permitted.select_nth_unstable_by(wanted - 1, |a, b| b.cmp(a)).1 - 1,
        }
    }

    /// Replaces `sorted` by the least of `keys` in order, as many as are wanted or as there are.
    #[inline(always)]
    fn sort(&mut self, keys: &[u64], wanted: usize, sorted: &mut Vec<u64>) {
        if keys.len() <= FEW {
            sorted.clear();
            sorted.extend_from_slice(keys);
            sorted.sort_unstable();
        } else {
            self.sort_by_bands(keys, wanted, sorted);
        }
        sorted.truncate(wanted);
        if let [best, .., last] = sorted[..] {
            self.adapt((last >> 32) - (best >> 32));
        }
    }

    /// Replaces `sorted` by the least of `keys` in order, at least as many as are wanted if there are so many.
    #[inline(always)]
    fn sort_by_bands(&mut self, keys: &[u64], wanted: usize, sorted: &mut Vec<u64>) {
        let shift = self.shift + 32;
        let band = |key: u64| (key >> shift).min(N_BANDS as u64 - 1) as usize;
        self.counts.fill(0);
        keys.iter().for_each(|&key| self.counts[band(key)] += 1);
        // In bands, the best one first; those of `end` and after hold none of the wanted ones.
        let (mut n, mut end, mut most) = (0, 0, 0);
        while end < N_BANDS && n < wanted as u32 {
            let first = n;
            n += std::mem::replace(&mut self.counts[end], first);
            most = most.max(n - first);
            end += 1;
        }
        sorted.resize(n as usize, 0);
        for &key in keys {
            let band = band(key);
            if band < end {
                let place = &mut self.counts[band];
                sorted[*place as usize] = key;
                *place += 1;
            }
        }
        if most > MAX_IN_BAND {
            sorted.sort_unstable();
        } else {
            sort_by_insertion(sorted);
        }
    }

    /// Learns how far the selected candidates lie apart: in the next step it will be similar.
    #[inline]
    fn adapt(&mut self, spread: u64) {
        self.shift = spread.max(1).ilog2().saturating_sub(N_BANDS.ilog2() - 2).min(MAX_SHIFT);
    }
}

/// Sorts a list that is nearly in order.
#[inline(always)]
fn sort_by_insertion(keys: &mut [u64]) {
    for end in 1..keys.len() {
        let key = keys[end];
        let mut place = end;
        while place > 0 && keys[place - 1] > key {
            keys[place] = keys[place - 1];
            place -= 1;
        }
        keys[place] = key;
    }
}

/// The margin that prunes nothing.
pub const NO_MARGIN: i64 = i64::MAX / 2;

/// Number of candidates to select for a beam of `width`, so that enough are left when twins are dropped.
pub fn selected(width: usize) -> usize {
    if width == 1 { 1 } else { width.saturating_add(width / 2) }
}

/// Number of candidates selected at first for a beam of `width`: a few more than it holds, for some are twins.
pub fn selected_at_first(width: usize) -> usize {
    (width + width / 16 + 1).min(selected(width))
}

/// Selected candidates.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'k> {
    keys: &'k [u64],
    offers: &'k [Offer],
    top: i64,
    /// True if there are no other candidates.
    pub are_all: bool,
}

impl Selected<'_> {
    /// The candidates, best first: their scores, the ranks of their items, and the choices. Where items have one point each, the
    /// number of an offer is the rank.
    #[inline(always)]
    pub fn candidates(&self, have_points: bool) -> impl Iterator<Item = (i64, u32, Choice)> + '_ {
        self.keys.iter().map(move |&key| {
            let (score, number) = (self.top - (key >> 32) as i64, (key >> 16) as u16);
            let (rank, point) = match have_points {
                true => (self.offers[usize::from(number)].rank, self.offers[usize::from(number)].point),
                false => (u32::from(number), 0),
            };
            (score, rank, Choice { point, action: key as ActionId })
        })
    }
}

impl Keys {
    /// The best candidates of all offers, in order, as many as are `wanted`, none of which has a larger gap than `margin`; `None` if
    /// numbers of 32 bits cannot distinguish their scores, or there are too many offers.
    #[inline]
    pub fn select<'k>(
        &'k mut self,
        (wanted, margin): (usize, i64),
        offers: &'k [Offer],
        scored: ScoredStep,
    ) -> Option<Selected<'k>> {
        let ([Offer { base: best, .. }, ..], [.., Offer { base: last, .. }]) = (offers, offers) else { return None };
        if offers.len() > 1 << 16 || best - last > i64::from(MAX_GAP) {
            return None;
        }
        let (top, are_all) = vectorised!(simd => self.select_with(simd, (wanted, margin), *best, offers, scored));
        Some(Selected { keys: &self.sorted, offers, top: best + i64::from(top), are_all })
    }

    /// Leaves the best candidates in `sorted`; the score of the best one, and whether there are no others.
    #[inline(always)]
    fn select_with<V: Simd>(
        &mut self,
        simd: V,
        (wanted, margin): (usize, i64),
        best: i64,
        offers: &[Offer],
        scored: ScoredStep,
    ) -> (i32, bool) {
        let top = self.look_at_best(simd, best, offers, scored);
        // There are this many different candidates: scores below the last of them are not among the best.
        let of_width = self.bands.threshold(simd, &self.bounds, top, wanted);
        let of_margin = (i64::from(top) - margin.min(1 << 32) - 1).max(i32::MIN.into()) as i32;
        let n = self.keep_above(simd, of_width.max(of_margin), top, best, offers, scored);
        self.bands.sort(&self.keys[..n], wanted, &mut self.sorted);
        (top, of_width <= of_margin && n <= wanted)
    }

    /// Notes the scores of some candidates of each item; the highest.
    #[inline(always)]
    fn look_at_best<V: Simd>(&mut self, simd: V, best: i64, offers: &[Offer], scored: ScoredStep) -> i32 {
        self.bounds.resize(offers.len(), [0; N_BEST]);
        let mut highest = i32x4::splat(simd, i32::MIN);
        for (offer, bounds) in offers.iter().zip(&mut self.bounds) {
            let gained = match offer.query {
                Some(query) if !offer.is_complete => i32x4::simd_from(simd, scored.scores.best(query as usize)),
                _ => i32x4::simd_from(simd, [scored.padding(offer), NO_SCORE, NO_SCORE, NO_SCORE]),
            };
            let scores = gained + i32x4::splat(simd, (offer.base - best) as i32);
            highest = highest.max(scores);
            *bounds = scores.into();
        }
        let [a, b, c, d] = <[i32; N_BEST]>::from(highest);
        a.max(b).max(c.max(d))
    }

    /// Collects the candidates that score more than `threshold`: their number, so many of the keys are theirs.
    #[inline(always)]
    fn keep_above<V: Simd>(
        &mut self,
        simd: V,
        threshold: i32,
        top: i32,
        best: i64,
        offers: &[Offer],
        scored: ScoredStep,
    ) -> usize {
        let Keys { keys, bounds, .. } = self;
        let row = scored.scores.width();
        // PERF: not pushed one by one, as the loop over lanes would lose its registers to the vector.
        let mut n = 0;
        for ((number, offer), bounds) in offers.iter().enumerate().zip(&*bounds) {
            let [a, b, c, d] = *bounds;
            if a.max(b).max(c.max(d)) <= threshold.max(FORBIDDEN) {
                continue;
            }
            if keys.len() < n + row {
                keys.resize(2 * (n + row), 0);
            }
            let base = (offer.base - best) as i32;
            let (top, number) = (top - base, (number as u64) << 16);
            let key =
                |action: ActionId, gained: i32| u64::from((top - gained) as u32) << 32 | number | u64::from(action);
            match offer.query {
                Some(query) if !offer.is_complete => {
                    let limit = threshold.saturating_sub(base).max(FORBIDDEN / 2);
                    n += lanes::above(simd, scored.scores.blocks(query as usize), limit, &mut keys[n..], key);
                }
                _ => {
                    keys[n] = key(IDLE.action, scored.padding(offer));
                    n += 1;
                }
            }
        }
        n
    }

    /// The same by sorting all candidates, whatever their scores.
    pub fn sort_all(&mut self, (wanted, margin): (usize, i64), offers: &[Offer], scored: ScoredStep) -> &[Candidate] {
        self.all.clear();
        for offer in offers {
            let Offer { rank, point, base, .. } = *offer;
            let mut push = |gained: i32, choice| self.all.push(Candidate::new(base + i64::from(gained), rank, choice));
            match offer.query {
                Some(query) if !offer.is_complete => {
                    for (action, &score) in (0..).zip(scored.scores.row(query as usize)) {
                        if score > FORBIDDEN / 2 {
                            push(score, Choice { point, action });
                        }
                    }
                }
                _ => push(scored.padding(offer), IDLE),
            }
        }
        best_of(&mut self.all, wanted, margin)
    }
}

/// The best candidates in order, as many as are `wanted`, none of which has a larger gap than `margin`.
pub fn best_of(candidates: &mut Vec<Candidate>, wanted: usize, margin: i64) -> &[Candidate] {
    candidates.sort_unstable();
    candidates.truncate(wanted);
    let lowest = candidates.first().map_or(0, |best| best.score().saturating_sub(margin));
    candidates.retain(|candidate| candidate.score() >= lowest);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Actions, Move, MoveSet, Permitted};
    use proptest::prelude::*;

    proptest! {
        /// Against sorting everything.
        #[test]
        fn selects_what_sorting_would(
            wanted in 1usize..40,
            shift in 0u32..12,
            margin in prop::sample::select(vec![0, 1, 3, 10, NO_MARGIN]),
            mut items in prop::collection::vec((-5i64..5, prop::bool::ANY, prop::collection::vec(-4i32..4, 32)), 1..60),
        ) {
            items.sort_by_key(|item| std::cmp::Reverse(item.0));
            let actions = Actions::new(&[Move::Shift, Move::Left], 20, []).unwrap();
            let all = Permitted { moves: MoveSet::default().with(Move::Shift, true).with(Move::Left, true), ..Permitted::default() };
            let mut scores = StepScores::default();
            let mut offers = Vec::new();
            for (rank, &(base, is_complete, _)) in (0..).zip(&items) {
                scores.ask(u64::from(rank) + 1, if is_complete { Permitted::default() } else { all });
                offers.push(Offer { rank, point: 3, is_complete, query: Some(rank), base });
            }
            scores.fill(&actions, |row, _, into| into.iter_mut().zip(&items[row].2).for_each(|(to, from)| *to = *from));
            let scored = ScoredStep { scores: &scores, idle: Some(0) };
            let mut keys = Keys { bands: Bands { shift, ..Bands::default() }, ..Keys::default() };
            for _ in 0..2 {
                let expected: Vec<_> = keys.sort_all((wanted, margin), &offers, scored).to_vec();
                let expected: Vec<_> = expected.iter().map(|c| (c.score(), c.rank(), c.choice())).collect();
                let selected = keys.select((wanted, margin), &offers, scored).unwrap();
                let idle_point = |(score, rank, choice): (i64, u32, Choice)| match choice.action == IDLE.action {
                    true => (score, rank, IDLE),
                    false => (score, rank, choice),
                };
                let found: Vec<_> = selected.candidates(true).map(idle_point).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert!(!selected.are_all || found.len() <= wanted);
            }
        }
    }
}
