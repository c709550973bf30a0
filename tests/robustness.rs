//! What the program stands: closed streams, full disks, signals, outputs that would replace inputs, input that is malformed
//! or none at all. `make torture` does the same and more, at random and for longer.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{generated, root, treebeam, write};

const TRAIN: &str = "train --train train.conllu --iterations 1 --replicas 1 --beam 2 --features stack";

/// A folder with `train.conllu`, `dev.conllu` and a `model`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &generated(71, 30));
    write(folder.path(), "dev.conllu", &generated(72, 10));
    treebeam(folder.path(), &format!("{TRAIN} --model model")).assert().success();
    folder
}

fn start(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("treebeam"));
    command.current_dir(folder).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn temporary_files(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".treebeam-")).count()
}

#[test]
fn outputs_replace_neither_inputs_nor_each_other() {
    let folder = folder();
    let at = folder.path();
    std::os::unix::fs::symlink("train.conllu", at.join("link")).unwrap();
    let before: Vec<_> = ["train.conllu", "dev.conllu", "model"].map(|name| fs::read(at.join(name)).unwrap()).into();
    for line in [
        "train --train train.conllu --model train.conllu",
        "train --train train.conllu --model link",
        "train --train train.conllu --dev dev.conllu --model dev.conllu",
        "train --train train.conllu --model m --stats-json m",
        "train --train train.conllu --model m --stats-json m.checkpoint",
        "parse --model model dev.conllu -o model",
        "parse --model model dev.conllu -o dev.conllu",
        "parse --model model dev.conllu -o out --stats-json out",
        "parse --model model dev.conllu --stats-json -",
        "treebank split train.conllu --parts 1,1 -o s -o ./s",
        "treebank split train.conllu --parts 1,1 -o s -o train.conllu",
        "model freeze model -o model",
        "draw dev.conllu -o dev.conllu",
    ] {
        let assert = treebeam(at, line).assert().code(2);
        assert!(stderr(&assert).contains("this output would replace"), "{line}: {}", stderr(&assert));
    }
    let after: Vec<_> = ["train.conllu", "dev.conllu", "model"].map(|name| fs::read(at.join(name)).unwrap()).into();
    assert!(before == after && !at.join("s").exists() && !at.join("m").exists());
    treebeam(at, "treebank convert --fix train.conllu -o train.conllu").assert().success();
}

#[test]
fn nobody_has_to_listen() {
    let folder = folder();
    let at = folder.path();
    // Training whose standard error is closed after a line.
    let mut training = start(at, &format!("{TRAIN} --model heard")).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = training.stderr.take().unwrap();
    said.read_exact(&mut [0; 1]).unwrap();
    drop(said);
    assert!(training.wait().unwrap().success());
    assert!(fs::read(at.join("heard")).unwrap() == fs::read(at.join("model")).unwrap());
    // A list of problems of which nobody reads the end, and a verdict all the same.
    fs::write(at.join("bad.conllu"), "1\ta\t_\tX\t_\t_\t7\tx\t_\t_\n\n".repeat(20_000)).unwrap();
    for line in ["treebank check --most 100000 bad.conllu", "treebank check --json --most 100000 bad.conllu"] {
        let mut check = start(at, line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(check.stdout.take());
        assert_eq!(check.wait().unwrap().code(), Some(2), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_not_there_is_an_error() {
    let folder = folder();
    let program = assert_cmd::cargo::cargo_bin!("treebeam");
    let run = |line: &str, closed: &str| {
        let line = format!("exec \"$0\" {line} {closed}");
        std::process::Command::new("sh").args(["-c", &line]).arg(program).current_dir(folder.path()).output().unwrap()
    };
    for line in ["parse --model model dev.conllu", "treebank convert dev.conllu", "features list", "model info model"] {
        for closed in [">&-", ">&- <&-"] {
            let output = run(line, closed);
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(
                output.status.code() == Some(2) && message.contains("standard output is closed"),
                "{line} {closed}: {message}"
            );
        }
    }
    // Those that write nothing there need none.
    assert!(run("parse --model model dev.conllu -o unheard", ">&-").status.success());
    assert!(run("parse --model model dev.conllu -o heard", "").status.success());
    assert!(fs::read(folder.path().join("unheard")).unwrap() == fs::read(folder.path().join("heard")).unwrap());
}

#[test]
fn nothing_in_nothing_out() {
    let folder = folder();
    for line in ["parse --model model", "treebank convert -"] {
        treebeam(folder.path(), line).write_stdin("").assert().success().stdout("");
    }
}

#[test]
fn the_rest_is_parsed_on_request() {
    let folder = folder();
    let at = folder.path();
    let whole = fs::read_to_string(at.join("dev.conllu")).unwrap();
    let (first, rest) = whole.split_once("\n\n").unwrap();
    fs::write(at.join("torn.conllu"), format!("{first}\n\n1\tbroken\n\n{rest}1\tto")).unwrap();
    treebeam(at, "parse --model model dev.conllu -o whole").assert().success();
    let assert = treebeam(at, "parse --model model torn.conllu -o torn").assert().code(2);
    assert!(stderr(&assert).contains("--keep-going") && !at.join("torn").exists());
    let assert = treebeam(at, "parse --keep-going --model model torn.conllu -o torn").assert().code(1);
    assert!(stderr(&assert).contains("2 sentences were left out, 10 were parsed"), "{}", stderr(&assert));
    assert!(fs::read(at.join("torn")).unwrap() == fs::read(at.join("whole")).unwrap());
    let line = "train --train torn.conllu --iterations 1 --replicas 1 --model m";
    treebeam(at, line).assert().code(2);
    let assert = treebeam(at, &format!("{line} --skip-invalid")).assert().success();
    assert!(stderr(&assert).contains("2 invalid sentences are left out, 10 are kept"), "{}", stderr(&assert));
}

/// True if this process ignores a signal, where the system says so: the processes that it starts do, too.
fn is_ignored(signal: u8) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
fn signals_leave_nothing_behind() {
    let folder = folder();
    let at = folder.path();
    let many: String = fs::read_to_string(at.join("dev.conllu")).unwrap().repeat(3000);
    fs::write(at.join("many.conllu"), many).unwrap();
    for (name, number) in [("INT", 2_u8), ("TERM", 15), ("HUP", 1), ("QUIT", 3), ("ALRM", 14), ("VTALRM", 26)] {
        if is_ignored(number) {
            println!(
                "skipped: SIG{name} is ignored here, as what runs in the background often does, and so by what is started"
            );
            continue;
        }
        let line = "parse --model model --beam 64 many.conllu -o out";
        let mut parsing = start(at, line).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while temporary_files(at) == 0 && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = Command::new("kill").args([format!("-{name}"), parsing.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let mut said = String::new();
        parsing.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = parsing.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(128 + i32::from(number)), None), "{said}");
        assert!(said.contains(&format!("stopped by SIG{name}")), "{said}");
        assert_eq!((temporary_files(at), at.join("out").exists()), (0, false));
    }
}

#[test]
fn a_full_disk_is_an_error_and_a_lost_checkpoint_is_not() {
    let folder = folder();
    let at = folder.path();
    for line in ["parse --model model dev.conllu -o /dev/full", "treebank convert dev.conllu -o /dev/full"] {
        let assert = treebeam(at, line).assert().code(2);
        assert!(stderr(&assert).contains("/dev/full: "), "{}", stderr(&assert));
    }
    fs::create_dir(at.join("m.checkpoint")).unwrap();
    let line = format!("{TRAIN} --model m --checkpoint-seconds 0");
    let assert = treebeam(at, &line).assert().success();
    assert!(stderr(&assert).contains("training goes on") && at.join("m").is_file(), "{}", stderr(&assert));
}

#[test]
fn numbers_have_ranges_that_errors_name() {
    let folder = folder();
    for (line, range) in [
        ("train --train train.conllu --model m --checkpoint-seconds inf", "from 0 to 1,000,000,000"),
        ("train --train train.conllu --model m --checkpoint-seconds nan", "from 0 to 1,000,000,000"),
        ("train --train train.conllu --model m --checkpoint-seconds=-1", "from 0 to 1,000,000,000"),
        ("train --train train.conllu --model m --threads 0", "from 1 to 1,024"),
        ("train --train train.conllu --model m --threads 1000000000", "from 1 to 1,024"),
        ("train --train train.conllu --model m --replicas 99999999", "--replicas"),
        ("parse --model model --threads 0 dev.conllu", "from 1 to 1,024"),
        ("parse --model model --beam 0 dev.conllu", "from 1 to 1,048,576"),
        ("parse --model model --k-best 99999999999 dev.conllu", "from 1 to 1,048,576"),
    ] {
        let assert = treebeam(folder.path(), line).assert().code(2);
        assert!(stderr(&assert).contains(range), "{line}: {}", stderr(&assert));
    }
}

#[test]
fn train_says_what_it_found_and_takes_it_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let word = |id: u8, head: u8| format!("{id}\tw{id}\t_\t_\tN\t_\t{head}\tx\t_\t_\n");
    let text = [[0, 0, 2, 3], [3, 4, 0, 3]]
        .map(|heads| (1..=4).zip(heads).map(|(id, head)| word(id, head)).collect::<String>() + "\n");
    fs::write(at.join("t.conllx"), text.concat().repeat(5)).unwrap();
    let line = "train --train t.conllx --dev t.conllx --model m --iterations 1 --replicas 1";
    let assert = treebeam(at, line).assert().success();
    for expected in [
        "10 sentences, 40 words",
        "5 sentences with several roots (50.0 %)",
        "empty in most words: LEMMA, CPOSTAG, FEATS",
        "warning: t.conllx: CPOSTAG is empty in 100 % of the words",
        "recommended: --roots several",
        "recommended: --tag-column xpos",
        "recommended: --nonprojective lift",
        "is what is trained on",
    ] {
        assert!(stderr(&assert).contains(expected), "{expected}: {}", stderr(&assert));
    }
    let auto = treebeam(at, &format!("{line} --auto")).assert().success();
    assert!(stderr(&auto).contains("taken over: --roots several"), "{}", stderr(&auto));
    let [by_auto, by_hand] = ["", "--roots several --tag-column xpos --nonprojective lift"].map(|options| {
        let auto = if options.is_empty() { "--auto" } else { options };
        treebeam(at, &format!("{line} {auto}")).assert().success();
        fs::read(at.join("m")).unwrap()
    });
    assert!(by_auto == by_hand);
    let quiet = treebeam(at, &format!("{line} --quiet --auto")).assert().success();
    assert!(stderr(&quiet).lines().all(|line| line.starts_with("warning: ")), "{}", stderr(&quiet));
    let parsed = treebeam(at, "parse --model m t.conllx").assert().success();
    assert!(!stderr(&parsed).contains("warning"), "{}", stderr(&parsed));
    treebeam(at, &format!("{line} --tag-column upos")).assert().success();
    let parsed = treebeam(at, "parse --model m t.conllx").assert().success();
    assert!(stderr(&parsed).contains("warning: t.conllx: CPOSTAG is empty"), "{}", stderr(&parsed));
}

/// A sentence of so many words, each the dependent of the one before.
fn chain(n_words: usize) -> String {
    let line = |i: usize| {
        let label = if i == 1 { "root" } else { "dep" };
        format!("{i}\tw{}\t_\tNOUN\t_\t_\t{}\t{label}\t_\t_\n", i % 7, i - 1)
    };
    (1..=n_words).map(line).collect::<String>() + "\n"
}

/// Long sentences are refused, with advice, if time and memory are quadratic in the words, and else parsed.
#[test]
fn sentences_that_would_take_all_memory_are_refused() {
    let folder = folder();
    let at = folder.path();
    write(at, "long.conllu", &generated(73, 5));
    let text = fs::read_to_string(at.join("long.conllu")).unwrap() + &chain(1025);
    fs::write(at.join("long.conllu"), text).unwrap();
    for system in ["covington", "easy-first", "2-planar"] {
        treebeam(
            at,
            &format!("train --train train.conllu --system {system} --iterations 1 --replicas 1 --quiet --model q"),
        )
        .assert()
        .success();
        let message = stderr(&treebeam(at, "parse --model q long.conllu -o out").assert().code(2));
        let expected = format!("at most 1024 for {system}, whose derivations may be as long as the square of that");
        assert!(
            message.contains("long.conllu:") && message.contains(&expected) && message.contains("--cut 1000"),
            "{message}"
        );
        let message = stderr(&treebeam(at, "parse --keep-going --model q long.conllu -o out").assert().code(1));
        assert!(
            message.contains(&expected) && fs::read_to_string(at.join("out")).unwrap().contains("\n\n"),
            "{message}"
        );
    }
    for (line, what) in [
        ("train --train long.conllu --system swap --iterations 1 --model q", "whose oracle may take"),
        ("oracle coverage --system arc-standard long.conllu", "whose oracle may take"),
        ("oracle show --system attardi --sentence 6 long.conllu", "whose oracle may take"),
    ] {
        let message = stderr(&treebeam(at, line).assert().code(2));
        assert!(message.contains(what) && message.contains("convert --cut"), "{line}: {message}");
    }
    fs::write(at.join("longer.conllu"), chain(2001)).unwrap();
    let message = stderr(&treebeam(at, "draw longer.conllu --format text -o q.txt").assert().code(2));
    assert!(message.contains("longer.conllu:1:") && message.contains("at most 2000 to be drawn"), "{message}");
    for line in ["parse --model model long.conllu -o out", "oracle coverage --system arc-hybrid long.conllu"] {
        treebeam(at, line).assert().success();
    }
}

#[test]
fn training_that_diverges_says_so() {
    let folder = folder();
    let at = folder.path();
    for line in [
        "--training greedy --learner adagrad --rate 1000000",
        "--training l2s --learner sgd --rate 1000000",
        "--training global --learner adagrad --objective perceptron --rate 3000",
        "--training global --learner sgd --objective perceptron --rate 1000000",
        "--training global --learner adagrad --objective loss-augmented --rate 3000 --system swap",
        "--training global --learner adagrad --objective perceptron --rate 100000 --system easy-first",
        "--training global --learner sgd --objective crf --rate 100000 --system arc-hybrid --threads 2",
        "--training global --learner sgd --objective crf --rate 100000",
        "--training global --learner ftrl --objective perceptron --rate 100000 --merge --system arc-standard",
        "--training greedy --scorer feed-forward --hidden 8 --activation cube --learner momentum --rate 100",
    ] {
        let line = format!(
            "train --train train.conllu --dev train.conllu --iterations 3 --replicas 1 --quiet --model wild {line}"
        );
        let output = treebeam(at, &line).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        // What does not diverge makes a model that can be read.
        match output.status.code() {
            Some(0) => {
                treebeam(at, "model info wild").assert().success();
                fs::remove_file(at.join("wild")).unwrap();
            }
            code => {
                assert_eq!(code, Some(2), "{line}: {message}");
                assert!(
                    message.contains("training has diverged in iteration ") && message.contains("--rate"),
                    "{line}: {message}"
                );
                assert!(!at.join("wild").exists(), "{line}");
            }
        }
    }
    let line = "train --train train.conllu --iterations 2 --replicas 1 --quiet --model wild --training greedy --learner adagrad \
                --rate 1000000";
    let message = stderr(&treebeam(at, line).assert().code(2));
    assert!(message.contains("training has diverged in iteration 1"), "{message}");
}

#[test]
fn gold_labels_that_were_not_seen_in_training_can_be_traced() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("one.conllu"), "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n").unwrap();
    for system in ["swap", "covington", "covington-nonmonotonic", "2-planar", "arc-eager", "easy-first"] {
        let line = format!("train --train one.conllu --model {system} --system {system} --iterations 1 --replicas 1");
        treebeam(at, &line).assert().success();
        treebeam(at, &format!("trace {system} dev.conllu -o {system}.html")).assert().success();
    }
}

#[test]
fn places_that_a_system_does_not_have_are_not_all_that_a_network_reads() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("m0.feat"), "network\nM0\n").unwrap();
    let line = |system: &str| {
        format!(
            "train --train train.conllu --model m --scorer feed-forward --training greedy --iterations 1 --places m0.feat --system {system}"
        )
    };
    let message = stderr(&treebeam(at, &line("arc-eager")).assert().code(2));
    assert!(message.contains("m0.feat: no place whose word is read by arc-eager"), "{message}");
    treebeam(at, &line("covington")).assert().success();
    treebeam(at, "parse --model m dev.conllu -o out").assert().success();
}

#[test]
fn names_that_promise_another_format_are_warned_of() {
    let folder = folder();
    let at = folder.path();
    for line in [
        "treebank generate --sentences 3 -o out.conllx",
        "treebank split dev.conllu --parts 1 -o part.conll",
        "parse --model model dev.conllu -o parsed.conllx",
    ] {
        let message = stderr(&treebeam(at, line).assert().success());
        assert!(message.contains("what is written is CoNLL-U, though the name says CoNLL-X"), "{line}: {message}");
    }
}

#[test]
fn a_report_replaces_nothing_but_reports() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir_all(at.join("results/x")).unwrap();
    fs::write(at.join("results/x/records.jsonl"), "{}\n").unwrap();
    fs::write(at.join("mine.md"), "mine\n").unwrap();
    for (line, what) in [
        ("report --results results -o results/x/records.jsonl", "would replace an input"),
        ("report --results results --index results/x/records.jsonl", "would replace an input"),
        ("report --results results -o a.html --index a.html", "would replace another output"),
        ("report --results results --index results/report.html", "would replace another output"),
        ("report --results results --index mine.md", "mine.md: not written by this command"),
    ] {
        let message = stderr(&treebeam(at, line).assert().code(2));
        assert!(message.contains(what), "{line}: {message}");
    }
    assert_eq!(fs::read_to_string(at.join("mine.md")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(at.join("results/x/records.jsonl")).unwrap(), "{}\n");
}

#[test]
fn warnings_are_true_of_the_parser_that_is_trained() {
    let folder = folder();
    let at = folder.path();
    treebeam(at, "treebank generate --non-projective --sentences 80 --seed 5 -o crossing.conllu").assert().success();
    let train = |options: &str| {
        let line = format!("train --train crossing.conllu --iterations 1 --replicas 1 --quiet --model q {options}");
        stderr(&treebeam(at, &line).assert().success())
    };
    assert!(train("--system arc-hybrid").contains("makes projective trees only"));
    for options in ["--system covington", "--system attardi", "--system 2-planar", "--nonprojective lift"] {
        assert!(!train(options).contains("projective trees only"), "{options}");
    }
    assert!(!train("--system swap").contains("not projective"));
    assert!(!train("--scorer feed-forward --hidden 4").contains("note:"), "quiet");
    let many: String = (0..1001).map(|i| format!("1\ta\t_\tX\t_\t_\t0\tl{i}\t_\t_\n\n")).collect();
    fs::write(at.join("labels.conllu"), many).unwrap();
    let line = "train --train labels.conllu --iterations 1 --replicas 1 --beam 1 --features minimal --quiet --model q";
    let message = stderr(&treebeam(at, line).assert().success());
    assert!(message.contains("labels.conllu: there are 1001 labels"), "{message}");
}

#[test]
fn levels_are_checked_and_reported_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let block = "# sent_id = a\n# text = b\n1\tb\t_\tNOM\t_\tx\t0\tnone\t_\t_\n\n";
    fs::write(at.join("t.conllu"), block.repeat(2)).unwrap();
    treebeam(at, "treebank check t.conllu").assert().success();
    treebeam(at, "treebank check --level 1 t.conllu").assert().success();
    let assert = treebeam(at, "treebank check --level 2 --json --most 1 t.conllu").assert().code(2);
    let report: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((&report["sentences"], &report["n_problems"]), (&2.into(), &7.into()));
    let rules: Vec<&str> =
        report["problems"].as_array().unwrap().iter().map(|problem| problem["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["upos", "feats", "label", "sentence-id"]);
    assert_eq!(report["more"], serde_json::json!({"upos": 1, "feats": 1, "label": 1}));
}

#[test]
fn other_formats_are_recognised_and_columns_converted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (text, expected) in [
        ("<?xml version=\"1.0\"?>\n<s>\n", "what seems to be XML"),
        ("The cat sat on the mat .\n", "running text"),
        ("The\tDET\ncat\tNOUN\n", "convert --from columns --columns form,upos"),
    ] {
        fs::write(at.join("t.conllu"), text).unwrap();
        let assert = treebeam(at, "treebank stats t.conllu").assert().code(2);
        assert!(stderr(&assert).contains(expected), "{expected}: {}", stderr(&assert));
        // No sentence would be left to train on.
        let assert = treebeam(at, "train --train t.conllu --model m").assert().code(2);
        assert!(
            stderr(&assert).contains(expected) && !stderr(&assert).contains("--skip-invalid"),
            "{}",
            stderr(&assert)
        );
    }
    treebeam(at, "treebank convert --from columns --columns form,upos t.conllu -o c.conllu").assert().success();
    treebeam(at, "treebank check --unannotated c.conllu").assert().success();
    let assert = treebeam(at, "treebank convert --from columns --columns form t.conllu -o c.conllu").assert().success();
    assert!(stderr(&assert).contains("t.conllu:1: 2 columns, of which --columns names 1"), "{}", stderr(&assert));
    let several = "1\ta\t_\tX\t_\t_\t0\tx\t_\t_\n2\tb\t_\tX\t_\t_\t0\tx\t_\t_\n\n";
    fs::write(at.join("several.conllx"), several).unwrap();
    let assert = treebeam(at, "treebank convert several.conllx -o several.conllu").assert().success();
    assert!(stderr(&assert).contains("1 sentences have several roots"), "{}", stderr(&assert));
}

/// A file of each format that an earlier version wrote: none is taken for what it is not, and each message says what to do.
#[test]
fn files_of_earlier_versions_are_refused_by_name() {
    let folder = folder();
    let at = folder.path();
    let files = root().join("tests/files");
    let run = |name: &str| {
        let path = files.join(name);
        let model = path.to_str().unwrap();
        let parsing = treebeam(at, "parse dev.conllu").args(["--model", model]).assert().code(2);
        stderr(&parsing)
    };
    assert!(run("model-3.model").contains("model-3.model: format 3, but this program reads format 4"));
    assert!(run("graph-3.model.gz").contains("graph-3.model.gz: format 3, but this program reads format 4"));
    let mut unpacked = Vec::new();
    treebeam::files::open(&files.join("checkpoint-4.gz")).unwrap().read_to_end(&mut unpacked).unwrap();
    fs::write(at.join("m.checkpoint"), unpacked).unwrap();
    let resuming = treebeam(at, &format!("{TRAIN} --model m --resume")).assert().code(2);
    assert!(
        stderr(&resuming).contains("m.checkpoint: format 4, but this program reads format 7"),
        "{}",
        stderr(&resuming)
    );
    assert!(
        stderr(&resuming).contains("; without --resume training starts from the beginning"),
        "{}",
        stderr(&resuming)
    );
}

/// Standard input can be read only once.
#[test]
fn standard_input_is_named_once() {
    let folder = folder();
    for line in [
        "train --train - --dev - --model m",
        "train --train - --vectors - --scorer feed-forward --training greedy --model m",
        "train --train - --init - --scorer feed-forward --training greedy --model m",
        "parse --model - -",
        "trace - -",
        "model freeze - --test - -o m",
        "eval - -",
        "draw - -",
        "treebank check - -",
        "treebank stats - -",
        "oracle coverage --system swap - -",
        "oracle bounds - -",
    ] {
        let assert = treebeam(folder.path(), line).assert().code(2);
        assert!(stderr(&assert).contains("only one of the files can be standard input"), "{line}: {}", stderr(&assert));
    }
}

/// However wrong a number is, the error says which there may be.
#[test]
fn errors_about_numbers_name_the_range() {
    let folder = folder();
    let at = folder.path();
    let options = [
        ("parse --model model dev.conllu", "--beam", "from 1 to 1,048,576"),
        ("parse --model model dev.conllu", "--threads", "from 1 to 1,024"),
        ("train --train train.conllu --model m", "--beam", "from 1 to 4,096"),
        ("train --train train.conllu --model m", "--threads", "from 1 to 1,024"),
        ("train --train train.conllu --model m", "--batch", "from 1 to 1,048,576"),
        ("eval dev.conllu dev.conllu", "--samples", "from 1 to 10,000,000"),
        ("treebank check dev.conllu", "--most", "from 1 to 1,000,000"),
        ("treebank convert dev.conllu", "--cut", "from 1 to 65,533"),
        ("treebank generate", "--sentences", "from 1 to 1,000,000,000"),
        ("oracle verify --system swap", "--max-words", "from 1 to 7"),
        ("oracle bounds dev.conllu", "--transitions", "from 1 to 1,000,000,000"),
        ("oracle bounds dev.conllu", "--max-configurations", "from 1 to 1,000,000,000"),
        ("experiment plan none.toml", "--jobs", "from 1 to 1,024"),
        ("experiment run none.toml", "--checkpoint-seconds", "from 0 to 1,000,000,000"),
    ];
    for (line, option, range) in options {
        for number in ["-1", "x", "1e99", "99999999999999999999", "nan"] {
            let assert = treebeam(at, &format!("{line} {option}={number}")).assert().code(2);
            assert!(stderr(&assert).contains(range) && stderr(&assert).contains(option), "{line}: {}", stderr(&assert));
        }
    }
    let assert = treebeam(at, "features show --system arc-eager dev.conllu --step 9999").assert().code(2);
    assert!(stderr(&assert).contains("expected a step from 0 to"), "{}", stderr(&assert));
}

/// Options that would change nothing are refused.
#[test]
fn options_without_what_they_are_about_are_errors() {
    let folder = folder();
    treebeam(folder.path(), "model freeze model -o frozen --beam 4").assert().code(2);
    treebeam(folder.path(), "model freeze model -o frozen --beam 4 --test dev.conllu").assert().success();
    for option in ["--step 3", "--sentence 3", "--word-column lemma", "--tag-column xpos"] {
        treebeam(folder.path(), &format!("features show {option}")).assert().code(2);
        treebeam(folder.path(), &format!("features show dev.conllu {option}")).assert().success();
    }
    treebeam(folder.path(), "features show").assert().success();
}

/// A stack as small as some systems give the first thread is enough, as is a gold tree of another kind than the parser's.
#[test]
#[cfg(target_os = "linux")]
fn small_stacks_are_enough() {
    let folder = folder();
    let tree = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n";
    fs::write(folder.path().join("several.conllu"), tree).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("treebeam");
    for line in ["parse --model model dev.conllu -o out", "model freeze model -o frozen --test several.conllu"] {
        let limited = format!("ulimit -s 64; exec '{}' {line}", program.display());
        let output = Command::new("sh").args(["-c", &limited]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Exhausted memory, which clusters and containers limit, is an error, and outputs that were begun are gone.
#[test]
#[cfg(target_os = "linux")]
fn memory_may_run_out() {
    let folder = folder();
    let program = assert_cmd::cargo::cargo_bin!("treebeam");
    write(folder.path(), "large.conllu", &generated(73, 1000));
    for (limit, line) in [
        (150_000, "parse --model model --beam 200000 dev.conllu -o out"),
        (150_000, "trace model dev.conllu --beam 200000 -o out"),
        // Of many small pieces, so that there is not even room for a message to be put together.
        (80_000, "train --train large.conllu --threads 1 --model out"),
    ] {
        let limited = format!("ulimit -v {limit}; exec '{}' {line}", program.display());
        let output = Command::new("sh").args(["-c", &limited]).current_dir(folder.path()).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.status.signal()), (Some(2), None), "{line}: {message}");
        assert!(message.contains("error: memory ran out; expected"), "{line}: {message}");
        assert!(!folder.path().join("out").exists() && temporary_files(folder.path()) == 0, "{line}");
    }
}

/// Control characters in files and their names reach the terminal on neither stream; JSON has its own escapes for them.
#[test]
#[cfg(unix)]
fn nothing_that_is_read_commands_a_terminal() {
    let folder = folder();
    let at = folder.path();
    let name = "x\u{1b}]0;y\u{7}\u{9b}2J\u{7f}.conllu";
    fs::copy(at.join("dev.conllu"), at.join(name)).unwrap();
    fs::write(at.join("bad\u{1b}[2J.conllu"), "1\ta\n\n").unwrap();
    let dev = fs::read_to_string(at.join("dev.conllu")).unwrap();
    let label = "\tro\u{1b}[2Jot\u{9b}\t";
    fs::write(at.join("labels.conllu"), dev.replace("\troot\t", label)).unwrap();
    let about = "about\u{1b}[2J\u{9b}";
    let run = |arguments: &[&str]| {
        let output = treebeam(at, "").args(arguments).output().unwrap();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            let is_harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
            assert!(text.chars().all(is_harmless), "{arguments:?}: {text:?}");
        }
        output
    };
    let trained = run(&["train", "--train", name, "--model", "trained", "--iterations", "1", "--about", about]);
    assert!(trained.status.success());
    assert!(String::from_utf8_lossy(&run(&["model", "info", "trained"]).stdout).contains("about\\u001b[2J\\u009b"));
    let of_json = |output: &std::process::Output| serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    let info = of_json(&run(&["model", "info", "--json", "trained"]));
    assert!(info.to_string().contains(&serde_json::Value::from(about).to_string()), "{info}");
    let report = of_json(&run(&["eval", name, "labels.conllu", "--json", "--samples", "9"]));
    assert_eq!(report["gold"], name);
    for arguments in [
        &["eval", name, "labels.conllu", "--samples", "9", "--by", "label,label-confusion"][..],
        &["eval", name, "bad\u{1b}[2J.conllu"],
        &["treebank", "stats", name],
        &["treebank", "stats", "--json", name],
        &["treebank", "check", "--level", "2", "labels.conllu", name],
        &["treebank", "check", "--level", "2", "--json", "labels.conllu", name],
        &["oracle", "coverage", "--system", "arc-hybrid", name],
        &["oracle", "show", name],
        &["features", "show", name],
        &["model", "freeze", "trained", "--output", "frozen", "--test", name],
        &["draw", "labels.conllu", "--format", "text"],
        &["parse", "--model", "trained\u{1b}[2J", name],
        &["parse", "--no\u{1b}[2J"],
        &["train", "--beam", "\u{1b}[2J"],
        &["experiment", "plan", "\u{1b}[2J.toml"],
    ] {
        run(arguments);
    }
}
