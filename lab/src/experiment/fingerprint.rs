//! Checksums of the code that decides figures, taken of the sources when the program is built: `build.rs` includes this file.
//!
//! A record of an experiment is current as long as the code that decides its figures is the same, whatever commit that code
//! stands in. So the contents of the source files are hashed, part by part:
//!
//! | part | files |
//! |---|---|
//! | `common` | all of `src` but the other parts and what is presentation ([`PRESENTATION`]), and the versions and checksums of the crates that they may use |
//! | `covington` | `src/system/covington`, which no other system reads |
//! | `graph` | `src/graph`, the graph-based parsers |
//! | `walk` | `lab/src/experiment/bounds/walk.rs`, which compares bounds of losses |
//! | `program` | all of `src`, `lab` and `cli` and all crates: what decides how fast the whole program is |
//!
//! A new file belongs to `common` until it is named here, so that nothing is forgotten. Lines that hold a comment alone, empty
//! lines, indentation and tests are left out: they decide nothing. Files of other kinds count whole, `decode/speed.md` among them:
//! what is new of speed stands in a comment of `decode`, where it makes no record stale.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The folders of sources.
const FOLDERS: [&str; 3] = ["src", "lab/src", "cli/src"];

/// What shows and stores results and does not decide them; files and folders. What options come to is in every key.
pub const PRESENTATION: [&str; 9] = [
    "lab/src",
    "cli/src",
    "src/options",
    "src/parser",
    "src/files",
    "src/error",
    "src/lib.rs",
    "src/error.rs",
    "src/console.rs",
];

/// What does decide them nevertheless: how an experiment cuts treebanks, trains, decodes and scores.
pub const DECIDING: [&str; 2] = ["lab/src/experiment/data.rs", "lab/src/experiment/engine.rs"];

/// Parts that not all figures depend on, with the file or folder that each consists of.
pub const OWN: [(&str, &str); 3] =
    [("covington", "src/system/covington"), ("graph", "src/graph"), ("walk", "lab/src/experiment/bounds/walk.rs")];

/// Crates that parse arguments, draw, print, report errors, or are for tests and benchmarks only.
pub const PRESENTATION_CRATES: [&str; 29] = [
    "anyhow",
    "assert_cmd",
    "clap",
    "clap_complete",
    "clap_mangen",
    "criterion",
    "gungraun",
    "indicatif",
    "insta",
    "memmap2",
    "minijinja",
    "nix",
    "plotters",
    "proptest",
    "pulldown-cmark",
    "serde",
    "serde_json",
    "sha2",
    "signal-hook",
    "tempfile",
    "terminal_size",
    "thiserror",
    "toml",
    "treebeam",
    "treebeam-lab",
    "unicode-width",
    "wait4",
    "flate2",
    "zstd",
];

/// The checksum of each part of the sources in `root`, the folder of the workspace: sixteen hexadecimal digits.
///
/// # Errors
/// If they cannot be read.
pub fn of_sources(root: &Path) -> io::Result<BTreeMap<&'static str, String>> {
    let mut files = Vec::new();
    for folder in FOLDERS.iter().filter(|folder| root.join(folder).is_dir()) {
        list(&root.join(folder), &format!("{folder}/"), &mut files)?;
    }
    files.sort();
    let mut parts: BTreeMap<&'static str, Sha256> = BTreeMap::new();
    for part in ["common", "program"].into_iter().chain(OWN.map(|(name, _)| name)) {
        parts.insert(part, Sha256::new());
    }
    for name in files.iter().filter(|name| !is_test(name)) {
        let text = deciding_text(name, &std::fs::read(root.join(name))?);
        for part in [part_of(name), Some("program")].into_iter().flatten() {
            let hash = parts.get_mut(part).expect("every part has been made");
            hash.update(format!("{name}\n{}\n", text.len()));
            hash.update(&text);
        }
    }
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    for (part, left_out) in [("common", &PRESENTATION_CRATES[..]), ("program", &[])] {
        let hash = parts.get_mut(part).expect("every part has been made");
        hash.update(crates(&lock, left_out).concat());
    }
    let hex = |hash: Sha256| hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(parts.into_iter().map(|(part, hash)| (part, hex(hash))).collect())
}

/// The names of all files below `folder`, each behind `prefix`, with `/` between folders.
fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => list(&entry.path(), &format!("{name}/"), files)?,
            false => files.push(name),
        }
    }
    Ok(())
}

/// The part that decides figures and holds the file `name`, if any does.
pub fn part_of(name: &str) -> Option<&'static str> {
    let is_in = |place: &str| name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if let Some((part, _)) = OWN.iter().find(|(_, place)| is_in(place)) {
        return Some(part);
    }
    let is_common = DECIDING.iter().any(|place| is_in(place)) || !PRESENTATION.iter().any(|place| is_in(place));
    is_common.then_some("common")
}

fn is_test(name: &str) -> bool {
    name.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "testing.rs"))
}

/// The text without what decides nothing.
fn deciding_text(name: &str, bytes: &[u8]) -> Vec<u8> {
    if !name.ends_with(".rs") {
        return bytes.to_vec();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let starts_tests =
            line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        if starts_tests {
            // A module at the outermost level ends with the first bracket at the beginning of a line.
            for inner in lines.by_ref() {
                if inner == "}" {
                    break;
                }
            }
            continue;
        }
        let line = line.trim();
        if !line.is_empty() && !line.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept.into_bytes()
}

/// A line with name, version and checksum for each crate that this package needs, directly or not, without `left_out` and what
/// only these need.
fn crates(lock: &str, left_out: &[&str]) -> Vec<String> {
    struct Package {
        line: String,
        needs: Vec<String>,
    }
    let mut packages: BTreeMap<String, Vec<Package>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.map(|value| value.trim_matches('"').to_owned()).unwrap_or_default()
        };
        let needs = block.split_once("dependencies = [").map_or("", |(_, rest)| rest.split(']').next().unwrap_or(""));
        // A crate that comes in several versions is named with its version.
        let name_of = |line: &str| line.trim().trim_matches([',', '"']).split(' ').next().unwrap_or("").to_owned();
        let needs = needs.lines().map(name_of).filter(|name| !name.is_empty()).collect();
        let line = format!("{} {} {}\n", value("name"), value("version"), value("checksum"));
        packages.entry(value("name")).or_default().push(Package { line, needs });
    }
    let mut found = BTreeSet::new();
    let own = ["treebeam", "treebeam-lab", "treebeam-cli"];
    let own = own.into_iter().filter_map(|name| packages.get(name)).flatten();
    let mut open: Vec<String> = own.flat_map(|package| package.needs.clone()).collect();
    open.retain(|name| !left_out.contains(&name.as_str()));
    while let Some(name) = open.pop() {
        if found.insert(name.clone()) {
            open.extend(packages.get(&name).into_iter().flatten().flat_map(|package| package.needs.clone()));
        }
    }
    let lines = found.iter().flat_map(|name| packages.get(name).into_iter().flatten());
    lines.map(|package| package.line.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small package.
    fn package(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    const LOCK: &str = "[[package]]\nname = \"treebeam\"\nversion = \"0.1.0\"\ndependencies = [\n \"clap\",\n \"rand\",\n]\n\n\
                        [[package]]\nname = \"clap\"\nversion = \"4.0.0\"\nchecksum = \"aa\"\n\n\
                        [[package]]\nname = \"rand\"\nversion = \"0.1.0\"\nchecksum = \"bb\"\ndependencies = [\n \"core\",\n]\n\n\
                        [[package]]\nname = \"core\"\nversion = \"1.0.0\"\nchecksum = \"cc\"\n";

    const FILES: [(&str, &str); 9] = [
        ("src/lib.rs", "mod a;\n"),
        (
            "src/system/a.rs",
            "// A comment.\nfn a() -> u32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n",
        ),
        ("src/system/covington/mod.rs", "fn c() {}\n"),
        ("src/graph/mod.rs", "fn g() {}\n"),
        ("src/features/x.feat", "// S0.w\n"),
        ("lab/src/report/r.rs", "fn r() {}\n"),
        ("lab/src/experiment/engine.rs", "fn e() {}\n"),
        ("lab/src/experiment/plan.rs", "fn p() {}\n"),
        ("Cargo.lock", LOCK),
    ];

    /// The parts that change when `to` replaces `from` in the file `name`.
    fn changed(name: &str, from: &str, to: &str) -> Vec<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        package(folder.path(), &FILES);
        let before = of_sources(folder.path()).unwrap();
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let after = of_sources(folder.path()).unwrap();
        before.into_iter().filter(|(part, sum)| after[part] != *sum).map(|(part, _)| part).collect()
    }

    #[test]
    fn what_decides_figures_changes_the_part_that_it_belongs_to_and_nothing_else_does() {
        assert_eq!(changed("src/system/a.rs", "1", "2"), ["common", "program"]);
        assert_eq!(
            changed("src/features/x.feat", "S0", "S1"),
            ["common", "program"],
            "a comment in code alone is none"
        );
        assert_eq!(changed("lab/src/experiment/engine.rs", "e()", "f()"), ["common", "program"]);
        assert_eq!(changed("src/system/covington/mod.rs", "c()", "d()"), ["covington", "program"]);
        assert_eq!(changed("src/graph/mod.rs", "g()", "h()"), ["graph", "program"]);
        for presentation in ["lab/src/report/r.rs", "lab/src/experiment/plan.rs", "src/lib.rs"] {
            assert_eq!(changed(presentation, "\n", " // more\nuse x;\n"), ["program"], "{presentation}");
        }
        for (from, to) in
            [("A comment", "Another"), ("t() {}", "t() { panic!() }"), ("    1", "  1"), ("\n\n", "\n\n\n")]
        {
            assert!(changed("src/system/a.rs", from, to).is_empty(), "{from}");
        }
        assert_eq!(changed("Cargo.lock", "cc", "dd"), ["common", "program"], "what a crate needs counts");
        assert_eq!(changed("Cargo.lock", "aa", "dd"), ["program"], "the command line decides no figure");
    }

    #[test]
    fn the_names_of_this_package_are_right() {
        let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for place in DECIDING.into_iter().chain(OWN.map(|(_, place)| place)) {
            assert!(root.join(place).exists(), "{place}");
        }
        let parts = of_sources(root).unwrap();
        assert!(parts.values().all(|sum| sum.len() == 16));
        let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap();
        let common = crates(&lock, &PRESENTATION_CRATES).concat();
        for (name, is_there) in [("rand", true), ("rapidhash", true), ("clap", false), ("criterion", false)] {
            assert_eq!(common.contains(&format!("{name} ")), is_there, "{name}");
        }
    }

    /// Systems and graph-based parsers have parts of their own only because nothing else reads them.
    #[test]
    fn no_other_code_reads_what_has_a_part_of_its_own() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for folder in FOLDERS {
            list(&root.join(folder), &format!("{folder}/"), &mut files).unwrap();
        }
        for name in files.iter().filter(|name| part_of(name) == Some("common") && !is_test(name)) {
            let text = String::from_utf8(deciding_text(name, &std::fs::read(root.join(name)).unwrap())).unwrap();
            let may_choose_systems = ["src/system/mod.rs", "src/system/kind.rs"].contains(&name.as_str());
            let is_check = name.starts_with("src/system/exhaustive");
            assert!(may_choose_systems || is_check || !text.contains("covington::"), "{name}");
            assert!(name == "experiment/engine.rs" || !text.contains("treebeam::graph"), "{name}");
        }
    }
}
