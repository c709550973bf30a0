//! Sentence length limits: where time and memory may be quadratic in the words, there is a limit, and the error says
//! what to do.

use super::SystemKind;
use crate::error::Result;
use crate::treebank::{Words, check_length};

/// The most words of a sentence where time or memory may be quadratic in them. Sentences of treebanks have half as many at most.
pub const MAX_WORDS_IF_QUADRATIC: usize = 1024;

impl SystemKind {
    /// Refuses sentences that are too long to be parsed.
    ///
    /// # Errors
    /// If the sentence is.
    pub fn check_length(self, sentence: &dyn Words) -> Result<()> {
        self.check(sentence, self.info().max_words, "whose derivations may be")
    }

    /// Refuses sentences that are too long for the oracle.
    ///
    /// # Errors
    /// If the sentence is.
    pub fn check_training_length(self, sentence: &dyn Words) -> Result<()> {
        self.check(sentence, self.info().max_training_words, "whose oracle may take")
    }

    fn check(self, sentence: &dyn Words, most: usize, what: &str) -> Result<()> {
        check_length(sentence, most, || {
            format!(
                "at most {most} for {self}, {what} as long as the square of that; `treebeam treebank convert --cut 1000` divides it"
            )
        })
    }
}
