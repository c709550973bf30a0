//! `treebeam train`.

mod progress;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::range;
use progress::Display;
use serde::{Deserialize, Serialize};
use treebeam::files::Output;
use treebeam::job::{Done, Job, NamedFile};
use treebeam::learn::IterationReport;
use treebeam::model::Notes;
use treebeam::options::GivenOptions;
use treebeam::process::peak_rss_bytes;

/// Options of `treebeam train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam train --train train.conllu --dev dev.conllu --model en.model
  treebeam train --train train.conllu --dev dev.conllu --model greedy.model --training greedy --oracle dynamic
  treebeam train --train train.conllu --dev dev.conllu --model wide.model --beam 64 --resume
  treebeam train --train train.conllu --dev dev.conllu --model search.model --training l2s --preset aggrevate --learner adagrad
  treebeam train --train ewt=ewt.conllu --train gum=gum.conllu --dev gum=dev.conllu --model both.model
  treebeam train --train train.conllu --dev dev.conllu --model graph.model --system mst --nonprojective min-cost")]
#[command(arg = super::manual::help_all())]
pub struct Args {
    /// Treebank to train on: CoNLL-U or CoNLL-X, also .gz or .zst; several are taken together. With names, the model knows the source of
    /// each sentence (Stymne et al. 2018), and `parse --source NAME` names that of the input
    #[arg(long, value_name = "[NAME=]FILE", required = true)]
    train: Vec<NamedFile>,
    /// Treebank that chooses the iteration whose weights are kept; several, and names, as for --train
    #[arg(long, value_name = "[NAME=]FILE")]
    dev: Vec<NamedFile>,
    /// The model file to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "print_options")]
    model: Option<PathBuf>,
    #[command(flatten)]
    given: GivenOptions,
    /// Threads; the model does not depend on their number. Training uses one for each replica, more with --batch above 1
    /// [default: one for each replica, up to the number of cores]
    #[arg(long, value_name = "T", value_parser = range::threads, help_heading = "Running")]
    threads: Option<usize>,
    /// Take the treebank's recommendations for options that are not given: several roots, another tag column, lifting
    #[arg(long, help_heading = "Running")]
    auto: bool,
    /// Leave out malformed sentences and those whose annotation is no tree, and report them
    #[arg(long, help_heading = "Running")]
    skip_invalid: bool,
    /// Continue from the checkpoint of a killed run, to the same model, byte for byte
    #[arg(long, help_heading = "Running")]
    resume: bool,
    /// Write a checkpoint after an iteration if the last one is at least this many seconds old
    #[arg(long, default_value_t = 10.0, value_name = "S", value_parser = range::seconds, help_heading = "Running", hide = true)]
    checkpoint_seconds: f64,
    /// The licence of the model, for `model info` to show; the data may demand one
    #[arg(long, value_name = "TEXT", help_heading = "Running")]
    licence: Option<String>,
    /// Text about the model for `model info`, such as the treebank's name and version
    #[arg(long, value_name = "TEXT", help_heading = "Running")]
    about: Option<String>,
    /// Print the first N decisions of greedy training: features that fire, scores, prediction, oracle, and weights that change
    #[arg(long, value_name = "N", value_parser = range::whole::<usize>(1..=1_000_000), help_heading = "Running")]
    watch: Option<usize>,
    /// Write seconds, iterations, sizes and peak memory to this file as JSON
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    stats_json: Option<PathBuf>,
    /// Print all options with their values as JSON, and stop
    #[arg(long, help_heading = "Running")]
    print_options: bool,
}

/// Counts, times and memory of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrainingStats {
    /// Sentences in one pass, of all replicas.
    pub sentences: usize,
    /// Wall time from reading the data to the model on disk.
    pub seconds: f64,
    /// Reports of iterations; with `--resume`, also those of the run before.
    pub iterations: Vec<IterationReport>,
    /// The iteration whose weights were kept.
    pub kept_iteration: u32,
    /// Features in the model.
    pub features: usize,
    /// Weights in the model.
    pub weights: usize,
    /// Peak memory of the process; none where the system does not measure it.
    pub peak_rss_bytes: Option<u64>,
}

/// Prints text. A closed pipe ends the program by itself, and training is not what fails.
fn print(text: &str) {
    _ = treebeam::console::output().write_all(text.as_bytes());
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let options = args.given.resolve()?;
    for remark in args.given.remarks(&options) {
        treebeam::console::note(format_args!("note: {remark}"));
    }
    let Some(model) = args.model.filter(|_| !args.print_options) else {
        writeln!(treebeam::console::output(), "{}", serde_json::to_string_pretty(&options)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut job = Job::new(args.given, model)?;
    (job.threads, job.auto, job.skip_invalid) = (args.threads, args.auto, args.skip_invalid);
    (job.resume, job.checkpoint_seconds) = (args.resume, args.checkpoint_seconds);
    if args.watch.is_some() && job.model == Path::new("-") {
        anyhow::bail!("--watch prints where --model - writes the model; expected --model FILE");
    }
    job.watch = args.watch.map(|n_decisions| (n_decisions, print as fn(&str)));
    job.notes = Notes { licence: args.licence, about: args.about };
    let inputs: Vec<&Path> = args.train.iter().chain(&args.dev).map(|file| &*file.path).collect();
    job.check(&inputs, &args.stats_json.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;
    let start = Instant::now();
    let mut display = Display::new(&options);
    let train = job.read_all(&args.train, &mut display)?;
    let has_dev = !args.dev.is_empty();
    let dev = has_dev.then(|| job.read_all(&args.dev, &mut display)).transpose()?;
    let done = job.run(train, dev, &mut display)?;
    display.finish();
    let Some(Done { written, n_sentences, reports }) = done else { return Ok(ExitCode::SUCCESS) };
    // The log counts all features that were updated; averages of some are zero, and the model leaves these out.
    let learned = reports.iter().map(|report| report.features).max().unwrap_or_default();
    let of_learned = if learned > written.size.features { format!(" of {learned}") } else { String::new() };
    treebeam::console::note(format_args!(
        "wrote {}: iteration {}, {}{of_learned} features with {} weights that are not zero",
        job.model.display(),
        written.iteration,
        written.size.features,
        written.size.weights
    ));
    if let Some(mut file) = stats_output {
        let stats = TrainingStats {
            sentences: n_sentences,
            seconds: start.elapsed().as_secs_f64(),
            iterations: reports,
            kept_iteration: written.iteration,
            features: written.size.features,
            weights: written.size.weights,
            peak_rss_bytes: peak_rss_bytes(),
        };
        serde_json::to_writer_pretty(&mut file, &stats)?;
        writeln!(file)?;
        file.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}
