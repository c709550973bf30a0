//! Record of a finished cell: one line of JSON. Counts only; percentages are derived when tables are made.

use serde::{Deserialize, Serialize};

use super::data::Portion;
use super::digits;
use super::kind::Stored;
use super::provenance::Provenance;
use super::tags::Tagging;
use treebeam::diagnosis::{Diagnosis, Propagation};
use treebeam::eval::{Classes, Counts, Metric, Punctuation};
use treebeam::learn::Stop;
use treebeam::options::Options;

/// A finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The cell's key.
    pub key: String,
    /// The experiment that it was run for.
    pub experiment: String,
    /// Its treebank.
    pub treebank: String,
    /// Its column.
    pub column: String,
    /// Its row.
    pub row: String,
    /// All training options, the seed among them.
    pub options: Options,
    /// Those of the training from whose model this one went on, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Options>,
    /// SHA-256 of the file of features that the options name; nothing for built-in features, which the revision fixes.
    pub features_sha256: Option<String>,
    /// The training data after capping.
    pub train: Portion,
    /// The development data.
    pub dev: Portion,
    /// The test data.
    pub test: Portion,
    /// Code and machine.
    pub provenance: Provenance,
    /// Course of training.
    pub training: TrainingRecord,
    /// Tagging of the data, if a tagger made the tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tagging: Option<Tagging>,
    /// Results of decoding, by width.
    pub decodings: Vec<Decoding>,
    /// Peak memory of the process, in bytes, from the start of the cell on. With several cells side by side this
    /// is their sum, so it is a cell's own figure only if `provenance.jobs` is 1.
    pub peak_rss_bytes: Option<u64>,
}

/// Course of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingRecord {
    /// The iterations in order.
    pub epochs: Vec<Epoch>,
    /// The iteration whose weights were kept, from 1.
    pub kept_epoch: u32,
    /// Features with weights.
    pub n_features: u64,
    /// Seconds by the clock: reading, preparing, learning, scoring the development data after each iteration.
    pub wall_s: f64,
    /// Seconds of the processor for learning alone, by all threads that learned, without preparing and development data; none
    /// where the system does not measure them, and in records of format 1.
    pub cpu_s: Option<f64>,
    /// End of training to the plateau.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

/// One pass over the training data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// Updates of the weights.
    pub updates: u64,
    /// Seconds by the clock.
    pub seconds: f64,
    /// Scores on the development data, punctuation included.
    pub dev: Option<Counts>,
}

/// The test data decoded at one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decoding {
    /// The width of the beam.
    pub width: usize,
    /// Scores on the test data.
    pub test: Scores,
    /// Scores on the development data.
    pub dev: Scores,
    /// Errors in each test sentence, for paired tests.
    pub errors: SentenceErrors,
    /// Correct words of the test data, by classes of gold trees; none in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    /// Words of the test data with the right tag, if the model tags and parses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_tags: Option<u64>,
    /// Seconds by the clock for the test data, once per repetition.
    pub wall_s: Vec<f64>,
    /// Seconds of the processor for the same; none where the system does not measure them, and in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_s: Vec<f64>,
    /// Model errors and search errors in the test data, if the specification asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnosis: Option<Diagnosis>,
}

impl TrainingRecord {
    /// Seconds of the processor for learning alone if they are known; otherwise by the clock, with all that goes with it.
    pub fn seconds(&self) -> f64 {
        self.cpu_s.unwrap_or(self.wall_s)
    }
}

impl Decoding {
    /// Seconds for the test data: the median over repetitions (the upper one of two), of the processor if they are known, as what
    /// else runs on the machine hardly changes them; otherwise by the clock.
    pub fn seconds(&self) -> f64 {
        let mut times = if self.cpu_s.is_empty() { self.wall_s.clone() } else { self.cpu_s.clone() };
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Test sentences in a second.
    pub fn sentences_per_second(&self) -> f64 {
        self.test.with_punctuation.sentences as f64 / self.seconds()
    }

    /// Test words in a second, punctuation included.
    pub fn tokens_per_second(&self) -> f64 {
        self.test.with_punctuation.tokens as f64 / self.seconds()
    }
}

/// Counts under both rules for punctuation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ByRule<T> {
    /// Of all words.
    pub with_punctuation: T,
    /// Of all words but punctuation.
    pub without_punctuation: T,
}

impl<T> ByRule<T> {
    /// The one under `rule`.
    pub fn get(&self, rule: Punctuation) -> &T {
        match rule {
            Punctuation::Include => &self.with_punctuation,
            Punctuation::Exclude => &self.without_punctuation,
        }
    }
}

/// Counts of a portion or of a sentence.
pub type Scores = ByRule<Counts>;

/// Errors in each sentence, in order. Differences of these are all that paired tests need.
pub type SentenceErrors = ByRule<Errors>;

/// Scored words with a wrong head, and with a wrong head or label, by sentence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Words with a wrong head.
    #[serde(with = "digits")]
    pub heads: Vec<u64>,
    /// Words with a wrong head or a wrong label.
    #[serde(with = "digits")]
    pub labelled: Vec<u64>,
}

impl Errors {
    /// Adds a sentence.
    pub fn push(&mut self, counts: &Counts) {
        self.heads.push(counts.tokens - counts.heads);
        self.labelled.push(counts.tokens - counts.labelled);
    }

    /// Those that `metric` counts.
    pub fn of(&self, metric: Metric) -> &[u64] {
        match metric {
            Metric::Uas => &self.heads,
            Metric::Las => &self.labelled,
        }
    }
}

/// True if counts of one treebank can be these: what is correct is among what was scored.
fn are_possible(counts: &Counts) -> bool {
    counts.heads.max(counts.labels) <= counts.tokens
        && counts.labelled <= counts.heads
        && counts.exact_heads <= counts.sentences
        && counts.exact_labelled <= counts.exact_heads
        && counts.sentences <= counts.tokens
}

impl Stored for Record {
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
        self.training.wall_s + self.decodings.iter().flat_map(|decoding| &decoding.wall_s).sum::<f64>()
    }

    fn impossible(&self) -> Option<String> {
        let epochs = self.training.epochs.iter().filter_map(|epoch| Some(("an iteration", epoch.dev?)));
        let decodings = self.decodings.iter().flat_map(|Decoding { test, dev, .. }| {
            [test, dev].into_iter().flat_map(|scores| {
                [
                    ("a decoding", scores.with_punctuation),
                    ("a decoding, without punctuation", scores.without_punctuation),
                ]
            })
        });
        if let Some((whose, counts)) = epochs.chain(decodings).find(|(_, counts)| !are_possible(counts)) {
            let Counts { tokens, heads, labels, labelled, .. } = counts;
            return Some(format!(
                "{heads} correct heads, {labels} correct labels and {labelled} words with both among {tokens} words of {whose}"
            ));
        }
        if self.decodings.iter().any(|decoding| decoding.test.with_punctuation.tokens == 0) {
            return Some("a decoding of 0 words".to_owned());
        }
        let epochs = self.training.epochs.iter().map(|epoch| epoch.seconds);
        let decodings =
            self.decodings.iter().flat_map(|decoding| decoding.wall_s.iter().chain(&decoding.cpu_s).copied());
        let times = epochs.chain(decodings).chain([self.training.wall_s]).chain(self.training.cpu_s);
        let time = times.into_iter().find(|time| *time < 0.0)?;
        Some(format!("a time of {time} seconds"))
    }

    fn repeatable(&self) -> Option<serde_json::Value> {
        let mut decodings = self.decodings.clone();
        // Older records lack these counts, which are of the same derivations as the others.
        for diagnosis in decodings.iter_mut().filter_map(|decoding| decoding.diagnosis.as_mut()) {
            diagnosis.propagation = Propagation::default();
        }
        Some(serde_json::json!({ "training": self.training, "decodings": decodings }))
    }

    fn upgraded(mut self, format: u32) -> Record {
        if format < 2 {
            self.training.cpu_s = None;
        }
        self
    }
}

impl Record {
    /// The decoding at `width`.
    pub fn decoding(&self, width: usize) -> Option<&Decoding> {
        self.decodings.iter().find(|d| d.width == width)
    }
}
