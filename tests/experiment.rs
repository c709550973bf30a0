//! `treebeam experiment` from the outside.

// clippy.toml permits `unwrap` in test functions only; what they share is as much part of the tests.
#![allow(clippy::unwrap_used)]

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

/// The test counts of each record, by key.
fn counts(folder: &std::path::Path) -> std::collections::BTreeMap<String, serde_json::Value> {
    let records = std::fs::read_to_string(folder.join("records.jsonl")).unwrap();
    let record = |line: &str| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        let widths = record["decodings"].as_array_mut().unwrap();
        let results = widths.iter_mut().map(|d| serde_json::json!([d["test"].take(), d["errors"].take()])).collect();
        (record["key"].as_str().unwrap().to_owned(), results)
    };
    records.lines().map(record).collect()
}

#[test]
fn runs_leave_the_same_counts_however_they_are_cut_and_spread() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let run = |out: &str, jobs: &str| {
        let treebank = "treebanks=generated:1,60,nonprojective";
        let settings = ["--set", treebank, "--set", "seeds=1 2", "--set", "iterations=1", "--out", out, "--jobs", jobs];
        let arguments: Vec<&str> = ["experiment", "run", demo.to_str().unwrap()].into_iter().chain(settings).collect();
        treebeam(&arguments, folder.path()).assert().success().get_output().clone()
    };
    let printed = text(run("one", "1").stdout);
    assert!(printed.contains("cells: 12 of 12 done") && !printed.contains("–"), "{printed}");
    let one = folder.path().join("one");
    assert!(std::fs::read_to_string(one.join("quick-las-arc-eager.svg")).unwrap().contains("global b=8"));
    run("two", "2");
    assert_eq!(counts(&folder.path().join("two")), counts(&one));

    let records = one.join("records.jsonl");
    let whole = counts(&one);
    let bytes = std::fs::read(&records).unwrap();
    std::fs::write(&records, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let told = text(run("one", "2").stderr);
    assert!(told.contains("the last record is torn") && told.contains("cells to run"), "{told}");
    assert_eq!(counts(&one), whole);
    assert!(text(run("one", "1").stderr).contains("0 cells to run, 12 done before"));
}

/// An experiment's cell is what `train`, `parse` and `eval` do by hand.
#[test]
fn cells_score_what_the_other_commands_score() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join("xx").join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(root.path().join("xx")).unwrap();
    for (name, seed) in [("train", "1"), ("dev", "2"), ("test", "3")] {
        let output = at(&format!("{name}.conllu"));
        let arguments = ["treebank", "generate", "--seed", seed, "--sentences", "80", "--output", &output];
        treebeam(&arguments, root.path()).assert().success();
    }
    let spec = r#"
name = "hand"
title = "By hand"
[profiles.quick]
treebanks = ["xx"]
seeds = [4]
[base]
system = "arc-hybrid"
features = "stack"
training = "global"
beam = 3
iterations = 2
average-from = 0
[[row]]
name = "global"
"#;
    std::fs::write(root.path().join("hand.toml"), spec).unwrap();
    treebeam(&["experiment", "run", "hand.toml", "--treebanks", ".", "--out", "out"], root.path()).assert().success();
    let (_, results) = counts(&root.path().join("out")).pop_first().unwrap();

    let (train, dev, test) = (at("train.conllu"), at("dev.conllu"), at("test.conllu"));
    let options =
        "--system arc-hybrid --features stack --training global --beam 3 --iterations 2 --average-from 0 --seed 4";
    let mut arguments = vec!["train", "--train", &train, "--dev", &dev, "--model", "model"];
    arguments.extend(options.split(' '));
    treebeam(&arguments, root.path()).assert().success();
    let parsed = treebeam(&["parse", "--model", "model", &test], root.path()).assert().success();
    std::fs::write(root.path().join("parsed.conllu"), &parsed.get_output().stdout).unwrap();
    let report = treebeam(&["eval", &test, "parsed.conllu", "--json"], root.path()).assert().success();
    let report: serde_json::Value = serde_json::from_slice(&report.get_output().stdout).unwrap();
    let scores = report["systems"][0]["scores"].as_array().unwrap();
    for (rule, name) in [("include", "with_punctuation"), ("exclude", "without_punctuation")] {
        let by_hand = scores.iter().find(|s| s["punctuation"] == rule && s["granularity"] == "full").unwrap();
        for count in ["sentences", "tokens", "heads", "labels", "labelled", "exact_heads", "exact_labelled"] {
            assert_eq!(results[0][0][name][count], by_hand[count], "{name}, {count}");
        }
        assert!(by_hand["heads"].as_u64() > Some(0));
    }
}

/// A small experiment with everything that tables of papers need.
const SMALL: &str = r#"
name = "small"
title = "A small one"
diagnose = true

[profiles.quick]
treebanks = ["generated:1,60,projective", "generated:2,60,nonprojective"]
seeds = [1]

[base]
system = "arc-hybrid"
features = "stack"
training = "greedy"
oracle = "dynamic"
iterations = 2
replicas = 1

[[row]]
name = "static"
options = { oracle = "static" }

[[row]]
name = "dynamic"
decode = [1, 4]

[[row]]
name = "other"
open = "nobody has built it."

[table]
baseline = "static"

[[plot]]
name = "curves"
title = "Learning curves"
x = "iteration"
y = "las"
series = [{ name = "static", rows = ["static"] }, { name = "dynamic", rows = ["dynamic"] }]

[[plot]]
name = "pareto"
title = "Accuracy against speed"
x = "tokens-per-second"
y = "las"
frontier = true
series = [{ name = "all", rows = ["static", "dynamic"] }]

[[plot]]
name = "falling"
title = "Where gold falls off"
x = "derivation"
y = "fallen-off"
series = [{ name = "dynamic, width 4", rows = ["dynamic"], widths = [4] }]

[[plot]]
name = "advantage"
title = "Dynamic oracles at equal time"
x = "time-per-token"
y = "advantage"
series = [{ name = "dynamic", rows = ["dynamic"] }, { name = "static", rows = ["static"] }]

[[paper]]
source = "Someone (2013)"
column = "all"
row = "static"
metric = "uas"
values = { "*" = 80 }

[[paper]]
source = "Someone (2013)"
column = "all"
row = "other"
metric = "uas"
values = { "*" = 79 }
"#;

/// A grid over one of the trainings of [`SMALL`], and more.
const GRID: &str = r#"
name = "grid"
title = "A grid"
diagnose = true

[profiles.quick]
treebanks = ["generated:1,60,projective"]
seeds = [1]

[base]
system = "arc-hybrid"
features = "stack"
training = "greedy"
oracle = "dynamic"
iterations = 2
replicas = 1

[[row]]
name = "as elsewhere"
options = { oracle = "static" }

[[grid]]
option = "explore-from"
values = [0, 1]

[[grid]]
option = "explore-prob"
values = [0.5, 1.0]

[paper-range]
source = "Someone (2013)"
metric = "las"
low = { "generated:1,60,projective" = 70 }
high = { "generated:1,60,projective" = 71 }
"#;

#[test]
fn several_are_planned_run_and_reported_together_and_nothing_is_trained_twice() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), SMALL).unwrap();
    std::fs::write(folder.path().join("grid.toml"), GRID).unwrap();
    let arguments = ["experiment", "run", "small.toml", "grid.toml", "--jobs", "1"];
    let output = treebeam(&arguments, folder.path()).assert().success();
    let told = text(output.get_output().stderr.clone());
    assert!(told.contains("small                          4 of     4 cells to run"), "{told}");
    assert!(told.contains("in all about"), "{told}");
    assert!(told.contains("(1 of 4, about"), "what is left is told: {told}");
    assert!(told.contains("grid: 1 cells were run for other experiments"), "{told}");
    assert!(told.contains("grid: 4 cells to run, 1 done before"), "{told}");

    let results = folder.path().join("results");
    let small = std::fs::read_to_string(results.join("small/quick.md")).unwrap();
    for expected in [
        "| other (open) |",
        "left open: nobody has built it.",
        "## Who wins",
        "## Search errors and model errors",
        // Columns in which nothing stands are left out.
        "| 79.00 | – | -1.00 |",
    ] {
        assert!(small.contains(expected), "{expected}: {small}");
    }
    for name in ["curves", "pareto", "falling", "advantage"] {
        assert!(results.join(format!("small/quick-{name}.svg")).exists(), "{name}");
        assert!(small.contains(&format!("](quick-{name}.svg)")), "{name}");
    }
    let grid = std::fs::read_to_string(results.join("grid/quick.md")).unwrap();
    assert!(grid.contains("points in the mean here and 1.00 in the paper"), "{grid}");
    assert!(results.join("grid/quick-las-all-generated-1-60-projective.svg").exists());

    let output = treebeam(&["report"], folder.path()).assert().success();
    let told = text(output.get_output().stderr.clone());
    assert!(told.contains("2 experiments, 2 documents"), "{told}");
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    for expected in ["A small one", "A grid", "Search errors and model errors", "explore-prob"] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn bounds_are_an_experiment_too() {
    let folder = tempfile::tempdir().unwrap();
    let spec = shipped().join("fg17-table1.toml");
    let arguments = [
        "experiment",
        "run",
        spec.to_str().unwrap(),
        "--set",
        "treebanks=generated:1,40,nonprojective generated:2,30,projective",
    ];
    let run = || text(treebeam(&arguments, folder.path()).assert().success().get_output().stderr.clone());
    assert!(run().contains("fg17-table1: 2 of 2 cells to run"));
    let results = folder.path().join("results/fg17-table1");
    let first = std::fs::read_to_string(results.join("quick.md")).unwrap();
    assert!(first.contains("holds in the mean on 2 of 2 treebanks"), "{first}");
    assert!(run().contains("fg17-table1: 0 of 2 cells to run"));
    assert_eq!(std::fs::read_to_string(results.join("quick.md")).unwrap(), first);
    let records = results.join("walks.jsonl");
    let text = std::fs::read(&records).unwrap();
    std::fs::write(&records, &text[..text.len() - 10]).unwrap();
    assert!(run().contains("fg17-table1: 1 of 2 cells to run"), "a torn record is one that is missing");
}
