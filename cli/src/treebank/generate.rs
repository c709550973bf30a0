//! `treebeam treebank generate`.

use crate::range;
use std::path::PathBuf;
use std::process::ExitCode;
use treebeam::files::Output;
use treebeam::treebank::Format;
use treebeam::treebank::generate::{GeneratorOptions, sentences};

/// Options of `treebeam treebank generate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seed; the vocabulary is the same for all, so that one seed can train and another test
    #[arg(long, default_value_t = 1, value_parser = range::number)]
    seed: u64,
    /// Number of sentences
    #[arg(long, default_value_t = 1000, value_parser = range::whole::<usize>(1..=1_000_000_000))]
    sentences: usize,
    /// Extrapose some modifiers of subjects, which makes crossing arcs
    #[arg(long)]
    non_projective: bool,
    /// File to write to
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

/// Writes the sentences as CoNLL-U.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    super::warn_of_name(&args.output, Format::Conllu);
    let mut output = Output::create(&args.output)?;
    let options =
        GeneratorOptions { seed: args.seed, n_sentences: args.sentences, non_projective: args.non_projective };
    for sentence in sentences(options) {
        sentence.write(&mut output)?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
