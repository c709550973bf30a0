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
use sha2::{Digest, Sha256};

use super::Experiments;
use super::folder::{write, write_tables};
use super::opened::Opened;
use super::programs::{Bench, Figures, Input, Measurement, Once, TrainingFigures, failed, load, read_json, run};
use crate::{parse, train};
use plan::{Step, What};
use spec::{ThroughputProfile, ThroughputSpec};
use treebeam::error::Result;
use treebeam_lab::experiment::{CellFiles, Cost, Golden, Kind, Overrides, Provenance, Stored, profile_named};

/// Training flags of all models: one thread, and without checkpoints, which would depend on the clock.
pub const TRAIN_FLAGS: [&str; 4] = ["--threads", "1", "--checkpoint-seconds", "1e9"];

/// Steps of measuring as a kind of cell.
#[derive(Debug)]
pub struct Throughput {
    spec: ThroughputSpec,
    profile_name: String,
    profile: ThroughputProfile,
    bench: Bench,
}

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Opened<Throughput>> {
    let spec = ThroughputSpec::read(path, &overrides.options)?;
    let profile = profile_named(&spec.profiles, &args.profile, path)?.clone();
    let ThroughputProfile { treebank, fallback, repetitions, seconds, .. } = &profile;
    let bench = Bench::new((args, path, overrides), &spec.name, (treebank, fallback), (*repetitions, *seconds))?;
    let data = &bench.inputs.data;
    let n_words = data.read(&data.test)?.n_words();
    let steps = plan::plan(&profile, data, n_words, bench.provenance.host.cores)?;
    let (name, is_own) = (spec.name.clone(), bench.is_own);
    let kind = Throughput { spec, profile_name: args.profile.clone(), profile, bench };
    Opened::new(args, path, (&name, is_own), (kind, steps), Box::new(make_tables))
}

impl Throughput {
    /// The file of a model: another one for every training and every program.
    fn model_path(&self, step: &Step) -> PathBuf {
        let name = treebeam::files::hex(&Sha256::digest(format!("{}\n{}", step.training, Golden::whole())));
        self.bench.inputs.folder().join(format!("{}.model", &name[..16]))
    }

    fn train(&self, step: &Step) -> anyhow::Result<TrainingFigures> {
        let [train, dev, _] = self.bench.inputs.portions()?;
        let stats_path = self.bench.inputs.folder().join("stats.json");
        let model = self.model_path(step);
        let mut command = Command::new(&self.bench.program);
        command.arg("train").args(TRAIN_FLAGS).args(step.model.flags()?);
        for (flag, path) in [("--train", &train), ("--dev", &dev), ("--model", &model), ("--stats-json", &stats_path)] {
            command.arg(flag).arg(path);
        }
        let used = run(&mut command)?;
        let train::TrainingStats { iterations, features, weights, peak_rss_bytes, .. } = read_json(&stats_path)?;
        let [features, weights] = [features, weights].map(|n| n as u64);
        let model_bytes = std::fs::metadata(&model).with_context(|| model.display().to_string())?.len();
        Ok(TrainingFigures { used, iterations, features, weights, model_bytes, peak_rss_bytes })
    }

    fn parse(&self, model: &Path, width: usize, threads: usize, input: &Path, output: &Path) -> anyhow::Result<Once> {
        let stats_path = self.bench.inputs.folder().join("stats.json");
        let mut command = Command::new(&self.bench.program);
        command.arg("parse").arg("--model").arg(model);
        for (flag, number) in [("--beam", width), ("--threads", threads)] {
            command.arg(flag).arg(number.to_string());
        }
        // Exact beams: what margins gain is `beam-margin`'s question.
        command.args(["--margin", "none"]);
        command.arg(input).arg("-o").arg(output).arg("--stats-json").arg(&stats_path);
        let used = run(&mut command)?;
        let parse::ParsingStats { seconds, model_load_seconds, peak_rss_bytes, .. } = read_json(&stats_path)?;
        Ok(Once { used, parsing_s: seconds, load_s: model_load_seconds, peak_rss_bytes })
    }

    fn measure(&self, step: &Step) -> anyhow::Result<Figures> {
        let What::Parse { input, width, threads } = step.what else { return self.train(step).map(Figures::Training) };
        let model = self.model_path(step);
        if !model.exists() {
            // It was measured before, and the model has been removed since.
            self.train(step)?;
        }
        let parse = |from: &Path, to: &Path| self.parse(&model, width, threads, from, to);
        self.bench.measure(input, &parse).map(Figures::Parsing)
    }
}

impl Kind for Throughput {
    type Cell = Step;
    type Record = Measurement;

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
    fn is_current(&self, step: &Step, record: &Measurement) -> bool {
        let Provenance { version, golden, host, .. } = &record.provenance;
        (version, host) == (&self.bench.provenance.version, &self.bench.provenance.host)
            && golden.as_ref() == Some(&step.golden)
    }

    fn description(&self, step: &Step) -> serde_json::Value {
        serde_json::json!({ "key": step.key, "step": step.title() })
    }

    fn cost(&self, step: &Step, records: &[&Measurement]) -> Cost {
        let same = |record: &&&Measurement| record.key == step.key;
        let seconds: Vec<f64> = records.iter().filter(same).map(|record| record.seconds()).collect();
        let rule = match step.what {
            What::Train => 60.0,
            What::Parse { .. } => self.bench.seconds * self.bench.repetitions as f64 * 2.0,
        };
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        let memory = 50_000_000 + 20_000 * self.bench.inputs.data.train.n_sentences() as u64;
        Cost { seconds: if seconds.is_empty() { rule } else { mean }, memory, n_records: seconds.len() }
    }

    fn run(&self, step: &Step, _: &CellFiles) -> Result<Measurement> {
        let load_before = load();
        let figures = self.measure(step).map_err(failed)?;
        let (key, title, provenance) = (step.key.clone(), step.title(), self.bench.provenance.behaving(&step.golden));
        Ok(Measurement { key, step: title, provenance, load_before, figures })
    }

    /// Cells side by side would measure each other.
    fn most_jobs(&self) -> usize {
        1
    }
}

impl Opened<Throughput> {
    /// The steps with their records.
    fn steps(&self) -> impl Iterator<Item = (&Step, Option<&Measurement>)> {
        self.cells.iter().map(|step| (step, self.usable(step)))
    }
}

fn make_tables(opened: &Opened<Throughput>) -> anyhow::Result<()> {
    check_outputs(opened)?;
    let (folder, name) = (opened.folder.path(), &opened.kind.profile_name);
    write_tables(folder, name, &tables::markdown(opened), &tables::tsv(opened))?;
    for (plot, svg) in plots::svgs(opened)? {
        write(folder, &format!("{name}-{plot}.svg"), &svg)?;
    }
    Ok(())
}

/// Checks that output does not depend on the number of threads.
fn check_outputs(opened: &Opened<Throughput>) -> anyhow::Result<()> {
    let mut sums: Vec<((Input, usize), &Step, &str)> = Vec::new();
    for (step, record) in opened.steps() {
        let (What::Parse { input, width, .. }, Some(Measurement { figures: Figures::Parsing(figures), .. })) =
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
