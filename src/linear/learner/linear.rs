//! Regressors that are linear in the features, all of one stage, and the layers of networks.

use super::rule::{StepClock, UpdateRule};
use crate::linear::{Outputs, RealWeights, WeightState};

/// Scratch memory of updates.
#[derive(Debug, Clone, Default)]
pub struct UpdateScratch {
    pub outputs: Outputs,
    /// By index of an output in the example.
    gradients: Vec<f32>,
    norms: Vec<f32>,
    steps: Vec<f32>,
}

/// Changes the weights of all `features`, whose inputs are 1, for the outputs that have a `gradient`. Weights that there are not
/// yet begin if it is at least as large as `min_gradient`. Counts an example, if it is one.
pub fn update<R: UpdateRule>(
    (rule, min_gradient): (R, f32),
    weights: &mut RealWeights,
    (clock, is_example): (&mut StepClock, bool),
    features: &[u64],
    gradient: &[(u32, f32)],
    scratch: &mut UpdateScratch,
) {
    if is_example {
        count(rule, weights, clock, features.len() as f64);
    }
    let UpdateScratch { outputs, gradients, norms, steps } = scratch;
    let moving = || gradient.iter().filter(|&&(_, gradient)| gradient != 0.0);
    outputs.set(moving().map(|&(output, _)| output));
    gradients.clear();
    gradients.extend(moving().map(|&(_, gradient)| gradient));
    if gradients.is_empty() {
        return;
    }
    if min_gradient > 0.0 {
        outputs.set_beginning(gradients.iter().map(|gradient| gradient.abs() >= min_gradient));
    }
    norms.clear();
    norms.resize(gradients.len(), 0.0);
    if R::OBSERVES {
        weights.update(features, outputs, |number, weight, state| {
            let mut scaled = weight;
            norms[number] += rule.observe(gradients[number], 1.0, &mut scaled, state);
            scaled - weight
        });
    }
    steps.clear();
    steps.extend(gradients.iter().zip(&*norms).map(|(&gradient, &norm)| rule.step(clock, gradient, norm)));
    weights.update(features, outputs, |number, weight, state| {
        rule.change(steps[number], gradients[number], 1.0, weight, state)
    });
}

/// Counts an example of this squared norm.
pub fn count<R: UpdateRule>(rule: R, weights: &mut RealWeights, clock: &mut StepClock, norm: f64) {
    clock.count(norm);
    if let Some(factor) = rule.factor(clock) {
        weights.set_factor(factor);
    }
}

/// Weights of real-valued inputs that are always there: the output layer of a network, its biases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dense {
    /// By regressor and input.
    pub weights: Vec<f32>,
    /// Their states.
    pub states: Vec<WeightState>,
    /// The number of inputs.
    pub n_inputs: usize,
}

impl Dense {
    /// Regressors over `n_inputs` with these weights.
    pub fn new<R: UpdateRule>(rule: R, weights: Vec<f32>, n_inputs: usize) -> Dense {
        let states = weights.iter().map(|&weight| rule.starting_at(weight)).collect();
        Dense { weights, states, n_inputs }
    }

    /// The prediction of a regressor.
    pub fn predict(&self, regressor: usize, inputs: &[f32]) -> f32 {
        let weights = &self.weights[regressor * self.n_inputs..][..self.n_inputs];
        weights.iter().zip(inputs).map(|(weight, x)| weight * x).sum()
    }

    /// Changes the weights of one regressor. Counting the example is the caller's business.
    pub fn update<R: UpdateRule>(
        &mut self,
        rule: R,
        clock: &StepClock,
        regressor: usize,
        inputs: &[f32],
        gradient: f32,
    ) {
        let range = regressor * self.n_inputs..(regressor + 1) * self.n_inputs;
        let (weights, states) = (&mut self.weights[range.clone()], &mut self.states[range]);
        let mut norm = 0.0;
        for ((weight, state), &x) in weights.iter_mut().zip(&mut *states).zip(inputs) {
            norm += rule.observe(gradient, x, weight, state);
        }
        let step = rule.step(clock, gradient, norm);
        for ((weight, state), &x) in weights.iter_mut().zip(states).zip(inputs) {
            *weight += rule.change(step, gradient, x, *weight, state);
        }
    }
}
