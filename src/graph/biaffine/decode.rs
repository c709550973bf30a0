//! From scores to trees.

use super::Biaffine;
use super::score::{Labels, Reading, Scoring, heads_of};
use crate::decode::Parsed;
use crate::features::Input;
use crate::graph::eisner::Filled;
use crate::graph::{ArcScores, ChuLiuEdmonds, Derived, Eisner, Side, k_best, k_best_spanning};
use crate::neural::score::{MOST, UNIT, log_partition};
use crate::tree::{LabelId, Node, ROOT, Roots, Tree};
use crate::vector::vectorised;

/// Scratch memory of parsing one sentence after another; one per thread.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    eisner: Eisner,
    chu_liu_edmonds: ChuLiuEdmonds,
    /// log P of each arc with its best label.
    arcs: ArcScores,
    /// log P of each arc alone, at [`ArcScores::place`].
    alone: Vec<i32>,
    /// The best label of each arc, at the same place.
    labels: Vec<LabelId>,
    heads: Vec<Node>,
    lanes: Vec<i32>,
    mask: Vec<i32>,
}

impl Workspace {
    /// The `k` best labelled trees of each sentence, the best first; projective ones, or all.
    pub fn k_best(
        &mut self,
        biaffine: &Biaffine,
        (is_projective, roots): (bool, Roots),
        inputs: &[&Input],
        k: usize,
    ) -> Vec<Vec<Parsed>> {
        let scoring = biaffine.scoring();
        let readings = scoring.read(inputs);
        readings.iter().map(|reading| self.of_reading(biaffine, scoring, is_projective, roots, reading, k)).collect()
    }

    fn of_reading(
        &mut self,
        biaffine: &Biaffine,
        scoring: Scoring,
        is_projective: bool,
        roots: Roots,
        reading: &Reading,
        k: usize,
    ) -> Vec<Parsed> {
        let labels = scoring.labels(reading);
        self.score(biaffine, scoring, reading, &labels);
        match is_projective {
            true => self.eisner.decode(&self.arcs, roots, &mut self.heads),
            false => self.chu_liu_edmonds.decode(&self.arcs, roots, &mut self.heads),
        }
        if k == 1 {
            let place = |(&head, dependent)| self.labels[self.arcs.place(head, dependent)];
            let best: Vec<LabelId> = self.heads.iter().zip(1..).map(place).collect();
            return vec![Parsed { tree: Tree::new(&self.heads, &best), score: self.arcs.of_tree(&self.heads) }];
        }
        let Workspace { eisner, chu_liu_edmonds, arcs, alone, lanes, .. } = self;
        let of_labels = |head: Node, dependent: Node, found: &mut Vec<(i64, LabelId)>| {
            let raw = scoring.of_labels(&labels, dependent, head as usize..head as usize + 1);
            let mask = &biaffine.layout().masks[Side::of(head, dependent) as usize];
            logarithms(&raw, mask, lanes);
            let arc = alone[arcs.place(head, dependent)];
            let permitted = lanes.iter().zip(mask).zip(0..).filter(|((_, mask), _)| **mask == 0);
            found.extend(permitted.map(|((lane, _), label)| (i64::from(arc + lane), label)));
        };
        let found = match is_projective {
            true => k_best(&mut Filled { eisner, scores: arcs, roots, labels: of_labels }, reading.n - 1, k),
            false => k_best_spanning(chu_liu_edmonds, arcs, roots, of_labels, k),
        };
        let parsed = |Derived { heads, labels, score }| Parsed { tree: Tree::new(&heads, &labels), score };
        found.into_iter().map(parsed).collect()
    }

    /// Scores all arcs of a sentence.
    fn score(&mut self, biaffine: &Biaffine, scoring: Scoring, reading: &Reading, labels: &Labels) {
        let Workspace { arcs, alone, labels: best, lanes, mask, .. } = self;
        let n = reading.n;
        let raw = scoring.arcs(reading).scores;
        arcs.reset(n - 1);
        alone.clear();
        alone.resize(n * n, 0);
        best.clear();
        best.resize(n * n, 0);
        let masks = &biaffine.layout().masks;
        for dependent in 1..n as Node {
            heads_of(dependent, n, mask);
            logarithms(&raw[dependent as usize * n..][..n], mask, lanes);
            let place = arcs.place(ROOT, dependent);
            alone[place..place + n].copy_from_slice(&lanes[..n]);
            let of_labels = scoring.of_labels(labels, dependent, 0..n);
            for (head, of_labels) in (0..n as Node).zip(of_labels.chunks_exact(scoring.lanes)) {
                if head == dependent {
                    continue;
                }
                let mask = &masks[Side::of(head, dependent) as usize];
                logarithms(of_labels, mask, lanes);
                let permitted = lanes.iter().zip(mask).zip(0..).filter(|((_, mask), _)| **mask == 0);
                let scored = permitted.map(|((lane, _), label)| (*lane, label));
                // Of equal ones the first.
                let highest = scored.reduce(|a: (i32, LabelId), b| if b.0 > a.0 { b } else { a });
                let (score, label) = highest.unwrap_or_default();
                let place = arcs.place(head, dependent);
                best[place] = label;
                arcs.set(head, dependent, alone[place] + score);
            }
        }
    }
}

/// The logarithms of the probabilities of what `mask` has 0 for, in fixed point, in a row as long as the mask.
fn logarithms(scores: &[f32], mask: &[i32], lanes: &mut Vec<i32>) {
    lanes.clear();
    lanes.resize(mask.len(), 0);
    vectorised!(_simd => {
        for (lane, score) in lanes.iter_mut().zip(scores) {
            *lane = (score.clamp(-MOST, MOST) * UNIT).round_ties_even() as i32;
        }
    });
    let partition = log_partition(lanes, mask);
    lanes.iter_mut().for_each(|lane| *lane -= partition);
}
