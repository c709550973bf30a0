//! The encoder: what a word is in its sentence, by [long short-term memories](super::lstm) that read it forwards and backwards (Graves
//! & Schmidhuber 2005).
//!
//! `W x + b` is one product of matrices for the whole sentence, so only `R h'` is left to be done word by word. The next layer reads both
//! directions side by side.

use fearless_simd::Simd;

use super::kernel::{Operand, PANEL, Panels, multiply_with};
use super::lstm::{LstmWeights, Lstms, step};
use crate::model::{Lstm, Network};
use crate::vector::vectorised;

/// The sizes of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncoderShape {
    /// Layers, one upon the other.
    pub layers: usize,
    /// The numbers in the output of each direction of a layer.
    pub units: usize,
    /// The numbers that the first layer reads of a word.
    pub inputs: usize,
}

/// Activations of a sentence in one layer, by word.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Inputs of the layer.
    pub inputs: Vec<f32>,
    /// i, f, g and o of both directions side by side, in rows of [`EncoderShape::gates`].
    pub gates: Vec<f32>,
    /// c, of both directions.
    pub cells: Vec<f32>,
    /// h, of both directions.
    pub outputs: Vec<f32>,
}

impl EncoderShape {
    /// The sizes of a network's encoder, if it has one.
    pub fn of(network: &Network) -> Option<EncoderShape> {
        let Lstm { layers, units } = network.encoder?;
        Some(EncoderShape { layers, units, inputs: network.dimension() })
    }

    /// The numbers in the vector of a word: the outputs of the last layer.
    pub fn outputs(&self) -> usize {
        2 * self.units
    }

    /// The numbers in a row of gates.
    pub fn gates(&self) -> usize {
        (8 * self.units).next_multiple_of(PANEL)
    }

    /// Number of inputs of a layer for a word.
    pub fn inputs_of(&self, layer: usize) -> usize {
        if layer == 0 { self.inputs } else { self.outputs() }
    }

    /// The parameters of one direction of a layer.
    pub fn part<'p>(&self, weights: LstmWeights<'p>, layer: usize, direction: usize) -> LstmWeights<'p> {
        self.lstm(weights, 2 * layer + direction)
    }
}

impl Lstms for EncoderShape {
    fn units(&self) -> usize {
        self.units
    }

    /// By layer and, within it, by direction.
    fn inputs(&self) -> impl Iterator<Item = usize> {
        let shape = *self;
        (0..2 * self.layers).map(move |number| shape.inputs_of(number / 2))
    }
}

/// Weights of each layer's inputs in panels, both directions side by side.
pub fn panels(shape: EncoderShape, weights: LstmWeights) -> Vec<Panels> {
    let gates = 4 * shape.units;
    let of_layer = |layer| {
        let [forwards, backwards] = [0, 1].map(|direction| shape.part(weights, layer, direction).inputs);
        Panels::new(&[forwards, backwards].concat(), (shape.inputs_of(layer), gates))
    };
    (0..shape.layers).map(of_layer).collect()
}

/// Encodes sentences, of each of which `sentences` has the words' embeddings. `noise` changes what a layer above the first one reads, by
/// sentence and layer. Sentences go side by side, so that a step is one product of matrices; what becomes of one does not depend on
/// the others.
pub fn encode(
    shape: EncoderShape,
    (weights, panels): (LstmWeights, &[Panels]),
    sentences: &[&[f32]],
    noise: impl Fn(usize, usize, &mut [f32]),
) -> Vec<Vec<Layer>> {
    let mut all: Vec<Vec<Layer>> = sentences.iter().map(|_| Vec::with_capacity(shape.layers)).collect();
    for (number, panels) in panels.iter().enumerate() {
        let width = shape.inputs_of(number);
        let mut bias = vec![0.0; shape.gates()];
        for direction in [0, 1] {
            let own = shape.part(weights, number, direction).bias;
            bias[direction * own.len()..][..own.len()].copy_from_slice(own);
        }
        for (sentence, (layers, embeddings)) in all.iter_mut().zip(sentences).enumerate() {
            let mut inputs = layers.last().map_or(*embeddings, |below: &Layer| &below.outputs).to_vec();
            if number > 0 {
                noise(sentence, number, &mut inputs);
            }
            let n = inputs.len() / width;
            let mut gates = bias.repeat(n);
            panels.multiply(Operand::rows(&inputs, width), &mut gates, n);
            let [cells, outputs] = [0, 1].map(|_| vec![0.0; n * shape.outputs()]);
            layers.push(Layer { inputs, gates, cells, outputs });
        }
        let mut layers: Vec<&mut Layer> = all.iter_mut().filter_map(|layers| layers.last_mut()).collect();
        layers.sort_by_key(|layer| std::cmp::Reverse(layer.outputs.len()));
        for direction in [0, 1] {
            let recurrent = shape.part(weights, number, direction).recurrent;
            vectorised!(simd => go_through(simd, shape, recurrent, direction, &mut layers));
        }
    }
    all
}

/// Goes through all words in one direction, the longest sentences first, from the sums of inputs to the outputs.
#[inline(always)]
fn go_through<S: Simd>(simd: S, shape: EncoderShape, recurrent: &[f32], direction: usize, layers: &mut [&mut Layer]) {
    let (units, gates) = (shape.units, 4 * shape.units);
    let own = |word: usize| word * shape.gates() + direction * gates..word * shape.gates() + (direction + 1) * gates;
    let lengths: Vec<usize> = layers.iter().map(|layer| layer.outputs.len() / (2 * units)).collect();
    // By sentence: the sums of the step, the cell and the output.
    let mut rows = vec![0.0; layers.len() * gates];
    let mut cells = vec![0.0; layers.len() * units];
    let mut outputs = vec![0.0; layers.len() * units];
    for number in 0..lengths.first().copied().unwrap_or_default() {
        let n_active = lengths.iter().take_while(|length| **length > number).count();
        let word = |length: usize| if direction == 0 { number } else { length - 1 - number };
        let active = || lengths[..n_active].iter().copied().map(word);
        for ((row, layer), word) in rows.chunks_exact_mut(gates).zip(&*layers).zip(active()) {
            row.copy_from_slice(&layer.gates[own(word)]);
        }
        if number > 0 {
            multiply_with(simd, Operand::rows(&outputs, units), recurrent, &mut rows, (n_active, units, gates));
        }
        let state = cells.chunks_exact_mut(units).zip(outputs.chunks_exact_mut(units));
        let all = rows.chunks_exact_mut(gates).zip(state).zip(layers.iter_mut()).zip(active());
        for (((row, (cell, output)), layer), word) in all {
            step(row, cell, output);
            layer.gates[own(word)].copy_from_slice(row);
            layer.cells[(2 * word + direction) * units..][..units].copy_from_slice(cell);
            layer.outputs[(2 * word + direction) * units..][..units].copy_from_slice(output);
        }
    }
}
