//! Experiments of another kind: how near the bounds of non-monotonic Covington's loss are to the loss, on real trees
//! (Fernández-González & Gómez-Rodríguez, ACL 2017, Table 1). Nothing is trained; a cell is a treebank.

mod walk;

pub use walk::{Means, Sums, Walk};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::data::{Data, Portion, hex};
use super::overrides::Overrides;
use super::provenance::Provenance;
use super::source::Source;
use crate::error::{Error, Location, Problem, Result};

/// The names of the bounds, in the order of [`Sums::bounds`].
pub const BOUNDS: [&str; 3] = ["lower", "pc-upper", "upper"];

/// A specification as it stands in its TOML file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoundsSpec {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// `bounds`.
    pub kind: String,
    /// One line for the head of the table.
    pub title: String,
    /// How to read the table, and what differs from the paper.
    #[serde(default)]
    pub analysis: String,
    /// Scales, by name.
    pub profiles: BTreeMap<String, BoundsProfile>,
    /// How to wander; the profile says how far.
    pub walk: WalkSpec,
    /// The paper's figures.
    pub paper: Option<PublishedBounds>,
}

/// The scale of an experiment on bounds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoundsProfile {
    /// The treebanks, whose training data are walked over.
    pub treebanks: Vec<String>,
    /// Transitions for each.
    pub transitions: usize,
}

/// [`Walk`] without the transitions.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WalkSpec {
    /// See [`Walk::wander`].
    pub wander: f64,
    /// See [`Walk::seed`].
    pub seed: u64,
    /// See [`Walk::max_configurations`].
    pub max_configurations: usize,
}

/// The figures that a paper printed, by treebank.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PublishedBounds {
    /// Paper and table.
    pub source: String,
    /// The mean loss.
    pub loss: BTreeMap<String, f64>,
    /// By bound, its mean.
    pub means: BTreeMap<String, BTreeMap<String, f64>>,
    /// By bound, its mean relative distance from the loss.
    pub distances: BTreeMap<String, BTreeMap<String, f64>>,
}

impl BoundsSpec {
    /// Reads a specification.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or has unknown or missing keys.
    pub fn read(path: &Path) -> Result<BoundsSpec> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let problem = |e: toml::de::Error| Problem {
            location: Location {
                path: path.display().to_string(),
                line: e.span().map_or(0, |s| text[..s.start].matches('\n').count() + 1),
                sentence: None,
            },
            found: e.message().trim_end().replace('\n', ", "),
            expected: "a specification of kind `bounds` in TOML".to_owned(),
        };
        Ok(toml::from_str(&text).map_err(problem)?)
    }
}

/// One treebank at one scale.
#[derive(Debug, Clone)]
pub struct BoundsCell {
    /// SHA-256 over the walk and the data.
    pub key: String,
    /// The walk.
    pub walk: Walk,
    /// The treebank.
    pub data: Data,
}

/// What walking over a treebank leaves behind: one line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundsRecord {
    /// The cell's key.
    pub key: String,
    /// The treebank.
    pub treebank: String,
    /// The walk.
    pub walk: Walk,
    /// What was walked over.
    pub train: Portion,
    /// By what code, on what machine.
    pub provenance: Provenance,
    /// What was found.
    pub sums: Sums,
}

/// The cells of `spec` at the scale of `profile`; `folder` holds the treebanks. Of `overrides`, treebanks are heeded.
///
/// # Errors
/// If the profile does not exist, a treebank cannot be found, or something else is to be overridden.
pub fn cells(
    spec: &BoundsSpec,
    path: &Path,
    profile: &str,
    overrides: &Overrides,
    folder: Option<&PathBuf>,
) -> Result<Vec<BoundsCell>> {
    let scale = spec.profiles.get(profile).ok_or_else(|| {
        let names: Vec<&str> = spec.profiles.keys().map(String::as_str).collect();
        let path = path.display();
        Error::Usage(format!("{path}: no profile is named `{profile}`; expected {}", names.join(" or ")))
    })?;
    if overrides.seeds.is_some() || overrides.max_train_sentences.is_some() || !overrides.options.is_empty() {
        let path = path.display();
        return Err(Error::Usage(format!("{path}: nothing is trained here; expected --set treebanks=... only")));
    }
    let WalkSpec { wander, seed, max_configurations } = spec.walk;
    let walk = Walk { transitions: scale.transitions, wander, seed, max_configurations };
    let cell = |name: &String| {
        let data = Data::find(name.parse::<Source>()?, folder.map(PathBuf::as_path), None)?;
        let identity = serde_json::to_vec(&(&walk, &data.train.sha256)).map_err(|e| Error::Usage(e.to_string()))?;
        Ok(BoundsCell { key: hex(&Sha256::digest(identity)), walk, data })
    };
    overrides.treebanks.as_ref().unwrap_or(&scale.treebanks).iter().map(cell).collect()
}

impl BoundsCell {
    /// Walks over the treebank.
    ///
    /// # Errors
    /// If it cannot be read or is malformed.
    pub fn run(&self, provenance: Provenance) -> Result<BoundsRecord> {
        let sums = self.walk.over(&self.data.read(&self.data.train)?)?;
        let (key, treebank, train) = (self.key.clone(), self.data.source.to_string(), self.data.train.clone());
        Ok(BoundsRecord { key, treebank, walk: self.walk, train, provenance, sums })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::provenance;

    const SPEC: &str = r#"
name = "b"
kind = "bounds"
title = "Bounds"
[profiles.quick]
treebanks = ["generated:1,40,nonprojective"]
transitions = 2000
[walk]
wander = 0.1
seed = 1
max-configurations = 5000
"#;

    #[test]
    fn the_chain_of_bounds_holds_and_walks_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        std::fs::write(&path, SPEC).unwrap();
        let spec = BoundsSpec::read(&path).unwrap();
        let cells = cells(&spec, &path, "quick", &Overrides::default(), None).unwrap();
        let record = cells[0].run(provenance("r1")).unwrap();
        let Means { loss, bounds: [lower, pc_upper, upper], distances } = record.sums.means();
        let n = record.sums.configurations + record.sums.given_up;
        assert!((500..=2000).contains(&n), "{n}");
        assert!(0.0 < lower && lower <= loss && loss <= pc_upper && pc_upper <= upper);
        assert!(distances[1] <= distances[2]);
        assert_eq!(cells[0].run(provenance("r1")).unwrap(), record);
        let back: BoundsRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
        assert_eq!(back.sums, record.sums);
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        std::fs::write(&path, SPEC.replace("wander", "wonder")).unwrap();
        let message = BoundsSpec::read(&path).unwrap_err().to_string();
        assert!(message.contains("b.toml:9: unknown field `wonder`"), "{message}");
        std::fs::write(&path, SPEC).unwrap();
        let spec = BoundsSpec::read(&path).unwrap();
        let message = |settings: &[&str], profile: &str| {
            let overrides = Overrides::parse(settings).unwrap();
            cells(&spec, &path, profile, &overrides, None).unwrap_err().to_string()
        };
        assert!(message(&["iterations=3"], "quick").contains("nothing is trained here"));
        assert!(message(&[], "slow").contains("no profile is named `slow`; expected quick"));
    }
}
