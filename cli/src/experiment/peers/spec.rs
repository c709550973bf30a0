//! Specification of the parsers that are measured, as it stands in `experiments/peers.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::experiment::programs::check_measuring;
use treebeam::error::Error;
use treebeam_lab::experiment::{check_names, read_toml};

/// The specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PeersSpec {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// `peers`.
    #[serde(rename = "kind")]
    _kind: String,
    /// The head of the table.
    pub title: String,
    /// Explanation for readers.
    pub analysis: String,
    /// The folder of scripts, relative to the specification.
    pub scripts: PathBuf,
    /// Scales, by name.
    pub profiles: BTreeMap<String, PeersProfile>,
    /// The programs.
    #[serde(rename = "program")]
    pub programs: Vec<Program>,
    /// Measurements of parsers that this experiment does not run.
    #[serde(default, rename = "elsewhere")]
    pub elsewhere: Vec<Elsewhere>,
}

/// A comparison that was made before, on another machine, with parsers that cannot be fetched as packages. Its figures are stated,
/// not measured, and stand in a table of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Elsewhere {
    /// The head of the table.
    pub title: String,
    /// On what, when and how it was measured.
    pub about: String,
    /// The parsers that were measured.
    #[serde(rename = "parser")]
    pub parsers: Vec<Stated>,
}

/// Measurements of a parser elsewhere; those left out were not made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stated {
    /// The parser, its version and its options.
    pub name: String,
    /// The width of the beam in training, in words where it changed on the way.
    pub trained: Option<String>,
    /// The width of the beam in parsing.
    pub width: usize,
    /// Attachment scores on test data, percent of all words.
    pub uas: Option<f64>,
    /// As above, with labels.
    pub las: Option<f64>,
    /// Words a second of the processor, reading and writing included.
    pub tokens_per_cpu_second: f64,
    /// Peak memory of parsing, in megabytes.
    pub peak_mb_parsing: Option<f64>,
    /// Cost of training, in CPU seconds.
    pub training_cpu_seconds: Option<f64>,
    /// Over how many iterations.
    pub iterations: Option<String>,
    /// Peak memory of training, in megabytes.
    pub peak_mb_training: Option<f64>,
    /// The size of the model.
    pub model_mb: Option<f64>,
    /// The parser of the same table, parsing at the same width, that was timed beside this one.
    pub beside: Option<String>,
}

impl Elsewhere {
    /// Speed of the parser that was timed beside `parser`, as a multiple of its own; none if there is none.
    pub fn times_as_fast(&self, parser: &Stated) -> Option<f64> {
        let beside = parser.beside.as_ref()?;
        let other = self.parsers.iter().find(|other| other.name == *beside && other.width == parser.width)?;
        Some(other.tokens_per_cpu_second / parser.tokens_per_cpu_second)
    }
}

/// A scale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PeersProfile {
    /// The folder of a treebank, or `generated:...`.
    pub treebank: String,
    /// The treebank to use if no folder of treebanks is given.
    pub fallback: String,
    /// Number of measurements of parsing.
    pub repetitions: usize,
    /// As many copies are parsed as take this long.
    pub seconds: f64,
    /// Values of names that commands have in braces.
    pub settings: BTreeMap<String, toml::Value>,
}

/// A model to train: who trains it, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Program {
    /// Its name in tables.
    pub name: String,
    /// The package that it comes in, with its version; none for this program.
    pub package: Option<String>,
    /// The command that trains it.
    pub train: Vec<String>,
    /// The ways of parsing with the model.
    #[serde(rename = "parser")]
    pub parsers: Vec<Parser>,
}

/// A way of parsing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parser {
    /// Text behind the program's name in tables.
    pub name: String,
    /// The command.
    pub command: Vec<String>,
}

impl PeersSpec {
    /// Reads a specification.
    ///
    /// # Errors
    /// If it cannot be read or is malformed.
    pub fn read(path: &Path) -> anyhow::Result<PeersSpec> {
        let spec: PeersSpec = read_toml(path)?;
        let parsers = spec.programs.iter().flat_map(|program| program.parsers.iter().map(|parser| &parser.name));
        let programs = spec.programs.iter().map(|program| &program.name);
        let of_tables = programs.chain(parsers).chain([&spec.title]);
        check_names(path, [&spec.name].into_iter().chain(spec.profiles.keys()), of_tables)?;
        let stated = spec.elsewhere.iter().flat_map(|table| table.parsers.iter().map(|parser| &parser.name));
        check_names(path, [], spec.elsewhere.iter().map(|table| &table.title).chain(stated))?;
        for table in &spec.elsewhere {
            for parser in &table.parsers {
                check_stated(path, table, parser)?;
            }
        }
        for (name, profile) in &spec.profiles {
            check_measuring(path, name, profile.repetitions, profile.seconds)?;
        }
        Ok(spec)
    }
}

/// Refuses figures that no parser can have and a comparison with a parser that is not there.
fn check_stated(path: &Path, table: &Elsewhere, parser: &Stated) -> anyhow::Result<()> {
    let Stated { name, width, beside, .. } = parser;
    let refuse = |what: String| Err(Error::Usage(format!("{}: {name}: {what}", path.display())).into());
    let percents = [parser.uas, parser.las];
    if let Some(score) = percents.into_iter().flatten().find(|score| !(0.0..=100.0).contains(score)) {
        return refuse(format!("a score of {score}; expected a percentage from 0 to 100"));
    }
    let sizes = [parser.peak_mb_parsing, parser.training_cpu_seconds, parser.peak_mb_training, parser.model_mb];
    let all = sizes.into_iter().flatten().chain([parser.tokens_per_cpu_second]);
    if let Some(size) = all.into_iter().find(|size| !(*size > 0.0 && size.is_finite())) {
        return refuse(format!("a figure of {size}; expected a number above 0"));
    }
    match beside {
        Some(other) if table.times_as_fast(parser).is_none() => {
            refuse(format!("no parser of the same table is named `{other}` and parses at width {width}"))
        }
        _ => Ok(()),
    }
}
