//! `treebeam oracle coverage`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rayon::prelude::*;
use std::io::Write;

use super::{percent, roots_for, roots_name, roots_of_trees};
use crate::write_json_line;
use treebeam::console::Harmless;
use treebeam::files::{Output, Paths};
use treebeam::system::{Coverage, Roots, SystemKind};
use treebeam::tree::{Gold, Labels};
use treebeam::treebank::{Format, Treebank};

/// Options of `treebeam oracle coverage`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Treebanks in CoNLL-U or CoNLL-X, each counted for itself; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The system whose derivations to count
    #[arg(long, required_unless_present = "all", conflicts_with = "all")]
    system: Option<SystemKind>,
    /// Count the derivations of every system
    #[arg(long)]
    all: bool,
    /// Number of words that may hang on the root; by default as many as the file's format allows
    #[arg(long)]
    roots: Option<Roots>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Print one JSON object a line for each file and system
    #[arg(long)]
    json: bool,
}

/// A line of the output as JSON.
#[derive(serde::Serialize)]
struct Line<'a> {
    path: &'a str,
    system: &'static str,
    roots: &'static str,
    #[serde(flatten)]
    coverage: Coverage,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let systems = match args.system {
        Some(system) => vec![system],
        // Systems that do not have the setting asked for cannot be counted under it.
        None => SystemKind::all()
            .iter()
            .copied()
            .filter(|kind| args.roots.is_none_or(|roots| kind.roots().contains(&roots)))
            .collect(),
    };
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = Harmless::new(Output::create(Path::new("-"))?);
    if !args.json {
        writeln!(output, "system\ttrees\trebuilt\t%\tarcs\tmade\t%\tfile")?;
    }
    for path in &args.files {
        let treebank = Treebank::read(path, args.format)?;
        let valid_roots = roots_of_trees(args.roots, treebank.format.roots());
        let mut labels = Labels::default();
        let trees = treebank.trees(valid_roots, &mut labels)?;
        let golds: Vec<Gold> = trees.into_iter().map(Gold::new).collect();
        for &kind in &systems {
            let roots = roots_for(kind, args.roots, valid_roots)?;
            treebank.sentences.iter().try_for_each(|sentence| kind.check_training_length(sentence))?;
            let of_gold = |gold: &Gold| Coverage::of(kind, roots, gold, labels.len());
            let coverage: Coverage = golds.par_iter().map(of_gold).sum();
            let path = &path.display().to_string();
            if args.json {
                let line = Line { path, system: kind.name(), roots: roots_name(roots), coverage };
                write_json_line(&mut output, &line)?;
                continue;
            }
            let Coverage { trees, rebuilt, arcs, made } = coverage;
            let (of_trees, of_arcs) = (percent(rebuilt, trees.max(1)), percent(made, arcs.max(1)));
            writeln!(output, "{kind}\t{trees}\t{rebuilt}\t{of_trees:.2}\t{arcs}\t{made}\t{of_arcs:.2}\t{path}")?;
        }
    }
    output.into_inner().finish()?;
    Ok(ExitCode::SUCCESS)
}
