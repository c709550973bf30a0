//! Decoding: scores to trees.

use super::Biaffine;
use super::score::{BiaffineScoring, LabelProducts, Reading, heads_of};
use crate::decode::{Given, Parsed};
use crate::features::Input;
use crate::graph::decoders::{Decoders, GivenInput, GraphSearch, Parses};
use crate::graph::{ArcScores, ArcSide};
use crate::neural::score::{MOST, UNIT, log_partition};
use crate::tree::{LabelId, Node, ROOT};
use crate::vector::vectorised;

/// Scratch memory of parsing one sentence after another; one per thread.
#[derive(Debug, Clone, Default)]
pub struct BiaffineWorkspace {
    decoders: Decoders,
    /// log P of each arc with its best label.
    arcs: ArcScores,
    /// log P of each arc alone, at [`ArcScores::place`].
    alone: Vec<i32>,
    /// The best label of each arc, at the same place.
    labels: Vec<LabelId>,
    row: Vec<i32>,
    mask: Vec<i32>,
}

impl Parses for Biaffine {
    type Workspace = BiaffineWorkspace;
    const SIDE_BY_SIDE: usize = 16;

    fn k_best(
        &self,
        workspace: &mut BiaffineWorkspace,
        search: GraphSearch,
        sentences: &[GivenInput],
        k: usize,
    ) -> Vec<Vec<Parsed>> {
        let inputs: Vec<&Input> = sentences.iter().map(|&(input, _)| input).collect();
        let given = sentences.iter().map(|&(_, given)| given);
        let readings = self.scoring().read(&inputs);
        readings
            .iter()
            .zip(given)
            .map(|(reading, given)| workspace.of_reading(self, search, reading, given, k))
            .collect()
    }
}

impl BiaffineWorkspace {
    fn of_reading(
        &mut self,
        biaffine: &Biaffine,
        search: GraphSearch,
        reading: &Reading,
        given: Option<&Given>,
        k: usize,
    ) -> Vec<Parsed> {
        let scoring = biaffine.scoring();
        let labels = scoring.labels(reading);
        self.score(biaffine, scoring, reading, &labels);
        given.into_iter().for_each(|given| self.arcs.keep(given));
        let GraphSearch { kind, roots, marginals, .. } = search;
        let BiaffineWorkspace { decoders, arcs, alone, labels: best, row, .. } = self;
        if k == 1 && marginals.is_none() {
            return vec![decoders.best_tree(kind, roots, arcs, |head, dependent| best[arcs.place(head, dependent)])];
        }
        let of_labels = |head: Node, dependent: Node, found: &mut Vec<(i64, LabelId)>| {
            let raw = scoring.of_labels(&labels, dependent, head as usize..head as usize + 1);
            let mask = &biaffine.layout().masks[ArcSide::of(head, dependent) as usize];
            logarithms(&raw, mask, row);
            let arc = alone[arcs.place(head, dependent)];
            let permitted = row.iter().zip(mask).zip(0..).filter(|((_, mask), _)| **mask == 0);
            found.extend(permitted.map(|((score, _), label)| (i64::from(arc + score), label)));
        };
        decoders.k_best(search, arcs, of_labels, k)
    }

    /// Scores all arcs of a sentence.
    fn score(&mut self, biaffine: &Biaffine, scoring: BiaffineScoring, reading: &Reading, labels: &LabelProducts) {
        let BiaffineWorkspace { arcs, alone, labels: best, row, mask, .. } = self;
        let n = reading.n();
        let raw = scoring.arcs(reading).scores;
        arcs.reset(n - 1);
        alone.clear();
        alone.resize(n * n, 0);
        best.clear();
        best.resize(n * n, 0);
        let masks = &biaffine.layout().masks;
        for dependent in 1..n as Node {
            heads_of(dependent, n, mask);
            logarithms(&raw[dependent as usize * n..][..n], mask, row);
            let place = arcs.place(ROOT, dependent);
            alone[place..place + n].copy_from_slice(&row[..n]);
            let of_labels = scoring.of_labels(labels, dependent, 0..n);
            for (head, of_labels) in (0..n as Node).zip(of_labels.chunks_exact(scoring.n_outputs)) {
                if head == dependent {
                    continue;
                }
                let mask = &masks[ArcSide::of(head, dependent) as usize];
                logarithms(of_labels, mask, row);
                let permitted = row.iter().zip(mask).zip(0..).filter(|((_, mask), _)| **mask == 0);
                let scored = permitted.map(|((score, _), label)| (*score, label));
                // The first of equal ones.
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
fn logarithms(scores: &[f32], mask: &[i32], row: &mut Vec<i32>) {
    row.clear();
    row.resize(mask.len(), 0);
    vectorised!(_simd => {
        for (log, score) in row.iter_mut().zip(scores) {
            *log = (score.clamp(-MOST, MOST) * UNIT).round_ties_even() as i32;
        }
    });
    let partition = log_partition(row, mask);
    row.iter_mut().for_each(|log| *log -= partition);
}
