//! Vectors of scores side by side in memory that is used again, and sums of them.

use fearless_simd::prelude::*;

use super::lanes::{self, Block, ZERO};
use crate::system::{ActionId, Actions, FORBIDDEN};
use crate::vector::vectorised;

/// The permitted action of the highest score, the first of them on ties. `mask` is 0 for permitted ones and [`FORBIDDEN`]
/// for others.
#[inline]
pub fn best_permitted(scores: &[i32], mask: &[i32]) -> Option<(i32, ActionId)> {
    vectorised!(_simd => best_permitted_with(scores, mask))
}

#[inline(always)]
fn best_permitted_with(scores: &[i32], mask: &[i32]) -> Option<(i32, ActionId)> {
    let masked = || scores.iter().zip(mask).map(|(score, mask)| score + mask);
    // Two passes, of which the compiler turns the first into vector instructions.
    let highest = masked().max().filter(|&highest| highest > FORBIDDEN / 2)?;
    let action = masked().position(|score| score == highest)?;
    Some((highest, action as ActionId))
}

/// Vectors of one width, by number.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// The memory of vectors; behind the last one it holds anything.
    blocks: Vec<Block>,
    /// Number of blocks in the vectors.
    used: usize,
    /// The blocks of a vector.
    width: usize,
}

impl Vectors {
    /// Removes all vectors; the next ones are this `width`.
    pub fn clear(&mut self, width: usize) {
        self.used = 0;
        self.width = width.div_ceil(Actions::LANES);
    }

    /// The vector with this number.
    #[inline]
    pub fn get(&self, number: u32) -> &[i32] {
        bytemuck::cast_slice(self.blocks_of(number))
    }

    #[inline(always)]
    pub(crate) fn blocks_of(&self, number: u32) -> &[Block] {
        &self.blocks[number as usize * self.width..][..self.width]
    }

    /// Adds a vector of zeros, to be filled.
    #[inline(always)]
    pub fn push_zero(&mut self) -> &mut [i32] {
        let blocks = self.push_blocks();
        blocks.fill(ZERO);
        bytemuck::cast_slice_mut(blocks)
    }

    /// The last vector, to be changed.
    #[inline(always)]
    pub fn last_mut(&mut self) -> &mut [i32] {
        let start = self.used.saturating_sub(self.width);
        bytemuck::cast_slice_mut(&mut self.blocks[start..self.used])
    }

    /// Makes room for `n` vectors of this `width` in place of what there is; they hold anything.
    pub(crate) fn reset(&mut self, width: usize, n: usize) {
        self.width = width.div_ceil(Actions::LANES);
        if self.blocks.len() < n * self.width {
            self.blocks.resize(n * self.width, ZERO);
        }
    }

    /// The blocks of all vectors, and behind them others.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks of a vector.
    #[inline(always)]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub(crate) fn blocks_of_mut(&mut self, number: u32) -> &mut [Block] {
        &mut self.blocks[number as usize * self.width..][..self.width]
    }

    /// Adds a vector that holds anything.
    #[inline(always)]
    fn push_blocks(&mut self) -> &mut [Block] {
        let start = self.used;
        self.used += self.width;
        if self.used > self.blocks.len() {
            self.grow();
        }
        &mut self.blocks[start..][..self.width]
    }

    #[cold]
    fn grow(&mut self) {
        self.blocks.resize(self.used.next_power_of_two(), ZERO);
    }

    /// Adds the sum of those vectors of `other` whose blocks begin at these places.
    #[inline(always)]
    pub(crate) fn push_sum_at<V: Simd>(&mut self, simd: V, other: &Vectors, places: &[u32]) {
        match *places {
            [] => drop(self.push_zero()),
            [a] => self.push_sum_of(simd, other, [a]),
            [a, b] => self.push_sum_of(simd, other, [a, b]),
            [a, b, c] => self.push_sum_of(simd, other, [a, b, c]),
            [a, b, c, d] => self.push_sum_of(simd, other, [a, b, c, d]),
            [a, b, c, d, e] => self.push_sum_of(simd, other, [a, b, c, d, e]),
            [a, b, c, d, e, f] => self.push_sum_of(simd, other, [a, b, c, d, e, f]),
            [a, b, c, d, e, f, g, ref rest @ ..] => {
                self.push_sum_of(simd, other, [a, b, c, d, e, f, g]);
                for &place in rest {
                    self.add_to_last(simd, other, [place]);
                }
            }
        }
    }

    #[inline(always)]
    fn push_sum_of<V: Simd, const N: usize>(&mut self, simd: V, other: &Vectors, places: [u32; N]) {
        lanes::set_to_sum(simd, (&other.blocks, &places), self.push_blocks());
    }

    #[inline(always)]
    fn add_to_last<V: Simd, const N: usize>(&mut self, simd: V, other: &Vectors, places: [u32; N]) {
        let start = self.used - self.width;
        lanes::add_sum(simd, (&other.blocks, &places), &mut self.blocks[start..self.used]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;
    use proptest::prelude::*;

    #[test]
    fn sums_of_any_number_of_vectors() {
        let mut vectors = Vectors::default();
        vectors.clear(40);
        for number in 0..9 {
            for (place, score) in vectors.push_zero().iter_mut().enumerate() {
                *score = 3i32.pow(number) * (place as i32 % 9);
            }
        }
        for n in 0..=9u32 {
            let places: Vec<u32> = (0..n).map(|number| number * vectors.width as u32).collect();
            let sums = versions!(simd => {
                let mut sums = Vectors::default();
                sums.clear(40);
                sums.push_sum_at(simd, &vectors, &places);
                sums
            });
            let factor: i32 = (0..n).map(|number| 3i32.pow(number)).sum();
            let expected: Vec<i32> = (0..48).map(|place| factor * (place % 9)).collect();
            assert!(sums.iter().all(|sums| sums.get(0) == expected));
        }
    }

    proptest! {
        /// Against looking at one action after the other.
        #[test]
        fn the_first_of_the_best_permitted_actions(actions in prop::collection::vec((-4i32..4, prop::bool::ANY), 48)) {
            let scores: Vec<i32> = actions.iter().map(|action| action.0).collect();
            let mask: Vec<i32> = actions.iter().map(|action| if action.1 { 0 } else { FORBIDDEN }).collect();
            let mut expected: Option<(i32, ActionId)> = None;
            for (action, &(score, permitted)) in actions.iter().enumerate() {
                if permitted && expected.is_none_or(|(highest, _)| score > highest) {
                    expected = Some((score, action as ActionId));
                }
            }
            for best in versions!(_simd => best_permitted_with(&scores, &mask)) {
                prop_assert_eq!(best, expected);
            }
        }
    }
}
