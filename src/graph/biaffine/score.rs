//! Scores of arcs and labels of sentences.
//!
//! Sentences are encoded side by side; from there on each is on its own. What becomes of one does not depend on the others.

use super::BiaffineNetwork;
use super::tensors::{
    ARCS, ARCS_HEADS, ENCODER, LABELS, LABELS_BIAS, LABELS_DEPENDENTS, LABELS_HEADS, UNITS, UNITS_BIAS,
};
use crate::features::Input;
use crate::neural::encoder::{Layer, encode, panels};
use crate::neural::kernel::{Operand, Panels, multiply, transposed};
use crate::neural::noise::Noise;
use crate::neural::parameters::Parameters;
use crate::neural::sentence::{Encoded, SentenceTokens};
use crate::tree::{Node, ROOT};
use crate::vector::vectorised;

/// Slope of leaky rectified units below 0.
const LEAK: f32 = 0.1;

/// The network as it stands: everything that scoring reads.
#[derive(Debug, Clone, Copy)]
pub struct BiaffineScoring<'m> {
    pub network: &'m BiaffineNetwork,
    pub parameters: &'m Parameters,
    /// Of the encoder.
    pub panels: &'m [Panels],
    /// Outputs of the scorer of labels.
    pub n_outputs: usize,
    /// Dropout of training, and its rate for units.
    pub noise: Option<(&'m Noise, f32)>,
}

/// Encoded words of a sentence, the root before them.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The words with their vectors.
    pub sentence: SentenceTokens,
    /// By word: all units.
    pub units: Vec<f32>,
    /// Derivatives of units at their sums; only in training.
    pub slopes: Vec<f32>,
}

impl Reading {
    /// Number of words, with the root.
    pub fn n(&self) -> usize {
        self.sentence.n_tokens()
    }
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
pub struct LabelProducts {
    /// By dependent, by unit of a head, by output.
    pub products: Vec<f32>,
    /// By dependent, by output.
    pub own: Vec<f32>,
    /// By word: the units as a head.
    pub heads: Vec<f32>,
}

/// Weights of the encoder in panels.
pub fn panels_of(network: &BiaffineNetwork, parameters: &Parameters) -> Vec<Panels> {
    panels(network.shape(), parameters.lstms(ENCODER))
}

impl BiaffineScoring<'_> {
    /// Reads sentences side by side.
    pub fn read(&self, inputs: &[&Input]) -> Vec<Reading> {
        let sentence = |input: &&Input| {
            let noise = self.noise.map(|(noise, _)| noise);
            let mut sentence = SentenceTokens::new(input, 0..=input.n_words() as Node, noise);
            sentence.embed(self.parameters, &self.network.dimensions);
            sentence
        };
        let sentences: Vec<SentenceTokens> = inputs.iter().map(sentence).collect();
        let embeddings: Vec<&[f32]> = sentences.iter().map(|sentence| &sentence.embeddings[..]).collect();
        let noise = |number: usize, layer: usize, numbers: &mut [f32]| sentences[number].mask_within(layer, numbers);
        let weights = (self.parameters.lstms(ENCODER), self.panels);
        let all = encode(self.network.shape(), weights, &embeddings, noise);
        let reading = |(mut sentence, layers): (SentenceTokens, Vec<Layer>)| {
            let mut vectors = layers.last().map(|layer| layer.outputs.clone()).unwrap_or_default();
            sentence.mask_within(self.network.encoder.layers, &mut vectors);
            sentence.encoded = Some(Encoded { layers, vectors });
            self.make_units(sentence)
        };
        sentences.into_iter().zip(all).map(reading).collect()
    }

    fn make_units(&self, sentence: SentenceTokens) -> Reading {
        let (n, width, inputs) = (sentence.n_tokens(), self.network.width(), self.network.shape().outputs());
        let mut units = self.parameters.tensors[UNITS_BIAS].repeat(n);
        let vectors = Operand::rows(sentence.vectors(), inputs);
        multiply(vectors, &self.parameters.tensors[UNITS], &mut units, (n, inputs, width));
        let mut slopes = Vec::new();
        if let (Some((_, dropout)), Some(noise)) = (self.noise, &sentence.noise) {
            slopes.extend(units.iter().map(|sum| if *sum > 0.0 { 1.0 } else { LEAK }));
            noise.mask_units(dropout, &mut slopes);
            units.iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum *= slope);
        } else {
            vectorised!(_simd => units.iter_mut().for_each(|sum| *sum = if *sum > 0.0 { *sum } else { LEAK * *sum }));
        }
        Reading { sentence, units, slopes }
    }

    /// The units of one kind, by word, as they stand among the others.
    pub fn kind<'r>(&self, units: &'r [f32], kind: usize) -> Operand<'r> {
        Operand { values: &units[self.network.kinds()[kind].0..], row: self.network.width(), column: 1 }
    }

    /// The scores of arcs.
    pub fn arcs(&self, reading: &Reading) -> Arcs {
        let (n, units) = (reading.n(), self.network.arc_units);
        let mut products = self.parameters.tensors[ARCS_HEADS].repeat(n);
        multiply(self.kind(&reading.units, 0), &self.parameters.tensors[ARCS], &mut products, (n, units, units));
        let heads = transposed(&self.of_kind(&reading.units, 1), units);
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
    pub fn labels(&self, reading: &Reading) -> LabelProducts {
        let (n, units, n_outputs) = (reading.n(), self.network.label_units, self.n_outputs);
        let dependents = self.kind(&reading.units, 2);
        let mut products = self.parameters.tensors[LABELS_HEADS].repeat(n);
        multiply(dependents, &self.parameters.tensors[LABELS], &mut products, (n, units, units * n_outputs));
        let mut own = self.parameters.tensors[LABELS_BIAS].repeat(n);
        multiply(dependents, &self.parameters.tensors[LABELS_DEPENDENTS], &mut own, (n, units, n_outputs));
        LabelProducts { products, own, heads: self.of_kind(&reading.units, 3) }
    }

    /// The scores of the labels of arcs into `dependent`, from the heads in this range.
    pub fn of_labels(&self, labels: &LabelProducts, dependent: Node, heads: std::ops::Range<usize>) -> Vec<f32> {
        let (units, n_outputs, dependent) = (self.network.label_units, self.n_outputs, dependent as usize);
        let mut scores = labels.own[dependent * n_outputs..][..n_outputs].repeat(heads.len());
        let read = Operand::rows(&labels.heads[heads.start * units..], units);
        let products = &labels.products[dependent * units * n_outputs..][..units * n_outputs];
        multiply(read, products, &mut scores, (heads.len(), units, n_outputs));
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
