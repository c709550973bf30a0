//! From the sums of a configuration's rows to the scores of its actions.
//!
//! In most models a lane of the sums is an action's score. Two things may stand between them:
//!
//! * **Hidden layers** ([`Layer`]): lanes are the units' sums. They are memoised and added up like scores; only their
//!   activations and outputs are computed for each configuration anew.
//! * **Separate decisions** ([`Decisions::Separate`]): moves have lanes of their own, and the lanes of actions are the
//!   scores of labels, given the move. An action scores what its move scores, less what its label scores below the best
//!   label that the move may bear there. So greedily the best move is chosen and then its best label, and a beam
//!   adds up what each decision loses.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{FrozenWeights, Row, Weights};
use crate::system::{Actions, FORBIDDEN, Move, Permitted};

/// Whether moves and labels are decided on together.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Decisions {
    /// One decision, of a move with its label.
    #[default]
    Joint,
    /// The move first, then its label.
    Separate,
}

impl Decisions {
    /// Whether they are joint.
    pub fn is_joint(&self) -> bool {
        *self == Decisions::Joint
    }
}

/// The parts of decisions and the lanes of their options.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    decisions: Decisions,
    /// The lanes of each part. With separate decisions moves come first, though their lanes stand last.
    ranges: Vec<Range<u32>>,
    /// With separate decisions: each move's lane, and the lanes of its actions.
    moves: Vec<(Move, u32, Range<u32>)>,
    width: usize,
}

impl Parts {
    /// The parts for an inventory of actions.
    pub fn new(decisions: Decisions, actions: &Actions) -> Parts {
        let n_actions = actions.len() as u32;
        if decisions == Decisions::Joint {
            let ranges = vec![Range { start: 0, end: n_actions }];
            return Parts { decisions, ranges, moves: Vec::new(), width: actions.width() };
        }
        let of_move = |mv| {
            let mut ids = actions.of_move(mv).map(u32::from);
            let first = ids.next()?;
            Some((mv, first..ids.last().unwrap_or(first) + 1))
        };
        let moves = Move::ALL.into_iter().filter_map(of_move).zip(n_actions..);
        let moves: Vec<(Move, u32, Range<u32>)> = moves.map(|((mv, range), lane)| (mv, lane, range)).collect();
        let end = n_actions + moves.len() as u32;
        let labels = moves.iter().filter(|(mv, ..)| mv.makes_arc()).map(|(_, _, range)| range.clone());
        let ranges = std::iter::once(n_actions..end).chain(labels).collect();
        Parts { decisions, ranges, moves, width: (end as usize).next_multiple_of(Actions::LANES) }
    }

    /// What is decided on together.
    pub fn decisions(&self) -> Decisions {
        self.decisions
    }

    /// The lanes of each part.
    pub fn ranges(&self) -> &[Range<u32>] {
        &self.ranges
    }

    /// The number of lanes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// With separate decisions: the lane of a move.
    ///
    /// # Panics
    /// If there is no such move.
    pub fn lane(&self, mv: Move) -> u32 {
        let known = self.moves.iter().find(|(other, ..)| *other == mv);
        known.expect("the system has the move").1
    }

    /// With separate decisions: the part that decides on the labels of a move, if it makes an arc.
    pub fn of_labels(&self, mv: Move) -> Option<usize> {
        let place = self.moves.iter().filter(|(mv, ..)| mv.makes_arc()).position(|(other, ..)| *other == mv);
        place.map(|place| place + 1)
    }
}

/// The finished hidden layer of one part and its outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The first lane of its sums.
    pub first: usize,
    /// By unit.
    pub biases: Vec<f32>,
    /// The first lane of its scores.
    pub lane: usize,
    /// By score and unit, the constant last.
    pub outputs: Vec<f32>,
}

impl Layer {
    /// The activation of a unit.
    #[inline]
    pub fn activation(sum: f32) -> f32 {
        sum.clamp(-3.0, 3.0).tanh()
    }
}

/// What 1.0 is in scores that a network puts out.
const UNIT: f32 = 65536.0;

/// How scores are made of sums.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readout {
    layers: Vec<Layer>,
    parts: Parts,
    /// The lanes of sums.
    n_sums: usize,
}

impl Readout {
    /// The readout for these parts and layers, one for each part or none at all; `None` if they do not fit.
    pub fn new(parts: Parts, layers: &[Layer]) -> Option<Readout> {
        let mut n_sums = parts.width();
        if !layers.is_empty() {
            n_sums = 0;
            for (layer, part) in layers.iter().zip(parts.ranges()) {
                let n_outputs = part.len() * (layer.biases.len() + 1);
                if (layer.first, layer.lane, layer.outputs.len()) != (n_sums, part.start as usize, n_outputs) {
                    return None;
                }
                n_sums += layer.biases.len();
            }
            if layers.len() != parts.ranges().len() {
                return None;
            }
            n_sums = n_sums.next_multiple_of(Actions::LANES);
        }
        Some(Readout { layers: layers.to_vec(), parts, n_sums })
    }

    /// The lanes of sums.
    pub fn n_sums(&self) -> usize {
        self.n_sums
    }

    /// Whether sums are scores.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.layers.is_empty() && self.parts.decisions() == Decisions::Joint
    }

    /// The scores of all actions; those that are not permitted may have any.
    fn scores(&self, sums: &[i32], scale: u32, mask: &[i32], scores: &mut Vec<i32>) {
        scores.clear();
        if self.layers.is_empty() {
            scores.extend_from_slice(sums);
        } else {
            scores.resize(self.parts.width(), 0);
            let scale = 1.0 / scale as f32;
            let mut activations = Vec::new();
            for layer in &self.layers {
                let sums = &sums[layer.first..][..layer.biases.len()];
                activations.clear();
                activations.extend(
                    sums.iter().zip(&layer.biases).map(|(&sum, bias)| Layer::activation(sum as f32 * scale + bias)),
                );
                for (score, weights) in scores[layer.lane..].iter_mut().zip(layer.outputs.chunks(activations.len() + 1))
                {
                    let (constant, weights) = weights.split_last().unwrap_or((&0.0, &[]));
                    let output: f32 = weights.iter().zip(&activations).map(|(weight, h)| weight * h).sum();
                    *score = ((output + constant) * UNIT) as i32;
                }
            }
        }
        for (mv, lane, range) in &self.parts.moves {
            let range = range.start as usize..range.end as usize;
            let of_move = scores[*lane as usize];
            let labels = &mut scores[range.clone()];
            if !mv.makes_arc() {
                labels[0] = of_move;
                continue;
            }
            let permitted = labels.iter().zip(&mask[range]).filter(|(_, mask)| **mask != FORBIDDEN);
            let best = permitted.map(|(score, _)| *score).max().unwrap_or(0);
            labels.iter_mut().for_each(|score| *score = score.saturating_sub(best).saturating_add(of_move));
        }
        scores.truncate(mask.len());
    }
}

/// A finished model's weights with how to read them: what decoders score with.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'m> {
    /// The rows.
    pub weights: &'m FrozenWeights,
    /// What becomes of their sums.
    pub readout: &'m Readout,
}

impl Weights for Reading<'_> {
    #[inline]
    fn prefetch(&self, features: &[u64]) {
        self.weights.prefetch(features);
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        self.weights.find(features, rows);
    }

    #[inline(always)]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        self.weights.add(rows, scores);
    }

    #[inline]
    fn sums_are_scores(&self) -> bool {
        self.readout.is_direct()
    }

    fn n_sums(&self, _: usize) -> usize {
        self.readout.n_sums()
    }

    #[inline]
    fn scores<'s>(
        &self,
        sums: &'s [i32],
        actions: &Actions,
        permitted: Permitted,
        scores: &'s mut Vec<i32>,
    ) -> &'s [i32] {
        if self.readout.is_direct() {
            return sums;
        }
        self.readout.scores(sums, self.weights.scale(), actions.mask(permitted), scores);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::MoveSet;
    use proptest::prelude::*;

    fn actions() -> Actions {
        let arcs = [(Move::Left, 0, false), (Move::Left, 2, false), (Move::Right, 1, false), (Move::Right, 2, true)];
        Actions::new(&[Move::Shift, Move::Left, Move::Right], 3, arcs).unwrap()
    }

    proptest! {
        /// The action of the highest score is the best move with the best label that it may bear there.
        #[test]
        fn separate_decisions_are_made_one_after_the_other(
            sums in prop::collection::vec(-100i32..100, 16),
            moves in 1usize..8,
            from_root in 0usize..4,
        ) {
            let actions = actions();
            let parts = Parts::new(Decisions::Separate, &actions);
            let readout = Readout::new(parts.clone(), &[]).unwrap();
            let set = |bits: usize| {
                let arcs = [Move::Left, Move::Right, Move::Shift];
                arcs.iter().enumerate().fold(MoveSet::default(), |set, (i, &mv)| set.with(mv, bits >> i & 1 == 1))
            };
            let permitted = Permitted { moves: set(moves), from_root: set(from_root) };
            let mask = actions.mask(permitted);
            let mut scores = Vec::new();
            readout.scores(&sums, 1, mask, &mut scores);
            let best = |ids: &mut dyn Iterator<Item = usize>, score: &dyn Fn(usize) -> i32| {
                ids.reduce(|best, id| if score(id) > score(best) { id } else { best })
            };
            let chosen = best(&mut (0..actions.len()).filter(|&id| mask[id] == 0), &|id| scores[id]).unwrap();
            let mv = permitted.moves.iter().reduce(|best, mv| {
                if sums[parts.lane(mv) as usize] > sums[parts.lane(best) as usize] { mv } else { best }
            });
            prop_assert_eq!(actions.get(chosen as u16).mv, mv.unwrap());
            let mut labels = actions.of_move(mv.unwrap()).map(usize::from).filter(|&id| mask[id] == 0);
            prop_assert_eq!(Some(chosen), best(&mut labels, &|id| sums[id]));
        }
    }

    /// A layer's outputs by hand: units 0.5 + 1 cut off at 3 and -0.25 + 0.25 = 0.
    #[test]
    fn layers_are_computed() {
        let actions = actions();
        let n = actions.len();
        let outputs = (0..n).flat_map(|score| [score as f32, 5.0, 0.25]).collect();
        let layer = Layer { first: 0, biases: vec![1.0, 0.25], lane: 0, outputs };
        let parts = Parts::new(Decisions::Joint, &actions);
        let readout = Readout::new(parts.clone(), std::slice::from_ref(&layer)).unwrap();
        assert_eq!(readout.n_sums(), 16);
        let mut scores = Vec::new();
        let mut sums = [0; 16];
        (sums[0], sums[1]) = (1 << 7, -(1 << 6));
        readout.scores(&sums, 256, &[0; 16], &mut scores);
        for (score, &found) in scores[..n].iter().enumerate() {
            let expected = (score as f64 * 1.5f64.tanh() + 0.25) * 65536.0;
            assert!((f64::from(found) - expected).abs() < 1.0 + expected * 1e-6, "{found} instead of {expected}");
        }
        let wrong = Layer { lane: 1, ..layer.clone() };
        assert!(Readout::new(parts.clone(), &[wrong]).is_none());
        assert!(Readout::new(Parts::new(Decisions::Separate, &actions), &[layer]).is_none());
    }
}
