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
