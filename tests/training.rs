//! `treebeam train` from outside: what decides the model's bytes, and what must not.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{generated, treebeam, write};

/// A folder with `train.conllu`, of `n_train` sentences, and `dev.conllu`.
fn folder(n_train: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &generated(41, n_train));
    write(folder.path(), "dev.conllu", &generated(42, 30));
    folder
}

const TRAIN: &str = "train --train train.conllu --dev dev.conllu --iterations 2 --features stack";
const GREEDY: &str = "--training greedy --oracle dynamic --explore-from 0";
const SEARCH: &str = "--training l2s --learner adagrad --system arc-hybrid --dropout 0.1";
const NETWORK: &str = "--training l2s --learner nn --system arc-hybrid-rootless --decisions separate";
const GLOBAL: &str = "--training global --beam 4";
const VECTORS: &str = "--training greedy --learner svm";
/// Other losses of whole derivations.
const LOSSES: [&str; 9] = [
    "--beam 4 --objective loss-augmented",
    "--beam 4 --update laso",
    "--beam 4 --update restart --replicas 1 --batch 4 --system arc-standard",
    "--beam 4 --update restart --merge --system arc-hybrid --roll-in learned --explore-from 0",
    "--beam 4 --update restart-early --objective crf --restart-from beam --system arc-eager",
    "--beam 4 --learner mira",
    "--beam 4 --objective crf --learner sgd --l2 0.0001",
    "--beam 4 --objective softmax-margin",
    "--beam 4 --system arc-eager-repair --objective loss-augmented",
];

/// The bytes of the model that these options make.
fn model(folder: &Path, options: &str) -> Vec<u8> {
    treebeam(folder, &format!("{TRAIN} {options} --model model")).assert().success().stdout("");
    fs::read(folder.join("model")).unwrap()
}

fn stderr(assert: assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let folder = folder(30);
    let at = folder.path();
    for training in [GREEDY, GLOBAL] {
        let one = model(at, training);
        assert_eq!(model(at, training), one, "{training}: run again");
        assert_eq!(model(at, &format!("{training} --threads 2")), one, "{training}: two threads, no batches");
        assert_ne!(model(at, &format!("{training} --seed 2")), one, "{training}: another seed");
        let batches = model(at, &format!("{training} --batch 4"));
        assert_ne!(batches, one, "{training}: batches");
        assert_eq!(
            model(at, &format!("{training} --batch 4 --threads 2")),
            batches,
            "{training}: threads with batches"
        );
    }
    for training in [SEARCH, NETWORK, VECTORS].into_iter().chain(LOSSES) {
        let one = model(at, training);
        assert_eq!(model(at, &format!("{training} --threads 2")), one, "{training}: two threads");
        assert_ne!(model(at, &format!("{training} --seed 2")), one, "{training}: another seed");
    }
}

/// Watching changes nothing; every kind of greedy training of a linear model can be watched.
#[test]
fn decisions_are_watched_as_they_are_made() {
    let folder = folder(20);
    let at = folder.path();
    for options in [
        "--oracle lazy",
        "--oracle dynamic --explore-from 0 --correct all",
        "--learner adagrad",
        "--system easy-first",
        "--system covington",
    ] {
        let options = format!("--training greedy --replicas 1 {options}");
        let line = format!("train --train train.conllu --iterations 1 {options} --model model");
        treebeam(at, &line).assert().success().stdout("");
        let plain = fs::read(at.join("model")).unwrap();
        let watched = treebeam(at, &format!("{line} --watch 30")).assert().success();
        assert!(fs::read(at.join("model")).unwrap() == plain, "{options}: another model");
        let text = String::from_utf8(watched.get_output().stdout.clone()).unwrap();
        for what in ["decision ", "  features ", "  scores ", "  prediction ", "  oracle ", "  update "] {
            assert_eq!(text.lines().filter(|line| line.starts_with(what)).count(), 30, "{options}: {what}\n{text}");
        }
        assert!(text.lines().any(|line| line.contains(" to 1") || line.contains(": 0 to ")), "{options}: {text}");
    }
    for options in
        ["--training global", "--training greedy", "--training greedy --replicas 1 --learner svm --oracle static"]
    {
        let refused = treebeam(at, &format!("{TRAIN} {options} --model model --watch 3")).assert().code(2);
        assert!(stderr(refused).contains("--watch shows one decision after the other"), "{options}");
    }
}

/// Weights of arcs change the model, but not if each is 1; errors in their file are reported.
#[test]
fn arcs_count_by_their_labels() {
    let folder = folder(40);
    let at = folder.path();
    let parsed = |options: &str| {
        treebeam(at, &format!("{TRAIN} {options} --model model")).assert().success();
        treebeam(at, "parse --model model dev.conllu").assert().success().get_output().stdout.clone()
    };
    for options in [
        "--training greedy --oracle dynamic --system arc-hybrid --explore-from 0",
        "--training l2s --learner adagrad --system arc-hybrid",
        "--training global --beam 4 --objective loss-augmented --system arc-eager --roots several",
    ] {
        let plain = parsed(options);
        let weighted = |weights: &str| {
            fs::write(at.join("arcs"), weights).unwrap();
            parsed(&format!("{options} --arc-weights arcs"))
        };
        assert!(weighted("# nothing new\ndet\t1\n") == plain, "{options}");
        assert!(weighted("det\t20\nroot\t0\nnsubj\t0\n") != plain, "{options}");
    }
    for (weights, expected) in [
        ("det 2\n", "arcs:1: `det 2`; expected a label and a weight, with a tab between them"),
        ("det\t2\nnone\t1\n", "arcs:2: `none\\t1`; expected a label of the training treebank"),
        ("det\t-1\n", "expected a whole number from 0 to 1000"),
        ("det\t2\ndet\t2\n", "arcs:2: `det\\t2`; expected each label once"),
    ] {
        fs::write(at.join("arcs"), weights).unwrap();
        let line = format!("{TRAIN} {GREEDY} --system arc-hybrid --arc-weights arcs --model model");
        let message = stderr(treebeam(at, &line).assert().code(2));
        assert!(message.contains(expected), "{weights:?}: {message}");
    }
}

/// Weights to begin with are those of the file, which is read with care.
#[test]
fn weights_begin_as_the_file_says() {
    let folder = folder(20);
    let at = folder.path();
    fs::write(at.join("tags.feat"), "S0.p\nS0.p B0.p\nB0.p S0.label\n").unwrap();
    let line = "train --train train.conllu --iterations 2 --features tags.feat --training greedy --oracle static --replicas 1 --model model";
    let with = |weights: &str| {
        fs::write(at.join("weights"), weights).unwrap();
        treebeam(at, &format!("{line} --initial-weights weights --watch 1")).assert()
    };
    let printed = with("# by hand\nS0.p: ∅\tSHIFT\t-2.25\nS0.p B0.p: ∅ DET\tREDUCE\t3\n").success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    assert!(
        text.ends_with("weights after 1 decisions: -2.25 3\nS0.p: ∅\tSHIFT\t-2.25\nS0.p B0.p: ∅ DET\tREDUCE\t3\n"),
        "{text}"
    );
    // Nothing else is learned, whatever fires.
    assert!(stderr(printed).contains("2 features"), "{text}");
    for (weights, expected) in [
        ("", "weights: no weight; expected a feature, an action and a weight a line"),
        ("S0.p: ∅ SHIFT 1\n", "weights:1: `S0.p: ∅ SHIFT 1`; expected a feature, an action and a weight, with a tab"),
        ("#\nS0.w: a\tSHIFT\t1\n", "weights:2: the feature `S0.w: a`; expected a template of the set"),
        ("S0.p B0.p: DET\tSHIFT\t1\n", "expected a value for each atom"),
        ("B0.p S0.label: DET det\tSHIFT\t1\n", "expected a template that reads columns of words"),
        ("S0.p: DET\tSWAP\t1\n", "the action `SWAP`; expected a move of the system"),
        ("S0.p: DET\tLEFT:nought\t1\n", "the action `LEFT:nought`"),
        ("S0.p: DET\tSHIFT\tnan\n", "the weight `nan`; expected a number from -512 to 512"),
        ("S0.p: DET\tSHIFT\t1\nS0.p: DET\tSHIFT\t2\n", "weights:2: `S0.p: DET\\tSHIFT\\t2` again"),
    ] {
        let message = stderr(with(weights).code(2));
        assert!(message.contains(expected), "{weights:?}: {message}");
    }
}

#[test]
fn presets_say_what_they_set() {
    let folder = folder(5);
    for (options, expected) in [
        ("--preset lols", "preset lols: roll-in learned, roll-out mixture, the reference rolls out 0.5 of the time"),
        ("--preset dagger", "preset dagger: roll-in reference-first, roll-out none"),
        ("--preset searn --alpha 0.5", "preset searn: roll-in mixture, roll-out mixture, alpha 0.5"),
        (
            "--preset aggrevate --roll-in mixture",
            "preset aggrevate: roll-in mixture, roll-out reference, alpha 0.00001",
        ),
        ("", "learning to search, roll-in mix-per-roll, roll-out reference, alpha 0.00001"),
    ] {
        let line = format!("{TRAIN} --training l2s {options} --model model");
        let message = stderr(treebeam(folder.path(), &line).assert().success());
        assert!(message.contains(expected), "{options}: {message}");
    }
}

#[test]
fn what_training_took_is_reported() {
    let folder = folder(20);
    let at = folder.path();
    model(at, &format!("{GREEDY} --replicas 2 --stats-json stats.json"));
    let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
    assert_eq!((stats["sentences"].as_u64(), stats["iterations"].as_array().map(Vec::len)), (Some(40), Some(2)));
    let seconds = |iteration: &serde_json::Value| iteration["seconds"].as_f64().unwrap();
    let learning: f64 = stats["iterations"].as_array().unwrap().iter().map(seconds).sum();
    assert!(learning > 0.0 && learning <= stats["seconds"].as_f64().unwrap(), "{stats}");
    if cfg!(target_os = "linux") {
        let used = |iteration: &serde_json::Value| iteration["cpu_seconds"].as_f64().unwrap_or(0.0);
        let learning: f64 = stats["iterations"].as_array().unwrap().iter().map(used).sum();
        assert!(learning > 0.0, "the threads of the pool count: {stats}");
    }
    assert!(stats["weights"].as_u64() >= stats["features"].as_u64(), "{stats}");
    treebeam(at, &format!("{TRAIN} --model other --stats-json no/stats")).assert().code(2);
    assert!(!at.join("other").exists());
}

/// Training to the plateau stops as many iterations after the best one as patience says, makes the model that this number of
/// iterations makes, and resumes like any other run.
#[test]
fn training_to_the_plateau_stops_when_the_score_rises_no_more() {
    let folder = folder(60);
    let at = folder.path();
    let line = TRAIN.replace("--iterations 2", "--iterations plateau --patience 2 --max-iterations 30");
    for options in [GREEDY, "--system eisner"] {
        let line = if options.contains("eisner") { line.replace(" --features stack", "") } else { line.clone() };
        let message =
            stderr(treebeam(at, &format!("{line} {options} --model model --stats-json stats.json")).assert().success());
        let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
        let right = |i: &serde_json::Value| i["dev"]["labelled"].as_u64().unwrap();
        let curve: Vec<u64> = stats["iterations"].as_array().unwrap().iter().map(right).collect();
        let best = curve.iter().position(|score| score == curve.iter().max().unwrap()).unwrap() + 1;
        let averages_from = if options.contains("eisner") { 1 } else { 3 };
        assert_eq!(curve.len(), best.max(averages_from) + 2, "{curve:?}");
        assert_eq!(stats["kept_iteration"].as_u64(), Some(best as u64));
        assert!(message.contains(&format!("plateau after iteration {}", curve.len())), "{message}");
    }
    let message =
        stderr(treebeam(at, &format!("{} --model none", line.replace("--dev dev.conllu ", ""))).assert().code(2));
    assert!(message.contains("--iterations plateau is judged by development data"), "{message}");
    killed_and_resumed(&TRAIN.replace(" --iterations 2", ""), &format!("{GLOBAL} --patience 9"), "plateau");
}

#[test]
fn options_are_printed_and_kept_in_the_model() {
    let folder = folder(20);
    let at = folder.path();
    let options = "--system arc-hybrid --roots several --nonprojective lift --lift head+path --update early --seed 7 \
                   --word-column lemma --tag-column xpos --keep last --average-from 1";
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_slice(&treebeam(at, line).assert().success().get_output().stdout).unwrap()
    };
    let printed = json(&format!("{TRAIN} {options} --print-options"));
    assert!(!at.join("model").exists());
    assert_eq!((&printed["system"], &printed["seed"]), (&"arc-hybrid".into(), &7.into()));
    assert_eq!((&printed["lift"], &printed["word-column"]), (&"head+path".into(), &"lemma".into()));
    model(at, options);
    assert_eq!(json("model info model --json")["header"]["training"], printed);
}

/// Kills the run after its first checkpoint, and goes on from there.
fn killed_and_resumed(train: &str, training: &str, iterations: &str) {
    // Networks that learn nothing from fewer sentences are an error, and greedy runs of fewer end before they can be killed.
    let folder = folder(match training {
        _ if training.contains("--scorer") => 400,
        _ if training.contains("--beam") => 120,
        _ => 200,
    });
    let at = folder.path();
    let options = format!("{training} --iterations {iterations} --checkpoint-seconds 0");
    let line = train.replace(" --iterations 2", "");
    treebeam(at, &format!("{line} {options} --model whole")).assert().success();

    let checkpoint = at.join("killed.checkpoint");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("treebeam"));
    command.current_dir(at).args(line.split_whitespace()).args(options.split_whitespace()).args(["--model", "killed"]);
    let mut run = command.stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !checkpoint.exists() {
        assert!(start.elapsed() < Duration::from_secs(120), "no checkpoint");
        assert!(run.try_wait().unwrap().is_none(), "the run ended without a checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    assert_eq!(run.wait().unwrap().signal(), Some(9), "the run ended before it could be killed");
    assert!(!at.join("killed").exists());

    // Other options are not those of the checkpoint.
    let other = treebeam(at, &format!("{line} {options} --seed 5 --model killed --resume")).assert().code(2);
    let expected = "killed.checkpoint: the checkpoint is of a run with --seed 1 instead of 5; expected the same";
    let other = stderr(other);
    assert!(other.contains(expected), "{other}");
    let others = line.replace("--train train.conllu", "--train dev.conllu");
    let other = treebeam(at, &format!("{others} {options} --model killed --resume")).assert().code(2);
    let expected = "killed.checkpoint: the checkpoint is of a run with other training or development data";
    let other = stderr(other);
    assert!(other.contains(expected), "{other}");
    let other = treebeam(at, &format!("{line} {options} --licence MIT --model killed --resume")).assert().code(2);
    let other = stderr(other);
    assert!(
        other.contains("killed.checkpoint: the checkpoint is of a run with another --licence; expected"),
        "{other}"
    );
    let resumed = treebeam(at, &format!("{line} {options} --model killed --resume")).assert().success();
    assert!(stderr(resumed).contains("resuming after iteration "));
    assert!(!checkpoint.exists());
    assert!(fs::read(at.join("killed")).unwrap() == fs::read(at.join("whole")).unwrap(), "{training}");
}

#[test]
fn a_killed_greedy_run_resumes_to_the_same_bytes() {
    killed_and_resumed(TRAIN, GREEDY, "8");
}

/// Random choices are the same on any number of threads and after an interruption, for linear models and networks; what
/// is asked for and done anyway makes the same model; and the model's card has the command that trains it again.
#[test]
fn the_choice_among_correct_transitions_is_an_option() {
    let network = "--scorer feed-forward --hidden 16 --system arc-hybrid --training greedy";
    for options in [&format!("{GREEDY} --correct random"), &format!("{network} --correct random")] {
        killed_and_resumed(TRAIN, options, "4");
    }
    let folder = folder(60);
    let at = folder.path();
    let linear = "--training greedy --system arc-hybrid --replicas 1";
    for (options, own) in [
        (linear, "best-scored"),
        (&format!("{linear} --oracle dynamic --explore-prob 0"), "best-scored"),
        (&format!("{linear} --learner mira"), "best-scored"),
        (&format!("{linear} --learner adagrad --objective softmax"), "all"),
        (network, "all"),
    ] {
        let plain = model(at, options);
        // What stands at the end of a model file are weights, not the options.
        let mut weights = BTreeSet::new();
        for correct in ["best-scored", "canonical", "random", "all"] {
            if options.contains("mira") && correct == "all" {
                continue;
            }
            let chosen = model(at, &format!("{options} --correct {correct} --threads 1"));
            assert_eq!(chosen == plain, correct == own, "{options}: {correct}");
            weights.insert(chosen[chosen.len() - 2000..].to_vec());
            let threads = model(at, &format!("{options} --correct {correct} --threads 2"));
            assert!(chosen == threads, "{options}: {correct}: two threads");
        }
        assert!(weights.len() >= 3, "{options}: {} models of all choices", weights.len());
    }
    model(at, "--training greedy --system arc-hybrid --correct canonical");
    let info = treebeam(at, "model info model").assert().success();
    let card = String::from_utf8(info.get_output().stdout.clone()).unwrap();
    assert!(card.contains(" --correct canonical"), "{card}");
    assert!(card.contains("of several correct ones the canonical one is learned"), "{card}");
}

#[test]
fn a_killed_run_of_base_learners_resumes_to_the_same_bytes() {
    killed_and_resumed(TRAIN, SEARCH, "4");
    killed_and_resumed(TRAIN, NETWORK, "8");
}

#[test]
fn a_killed_run_of_networks_resumes_to_the_same_bytes() {
    let network = "--scorer feed-forward --hidden 16 --system arc-hybrid";
    killed_and_resumed(TRAIN, &format!("{network} --training greedy"), "8");
    // With fewer units a network that knows nothing learns nothing globally, which is an error.
    killed_and_resumed(TRAIN, &format!("{network} --beam 4").replace("--hidden 16", "--hidden 64"), "8");
    let encoder = "--scorer bilstm --lstm-units 8 --hidden 16 --system arc-hybrid";
    killed_and_resumed(TRAIN, &format!("{encoder} --training greedy"), "8");
    let stacks = "--scorer stack-lstm --lstm-units 8 --hidden 16 --system arc-hybrid";
    killed_and_resumed(TRAIN, &format!("{stacks} --training greedy"), "8");
}

#[test]
fn a_killed_global_run_resumes_to_the_same_bytes() {
    killed_and_resumed(TRAIN, GLOBAL, "8");
}

/// The first iterations are those of greedy training, with exploration; what they make is not kept, however good it is.
#[test]
fn iterations_before_global_training_are_greedy() {
    let folder = folder(60);
    let at = folder.path();
    let updates = |options: &str| {
        let line = format!(
            "{} {options} --model model --stats-json stats.json",
            TRAIN.replace(" --iterations 2 --features stack", "")
        );
        let run = treebeam(at, &line).assert().success();
        let message = String::from_utf8_lossy(&run.get_output().stderr);
        let n_greedy = if options.contains("--pretrain 3") { 3 } else { 0 };
        assert_eq!(message.matches(" (greedy): ").count(), n_greedy, "{message}");
        let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
        let iterations = stats["iterations"].as_array().unwrap();
        let updates: Vec<u64> = iterations.iter().map(|i| i["updates"].as_u64().unwrap()).collect();
        (updates, stats["kept_iteration"].as_u64().unwrap())
    };
    for (system, oracle) in [("arc-hybrid", "dynamic"), ("covington-nonmonotonic", "upper"), ("swap", "static")] {
        let features = if system.contains("covington") { "covington" } else { "stack" };
        let of = format!("--system {system} --features {features} --replicas 2 --explore-from 1");
        let greedy_oracle = if system == "swap" { "non-deterministic" } else { oracle };
        let (greedy, _) = updates(&format!("{of} --training greedy --oracle {greedy_oracle} --iterations 5"));
        let (pretrained, kept) = updates(&format!("{of} --oracle {oracle} --update early --pretrain 3 --iterations 5"));
        assert_eq!(pretrained[..3], greedy[..3], "{system}");
        // A sentence calls for one update at most, on each replica.
        assert!(pretrained[3..].iter().all(|&n| n <= 120), "{system}: {pretrained:?}");
        assert_ne!(pretrained[3..], greedy[3..], "{system}");
        assert!(kept > 3, "{system}: iteration {kept} is kept");
    }
    let info = treebeam(at, "model info model").assert().success();
    let card = String::from_utf8(info.get_output().stdout.clone()).unwrap();
    assert!(card.contains(", after 3 iterations of greedy training;") && card.contains(" --pretrain 3"), "{card}");
    killed_and_resumed(TRAIN, &format!("{GLOBAL} --pretrain 3"), "8");
}

#[test]
fn killed_runs_of_other_losses_resume_to_the_same_bytes() {
    for losses in LOSSES.into_iter().chain([VECTORS]) {
        killed_and_resumed(TRAIN, losses, "3");
    }
}

/// Options that change nothing are accepted, and options imply those that they need.
#[test]
fn objectives_bring_what_they_need() {
    let folder = folder(5);
    let printed = |options: &str| -> serde_json::Value {
        let line = format!("{TRAIN} {options} --print-options");
        serde_json::from_slice(&treebeam(folder.path(), &line).assert().success().get_output().stdout).unwrap()
    };
    let plain = printed("");
    assert_eq!(printed("--objective perceptron"), plain);
    assert_eq!(printed("--learner mira --objective loss-augmented"), printed("--learner mira"));
    for objective in ["crf", "softmax-margin"] {
        let options = printed(&format!("--objective {objective}"));
        assert_eq!((&options["learner"], &options["update"]), (&"adagrad".into(), &"early".into()));
        let options = printed(&format!("--objective {objective} --learner sgd --update laso"));
        assert_eq!((&options["learner"], &options["update"]), (&"sgd".into(), &"laso".into()));
    }
}

#[test]
fn a_killed_graph_based_run_resumes_to_the_same_bytes() {
    killed_and_resumed(&TRAIN.replace(" --features stack", ""), "--system mst", "8");
}

#[test]
fn packed_files_and_standard_input_make_the_same_model() {
    let folder = folder(30);
    let at = folder.path();
    let plain = model(at, "");
    for packed in ["train.conllu.gz", "train.conllu.zst"] {
        treebeam(at, &format!("treebank convert train.conllu -o {packed}")).assert().success();
        treebeam(at, &format!("{} --model packed", TRAIN.replace("train.conllu", packed))).assert().success();
        assert!(fs::read(at.join("packed")).unwrap() == plain, "{packed}");
    }
    let line = format!("{} --model piped", TRAIN.replace("train.conllu", "-"));
    treebeam(at, &line).write_stdin(fs::read(at.join("train.conllu")).unwrap()).assert().success();
    assert!(fs::read(at.join("piped")).unwrap() == plain);
}

#[test]
fn malformed_treebanks_end_with_2_the_line_and_no_model() {
    let folder = folder(5);
    let at = folder.path();
    let good = fs::read_to_string(at.join("train.conllu")).unwrap();
    let cases = [
        ("columns", good.replacen("\t_\t_\n", "\t_\n", 1), ":3"),
        ("rootless", good.replacen("\t0\troot\t", "\t1\troot\t", 1), ":"),
        ("empty", String::new(), ": no sentence"),
        ("label", good.replacen("\troot\t", "\t_\t", 1), ":"),
    ];
    for (name, text, expected) in cases {
        fs::write(at.join(name), &text).unwrap();
        // What is not known is left open in training data, and cannot be scored against.
        let in_training = Some(TRAIN.replace("train.conllu", name)).filter(|_| name != "label");
        for line in in_training.into_iter().chain([TRAIN.replace("dev.conllu", name)]) {
            let message = stderr(treebeam(at, &format!("{line} --model model")).assert().code(2));
            assert!(message.contains(&format!("{name}{expected}")) && message.contains("; expected "), "{message}");
            assert!(!at.join("model").exists(), "{name}");
        }
    }
    assert_eq!(fs::read_dir(at).unwrap().count(), 2 + 4);
}

#[test]
fn requests_that_make_no_sense_end_with_2_at_once() {
    let folder = folder(5);
    let at = folder.path();
    for (options, expected) in [
        ("--beam 0", "--beam"),
        ("--iterations 0", "--iterations"),
        ("--iterations some", "expected a whole number from 1 to 1,000,000 or `plateau`"),
        ("--iterations 3 --patience 2", "--patience and --max-iterations are for --iterations plateau"),
        ("--iterations plateau --patience 0", "--patience must be a whole number from 1 to 1,000,000; found 0"),
        ("--batch 0", "--batch"),
        ("--explore-prob 1.5", "--explore-prob"),
        ("--features no-such-set", "unknown feature set `no-such-set`; expected one of zn11"),
        ("--features none.feat", "none.feat: "),
        ("--system arc-lazy", "arc-lazy"),
        ("--learner mira --objective perceptron", "mira corrects mistakes; expected --objective loss-augmented"),
        ("--learner mira --objective crf", "mira corrects mistakes; expected --objective loss-augmented"),
        (
            "--learner perceptron --objective crf",
            "expected --objective perceptron or loss-augmented, or another --learner",
        ),
        ("--objective hinge", "hinge is no objective of --training global; expected --objective perceptron or"),
        (
            "--training greedy --objective crf",
            "crf is no objective of --training greedy; expected --objective regression",
        ),
        (
            "--objective crf --update max-violation",
            "crf knows no violations; expected --update early or standard or laso or restart-early",
        ),
        (
            "--update restart --system swap",
            "--update restart needs costs in all configurations, and swap has no dynamic oracle",
        ),
        ("--update restart-early --oracle static", "which the static oracle has not; expected --oracle dynamic"),
        (
            "--update restart --system covington-nonmonotonic --oracle static",
            "which the static oracle has not; expected --oracle lower or pc-upper or upper",
        ),
        ("--roll-in learned --system swap", "--roll-in learned needs costs in all configurations, and swap has no"),
        ("--training global --roll-in mixture", "expected --roll-in reference or learned"),
        ("--update laso --restart-from beam", "--restart-from is for --update restart or restart-early"),
        (
            "--search exact --features minimal --roll-in learned",
            "exact search compares whole derivations; leave out --roll-in",
        ),
        ("--objective crf --loss-weight 2", "--loss-weight is for --training global with --objective loss-augmented"),
        ("--objective loss-augmented --loss-weight 0", "--loss-weight must be a number above 0"),
        ("--objective crf --l2 0.1", "--l2 is for --learner sgd"),
        ("--objective crf --batch 2", "--batch is for perceptrons"),
        (
            "--learner svm",
            "svm is a support vector machine: it is trained on single decisions; expected --training greedy",
        ),
        ("--training greedy --learner svm --oracle dynamic", "expected --oracle static"),
        ("--training greedy --learner svm --replicas 2", "expected --replicas 1"),
        ("--training greedy --learner svm --objective softmax", "expected --objective hinge"),
        ("--training greedy --arc-weights none", "--arc-weights is for costs that are sums over arcs"),
        (
            "--training greedy --oracle static --system arc-hybrid --arc-weights none",
            "weighs what the dynamic oracle counts",
        ),
        ("--initial-weights none", "--initial-weights is for weights of features and actions"),
        ("--training greedy --initial-weights none", "none: No such file"),
        ("--training greedy --unpermitted", "expected --training greedy, a static --oracle and --objective perceptron"),
        ("--correct random", "--correct chooses among several correct transitions: in a beam"),
        ("--training l2s --correct random", "learning to search learns what each transition costs"),
        ("--training greedy --oracle static --correct canonical", "a static oracle has one correct transition"),
        ("--training greedy --learner svm --correct all", "a static oracle has one correct transition"),
        ("--training greedy --correct worst", "invalid value 'worst' for '--correct <WHICH>'"),
        ("--training greedy --learner mira --correct all", "expected best-scored, canonical or random"),
        ("--training greedy --learner sgd --objective multiclass --correct all", "multiclass has one right option"),
        ("--training greedy --correct all --batch 2", "expected --batch 1"),
        ("--system eisner --correct all", "--correct is for transition systems"),
        (
            "--training greedy --pretrain 2",
            "--pretrain is greedy training before global training: expected --training global",
        ),
        ("--iterations 3 --pretrain 3", "3 of 3 iterations leave none for it; expected more"),
        ("--iterations plateau --max-iterations 3 --pretrain 4", "4 of 3 iterations leave none for it"),
        ("--iterations plateau --pretrain 100", "100 of 100 iterations leave none for it"),
        (
            "--scorer feed-forward --pretrain 1",
            "networks go on from a model that was trained greedily; expected --init",
        ),
        ("--system eisner --pretrain 1", "--pretrain is for transition systems"),
        ("--pretrain -1", "--pretrain must be a whole number from 0 to 1,000,000; found -1"),
        ("--dropout 0.5", "--dropout is for training on single decisions"),
        ("--learner sgd --decisions separate", "expected --decisions joint"),
        ("--training greedy --rate 0.1", "learners of real-valued weights"),
        ("--training l2s --rate 0", "--rate must be a number above 0"),
        ("--training l2s --learner nn --replicas 2", "--replicas 1"),
        ("--training l2s --learner nn --nn-update mira", "expected --nn-update sgd-plus or ftrl"),
        ("--training l2s --learner sgd --hidden 3", "--hidden and --nn-update are for --learner nn"),
        ("--training l2s --learner mira --objective softmax", "expected --objective hinge or perceptron"),
        ("--training l2s --batch 2", "--batch"),
        ("--training l2s --dropout 1", "--dropout"),
        ("--training l2s --alpha 0", "--alpha"),
        ("--training l2s --system swap", "needs costs in all configurations"),
        ("--training l2s --oracle static", "needs costs in all configurations"),
        ("--training greedy --preset lols", "are for --training l2s"),
        ("--system mst --learner adagrad", "expected --learner perceptron or mira"),
        ("--system mst --preset lols", "--preset is for transition systems"),
        ("--model no/such/folder/model", "no/such/folder/model: "),
        ("--model .", ".: a folder"),
    ] {
        let line = TRAIN.replace(" --iterations 2 --features stack", "");
        let model = if options.starts_with("--model") { "" } else { "--model model" };
        let message = stderr(treebeam(at, &format!("{line} {options} {model}")).assert().code(2));
        assert!(message.contains(expected), "{options}: {message}");
        assert!(!at.join("model").exists(), "{options}");
    }
}

#[test]
fn a_feature_set_of_ones_own_is_kept_in_the_model() {
    let folder = folder(20);
    let at = folder.path();
    fs::write(at.join("own.feat"), "# my own\nS0.wp B0.wp\nS0.w\nB0.w\nS1.p S0.p B0.p\n").unwrap();
    let line = TRAIN.replace("--features stack", "--features own.feat");
    treebeam(at, &format!("{line} --model model")).assert().success();
    fs::remove_file(at.join("own.feat")).unwrap();
    treebeam(at, "parse --model model dev.conllu").assert().success();

    for bad in ["B9.p", "B1.l1.p", "B2.label", "B3.vl", "S0.l1.vr", "S0.w"] {
        fs::write(at.join("bad.feat"), format!("S0.w\nS0.w {bad}\n")).unwrap();
        let line = TRAIN.replace("--features stack", "--features bad.feat");
        let message = stderr(treebeam(at, &format!("{line} --model bad")).assert().code(2));
        assert!(message.contains("bad.feat:2: column ") && message.contains("; expected "), "{bad}: {message}");
    }
}

/// Models of `model freeze` parse, in any precision and of either kind; nothing changes where nothing is asked for.
#[test]
fn frozen_models_parse() {
    let folder = folder(80);
    for system in ["arc-eager", "eisner"] {
        let run = |line: &str| {
            let done = treebeam(folder.path(), line).assert().success();
            String::from_utf8(done.get_output().stdout.clone()).unwrap()
        };
        run(&format!("train --train train.conllu --dev dev.conllu --system {system} --iterations 2 --model model"));
        run("model freeze model -o again");
        let [model, again] = ["model", "again"].map(|name| fs::read(folder.path().join(name)).unwrap());
        assert!(model == again, "{system}");
        for bits in ["i16", "i8"] {
            let text = run(&format!("model freeze model --quantise {bits} --test dev.conllu -o fewer"));
            let las: Vec<f64> = (text.lines().find(|line| line.starts_with("LAS")).unwrap().split_whitespace())
                .skip(1)
                .map(|number| number.parse().unwrap())
                .collect();
            assert!(las[0] > 50.0 && las[2].abs() < 3.0, "{system}, {bits}: {text}");
            let fewer = fs::metadata(folder.path().join("fewer")).unwrap().len();
            let json = run(&format!("model freeze model --quantise {bits} --test dev.conllu -o fewer --json"));
            let report: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(report["after"]["bytes"], fewer, "{json}");
            for (number, side) in ["before", "after"].iter().enumerate() {
                assert!((report[side]["las"].as_f64().unwrap() - las[number]).abs() < 0.0051, "{json}");
            }
            assert!(fewer < model.len() as u64, "{system}, {bits}");
            assert!(run("model info fewer").contains(&format!("precision {bits}")));
            run("parse --model fewer dev.conllu -o parsed.conllu");
        }
        // The model says what is pruned, and `auto` costs next to nothing.
        let small = if system == "eisner" { "16" } else { "0.25" };
        for (prune, may_cost) in [(small, 5.0), ("auto", 0.02)] {
            let json = run(&format!("model freeze model --prune {prune} --test dev.conllu -o pruned --json"));
            let report: serde_json::Value = serde_json::from_str(&json).unwrap();
            let [was, is] = ["before", "after"].map(|side| report[side]["weights"].as_u64().unwrap());
            let [before, after] = ["before", "after"].map(|side| report[side]["las"].as_f64().unwrap());
            assert!(is < was && before - after <= may_cost, "{system}, {prune}: {json}");
            let info = run("model info pruned");
            let line = info.lines().find(|line| line.starts_with("pruned")).unwrap();
            assert!(line.contains(&format!("{} weights nearer to 0 than", was - is)), "{line}");
            assert!(line.contains(&format!("LAS {before:.2} before and {after:.2} after")), "{line}");
            run("parse --model pruned dev.conllu -o parsed.conllu");
        }
        // A small model says the same as one of as many bits and weights.
        let trees = ["--quantise i8", "--small"].map(|how| {
            run(&format!("model freeze model {how} --prune {small} -o fewer"));
            run("parse --model fewer dev.conllu -o parsed.conllu");
            let bytes = fs::metadata(folder.path().join("fewer")).unwrap().len();
            (fs::read_to_string(folder.path().join("parsed.conllu")).unwrap(), bytes)
        });
        assert!(trees[0].0 == trees[1].0 && trees[1].1 * 10 < trees[0].1 * 9, "{} {}", trees[0].1, trees[1].1);
        run("model freeze fewer -o again");
        let [fewer, again] = ["fewer", "again"].map(|name| fs::read(folder.path().join(name)).unwrap());
        assert!(fewer == again, "{system}");
        treebeam(folder.path(), "model freeze model --prune auto -o no").assert().failure();
        treebeam(folder.path(), "model freeze model --prune little -o no").assert().code(2);
    }
    treebeam(folder.path(), "model freeze dev.conllu -o no").assert().code(2);
    assert!(!folder.path().join("no").exists());
}

/// Linear models go on: what was learned stays, labels and words are added, and so on again.
#[test]
fn linear_models_go_on_with_new_words_and_labels() {
    let folder = folder(120);
    let at = folder.path();
    let run = |line: &str| stderr(treebeam(at, line).assert().success());
    // Other sentences, in which one label has another name and another one is new.
    let other = generated(43, 60).iter().map(|sentence| format!("{}\n", sentence.text())).collect::<String>();
    fs::write(at.join("other.conllu"), other.replace("\tobj\t", "\tobject\t").replace("\tw", "\tv")).unwrap();
    let las = |model: &str| {
        run(&format!("parse --model {model} dev.conllu -o parsed.conllu"));
        let scores = treebeam(at, "eval dev.conllu parsed.conllu --json --samples 10").assert().success();
        let scores: serde_json::Value = serde_json::from_slice(&scores.get_output().stdout).unwrap();
        scores["systems"][0]["scores"][0]["las"].as_f64().unwrap()
    };
    for (training, replicas) in [("--training greedy", 1), ("--beam 4 --system arc-standard", 2)] {
        let train = format!("train --features stack {training} --replicas {replicas} --keep last");
        run(&format!("{train} --train train.conllu --iterations 6 --model first"));
        run(&format!("{train} --train train.conllu --iterations 1 --model cold"));
        run(&format!("{train} --train train.conllu --iterations 1 --init first --model warm"));
        let (first, cold, warm) = (las("first"), las("cold"), las("warm"));
        assert!(warm > cold && warm > first - 2.0, "{first} {cold} {warm}");
        // One sentence changes little of an average over 720.
        let all = fs::read_to_string(at.join("other.conllu")).unwrap();
        fs::write(at.join("one.conllu"), all.split_inclusive("\n\n").next().unwrap()).unwrap();
        run(&format!("{train} --train one.conllu --iterations 1 --init first --model nearly"));
        assert!((las("nearly") - first).abs() < 1.0, "{first} {}", las("nearly"));

        run(&format!("{train} --train other.conllu --iterations 8 --init warm --model both"));
        run("parse --model both other.conllu -o parsed.conllu");
        let parsed = fs::read_to_string(at.join("parsed.conllu")).unwrap();
        assert!(parsed.contains("\tobject\t"), "a label that the first model did not know");
        assert!(las("both") > cold - 10.0, "{cold} {}", las("both"));
        let info = treebeam(at, "model info --json both").assert().success();
        let info: serde_json::Value = serde_json::from_slice(&info.get_output().stdout).unwrap();
        let text = info.to_string();
        assert!(text.contains("\"obj\"") && text.contains("\"object\"") && text.contains("init_sha256"), "{text}");
        // And on from there, in fewer bits, too.
        run("model freeze both --small --prune 0 -o small");
        for from in ["both", "small"] {
            let line = format!("{train} --train train.conllu --iterations 2 --init {from}");
            run(&format!("{line} --model again"));
            assert!(las("again") > cold - 10.0, "{from}: {} {cold}", las("again"));
            run(&format!("{line} --threads 2 --model again2"));
            assert_eq!(fs::read(at.join("again")).unwrap(), fs::read(at.join("again2")).unwrap());
        }
    }
}

#[test]
fn linear_models_go_on_only_with_what_they_were_trained_for() {
    let folder = folder(20);
    let at = folder.path();
    let train = "train --train train.conllu --iterations 1 --replicas 1";
    let run = |line: &str| stderr(treebeam(at, line).assert().success());
    run(&format!("{train} --training greedy --features stack --model m"));
    run(&format!("{train} --training greedy --features stack --learner sgd --model sgd"));
    run(&format!("{train} --scorer feed-forward --hidden 8 --model network"));
    run(&format!("{train} --system eisner --model graph").replace("--replicas 1", ""));
    let known = fs::read_to_string(at.join("train.conllu")).unwrap();
    fs::write(at.join("new.conllu"), known.replace("\tobj\t", "\tobject\t")).unwrap();
    fs::write(at.join("history.feat"), "S0.w\nS0.p B0.p\nA1 S0.p\n").unwrap();
    run(&format!("{train} --training greedy --features history.feat --model history"));
    for (options, expected) in [
        ("--features stack --system arc-standard --init m", "--init m: the model has another transition system"),
        ("--features eager-rich --init m", "--init m: the model has another set of features"),
        ("--features stack --word-column lemma --init m", "--init m: the model has another choice of columns"),
        (
            "--features stack --learner sgd --init m",
            "--init goes on from a network or from the weights of a perceptron",
        ),
        ("--features stack --learner perceptron --init sgd", "--init sgd: the weights of --learner sgd"),
        ("--features stack --init network", "network"),
        ("--features stack --init graph", "graph: this is the model of a graph-based parser"),
        ("--features stack --init none", "none: "),
        ("--features stack --init train.conllu", "train.conllu: not a treebeam model"),
        ("--scorer feed-forward --hidden 8 --init m", "m: "),
        ("--features history.feat --train new.conllu --init history", "features that read the last actions"),
    ] {
        let line = format!("{train} --training greedy {options} --model out");
        let line = if options.contains("--train ") { line.replacen("--train train.conllu ", "", 1) } else { line };
        let said = stderr(treebeam(at, &line).assert().code(2));
        assert!(said.contains(expected) && !at.join("out").exists(), "{options}: {said}");
    }
    run(&format!("{train} --training greedy --features history.feat --init history --model out"));
}
