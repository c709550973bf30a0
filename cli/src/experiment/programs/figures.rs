//! Record of one measurement: a line of JSON.

use std::collections::BTreeSet;

use super::Used;
use serde::{Deserialize, Serialize};
use treebeam::learn::IterationReport;
use treebeam_lab::experiment::{Provenance, Stored};
use treebeam_lab::report::document::TableCell;

/// A measurement that is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Checksum of the step, the options and the data.
    pub key: String,
    /// The step, for readers.
    pub step: String,
    /// Code and machine.
    pub provenance: Provenance,
    /// Processes that wanted to run before the measurement, averaged over a minute; only on Linux. Above 0 other
    /// programs were disturbing.
    pub load_before: Option<f64>,
    /// Results.
    pub figures: Figures,
}

/// Results of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Figures {
    /// Of training.
    Training(TrainingFigures),
    /// Of parsing.
    Parsing(ParsingFigures),
}

/// Cost of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingFigures {
    /// The whole process.
    pub used: Used,
    /// The iterations.
    pub iterations: Vec<IterationReport>,
    /// Features in the model.
    pub features: u64,
    /// Weights in the model.
    pub weights: u64,
    /// The size of the model file.
    pub model_bytes: u64,
    /// Peak memory of the process.
    pub peak_rss_bytes: Option<u64>,
}

/// Cost of parsing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParsingFigures {
    /// Sentences of the file.
    pub sentences: u64,
    /// Words of the file.
    pub tokens: u64,
    /// Number of copies that were parsed in the longer runs.
    pub copies: u64,
    /// The repetitions.
    pub runs: Vec<Repetition>,
    /// SHA-256 of the parsed file.
    pub output_sha256: String,
    /// Scores of the test file; none for joined sentences.
    pub scores: Option<TestScores>,
}

/// One repetition.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// Parsing the file once.
    pub one: Used,
    /// Parsing all copies.
    pub many: Used,
    /// Loading the model, by the clock, as the program says.
    pub load_s: f64,
    /// Peak memory of the process, parsing all copies.
    pub peak_rss_bytes: Option<u64>,
}

/// Scores, punctuation included, full labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TestScores {
    /// Words that were scored.
    pub tokens: u64,
    /// Those with the right head.
    pub heads: u64,
    /// Those with the right head and label.
    pub labelled: u64,
}

/// The middle of some figures, and their ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianRange {
    /// The median; of an even number the mean of the middle two.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Stored for Measurement {
    fn key(&self) -> &str {
        &self.key
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn seconds(&self) -> f64 {
        match &self.figures {
            Figures::Training(figures) => figures.used.wall_s,
            Figures::Parsing(figures) => figures.runs.iter().map(|run| run.one.wall_s + run.many.wall_s).sum(),
        }
    }
}

impl TestScores {
    /// The unlabelled attachment score, in percent.
    pub fn uas(&self) -> f64 {
        100.0 * self.heads as f64 / self.tokens as f64
    }

    /// The labelled attachment score, in percent.
    pub fn las(&self) -> f64 {
        100.0 * self.labelled as f64 / self.tokens as f64
    }
}

impl MedianRange {
    /// Of figures that are finite; none if there is no such figure.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<MedianRange> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let n = values.len();
        Some(MedianRange { median: (values[(n - 1) / 2] + values[n / 2]) / 2.0, least, most })
    }
}

impl ParsingFigures {
    /// One figure over the repetitions.
    pub fn over(&self, figure: impl Fn(&Repetition) -> f64) -> Option<MedianRange> {
        MedianRange::of(self.runs.iter().map(figure))
    }

    /// Seconds by the clock for one copy, without starting and loading.
    pub fn wall_s(&self, run: &Repetition) -> f64 {
        positive((run.many.wall_s - run.one.wall_s) / (self.copies - 1) as f64)
    }

    /// Seconds of the processor for one copy, without starting and loading.
    pub fn cpu_s(&self, run: &Repetition) -> f64 {
        positive((run.many.cpu_s - run.one.cpu_s) / (self.copies - 1) as f64)
    }

    /// Seconds of the processor for one word, in microseconds.
    pub fn cpu_us_per_token(&self) -> Option<MedianRange> {
        self.over(|run| 1e6 * self.cpu_s(run) / self.tokens as f64)
    }
}

/// Bytes as a cell of megabytes.
pub fn megabytes(bytes: Option<u64>, digits: usize) -> TableCell {
    TableCell::number(bytes.map(|bytes| bytes as f64 / 1e6), digits)
}

/// Texts of records' provenance, each once.
pub fn distinct<'r, R: 'r>(records: &[&'r R], of: impl Fn(&'r R) -> String) -> String {
    let texts: BTreeSet<String> = records.iter().map(|record| of(record)).collect();
    Vec::from_iter(texts).join("; ")
}

/// The machines that records were made on.
pub fn machines<R: Stored>(records: &[&R]) -> String {
    distinct(records, |record| {
        let host = &record.provenance().host;
        format!("{} ({} cores)", host.cpu, host.cores)
    })
}

/// A difference of times, which noise can turn below nothing where the times are short: then it is no figure.
fn positive(seconds: f64) -> f64 {
    if seconds > 0.0 { seconds } else { f64::NAN }
}
