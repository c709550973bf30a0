//! The output layer: from the sums of a configuration's rows to the scores of its actions.
//!
//! In most models a lane of the sums is an action's score. Two things may stand between them:
//!
//! * **Hidden layers** ([`HiddenLayer`]): lanes are the units' sums. They are memoised and added up like scores; only their
//!   activations and outputs are computed for each configuration anew.
//! * **Separate decisions** ([`Decisions::Separate`]): moves have lanes of their own, and the lanes of actions are the
//!   scores of labels, given the move. An action scores what its move scores, less what its label scores below the best
//!   label that the move may bear there. So greedily the best move is chosen and then its best label, and a beam
//!   adds up what each decision loses.

use serde::{Deserialize, Serialize};

use crate::scorer::{Decisions, Stages};
use crate::system::{Actions, FORBIDDEN};

/// The finished hidden layer of one stage and its outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenLayer {
    /// The first lane of its sums.
    pub first: usize,
    /// By unit.
    pub biases: Vec<f32>,
    /// The first lane of its scores.
    pub lane: usize,
    /// By score and unit, the constant last.
    pub outputs: Vec<f32>,
}

impl HiddenLayer {
    /// The activation of a unit.
    #[inline]
    pub fn activation(sum: f32) -> f32 {
        sum.clamp(-3.0, 3.0).tanh()
    }
}

/// Scale of scores: the value of 1.0 among the scores that a network puts out.
const UNIT: f32 = 65536.0;

/// Output layer: turns sums of weights into scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputLayer {
    layers: Vec<HiddenLayer>,
    stages: Stages,
    /// The lanes of sums.
    n_sums: usize,
}

impl OutputLayer {
    /// The output layer for these stages and layers, one for each stage or none at all; `None` if they do not fit.
    pub fn new(stages: Stages, layers: &[HiddenLayer]) -> Option<OutputLayer> {
        if layers.iter().any(|layer| layer.biases.iter().chain(&layer.outputs).any(|weight| !weight.is_finite())) {
            return None;
        }
        let mut n_sums = stages.width();
        if !layers.is_empty() {
            n_sums = 0;
            for (layer, lanes) in layers.iter().zip(stages.lanes()) {
                let n_outputs = lanes.len() * (layer.biases.len() + 1);
                if (layer.first, layer.lane, layer.outputs.len()) != (n_sums, lanes.start as usize, n_outputs) {
                    return None;
                }
                n_sums += layer.biases.len();
            }
            if layers.len() != stages.lanes().len() {
                return None;
            }
            n_sums = n_sums.next_multiple_of(Actions::LANES);
        }
        Some(OutputLayer { layers: layers.to_vec(), stages, n_sums })
    }

    /// The lanes of sums.
    pub fn n_sums(&self) -> usize {
        self.n_sums
    }

    /// The hidden layers, one for each stage or none at all.
    pub fn layers(&self) -> &[HiddenLayer] {
        &self.layers
    }

    /// The stages of decisions.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// True if the sum of an action's weights is its score: there is no hidden layer, and moves and labels are decided
    /// on together.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.layers.is_empty() && self.stages.decisions() == Decisions::Joint
    }

    /// The scores of all actions; those that are not permitted may have any.
    pub(super) fn scores(&self, sums: &[i32], scale: u32, mask: &[i32], scores: &mut Vec<i32>) {
        scores.clear();
        if self.layers.is_empty() {
            scores.extend_from_slice(sums);
        } else {
            scores.resize(self.stages.width(), 0);
            let scale = 1.0 / scale as f32;
            let mut activations = Vec::new();
            for layer in &self.layers {
                let sums = &sums[layer.first..][..layer.biases.len()];
                activations.clear();
                activations.extend(
                    sums.iter()
                        .zip(&layer.biases)
                        .map(|(&sum, bias)| HiddenLayer::activation(sum as f32 * scale + bias)),
                );
                for (score, weights) in scores[layer.lane..].iter_mut().zip(layer.outputs.chunks(activations.len() + 1))
                {
                    let (constant, weights) = weights.split_last().unwrap_or((&0.0, &[]));
                    let output: f32 = weights.iter().zip(&activations).map(|(weight, h)| weight * h).sum();
                    *score = ((output + constant) * UNIT) as i32;
                }
            }
        }
        for (mv, lane, range) in self.stages.moves() {
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
        // Networks put out what they like, and what is permitted must stay above what is not.
        const FURTHEST: i32 = -(FORBIDDEN / 2) - 1;
        scores.iter_mut().for_each(|score| *score = (*score).clamp(-FURTHEST, FURTHEST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Move, MoveSet, Permitted};
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
            let stages = Stages::new(Decisions::Separate, &actions);
            let output = OutputLayer::new(stages.clone(), &[]).unwrap();
            let set = |bits: usize| {
                let arcs = [Move::Left, Move::Right, Move::Shift];
                arcs.iter().enumerate().fold(MoveSet::default(), |set, (i, &mv)| set.with(mv, bits >> i & 1 == 1))
            };
            let permitted = Permitted { moves: set(moves), from_root: set(from_root) };
            let mask = actions.mask(permitted);
            let mut scores = Vec::new();
            output.scores(&sums, 1, mask, &mut scores);
            let best = |ids: &mut dyn Iterator<Item = usize>, score: &dyn Fn(usize) -> i32| {
                ids.reduce(|best, id| if score(id) > score(best) { id } else { best })
            };
            let chosen = best(&mut (0..actions.len()).filter(|&id| mask[id] == 0), &|id| scores[id]).unwrap();
            let mv = permitted.moves.iter().reduce(|best, mv| {
                if sums[stages.lane(mv) as usize] > sums[stages.lane(best) as usize] { mv } else { best }
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
        let layer = HiddenLayer { first: 0, biases: vec![1.0, 0.25], lane: 0, outputs };
        let stages = Stages::new(Decisions::Joint, &actions);
        let output = OutputLayer::new(stages.clone(), std::slice::from_ref(&layer)).unwrap();
        assert_eq!(output.n_sums(), 16);
        let mut scores = Vec::new();
        let mut sums = [0; 16];
        (sums[0], sums[1]) = (1 << 7, -(1 << 6));
        output.scores(&sums, 256, &[0; 16], &mut scores);
        for (score, &found) in scores[..n].iter().enumerate() {
            let expected = (score as f64 * 1.5f64.tanh() + 0.25) * 65536.0;
            assert!((f64::from(found) - expected).abs() < 1.0 + expected * 1e-6, "{found} instead of {expected}");
        }
        let wrong = HiddenLayer { lane: 1, ..layer.clone() };
        assert!(OutputLayer::new(stages.clone(), &[wrong]).is_none());
        assert!(OutputLayer::new(Stages::new(Decisions::Separate, &actions), &[layer]).is_none());
    }
}
