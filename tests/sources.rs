//! Several treebanks in one training, with names and without.

use std::fs;
use std::path::Path;

use crate::common::{generated, treebeam, write};

fn refusal(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().code(2);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn output(folder: &Path, line: &str) -> (String, String) {
    let assert = treebeam(folder, line).assert().success();
    let of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (of(&assert.get_output().stdout), of(&assert.get_output().stderr))
}

/// Two treebanks of the same sentences that call subjects by two names, and other sentences to parse.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.conllu", &generated(71, 120));
    let text = fs::read_to_string(folder.path().join("a.conllu")).unwrap();
    assert!(text.contains("\tnsubj\t"));
    fs::write(folder.path().join("b.conllu"), text.replace("\tnsubj\t", "\tsubject\t")).unwrap();
    write(folder.path(), "test.conllu", &generated(72, 20));
    folder
}

/// Words with either label for subjects, in parsed text.
fn subjects(text: &str) -> [usize; 2] {
    ["\tnsubj\t", "\tsubject\t"].map(|label| text.matches(label).count())
}

/// Linear models and a feed-forward network label as the named treebank does, or as the first.
#[test]
fn the_source_of_the_input_decides_what_trees_are_like() {
    let folder = folder();
    let train = "train --train a=a.conllu --train b=b.conllu --dev b=b.conllu --model";
    for (model, options) in [
        ("linear.model", "--iterations 4 --replicas 1"),
        ("feed-forward.model", "--scorer feed-forward --hidden 32 --iterations 20"),
        ("greedy.model", "--training greedy --iterations 4"),
    ] {
        let (_, log) = output(folder.path(), &format!("{train} {model} {options}"));
        assert!(log.contains("a.conllu + b.conllu: 240 sentences"), "{log}");
        assert!(log.contains("sources: a, b; the first"), "{log}");
        let (default, log) = output(folder.path(), &format!("parse --model {model} test.conllu"));
        assert!(log.contains("trained on a, b, and takes the input for one like `a`"), "{log}");
        let (a, log) = output(folder.path(), &format!("parse --model {model} --source a test.conllu"));
        assert!(!log.contains("takes the input"), "{log}");
        assert_eq!(a, default);
        let (b, _) = output(folder.path(), &format!("parse --model {model} --source b test.conllu"));
        let ([of_a, wrong_a], [wrong_b, of_b]) = (subjects(&a), subjects(&b));
        assert!(of_a > 4 * wrong_a && of_b > 4 * wrong_b, "{model}: {:?} {:?}", subjects(&a), subjects(&b));
    }
    let (info, _) = output(folder.path(), "model info linear.model --json");
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["header"]["sources"], serde_json::json!(["a", "b"]));
    assert_eq!(info["header"]["features"], "zn11+source");
    // A tagger before it may know nothing of sources.
    output(folder.path(), "train --system tagger --train a.conllu --model tags.model --iterations 2");
    output(folder.path(), "parse --model tags.model --model linear.model --source b test.conllu");
    let tagger = "train --system tagger --train a=a.conllu --train b=b.conllu --model both.model --iterations 2";
    output(folder.path(), tagger);
    output(folder.path(), "parse --model both.model --model linear.model --source b test.conllu");
}

#[test]
fn treebanks_without_names_are_one() {
    let folder = folder();
    let text = ["a", "b"].map(|name| fs::read_to_string(folder.path().join(format!("{name}.conllu"))).unwrap());
    fs::write(folder.path().join("ab.conllu"), text.concat()).unwrap();
    output(folder.path(), "train --train a.conllu --train b.conllu --model two.model --iterations 2");
    output(folder.path(), "train --train ab.conllu --model one.model --iterations 2");
    let [two, one] = ["two", "one"].map(|name| output(folder.path(), &format!("parse {name}.model test.conllu")).0);
    assert_eq!(two, one);
    // A file may have a name that looks like one with a name.
    fs::rename(folder.path().join("ab.conllu"), folder.path().join("x=y.conllu")).unwrap();
    let (_, log) = output(folder.path(), "train --train x=y.conllu --model one.model --iterations 1");
    assert!(!log.contains("sources:"), "{log}");
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let folder = folder();
    fs::write(folder.path().join("mine.feat"), "source S0.p\nS0.w\n").unwrap();
    for (line, expected) in [
        ("train --train a=a.conllu --train b.conllu", "b.conllu has no name, unlike the first"),
        ("train --train a.conllu --train b=b.conllu", "b.conllu has a name, unlike the first"),
        ("train --train a=a.conllu --dev c=b.conllu", "--dev: found the treebank `c`; expected one of training's: a"),
        (
            "train --train a.conllu --dev c=b.conllu",
            "--dev: found the treebank `c`, but those of training have no names",
        ),
        ("train --train a=a.conllu --train b=none.conllu", "none.conllu"),
        ("train --system mst --train a=a.conllu", "graph-based parsers do not read the source"),
        ("train --features mine.feat --train a.conllu", "--features mine.feat: a template reads the source"),
    ] {
        let message = refusal(folder.path(), &format!("{line} --model m.model --iterations 1"));
        assert!(message.contains(expected), "{line}: {message}");
    }
    let (_, log) = output(
        folder.path(),
        "train --features zn11 --train a=a.conllu --train b=b.conllu --model m.model --iterations 1",
    );
    assert!(log.contains("no template reads the source of sentences") && log.contains("zn11+source"), "{log}");
    let message = refusal(folder.path(), "parse --model m.model --source c test.conllu");
    assert!(message.contains("--source: found the treebank `c`; expected one of training's: a, b"), "{message}");
    let message = refusal(folder.path(), "parse --model m.model --source a|b test.conllu");
    assert!(message.contains("expected a name of at most 24"), "{message}");
    output(folder.path(), "train --train a.conllu --model plain.model --iterations 1");
    let message = refusal(folder.path(), "parse --model plain.model --source a test.conllu");
    assert!(message.contains("those of training have no names"), "{message}");
}
