//! `treebeam treebank agree`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use treebeam::error::{Error, counted};
use treebeam::eval::Parallel;
use treebeam::files::{Output, Paths};
use treebeam::treebank::Format;

/// Options of `treebeam treebank agree`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Sentences that two parsers agree on, to train a third (tri-training, Zhou & Li 2005; Weiss et al. 2015):
  treebeam treebank agree --labels beam.conllu graph.conllu --min-words 4 -o agreed.conllu")]
pub struct Args {
    /// The parsed files, of the same words; one of them may be `-`, standard input
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Ask for the same labels too, not for the same heads alone
    #[arg(long)]
    labels: bool,
    /// Leave out sentences of fewer words
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::range::whole::<usize>(1..=u64::MAX))]
    min_words: usize,
    /// Leave out sentences of more words
    #[arg(long, value_name = "N", value_parser = crate::range::whole::<usize>(1..=u64::MAX))]
    max_words: Option<usize>,
    /// Read the files as this format
    #[arg(long)]
    format: Option<Format>,
    /// The file to write the sentences to, as they stand in the first file
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

/// Writes what all files agree on, and says how much that is.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (least, most) = (args.min_words, args.max_words.unwrap_or(usize::MAX));
    ensure!(least <= most, "--min-words {least} and --max-words {most}: expected no more than --max-words");
    Paths::default().inputs(&args.files).output(&args.output)?;
    let shared = Parallel::open(&args.files, args.format)?;
    super::warn_of_name(&args.output, shared.format());
    let mut output = Output::create(&args.output)?;
    // Sentences and words: those of the right length, and of these those that all files agree on.
    let (mut asked, mut agreed) = ([0, 0], [0, 0]);
    for next in shared {
        let (sentence, analyses) = next?;
        let n_words = sentence.n_words();
        if !(least..=most).contains(&n_words) {
            continue;
        }
        asked = [asked[0] + 1, asked[1] + n_words];
        let first = &analyses[0];
        let agrees =
            analyses.iter().all(|other| other.heads == first.heads && (!args.labels || other.labels == first.labels));
        if agrees {
            let is_first = agreed[0] == 0;
            let sentence = if is_first { sentence.at_start() } else { Cow::Borrowed(&sentence) };
            sentence.write(&mut output).map_err(Error::io(&args.output))?;
            agreed = [agreed[0] + 1, agreed[1] + n_words];
        }
    }
    output.finish()?;
    let what = if args.labels { "heads and labels" } else { "heads" };
    let length = if least > 1 || args.max_words.is_some() { " of the length asked for" } else { "" };
    treebeam::console::note(format_args!(
        "the same {what} in all {} files: {} of {}{length}, {} of {}",
        args.files.len(),
        agreed[0],
        counted(asked[0], "sentence"),
        agreed[1],
        counted(asked[1], "word")
    ));
    Ok(ExitCode::SUCCESS)
}
