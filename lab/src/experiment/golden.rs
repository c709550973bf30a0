//! Golden behaviour: what the program does in the small trainings of `tests/golden.toml`, as checksums. Those that concern a cell
//! say whether a record of it still has the figures that it would have now.
//!
//! A case says in options what it is about, and concerns each cell that has all of them. A change of behaviour so makes
//! stale the records of what it touches, and a change of code alone none. A number stands for any number, as there are checksums for
//! few of them, and a cell has each of the sets of features that its own is joined of. A case that is about nothing in particular
//! concerns all cells, and one that does not say what it is about concerns none.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use treebeam::files::hex;

/// The file `tests/golden.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// Trainings and parses, several of them in an entry.
    #[serde(rename = "entry")]
    pub entries: Vec<GoldenEntry>,
    /// Checksums of what each case gives, by its name.
    pub sums: BTreeMap<String, Checksums>,
}

/// Checksums by what a case gives: a model's header and weights, trees, a checkpoint, output.
pub type Checksums = BTreeMap<String, String>;

/// Checksums that figures do not depend on.
const NO_FIGURES: [&str; 2] = ["header", "checkpoint"];

/// A training with what follows, once for each combination of the options in `each`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenEntry {
    /// Name, if not by its options.
    pub name: Option<String>,
    /// The options that it is about; nothing if it concerns no cell.
    pub about: Option<toml::Table>,
    /// Options with several values each, which it is about, too.
    #[serde(default)]
    pub each: BTreeMap<String, Vec<toml::Value>>,
    /// The treebank to train and parse; a generated one if there is none.
    pub treebank: Option<String>,
    /// The options of a training before this one, whose model is `before.model`.
    pub before: Option<String>,
    /// Further options of training.
    pub train: Option<String>,
    /// The bits of a weight to freeze the model in.
    pub freeze: Option<String>,
    /// The options of each parse.
    #[serde(default)]
    pub parse: Vec<String>,
    /// An experiment to run.
    pub experiment: Option<String>,
    /// Other commands.
    #[serde(default)]
    pub run: Vec<String>,
}

/// One combination of an entry's options.
#[derive(Debug)]
pub struct Case<'g> {
    /// Kind of step.
    pub entry: &'g GoldenEntry,
    /// Its name.
    pub name: String,
    /// The options that it is about.
    pub options: Vec<(String, toml::Value)>,
}

impl Golden {
    /// Reads the file.
    ///
    /// # Errors
    /// If it is not as it should be.
    pub fn parse(text: &str) -> Result<Golden, toml::de::Error> {
        toml::from_str(text)
    }

    /// The file as it was when this program was built.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn of_this_program() -> &'static Golden {
        static GOLDEN: OnceLock<Golden> = OnceLock::new();
        // A link to the tests' file, so that the package has it.
        GOLDEN.get_or_init(|| Golden::parse(include_str!("golden.toml")).expect("tests/golden.toml is as it should be"))
    }

    /// The checksum of this program's behaviour that concerns a cell with one training with `options`, or several of them; sixteen
    /// hexadecimal digits.
    pub fn concerning(trainings: &[impl Serialize]) -> String {
        static CASES: OnceLock<Vec<Case<'static>>> = OnceLock::new();
        let golden = Golden::of_this_program();
        golden.checksum(CASES.get_or_init(|| golden.cases().collect()), trainings)
    }

    /// All cases.
    pub fn cases(&self) -> impl Iterator<Item = Case<'_>> {
        self.entries.iter().flat_map(GoldenEntry::cases)
    }

    /// The checksum of all behaviour of this program.
    pub fn whole() -> &'static str {
        static WHOLE: OnceLock<String> = OnceLock::new();
        WHOLE.get_or_init(|| {
            let golden = Golden::of_this_program();
            golden.checksum_of(golden.sums.keys())
        })
    }

    fn checksum(&self, cases: &[Case], trainings: &[impl Serialize]) -> String {
        let trainings: Vec<Map<String, Value>> = trainings.iter().map(as_map).collect();
        let concerns = |case: &&Case| trainings.iter().any(|options| case.concerns(options));
        self.checksum_of(cases.iter().filter(concerns).map(|case| &case.name))
    }

    fn checksum_of<'n>(&self, names: impl Iterator<Item = &'n String>) -> String {
        let sums = names.filter_map(|name| self.sums.get(name)).map(|sums| {
            let of_figures = sums.iter().filter(|(what, _)| !NO_FIGURES.contains(&what.as_str()));
            of_figures.map(|(what, sum)| format!("{what} {sum}\n")).collect::<String>()
        });
        // Whatever cases are called, and in whatever order they stand.
        let mut sums: Vec<String> = sums.collect();
        sums.sort();
        hex(&Sha256::digest(sums.concat())[..8])
    }
}

fn as_map(options: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(options) {
        Ok(Value::Object(options)) => options,
        _ => Map::new(),
    }
}

impl GoldenEntry {
    /// The cases that it stands for.
    pub fn cases(&self) -> Vec<Case<'_>> {
        let about = self.about.iter().flatten().map(|(key, value)| (key.clone(), value.clone()));
        let mut combinations: Vec<Vec<(String, toml::Value)>> = vec![about.collect()];
        for (key, values) in &self.each {
            let with = |options: &Vec<_>, value: &toml::Value| [&options[..], &[(key.clone(), value.clone())]].concat();
            let longer = combinations.iter().flat_map(|options| values.iter().map(|value| with(options, value)));
            combinations = longer.collect();
        }
        let case = |options: Vec<(String, toml::Value)>| {
            let named = options.iter().map(|(key, value)| format!("{key} {}", text_of(value)));
            let name = self.name.iter().cloned().chain(named).collect::<Vec<_>>().join(", ");
            Case { entry: self, name, options }
        };
        combinations.into_iter().map(case).collect()
    }
}

/// A value as the command line takes it.
pub fn text_of(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Case<'_> {
    /// True if its checksums are about a training with `options`.
    fn concerns(&self, options: &Map<String, Value>) -> bool {
        let says = self.entry.about.is_some() || !self.entry.each.is_empty();
        says && self.options.iter().all(|(key, value)| options.get(key).is_some_and(|found| is_in(key, value, found)))
    }
}

/// True if an option that a case is about is among those of a cell, whose value is `found`.
fn is_in(key: &str, value: &toml::Value, found: &Value) -> bool {
    match (value, found) {
        (toml::Value::Integer(_) | toml::Value::Float(_), Value::Number(_)) => true,
        (toml::Value::Boolean(value), Value::Bool(found)) => value == found,
        (toml::Value::String(value), Value::String(found)) if key == "features" => {
            value.split('+').all(|part| found.split('+').any(|found| found == part))
        }
        (toml::Value::String(value), Value::String(found)) => value == found,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Overrides, Plan, Spec};
    use serde_json::json;

    /// Options that some case must be about if a cell has them.
    const COVERED: [&str; 22] = [
        "system",
        "scorer",
        "training",
        "features",
        "oracle",
        "update",
        "objective",
        "learner",
        "preset",
        "search",
        "merge",
        "correct",
        "decisions",
        "word-shape",
        "dropout",
        "min-count",
        "batch",
        "replicas",
        "pretrain",
        "activation",
        "places",
        "layers",
    ];

    /// The names of the cases that concern a training with `options`.
    fn concerning(options: Value) -> Vec<String> {
        let options = as_map(&options);
        Golden::of_this_program().cases().filter(|case| case.concerns(&options)).map(|case| case.name).collect()
    }

    /// The cells among `cells` that become stale if the weights or trees of all cases whose names have `part` in them change.
    fn stale<'c>(part: &str, cells: &[(&'c str, Value)]) -> Vec<&'c str> {
        let before = Golden::of_this_program();
        let mut after = Golden::parse(include_str!("golden.toml")).unwrap();
        let changed = after.sums.iter_mut().filter(|(name, _)| name.contains(part));
        changed.for_each(|(_, sums)| sums.values_mut().for_each(|sum| sum.push('0')));
        let checksum =
            |golden: &Golden, options: &Value| golden.checksum(&golden.cases().collect::<Vec<_>>(), &[options]);
        let differs = |options: &Value| checksum(before, options) != checksum(&after, options);
        cells.iter().filter(|(_, options)| differs(options)).map(|(name, _)| *name).collect()
    }

    #[test]
    fn a_change_makes_stale_what_it_touches() {
        let cells = [
            (
                "covington",
                json!({ "system": "covington", "training": "greedy", "oracle": "static", "features": "covington" }),
            ),
            ("eager", json!({ "system": "arc-eager", "training": "global", "update": "max-violation", "beam": 32 })),
            ("stack-lstm", json!({ "system": "arc-standard", "scorer": "stack-lstm", "training": "greedy" })),
            ("l2s", json!({ "system": "arc-hybrid", "training": "l2s", "preset": "aggrevate", "features": "l2s" })),
            ("eisner", json!({ "system": "eisner", "learner": "mira" })),
            ("bounds", json!({ "cell": "bounds" })),
        ];
        assert_eq!(stale("system covington", &cells), ["covington"]);
        assert_eq!(stale("scorer stack-lstm", &cells), ["stack-lstm"]);
        assert_eq!(stale("update max-violation", &cells), ["eager"]);
        assert_eq!(stale("update early", &cells), [""; 0]);
        assert_eq!(stale("preset aggrevate", &cells), ["l2s"]);
        assert_eq!(stale("system eisner", &cells), ["eisner"]);
        assert_eq!(stale("bounds", &cells), ["bounds"]);
        assert_eq!(stale("16 bits", &cells), [""; 0]);
        assert_eq!(stale("beam 64", &cells), ["eager"], "a number stands for any");
        assert_eq!(stale("figures of an experiment", &cells).len(), cells.len());
    }

    /// Each cell of the experiments here depends on checksums of its system, and of whatever else in it is not the usual.
    #[test]
    fn every_cell_of_every_experiment_is_covered() {
        let overrides =
            Overrides { treebanks: Some(vec!["generated:1,60,nonprojective".to_owned()]), ..Overrides::default() };
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments");
        let mut missing = std::collections::BTreeSet::new();
        let mut n_cells = 0;
        let cases: Vec<Case> = Golden::of_this_program().cases().collect();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let Ok(spec) = Spec::read(&path) else { continue };
            for profile in spec.profiles.keys() {
                for cell in Plan::new(&spec, profile, &overrides, None).unwrap().cells {
                    n_cells += 1;
                    let options = as_map(&cell.options);
                    let about: Vec<String> = cases
                        .iter()
                        .filter(|case| case.concerns(&options))
                        .flat_map(|case| &case.options)
                        .map(|(key, _)| key.clone())
                        .collect();
                    let is_global = options.get("training").is_some_and(|training| training == "global");
                    let counts = |key: &&str| options.contains_key(*key) && (is_global || *key != "update");
                    for key in COVERED.into_iter().filter(counts) {
                        if !about.iter().any(|about| about == key) {
                            missing.insert(format!("{key} {} ({})", options[key], path.display()));
                        }
                    }
                }
            }
        }
        assert!(n_cells > 1000);
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn sets_of_features_count_one_by_one() {
        let joined = concerning(json!({ "features": "zn11+history" }));
        assert!(joined.contains(&"features zn11".to_owned()) && joined.contains(&"features history".to_owned()));
        assert!(!joined.contains(&"features stack+history".to_owned()), "{joined:?}");
    }

    #[test]
    fn headers_and_checkpoints_decide_no_figure() {
        let mut golden = Golden::parse(include_str!("golden.toml")).unwrap();
        let before = golden.checksum_of(golden.sums.keys());
        golden.sums.values_mut().for_each(|sums| sums.retain(|what, _| !NO_FIGURES.contains(&what.as_str())));
        assert_eq!(golden.checksum_of(golden.sums.keys()), before);
        golden.sums.values_mut().for_each(|sums| drop(sums.remove("trees")));
        assert_ne!(golden.checksum_of(golden.sums.keys()), before);
    }
}
