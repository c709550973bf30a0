//! Dividing a treebank into parts.

use super::Sentence;
use crate::random;
use std::io::{self, Write};

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

/// True if a document begins with the sentence: it has a comment `# newdoc`.
pub fn begins_document(sentence: &Sentence) -> bool {
    sentence.comments().any(|comment| keyword(comment) == "newdoc")
}

/// Writes the sentence without the comments that divide a text, `# newdoc` and `# newpar`, which say nothing of sentences in
/// random order; the number of these comments.
///
/// # Errors
/// Those of `output`.
pub fn write_alone(sentence: &Sentence, output: &mut dyn Write) -> io::Result<usize> {
    let n_lines = sentence.comments().count();
    let mut n_left_out = 0;
    for (i, line) in sentence.text().split_inclusive('\n').enumerate() {
        if i < n_lines && matches!(keyword(line), "newdoc" | "newpar") {
            n_left_out += 1;
        } else {
            output.write_all(line.as_bytes())?;
        }
    }
    output.write_all(b"\n")?;
    Ok(n_left_out)
}

/// The word with which a comment begins.
fn keyword(comment: &str) -> &str {
    let text = comment.trim_start_matches('#').trim_start();
    text.split(|c: char| c.is_whitespace() || c == '=').next().unwrap_or_default()
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
