//! Rows of words with tags: the numbers by which features know a word that [joint tagging](crate::system::Joint) has given a tag.
//!
//! A sentence of n words with tags has 2n nodes beside the root: its words, and a second node for each, n + i for word i, whose arc from
//! the root bears the tag. Behind these come the rows of words with tags, those of one word after another, in the order of the labels:
//! so rows are in the order of the words, as nodes are.

use crate::tree::{LabelId, Node};

/// The row of `word` with the tag `label`, one of `n_labels`.
#[inline]
pub fn tagged_row(n_words: usize, n_labels: usize, word: Node, label: LabelId) -> Node {
    (2 * n_words + 1 + (usize::from(word) - 1) * n_labels + usize::from(label)) as Node
}

/// The word of a row behind those of all nodes, and its tag.
#[inline]
pub fn tagged_word(n_words: usize, n_labels: usize, row: Node) -> (Node, LabelId) {
    let place = usize::from(row) - 2 * n_words - 1;
    ((place / n_labels + 1) as Node, (place % n_labels) as LabelId)
}

/// The most words of a sentence whose rows have numbers, with `n_labels` labels.
pub fn max_tagged_words(n_labels: usize) -> usize {
    crate::tree::MAX_WORDS / (n_labels + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_words_and_tags() {
        let (n_words, n_labels) = (max_tagged_words(60), 60);
        let mut last = 2 * n_words as Node;
        for word in 1..=n_words as Node {
            for label in 0..n_labels as LabelId {
                let row = tagged_row(n_words, n_labels, word, label);
                assert_eq!((row, tagged_word(n_words, n_labels, row)), (last + 1, (word, label)));
                last = row;
            }
        }
    }
}
