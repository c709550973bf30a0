//! `treebeam train`.

mod found;
mod progress;
mod stats;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::range;
use progress::Display;
use stats::Stats;
use treebeam::files::{Output, Paths};
use treebeam::graph::{self, GraphData, GraphHeader};
use treebeam::learn::{Run, TrainingData, start as start_run};
use treebeam::model::{Header, Notes, Provenance, VectorsOrigin};
use treebeam::options::{GivenOptions, Options};
use treebeam::process::{self, peak_rss_bytes};
use treebeam::training::Drive;
use treebeam::treebank::Treebank;

/// Options of `treebeam train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam train --train train.conllu --dev dev.conllu --model en.model
  treebeam train --train train.conllu --dev dev.conllu --model greedy.model --training greedy --oracle dynamic
  treebeam train --train train.conllu --dev dev.conllu --model wide.model --beam 64 --resume
  treebeam train --train train.conllu --dev dev.conllu --model search.model --training l2s --preset aggrevate --learner adagrad
  treebeam train --train train.conllu --dev dev.conllu --model graph.model --system mst --nonprojective min-cost")]
#[command(arg = super::manual::help_all())]
pub struct Args {
    /// The treebank to train on: CoNLL-U or CoNLL-X, also .gz or .zst
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// The treebank that decides which iteration's weights are kept
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,
    /// The model file to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "print_options")]
    model: Option<PathBuf>,
    #[command(flatten)]
    given: GivenOptions,
    /// Threads; the model does not depend on their number. Training uses one for each replica, more with --batch above 1
    /// [default: one for each replica, up to the number of cores]
    #[arg(long, value_name = "T", value_parser = range::threads, help_heading = "Running")]
    threads: Option<usize>,
    /// Take over what the treebank recommends, for options that are not given: several roots, another tag column, lifting
    #[arg(long, help_heading = "Running")]
    auto: bool,
    /// Leave out sentences that are malformed or whose annotation is no tree, and say how many and which
    #[arg(long, help_heading = "Running")]
    skip_invalid: bool,
    /// Go on from the checkpoint of a run that was killed; the model is the same, byte for byte
    #[arg(long, help_heading = "Running")]
    resume: bool,
    /// Write a checkpoint after an iteration if the last one is at least this many seconds old
    #[arg(long, default_value_t = 10.0, value_name = "S", value_parser = range::seconds, help_heading = "Running", hide = true)]
    checkpoint_seconds: f64,
    /// The licence of the model, for `model info` to tell; the data may demand one
    #[arg(long, value_name = "TEXT", help_heading = "Running")]
    licence: Option<String>,
    /// What the model is of, for `model info` to tell, such as the treebank's name and version
    #[arg(long, value_name = "TEXT", help_heading = "Running")]
    about: Option<String>,
    /// Write seconds, iterations, sizes and peak memory to this file as JSON
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    stats_json: Option<PathBuf>,
    /// Print all options with their values as JSON, and stop
    #[arg(long, help_heading = "Running")]
    print_options: bool,
}

impl Args {
    fn notes(&self) -> Notes {
        Notes { licence: self.licence.clone(), about: self.about.clone() }
    }
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let given = args.given.clone();
    let options = given.resolve()?;
    for remark in given.remarks(&options) {
        treebeam::console::note(format_args!("note: {remark}"));
    }
    let Some(model) = args.model.as_deref().filter(|_| !args.print_options) else {
        writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&options)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    check_paths(&args, model, &options)?;
    // Fails now rather than after hours if the model cannot be written.
    Output::check(model)?;
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;
    let start = Instant::now();
    let train = found::read(&args.train, args.skip_invalid)?;
    let dev = args.dev.as_deref().map(|dev| found::read(dev, args.skip_invalid)).transpose()?;
    let options = found::found(&train, dev.as_ref(), given, options, args.auto)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let preparing = || process::thread_pool(args.threads.unwrap_or(cores));
    match &options {
        Options::Transitions(options) => {
            let mut data = preparing()?.install(|| TrainingData::new(options, &train, dev.as_ref()))?;
            data.annotate(args.notes());
            describe(&train, dev.as_ref(), data.n_read() - data.examples().len());
            treebeam::console::note(format_args!(
                "{}, {}, {} labels, {} actions, seed {}",
                options.system,
                inputs(data.header())?,
                data.actions().n_labels(),
                data.actions().len(),
                options.seed
            ));
            tell_vectors(&data.header().provenance);
            if let Some(told) = options.told() {
                treebeam::console::note(format_args!("{told}"));
            }
            let threads = args.threads.unwrap_or(cores.min(options.replicas as usize));
            let mut run = start_run(options, &data, threads)?;
            go(&mut *run, Display::new(options.pretrain), &args, model, start, stats_output)?;
        }
        Options::Graph(options) => {
            let mut data = preparing()?.install(|| GraphData::new(options, &train, dev.as_ref()))?;
            data.annotate(args.notes());
            describe(&train, dev.as_ref(), data.n_read() - data.examples().len());
            treebeam::console::note(format_args!(
                "{}, {}, {} labels, seed {}",
                options.system,
                inputs_of_arcs(data.header()),
                data.header().labels.len(),
                options.seed
            ));
            tell_vectors(&data.header().provenance);
            let mut trainer = graph::start(options, &data, args.threads.unwrap_or(1))?;
            go(&mut *trainer, Display::new(0), &args, model, start, stats_output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses outputs that would replace an input or another output, and two inputs from one stream.
fn check_paths(args: &Args, model: &Path, options: &Options) -> anyhow::Result<()> {
    let standard = Path::new("-");
    let mut paths = Paths::default().input(&args.train);
    if let Some(dev) = &args.dev {
        paths = paths.input(dev);
    }
    if let Options::Graph(options) = options
        && let Some(vectors) = &options.vectors
    {
        paths = paths.input(Path::new(vectors));
    }
    if let Options::Transitions(options) = options {
        // Names of sets that are built in are no files.
        let sets = options.features.split('+').chain(options.places.as_deref()).filter(|set| set.ends_with(".feat"));
        paths = sets.fold(paths, |paths, set| paths.input(Path::new(set)));
        for read in options.init.iter().chain(&options.vectors) {
            paths = paths.input(Path::new(read));
        }
    }
    paths = paths.output(model)?;
    if model != standard {
        paths = paths.output(&Drive::checkpoint(model))?;
    }
    args.stats_json.iter().try_fold(paths, |paths, stats| paths.output(stats))?;
    Ok(())
}

/// Trains to the end, with checkpoints beside `model`; the clock was started at `start`.
fn go(
    run: &mut dyn Run,
    mut display: Display,
    args: &Args,
    model: &Path,
    start: Instant,
    stats_output: Option<Output>,
) -> anyhow::Result<()> {
    let Args { resume, checkpoint_seconds, .. } = *args;
    let driven = Drive { model, resume, checkpoint_seconds }.run(run, &mut display)?;
    display.finish();
    let Some(written) = driven else { return Ok(()) };
    treebeam::console::note(format_args!(
        "wrote {}: iteration {}, {} features, {} weights",
        model.display(),
        written.iteration,
        written.size.features,
        written.size.weights
    ));
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

/// What is read.
fn inputs(header: &Header) -> treebeam::error::Result<String> {
    Ok(match &header.network {
        None => format!("features {} ({} templates)", header.features, header.feature_set()?.0.templates.len()),
        Some(network) => {
            let (n_places, n_labels, hidden) = (network.places.len(), network.labels.len(), network.hidden);
            format!("{n_places} places and {n_labels} of labels, {hidden} hidden units ({})", network.activation.name())
        }
    })
}

/// How much the vectors tell that a network begins with.
fn tell_vectors(provenance: &Provenance) {
    if let Some(VectorsOrigin { words, train_words, covered, .. }) = &provenance.vectors {
        treebeam::console::note(format_args!(
            "vectors of {words} words, {covered} of {train_words} in the training data"
        ));
    }
}

/// The same of a graph-based parser.
fn inputs_of_arcs(header: &GraphHeader) -> String {
    match &header.network {
        None => format!("features of arcs ({} templates)", header.system.n_templates()),
        Some(network) => network.to_string(),
    }
}

fn describe(train: &Treebank, dev: Option<&Treebank>, n_left_out: usize) {
    treebeam::console::note(format_args!(
        "{}: {} sentences, {} words{}",
        train.path.display(),
        train.sentences.len(),
        train.n_words(),
        match n_left_out {
            0 => String::new(),
            dropped => format!("; {dropped} that are not projective left out"),
        }
    ));
    if let Some(dev) = dev {
        let (path, n_sentences, n_words) = (dev.path.display(), dev.sentences.len(), dev.n_words());
        treebeam::console::note(format_args!("{path}: {n_sentences} sentences, {n_words} words"));
    }
}
