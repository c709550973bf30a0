//! What decides how a model parses.

use crate::decode::{Margin, SearchKind};
use crate::error::{Error, Result};

/// The widest beam, and the most trees of one sentence.
pub const MAX_BEAM: u64 = 1 << 20;
/// The most threads that are started.
pub const MAX_THREADS: u64 = 1024;

/// Words that are read before they are parsed together: enough to keep threads busy, little enough to stream.
pub const CHUNK_WORDS: usize = 1 << 14;

/// How to parse. What is `None` is as the model was trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParseOptions {
    /// In a beam or exactly.
    pub search: Option<SearchKind>,
    /// The width of the beam, 1 being greedy.
    pub beam: Option<usize>,
    /// Which items of a beam are left out for lagging behind; `None` is [`Margin::Auto`] where the one best tree is looked for in
    /// a beam that models are calibrated for, and otherwise [`Margin::None`].
    pub margin: Option<Margin>,
    /// Whether items of a beam that look the same to all features become one.
    pub merge: Option<bool>,
    /// The most trees of each sentence.
    pub k_best: usize,
    /// Threads; the trees do not depend on their number.
    pub threads: usize,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { search: None, beam: None, margin: None, merge: None, k_best: 1, threads: 1 }
    }
}

impl ParseOptions {
    /// Refuses numbers out of their ranges.
    ///
    /// # Errors
    /// The first of them, with the range.
    pub fn check(&self) -> Result<()> {
        let numbers = [
            ("beam", self.beam.unwrap_or(1), MAX_BEAM),
            ("k-best", self.k_best, MAX_BEAM),
            ("threads", self.threads, MAX_THREADS),
        ];
        match numbers.into_iter().find(|&(_, number, most)| !(1..=most).contains(&(number as u64))) {
            Some((name, number, most)) => {
                Err(Error::Usage(format!("--{name} {number}: expected a number from 1 to {most}")))
            }
            None => Ok(()),
        }
    }
}
