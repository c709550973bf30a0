//! Several analyses of a sentence made one, by votes.
//!
//! Sagae & Lavie (2006), "Parser combination by reparsing": every parser votes for its arcs with its weight, and the tree with most
//! votes is found exactly, among projective trees or all. Of trees with as many votes, one that shares most arcs with the first parser's
//! tree wins. Labels are voted for by the parsers that have the arc.

use super::{ArcScores, ChuLiuEdmonds, Eisner};
use crate::choice::choice;
use crate::eval::Analysis;
use crate::tree::{Node, Roots, Tree, is_projective};

choice! {
    /// The algorithms that find the tree with most votes.
    #[derive(Default)]
    pub enum VoteDecoder {
        /// Eisner's: the best projective tree
        Eisner,
        /// Chu-Liu-Edmonds: the best tree, projective or not
        #[default]
        ChuLiuEdmonds,
    }
}

/// The votes of several parsers, and scratch memory to count them.
#[derive(Debug, Clone)]
pub struct Votes {
    weights: Vec<u32>,
    decoder: VoteDecoder,
    scores: ArcScores,
    eisner: Eisner,
    chu_liu_edmonds: ChuLiuEdmonds,
    heads: Vec<Node>,
}

impl Votes {
    /// The most votes that all parsers together have for an arc. Its product with one more than [`crate::tree::MAX_WORDS`] is the score
    /// of an arc still.
    pub const MOST: u32 = 32_000;

    /// Votes with these weights, one for each parser. Only their ratios matter.
    ///
    /// # Errors
    /// If all weights are 0, or their sum without common factors is more than [`Votes::MOST`].
    pub fn new(weights: &[u32], decoder: VoteDecoder) -> Result<Votes, String> {
        let factor = weights.iter().copied().fold(0, greatest_common_divisor);
        if factor == 0 {
            return Err("weights that are all 0; expected one at least that is more".to_owned());
        }
        let weights: Vec<u32> = weights.iter().map(|weight| weight / factor).collect();
        let sum: u64 = weights.iter().copied().map(u64::from).sum();
        if sum > Votes::MOST.into() {
            let most = Votes::MOST;
            return Err(format!("weights in the ratio of whole numbers whose sum is {sum}; expected at most {most}"));
        }
        let (eisner, chu_liu_edmonds) = Default::default();
        Ok(Votes { weights, decoder, scores: ArcScores::default(), eisner, chu_liu_edmonds, heads: Vec::new() })
    }

    /// Combines trees of one sentence, one of each parser, to one with as many roots as `roots` allows.
    ///
    /// # Panics
    /// If there is not one tree for each weight, all of as many words.
    pub fn combine<'l>(&mut self, trees: &[Analysis<'l>], roots: Roots) -> Analysis<'l> {
        assert_eq!(trees.len(), self.weights.len(), "one tree of each parser");
        let first = &trees[0];
        let n_words = first.heads.len();
        if trees.iter().all(|tree| tree.heads == first.heads) && self.can_be(&first.heads, roots) {
            // PERF: most sentences of good parsers.
            self.heads.clone_from(&first.heads);
        } else {
            self.scores.reset(n_words);
            for (i, (tree, weight)) in trees.iter().zip(&self.weights).enumerate() {
                assert_eq!(tree.heads.len(), n_words, "trees of the same words");
                for (&head, dependent) in tree.heads.iter().zip(1..) {
                    let score = *weight as i32 * (n_words as i32 + 1) + i32::from(i == 0);
                    self.scores.set(head, dependent, self.scores.get(head, dependent) + score);
                }
            }
            match self.decoder {
                VoteDecoder::Eisner => self.eisner.decode(&self.scores, roots, &mut self.heads),
                VoteDecoder::ChuLiuEdmonds => self.chu_liu_edmonds.decode(&self.scores, roots, &mut self.heads),
            }
        }
        let labels = (0..n_words).map(|word| self.label(trees, word)).collect();
        Analysis { heads: self.heads.clone(), labels }
    }

    /// True if the decoder may give this tree.
    fn can_be(&self, heads: &[Node], roots: Roots) -> bool {
        let has_roots = roots == Roots::Several || heads.iter().filter(|&&head| head == 0).count() == 1;
        let labels = vec![Default::default(); heads.len()];
        has_roots && (self.decoder == VoteDecoder::ChuLiuEdmonds || is_projective(&Tree::new(heads, &labels)))
    }

    /// The label with most votes of those that have the arc into the word of entry `word`, or of all if none has; the first of equals.
    fn label<'l>(&self, trees: &[Analysis<'l>], word: usize) -> &'l str {
        let is_known = trees.iter().any(|tree| tree.heads[word] == self.heads[word]);
        let voters = || {
            let voters = trees.iter().zip(&self.weights);
            voters.filter(|(tree, _)| !is_known || tree.heads[word] == self.heads[word])
        };
        let votes = |label: &str| -> u64 {
            voters().filter(|(tree, _)| tree.labels[word] == label).map(|(_, weight)| u64::from(*weight)).sum()
        };
        let labels = voters().map(|(tree, _)| (tree.labels[word], votes(tree.labels[word])));
        labels.reduce(|best, other| if other.1 > best.1 { other } else { best }).map_or("_", |(label, _)| label)
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, stream};
    use crate::tree::all_trees;

    fn analysis<'l>(heads: &[Node], labels: &[&'l str]) -> Analysis<'l> {
        Analysis { heads: heads.to_vec(), labels: labels.to_vec() }
    }

    /// Against all trees, one by one: most votes, and of those most arcs of the first.
    #[test]
    fn no_tree_has_more_votes() {
        let mut random = stream(1, "votes", &[]);
        for n in 1..=5 {
            for (decoder, roots) in [
                (VoteDecoder::Eisner, Roots::Single),
                (VoteDecoder::Eisner, Roots::Several),
                (VoteDecoder::ChuLiuEdmonds, Roots::Single),
                (VoteDecoder::ChuLiuEdmonds, Roots::Several),
            ] {
                let any: Vec<Tree> = all_trees(n, Roots::Several).collect();
                let allowed: Vec<Tree> =
                    all_trees(n, roots).filter(|tree| decoder != VoteDecoder::Eisner || is_projective(tree)).collect();
                for _ in 0..60 {
                    let trees: Vec<&Tree> =
                        (0..3).map(|_| &any[below(any.len() as u64, &mut random) as usize]).collect();
                    let weights: Vec<u32> = (0..3).map(|_| 1 + below(3, &mut random) as u32).collect();
                    let analyses: Vec<Analysis> =
                        trees.iter().map(|tree| analysis(tree.heads(), &vec!["x"; n])).collect();
                    let votes = |heads: &[Node]| {
                        let shared =
                            |i: usize| trees[i].heads().iter().zip(heads).filter(|(a, b)| a == b).count() as u32;
                        ((0..3).map(|i| weights[i] * shared(i)).sum::<u32>(), shared(0))
                    };
                    let combined = Votes::new(&weights, decoder).unwrap().combine(&analyses, roots);
                    assert!(allowed.iter().any(|tree| tree.heads() == combined.heads), "{combined:?}");
                    let most = allowed.iter().map(|tree| votes(tree.heads())).max();
                    assert_eq!(Some(votes(&combined.heads)), most, "{analyses:?} {weights:?}: {combined:?}");
                }
            }
        }
    }

    #[test]
    fn labels_are_voted_for_by_those_that_have_the_arc() {
        let trees = [
            analysis(&[2, 0], &["a", "root"]),
            analysis(&[2, 0], &["b", "root"]),
            analysis(&[0, 1], &["c", "d"]),
            analysis(&[2, 0], &["b", "other"]),
        ];
        let combine =
            |weights: &[u32]| Votes::new(weights, VoteDecoder::Eisner).unwrap().combine(&trees, Roots::Single);
        assert_eq!(combine(&[1, 1, 1, 1]), analysis(&[2, 0], &["b", "root"]));
        assert_eq!(combine(&[2, 1, 1, 1]), analysis(&[2, 0], &["a", "root"]));
        assert_eq!(combine(&[1, 1, 9, 1]), trees[2]);
        // As many votes: the first.
        assert_eq!(combine(&[1, 0, 1, 0]), trees[0]);
        // The arc of nobody: all have a vote.
        let crossing = [analysis(&[3, 4, 0, 3], &["a", "b", "root", "c"])];
        let planar = Votes::new(&[1], VoteDecoder::Eisner).unwrap().combine(&crossing, Roots::Single);
        assert!(planar.labels == crossing[0].labels && planar.heads != crossing[0].heads);
    }

    #[test]
    fn weights_are_ratios() {
        assert!(Votes::new(&[0, 0], VoteDecoder::Eisner).unwrap_err().contains("all 0"));
        assert!(Votes::new(&[32_000_000, 32_000_000], VoteDecoder::Eisner).is_ok());
        assert!(Votes::new(&[31_999, 1], VoteDecoder::Eisner).is_ok());
        assert!(Votes::new(&[31_999, 2], VoteDecoder::Eisner).unwrap_err().contains("32001"));
        // The scores of the longest sentence are numbers of 32 bits still.
        assert!(i32::try_from(u64::from(Votes::MOST) * (crate::tree::MAX_WORDS as u64 + 1) + 1).is_ok());
    }
}
