//! `treebeam parse`.

mod source;
mod stats;

use anyhow::bail;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use source::Source;
use stats::Stats;
use treebeam::error::{Error, Result, counted};
use treebeam::files::{Output, Paths};
use treebeam::parser::{CHUNK_WORDS, EmptyColumns, Loaded, ParseOptions, Pipeline};
use treebeam::treebank::{Enhanced, Format, Reader, Sentence};

/// Options of `treebeam parse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of a parser only HEAD and DEPREL change, and the enhanced graph is left out, for it would be stale: DEPS is emptied, empty nodes go,
unless --enhanced keep is given. A tagger fills its column of tags and leaves the others as they are. What the input has in these
columns is not read but for --keep-heads and --keep-labels.

Examples:
  treebeam parse --model en.model test.conllu -o parsed.conllu
  treebeam parse --model en.model --keep-going found.conllu -o parsed.conllu
  treebeam tag --model upos.model words.conllu -o tagged.conllu
  treebeam parse --model upos.model --model en.model words.conllu -o parsed.conllu
  treebeam parse --model en.model --keep-heads --keep-labels partial.conllu -o parsed.conllu
  zcat corpus.conllu.gz | treebeam parse --model en.model --beam 64 --threads 2 > parsed.conllu")]
pub struct Args {
    /// The model; given several times, taggers and at the end a parser, of which each reads what those before it have filled. The options
    /// of search are for the last
    #[arg(short, long, value_name = "FILE", required = true)]
    model: Vec<PathBuf>,
    #[command(flatten)]
    options: ParseOptions,
    /// Leave out sentences that are malformed, parse all others and say what was left out; the exit code is then 1
    #[arg(long)]
    keep_going: bool,
    /// The enhanced graph of CoNLL-U, which is DEPS and empty nodes
    #[arg(long, value_enum, default_value_t)]
    enhanced: Enhanced,
    /// Write sentences, tokens, seconds, speeds, the number of configurations that were scored and peak memory to this file as
    /// JSON
    #[arg(long, value_name = "FILE")]
    stats_json: Option<PathBuf>,
    /// The format of the input [default: by the file's ending, CoNLL-U for standard input]
    #[arg(long)]
    format: Option<Format>,
    /// The file to parse, tokenised and tagged; also .gz or .zst; - for standard input
    #[arg(default_value = "-")]
    input: PathBuf,
    /// The file to write, whole or not at all; also .gz or .zst; - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let paths = Paths::default().inputs(&args.model).input(&args.input).output(&args.output)?;
    args.stats_json.iter().try_fold(paths, |paths, stats| paths.output(stats))?;
    if args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        let output = args.output.display();
        bail!(
            "{output}: expected the name of a file of CoNLL-U or CoNLL-X; `python -m treebeam.parquet` writes Parquet"
        );
    }
    let loading = Instant::now();
    let read = |path: &PathBuf| Ok((path.display().to_string(), Loaded::read(path)?));
    let models = args.model.iter().map(read).collect::<Result<Vec<_>>>()?;
    let load_seconds = loading.elapsed().as_secs_f64();
    let mut pipeline = Pipeline::new(&models, &args.options)?;
    let model = pipeline.model().clone();
    for warning in pipeline.parser().warnings() {
        treebeam::console::say(format_args!("warning: {warning}"));
    }
    let reader = Reader::open(&args.input, args.format)?.allowing_empty();
    let format = reader.format();
    if args.options.k_best > 1 && format == Format::Conllx {
        bail!("--k-best writes scores as comments, and CoNLL-X has none; convert the input to CoNLL-U");
    }
    super::warn_of_name(&args.output, format);
    let mut output = Output::create(&args.output)?;
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;
    if args.input == Path::new("-") && std::io::stdin().is_terminal() {
        treebeam::console::note(format_args!("reading CoNLL-U from standard input; end it with Ctrl-D"));
    }

    let start = Instant::now();
    let mut decoding = Duration::ZERO;
    let (mut sentences, mut words, mut enhanced) = (0, 0, 0);
    // What others write while we read may be long in coming; what is read from a file is there.
    let may_wait = args.input == Path::new("-") || std::fs::metadata(&args.input).is_ok_and(|there| !there.is_file());
    let mut source = Source::new(reader, args.keep_going, may_wait).map_err(Error::io(&args.input))?;
    let mut empty_columns = EmptyColumns::new(model.columns(), model.tags(), format);
    let name = args.input.display().to_string();
    let bar = progress_bar();
    loop {
        // Whoever waits for trees before going on gets them.
        if !source.is_ready() {
            output.flush_unless_temporary().map_err(Error::io(&args.output))?;
        }
        let chunk = read_chunk(&mut source, &pipeline).map_err(with_remedy)?;
        let started = Instant::now();
        let chunk = pipeline.tag(chunk)?;
        decoding += started.elapsed();
        for warning in empty_columns.look_at(&chunk, &name, chunk.is_empty()) {
            eprintln!("warning: {warning}");
        }
        if chunk.is_empty() {
            break;
        }
        let started = Instant::now();
        let parsed = pipeline.parse(&chunk)?;
        decoding += started.elapsed();
        for (sentence, parsed) in chunk.iter().zip(&parsed) {
            let written = model.write_with(sentence, parsed, args.options.k_best > 1, args.enhanced, &mut output);
            written.map_err(Error::io(&args.output))?;
        }
        sentences += chunk.len();
        words += chunk.iter().map(Sentence::n_words).sum::<usize>();
        enhanced += chunk.iter().filter(|sentence| sentence.has_enhanced_graph()).count();
        bar.set_position(sentences as u64);
    }
    bar.finish_and_clear();
    output.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    if enhanced > 0 && model.target().is_none() {
        let what = counted(enhanced, "sentence");
        let told = match args.enhanced {
            Enhanced::Drop => "left out: DEPS is emptied, empty nodes are gone",
            Enhanced::Keep => "kept as it was: it need not go with the new tree",
        };
        treebeam::console::note(format_args!("{what} had an enhanced graph, which is {told}"));
    }
    let stats = Stats::new(
        sentences,
        words,
        seconds,
        decoding.as_secs_f64(),
        load_seconds,
        pipeline.parser(),
        args.options.threads,
    );
    treebeam::console::note(format_args!("{stats}"));
    if let Some(mut file) = stats_output {
        serde_json::to_writer_pretty(&mut file, &stats)?;
        writeln!(file)?;
        file.finish()?;
    }
    Ok(if source.report(sentences) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Counts the sentences that are done, on a terminal.
fn progress_bar() -> ProgressBar {
    if !treebeam::console::shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} sentences parsed, {per_sec}, {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// Adds to an error of malformed input what parses the rest.
fn with_remedy(error: Error) -> anyhow::Error {
    match error {
        Error::Problem(problem) => anyhow::anyhow!("{problem} (--keep-going leaves out what is malformed)"),
        error => error.into(),
    }
}

fn read_chunk(source: &mut Source<impl BufRead + Send + 'static>, pipeline: &Pipeline) -> Result<Vec<Sentence>> {
    let mut chunk = Vec::new();
    let mut words = 0;
    while words < CHUNK_WORDS
        && (chunk.is_empty() || source.is_ready())
        && let Some(sentence) = source.next()?
    {
        if let Err(error) = pipeline.check(&sentence) {
            source.leave_out(error)?;
            continue;
        }
        words += sentence.n_words();
        chunk.push(sentence);
    }
    Ok(chunk)
}
