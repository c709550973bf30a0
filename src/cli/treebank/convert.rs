//! `treebeam treebank convert`.

use crate::files::Output;
use crate::treebank::convert::{Dropped, write};
use crate::treebank::{Format, Reader};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `treebeam treebank convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file to convert
    file: PathBuf,
    /// Where to write; the same file is allowed
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Read the file as this format
    #[arg(long)]
    from: Option<Format>,
    /// Write this format; otherwise the output's name decides, and if it does not tell, nothing is converted
    #[arg(long)]
    to: Option<Format>,
    /// Repair carriage returns, a byte order mark, needless blank lines and a missing blank line at the end
    #[arg(long)]
    fix: bool,
}

/// Converts, and says on standard error what was lost.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut reader = Reader::open(&args.file, args.from)?;
    let to = args.to.or(Format::of_path(&args.output)).unwrap_or(reader.format());
    let mut output = Output::create(&args.output)?;
    if args.fix {
        reader = reader.repairing();
    }
    let mut dropped = Dropped::default();
    for sentence in reader {
        write(&sentence?, to, &mut output, &mut dropped)?;
    }
    output.finish()?;
    if !dropped.is_empty() {
        eprintln!("{}: {dropped}", args.file.display());
    }
    Ok(ExitCode::SUCCESS)
}
