//! The loops over lanes: see [`crate::vector`].

use fearless_simd::i32x8;
use fearless_simd::prelude::*;

use super::Block;
use crate::system::{ActionId, Actions};

/// How many of the scores of a signature are kept apart: the highest in each so many-th lane.
pub const N_BEST: usize = 4;

const HALF: usize = Actions::LANES / 2;

#[inline(always)]
fn halves<V: Simd>(simd: V, block: &[i32; Actions::LANES]) -> [i32x8<V>; 2] {
    let halves: [[i32; HALF]; 2] = bytemuck::cast(*block);
    halves.map(|half| i32x8::simd_from(simd, half))
}

/// Adds up `terms` and `mask` into `sums`; the highest sum in each [`N_BEST`]-th lane.
#[inline(always)]
pub fn sum<V: Simd, T: AsRef<[B]>, B: AsRef<[Block]>>(
    simd: V,
    terms: T,
    mask: &[i32],
    sums: &mut [Block],
) -> [i32; N_BEST] {
    let (masks, _) = mask.as_chunks::<{ Actions::LANES }>();
    let n = sums.len();
    let (terms, masks) = (terms.as_ref(), &masks[..n]);
    terms.iter().for_each(|term| assert!(term.as_ref().len() == n, "terms are as long as sums"));
    let mut highest = i32x8::splat(simd, i32::MIN);
    for number in 0..n {
        let [mut low, mut high] = halves(simd, &masks[number]);
        for term in terms {
            let [a, b] = halves(simd, &term.as_ref()[number].0);
            low += a;
            high += b;
        }
        sums[number].0 = bytemuck::cast([<[i32; HALF]>::from(low), <[i32; HALF]>::from(high)]);
        highest = highest.max(low.max(high));
    }
    best_of(highest)
}

/// [`sum`] of so many terms, which stand in `blocks` from these places on.
#[inline(always)]
pub fn sum_of<V: Simd, const N: usize>(
    simd: V,
    blocks: &[Block],
    places: &[usize; N],
    mask: &[i32],
    sums: &mut [Block],
) -> [i32; N_BEST] {
    let n = sums.len();
    let mut terms: [&[Block]; N] = [&[]; N];
    for (term, &place) in terms.iter_mut().zip(places) {
        *term = &blocks[place..place + n];
    }
    sum(simd, terms, mask, sums)
}

/// Adds `mask` to `sums`; the highest sum in each [`N_BEST`]-th lane.
#[inline(always)]
pub fn mask<V: Simd>(simd: V, mask: &[i32], sums: &mut [Block]) -> [i32; N_BEST] {
    let flat: &mut [i32] = bytemuck::cast_slice_mut(sums);
    flat.iter_mut().zip(mask).for_each(|(sum, mask)| *sum += mask);
    let mut highest = i32x8::splat(simd, i32::MIN);
    for sum in &*sums {
        let [low, high] = halves(simd, &sum.0);
        highest = highest.max(low).max(high);
    }
    best_of(highest)
}

#[inline(always)]
fn best_of<V: Simd>(highest: i32x8<V>) -> [i32; N_BEST] {
    let highest = <[i32; HALF]>::from(highest);
    let [a, b, c, d, e, f, g, h] = highest;
    [a.max(e), b.max(f), c.max(g), d.max(h)]
}

/// Calls `found` with each lane that holds more than `limit`, and what it holds, in the order of the lanes.
#[inline(always)]
pub fn above<V: Simd>(simd: V, sums: &[Block], limit: i32, mut found: impl FnMut(ActionId, i32)) {
    let limits = i32x8::splat(simd, limit);
    for (number, sum) in sums.iter().enumerate() {
        let [low, high] = halves(simd, &sum.0);
        if low.max(high).simd_gt(limits).to_bitmask() == 0 {
            continue;
        }
        let mut above = (low.simd_gt(limits).to_bitmask() | high.simd_gt(limits).to_bitmask() << HALF) as u32;
        while above != 0 {
            let lane = above.trailing_zeros() as usize % Actions::LANES;
            above &= above - 1;
            found((number * Actions::LANES + lane) as ActionId, sum.0[lane]);
        }
    }
}
