//! The gradients of the encoder's parameters, by going back through the words of a mini-batch's sentences (Werbos 1990);
//! those of a single step are [`step_back`]'s.
//!
//! Sentences go side by side, the longest first, so that each step is one product of matrices. Rows of a product do not depend on which
//! others there are, and the sums over words are taken in the sentences' order, split by their results alone.

use super::encoder::{EncoderShape, Layer};
use super::kernel::{Operand, add, multiply_with, of_rows, of_weights, sum_of_rows, transposed};
use super::lstm::{LstmWeights, step_back};
use crate::parallel;
use crate::vector::vectorised;

/// The gradients of an encoder.
#[derive(Debug, Clone, Default)]
pub struct EncoderGradients {
    /// As in [`LstmWeights`].
    pub inputs: Vec<f32>,
    /// As in [`LstmWeights`].
    pub recurrent: Vec<f32>,
    /// As in [`LstmWeights`].
    pub bias: Vec<f32>,
    /// Of what the first layer read: the words of all sentences.
    pub embeddings: Vec<f32>,
}

/// The gradients of a loss of which `of_outputs` are those in the words' vectors, of all sentences in their order. `noise` does to
/// gradients what encoding did to the inputs of a layer above the first one, by sentence.
pub fn backward(
    shape: EncoderShape,
    weights: LstmWeights,
    sentences: &[&[Layer]],
    mut of_outputs: Vec<f32>,
    noise: impl Fn(usize, usize, &mut [f32]),
) -> EncoderGradients {
    // By layer, the last one first.
    let mut of_layers: Vec<[EncoderGradients; 2]> = Vec::new();
    for number in (0..shape.layers).rev() {
        let layers: Vec<&Layer> = sentences.iter().map(|layers| &layers[number]).collect();
        let width = shape.inputs_of(number);
        let inputs: Vec<f32> = layers.iter().map(|layer| &layer.inputs[..]).collect::<Vec<_>>().concat();
        let part = |direction| shape.part(weights, number, direction);
        let of_direction = |direction| {
            let sums = of_sums(shape, part(direction).recurrent, &layers, direction, &of_outputs);
            Direction { units: shape.units, direction, layers: &layers, inputs: &inputs, width }
                .gradients(part(direction), &sums)
        };
        let of_directions: [_; 2] = parallel::map(2, of_direction).try_into().expect("one of each direction");
        let [mut forwards, backwards] = of_directions;
        add(&mut forwards.embeddings, &backwards.embeddings);
        of_outputs = std::mem::take(&mut forwards.embeddings);
        of_layers.push([forwards, backwards]);
        if number > 0 {
            let mut start = 0;
            for (sentence, layer) in layers.iter().enumerate() {
                noise(sentence, number, &mut of_outputs[start..start + layer.inputs.len()]);
                start += layer.inputs.len();
            }
        }
    }
    let mut all = EncoderGradients { embeddings: of_outputs, ..EncoderGradients::default() };
    for of in of_layers.iter().rev().flatten() {
        all.inputs.extend_from_slice(&of.inputs);
        all.recurrent.extend_from_slice(&of.recurrent);
        all.bias.extend_from_slice(&of.bias);
    }
    all
}

/// The gradients in the sums of one direction's gates, by word of all sentences.
fn of_sums(
    shape: EncoderShape,
    recurrent: &[f32],
    layers: &[&Layer],
    direction: usize,
    of_outputs: &[f32],
) -> Vec<f32> {
    let units = shape.units;
    let lengths: Vec<usize> = layers.iter().map(|layer| layer.outputs.len() / (2 * units)).collect();
    let mut starts = vec![0; lengths.len()];
    for i in 1..lengths.len() {
        starts[i] = starts[i - 1] + lengths[i - 1];
    }
    let n: usize = lengths.iter().sum();
    let mut order: Vec<usize> = (0..layers.len()).collect();
    order.sort_by_key(|&sentence| std::cmp::Reverse(lengths[sentence]));
    let turned = transposed(recurrent, 4 * units);
    let mut of_sums = vec![0.0; n * 4 * units];
    // By sentence of the step, what comes from the word after.
    let mut of_output = vec![0.0; layers.len() * units];
    let mut of_cells = vec![0.0; layers.len() * units];
    let mut rows = vec![0.0; layers.len() * 4 * units];
    let none = vec![0.0; units];
    let longest = order.first().map_or(0, |&sentence| lengths[sentence]);
    vectorised!(simd => {
        for step in 0..longest {
            let n_active = order.iter().take_while(|&&sentence| lengths[sentence] > step).count();
            for (place, &sentence) in order[..n_active].iter().enumerate() {
                let length = lengths[sentence];
                let (word, before) = match direction {
                    0 => (length - 1 - step, (length - 1 - step).checked_sub(1)),
                    _ => (step, Some(step + 1).filter(|&before| before < length)),
                };
                let Layer { gates, cells, .. } = layers[sentence];
                let cell = |word: usize| &cells[(2 * word + direction) * units..][..units];
                let row = &mut rows[place * 4 * units..][..4 * units];
                row.copy_from_slice(&gates[word * shape.gates() + direction * 4 * units..][..4 * units]);
                let of_output = &mut of_output[place * units..][..units];
                let asked = &of_outputs[(starts[sentence] + word) * 2 * units + direction * units..][..units];
                of_output.iter_mut().zip(asked).for_each(|(of, asked)| *of += asked);
                let before = before.map_or(&none[..], cell);
                let of_cell = &mut of_cells[place * units..][..units];
                step_back(row, (cell(word), before), of_output, of_cell);
                of_sums[(starts[sentence] + word) * 4 * units..][..4 * units].copy_from_slice(row);
            }
            let of_output = &mut of_output[..n_active * units];
            of_output.fill(0.0);
            let rows = Operand::rows(&rows, 4 * units);
            multiply_with(simd, rows, &turned, of_output, (n_active, 4 * units, units));
        }
    });
    of_sums
}

/// One direction of a layer, with what all sentences read there.
struct Direction<'l> {
    units: usize,
    direction: usize,
    layers: &'l [&'l Layer],
    inputs: &'l [f32],
    width: usize,
}

impl Direction<'_> {
    /// The gradients of everything, from those in the sums of gates.
    fn gradients(&self, weights: LstmWeights, sums: &[f32]) -> EncoderGradients {
        let Direction { units, inputs, width, .. } = *self;
        let gates = 4 * units;
        EncoderGradients {
            inputs: of_weights(Operand::rows(inputs, width), width, sums, gates),
            recurrent: of_weights(Operand::rows(&self.recurrent_inputs(), units), units, sums, gates),
            bias: sum_of_rows(sums, gates),
            embeddings: of_rows(sums, weights.inputs, (width, gates)),
        }
    }

    /// By word of all sentences, the output of the word before.
    fn recurrent_inputs(&self) -> Vec<f32> {
        let Direction { units, direction, .. } = *self;
        let mut inputs = Vec::with_capacity(self.inputs.len() / self.width * units);
        for layer in self.layers {
            let own = layer.outputs.chunks_exact(2 * units).map(|both| &both[direction * units..][..units]);
            let n = layer.outputs.len() / (2 * units);
            let read = if direction == 0 { 0..n - 1 } else { 1..n };
            inputs.resize(inputs.len() + if direction == 0 { units } else { 0 }, 0.0);
            own.skip(read.start).take(read.len()).for_each(|row| inputs.extend_from_slice(row));
            inputs.resize(inputs.len() + if direction == 0 { 0 } else { units }, 0.0);
        }
        inputs
    }
}
