//! `treebeam eval`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use treebeam::eval::{
    BreakdownSection, EvalInput, EvalOptions, Granularity, Headline, Punctuation, PunctuationRule, Report,
};
use treebeam::features::ColumnName;
use treebeam::files::{Output, Paths};
use treebeam::treebank::Column;
use treebeam_lab::evaluation::{page, render};

const AFTER_HELP: &str = "\
Scores are shown with and without punctuation, with and without label subtypes. --punct and --granularity choose which of
them breakdowns, confidence intervals and significance tests are about.

Files that hold the same text in other words, multiword tokens or sentences are aligned and scored as eval.py of Universal
Dependencies does it: Words, UAS, LAS, CLAS, MLAS, BLEX and others. Another text, words without a head and cycles are errors
(exit code 2). Several roots in a sentence are accepted, and counted.

Examples:
  treebeam eval gold.conllu parsed.conllu
  treebeam eval gold.conllu greedy.conllu beam.conllu --punct exclude
  treebeam eval --tags upos gold.conllu tagged.conllu
  treebeam eval gold.conllu greedy.conllu beam.conllu --html comparison.html
  treebeam parse --model en.model gold.conllu | treebeam eval gold.conllu - --by label --json";

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
    /// Score the tags in this column in place of trees: accuracy, by tag, and what is taken for what. Heads are not read
    #[arg(long, value_enum, value_name = "COLUMN", conflicts_with_all = ["punct", "punct_rule", "granularity", "by", "html"])]
    tags: Option<ColumnName>,
    /// Score punctuation in the headline figures, or not
    #[arg(long, value_enum, default_value_t)]
    punct: Punctuation,
    /// Rule that makes a word punctuation [default: upos if the gold file has PUNCT tags, else form]
    #[arg(long, value_enum)]
    punct_rule: Option<PunctuationRule>,
    /// Distinguish label subtypes in the headline figures, or not
    #[arg(long, value_enum, default_value_t)]
    granularity: Granularity,
    /// The breakdowns to make [default: length, label, sentence-length, projectivity, and confidence where the
    /// file has any; with --json or --html all of them]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SECTION,...")]
    by: Option<Vec<BreakdownSection>>,
    /// Samples of the bootstrap and rounds of the approximate randomisation
    #[arg(long, default_value_t = 10_000, value_parser = crate::range::whole::<u32>(1..=10_000_000))]
    samples: u32,
    /// The seed of the bootstrap and the approximate randomisation
    #[arg(long, default_value_t = 1, value_parser = crate::range::number)]
    seed: u64,
    /// Write everything as JSON, in the version that its field `format` names
    #[arg(long)]
    json: bool,
    /// Write a page of HTML with pictures, which needs nothing else, to this file, and no tables
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
}

/// Runs the subcommand.
///
/// # Errors
/// If a file cannot be read, is malformed, holds something other than trees, or another text than the gold file.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    treebeam::process::start_threads();
    let systems: Vec<&PathBuf> = std::iter::once(&args.system).chain(&args.system2).collect();
    let paths = Paths::default().input(&args.gold).inputs(&systems);
    let paths = paths.one_standard_input()?;
    let paths = args.html.iter().try_fold(paths, |paths, html| paths.output(html))?;
    drop(paths);
    let tags = args.tags.map(Column::from);
    let gold = EvalInput::read_for(&args.gold, tags)?;
    let systems = systems.into_iter().map(|path| EvalInput::read_for(path, tags)).collect::<Result<Vec<_>, _>>()?;
    let asked_for_confidence = args.by.as_ref().is_some_and(|by| by.contains(&BreakdownSection::Confidence));
    let options = EvalOptions {
        rule: args.punct_rule,
        headline: Headline { punctuation: args.punct, granularity: args.granularity },
        sections: args.by.unwrap_or_else(|| match args.json || args.html.is_some() {
            _ if tags.is_some() => vec![BreakdownSection::Label, BreakdownSection::LabelConfusion],
            true => BreakdownSection::ALL.to_vec(),
            false => BreakdownSection::USUAL.to_vec(),
        }),
        samples: args.samples as usize,
        seed: args.seed,
        tags,
    };
    let report = Report::new(&gold, &systems, &options)?;
    if asked_for_confidence {
        let without = report.systems.iter().filter(|system| system.breakdowns.confidence.is_none());
        without.for_each(|system| {
            let expected = "`treebeam parse --confidences` writes them";
            eprintln!("warning: {}: no scored word has HeadConf or LabelConf in MISC; {expected}", system.path);
        });
    }
    for warning in report.warnings() {
        eprintln!("warning: {warning}");
    }
    if let Some(path) = &args.html {
        let mut output = Output::create(path)?;
        output.write_all(page(&report)?.as_bytes()).with_context(|| path.display().to_string())?;
        output.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = if args.json { serde_json::to_string_pretty(&report)? + "\n" } else { render(&report) };
    treebeam::console::output().write_all(text.as_bytes()).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}
