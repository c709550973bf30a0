//! `treebeam treebank split`.

use anyhow::ensure;
use std::path::PathBuf;
use std::process::ExitCode;
use treebeam::error::Error;
use treebeam::files::{Output, Paths};
use treebeam::treebank::split::{order, sizes};
use treebeam::treebank::{Format, Treebank};

/// Options of `treebeam treebank split`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The last tenth as development data:\n  \
    treebeam treebank split train.conll --parts 90,10 -o fit.conll -o dev.conll")]
pub struct Args {
    /// The file to divide; it is read into memory
    file: PathBuf,
    /// The parts' shares of the sentences
    #[arg(long, value_delimiter = ',', required = true, value_parser = crate::range::whole::<u32>(0..=1_000_000_000))]
    parts: Vec<u32>,
    /// Files of the parts, in order
    #[arg(short, long, required = true)]
    output: Vec<PathBuf>,
    /// Read the file as this format
    #[arg(long)]
    format: Option<Format>,
    /// Take the sentences in random order
    #[arg(long)]
    shuffle: bool,
    /// Seed of the random order
    #[arg(long, default_value_t = 1, requires = "shuffle", value_parser = crate::range::number)]
    seed: u64,
    /// Divide no more than this many sentences: the first ones, in random order if that is asked
    #[arg(long, value_parser = crate::range::whole::<usize>(1..=u64::MAX))]
    max_sentences: Option<usize>,
}

/// Divides the file. Nothing appears unless the file is sound and all parts have sentences.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (n_parts, n_outputs) = (args.parts.len(), args.output.len());
    ensure!(n_parts == n_outputs, "{n_parts} parts and {n_outputs} outputs; name one output (-o) for each part");
    ensure!(args.parts.iter().any(|&part| part > 0), "all parts are empty; some share must be positive");
    let paths = Paths::default().input(&args.file);
    args.output.iter().try_fold(paths, |paths, output| paths.output(output))?;
    let mut outputs = args.output.iter().map(|path| Output::create(path)).collect::<Result<Vec<_>, Error>>()?;
    let treebank = Treebank::read(&args.file, args.format)?;
    args.output.iter().for_each(|path| super::warn_of_name(path, treebank.format));
    let mut order = order(treebank.sentences.len(), args.shuffle.then_some(args.seed));
    order.truncate(args.max_sentences.unwrap_or(usize::MAX));
    let sizes = sizes(order.len(), &args.parts);
    for (size, path) in sizes.iter().zip(&args.output) {
        ensure!(*size > 0, "{}: no sentence is left for this part", path.display());
    }
    let mut sentences = order.into_iter().map(|i| &treebank.sentences[i]);
    for (&size, output) in sizes.iter().zip(&mut outputs) {
        for sentence in sentences.by_ref().take(size) {
            sentence.write(output).map_err(Error::io(output.path()))?;
        }
    }
    for (size, output) in sizes.iter().zip(outputs) {
        eprintln!("{}: {size} sentences", output.path().display());
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}
