//! Tape of a sentence, from which its gradients are made: the activations of each configuration, and the gradient of the loss in its
//! scores.

use std::sync::Arc;

use super::score::{FeedForwardMemory, Hidden};
use super::sentence::SentenceTokens;
use super::stack_lstm::StackTape;

/// Configurations of one sentence with the gradients of their scores.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    /// Its tokens.
    pub(super) sentence: Arc<SentenceTokens>,
    /// By configuration and place: the row of a token.
    pub(super) tokens: Vec<u32>,
    /// By configuration and place: the row of a label.
    pub(super) labels: Vec<u32>,
    /// By configuration: activations, and their derivatives by their sums.
    pub(super) units: Vec<f32>,
    pub(super) slopes: Vec<f32>,
    /// By configuration: the gradient of each output.
    pub(super) scores: Vec<f32>,
    /// Number of configurations.
    pub(super) n: usize,
    /// Tape of networks with stacks.
    pub(super) stacks: StackTape,
}

impl Tape {
    /// By token of the sentence: what the hidden layer reads.
    pub(super) fn vectors(&self) -> &[f32] {
        self.sentence.vectors()
    }

    /// Adds a configuration of the sentence that `memory` knows. `scores` are gradients by output, of `width` outputs.
    pub(super) fn record(
        &mut self,
        memory: &FeedForwardMemory,
        (tokens, labels): (&[u32], &[u32]),
        hidden: &Hidden,
        (scores, width): (&[(u32, f32)], usize),
    ) {
        if self.n == 0 {
            self.sentence = Arc::clone(&memory.sentence);
        }
        self.tokens.extend_from_slice(tokens);
        self.labels.extend_from_slice(labels);
        self.units.extend_from_slice(&hidden.units);
        self.slopes.extend_from_slice(&hidden.slopes);
        let start = self.scores.len();
        self.scores.resize(start + width, 0.0);
        for &(output, gradient) in scores {
            self.scores[start + output as usize] += gradient;
        }
        self.n += 1;
    }
}
