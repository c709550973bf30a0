//! `treebeam treebank jackknife`.

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;

use treebeam::error::Error;
use treebeam::files::{Output, Paths};
use treebeam::job::jackknife;
use treebeam::options::{GivenOptions, Options, ParserKind};
use treebeam::parser::MAX_ALTERNATIVES;
use treebeam::treebank::{Column, Format, Treebank};

/// Options of `treebeam treebank jackknife`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A parser that will read predicted tags is trained on predicted tags. Those of its training data must come from taggers that have not seen
them: the file is divided into folds of consecutive sentences, and each is tagged by a model that is trained on the others.

  treebeam treebank jackknife --folds 10 --tag-column upos train.conllu -o train.jack.conllu

The options are those of `treebeam train`, and --system is tagger unless another is given. There are no development data: the models are
those of the last iteration.")]
pub struct Args {
    /// The file to annotate; it is read into memory
    file: PathBuf,
    /// The number of parts
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = crate::range::whole::<usize>(2..=1000))]
    folds: usize,
    /// The file to write, whole or not at all; also .gz or .zst; - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
    /// Read the file as this format
    #[arg(long)]
    format: Option<Format>,
    /// Write the N most probable tags of each word to MISC, as `Tag1=NOUN|Tag2=VERB`, and leave the column of tags as it is
    #[arg(long, value_name = "N", value_parser = crate::range::whole::<usize>(1..=MAX_ALTERNATIVES))]
    alternatives: Option<usize>,
    /// Threads, each for one part; the output does not depend on their number [default: as many as there are cores]
    #[arg(long, value_name = "T", value_parser = crate::range::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    given: GivenOptions,
}

/// Annotates the file.
pub(super) fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    args.given.system.get_or_insert(ParserKind::Transitions(treebeam_systems::TAGGER));
    let Options::Transitions(options) = args.given.resolve()? else {
        bail!("--system: a graph-based parser; expected the tagger or another transition system");
    };
    Paths::default().input(&args.file).output(&args.output)?;
    let treebank = Treebank::read(&args.file, args.format)?;
    if args.alternatives.is_some() && (options.target().is_none() || treebank.format == Format::Conllx) {
        bail!("--alternatives writes a tagger's tags to MISC, which CoNLL-X lacks; expected a tagger and CoNLL-U");
    }
    super::warn_of_name(&args.output, treebank.format);
    let mut output = Output::create(&args.output)?;
    let bar = match treebeam::console::shows_progress() {
        true => ProgressBar::with_draw_target(Some(args.folds as u64), ProgressDrawTarget::stderr_with_hz(5)),
        false => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos} of {len} folds, {elapsed} gone, {eta} left") {
        bar.set_style(style);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or(cores).min(args.folds);
    let annotated = jackknife(&options, &treebank, args.folds, args.alternatives, threads, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let kept = args.alternatives.and(options.target());
    for (sentence, given) in annotated.sentences.iter().zip(&treebank.sentences) {
        let written = match kept {
            Some(column) => {
                let values: Vec<&str> = given.words().map(|word| given.column(word, column)).collect();
                sentence.with_column(column, &values).write(&mut output)
            }
            None => sentence.write(&mut output),
        };
        written.map_err(Error::io(&args.output))?;
    }
    output.finish()?;
    let columns = options.target().map_or(vec![Column::Head, Column::Deprel], |column| vec![column]);
    for column in columns {
        let (name, n_words) = (column.name(treebank.format), treebank.n_words());
        let n_equal = treebank.n_equal(&annotated, column);
        let percent = 100.0 * n_equal as f64 / n_words as f64;
        treebeam::console::note(format_args!("{name}: {percent:.2} % as in the input ({n_equal} of {n_words} words)"));
    }
    Ok(ExitCode::SUCCESS)
}
