//! Decoders from scores of arcs to trees, and the trait of finished parameters that parse.

use super::eisner::{self, FilledEisner};
use super::{ArcLabels, ArcScores, ChuLiuEdmonds, Eisner, GraphKind, k_best, k_best_spanning, matrix_tree};
use crate::decode::value::share_of_label;
use crate::decode::{Confidence, Given, Parsed};
use crate::features::{Columns, Input};
use crate::model::Marginals;
use crate::tree::{LabelId, Node, Roots, Tree};

/// Search: the settings by which scores become a tree.
#[derive(Debug, Clone, Copy)]
pub struct GraphSearch<'m> {
    pub kind: GraphKind,
    pub roots: Roots,
    pub columns: &'m Columns,
    pub inventory: &'m ArcLabels,
    /// Calibration of exact marginals, in the fixed point of scores, if trees are to have any.
    pub marginals: Option<Marginals>,
}

/// Finished parameters that parse.
pub trait Parses: Sync {
    /// Scratch memory of parsing one sentence after another; one per thread.
    type Workspace: Default + Send;

    /// The sentences that are read side by side.
    const SIDE_BY_SIDE: usize;

    /// The `k` best trees with labels of each sentence, the best first; fewer if there are not so many.
    fn k_best(
        &self,
        workspace: &mut Self::Workspace,
        search: GraphSearch,
        sentences: &[GivenInput],
        k: usize,
    ) -> Vec<Vec<Parsed>>;
}

/// Input of a sentence, and the part of its tree that is given, if any.
pub type GivenInput<'i> = (&'i Input, Option<&'i Given>);

/// Scratch memory of both decoders.
#[derive(Debug, Clone, Default)]
pub struct Decoders {
    pub eisner: Eisner,
    pub chu_liu_edmonds: ChuLiuEdmonds,
    pub heads: Vec<Node>,
}

impl Decoders {
    /// The heads of the best tree, entry 0 being that of word 1.
    pub fn best(&mut self, kind: GraphKind, roots: Roots, scores: &ArcScores) -> &[Node] {
        match kind.is_projective() {
            true => self.eisner.decode(scores, roots, &mut self.heads),
            false => self.chu_liu_edmonds.decode(scores, roots, &mut self.heads),
        }
        &self.heads
    }

    /// The best tree with its score, where `label` has the best label of an arc.
    pub fn best_tree(
        &mut self,
        kind: GraphKind,
        roots: Roots,
        scores: &ArcScores,
        label: impl Fn(Node, Node) -> LabelId,
    ) -> Parsed {
        let heads = self.best(kind, roots, scores);
        let labels: Vec<LabelId> = heads.iter().zip(1..).map(|(&head, dependent)| label(head, dependent)).collect();
        Parsed::new(Tree::new(heads, &labels), scores.of_tree(heads))
    }

    /// The `k` best trees with labels, the best first; fewer if there are not so many. `labels` appends the scores of an arc with each
    /// label that it may bear, the score of the best one being that of the arc.
    pub fn k_best(
        &mut self,
        GraphSearch { kind, roots, marginals: calibration, .. }: GraphSearch,
        scores: &ArcScores,
        mut labels: impl FnMut(Node, Node, &mut Vec<(i64, LabelId)>),
        k: usize,
    ) -> Vec<Parsed> {
        let mut labels = |head: Node, dependent: Node, found: &mut Vec<(i64, LabelId)>| {
            let first = found.len();
            labels(head, dependent, found);
            // An arc's charge is taken from all its labels.
            let best = found[first..].iter().map(|label| label.0).max().unwrap_or(0);
            let charge = best - i64::from(scores.get(head, dependent));
            found[first..].iter_mut().for_each(|label| label.0 -= charge);
        };
        let mut best = if kind.is_projective() {
            self.eisner.decode(scores, roots, &mut self.heads);
            let mut forest = FilledEisner { eisner: &self.eisner, scores, roots, labels: &mut labels };
            k_best(&mut forest, scores.n_words(), k)
        } else {
            k_best_spanning(&mut self.chu_liu_edmonds, scores, roots, &mut labels, k)
        };
        if let Some(Marginals { head_temperature, label_temperature, labels: factor }) = calibration {
            let of_heads = if kind.is_projective() { eisner::marginals } else { matrix_tree::marginals };
            let marginals = of_heads(scores, roots, head_temperature);
            let mut found = Vec::new();
            for Parsed { tree, confidences, .. } in &mut best {
                confidences.extend(tree.words().map(|word| {
                    let (head, label) = (tree.head(word), tree.label(word));
                    found.clear();
                    labels(head, word, &mut found);
                    let label = factor * share_of_label(found.iter().copied(), label, label_temperature);
                    Confidence { head: f64::min(marginals[scores.place(head, word)], 1.0), label: label.min(1.0) }
                }));
            }
        }
        best
    }
}
