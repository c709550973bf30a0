//! `treebeam treebank check`.

use crate::error::Problem;
use crate::files::Output;
use crate::tree::Roots;
use crate::treebank::{Format, Reader};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `treebeam treebank check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Let several words hang from the root in CoNLL-U too
    #[arg(long)]
    multi_root: bool,
    /// Check layout and structure only: heads and labels may be missing
    #[arg(long)]
    unannotated: bool,
}

/// Lists the problems on standard output, one a line.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut output = Output::create(Path::new("-"))?;
    let (mut n_sentences, mut n_problems) = (0, 0);
    for path in &args.files {
        let mut reader = Reader::open(path, args.format)?;
        let roots = if args.multi_root { Roots::Several } else { reader.format().roots() };
        while let Some(step) = reader.step()? {
            let mut problems = step.problems;
            if let Some(sentence) = step.sentence {
                n_sentences += 1;
                if !args.unannotated {
                    problems.extend(sentence.annotation_problems(roots));
                }
            }
            problems.sort_by_key(|problem| problem.location.line);
            n_problems += problems.len();
            for problem in problems {
                writeln!(output, "{}", on_one_line(&problem))?;
            }
        }
    }
    output.finish()?;
    eprintln!("{} files, {n_sentences} well-formed sentences, {n_problems} problems", args.files.len());
    Ok(if n_problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// What was found may hold anything, control characters included.
fn on_one_line(problem: &Problem) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    problem.to_string().chars().map(escape).collect()
}
