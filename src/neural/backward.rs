//! From the gradients of scores to those of parameters: the backward pass over a mini-batch.
//!
//! With z the sums of hidden units, h their activations, s = W h + b the scores, T the products of tokens and their places' weights
//! (see [`score`](super::score)):
//!
//! ```text
//! dW = dsᵀ h    dh = Wᵀ ds    dz = dh · h'(z)    dT[token, place] += dz    dW_place = vᵀ dT    dv = dT W_placeᵀ
//! ```
//!
//! An encoder then goes from dv to its parameters and to embeddings ([`through_time`](super::through_time)).
//!
//! Sentences come in their order, and all products are split by their results alone: no sum depends on the number of threads.

use rayon::prelude::*;

use super::encoder::{Layer, Shape};
use super::kernel::{Operand, add, multiply, share, sum_of_rows, transpose};
use super::layout::Layout;
use super::parameters::{
    BIAS, ENCODER_BIAS, ENCODER_INPUTS, ENCODER_NONE, ENCODER_RECURRENT, LABEL_PLACES, LABELS, N_TENSORS, OUTPUT,
    OUTPUT_BIAS, PLACES, Parameters,
};
use super::stack_lstm;
use super::tape::Tape;
use super::through_time::backward;
use crate::features::N_COLUMNS;

/// The gradients of all parameters.
#[derive(Debug, Clone, Default)]
pub struct Gradients {
    /// By tensor; of embeddings of columns, only rows that were read, in the order of `rows`.
    pub tensors: [Vec<f32>; N_TENSORS],
    /// By column: the rows that were read.
    pub rows: [Vec<u32>; N_COLUMNS],
}

/// Network of the gradients: its layout and parameters, and the lanes of scores.
type Of<'o> = (&'o Layout, &'o Parameters, usize);

/// Concatenation of one part of all tapes, times `scale`.
fn together(tapes: &[&Tape], part: fn(&Tape) -> &[f32], scale: f32) -> Vec<f32> {
    let mut all = tapes.iter().map(|tape| part(tape)).collect::<Vec<_>>().concat();
    if scale != 1.0 {
        all.iter_mut().for_each(|x| *x *= scale);
    }
    all
}

/// No number yet.
const NONE: u32 = u32::MAX;

impl Gradients {
    /// The gradients of what the tapes say, times `scale`.
    pub fn new((layout, parameters, lanes): Of, tapes: &[Tape], scale: f32) -> Gradients {
        let hidden = layout.network.hidden;
        let tapes: Vec<&Tape> = tapes.iter().filter(|tape| tape.n > 0).collect();
        let n: usize = tapes.iter().map(|tape| tape.n).sum();
        let scores = together(&tapes, |tape| &tape.scores, scale);
        let mut sums = together(&tapes, |tape| &tape.slopes, 1.0);
        let mut gradients = Gradients::default();
        gradients.of_scores((hidden, lanes), &tapes, &scores);
        let mut weights = Vec::new();
        transpose(&parameters.tensors[OUTPUT], hidden, lanes, &mut weights);
        let by = share(n);
        sums.par_chunks_mut(by * hidden).zip(scores.par_chunks(by * lanes)).for_each(|(sums, scores)| {
            let n = sums.len() / hidden;
            let mut units = vec![0.0; n * hidden];
            multiply(Operand::rows(scores, lanes), &weights, &mut units, (n, lanes, hidden));
            sums.iter_mut().zip(&units).for_each(|(slope, unit)| *slope *= unit);
        });
        gradients.tensors[BIAS] = sum_of_rows(&sums, hidden);

        let of_embeddings = match stack_lstm::Shape::of(&layout.network) {
            Some(shape) => gradients.of_stacks((shape, &layout.network), parameters, &tapes, &sums),
            None => {
                gradients.of_labels(layout, parameters, &tapes, &sums);
                gradients.of_tokens(layout, parameters, &tapes, &sums)
            }
        };
        gradients.of_values(layout, parameters, &tapes, of_embeddings);
        gradients
    }

    fn of_labels(&mut self, layout: &Layout, parameters: &Parameters, tapes: &[&Tape], sums: &[f32]) {
        let network = &layout.network;
        let (dimension, hidden, n_places) = (network.label_dimension, network.hidden, network.labels.len());
        let labels = &parameters.tensors[LABELS];
        let n_labels = labels.len() / dimension;
        let all: Vec<u32> = tapes.iter().flat_map(|tape| tape.labels.iter().copied()).collect();
        let of_place = |place: usize| {
            let mut products = vec![0.0; n_labels * hidden];
            for (read, sums) in all.chunks_exact(n_places).zip(sums.chunks_exact(hidden)) {
                add(&mut products[read[place] as usize * hidden..][..hidden], sums);
            }
            let weights = &parameters.tensors[LABEL_PLACES][place * dimension * hidden..][..dimension * hidden];
            let mut of_weights = vec![0.0; dimension * hidden];
            multiply(Operand::transposed(labels, dimension), &products, &mut of_weights, (dimension, n_labels, hidden));
            let mut transposed = Vec::new();
            transpose(weights, dimension, hidden, &mut transposed);
            let mut of_labels = vec![0.0; labels.len()];
            let products = Operand::rows(&products, hidden);
            multiply(products, &transposed, &mut of_labels, (n_labels, hidden, dimension));
            (of_weights, of_labels)
        };
        let of_places: Vec<(Vec<f32>, Vec<f32>)> = (0..n_places).into_par_iter().map(of_place).collect();
        self.tensors[LABELS] = vec![0.0; labels.len()];
        for (of_weights, of_labels) in of_places {
            self.tensors[LABEL_PLACES].extend(of_weights);
            add(&mut self.tensors[LABELS], &of_labels);
        }
    }

    /// The gradients in tokens' embeddings.
    fn of_tokens(&mut self, layout: &Layout, parameters: &Parameters, tapes: &[&Tape], sums: &[f32]) -> Vec<f32> {
        let network = &layout.network;
        let (dimension, hidden, n_places) = (network.vector_dimension(), network.hidden, network.places.len());
        // Tokens of all sentences, one after the other.
        let mut n_tokens = 0;
        let mut all: Vec<u32> = Vec::new();
        for tape in tapes {
            all.extend(tape.tokens.iter().map(|token| token + n_tokens));
            n_tokens += tape.sentence.ids[0].len() as u32;
        }
        let vectors: Vec<f32> = tapes.iter().map(|tape| tape.vectors()).collect::<Vec<_>>().concat();
        let of_place = |place: usize| {
            let mut numbers = vec![NONE; n_tokens as usize];
            let mut tokens: Vec<u32> = Vec::new();
            let mut products: Vec<f32> = Vec::new();
            for (read, sums) in all.chunks_exact(n_places).zip(sums.chunks_exact(hidden)) {
                let token = read[place];
                match numbers[token as usize] {
                    NONE => {
                        numbers[token as usize] = tokens.len() as u32;
                        tokens.push(token);
                        products.extend_from_slice(sums);
                    }
                    number => add(&mut products[number as usize * hidden..][..hidden], sums),
                }
            }
            let read = |&token: &u32| &vectors[token as usize * dimension..][..dimension];
            let read: Vec<f32> = tokens.iter().map(read).collect::<Vec<_>>().concat();
            let n = tokens.len();
            let mut of_weights = vec![0.0; dimension * hidden];
            multiply(Operand::transposed(&read, dimension), &products, &mut of_weights, (dimension, n, hidden));
            let weights = &parameters.tensors[PLACES][place * dimension * hidden..][..dimension * hidden];
            let mut transposed = Vec::new();
            transpose(weights, dimension, hidden, &mut transposed);
            let mut of_tokens = vec![0.0; n * dimension];
            multiply(Operand::rows(&products, hidden), &transposed, &mut of_tokens, (n, hidden, dimension));
            (of_weights, tokens, of_tokens)
        };
        let of_places: Vec<(Vec<f32>, Vec<u32>, Vec<f32>)> = (0..n_places).into_par_iter().map(of_place).collect();
        let mut of_vectors = vec![0.0; vectors.len()];
        for (of_weights, tokens, of_tokens) in of_places {
            self.tensors[PLACES].extend(of_weights);
            for (&token, row) in tokens.iter().zip(of_tokens.chunks_exact(dimension)) {
                add(&mut of_vectors[token as usize * dimension..][..dimension], row);
            }
        }
        match Shape::of(network) {
            Some(shape) => self.of_encoder(shape, parameters, tapes, &of_vectors),
            None => of_vectors,
        }
    }

    /// From embeddings of tokens to those of their values, past what noise left out.
    fn of_values(&mut self, layout: &Layout, parameters: &Parameters, tapes: &[&Tape], mut of_embeddings: Vec<f32>) {
        let mut start = 0;
        for tape in tapes {
            let length = tape.sentence.embeddings.len();
            tape.sentence.noise.mask(&mut of_embeddings[start..start + length]);
            start += length;
        }
        self.of_columns(layout, parameters, tapes, &of_embeddings);
    }

    /// The gradients of the output layer alone.
    pub fn of_output((layout, _, lanes): Of, tapes: &[Tape], scale: f32) -> Gradients {
        let tapes: Vec<&Tape> = tapes.iter().filter(|tape| tape.n > 0).collect();
        let scores = together(&tapes, |tape| &tape.scores, scale);
        let mut gradients = Gradients::default();
        gradients.of_scores((layout.network.hidden, lanes), &tapes, &scores);
        gradients
    }

    /// From scores to the output layer.
    fn of_scores(&mut self, (hidden, lanes): (usize, usize), tapes: &[&Tape], scores: &[f32]) {
        let units = together(tapes, |tape| &tape.units, 1.0);
        let n = scores.len() / lanes;
        let mut output = vec![0.0; hidden * lanes];
        let by = share(hidden);
        output.par_chunks_mut(by * lanes).enumerate().for_each(|(number, output)| {
            let first = number * by;
            let units = Operand { values: &units[first.min(units.len())..], row: 1, column: hidden };
            multiply(units, scores, output, (output.len() / lanes, n, lanes));
        });
        self.tensors[OUTPUT] = output;
        self.tensors[OUTPUT_BIAS] = sum_of_rows(scores, lanes);
    }

    /// From the vectors of tokens to their embeddings.
    fn of_encoder(&mut self, shape: Shape, parameters: &Parameters, tapes: &[&Tape], of_vectors: &[f32]) -> Vec<f32> {
        let width = shape.outputs();
        let mut of_none = vec![0.0; width];
        let mut of_outputs = Vec::with_capacity(of_vectors.len());
        let mut rest = of_vectors;
        for tape in tapes {
            let (own, after) = rest.split_at(tape.vectors().len());
            let (none, words) = own.split_at(width);
            add(&mut of_none, none);
            of_outputs.extend_from_slice(words);
            rest = after;
        }
        let layers: Vec<&[Layer]> = tapes
            .iter()
            .map(|tape| tape.sentence.encoded.as_ref().map_or(&[][..], |encoded| &encoded.layers))
            .collect();
        let noise =
            |sentence: usize, layer: usize, of: &mut [f32]| tapes[sentence].sentence.noise.mask_within(layer, of);
        let of = backward(shape, parameters.encoder(), &layers, of_outputs, noise);
        self.tensors[ENCODER_INPUTS] = of.inputs;
        self.tensors[ENCODER_RECURRENT] = of.recurrent;
        self.tensors[ENCODER_BIAS] = of.bias;
        self.tensors[ENCODER_NONE] = of_none;
        // The encoder does not read what stands for no token.
        let mut of_embeddings = Vec::with_capacity(of.embeddings.len() + tapes.len() * shape.inputs);
        let mut rest = &of.embeddings[..];
        for tape in tapes {
            let (own, after) = rest.split_at(tape.sentence.embeddings.len() - shape.inputs);
            of_embeddings.extend(std::iter::repeat_n(0.0, shape.inputs));
            of_embeddings.extend_from_slice(own);
            rest = after;
        }
        of_embeddings
    }

    /// From embeddings of tokens to those of their values.
    fn of_columns(&mut self, layout: &Layout, parameters: &Parameters, tapes: &[&Tape], of_embeddings: &[f32]) {
        let dimensions = &layout.network.dimensions;
        let dimension = layout.network.dimension();
        let mut start = 0;
        for (column, &n) in dimensions.iter().enumerate().filter(|(_, n)| **n > 0) {
            let ids = tapes.iter().flat_map(|tape| &tape.sentence.ids[column]).copied();
            let rows = of_embeddings.chunks_exact(dimension).map(|row| &row[start..start + n]);
            let n_rows = parameters.tensors[column].len() / n;
            (self.rows[column], self.tensors[column]) = of_column(n_rows, ids.zip(rows));
            start += n;
        }
    }

    /// Makes the norm of all gradients together at most this.
    pub fn clip(&mut self, longest: f64) {
        let norm = norm(&self.tensors);
        if norm > longest {
            let factor = (longest / norm) as f32;
            self.tensors.iter_mut().flatten().for_each(|gradient| *gradient *= factor);
        }
    }
}

/// The gradients in those of a column's `n_rows` embeddings that were read, by value and gradient of each token: the numbers of the rows,
/// in the order in which they came first, and what is asked of each.
pub fn of_column<'g>(n_rows: usize, read: impl Iterator<Item = (u32, &'g [f32])>) -> (Vec<u32>, Vec<f32>) {
    let mut numbers = vec![NONE; n_rows];
    let (mut rows, mut gradients) = (Vec::new(), Vec::new());
    for (id, gradient) in read {
        match numbers[id as usize] {
            NONE => {
                numbers[id as usize] = rows.len() as u32;
                rows.push(id);
                gradients.extend_from_slice(gradient);
            }
            number => add(&mut gradients[number as usize * gradient.len()..][..gradient.len()], gradient),
        }
    }
    (rows, gradients)
}

/// The length of all gradients together.
pub fn norm(tensors: &[Vec<f32>]) -> f64 {
    tensors.iter().map(|tensor| squared_norm(tensor)).sum::<f64>().sqrt()
}

/// The sum of squares, sixteen of them side by side.
fn squared_norm(numbers: &[f32]) -> f64 {
    const LANES: usize = 16;
    let mut sums = [0.0_f64; LANES];
    let (blocks, rest) = numbers.as_chunks::<LANES>();
    crate::vector::vectorised!(_simd => {
        for block in blocks {
            sums.iter_mut().zip(block).for_each(|(sum, &x)| *sum += f64::from(x) * f64::from(x));
        }
    });
    let rest: f64 = rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    sums.iter().sum::<f64>() + rest
}
