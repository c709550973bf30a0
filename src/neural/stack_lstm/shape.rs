//! The sizes of stack LSTMs.

use crate::model::{Lstm, Network};
use crate::neural::lstm::{LstmWeights, Lstms};

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
pub struct StackShape {
    /// Layers, one upon the other.
    pub layers: usize,
    /// The numbers in the output of a layer, and those in the vector of a token or a tree.
    pub units: usize,
    /// The numbers in the embedding of a token.
    pub embedding: usize,
    /// The numbers in the embedding of a relation or an action.
    pub label: usize,
}

impl StackShape {
    /// The sizes of a network's stacks, if it has some.
    pub fn of(network: &Network) -> Option<StackShape> {
        let Lstm { layers, units } = network.stacks?;
        Some(StackShape { layers, units, embedding: network.dimension(), label: network.label_dimension })
    }

    /// Number of inputs of a layer of a sequence besides its last output.
    pub fn inputs_of(&self, sequence: usize, layer: usize) -> usize {
        if sequence == HISTORY && layer == 0 { self.label } else { self.units }
    }

    /// The parameters of one layer of a sequence.
    pub fn part<'p>(&self, weights: LstmWeights<'p>, sequence: usize, layer: usize) -> LstmWeights<'p> {
        self.lstm(weights, sequence * self.layers + layer)
    }
}

impl Lstms for StackShape {
    fn units(&self) -> usize {
        self.units
    }

    /// By sequence and, within it, by layer.
    fn inputs(&self) -> impl Iterator<Item = usize> {
        let shape = *self;
        (0..N_SEQUENCES * self.layers).map(move |number| shape.inputs_of(number / shape.layers, number % shape.layers))
    }
}
