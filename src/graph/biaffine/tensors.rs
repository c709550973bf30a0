//! The tensors of a biaffine network, and their initial numbers.

use super::BiaffineNetwork;
use super::layout::BiaffineLayout;
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::files::Sections;
use crate::neural::lstm::Lstms as _;
use crate::neural::parameters::{Names, Parameters};
use crate::random;

/// Number of tensors.
pub const N_TENSORS: usize = N_COLUMNS + 11;

/// The tensors, in the order of their numbers: embeddings of columns, then the others.
pub static NAMES: Names = Names {
    all: &[
        "words",
        "tags",
        "prefixes",
        "suffixes",
        "shapes",
        "encoder-inputs",
        "encoder-recurrent",
        "encoder-bias",
        "units",
        "units-bias",
        "arcs",
        "arcs-heads",
        "labels",
        "labels-heads",
        "labels-dependents",
        "labels-bias",
    ],
    n_always: N_TENSORS,
};

/// Of the encoder: see [`LstmWeights`](crate::neural::lstm::LstmWeights).
pub const ENCODER: usize = N_COLUMNS;
/// W of the four kinds of units side by side: a row for each number of a vector.
pub const UNITS: usize = N_COLUMNS + 3;
/// b of the same.
pub const UNITS_BIAS: usize = N_COLUMNS + 4;
/// U: a row for each unit of a dependent, a column for each of a head.
pub const ARCS: usize = N_COLUMNS + 5;
/// u: by unit of a head.
pub const ARCS_HEADS: usize = N_COLUMNS + 6;
/// V: a row for each unit of a dependent; in it, by unit of a head, a number for each output.
pub const LABELS: usize = N_COLUMNS + 7;
/// w: by unit of a head, a number for each output.
pub const LABELS_HEADS: usize = N_COLUMNS + 8;
/// x: by unit of a dependent, a number for each output.
pub const LABELS_DEPENDENTS: usize = N_COLUMNS + 9;
/// b: by output.
pub const LABELS_BIAS: usize = N_COLUMNS + 10;

/// The elements of each tensor.
fn lengths(layout: &BiaffineLayout) -> [usize; N_TENSORS] {
    let (network, shape, n_outputs) = (&layout.network, layout.network.shape(), layout.n_outputs());
    let BiaffineNetwork { arc_units, label_units, .. } = *network;
    let mut lengths = [0; N_TENSORS];
    let columns = lengths.iter_mut().zip(network.dimensions).enumerate();
    columns.for_each(|(column, (length, dimension))| *length = layout.vocabulary.len(column) * dimension);
    lengths[ENCODER..UNITS].copy_from_slice(&shape.lengths());
    lengths[UNITS] = shape.outputs() * network.width();
    lengths[UNITS_BIAS] = network.width();
    lengths[ARCS] = arc_units * arc_units;
    lengths[ARCS_HEADS] = arc_units;
    lengths[LABELS] = label_units * label_units * n_outputs;
    lengths[LABELS_HEADS] = label_units * n_outputs;
    lengths[LABELS_DEPENDENTS] = label_units * n_outputs;
    lengths[LABELS_BIAS] = n_outputs;
    lengths
}

/// Random parameters: embeddings between ±0.1, layers as Glorot & Bengio (2010) draw them, forget gates at 1. The forms over heads and
/// dependents begin at 0, so that all trees are equally probable at first.
pub fn random(layout: &BiaffineLayout, seed: u64) -> Parameters {
    let mut parameters = Parameters::zeros(&NAMES, &lengths(layout));
    let shape = layout.network.shape();
    for (number, tensor) in parameters.tensors.iter_mut().enumerate() {
        let mut stream = random::stream(seed, "biaffine", &[number as u64]);
        match number {
            0..N_COLUMNS => random::fill(tensor, 0.1, &mut stream),
            ENCODER..UNITS => shape.fill(number - ENCODER, tensor, stream),
            UNITS => {
                let bound = (6.0 / (shape.outputs() + layout.network.arc_units) as f64).sqrt();
                random::fill(tensor, bound, &mut stream);
            }
            _ => {}
        }
    }
    parameters
}

/// The parameters in these sections.
///
/// # Errors
/// If they do not fit.
pub fn read(sections: &Sections, layout: &BiaffineLayout) -> Result<Parameters> {
    Parameters::from_sections(&NAMES, &lengths(layout), sections)
}
