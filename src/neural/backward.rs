//! The backward pass over a mini-batch: gradients of parameters from those of scores.
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

use super::encoder::{EncoderShape, Layer};
use super::gradients::{Gradients, of_column};
use super::kernel::{Operand, add, of_rows, of_weights, sum_of_rows};
use super::layout::Layout;
use super::parameters::Parameters;
use super::sentence::SentenceTokens;
use super::stack_lstm;
use super::tape::Tape;
use super::tensors::{
    BIAS, ENCODER_BIAS, ENCODER_INPUTS, ENCODER_NONE, ENCODER_RECURRENT, LABEL_PLACES, LABELS, N_TENSORS, OUTPUT,
    OUTPUT_BIAS, PLACES,
};
use super::through_time::backward;
use crate::parallel;

/// Concatenation of one part of all tapes, times `scale`.
fn together(tapes: &[&Tape], part: fn(&Tape) -> &[f32], scale: f32) -> Vec<f32> {
    let mut all = tapes.iter().map(|tape| part(tape)).collect::<Vec<_>>().concat();
    if scale != 1.0 {
        all.iter_mut().for_each(|x| *x *= scale);
    }
    all
}

impl Gradients {
    /// The gradients of what the tapes say, times `scale`.
    pub fn new(layout: &Layout, parameters: &Parameters, tapes: &[Tape], scale: f32) -> Gradients {
        let tapes: Vec<&Tape> = tapes.iter().filter(|tape| tape.n > 0).collect();
        let (mut gradients, scores) = Gradients::of_scores(parameters, &tapes, scale);
        let (hidden, n_outputs) = (layout.network.hidden, parameters.tensors[OUTPUT_BIAS].len());
        let mut sums = together(&tapes, |tape| &tape.slopes, 1.0);
        let units = of_rows(&scores, &parameters.tensors[OUTPUT], (hidden, n_outputs));
        sums.iter_mut().zip(&units).for_each(|(slope, unit)| *slope *= unit);
        gradients.tensors[BIAS] = sum_of_rows(&sums, hidden);

        let of_embeddings = match stack_lstm::StackShape::of(&layout.network) {
            Some(shape) => gradients.of_stacks((shape, &layout.network), parameters, &tapes, &sums),
            None => {
                gradients.of_labels(layout, parameters, &tapes, &sums);
                gradients.of_tokens(layout, parameters, &tapes, &sums)
            }
        };
        let sentences: Vec<&SentenceTokens> = tapes.iter().map(|tape| &*tape.sentence).collect();
        gradients.of_columns(parameters, &layout.network.dimensions, &sentences, of_embeddings);
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
            let of_weights = of_weights(Operand::rows(labels, dimension), dimension, &products, hidden);
            (of_weights, of_rows(&products, weights, (dimension, hidden)))
        };
        let of_places = parallel::map(n_places, of_place);
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
            n_tokens += tape.sentence.n_tokens() as u32;
        }
        let vectors: Vec<f32> = tapes.iter().map(|tape| tape.vectors()).collect::<Vec<_>>().concat();
        let of_place = |place: usize| {
            let read = all.chunks_exact(n_places).map(|read| read[place]).zip(sums.chunks_exact(hidden));
            let (tokens, products) = of_column(n_tokens as usize, read);
            let read = |&token: &u32| &vectors[token as usize * dimension..][..dimension];
            let read: Vec<f32> = tokens.iter().map(read).collect::<Vec<_>>().concat();
            let of_weights = of_weights(Operand::rows(&read, dimension), dimension, &products, hidden);
            let weights = &parameters.tensors[PLACES][place * dimension * hidden..][..dimension * hidden];
            (of_weights, tokens, of_rows(&products, weights, (dimension, hidden)))
        };
        let of_places = parallel::map(n_places, of_place);
        let mut of_vectors = vec![0.0; vectors.len()];
        for (of_weights, tokens, of_tokens) in of_places {
            self.tensors[PLACES].extend(of_weights);
            for (&token, row) in tokens.iter().zip(of_tokens.chunks_exact(dimension)) {
                add(&mut of_vectors[token as usize * dimension..][..dimension], row);
            }
        }
        match EncoderShape::of(network) {
            Some(shape) => self.of_encoder(shape, parameters, tapes, &of_vectors),
            None => of_vectors,
        }
    }

    /// The gradients of the output layer alone.
    pub fn of_output(parameters: &Parameters, tapes: &[Tape], scale: f32) -> Gradients {
        Gradients::of_scores(parameters, &tapes.iter().filter(|tape| tape.n > 0).collect::<Vec<&Tape>>(), scale).0
    }

    /// Gradients of the output layer, and of the scores.
    fn of_scores(parameters: &Parameters, tapes: &[&Tape], scale: f32) -> (Gradients, Vec<f32>) {
        let (hidden, n_outputs) = (parameters.tensors[BIAS].len(), parameters.tensors[OUTPUT_BIAS].len());
        let scores = together(tapes, |tape| &tape.scores, scale);
        let units = together(tapes, |tape| &tape.units, 1.0);
        let mut gradients = Gradients::none(N_TENSORS);
        gradients.tensors[OUTPUT] = of_weights(Operand::rows(&units, hidden), hidden, &scores, n_outputs);
        gradients.tensors[OUTPUT_BIAS] = sum_of_rows(&scores, n_outputs);
        (gradients, scores)
    }

    /// Gradients of tokens' embeddings from those of their vectors.
    fn of_encoder(
        &mut self,
        shape: EncoderShape,
        parameters: &Parameters,
        tapes: &[&Tape],
        of_vectors: &[f32],
    ) -> Vec<f32> {
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
        let layers: Vec<&[Layer]> = tapes.iter().map(|tape| tape.sentence.layers()).collect();
        let noise = |sentence: usize, layer: usize, of: &mut [f32]| tapes[sentence].sentence.mask_within(layer, of);
        let of = backward(shape, parameters.lstms(ENCODER_INPUTS), &layers, of_outputs, noise);
        self.tensors[ENCODER_INPUTS] = of.inputs;
        self.tensors[ENCODER_RECURRENT] = of.recurrent;
        self.tensors[ENCODER_BIAS] = of.bias;
        self.tensors[ENCODER_NONE] = of_none;
        // The encoder does not read row 0, which is no token.
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
}
