//! `treebeam experiment` from the outside.

use assert_cmd::Command;

fn treebeam(arguments: &[&str], folder: &std::path::Path) -> Command {
    let mut command = Command::cargo_bin("treebeam").expect("the binary is built");
    command.args(arguments).current_dir(folder).env_remove("TREEBEAM_TREEBANKS").env("TREEBEAM_REVISION", "r1");
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// The specifications that come with this crate.
fn shipped() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")
}

#[test]
fn shipped_specifications_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let output = treebeam(&["experiment", "list", shipped().to_str().unwrap()], folder.path()).assert().success();
    let listed = text(output.get_output().stdout.clone());
    for expected in
        ["beam-ablation.toml", "demo.toml", "global-vs-greedy.toml", "quick: 72 cells, 3 treebanks, 1 seeds"]
    {
        assert!(listed.contains(expected), "{expected}: {listed}");
    }
}

#[test]
fn a_dry_run_shows_the_cells_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let arguments = ["experiment", "run", demo.to_str().unwrap(), "--dry-run", "--set", "seeds=1 2"];
    let output = treebeam(&arguments, folder.path()).assert().success();
    let shown = text(output.get_output().stdout.clone());
    assert_eq!(shown.lines().filter(|l| l.starts_with("missing ")).count(), 12, "{shown}");
    assert!(shown.contains("12 cells, 12 to run, 0 stale"), "{shown}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn tables_of_nothing_have_no_figures_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let output = treebeam(&["experiment", "table", demo.to_str().unwrap()], folder.path()).assert().success();
    let printed = text(output.get_output().stdout.clone());
    assert!(printed.contains("cells: 0 of 18 done"), "{printed}");
    assert!(printed.contains("| greedy dynamic | – |"), "{printed}");
    assert!(
        printed.contains("`treebeam experiment table demo.toml --profile quick`"),
        "no path of this machine: {printed}"
    );
    let written = std::fs::read_to_string(folder.path().join("results/demo/quick.md")).unwrap();
    assert_eq!(written, printed);
}

#[test]
fn mistakes_end_with_2_and_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let demo = std::fs::read_to_string(shipped().join("demo.toml")).unwrap();
    std::fs::write(folder.path().join("bad.toml"), demo.replace("oracle = \"static\"", "orakel = \"static\"")).unwrap();
    std::fs::write(folder.path().join("good.toml"), demo).unwrap();
    for (arguments, expected) in [
        (vec!["run", "bad.toml"], "unknown field `orakel`; expected one of"),
        (vec!["run", "good.toml", "--profile", "slow"], "no profile is named `slow`; expected full or quick"),
        (vec!["run", "good.toml", "--set", "treebanks=en_ewt"], "--treebanks"),
        (vec!["run", "good.toml", "--set", "treebanks=en_ewt", "--treebanks", "nowhere"], "no train data; expected"),
        (vec!["run", "good.toml", "--set", "beams=3"], "unknown field `beams`"),
        (vec!["run", "none.toml"], "none.toml: "),
        (vec!["list", "none"], "none"),
    ] {
        let all: Vec<&str> = std::iter::once("experiment").chain(arguments).collect();
        let output = treebeam(&all, folder.path()).assert().code(2);
        let told = text(output.get_output().stderr.clone());
        assert!(told.contains(expected), "{all:?}: {told}");
        assert!(!folder.path().join("results").exists(), "{all:?} writes nothing");
    }
}

#[test]
fn a_spoilt_record_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out");
    std::fs::create_dir(&results).unwrap();
    std::fs::write(results.join("records.jsonl"), "{}\n").unwrap();
    let demo = shipped().join("demo.toml");
    let arguments = ["experiment", "table", demo.to_str().unwrap(), "--out", "out"];
    let output = treebeam(&arguments, folder.path()).assert().code(2);
    let told = text(output.get_output().stderr.clone());
    assert!(told.contains("records.jsonl:1: missing field `key`"), "{told}");
}
