//! What users of the library have to compile, and the packages that are published.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::root;

/// The crates that a package of the workspace depends on.
fn dependencies(package: &str) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "tree",
        "--offline",
        "--locked",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--package",
        package,
    ]);
    let output = cargo.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Command line, progress bars, specifications and pages are for the packages above the parser.
#[test]
fn the_parser_alone_needs_no_command_line_and_no_pages() {
    let of_program = ["anyhow", "clap", "clap_builder", "indicatif"];
    let of_lab = ["minijinja", "pulldown-cmark", "toml"];
    let has = |dependencies: &[String], name: &str| dependencies.iter().any(|dependency| dependency == name);
    let [program, lab, parser] = ["treebeam-cli", "treebeam-lab", "treebeam"].map(dependencies);
    for name in of_program {
        assert!(has(&program, name) && !has(&lab, name) && !has(&parser, name), "{name}");
    }
    for name in of_lab {
        assert!(has(&program, name) && has(&lab, name) && !has(&parser, name), "{name}");
    }
    assert!(has(&parser, "rayon"));
}

/// The packages that are published, in the order in which they can be.
const PUBLISHED: [&str; 4] = ["treebeam", "treebeam-lab", "treebeam-systems", "treebeam-cli"];

/// The files of a folder and of those in it that end in `.rs`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| rust_files(folder))).collect()
}

/// Whatever a source includes outside its tests is there.
fn includes_are_there(source: &Path) {
    let text = std::fs::read_to_string(source).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    for included in ["include_str!(\"", "include_bytes!(\""].iter().flat_map(|call| code.split(call).skip(1)) {
        let (name, _) = included.split_once('"').unwrap();
        assert!(source.with_file_name(name).is_file(), "{} includes {name}", source.display());
    }
}

/// Every package can be made without a network, says what it is, and is small: the registry takes 10 MiB.
#[test]
fn packages_are_small_and_say_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--no-verify", "--offline", "--allow-dirty", "--target-dir"]).arg(folder.path());
    cargo.args(PUBLISHED.iter().flat_map(|package| ["--package", package]));
    let output = cargo.current_dir(root()).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !messages.contains("manifest has no"), "cargo package: {messages}");
    for package in PUBLISHED {
        let version = env!("CARGO_PKG_VERSION");
        let crate_file = folder.path().join("package").join(format!("{package}-{version}.crate"));
        let size = crate_file.metadata().unwrap().len();
        assert!((10_000..2 << 20).contains(&size), "{package}: {size} bytes packed");
        let unpacked = Command::new("tar").arg("xzf").arg(&crate_file).current_dir(folder.path()).status();
        assert!(unpacked.unwrap().success());
        let unpacked = folder.path().join(format!("{package}-{version}"));
        for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"] {
            assert!(unpacked.join(name).is_file(), "{package} has no {name}");
        }
        for file in rust_files(&unpacked.join("src")) {
            includes_are_there(&file);
        }
        let manifest = std::fs::read_to_string(unpacked.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        for key in ["description", "license", "readme", "documentation", "categories", "keywords", "rust-version"] {
            assert!(manifest["package"].get(key).is_some(), "{package}: the manifest has no {key}");
        }
    }
}

/// No dependency is added without a word about why it is trusted.
#[test]
fn deny_toml_says_why_each_direct_dependency_is_trusted() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let text = read("deny.toml");
    let entries = text.lines().filter_map(|line| line.strip_prefix("# - ")?.split_once(": ")).map(|(names, _)| names);
    let trusted: Vec<&str> =
        entries.flat_map(|names| names.split(", ")).map(|name| name.trim_end_matches(" (tests)")).collect();
    let mut needed = std::collections::BTreeSet::new();
    for package in [".", "systems", "lab", "cli", "python", "playground", "fuzz"] {
        let manifest: toml::Table = read(&format!("{package}/Cargo.toml")).parse().unwrap();
        let of_targets =
            manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
        let tables = std::iter::once(&manifest).chain(of_targets.filter_map(toml::Value::as_table));
        for table in tables {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let names = table.get(kind).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
                needed.extend(names.filter(|name| !name.starts_with("treebeam")).cloned());
            }
        }
    }
    assert!(needed.len() > 30, "{needed:?}");
    let missing: Vec<&String> = needed.iter().filter(|name| !trusted.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "not in deny.toml: {missing:?}");
    let needless: Vec<&&str> = trusted.iter().filter(|name| !needed.contains(**name)).collect();
    assert!(needless.is_empty(), "no dependencies any more: {needless:?}");
}
