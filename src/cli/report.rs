//! `treebeam report`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::files::Output;
use crate::report::page::{Base, Report};

/// Options of `treebeam report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of results: every NAME/PROFILE.json in it goes into the page
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// The page; its links to the files of results are relative to where it lies [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Experiments to begin with; the others follow in their usual order
    #[arg(long, value_name = "NAME", num_args = 1..)]
    order: Vec<String>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut report = Report::read(&args.results)?;
    report.begin_with(&args.order)?;
    let path = args.output.unwrap_or_else(|| args.results.join("report.html"));
    // What goes to standard output may end up anywhere; beside the results is the best guess.
    let base = match path == Path::new("-") {
        true => Base::same_folder(),
        false => Base::between(&path, &args.results, &std::env::current_dir().context("the current folder")?),
    };
    if !base.is_known() {
        eprintln!("no links to files: page and results have no folder in common that is here or holds the page");
    }
    let mut output = Output::create(&path)?;
    output.write_all(report.page(&base)?.as_bytes()).with_context(|| path.display().to_string())?;
    output.finish()?;
    let (n_experiments, n_documents) = report.counts();
    eprintln!("wrote {}: {n_experiments} experiments, {n_documents} documents", path.display());
    Ok(ExitCode::SUCCESS)
}
