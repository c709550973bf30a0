//! Products of bytes: rows of activations, from 0 to 255, by weights from −127 to 127, as whole numbers.
//!
//! Whole numbers add up to the same in any order, so each kind of processor does it in its own: with VNNI four products and their sum
//! are one instruction a lane (`vpdpbusd`), with AVX2 pairs of 16 bits are (`vpmaddwd`, exact where its counterpart for bytes would
//! saturate), and all others do as they like.

use fearless_simd::Level;

/// How many rows of weights stand together.
const INNER: usize = 4;
/// How many columns do.
const LANES: usize = 16;
/// The bytes of one block: of each column, `INNER` weights.
const BLOCK: usize = INNER * LANES;

/// A matrix of weights, put in order for products: by `LANES` columns, in them by `INNER` rows, in these by column.
#[derive(Debug, Clone, Default)]
pub struct Weights {
    values: Vec<i8>,
    /// Rows, in fours.
    groups: usize,
    /// Columns, with those that fill the last block.
    width: usize,
}

impl Weights {
    /// The matrix of `inner` rows, row by row, of `width` columns; zeros fill it up.
    pub fn new(rows: &[i8], (inner, width): (usize, usize)) -> Weights {
        let (groups, padded) = (inner.div_ceil(INNER), width.next_multiple_of(LANES));
        let mut values = vec![0; groups * INNER * padded];
        for (row, weights) in rows.chunks_exact(width).enumerate() {
            for (column, &weight) in weights.iter().enumerate() {
                let block = column / LANES * groups + row / INNER;
                values[block * BLOCK + column % LANES * INNER + row % INNER] = weight;
            }
        }
        Weights { values, groups, width: padded }
    }

    /// The columns, those of zeros included.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The activations that a row must have, those for rows of zeros included.
    pub fn inner(&self) -> usize {
        self.groups * INNER
    }

    /// Fills `sums`, rows of [`Weights::width`] elements, with the products of as many `rows` of activations.
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
            for (sums, panel) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(self.panels()) {
                sums.fill(0);
                for (activations, block) in row.as_chunks::<INNER>().0.iter().zip(panel) {
                    for (sum, weights) in sums.iter_mut().zip(block.as_chunks::<INNER>().0) {
                        let products = activations.iter().zip(weights).map(|(&a, &w)| i32::from(a) * i32::from(w));
                        *sum += products.sum::<i32>();
                    }
                }
            }
        }
    }

    /// The blocks of each `LANES` columns.
    fn panels(&self) -> impl Iterator<Item = &[[i8; BLOCK]]> {
        self.values.as_chunks::<BLOCK>().0.chunks_exact(self.groups.max(1))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use fearless_simd::prelude::*;
    use fearless_simd::x86::{Avx2, Avx512};
    use fearless_simd::{i8x16, i8x64, i32x8, i32x16};

    use super::{BLOCK, INNER, LANES, Weights};

    fearless_simd::kernel!(
        pub fn avx512(token: Avx512, weights: &Weights, rows: &[u8], sums: &mut [i32]) {
            let (inner, width, n_panels) = (weights.inner(), weights.width, weights.width / LANES);
            let n_rows = rows.len() / inner.max(1);
            let mut row = 0;
            while row < n_rows {
                let n = if n_rows - row >= 4 { 4 } else { 1 };
                let (rows, sums) = (&rows[row * inner..], &mut sums[row * width..]);
                let mut panel = 0;
                while panel < n_panels {
                    let left = n_panels - panel;
                    let of = (&rows[..n * inner], &mut *sums, panel);
                    panel += match (n, left) {
                        (4, 4..) => block_512::<4, 4>(token, weights, of),
                        (4, 3) => block_512::<4, 3>(token, weights, of),
                        (4, 2) => block_512::<4, 2>(token, weights, of),
                        (4, _) => block_512::<4, 1>(token, weights, of),
                        (_, 8..) => block_512::<1, 8>(token, weights, of),
                        (_, 7) => block_512::<1, 7>(token, weights, of),
                        (_, 6) => block_512::<1, 6>(token, weights, of),
                        (_, 5) => block_512::<1, 5>(token, weights, of),
                        (_, 4) => block_512::<1, 4>(token, weights, of),
                        (_, 3) => block_512::<1, 3>(token, weights, of),
                        (_, 2) => block_512::<1, 2>(token, weights, of),
                        _ => block_512::<1, 1>(token, weights, of),
                    };
                }
                row += n;
            }
        }
    );

    /// `R` rows by `P` panels from `panel` on; gives `P`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn block_512<const R: usize, const P: usize>(
        token: Avx512,
        weights: &Weights,
        (rows, sums, panel): (&[u8], &mut [i32], usize),
    ) -> usize {
        let (inner, groups) = (weights.inner(), weights.groups);
        let blocks = &weights.values.as_chunks::<BLOCK>().0[panel * groups..][..P * groups];
        let mut columns: [&[[i8; BLOCK]]; P] = [&[]; P];
        for (column, blocks) in columns.iter_mut().zip(blocks.chunks_exact(groups)) {
            *column = blocks;
        }
        let mut activations: [&[[u8; INNER]]; R] = [&[]; R];
        for (row, activations) in activations.iter_mut().enumerate() {
            *activations = &rows[row * inner..][..inner].as_chunks::<INNER>().0[..groups];
        }
        let mut all = [[_mm512_setzero_si512(); P]; R];
        for group in 0..groups {
            let mut vectors = [_mm512_setzero_si512(); P];
            for (vector, column) in vectors.iter_mut().zip(&columns) {
                *vector = i8x64::from_slice(token, &column[group]).into();
            }
            for (all, activations) in all.iter_mut().zip(&activations) {
                let four = _mm512_set1_epi32(i32::from_le_bytes(activations[group]));
                for (sum, vector) in all.iter_mut().zip(vectors) {
                    *sum = _mm512_dpbusd_epi32(*sum, four, vector);
                }
            }
        }
        for (row, all) in all.into_iter().enumerate() {
            for (number, sum) in all.into_iter().enumerate() {
                let to = &mut sums[row * weights.width + (panel + number) * LANES..][..LANES];
                i32x16::simd_from(token, sum).store_slice(to);
            }
        }
        P
    }

    fearless_simd::kernel!(
        pub fn avx2(token: Avx2, weights: &Weights, rows: &[u8], sums: &mut [i32]) {
            let (inner, width) = (weights.inner(), weights.width);
            let n_rows = rows.len() / inner.max(1);
            let mut row = 0;
            while row < n_rows {
                let n = if n_rows - row >= 2 { 2 } else { 1 };
                let (rows, sums) = (&rows[row * inner..], &mut sums[row * width..]);
                for panel in 0..width / LANES {
                    let of = (rows, &mut *sums, panel);
                    match n {
                        2 => block_256::<2>(token, weights, of),
                        _ => block_256::<1>(token, weights, of),
                    }
                }
                row += n;
            }
        }
    );

    /// `R` rows by one panel.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn block_256<const R: usize>(token: Avx2, weights: &Weights, (rows, sums, panel): (&[u8], &mut [i32], usize)) {
        /// The columns of half a vector of bytes, once these have become 16 bits each.
        const PART: usize = 4;
        let (inner, groups) = (weights.inner(), weights.groups);
        let blocks = &weights.values.as_chunks::<BLOCK>().0[panel * groups..][..groups];
        let mut activations: [&[[u8; INNER]]; R] = [&[]; R];
        for (row, activations) in activations.iter_mut().enumerate() {
            *activations = &rows[row * inner..][..inner].as_chunks::<INNER>().0[..groups];
        }
        // Of each column two sums, one of each pair of a group.
        let mut all = [[_mm256_setzero_si256(); LANES / PART]; R];
        for (group, block) in blocks.iter().enumerate() {
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
            let to = &mut sums[row * weights.width + panel * LANES..][..LANES];
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
            let matrix = Weights::new(&weights, (inner, width));
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
