//! The tokens of a sentence as networks read them.

use super::encoder::Layer;
use super::kernel::add;
use super::noise::{Noise, SentenceNoise};
use super::parameters::Parameters;
use crate::features::{Input, N_COLUMNS, Sets};
use crate::tree::Node;

/// The tokens of a sentence: for scorers of transitions none, the root, the words; for graph-based ones the root and the words.
#[derive(Debug, Clone, Default)]
pub struct SentenceTokens {
    /// By column: the numbers of their values, or of sets of them.
    pub ids: [Vec<u32>; N_COLUMNS],
    /// These sets.
    pub sets: Sets,
    /// By token: its embedding.
    pub embeddings: Vec<f32>,
    /// Output of the encoder for these, if there is one.
    pub encoded: Option<Encoded>,
    /// Dropout masks of the sentence, in training.
    pub noise: Option<SentenceNoise>,
}

/// Output of an encoder for a sentence.
#[derive(Debug, Clone, Default)]
pub struct Encoded {
    /// Of the root and the words.
    pub layers: Vec<Layer>,
    /// By token: a vector; that of no token is a parameter of its own.
    pub vectors: Vec<f32>,
}

impl SentenceTokens {
    /// The numbers of these tokens' values, and the dropout that `noise` has for the sentence.
    pub fn new(input: &Input, tokens: impl Iterator<Item = Node> + Clone, noise: Option<&Noise>) -> SentenceTokens {
        let mut ids = std::array::from_fn(|column| tokens.clone().map(|token| input.id(column, token)).collect());
        let mut sets = input.sets().clone();
        let of_sentence = noise.map(|noise| noise.of_sentence(input));
        if let (Some(noise), Some(of_sentence)) = (noise, &of_sentence) {
            let columns = ids.iter_mut().enumerate();
            columns.for_each(|(column, ids): (usize, &mut Vec<u32>)| {
                noise.forget_rare(of_sentence, column, ids, &mut sets);
            });
        }
        SentenceTokens { ids, sets, noise: of_sentence, ..SentenceTokens::default() }
    }

    /// The numbers of a token's values in a column.
    pub fn values(&self, column: usize, token: usize) -> &[u32] {
        self.sets.values(column, &self.ids[column][token])
    }

    /// The number of tokens.
    pub fn n_tokens(&self) -> usize {
        self.ids[0].len()
    }

    /// Fills in the embeddings of tokens, those of their values side by side, of which `dimensions` are the lengths. That of a set is the
    /// sum of its values'.
    pub fn embed(&mut self, parameters: &Parameters, dimensions: &[usize; N_COLUMNS]) {
        let mut embeddings = Vec::with_capacity(self.n_tokens() * dimensions.iter().sum::<usize>());
        for token in 0..self.n_tokens() {
            for (column, (table, &n)) in parameters.tensors.iter().zip(dimensions).enumerate() {
                let (start, embedding) = (embeddings.len(), |value: u32| &table[value as usize * n..][..n]);
                let mut values = self.values(column, token).iter().copied();
                embeddings.extend(values.next().into_iter().flat_map(embedding));
                values.for_each(|value| add(&mut embeddings[start..], embedding(value)));
            }
        }
        self.mask(&mut embeddings);
        self.embeddings = embeddings;
    }

    /// By token: what the encoder makes of its embedding, or this itself.
    pub fn vectors(&self) -> &[f32] {
        self.encoded.as_ref().map_or(&self.embeddings, |encoded| &encoded.vectors)
    }

    /// Activations in the layers of the encoder.
    pub fn layers(&self) -> &[Layer] {
        self.encoded.as_ref().map_or(&[], |encoded| &encoded.layers)
    }

    /// Leaves out numbers of embeddings, as [`SentenceNoise::mask`] does, if there is noise.
    pub fn mask(&self, numbers: &mut [f32]) {
        if let Some(noise) = &self.noise {
            noise.mask(numbers);
        }
    }

    /// The same as [`SentenceNoise::mask_within`], if there is noise.
    pub fn mask_within(&self, layer: usize, numbers: &mut [f32]) {
        if let Some(noise) = &self.noise {
            noise.mask_within(layer, numbers);
        }
    }
}
