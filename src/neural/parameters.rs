//! The parameters of a network: some tensors, each row by row.

use super::encoder::{Shape, Weights, fill};
use super::stack_lstm;
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::features::Vocabulary;
use crate::files::{Section, Sections};
use crate::model::Network;
use crate::random;

/// Number of tensors.
pub const N_TENSORS: usize = N_COLUMNS + 15;

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
    "encoder-inputs",
    "encoder-recurrent",
    "encoder-bias",
    "encoder-none",
    "tokens",
    "tokens-bias",
    "composition",
    "composition-bias",
    "actions",
];

/// By tensor, what a whole number stands for, where tensors are such.
const STEPS: &str = "steps";

/// Embeddings of labels; row 0 is no label. With stacks, of relations: by label, two for dependents to the right and to the left.
pub const LABELS: usize = N_COLUMNS;
/// By place, what multiplies the vector of a token: as many rows as that has numbers, of a column for each hidden unit.
pub const PLACES: usize = N_COLUMNS + 1;
/// By place of a label, the same for the embedding of a label.
pub const LABEL_PLACES: usize = N_COLUMNS + 2;
/// By hidden unit.
pub const BIAS: usize = N_COLUMNS + 3;
/// By hidden unit, a number for each lane.
pub const OUTPUT: usize = N_COLUMNS + 4;
/// By lane.
pub const OUTPUT_BIAS: usize = N_COLUMNS + 5;
/// Of the encoder, or the stacks, if there are any: see [`Weights`].
pub const ENCODER_INPUTS: usize = N_COLUMNS + 6;
/// See [`Weights`].
pub const ENCODER_RECURRENT: usize = N_COLUMNS + 7;
/// See [`Weights`].
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
        lengths[PLACES] = network.places.len() * network.vector_dimension() * hidden;
        lengths[LABEL_PLACES] = network.labels.len() * label_dimension * hidden;
        lengths[BIAS] = *hidden;
        lengths[OUTPUT] = hidden * self.lanes;
        lengths[OUTPUT_BIAS] = self.lanes;
        if let Some(shape) = Shape::of(network) {
            lengths[ENCODER_INPUTS..ENCODER_NONE].copy_from_slice(&shape.lengths());
            lengths[ENCODER_NONE] = shape.outputs();
        }
        if let Some(shape) = stack_lstm::Shape::of(network) {
            lengths[LABELS] = 2 * self.labels * label_dimension;
            lengths[ENCODER_INPUTS..ENCODER_NONE].copy_from_slice(&shape.lengths());
            lengths[TOKENS] = shape.embedding * shape.units;
            lengths[TOKENS_BIAS] = shape.units;
            lengths[COMPOSITION] = (2 * shape.units + shape.label) * shape.units;
            lengths[COMPOSITION_BIAS] = shape.units;
            lengths[ACTIONS] = self.lanes * shape.label;
        }
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
    /// Glorot & Bengio (2010) draw it, and so the encoder's layers; biases of hidden units a little above 0, so that these are awake;
    /// those of forget gates at 1, so that memories are kept at first (Jozefowicz, Zaremba & Sutskever 2015).
    pub fn random(network: &Network, sizes: &Sizes, seed: u64) -> Parameters {
        let mut parameters = Parameters::zeros(network, sizes);
        let hidden = network.hidden as f64;
        let layer = |inputs: usize, outputs: f64| (6.0 / (inputs as f64 + outputs)).sqrt();
        for (number, tensor) in parameters.tensors.iter_mut().enumerate() {
            let bound = match number {
                PLACES => 1.5 * layer(network.vector_dimension(), hidden),
                LABEL_PLACES => 1.5 * layer(network.label_dimension, hidden),
                OUTPUT => layer(network.hidden, sizes.lanes as f64),
                BIAS => {
                    tensor.fill(0.02);
                    continue;
                }
                OUTPUT_BIAS | TOKENS_BIAS | COMPOSITION_BIAS => continue,
                TOKENS => layer(network.dimension(), network.vector_dimension() as f64),
                COMPOSITION => {
                    layer(tensor.len() / network.vector_dimension().max(1), network.vector_dimension() as f64)
                }
                ENCODER_INPUTS..=ENCODER_BIAS => {
                    let stream = random::stream(seed, "network", &[number as u64]);
                    if let Some(shape) = Shape::of(network) {
                        fill(shape, number - ENCODER_INPUTS, tensor, stream);
                    } else if let Some(shape) = stack_lstm::Shape::of(network) {
                        shape.fill(number - ENCODER_INPUTS, tensor, stream);
                    }
                    continue;
                }
                _ => 0.1,
            };
            let mut stream = random::stream(seed, "network", &[number as u64]);
            tensor.iter_mut().for_each(|w| *w = ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32);
        }
        parameters
    }

    /// Those of the encoder or of the stacks, if there are any.
    pub fn encoder(&self) -> Weights<'_> {
        let [inputs, recurrent, bias] = [ENCODER_INPUTS, ENCODER_RECURRENT, ENCODER_BIAS];
        let [inputs, recurrent, bias] = [inputs, recurrent, bias].map(|number| &self.tensors[number][..]);
        Weights { inputs, recurrent, bias }
    }

    /// The number of parameters.
    pub fn count(&self) -> usize {
        self.tensors.iter().map(Vec::len).sum()
    }

    /// The same, all numbers of a tensor being whole multiples of its step: a power of 2 by which they fit 16 bits.
    #[must_use]
    pub fn rounded(mut self) -> Parameters {
        for tensor in &mut self.tensors {
            let step = step(tensor);
            tensor.iter_mut().for_each(|number| *number = (*number / step).round_ties_even() * step);
        }
        self
    }

    /// The tensors as sections of a file, in 16 bits a number: those of [rounded](Parameters::rounded) parameters.
    pub fn short_sections(&self) -> Vec<Section<'static>> {
        let steps: Vec<f32> = self.tensors.iter().map(|tensor| step(tensor)).collect();
        let short = |(number, name, tensor): (usize, &'static str, &[f32])| {
            let short = |value: &f32| (value / steps[number]).round_ties_even() as i16;
            let numbers: Vec<i16> = tensor.iter().map(short).collect();
            Section::new(name, bytemuck::cast_slice::<i16, u8>(&numbers).to_vec())
        };
        let mut sections: Vec<Section> = self.kept().map(short).collect();
        sections.push(Section::new(STEPS, bytemuck::cast_slice::<f32, u8>(&steps).to_vec()));
        sections
    }

    /// The tensors as sections of a file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        self.kept().map(|(_, name, tensor)| Section::new(name, bytemuck::cast_slice::<f32, u8>(tensor))).collect()
    }

    /// The tensors that stand in files, with their numbers and names.
    fn kept(&self) -> impl Iterator<Item = (usize, &'static str, &[f32])> {
        let named = NAMES.iter().zip(&self.tensors).enumerate();
        // Networks without an encoder have nothing to say of it.
        let named = named.filter(|(number, (_, tensor))| *number < ENCODER_INPUTS || !tensor.is_empty());
        named.map(|(number, (name, tensor))| (number, *name, &tensor[..]))
    }

    /// True if all are numbers.
    pub fn are_finite(&self) -> bool {
        self.tensors.iter().flatten().all(|number| number.is_finite())
    }

    /// The tensors in these sections.
    ///
    /// # Errors
    /// If one is missing or has another length.
    pub fn from_sections(sections: &Sections, network: &Network, sizes: &Sizes) -> Result<Parameters> {
        let steps = if sections.has(STEPS) { Some(sections.numbers::<f32>(STEPS)?) } else { None };
        if steps.as_ref().is_some_and(|steps| steps.len() != N_TENSORS) {
            return Err(sections.damaged(&format!("there should be {N_TENSORS} steps of the network's tensors")));
        }
        let mut parameters = Parameters { tensors: std::array::from_fn(|_| Vec::new()) };
        let named = NAMES.iter().zip(&mut parameters.tensors).zip(sizes.lengths(network)).enumerate();
        let named = named.filter(|(number, (_, length))| *number < ENCODER_INPUTS || *length > 0);
        for (number, ((name, tensor), length)) in named {
            let found: Vec<f32> = match &steps {
                None => sections.numbers::<f32>(name)?.to_vec(),
                Some(steps) => sections.numbers::<i16>(name)?.iter().map(|&n| f32::from(n) * steps[number]).collect(),
            };
            if found.len() != length {
                let found = found.len();
                return Err(sections.damaged(&format!("the network's {name} are {found} numbers; expected {length}")));
            }
            if !found.iter().all(|number| number.is_finite()) {
                return Err(sections.damaged(&format!("one of the network's {name} is no number")));
            }
            *tensor = found;
        }
        Ok(parameters)
    }
}

/// The least power of 2 of which all of these numbers are at most 32,767 times as much.
fn step(numbers: &[f32]) -> f32 {
    const LEAST: f32 = f32::MIN_POSITIVE;
    let highest = numbers.iter().fold(0.0, |highest: f32, number| highest.max(number.abs()));
    let mut step = LEAST;
    while highest > step * f32::from(i16::MAX) {
        step *= 2.0;
    }
    step
}
