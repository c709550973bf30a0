//! The loops over lanes: see [`crate::vector`].

use fearless_simd::prelude::*;
use fearless_simd::{i16x16, i32x16};

use crate::system::{ActionId, Actions, FORBIDDEN};
use crate::vector::Ones;

/// As many lanes as fill a cache line.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block(pub [i32; Actions::LANES]);

pub(super) const ZERO: Block = Block([0; Actions::LANES]);

/// Number of best scores kept for each signature: the highest in each so many-th lane.
pub const N_BEST: usize = 4;

/// In place of the score of a forbidden action: less than any other, and than any other less what items of a beam may lie apart
/// ([`MAX_GAP`]).
pub const NO_SCORE: i32 = i32::MIN + MAX_GAP;

/// Largest score difference within a beam for which 32-bit scores are exact.
pub const MAX_GAP: i32 = 1 << 28;

#[inline(always)]
fn lanes_of<V: Simd>(simd: V, block: &[i32; Actions::LANES]) -> i32x16<V> {
    i32x16::from_slice(simd, block)
}

/// The vectors of so many blocks that stand in `blocks` from these places on.
///
/// PERF: mapping an array would leave it in memory.
#[inline(always)]
fn terms<'b, const N: usize>(blocks: &'b [Block], places: &[u32; N], n: usize) -> [&'b [Block]; N] {
    let mut terms: [&[Block]; N] = [&[]; N];
    // Unrolled, as an iterator over both is not always.
    for number in 0..N {
        terms[number] = &blocks[places[number] as usize..][..n];
    }
    terms
}

/// Replaces `sums` by the sum of the vectors that stand in `blocks` from these places on.
#[inline(always)]
pub fn set_to_sum<V: Simd, const N: usize>(simd: V, (blocks, places): (&[Block], &[u32; N]), sums: &mut [Block]) {
    let n = sums.len();
    let terms = terms(blocks, places, n);
    for number in 0..n {
        let mut sum = lanes_of(simd, &terms[0][number].0);
        for term in &terms[1..] {
            sum += lanes_of(simd, &term[number].0);
        }
        sum.store_slice(&mut sums[number].0);
    }
}

/// Adds the vectors that stand in `blocks` from these places on to `sums`.
#[inline(always)]
pub fn add_sum<V: Simd, const N: usize>(simd: V, (blocks, places): (&[Block], &[u32; N]), sums: &mut [Block]) {
    let n = sums.len();
    let terms = terms(blocks, places, n);
    for number in 0..n {
        let mut sum = lanes_of(simd, &sums[number].0);
        for term in &terms {
            sum += lanes_of(simd, &term[number].0);
        }
        sum.store_slice(&mut sums[number].0);
    }
}

/// Replaces `sums` by the sum of `mask` and the vectors that stand in `blocks` from these places on; the highest sum in each
/// [`N_BEST`]-th lane, or [`NO_SCORE`].
#[inline(always)]
pub fn sum<V: Simd, const N: usize>(
    simd: V,
    (blocks, places): (&[Block], &[u32; N]),
    mask: &[i32],
    sums: &mut [Block],
) -> [i32; N_BEST] {
    let n = sums.len();
    let terms = terms(blocks, places, n);
    let masks = &mask.as_chunks::<{ Actions::LANES }>().0[..n];
    let mut highest = i32x16::splat(simd, i32::MIN);
    for number in 0..n {
        let mut sum = lanes_of(simd, &masks[number]);
        for term in &terms {
            sum += lanes_of(simd, &term[number].0);
        }
        sum.store_slice(&mut sums[number].0);
        highest = highest.max(sum);
    }
    best_of(highest)
}

/// Adds rows of 16 bits a lane to `sums`: `rows` are `half` numbers long each, two lanes to a number, and `chosen` are those to add.
#[inline(always)]
pub fn add_narrow<V: Simd>(simd: V, (rows, half): (&[i32], usize), chosen: &[u32], sums: &mut [i32]) {
    let (sums, _) = sums[..2 * half].as_chunks_mut::<{ Actions::LANES }>();
    // As many sums as stay in registers.
    let mut wide = sums.chunks_exact_mut(6);
    let mut first = 0;
    for sums in &mut wide {
        add_blocks::<V, 6>(simd, (rows, half, first), chosen, sums);
        first += 6 * Actions::LANES / 2;
    }
    match wide.into_remainder() {
        sums @ [_, _, _, _, _] => add_blocks::<V, 5>(simd, (rows, half, first), chosen, sums),
        sums @ [_, _, _, _] => add_blocks::<V, 4>(simd, (rows, half, first), chosen, sums),
        sums @ [_, _, _] => add_blocks::<V, 3>(simd, (rows, half, first), chosen, sums),
        sums @ [_, _] => add_blocks::<V, 2>(simd, (rows, half, first), chosen, sums),
        sums @ [_] => add_blocks::<V, 1>(simd, (rows, half, first), chosen, sums),
        _ => {}
    }
}

/// Adds those `N` blocks of rows that begin at the number `first` of each.
#[inline(always)]
fn add_blocks<V: Simd, const N: usize>(
    simd: V,
    (rows, half, first): (&[i32], usize, usize),
    chosen: &[u32],
    sums: &mut [[i32; Actions::LANES]],
) {
    let mut totals = [i32x16::splat(simd, 0); N];
    for number in 0..N {
        totals[number] = lanes_of(simd, &sums[number]);
    }
    for &row in chosen {
        let row = &rows[row as usize * half + first..][..N * Actions::LANES / 2];
        let row: &[i16] = bytemuck::cast_slice(row);
        for number in 0..N {
            let narrow = i16x16::from_slice(simd, &row[number * Actions::LANES..][..Actions::LANES]);
            // The half that nobody reads is not computed.
            let (lanes, _) = simd.widen_i16x32(simd.combine_i16x16(narrow, narrow));
            totals[number] += lanes;
        }
    }
    for number in 0..N {
        totals[number].store_slice(&mut sums[number]);
    }
}

/// [`sum`] of any number of terms.
#[inline(always)]
pub fn sum_of_any<V: Simd>(
    simd: V,
    (blocks, places): (&[Block], &[u32]),
    masks: &[i32],
    sums: &mut [Block],
) -> [i32; N_BEST] {
    sums.fill(Block([0; Actions::LANES]));
    for &place in places {
        add_sum(simd, (blocks, &[place]), sums);
    }
    mask(simd, masks, sums)
}

/// Adds `mask` to `sums`; the highest sum in each [`N_BEST`]-th lane, or [`NO_SCORE`].
#[inline(always)]
pub fn mask<V: Simd>(simd: V, mask: &[i32], sums: &mut [Block]) -> [i32; N_BEST] {
    let flat: &mut [i32] = bytemuck::cast_slice_mut(sums);
    flat.iter_mut().zip(mask).for_each(|(sum, mask)| *sum += mask);
    let mut highest = i32x16::splat(simd, i32::MIN);
    for sum in &*sums {
        highest = highest.max(lanes_of(simd, &sum.0));
    }
    best_of(highest)
}

#[inline(always)]
fn best_of<V: Simd>(highest: i32x16<V>) -> [i32; N_BEST] {
    let (low, high) = highest.split();
    let (low, high) = low.max(high).split();
    <[i32; N_BEST]>::from(low.max(high)).map(|highest| if highest > FORBIDDEN / 2 { highest } else { NO_SCORE })
}

/// Writes into `keys` what `key` makes of each lane that holds more than `limit`, and of what it holds, in the order of the
/// lanes; the number of keys. There is room for one of each lane.
#[inline(always)]
pub fn above<V: Simd>(
    simd: V,
    sums: &[Block],
    limit: i32,
    keys: &mut [u64],
    key: impl Fn(ActionId, i32) -> u64,
) -> usize {
    let limits = i32x16::splat(simd, limit);
    let mut n = 0;
    for (number, sum) in sums.iter().enumerate() {
        for lane in Ones(lanes_of(simd, &sum.0).simd_gt(limits).to_bitmask()) {
            let lane = lane % Actions::LANES;
            keys[n] = key((number * Actions::LANES + lane) as ActionId, sum.0[lane]);
            n += 1;
        }
    }
    n
}
