//! Update rules: each learner is a rule for changing a weight by a gradient.

use super::Learner;
use crate::linear::WeightState;

/// The options of a learner, all resolved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerOptions {
    /// The learner; of a network, that of its layers.
    pub update: Learner,
    /// η of `sgd`, `sgd-plus` and `adagrad`, α of `ftrl`, C of `mira` and `svm`.
    pub rate: f32,
    /// β of `ftrl`.
    pub beta: f32,
    /// Hidden units for each action; 0 for a linear learner.
    pub hidden: usize,
    /// Features that come fewer times in the first pass are left out.
    pub min_count: u8,
    /// A weight begins with a gradient of at least this size.
    pub min_gradient: f32,
    /// λ of `sgd`: the loss has λ/2 times the squared norm of the weights added to it.
    pub l2: f32,
    /// True if an example is a sentence, as in global training, and not a decision: for `sgd` with λ, where time counts.
    pub by_sentence: bool,
    /// True if scores in fixed point are learned from, as in global training.
    pub in_fixed_point: bool,
}

impl LearnerOptions {
    /// The default options of `learner`.
    pub fn of(learner: Learner) -> LearnerOptions {
        let update = if learner == Learner::Nn { Learner::Ftrl } else { learner };
        let rate = match update {
            Learner::Perceptron | Learner::Mira | Learner::Nn => 1.0,
            Learner::Sgd | Learner::SgdPlus => 0.5,
            Learner::Adagrad | Learner::Svm => 0.1,
            Learner::Ftrl => 0.005,
            Learner::Adam => 0.001,
            Learner::Momentum => 0.05,
        };
        let (hidden, min_count) = if learner == Learner::Nn { (5, 2) } else { (0, 1) };
        LearnerOptions {
            update,
            rate,
            beta: 0.1,
            hidden,
            min_count,
            min_gradient: 0.0,
            l2: 0.0,
            by_sentence: false,
            in_fixed_point: false,
        }
    }
}

/// Clock of training: all that step sizes depend on beside a weight's own state.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct StepClock {
    /// Examples so far, this one included.
    pub examples: f64,
    /// The sum over these of their squared norms, of inputs each divided by the largest it has been.
    pub norms: f64,
}

impl StepClock {
    /// Counts an example of this squared norm.
    pub fn count(&mut self, norm: f64) {
        self.examples += 1.0;
        self.norms += norm;
    }
}

/// A rule for changing the weights of one regressor on one example. A gradient is that of the loss in the score; `x` is the
/// input that the weight is for.
pub trait UpdateRule: Copy {
    /// Number of values of a weight's [`WeightState`] kept from one change to the next: none, the first, or both.
    const KEPT: usize;
    /// True if [`UpdateRule::observe`] must see all weights before the first of them changes.
    const OBSERVES: bool = false;

    /// Looks at a weight before any changes, perhaps scaling it; its part of the example's norm.
    fn observe(&self, _gradient: f32, _x: f32, _weight: &mut f32, _state: &mut WeightState) -> f32 {
        0.0
    }

    /// Step size of the whole example, by the gradient and the norm.
    fn step(&self, clock: &StepClock, gradient: f32, norm: f32) -> f32;

    /// Increment of a weight.
    fn change(&self, step: f32, gradient: f32, x: f32, weight: f32, state: &mut WeightState) -> f32;

    /// Factor that turns the numbers stored in place of the weights into the weights after the examples so far, if they
    /// are not the weights themselves.
    fn factor(&self, _: &StepClock) -> Option<f32> {
        None
    }

    /// The state with which a weight starts at `weight`.
    fn starting_at(&self, _weight: f32) -> WeightState {
        WeightState::default()
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Weights of one regressor after squared-loss examples (inputs, target), by `rule`: what each learner's golden test
    /// runs. Predictions are not clipped.
    pub fn regress<R: UpdateRule>(rule: R, n: usize, examples: &[(&[(usize, f32)], f32)]) -> Vec<f32> {
        let mut weights = vec![0.0; n];
        let mut states = vec![WeightState::default(); n];
        let mut clock = StepClock::default();
        for (inputs, target) in examples {
            let prediction: f32 = inputs.iter().map(|&(i, x)| weights[i] * x).sum();
            let gradient = 2.0 * (prediction - target);
            let mut norm = 0.0;
            for &(i, x) in *inputs {
                norm += rule.observe(gradient, x, &mut weights[i], &mut states[i]);
            }
            let largest = |i: usize| if R::OBSERVES { states[i].second } else { 1.0 };
            clock.count(inputs.iter().map(|&(i, x)| f64::from(x / largest(i)).powi(2)).sum());
            let step = rule.step(&clock, gradient, norm);
            for &(i, x) in *inputs {
                weights[i] += rule.change(step, gradient, x, weights[i], &mut states[i]);
            }
        }
        weights
    }

    /// Compares to five digits.
    pub fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} instead of {expected}");
        }
    }
}
