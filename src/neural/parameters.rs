//! The parameters of a network: some tensors, each row by row.

use crate::error::Result;
use crate::features::Vocabulary;
use crate::files::{Section, Sections};
use crate::model::{N_COLUMNS, Network};
use crate::random;

/// How many tensors there are.
pub const N_TENSORS: usize = N_COLUMNS + 6;

/// The tensors, in the order of their numbers: embeddings of columns; then those of labels, and so on.
const NAMES: [&str; N_TENSORS] = [
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
];

/// Embeddings of labels; row 0 is no label.
pub const LABELS: usize = N_COLUMNS;
/// By place, what multiplies the embedding of a token: as many rows as that has numbers, of a column for each hidden unit.
pub const PLACES: usize = N_COLUMNS + 1;
/// By place of a label, the same for the embedding of a label.
pub const LABEL_PLACES: usize = N_COLUMNS + 2;
/// By hidden unit.
pub const BIAS: usize = N_COLUMNS + 3;
/// By hidden unit, a number for each lane.
pub const OUTPUT: usize = N_COLUMNS + 4;
/// By lane.
pub const OUTPUT_BIAS: usize = N_COLUMNS + 5;

/// The sizes that tensors follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// By column: the numbers of values, that of unknown ones included.
    pub values: [usize; N_COLUMNS],
    /// Labels.
    pub labels: usize,
    /// Lanes of scores.
    pub lanes: usize,
}

impl Sizes {
    /// The sizes for this vocabulary, so many labels and so many lanes.
    pub fn new(vocabulary: &Vocabulary, labels: usize, lanes: usize) -> Sizes {
        Sizes { values: std::array::from_fn(|column| vocabulary.len(column)), labels, lanes }
    }

    /// The elements of each tensor.
    pub fn lengths(&self, network: &Network) -> [usize; N_TENSORS] {
        let Network { dimensions, label_dimension, hidden, .. } = network;
        let mut lengths = [0; N_TENSORS];
        for (length, (n, dimension)) in lengths.iter_mut().zip(self.values.iter().zip(dimensions)) {
            *length = n * dimension;
        }
        lengths[LABELS] = (self.labels + 1) * label_dimension;
        lengths[PLACES] = network.places.len() * network.dimension() * hidden;
        lengths[LABEL_PLACES] = network.labels.len() * label_dimension * hidden;
        lengths[BIAS] = *hidden;
        lengths[OUTPUT] = hidden * self.lanes;
        lengths[OUTPUT_BIAS] = self.lanes;
        lengths
    }
}

/// All parameters, or as many numbers about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// By number.
    pub tensors: [Vec<f32>; N_TENSORS],
}

impl Parameters {
    /// Zeros.
    pub fn zeros(network: &Network, sizes: &Sizes) -> Parameters {
        Parameters { tensors: sizes.lengths(network).map(|length| vec![0.0; length]) }
    }

    /// Random ones: embeddings between ±0.1; the first layer between ±1.5 √(6 / (inputs of a place + hidden units)); the output as
    /// Glorot & Bengio (2010) draw it; biases of hidden units a little above 0, so that these are awake.
    pub fn random(network: &Network, sizes: &Sizes, seed: u64) -> Parameters {
        let mut parameters = Parameters::zeros(network, sizes);
        let hidden = network.hidden as f64;
        let layer = |inputs: usize, outputs: f64| (6.0 / (inputs as f64 + outputs)).sqrt();
        for (number, tensor) in parameters.tensors.iter_mut().enumerate() {
            let bound = match number {
                PLACES => 1.5 * layer(network.dimension(), hidden),
                LABEL_PLACES => 1.5 * layer(network.label_dimension, hidden),
                OUTPUT => layer(network.hidden, sizes.lanes as f64),
                BIAS => {
                    tensor.fill(0.02);
                    continue;
                }
                OUTPUT_BIAS => continue,
                _ => 0.1,
            };
            let mut stream = random::stream(seed, "network", &[number as u64]);
            tensor.iter_mut().for_each(|w| *w = ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32);
        }
        parameters
    }

    /// The number of parameters.
    pub fn count(&self) -> usize {
        self.tensors.iter().map(Vec::len).sum()
    }

    /// The tensors as sections of a file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let named = NAMES.iter().zip(&self.tensors);
        named.map(|(name, tensor)| Section::new(*name, bytemuck::cast_slice::<f32, u8>(tensor))).collect()
    }

    /// The tensors in these sections.
    ///
    /// # Errors
    /// If one is missing or has another length.
    pub fn from_sections(sections: &Sections, network: &Network, sizes: &Sizes) -> Result<Parameters> {
        let mut parameters = Parameters { tensors: std::array::from_fn(|_| Vec::new()) };
        for ((name, tensor), length) in NAMES.iter().zip(&mut parameters.tensors).zip(sizes.lengths(network)) {
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
        Ok(parameters)
    }
}
