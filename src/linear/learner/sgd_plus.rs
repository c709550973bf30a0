//! Stochastic gradient descent whose steps are adaptive, normalised and invariant to importance.
//!
//! By weight i: G_i is the sum of squared gradients (Duchi, Hazan & Singer 2011), N_i the largest input so far; when that
//! grows, the weight shrinks in proportion (Ross, Mineiro & Langford 2013). An input x_i has the rate r_i = 1 / (√G_i N_i), and
//! all have the factor f = √(examples / Σ (x_i / N_i)²), the sum being over all examples. With P = f Σ r_i x_i², the step on
//! a squared loss solves the differential equation of infinitely many infinitely small ones (Karampatziakis & Langford
//! 2011): u = (y − p) (1 − exp(−2ηP)) / P, and w_i ← w_i + u f r_i x_i.
//!
//! The gradient g of another loss is taken for that of a squared loss with the target p − g/2. In networks, which use this for
//! their hidden units, Vowpal Wabbit does the same.

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// Adaptive, normalised, importance-invariant stochastic gradient descent.
#[derive(Debug, Clone, Copy)]
pub struct SgdPlus {
    /// η.
    pub rate: f32,
}

impl UpdateRule for SgdPlus {
    const KEPT: usize = 2;

    const OBSERVES: bool = true;

    #[inline]
    fn observe(&self, gradient: f32, x: f32, weight: &mut f32, state: &mut WeightState) -> f32 {
        let size = x.abs();
        if size > state.second {
            if state.second > 0.0 {
                *weight *= state.second / size;
            }
            state.second = size;
        }
        state.squares += gradient * gradient * x * x;
        rate_of(state) * x * x
    }

    fn step(&self, clock: &StepClock, gradient: f32, norm: f32) -> f32 {
        if clock.norms == 0.0 || gradient == 0.0 {
            return 0.0;
        }
        let factor = (clock.examples / clock.norms).sqrt() as f32;
        let invariant = self.rate * norm * factor;
        // To the first order where the difference to 1 would be lost.
        let update = if invariant < 1e-6 {
            -gradient * self.rate
        } else {
            -gradient / 2.0 * -(-2.0 * invariant).exp_m1() / (norm * factor)
        };
        update * factor
    }

    #[inline]
    fn change(&self, step: f32, _: f32, x: f32, _: f32, state: &mut WeightState) -> f32 {
        step * rate_of(state) * x
    }
}

#[inline]
fn rate_of(state: &WeightState) -> f32 {
    let scale = state.squares.sqrt() * state.second;
    if scale > 0.0 { 1.0 / scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::learner::rule::testing::{assert_close, regress};

    /// By an independent implementation in another language, in double precision, of the formulas above, η = 0.5: the third
    /// example grows the largest input of the first weight.
    #[test]
    fn golden() {
        let examples: [(&[(usize, f32)], f32); 3] =
            [(&[(0, 1.0), (1, 1.0)], 1.0), (&[(0, 1.0)], -1.0), (&[(0, 2.0), (2, 0.5)], 0.5)];
        let expected =
            [[0.253_466, 0.253_466, 0.000_000], [-0.028_280, 0.253_466, 0.000_000], [0.053_034, 0.253_466, 0.471_187]];
        for n in 1..=3 {
            assert_close(&regress(SgdPlus { rate: 0.5 }, 3, &examples[..n]), &expected[n - 1]);
        }
    }
}
