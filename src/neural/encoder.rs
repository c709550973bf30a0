//! The encoder: what a word is in its sentence, by long short-term memories that read it forwards and backwards (Hochreiter &
//! Schmidhuber 1997, with the forget gates of Gers, Schmidhuber & Cummins 2000; Graves & Schmidhuber 2005).
//!
//! In each layer and direction, with x the inputs, h what is given on, c the memory, ⊙ the product element by element:
//!
//! ```text
//! i, f, o = σ(W x + R h' + b)      g = tanh(W x + R h' + b)      c = f ⊙ c' + i ⊙ g      h = o ⊙ tanh(c)
//! ```
//!
//! of the word before (c', h'), or after. `W x + b` is one product of matrices for the whole sentence, so only `R h'` is left to be done word
//! by word. The next layer reads both directions side by side.

use fearless_simd::Simd;

use super::kernel::{Operand, PANEL, Panels, multiply_with, sigmoid, tanh};
use crate::model::{Lstm, Network};
use crate::random::{self, Xoshiro256PlusPlus};
use crate::vector::vectorised;

/// The sizes of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Layers, one upon the other.
    pub layers: usize,
    /// The numbers that each direction of a layer gives on.
    pub units: usize,
    /// The numbers that the first layer reads of a word.
    pub inputs: usize,
}

/// The parameters of an encoder, or as many numbers about them: by layer and, within it, by direction.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'p> {
    /// W: a row for each input; in it i, f, g and o of all units.
    pub inputs: &'p [f32],
    /// R: a row for each unit of the word before; in it i, f, g and o of all units.
    pub recurrent: &'p [f32],
    /// b.
    pub bias: &'p [f32],
}

/// Activations of a sentence in one layer, by word.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// Inputs of the layer.
    pub inputs: Vec<f32>,
    /// i, f, g and o of both directions side by side, in rows of [`Shape::gates`].
    pub gates: Vec<f32>,
    /// c, of both directions.
    pub cells: Vec<f32>,
    /// h, of both directions.
    pub outputs: Vec<f32>,
}

impl Shape {
    /// The sizes of a network's encoder, if it has one.
    pub fn of(network: &Network) -> Option<Shape> {
        let Lstm { layers, units } = network.encoder?;
        Some(Shape { layers, units, inputs: network.dimension() })
    }

    /// The numbers that stand for a word in the end.
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

    /// The lengths of the tensors in [`Weights`].
    pub fn lengths(&self) -> [usize; 3] {
        let gates = 4 * self.units;
        let inputs: usize = (0..self.layers).map(|layer| self.inputs_of(layer)).sum();
        [2 * inputs * gates, 2 * self.layers * self.units * gates, 2 * self.layers * gates]
    }

    /// The parameters of one direction of a layer.
    pub fn part<'p>(&self, weights: Weights<'p>, layer: usize, direction: usize) -> Weights<'p> {
        let gates = 4 * self.units;
        let before: usize = (0..layer).map(|layer| 2 * self.inputs_of(layer) * gates).sum();
        let n_inputs = self.inputs_of(layer) * gates;
        let number = 2 * layer + direction;
        let n_recurrent = self.units * gates;
        Weights {
            inputs: &weights.inputs[before + direction * n_inputs..][..n_inputs],
            recurrent: &weights.recurrent[number * n_recurrent..][..n_recurrent],
            bias: &weights.bias[number * gates..][..gates],
        }
    }
}

/// Fills one of the tensors of [`Weights`], by its place there, with random numbers as Glorot & Bengio (2010) draw them; biases are 0, but
/// for those of forget gates.
pub fn fill(shape: Shape, place: usize, tensor: &mut [f32], mut stream: Xoshiro256PlusPlus) {
    let (units, gates) = (shape.units, 4 * shape.units);
    if place == 2 {
        tensor.chunks_exact_mut(gates).for_each(|bias| bias[units..2 * units].fill(1.0));
        return;
    }
    let mut rest = tensor;
    for layer in 0..shape.layers {
        let inputs = if place == 0 { shape.inputs_of(layer) } else { units };
        let bound = (6.0 / (inputs + units) as f64).sqrt();
        let (both, after) = rest.split_at_mut(2 * inputs * gates);
        both.iter_mut().for_each(|w| *w = ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32);
        rest = after;
    }
}

/// Weights of each layer's inputs in panels, both directions side by side.
pub fn panels(shape: Shape, weights: Weights) -> Vec<Panels> {
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
    shape: Shape,
    (weights, panels): (Weights, &[Panels]),
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

/// Goes through all words in one direction, the longest sentences first, from the sums that inputs make up to what is given on.
#[inline(always)]
fn go_through<S: Simd>(simd: S, shape: Shape, recurrent: &[f32], direction: usize, layers: &mut [&mut Layer]) {
    let (units, gates) = (shape.units, 4 * shape.units);
    let own = |word: usize| word * shape.gates() + direction * gates..word * shape.gates() + (direction + 1) * gates;
    let lengths: Vec<usize> = layers.iter().map(|layer| layer.outputs.len() / (2 * units)).collect();
    // By sentence: the sums of the step, what is remembered and what is given on.
    let mut rows = vec![0.0; layers.len() * gates];
    let mut memory = vec![0.0; layers.len() * units];
    let mut given = vec![0.0; layers.len() * units];
    for step in 0..lengths.first().copied().unwrap_or_default() {
        let n_active = lengths.iter().take_while(|length| **length > step).count();
        let word = |length: usize| if direction == 0 { step } else { length - 1 - step };
        let active = || lengths[..n_active].iter().copied().map(word);
        for ((row, layer), word) in rows.chunks_exact_mut(gates).zip(&*layers).zip(active()) {
            row.copy_from_slice(&layer.gates[own(word)]);
        }
        if step > 0 {
            multiply_with(simd, Operand::rows(&given, units), recurrent, &mut rows, (n_active, units, gates));
        }
        let state = memory.chunks_exact_mut(units).zip(given.chunks_exact_mut(units));
        let all = rows.chunks_exact_mut(gates).zip(state).zip(layers.iter_mut()).zip(active());
        for (((row, (memory, given)), layer), word) in all {
            remember(row, memory, given);
            layer.gates[own(word)].copy_from_slice(row);
            layer.cells[(2 * word + direction) * units..][..units].copy_from_slice(memory);
            layer.outputs[(2 * word + direction) * units..][..units].copy_from_slice(given);
        }
    }
}

/// From sums to gates, and to what is remembered and given on.
#[inline(always)]
pub(super) fn remember(sums: &mut [f32], memory: &mut [f32], given: &mut [f32]) {
    let units = memory.len();
    let (i_and_f, g_and_o) = sums.split_at_mut(2 * units);
    i_and_f.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
    let (g, o) = g_and_o.split_at_mut(units);
    g.iter_mut().for_each(|sum| *sum = tanh(*sum));
    o.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
    let (i, f) = i_and_f.split_at(units);
    memory.iter_mut().zip(i.iter().zip(&*g)).zip(f).for_each(|((c, (i, g)), f)| *c = f * *c + i * g);
    given.iter_mut().zip(&*memory).for_each(|(h, c)| *h = tanh(*c));
    given.iter_mut().zip(&*o).for_each(|(h, o)| *h *= o);
}
