//! Beams that merge, from the command line.

use crate::common::{generated, generated_non_projective, treebeam, write};

/// Runs the program in `folder`; what it wrote to standard error.
fn stderr(folder: &std::path::Path, line: &str, succeeds: bool) -> String {
    let output = treebeam(folder, line).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), succeeds, "{line}: {message}");
    message
}

/// The labelled attachment score on the development data after the last iteration.
fn las_of(log: &str) -> f64 {
    let (_, after) = log.rsplit_once("LAS ").unwrap();
    after.split_whitespace().next().unwrap().parse().unwrap()
}

const TRAIN: &str = "train --train train.conllu --dev test.conllu --replicas 1 --iterations 3 --model";

#[test]
fn merging_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated_non_projective(31, 60));
    write(at, "test.conllu", &generated(32, 12));
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    let stats = |name: &str| serde_json::from_str::<serde_json::Value>(&read(name)).unwrap();
    for (system, more) in [
        ("arc-standard", "--update early --features hs10"),
        ("arc-hybrid", "--oracle static --features minimal"),
        ("arc-eager", "--update max-violation"),
        ("arc-eager", "--roots several --features minimal --update early --batch 4 --threads 2"),
    ] {
        let log = stderr(at, &format!("{TRAIN} model --merge --system {system} {more}"), true);
        assert!(las_of(&log) > 30.0, "{system} {more}: {log}");
        // The model remembers.
        stderr(at, "parse --model model test.conllu -o merged.conllu --stats-json merged.json", true);
        stderr(at, "parse --model model test.conllu -o again.conllu --merge --threads 2", true);
        stderr(at, "parse --model model test.conllu -o plain.conllu --merge=false --stats-json plain.json", true);
        assert_eq!(read("merged.conllu"), read("again.conllu"));
        assert_eq!((&stats("merged.json")["merge"], &stats("plain.json")["merge"]), (&true.into(), &false.into()));
        for name in ["merged.json", "plain.json"] {
            let (words, n) = (stats(name)["tokens"].as_u64().unwrap(), stats(name)["configurations"].as_u64().unwrap());
            // A sentence of n words has 2n steps of up to 8 items.
            assert!(n > 2 * words && n <= 16 * words, "{name}: {n} configurations for {words} words");
        }
        stderr(at, "parse --model model test.conllu -o best.conllu --k-best 5", true);
        let best = read("best.conllu");
        let mut ranks = best.lines().filter_map(|line| line.strip_prefix("# rank = "));
        assert!(ranks.next() == Some("1") && best.contains("# rank = 5"), "{system}");
    }
}

#[test]
fn what_cannot_be_merged_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(33, 20));
    write(at, "test.conllu", &generated(34, 5));
    std::fs::write(at.join("my.feat"), "S0.w B0.w\n# history\nS0.p A1\n").unwrap();
    for (options, expected) in [
        ("--features my.feat", "my.feat:3: template `S0.p A1`, whose `A1` reads the last actions"),
        (
            "--system swap",
            "there are no beams that merge for swap, only for arc-standard, arc-hybrid and arc-eager; leave out --merge",
        ),
        ("--training greedy", "expected --training global"),
        ("--objective loss-augmented", "expected --objective perceptron"),
        ("--update laso", "expected another --update than laso"),
        ("--update restart --restart-from beam", "expected --restart-from best"),
        ("--features minimal --search exact", "leave out --merge or --search exact"),
        ("--system eisner", "--merge is for transition systems"),
    ] {
        let found = stderr(at, &format!("{TRAIN} model --merge {options}"), false);
        assert!(found.contains(expected), "{options}: {found}");
    }
    stderr(at, &format!("{TRAIN} model --beam 2 --features my.feat"), true);
    let found = stderr(at, "parse --model model test.conllu --merge", false);
    assert!(found.contains("my.feat:3: template `S0.p A1`"), "{found}");
    stderr(at, &format!("{TRAIN} model --beam 2 --features minimal"), true);
    for options in ["--margin 99", "--search exact"] {
        let found = stderr(at, &format!("parse --model model test.conllu --merge {options}"), false);
        assert!(found.contains("--merge"), "{options}: {found}");
    }
}

/// Memory and time are linear: a long sentence is no problem, nor are derivations as deep as it is long.
#[test]
fn long_and_short_sentences_are_parsed_by_beams_that_merge() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(35, 30));
    write(at, "test.conllu", &generated(36, 5));
    let line = |word: usize, text: &str| format!("{word}\t{text}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n");
    let long: String = (1..=5000).map(|word| line(word, ["a", "dog", "barks"][word * word % 7 % 3])).collect();
    let mut text = long + "\n";
    for n_words in [1, 2, 1] {
        text.extend((1..=n_words).map(|word| line(word, "x")));
        text.push('\n');
    }
    std::fs::write(at.join("odd.conllu"), text).unwrap();
    for system in ["arc-standard", "arc-hybrid", "arc-eager"] {
        stderr(at, &format!("{TRAIN} model --merge --features minimal --roots several --system {system}"), true);
        for k_best in [1, 3] {
            let parse = format!("parse --model model odd.conllu -o odd.out --k-best {k_best} --threads 2 --beam 8");
            stderr(at, &parse, true);
            let n_words =
                std::fs::read_to_string(at.join("odd.out")).unwrap().lines().filter(|l| l.contains("NOUN")).count();
            assert!(n_words >= 5004, "{system}: {n_words}");
        }
    }
}
