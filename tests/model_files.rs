//! Model files that are not what they should be: every damage is an error that names the file, none a panic.

use std::fs;
use std::path::Path;

use treebeam::decode::Parser;
use treebeam::learn::{Keep, Progress, TrainOptions, Trainer, TrainingData};
use treebeam::model::{Kind, Model};
use treebeam::random;

use crate::common::{generated, treebank, treebeam};

/// A model of a few thousand bytes.
fn small() -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.feat");
    fs::write(&path, "S0.p B0.p\nS1.p\nS0.l1.label\n").unwrap();
    let features = path.to_str().unwrap().to_owned();
    let options = TrainOptions { features, iterations: 3, beam: 2, keep: Keep::Last, ..TrainOptions::default() };
    let train = treebank(generated(31, 4));
    let data = TrainingData::new(&options, &train, None).unwrap();
    let trainer = Trainer::new(&options, &data, 1).unwrap();
    let mut progress = Progress::default();
    for _ in 0..options.iterations {
        trainer.iterate(&mut progress, &mut |_| ());
    }
    trainer.finish(&progress).unwrap()
}

fn read(bytes: &[u8]) -> treebeam::error::Result<Model> {
    Model::from_bytes(bytes, Path::new("small.model"))
}

#[test]
fn bytes_come_back_and_the_model_parses_as_before() {
    let model = small();
    let bytes = model.to_bytes();
    let again = read(&bytes).unwrap();
    assert_eq!(again.to_bytes(), bytes);
    assert_eq!(again.header, model.header);
    let sentences = generated(32, 10);
    let parse = |model: &Model| Parser::new(model, 4, 1).unwrap().parse(&sentences, 2);
    assert_eq!(parse(&again), parse(&model));
}

#[test]
fn every_cut_is_an_error() {
    let bytes = small().to_bytes();
    for len in 0..bytes.len() {
        let error = read(&bytes[..len]).expect_err(&format!("cut to {len} of {} bytes", bytes.len()));
        assert!(error.to_string().starts_with("small.model: "), "{error}");
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_meant_nothing() {
    let bytes = small().to_bytes();
    let mut n_ignored = 0;
    for i in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[i] ^= 1 << (i % 8);
        match read(&flipped) {
            Err(error) => assert!(error.to_string().starts_with("small.model: "), "{error}"),
            Ok(model) => {
                // Padding between sections: no part of the model.
                assert_eq!(model.to_bytes(), bytes, "byte {i}");
                n_ignored += 1;
            }
        }
    }
    assert!(n_ignored < 4 * 64 + 24, "{n_ignored} of {} bytes do not matter", bytes.len());
}

/// Checksums guard against accidents only: what they cover is not to be trusted either.
#[test]
fn damage_behind_right_checksums_is_never_a_panic() {
    const MODEL: Kind = Kind { magic: b"treebeam", version: 1, name: "model" };
    let bytes = small().to_bytes();
    let sections: [&[u8]; 4] = MODEL.unpack(&bytes, Path::new("small.model")).unwrap();
    let mut rng = random::stream(1, "damage", &[]);
    let (mut n_refused, mut n_read) = (0, 0);
    for round in 0..4000 {
        let mut sections = sections.map(<[u8]>::to_vec);
        let section = &mut sections[round % 4];
        let place = random::below(section.len() as u64, &mut rng) as usize;
        section[place] = random::below(256, &mut rng) as u8;
        if round % 3 == 0 {
            section.truncate(place);
        }
        let damaged = MODEL.pack(&sections.each_ref().map(Vec::as_slice));
        let outcome = std::panic::catch_unwind(|| read(&damaged).is_ok());
        match outcome {
            Ok(true) => n_read += 1,
            Ok(false) => n_refused += 1,
            Err(_) => panic!("section {}, byte {place}, round {round}", round % 4),
        }
    }
    assert!(n_refused > 1000 && n_read > 100, "{n_refused} refused, {n_read} read");
}

#[test]
fn a_foreign_file_is_refused_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("text", &b"# a text\n"[..]), ("nothing", b""), ("zeros", &[0; 4096])] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let assert = treebeam(folder.path(), &format!("parse --model {name} -")).write_stdin("").assert().code(2);
        let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(told.contains(&format!("{name}: ")), "{told}");
    }
}
