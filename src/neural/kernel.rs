//! Products of small matrices and functions of vectors, the same bits whatever the processor.
//!
//! Every element of a product is a chain of fused multiply-adds over the inner dimension in ascending order, starting from what
//! stands there already. Lanes are elements of a row, registers hold blocks of rows and lanes: how an element is computed does not
//! depend on how many rows there are, on which of them is asked for, or on the width of the processor's vectors. Where there is no
//! fused multiply-add (x86-64 processors before 2013) it is computed exactly all the same, only slowly.
//!
//! # Why not a library
//!
//! General products of matrices pack both operands, block for caches that these matrices fit into, and sum in an order that depends
//! on the blocks. Frameworks bring a hundred packages and kernels of their own. What a parser needs is one loop.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, f32x16};

use crate::parallel;
use crate::vector::vectorised;

/// A matrix with its rows at regular distances, to be read.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'m> {
    /// The elements.
    pub values: &'m [f32],
    /// Stride between the elements of a column.
    pub row: usize,
    /// Stride between the elements of a row.
    pub column: usize,
}

impl<'m> Operand<'m> {
    /// A matrix that stands row by row, `width` elements each.
    pub fn rows(values: &'m [f32], width: usize) -> Operand<'m> {
        Operand { values, row: width, column: 1 }
    }

    /// The transpose of a matrix that stands row by row, `width` elements each.
    pub fn transposed(values: &'m [f32], width: usize) -> Operand<'m> {
        Operand { values, row: 1, column: width }
    }
}

/// Adds to `c`, `m` rows of `n` elements, the product of `a` (m × k) and `b` (k × n, row by row).
///
/// # Panics
/// If a matrix is too small.
pub fn multiply(a: Operand, b: &[f32], c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    if m == 0 || k == 0 || n == 0 {
        return;
    }
    assert!(b.len() >= k * n && c.len() >= m * n, "matrices have all their elements");
    assert!(a.values.len() > (m - 1) * a.row + (k - 1) * a.column, "matrices have all their elements");
    vectorised!(simd => multiply_with(simd, a, b, c, (m, k, n)));
}

/// True if vectors are of sixteen numbers, of which there are 32 registers then. Known while compiling: only one of
/// both ways is.
const fn is_wide<S: Simd>() -> bool {
    size_of::<S::f32s>() == size_of::<f32x16<S>>()
}

#[inline(always)]
pub(super) fn multiply_with<S: Simd>(simd: S, a: Operand, b: &[f32], c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    // 12 of 16 registers hold sums, 16 and more of 32.
    if const { is_wide::<S>() } {
        multiply_wide::<S, 8>(simd, a, b, c, (m, k, n));
    } else {
        multiply_narrow::<S, 6>(simd, a, b, c, (m, k, n));
    }
}

macro_rules! blocked {
    ($name:ident, $panels:ident, $columns:ident, $block:ident, $block_here:ident, $vector:ident, $lanes:literal) => {
        /// `N` rows from row `i` on, of the first `V` vectors of `b` and `c`, whose rows are so far apart. Compiled once for each
        /// kind of processor, whoever asks for it.
        #[inline(never)]
        fn $block<S: Simd, const N: usize, const V: usize>(
            simd: S,
            a: Operand,
            b: (&[f32], usize),
            c: (&mut [f32], usize),
            place: (usize, usize),
        ) {
            simd.vectorize(
                #[inline(always)]
                || $block_here::<S, N, V>(simd, a, b, c, place),
            );
        }
        #[inline(always)]
        fn $block_here<S: Simd, const N: usize, const V: usize>(
            simd: S,
            a: Operand,
            (b, b_row): (&[f32], usize),
            (c, c_row): (&mut [f32], usize),
            (i, k): (usize, usize),
        ) {
            let mut sums = [[$vector::splat(simd, 0.0); V]; N];
            for (row, sums) in sums.iter_mut().enumerate() {
                for (place, sum) in sums.iter_mut().enumerate() {
                    *sum = $vector::from_slice(simd, &c[(i + row) * c_row + place * $lanes..][..$lanes]);
                }
            }
            let mut factors: [&[f32]; N] = [&[]; N];
            for (row, factors) in factors.iter_mut().enumerate() {
                *factors = &a.values[(i + row) * a.row..][..(k - 1) * a.column + 1];
            }
            for inner in 0..k {
                let line: &[f32] = &b[inner * b_row..][..V * $lanes];
                let mut vectors = [$vector::splat(simd, 0.0); V];
                for (place, vector) in vectors.iter_mut().enumerate() {
                    *vector = $vector::from_slice(simd, &line[place * $lanes..][..$lanes]);
                }
                for (factors, sums) in factors.iter().zip(&mut sums) {
                    let factor = $vector::splat(simd, factors[inner * a.column]);
                    for (sum, vector) in sums.iter_mut().zip(vectors) {
                        *sum = factor.mul_add_precise(vector, *sum);
                    }
                }
            }
            for (row, sums) in sums.iter().enumerate() {
                for (place, sum) in sums.iter().enumerate() {
                    sum.store_slice(&mut c[(i + row) * c_row + place * $lanes..][..$lanes]);
                }
            }
        }
        /// All rows of the first `V` vectors.
        #[inline(always)]
        fn $columns<S: Simd, const R: usize, const V: usize>(
            simd: S,
            a: Operand,
            b: (&[f32], usize),
            (c, c_row): (&mut [f32], usize),
            (m, k): (usize, usize),
        ) {
            let mut i = 0;
            // A step of a sum waits for the step before it, so blocks of few rows are slow: the last two blocks share the rows evenly.
            while i < m {
                let n = match m - i {
                    _ if R == 1 => 1,
                    left if left >= R + 4 || left == R => R,
                    left if left > R || left == 7 => left.div_ceil(2),
                    left => left,
                };
                match n {
                    // Single rows: nothing else is compiled for them.
                    _ if const { R == 1 } => $block::<S, 1, V>(simd, a, b, (c, c_row), (i, k)),
                    6.. if n == R => $block::<S, R, V>(simd, a, b, (c, c_row), (i, k)),
                    6.. => $block::<S, 6, V>(simd, a, b, (c, c_row), (i, k)),
                    5 => $block::<S, 5, V>(simd, a, b, (c, c_row), (i, k)),
                    4 => $block::<S, 4, V>(simd, a, b, (c, c_row), (i, k)),
                    2 | 3 => $block::<S, 2, V>(simd, a, b, (c, c_row), (i, k)),
                    _ => $block::<S, 1, V>(simd, a, b, (c, c_row), (i, k)),
                }
                i += match n {
                    6.. if n == R => R,
                    6.. => 6,
                    3 => 2,
                    n => n,
                };
            }
        }
        /// Panels of two vectors, then of one, then the rest; in each of them blocks of `R` rows, then of fewer.
        #[inline(always)]
        fn $name<S: Simd, const R: usize>(
            simd: S,
            a: Operand,
            b: &[f32],
            c: &mut [f32],
            (m, k, n): (usize, usize, usize),
        ) {
            let mut j = 0;
            if m < 4 {
                // For the same reason few rows take on more columns at a time.
                while j + 8 * $lanes <= n {
                    $columns::<S, 1, 8>(simd, a, (&b[j..], n), (&mut c[j..], n), (m, k));
                    j += 8 * $lanes;
                }
                while j + 4 * $lanes <= n {
                    $columns::<S, 1, 4>(simd, a, (&b[j..], n), (&mut c[j..], n), (m, k));
                    j += 4 * $lanes;
                }
            }
            let mut packed: Vec<f32> = Vec::new();
            while j + 2 * $lanes <= n {
                if m < 2 * R {
                    $columns::<S, R, 2>(simd, a, (&b[j..], n), (&mut c[j..], n), (m, k));
                } else {
                    // Rows of `b` lie far apart, often by a power of two, which the cache does not like.
                    pack(b, n, (j, 2 * $lanes), (k, 2 * $lanes), &mut packed);
                    $columns::<S, R, 2>(simd, a, (&packed, 2 * $lanes), (&mut c[j..], n), (m, k));
                }
                j += 2 * $lanes;
            }
            if j + $lanes <= n {
                $columns::<S, R, 1>(simd, a, (&b[j..], n), (&mut c[j..], n), (m, k));
                j += $lanes;
            }
            if j < n {
                let width = n - j;
                pack(b, n, (j, width), (k, $lanes), &mut packed);
                let mut sums = Vec::new();
                pack(c, n, (j, width), (m, $lanes), &mut sums);
                $columns::<S, R, 1>(simd, a, (&packed, $lanes), (&mut sums, $lanes), (m, k));
                for (row, sums) in sums.chunks_exact($lanes).enumerate() {
                    c[row * n + j..][..width].copy_from_slice(&sums[..width]);
                }
            }
        }
        /// All columns of all panels.
        #[inline(always)]
        fn $panels<S: Simd, const R: usize>(simd: S, a: Operand, b: &Panels, c: &mut [f32], m: usize) {
            assert!(c.len() >= m * b.width, "matrices have all their elements");
            for (number, panel) in b.values.chunks_exact(b.inner * PANEL).enumerate() {
                for part in (0..PANEL).step_by(2 * $lanes) {
                    let c = &mut c[number * PANEL + part..];
                    $columns::<S, R, 2>(simd, a, (&panel[part..], PANEL), (c, b.width), (m, b.inner));
                }
            }
        }
    };
}

/// Matrices side by side, put in order for products with few rows: panel by panel of as many columns as two vectors have at most, in each
/// of them row by row. Columns of zeros fill the last panel.
#[derive(Debug, Clone, Default)]
pub struct Panels {
    values: Vec<f32>,
    /// The rows of the matrices.
    inner: usize,
    /// Their columns with those of zeros.
    width: usize,
}

/// The columns of a panel.
pub const PANEL: usize = 32;

impl Panels {
    /// Puts matrices side by side that have `inner` rows and `width` columns each, and stand one after the other row by row.
    pub fn new(matrices: &[f32], (inner, width): (usize, usize)) -> Panels {
        let mut panels = Panels { inner, ..Panels::default() };
        if inner == 0 || width == 0 {
            return panels;
        }
        let n = matrices.len() / (inner * width);
        panels.width = (n * width).next_multiple_of(PANEL);
        panels.values.resize(panels.width * inner, 0.0);
        for (number, matrix) in matrices.chunks_exact(inner * width).enumerate() {
            for (row, values) in matrix.chunks_exact(width).enumerate() {
                let mut column = number * width;
                let mut rest = values;
                while !rest.is_empty() {
                    let n = rest.len().min(PANEL - column % PANEL);
                    let (now, later) = rest.split_at(n);
                    let start = (column / PANEL * inner + row) * PANEL + column % PANEL;
                    panels.values[start..start + n].copy_from_slice(now);
                    (column, rest) = (column + n, later);
                }
            }
        }
        panels
    }

    /// The columns, those of zeros included.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds to `c`, `m` rows of [`Panels::width`] elements, the product of `a` and the matrices, each element to the bit as
    /// [`multiply`] does.
    ///
    /// # Panics
    /// If a matrix is too small.
    pub fn multiply(&self, a: Operand, c: &mut [f32], m: usize) {
        if m > 0 && self.inner > 0 {
            vectorised!(simd => self.multiply_with(simd, a, c, m));
        }
    }

    #[inline(always)]
    fn multiply_with<S: Simd>(&self, simd: S, a: Operand, c: &mut [f32], m: usize) {
        if const { is_wide::<S>() } {
            multiply_panels_wide::<S, 8>(simd, a, self, c, m);
        } else {
            multiply_panels_narrow::<S, 6>(simd, a, self, c, m);
        }
    }
}

/// Copies `width` columns from column `j` on of the first `height` rows, each of `n` elements, into rows of `padded` elements.
#[inline(always)]
fn pack(from: &[f32], n: usize, (j, width): (usize, usize), (height, padded): (usize, usize), to: &mut Vec<f32>) {
    to.clear();
    to.resize(height * padded, 0.0);
    for (to, from) in to.chunks_exact_mut(padded).zip(from.chunks(n)) {
        to[..width].copy_from_slice(&from[j..j + width]);
    }
}

blocked!(multiply_wide, multiply_panels_wide, columns_wide, block_wide, block_wide_here, f32x16, 16);
blocked!(multiply_narrow, multiply_panels_narrow, columns_narrow, block_narrow, block_narrow_here, f32x8, 8);

/// The sum of rows of `width` elements.
pub fn sum_of_rows(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    vectorised!(_simd => rows.chunks_exact(width).for_each(|row| add_with(&mut sum, row)));
    sum
}

/// Adds `row` to `sum`.
#[inline]
pub fn add(sum: &mut [f32], row: &[f32]) {
    vectorised!(_simd => add_with(sum, row));
}

#[inline(always)]
pub(super) fn add_with(sum: &mut [f32], row: &[f32]) {
    sum.iter_mut().zip(row).for_each(|(sum, term)| *sum += term);
}

/// Number of rows, of `n` of a product, that one thread takes on at a time: each packs the other matrix for itself.
fn share(n: usize) -> usize {
    n.max(1).div_ceil(rayon::current_num_threads()).next_multiple_of(8)
}

/// The gradients of weights by which rows of `height` numbers were multiplied to rows of `width` numbers, of which `of` are those. The
/// product is split by its rows, so no sum depends on the number of threads.
pub fn of_weights(rows: Operand, height: usize, of: &[f32], width: usize) -> Vec<f32> {
    let n = of.len() / width;
    let mut weights = vec![0.0; height * width];
    let share = share(height);
    let mut parts: Vec<&mut [f32]> = weights.chunks_mut(share * width).collect();
    parallel::map_mut(&mut parts, |number, weights| {
        let first = (number * share * rows.column).min(rows.values.len());
        let columns = Operand { values: &rows.values[first..], row: rows.column, column: rows.row };
        multiply(columns, of, weights, (weights.len() / width, n, width));
    });
    weights
}

/// The gradients of rows of `height` numbers, from those of the rows of `width` numbers that they became by the weights.
pub fn of_rows(of: &[f32], weights: &[f32], (height, width): (usize, usize)) -> Vec<f32> {
    let n = of.len() / width;
    let turned = transposed(weights, width);
    let mut rows = vec![0.0; n * height];
    let share = share(n);
    let mut parts: Vec<_> = rows.chunks_mut(share * height).zip(of.chunks(share * width)).collect();
    parallel::map_mut(&mut parts, |_, (rows, of)| {
        multiply(Operand::rows(of, width), &turned, rows, (rows.len() / height, width, height));
    });
    rows
}

/// The transpose of a matrix of rows of `width` elements.
pub fn transposed(from: &[f32], width: usize) -> Vec<f32> {
    const TILE: usize = 16;
    let height = from.len() / width;
    let mut to = vec![0.0; from.len()];
    for top in (0..height).step_by(TILE) {
        for left in (0..width).step_by(TILE) {
            for i in top..height.min(top + TILE) {
                for j in left..width.min(left + TILE) {
                    to[j * height + i] = from[i * width + j];
                }
            }
        }
    }
    to
}

/// The exponential function: 2ⁿ times a polynomial in the rest, to about 2 units in the last place. Beyond ±87 it stays where it
/// is there.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 87.0);
    // The nearest whole number, by adding and subtracting what leaves no bits for fractions.
    const SHIFT: f32 = 12_582_912.0;
    let shifted = x.mul_add(std::f32::consts::LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let rest = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    let mut sum = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = rest.mul_add(sum, coefficient);
    }
    // The last bits of the shifted number are n.
    sum * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// The logistic function, 1 / (1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    // The first terms of the series where e²ˣ − 1 would lose digits.
    let square = x * x;
    let small = x * square.mul_add(square.mul_add(2.0 / 15.0, -1.0 / 3.0), 1.0);
    let large = 1.0 - 2.0 / (1.0 + exp(2.0 * x));
    if square < 0.01 { small } else { large }
}

/// The natural logarithm of a number of at least 1, without the platform's library: 2 artanh((m − 1) / (m + 1)) for the mantissa m.
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let sum = (0..16).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * ratio * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::Level;
    use proptest::prelude::*;

    /// Results of `multiply_with` at each level that this processor has.
    fn at_all_levels(a: Operand, b: &[f32], c: &[f32], sizes: (usize, usize, usize)) -> Vec<Vec<f32>> {
        let mut all = Vec::new();
        let mut given = c.to_vec();
        multiply(a, b, &mut given, sizes);
        all.push(given);
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            let narrow = level.as_sse2().expect("every x86-64 processor has SSE2");
            let mut given = c.to_vec();
            multiply_with(narrow, a, b, &mut given, sizes);
            all.push(given);
            if let Some(simd) = level.as_avx2() {
                let mut given = c.to_vec();
                simd.vectorize(|| multiply_with(simd, a, b, &mut given, sizes));
                all.push(given);
            }
        }
        all
    }

    fn numbers(n: usize) -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-2.0_f32..2.0, n)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Against sums in double precision, the same bits at all levels, and each row as if it were alone.
        #[test]
        fn products((m, k, n, a, b, c) in (1_usize..20, 1_usize..30, 1_usize..70).prop_flat_map(|(m, k, n)| {
            (Just(m), Just(k), Just(n), numbers(m * k), numbers(k * n), numbers(m * n))
        })) {
            let found = at_all_levels(Operand::rows(&a, k), &b, &c, (m, k, n));
            for other in &found[1..] {
                prop_assert_eq!(other, &found[0]);
            }
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|inner| f64::from(a[i * k + inner]) * f64::from(b[inner * n + j]));
                    let sum: f64 = terms.sum::<f64>() + f64::from(c[i * n + j]);
                    prop_assert!((sum - f64::from(found[0][i * n + j])).abs() < 1e-4);
                }
                let mut alone = c[i * n..(i + 1) * n].to_vec();
                multiply(Operand::rows(&a[i * k..], k), &b, &mut alone, (1, k, n));
                prop_assert_eq!(&alone[..], &found[0][i * n..(i + 1) * n]);
            }
            let turned = transposed(&a, k);
            prop_assert_eq!(&transposed(&turned, m), &a);
            let mut by_turned = c.clone();
            multiply(Operand::transposed(&turned, m), &b, &mut by_turned, (m, k, n));
            prop_assert_eq!(&by_turned, &found[0]);
            // Twice the same side by side.
            let panels = Panels::new(&[&b[..], &b].concat(), (k, n));
            let narrow = fearless_simd::Level::baseline();
            for is_best in [true, false] {
                let mut sums = vec![0.0; m * panels.width()];
                for (sums, c) in sums.chunks_exact_mut(panels.width()).zip(c.chunks_exact(n)) {
                    sums[..n].copy_from_slice(c);
                    sums[n..2 * n].copy_from_slice(c);
                }
                match is_best {
                    true => panels.multiply(Operand::rows(&a, k), &mut sums, m),
                    false => fearless_simd::dispatch!(narrow, simd => {
                        panels.multiply_with(simd, Operand::rows(&a, k), &mut sums, m)
                    }),
                }
                for (sums, expected) in sums.chunks_exact(panels.width()).zip(found[0].chunks_exact(n)) {
                    prop_assert_eq!(&sums[..n], expected);
                    prop_assert_eq!(&sums[n..2 * n], expected);
                }
            }
        }

        #[test]
        fn functions(x in -90.0_f32..90.0) {
            let error = |found: f32, expected: f64| (f64::from(found) / expected - 1.0).abs();
            prop_assert!(error(exp(x), f64::from(x.clamp(-87.0, 87.0)).exp()) < 1e-6, "exp {}", x);
            let small = x / 20.0;
            // 1 less a number just below 1 has few digits left.
            prop_assert!(error(sigmoid(x), 1.0 / (1.0 + (-f64::from(x).clamp(-87.0, 87.0)).exp())) < 1e-6, "sigmoid {}", x);
            prop_assert!(small == 0.0 || error(tanh(small), f64::from(small).tanh()) < 3e-6, "tanh {}", small);
        }
    }
}
