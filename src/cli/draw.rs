//! `treebeam draw`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;

use crate::draw::{Drawing, DrawnTree, column_by_name};
use crate::error::{Error, Location, Problem, Result};
use crate::eval::{Input, check_alignment};
use crate::files::{Output, Paths};
use crate::tree::ROOT;
use crate::treebank::{Column, Reader, Sentence};

const AFTER_HELP: &str = "\
With two files, the first file's tree stands above the words and the second's beneath them. Arcs of
words with different heads are dashed, labels that differ under the same head are framed, and the
scores of the second tree against the first are written below. Columns are read from the first file.

Examples:
  treebeam draw test.conllu --sentence 3 -o tree.svg
  treebeam draw test.conllu parsed.conllu --differ -o tree.svg
  treebeam parse --model en.model test.conllu | treebeam draw test.conllu - --differ=2 > tree.svg";

/// Options of `treebeam draw`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// A treebank in CoNLL-U or CoNLL-X; one of the files may be `-`, standard input
    file: PathBuf,
    /// Another with the same words, to be compared with the first
    other: Option<PathBuf>,
    /// The sentence with this id, or else this number, from 1 [default: 1]
    #[arg(long, value_name = "N|ID", conflicts_with_all = ["id", "differ"])]
    sentence: Option<String>,
    /// The sentence with this id, and none by its number
    #[arg(long, value_name = "ID", conflicts_with = "differ")]
    id: Option<String>,
    /// The first sentence whose trees differ, or the N-th
    #[arg(
        long, value_name = "N", value_parser = from_one, requires = "other",
        num_args = 0..=1, require_equals = true, default_missing_value = "1"
    )]
    differ: Option<usize>,
    /// The columns to write beneath each other under the arcs, such as form,lemma,upos,xpos,feats
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', default_value = "form,upos", value_parser = column)]
    columns: Vec<Column>,
    /// Leave the labels out
    #[arg(long)]
    no_labels: bool,
    /// Where to write the SVG
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

fn from_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "expected a number from 1".into())
}

fn column(name: &str) -> Result<Column, String> {
    column_by_name(name)
        .ok_or_else(|| "expected names of CoNLL-U's columns, such as form, lemma, upos, xpos or feats".into())
}

/// Runs the subcommand. The files are read as far as the sentence that is drawn.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let standard_input = Path::new("-");
    if args.file == standard_input && args.other.as_deref() == Some(standard_input) {
        bail!("only one of the files can be standard input");
    }
    let paths = args.other.iter().fold(Paths::default().input(&args.file), |paths, other| paths.input(other));
    let _ = paths.output(&args.output)?;
    let mut output = Output::create(&args.output)?;
    let found = find(&args)?;
    let drawing = Drawing {
        sentence: &found.sentence,
        number: found.number,
        columns: &args.columns,
        with_labels: !args.no_labels,
        tree: drawn(&found.input),
        other: found.other.as_ref().map(drawn),
    };
    output.write_all(drawing.svg().as_bytes()).map_err(Error::io(&args.output))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The sentence to draw, and what evaluation reads of it in each file.
struct Found {
    number: usize,
    sentence: Sentence,
    input: Input,
    other: Option<Input>,
}

/// Reads the files side by side up to the sentence that is asked for.
fn find(args: &Args) -> Result<Found> {
    let mut others = args.other.as_deref().map(|path| Reader::open(path, None)).transpose()?;
    let (mut number, mut n_differing) = (0, 0);
    let wanted = args.sentence.as_deref().unwrap_or("1");
    let mut by_number = None;
    for sentence in Reader::open(&args.file, None)? {
        let pair = sentence.and_then(|sentence| {
            number += 1;
            let other = match &mut others {
                None => None,
                Some(others) => match others.next() {
                    Some(other) => Some(other?),
                    None => return Err(ends_early(args, number - 1, &sentence).into()),
                },
            };
            Ok((sentence, other))
        });
        let (sentence, other) = match pair {
            Ok(pair) => pair,
            // What comes behind a sentence that was found is no obstacle.
            Err(_) if by_number.is_some() => break,
            Err(error) => return Err(error),
        };
        let found = || -> Result<Found> {
            let (input, other) = (input(&sentence)?, other.as_ref().map(input).transpose()?);
            if let Some(other) = &other {
                check_alignment(&input, other)?;
            }
            Ok(Found { number, sentence: sentence.clone(), input, other })
        };
        if let Some(wanted) = args.differ {
            let found = found()?;
            n_differing += usize::from(found.differs());
            if n_differing == wanted {
                return Ok(found);
            }
        } else if args.id.is_none() && args.sentence.is_none() || sentence.id() == args.id.as_deref().or(Some(wanted)) {
            return found();
        } else if args.id.is_none() && super::sentence::is_number(wanted, number) {
            by_number = Some(found()?);
        }
    }
    by_number.ok_or_else(|| not_found(args, number, n_differing))
}

impl Found {
    fn differs(&self) -> bool {
        self.other.as_ref().is_some_and(|other| drawn(other).analysis != drawn(&self.input).analysis)
    }
}

/// A file of this sentence alone, as evaluation reads it: words are compared and trees checked as `treebeam eval` does.
fn input(sentence: &Sentence) -> Result<Input, Problem> {
    Input::of_sentences(sentence.source(), [sentence])
}

fn drawn(input: &Input) -> DrawnTree<'_> {
    let name = if input.path == "-" { "standard input" } else { &input.path };
    DrawnTree { name, analysis: input.sentences[0].analysis() }
}

fn ends_early(args: &Args, n_sentences: usize, sentence: &Sentence) -> Problem {
    let path = args.other.as_deref().unwrap_or(Path::new("-")).display().to_string();
    Problem {
        location: Location { path, line: 0, sentence: None },
        found: format!("the end of the file after {n_sentences} sentences"),
        expected: format!("the sentence at {}", sentence.location(ROOT)),
    }
}

fn not_found(args: &Args, n_sentences: usize, n_differing: usize) -> Error {
    let path = args.file.display();
    Error::Usage(match (args.differ, &args.id) {
        (Some(_), _) if n_differing == 0 => {
            let other = args.other.as_deref().unwrap_or(Path::new("-")).display();
            format!("{path} and {other} have the same trees in all {n_sentences} sentences")
        }
        (Some(wanted), _) => {
            format!("--differ={wanted}: the trees of only {n_differing} of {n_sentences} sentences differ")
        }
        (None, Some(id)) => format!("{path}: no sentence with the id `{id}` among {n_sentences}"),
        (None, None) => {
            let wanted = args.sentence.as_deref().unwrap_or("1");
            return super::sentence::not_found(&path.to_string(), wanted, n_sentences);
        }
    })
}
