//! Steps of a fixed rate: w ← w − η g x, averaged at the end.
//!
//! With η = 1 this is the perceptron's and MIRA's rule: the objective has decided on the length of the gradient. With other
//! objectives it is averaged stochastic gradient descent (Polyak & Juditsky 1992), which needs no decay of its steps.

use super::rule::{Clock, Rule};
use crate::linear::State;

/// Changes by a part of the gradient.
#[derive(Debug, Clone, Copy)]
pub struct Fixed {
    /// η.
    pub rate: f32,
}

impl Rule for Fixed {
    const KEPT: usize = 0;

    fn step(&self, _: &Clock, _: f32, _: f32) -> f32 {
        self.rate
    }

    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, _: &mut State) -> f32 {
        -step * gradient * x
    }
}
