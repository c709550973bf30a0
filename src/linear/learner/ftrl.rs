//! FTRL-proximal (McMahan et al. 2013) without L1 or L2 terms, by weight: for a gradient g,
//! σ = (√(n + g²) − √n) / α, z ← z + g − σw, n ← n + g², w = −z / ((β + √n) / α).
//!
//! Each weight so minimises the sum of all its linearised losses with proximal terms. Vowpal Wabbit's defaults were α =
//! 0.005, β = 0.1 when the figures of Chang et al. (2015) were made.

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// FTRL-proximal.
#[derive(Debug, Clone, Copy)]
pub struct Ftrl {
    /// α.
    pub rate: f32,
    /// β.
    pub beta: f32,
}

impl UpdateRule for Ftrl {
    const KEPT: usize = 2;

    fn step(&self, _: &StepClock, _: f32, _: f32) -> f32 {
        0.0
    }

    #[inline]
    fn change(&self, _: f32, gradient: f32, x: f32, weight: f32, state: &mut WeightState) -> f32 {
        let gradient = gradient * x;
        let (before, after) = (state.squares.sqrt(), (state.squares + gradient * gradient).sqrt());
        state.second += gradient - (after - before) / self.rate * weight;
        state.squares += gradient * gradient;
        -state.second * self.rate / (self.beta + after) - weight
    }

    fn starting_at(&self, weight: f32) -> WeightState {
        WeightState { second: -weight * self.beta / self.rate, ..WeightState::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::learner::rule::testing::{assert_close, regress};

    /// By hand, α = 0.5, β = 1. Example 1: gradient −2: σ irrelevant as w = 0, z = −2, n = 4, w = 2 × 0.5 / (1 + 2) = 1/3.
    /// Example 2: prediction 2/3, target −1, gradient 10/3 × 2 = 20/3: √(4 + 400/9) = √(436/9) = 6.960204, σ = 4.960204 / 0.5 =
    /// 9.920409, z = −2 + 6.666667 − 3.306803 = 1.359864, w = −1.359864 × 0.5 / 7.960204 = −0.085416.
    #[test]
    fn golden() {
        let weights = regress(Ftrl { rate: 0.5, beta: 1.0 }, 2, &[(&[(0, 1.0), (1, 1.0)], 1.0), (&[(0, 2.0)], -1.0)]);
        assert_close(&weights, &[-0.085_416, 0.333_333]);
    }

    #[test]
    fn a_weight_starts_where_it_is_said_to() {
        let rule = Ftrl { rate: 0.005, beta: 0.1 };
        let mut state = rule.starting_at(0.3);
        assert!(rule.change(0.0, 0.0, 1.0, 0.3, &mut state).abs() < 1e-6);
    }
}
