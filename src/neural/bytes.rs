//! Products of bytes: rows of activations, from 0 to 255, by weights from −127 to 127, as whole numbers.
//!
//! Whole numbers add up to the same in any order, so each kind of processor does it in its own: with VNNI four products and their sum
//! are one instruction a lane (`vpdpbusd`), with AVX2 pairs of 16 bits are (`vpmaddwd`, exact where its counterpart for bytes would
//! saturate), and all others do as they like.

use fearless_simd::Level;

/// Number of rows of weights in a block.
const INNER: usize = 4;
/// Number of columns in a block.
const LANES: usize = 16;
/// The bytes of one block: of each column, `INNER` weights.
const BLOCK: usize = INNER * LANES;
/// Number of consecutive blocks of the same rows, save in the last stripe of columns.
const STRIPE: usize = 8;

/// A matrix of weights, put in order for products: by stripes of `STRIPE` blocks of columns, in them by `INNER` rows, in these by
/// block of `LANES` columns, in it by column.
#[derive(Debug, Clone, Default)]
pub struct ByteWeights {
    values: Vec<i8>,
    /// Rows, in fours.
    groups: usize,
    /// Columns, with those that fill the last block.
    width: usize,
}

/// Blocks of columns that stand together.
#[derive(Debug, Clone, Copy)]
struct Stripe<'w> {
    /// Blocks of weights: as many as there are `panels` for every four rows.
    blocks: &'w [[i8; BLOCK]],
    panels: usize,
    /// The first column.
    column: usize,
}

impl ByteWeights {
    /// The matrix of `inner` rows, row by row, of `width` columns; zeros fill it up.
    pub fn new(rows: &[i8], (inner, width): (usize, usize)) -> ByteWeights {
        let (groups, padded) = (inner.div_ceil(INNER), width.next_multiple_of(LANES));
        let n_panels = padded / LANES;
        let mut values = vec![0; groups * INNER * padded];
        for (row, weights) in rows.chunks_exact(width).enumerate() {
            for (column, &weight) in weights.iter().enumerate() {
                let panel = column / LANES;
                let first = panel / STRIPE * STRIPE;
                let panels = STRIPE.min(n_panels - first);
                let block = first * groups + row / INNER * panels + panel - first;
                values[block * BLOCK + column % LANES * INNER + row % INNER] = weight;
            }
        }
        ByteWeights { values, groups, width: padded }
    }

    /// The columns, those of zeros included.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The activations that a row must have, those for rows of zeros included.
    pub fn inner(&self) -> usize {
        self.groups * INNER
    }

    /// Fills `sums`, rows of [`ByteWeights::width`] elements, with the products of as many `rows` of activations.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn multiply(&self, rows: &[u8], sums: &mut [i32]) {
        assert_eq!(
            rows.len() * self.width,
            sums.len() * self.inner(),
            "there is a row of sums for each of activations"
        );
        match Level::new() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(token) => x86::avx512(token, self, rows, sums),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(token) => x86::avx2(token, self, rows, sums),
            _ => self.multiply_plainly(rows, sums),
        }
    }

    /// The same on any processor.
    fn multiply_plainly(&self, rows: &[u8], sums: &mut [i32]) {
        let all = rows.chunks_exact(self.inner()).zip(sums.chunks_exact_mut(self.width));
        for (row, sums) in all {
            sums.fill(0);
            for stripe in self.stripes() {
                let sums = &mut sums[stripe.column..];
                let groups = row.as_chunks::<INNER>().0.iter().zip(stripe.blocks.chunks_exact(stripe.panels));
                for (activations, blocks) in groups {
                    let weights = blocks.iter().flat_map(|block| block.as_chunks::<INNER>().0);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        let products = activations.iter().zip(weights).map(|(&a, &w)| i32::from(a) * i32::from(w));
                        *sum += products.sum::<i32>();
                    }
                }
            }
        }
    }

    fn stripes(&self) -> impl Iterator<Item = Stripe<'_>> {
        let blocks = self.values.as_chunks::<BLOCK>().0.chunks(STRIPE * self.groups.max(1));
        blocks.enumerate().map(|(number, blocks)| Stripe {
            blocks,
            panels: blocks.len() / self.groups.max(1),
            column: number * STRIPE * LANES,
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use fearless_simd::prelude::*;
    use fearless_simd::x86::{Avx2, Avx512};
    use fearless_simd::{i8x16, i8x64, i32x8, i32x16};

    use super::{BLOCK, ByteWeights, INNER, LANES, Stripe};

    /// Blocks of columns that four rows are multiplied by at once: with more of them sums would not fit in registers.
    const HALF: usize = 4;

    fearless_simd::kernel!(
        pub fn avx512(token: Avx512, weights: &ByteWeights, rows: &[u8], sums: &mut [i32]) {
            let (inner, width) = (weights.inner(), weights.width);
            let mut fours = rows.chunks_exact(4 * inner.max(1));
            let mut sums_of_fours = sums.chunks_exact_mut(4 * width.max(1));
            for (rows, sums) in fours.by_ref().zip(sums_of_fours.by_ref()) {
                for stripe in weights.stripes() {
                    let mut from = 0;
                    while from < stripe.panels {
                        from += match stripe.panels - from {
                            HALF.. => four_rows::<4>(token, stripe, from, (rows, &mut *sums)),
                            3 => four_rows::<3>(token, stripe, from, (rows, &mut *sums)),
                            2 => four_rows::<2>(token, stripe, from, (rows, &mut *sums)),
                            _ => four_rows::<1>(token, stripe, from, (rows, &mut *sums)),
                        };
                    }
                }
            }
            let rest = fours.remainder().chunks_exact(inner.max(1));
            for (row, sums) in rest.zip(sums_of_fours.into_remainder().chunks_exact_mut(width.max(1))) {
                for stripe in weights.stripes() {
                    let sums = &mut sums[stripe.column..];
                    match stripe.panels {
                        8 => one_row::<8, 1>(token, stripe.blocks, row, sums),
                        7 => one_row::<7, 2>(token, stripe.blocks, row, sums),
                        6 => one_row::<6, 2>(token, stripe.blocks, row, sums),
                        5 => one_row::<5, 2>(token, stripe.blocks, row, sums),
                        4 => one_row::<4, 2>(token, stripe.blocks, row, sums),
                        3 => one_row::<3, 4>(token, stripe.blocks, row, sums),
                        2 => one_row::<2, 4>(token, stripe.blocks, row, sums),
                        _ => one_row::<1, 4>(token, stripe.blocks, row, sums),
                    }
                }
            }
        }
    );

    /// Four rows by `P` blocks of columns of a stripe, the one `from` and those behind it; gives `P`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn four_rows<const P: usize>(
        token: Avx512,
        stripe: Stripe,
        from: usize,
        (rows, sums): (&[u8], &mut [i32]),
    ) -> usize {
        let (inner, width) = (rows.len() / 4, sums.len() / 4);
        let [first, second, third, fourth] =
            [0, 1, 2, 3].map(|row: usize| rows[row * inner..][..inner].as_chunks::<INNER>().0.iter());
        let mut all = [[_mm512_setzero_si512(); P]; 4];
        let groups = stripe.blocks.chunks_exact(stripe.panels);
        for ((((blocks, first), second), third), fourth) in groups.zip(first).zip(second).zip(third).zip(fourth) {
            let blocks = &blocks[from..][..P];
            let vectors: [__m512i; P] = std::array::from_fn(|panel| i8x64::from_slice(token, &blocks[panel]).into());
            for (all, activations) in all.iter_mut().zip([first, second, third, fourth]) {
                let four = _mm512_set1_epi32(i32::from_le_bytes(*activations));
                for (sum, vector) in all.iter_mut().zip(vectors) {
                    *sum = _mm512_dpbusd_epi32(*sum, four, vector);
                }
            }
        }
        for (row, all) in all.into_iter().enumerate() {
            let sums = &mut sums[row * width + stripe.column + from * LANES..][..P * LANES];
            store(token, all, sums);
        }
        P
    }

    /// One row by all `P` blocks of columns of a stripe. One sum of a column would have to wait for the last, so there are `S` of
    /// each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn one_row<const P: usize, const S: usize>(token: Avx512, blocks: &[[i8; BLOCK]], row: &[u8], sums: &mut [i32]) {
        let mut all = [[_mm512_setzero_si512(); P]; S];
        let add = |all: &mut [__m512i; P], blocks: &[[i8; BLOCK]; P], activations: &[u8; INNER]| {
            let four = _mm512_set1_epi32(i32::from_le_bytes(*activations));
            for (sum, block) in all.iter_mut().zip(blocks) {
                *sum = _mm512_dpbusd_epi32(*sum, four, i8x64::from_slice(token, block).into());
            }
        };
        let (blocks, row) = (blocks.as_chunks::<P>().0, row.as_chunks::<INNER>().0);
        let ((blocks, last_blocks), (row, last)) = (blocks.as_chunks::<S>(), row.as_chunks::<S>());
        for (blocks, row) in blocks.iter().zip(row) {
            for ((all, blocks), activations) in all.iter_mut().zip(blocks).zip(row) {
                add(all, blocks, activations);
            }
        }
        for ((all, blocks), activations) in all.iter_mut().zip(last_blocks).zip(last) {
            add(all, blocks, activations);
        }
        let mut total = all[0];
        for other in &all[1..] {
            for (total, other) in total.iter_mut().zip(other) {
                *total = _mm512_add_epi32(*total, *other);
            }
        }
        store(token, total, &mut sums[..P * LANES]);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn store<const P: usize>(token: Avx512, all: [__m512i; P], sums: &mut [i32]) {
        for (sum, to) in all.into_iter().zip(sums.as_chunks_mut::<LANES>().0) {
            i32x16::simd_from(token, sum).store_slice(to);
        }
    }

    fearless_simd::kernel!(
        pub fn avx2(token: Avx2, weights: &ByteWeights, rows: &[u8], sums: &mut [i32]) {
            let (inner, width) = (weights.inner(), weights.width);
            let n_rows = rows.len() / inner.max(1);
            let mut row = 0;
            while row < n_rows {
                let n = if n_rows - row >= 2 { 2 } else { 1 };
                let (rows, sums) = (&rows[row * inner..][..n * inner], &mut sums[row * width..][..n * width]);
                for stripe in weights.stripes() {
                    for panel in 0..stripe.panels {
                        match n {
                            2 => block_256::<2>(token, stripe, panel, (rows, &mut *sums)),
                            _ => block_256::<1>(token, stripe, panel, (rows, &mut *sums)),
                        }
                    }
                }
                row += n;
            }
        }
    );

    /// `R` rows by one block of columns of a stripe.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn block_256<const R: usize>(token: Avx2, stripe: Stripe, panel: usize, (rows, sums): (&[u8], &mut [i32])) {
        /// The columns of half a vector of bytes, once these have become 16 bits each.
        const PART: usize = 4;
        let (inner, width) = (rows.len() / R, sums.len() / R);
        let mut activations: [&[[u8; INNER]]; R] = [&[]; R];
        for (row, activations) in activations.iter_mut().enumerate() {
            *activations = rows[row * inner..][..inner].as_chunks::<INNER>().0;
        }
        // Two sums of each column, one of each pair of a group.
        let mut all = [[_mm256_setzero_si256(); LANES / PART]; R];
        for (group, blocks) in stripe.blocks.chunks_exact(stripe.panels).enumerate() {
            let block = &blocks[panel];
            let mut fours = [_mm256_setzero_si256(); R];
            for (four, activations) in fours.iter_mut().zip(&activations) {
                *four = _mm256_cvtepu8_epi16(_mm_set1_epi32(i32::from_le_bytes(activations[group])));
            }
            for (part, weights) in block.as_chunks::<{ PART * INNER }>().0.iter().enumerate() {
                let vector = _mm256_cvtepi8_epi16(i8x16::from_slice(token, weights).into());
                for (all, four) in all.iter_mut().zip(fours) {
                    all[part] = _mm256_add_epi32(all[part], _mm256_madd_epi16(four, vector));
                }
            }
        }
        for (row, all) in all.into_iter().enumerate() {
            let to = &mut sums[row * width + stripe.column + panel * LANES..][..LANES];
            for (to, [low, high]) in to.as_chunks_mut::<8>().0.iter_mut().zip(all.as_chunks::<2>().0.iter().copied()) {
                let both = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
                i32x8::simd_from(token, both).store_slice(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Against sums one by one, the same on all kinds of processors, the largest numbers included.
        #[test]
        fn products((n, inner, width, rows, weights) in (1_usize..11, 1_usize..70, 1_usize..150).prop_flat_map(
            |(n, inner, width)| {
                let byte = prop_oneof![Just(255_u8), any::<u8>()];
                let weight = prop_oneof![Just(-127_i8), Just(127), -127_i8..=127];
                let rows = prop::collection::vec(byte, n * inner);
                (Just(n), Just(inner), Just(width), rows, prop::collection::vec(weight, inner * width))
            }
        )) {
            let matrix = ByteWeights::new(&weights, (inner, width));
            let mut padded = vec![0; n * matrix.inner()];
            for (padded, row) in padded.chunks_exact_mut(matrix.inner()).zip(rows.chunks_exact(inner)) {
                padded[..inner].copy_from_slice(row);
            }
            let mut found = vec![vec![-1; n * matrix.width()]; 3];
            matrix.multiply(&padded, &mut found[0]);
            matrix.multiply_plainly(&padded, &mut found[1]);
            matrix.multiply(&padded, &mut found[2]);
            #[cfg(target_arch = "x86_64")]
            if let Some(token) = Level::new().as_avx2() {
                found[2].fill(-1);
                x86::avx2(token, &matrix, &padded, &mut found[2]);
            }
            prop_assert_eq!(&found[0], &found[1]);
            prop_assert_eq!(&found[0], &found[2]);
            for i in 0..n {
                for j in 0..matrix.width() {
                    let column = |k: usize| if j < width { i32::from(weights[k * width + j]) } else { 0 };
                    let sum: i32 = (0..inner).map(|k| i32::from(rows[i * inner + k]) * column(k)).sum();
                    prop_assert_eq!(found[0][i * matrix.width() + j], sum);
                }
            }
        }
    }
}
