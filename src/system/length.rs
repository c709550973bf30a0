//! How long sentences may be: where time and memory may be quadratic in the words, there is a limit, and the error says what to do.

use super::{System, SystemKind};
use crate::error::{Problem, Result};
use crate::tree::Roots;
use crate::treebank::Words;

/// Words of the longest sentence where time and memory may be quadratic in them. Sentences of treebanks have half as many at most.
pub const FEW: usize = 1024;

impl SystemKind {
    /// Whether sentences of such a length are parsed.
    ///
    /// # Errors
    /// If the sentence is too long.
    pub fn check_length(self, roots: Roots, sentence: &dyn Words) -> Result<()> {
        fn of<S: System>(_: &S) -> usize {
            S::MAX_WORDS
        }
        check_length(self, crate::with_system!(self, roots, |system| of(&system)), sentence, "whose derivations may be")
    }

    /// Whether the oracle is asked about sentences of such a length.
    ///
    /// # Errors
    /// If the sentence is too long.
    pub fn check_training_length(self, roots: Roots, sentence: &dyn Words) -> Result<()> {
        fn of<S: System>(_: &S) -> usize {
            S::MAX_TRAINING_WORDS
        }
        check_length(self, crate::with_system!(self, roots, |system| of(&system)), sentence, "whose oracle may take")
    }
}

fn check_length(system: SystemKind, most: usize, sentence: &dyn Words, what: &str) -> Result<()> {
    let n_words = sentence.n_words();
    if n_words <= most {
        return Ok(());
    }
    Err(Problem {
        location: sentence.location(),
        found: format!("a sentence of {n_words} words"),
        expected: format!(
            "at most {most} for {system}, {what} as long as the square of that; `treebeam treebank convert --cut 1000` divides it"
        ),
    }
    .into())
}
