//! Dividing a treebank into parts.

use super::Sentence;
use crate::random;
use std::io::{self, Write};
use std::ops::Range;

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

/// The documents of a text, as ranges of its sentences; those before the first `# newdoc` are one, too, and without any
/// `# newdoc` every sentence stands for itself.
pub fn documents(sentences: &[Sentence]) -> Vec<Range<usize>> {
    let mut starts: Vec<usize> = (0..sentences.len()).filter(|&i| begins_document(&sentences[i])).collect();
    match starts.first() {
        None => starts = (0..sentences.len()).collect(),
        Some(0) => {}
        Some(_) => starts.insert(0, 0),
    }
    let ends = starts.iter().skip(1).copied().chain([sentences.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Numbers of documents, of these sizes, in each part: every boundary is that between documents which is nearest to where
/// [`sizes`] has it, but every part with a positive weight has a document if there are enough.
///
/// # Panics
/// If all weights are 0.
pub fn whole_documents(documents: &[Range<usize>], weights: &[u32]) -> Vec<usize> {
    let n_sentences = documents.iter().map(Range::len).sum();
    let mut wanted = 0;
    // Number of documents before the boundary, number of their sentences.
    let (mut at, mut covered) = (0, 0);
    let mut parts = Vec::with_capacity(weights.len());
    let mut parts_left = weights.iter().filter(|&&weight| weight > 0).count();
    for (size, &weight) in sizes(n_sentences, weights).into_iter().zip(weights) {
        wanted += size;
        parts_left -= usize::from(weight > 0);
        let start = at;
        while let Some(next) = documents.get(at).filter(|_| weight > 0) {
            let is_needed = at == start;
            let is_left = documents.len() - at > parts_left;
            let is_nearer = (covered + next.len()).abs_diff(wanted) < covered.abs_diff(wanted);
            if !is_left || !is_needed && !is_nearer && parts_left > 0 {
                break;
            }
            at += 1;
            covered += next.len();
        }
        parts.push(at - start);
    }
    parts
}

/// The sentences in `n` folds of about the same size, one behind the other, and whether documents are whole: they are if there is
/// one for each fold.
pub fn folds(sentences: &[Sentence], n: usize) -> (Vec<Range<usize>>, bool) {
    let mut documents = documents(sentences);
    let are_whole = documents.len() >= n;
    if !are_whole {
        documents = (0..sentences.len()).map(|i| i..i + 1).collect();
    }
    let numbers = whole_documents(&documents, &vec![1; n]);
    let mut documents = documents.into_iter();
    let mut end = 0;
    let fold = |n_documents| {
        let start = end;
        end = documents.by_ref().take(n_documents).last().map_or(end, |document| document.end);
        start..end
    };
    (numbers.into_iter().map(fold).collect(), are_whole)
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
    fn documents_are_divided_whole_and_as_evenly_as_they_can_be() {
        let documents = |sizes: &[usize]| -> Vec<Range<usize>> {
            let mut start = 0;
            sizes
                .iter()
                .map(|size| {
                    start += size;
                    start - size..start
                })
                .collect()
        };
        let divided = |sizes: &[usize], weights: &[u32]| whole_documents(&documents(sizes), weights);
        // Documents of one sentence are divided as sentences are.
        for n in 10..30 {
            for weights in [&[80, 10, 10][..], &[1, 1, 1], &[1, 1, 1, 1, 1, 1, 1]] {
                assert_eq!(divided(&vec![1; n], weights), sizes(n, weights), "{n} {weights:?}");
            }
        }
        assert_eq!(divided(&[3, 3, 3, 3], &[1, 1]), [2, 2]);
        assert_eq!(divided(&[5, 4, 1], &[1, 1]), [1, 2]);
        assert_eq!(divided(&[10, 1, 1, 1], &[1, 1, 1]), [1, 1, 2]);
        assert_eq!(divided(&[1, 1, 1, 10], &[1, 1, 1]), [2, 1, 1]);
        assert_eq!(divided(&[4, 4], &[1, 0, 1]), [1, 0, 1]);
        assert_eq!(divided(&[4], &[1, 1]), [0, 1]);
        for weights in [&[1, 1][..], &[9, 1], &[1, 5, 3]] {
            assert_eq!(divided(&[7, 1, 2, 9, 4], weights).iter().sum::<usize>(), 5, "nothing is lost");
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
