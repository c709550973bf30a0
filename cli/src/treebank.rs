//! `treebeam treebank`.

mod agree;
mod check;
mod convert;
mod generate;
mod jackknife;
mod split;
mod stats;

use std::process::ExitCode;

use super::warn_of_name;

/// Commands of `treebeam treebank`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List everything that is wrong with files; exit code 2 if anything is
    Check(check::Args),
    /// Count sentences, words, non-projective arcs, labels and more
    Stats(stats::Args),
    /// Convert between CoNLL-U and CoNLL-X, or repair a file's layout
    Convert(convert::Args),
    /// Divide a file into parts
    Split(split::Args),
    /// Annotate each part of a file by a model that was trained on the other parts
    ///
    /// Options of the model and of training are those of `train`, but --system is `tagger` by default.
    Jackknife(Box<jackknife::Args>),
    /// Keep the sentences that several parsers analyse alike
    Agree(agree::Args),
    /// Generate a treebank whose attachments depend on words
    Generate(generate::Args),
}

/// Runs the subcommand.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(args) => check::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Split(args) => split::run(&args),
        Command::Jackknife(args) => jackknife::run(*args),
        Command::Agree(args) => agree::run(&args),
        Command::Generate(args) => generate::run(&args),
    }
}
