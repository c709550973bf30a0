//! `treebeam model freeze`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use crate::write_json_line;
use treebeam::decode::Parser;
use treebeam::error::{Error, Result};
use treebeam::eval::Counts;
use treebeam::files::{Output, Paths};
use treebeam::graph::GraphParser;
use treebeam::linear::Precision;
use treebeam::model::{Frozen as _, Size};
use treebeam::parser::{Loaded, SMALL_WEIGHTS};
use treebeam::training::{compare, development};
use treebeam::tree::Roots;
use treebeam::treebank::Treebank;

/// Options of `treebeam model freeze`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The bits of a weight; as many as it has if not given
    #[arg(long, value_enum)]
    quantise: Option<Quantise>,
    /// Leave out weights that are nearer to 0 than this, or, with `auto`, as many of the small ones as cost at most 0.02 LAS on the
    /// treebank of --test
    #[arg(long, value_name = "THRESHOLD", value_parser = Prune::parse)]
    prune: Option<Prune>,
    /// `--quantise i8 --prune 1`, unless these say otherwise, and a table of features that is nearly full, for linear models
    #[arg(long)]
    small: bool,
    /// Parse this treebank with both models and print what changes
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// The width to parse with; by default the model's own
    #[arg(long, value_name = "B", requires = "test", value_parser = crate::range::beam)]
    beam: Option<usize>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A model before or after, as JSON.
#[derive(Serialize)]
struct FrozenSide<'a> {
    model: &'a Path,
    features: usize,
    weights: usize,
    /// Of the file, if it is a regular one.
    bytes: Option<u64>,
    /// The scores of the treebank it was tried on, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    uas: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    las: Option<f64>,
}

impl<'a> FrozenSide<'a> {
    fn new(model: &'a Path, size: Size, score: Option<Counts>) -> FrozenSide<'a> {
        let bytes = std::fs::metadata(model).ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
        let Size { features, weights, .. } = size;
        let (uas, las) = (score.map(|score| score.uas()), score.map(|score| score.las()));
        FrozenSide { model, features, weights, bytes, uas, las }
    }
}

/// Effects of freezing, as JSON.
#[derive(Serialize)]
struct Change<'a> {
    before: FrozenSide<'a>,
    after: FrozenSide<'a>,
    /// The treebank that both parsed, and its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Quantise {
    /// 16 bits
    I16,
    /// 8 bits
    I8,
}

/// Weights to leave out.
#[derive(Debug, Clone, Copy)]
enum Prune {
    Below(f64),
    Auto,
}

impl Prune {
    fn parse(text: &str) -> std::result::Result<Prune, String> {
        match text.parse() {
            Ok(least) if (0.0..=1e6).contains(&least) => Ok(Prune::Below(least)),
            _ if text == "auto" => Ok(Prune::Auto),
            _ => Err("expected a number from 0 to 1,000,000, or `auto`".to_owned()),
        }
    }
}

/// The least threshold that `auto` tries; each further one is twice as large.
const FIRST: f64 = 0.001;
/// The greatest.
const LAST: f64 = 64.0;
/// Greatest loss by `auto`, in points of the labelled attachment score.
const MAY_COST: f64 = 0.02;

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut paths = Paths::default().input(&args.model);
    if let Some(test) = &args.test {
        paths = paths.input(test);
    }
    let _ = paths.output(&args.output)?;
    // Fails now rather than after parsing if the model cannot be written.
    Output::check(&args.output)?;
    let mut model = Loaded::read(&args.model)?;
    let target = model.target();
    let read = |path| Ok::<_, Error>(Treebank::read(path, None)?.for_target(target).into_owned());
    let test = args.test.as_deref().map(read).transpose()?;
    let had = model.precision();
    let precision = match args.quantise {
        None if args.small => Precision::I8,
        None => had,
        Some(Quantise::I16) => Precision::I16,
        Some(Quantise::I8) => Precision::I8,
    };
    let score_of = |model: &Loaded| test.as_ref().map(|test| score(model, test, args.beam)).transpose();
    let refused = |error| anyhow::anyhow!("{}: {error}", args.model.display());
    model.check_precision(precision).map_err(refused)?;
    let before = score_of(&model)?;
    let was = model.size();
    model = model.quantise(precision).map_err(refused)?;
    let mut after = None;
    if let Some(prune) = args.prune.or(args.small.then_some(Prune::Below(SMALL_WEIGHTS))) {
        let score = if precision == had { before } else { score_of(&model)? };
        let below = match prune {
            Prune::Below(below) => below,
            Prune::Auto => {
                let Some(score) = score else {
                    anyhow::bail!(
                        "--prune auto looks for what costs next to nothing; expected --test FILE to try it on"
                    )
                };
                let mut below = 0.0;
                let tried =
                    std::iter::successors(Some(FIRST), |below| Some(2.0 * below)).take_while(|&below| below <= LAST);
                for next in tried {
                    let after = score_of(&model.clone().prune(next, false)?)?;
                    if after.is_some_and(|after| score.las() - after.las() > MAY_COST) {
                        break;
                    }
                    below = next;
                }
                below
            }
        };
        model = model.prune(below, args.small).map_err(refused)?;
        after = score_of(&model)?;
        if let (Some(before), Some(after), Some(test), Some(pruned)) = (score, after, &test, model.pruned()) {
            pruned.las = Some((before.las(), after.las(), test.sha256.clone()));
        }
    }
    let is = model.size();
    model.write_file(&args.output)?;
    let after = if after.is_some() { after } else { score_of(&model)? };
    let n_words = before.map(|before| before.tokens);
    let [before, after] =
        [(&args.model, was, before), (&args.output, is, after)].map(|(m, size, s)| FrozenSide::new(m, size, s));
    let mut out = treebeam::console::output();
    if args.json {
        let test = args.test.as_deref();
        write_json_line(&mut out, &Change { before, after, test, words: n_words })?;
        return Ok(ExitCode::SUCCESS);
    }
    let bytes = |side: &FrozenSide| side.bytes.map_or("?".to_owned(), |bytes| bytes.to_string());
    writeln!(out, "{:<10}{:>12}{:>12}", "", "before", "after")?;
    writeln!(out, "{:<10}{:>12}{:>12}", "features", before.features, after.features)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "weights", before.weights, after.weights)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "bytes", bytes(&before), bytes(&after))?;
    let scores = [("UAS", before.uas, after.uas), ("LAS", before.las, after.las)];
    let of_tags = scores
        .map(|(name, before, after)| if name == "LAS" { ("accuracy", before, after) } else { (name, None, None) });
    for (name, before, after) in if target.is_some() { of_tags } else { scores } {
        if let (Some(before), Some(after)) = (before, after) {
            writeln!(out, "{name:<10}{before:>12.2}{after:>12.2}  {:+.2}", after - before)?;
        }
    }
    if let (Some(test), Some(n_words)) = (test, n_words) {
        writeln!(out, "over {n_words} words of {}, punctuation included, full labels", test.path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Correct heads and labels of what the model makes of `test`.
fn score(model: &Loaded, test: &Treebank, beam: Option<usize>) -> Result<Counts> {
    let (parsed, gold) = match model {
        Loaded::Transitions(model) => {
            let mut parser = Parser::new(model, beam.unwrap_or(model.header.beam), 1)?;
            let gold = development(Some(test), Roots::Several, model.label_decoding.labels(), model.scorer.columns())?;
            (parser.parse(&test.sentences, 1), gold)
        }
        Loaded::Graph(model) => {
            let gold = development(Some(test), Roots::Several, model.label_decoding.labels(), &model.columns)?;
            (GraphParser::new(model, 1)?.parse(&test.sentences)?.into_iter().map(|tree| vec![tree]).collect(), gold)
        }
    };
    Ok(gold.iter().zip(&parsed).map(|((_, gold), parsed)| compare(gold, &parsed[0].tree)).sum())
}
