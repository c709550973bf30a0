//! The specification of an experiment as it stands in its TOML file.
//!
//! An experiment is the product of treebanks, seeds, `[[row]]`s (ways of training) and `[[column]]`s (what they are
//! compared on, such as transition systems). Rows and columns are named overrides of the training options in `[base]`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Spanned, Table};

use super::cell::digest;
use super::layout::{ComparisonSpec, Horizontal, PlotSpec, Published, PublishedRange, TableSpec, Vertical};
use super::options::given;
use super::tags::Tags;

use treebeam::decode::Margin;
use treebeam::error::{Error, Location, Problem, Result, excerpt};
use treebeam::parser::MAX_BEAM;
use treebeam::suggest::with_suggestion;

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
    /// In a sentence, in what data and settings differ from those of the paper whose figures stand beside ours; printed beside the
    /// verdict on its table.
    #[serde(default)]
    pub differs: String,
    /// The file that fixes hypotheses, menus and tests before the cells are run, as seen from this one; its checksum goes into the
    /// records.
    pub protocol: Option<PathBuf>,
    /// Scales at which the experiment can be run, by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Training options that all cells share; what is not said has its default.
    pub base: Option<Spanned<Table>>,
    /// The ways of training that are compared; those of the grid among them.
    #[serde(rename = "row", default)]
    pub rows: Vec<Variant>,
    /// Options whose values are tried in all combinations, a row each; with two of them there are heat maps.
    #[serde(default)]
    pub grid: Vec<GridAxis>,
    /// Settings that they are compared on; every row is crossed with every column.
    #[serde(rename = "column", default = "Variant::only_column")]
    pub columns: Vec<Variant>,
    /// Counts search errors and follows the gold derivations, which takes the time of two more decodings.
    #[serde(default)]
    pub diagnose: bool,
    /// Tags that are read; those of profiles, columns and rows go before.
    #[serde(default)]
    pub tags: Tags,
    /// Layout of the tables.
    #[serde(default)]
    pub table: TableSpec,
    /// The plots.
    #[serde(rename = "plot", default)]
    pub plots: Vec<PlotSpec>,
    /// Rows beside each other, a sentence each in what the results open with.
    #[serde(rename = "comparison", default)]
    pub comparisons: Vec<ComparisonSpec>,
    /// Figures from papers, printed beside ours.
    #[serde(rename = "paper", default)]
    pub papers: Vec<Published>,
    /// The lowest and highest figure of a paper's grid, printed beside those of ours.
    pub paper_range: Option<PublishedRange>,
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
    /// The columns of this profile; by default all.
    pub columns: Option<Vec<Spanned<String>>>,
    /// The rows of this profile; by default all.
    pub rows: Option<Vec<Spanned<String>>>,
    /// Train on the first so many sentences only.
    pub max_train_sentences: Option<usize>,
    /// Tags that are read in this profile.
    pub tags: Option<Tags>,
    /// Diagnoses in this profile; by default as the experiment says.
    pub diagnose: Option<bool>,
    /// Training options of this profile; they override `[base]`, and rows and columns override them.
    pub options: Option<Spanned<Table>>,
}

/// A row or a column: named overrides of the training options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Variant {
    /// Its name in tables, plots and records.
    pub name: Spanned<String>,
    /// Options that it changes.
    pub options: Option<Spanned<Table>>,
    /// The beam widths to decode at; for rows only. By default the width of training, which is 1 for greedy training.
    pub decode: Option<Vec<usize>>,
    /// Pruning beside the beam in decoding: `none`, `auto`, or a percentage; for rows only. See
    /// [`Margin`](treebeam::decode::Margin).
    #[serde(default)]
    pub margin: Margin,
    /// The row from whose model this row's training goes on, as with `--init`; for rows of networks only. That one is trained once
    /// for all rows that need its model.
    pub after: Option<Spanned<String>>,
    /// Why this row of a paper's table cannot be run yet: it is then shown, with the paper's figures, and left open. For rows
    /// only.
    pub open: Option<String>,
    /// The columns that this row is run in; for rows only. By default all.
    pub columns: Option<Vec<Spanned<String>>>,
    /// Tags that are read.
    pub tags: Option<Tags>,
    /// Train on the first so many sentences only; for columns only. A treebank that has no more is left out of the column.
    pub max_train_sentences: Option<usize>,
}

/// An option whose values are tried.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridAxis {
    /// A training option.
    pub option: Spanned<String>,
    /// Its values.
    pub values: Vec<toml::Value>,
}

impl GridAxis {
    /// The values as names of rows and heat maps say them.
    pub fn labels(&self) -> Vec<String> {
        self.values.iter().map(toml::Value::to_string).collect()
    }
}

impl Variant {
    /// True if this row is run in a column.
    pub fn is_in(&self, column: &Variant) -> bool {
        let is_named = |names: &Vec<Spanned<String>>| names.iter().any(|name| name.get_ref() == column.name.get_ref());
        self.open.is_none() && self.columns.as_ref().is_none_or(is_named)
    }

    /// The column of experiments that have none.
    fn only_column() -> Vec<Variant> {
        vec![Variant::named(Spanned::new(0..0, "all".to_owned()), None)]
    }

    fn named(name: Spanned<String>, options: Option<Spanned<Table>>) -> Variant {
        let (decode, after, open, columns, max_train_sentences) = (None, None, None, None, None);
        Variant { name, options, decode, margin: Margin::None, after, open, columns, tags: None, max_train_sentences }
    }
}

impl Spec {
    /// Reads and checks a specification.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, has unknown or missing keys, or contradicts itself.
    pub fn read(path: &Path) -> Result<Spec> {
        let text = treebeam::files::read_text(path)?;
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
        let n_rows = spec.grid.iter().fold(1, |n: usize, axis| n.saturating_mul(axis.values.len()));
        if n_rows > MAX_GRID {
            let span = spec.grid.first().map(|axis| axis.option.span());
            let found = format!("a grid of {n_rows} combinations");
            return Err(source.problem(span, found, &format!("at most {MAX_GRID}: fewer values or axes")).into());
        }
        spec.rows.extend(spec.grid_rows());
        spec.check(&source)?;
        Ok(spec)
    }

    /// SHA-256 of the protocol, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn protocol_sha256(&self) -> Result<Option<String>> {
        let Some(protocol) = &self.protocol else { return Ok(None) };
        let path = self.path.with_file_name("").join(protocol);
        Ok(Some(digest(&std::fs::read(&path).map_err(Error::io(&path))?)))
    }

    /// A row for each combination of the grid's values, the last axis fastest.
    fn grid_rows(&self) -> Vec<Variant> {
        let mut rows: Vec<(Vec<String>, Table)> = vec![(Vec::new(), Table::new())];
        for axis in &self.grid {
            let extended = rows.iter().flat_map(|(names, options)| {
                axis.values.iter().zip(axis.labels()).map(move |(value, label)| {
                    let (mut names, mut options) = (names.clone(), options.clone());
                    names.push(format!("{} {label}", axis.option.get_ref()));
                    options.insert(axis.option.get_ref().clone(), value.clone());
                    (names, options)
                })
            });
            rows = extended.collect();
        }
        let span = self.grid.first().map_or(0..0, |axis| axis.option.span());
        let row = |(names, options): (Vec<String>, Table)| {
            Variant::named(Spanned::new(span.clone(), names.join(", ")), Some(Spanned::new(span.clone(), options)))
        };
        rows.into_iter().filter(|(names, _)| !names.is_empty()).map(row).collect()
    }

    /// The row that stands at these places of the grid's axes.
    pub fn grid_row(&self, places: &[usize]) -> String {
        let name = |(axis, &place): (&GridAxis, &usize)| format!("{} {}", axis.option.get_ref(), axis.labels()[place]);
        self.grid.iter().zip(places).map(name).collect::<Vec<_>>().join(", ")
    }

    fn check(&self, source: &SourceText) -> Result<()> {
        let of_files = [&self.name].into_iter().chain(self.profiles.keys()).chain(self.plots.iter().map(|p| &p.name));
        check_names(source.path, of_files, [&self.title])?;
        if let Some(axis) = self.grid.iter().find(|axis| axis.values.is_empty()) {
            let found = format!("an axis of the grid, {}, without values", axis.option.get_ref());
            return Err(source.problem(Some(axis.option.span()), found, "one value or more").into());
        }
        for (number, axis) in self.grid.iter().enumerate() {
            if self.grid[..number].iter().any(|other| other.option.get_ref() == axis.option.get_ref()) {
                let found = format!("a second axis of the grid for {}", axis.option.get_ref());
                return Err(source.problem(Some(axis.option.span()), found, "one axis with all of its values").into());
            }
        }
        // Names and titles stand in lines of tables.
        let spans =
            self.rows.iter().chain(&self.columns).map(|variant| (variant.name.get_ref(), Some(variant.name.span())));
        let of_plots = self.plots.iter().flat_map(|plot| plot.series.iter().map(|s| &s.name).chain([&plot.title]));
        for (name, span) in spans.chain(of_plots.map(|name| (name, None))) {
            source.check_line(name, span)?;
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
            let rows_only = [
                ("decode", variant.decode.is_some()),
                ("after", variant.after.is_some()),
                ("open", variant.open.is_some()),
                ("columns", variant.columns.is_some()),
            ];
            for (key, is_there) in rows_only {
                if is_there {
                    let found = format!("`{key}` in a column");
                    return Err(source.problem(Some(variant.name.span()), found, "it in rows only").into());
                }
            }
        }
        if let Some(variant) = self.rows.iter().find(|row| row.max_train_sentences.is_some()) {
            let found = "`max-train-sentences` in a row";
            return Err(source.problem(Some(variant.name.span()), found, "it in profiles or columns").into());
        }
        if let Some((name, _)) = self.profiles.iter().find(|(_, profile)| profile.max_train_sentences == Some(0)) {
            let found = format!("max-train-sentences = 0 in profile `{name}`");
            return Err(source.problem(None, found, "1 or more, or no such line, for all of them").into());
        }
        for (name, profile) in &self.profiles {
            let some = [("columns", &profile.columns), ("rows", &profile.rows)];
            if let Some((key, _)) = some.into_iter().find(|(_, names)| names.as_ref().is_some_and(Vec::is_empty)) {
                let found = format!("{key} = [] in profile `{name}`");
                return Err(source.problem(None, found, "one or more, or no such line, for all").into());
            }
        }
        if let Some(variant) = self.columns.iter().find(|column| column.max_train_sentences == Some(0)) {
            let found = "max-train-sentences = 0";
            return Err(source.problem(Some(variant.name.span()), found, "1 or more").into());
        }
        for variant in &self.rows {
            let is_good = |widths: &Vec<usize>| {
                !widths.is_empty()
                    && widths.iter().all(|&width| (1..=MAX_BEAM).contains(&(width as u64)))
                    && widths.iter().collect::<BTreeSet<_>>().len() == widths.len()
            };
            if !variant.decode.as_ref().is_none_or(is_good) {
                let found = format!("decode = {:?}", variant.decode.as_deref().unwrap_or_default());
                return Err(source
                    .problem(Some(variant.name.span()), found, &format!("different widths from 1 to {MAX_BEAM}"))
                    .into());
            }
        }
        let of_profiles = self.profiles.values().filter_map(|profile| profile.columns.as_ref());
        for name in self.rows.iter().filter_map(|row| row.columns.as_ref()).chain(of_profiles).flatten() {
            source.check_name(name, &self.columns, "column")?;
        }
        for name in self.profiles.values().filter_map(|profile| profile.rows.as_ref()).flatten() {
            source.check_name(name, &self.rows, "row")?;
        }
        if let Some(variant) = self.rows.iter().find(|row| row.columns.as_ref().is_some_and(Vec::is_empty)) {
            let found = "columns = []";
            return Err(source
                .problem(Some(variant.name.span()), found, "one or more, or no such line, for all")
                .into());
        }
        for name in self.rows.iter().filter_map(|row| row.after.as_ref()) {
            source.check_name(name, &self.rows, "row")?;
            let is_after = |row: &&Variant| row.name.get_ref() == name.get_ref();
            let found = match self.rows.iter().find(is_after) {
                Some(Variant { open: Some(_), .. }) => "open",
                Some(Variant { after: Some(_), .. }) => "itself after another",
                _ => continue,
            };
            let found = format!("row `{}`, which is {found}", name.get_ref());
            return Err(source.problem(Some(name.span()), found, "a row that is trained from nothing").into());
        }
        let of_plots = self.plots.iter().flat_map(|p| &p.series).flat_map(|s| &s.rows);
        let of_papers = self.papers.iter().map(|p| &p.row);
        for name in self.table.baseline.iter().chain(&self.table.against).chain(of_plots).chain(of_papers) {
            source.check_name(name, &self.rows, "row")?;
        }
        if let Some(plot) = self.plots.iter().find(|p| p.y == Vertical::Advantage && p.series.len() != 2) {
            let found = format!("{} series in plot `{}`", plot.series.len(), plot.name);
            return Err(source.problem(None, found, "two, for an advantage is of the one over the other").into());
        }
        if let Some(plot) = self.plots.iter().find(|p| !p.fits()) {
            let found = format!("plot `{}` of {:?} against {:?}", plot.name, plot.y, plot.x);
            let expected =
                "scores against iterations and sizes, falling off against derivations, advantages against times";
            return Err(source.problem(None, found, expected).into());
        }
        for (plot, series) in self.plots.iter().flat_map(|p| p.series.iter().filter(|s| s.level).map(move |s| (p, s))) {
            let row =
                self.rows.iter().find(|row| series.rows.first().is_some_and(|r| r.get_ref() == row.name.get_ref()));
            let n_of_row = row.map_or(0, |row| row.decode.as_ref().map_or(1, Vec::len));
            let n_widths = if series.widths.is_empty() { n_of_row } else { series.widths.len() };
            if (plot.x, series.rows.len(), n_widths) != (Horizontal::Width, 1, 1) {
                let found = format!("level series `{}` in plot `{}`", series.name, plot.name);
                let expected = "one row at one width, in a plot against widths";
                return Err(source.problem(None, found, expected).into());
            }
        }
        if self.rows.iter().all(|row| row.open.is_some()) {
            return Err(source.problem(None, "open rows alone", "a row that can be run").into());
        }
        self.comparisons.iter().try_for_each(|comparison| self.check_comparison(comparison, source))?;
        for paper in &self.papers {
            source.check_name(&paper.column, &self.columns, "column")?;
        }
        let of_range = self.paper_range.iter().flat_map(|range| [&range.low, &range.high]);
        let published = self.papers.iter().map(|paper| &paper.values).chain(of_range).flatten();
        if let Some((name, value)) =
            published.into_iter().find(|(_, value)| value.is_nan() || value.abs() > MAX_PUBLISHED)
        {
            let found = format!("the published figure {value:e} of `{}`", excerpt(name));
            return Err(source.problem(None, found, &format!("figures up to {MAX_PUBLISHED}")).into());
        }
        Ok(())
    }
}

impl Spec {
    /// Checks that the rows of a comparison are there, decoded at the widths that it names, in the columns that it names.
    fn check_comparison(&self, comparison: &ComparisonSpec, source: &SourceText) -> Result<()> {
        let ComparisonSpec { what, row, width, than, against, against_width, columns } = comparison;
        for called in [what, than] {
            source.check_line(called, Some(row.span()))?;
        }
        for name in columns.iter().flatten() {
            source.check_name(name, &self.columns, "column")?;
        }
        let is_meant = |column: &&Variant| {
            columns.as_ref().is_none_or(|names| names.iter().any(|name| name.get_ref() == column.name.get_ref()))
        };
        for (name, width) in [(row, width), (against, against_width)] {
            source.check_name(name, &self.rows, "row")?;
            let of_name = |row: &&Variant| row.name.get_ref() == name.get_ref();
            let Some(row) = self.rows.iter().find(of_name) else { continue };
            let refused = |found: String, expected: &str| -> Result<()> {
                Err(source.problem(Some(name.span()), format!("{found} in a comparison"), expected).into())
            };
            if let Some(column) = self.columns.iter().filter(is_meant).find(|column| !row.is_in(column)) {
                let found =
                    format!("row `{}`, which is not run in column `{}`,", name.get_ref(), column.name.get_ref());
                return refused(found, "rows that are run in all columns that are meant; `columns` names some");
            }
            let found = |width: &usize| format!("width {width} of row `{}`", name.get_ref());
            match (width, &row.decode) {
                (Some(width), None) => {
                    refused(found(width), "no width, as the row has no `decode` that names several")?
                }
                (Some(width), Some(widths)) if !widths.contains(width) => {
                    refused(found(width), &format!("one that it is decoded at: {widths:?}"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The highest figure of a paper: scores are in percent, other figures are counts.
const MAX_PUBLISHED: f64 = 1e9;

/// The most rows that a grid makes.
const MAX_GRID: usize = 10_000;

/// Reads a text in TOML, such as a specification of any kind.
///
/// # Errors
/// If the file cannot be read, is not TOML, or has unknown or missing keys, with the line.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = treebeam::files::read_text(path)?;
    let source = SourceText { text: &text, path };
    toml::from_str(&text).map_err(|e| source.toml_problem(e.span(), e.message()).into())
}

/// Checks names in a specification of any kind: those `of_files`, which are also those of folders, and those that stand in tables.
///
/// # Errors
/// If one names no file in the folder of results, or has more than one line.
pub fn check_names<'n>(
    path: &Path,
    of_files: impl IntoIterator<Item = &'n String>,
    of_tables: impl IntoIterator<Item = &'n String>,
) -> Result<()> {
    let source = SourceText { text: "", path };
    let is_plain =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if let Some(name) = of_files.into_iter().find(|name| !is_plain(name)) {
        let expected = "a name of letters, digits, `-` and `_`, for it names files";
        return Err(source.problem(None, format!("name `{}`", excerpt(name)), expected).into());
    }
    of_tables.into_iter().try_for_each(|name| source.check_line(name, None))
}

/// The profile of this name in a specification of any kind.
///
/// # Errors
/// If there is none.
pub fn profile_named<'p, P>(profiles: &'p BTreeMap<String, P>, name: &str, path: &Path) -> Result<&'p P> {
    profiles.get(name).ok_or_else(|| {
        let names: Vec<&str> = profiles.keys().map(String::as_str).collect();
        let path = path.display();
        Error::Usage(format!("{path}: no profile is named `{name}`; expected {}", names.join(" or ")))
    })
}

/// A specification's text, for the numbers of lines in errors.
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
        let message = with_suggestion(&message.trim_end().replace('\n', ", "));
        if let Some((found, meant)) = message.split_once("; did you mean ") {
            return self.problem(span, found, &format!("a known name: did you mean {meant}"));
        }
        let (found, expected) = message.split_once(", expected ").unwrap_or((&message, "a specification in TOML"));
        self.problem(span, found, expected)
    }

    /// Checks that a name in a line of a table is one line.
    fn check_line(&self, name: &str, span: Option<Range<usize>>) -> Result<()> {
        if name.chars().any(char::is_control) {
            let expected = "names and titles without line ends, tabs and the like, as they stand in tables";
            return Err(self.problem(span, format!("name {name:?}"), expected).into());
        }
        Ok(())
    }

    /// Every set of overrides must make sense as training options by itself.
    fn check_options(&self, table: &Spanned<Table>) -> Result<()> {
        if table.get_ref().contains_key("seed") {
            let found = "a seed among the options";
            return Err(self.problem(Some(table.span()), found, "seeds in the profile: seeds = [...]").into());
        }
        given(table.get_ref())
            .map(drop)
            .map_err(|error| self.toml_problem(Some(table.span()), &error.to_string()).into())
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
    use crate::experiment::options::{given, of_layers};
    use treebeam::learn::{TrainOptions, Training};
    use treebeam::options::Options;

    /// Figures that were published must not move with a default.
    #[test]
    fn shipped_specifications_state_every_option() {
        let all = Table::try_from(TrainOptions::default()).unwrap();
        for name in [
            "demo",
            "beam-ablation",
            "en-ewt-targets",
            "lecture-global-vs-greedy",
            "systems",
            "learning-curves",
            "study",
            "spurious-choices",
            "updates",
            "gn13-table1",
            "gn13-figure1",
            "fg17-table3",
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../experiments/{name}.toml"));
            let spec = Spec::read(&path).unwrap();
            for column in &spec.columns {
                let layers = [&spec.base, &column.options].into_iter().flatten();
                let stated: BTreeSet<&String> = layers.flat_map(|layer| layer.get_ref().keys()).collect();
                let unstated: Vec<&String> = all.keys().filter(|k| *k != "seed" && !stated.contains(k)).collect();
                assert!(unstated.is_empty(), "{name}: {unstated:?}");
            }
        }
    }

    /// Names of rows that say that they learn from gold derivations: as such, as a multiclass learner, and a paper's own baseline. The
    /// static oracle of easy-first in gn13-table1 is a non-deterministic one, as in that paper.
    const SAY_SO: [&str; 4] = ["gold configurations", "static", "svm", "Snn"];

    /// A greedy row whose oracle is not the default of its system says so, so that no side of a comparison is below its own default
    /// unseen.
    #[test]
    fn greedy_rows_have_the_default_oracle_or_name_another() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
        let mut found = Vec::new();
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(spec) = Spec::read(&path) else { continue };
            for (column, row) in spec.columns.iter().flat_map(|column| spec.rows.iter().map(move |row| (column, row))) {
                let layers = [&spec.base, &column.options, &row.options].into_iter().flatten().map(Spanned::get_ref);
                let Ok(Options::Transitions(options)) = of_layers(layers).unwrap().resolve() else { continue };
                if !row.is_in(column) || options.training != Training::Greedy {
                    continue;
                }
                let default = given(&toml::toml! { training = "greedy"
                system = (options.system.name()) })
                .unwrap()
                .resolve()
                .unwrap();
                let default = default.transitions().unwrap().oracle;
                let says = |variant: &Variant| {
                    let name = variant.name.get_ref();
                    name.contains(options.oracle.name()) || SAY_SO.iter().any(|word| name.contains(word))
                };
                if options.oracle != default && !says(row) && !says(column) {
                    found.push(format!(
                        "{}: {} | {}: {}",
                        spec.name,
                        column.name.get_ref(),
                        row.name.get_ref(),
                        options.oracle.name()
                    ));
                }
            }
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
    use crate::experiment::testing::SPEC;

    fn message(from: &str, to: &str) -> String {
        assert!(SPEC.contains(from), "the test's specification holds {from}");
        Spec::parse(&SPEC.replacen(from, to, 1), Path::new("s.toml")).unwrap_err().to_string()
    }

    #[test]
    fn a_protocol_is_found_beside_the_specification_and_has_a_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        let text = format!("protocol = \"plan.md\"\n{SPEC}");
        let sha256 = |text: &str| Spec::parse(text, &path).unwrap().protocol_sha256();
        assert_eq!(sha256(SPEC).unwrap(), None);
        assert!(sha256(&text).unwrap_err().to_string().contains("plan.md"));
        std::fs::write(folder.path().join("plan.md"), "abc").unwrap();
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&text).unwrap().as_deref(), Some(of_abc));
    }

    #[test]
    fn grids_have_bounds() {
        let values: Vec<String> = (0..100).map(|value| value.to_string()).collect();
        let axis = |option: &str| format!("[[grid]]\noption = \"{option}\"\nvalues = [{}]\n", values.join(", "));
        let axes: String = ["explore-from", "beam", "iterations", "average-from", "batch"].map(axis).concat();
        let text = SPEC.replace("[table]", &format!("{axes}[table]"));
        let error = Spec::parse(&text, Path::new("s.toml")).unwrap_err().to_string();
        assert!(error.contains("a grid of 10000000000 combinations; expected at most 10000"), "{error}");
    }

    #[test]
    fn what_tables_and_files_cannot_bear_is_refused() {
        let error = |text: String| Spec::parse(&text, Path::new("s.toml")).unwrap_err().to_string();
        let grid = |axes: &str| error(SPEC.replacen("[table]", &format!("{axes}\n[table]"), 1));
        let twice = "[[grid]]\noption = \"beam\"\nvalues = [1]\n[[grid]]\noption = \"beam\"\nvalues = [2]";
        assert!(grid(twice).contains("a second axis of the grid for beam; expected one axis"));
        assert!(grid("[[grid]]\noption = \"beam\"\nvalues = []").contains("without values"));
        let row = "[[row]]\nname = \"a\\nb\"";
        assert!(grid(row).contains("without line ends"));
        let wide = "[[row]]\nname = \"wide\"\ndecode = [100000000000]";
        assert!(grid(wide).contains("expected different widths from 1 to 1048576"));
        for figure in ["1e308", "-1e10", "nan", "inf"] {
            let error = error(SPEC.replacen("= 90.5 }", &format!("= {figure} }}"), 1));
            assert!(error.contains("of `generated:1,50,projective`; expected figures up to 1000000000"), "{error}");
        }
    }

    #[test]
    fn grids_become_rows_and_open_rows_stay() {
        let text = SPEC.replacen(
            "[table]",
            "[[row]]\nname = \"later\"\nopen = \"not built.\"\n[[grid]]\noption = \"explore-from\"\nvalues = [0, 2]\n\
             [[grid]]\noption = \"explore-prob\"\nvalues = [0.5, 1.0]\n[table]",
            1,
        );
        let spec = Spec::parse(&text, Path::new("s.toml")).unwrap();
        let names: Vec<&str> = spec.rows.iter().skip(3).map(|row| row.name.get_ref().as_str()).collect();
        let grid = ["0, explore-prob 0.5", "0, explore-prob 1.0", "2, explore-prob 0.5", "2, explore-prob 1.0"];
        let grid = grid.map(|rest| format!("explore-from {rest}"));
        assert_eq!(names[0], "later");
        assert_eq!(names[1..], grid);
        assert_eq!(spec.grid_row(&[1, 0]), grid[2]);
        assert!(spec.rows[3].open.is_some() && spec.rows[4].open.is_none());

        let wrong = text.replace("\"explore-from\"", "\"explore-form\"");
        let error = Spec::parse(&wrong, Path::new("s.toml")).unwrap_err().to_string();
        assert!(error.contains("unknown field `explore-form`"), "{error}");
    }

    #[test]
    fn what_cannot_be_shown_is_reported() {
        let lines = "series = [{ name = \"greedy\", rows = [\"greedy\", \"dynamic\"], matched = true }, ";
        let error = message(&format!("y = \"las\"\n{lines}"), "y = \"advantage\"\nseries = [");
        assert!(error.contains("1 series in plot `las`; expected two"), "{error}");
        let error = message("y = \"las\"", "x = \"derivation\"\ny = \"las\"");
        assert!(error.contains("plot `las` of Las against Derivation"), "{error}");
        let error = message("rows = [\"global\"] }", "rows = [\"global\"], level = true }");
        assert!(error.contains("level series `global` in plot `las`; expected one row at one width"), "{error}");
        let error = message("[[column]]\nname = \"eager\"", "[[column]]\nname = \"eager\"\nopen = \"why not\"");
        assert!(error.contains("`open` in a column; expected it in rows only"), "{error}");
        let error = message("name = \"greedy\"", "name = \"greedy\"\nmax-train-sentences = 5");
        assert!(error.contains("`max-train-sentences` in a row; expected it in profiles or columns"), "{error}");
        let error = message("name = \"eager\"", "name = \"eager\"\nmax-train-sentences = 0");
        assert!(error.contains("max-train-sentences = 0; expected 1 or more"), "{error}");
        let error = message("max-train-sentences = 30", "max-train-sentences = 0");
        assert!(error.contains("max-train-sentences = 0 in profile `quick`; expected 1 or more"), "{error}");
        let error = message("baseline = \"greedy\"", "baseline = \"greedy\"\nagainst = [\"gready\"]");
        assert!(error.contains("no row is named `gready`"), "{error}");
    }

    #[test]
    fn comparisons_of_what_is_not_run_are_refused() {
        let error = |rows: &str, comparison: &str| {
            let comparison = format!("{rows}[[comparison]]\nwhat = \"it\"\nthan = \"that\"\n{comparison}\n");
            Spec::parse(&SPEC.replace("[table]", &format!("{comparison}[table]")), Path::new("s.toml"))
                .map_or_else(|error| error.to_string(), |_| "read".to_owned())
        };
        assert_eq!(error("", "row = \"global\"\nwidth = 4\nagainst = \"greedy\""), "read");
        assert!(error("", "row = \"globl\"\nagainst = \"greedy\"").contains("no row is named `globl`"));
        let columns = error("", "row = \"global\"\nagainst = \"greedy\"\ncolumns = [\"x\"]");
        assert!(columns.contains("no column is named `x`"), "{columns}");
        let width = error("", "row = \"global\"\nwidth = 8\nagainst = \"greedy\"");
        assert!(width.contains("width 8 of row `global` in a comparison; expected one that it is decoded at: [1, 4]"));
        let width = error("", "row = \"global\"\nagainst = \"greedy\"\nagainst-width = 1");
        assert!(width.contains("width 1 of row `greedy` in a comparison; expected no width"), "{width}");
        let open = "[[row]]\nname = \"later\"\nopen = \"not built.\"\n";
        let open = error(open, "row = \"later\"\nagainst = \"greedy\"");
        assert!(open.contains("row `later`, which is not run in column `eager`, in a comparison"), "{open}");
        let some = "[[row]]\nname = \"some\"\ncolumns = [\"eager\"]\n";
        let not_everywhere = error(some, "row = \"some\"\nagainst = \"greedy\"");
        assert!(not_everywhere.contains("not run in column `hybrid`"), "{not_everywhere}");
        assert_eq!(error(some, "row = \"some\"\nagainst = \"greedy\"\ncolumns = [\"eager\"]"), "read");
    }

    #[test]
    fn mistakes_are_reported_with_their_lines() {
        let error = message("beam = 4", "width = 4");
        assert!(error.starts_with("s.toml:24: unknown field `width`; expected one of `system`, `scorer`, "), "{error}");
        assert!(treebeam::options::KNOWN.iter().all(|known| error.contains(&format!("`{}`", known.name()))), "{error}");
        insta::assert_snapshot!(message("training = \"greedy\"", "training = \"gready\""), @"s.toml:16: --training: unknown variant `gready`; expected a known name: did you mean `greedy`?");
        insta::assert_snapshot!(message("iterations = 2", "seed = 2"), @"s.toml:11: a seed among the options; expected seeds in the profile: seeds = [...]");
        insta::assert_snapshot!(message("baseline = \"greedy\"", "baseline = \"gredy\""), @"s.toml:36: no row is named `gredy`; expected the name of a row: greedy, dynamic, global");
        insta::assert_snapshot!(message("title =", "titel ="), @"s.toml:3: unknown field `titel`; expected a known name: did you mean `title`?");
        insta::assert_snapshot!(message("decode = [1, 4]", "decode = [0]"), @"s.toml:23: decode = [0]; expected different widths from 1 to 1048576");
        insta::assert_snapshot!(message("name = \"test\"", "name = \"a/b\""), @"s.toml: name `a/b`; expected a name of letters, digits, `-` and `_`, for it names files");
        insta::assert_snapshot!(message("name = \"dynamic\"", "name = \"greedy\""), @"s.toml:19: a second row or column named `greedy`; expected names that differ");
        insta::assert_snapshot!(message("seeds = [1, 2]", "seeds = [1, "), @"s.toml:9: unexpected `=` in array; expected value, `]`");
    }
}
