//! `treebeam treebank stats`.

use crate::write_json_line;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treebeam::console::Harmless;
use treebeam::files::{Output, Paths};
use treebeam::treebank::{Format, Reader, Stats};

/// Options of `treebeam treebank stats`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files to count, each for itself
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Print one JSON object a line, with the count of each label
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Record {
    path: String,
    #[serde(flatten)]
    stats: Stats,
}

/// Prints the counts of each file.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = Harmless::new(Output::create(Path::new("-"))?);
    if !args.json {
        writeln!(
            output,
            "sentences\twords\tranges\tempty\tlongest\tnon-projective sentences\t%\tnon-projective arcs\t%\troots\t\
             several roots\tlabels\tfile"
        )?;
    }
    for path in &args.files {
        let mut stats = Stats::default();
        for sentence in Reader::open(path, args.format)? {
            stats.add(&sentence?)?;
        }
        let path = path.display().to_string();
        if args.json {
            write_json_line(&mut output, &Record { path, stats })?;
        } else {
            writeln!(
                output,
                "{}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{}\t{:.2}\t{}\t{}\t{}\t{path}",
                stats.n_sentences,
                stats.n_words,
                stats.n_ranges,
                stats.n_empty_nodes,
                stats.longest,
                stats.n_non_projective_sentences,
                stats.non_projective_sentences_percent(),
                stats.n_non_projective_arcs,
                stats.non_projective_arcs_percent(),
                stats.n_roots,
                stats.n_multi_root_sentences,
                stats.labels.len()
            )?;
        }
    }
    output.into_inner().finish()?;
    Ok(ExitCode::SUCCESS)
}
