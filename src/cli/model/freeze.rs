//! `treebeam model freeze`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

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
    let mut out = std::io::stdout().lock();
    let sizes = [&args.model, &args.output].map(|path| size(path));
    writeln!(out, "{:<10}{:>12}{:>12}", "", "before", "after")?;
    writeln!(out, "{:<10}{:>12}{:>12}", "features", was.features, is.features)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "weights", was.weights, is.weights)?;
    writeln!(out, "{:<10}{:>12}{:>12}", "bytes", sizes[0], sizes[1])?;
    if let (Some(test), Some(before)) = (test, before) {
        let after = score(&model, &test, args.beam)?;
        writeln!(out, "{:<10}{:>12.2}{:>12.2}  {:+.2}", "UAS", before.uas(), after.uas(), after.uas() - before.uas())?;
        writeln!(out, "{:<10}{:>12.2}{:>12.2}  {:+.2}", "LAS", before.las(), after.las(), after.las() - before.las())?;
        writeln!(out, "over {} words of {}, punctuation included, full labels", before.tokens, test.path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The size of a file in bytes, as far as it can be told.
fn size(path: &Path) -> String {
    std::fs::metadata(path).map_or("?".to_owned(), |metadata| metadata.len().to_string())
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
