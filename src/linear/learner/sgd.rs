//! Stochastic gradient descent: w ← w − η t^-½ g x on example t.

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// Stochastic gradient descent.
#[derive(Debug, Clone, Copy)]
pub struct Sgd {
    /// η.
    pub rate: f32,
}

impl UpdateRule for Sgd {
    const KEPT: usize = 0;

    fn step(&self, clock: &StepClock, _: f32, _: f32) -> f32 {
        self.rate / clock.examples.sqrt() as f32
    }

    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, _: &mut WeightState) -> f32 {
        -step * gradient * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::learner::rule::testing::{assert_close, regress};

    /// By hand, η = 0.1. Example 1: prediction 0, target 1, gradient −2: both weights 0.2. Example 2: prediction 0.2 × 2 =
    /// 0.4, target −1, gradient 2.8, step 0.1 / √2: the first weight changes by −0.070711 × 2.8 × 2 = −0.395980.
    #[test]
    fn golden() {
        let weights = regress(Sgd { rate: 0.1 }, 2, &[(&[(0, 1.0), (1, 1.0)], 1.0), (&[(0, 2.0)], -1.0)]);
        assert_close(&weights, &[-0.195_980, 0.2]);
    }
}
