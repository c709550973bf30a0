//! The gradients of a sentence, in the form in which they are handed on: what was seen of each configuration, and the gradient of
//! the loss in its scores.

use std::sync::Arc;

use super::noise::SentenceNoise;
use super::score::{Encoded, FeedForwardMemory, Hidden};
use crate::model::N_COLUMNS;

/// Configurations of one sentence with the gradients of their scores.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    /// See [`FeedForwardMemory`].
    pub(super) ids: [Vec<u32>; N_COLUMNS],
    pub(super) embeddings: Arc<Vec<f32>>,
    pub(super) encoded: Option<Arc<Encoded>>,
    pub(super) noise: SentenceNoise,
    /// By configuration and place: the row of a token.
    pub(super) tokens: Vec<u32>,
    /// By configuration and place: the row of a label.
    pub(super) labels: Vec<u32>,
    /// By configuration: activations, and by how much they grow with their sums.
    pub(super) units: Vec<f32>,
    pub(super) slopes: Vec<f32>,
    /// By configuration: the gradient of each lane.
    pub(super) scores: Vec<f32>,
    /// How many configurations there are.
    pub(super) n: usize,
}

impl Tape {
    /// By token of the sentence: what the hidden layer reads.
    pub(super) fn vectors(&self) -> &[f32] {
        self.encoded.as_ref().map_or(&self.embeddings, |encoded| &encoded.vectors)
    }

    /// Adds a configuration of the sentence that `memory` knows. `scores` are gradients by lane, of `width` lanes.
    pub(super) fn record(
        &mut self,
        memory: &FeedForwardMemory,
        (tokens, labels): (&[u32], &[u32]),
        hidden: &Hidden,
        (scores, width): (&[(u32, f32)], usize),
    ) {
        if self.n == 0 {
            self.ids.clone_from(&memory.ids);
            self.embeddings = Arc::clone(&memory.embeddings);
            self.encoded.clone_from(&memory.encoded);
            self.noise = memory.noise;
        }
        self.tokens.extend_from_slice(tokens);
        self.labels.extend_from_slice(labels);
        self.units.extend_from_slice(&hidden.units);
        self.slopes.extend_from_slice(&hidden.slopes);
        let start = self.scores.len();
        self.scores.resize(start + width, 0.0);
        for &(lane, gradient) in scores {
            self.scores[start + lane as usize] += gradient;
        }
        self.n += 1;
    }
}
