//! `treebeam model freeze`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::write_json_line;
use crate::decode::Parser;
use crate::error::Result;
use crate::eval::Counts;
use crate::files::{Output, Paths};
use crate::graph::{GraphModel, GraphParser, GraphScorer};
use crate::linear::Precision;
use crate::model::{Frozen as _, Model, Size};
use crate::parser::Loaded;
use crate::scorers::AnyScorer;
use crate::training::prepare::{compare, development};
use crate::treebank::Treebank;

/// Options of `treebeam model freeze`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The bits of a weight; as many as it was trained with if not given
    #[arg(long, value_enum)]
    quantise: Option<Quantise>,
    /// Parse this treebank with both models and print what changes
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// The width to parse with; by default the model's own
    #[arg(long, value_name = "B", value_parser = crate::cli::range::beam())]
    beam: Option<usize>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A model before or after, as JSON.
#[derive(Serialize)]
struct Told<'a> {
    model: &'a Path,
    features: usize,
    weights: usize,
    /// Of the file, where that can be told.
    bytes: Option<u64>,
    /// The scores of the treebank it was tried on, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    uas: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    las: Option<f64>,
}

impl<'a> Told<'a> {
    fn new(model: &'a Path, size: Size, score: Option<Counts>) -> Told<'a> {
        let bytes = std::fs::metadata(model).ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
        let Size { features, weights, .. } = size;
        let (uas, las) = (score.map(|score| score.uas()), score.map(|score| score.las()));
        Told { model, features, weights, bytes, uas, las }
    }
}

/// What freezing changes, as JSON.
#[derive(Serialize)]
struct Change<'a> {
    before: Told<'a>,
    after: Told<'a>,
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

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut paths = Paths::default().input(&args.model);
    if let Some(test) = &args.test {
        paths = paths.input(test);
    }
    let _ = paths.output(&args.output)?;
    // Fails now rather than after parsing if the model cannot be written.
    Output::check(&args.output)?;
    let precision = match args.quantise {
        None => Precision::Full,
        Some(Quantise::I16) => Precision::I16,
        Some(Quantise::I8) => Precision::I8,
    };
    let test = args.test.as_deref().map(|test| Treebank::read(test, None)).transpose()?;
    let mut model = Loaded::read(&args.model)?;
    let before = test.as_ref().map(|test| score(&model, test, args.beam)).transpose()?;
    let was = sizes_of(&model);
    model = quantise(model, precision)?;
    let is = sizes_of(&model);
    write(&model, &args.output)?;
    let after = test.as_ref().map(|test| score(&model, test, args.beam)).transpose()?;
    let n_words = before.map(|before| before.tokens);
    let [before, after] =
        [(&args.model, was, before), (&args.output, is, after)].map(|(m, size, s)| Told::new(m, size, s));
    let mut out = std::io::stdout().lock();
    if args.json {
        let test = args.test.as_deref();
        write_json_line(&mut out, &Change { before, after, test, words: n_words })?;
        return Ok(ExitCode::SUCCESS);
    }
    let bytes = |told: &Told| told.bytes.map_or("?".to_owned(), |bytes| bytes.to_string());
    writeln!(out, "{:<10}{:>12}{:>12}", "", "before", "after")?;
    writeln!(out, "{:<10}{:>12}{:>12}", "features", before.features, after.features)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "weights", before.weights, after.weights)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "bytes", bytes(&before), bytes(&after))?;
    for (name, before, after) in [("UAS", before.uas, after.uas), ("LAS", before.las, after.las)] {
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
            let gold =
                development(Some(test), model.header.roots, model.label_decoding.labels(), model.scorer.columns())?;
            (parser.parse(&test.sentences, 1), gold)
        }
        Loaded::Graph(model) => {
            let gold = development(Some(test), model.header.roots, model.label_decoding.labels(), &model.columns)?;
            (GraphParser::new(model, 1)?.parse(&test.sentences)?.into_iter().map(|tree| vec![tree]).collect(), gold)
        }
    };
    Ok(gold.iter().zip(&parsed).map(|((_, gold), parsed)| compare(gold, &parsed[0].tree)).sum())
}

fn sizes_of(model: &Loaded) -> Size {
    match model {
        Loaded::Transitions(model) => model.scorer.size(),
        Loaded::Graph(model) => model.scorer.size(),
    }
}

fn quantise(model: Loaded, precision: Precision) -> anyhow::Result<Loaded> {
    Ok(match model {
        Loaded::Transitions(model) => {
            let model = Arc::unwrap_or_clone(model);
            let scorer = match model.scorer {
                AnyScorer::Linear(linear) => AnyScorer::Linear(linear.quantise(precision)),
                AnyScorer::FeedForward(network) => AnyScorer::FeedForward(network.quantise(precision)),
            };
            Loaded::Transitions(Arc::new(Model { scorer, ..model }))
        }
        Loaded::Graph(model) => {
            let model = Arc::unwrap_or_clone(model);
            let scorer = match model.scorer {
                GraphScorer::Linear(weights) if weights.precision() != precision => {
                    GraphScorer::Linear(weights.quantise(precision))
                }
                GraphScorer::Biaffine(_) if precision != Precision::Full => {
                    anyhow::bail!("--quantise is for linear models and networks of transition systems; leave it out")
                }
                other => other,
            };
            Loaded::Graph(Arc::new(GraphModel { scorer, ..model }))
        }
    })
}

fn write(model: &Loaded, path: &Path) -> Result<()> {
    match model {
        Loaded::Transitions(model) => model.write(path),
        Loaded::Graph(model) => model.write(path),
    }
}
