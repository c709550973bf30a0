//! What users of the library have to compile.

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

/// No dependency is added without a word about why it is trusted.
#[test]
fn deny_toml_says_why_each_direct_dependency_is_trusted() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let text = read("deny.toml");
    let entries = text.lines().filter_map(|line| line.strip_prefix("# - ")?.split_once(": ")).map(|(names, _)| names);
    let trusted: Vec<&str> =
        entries.flat_map(|names| names.split(", ")).map(|name| name.trim_end_matches(" (tests)")).collect();
    let mut needed = std::collections::BTreeSet::new();
    for package in [".", "systems", "lab", "cli", "python", "fuzz"] {
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
