//! Scores of parts of second and third order, each with the best label of its arc.
//!
//! A part's score is the sum over the features of its arc, its siblings, its grandparent and all of them. Every feature but those of
//! grand-siblings has weights for labels, too: as every word is the dependent of one part, its label may depend on the whole part
//! and the best labelled tree is still the best tree over parts with their best labels. Of an arc (h, d) each grandparent and
//! each sibling is looked up once, in time n² · features; that they are added up for every two of them costs additions alone.

use super::decoders::GraphSearch;
use super::features::{Class, TagsBetween};
use super::part_features::{Directions, NeighbourReads};
use super::scorer::Reward;
use super::{ArcLabels, ArcScorer, ArcSide, Order, Part, PartFeatures, PartScores, Wanted};
use crate::features::Input;
use crate::linear::Weights;
use crate::tree::{LabelId, NO_NODE, Node};
use crate::vector::vectorised;

/// Scratch memory: the scores of one sentence so far.
#[derive(Debug, Clone, Default)]
pub struct PartScorer {
    /// Scores of arcs by themselves.
    pub arcs: ArcScorer,
    /// The features that parts have beyond.
    pub features: PartFeatures,
    between: TagsBetween,
    /// The left end that `between` starts at; -1 for none.
    between_from: i32,
    hashes: Vec<u64>,
    base: Vec<i32>,
    of_grandparent: Vec<i32>,
    by_tag: ByTag,
    of_siblings: Vec<i32>,
    sums: Vec<i32>,
    /// By directions and tags of grandparent and sibling: the number of an arc and the score of its grand-siblings.
    joint: Vec<(u32, i32)>,
    /// The number of the arc at hand, from 1.
    arc: u32,
}

/// Sums of features that read a neighbour's tag alone: neighbours of the arc at hand with the same tag at about the same distance share
/// them.
#[derive(Debug, Clone, Default)]
struct ByTag {
    /// By key: the number of an arc, and where its vector starts.
    known: Vec<(u32, u32)>,
    vectors: Vec<i32>,
}

impl ByTag {
    fn start(&mut self, n_keys: usize) {
        self.known.clear();
        self.known.resize(n_keys, (0, 0));
    }

    /// The vector of `key` for this arc, looked up if it is not known.
    fn get<W: Weights>(
        &mut self,
        arc: u32,
        key: usize,
        width: usize,
        weights: &W,
        hashes: &mut Vec<u64>,
        extract: impl Fn(&mut Vec<u64>),
    ) -> &[i32] {
        if self.known[key].0 != arc {
            let start = self.vectors.len();
            self.known[key] = (arc, start as u32);
            self.vectors.resize(start + width, 0);
            hashes.clear();
            extract(hashes);
            weights.add_features(hashes, &mut self.vectors[start..]);
        }
        &self.vectors[self.known[key].1 as usize..][..width]
    }
}

/// The scores of one sentence, computed when the chart needs them.
#[derive(Debug)]
pub struct PartScoring<'s, W> {
    scorer: &'s mut PartScorer,
    search: GraphSearch<'s>,
    weights: &'s W,
    reward: Option<Reward<'s>>,
}

impl PartScorer {
    /// The scores of the sentence in `input`.
    pub(super) fn start<'s, W: Weights>(
        &'s mut self,
        search: GraphSearch<'s>,
        weights: &'s W,
        input: &Input,
        reward: Option<Reward<'s>>,
    ) -> PartScoring<'s, W> {
        self.arcs.start(search.columns, search.inventory, input);
        self.features.start(search.columns, input);
        self.between_from = -1;
        self.joint.clear();
        self.joint.resize(self.features.n_tags().pow(2) * Directions::COUNT, (0, 0));
        self.by_tag.start(self.features.n_tags() * Class::COUNT * 2);
        self.arc = 0;
        PartScoring { scorer: self, search, weights, reward }
    }

    /// Appends the features of a part: those for the arc and its label, and those for the arc alone.
    pub fn extract(&self, order: Order, part: Part, features: &mut Vec<u64>, of_arc_alone: &mut Vec<u64>) {
        let Part { grandparent, head, sibling, dependent } = part;
        self.arcs.features.of(head, dependent, features);
        if order >= Order::Second {
            for reads in NeighbourReads::BOTH {
                self.features.of_siblings((head, sibling, dependent), reads, features);
            }
        }
        if order == Order::Third {
            for reads in NeighbourReads::BOTH {
                self.features.of_grandparent((grandparent, head, dependent), reads, features);
            }
            self.features.of_grand_siblings(grandparent, head, sibling, dependent, of_arc_alone);
        }
    }
}

impl<W: Weights> PartScoring<'_, W> {
    /// The sum of the arc's own features, by output, in the scratch memory.
    fn score_base(&mut self, head: Node, dependent: Node) {
        let PartScorer { arcs, between, between_from, base, .. } = &mut *self.scorer;
        let (left, right) = (head.min(dependent), head.max(dependent));
        // Charts go from left to right; trees are taken apart in any order.
        if *between_from != i32::from(left) || !between.can_reach(right) {
            between.restart(left);
            *between_from = left.into();
        }
        between.reach(&arcs.features, right);
        let scores = arcs.scores(self.search.inventory, self.weights, (head, dependent), between, self.reward);
        base.clear();
        base.extend_from_slice(scores);
    }

    /// The score of all four nodes; of a part of the arc at hand.
    fn score_joint(&mut self, part: Part) -> i32 {
        let PartScorer { features, hashes, sums, joint, arc, .. } = &mut *self.scorer;
        let Part { grandparent, head, sibling, dependent } = part;
        let directions = Directions::of(grandparent, head, dependent).index();
        let n_tags = features.n_tags();
        let place = (directions * n_tags + features.tag(grandparent)) * n_tags + features.tag(sibling);
        if joint[place].0 != *arc {
            hashes.clear();
            features.of_grand_siblings(grandparent, head, sibling, dependent, hashes);
            sums.clear();
            sums.resize(self.search.inventory.width(), 0);
            self.weights.add_features(hashes, sums);
            joint[place] = (*arc, sums[ArcLabels::ARC as usize]);
        }
        joint[place].1
    }
}

impl<W: Weights> PartScores for PartScoring<'_, W> {
    fn score(&mut self, (head, dependent): (Node, Node), grandparents: &[Node], wanted: Wanted, scores: &mut [i32]) {
        let order = self.search.kind.order();
        let (width, arc_output) = (self.search.inventory.width(), ArcLabels::ARC as usize);
        self.score_base(head, dependent);
        let scorer = &mut *self.scorer;
        scorer.arc += 1;
        scorer.by_tag.vectors.clear();
        let n_keys = scorer.features.n_tags() * Class::COUNT;
        let columns = || std::iter::once(NO_NODE).chain(head.min(dependent) + 1..).zip(wanted.siblings);
        scorer.of_siblings.clear();
        scorer.of_siblings.resize(wanted.siblings.len() * width, 0);
        for (sums, (sibling, _)) in
            scorer.of_siblings.chunks_exact_mut(width).zip(columns()).filter(|(_, (_, wanted))| **wanted)
        {
            let key = scorer.features.sibling_key(head, sibling, dependent);
            let (features, hashes, arc) = (&scorer.features, &mut scorer.hashes, (head, sibling, dependent));
            let extract = |hashes: &mut Vec<u64>| features.of_siblings(arc, NeighbourReads::Tag, hashes);
            sums.copy_from_slice(scorer.by_tag.get(scorer.arc, key, width, self.weights, hashes, extract));
            hashes.clear();
            features.of_siblings(arc, NeighbourReads::Word, hashes);
            self.weights.add_features(hashes, sums);
        }
        let side = ArcSide::of(head, dependent);
        for (slot, &grandparent) in grandparents.iter().enumerate().filter(|&(slot, _)| wanted.grandparents[slot]) {
            let scorer = &mut *self.scorer;
            let sums = &mut scorer.of_grandparent;
            sums.clone_from(&scorer.base);
            if order == Order::Third {
                let key = n_keys + scorer.features.grandparent_key(grandparent, head);
                let (features, hashes, arc) = (&scorer.features, &mut scorer.hashes, (grandparent, head, dependent));
                let extract = |hashes: &mut Vec<u64>| features.of_grandparent(arc, NeighbourReads::Tag, hashes);
                let by_tag = scorer.by_tag.get(scorer.arc, key, width, self.weights, hashes, extract);
                sums.iter_mut().zip(by_tag).for_each(|(sum, by_tag)| *sum += by_tag);
                hashes.clear();
                features.of_grandparent(arc, NeighbourReads::Word, hashes);
                self.weights.add_features(hashes, sums);
            }
            let of_arc = sums[arc_output];
            self.search.inventory.forbid(side, sums);
            let row = &mut scores[slot * wanted.siblings.len()..][..wanted.siblings.len()];
            vectorised!(_simd => best_labels(of_arc, sums, &scorer.of_siblings, wanted.siblings, row));
            if order == Order::Third {
                for (score, (sibling, _)) in row.iter_mut().zip(columns()).filter(|(_, (_, wanted))| **wanted) {
                    *score += self.score_joint(Part { grandparent, head, sibling, dependent });
                }
            }
        }
    }

    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>) {
        let order = self.search.kind.order();
        let Part { head, dependent, .. } = part;
        self.score_base(head, dependent);
        let PartScorer { features, hashes, base, sums, .. } = &mut *self.scorer;
        hashes.clear();
        if order >= Order::Second {
            let siblings = (head, part.sibling, dependent);
            NeighbourReads::BOTH.iter().for_each(|&reads| features.of_siblings(siblings, reads, hashes));
        }
        if order == Order::Third {
            let grandparent = (part.grandparent, head, dependent);
            NeighbourReads::BOTH.iter().for_each(|&reads| features.of_grandparent(grandparent, reads, hashes));
        }
        self.weights.add_features(hashes, base);
        let mut of_arc = base[ArcLabels::ARC as usize];
        if order == Order::Third {
            hashes.clear();
            features.of_grand_siblings(part.grandparent, head, part.sibling, dependent, hashes);
            sums.clear();
            sums.resize(base.len(), 0);
            self.weights.add_features(hashes, sums);
            of_arc += sums[ArcLabels::ARC as usize];
        }
        let permitted = self.search.inventory.permitted(ArcSide::of(head, dependent));
        labels.extend(permitted.map(|label| (i64::from(of_arc + base[ArcLabels::output(label) as usize]), label)));
    }
}

/// The score of the arc with its best label, with each sibling that is wanted: `sums` are the sums over its other features.
#[inline(always)]
fn best_labels(of_arc: i32, sums: &[i32], of_siblings: &[i32], wanted: &[bool], scores: &mut [i32]) {
    let of_siblings = of_siblings.chunks_exact(sums.len());
    for ((score, of_sibling), _) in scores.iter_mut().zip(of_siblings).zip(wanted).filter(|(_, wanted)| **wanted) {
        let highest = sums.iter().zip(of_sibling).map(|(one, other)| one + other).fold(i32::MIN, i32::max);
        *score = of_arc + of_sibling[ArcLabels::ARC as usize] + highest;
    }
}
