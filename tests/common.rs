//! What several tests need: generated treebanks, and the program.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use treebeam::learn::{TrainOptions, TrainingData};
use treebeam::linear::LinearModel;
use treebeam::treebank::generate::{GeneratorOptions, sentences};
use treebeam::treebank::{Format, Sentence, Treebank};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is a folder of the repository")
}

/// The program, to be run in `folder` with these arguments, separated by blanks.
pub fn treebeam(folder: &Path, line: &str) -> Command {
    let mut command = Command::cargo_bin("treebeam").unwrap();
    command.current_dir(folder).env_remove("TREEBEAM_TREEBANKS").args(line.split_whitespace());
    command
}

/// Generated sentences, projective ones.
pub fn generated(seed: u64, n_sentences: usize) -> Vec<Sentence> {
    sentences(GeneratorOptions { seed, n_sentences, non_projective: false }).collect()
}

/// Generated sentences, some of which are not projective.
pub fn generated_non_projective(seed: u64, n_sentences: usize) -> Vec<Sentence> {
    sentences(GeneratorOptions { seed, n_sentences, non_projective: true }).collect()
}

/// A treebank in memory.
pub fn treebank(sentences: Vec<Sentence>) -> Treebank {
    Treebank { path: PathBuf::from("generated"), format: Format::Conllu, sentences, sha256: String::new() }
}

/// A model trained on `treebank` without development data.
pub fn train(options: &TrainOptions, treebank: &Treebank) -> LinearModel {
    let data = TrainingData::new(options, treebank, None).unwrap();
    treebeam::learn::train(options, &data, 1).unwrap()
}

/// Writes sentences to `name` in `folder`.
pub fn write(folder: &Path, name: &str, sentences: &[Sentence]) {
    let mut file = BufWriter::new(File::create(folder.join(name)).unwrap());
    sentences.iter().try_for_each(|sentence| sentence.write(&mut file)).unwrap();
}

/// The folder of real treebanks. Tests that ask for it are ignored if the tests were built without one.
pub fn treebanks() -> PathBuf {
    std::env::var_os("TREEBEAM_TREEBANKS").expect("TREEBEAM_TREEBANKS, as when the tests were built").into()
}
