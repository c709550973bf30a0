//! The specification of an experiment as it stands in its TOML file.
//!
//! An experiment is the product of treebanks, seeds, `[[row]]`s (ways of training) and `[[column]]`s (what they are
//! compared on, such as transition systems). Rows and columns are named overrides of the training options in `[base]`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Spanned, Table};

use crate::error::{Error, Location, Problem, Result};
use crate::eval::{Metric, Punctuation};
use crate::learn::TrainOptions;

/// A specification: what to train, on what, and how to show it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// The experiment's name, which is also that of its folder of results: letters, digits, `-` and `_`.
    pub name: String,
    /// One line for the head of the table.
    pub title: String,
    /// Printed under the table: how to read it, and what differs from the papers.
    #[serde(default)]
    pub analysis: String,
    /// Scales at which the experiment can be run, by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Training options that all cells share; what is not said has its default.
    pub base: Option<Spanned<Table>>,
    /// The ways of training that are compared.
    #[serde(rename = "row")]
    pub rows: Vec<Variant>,
    /// What they are compared on; every row is crossed with every column.
    #[serde(rename = "column", default = "Variant::only_column")]
    pub columns: Vec<Variant>,
    /// Whether to count search errors and to follow the gold derivations, which takes the time of two more decodings.
    #[serde(default)]
    pub diagnose: bool,
    /// How the tables are laid out.
    #[serde(default)]
    pub table: TableSpec,
    /// The plots.
    #[serde(rename = "plot", default)]
    pub plots: Vec<PlotSpec>,
    /// Figures from papers, printed beside ours.
    #[serde(rename = "paper", default)]
    pub papers: Vec<Published>,
    /// The file that this was read from.
    #[serde(skip)]
    pub path: PathBuf,
}

/// The scale of an experiment.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// Folders of treebanks, or `generated:SEED,SENTENCES,projective` (or `...,nonprojective`).
    pub treebanks: Vec<String>,
    /// One training per seed.
    pub seeds: Vec<u64>,
    /// Train on the first so many sentences only.
    pub max_train_sentences: Option<usize>,
    /// Training options of this profile; they override `[base]`, and rows and columns override them.
    pub options: Option<Spanned<Table>>,
}

/// A row or a column: named overrides of the training options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Variant {
    /// Its name in tables, plots and records.
    pub name: Spanned<String>,
    /// What it changes.
    pub options: Option<Spanned<Table>>,
    /// The beam widths to decode at; for rows only. By default the width of training, which is 1 for greedy training.
    pub decode: Option<Vec<usize>>,
}

impl Variant {
    /// The column of experiments that have none.
    fn only_column() -> Vec<Variant> {
        vec![Variant { name: Spanned::new(0..0, "all".to_owned()), options: None, decode: None }]
    }
}

/// How the tables are laid out.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TableSpec {
    /// What the lines of a table are.
    pub lines: TableLines,
    /// The row that the others of the same column and treebank are compared with, at the first width it is decoded at.
    pub baseline: Option<Spanned<String>>,
    /// The scores to tabulate; both if empty.
    pub metrics: Vec<Metric>,
    /// Whether punctuation counts.
    pub punctuation: Punctuation,
}

/// What the lines of a table are. There is one table per score and `[[column]]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableLines {
    /// Treebanks, with the `[[row]]`s side by side.
    #[default]
    Treebanks,
    /// `[[row]]`s, with the treebanks side by side.
    Rows,
}

/// A line chart against the width of the decoding beam; one file per `[[column]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlotSpec {
    /// The file's name without ending.
    pub name: String,
    /// The title over the plot.
    pub title: String,
    /// What is on the vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<SeriesSpec>,
}

/// What a plot shows on its vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Labelled attachment score.
    Las,
    /// Unlabelled attachment score.
    Uas,
    /// Words parsed in a second.
    TokensPerSecond,
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
    /// The score.
    pub metric: Metric,
    /// The figures, in percent, by treebank.
    pub values: BTreeMap<String, f64>,
}

impl Spec {
    /// Reads and checks a specification.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, has unknown or missing keys, or contradicts itself.
    pub fn read(path: &Path) -> Result<Spec> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Spec::parse(&text, path)
    }

    /// Checks the specification in `text`; `path` is for messages.
    ///
    /// # Errors
    /// As [`Spec::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Spec> {
        let source = SourceText { text, path };
        let mut spec: Spec = toml::from_str(text).map_err(|e| source.toml_problem(e.span(), e.message()))?;
        spec.path = path.to_owned();
        spec.check(&source)?;
        Ok(spec)
    }

    fn check(&self, source: &SourceText) -> Result<()> {
        let is_plain =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        for name in [&self.name].into_iter().chain(self.profiles.keys()).chain(self.plots.iter().map(|p| &p.name)) {
            if !is_plain(name) {
                let expected = "a name of letters, digits, `-` and `_`, for it names files";
                return Err(source.problem(None, format!("name `{name}`"), expected).into());
            }
        }
        if self.rows.is_empty() || self.profiles.is_empty() {
            return Err(source.problem(None, "no cell", "at least one [[row]] and one [profiles.NAME]").into());
        }
        let bases = self.base.iter().chain(self.profiles.values().filter_map(|p| p.options.as_ref()));
        let variants = self.rows.iter().chain(&self.columns).filter_map(|v| v.options.as_ref());
        for table in bases.chain(variants) {
            source.check_options(table)?;
        }
        for axis in [&self.rows, &self.columns] {
            let mut seen = BTreeSet::new();
            for variant in axis {
                if !seen.insert(variant.name.get_ref()) {
                    let found = format!("a second row or column named `{}`", variant.name.get_ref());
                    return Err(source.problem(Some(variant.name.span()), found, "names that differ").into());
                }
            }
        }
        for variant in &self.columns {
            if variant.decode.is_some() {
                return Err(source
                    .problem(Some(variant.name.span()), "`decode` in a column", "it in rows only")
                    .into());
            }
        }
        for variant in &self.rows {
            let is_good = |widths: &Vec<usize>| {
                !widths.is_empty()
                    && !widths.contains(&0)
                    && widths.iter().collect::<BTreeSet<_>>().len() == widths.len()
            };
            if !variant.decode.as_ref().is_none_or(is_good) {
                let found = format!("decode = {:?}", variant.decode.as_deref().unwrap_or_default());
                return Err(source.problem(Some(variant.name.span()), found, "different widths of 1 or more").into());
            }
        }
        let of_plots = self.plots.iter().flat_map(|p| &p.series).flat_map(|s| &s.rows);
        let of_papers = self.papers.iter().map(|p| &p.row);
        for name in self.table.baseline.iter().chain(of_plots).chain(of_papers) {
            source.check_name(name, &self.rows, "row")?;
        }
        for paper in &self.papers {
            source.check_name(&paper.column, &self.columns, "column")?;
        }
        Ok(())
    }
}

/// A specification's text, to tell lines by.
struct SourceText<'a> {
    text: &'a str,
    path: &'a Path,
}

impl SourceText<'_> {
    fn problem(&self, span: Option<Range<usize>>, found: impl Into<String>, expected: &str) -> Problem {
        let line = span.map_or(0, |s| self.text[..s.start.min(self.text.len())].matches('\n').count() + 1);
        Problem {
            location: Location { path: self.path.display().to_string(), line, sentence: None },
            found: found.into(),
            expected: expected.to_owned(),
        }
    }

    /// The reader's message, cut where it starts to say what it expected.
    fn toml_problem(&self, span: Option<Range<usize>>, message: &str) -> Problem {
        let message = message.trim_end().replace('\n', ", ");
        let (found, expected) = message.split_once(", expected ").unwrap_or((&message, "a specification in TOML"));
        self.problem(span, found, expected)
    }

    /// Every set of overrides must make sense as training options by itself.
    fn check_options(&self, table: &Spanned<Table>) -> Result<()> {
        if table.get_ref().contains_key("seed") {
            let found = "a seed among the options";
            return Err(self.problem(Some(table.span()), found, "seeds in the profile: seeds = [...]").into());
        }
        let options: Result<TrainOptions, _> = table.get_ref().clone().try_into();
        options.map_err(|e| self.toml_problem(Some(table.span()), e.message()))?;
        Ok(())
    }

    fn check_name(&self, name: &Spanned<String>, among: &[Variant], kind: &str) -> Result<()> {
        if among.iter().any(|v| v.name.get_ref() == name.get_ref()) {
            return Ok(());
        }
        let names: Vec<&str> = among.iter().map(|v| v.name.get_ref().as_str()).collect();
        let expected = format!("the name of a {kind}: {}", names.join(", "));
        Err(self.problem(Some(name.span()), format!("no {kind} is named `{}`", name.get_ref()), &expected).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures that were published must not move with a default.
    #[test]
    fn shipped_specifications_state_every_option() {
        let all = Table::try_from(TrainOptions::default()).unwrap();
        for name in ["demo", "beam-ablation", "global-vs-greedy"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("experiments/{name}.toml"));
            let spec = Spec::read(&path).unwrap();
            for column in &spec.columns {
                let layers = [&spec.base, &column.options].into_iter().flatten();
                let stated: BTreeSet<&String> = layers.flat_map(|layer| layer.get_ref().keys()).collect();
                let unstated: Vec<&String> = all.keys().filter(|k| *k != "seed" && !stated.contains(k)).collect();
                assert!(unstated.is_empty(), "{name}: {unstated:?}");
            }
        }
    }
    use crate::experiment::testing::SPEC;

    fn message(from: &str, to: &str) -> String {
        assert!(SPEC.contains(from), "the test's specification holds {from}");
        Spec::parse(&SPEC.replacen(from, to, 1), Path::new("s.toml")).unwrap_err().to_string()
    }

    #[test]
    fn a_good_one_is_read() {
        let spec = Spec::parse(SPEC, Path::new("s.toml")).unwrap();
        assert_eq!(spec.rows.len(), 3);
        assert_eq!(spec.columns.len(), 2);
        assert_eq!(spec.profiles["quick"].seeds, [1, 2]);
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        insta::assert_snapshot!(message("beam = 4", "beams = 4"), @"s.toml:24: unknown field `beams`; expected one of `system`, `features`, `training`, `learner`, `objective`, `rate`, `dropout`, `min-count`, `hidden`, `nn-update`, `decisions`, `preset`, `roll-in`, `roll-out`, `alpha`, `reference-share`, `run-reference`, `oracle`, `explore-from`, `explore-prob`, `update`, `beam`, `iterations`, `average-from`, `replicas`, `seed`, `batch`, `nonprojective`, `lift`, `roots`, `word-column`, `word-shape`, `tag-column`, `keep`");
        insta::assert_snapshot!(message("training = \"greedy\"", "training = \"gready\""), @"s.toml:16: unknown variant `gready`; expected one of `greedy`, `global`, `l2s`");
        insta::assert_snapshot!(message("iterations = 2", "seed = 2"), @"s.toml:11: a seed among the options; expected seeds in the profile: seeds = [...]");
        insta::assert_snapshot!(message("baseline = \"greedy\"", "baseline = \"gredy\""), @"s.toml:36: no row is named `gredy`; expected the name of a row: greedy, dynamic, global");
        insta::assert_snapshot!(message("title =", "titel ="), @"s.toml:3: unknown field `titel`; expected one of `name`, `title`, `analysis`, `profiles`, `base`, `row`, `column`, `table`, `plot`, `paper`");
        insta::assert_snapshot!(message("decode = [1, 4]", "decode = [0]"), @"s.toml:23: decode = [0]; expected different widths of 1 or more");
        insta::assert_snapshot!(message("name = \"test\"", "name = \"a/b\""), @"s.toml: name `a/b`; expected a name of letters, digits, `-` and `_`, for it names files");
        insta::assert_snapshot!(message("name = \"dynamic\"", "name = \"greedy\""), @"s.toml:19: a second row or column named `greedy`; expected names that differ");
        insta::assert_snapshot!(message("seeds = [1, 2]", "seeds = [1, "), @"s.toml:9: unexpected `=` in array; expected value, `]`");
    }
}
