//! Trains a parser, keeps it in a file, reads it again and parses with it.
//!
//! `cargo run --release --example train_and_parse [TRAIN.conllu TEST.conllu]`; without files, on a generated treebank.

use std::io;
use std::path::Path;

use treebeam::prelude::*;

fn main() -> Result<(), Error> {
    treebeam_systems::register();
    let generated =
        |seed, n_sentences| generate::treebank(generate::GeneratorOptions { seed, n_sentences, non_projective: false });
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (train, test) = match &files[..] {
        [train, test] => (Treebank::read(Path::new(train), None)?, Treebank::read(Path::new(test), None)?),
        _ => (generated(1, 500), generated(2, 3)),
    };

    // The oracle and the features follow from the system and the kind of training.
    let defaults = TrainOptions::of(treebeam_systems::ARC_EAGER, Training::Global, Learner::default());
    let options = TrainOptions { iterations: 5.into(), beam: 8, ..defaults };
    let data = TrainingData::new(&options, &train, None)?;
    let threads = 2;
    let trained = train_model(&options, &data, threads)?;

    let path = std::env::temp_dir().join(format!("treebeam-example-{}.model", std::process::id()));
    trained.write(&path)?;
    let model = LinearModel::read_file(&path)?;
    std::fs::remove_file(&path).map_err(Error::io(&path))?;

    // Shared by all threads, decoded at any width: 1 is greedy.
    let width = 8;
    let mut parser = Parser::new(&model, width, threads)?;
    let mut output = io::stdout().lock();
    for (sentence, parsed) in test.sentences.iter().zip(parser.parse(&test.sentences, 1)) {
        let tree = &parsed[0].tree;
        sentence
            .write_parsed(&mut output, tree.heads(), &model.labels().names_of(tree))
            .map_err(Error::io("<stdout>"))?;
    }
    Ok(())
}
