//! The output layer: from the sums of a configuration's rows to the scores of its actions.
//!
//! In most models an output, a sum of weights, is an action's score. Two things may stand between them:
//!
//! * **Hidden layers** ([`HiddenLayer`]): there the sums are those of units. They are memoised and added up like
//!   scores; only their activations and outputs are computed for each configuration anew.
//! * **Separate decisions** ([`Decisions::Separate`]): moves have outputs of their own, and the outputs of actions are
//!   the scores of labels, given the move. An action scores what its move scores, less what its label scores below the best
//!   label that the move may bear there. So greedily the best move is chosen and then its best label, and a beam
//!   adds up what each decision loses.

use crate::scorer::{Decisions, Stages};
use crate::system::{Actions, FORBIDDEN};

/// The finished hidden layer of one stage and its outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenLayer {
    /// The first of its units among all units.
    pub first_unit: usize,
    /// By unit.
    pub biases: Vec<f32>,
    /// The first of its outputs.
    pub first_output: usize,
    /// By output and unit, the constant last.
    pub output_weights: Vec<f32>,
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
    /// Width of sums.
    n_sums: usize,
}

impl OutputLayer {
    /// The output layer for these stages and layers, one for each stage or none at all; `None` if they do not fit.
    pub fn new(stages: Stages, layers: &[HiddenLayer]) -> Option<OutputLayer> {
        if layers.iter().any(|layer| layer.biases.iter().chain(&layer.output_weights).any(|weight| !weight.is_finite()))
        {
            return None;
        }
        let mut n_sums = stages.width();
        if !layers.is_empty() {
            n_sums = 0;
            for (layer, outputs) in layers.iter().zip(stages.outputs()) {
                let n_weights = outputs.len() * (layer.biases.len() + 1);
                let found = (layer.first_unit, layer.first_output, layer.output_weights.len());
                if found != (n_sums, outputs.start as usize, n_weights) {
                    return None;
                }
                n_sums += layer.biases.len();
            }
            if layers.len() != stages.outputs().len() {
                return None;
            }
            n_sums = n_sums.next_multiple_of(Actions::LANES);
        }
        Some(OutputLayer { layers: layers.to_vec(), stages, n_sums })
    }

    /// The width of sums.
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
                let sums = &sums[layer.first_unit..][..layer.biases.len()];
                activations.clear();
                activations.extend(
                    sums.iter()
                        .zip(&layer.biases)
                        .map(|(&sum, bias)| HiddenLayer::activation(sum as f32 * scale + bias)),
                );
                let weights = layer.output_weights.chunks(activations.len() + 1);
                for (score, weights) in scores[layer.first_output..].iter_mut().zip(weights) {
                    let (constant, weights) = weights.split_last().unwrap_or((&0.0, &[]));
                    let output: f32 = weights.iter().zip(&activations).map(|(weight, h)| weight * h).sum();
                    *score = ((output + constant) * UNIT) as i32;
                }
            }
        }
        for (mv, output, range) in self.stages.moves() {
            let range = range.start as usize..range.end as usize;
            let of_move = scores[*output as usize];
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
        // Outputs of networks have no bound, and permitted actions must stay above forbidden ones.
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
                if sums[stages.output(mv) as usize] > sums[stages.output(best) as usize] { mv } else { best }
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
        let output_weights = (0..n).flat_map(|score| [score as f32, 5.0, 0.25]).collect();
        let layer = HiddenLayer { first_unit: 0, biases: vec![1.0, 0.25], first_output: 0, output_weights };
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
        let wrong = HiddenLayer { first_output: 1, ..layer.clone() };
        assert!(OutputLayer::new(stages.clone(), &[wrong]).is_none());
        assert!(OutputLayer::new(Stages::new(Decisions::Separate, &actions), &[layer]).is_none());
    }
}
