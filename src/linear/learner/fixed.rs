//! Steps of the length that the objective has decided on: w ← w − g x, averaged at the end. This is the perceptron's and MIRA's rule.

use super::rule::{StepClock, UpdateRule};
use crate::linear::WeightState;

/// Changes by the gradient.
#[derive(Debug, Clone, Copy)]
pub struct Fixed;

impl UpdateRule for Fixed {
    const KEPT: usize = 0;

    fn step(&self, _: &StepClock, _: f32, _: f32) -> f32 {
        1.0
    }

    fn change(&self, step: f32, gradient: f32, x: f32, _: f32, _: &mut WeightState) -> f32 {
        -step * gradient * x
    }
}
