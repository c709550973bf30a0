//! Randomness: one named, portable generator (xoshiro256++) and one stream per purpose.
//!
//! A stream is derived from the seed, the name of its purpose and a few numbers (the epoch, the sentence). So no
//! generator's state has to be stored in a checkpoint, and no result depends on the number of threads.

use rand::SeedableRng;
pub use rand::rngs::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

/// The generator's name, as records of experiments state it.
pub const GENERATOR: &str = "xoshiro256++ (rand 0.10), streams by SHA-256";

/// The stream for `purpose` under `seed`, distinguished from others by `numbers`.
pub fn stream(seed: u64, purpose: &str, numbers: &[u64]) -> Xoshiro256PlusPlus {
    let mut hasher = Sha256::new();
    hasher.update(seed.to_le_bytes());
    hasher.update((purpose.len() as u64).to_le_bytes());
    hasher.update(purpose.as_bytes());
    for number in numbers {
        hasher.update(number.to_le_bytes());
    }
    Xoshiro256PlusPlus::from_seed(hasher.finalize().into())
}

/// Shuffles `items` in place (Fisher-Yates), using only this module's own arithmetic so that the order never changes
/// with a library's version.
pub fn shuffle<T>(items: &mut [T], rng: &mut Xoshiro256PlusPlus) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(i as u64 + 1, rng) as usize);
    }
}

/// The numbers below `n` in the order of a pass over training data.
pub fn order(n: usize, seed: u64, pass: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    shuffle(&mut order, &mut stream(seed, "shuffle", &[u64::from(pass)]));
    order
}

/// A number in `0..bound`, by multiplication (bias below 2^-32 for bounds below 2^32).
pub fn below(bound: u64, rng: &mut Xoshiro256PlusPlus) -> u64 {
    ((u128::from(next(rng)) * u128::from(bound)) >> 64) as u64
}

/// A number in `[0, 1)` with 53 random bits.
pub fn unit(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (next(rng) >> 11) as f64 / (1u64 << 53) as f64
}

/// Replaces all of these by numbers from -`bound` to `bound`.
pub fn fill(numbers: &mut [f32], bound: f64, rng: &mut Xoshiro256PlusPlus) {
    numbers.iter_mut().for_each(|number| *number = ((2.0 * unit(rng) - 1.0) * bound) as f32);
}

fn next(rng: &mut Xoshiro256PlusPlus) -> u64 {
    use rand::Rng;
    rng.next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_stable_and_apart() {
        let first = |purpose, n: &[u64]| next(&mut stream(1, purpose, n));
        assert_eq!(first("shuffle", &[0]), first("shuffle", &[0]));
        assert_ne!(first("shuffle", &[0]), first("shuffle", &[1]));
        assert_ne!(first("shuffle", &[0]), first("explore", &[0]));
    }

    #[test]
    fn shuffling_permutes() {
        let mut items: Vec<u32> = (0..100).collect();
        shuffle(&mut items, &mut stream(7, "shuffle", &[]));
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
