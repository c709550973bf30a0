//! LinearModel files that are not what they should be: every damage is an error that names the file, none a panic.

use std::fs;
use std::path::Path;

use treebeam::decode::Parser;
use treebeam::error::Result;
use treebeam::files::{FileKind, Section};
use treebeam::graph::{self, GraphData, GraphModel, GraphOptions, GraphParser};
use treebeam::learn::{Keep, TrainOptions};
use treebeam::linear::LinearModel;
use treebeam::random;
use treebeam::treebank::{Format, Sentence};

use crate::common::{generated, train, treebank, treebeam, write};

/// A model of a few thousand bytes.
fn small() -> LinearModel {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.feat");
    fs::write(&path, "S0.p B0.p\nS1.p\nS0.l1.label\n").unwrap();
    let features = path.to_str().unwrap().to_owned();
    let options = TrainOptions { features, iterations: 3.into(), beam: 2, keep: Keep::Last, ..TrainOptions::default() };
    train(&options, &treebank(generated(31, 4)))
}

fn read(bytes: &[u8]) -> Result<LinearModel> {
    LinearModel::from_bytes(bytes, Path::new("small.model"))
}

#[test]
fn bytes_come_back_and_the_model_parses_as_before() {
    let model = small();
    let bytes = model.to_bytes();
    let again = read(&bytes).unwrap();
    assert_eq!(again.to_bytes(), bytes);
    assert_eq!(again.header, model.header);
    let sentences = generated(32, 10);
    let parse = |model: &LinearModel| Parser::new(model, 4, 1).unwrap().parse(&sentences, 2);
    assert_eq!(parse(&again), parse(&model));
}

/// A small model of a graph-based parser.
fn small_graph() -> GraphModel {
    let options = GraphOptions { iterations: 1.into(), keep: Keep::Last, ..GraphOptions::default() };
    let lines = "1\ta\t_\tD\t_\t_\t2\tdet\t_\t_\n2\tb\t_\tN\t_\t_\t0\troot\t_\t_\n";
    let train = treebank(vec![Sentence::new("x", Format::Conllu, lines).unwrap()]);
    let data = GraphData::new(&options, &train, None).unwrap();
    let mut trainer = graph::start(&options, &data, 1).unwrap();
    trainer.iterate(&mut |_| ()).unwrap();
    trainer.model().unwrap()
}

#[test]
fn bytes_of_a_graph_based_model_come_back() {
    let model = small_graph();
    let again = GraphModel::from_bytes(&model.to_bytes(), Path::new("small.model")).unwrap();
    assert_eq!((again.to_bytes(), &again.header), (model.to_bytes(), &model.header));
    let sentences = generated(32, 10);
    let parse = |model: &GraphModel| GraphParser::new(model, 1).unwrap().parse(&sentences).unwrap();
    assert_eq!(parse(&again), parse(&model));
}

/// A kind of model file: its magic, a small one, and reading it and writing it again.
struct Sample {
    magic: &'static [u8; 8],
    bytes: Vec<u8>,
    sections: &'static [&'static str],
    again: fn(&[u8]) -> Result<Vec<u8>>,
}

fn samples() -> [Sample; 2] {
    [
        Sample {
            magic: b"treebeam",
            bytes: small().to_bytes(),
            sections: &["header", "scorer", "shape", "buckets", "sparse", "dense"],
            again: |bytes| read(bytes).map(|model| model.to_bytes()),
        },
        Sample {
            magic: b"treegrph",
            bytes: small_graph().to_bytes(),
            sections: &["header", "shape", "buckets", "sparse", "dense"],
            again: |bytes| Ok(GraphModel::from_bytes(bytes, Path::new("small.model"))?.to_bytes()),
        },
    ]
}

#[test]
fn every_cut_is_an_error() {
    for Sample { bytes, again, .. } in samples() {
        for len in 0..bytes.len() {
            let error = again(&bytes[..len]).expect_err(&format!("cut to {len} of {} bytes", bytes.len()));
            assert!(error.to_string().starts_with("small.model: "), "{error}");
        }
    }
}

#[test]
fn every_flipped_bit_and_every_byte_too_many_is_an_error() {
    for Sample { bytes, again, .. } in samples() {
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 1 << (i % 8);
            let error = again(&flipped).expect_err(&format!("byte {i} of {}", bytes.len()));
            assert!(error.to_string().starts_with("small.model: "), "{error}");
        }
        let error = again(&[&bytes[..], b"x"].concat()).unwrap_err();
        assert!(error.to_string().contains("follow the last section"), "{error}");
    }
}

/// A model of another format or of another kind of scorer is refused by name.
#[test]
fn other_formats_and_kinds_are_refused_by_name() {
    let mut older = small().to_bytes();
    older[8..12].copy_from_slice(&3u32.to_le_bytes());
    let error = read(&older).unwrap_err().to_string();
    assert!(error.contains("format 3, but this program reads format 4"), "{error}");
    let Sample { magic, bytes, sections, .. } = &samples()[0];
    let kind = FileKind { magic, version: 4, name: "model" };
    let unpacked = kind.unpack(bytes.clone(), Path::new("x")).unwrap();
    let section = |&name: &&'static str| {
        let other = if name == "scorer" { &b"oracle"[..] } else { unpacked.get(name).unwrap() };
        Section::new(name, other.to_vec())
    };
    let error = read(&kind.pack(&sections.iter().map(section).collect::<Vec<_>>())).unwrap_err().to_string();
    assert!(error.contains("kind `oracle`; expected `linear`"), "{error}");
}

/// Checksums guard against accidents only: what they cover is not to be trusted either.
#[test]
fn damage_behind_right_checksums_is_never_a_panic() {
    for Sample { magic, bytes, sections: names, again } in samples() {
        let version = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
        let model = FileKind { magic, version, name: "model" };
        let unpacked = model.unpack(bytes, Path::new("small.model")).unwrap();
        let sections: Vec<Vec<u8>> = names.iter().map(|name| unpacked.get(name).unwrap().to_vec()).collect();
        let mut rng = random::stream(1, "damage", &[]);
        let (mut n_refused, mut n_read) = (0, 0);
        for round in 0..4000 {
            let mut sections = sections.clone();
            let section = &mut sections[round % names.len()];
            if section.is_empty() {
                continue;
            }
            let place = random::below(section.len() as u64, &mut rng) as usize;
            section[place] = random::below(256, &mut rng) as u8;
            if round % 3 == 0 {
                section.truncate(place);
            }
            let sections: Vec<Section> =
                names.iter().zip(sections).map(|(&name, bytes)| Section::new(name, bytes)).collect();
            let damaged = model.pack(&sections);
            match std::panic::catch_unwind(|| again(&damaged).is_ok()) {
                Ok(true) => n_read += 1,
                Ok(false) => n_refused += 1,
                Err(_) => panic!("section {}, byte {place}, round {round}", names[round % names.len()]),
            }
        }
        assert!(n_refused > 1000 && n_read > 100, "{n_refused} refused, {n_read} read");
    }
}

#[test]
fn a_foreign_file_is_refused_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("text", &b"# a text\n"[..]), ("nothing", b""), ("zeros", &[0; 4096])] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let assert = treebeam(folder.path(), &format!("parse --model {name} -")).write_stdin("").assert().code(2);
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.contains(&format!("{name}: ")), "{message}");
    }
}

/// Text of a card under a name.
fn said<'c>(card: &'c str, name: &str) -> &'c str {
    card.lines()
        .find_map(|line| line.strip_prefix(&format!("{name:<11}")))
        .unwrap_or_else(|| panic!("no {name}: {card}"))
}

#[test]
fn a_card_tells_what_a_model_is_and_how_to_train_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(81, 30));
    write(at, "dev.conllu", &generated(82, 10));
    let run = |line: &str, more: &[&str]| {
        let assert = treebeam(at, line).args(more).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let options = "--system arc-hybrid --beam 4 --iterations 2 --replicas 1 --seed 7 --quiet";
    let notes = ["--licence", "CC BY-SA 4.0", "--about", "generated, 30 sentences"];
    run(&format!("train --train train.conllu --dev dev.conllu --model one {options}"), &notes);
    let card = run("model info one", &[]);
    assert!(!card.contains("Form") && !card.contains("Upos"), "names of the code: {card}");
    let start =
        |name: &str, expected: &str| assert!(said(&card, name).starts_with(expected), "{name}, {expected}: {card}");
    start("model", "one, ");
    start("system", "arc-hybrid, a transition system; one word on the root");
    start("reads", "words: forms (FORM), in lower case, digits made equal; tags: universal parts of speech (UPOS)");
    start("parses", "with a beam of width 4");
    start("about", "generated, 30 sentences");
    start(
        "training",
        "global, whole derivations in a beam of 4; max-violation updates; every correct action counts as gold",
    );
    start("passes", "2, seed 7; the weights of iteration ");
    let n_words: usize = generated(81, 30).iter().map(Sentence::n_words).sum();
    start("data", &format!("train: 30 sentences, {n_words} words, sha256 "));
    assert!(card.contains("           dev: 10 sentences, "), "{card}");
    start("licence", "CC BY-SA 4.0");

    // The score is that of parsing the development data.
    run("parse --model one dev.conllu -o parsed.conllu --quiet", &[]);
    let scores: serde_json::Value =
        serde_json::from_str(&run("eval dev.conllu parsed.conllu --json --samples 10", &[])).unwrap();
    let score = |metric: &str| scores["systems"][0]["scores"][0][metric].as_f64().unwrap();
    start("score", &format!("LAS {:.2}, UAS {:.2} on the development data", score("las"), score("uas")));

    // The command that it names makes the same bytes.
    let command =
        said(&card, "again").replace("TRAIN", "train.conllu").replace("DEV", "dev.conllu").replace("MODEL", "two");
    let words = command.split('\'').collect::<Vec<_>>();
    let mut arguments: Vec<&str> = Vec::new();
    for (place, part) in words.into_iter().enumerate() {
        match place % 2 {
            0 => arguments.extend(part.split_whitespace()),
            _ => arguments.push(part),
        }
    }
    assert_eq!(arguments[0], "treebeam");
    run("train --quiet", &arguments[2..]);
    assert!(fs::read(at.join("one")).unwrap() == fs::read(at.join("two")).unwrap(), "{command}");

    // Without notes and development data, that is said.
    run("train --train train.conllu --model three --training greedy --iterations 1 --replicas 1 --quiet", &[]);
    let card = run("model info three", &[]);
    assert!(said(&card, "licence").starts_with("not stated") && said(&card, "score").starts_with("none"), "{card}");
    assert_eq!(said(&card, "again").split(" --training").count(), 2, "{card}");
    let header: serde_json::Value = serde_json::from_str(&run("model info three --json", &[])).unwrap();
    assert!(header["header"]["provenance"].get("notes").is_none(), "{header}");
}

/// Headers of models that were written before there were sizes, scores and notes.
#[test]
fn older_provenances_are_read() {
    let older = r#"{"version": "0.1.0", "train_sha256": "a", "train_sentences": 3, "dev_sha256": null, "iteration": 2, "generator": "g"}"#;
    let read: treebeam::model::Provenance = serde_json::from_str(older).unwrap();
    assert_eq!((read.train_sentences, read.train_words, read.dev_scores), (3, None, None));
    assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::from_str::<serde_json::Value>(older).unwrap());
}
