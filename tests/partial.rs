//! Partial trees from outside: what `parse` keeps, what `train` learns.

use std::fs;
use std::path::Path;

use treebeam::treebank::{Column, Format, Sentence};

use crate::common::{generated, generated_non_projective, treebeam, write};

/// Standard error of the program, which is run with these arguments and ends with this code.
#[track_caller]
fn says(folder: &Path, line: &str, code: i32) -> String {
    let output = treebeam(folder, line).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    said
}

/// The sentences, every `nth` word of which alone has its head and its label.
fn every(nth: u16, sentences: &[Sentence]) -> Vec<Sentence> {
    let columns =
        [Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats, Column::Head, Column::Deprel];
    let of = |sentence: &Sentence| {
        let word = |word: u16| {
            let is_open = |column| matches!(column, Column::Head | Column::Deprel) && !word.is_multiple_of(nth);
            columns.map(|column| (column, if is_open(column) { "_" } else { sentence.column(word, column) }))
        };
        Sentence::from_columns("partial", Format::Conllu, sentence.words().map(word)).unwrap()
    };
    sentences.iter().map(of).collect()
}

/// Checks that the parsed file has every head and label of the given one.
#[track_caller]
fn assert_kept(folder: &Path, given: &str, parsed: &str) {
    let [given, parsed] = [given, parsed].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(given.lines().count(), parsed.lines().count());
    let mut n = 0;
    for (given, parsed) in given.lines().zip(parsed.lines()).filter(|(given, _)| given.contains('\t')) {
        let (given, parsed): (Vec<&str>, Vec<&str>) = (given.split('\t').collect(), parsed.split('\t').collect());
        for column in [6, 7] {
            assert!(parsed[column] != "_" && (given[column] == "_" || given[column] == parsed[column]), "{given:?}");
            n += usize::from(given[column] != "_");
        }
    }
    assert!(n > 100, "{n}");
    says(folder, "treebank check parsed.conllu", 0);
}

#[test]
fn every_kind_of_model_keeps_what_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentences = generated(401, 120);
    write(at, "train.conllu", &sentences);
    write(at, "given.conllu", &every(3, &sentences[60..]));
    for (training, parsing) in [
        ("--system arc-hybrid --features minimal --search exact --iterations 2", ""),
        ("--system arc-hybrid --beam 4 --merge --features buffer --iterations 1", ""),
        ("--system arc-eager --scorer bilstm --training greedy --word-units 8 --iterations 1", "--beam 4"),
        ("--system arc-standard --scorer feed-forward --training greedy --iterations 1", ""),
        ("--system swap --training greedy --iterations 1", "--beam 8 --threads 2"),
        ("--system mst --iterations 1", ""),
        ("--system eisner-2 --iterations 1", ""),
        ("--system biaffine --iterations 1", ""),
        ("--system biaffine-projective --iterations 1", ""),
    ] {
        says(at, &format!("train --train train.conllu --model model {training}"), 0);
        let parse = "parse --model model --keep-heads --keep-labels given.conllu -o parsed.conllu";
        says(at, &format!("{parse} {parsing}"), 0);
        assert_kept(at, "given.conllu", "parsed.conllu");
    }
}

/// A sentence of these heads and labels.
fn sentence(words: &[(&str, &str)]) -> String {
    let line = |(number, (head, label)): (usize, &(&str, &str))| {
        format!("{}\tw\tw\tNOUN\t_\t_\t{head}\t{label}\t_\t_\n", number + 1)
    };
    words.iter().enumerate().map(line).collect::<String>() + "\n"
}

#[test]
fn what_cannot_be_kept_is_an_error_that_names_the_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(402, 60));
    says(at, "train --train train.conllu --model model --iterations 1", 0);
    let good = sentence(&[("2", "det"), ("_", "_"), ("_", "_"), ("_", "_")]);
    for (words, expected, mends) in [
        (
            [("2", "det"), ("_", "_"), ("9", "_"), ("_", "_")],
            "bad.conllu:8: HEAD `9` of word 3; expected a number from 0 to 4, or `_`",
            false,
        ),
        ([("2", "det"), ("_", "_"), ("+1", "_"), ("_", "_")], "bad.conllu:8: HEAD `+1` of word 3", false),
        (
            [("2", "nonesuch"), ("_", "_"), ("_", "_"), ("_", "_")],
            "bad.conllu:6: DEPREL `nonesuch` of word 1; expected a label that the model knows: ",
            false,
        ),
        (
            [("2", "_"), ("3", "_"), ("1", "_"), ("_", "_")],
            "bad.conllu:8: the head 1 of word 3 cannot be kept: a cycle of heads: 1 -> 2 -> 3 -> 1",
            true,
        ),
        (
            [("1", "_"), ("_", "_"), ("_", "_"), ("_", "_")],
            "bad.conllu:6: the head 1 of word 1 cannot be kept: word 1 is its own head",
            true,
        ),
        (
            [("0", "_"), ("_", "_"), ("_", "_"), ("0", "_")],
            "bad.conllu:9: the head 0 of word 4 cannot be kept: 2 words with head 0: 1, 4",
            true,
        ),
        (
            [("3", "_"), ("4", "_"), ("_", "_"), ("_", "_")],
            "bad.conllu:7: the head 4 of word 2 cannot be kept: its arc crosses that from 3 to 1; expected arcs that do not cross: `arc-eager` derives projective trees",
            true,
        ),
    ] {
        fs::write(at.join("bad.conllu"), format!("{good}{}", sentence(&words))).unwrap();
        let line = "parse --model model --keep-heads --keep-labels bad.conllu -o parsed.conllu";
        let said = says(at, line, 2);
        assert!(said.contains(expected), "{said}");
        assert!(!at.join("parsed.conllu").exists());
        // The other sentence is parsed.
        let said = says(at, &format!("{line} --keep-going"), 1);
        assert!(said.contains(expected) && said.contains("1 sentence was left out, 1 was parsed"), "{said}");
        assert_eq!(fs::read_to_string(at.join("parsed.conllu")).unwrap().matches("\n\n").count(), 1);
        fs::remove_file(at.join("parsed.conllu")).unwrap();
        let said = says(at, &line.replace("--keep-heads", "--keep-heads=least-loss"), if mends { 0 } else { 2 });
        if mends {
            says(at, "treebank check parsed.conllu", 0);
            let heads = |text: &str| -> Vec<String> {
                let head = |line: &str| line.split('\t').nth(6).map(str::to_owned);
                text.lines().filter_map(head).collect()
            };
            let parsed = heads(&fs::read_to_string(at.join("parsed.conllu")).unwrap());
            let lost = words.iter().zip(&parsed[4..]).filter(|((given, _), found)| *given != "_" && given != found);
            assert_eq!(lost.count(), 1, "{words:?} {parsed:?}");
            fs::remove_file(at.join("parsed.conllu")).unwrap();
        } else {
            assert!(said.contains(expected), "{said}");
        }
    }
    // What is not kept is not looked at.
    says(at, "parse --model model bad.conllu -o parsed.conllu", 0);
}

/// A system that makes crossing arcs keeps them.
#[test]
fn crossing_arcs_are_kept_by_those_who_make_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentences = generated_non_projective(403, 80);
    write(at, "train.conllu", &sentences);
    write(at, "given.conllu", &every(1, &sentences));
    for system in ["swap", "covington", "covington-nonlocal"] {
        let train = "train --train train.conllu --model model --training greedy --iterations 1 --system";
        says(at, &format!("{train} {system}"), 0);
        says(at, "parse --model model --keep-heads --keep-labels given.conllu -o parsed.conllu", 0);
        assert_kept(at, "given.conllu", "parsed.conllu");
    }
}

#[test]
fn partial_trees_are_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentences = generated(404, 60);
    let mut partial = every(2, &sentences);
    // The last two words have no heads.
    let open = [[(Column::Form, "a")], [(Column::Form, "b")]];
    partial.push(Sentence::from_columns("open", Format::Conllu, open).unwrap());
    write(at, "partial.conllu", &partial);
    write(at, "dev.conllu", &generated(405, 20));
    let train = "train --train partial.conllu --dev dev.conllu --model model --iterations 3";
    for options in ["", "--training greedy", "--training greedy --oracle static", "--system swap --training greedy"] {
        let said = says(at, &format!("{train} {options}"), 0);
        assert!(said.contains("in 60 sentences without a head: what is known alone is learned"), "{said}");
        assert!(said.contains("1 sentence without any head left out"), "{said}");
        says(at, "parse --model model --keep-heads --keep-labels partial.conllu -o parsed.conllu", 0);
    }
    // The tree that the model made of what it was shown is one to train any parser on.
    says(at, "train --train parsed.conllu --model graph --system eisner --iterations 1", 0);
    for (options, expected) in [
        ("--system eisner", "partial.conllu:1: word 1, whose HEAD or DEPREL is `_`; expected whole trees"),
        ("--training l2s", "expected whole trees for --training l2s"),
    ] {
        let said = says(at, &format!("{train} {options}"), 2);
        assert!(said.contains(expected), "{said}");
    }
    for (words, expected) in [
        ([("2", "det"), ("1", "det"), ("_", "_")], "bad.conllu:1: a cycle of heads: 1 -> 2 -> 1"),
        (
            [("2", "det"), ("7", "det"), ("_", "_")],
            "bad.conllu:2: the head `7` of word 2; expected a number from 0 (the root) to 3",
        ),
        ([("0", "root"), ("_", "_"), ("0", "root")], "bad.conllu:3: 2 words with head 0: 1, 3"),
        ([("_", "_"), ("_", "_"), ("_", "_")], "no sentence is left to train on"),
        ([("2", "_"), ("0", "_"), ("_", "_")], "no labels to learn"),
    ] {
        fs::write(at.join("bad.conllu"), sentence(&words)).unwrap();
        let said = says(at, "train --train bad.conllu --model bad", 2);
        assert!(said.contains(expected), "{said}");
        assert!(!at.join("bad").exists());
    }
}
