//! Specification of the measurements, as it stands in `experiments/throughput.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::experiment::programs::check_measuring;
use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use toml::Table;
use treebeam::learn::{TrainOptions, Training};
use treebeam::options::{GivenOptions, Options};
use treebeam::parser::MAX_BEAM;
use treebeam::tree::MAX_WORDS;
use treebeam_lab::experiment::{check_names, given, read_toml};

/// The specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThroughputSpec {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// `throughput`.
    #[serde(rename = "kind")]
    _kind: String,
    /// The head of the table.
    pub title: String,
    /// Explanation for readers.
    pub analysis: String,
    /// Goals.
    #[serde(rename = "target")]
    pub targets: Vec<Target>,
    /// Training options that all models share.
    base: Table,
    /// Scales, by name.
    pub profiles: BTreeMap<String, ThroughputProfile>,
}

/// A bound on the time per token at one width.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Target {
    /// The width of the beam.
    pub width: usize,
    /// Times what greedy parsing takes.
    pub at_most: f64,
}

/// A scale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThroughputProfile {
    /// The folder of a treebank, or `generated:...`.
    pub treebank: String,
    /// The treebank to use if no folder of treebanks is given.
    pub fallback: String,
    /// Number of measurements of everything.
    pub repetitions: usize,
    /// As many copies are parsed as take this long.
    pub seconds: f64,
    /// Sentences are joined until they have so many words.
    pub lengths: Vec<usize>,
    /// The widths at which joined sentences are parsed.
    pub length_widths: Vec<usize>,
    /// Models to train.
    #[serde(rename = "model")]
    pub models: Vec<ModelSpec>,
}

/// A model to train.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelSpec {
    /// Its name in tables.
    pub name: String,
    /// Changes of the base.
    options: Table,
    /// The widths that it parses at.
    pub decode: Vec<usize>,
    /// All its options.
    #[serde(skip)]
    pub resolved: TrainOptions,
}

impl ThroughputSpec {
    /// Reads a specification; `overrides` take the place of training options of all models.
    ///
    /// # Errors
    /// If it cannot be read, is malformed, leaves an option of training unsaid, or names a width twice.
    pub fn read(path: &Path, overrides: &Table) -> anyhow::Result<ThroughputSpec> {
        let file = path.display();
        let mut spec: ThroughputSpec = read_toml(path)?;
        let models = spec.profiles.values().flat_map(|profile| profile.models.iter().map(|model| &model.name));
        check_names(path, [&spec.name].into_iter().chain(spec.profiles.keys()), models.chain([&spec.title]))?;
        let all = Table::try_from(TrainOptions::default())?;
        let unsaid: Vec<&String> = all.keys().filter(|key| !spec.base.contains_key(*key)).collect();
        ensure!(unsaid.is_empty(), "{file}: [base] does not say {unsaid:?}");
        for (name, profile) in &mut spec.profiles {
            for model in &mut profile.models {
                let mut options = spec.base.clone();
                options.extend(model.options.iter().chain(overrides).map(|(key, value)| (key.clone(), value.clone())));
                let written = given(&options).and_then(GivenOptions::as_written);
                match written.with_context(|| format!("{file}: {}", model.name))? {
                    Options::Transitions(resolved) => model.resolved = resolved,
                    Options::Graph(_) => bail!("{file}: {}: expected a transition system", model.name),
                }
            }
            let widths: Vec<usize> = profile.models.iter().flat_map(|m| m.decode.iter().copied()).collect();
            let different: BTreeSet<usize> = widths.iter().copied().collect();
            ensure!(different.len() == widths.len(), "{file}: {name} decodes a width twice");
            if let Some(unknown) = profile.length_widths.iter().find(|width| !different.contains(width)) {
                bail!("{file}: {name}: no model decodes width {unknown}; expected one of {different:?}");
            }
            let wide = different.iter().find(|width| !(1..=MAX_BEAM).contains(&(**width as u64)));
            if let Some(width) = wide {
                bail!("{file}: {name}: decodes at width {width}; expected a width from 1 to {MAX_BEAM}");
            }
            check_measuring(path, name, profile.repetitions, profile.seconds)?;
            let wrong = profile.lengths.iter().find(|length| !(1..=MAX_WORDS).contains(*length));
            if let Some(length) = wrong {
                bail!("{file}: {name}: sentences of {length} words; expected lengths from 1 to {MAX_WORDS}");
            }
        }
        for Target { width, at_most } in &spec.targets {
            ensure!(
                (0.0..=1e6).contains(at_most) && *at_most > 0.0,
                "{file}: at-most = {at_most} for width {width}; expected a number above 0, at most a million"
            );
        }
        Ok(spec)
    }
}

impl ModelSpec {
    /// The options as the command line takes them.
    ///
    /// # Errors
    /// Never, as long as options are numbers and words.
    pub fn flags(&self) -> anyhow::Result<Vec<String>> {
        let options = Table::try_from(&self.resolved)?;
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(options.iter().flat_map(|(key, value)| [format!("--{key}"), text(value)]).collect())
    }

    /// Training method in a word.
    pub fn trained_as(&self) -> String {
        match self.resolved.training {
            Training::Greedy => "greedy".to_owned(),
            Training::L2s => "learning to search".to_owned(),
            Training::Global => format!("beam {}", self.resolved.beam),
        }
    }
}
