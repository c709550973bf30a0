//! Layout of results in a specification: tables, plots, and the figures of papers beside ours.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use treebeam::eval::{Metric, Punctuation};

/// Layout of the tables.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TableSpec {
    /// Lines of a table.
    pub lines: TableLines,
    /// The row that the others of the same column and treebank are compared with, at the first width it is decoded at.
    pub baseline: Option<Spanned<String>>,
    /// Further rows that the others of the same column and treebank are compared with.
    pub against: Vec<Spanned<String>>,
    /// The scores to tabulate; both if empty.
    pub metrics: Vec<Metric>,
    /// Rule for punctuation.
    pub punctuation: Punctuation,
    /// The treebanks for which the best greedy and the best global model are chosen together.
    pub choose: ChosenFor,
}

impl TableSpec {
    /// The rows that others are compared with, the baseline first.
    pub fn compared_with(&self) -> Vec<&str> {
        self.baseline.iter().chain(&self.against).map(|row| row.get_ref().as_str()).collect()
    }
}

/// Lines of a table. There is one table per score and `[[column]]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableLines {
    /// Treebanks, with the `[[row]]`s side by side.
    #[default]
    Treebanks,
    /// `[[row]]`s, with the treebanks side by side.
    Rows,
}

/// The treebanks for which a model is chosen by its score on development data, in each `[[column]]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChosenFor {
    /// All of them: the highest average.
    #[default]
    All,
    /// Each by itself.
    Each,
}

/// A chart; one file per `[[column]]`, unless it shows columns together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlotSpec {
    /// The file's name without ending.
    pub name: String,
    /// The title over the plot.
    pub title: String,
    /// Horizontal axis.
    #[serde(default)]
    pub x: Horizontal,
    /// Vertical axis.
    pub y: Vertical,
    /// The lines.
    pub series: Vec<SeriesSpec>,
    /// Draws, over all series, the frontier of points that no other beats on both axes.
    #[serde(default)]
    pub frontier: bool,
}

impl PlotSpec {
    /// True if what is on the vertical axis is known for what is on the horizontal one.
    pub fn fits(&self) -> bool {
        match (self.x, self.y) {
            (Horizontal::Iteration | Horizontal::TrainSentences, y) => matches!(y, Vertical::Las | Vertical::Uas),
            (x, Vertical::FallenOff) => x == Horizontal::Derivation,
            (x, Vertical::Advantage) => matches!(x, Horizontal::TimePerToken | Horizontal::TrainingTime),
            (x, _) => x != Horizontal::Derivation,
        }
    }
}

/// Horizontal axis of a plot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Horizontal {
    /// The width of the decoding beam.
    #[default]
    Width,
    /// Iterations of training; the scores are those of the development data.
    Iteration,
    /// Tenths of the derivation.
    Derivation,
    /// Words parsed in a second.
    TokensPerSecond,
    /// Microseconds that parsing a word takes.
    TimePerToken,
    /// Seconds of learning, of the processor where records have them.
    TrainingTime,
    /// Sentences that were trained on: a point for each `[[column]]`, all in one plot.
    TrainSentences,
}

/// Vertical axis of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vertical {
    /// Labelled attachment score.
    Las,
    /// Unlabelled attachment score.
    Uas,
    /// Words parsed in a second.
    TokensPerSecond,
    /// The share of sentences with a search error.
    SearchErrors,
    /// The share of sentences whose gold derivations have all fallen off the beam; against [`Horizontal::Derivation`].
    FallenOff,
    /// LAS of the best method of the first series less that of the best of the second, where only those count
    /// that cost no more than `x`; a line for each column, all in one plot.
    Advantage,
}

/// One line of a plot.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SeriesSpec {
    /// Its name in the legend.
    pub name: String,
    /// The rows whose decodings are its points.
    pub rows: Vec<Spanned<String>>,
    /// Only decodings at the width of the training beam.
    #[serde(default)]
    pub matched: bool,
    /// Only decodings at these widths; all if empty.
    #[serde(default)]
    pub widths: Vec<usize>,
    /// Drawn as a level line across the chart, as what it shows does not depend on the width of the beam.
    #[serde(default)]
    pub level: bool,
}

/// Figures that a paper printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedFigure {
    /// Unlabelled attachment score, in percent.
    Uas,
    /// Labelled attachment score, in percent.
    Las,
    /// Sentences parsed in a second.
    SentencesPerSecond,
}

impl PublishedFigure {
    /// The score, if it is one.
    pub fn metric(self) -> Option<Metric> {
        match self {
            PublishedFigure::Uas => Some(Metric::Uas),
            PublishedFigure::Las => Some(Metric::Las),
            PublishedFigure::SentencesPerSecond => None,
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        self.metric().map_or("sentences/s", Metric::name)
    }
}

/// Figures that a paper printed for one row and column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// Paper and table.
    pub source: String,
    /// The row that they belong to.
    pub row: Spanned<String>,
    /// The column that they belong to.
    pub column: Spanned<String>,
    /// Score.
    pub metric: PublishedFigure,
    /// The figures by treebank; under `*` for all treebanks, where the paper has one of its own, and under `average` for
    /// averages over treebanks.
    pub values: BTreeMap<String, f64>,
}

/// Under what [`Published::values`] hold the average over treebanks.
pub const AVERAGE: &str = "average";

impl Published {
    /// The figure for a treebank, or for [`AVERAGE`].
    pub fn of(&self, treebank: &str) -> Option<f64> {
        let any = || if treebank == AVERAGE { None } else { self.values.get("*") };
        self.values.get(treebank).or_else(any).copied()
    }
}

/// Two rows beside each other: what the results open with says in a sentence which of them is ahead, and by how much.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComparisonSpec {
    /// Name of the first row in the sentence, such as `a beam of 64`.
    pub what: String,
    /// The first row.
    pub row: Spanned<String>,
    /// The width that it is decoded at; by default the first one.
    pub width: Option<usize>,
    /// Name of the second row in the sentence, such as `a beam of 8`.
    pub than: String,
    /// The second row.
    pub against: Spanned<String>,
    /// The width that that one is decoded at; by default the first one.
    pub against_width: Option<usize>,
    /// The columns over which the two are compared; all by default.
    pub columns: Option<Vec<Spanned<String>>>,
}

/// The ends of a paper's grid.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PublishedRange {
    /// Paper and figure.
    pub source: String,
    /// The score.
    pub metric: Metric,
    /// The lowest figure, by treebank.
    pub low: BTreeMap<String, f64>,
    /// The highest figure, by treebank.
    pub high: BTreeMap<String, f64>,
}
