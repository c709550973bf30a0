//! Vectors of scores, side by side in memory that is used again.

use crate::system::Actions;

/// The most vectors that [`super::Beam::offer_all`] adds up by itself.
pub(super) const MAX_TERMS: usize = 4;

/// As many lanes as fill a cache line.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Block(pub [i32; Actions::LANES]);

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
    pub(super) fn blocks_of(&self, number: u32) -> &[Block] {
        &self.blocks[number as usize * self.width..][..self.width]
    }

    /// Adds a vector of zeros, to be filled.
    #[inline(always)]
    pub fn push_zero(&mut self) -> &mut [i32] {
        let start = self.blocks.len();
        self.blocks.resize(start + self.width, Block([0; Actions::LANES]));
        bytemuck::cast_slice_mut(&mut self.blocks[start..])
    }

    /// Adds the sum of those vectors of `other` that have these numbers.
    #[inline(always)]
    pub fn push_sum(&mut self, other: &Vectors, numbers: &[u32]) {
        match *numbers {
            [] => drop(self.push_zero()),
            [a] => self.blocks.extend_from_slice(other.blocks_of(a)),
            [a, b] => {
                let pairs = other.blocks_of(a).iter().zip(other.blocks_of(b));
                self.blocks.extend(pairs.map(|(a, b)| a.plus(b)));
            }
            [a, b, c, ref rest @ ..] => {
                let start = self.blocks.len();
                let triples = other.blocks_of(a).iter().zip(other.blocks_of(b)).zip(other.blocks_of(c));
                self.blocks.extend(triples.map(|((a, b), c)| a.plus(b).plus(c)));
                for &number in rest {
                    for (sum, block) in self.blocks[start..].iter_mut().zip(other.blocks_of(number)) {
                        *sum = sum.plus(block);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;

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
}
