//! Dividing a treebank into parts.

use crate::random;

/// The order in which `n` sentences are divided: as they stand, or shuffled under `seed`.
pub fn order(n: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(seed) = seed {
        random::shuffle(&mut order, &mut random::stream(seed, "split", &[]));
    }
    order
}

/// Sizes of the parts of `n` sentences, in proportion to `weights`: each boundary is rounded down, so the sizes add up
/// to `n`, and with weights 90 and 10 the second part is the last tenth.
///
/// # Panics
/// If all weights are 0.
pub fn sizes(n: usize, weights: &[u32]) -> Vec<usize> {
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    assert!(total > 0, "some weight must be positive");
    let (mut sum, mut before) = (0u128, 0);
    let size = |&weight: &u32| {
        sum += u128::from(weight);
        let boundary = (n as u128 * sum / total) as usize;
        boundary - std::mem::replace(&mut before, boundary)
    };
    weights.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up() {
        assert_eq!(sizes(5190, &[90, 10]), [4671, 519]);
        assert_eq!(sizes(10, &[80, 10, 10]), [8, 1, 1]);
        assert_eq!(sizes(1, &[1, 1, 1]), [0, 0, 1]);
        for n in 0..50 {
            assert_eq!(sizes(n, &[3, 0, 7]).iter().sum::<usize>(), n);
        }
    }

    #[test]
    fn shuffling_is_a_permutation_that_the_seed_decides() {
        assert_eq!(order(4, None), [0, 1, 2, 3]);
        let mut shuffled = order(100, Some(1));
        assert_eq!(shuffled, order(100, Some(1)));
        assert_ne!(shuffled, order(100, Some(2)));
        shuffled.sort_unstable();
        assert_eq!(shuffled, order(100, None));
    }
}
