//! What users of the library have to compile.

use std::process::Command;

/// The crates that the library depends on with these options of `cargo tree`.
fn dependencies(options: &[&str]) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let output = cargo.args(options).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Command line, progress bars, plots and pages are left out with the features that bring them.
#[test]
fn the_parser_alone_needs_no_command_line_and_no_plots() {
    let (of_program, of_report) = (["anyhow", "clap", "clap_builder", "indicatif"], ["minijinja", "pulldown-cmark"]);
    let has = |dependencies: &[String], name: &str| dependencies.iter().any(|dependency| dependency == name);
    let (all, library) = (dependencies(&[]), dependencies(&["--no-default-features"]));
    let with_report = dependencies(&["--no-default-features", "--features", "report"]);
    for name in of_program {
        assert!(has(&all, name) && !has(&with_report, name) && !has(&library, name), "{name}");
    }
    for name in of_report {
        assert!(has(&all, name) && has(&with_report, name) && !has(&library, name), "{name}");
    }
    assert!(has(&library, "rayon"));
}
