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
pub fn sum<'v, V: Simd>(
    simd: V,
    terms: impl Iterator<Item = &'v [Block]> + Clone,
    mask: &[i32],
    sums: &mut [Block],
) -> [i32; N_BEST] {
    let (masks, _) = mask.as_chunks::<{ Actions::LANES }>();
    let mut highest = i32x8::splat(simd, i32::MIN);
    for (number, (sum, mask)) in sums.iter_mut().zip(masks).enumerate() {
        let [mut low, mut high] = halves(simd, mask);
        for term in terms.clone() {
            let [a, b] = halves(simd, &term[number].0);
            low += a;
            high += b;
        }
        sum.0 = bytemuck::cast([<[i32; HALF]>::from(low), <[i32; HALF]>::from(high)]);
        highest = highest.max(low).max(high);
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
    let terms = places.map(|place| &blocks[place..place + n]);
    sum(simd, terms.into_iter(), mask, sums)
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
    std::array::from_fn(|lane| highest[lane].max(highest[lane + N_BEST]))
}

/// Calls `found` with each lane that holds more than `limit`, and what it holds, in the order of the lanes.
#[inline(always)]
pub fn above<V: Simd>(simd: V, sums: &[Block], limit: i32, mut found: impl FnMut(ActionId, i32)) {
    let limits = i32x8::splat(simd, limit);
    for (number, sum) in sums.iter().enumerate() {
        let [low, high] = halves(simd, &sum.0);
        let above = [low.simd_gt(limits), high.simd_gt(limits)];
        if !(above[0] | above[1]).any_true() {
            continue;
        }
        let mut above = (above[0].to_bitmask() | above[1].to_bitmask() << HALF) as u32;
        while above != 0 {
            let lane = above.trailing_zeros() as usize % Actions::LANES;
            above &= above - 1;
            found((number * Actions::LANES + lane) as ActionId, sum.0[lane]);
        }
    }
}
