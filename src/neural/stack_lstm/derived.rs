//! Tensors derived from the parameters of stack LSTMs.

use super::shape::{HISTORY, StackShape};
use crate::neural::kernel::{Operand, multiply};
use crate::neural::parameters::Parameters;
use crate::neural::tensors::{ACTIONS, COMPOSITION, COMPOSITION_BIAS, ENCODER_INPUTS, LABELS};

/// Values that follow from the parameters of stacks, computed once whenever these change.
#[derive(Debug, Clone, Default)]
pub struct StackDerived {
    /// By action: what its embedding adds to the gates of the history's first layer, with their biases.
    pub actions: Vec<f32>,
    /// By relation: what its embedding adds to the sums of a composition, with their biases.
    pub relations: Vec<f32>,
}

impl StackDerived {
    /// Derives the values of these parameters.
    pub fn new(shape: StackShape, parameters: &Parameters) -> StackDerived {
        let history = shape.part(parameters.lstms(ENCODER_INPUTS), HISTORY, 0);
        let weights = &parameters.tensors[COMPOSITION][2 * shape.units * shape.units..];
        StackDerived {
            actions: products(&parameters.tensors[ACTIONS], history.inputs, history.bias, shape.label),
            relations: products(
                &parameters.tensors[LABELS],
                weights,
                &parameters.tensors[COMPOSITION_BIAS],
                shape.label,
            ),
        }
    }
}

/// By row of `width` numbers: its product with the weights, added to the bias.
pub fn products(rows: &[f32], weights: &[f32], bias: &[f32], width: usize) -> Vec<f32> {
    let n = rows.len() / width;
    let mut sums = bias.repeat(n);
    multiply(Operand::rows(rows, width), weights, &mut sums, (n, width, bias.len()));
    sums
}
