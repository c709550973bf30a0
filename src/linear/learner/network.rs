//! A hidden layer under the regressors of one stage: h_k = tanh(w_k · x + b_k), s_a = v_a · h + v_a0.
//!
//! Weights of features start at 0, biases at random between −½ and ½, output weights at random between −½ and ½, divided
//! by √units: without that all units would stay alike. Sums are cut off at ±3 before the tanh. Errors are propagated back and
//! each layer learns by the same rule, hidden units as regressors whose gradient is given.
//!
//! Vowpal Wabbit (whose settings these are) has 5 units for each regressor. Here the regressors of a stage share their units,
//! as many for each action, but at most [`MAX_UNITS`]: 15 for the three moves of arc-hybrid, [`MAX_UNITS`] for the labels of
//! each.

use super::linear::{Dense, UpdateScratch, update};
use super::rule::{StepClock, UpdateRule};
use crate::linear::{HiddenLayer, RealWeights};
use crate::random;

/// The most hidden units of a stage.
pub const MAX_UNITS: usize = 32;

/// A hidden layer and what stands on it.
#[derive(Debug, Clone)]
pub struct HiddenNetwork {
    /// The first of its units among all units; rows of features have a weight for each unit.
    pub first_unit: usize,
    /// The outputs on it.
    pub outputs: Vec<u32>,
    pub hidden: RealWeights,
    /// One regressor for each unit, over the constant input.
    pub biases: Dense,
    /// One regressor for each score, over the units and a constant.
    pub output_weights: Dense,
    pub clocks: [StepClock; 2],
}

/// The number of units under so many outputs.
pub fn n_units(per_output: usize, n_outputs: usize) -> usize {
    (per_output * n_outputs).min(MAX_UNITS)
}

impl HiddenNetwork {
    pub fn new<R: UpdateRule>(
        rule: R,
        min_count: u8,
        first_unit: usize,
        n_units: usize,
        outputs: Vec<u32>,
        seed: u64,
    ) -> HiddenNetwork {
        let stream = &mut random::stream(seed, "network", &[first_unit as u64]);
        let mut start = || random::unit(stream) as f32 - 0.5;
        let biases: Vec<f32> = (0..n_units).map(|_| start()).collect();
        let weights: Vec<f32> = (0..outputs.len() * (n_units + 1)).map(|_| start() / (n_units as f32).sqrt()).collect();
        HiddenNetwork {
            first_unit,
            outputs,
            hidden: RealWeights::new(false, R::KEPT, min_count),
            biases: Dense::new(rule, biases, 1),
            output_weights: Dense::new(rule, weights, n_units + 1),
            clocks: Default::default(),
        }
    }

    fn n_units(&self) -> usize {
        self.biases.weights.len()
    }

    /// The activations of the hidden units and a constant 1.
    pub fn activate(&self, features: &[u64], activations: &mut Vec<f32>) {
        activations.clear();
        activations.resize(self.first_unit + self.n_units(), 0.0);
        self.hidden.add_unrounded(features, activations);
        activations.drain(..self.first_unit);
        for (sum, bias) in activations.iter_mut().zip(&self.biases.weights) {
            *sum = HiddenLayer::activation(*sum + bias);
        }
        activations.push(1.0);
    }

    /// Scores, by output, from activations.
    pub fn score(&self, activations: &[f32], scores: &mut [f32]) {
        for (regressor, &output) in self.outputs.iter().enumerate() {
            scores[output as usize] = self.output_weights.predict(regressor, activations);
        }
    }

    /// Learns from the gradients of some scores.
    pub fn update<R: UpdateRule>(
        &mut self,
        rule: R,
        features: &[u64],
        activations: &[f32],
        gradient: &[(u32, f32)],
        scratch: &mut UpdateScratch,
    ) {
        let n_units = self.n_units();
        let mut behind = vec![0.0; n_units];
        self.clocks[1].count(activations.iter().map(|&h| f64::from(h * h)).sum());
        for &(output, gradient) in gradient.iter().filter(|(_, gradient)| *gradient != 0.0) {
            // Outputs of a stage are consecutive.
            let regressor = (output - self.outputs[0]) as usize;
            let weights = &self.output_weights.weights[regressor * (n_units + 1)..][..n_units];
            behind.iter_mut().zip(weights).for_each(|(behind, weight)| *behind += gradient * weight);
            self.output_weights.update(rule, &self.clocks[1], regressor, activations, gradient);
        }
        let behind: Vec<(u32, f32)> = behind
            .into_iter()
            .zip(activations)
            .enumerate()
            .map(|(unit, (behind, h))| ((self.first_unit + unit) as u32, behind * (1.0 - h * h)))
            .collect();
        update((rule, 0.0), &mut self.hidden, (&mut self.clocks[0], true), features, &behind, scratch);
        for (unit, &(_, gradient)) in behind.iter().enumerate() {
            self.biases.update(rule, &self.clocks[0], unit, &[1.0], gradient);
        }
    }

    /// The finished layer.
    pub fn layer(&self) -> HiddenLayer {
        HiddenLayer {
            first_unit: self.first_unit,
            biases: self.biases.weights.clone(),
            first_output: self.outputs[0] as usize,
            output_weights: self.output_weights.weights.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::learner::ftrl::Ftrl;
    use crate::linear::learner::rule::testing::assert_close;
    use crate::linear::learner::sgd::Sgd;

    /// One step on the loss Σ g_a s_a changes every weight by its rate times the slope of the loss, which is measured.
    #[test]
    fn errors_are_propagated_back() {
        let rule = Sgd { rate: 1e-3 };
        let mut network = HiddenNetwork::new(rule, 1, 4, 5, vec![7, 8, 9], 3);
        let features = [11, 22, 33];
        let mut scratch = UpdateScratch::default();
        scratch.outputs.set(4..9);
        network.hidden.update(&features, &mut scratch.outputs, |number, _, _| 0.1 * number as f32 - 0.15);
        let gradient = [(7, 0.5), (8, -1.25), (9, 2.0)];
        let loss = |network: &HiddenNetwork| {
            let (mut activations, mut scores) = (Vec::new(), [0.0; 10]);
            network.activate(&features, &mut activations);
            network.score(&activations, &mut scores);
            gradient.iter().map(|&(output, gradient)| gradient * scores[output as usize]).sum::<f32>()
        };
        // The slope by a change to one weight.
        let slope = |change: &dyn Fn(&mut HiddenNetwork, f32)| {
            let [below, above] = [-1e-2, 1e-2].map(|by| {
                let mut changed = network.clone();
                change(&mut changed, by);
                loss(&changed)
            });
            (above - below) / 2e-2
        };
        let mut learned = network.clone();
        let mut activations = Vec::new();
        network.activate(&features, &mut activations);
        learned.update(rule, &features, &activations, &gradient, &mut scratch);
        let assert_step = |before: f32, after: f32, slope: f32| {
            let step = -1e-3 * slope;
            assert!((after - before - step).abs() < 2e-5 + 0.02 * step.abs(), "{} instead of {step}", after - before);
            assert!(step != 0.0);
        };
        for i in 0..network.output_weights.weights.len() {
            let slope = slope(&|network, by| network.output_weights.weights[i] += by);
            assert_step(network.output_weights.weights[i], learned.output_weights.weights[i], slope);
        }
        for i in 0..5 {
            let slope_of_bias = slope(&|network, by| network.biases.weights[i] += by);
            assert_step(network.biases.weights[i], learned.biases.weights[i], slope_of_bias);
            for feature in features {
                let unit = 4 + i as u32;
                let slope = slope(&|network, by| {
                    let mut outputs = crate::linear::Outputs::default();
                    outputs.set([unit]);
                    network.hidden.update(&[feature], &mut outputs, |_, _, _| by);
                });
                assert_step(network.hidden.get(feature, unit), learned.hidden.get(feature, unit), slope);
            }
        }
    }

    /// Three examples by FTRL, by an independent implementation in another language, in double precision.
    #[test]
    fn golden() {
        let rule = Ftrl { rate: 0.5, beta: 1.0 };
        let mut network = HiddenNetwork::new(rule, 1, 0, 2, vec![0], 1);
        network.biases = Dense::new(rule, vec![0.1, -0.2], 1);
        network.output_weights = Dense::new(rule, vec![0.3, -0.4, 0.05], 3);
        let (mut activations, mut scratch) = (Vec::new(), UpdateScratch::default());
        let mut found = Vec::new();
        for (features, target) in [(&[5, 6][..], 1.0), (&[5], -0.5), (&[6], 0.25)] {
            let mut score = [0.0];
            network.activate(features, &mut activations);
            network.score(&activations, &mut score);
            network.update(rule, features, &activations, &[(0, 2.0 * (score[0] - target))], &mut scratch);
            found.push(score[0]);
        }
        assert_close(&found, &[0.158_851, 0.794_310, 0.157_438]);
        assert_close(&network.biases.weights, &[0.065_649, -0.180_819]);
        assert_close(&network.output_weights.weights, &[0.126_594, -0.253_231, 0.069_538]);
        let hidden = [(5, 0), (5, 1), (6, 0), (6, 1)].map(|(feature, unit)| network.hidden.get(feature, unit));
        assert_close(&hidden, &[-0.039_624, 0.028_138, 0.173_432, -0.208_157]);
    }

    #[test]
    fn units_are_as_many_as_actions_ask_for_up_to_a_limit() {
        assert_eq!([3, 4, 50].map(|n_outputs| n_units(5, n_outputs)), [15, 20, MAX_UNITS]);
    }
}
