//! The sizes of stack LSTMs, and what follows from their parameters.

use crate::model::{Lstm, Network};
use crate::neural::kernel::{Operand, multiply};
use crate::neural::lstm::{Lstms, Weights};
use crate::neural::parameters::Parameters;
use crate::neural::tensors::{ACTIONS, COMPOSITION, COMPOSITION_BIAS, ENCODER_INPUTS, LABELS};

/// Number of sequences that are read.
pub const N_SEQUENCES: usize = 3;
/// The stack, from the bottom up.
pub const STACK: usize = 0;
/// The buffer, from its end to the front.
pub const BUFFER: usize = 1;
/// The actions so far.
pub const HISTORY: usize = 2;

/// The sizes of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Layers, one upon the other.
    pub layers: usize,
    /// The numbers in the output of a layer, and those in the vector of a token or a tree.
    pub units: usize,
    /// The numbers in the embedding of a token.
    pub embedding: usize,
    /// The numbers in the embedding of a relation or an action.
    pub label: usize,
}

impl Shape {
    /// The sizes of a network's stacks, if it has some.
    pub fn of(network: &Network) -> Option<Shape> {
        let Lstm { layers, units } = network.stacks?;
        Some(Shape { layers, units, embedding: network.dimension(), label: network.label_dimension })
    }

    /// Number of inputs of a layer of a sequence besides its last output.
    pub fn inputs_of(&self, sequence: usize, layer: usize) -> usize {
        if sequence == HISTORY && layer == 0 { self.label } else { self.units }
    }

    /// The parameters of one layer of a sequence.
    pub fn part<'p>(&self, weights: Weights<'p>, sequence: usize, layer: usize) -> Weights<'p> {
        self.lstm(weights, sequence * self.layers + layer)
    }
}

impl Lstms for Shape {
    fn units(&self) -> usize {
        self.units
    }

    /// By sequence and, within it, by layer.
    fn inputs(&self) -> impl Iterator<Item = usize> {
        let shape = *self;
        (0..N_SEQUENCES * self.layers).map(move |number| shape.inputs_of(number / shape.layers, number % shape.layers))
    }
}

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
    pub fn new(shape: Shape, parameters: &Parameters) -> StackDerived {
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
