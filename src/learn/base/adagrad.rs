//! AdaGrad (Duchi, Hazan & Singer 2011), by weight: G ← G + g²x², w ← w − η g x / (√G + ε).

use super::rule::{Clock, Rule};
use crate::model::State;

/// ε: small beside any gradient that is worth a step.
const EPSILON: f32 = 1e-6;

/// Adaptive gradient descent.
#[derive(Debug, Clone, Copy)]
pub struct AdaGrad {
    /// η.
    pub rate: f32,
}

impl Rule for AdaGrad {
    fn step(&self, _: &Clock, _: f32, _: f32) -> f32 {
        self.rate
    }

    #[inline]
    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, state: &mut State) -> f32 {
        let gradient = gradient * x;
        state.squares += gradient * gradient;
        -step * gradient / (state.squares.sqrt() + EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::base::rule::testing::{assert_close, regress};

    /// By hand, η = 0.1. Example 1: gradient −2, G = 4, both weights 0.1. Example 2: prediction 0.2, target −1, gradient
    /// 2.4 × 2 = 4.8, G = 27.04 = 5.2²: the first weight changes by −0.1 × 4.8 / 5.2 = −0.092308.
    #[test]
    fn golden() {
        let weights = regress(AdaGrad { rate: 0.1 }, 2, &[(&[(0, 1.0), (1, 1.0)], 1.0), (&[(0, 2.0)], -1.0)]);
        assert_close(&weights, &[0.007_692, 0.1]);
    }
}
