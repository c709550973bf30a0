//! From sentences to scores of arcs and labels.
//!
//! Sentences are encoded side by side; from there on each is on its own. What becomes of one does not depend on the others.

use super::BiaffineNetwork;
use super::tensors::{
    ARCS, ARCS_HEADS, LABELS, LABELS_BIAS, LABELS_DEPENDENTS, LABELS_HEADS, Tensors, UNITS, UNITS_BIAS,
};
use crate::features::Input;
use crate::features::N_COLUMNS;
use crate::neural::encoder::{Layer, encode, panels};
use crate::neural::kernel::{Operand, Panels, multiply, transpose};
use crate::neural::noise::{Noise, SentenceNoise};
use crate::tree::{Node, ROOT};
use crate::vector::vectorised;

/// Slope of leaky rectified units below 0.
const LEAK: f32 = 0.1;

/// The network as it stands: everything that scoring reads.
#[derive(Debug, Clone, Copy)]
pub struct Scoring<'m> {
    pub network: &'m BiaffineNetwork,
    pub tensors: &'m Tensors,
    /// Of the encoder.
    pub panels: &'m [Panels],
    /// Lanes of labels.
    pub lanes: usize,
    /// Dropout of training, and its rate for units.
    pub noise: Option<(&'m Noise, f32)>,
}

/// Encoded words of a sentence, the root before them.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Number of words, with the root.
    pub n: usize,
    /// By column: the numbers of their values.
    pub ids: [Vec<u32>; N_COLUMNS],
    /// Activations in the layers of the encoder.
    pub layers: Vec<Layer>,
    /// Output of the encoder.
    pub vectors: Vec<f32>,
    /// By word: all units.
    pub units: Vec<f32>,
    /// Derivatives of units at their sums; only in training.
    pub slopes: Vec<f32>,
    pub noise: SentenceNoise,
}

/// Arc representations of a reading.
#[derive(Debug, Clone, Default)]
pub struct Arcs {
    /// By dependent: U times its units, and u.
    pub products: Vec<f32>,
    /// By dependent, by head.
    pub scores: Vec<f32>,
}

/// Label representations of a reading.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// By dependent, by unit of a head, by lane.
    pub products: Vec<f32>,
    /// By dependent, by lane.
    pub own: Vec<f32>,
    /// By word: the units as a head.
    pub heads: Vec<f32>,
}

/// Weights of the encoder in panels.
pub fn panels_of(network: &BiaffineNetwork, tensors: &Tensors) -> Vec<Panels> {
    panels(network.shape(), tensors.encoder())
}

impl Scoring<'_> {
    /// Reads sentences side by side.
    pub fn read(&self, inputs: &[&Input]) -> Vec<Reading> {
        let mut readings: Vec<Reading> = inputs.iter().map(|input| self.values(input)).collect();
        let embeddings: Vec<Vec<f32>> = readings.iter().map(|reading| self.embed(reading)).collect();
        let embeddings: Vec<&[f32]> = embeddings.iter().map(|of_sentence| &of_sentence[..]).collect();
        let noise = |sentence: usize, layer: usize, numbers: &mut [f32]| {
            if self.noise.is_some() {
                readings[sentence].noise.mask_within(layer, numbers);
            }
        };
        let all = encode(self.network.shape(), (self.tensors.encoder(), self.panels), &embeddings, noise);
        for (reading, layers) in readings.iter_mut().zip(all) {
            reading.vectors = layers.last().map(|layer| layer.outputs.clone()).unwrap_or_default();
            if self.noise.is_some() {
                reading.noise.mask_within(self.network.encoder.layers, &mut reading.vectors);
            }
            reading.layers = layers;
            self.make_units(reading);
        }
        readings
    }

    /// The numbers of the words' values, and what is drawn for the sentence.
    fn values(&self, input: &Input) -> Reading {
        let n = input.n_words() + 1;
        let ids = std::array::from_fn(|column| (0..n as Node).map(|word| input.id(column, word)).collect());
        let mut reading = Reading { n, ids, ..Reading::default() };
        if let Some((noise, _)) = self.noise {
            reading.noise = noise.of_sentence(input);
            for (column, ids) in reading.ids.iter_mut().enumerate() {
                noise.forget_rare(&reading.noise, column, ids);
            }
        }
        reading
    }

    fn embed(&self, reading: &Reading) -> Vec<f32> {
        let mut embeddings = Vec::with_capacity(reading.n * self.network.dimension());
        for word in 0..reading.n {
            for ((ids, table), n) in reading.ids.iter().zip(&self.tensors.0).zip(self.network.dimensions) {
                embeddings.extend_from_slice(&table[ids[word] as usize * n..][..n]);
            }
        }
        if self.noise.is_some() {
            reading.noise.mask(&mut embeddings);
        }
        embeddings
    }

    fn make_units(&self, reading: &mut Reading) {
        let (width, inputs) = (self.network.width(), self.network.shape().outputs());
        let mut sums = self.tensors.0[UNITS_BIAS].repeat(reading.n);
        let vectors = Operand::rows(&reading.vectors, inputs);
        multiply(vectors, &self.tensors.0[UNITS], &mut sums, (reading.n, inputs, width));
        if let Some((_, dropout)) = self.noise {
            reading.slopes = sums.iter().map(|sum| if *sum > 0.0 { 1.0 } else { LEAK }).collect();
            reading.noise.mask_units(dropout, &mut reading.slopes);
            sums.iter_mut().zip(&reading.slopes).for_each(|(sum, slope)| *sum *= slope);
        } else {
            vectorised!(_simd => sums.iter_mut().for_each(|sum| *sum = if *sum > 0.0 { *sum } else { LEAK * *sum }));
        }
        reading.units = sums;
    }

    /// The units of one kind, by word, as they stand among the others.
    pub fn kind<'r>(&self, units: &'r [f32], kind: usize) -> Operand<'r> {
        Operand { values: &units[self.network.kinds()[kind].0..], row: self.network.width(), column: 1 }
    }

    /// The scores of arcs.
    pub fn arcs(&self, reading: &Reading) -> Arcs {
        let (n, units) = (reading.n, self.network.arc_units);
        let mut products = self.tensors.0[ARCS_HEADS].repeat(n);
        multiply(self.kind(&reading.units, 0), &self.tensors.0[ARCS], &mut products, (n, units, units));
        let mut heads = Vec::new();
        transpose(&self.of_kind(&reading.units, 1), n, units, &mut heads);
        let mut scores = vec![0.0; n * n];
        multiply(Operand::rows(&products, units), &heads, &mut scores, (n, units, n));
        Arcs { products, scores }
    }

    /// The units of one kind, row by row.
    pub fn of_kind(&self, units: &[f32], kind: usize) -> Vec<f32> {
        let (start, n) = self.network.kinds()[kind];
        units.chunks_exact(self.network.width()).flat_map(|row| &row[start..start + n]).copied().collect()
    }

    /// Label representations of a reading.
    pub fn labels(&self, reading: &Reading) -> Labels {
        let (n, units, lanes) = (reading.n, self.network.label_units, self.lanes);
        let dependents = self.kind(&reading.units, 2);
        let mut products = self.tensors.0[LABELS_HEADS].repeat(n);
        multiply(dependents, &self.tensors.0[LABELS], &mut products, (n, units, units * lanes));
        let mut own = self.tensors.0[LABELS_BIAS].repeat(n);
        multiply(dependents, &self.tensors.0[LABELS_DEPENDENTS], &mut own, (n, units, lanes));
        Labels { products, own, heads: self.of_kind(&reading.units, 3) }
    }

    /// The scores of the labels of arcs into `dependent`, from the heads in this range.
    pub fn of_labels(&self, labels: &Labels, dependent: Node, heads: std::ops::Range<usize>) -> Vec<f32> {
        let (units, lanes, dependent) = (self.network.label_units, self.lanes, dependent as usize);
        let mut scores = labels.own[dependent * lanes..][..lanes].repeat(heads.len());
        let read = Operand::rows(&labels.heads[heads.start * units..], units);
        let products = &labels.products[dependent * units * lanes..][..units * lanes];
        multiply(read, products, &mut scores, (heads.len(), units, lanes));
        scores
    }
}

/// Makes scores probabilities, and 0 those where `mask` is not 0.
pub fn softmax(scores: &mut [f32], mask: &[i32]) {
    let permitted = || scores.iter().zip(mask).filter(|(_, mask)| **mask == 0).map(|(score, _)| *score);
    let highest = permitted().fold(f32::NEG_INFINITY, f32::max);
    vectorised!(_simd => {
        for (score, mask) in scores.iter_mut().zip(mask) {
            let term = crate::neural::kernel::exp(*score - highest);
            *score = if *mask == 0 { term } else { 0.0 };
        }
    });
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// The words that may be the head of `dependent`: 0 where one may, by head, in a row that is a whole number of vectors long.
pub fn heads_of(dependent: Node, n: usize, mask: &mut Vec<i32>) {
    debug_assert!(dependent != ROOT);
    mask.clear();
    mask.resize(n, 0);
    mask.resize(n.next_multiple_of(16), crate::system::FORBIDDEN);
    mask[dependent as usize] = crate::system::FORBIDDEN;
}
