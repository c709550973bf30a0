//! What is measured beside what, as it stands in `experiments/peers.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

use crate::cli::experiment::programs::check_measuring;
use crate::experiment::{check_names, read_toml};

/// The specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// `peers`.
    #[serde(rename = "kind")]
    _kind: String,
    /// The head of the table.
    pub title: String,
    /// How to read it.
    pub analysis: String,
    /// The folder of scripts, relative to the specification.
    pub scripts: PathBuf,
    /// Scales, by name.
    pub profiles: BTreeMap<String, Profile>,
    /// The programs.
    #[serde(rename = "program")]
    pub programs: Vec<Program>,
}

/// A scale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// The folder of a treebank, or `generated:...`.
    pub treebank: String,
    /// The treebank to use if no folder of treebanks is given.
    pub fallback: String,
    /// How often parsing is measured.
    pub repetitions: usize,
    /// As many copies are parsed as take this long.
    pub seconds: f64,
    /// What commands say in braces.
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
    /// What follows the program's name in tables.
    pub name: String,
    /// The command.
    pub command: Vec<String>,
}

impl Spec {
    /// Reads a specification.
    ///
    /// # Errors
    /// If it cannot be read or is malformed.
    pub fn read(path: &Path) -> anyhow::Result<Spec> {
        let spec: Spec = read_toml(path)?;
        let parsers = spec.programs.iter().flat_map(|program| program.parsers.iter().map(|parser| &parser.name));
        let programs = spec.programs.iter().map(|program| &program.name);
        let of_tables = programs.chain(parsers).chain([&spec.title]);
        check_names(path, [&spec.name].into_iter().chain(spec.profiles.keys()), of_tables)?;
        for (name, profile) in &spec.profiles {
            check_measuring(path, name, profile.repetitions, profile.seconds)?;
        }
        Ok(spec)
    }

    /// The profile with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn profile(&self, path: &Path, name: &str) -> anyhow::Result<&Profile> {
        let names = || self.profiles.keys().cloned().collect::<Vec<_>>().join(" or ");
        let unknown = || format!("{}: no profile is named `{name}`; expected {}", path.display(), names());
        self.profiles.get(name).with_context(unknown)
    }
}
