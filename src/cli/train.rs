//! `treebeam train`.

mod options;
mod progress;
mod stats;

use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::files::Output;
use crate::graph::{GraphData, GraphTrainer, N_TEMPLATES};
use crate::learn::{Run, Stop, TrainingData, start as start_run};
use crate::options::Options;
use crate::process::peak_rss_bytes;
use crate::treebank::Treebank;
use options::TrainingArgs;
use progress::Display;
use stats::Stats;

/// Options of `treebeam train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam train --train train.conllu --dev dev.conllu --model en.model
  treebeam train --train train.conllu --dev dev.conllu --model greedy.model --training greedy --oracle dynamic
  treebeam train --train train.conllu --dev dev.conllu --model wide.model --beam 64 --resume
  treebeam train --train train.conllu --dev dev.conllu --model search.model --training l2s --preset aggrevate --learner adagrad
  treebeam train --train train.conllu --dev dev.conllu --model graph.model --system mst --nonprojective min-cost")]
pub struct Args {
    /// The treebank to train on: CoNLL-U or CoNLL-X, also .gz or .zst
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// The treebank that decides which iteration's weights are kept
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,
    /// The model file to write
    #[arg(long, value_name = "FILE", required_unless_present = "print_options")]
    model: Option<PathBuf>,
    #[command(flatten)]
    training: TrainingArgs,
    /// Threads; the model does not depend on their number. Training uses one for each replica, more with --batch above 1
    /// [default: one for each replica, up to the number of cores]
    #[arg(long, value_name = "T", help_heading = "Running")]
    threads: Option<usize>,
    /// Go on from the checkpoint of a run that was killed; the model is the same, byte for byte
    #[arg(long, help_heading = "Running")]
    resume: bool,
    /// Write a checkpoint after an iteration if the last one is at least this many seconds old
    #[arg(long, default_value_t = 10.0, value_name = "S", help_heading = "Running")]
    checkpoint_seconds: f64,
    /// Write seconds, iterations, sizes and peak memory to this file as JSON
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    stats_json: Option<PathBuf>,
    /// Print all options with their values as JSON, and stop
    #[arg(long, help_heading = "Running")]
    print_options: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let given = args.training.given()?;
    let options = given.resolve()?;
    for remark in given.remarks(&options) {
        eprintln!("note: {remark}");
    }
    let Some(model) = args.model.as_deref().filter(|_| !args.print_options) else {
        writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&options)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    // Fails now rather than after hours if the model cannot be written.
    drop(Output::create(model)?);
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;
    let start = Instant::now();
    let train = Treebank::read(&args.train, None)?;
    let dev = args.dev.as_deref().map(|dev| Treebank::read(dev, None)).transpose()?;
    match &options {
        Options::Transitions(options) => {
            let data = TrainingData::new(options, &train, dev.as_ref())?;
            describe(&train, dev.as_ref(), data.n_read() - data.examples().len());
            eprintln!(
                "{}, features {} ({} templates), {} labels, {} actions, seed {}",
                options.system,
                options.features,
                data.header().feature_set()?.0.templates.len(),
                data.actions().n_labels(),
                data.actions().len(),
                options.seed
            );
            if let Some(told) = options.told() {
                eprintln!("{told}");
            }
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = args.threads.unwrap_or(cores.min(options.replicas as usize));
            go(&mut *start_run(options, &data, threads)?, &args, model, start, stats_output)?;
        }
        Options::Graph(options) => {
            let data = GraphData::new(options, &train, dev.as_ref())?;
            describe(&train, dev.as_ref(), data.n_read() - data.examples().len());
            eprintln!(
                "{}, features of arcs ({N_TEMPLATES} templates), {} labels, seed {}",
                options.system,
                data.header().labels.len(),
                options.seed
            );
            let mut trainer = GraphTrainer::new(options, &data, args.threads.unwrap_or(1))?;
            go(&mut trainer, &args, model, start, stats_output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Trains to the end, with checkpoints beside `model`; the clock was started at `start`.
fn go(
    run: &mut (impl Run + ?Sized),
    args: &Args,
    model: &Path,
    start: Instant,
    stats_output: Option<Output>,
) -> anyhow::Result<()> {
    let checkpoint = beside(model, ".checkpoint");
    if args.resume && checkpoint.exists() {
        run.load(&checkpoint)?;
        eprintln!("resuming after iteration {} from {}", run.reports().len(), checkpoint.display());
    }
    let display = Display::new(run.n_sentences(), run.stopping());
    run.reports().iter().for_each(|report| display.report(report));
    let mut saved = Instant::now();
    while !run.is_done() {
        let iteration = run.reports().len() as u32 + 1;
        run.iterate(&mut |done| display.tick(iteration, done));
        if let Some(report) = run.reports().last() {
            display.report(report);
        }
        if saved.elapsed() >= Duration::from_secs_f64(args.checkpoint_seconds) {
            run.save(&checkpoint)?;
            saved = Instant::now();
        }
    }
    match run.stopping().stop(run.reports()) {
        Some(Stop::Plateau) => eprintln!("plateau after iteration {}", run.reports().len()),
        Some(Stop::Maximum) => eprintln!("no plateau within {} iterations", run.reports().len()),
        None => {}
    }
    let written = run.write(model)?;
    if checkpoint.exists() {
        std::fs::remove_file(&checkpoint).with_context(|| format!("{}", checkpoint.display()))?;
    }
    eprintln!(
        "wrote {}: iteration {}, {} features, {} weights",
        model.display(),
        written.iteration,
        written.size.features,
        written.size.weights
    );
    if let Some(mut file) = stats_output {
        let stats = Stats {
            sentences: run.n_sentences(),
            seconds: start.elapsed().as_secs_f64(),
            iterations: run.reports(),
            kept_iteration: written.iteration,
            features: written.size.features,
            weights: written.size.weights,
            peak_rss_bytes: peak_rss_bytes(),
        };
        serde_json::to_writer_pretty(&mut file, &stats)?;
        writeln!(file)?;
        file.finish()?;
    }
    Ok(())
}

fn describe(train: &Treebank, dev: Option<&Treebank>, n_left_out: usize) {
    eprintln!(
        "{}: {} sentences, {} words{}",
        train.path.display(),
        train.sentences.len(),
        train.n_words(),
        match n_left_out {
            0 => String::new(),
            dropped => format!("; {dropped} that are not projective left out"),
        }
    );
    if let Some(dev) = dev {
        eprintln!("{}: {} sentences, {} words", dev.path.display(), dev.sentences.len(), dev.n_words());
    }
}

/// The path with `ending` added to its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
