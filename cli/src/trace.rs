//! `treebeam trace`.

mod find;

use std::io::{BufRead, Write};
use std::path::{PathBuf, is_separator};
use std::process::ExitCode;

use anyhow::bail;
use clap::ValueEnum as _;

use self::find::{DecodedSentence, Find};
use super::{range, sentence};
use treebeam::decode::Margin;
use treebeam::error::Error;
use treebeam::files::{Output, Paths};
use treebeam::parser::Loaded;
use treebeam::scorers::AnyModel;
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::{Format, Reader, Sentence};
use treebeam_lab::trace::{TraceOptions, page, trace, watchable};

const AFTER_HELP: &str = "\
The page shows every item of every beam: what the parser considered, what it dropped, and why. If the sentence has a tree,
that is taken for gold: then the page also shows where the gold derivation falls off the beam, how far behind it is, and
whether the search or the model is to blame. It is one file that needs no network. Arrow keys step through it; ? lists all keys.

Examples:
  treebeam trace en.model test.conllu --sentence 3 -o beam.html
  treebeam trace --model en.model test.conllu --sentence weblog-7 --beam 1,8,64 -o beam.html
  treebeam trace en.model test.conllu --find search-error --worst 5 -o pages/
  treebeam trace en.model --json < test.conllu | python3 -m json.tool | less";

/// Options of `treebeam trace`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The model, unless --model names it; then the file with the sentence
    #[arg(value_name = "MODEL")]
    first: Option<PathBuf>,
    /// The file with the sentence, tokenised and tagged; also .gz or .zst; - for standard input
    #[arg(value_name = "FILE")]
    second: Option<PathBuf>,
    /// The model
    #[arg(short, long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// The sentence with this id, or else this number, from 1 [default: 1]
    #[arg(long, value_name = "N|ID")]
    sentence: Option<String>,
    /// List the sentences of this kind, the worst first; with a folder as --output, such as pages/, the page of each and an index
    #[arg(long, value_enum, conflicts_with_all = ["sentence", "no_gold", "json"])]
    find: Option<Find>,
    /// The most sentences to list
    #[arg(long, value_name = "N", default_value_t = 10, requires = "find", value_parser = range::whole::<usize>(1..=10_000))]
    worst: usize,
    /// The widths of the beam, 1 being greedy, such as 1,8,64 [default: powers of two up to the model's own]
    #[arg(long, value_name = "B,...", value_delimiter = ',', value_parser = range::beam)]
    beam: Vec<usize>,
    /// Prune items as `parse` does: auto, none, or a percentage [default: none]
    #[arg(long, value_name = "MARGIN")]
    margin: Option<Margin>,
    /// Do not take the sentence's own tree for gold
    #[arg(long)]
    no_gold: bool,
    /// List the N best successors of each item, besides those that were kept or are correct
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = range::whole::<usize>(0..=1_000_000))]
    successors: usize,
    /// Write the record as JSON instead of the page; with a FILE, beside it
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
    /// The format of the input [default: by the file's ending, CoNLL-U for standard input]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write, whole or not at all; - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (model_path, input) = files(&args)?;
    let beside = args.json.as_ref().and_then(|beside| beside.as_deref());
    let paths = Paths::default().input(&model_path).input(&input).output(&args.output)?;
    beside.iter().try_fold(paths, |paths, beside| paths.output(beside))?;
    let loaded = Loaded::read(&model_path)?;
    let model = watchable(&loaded).map_err(|error| anyhow::anyhow!("{}: {error}", model_path.display()))?;
    let reader = Reader::open(&input, args.format)?;
    if let Some(find) = args.find {
        return list(find, &args, model, reader);
    }
    let name = input.display().to_string();
    let (number, found) = sentence::find(reader, &name, args.sentence.as_deref().unwrap_or("1"), |found| found)?;
    let found = found.for_target(model.header.target());
    let with_gold = !args.no_gold && has_gold(model, &found);
    let margin = args.margin.unwrap_or_default();
    let options = TraceOptions {
        widths: args.beam.clone(),
        margin,
        listed: args.successors,
        with_gold,
        ..TraceOptions::default()
    };
    let record = trace(model, &found, number, &options)?;
    let mut output = Output::create(&args.output)?;
    let beside = beside.map(Output::create).transpose()?;
    let json = args.json.is_some().then(|| serde_json::to_string(&record).map(|json| json + "\n")).transpose()?;
    let text = match (&json, &beside) {
        (Some(json), None) => json,
        _ => &page(record)?,
    };
    output.write_all(text.as_bytes()).map_err(Error::io(&args.output))?;
    output.finish()?;
    if let Some((mut beside, json)) = beside.zip(json) {
        let path = beside.path().to_owned();
        beside.write_all(json.as_bytes()).map_err(Error::io(&path))?;
        beside.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `--find`: a list of sentences, or their pages in a folder.
fn list(find: Find, args: &Args, model: &AnyModel, reader: Reader<impl BufRead>) -> anyhow::Result<ExitCode> {
    let margin = args.margin.unwrap_or_default();
    let width = args.beam.iter().copied().max().unwrap_or(model.header.beam);
    let two = TraceOptions { widths: vec![1, width], margin, listed: 0, with_gold: true, with_templates: false };
    let mut found = Vec::new();
    for (sentence, number) in reader.zip(1..) {
        let sentence = sentence?.for_target(model.header.target());
        if !has_gold(model, &sentence) {
            continue;
        }
        match DecodedSentence::new(model, sentence, number, &two) {
            Ok(of) => found.extend(of),
            Err(error) => eprintln!("warning: left out: {error}"),
        }
    }
    let n_read = found.len();
    found.retain(|of| of.rank(find).is_some());
    let n_found = found.len();
    found.sort_by_key(|of| std::cmp::Reverse(of.rank(find)));
    found.truncate(args.worst);
    let name = find.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    eprintln!("{name}: {n_found} of {n_read} sentences at width {width}");
    if !args.output.to_string_lossy().ends_with(is_separator) && !args.output.is_dir() {
        let mut output = Output::create(&args.output)?;
        output.write_all(find::list(&found).as_bytes()).map_err(Error::io(&args.output))?;
        output.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let options =
        TraceOptions { widths: args.beam.clone(), margin, listed: args.successors, ..TraceOptions::default() };
    let title = format!("{name}: {} of {n_found} sentences at width {width}", found.len());
    find::pages(width, &found, &title, &args.output, |sentence, number| trace(model, sentence, number, &options))?;
    Ok(ExitCode::SUCCESS)
}

/// The model and the file with the sentence.
fn files(args: &Args) -> anyhow::Result<(PathBuf, PathBuf)> {
    let standard_input = || PathBuf::from("-");
    match (&args.model, &args.first, &args.second) {
        (Some(_), Some(_), Some(second)) => {
            bail!("{}: one file too many; with --model, expected the file with the sentence alone", second.display())
        }
        (Some(model), input, None) => Ok((model.clone(), input.clone().unwrap_or_else(standard_input))),
        (None, Some(model), input) => Ok((model.clone(), input.clone().unwrap_or_else(standard_input))),
        _ => bail!("no model; expected `treebeam trace MODEL [FILE]`"),
    }
}

/// True if the sentence has a tree; a warning names one that has none, unless its heads are left blank.
fn has_gold(model: &AnyModel, sentence: &Sentence) -> bool {
    let mut labels: Labels = model.labels().clone();
    match sentence.tree(Roots::Several, &mut labels) {
        Ok(_) => true,
        Err(problem) => {
            if sentence.words().any(|word| sentence.head(word).is_some()) {
                eprintln!("warning: there is no gold tree: {problem}");
            }
            false
        }
    }
}
