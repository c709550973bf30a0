//! By what code and on what machine a record was made.

use std::process::Command;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::data::hex;
use crate::system::SystemKind;

/// The environment variable that states the revision, at build time or else at run time, instead of asking git.
pub const REVISION_VARIABLE: &str = "TREEBEAM_REVISION";

/// What else than options and data a record depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this crate.
    pub version: String,
    /// The revision of the code; `unknown` without git.
    pub revision: String,
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
            revision: code_revision(),
            generator: crate::random::GENERATOR.to_owned(),
            host: Host { cpu: cpu_model(), cores: std::thread::available_parallelism().map_or(1, usize::from) },
            jobs,
        }
    }
}

/// The paths whose content decides what a run computes. A change of anything else, such as tables, reports, the command line
/// or documents, makes no record stale.
const CODE: [&str; 14] = [
    "src/tree",
    "src/treebank",
    "src/configuration",
    "src/system",
    "src/features",
    "src/model",
    "src/decode",
    "src/eval",
    "src/learn",
    "src/graph",
    "src/diagnosis",
    "src/random.rs",
    "src/experiment/data.rs",
    "src/experiment/engine.rs",
];

/// The file that says which versions of other crates are used.
const DEPENDENCIES: &str = "Cargo.lock";

/// A part of [`CODE`] that only systems of this name's beginning read.
const COVINGTON: (&str, &str) = ("src/system/covington", "covington");

/// The revision of all the code: the last commit that touched it, and if there are changes since, `+` and a checksum of
/// them. It describes the checkout in the current folder, so build before running.
pub fn code_revision() -> String {
    revision_of(&CODE)
}

fn revision_of(paths: &[&str]) -> String {
    if let Some(stated) = option_env!("TREEBEAM_REVISION") {
        return stated.to_owned();
    }
    if let Ok(stated) = std::env::var(REVISION_VARIABLE) {
        return stated;
    }
    // Newer versions of dependencies change the lock file's checksums; that the crate depends on one more does not.
    let of_code = git(&["log", "-1", "--format=%ct %H"], paths);
    let of_dependencies = git(&["log", "-1", "-G^checksum", "--format=%ct %H"], &[DEPENDENCIES]);
    let newest = [of_code, of_dependencies].into_iter().flatten().filter_map(|line| {
        let (time, commit) = line.split_once(' ')?;
        Some((time.parse::<u64>().ok()?, commit.to_owned()))
    });
    let Some((_, commit)) = newest.max() else { return "unknown".to_owned() };
    let all = [paths, &[DEPENDENCIES]].concat();
    let changes = git(&["diff", "HEAD"], &all).into_iter().chain(git(&["status", "--porcelain"], &all));
    let changes = changes.collect::<String>();
    match changes.is_empty() {
        true => commit,
        false => format!("{commit}+{}", &hex(&Sha256::digest(changes))[..8]),
    }
}

/// The revisions of the code that decides the figures of each transition system. A change of Covington's systems makes no
/// record of others stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisions {
    of_covington: String,
    of_others: String,
}

impl Revisions {
    /// Those of the checkout in the current folder, see [`code_revision`].
    pub fn of_this_checkout() -> Revisions {
        let without = format!(":(exclude){}", COVINGTON.0);
        let others = [&CODE[..], &[&without]].concat();
        Revisions { of_covington: code_revision(), of_others: revision_of(&others) }
    }

    /// The revision of the code that decides the figures of `system`.
    pub fn of(&self, system: SystemKind) -> &str {
        if system.name().starts_with(COVINGTON.1) { &self.of_covington } else { &self.of_others }
    }
}

impl From<&str> for Revisions {
    /// One revision for all systems.
    fn from(revision: &str) -> Revisions {
        Revisions { of_covington: revision.to_owned(), of_others: revision.to_owned() }
    }
}

/// What git prints about these paths, if there is a git and a repository.
fn git(arguments: &[&str], paths: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).arg("--").args(paths).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
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
    use std::path::Path;

    #[test]
    fn code_exists_and_holds_every_folder_below_experiments() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(CODE.iter().all(|path| root.join(path).exists()));
        // What options come to is in every key.
        let above = ["cli", "experiment", "options", "report"];
        for entry in std::fs::read_dir(root.join("src")).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let counts = CODE.contains(&format!("src/{name}").as_str());
            assert!(counts || !entry.path().is_dir() || above.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn revisions_are_stable_within_a_run() {
        let revisions = Revisions::of_this_checkout();
        assert!(!revisions.of(SystemKind::ArcEager).is_empty());
        assert_eq!(revisions.of(SystemKind::Covington), code_revision());
        assert_eq!(revisions, Revisions::of_this_checkout());
    }

    #[test]
    fn no_other_system_reads_what_is_covingtons_own() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/system");
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            assert!(name == "mod.rs" || !text.contains("covington::"), "{name}");
        }
    }

    #[test]
    fn no_name_of_the_machine_is_kept() {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let kept = serde_json::to_string(&Provenance::of_this_process(1)).unwrap();
        assert!(name.trim().is_empty() || !kept.contains(name.trim()), "{kept}");
    }
}
