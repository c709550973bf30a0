//! The sizes of stack LSTMs, and what follows from their parameters.

use crate::model::{Lstm, Network};
use crate::neural::encoder::Weights;
use crate::neural::kernel::{Operand, multiply};
use crate::neural::parameters::{ACTIONS, COMPOSITION, COMPOSITION_BIAS, LABELS, Parameters};
use crate::random::{self, Xoshiro256PlusPlus};

/// Number of sequences that are read.
pub const N_STRANDS: usize = 3;
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
    /// The numbers that a layer gives on, and those in the vector of a token or a tree.
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

    /// Number of inputs of a layer of a strand besides its last output.
    pub fn inputs_of(&self, strand: usize, layer: usize) -> usize {
        if strand == HISTORY && layer == 0 { self.label } else { self.units }
    }

    /// The same of all layers of all strands.
    pub fn inputs(self) -> impl Iterator<Item = usize> {
        (0..N_STRANDS * self.layers).map(move |part| self.inputs_of(part / self.layers, part % self.layers))
    }

    /// The lengths of the tensors in [`Weights`]: by strand and, within it, by layer.
    pub fn lengths(&self) -> [usize; 3] {
        let (gates, parts) = (4 * self.units, N_STRANDS * self.layers);
        [self.inputs().sum::<usize>() * gates, parts * self.units * gates, parts * gates]
    }

    /// Fills one of the tensors of [`Weights`], by number, as an encoder's is filled: at random, but with biases of 0, and of 1 for
    /// forget gates.
    pub fn fill(self, number: usize, tensor: &mut [f32], mut stream: Xoshiro256PlusPlus) {
        let (units, gates) = (self.units, 4 * self.units);
        if number == 2 {
            tensor.chunks_exact_mut(gates).for_each(|bias| bias[units..2 * units].fill(1.0));
            return;
        }
        let mut rest = tensor;
        for inputs in self.inputs() {
            let inputs = if number == 0 { inputs } else { units };
            let bound = (6.0 / (inputs + units) as f64).sqrt();
            let (part, after) = rest.split_at_mut(inputs * gates);
            part.iter_mut().for_each(|w| *w = ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32);
            rest = after;
        }
    }

    /// The parameters of one layer of a strand.
    pub fn part<'p>(&self, weights: Weights<'p>, strand: usize, layer: usize) -> Weights<'p> {
        let (gates, number) = (4 * self.units, strand * self.layers + layer);
        let before: usize = self.inputs().take(number).sum();
        Weights {
            inputs: &weights.inputs[before * gates..][..self.inputs_of(strand, layer) * gates],
            recurrent: &weights.recurrent[number * self.units * gates..][..self.units * gates],
            bias: &weights.bias[number * gates..][..gates],
        }
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
        let history = shape.part(parameters.encoder(), HISTORY, 0);
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
