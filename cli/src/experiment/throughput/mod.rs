//! Experiments of kind `throughput`: words per second against beam width, threads and sentence length; memory; training.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec` | the specification: what is trained, at what widths it parses, how often |
//! | `plan` | the steps; each is a cell |
//! | `tables`, `plots` | what is made of the records |

mod plan;
mod plots;
mod spec;
mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::Experiments;
use super::folder::write;
use super::opened::{Opened, View};
use super::programs::{
    Figures, Input, Inputs, Once, Record, Timing, TrainingFigures, failed, load, read_json, run, scratch,
};
use plan::{Step, What};
use spec::{Profile, Spec};
use tables::Summary;
use treebeam::error::{Error, Result};
use treebeam::learn::IterationReport;
use treebeam_lab::experiment::{Cost, Data, Desk, Golden, Kind, Overrides, Provenance, profile_named};

/// Training flags of all models: one thread, and without checkpoints, which would depend on the clock.
pub const TRAIN_FLAGS: [&str; 4] = ["--threads", "1", "--checkpoint-seconds", "1e9"];

/// Steps of measuring as a kind of cell.
#[derive(Debug)]
pub struct Throughput {
    profile: Profile,
    inputs: Inputs,
    program: PathBuf,
    provenance: Provenance,
}

/// Source of tables and plots.
pub struct ThroughputView {
    spec: Spec,
    profile_name: String,
}

/// An experiment on throughput with what has been measured of it.
pub type OpenedThroughput = Opened<Throughput, ThroughputView>;

/// Fields of `treebeam train --stats-json` that are wanted here.
#[derive(Debug, Deserialize)]
struct TrainStats {
    iterations: Vec<IterationReport>,
    features: u64,
    weights: u64,
    peak_rss_bytes: Option<u64>,
}

/// Fields of `treebeam parse --stats-json` that are wanted here.
#[derive(Debug, Deserialize)]
struct ParseStats {
    seconds: f64,
    model_load_seconds: f64,
    peak_rss_bytes: Option<u64>,
}

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<OpenedThroughput> {
    let spec = Spec::read(path, &overrides.options)?;
    let profile = profile_named(&spec.profiles, &args.profile, path)?.clone();
    let (data, is_own) = data_to_measure_on(args, path, overrides, &profile.treebank, &profile.fallback)?;
    let provenance = Provenance::of_this_process(1);
    let n_words = data.read(&data.test)?.n_words();
    let steps = plan::plan(&profile, &data, n_words, provenance.host.cores)?;
    let out = args.folder(&spec.name, is_own);
    let inputs = Inputs::new(data, scratch(&spec.name, &out)?);
    let program = std::env::current_exe().context("this program")?;
    let name = spec.name.clone();
    let kind = Throughput { profile, inputs, program, provenance };
    let view = ThroughputView { spec, profile_name: args.profile.clone() };
    Opened::new((kind, view), &name, steps, &out, args.accept_stale, args.command(path))
}

/// The one treebank that is asked for, else that of the profile, or its `fallback` where there is no folder of treebanks; and
/// whether something else is measured than the profile says.
pub fn data_to_measure_on(
    args: &Experiments,
    path: &Path,
    overrides: &Overrides,
    of_profile: &str,
    fallback: &str,
) -> anyhow::Result<(Data, bool)> {
    let treebank = match overrides.treebanks.as_deref() {
        None if args.treebanks.is_some() => of_profile,
        None => {
            eprintln!("TREEBEAM_TREEBANKS is not set: {fallback} stands in for {of_profile}");
            fallback
        }
        Some([treebank]) => treebank,
        Some(_) => {
            let what = format!("{}: whole programs are measured on one treebank; expected one name", path.display());
            return Err(Error::Usage(format!("{what} in --set treebanks=NAME")).into());
        }
    };
    let cap = overrides.max_train_sentences.filter(|cap| *cap > 0);
    let is_own = treebank != of_profile || cap.is_some() || !overrides.options.is_empty();
    Ok((Data::find(treebank.parse()?, args.treebanks.as_deref(), cap)?, is_own))
}

impl Throughput {
    /// The file of a model: another one for every training and every program.
    fn model_path(&self, step: &Step) -> PathBuf {
        let name = treebeam::files::hex(&Sha256::digest(format!("{}\n{}", step.training, Golden::whole())));
        self.inputs.folder().join(format!("{}.model", &name[..16]))
    }

    fn train(&self, step: &Step) -> anyhow::Result<TrainingFigures> {
        let [train, dev, _] = self.inputs.portions()?;
        let stats_path = self.inputs.folder().join("stats.json");
        let model = self.model_path(step);
        let mut command = Command::new(&self.program);
        command.arg("train").args(TRAIN_FLAGS).args(step.model.flags()?);
        for (flag, path) in [("--train", &train), ("--dev", &dev), ("--model", &model), ("--stats-json", &stats_path)] {
            command.arg(flag).arg(path);
        }
        let used = run(&mut command)?;
        let TrainStats { iterations, features, weights, peak_rss_bytes } = read_json(&stats_path)?;
        let model_bytes = std::fs::metadata(&model).with_context(|| model.display().to_string())?.len();
        Ok(TrainingFigures { used, iterations, features, weights, model_bytes, peak_rss_bytes })
    }

    fn parse(&self, model: &Path, width: usize, threads: usize, input: &Path, output: &Path) -> anyhow::Result<Once> {
        let stats_path = self.inputs.folder().join("stats.json");
        let mut command = Command::new(&self.program);
        command.arg("parse").arg("--model").arg(model);
        for (flag, number) in [("--beam", width), ("--threads", threads)] {
            command.arg(flag).arg(number.to_string());
        }
        // Exact beams: what margins gain is `beam-margin`'s question.
        command.args(["--margin", "none"]);
        command.arg(input).arg("-o").arg(output).arg("--stats-json").arg(&stats_path);
        let used = run(&mut command)?;
        let ParseStats { seconds, model_load_seconds, peak_rss_bytes } = read_json(&stats_path)?;
        Ok(Once { used, parsing_s: seconds, load_s: model_load_seconds, peak_rss_bytes })
    }

    fn measure(&self, step: &Step) -> anyhow::Result<Figures> {
        let What::Parse { input, width, threads } = step.what else { return self.train(step).map(Figures::Training) };
        let model = self.model_path(step);
        if !model.exists() {
            // It was measured before, and the model has been removed since.
            self.train(step)?;
        }
        let Profile { repetitions, seconds, .. } = self.profile;
        let timing = Timing { inputs: &self.inputs, program: &self.program, repetitions, seconds };
        let parse = |from: &Path, to: &Path| self.parse(&model, width, threads, from, to);
        timing.measure(input, &parse).map(Figures::Parsing)
    }
}

impl Kind for Throughput {
    type Cell = Step;
    type Record = Record;

    fn key<'c>(&self, step: &'c Step) -> &'c str {
        &step.key
    }

    fn title(&self, step: &Step) -> String {
        step.title()
    }

    fn golden<'c>(&'c self, step: &'c Step) -> &'c str {
        &step.golden
    }

    /// Of this version on a machine like this one, with the same work to do.
    fn is_current(&self, step: &Step, record: &Record) -> bool {
        let Provenance { version, golden, host, .. } = &record.provenance;
        (version, host) == (&self.provenance.version, &self.provenance.host) && golden.as_ref() == Some(&step.golden)
    }

    fn description(&self, step: &Step) -> serde_json::Value {
        serde_json::json!({ "key": step.key, "step": step.title() })
    }

    fn cost(&self, step: &Step, records: &[&Record]) -> Cost {
        let same = |record: &&&Record| record.key == step.key;
        let seconds: Vec<f64> =
            records.iter().filter(same).map(|record| treebeam_lab::experiment::Stored::seconds(*record)).collect();
        let rule = match step.what {
            What::Train => 60.0,
            What::Parse { .. } => self.profile.seconds * self.profile.repetitions as f64 * 2.0,
        };
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        let memory = 50_000_000 + 20_000 * self.inputs.data.train.n_sentences() as u64;
        Cost { seconds: if seconds.is_empty() { rule } else { mean }, memory, n_records: seconds.len() }
    }

    fn run(&self, step: &Step, _: &Desk) -> Result<Record> {
        let load_before = load();
        let figures = self.measure(step).map_err(failed)?;
        let (key, title, provenance) = (step.key.clone(), step.title(), self.provenance.behaving(&step.golden));
        Ok(Record { key, step: title, provenance, load_before, figures })
    }

    fn adopt(&self, _: &Step, record: &Record) -> Record {
        record.clone()
    }

    /// Cells side by side would measure each other.
    fn most_jobs(&self) -> usize {
        1
    }
}

impl View<Throughput> for ThroughputView {
    fn write_tables(opened: &OpenedThroughput) -> anyhow::Result<()> {
        let Opened { kind, view: ThroughputView { spec, profile_name }, cells, accept_stale, command, folder, .. } =
            opened;
        let steps: Vec<(&Step, Option<&Record>)> =
            cells.iter().map(|step| (step, opened.status(step).usable(*accept_stale))).collect();
        check_outputs(&steps)?;
        let (profile, data, command) = (&kind.profile, &kind.inputs.data, command.clone());
        let summary = Summary { spec, profile, name: profile_name, data, steps, command };
        let text = tables::markdown(&summary);
        write(folder.path(), &format!("{profile_name}.md"), &text)?;
        write(folder.path(), &format!("{profile_name}.tsv"), &tables::tsv(&summary))?;
        for (name, svg) in plots::svgs(&summary)? {
            write(folder.path(), &format!("{profile_name}-{name}.svg"), &svg)?;
        }
        std::io::Write::write_all(&mut treebeam::console::output(), text.as_bytes())?;
        Ok(())
    }
}

/// Checks that output does not depend on the number of threads.
fn check_outputs(steps: &[(&Step, Option<&Record>)]) -> anyhow::Result<()> {
    let mut sums: Vec<((Input, usize), &Step, &str)> = Vec::new();
    for (step, record) in steps {
        let (What::Parse { input, width, .. }, Some(Record { figures: Figures::Parsing(figures), .. })) =
            (step.what, record)
        else {
            continue;
        };
        match sums.iter().find(|(of, ..)| *of == (input, width)) {
            Some((_, other, sum)) => {
                ensure!(*sum == figures.output_sha256, "{} and {} write different trees", step.title(), other.title());
            }
            None => sums.push(((input, width), step, &figures.output_sha256)),
        }
    }
    Ok(())
}
