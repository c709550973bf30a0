//! Rows of scores as sums of vectors that rows share, and vectors side by side in memory that is used again.

use crate::system::{ActionId, Actions, FORBIDDEN};
use crate::vector::vectorised;

/// The most vectors that a row may be the sum of.
pub(crate) const MAX_TERMS: usize = 4;

/// The scores of all actions in one configuration: the sum, which is still to be made, of one to four vectors.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'s> {
    pub(crate) vectors: &'s Vectors,
    pub(crate) terms: &'s [u32],
}

impl<'s> Scores<'s> {
    /// The sum of those of `vectors` that have these numbers.
    pub fn new(vectors: &'s Vectors, terms: &'s [u32]) -> Scores<'s> {
        debug_assert!((1..=MAX_TERMS).contains(&terms.len()));
        Scores { vectors, terms }
    }

    /// The score of one action.
    #[inline]
    pub fn of(&self, action: ActionId) -> i32 {
        self.terms.iter().map(|&term| self.vectors.get(term)[action as usize]).sum()
    }
}

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

/// As many lanes as fill a cache line.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block(pub [i32; Actions::LANES]);

impl Block {
    #[inline(always)]
    fn plus(mut self, other: &Block) -> Block {
        for (sum, lane) in self.0.iter_mut().zip(&other.0) {
            *sum += lane;
        }
        self
    }
}

/// Vectors of one width, by number.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    blocks: Vec<Block>,
    /// The blocks of a vector.
    width: usize,
}

impl Vectors {
    /// Removes all vectors; the next ones have `lanes` lanes.
    pub fn clear(&mut self, lanes: usize) {
        self.blocks.clear();
        self.width = lanes.div_ceil(Actions::LANES);
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
        bytemuck::cast_slice_mut(self.push_blocks())
    }

    /// The last vector, to be changed.
    #[inline(always)]
    pub fn last_mut(&mut self) -> &mut [i32] {
        let start = self.blocks.len().saturating_sub(self.width);
        bytemuck::cast_slice_mut(&mut self.blocks[start..])
    }

    /// Makes room for `n` vectors of `lanes` lanes in place of what there is; they hold anything.
    pub(crate) fn reset(&mut self, lanes: usize, n: usize) {
        self.width = lanes.div_ceil(Actions::LANES);
        if self.blocks.len() < n * self.width {
            self.blocks.resize(n * self.width, Block([0; Actions::LANES]));
        }
    }

    /// The blocks of all vectors.
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

    #[inline(always)]
    fn push_blocks(&mut self) -> &mut [Block] {
        let start = self.blocks.len();
        self.blocks.resize(start + self.width, Block([0; Actions::LANES]));
        &mut self.blocks[start..]
    }

    /// Adds the sum of those vectors of `other` that have these numbers.
    #[inline(always)]
    pub fn push_sum(&mut self, other: &Vectors, numbers: &[u32]) {
        match *numbers {
            [] => drop(self.push_zero()),
            [a] => self.blocks.extend_from_slice(other.blocks_of(a)),
            [a, b] => self.push_sum_of(other, [a, b]),
            [a, b, c] => self.push_sum_of(other, [a, b, c]),
            [a, b, c, d] => self.push_sum_of(other, [a, b, c, d]),
            [a, b, c, d, e] => self.push_sum_of(other, [a, b, c, d, e]),
            [a, b, c, d, e, f, ref rest @ ..] => {
                let start = self.blocks.len();
                self.push_sum_of(other, [a, b, c, d, e, f]);
                for &number in rest {
                    for (sum, block) in self.blocks[start..].iter_mut().zip(other.blocks_of(number)) {
                        *sum = sum.plus(block);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn push_sum_of<const N: usize>(&mut self, other: &Vectors, numbers: [u32; N]) {
        let width = other.width;
        let mut rows: [&[Block]; N] = [&[]; N];
        for (row, number) in rows.iter_mut().zip(numbers) {
            *row = &other.blocks_of(number)[..width];
        }
        let block = |place: usize| {
            let mut sum = rows[0][place];
            for row in &rows[1..] {
                sum = sum.plus(&row[place]);
            }
            sum
        };
        self.blocks.extend((0..width).map(block));
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
        for number in 0..6 {
            for (lane, score) in vectors.push_zero().iter_mut().enumerate() {
                *score = 10i32.pow(number) * (lane as i32 % 9);
            }
        }
        for n in 0..=6u32 {
            let numbers: Vec<u32> = (0..n).collect();
            let sums = versions!(_simd => {
                let mut sums = Vectors::default();
                sums.clear(40);
                sums.push_sum(&vectors, &numbers);
                sums
            });
            let factor: i32 = (0..n).map(|number| 10i32.pow(number)).sum();
            let expected: Vec<i32> = (0..48).map(|lane| factor * (lane % 9)).collect();
            assert!(sums.iter().all(|sums| sums.get(0) == expected));
        }
    }

    proptest! {
        /// Against looking at one action after the other.
        #[test]
        fn the_first_of_the_best_permitted_actions(lanes in prop::collection::vec((-4i32..4, prop::bool::ANY), 48)) {
            let scores: Vec<i32> = lanes.iter().map(|lane| lane.0).collect();
            let mask: Vec<i32> = lanes.iter().map(|lane| if lane.1 { 0 } else { FORBIDDEN }).collect();
            let mut expected: Option<(i32, ActionId)> = None;
            for (action, &(score, permitted)) in lanes.iter().enumerate() {
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
