//! The tensors of a network over the places of a configuration, and their initial numbers.

use super::encoder::EncoderShape;
use super::layout::Layout;
use super::lstm::Lstms as _;
use super::parameters::{Names, Parameters};
use super::stack_lstm;
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::files::Sections;
use crate::model::Network;
use crate::random;

/// Number of tensors.
pub const N_TENSORS: usize = N_COLUMNS + 15;

/// The tensors, in the order of their numbers: embeddings of columns; then those of labels, and so on.
static NAMES: Names = Names {
    all: &[
        "words",
        "tags",
        "prefixes",
        "suffixes",
        "shapes",
        "labels",
        "places",
        "label-places",
        "bias",
        "output",
        "output-bias",
        "encoder-inputs",
        "encoder-recurrent",
        "encoder-bias",
        "encoder-none",
        "tokens",
        "tokens-bias",
        "composition",
        "composition-bias",
        "actions",
    ],
    // Networks without an encoder have nothing to say of it.
    n_always: ENCODER_INPUTS,
};

/// Embeddings of labels; row 0 is no label. With stacks, of relations: by label, two for dependents to the right and to the left.
pub const LABELS: usize = N_COLUMNS;
/// By place, what multiplies the vector of a token: as many rows as that has numbers, of a column for each hidden unit.
pub const PLACES: usize = N_COLUMNS + 1;
/// By place of a label, the same for the embedding of a label.
pub const LABEL_PLACES: usize = N_COLUMNS + 2;
/// By hidden unit.
pub const BIAS: usize = N_COLUMNS + 3;
/// By hidden unit, a number for each output.
pub const OUTPUT: usize = N_COLUMNS + 4;
/// By output.
pub const OUTPUT_BIAS: usize = N_COLUMNS + 5;
/// Of the encoder, or the stacks, if there are any: see [`LstmWeights`](super::lstm::LstmWeights).
pub const ENCODER_INPUTS: usize = N_COLUMNS + 6;
/// See [`ENCODER_INPUTS`].
pub const ENCODER_RECURRENT: usize = N_COLUMNS + 7;
/// See [`ENCODER_INPUTS`].
pub const ENCODER_BIAS: usize = N_COLUMNS + 8;
/// Vector in place of no token where an encoder makes vectors of tokens.
pub const ENCODER_NONE: usize = N_COLUMNS + 9;

/// With stacks: what makes a vector of a token's embedding.
pub const TOKENS: usize = N_COLUMNS + 10;
/// See [`TOKENS`].
pub const TOKENS_BIAS: usize = N_COLUMNS + 11;
/// With stacks: what makes the vector of a tree, of those of the head, of the dependent and of their relation, one after the other.
pub const COMPOSITION: usize = N_COLUMNS + 12;
/// See [`COMPOSITION`].
pub const COMPOSITION_BIAS: usize = N_COLUMNS + 13;
/// With stacks: embeddings of actions.
pub const ACTIONS: usize = N_COLUMNS + 14;

/// The elements of each tensor, for so many labels and outputs.
fn lengths(layout: &Layout, labels: usize, n_outputs: usize) -> [usize; N_TENSORS] {
    let network = &layout.network;
    let Network { dimensions, label_dimension, hidden, .. } = network;
    let mut lengths = [0; N_TENSORS];
    let columns = lengths.iter_mut().zip(dimensions).enumerate();
    columns.for_each(|(column, (length, dimension))| *length = layout.vocabulary.len(column) * dimension);
    lengths[LABELS] = (labels + 1) * label_dimension;
    lengths[PLACES] = network.places.len() * network.vector_dimension() * hidden;
    lengths[LABEL_PLACES] = network.labels.len() * label_dimension * hidden;
    lengths[BIAS] = *hidden;
    lengths[OUTPUT] = hidden * n_outputs;
    lengths[OUTPUT_BIAS] = n_outputs;
    if let Some(shape) = EncoderShape::of(network) {
        lengths[ENCODER_INPUTS..ENCODER_NONE].copy_from_slice(&shape.lengths());
        lengths[ENCODER_NONE] = shape.outputs();
    }
    if let Some(shape) = stack_lstm::StackShape::of(network) {
        lengths[LABELS] = 2 * labels * label_dimension;
        lengths[ENCODER_INPUTS..ENCODER_NONE].copy_from_slice(&shape.lengths());
        lengths[TOKENS] = shape.embedding * shape.units;
        lengths[TOKENS_BIAS] = shape.units;
        lengths[COMPOSITION] = (2 * shape.units + shape.label) * shape.units;
        lengths[COMPOSITION_BIAS] = shape.units;
        lengths[ACTIONS] = n_outputs * shape.label;
    }
    lengths
}

/// Random parameters: embeddings between ±0.1; the first layer between ±1.5 √(6 / (inputs of a place + hidden units)); the output as
/// Glorot & Bengio (2010) draw it, and so the encoder's layers; biases of hidden units a little above 0, so that rectified ones have a slope.
pub fn initial_parameters(layout: &Layout, labels: usize, n_outputs: usize, seed: u64) -> Parameters {
    let network = &layout.network;
    let mut parameters = Parameters::zeros(&NAMES, &lengths(layout, labels, n_outputs));
    let hidden = network.hidden as f64;
    let layer = |inputs: usize, outputs: f64| (6.0 / (inputs as f64 + outputs)).sqrt();
    for (number, tensor) in parameters.tensors.iter_mut().enumerate() {
        let mut stream = random::stream(seed, "network", &[number as u64]);
        let bound = match number {
            PLACES => 1.5 * layer(network.vector_dimension(), hidden),
            LABEL_PLACES => 1.5 * layer(network.label_dimension, hidden),
            OUTPUT => layer(network.hidden, n_outputs as f64),
            BIAS => {
                tensor.fill(0.02);
                continue;
            }
            OUTPUT_BIAS | TOKENS_BIAS | COMPOSITION_BIAS => continue,
            TOKENS => layer(network.dimension(), network.vector_dimension() as f64),
            COMPOSITION => layer(tensor.len() / network.vector_dimension().max(1), network.vector_dimension() as f64),
            ENCODER_INPUTS..=ENCODER_BIAS => {
                if let Some(shape) = EncoderShape::of(network) {
                    shape.fill(number - ENCODER_INPUTS, tensor, stream);
                } else if let Some(shape) = stack_lstm::StackShape::of(network) {
                    shape.fill(number - ENCODER_INPUTS, tensor, stream);
                }
                continue;
            }
            _ => 0.1,
        };
        random::fill(tensor, bound, &mut stream);
    }
    parameters
}

/// The parameters in these sections.
///
/// # Errors
/// If they do not fit.
pub fn read(sections: &Sections, layout: &Layout, labels: usize, n_outputs: usize) -> Result<Parameters> {
    Parameters::from_sections(&NAMES, &lengths(layout, labels, n_outputs), sections)
}
