//! The perceptron's and MIRA's rule: weights change by the gradient itself, whose length the objective has decided.

use super::rule::{Clock, Rule};
use crate::model::State;

/// Changes by the gradient.
#[derive(Debug, Clone, Copy)]
pub struct Fixed;

impl Rule for Fixed {
    fn step(&self, _: &Clock, _: f32, _: f32) -> f32 {
        1.0
    }

    fn change(&self, _: f32, gradient: f32, x: f32, _: f32, _: &mut State) -> f32 {
        -gradient * x
    }
}
