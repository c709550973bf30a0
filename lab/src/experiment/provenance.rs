//! By what code and on what machine a record was made. All of it is compiled into the program by `build.rs`; nothing is asked
//! of the folder that the program happens to be run in.

use serde::{Deserialize, Serialize};

/// Provenance of a record: all but options and data that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this crate.
    pub version: String,
    /// The git revision that the program was built from, for people; `unknown` if it was built outside git.
    pub revision: String,
    /// True if the sources were exactly those of the revision; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// The checksum of the program's golden behaviour, as far as the record depends on it, see [`super::Golden`]; none in records of
    /// earlier formats, which are not current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<String>,
    /// Sample that showed that a later program gives the figures of this record, if `golden` is that of a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
    /// SHA-256 of the protocol that the specification names, as it was when the cell was run; none if it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// The random generator.
    pub generator: String,
    /// The machine.
    pub host: Host,
    /// Cells that were run side by side. Training and decoding use one thread each.
    pub jobs: usize,
}

/// A sample of an experiment's cells that a later program ran again and that all gave the figures of their records, so that the
/// records of all cells are taken for that program's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The revision of that program.
    pub revision: String,
    /// The cells that were run again.
    pub sample: usize,
    /// Those that they stand for, themselves included.
    pub of: usize,
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
            golden: None,
            carried: None,
            protocol: None,
            generator: treebeam::random::GENERATOR.to_owned(),
            host: Host { cpu: cpu_model(), cores: std::thread::available_parallelism().map_or(1, usize::from) },
            jobs,
        }
    }

    /// The same, of a program with this golden behaviour.
    pub fn behaving(&self, golden: &str) -> Provenance {
        Provenance { golden: Some(golden.to_owned()), ..self.clone() }
    }

    /// The revision as people read it: with a word if the sources had been changed since.
    pub fn shown_revision(&self) -> String {
        match self.clean {
            Some(false) => format!("{} (modified)", self.revision),
            _ => self.revision.clone(),
        }
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
    fn no_name_of_the_machine_is_kept() {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let kept = serde_json::to_string(&Provenance::of_this_process(1)).unwrap();
        assert!(name.trim().is_empty() || !kept.contains(name.trim()), "{kept}");
    }
}
