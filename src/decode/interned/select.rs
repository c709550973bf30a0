//! Choosing a step's candidates.

use fearless_simd::prelude::*;

use crate::decode::{Beam, Candidate, IDLE, Selection, selected};
use crate::scorer::lanes::{self, N_BEST};
use crate::scorer::{Scores, SideScores};
use crate::system::{ActionId, Choice, FORBIDDEN};
use crate::vector::vectorised;

/// An item as far as its candidates go.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// The item's score.
    pub base: i64,
    /// The signature of its scores, or, if its derivation is complete, none.
    pub signature: Option<u32>,
    /// If its derivation is complete: what it gains by waiting.
    pub gained: i32,
}

/// Scratch memory of selection.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// The least a candidate may score, of several for each item.
    bounds: Vec<i64>,
    /// Candidates, by how far they are below the best, their item's rank and their action.
    keys: Vec<u64>,
    /// How many bounds lie in each band of scores below the best, and the logarithm of a band's width.
    bands: Bands,
    /// No action forbidden.
    no_mask: Vec<i32>,
}

const N_BANDS: usize = 128;

/// Stands for the score of no candidate, and is less than any.
const NO_BOUND: i64 = i64::MIN / 2;

#[derive(Debug, Clone)]
struct Bands {
    counts: [u32; N_BANDS],
    shift: u32,
}

impl Default for Bands {
    fn default() -> Bands {
        Bands { counts: [0; N_BANDS], shift: 10 }
    }
}

impl Bands {
    /// A number than which at least `wanted` of `bounds` are greater, not much less than it could be; none of them is greater
    /// than `top`, and so many there are.
    #[inline]
    fn threshold(&mut self, bounds: &mut [i64], top: i64, wanted: usize) -> i64 {
        self.counts.fill(0);
        for &bound in &*bounds {
            let band = ((top - bound) as u64 >> self.shift).min(N_BANDS as u64 - 1);
            self.counts[band as usize] += 1;
        }
        let mut n = 0;
        for (band, &count) in self.counts[..N_BANDS - 1].iter().enumerate() {
            n += count as usize;
            if n >= wanted {
                return top - ((band as i64 + 1) << self.shift);
            }
        }
        // What the last band holds may lie anywhere.
        let (_, &mut least, _) = bounds.select_nth_unstable_by(wanted - 1, |a, b| b.cmp(a));
        least - 1
    }

    /// Learns how far the selected candidates lie apart: in the next step it will be similar.
    #[inline]
    fn adapt(&mut self, spread: u64) {
        self.shift = spread.max(1).ilog2().saturating_sub(N_BANDS.ilog2() - 2);
    }
}

/// How many candidates are selected at first for a beam of `width`: a few more than it holds, for some are twins.
fn selected_at_first(width: usize) -> usize {
    (width + width / 16 + 1).min(selected(width))
}

/// What was selected.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'k> {
    keys: &'k [u64],
    top: i64,
    /// Whether there are no other candidates.
    pub are_all: bool,
}

impl Selected<'_> {
    /// The candidates, best first: their scores, the ranks of their items, and what is chosen.
    pub fn candidates(&self) -> impl Iterator<Item = (i64, u32, Choice)> + '_ {
        self.keys.iter().map(|&key| {
            let score = self.top - (key >> 32) as i64;
            (score, u32::from((key >> 16) as u16), Choice { point: 0, action: key as ActionId })
        })
    }
}

impl Keys {
    /// The best candidates of the items, in order, a few more than `width`, none of which lags more than `margin`; `None` if numbers of 32 bits cannot tell their
    /// scores apart.
    #[inline]
    pub fn select(
        &mut self,
        (width, margin): (usize, i64),
        offers: &[Offer],
        scores: &SideScores,
    ) -> Option<Selected<'_>> {
        let wanted = selected_at_first(width);
        let (n, top) = self.look_at_best(offers, scores);
        // So many different candidates there are: what scores less than the last of them is not among the best.
        let of_width = if n < wanted { i64::MIN } else { self.bands.threshold(&mut self.bounds, top, wanted) };
        let of_margin = top.saturating_sub(margin) - 1;
        let threshold = of_width.max(of_margin);
        let fits = vectorised!(simd => self.keep_above(simd, threshold, top, offers, scores));
        if !fits {
            return None;
        }
        let keys = &mut self.keys;
        let are_all = of_width <= of_margin && keys.len() <= wanted;
        if keys.len() > wanted + wanted / 2 {
            keys.select_nth_unstable(wanted - 1);
            keys.truncate(wanted);
        }
        keys.sort_unstable();
        keys.truncate(wanted);
        if let [best, .., last] = keys[..] {
            self.bands.adapt((last >> 32) - (best >> 32));
        }
        Some(Selected { keys, top, are_all })
    }

    /// Notes the scores of some candidates of each item; how many they are, and the highest.
    #[inline(always)]
    fn look_at_best(&mut self, offers: &[Offer], scores: &SideScores) -> (usize, i64) {
        self.bounds.resize(offers.len() * N_BEST, 0);
        let (mut n, mut top) = (0, i64::MIN);
        for (offer, bounds) in offers.iter().zip(self.bounds.as_chunks_mut::<N_BEST>().0) {
            let Some(signature) = offer.signature else {
                let score = offer.base + i64::from(offer.gained);
                *bounds = [score, NO_BOUND, NO_BOUND, NO_BOUND];
                (n, top) = (n + 1, top.max(score));
                continue;
            };
            for (bound, score) in bounds.iter_mut().zip(scores.of(signature).best) {
                let is_permitted = score > FORBIDDEN / 2;
                *bound = if is_permitted { offer.base + i64::from(score) } else { NO_BOUND };
                n += usize::from(is_permitted);
                top = top.max(*bound);
            }
        }
        (n, top)
    }

    /// Collects the candidates that score more than `threshold`; whether all keys hold their scores.
    #[inline(always)]
    fn keep_above<V: Simd>(
        &mut self,
        simd: V,
        threshold: i64,
        top: i64,
        offers: &[Offer],
        scores: &SideScores,
    ) -> bool {
        let keys = &mut self.keys;
        keys.clear();
        let mut highest = 0;
        for (rank, offer) in offers.iter().enumerate() {
            let mut keep = |score: i64, action: ActionId| {
                let below = (top - score) as u64;
                highest |= below;
                keys.push(below << 32 | (rank as u64) << 16 | u64::from(action));
            };
            let Some(signature) = offer.signature else {
                let score = offer.base + i64::from(offer.gained);
                if score > threshold {
                    keep(score, IDLE.action);
                }
                continue;
            };
            let limit =
                threshold.saturating_sub(offer.base).clamp(i64::from(FORBIDDEN / 2), i64::from(i32::MAX)) as i32;
            let [a, b, c, d] = scores.of(signature).best;
            if a.max(b).max(c.max(d)) > limit {
                let sums = scores.sums.blocks_of(signature);
                lanes::above(simd, sums, limit, |action, score| keep(offer.base + i64::from(score), action));
            }
        }
        highest < 1 << 32
    }

    /// The best candidates of the items, in order, as many as can be wanted for a beam of `width`.
    pub fn select_all<'s>(
        &mut self,
        (width, margin): (usize, i64),
        offers: &[Offer],
        scores: &SideScores,
        selection: &'s mut Selection,
    ) -> &'s [Candidate] {
        let mut beam = Beam::new(selected(width), offers[0].base, selection).with_margin(margin);
        for (rank, offer) in offers.iter().enumerate() {
            let Some(signature) = offer.signature else {
                let score = offer.base + i64::from(offer.gained);
                beam.offer(Candidate::new(score, rank as u32, IDLE));
                continue;
            };
            self.no_mask.resize(scores.sums.get(signature).len(), 0);
            let terms = [signature];
            beam.offer_all(rank as u32, 0, offer.base, Scores::new(&scores.sums, &terms), &self.no_mask);
        }
        beam.finish()
    }
}
