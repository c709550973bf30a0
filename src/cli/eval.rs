//! `treebeam eval`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::eval::{Granularity, Headline, Input, Options, Punctuation, PunctuationRule, Report, Section, render};

const AFTER_HELP: &str = "\
Scores are shown with and without punctuation, with and without label subtypes. --punct and --granularity choose which of
them breakdowns, confidence intervals and significance tests are about.

Files that do not hold the same words, words without a head and cycles are errors (exit code 2). Several roots in a
sentence are accepted, and counted.

Examples:
  treebeam eval gold.conllu parsed.conllu
  treebeam eval gold.conllu greedy.conllu beam.conllu --punct exclude
  treebeam parse MODEL gold.conllu | treebeam eval gold.conllu - --by label --json";

/// Options of `treebeam eval`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The gold file, CoNLL-U or CoNLL-X; one of the files may be `-`, standard input
    gold: PathBuf,
    /// The parsed file
    system: PathBuf,
    /// Another parsed file, to be tested against the first
    system2: Option<PathBuf>,
    /// Whether the headline figures score punctuation
    #[arg(long, value_enum, default_value_t)]
    punct: Punctuation,
    /// What makes a word punctuation [default: upos if the gold file has PUNCT tags, else form]
    #[arg(long, value_enum)]
    punct_rule: Option<PunctuationRule>,
    /// Whether the headline figures tell label subtypes apart
    #[arg(long, value_enum, default_value_t)]
    granularity: Granularity,
    /// The breakdowns to make [default: all of them]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SECTION,...")]
    by: Option<Vec<Section>>,
    /// Samples of the bootstrap and rounds of the approximate randomisation
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// The seed of the bootstrap and the approximate randomisation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// If a file cannot be read, is malformed, holds something other than trees, or other words than the gold file.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let systems: Vec<&PathBuf> = std::iter::once(&args.system).chain(&args.system2).collect();
    let standard_input = Path::new("-");
    if std::iter::once(&args.gold).chain(systems.iter().copied()).filter(|path| *path == standard_input).count() > 1 {
        bail!("only one of the files can be standard input");
    }
    let gold = Input::read(&args.gold)?;
    let systems = systems.into_iter().map(|path| Input::read(path)).collect::<Result<Vec<_>, _>>()?;
    let options = Options {
        rule: args.punct_rule,
        headline: Headline { punctuation: args.punct, granularity: args.granularity },
        sections: args.by.unwrap_or_else(|| Section::ALL.to_vec()),
        samples: args.samples as usize,
        seed: args.seed,
    };
    let report = Report::new(&gold, &systems, &options)?;
    for warning in report.warnings() {
        eprintln!("warning: {warning}");
    }
    let text = if args.json { serde_json::to_string_pretty(&report)? + "\n" } else { render(&report) };
    std::io::stdout().lock().write_all(text.as_bytes()).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}
