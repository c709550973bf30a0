//! Experiments of another kind: how near the bounds of non-monotonic Covington's loss are to the loss, on real trees
//! (Fernández-González & Gómez-Rodríguez, ACL 2017, Table 1). A cell is a treebank.

mod walk;

pub use walk::{Means, RollIn, Sums, Walk};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::data::{Data, Portion, hex};
use super::golden::Golden;
use super::kind::{CellFiles, Cost, Kind, Stored};
use super::overrides::Overrides;
use super::plan::{Unreadable, readable};
use super::provenance::Provenance;
use super::source::TreebankSource;
use super::spec::{check_names, profile_named, read_toml};
use treebeam::error::{Error, Result};

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
    /// Explanation of the table, and what differs from the paper.
    #[serde(default)]
    pub analysis: String,
    /// In a sentence, in what data and settings differ from the paper's; printed beside the verdict on its table.
    #[serde(default)]
    pub differs: String,
    /// Scales, by name.
    pub profiles: BTreeMap<String, BoundsProfile>,
    /// Walk; the profile says how long it is.
    pub walk: Walk,
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
        let spec: BoundsSpec = read_toml(path)?;
        check_names(path, [&spec.name].into_iter().chain(spec.profiles.keys()), [&spec.title])?;
        let Walk { transitions, wander, max_configurations, roll_in, .. } = &spec.walk;
        let probabilities = [("wander", Some(*wander)), ("follow", roll_in.as_ref().map(|roll_in| roll_in.follow))];
        let wrong = |found: String, expected: &str| {
            Err(Error::Usage(format!("{}: {found}; expected {expected}", path.display())))
        };
        for (name, value) in probabilities.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !(0.0..=1.0).contains(&value) {
                return wrong(format!("{name} = {value}"), "a probability, from 0 to 1");
            }
        }
        if *transitions > 0 {
            return wrong("`transitions` in [walk]".to_owned(), "them in profiles");
        }
        if *max_configurations == 0 {
            return wrong("max-configurations = 0".to_owned(), "1 or more");
        }
        if roll_in.as_ref().is_some_and(|roll_in| roll_in.iterations == 0) {
            return wrong("iterations = 0 of the guide".to_owned(), "1 or more");
        }
        for (name, profile) in &spec.profiles {
            if profile.transitions == 0 {
                return wrong(format!("transitions = 0 in profile {name}"), "1 or more");
            }
            let different: BTreeSet<&String> = profile.treebanks.iter().collect();
            if profile.treebanks.is_empty() || different.len() < profile.treebanks.len() {
                return wrong(
                    format!("treebanks = {:?} in profile {name}", profile.treebanks),
                    "different treebanks, one or more",
                );
            }
        }
        Ok(spec)
    }
}

/// One treebank at one scale.
#[derive(Debug, Clone)]
pub struct BoundsCell {
    /// SHA-256 over the walk and the data.
    pub key: String,
    /// The checksum of the behaviour that the figures depend on, see [`Golden`].
    pub golden: String,
    /// The walk.
    pub walk: Walk,
    /// The treebank.
    pub data: Data,
}

/// Record of a walk over a treebank: one line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundsRecord {
    /// The cell's key.
    pub key: String,
    /// The treebank.
    pub treebank: String,
    /// The walk.
    pub walk: Walk,
    /// Portion that was walked over.
    pub train: Portion,
    /// Code and machine.
    pub provenance: Provenance,
    /// Seconds by the clock; none in records of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// Sums over the walk.
    pub sums: Sums,
}

/// The cells of `spec` at the scale of `profile`, and the treebanks that cannot be read; `folder` holds the treebanks. Of
/// `overrides`, treebanks are heeded.
///
/// # Errors
/// If the profile does not exist or no treebank can be read. Overrides that are for trainings change nothing here.
pub fn cells(
    spec: &BoundsSpec,
    path: &Path,
    profile: &str,
    overrides: &Overrides,
    folder: Option<&PathBuf>,
) -> Result<(Vec<BoundsCell>, Vec<Unreadable>)> {
    let scale = profile_named(&spec.profiles, profile, path)?;
    let walk = Walk { transitions: overrides.transitions.unwrap_or(scale.transitions), ..spec.walk };
    let cell = |source: TreebankSource| {
        let data = Data::find(source, folder.map(PathBuf::as_path), None)?;
        // The parser of the roll-in policy, see [`Walk`].
        let roll_in = walk
            .roll_in
            .map(|_| json!({ "system": "covington-nonmonotonic", "training": "greedy", "oracle": "upper" }));
        let trainings: Vec<Value> = std::iter::once(json!({ "cell": "bounds" })).chain(roll_in).collect();
        let golden = Golden::concerning(&trainings);
        let identity = serde_json::to_vec(&(&walk, &data.train.sha256)).map_err(|e| Error::Usage(e.to_string()))?;
        Ok(BoundsCell { key: hex(&Sha256::digest(identity)), golden, walk, data })
    };
    readable(overrides.treebanks.as_ref().unwrap_or(&scale.treebanks), cell)
}

/// Walks over treebanks as a kind of cell.
#[derive(Debug)]
pub struct Bounds {
    /// This program and the machine.
    pub provenance: Provenance,
}

/// Seconds that a thousand transitions take, roughly: most have short searches.
const SECONDS: f64 = 0.1;

impl Kind for Bounds {
    type Cell = BoundsCell;
    type Record = BoundsRecord;

    fn key<'c>(&self, cell: &'c BoundsCell) -> &'c str {
        &cell.key
    }

    fn title(&self, cell: &BoundsCell) -> String {
        cell.data.source.to_string()
    }

    fn golden<'c>(&'c self, cell: &'c BoundsCell) -> &'c str {
        &cell.golden
    }

    fn description(&self, cell: &BoundsCell) -> Value {
        let BoundsCell { key, walk, data, .. } = cell;
        json!({ "key": key, "treebank": data.source.to_string(), "walk": walk, "train": data.train })
    }

    fn cost(&self, cell: &BoundsCell, records: &[&BoundsRecord]) -> Cost {
        let rates: Vec<f64> =
            records.iter().filter_map(|r| Some(r.wall_s? / r.walk.transitions.max(1) as f64)).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let rate = if rates.is_empty() { SECONDS / 1000.0 } else { mean };
        // PERF: English-EWT takes 265 MB if a roll-in policy is trained, and 37 MB if not.
        let of_sentence = if cell.walk.roll_in.is_some() { 20_000 } else { 4_000 };
        let memory = 50_000_000 + of_sentence * cell.data.train.n_sentences() as u64;
        Cost { seconds: cell.walk.transitions as f64 * rate, memory, n_records: rates.len() }
    }

    fn run(&self, cell: &BoundsCell, _: &CellFiles) -> Result<BoundsRecord> {
        let start = Instant::now();
        let sums = cell.walk.over(&cell.data.read(&cell.data.train)?)?;
        Ok(BoundsRecord {
            key: cell.key.clone(),
            treebank: cell.data.source.to_string(),
            walk: cell.walk,
            train: cell.data.train.clone(),
            provenance: self.provenance.behaving(&cell.golden),
            wall_s: Some(start.elapsed().as_secs_f64()),
            sums,
        })
    }
}

impl Stored for BoundsRecord {
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
        self.wall_s.unwrap_or_default()
    }

    fn repeatable(&self) -> Option<Value> {
        Some(json!({ "sums": self.sums }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{files, provenance};

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
    fn a_trained_roll_in_policy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        let sums_of = |walk: &str| {
            std::fs::write(&path, SPEC.replace("wander = 0.1", walk)).unwrap();
            let spec = BoundsSpec::read(&path).unwrap();
            let (cells, _) = cells(&spec, &path, "quick", &Overrides::default(), None).unwrap();
            let kind = Bounds { provenance: provenance("r1") };
            let [sums, again] = [0; 2].map(|_| kind.run(&cells[0], &files()).unwrap().sums);
            assert_eq!(sums, again);
            sums
        };
        let rolled_in = |follow: f64, iterations: u32, held_out: bool| {
            sums_of(&format!(
                "wander = 0.0\nguide = {{ follow = {follow:?}, iterations = {iterations}, held-out = {held_out} }}"
            ))
        };
        // Transitions of least cost make no mistakes, those of a parser do, and of one that knows more fewer.
        assert_eq!(rolled_in(0.0, 1, true).loss, 0);
        let losses = [1, 8].map(|iterations| rolled_in(1.0, iterations, true).means());
        assert!(losses[0].loss > losses[1].loss && losses[1].loss > 0.0, "{losses:?}");
        assert!(losses.iter().all(|m| m.bounds[0] <= m.loss && m.loss <= m.bounds[1]));
        // Sentences that it knows it parses better.
        assert!(rolled_in(1.0, 8, false).means().loss < losses[1].loss);
    }

    #[test]
    fn one_sentence_has_no_halves() {
        let data = Data::find("generated:1,40,nonprojective".parse().unwrap(), None, None).unwrap();
        let mut treebank = data.read(&data.train).unwrap();
        let roll_in = Some(RollIn { follow: 0.9, iterations: 1, held_out: true });
        let walk =
            Walk { transitions: 100, wander: 0.0, every_transition: false, seed: 1, max_configurations: 100, roll_in };
        treebank.sentences.truncate(2);
        walk.over(&treebank).unwrap();
        treebank.sentences.truncate(1);
        assert!(walk.over(&treebank).unwrap_err().to_string().contains("one sentence cannot be halved"));
    }
}
