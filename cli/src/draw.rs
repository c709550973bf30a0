//! `treebeam draw`.

mod find;
mod format;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

use treebeam::error::{Error, Result};
use treebeam::files::{Output, Paths};
use treebeam::treebank::{Column, check_length};
use treebeam_lab::draw::{Drawing, Page, column_by_name};

use find::{AlignedSentence, Files, name};
use format::Format;

/// The width of pictures in pixels, and of lines in characters, if nothing else is asked for.
const WIDTH: u32 = 1200;
const LINE: u32 = 100;

const AFTER_HELP: &str = "\
With two files, the first file's tree stands above the words and the second's beneath them. Arcs of
words with different heads are dashed, labels that differ under the same head are framed, and the
scores of the second tree against the first are written below. Columns are read from the first file.

A page has all sentences of the files, or those that differ: the worst first, by what labels are
taken for, those in which two parsers differ. The first of several files counts as gold.

The ending of --output chooses the format: .svg, .html, .tex (tikz-dependency), .txt.

Examples:
  treebeam draw test.conllu --sentence 3 -o tree.svg
  treebeam draw test.conllu parsed.conllu --differ -o tree.svg
  treebeam draw test.conllu greedy.conllu beam.conllu -o errors.html
  treebeam draw test.conllu --sentence weblog-7 --format text
  treebeam parse --model en.model test.conllu | treebeam draw test.conllu - --differ=2 > tree.svg";

/// Options of `treebeam draw`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// A treebank in CoNLL-U or CoNLL-X; one of the files may be `-`, standard input
    file: PathBuf,
    /// Another with the same words, to be compared with the first
    other: Option<PathBuf>,
    /// A third, as of another parser, for a page
    third: Option<PathBuf>,
    /// The sentence with this id, or else this number, from 1 [default: 1; a page has all]
    #[arg(long, value_name = "N|ID", conflicts_with = "differ")]
    sentence: Option<String>,
    /// The first sentence whose trees differ, or the N-th; a page has all of them
    #[arg(
        long, value_name = "N", value_parser = from_one, requires = "other",
        num_args = 0..=1, require_equals = true
    )]
    differ: Option<Option<usize>>,
    /// The columns to write beneath each other under the arcs, such as form,lemma,upos,xpos,feats
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',', default_value = "form,upos", value_parser = column)]
    columns: Vec<Column>,
    /// Leave the labels out
    #[arg(long)]
    no_labels: bool,
    /// Width of a row, in pixels, or of lines in characters; longer sentences continue in another row; 0 is unlimited [default: 1200; lines
    /// as wide as the terminal]
    #[arg(long, value_name = "N", value_parser = super::range::whole::<u32>(0..=u32::MAX.into()))]
    width: Option<u32>,
    /// Format of the drawing [default: by the ending of --output; SVG to pipes, text to terminals]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// With tikz: a document that can be compiled as it stands, not the environment alone
    #[arg(long)]
    standalone: bool,
    /// File to write to
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

/// Runs the subcommand. For a picture, the files are read as far as the sentence that is drawn.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let files: Vec<&PathBuf> = std::iter::once(&args.file).chain(&args.other).chain(&args.third).collect();
    let paths = Paths::default().inputs(&files);
    let _ = paths.output(&args.output)?;
    let format = args.format.map_or_else(|| Format::of(&args.output), Ok)?;
    if args.standalone && format != Format::Tikz {
        bail!("--standalone is for LaTeX; expected --format tikz with it, or an output that ends in .tex");
    }
    if let (Some(third), true) = (&args.third, format != Format::Html) {
        bail!(
            "{}: one file too many for a picture, which compares two trees; expected an output that ends in .html, or --format html",
            third.display()
        );
    }
    if let Some(named) = Format::named(&args.output).filter(|named| *named != format) {
        let [written, named] = [format, named].map(Format::title);
        eprintln!("warning: {}: what is written is {written}, though the name says {named}", args.output.display());
    }
    let mut output = Output::create(&args.output)?;
    let files = Files::open(files.into_iter().cloned().collect())?;
    let text = if format == Format::Html { page(&args, files)? } else { picture(&args, format, files)? };
    output.write_all(text.as_bytes()).map_err(Error::io(&args.output))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The sentence that is asked for, if it is one.
fn wanted(args: &Args, files: &mut Files) -> Option<Result<AlignedSentence>> {
    match (&args.sentence, args.differ) {
        (Some(name), _) => Some(files.named(name)),
        (_, Some(Some(n))) => Some(files.differing(n)),
        _ => None,
    }
}

/// A picture of more words nobody can look at, and it grows with the square of them.
const MOST_WORDS: usize = 2000;

fn picture(args: &Args, format: Format, mut files: Files) -> Result<String> {
    let found = match wanted(args, &mut files) {
        Some(found) => found?,
        None if args.differ.is_some() => files.differing(1)?,
        None => files.first()?,
    };
    check_length(&found.sentence, MOST_WORDS, || {
        format!("at most {MOST_WORDS} to be drawn; `treebeam treebank convert --cut 100` divides it")
    })?;
    let mut trees = found.trees();
    let tree = trees.next().unwrap_or_else(|| unreachable!("there is a first file"));
    let drawing = Drawing {
        sentence: &found.sentence,
        number: found.number,
        columns: &args.columns,
        with_labels: !args.no_labels,
        width: Some(args.width.unwrap_or(WIDTH)).filter(|&width| width > 0),
        tree,
        other: trees.next(),
    };
    Ok(match format {
        Format::Tikz => drawing.tikz(args.standalone),
        Format::Text => drawing.text(args.width.unwrap_or_else(line)),
        Format::Svg | Format::Html => drawing.svg(),
    })
}

/// The width of lines on the terminal.
fn line() -> u32 {
    let is_shown = std::io::stdout().is_terminal();
    let size = is_shown.then(terminal_size::terminal_size).flatten();
    size.map_or(LINE, |(width, _)| width.0.into())
}

fn page(args: &Args, mut files: Files) -> Result<String> {
    let names: Vec<String> = files.paths().iter().map(|path| name(&path.display().to_string()).to_owned()).collect();
    let mut page = Page::new(names, args.columns.clone(), !args.no_labels);
    match wanted(args, &mut files) {
        Some(found) => add(&mut page, &found?),
        None => {
            for row in &mut files {
                let found = row?.found()?;
                if args.differ.is_none() || found.differs() {
                    add(&mut page, &found);
                }
            }
            files.end()?;
            if page.is_empty() && args.differ.is_some() {
                return Err(Error::Usage(files.all_the_same()));
            }
        }
    }
    page.html()
}

fn add(page: &mut Page, found: &AlignedSentence) {
    page.add(found.number, &found.sentence, found.trees().map(|tree| tree.analysis));
}
