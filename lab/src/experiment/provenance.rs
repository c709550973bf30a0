//! By what code and on what machine a record was made. All of it is compiled into the program by `build.rs`; nothing is asked
//! of the folder that the program happens to be run in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use treebeam::system::SystemKind;

/// What stands for a revision that is not known.
const UNKNOWN: &str = "unknown";

/// What else than options and data a record depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this crate.
    pub version: String,
    /// The git revision that the program was built from, for people; `unknown` if it was built outside git.
    pub revision: String,
    /// Whether the sources were exactly those of the revision; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// Checksums of the code that decides the record's figures; none in records of format 1, which are never current.
    #[serde(default, skip_serializing_if = "Code::is_empty")]
    pub code: Code,
    /// The random generator.
    pub generator: String,
    /// The machine.
    pub host: Host,
    /// Cells that were run side by side. Training and decoding use one thread each.
    pub jobs: usize,
}

/// A machine, as far as its speed is concerned; its name is nobody's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's model.
    pub cpu: String,
    /// Threads that run at the same time.
    pub cores: usize,
}

impl Provenance {
    /// That of this process, for runs of `jobs` cells side by side.
    pub fn of_this_process(jobs: usize) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: env!("TREEBEAM_BUILD_REVISION").to_owned(),
            clean: match env!("TREEBEAM_BUILD_TREE") {
                "clean" => Some(true),
                "modified" => Some(false),
                _ => None,
            },
            code: Code::of_this_program(),
            generator: treebeam::random::GENERATOR.to_owned(),
            host: Host { cpu: cpu_model(), cores: std::thread::available_parallelism().map_or(1, usize::from) },
            jobs,
        }
    }

    /// The same, with the checksums of these parts of the code alone.
    pub fn decided_by(&self, parts: &[&str]) -> Provenance {
        Provenance { code: self.code.only(parts), ..self.clone() }
    }

    /// The revision as people read it: with a word if the sources had been changed since.
    pub fn told_revision(&self) -> String {
        match self.clean {
            Some(false) => format!("{} (modified)", self.revision),
            _ => self.revision.clone(),
        }
    }

    /// Whether the record was made by code with another revision than that of `program`, as far as both are known.
    pub fn is_of_other_revision(&self, program: &Provenance) -> bool {
        self.revision == UNKNOWN || program.revision == UNKNOWN || self.revision != program.revision
    }
}

/// Checksums of the sources that the program was built of, by part, see `src/experiment/fingerprint.rs`. A record is current
/// if all parts that decide its figures have the checksums that they have in this program. A part without a checksum is
/// unknown, and unknown equals nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(BTreeMap<String, String>);

impl Code {
    /// The parts that decide the figures of trainings with `system`. A change of Covington's systems makes no record of others
    /// stale.
    pub fn parts_of(system: SystemKind) -> &'static [&'static str] {
        if system.name().starts_with("covington") { &["common", "covington"] } else { &["common"] }
    }

    /// Those of graph-based parsers.
    pub const GRAPH: [&'static str; 2] = ["common", "graph"];

    /// Those of comparisons of bounds with losses.
    pub const BOUNDS: [&'static str; 3] = ["common", "covington", "walk"];

    /// Those of what is measured of the whole program.
    pub const PROGRAM: [&'static str; 1] = ["program"];

    /// All parts of this program.
    pub fn of_this_program() -> Code {
        Code::parse(env!("TREEBEAM_BUILD_CODE"))
    }

    fn parse(text: &str) -> Code {
        let parts = text.split_whitespace().filter_map(|part| part.split_once('='));
        Code(parts.map(|(part, sum)| (part.to_owned(), sum.to_owned())).collect())
    }

    /// These parts alone.
    pub fn only(&self, parts: &[&str]) -> Code {
        Code(
            self.0
                .iter()
                .filter(|(part, _)| parts.contains(&part.as_str()))
                .map(|(p, s)| (p.clone(), s.clone()))
                .collect(),
        )
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `other` has the same code in all of `parts`.
    pub fn agrees(&self, other: &Code, parts: &[&str]) -> bool {
        let known = |code: &Code, part: &&str| code.0.get(*part).filter(|sum| *sum != UNKNOWN).cloned();
        parts.iter().all(|part| known(self, part).is_some_and(|sum| known(other, part) == Some(sum)))
    }

    /// One short text for the checksums of `parts`, for names of files.
    pub fn short(&self, parts: &[&str]) -> String {
        let sums = parts.iter().map(|part| self.0.get(*part).map_or("0", String::as_str));
        sums.map(|sum| sum.chars().take(6).collect::<String>()).collect::<Vec<_>>().join("-")
    }
}

impl From<&str> for Code {
    /// The same checksum for every part.
    fn from(sum: &str) -> Code {
        let parts = ["common", "covington", "graph", "walk", "program"];
        Code(parts.map(|part| (part.to_owned(), sum.to_owned())).into())
    }
}

fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    model.unwrap_or(std::env::consts::ARCH).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_knows_the_code_that_it_was_built_of() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let sources = crate::experiment::fingerprint::of_sources(&root).unwrap();
        let code = Code::of_this_program();
        for (part, sum) in sources {
            assert_eq!(code.0.get(part), Some(&sum), "{part}");
        }
        for parts in [Code::parts_of(treebeam_systems::COVINGTON), &Code::GRAPH, &Code::BOUNDS, &Code::PROGRAM] {
            assert!(code.agrees(&code, parts), "{parts:?}");
        }
    }

    #[test]
    fn code_agrees_where_it_matters_and_unknown_equals_nothing() {
        let [a, b] = ["common=1 covington=2 graph=3", "common=1 covington=9 graph=unknown"].map(Code::parse);
        assert!(a.agrees(&b, &["common"]) && b.agrees(&a, Code::parts_of(treebeam_systems::ARC_EAGER)));
        assert!(!a.agrees(&b, Code::parts_of(treebeam_systems::COVINGTON_NONMONOTONIC)));
        assert!(!b.agrees(&b, &Code::GRAPH), "unknown is not even equal to itself");
        assert!(!a.agrees(&a, &["walk"]), "what was not told is unknown");
        assert!(!Code::default().agrees(&Code::default(), &["common"]));
        assert_eq!(a.only(&["graph"]), Code::parse("graph=3"));
    }

    #[test]
    fn no_name_of_the_machine_is_kept() {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let kept = serde_json::to_string(&Provenance::of_this_process(1)).unwrap();
        assert!(name.trim().is_empty() || !kept.contains(name.trim()), "{kept}");
    }
}
