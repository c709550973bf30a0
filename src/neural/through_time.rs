//! The gradients of the encoder's parameters, by going back through the words of a mini-batch's sentences (Werbos 1990).
//!
//! With the names of [`encoder`](super::encoder), and a for the sums that gates are made of:
//!
//! ```text
//! dc = dc' + dh ⊙ o ⊙ (1 − tanh² c)         dh = what is asked of the word + R dh of the word after
//! da_i = dc ⊙ g ⊙ i (1 − i)    da_f = dc ⊙ c' ⊙ f (1 − f)    da_g = dc ⊙ i ⊙ (1 − g²)    da_o = dh ⊙ tanh c ⊙ o (1 − o)
//! dW = da xᵀ    dR = da h'ᵀ    db = Σ da    dx = Wᵀ da
//! ```
//!
//! Sentences go side by side, the longest first, so that each step is one product of matrices. Rows of a product do not depend on which
//! others there are, and the sums over words are taken in the sentences' order, split by their results alone.

use rayon::prelude::*;

use super::encoder::{Layer, Shape, Weights};
use super::kernel::{Operand, add, multiply, multiply_with, share, sum_of_rows, tanh, transpose};
use crate::vector::vectorised;

/// The gradients of an encoder.
#[derive(Debug, Clone, Default)]
pub struct OfEncoder {
    /// As in [`Weights`].
    pub inputs: Vec<f32>,
    /// As in [`Weights`].
    pub recurrent: Vec<f32>,
    /// As in [`Weights`].
    pub bias: Vec<f32>,
    /// Of what the first layer read: the words of all sentences.
    pub embeddings: Vec<f32>,
}

/// The gradients of a loss of which `of_outputs` are those in the words' vectors, of all sentences in their order. `noise` does to
/// gradients what encoding did to the inputs of a layer above the first one, by sentence.
pub fn backward(
    shape: Shape,
    weights: Weights,
    sentences: &[&[Layer]],
    mut of_outputs: Vec<f32>,
    noise: impl Fn(usize, usize, &mut [f32]),
) -> OfEncoder {
    // By layer, the last one first.
    let mut of_layers: Vec<[OfEncoder; 2]> = Vec::new();
    for number in (0..shape.layers).rev() {
        let layers: Vec<&Layer> = sentences.iter().map(|layers| &layers[number]).collect();
        let width = shape.inputs_of(number);
        let inputs: Vec<f32> = layers.iter().map(|layer| &layer.inputs[..]).collect::<Vec<_>>().concat();
        let part = |direction| shape.part(weights, number, direction);
        let of_direction = |direction| {
            let sums = of_sums(shape, part(direction).recurrent, &layers, direction, &of_outputs);
            OfDirection { units: shape.units, direction, layers: &layers, inputs: &inputs, width }
                .gradients(part(direction), sums)
        };
        let (mut forwards, backwards) = rayon::join(|| of_direction(0), || of_direction(1));
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
    let mut all = OfEncoder { embeddings: of_outputs, ..OfEncoder::default() };
    for of in of_layers.iter().rev().flatten() {
        all.inputs.extend_from_slice(&of.inputs);
        all.recurrent.extend_from_slice(&of.recurrent);
        all.bias.extend_from_slice(&of.bias);
    }
    all
}

/// The gradients in the sums of one direction's gates, by word of all sentences.
fn of_sums(shape: Shape, recurrent: &[f32], layers: &[&Layer], direction: usize, of_outputs: &[f32]) -> Vec<f32> {
    let units = shape.units;
    let lengths: Vec<usize> = layers.iter().map(|layer| layer.outputs.len() / (2 * units)).collect();
    let mut starts = vec![0; lengths.len()];
    for i in 1..lengths.len() {
        starts[i] = starts[i - 1] + lengths[i - 1];
    }
    let n: usize = lengths.iter().sum();
    let mut order: Vec<usize> = (0..layers.len()).collect();
    order.sort_by_key(|&sentence| std::cmp::Reverse(lengths[sentence]));
    let mut turned = Vec::new();
    transpose(recurrent, units, 4 * units, &mut turned);
    let mut of_sums = vec![0.0; n * 4 * units];
    // By sentence of the step, what comes from the word after.
    let mut of_given = vec![0.0; layers.len() * units];
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
                let of_given = &mut of_given[place * units..][..units];
                let asked = &of_outputs[(starts[sentence] + word) * 2 * units + direction * units..][..units];
                of_given.iter_mut().zip(asked).for_each(|(of, asked)| *of += asked);
                let before = before.map_or(&none[..], cell);
                let of_cell = &mut of_cells[place * units..][..units];
                forget(row, (cell(word), before), of_given, of_cell);
                of_sums[(starts[sentence] + word) * 4 * units..][..4 * units].copy_from_slice(row);
            }
            let of_given = &mut of_given[..n_active * units];
            of_given.fill(0.0);
            let rows = Operand::rows(&rows, 4 * units);
            multiply_with(simd, rows, &turned, of_given, (n_active, 4 * units, units));
        }
    });
    of_sums
}

/// From gates to the gradients in their sums. `of_given` is the gradient in what was given on, `of_cell` that which came to the
/// memory from the word after, and then that which goes on to the word before.
#[inline(always)]
pub(super) fn forget(gates: &mut [f32], (cell, before): (&[f32], &[f32]), of_given: &mut [f32], of_cell: &mut [f32]) {
    let units = cell.len();
    let (i_and_f, g_and_o) = gates.split_at_mut(2 * units);
    let ((i, f), (g, o)) = (i_and_f.split_at_mut(units), g_and_o.split_at_mut(units));
    let all = of_cell.iter_mut().zip(of_given).zip(cell).zip(o);
    all.for_each(|(((of_cell, of_given), c), o)| {
        let given = tanh(*c);
        *of_cell += *of_given * *o * (1.0 - given * given);
        *o = *of_given * given * *o * (1.0 - *o);
    });
    let all = of_cell.iter_mut().zip(i).zip(f).zip(g).zip(before);
    all.for_each(|((((of_cell, i), f), g), before)| {
        let of = *of_cell;
        *of_cell = of * *f;
        *f = of * before * *f * (1.0 - *f);
        let input = *i;
        *i = of * *g * input * (1.0 - input);
        *g = of * input * (1.0 - *g * *g);
    });
}

/// One direction of a layer, with what all sentences read there.
struct OfDirection<'l> {
    units: usize,
    direction: usize,
    layers: &'l [&'l Layer],
    inputs: &'l [f32],
    width: usize,
}

impl OfDirection<'_> {
    /// The gradients of everything, from those in the sums of gates.
    fn gradients(&self, weights: Weights, sums: Vec<f32>) -> OfEncoder {
        let OfDirection { units, inputs, width, .. } = *self;
        let gates = 4 * units;
        let n = sums.len() / gates;
        let given = self.given();
        let mut of = OfEncoder {
            inputs: vec![0.0; width * gates],
            recurrent: vec![0.0; units * gates],
            bias: sum_of_rows(&sums, gates),
            embeddings: vec![0.0; n * width],
        };
        let by_columns = |of: &mut [f32], read: &[f32], width: usize| {
            let share = share(width);
            of.par_chunks_mut(share * gates).enumerate().for_each(|(number, of)| {
                let first = (number * share).min(read.len());
                let read = Operand { values: &read[first..], row: 1, column: width };
                multiply(read, &sums, of, (of.len() / gates, n, gates));
            });
        };
        by_columns(&mut of.inputs, inputs, width);
        by_columns(&mut of.recurrent, &given, units);
        let mut turned = Vec::new();
        transpose(weights.inputs, width, gates, &mut turned);
        let share = share(n);
        let rows = of.embeddings.par_chunks_mut(share * width).zip(sums.par_chunks(share * gates));
        rows.for_each(|(of, sums)| {
            multiply(Operand::rows(sums, gates), &turned, of, (of.len() / width, gates, width));
        });
        of
    }

    /// By word of all sentences, what the word before gave on.
    fn given(&self) -> Vec<f32> {
        let OfDirection { units, direction, .. } = *self;
        let mut given = Vec::with_capacity(self.inputs.len() / self.width * units);
        for layer in self.layers {
            let own = layer.outputs.chunks_exact(2 * units).map(|both| &both[direction * units..][..units]);
            let n = layer.outputs.len() / (2 * units);
            let read = if direction == 0 { 0..n - 1 } else { 1..n };
            given.resize(given.len() + if direction == 0 { units } else { 0 }, 0.0);
            own.skip(read.start).take(read.len()).for_each(|row| given.extend_from_slice(row));
            given.resize(given.len() + if direction == 0 { 0 } else { units }, 0.0);
        }
        given
    }
}
