//! `treebeam combine`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, ensure};
use treebeam::error::{Error, counted};
use treebeam::eval::Parallel;
use treebeam::files::{Output, Paths};
use treebeam::graph::{VoteDecoder, Votes, check_length};
use treebeam::treebank::Format;

/// Options of `treebeam combine`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam combine greedy.conllu beam.conllu graph.conllu -o voted.conllu
  treebeam combine --weights 0.89,0.91,0.9 greedy.conllu beam.conllu graph.conllu | treebeam eval test.conllu -")]
pub struct Args {
    /// The parsed files, of the same words; one of them may be `-`, standard input
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Weights of the files' votes, in order, such as their scores on development data, with at most three decimals [default: the
    /// same for all]
    #[arg(long, value_delimiter = ',', value_parser = thousandths)]
    weights: Vec<u32>,
    /// The algorithm that finds the tree with most votes
    #[arg(long, value_enum, default_value_t)]
    decoder: VoteDecoder,
    /// Read the files as this format
    #[arg(long)]
    format: Option<Format>,
    /// The file to write; other columns than HEAD and DEPREL are those of the first file, and its enhanced graph is left out
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

/// A weight, in thousandths.
fn thousandths(text: &str) -> Result<u32, String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits =
        !whole.is_empty() && [whole, decimals].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let number = format!("{whole}{decimals:0<3}").parse().ok();
    number
        .filter(|&number| are_digits && decimals.len() <= 3 && number <= 1_000_000_000)
        .ok_or_else(|| "expected a number from 0 to 1,000,000 with at most three decimals".to_owned())
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let n_files = args.files.len();
    let n_weights = args.weights.len();
    ensure!(
        n_weights == 0 || n_weights == n_files,
        "--weights: {n_weights} weights and {n_files} files; expected one weight for each file"
    );
    Paths::default().inputs(&args.files).output(&args.output)?;
    let equal = vec![1; n_files];
    let weights = if args.weights.is_empty() { &equal } else { &args.weights };
    let mut votes = Votes::new(weights, args.decoder).map_err(|error| anyhow!("--weights: {error}"))?;
    let shared = Parallel::open(&args.files, args.format)?;
    let format = shared.format();
    super::warn_of_name(&args.output, format);
    let mut output = Output::create(&args.output)?;
    let (mut n_sentences, mut n_words, mut n_same, mut n_changed) = (0, 0, 0, 0);
    for next in shared {
        let (sentence, analyses) = next?;
        let trees: Vec<_> = analyses.iter().map(|analysis| analysis.analysis()).collect();
        if trees.iter().any(|tree| tree.heads != trees[0].heads) {
            check_length(&sentence)?;
        }
        let voted = votes.combine(&trees, format.roots());
        n_sentences += 1;
        n_words += voted.heads.len();
        for (word, head) in voted.heads.iter().enumerate() {
            n_same += usize::from(trees.iter().all(|tree| tree.heads[word] == trees[0].heads[word]));
            n_changed += usize::from(trees[0].heads[word] != *head);
        }
        sentence.write_parsed(&mut output, &voted.heads, &voted.labels).map_err(Error::io(&args.output))?;
    }
    output.finish()?;
    treebeam::console::note(format_args!(
        "{} of {}: all {n_files} files agree on the heads of {n_same}; {n_changed} are not as in {}",
        counted(n_sentences, "sentence"),
        counted(n_words, "word"),
        args.files[0].display()
    ));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::thousandths;

    #[test]
    fn weights_are_exact() {
        assert_eq!(
            ["2", "0.9", "0.125", "1000000", "1."].map(|text| thousandths(text).ok()),
            [Some(2000), Some(900), Some(125), Some(1_000_000_000), Some(1000)]
        );
        for text in ["", "-1", "x", "0.1234", "1e3", "1000000.1", "+1", "nan", "."] {
            assert!(thousandths(text).is_err(), "{text}");
        }
    }
}
