//! `treebeam experiment` from the outside.

// clippy.toml permits `unwrap` in test functions only; what they share is as much part of the tests.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use std::path::Path;

fn treebeam(arguments: &[&str], folder: &std::path::Path) -> Command {
    let mut command = Command::cargo_bin("treebeam").expect("the binary is built");
    command.args(arguments).current_dir(folder).env_remove("TREEBEAM_TREEBANKS");
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// The specifications that come with this crate.
fn shipped() -> std::path::PathBuf {
    crate::common::root().join("experiments")
}

#[test]
fn shipped_specifications_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let output = treebeam(&["experiment", "list", shipped().to_str().unwrap()], folder.path()).assert().success();
    let listed = text(output.get_output().stdout.clone());
    for expected in ["beam-ablation.toml", "demo.toml", "study.toml", "quick: 1,292 cells, 19 treebanks, 1 seed\n"] {
        assert!(listed.contains(expected), "{expected}: {listed}");
    }
    let output = treebeam(&["experiment", "list", shipped().to_str().unwrap(), "--json"], folder.path()).assert();
    let json = text(output.success().get_output().stdout.clone());
    let objects: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), listed.lines().filter(|line| line.ends_with(".toml")).count());
    let named = |name: &str| objects.iter().find(|o| o["specification"].as_str().unwrap().ends_with(name)).unwrap();
    let quick = &named("study.toml")["profiles"]["quick"];
    assert_eq!(quick, &serde_json::json!({"treebanks": 19, "seeds": 1, "cells": 1292}));
    assert_eq!(named("throughput.toml")["profiles"]["quick"].get("cells"), None);
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

/// One line tries any table small, those of whole programs, too.
#[test]
fn measurements_of_programs_take_the_same_settings() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |name: &str, settings: &[&str]| {
        let specification = shipped().join(name);
        let line = ["experiment", "plan", specification.to_str().unwrap(), "--set", "seeds=1"];
        let settings = settings.iter().flat_map(|setting| ["--set", *setting]);
        treebeam(&line.into_iter().chain(settings).collect::<Vec<_>>(), folder.path()).assert()
    };
    let keys = |settings: &[&str]| {
        let output = plan("throughput.toml", settings).success();
        text(output.get_output().stdout.clone())
    };
    let [generated, fewer] = ["treebanks=generated:1,60,projective", "max-train-sentences=20"];
    let plans = [keys(&[generated]), keys(&[generated, fewer]), keys(&[generated, fewer, "iterations=1"])];
    assert!(plans[0] != plans[1] && plans[1] != plans[2], "{plans:?}");
    plan("peers.toml", &[generated, fewer, "iterations=1"]).success();
    let refused = plan("peers.toml", &["treebanks=en_ewt sv_lines"]).code(2);
    let message = text(refused.get_output().stderr.clone());
    assert!(message.contains("measured on one treebank; expected one name"), "{message}");
}

#[test]
fn nothing_is_written_where_there_is_no_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let mut submitting = treebeam(&["experiment", "submit", demo.to_str().unwrap()], folder.path());
    let output = submitting.env("PATH", folder.path()).assert().code(2);
    let message = text(output.get_output().stderr.clone());
    assert!(message.contains("there is no sbatch on the path"), "{message}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn tables_of_nothing_have_no_figures_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let output = treebeam(&["experiment", "table", demo.to_str().unwrap()], folder.path()).assert().success();
    let printed = text(output.get_output().stdout.clone());
    assert!(printed.contains("cells: 0 of 18 done"), "{printed}");
    assert!(printed.contains("**Unfinished:** 0 of 18 trainings have been run."), "{printed}");
    assert!(!printed.contains("greedy dynamic |"), "{printed}");
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
        (vec!["run", "bad.toml"], "unknown field `orakel`; expected a known name: did you mean `oracle`?"),
        (vec!["run", "good.toml", "--profile", "slow"], "no profile is named `slow`; expected full or quick"),
        (vec!["run", "good.toml", "--set", "treebanks=en_ewt"], "--treebanks"),
        (vec!["run", "good.toml", "--set", "treebanks=en_ewt", "--treebanks", "nowhere"], "no train data; expected"),
        (vec!["run", "good.toml", "--set", "beams=3"], "unknown field `beams`"),
        (vec!["run", "none.toml"], "none.toml: "),
        (vec!["list", "none"], "none"),
    ] {
        let all: Vec<&str> = std::iter::once("experiment").chain(arguments).collect();
        let output = treebeam(&all, folder.path()).assert().code(2);
        let message = text(output.get_output().stderr.clone());
        assert!(message.contains(expected), "{all:?}: {message}");
        assert!(!folder.path().join("results").exists(), "{all:?} writes nothing");
    }
}

#[test]
fn a_spoilt_record_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out");
    std::fs::create_dir(&results).unwrap();
    std::fs::write(results.join("records.jsonl"), "{}\n").unwrap();
    let demo = shipped().join("demo.toml");
    let arguments = ["experiment", "table", demo.to_str().unwrap(), "--out", "out"];
    let output = treebeam(&arguments, folder.path()).assert().code(2);
    let message = text(output.get_output().stderr.clone());
    assert!(message.contains("records.jsonl:1: missing field `key`"), "{message}");
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
    let message = text(run("one", "2").stderr);
    assert!(message.contains("the last record is torn") && message.contains("cells to run"), "{message}");
    assert_eq!(counts(&one), whole);
    assert!(text(run("one", "1").stderr).contains("0 cells to run, 12 done before"));
}

/// Records are run again by the program that made them, and then one of them has been changed.
#[test]
fn records_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let command = |what: &str, more: &[&str]| {
        let settings = ["--set", "treebanks=generated:1,60,nonprojective", "--set", "iterations=1", "--out", "one"];
        let first = ["experiment", what, demo.to_str().unwrap()];
        let arguments: Vec<&str> = first.into_iter().chain(settings).chain(more.iter().copied()).collect();
        treebeam(&arguments, folder.path())
    };
    let printed = |command: &mut Command, code: i32| text(command.assert().code(code).get_output().stdout.clone());
    assert_eq!(printed(&mut command("verify", &[]), 0), "demo: there are no records\n");
    command("run", &["--set", "seeds=1 2"]).assert().success();

    let seeds = ["--set", "seeds=1 2"];
    let planned = printed(command("verify", &seeds).args(["--dry-run", "--share", "0.5"]), 0);
    assert_eq!(planned.lines().count(), 6, "{planned}");
    assert!(!folder.path().join("runs").exists());
    let quiet = command("verify", &seeds).args(["--share", "0", "--quiet"]).assert().success().get_output().clone();
    assert_eq!(text(quiet.stderr), "", "{}", text(quiet.stdout));
    let half = printed(command("verify", &seeds).args(["--share", "0.5"]), 0);
    assert_eq!(half, "demo: 6 of 12 recorded cells run again: 6 gave the same figures\n");
    let all = command("verify", &seeds).args(["--share", "1"]).assert().success().get_output().clone();
    assert!(text(all.stderr).contains("12 of 12 recorded cells to run again, 6 of them done before"));
    assert_eq!(text(all.stdout), "demo: 12 of 12 recorded cells run again: 12 gave the same figures\n");

    // One update more than there was in the first record, and other code in the second one.
    let records = folder.path().join("one/records.jsonl");
    let mut lines: Vec<serde_json::Value> =
        std::fs::read_to_string(&records).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let updates = &mut lines[0]["training"]["epochs"][0]["updates"];
    let n_updates = updates.as_u64().unwrap();
    *updates = (n_updates + 1).into();
    lines[1]["provenance"]["golden"] = "0123456789abcdef".into();
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&records, written).unwrap();
    let changed = printed(command("verify", &seeds).args(["--share", "1", "-o", "again.md"]), 1);
    let key: String = lines[0]["key"].as_str().unwrap().chars().take(12).collect();
    let figure = format!("training.epochs.0.updates is {} in the record and {n_updates} now\n", n_updates + 1);
    for expected in [
        "demo: 12 of 12 recorded cells run again, 1 of them recorded by other code: 11 gave the same figures, 1 gave others\n",
        &key,
        &figure,
    ] {
        assert!(changed.contains(expected), "{expected}: {changed}");
    }
    let written = std::fs::read_to_string(folder.path().join("again.md")).unwrap();
    assert!(written.contains("| demo | 12 | 12 | 1 | 11 | 1 | 0 |") && written.contains(&key), "{written}");
    assert!(written.contains("--set 'iterations=1' --set 'seeds=1 2' --share 1 --sample 1`"), "{written}");
    // Nothing is carried over while figures differ; then records of other behaviour are, and the table says so.
    let carry = |code| printed(command("verify", &seeds).args(["--cells", "12", "--carry-over"]), code);
    assert!(!carry(1).contains("carried over"));
    lines[0]["training"]["epochs"][0]["updates"] = n_updates.into();
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&records, &written).unwrap();
    let expected = "demo: 12 of 12 recorded cells run again, 1 of them recorded by other code: 12 gave the same figures; \
                    1 record carried over\n";
    assert_eq!(carry(0), expected);
    let kept = std::fs::read_to_string(&records).unwrap();
    let revision = treebeam_lab::experiment::Provenance::of_this_process(1).revision;
    let carried = format!("\"carried\":{{\"revision\":\"{revision}\",\"sample\":12,\"of\":12}}");
    assert_eq!(kept.matches(&carried).count(), 1, "{kept}");
    let table = printed(&mut command("table", &seeds), 0);
    assert!(
        table.contains(
            "Carried over from earlier revisions, as all cells that were run again gave the same figures: 1 record of"
        ),
        "{table}"
    );
    lines[0]["training"]["epochs"][0]["updates"] = (n_updates + 1).into();
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&records, &written).unwrap();
    let json = printed(command("verify", &seeds).args(["--share", "1", "--json"]), 1);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["differ"][0]["figures"], 1);
    assert_eq!(json[0]["of_other_code"], 1);

    // Records that say something else of themselves than their cells, whether these are run again or not.
    lines[0]["training"]["epochs"][0]["updates"] = n_updates.into();
    lines[3]["options"]["seed"] = 99.into();
    lines[4]["row"] = "another".into();
    lines[5]["test"]["sha256"] = "0".repeat(64).into();
    let written: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&records, &written).unwrap();
    let message = printed(command("verify", &seeds).args(["--share", "0", "-o", "again.md"]), 1);
    for expected in [
        "gave the same figures; 3 records not of what the cell is\n",
        "options.seed is 99 in the record and ",
        "row is \"another\" in the record and ",
        "test.sha256 is \"000000000000\" and so on in the record and ",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
    let written = std::fs::read_to_string(folder.path().join("again.md")).unwrap();
    assert!(written.contains("3 records not of what the cell is: another seed"), "{written}");
}

#[test]
fn what_killed_runs_left_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let demo = shipped().join("demo.toml");
    let settings = ["--set", "treebanks=generated:1,60,nonprojective", "--set", "iterations=1", "--out", "one"];
    let run = || {
        let arguments: Vec<&str> = ["experiment", "run", demo.to_str().unwrap()].into_iter().chain(settings).collect();
        treebeam(&arguments, folder.path()).assert().success();
    };
    run();
    let cells = folder.path().join("one/cells");
    let records = std::fs::read_to_string(folder.path().join("one/records.jsonl")).unwrap();
    let record: serde_json::Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    let key = record["key"].as_str().unwrap();
    let gone = r#"{"host":"another","pid":1,"started":1,"number":1}"#;
    let names = [
        ".treebeam-abcdef".to_owned(),
        ".now-abcdef".to_owned(),
        "0123.claim".to_owned(),
        format!("{key}.claim"),
        format!("{key}.0123456789abcdef.checkpoint"),
        format!("{key}.0123456789abcdef.seconds"),
    ];
    for name in &names {
        std::fs::write(cells.join(name), gone).unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        std::fs::File::options().write(true).open(cells.join(name)).unwrap().set_modified(old).unwrap();
    }
    std::fs::write(folder.path().join("one/.treebeam-abcdef"), "half").unwrap();
    run();
    let left = |folder: &Path| -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.') || folder.ends_with("cells")).collect()
    };
    assert_eq!((left(&cells), left(&folder.path().join("one"))), (vec![".lock".to_owned()], vec![]));
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
    // An absolute path needs no folder of treebanks.
    let absolute = format!("treebanks={}", root.path().join("xx").display());
    let plan = ["experiment", "plan", "hand.toml", "--json", "--out", "out", "--set", &absolute];
    let planned = treebeam(&plan, root.path()).env_remove("TREEBEAM_TREEBANKS").assert().success();
    assert_eq!(text(planned.get_output().stdout.clone()).matches("\"state\": \"done\"").count(), 1, "{planned}");
    // Another experiment's results do not come to lie in the same folder.
    std::fs::write(root.path().join("other.toml"), spec.replace("\"hand\"", "\"other\"")).unwrap();
    let mut refused = treebeam(&["experiment", "run", "other.toml", "--treebanks", ".", "--out", "out"], root.path());
    let message = text(refused.assert().code(2).get_output().stderr.clone());
    assert!(message.contains("out: the results of `hand`; expected a folder of its own for `other`"), "{message}");
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

/// Folds are trained one by one, and are one treebank in tables.
#[test]
fn folds_are_one_treebank_in_tables() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let treebanks = "[\"generated:1,60,projective\", \"generated:2,60,nonprojective\"]";
    std::fs::write(
        at.join("cross.toml"),
        SMALL.replace(treebanks, "[\"folds:4:xx\"]").replace("\"small\"", "\"cross\""),
    )
    .unwrap();
    std::fs::create_dir_all(at.join("treebanks/xx")).unwrap();
    crate::common::write(at, "treebanks/xx/train.conllu", &crate::common::generated(5, 50));
    let run = |action: &str| {
        let assert = treebeam(&["experiment", action, "cross.toml", "--treebanks", "treebanks"], at).assert().success();
        text(assert.get_output().stdout.clone())
    };
    let listed = treebeam(&["experiment", "list", "."], at).assert().success();
    let listed = text(listed.get_output().stdout.clone());
    assert!(listed.contains("quick: 8 cells, 4 treebanks, 1 seed"), "{listed}");
    let planned = run("plan");
    for fold in 1..=4 {
        assert_eq!(planned.matches(&format!("fold:{fold}/4:xx")).count(), 2, "{planned}");
    }
    run("run");
    let printed = run("table");
    assert!(printed.contains("cells: 2 of 2 done"), "{printed}");
    assert!(printed.contains("Cross-validation: `folds:4:xx` counts as one treebank"), "{printed}");
    let table = std::fs::read_to_string(at.join("results/cross/quick.tsv")).unwrap();
    assert!(table.contains("folds:4:xx") && !table.contains("fold:"), "{table}");
    assert!(printed.contains("| folds:4:xx | 25 | 13 | 50 |"), "{printed}");
    // Their records say what each was trained on.
    let records = std::fs::read_dir(at.join("results/cross")).unwrap().map(|entry| entry.unwrap().path());
    let packed = records.into_iter().find(|path| path.to_string_lossy().contains("records")).unwrap();
    let records = text(treebeam::files::read_whole(&packed).unwrap());
    assert_eq!(
        (records.lines().count(), records.matches("\"rest\":").count()),
        (8, 2),
        "the second fold alone has a gap"
    );
}

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
    let message = text(output.get_output().stderr.clone());
    assert!(message.contains("small                          4 of     4 cells to run"), "{message}");
    assert!(message.contains("in all about"), "{message}");
    assert!(message.contains("(1 of 4, about"), "what is left is message: {message}");
    assert!(message.contains("grid: 1 cells were run for other experiments"), "{message}");
    assert!(message.contains("grid: 4 cells to run, 1 done before"), "{message}");

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
    assert!(grid.contains("points in the mean over treebanks here and 1.00 in the paper"), "{grid}");
    assert!(results.join("grid/quick-las-all-generated-1-60-projective.svg").exists());

    let output = treebeam(&["report"], folder.path()).assert().success();
    let message = text(output.get_output().stderr.clone());
    assert!(message.contains("2 experiments, 2 documents"), "{message}");
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    for expected in ["A small one", "A grid", "more tables and figures", "explore-prob"] {
        assert!(page.contains(expected), "{expected}");
    }
}

/// A network that is trained on single decisions, and one that goes on from it.
const AFTER: &str = r#"
name = "after"
title = "From local to global"

[profiles.quick]
treebanks = ["generated:1,60,projective"]
seeds = [7]

[base]
scorer = "feed-forward"
hidden = 16
iterations = 2

[[row]]
name = "local"
options = { training = "greedy" }

[[row]]
name = "global"
after = "local"
options = { training = "global", objective = "crf", beam = 2, rate = 0.0003 }

[[row]]
name = "wider"
after = "local"
options = { training = "global", objective = "crf", beam = 4, rate = 0.0003 }
"#;

#[test]
fn a_row_goes_on_from_the_model_of_another_as_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("after.toml"), AFTER).unwrap();
    treebeam(&["experiment", "run", "after.toml"], at).assert().success();
    let records = std::fs::read_to_string(at.join("results/after/records.jsonl")).unwrap();
    let records: Vec<serde_json::Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_row = |row: &str| records.iter().find(|record| record["row"] == row).unwrap();
    let (local, global) = (of_row("local"), of_row("global"));
    assert!(local["after"].is_null());
    assert_eq!(global["after"], local["options"]);
    assert_ne!(global["decodings"], local["decodings"]);
    // The model that rows go on from is trained once, counts in each row's time, and leaves no file.
    let seconds = |record: &serde_json::Value| record["training"]["cpu_s"].as_f64();
    if let (Some(first), Some(then)) = (seconds(local), seconds(of_row("wider"))) {
        assert!(then > first, "{then} > {first}");
    }
    let left = std::fs::read_dir(at.join("results/after/cells")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), [".lock"]);

    // The same by hand: the same score of development data after each iteration.
    treebeam(&["treebank", "generate", "--seed", "1", "--sentences", "60", "-o", "all.conllu"], at).assert().success();
    let parts = ["-o", "train.conllu", "-o", "dev.conllu", "-o", "test.conllu"];
    treebeam(&[&["treebank", "split", "all.conllu", "--parts", "8,1,1"], &parts[..]].concat(), at).assert().success();
    let train = |options: &str, name: &str| -> serde_json::Value {
        let line =
            "train --scorer feed-forward --hidden 16 --iterations 2 --seed 7 --train train.conllu --dev dev.conllu";
        let line = format!("{line} {options} --model {name}.model --stats-json {name}.json");
        treebeam(&line.split(' ').collect::<Vec<_>>(), at).assert().success();
        serde_json::from_slice(&std::fs::read(at.join(format!("{name}.json"))).unwrap()).unwrap()
    };
    let by_hand = [
        train("--training greedy", "local"),
        train("--training global --objective crf --beam 2 --rate 0.0003 --init local.model", "global"),
    ];
    for (record, by_hand) in [local, global].into_iter().zip(&by_hand) {
        for iteration in 0..2 {
            let (epoch, report) = (&record["training"]["epochs"][iteration], &by_hand["iterations"][iteration]);
            for count in ["tokens", "heads", "labels", "labelled"] {
                assert_eq!(epoch["dev"][count], report["dev"][count], "iteration {iteration}: {count}");
                assert!(epoch["dev"][count].is_u64());
            }
        }
    }
    assert_ne!(by_hand[0]["iterations"][1]["dev"], by_hand[1]["iterations"][1]["dev"]);

    for (from, to, expected) in [
        ("after = \"local\"", "after = \"locale\"", "no row is named `locale`"),
        ("after = \"local\"", "after = \"global\"", "itself after another"),
        ("scorer = \"feed-forward\"\nhidden = 16", "", "--init goes on from a network"),
    ] {
        std::fs::write(at.join("wrong.toml"), AFTER.replace(from, to)).unwrap();
        let message = treebeam(&["experiment", "run", "wrong.toml"], at).assert().code(2);
        let message = text(message.get_output().stderr.clone());
        assert!(message.contains(expected), "{expected}: {message}");
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
    assert!(run().contains("fg17-table1: 2 cells to run, 0 done before"));
    assert!(!folder.path().join("results").exists(), "other treebanks are somebody's own run");
    let results = folder.path().join("runs/fg17-table1");
    let first = std::fs::read_to_string(results.join("quick.md")).unwrap();
    assert!(first.contains("holds in the mean on 2 of 2 treebanks"), "{first}");
    assert!(run().contains("fg17-table1: 0 cells to run, 2 done before"));
    assert_eq!(std::fs::read_to_string(results.join("quick.md")).unwrap(), first);
    // The same settings make any experiment small: what is for trainings is passed over.
    let small =
        [&arguments[..], &["--set", "transitions=50", "--set", "iterations=1", "--set", "seeds=1", "--out", "small"]]
            .concat();
    let message = text(treebeam(&small, folder.path()).assert().success().get_output().stderr.clone());
    assert!(message.contains("nothing is trained here: --set of seeds, iterations changes nothing"), "{message}");
    assert!(message.contains("fg17-table1: 2 cells to run, 0 done before"), "{message}");
    assert!(run().contains("fg17-table1: 0 cells to run, 2 done before"));
    let records = results.join("records.jsonl");
    let text = std::fs::read(&records).unwrap();
    std::fs::write(&records, &text[..text.len() - 10]).unwrap();
    assert!(run().contains("fg17-table1: 1 cells to run, 1 done before"), "a torn record is one that is missing");
}

/// A training that takes some seconds, with many iterations; and a short one on another treebank.
const LONG: &str = r#"
name = "long"
title = "A long one"

[profiles.quick]
treebanks = ["generated:1,400,nonprojective", "generated:2,60,projective"]
seeds = [1, 2]

[base]
features = "stack"
iterations = 12
replicas = 1
beam = 4

[[row]]
name = "global"

[[row]]
name = "graph"
options = { system = "eisner" }
"#;

/// The arguments that run [`LONG`] in `out`, with a checkpoint after each iteration. What stands beside `out` is taken for other
/// experiments, whose trainings are not done again: so each `out` is in a folder of its own.
fn long<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["experiment", "run", "long.toml", "--checkpoint-seconds", "0", "--out", out];
    fixed.into_iter().chain(more.iter().copied()).collect()
}

fn spawn(arguments: &[&str], folder: &std::path::Path) -> std::process::Child {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("treebeam"));
    command.args(arguments).current_dir(folder).env_remove("TREEBEAM_TREEBANKS");
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
}

/// Standard error of a process that ended with success.
fn ended(child: std::process::Child) -> String {
    let output = child.wait_with_output().unwrap();
    let message = text(output.stderr);
    assert!(output.status.success(), "{message}");
    message
}

/// Waits until there is a file in `folder` whose name ends like this.
fn wait_for(folder: &std::path::Path, ending: &str) -> std::path::PathBuf {
    let start = std::time::Instant::now();
    loop {
        let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        if let Some(found) = entries.filter(|path| path.to_str().unwrap().ends_with(ending)).min() {
            return found;
        }
        assert!(start.elapsed() < std::time::Duration::from_secs(240), "no file ends with {ending}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The cells of [`LONG`] in the output of `plan --json`.
fn planned(folder: &std::path::Path, out: &str) -> Vec<serde_json::Value> {
    let arguments = ["experiment", "plan", "long.toml", "--json", "--out", out];
    let output = treebeam(&arguments, folder).assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

fn states(planned: &[serde_json::Value]) -> Vec<&str> {
    planned.iter().map(|cell| cell["state"].as_str().unwrap()).collect()
}

#[test]
fn two_processes_and_a_kill_lose_nothing_and_do_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("long.toml"), LONG).unwrap();
    treebeam(&long("alone/long", &["--jobs", "1"]), at).assert().success();
    assert_eq!(states(&planned(at, "shared/long")), ["missing"; 8]);

    // The first is killed in the middle of a training, while the second runs another one.
    let mut first = spawn(&long("shared/long", &["--jobs", "1"]), at);
    let checkpoint = wait_for(&at.join("shared/long/cells"), ".checkpoint");
    let second = spawn(&long("shared/long", &["--jobs", "1"]), at);
    first.kill().unwrap();
    first.wait().unwrap();
    let third = spawn(&long("shared/long", &["--jobs", "2"]), at);
    let messages = [ended(second), ended(third)];
    assert_eq!(counts(&at.join("shared/long")), counts(&at.join("alone/long")), "the same figures");
    let records = std::fs::read_to_string(at.join("shared/long/records.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 8, "each cell once");
    // A line for each cell that a process has run or found.
    let run = messages.iter().flat_map(|message| message.lines()).filter(|line| line.contains(" s (")).count();
    assert!((7..=8).contains(&run), "cells that were run, but for what the first had finished: {messages:?}");
    assert!(!checkpoint.exists());
    let left: Vec<String> = std::fs::read_dir(at.join("shared/long/cells"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".lock" && !name.starts_with(".treebeam-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(states(&planned(at, "shared/long")), ["done"; 8]);
}

#[test]
fn a_cell_goes_on_from_its_checkpoint_to_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("long.toml"), LONG).unwrap();
    let cells = planned(at, "whole/long");
    for key in ["experiment", "key", "title", "seconds", "memory", "records", "state"] {
        assert!(!cells[0][key].is_null(), "{key}: {}", cells[0]);
    }
    assert!(cells[0]["seconds"].as_f64() > Some(0.0) && cells[0]["memory"].as_u64() > Some(1_000_000));
    assert_eq!(cells[0]["title"], "generated:1,400,nonprojective, all, global, seed 1");
    // One of a transition system and one of a graph-based parser.
    let keys = [0, 2].map(|i| cells[i]["key"].as_str().unwrap());
    for key in keys {
        let one = ["--cell", &key[..10]];
        treebeam(&long("whole/long", &one), at).assert().success().stdout("");
        assert!(at.join(format!("whole/long/cells/{key}.json")).exists());
        let mut killed = spawn(&long("cut/long", &one), at);
        wait_for(&at.join("cut/long/cells"), ".checkpoint");
        assert_eq!(states(&planned(at, "cut/long")).iter().filter(|state| **state == "running").count(), 1);
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(states(&planned(at, "cut/long")).iter().filter(|state| **state == "interrupted").count(), 1);
        treebeam(&long("cut/long", &one), at).assert().success();
    }
    assert_eq!(
        states(&planned(at, "cut/long")),
        ["done", "missing", "done", "missing", "missing", "missing", "missing", "missing"]
    );
    // A table gathers the cells.
    for out in ["whole/long", "cut/long"] {
        treebeam(&["experiment", "table", "long.toml", "--out", out], at).assert().success();
        assert!(!at.join(out).join(format!("cells/{}.json", keys[0])).exists());
    }
    let [whole, cut] = ["whole/long", "cut/long"].map(|out| counts(&at.join(out)));
    assert_eq!(whole.len(), 2);
    assert_eq!(whole, cut);
    let records = std::fs::read_to_string(at.join("cut/long/records.jsonl")).unwrap();
    for line in records.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["training"]["epochs"].as_array().unwrap().len(), 12, "those before the interruption too");
        if cfg!(target_os = "linux") && !record["training"]["cpu_s"].is_null() {
            assert!(record["training"]["cpu_s"].as_f64() > Some(0.001), "{record}");
        }
    }
    let refused = treebeam(&long("cut/long", &["--cell", "zz"]), at).assert().code(2);
    assert!(text(refused.get_output().stderr.clone()).contains("--cell zz: no such cell"));
}

/// The revision is that of the build, whatever folder the program is run in and whatever the environment says.
#[test]
fn receipts_name_the_program_and_not_the_folder_that_it_is_run_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("small.toml"), SMALL).unwrap();
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"];
        let mut command = std::process::Command::new("git");
        command.args(settings).args(arguments).current_dir(at).env_remove("GIT_DIR").output()
    };
    let has_git = git(&["init", "-q"]).is_ok();
    let _ = git(&["commit", "-q", "--allow-empty", "-m", "another repository"]);
    let head = git(&["rev-parse", "HEAD"]).map(|output| text(output.stdout).trim().to_owned()).unwrap_or_default();
    let run =
        || treebeam(&["experiment", "run", "small.toml"], at).env("TREEBEAM_REVISION", "forged").assert().success();
    run();
    let records = std::fs::read_to_string(at.join("results/small/records.jsonl")).unwrap();
    assert!(!records.contains("forged") && (!has_git || head.is_empty() || !records.contains(&head)), "{records}");
    let record: serde_json::Value = serde_json::from_str(records.lines().next().unwrap()).unwrap();
    assert_eq!(record["provenance"]["revision"], treebeam_lab::experiment::Provenance::of_this_process(1).revision);
    assert_eq!(record["provenance"]["golden"].as_str().map(str::len), Some(16));

    // Records are current by the checksum of golden behaviour, not by the revision.
    let run_with = |records: String| {
        std::fs::write(at.join("results/small/records.jsonl"), records).unwrap();
        text(run().get_output().stderr.clone())
    };
    let revision = format!("\"revision\":{}", record["provenance"]["revision"]);
    assert!(run_with(records.replace(&revision, "\"revision\":\"other\"")).contains("0 cells to run, 4 done before"));
    // Cells of other trainings have other checksums.
    let with = |golden: Option<&str>| {
        let line = |line: &str| {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
            let provenance = record["provenance"].as_object_mut().unwrap();
            provenance.remove("golden").unwrap();
            provenance.extend(golden.map(|golden| ("golden".to_owned(), golden.into())));
            format!("{record}\n")
        };
        records.lines().map(line).collect::<String>()
    };
    assert!(run_with(with(Some("0123456789abcdef"))).contains("4 cells to run, 0 done before"));
    assert!(run_with(with(None)).contains("4 cells to run, 0 done before"));
}

#[test]
fn training_to_the_plateau_leaves_its_curve() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let spec = SMALL.replace("iterations = 2", "iterations = \"plateau\"\npatience = 2\nmax-iterations = 25");
    std::fs::write(at.join("small.toml"), spec).unwrap();
    treebeam(&["experiment", "run", "small.toml"], at).assert().success();
    let records = std::fs::read_to_string(at.join("results/small/records.jsonl")).unwrap();
    let mut lengths = std::collections::BTreeSet::new();
    for line in records.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let epochs = record["training"]["epochs"].as_array().unwrap();
        let curve: Vec<u64> = epochs.iter().map(|epoch| epoch["dev"]["labelled"].as_u64().unwrap()).collect();
        let best_of = |part: &[u64]| part.iter().position(|score| score == part.iter().max().unwrap()).unwrap() + 1;
        // Averages start anew after three iterations.
        assert_eq!(curve.len(), 3 + best_of(&curve[3..]) + 2, "{curve:?}");
        let best = best_of(&curve);
        assert_eq!(record["training"]["stop"], "plateau");
        assert_eq!(record["training"]["kept_epoch"].as_u64(), Some(best as u64));
        lengths.insert(curve.len());
    }
    assert!(lengths.len() > 1, "{lengths:?}");
}

#[test]
fn one_bad_treebank_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("small.toml"), SMALL).unwrap();
    let arguments = ["experiment", "run", "small.toml", "--treebanks", "nowhere", "--out", "out"];
    let settings = ["--set", "treebanks=xx generated:1,60,projective"];
    let output = treebeam(&[&arguments[..], &settings[..]].concat(), at).assert().code(1);
    let message = text(output.get_output().stderr.clone());
    assert!(message.contains("error: treebank `xx`: ") && message.contains("nowhere"), "{message}");
    assert_eq!(counts(&at.join("out")).len(), 2, "{message}");
}

/// Specifications of every kind are read alike: names stay in the folder of results, mistakes have their lines, numbers their ranges.
#[test]
fn specifications_of_other_kinds_are_not_trusted_either() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let bounds = std::fs::read_to_string(shipped().join("fg17-table1.toml")).unwrap();
    let throughput = std::fs::read_to_string(shipped().join("throughput.toml")).unwrap();
    let peers = std::fs::read_to_string(shipped().join("peers.toml")).unwrap();
    let changes = [
        (&bounds, "name = \"fg17-table1\"", "name = \"../up\"", "name `../up`; expected a name of letters"),
        (&throughput, "name = \"throughput\"", "name = \"\"", "name ``; expected a name of letters"),
        (&peers, "name = \"peers\"", "name = \"/abs\"", "name `/abs`; expected a name of letters"),
        (&bounds, "title = \"Bounds", "title = \"a\\nBounds", "without line ends"),
        (&throughput, "name = \"greedy\"", "name = \"a\\nb\"", "without line ends"),
        (&bounds, "transitions = 5000", "transitions = 0", "transitions = 0 in profile quick; expected 1 or more"),
        (
            &bounds,
            "seed = 1",
            "seed = 1\nguide = { follow = 0.9, iterations = 0 }",
            "iterations = 0 of the guide; expected 1 or more",
        ),
        (&bounds, "wander = 0.0", "wander = = 0.0", "spec.toml:"),
        (&throughput, "kind = \"throughput\"", "kind = 3", "kind = 3; expected the name of a kind in quotes"),
        (&throughput, "repetitions = 3", "repetitions = 99999999999", "expected a whole number from 1 to 1,000"),
        (&throughput, "seconds = 1.0", "seconds = nan", "seconds = NaN; expected a number from 0 to 3600"),
        (
            &throughput,
            "options = { beam = 8 }",
            "options = { beam = 0 }",
            "--beam must be a whole number from 1 to 4,096; found 0",
        ),
        (&peers, "las = 87.39", "las = 187.39", "a score of 187.39; expected a percentage from 0 to 100"),
        (&peers, "second = 12_200.0", "second = 0.0", "a figure of 0; expected a number above 0"),
        (
            &peers,
            "beside = \"treebeam, 4 replicas\"",
            "beside = \"treeboom\"",
            "no parser of the same table is named `treeboom` and parses at width 8",
        ),
        (&peers, "seconds = 2.0", "seconds = -inf", "seconds = -inf; expected a number from 0 to 3600"),
    ];
    for (text, from, to, expected) in changes {
        assert!(text.contains(from), "{from}");
        std::fs::write(at.join("spec.toml"), text.replacen(from, to, 1)).unwrap();
        let assert = treebeam(&["experiment", "run", "spec.toml"], at).assert().code(2);
        let message = self::text(assert.get_output().stderr.clone());
        assert!(message.contains("spec.toml") && message.contains(expected), "{to}: {message}");
        assert!(!message.contains("unknown field `kind`"), "{message}");
        assert_eq!(std::fs::read_dir(at).unwrap().count(), 1, "{to}: nothing is written");
    }
    let hidden = ["experiment", "submit", "spec.toml", "--print", "--sbatch-option", "--x\necho there"];
    treebeam(&hidden, at).assert().code(2);
}
