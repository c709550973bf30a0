//! The numbers that are learned: some tensors, each row by row.

use super::BiaffineNetwork;
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::features::Vocabulary;
use crate::files::{Section, Sections};
use crate::neural::encoder::{Weights, fill};
use crate::random;

/// Number of tensors.
pub const N_TENSORS: usize = N_COLUMNS + 11;

/// The tensors, in the order of their numbers: embeddings of columns, then the others.
pub const NAMES: [&str; N_TENSORS] = [
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
];

/// Of the encoder: see [`Weights`].
pub const ENCODER: usize = N_COLUMNS;
/// W of the four kinds of units side by side: a row for each number of a vector.
pub const UNITS: usize = N_COLUMNS + 3;
/// b of the same.
pub const UNITS_BIAS: usize = N_COLUMNS + 4;
/// U: a row for each unit of a dependent, a column for each of a head.
pub const ARCS: usize = N_COLUMNS + 5;
/// u: by unit of a head.
pub const ARCS_HEADS: usize = N_COLUMNS + 6;
/// V: a row for each unit of a dependent; in it, by unit of a head, a number for each lane.
pub const LABELS: usize = N_COLUMNS + 7;
/// w: by unit of a head, a number for each lane.
pub const LABELS_HEADS: usize = N_COLUMNS + 8;
/// x: by unit of a dependent, a number for each lane.
pub const LABELS_DEPENDENTS: usize = N_COLUMNS + 9;
/// b: by lane.
pub const LABELS_BIAS: usize = N_COLUMNS + 10;

/// The sizes that lengths of tensors follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// By column: the numbers of values, that of unknown ones included.
    pub values: [usize; N_COLUMNS],
    /// Lanes of labels, a whole number of vectors.
    pub lanes: usize,
}

impl Sizes {
    /// The sizes for this vocabulary and so many labels.
    pub fn new(vocabulary: &Vocabulary, n_labels: usize) -> Sizes {
        let values = std::array::from_fn(|column| vocabulary.len(column));
        Sizes { values, lanes: n_labels.max(1).next_multiple_of(16) }
    }

    /// The elements of each tensor.
    pub fn lengths(&self, network: &BiaffineNetwork) -> [usize; N_TENSORS] {
        let BiaffineNetwork { arc_units, label_units, .. } = *network;
        let shape = network.shape();
        let mut lengths = [0; N_TENSORS];
        for (length, (n, dimension)) in lengths.iter_mut().zip(self.values.iter().zip(network.dimensions)) {
            *length = n * dimension;
        }
        lengths[ENCODER..UNITS].copy_from_slice(&shape.lengths());
        lengths[UNITS] = shape.outputs() * network.width();
        lengths[UNITS_BIAS] = network.width();
        lengths[ARCS] = arc_units * arc_units;
        lengths[ARCS_HEADS] = arc_units;
        lengths[LABELS] = label_units * label_units * self.lanes;
        lengths[LABELS_HEADS] = label_units * self.lanes;
        lengths[LABELS_DEPENDENTS] = label_units * self.lanes;
        lengths[LABELS_BIAS] = self.lanes;
        lengths
    }
}

/// All of them, or as many numbers about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensors(pub [Vec<f32>; N_TENSORS]);

impl Tensors {
    /// Zeros.
    pub fn zeros(network: &BiaffineNetwork, sizes: &Sizes) -> Tensors {
        Tensors(sizes.lengths(network).map(|length| vec![0.0; length]))
    }

    /// Random ones: embeddings between ±0.1, layers as Glorot & Bengio (2010) draw them, forget gates at 1. The forms over heads and
    /// dependents begin at 0, so that all trees are equally probable at first.
    pub fn random(network: &BiaffineNetwork, sizes: &Sizes, seed: u64) -> Tensors {
        let mut tensors = Tensors::zeros(network, sizes);
        let shape = network.shape();
        for (number, tensor) in tensors.0.iter_mut().enumerate() {
            let mut stream = random::stream(seed, "biaffine", &[number as u64]);
            let bound = match number {
                0..N_COLUMNS => 0.1,
                ENCODER..UNITS => {
                    fill(shape, number - ENCODER, tensor, stream);
                    continue;
                }
                UNITS => (6.0 / (shape.outputs() + network.arc_units) as f64).sqrt(),
                _ => continue,
            };
            tensor.iter_mut().for_each(|w| *w = ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32);
        }
        tensors
    }

    /// The encoder's.
    pub fn encoder(&self) -> Weights<'_> {
        let [inputs, recurrent, bias] = [0, 1, 2].map(|number| &self.0[ENCODER + number][..]);
        Weights { inputs, recurrent, bias }
    }

    /// Number of parameters.
    pub fn count(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// True if all are numbers.
    pub fn are_finite(&self) -> bool {
        self.0.iter().flatten().all(|number| number.is_finite())
    }

    /// The tensors as sections of a file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let section = |(name, tensor): (&&str, _)| Section::new(*name, bytemuck::cast_slice::<f32, u8>(tensor));
        NAMES.iter().zip(&self.0).map(|(name, tensor)| section((name, tensor))).collect()
    }

    /// The tensors in these sections.
    ///
    /// # Errors
    /// If one is missing, has another length or holds what is no number.
    pub fn from_sections(sections: &Sections, network: &BiaffineNetwork, sizes: &Sizes) -> Result<Tensors> {
        let mut tensors = Tensors(std::array::from_fn(|_| Vec::new()));
        for ((name, tensor), length) in NAMES.iter().zip(&mut tensors.0).zip(sizes.lengths(network)) {
            let found = sections.numbers::<f32>(name)?;
            if found.len() != length {
                let found = found.len();
                return Err(sections.damaged(&format!("the network's {name} are {found} numbers; expected {length}")));
            }
            if !found.iter().all(|number| number.is_finite()) {
                return Err(sections.damaged(&format!("one of the network's {name} is no number")));
            }
            tensor.extend_from_slice(&found);
        }
        Ok(tensors)
    }
}
