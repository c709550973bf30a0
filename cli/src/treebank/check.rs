//! `treebeam treebank check`.

use crate::write_json_line;
use anyhow::bail;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treebeam::console::Harmless;
use treebeam::error::{Problems, counted, remaining};
use treebeam::files::{Output, Paths};
use treebeam::tree::Roots;
use treebeam::treebank::{Format, Reader, Validator};

/// Options of `treebeam treebank check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 0 if nothing is wrong, 2 if anything is or a file cannot be read, however much of the list is read.

Examples:
  treebeam treebank check train.conllu
  treebeam treebank check --level 2 --json UD_Basque-BDT/*.conllu
  treebeam treebank check --unannotated untagged.conllu.gz")]
pub struct Args {
    /// Files to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Check CoNLL-U as Universal Dependencies' validator (udtools 0.2.9) does at its levels 1 (the file's format) or 2 (also
    /// comments, tags, features, labels, trees and enhanced graphs); all files are one treebank [default: what treebeam itself needs: format and basic tree]
    #[arg(long, value_name = "LEVEL", value_parser = crate::range::whole::<u8>(1..=2))]
    level: Option<u8>,
    /// Number of words that may hang on the root [default: as many as the file's format allows]
    #[arg(long)]
    roots: Option<Roots>,
    /// Heads and labels may be missing; heads that are there must be words of the sentence
    #[arg(long)]
    unannotated: bool,
    /// List no more than this many problems of each kind in a file; the others are counted
    #[arg(long, value_name = "N", default_value_t = Problems::LIMIT as u32,
          value_parser = crate::range::whole::<u32>(1..=1_000_000))]
    most: u32,
    /// Print one JSON object a line for each file: its problems, and how many more there are of each kind
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct FileReport<'p> {
    path: String,
    format: Format,
    level: Option<u8>,
    sentences: usize,
    n_problems: usize,
    problems: Vec<Listed<'p>>,
    /// The number of problems that are not listed, by rule.
    more: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Listed<'p> {
    line: usize,
    sentence: Option<&'p str>,
    rule: &'static str,
    level: u8,
    found: &'p str,
    expected: &'p str,
}

/// Lists the problems on standard output, one a line. The exit code says if there are any even if nobody reads
/// the list to its end.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = Some(Output::create(Path::new("-"))?);
    let (mut n_sentences, mut n_problems) = (0, 0);
    // The files of a call are one treebank: no id is in two of them.
    let mut validator = args.level.map(Validator::new);
    for path in &args.files {
        let (format, sentences, problems) = check(path, args, &mut validator)?;
        n_sentences += sentences;
        n_problems += problems.len();
        if let Some(to) = &mut output {
            let written = match args.json {
                true => write_json(path, format, args.level, sentences, &problems, &mut Harmless::new(to)),
                false => write_lines(path, &problems, to),
            };
            if is_closed(written)? {
                output = None;
            }
        }
    }
    if let Some(to) = output {
        match to.finish() {
            Err(treebeam::error::Error::Io { source, .. }) => _ = is_closed(Err(source))?,
            result => result?,
        }
    }
    let [files, sentences, problems] =
        [(args.files.len(), "file"), (n_sentences, "well-formed sentence"), (n_problems, "problem")]
            .map(|(n, what)| counted(n, what));
    treebeam::console::note(format_args!("{files}, {sentences}, {problems}"));
    Ok(if n_problems == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// The file's format, the number of its well-formed sentences, and its problems.
fn check(path: &Path, args: &Args, validator: &mut Option<Validator>) -> anyhow::Result<(Format, usize, Problems)> {
    let mut reader = Reader::open(path, args.format)?;
    let format = reader.format();
    if args.level.is_some() && format != Format::Conllu {
        bail!("{}: --level is for CoNLL-U; leave it out for other formats", path.display());
    }
    let roots = args.roots.unwrap_or(format.roots());
    let roots = (!args.unannotated).then_some(roots);
    let mut problems = Problems::new(args.most as usize);
    let mut n_sentences = 0;
    while let Some(step) = reader.step()? {
        let mut of_block = step.problems;
        if let Some(sentence) = step.sentence {
            n_sentences += 1;
            match (&mut *validator, roots) {
                (Some(validator), roots) => validator.check(&sentence, roots, &mut of_block),
                (None, Some(roots)) => of_block.append(sentence.annotation_problems(roots)),
                (None, None) => sentence.check_given_heads(&mut of_block),
            }
            of_block.sort();
        }
        problems.append(of_block);
    }
    Ok((format, n_sentences, problems))
}

fn write_lines(path: &Path, problems: &Problems, output: &mut impl Write) -> io::Result<()> {
    for (_, problem) in problems.kept() {
        writeln!(output, "{}", on_one_line(&problem.to_string()))?;
    }
    for (rule, more) in problems.more() {
        writeln!(output, "{}: {}", on_one_line(&path.display().to_string()), remaining(rule, more))?;
    }
    Ok(())
}

fn write_json(
    path: &Path,
    format: Format,
    level: Option<u8>,
    sentences: usize,
    problems: &Problems,
    output: &mut impl Write,
) -> io::Result<()> {
    let listed = problems.kept().iter().map(|(rule, problem)| Listed {
        line: problem.location.line,
        sentence: problem.location.sentence.as_deref(),
        rule: rule.name(),
        level: rule.level(),
        found: &problem.found,
        expected: &problem.expected,
    });
    let report = FileReport {
        path: path.display().to_string(),
        format,
        level,
        sentences,
        n_problems: problems.len(),
        problems: listed.collect(),
        more: problems.more().map(|(rule, more)| (rule.name().to_owned(), more.into())).collect(),
    };
    write_json_line(output, &report)
}

/// True if the reader of the output went away; other errors are passed on.
fn is_closed(written: io::Result<()>) -> anyhow::Result<bool> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Text on one line: what was found may hold control characters.
fn on_one_line(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}
