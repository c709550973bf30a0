//! AdaGrad (Duchi, Hazan & Singer 2011), by weight: G ← G + g²x², w ← w − η g x / √G. G starts at 1.

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// Initial value of G. PERF: with 0 (and ε = 10⁻⁶ under the fraction), a feature's first step is as long as any can be,
/// and rare features are learned by heart: on 1,500 sentences of English-EWT the labelled attachment score on the
/// development data is 77.1 instead of 78.6 after 8 iterations (arc-eager, zn11, softmax).
const START: f32 = 1.0;

/// Adaptive gradient descent.
#[derive(Debug, Clone, Copy)]
pub struct AdaGrad {
    /// η.
    pub rate: f32,
}

impl UpdateRule for AdaGrad {
    const KEPT: usize = 1;

    fn step(&self, _: &StepClock, _: f32, _: f32) -> f32 {
        self.rate
    }

    #[inline]
    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, state: &mut WeightState) -> f32 {
        let gradient = gradient * x;
        state.squares += gradient * gradient;
        -step * gradient / (START + state.squares).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::learner::rule::testing::{assert_close, regress};

    /// By hand, η = 0.1. Example 1: gradient −2, G = 5, both weights 0.2 / √5 = 0.089443. Example 2: prediction 0.178885,
    /// target −1, gradient 2.357771 × 2 = 4.715542, G = 27.236334: the first weight changes by −0.4715542 / 5.218844 =
    /// −0.090356.
    #[test]
    fn golden() {
        let weights = regress(AdaGrad { rate: 0.1 }, 2, &[(&[(0, 1.0), (1, 1.0)], 1.0), (&[(0, 2.0)], -1.0)]);
        assert_close(&weights, &[-0.000_913, 0.089_443]);
    }
}
