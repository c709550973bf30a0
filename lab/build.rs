//! Compiles into the program the git revision that it is made of and whether the sources had been changed since, for people.
//!
//! Outside git, and without git, the revision is `unknown`. `TREEBEAM_REVISION`, set when the program is built, states it
//! instead, for whoever builds from an archive.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that the program is made of, from the repository's root.
const SOURCES: [&str; 5] = ["src", "lab", "cli", "Cargo.toml", "Cargo.lock"];

/// States the revision instead of git.
const STATED: &str = "TREEBEAM_REVISION";

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    for path in SOURCES {
        println!("cargo::rerun-if-changed=../{path}");
    }
    println!("cargo::rerun-if-env-changed={STATED}");
    let (revision, tree) = receipt(&root);
    println!("cargo::rustc-env=TREEBEAM_BUILD_REVISION={revision}");
    println!("cargo::rustc-env=TREEBEAM_BUILD_TREE={tree}");
}

/// The revision, and whether the sources are as they are there: `clean`, `modified` or `unknown`.
fn receipt(root: &Path) -> (String, &'static str) {
    let unknown = ("unknown".to_owned(), "unknown");
    if let Some(stated) = std::env::var(STATED).ok().filter(|stated| !stated.trim().is_empty()) {
        return (stated.trim().replace('\n', " "), "unknown");
    }
    // A package that was unpacked inside another repository has no revision of that one.
    let top = git(root, &["rev-parse", "--show-toplevel"]).and_then(|top| Path::new(&top).canonicalize().ok());
    if top.is_none() || top != root.canonicalize().ok() {
        return unknown;
    }
    // In release builds a commit without a change of sources builds again, for the sake of the receipt. Other builds keep the
    // revision at which they were made.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for name in ["HEAD", "logs/HEAD"] {
            let path = git(root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
            if let Some(path) = path.filter(|path| path.exists()) {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    let Some(revision) = git(root, &["rev-parse", "HEAD"]) else { return unknown };
    let changes = git(root, &[&["status", "--porcelain", "--"][..], &SOURCES].concat());
    match changes {
        Some(changes) if changes.is_empty() => (revision, "clean"),
        Some(_) => (revision, "modified"),
        None => (revision, "unknown"),
    }
}

/// Output of git, if there is a git and it succeeds.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    // A hook of another repository may have set these.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    let output = command.current_dir(root).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
