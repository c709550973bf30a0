//! `treebeam parse`.

mod plan;
mod source;
mod stats;

use anyhow::{bail, ensure};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plan::{FilePlan, Part};
use source::SentenceReader;
pub use stats::ParsingStats;
use treebeam::error::{Error, Result, counted};
use treebeam::files::{Output, Paths};
use treebeam::parser::{EmptyColumns, Loaded, ParseOptions, Pipeline};
use treebeam::treebank::{Enhanced, Format, Reader, Sentence};

/// Options of `treebeam parse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam parse en.model test.conllu -o parsed.conllu
  treebeam parse --model en.model --keep-going found.conllu -o parsed.conllu
  treebeam parse --model en.model 2024.conllu 2025.conllu -o parsed/
  treebeam tag --model upos.model words.conllu -o tagged.conllu
  treebeam parse --model upos.model --model en.model words.conllu -o parsed.conllu
  treebeam parse --model en.model --keep-heads --keep-labels partial.conllu -o parsed.conllu
  zcat corpus.conllu.gz | treebeam parse --model en.model --beam 64 --threads 2 > parsed.conllu")]
pub struct Args {
    /// The model; given several times, taggers and at the end a parser, of which each reads what those before it have filled. The options
    /// of search are for the last [default: the first of the files]
    #[arg(short, long, value_name = "FILE")]
    model: Vec<PathBuf>,
    #[command(flatten)]
    options: ParseOptions,
    /// Leave out malformed sentences, and report them; the exit code is then 1
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
    /// Without --model, the model; then the files to parse, one after the other, tokenised and tagged; also .gz or .zst; - for standard
    /// input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write for all inputs, whole or not at all; also .gz or .zst; - for standard output. A folder, or a name that ends
    /// in a slash, gets one file for each input, under the input's name
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Runs the subcommand.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    if args.model.is_empty() {
        ensure!(!args.files.is_empty(), "no model; expected `treebeam parse MODEL FILE`, or --model MODEL");
        args.model.push(args.files.remove(0));
        if let Some(format) = Format::of_path(&args.model[0]) {
            let (model, format) = (args.model[0].display(), format.title());
            bail!("{model}: {format} by its name; expected a model first, or --model MODEL");
        }
    }
    if args.files.is_empty() {
        args.files.push(PathBuf::from("-"));
    }
    let plan = FilePlan::new(&args.files, args.format, &args.output)?;
    let paths = plan.paths(Paths::default().inputs(&args.model))?;
    args.stats_json.iter().try_fold(paths, |paths, stats| paths.output(stats))?;
    let loading = Instant::now();
    let read = |path: &PathBuf| Ok((path.display().to_string(), Loaded::read(path)?));
    let models = args.model.iter().map(read).collect::<Result<Vec<_>>>()?;
    let load_seconds = loading.elapsed().as_secs_f64();
    let mut pipeline = Pipeline::new(&models, &args.options)?;
    let model = pipeline.model().clone();
    for warning in pipeline.parser().warnings() {
        treebeam::console::say(format_args!("warning: {warning}"));
    }
    let has_conllx = plan.parts.iter().any(|part| part.format == Format::Conllx);
    if args.options.k_best > 1 && has_conllx {
        bail!("--k-best writes scores as comments, and CoNLL-X has none; convert the input to CoNLL-U");
    }
    let in_misc = [(args.options.confidences, "--confidences"), (args.options.alternatives, "--alternatives")];
    if let Some((_, option)) = in_misc.iter().find(|(given, _)| given.is_some() && has_conllx) {
        bail!("{option} writes to MISC, and CoNLL-X has no such column; convert the input to CoNLL-U");
    }
    plan.make_folder()?;
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;

    let start = Instant::now();
    let mut run = Run::new(&args, &model, &mut pipeline);
    for (i, part) in plan.parts.iter().enumerate() {
        super::warn_of_name(&part.output, part.format);
        let written = run.write(part);
        if written.is_err() && i > 0 {
            treebeam::console::note(format_args!("{i} of {} files were parsed", plan.parts.len()));
        }
        written?;
    }
    let Run { sentences, words, enhanced, decoding, is_whole, bar, .. } = run;
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    if enhanced > 0 && model.target().is_none() {
        let what = counted(enhanced, "sentence");
        let fate = match args.enhanced {
            Enhanced::Drop => "left out: DEPS is emptied, empty nodes are gone",
            Enhanced::Keep => "kept as it was: it need not go with the new tree",
        };
        treebeam::console::note(format_args!("{what} had an enhanced graph, which is {fate}"));
    }
    let per_second = |n: usize| if seconds > 0.0 { n as f64 / seconds } else { 0.0 };
    let parser = pipeline.parser();
    let stats = ParsingStats {
        sentences,
        tokens: words,
        seconds,
        decoding_seconds: decoding.as_secs_f64(),
        sentences_per_second: per_second(sentences),
        tokens_per_second: per_second(words),
        model_load_seconds: load_seconds,
        beam: parser.beam(),
        merge: parser.merges(),
        configurations: parser.n_scored(),
        margin: parser.margin(),
        threads: args.options.threads,
        peak_rss_bytes: treebeam::process::peak_rss_bytes(),
    };
    treebeam::console::note(format_args!("{stats}"));
    if let Some(mut file) = stats_output {
        serde_json::to_writer_pretty(&mut file, &stats)?;
        writeln!(file)?;
        file.finish()?;
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A run, and what it has parsed so far.
struct Run<'r> {
    args: &'r Args,
    model: &'r Loaded,
    pipeline: &'r mut Pipeline,
    sentences: usize,
    words: usize,
    /// Sentences with an enhanced graph.
    enhanced: usize,
    /// Columns behind the ten of what has been written to the output that is open, once there is something.
    further: Option<Vec<Box<str>>>,
    decoding: Duration,
    /// False if something was left out.
    is_whole: bool,
    bar: ProgressBar,
}

impl<'r> Run<'r> {
    fn new(args: &'r Args, model: &'r Loaded, pipeline: &'r mut Pipeline) -> Run<'r> {
        let (decoding, bar) = (Duration::ZERO, progress_bar());
        Run { args, model, pipeline, sentences: 0, words: 0, enhanced: 0, further: None, decoding, is_whole: true, bar }
    }

    /// Writes one output.
    fn write(&mut self, part: &Part) -> anyhow::Result<()> {
        let mut output = Output::create(&part.output)?.packed_by(self.pipeline.parser().pool().cloned());
        self.further = None;
        part.inputs.iter().try_for_each(|input| self.parse(input, part.format, &mut output))?;
        Ok(output.finish()?)
    }

    /// Parses one input.
    fn parse(&mut self, input: &Path, format: Format, output: &mut Output) -> anyhow::Result<()> {
        let reader = Reader::open(input, Some(format))?.allowing_empty();
        if input == Path::new("-") && std::io::stdin().is_terminal() {
            treebeam::console::note(format_args!("reading CoNLL-U from standard input; end it with Ctrl-D"));
        }
        // Input from a pipe may be long in coming; that of a file is there.
        let may_wait = input == Path::new("-") || std::fs::metadata(input).is_ok_and(|there| !there.is_file());
        let (keep_going, threads) = (self.args.keep_going, self.args.options.threads);
        let mut source = SentenceReader::new(reader, keep_going, may_wait, threads).map_err(Error::io(input))?;
        let mut empty_columns = EmptyColumns::new(self.model.columns(), self.model.tags(), format);
        let name = input.display().to_string();
        let before = self.sentences;
        let path = output.path().to_owned();
        loop {
            // Whoever waits for trees before going on gets them.
            if !source.is_ready() {
                output.flush_unless_temporary().map_err(Error::io(&path))?;
            }
            let chunk = read_chunk(&mut source, self.pipeline).map_err(with_remedy)?;
            let started = Instant::now();
            let mut chunk = self.pipeline.tag(chunk)?;
            self.decoding += started.elapsed();
            for warning in empty_columns.look_at(&chunk, &name, chunk.is_empty()) {
                eprintln!("warning: {warning}");
            }
            let Some(first) = chunk.first_mut() else { break };
            match &self.further {
                Some(known) if **known != *first.further_columns() => {
                    let [found, expected] = [first.further_columns(), known].map(|names| match names {
                        [] => "no columns behind the ten".to_owned(),
                        names => format!("the columns {} behind the ten", names.join(", ")),
                    });
                    bail!("{name}: {found}; expected {expected}, as in the inputs before it, or a folder for --output");
                }
                Some(_) => {}
                None => {
                    *first = first.at_start().into_owned();
                    self.further = Some(first.further_columns().to_vec());
                }
            }
            let started = Instant::now();
            let parsed = self.pipeline.parse(&chunk)?;
            self.decoding += started.elapsed();
            let shows_scores = self.args.options.k_best > 1;
            for text in self.pipeline.written(&chunk, &parsed, shows_scores, self.args.enhanced) {
                output.write_all(&text).map_err(Error::io(&path))?;
            }
            self.sentences += chunk.len();
            self.words += chunk.iter().map(Sentence::n_words).sum::<usize>();
            self.enhanced += chunk.iter().filter(|sentence| sentence.has_enhanced_graph()).count();
            self.bar.set_position(self.sentences as u64);
        }
        self.is_whole &= !source.report(self.sentences - before);
        Ok(())
    }
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

/// The next sentences that can be parsed; none at the end.
fn read_chunk(
    source: &mut SentenceReader<impl BufRead + Send + 'static>,
    pipeline: &Pipeline,
) -> Result<Vec<Sentence>> {
    loop {
        let blocks = source.find()?;
        let mut chunk = Vec::new();
        for block in pipeline.read(&blocks) {
            let Some(sentence) = source.accept(block)? else { continue };
            match pipeline.check(&sentence) {
                Ok(()) => chunk.push(sentence),
                Err(error) => source.leave_out(error)?,
            }
        }
        if blocks.is_empty() || !chunk.is_empty() {
            return Ok(chunk);
        }
    }
}
