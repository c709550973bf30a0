//! Where an experiment calls training, decoding and scoring: the only file here that knows them.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::record::Epoch;
use super::spec::Measure;
use crate::error::{Error, Result};

/// What runs cells. Clocks, locks and records are not its business, see [`super::measure`].
pub trait Engine: Sync {
    /// A trained model with the data that it is to be decoded on.
    type Trained;
    /// Parsed sentences.
    type Parsed;

    /// Reads the cell's data and trains, on one thread.
    ///
    /// # Errors
    /// If the data cannot be read or the options do not fit them.
    fn train(&self, cell: &Cell) -> Result<Self::Trained>;

    /// The iterations, the number of the kept one (from 1), and the number of features with weights.
    fn history(&self, trained: &Self::Trained) -> (Vec<Epoch>, u32, u64);

    /// Parses one portion with a beam of `width` on one thread. Only this is timed.
    fn parse(&self, trained: &Self::Trained, on: Evaluated, width: usize) -> Self::Parsed;

    /// Scores what [`Engine::parse`] gave for the portion, sentence by sentence.
    fn score(&self, trained: &Self::Trained, on: Evaluated, parsed: &Self::Parsed) -> Vec<SentenceScore>;
}

/// A portion that is parsed and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// The test data.
    Test,
    /// The development data.
    Dev,
}

/// The counts of one sentence under both rules for punctuation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SentenceScore {
    /// All words.
    pub with_punctuation: Counts,
    /// All words but punctuation.
    pub without_punctuation: Counts,
}

/// The engine of this library.
#[derive(Debug, Clone, Copy, Default)]
pub struct Treebeam;

impl Engine for Treebeam {
    type Trained = std::convert::Infallible;
    type Parsed = std::convert::Infallible;

    fn train(&self, cell: &Cell) -> Result<Self::Trained> {
        Err(Error::Usage(format!("{}: this build holds no trainer", cell.title())))
    }

    fn history(&self, trained: &Self::Trained) -> (Vec<Epoch>, u32, u64) {
        match *trained {}
    }

    fn parse(&self, trained: &Self::Trained, _: Evaluated, _: usize) -> Self::Parsed {
        match *trained {}
    }

    fn score(&self, trained: &Self::Trained, _: Evaluated, _: &Self::Parsed) -> Vec<SentenceScore> {
        match *trained {}
    }
}

/// Correct heads and labels among scored words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Sentences.
    pub sentences: u64,
    /// Words that are scored.
    pub tokens: u64,
    /// Words with the right head.
    pub heads: u64,
    /// Words with the right label, whatever their heads.
    pub labels: u64,
    /// Words with the right head and label.
    pub labelled: u64,
    /// Sentences in which every scored word has the right head.
    pub exact_heads: u64,
    /// Sentences in which every scored word has the right head and label.
    pub exact_labelled: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.heads += other.heads;
        self.labels += other.labels;
        self.labelled += other.labelled;
        self.exact_heads += other.exact_heads;
        self.exact_labelled += other.exact_labelled;
    }
}

/// The score of `counts` in percent.
pub fn percent(counts: &Counts, measure: Measure) -> f64 {
    100.0 * correct(counts, measure) as f64 / counts.tokens as f64
}

fn correct(counts: &Counts, measure: Measure) -> u64 {
    match measure {
        Measure::Las => counts.labelled,
        Measure::Uas => counts.heads,
    }
}

/// How many times outputs are swapped at random: the number that Yeh's test is usually run with.
pub const SAMPLES: usize = 10_000;

/// The p-value of the difference between two outputs, given sentence by sentence: paired approximate randomisation (Yeh
/// 2000), two-sided, p = (at least as large + 1) / (samples + 1).
pub fn significance(a: &[Counts], b: &[Counts], measure: Measure) -> f64 {
    // Both outputs are of the same words, so the difference of the scores is that of the numbers of correct words.
    let differences: Vec<i64> = a
        .iter()
        .zip(b)
        .map(|(a, b)| correct(a, measure) as i64 - correct(b, measure) as i64)
        .filter(|&d| d != 0)
        .collect();
    let observed = differences.iter().sum::<i64>().abs();
    let mut rng = crate::random::stream(1, "significance", &[]);
    let mut at_least = 0;
    for _ in 0..SAMPLES {
        let total: i64 = differences.iter().map(|&d| if crate::random::below(2, &mut rng) == 0 { d } else { -d }).sum();
        at_least += usize::from(total.abs() >= observed);
    }
    (at_least + 1) as f64 / (SAMPLES + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(labelled: &[u64]) -> Vec<Counts> {
        labelled.iter().map(|&labelled| Counts { sentences: 1, tokens: 9, labelled, ..Counts::default() }).collect()
    }

    #[test]
    fn significance_is_close_to_the_exact_test() {
        let (a, b) = (counts(&[5, 6, 7, 4, 5]), counts(&[4, 4, 6, 3, 4]));
        // All five differences have the same sign, so 2 of the 32 assignments of signs are as extreme.
        assert!((significance(&a, &b, Measure::Las) - 2.0 / 32.0).abs() < 0.01);
        assert_eq!(significance(&a, &a, Measure::Las), 1.0);
    }
}
