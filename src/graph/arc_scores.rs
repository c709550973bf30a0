//! Arc scores: the matrix that both decoders maximise over.

use crate::decode::Given;
use crate::tree::Node;

/// A score for every arc of a sentence. Arcs into the root and from a word to itself have a place, and are never read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArcScores {
    n_words: usize,
    /// `[dependent][head]`.
    scores: Vec<i32>,
}

impl ArcScores {
    /// Scores of 0 for a sentence of `n_words`, in the memory of the last one.
    pub fn reset(&mut self, n_words: usize) {
        self.n_words = n_words;
        self.scores.clear();
        self.scores.resize((n_words + 1) * (n_words + 1), 0);
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// The place of an arc among all of them, for tables of the same shape.
    pub fn place(&self, head: Node, dependent: Node) -> usize {
        dependent as usize * (self.n_words + 1) + head as usize
    }

    /// The score of the arc.
    pub fn get(&self, head: Node, dependent: Node) -> i32 {
        self.scores[self.place(head, dependent)]
    }

    /// Sets the score of the arc.
    pub fn set(&mut self, head: Node, dependent: Node, score: i32) {
        let place = self.place(head, dependent);
        self.scores[place] = score;
    }

    /// The scores of the arcs into `dependent`, by head.
    pub fn into(&self, dependent: Node) -> &[i32] {
        &self.scores[self.place(0, dependent)..][..self.n_words + 1]
    }

    /// At most the lowest score of any arc.
    pub fn lowest(&self) -> i64 {
        self.scores.iter().min().copied().unwrap_or(0).into()
    }

    /// At least the difference between the highest and the lowest score of any arc.
    pub fn spread(&self) -> i64 {
        let highest = self.scores.iter().max().copied().unwrap_or(0);
        i64::from(highest) - self.lowest()
    }

    /// Lowers the scores of arcs that contradict given heads, by more than other arcs can make up for.
    pub fn keep(&mut self, given: &Given) {
        const MOST: i64 = 1 << 29;
        let charge = (self.spread().saturating_mul(self.n_words as i64 + 1) + 1).min(MOST) as i32;
        for dependent in 1..=self.n_words as Node {
            for head in (0..=self.n_words as Node).filter(|&head| given.contradicts(head, dependent)) {
                self.set(head, dependent, self.get(head, dependent).saturating_sub(charge));
            }
        }
    }

    /// The score of a tree: the sum over its arcs. Entry 0 of `heads` is the head of word 1.
    pub fn of_tree(&self, heads: &[Node]) -> i64 {
        heads.iter().zip(1..).map(|(&head, dependent)| i64::from(self.get(head, dependent))).sum()
    }
}
