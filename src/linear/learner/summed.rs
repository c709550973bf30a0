//! Stochastic gradient descent with an L2 norm. Its weights are, after t examples, a number f(t) times the sum of all gradients, with its
//! sign turned: the weights of all features change with every example, though only the sums of its own are touched.
//!
//! f(t) = η / (1 + ηλt) is w ← (1 − η_t λ) w − η_t g with the rates η_t = η / (1 + ηλt) of Bottou (2012, section 5.2), of which 1 / (λt) of
//! Pegasos (Shalev-Shwartz, Singer & Srebro 2007) is the limit. This is seen by induction: 1 − λ f(t) = f(t) / f(t − 1).

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// Sums of gradients, from which weights are made.
#[derive(Debug, Clone, Copy)]
pub struct Summed {
    /// η.
    pub rate: f32,
    /// λ: the loss has λ/2 times the squared norm of the weights added to it.
    pub l2: f32,
}

impl UpdateRule for Summed {
    const KEPT: usize = 0;

    fn step(&self, _: &StepClock, _: f32, _: f32) -> f32 {
        1.0
    }

    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, _: &mut WeightState) -> f32 {
        -step * gradient * x
    }

    fn factor(&self, clock: &StepClock) -> Option<f32> {
        let (rate, l2, t) = (f64::from(self.rate), f64::from(self.l2), clock.examples.max(1.0));
        Some((rate / (1.0 + rate * l2 * t)) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights made of sums against the steps of the definition, one after the other.
    #[test]
    fn sums_are_what_stochastic_gradients_come_to() {
        let (rate, l2) = (0.5, 0.1);
        let rule = Summed { rate, l2 };
        let (mut clock, mut sum, mut weight) = (StepClock::default(), 0.0, 0.0);
        for (t, gradient) in (1..).zip([1.0, -0.5, 0.0, 2.0, -3.0, 0.25f32]) {
            clock.count(1.0);
            sum += rule.change(rule.step(&clock, gradient, 0.0), gradient, 1.0, sum, &mut WeightState::default());
            let step = rate / (1.0 + rate * l2 * t as f32);
            weight = (1.0 - step * l2) * weight - step * gradient;
            let found = rule.factor(&clock).unwrap() * sum;
            assert!((found - weight).abs() < 1e-6, "{found} instead of {weight} after {t}");
        }
    }
}
