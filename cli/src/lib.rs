//! The command line: one file per subcommand.
//!
//! Data go to standard output, everything else to standard error. Exit codes: 0 all right, 1 a check failed, 2 an error.

/// The standard library's macro of this name panics when standard error is closed, and with it whatever was running. This
/// one takes its place in the whole crate.
macro_rules! eprintln {
    ($($argument:tt)*) => { treebeam::console::say(format_args!($($argument)*)) };
}

mod allocator;
#[cfg(target_os = "linux")]
mod closed;
mod combine;
mod draw;
mod eval;
mod experiment;
mod features;
mod manual;
mod model;
mod oracle;
mod parse;
mod range;
mod reference;
mod report;
mod sentence;
mod shell;
mod signals;
mod stubs;
mod templates;
mod trace;
mod train;
mod treebank;

use clap::{Parser, Subcommand};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use treebeam::treebank::Format;

pub use allocator::{Allocator, return_large_arrays};
#[cfg(target_os = "linux")]
use closed::stdout_was_closed;
pub use signals::clean_up_on_signals;

/// Elsewhere nobody looks.
#[cfg(not(target_os = "linux"))]
fn stdout_was_closed() -> bool {
    false
}

/// Transition-based dependency parsing: global training with beams against greedy training with exploration.
#[derive(Debug, Parser)]
#[command(name = "treebeam", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say nothing on standard error but warnings and errors
    #[arg(long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Train a parser on a treebank
    Train(Box<train::Args>),
    /// Parse or tag CoNLL-U or CoNLL-X with trained models
    ///
    /// A parser changes only HEAD and DEPREL, and leaves out the enhanced graph, which would be stale: DEPS becomes `_` and empty nodes go,
    /// unless --enhanced keep is given. A tagger fills its column of tags. The input's values in these columns are read only with
    /// --keep-heads and --keep-labels.
    #[command(visible_alias = "tag")]
    Parse(parse::Args),
    /// Score a parsed file against the gold file, or two of them against each other
    ///
    /// Scores are shown with and without punctuation, with and without subtypes of labels; --punct and --granularity choose which of them
    /// breakdowns, intervals and tests are about. Files that do not hold the same words, words without a head and cycles are errors (exit
    /// code 2). Several roots in a sentence are accepted, and counted.
    Eval(eval::Args),
    /// Combine several parsers' trees of the same words to one tree, by votes
    ///
    /// Every file votes for its arcs, and the tree with most votes is found exactly (Sagae & Lavie 2006). Labels are voted for by the files
    /// that have the arc. The first file decides ties. Files that do not hold the same words are errors (exit code 2). In CoNLL-U one
    /// word hangs on the root, even if the files have several.
    Combine(combine::Args),
    /// Draw trees, or two trees of the same words with their differences: SVG, LaTeX, text, or a page of all
    ///
    /// The first of two trees stands above the words, the second beneath them. Arcs of words with different heads are dashed, labels that
    /// differ under the same head are framed, and the scores of the second tree against the first are written below. Columns are read from
    /// the first file. Scripts that are written from right to left are drawn so.
    ///
    /// The ending of --output says what is written: .svg, .html, .tex (for the package tikz-dependency), .txt; other
    /// endings are refused. A page has all sentences of the files, or those that differ, to browse: the worst first.
    /// The first of several files counts as gold.
    Draw(draw::Args),
    /// Watch a beam: how a sentence is parsed, item by item, as a page or as JSON
    ///
    /// The page of HTML needs no network. If the sentence has a tree, that is taken for gold: then the page also shows at which step the
    /// gold derivation falls off the beam, how far behind it is, and whether the search or the model is to blame.
    Trace(trace::Args),
    /// Verify oracles by exhaustive search, show derivations
    #[command(subcommand)]
    Oracle(oracle::Command),
    /// List feature sets, show the features of a configuration
    #[command(subcommand)]
    Features(features::Command),
    /// Check, count, convert, split, compare or generate treebanks
    #[command(subcommand)]
    #[command(after_help = "Files ending in .gz or .zst are packed; `-` is standard input or output. \
        .conllu is CoNLL-U, .conllx and .conll are CoNLL-X; what has no such name is read as CoNLL-U by default.")]
    Treebank(treebank::Command),
    /// Look into a model file, or into a folder of them
    #[command(subcommand)]
    Model(model::Command),
    /// Run experiments and print their tables
    #[command(subcommand)]
    Experiment(experiment::Command),
    /// Write all results as one page of HTML that needs nothing else, and an index of them in Markdown
    ///
    /// The page opens with the answer to the question of greedy or global training, from the experiment that has rows of both: in each
    /// column the best greedy and the best global model are chosen on development data and compared on test data. Then comes a card for each
    /// experiment, with its details folded. Tables can be copied as TSV, CSV or LaTeX (booktabs), the points of charts as CSV.
    Report(report::Args),
    /// Print a script that completes commands and options in a shell
    Completions(manual::CompletionArgs),
    /// Write manual pages, one for each command
    Man(manual::ManArgs),
}

/// Parses the command line, runs the subcommand and reports errors; the exit code of the process.
pub fn main() -> ExitCode {
    if let Some(mut command) = manual::asked_for_everything(std::env::args_os().skip(1)) {
        return exit_code(command.print_long_help().map(|()| ExitCode::SUCCESS).map_err(Into::into));
    }
    let Cli { command, quiet } = match Cli::try_parse() {
        Ok(cli) => cli,
        // PERF: ranges, which only help shows, cost more instructions than to load a small model.
        Err(error) if is_help(&error) => return refused(&manual::command().try_get_matches().err().unwrap_or(error)),
        Err(error) => return refused(&error),
    };
    if quiet {
        treebeam::console::set_quiet();
    }
    let result = match command {
        Command::Train(args) => train::run(*args),
        Command::Parse(args) => parse::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Combine(args) => combine::run(&args),
        Command::Draw(args) => draw::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Oracle(command) => oracle::run(command),
        Command::Features(command) => features::run(command),
        Command::Treebank(command) => treebank::run(command),
        Command::Model(command) => model::run(command),
        Command::Experiment(command) => experiment::run(command),
        Command::Report(args) => report::run(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(&args),
    };
    exit_code(result)
}

/// True if the command line asks for help.
fn is_help(error: &clap::Error) -> bool {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand)
}

/// The exit code of a command line that is refused, or asked for help; an argument that it repeats is no command for the terminal.
fn refused(error: &clap::Error) -> ExitCode {
    let plain = error.to_string();
    match treebeam::console::harmless(&plain) {
        std::borrow::Cow::Borrowed(_) => error.exit(),
        std::borrow::Cow::Owned(harmless) => eprintln!("{}", harmless.trim_end()),
    }
    ExitCode::from(2)
}

/// The exit code of a command, and its error on standard error.
fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let is_lost = stdout_was_closed() && is_of(&error, ErrorKind::StorageFull);
            let why = if is_lost { "; standard output is closed: expected a file, a pipe or a terminal" } else { "" };
            eprintln!("error: {}{why}", message(&error));
            ExitCode::from(2)
        }
    }
}

/// The error with its causes, but for those that an error repeats in its own words.
fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// True if the reader of our output went away, which is success.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    is_of(error, ErrorKind::BrokenPipe)
}

/// True if the system gave this as a cause.
fn is_of(error: &anyhow::Error, kind: ErrorKind) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == kind))
}

/// Warns if the name of an output says that it is in another format than the one that is written.
fn warn_of_name(path: &Path, written: Format) {
    if let Some(named) = Format::of_path(path).filter(|named| *named != written) {
        let (path, [written, named]) = (path.display(), [written, named].map(Format::title));
        eprintln!(
            "warning: {path}: what is written is {written}, though the name says {named}; give it another name, or `treebeam treebank \
             convert` it"
        );
    }
}

/// Writes `value` as a line of JSON.
fn write_json_line(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    writeln!(output)
}

/// Tests know the transition systems by name.
#[cfg(test)]
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}
