//! `treebeam treebank split`.

use anyhow::ensure;
use std::path::PathBuf;
use std::process::ExitCode;
use treebeam::error::{Error, counted};
use treebeam::files::{Output, Paths};
use treebeam::treebank::split::{begins_document, order, sizes, write_alone};
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
    /// Take the sentences in random order, without the comments `# newdoc` and `# newpar`
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
    let mut n_left_out = 0;
    let mut end = 0;
    let mut sentences = order.into_iter().map(|i| &treebank.sentences[i]);
    for (&size, output) in sizes.iter().zip(&mut outputs) {
        let path = output.path().to_owned();
        for sentence in sentences.by_ref().take(size) {
            if args.shuffle {
                n_left_out += write_alone(sentence, output).map_err(Error::io(&path))?;
            } else {
                sentence.write(output).map_err(Error::io(&path))?;
            }
        }
        end += size;
        let begins = |sentence| begins_document(sentence);
        if !args.shuffle
            && treebank.sentences.get(end).is_some_and(|next| !begins(next))
            && treebank.sentences[..end].iter().any(begins)
        {
            let begin = treebank.sentences[..end].iter().rev().take_while(|sentence| !begins(sentence)).count() + 1;
            let (path, begin) = (path.display(), counted(begin, "sentence"));
            eprintln!("warning: {path}: ends within a document (`# newdoc`), of which it has the first {begin}");
        }
    }
    if n_left_out > 0 {
        let path = args.file.display();
        eprintln!(
            "warning: {path}: sentences in random order make no documents: {} `# newdoc` and `# newpar` left out",
            counted(n_left_out, "comment")
        );
    }
    for (size, output) in sizes.iter().zip(outputs) {
        eprintln!("{}: {size} sentences", output.path().display());
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}
