//! Scores of all arcs of a sentence, each with its best label.
//!
//! A row of weights has an output for the arc itself and one for each label. The score of an arc with a label is the sum of the
//! two outputs over the arc's features; so the best label of an arc does not depend on the rest of the tree, and the best
//! labelled tree is the best tree over arcs with their best labels. What has been learned about an arc serves all labels.

use super::features::{Class, TagsBetween};
use super::{ArcFeatures, ArcScores};
use crate::features::{Columns, Input};
use crate::linear::Weights;
use crate::system::{ActionId, FORBIDDEN};
use crate::tree::{LabelId, Node, ROOT, Tree};

/// Side that an arc comes from, which decides the labels that it may bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArcSide {
    /// From the root.
    Root,
    /// From a word to the left of the dependent.
    Left,
    /// From a word to the right of the dependent.
    Right,
}

impl ArcSide {
    /// The side of `dependent` on which `head` stands.
    pub fn of(head: Node, dependent: Node) -> ArcSide {
        match head {
            ROOT => ArcSide::Root,
            head if head < dependent => ArcSide::Left,
            _ => ArcSide::Right,
        }
    }
}

/// The inventory of labels: the outputs of scorers, and which labels an arc may bear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArcLabels {
    n_labels: usize,
    /// By side and label: 0 if arcs from there may bear it, else [`FORBIDDEN`].
    masks: [Vec<i32>; 3],
}

impl ArcLabels {
    /// The output of the arc itself.
    pub const ARC: ActionId = 0;
    /// The padding of score vectors, so that sums over them vectorise.
    const LANES: usize = 16;

    /// The inventory over `n_labels`. Labels may be borne where `seen` says they were; on a side where none was, any may.
    ///
    /// # Panics
    /// If a label that was seen is not below `n_labels`.
    pub fn new(n_labels: usize, seen: impl IntoIterator<Item = (ArcSide, LabelId)>) -> ArcLabels {
        let mut masks = [(); 3].map(|()| vec![FORBIDDEN; n_labels]);
        for (side, label) in seen {
            masks[side as usize][label as usize] = 0;
        }
        for mask in masks.iter_mut().filter(|mask| mask.iter().all(|&mask| mask == FORBIDDEN)) {
            mask.fill(0);
        }
        ArcLabels { n_labels, masks }
    }

    /// The output of `label`.
    pub fn output(label: LabelId) -> ActionId {
        label + 1
    }

    /// The length of a score vector.
    pub fn width(&self) -> usize {
        (self.n_labels + 1).next_multiple_of(Self::LANES)
    }

    /// The labels that arcs from this side may bear.
    pub fn permitted(&self, side: ArcSide) -> impl Iterator<Item = LabelId> + '_ {
        (0..).zip(&self.masks[side as usize]).filter(|&(_, &mask)| mask == 0).map(|(label, _)| label)
    }

    /// Makes all scores but those of labels that arcs from this side may bear so low that they are never the best.
    pub fn forbid(&self, side: ArcSide, scores: &mut [i32]) {
        scores[Self::ARC as usize] = FORBIDDEN;
        scores[self.n_labels + 1..].fill(FORBIDDEN);
        scores[1..].iter_mut().zip(&self.masks[side as usize]).for_each(|(score, mask)| *score += mask);
    }

    /// The best label of an arc, the first of equal ones, and the score of both together.
    fn best(&self, scores: &[i32], side: ArcSide) -> (LabelId, i32) {
        let (arc, labels) = (scores[0], &scores[1..=self.n_labels]);
        let permitted = || labels.iter().zip(&self.masks[side as usize]).map(|(score, mask)| score + mask);
        let highest = permitted().max().unwrap_or(0);
        let label = permitted().position(|score| score == highest).unwrap_or(0);
        (label as LabelId, arc + highest)
    }
}

/// Reward of wrong arcs beyond their scores.
#[derive(Debug, Clone, Copy)]
pub struct Reward<'t> {
    /// The tree whose arcs are right.
    pub gold: &'t Tree,
    /// For a wrong head, and again for a wrong head or label.
    pub unit: i32,
}

/// Scratch memory: the scores of one sentence.
#[derive(Debug, Clone, Default)]
pub struct ArcScorer {
    /// The features of the sentence at hand.
    pub features: ArcFeatures,
    /// The score of each arc with its best label.
    pub arcs: ArcScores,
    /// The best label of each arc, at [`ArcScores::place`].
    labels: Vec<LabelId>,
    /// Vectors of what arcs share: head group and dependent group, by node and class; 0 is none.
    shared: Vec<u32>,
    vectors: Vec<i32>,
    hashes: Vec<u64>,
    sum: Vec<i32>,
}

impl ArcScorer {
    /// Scores every arc of the sentence in `input`, with a `reward` for wrong ones if there is one.
    pub fn score<W: Weights>(
        &mut self,
        columns: &Columns,
        inventory: &ArcLabels,
        weights: &W,
        input: &Input,
        reward: Option<Reward>,
    ) {
        self.start(columns, inventory, input);
        self.arcs.reset(input.n_words());
        self.labels.clear();
        self.labels.resize((input.n_words() + 1) * (input.n_words() + 1), 0);
        let n = input.n_words() as Node;
        let mut between = TagsBetween::default();
        for left in 0..n {
            between.restart(left);
            for right in left + 1..=n {
                between.reach(&self.features, right);
                self.score_arc(inventory, weights, left, right, &between, reward);
                if left != ROOT {
                    self.score_arc(inventory, weights, right, left, &between, reward);
                }
            }
        }
    }

    /// Begins with the sentence in `input`, of which no arc is scored yet.
    pub fn start(&mut self, columns: &Columns, inventory: &ArcLabels, input: &Input) {
        self.features.start(columns, input);
        self.shared.clear();
        self.shared.resize((input.n_words() + 1) * Class::COUNT * 2, 0);
        self.vectors.clear();
        self.vectors.resize(inventory.width(), 0);
    }

    /// The best label of the arc.
    pub fn label(&self, head: Node, dependent: Node) -> LabelId {
        self.labels[self.arcs.place(head, dependent)]
    }

    fn score_arc<W: Weights>(
        &mut self,
        inventory: &ArcLabels,
        weights: &W,
        head: Node,
        dependent: Node,
        between: &TagsBetween,
        reward: Option<Reward>,
    ) {
        self.scores(inventory, weights, (head, dependent), between, reward);
        let (label, score) = inventory.best(&self.sum, ArcSide::of(head, dependent));
        self.arcs.set(head, dependent, score);
        let place = self.arcs.place(head, dependent);
        self.labels[place] = label;
    }

    /// The scores of the arc itself and of its labels, by output.
    pub fn scores<W: Weights>(
        &mut self,
        inventory: &ArcLabels,
        weights: &W,
        (head, dependent): (Node, Node),
        between: &TagsBetween,
        reward: Option<Reward>,
    ) -> &[i32] {
        let (width, class) = (inventory.width(), Class::of(head, dependent));
        let of_head = self.shared(width, weights, head, class, 0, ArcFeatures::of_head);
        let of_dependent = self.shared(width, weights, dependent, class, 1, ArcFeatures::of_dependent);
        self.sum.clear();
        let vectors = self.vectors[of_head..of_head + width].iter().zip(&self.vectors[of_dependent..][..width]);
        self.sum.extend(vectors.map(|(one, other)| one + other));
        self.hashes.clear();
        self.features.of_arc(head, dependent, class, between.get(), &mut self.hashes);
        weights.add_features(&self.hashes, &mut self.sum);
        if let Some(Reward { gold, unit }) = reward {
            if gold.head(dependent) == head {
                self.sum[0] += unit;
                self.sum[ArcLabels::output(gold.label(dependent)) as usize] -= unit;
            } else {
                self.sum[0] += 2 * unit;
            }
        }
        &self.sum
    }

    /// Appends the scores of the arc with each label that it may bear.
    pub fn labels<W: Weights>(
        &mut self,
        inventory: &ArcLabels,
        weights: &W,
        (head, dependent): (Node, Node),
        labels: &mut Vec<(i64, LabelId)>,
    ) {
        let mut between = TagsBetween::default();
        between.restart(head.min(dependent));
        between.reach(&self.features, head.max(dependent));
        let scores = self.scores(inventory, weights, (head, dependent), &between, None);
        let score = |label: LabelId| i64::from(scores[0] + scores[ArcLabels::output(label) as usize]);
        labels.extend(inventory.permitted(ArcSide::of(head, dependent)).map(|label| (score(label), label)));
    }

    /// Place of the vector of the group of features that `extract` extracts; made if there is none.
    fn shared<W: Weights>(
        &mut self,
        width: usize,
        weights: &W,
        node: Node,
        class: Class,
        group: usize,
        extract: impl Fn(&ArcFeatures, Node, Class, &mut Vec<u64>),
    ) -> usize {
        let place = (node as usize * Class::COUNT + class.index()) * 2 + group;
        if self.shared[place] == 0 {
            let start = self.vectors.len();
            self.shared[place] = (start / width) as u32;
            self.vectors.resize(start + width, 0);
            self.hashes.clear();
            extract(&self.features, node, class, &mut self.hashes);
            weights.add_features(&self.hashes, &mut self.vectors[start..]);
        }
        self.shared[place] as usize * width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::WordShape;
    use crate::graph::tests::columns;
    use crate::linear::IntegerWeights;
    use crate::random::{below, stream};
    use crate::treebank::generate::{GeneratorOptions, sentences};

    /// Vectors that arcs share, and tags between that are carried along, change nothing: every arc scores what the sum over its
    /// features says, and no permitted label is better than the one chosen.
    #[test]
    fn shared_scores_are_the_plain_ones() {
        let columns = columns(WordShape::Normalised);
        let seen =
            [(ArcSide::Root, 0), (ArcSide::Left, 1), (ArcSide::Left, 2), (ArcSide::Left, 3), (ArcSide::Right, 3)];
        let inventory = ArcLabels::new(5, seen);
        let mut weights = IntegerWeights::new(16);
        let mut stream = stream(3, "weights", &[]);
        let mut scorer = ArcScorer::default();
        for sentence in sentences(GeneratorOptions { seed: 5, n_sentences: 12, non_projective: false }) {
            let input = Input::new(&columns, &sentence);
            let n = input.n_words() as Node;
            let arcs = || (0..=n).flat_map(|h| (1..=n).filter(move |&d| d != h).map(move |d| (h, d)));
            let mut plain = ArcFeatures::default();
            plain.start(&columns, &input);
            let features = |(head, dependent)| {
                let mut found = Vec::new();
                plain.of(head, dependent, &mut found);
                found
            };
            for arc in arcs() {
                for feature in features(arc) {
                    weights.update(feature, below(6, &mut stream) as ActionId, below(200, &mut stream) as i32 - 100);
                }
            }
            scorer.score(&columns, &inventory, &weights, &input, None);
            for (head, dependent) in arcs() {
                let mut scores = vec![0; inventory.width()];
                weights.add_features(&features((head, dependent)), &mut scores);
                let side = ArcSide::of(head, dependent);
                let permitted: Vec<LabelId> = seen.iter().filter(|seen| seen.0 == side).map(|seen| seen.1).collect();
                let best = permitted.iter().map(|&label| scores[ArcLabels::output(label) as usize]).max().unwrap();
                let label = scorer.label(head, dependent);
                assert!(permitted.contains(&label));
                assert_eq!(scores[ArcLabels::output(label) as usize], best);
                assert_eq!(scorer.arcs.get(head, dependent), scores[0] + best, "{head} -> {dependent}");
            }
        }
    }
}
