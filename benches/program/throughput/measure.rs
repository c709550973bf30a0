//! One step with clocks.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use treebeam::files::hex;
use treebeam::learn::IterationReport;
use treebeam::treebank::Sentence;

use super::inputs::{Input, Inputs};
use super::plan::{Step, What};
use super::record::{Figures, ParsingFigures, Run, Scores, TrainingFigures};
use super::spec::Profile;
use crate::process::{Used, read_json, run, treebeam};

/// Where steps are measured.
#[derive(Debug)]
pub struct Bench<'p> {
    /// How.
    pub profile: &'p Profile,
    /// On what.
    pub inputs: Inputs,
    /// The folder of models and of what comes and goes.
    pub work: PathBuf,
}

/// What `treebeam train --stats-json` writes, as far as it is wanted here.
#[derive(Debug, Deserialize)]
struct TrainStats {
    iterations: Vec<IterationReport>,
    features: u64,
    weights: u64,
    peak_rss_bytes: Option<u64>,
}

/// What `treebeam parse --stats-json` writes, as far as it is wanted here.
#[derive(Debug, Clone, Deserialize)]
struct ParseStats {
    sentences: u64,
    tokens: u64,
    seconds: f64,
    model_load_seconds: f64,
    peak_rss_bytes: Option<u64>,
}

/// How models are trained, beside their options: on one thread, and without checkpoints, which would depend on the clock.
pub const TRAIN_FLAGS: [&str; 4] = ["--threads", "1", "--checkpoint-seconds", "1e9"];

/// The most copies that are parsed in one run.
const MOST_COPIES: u64 = 200;

impl Bench<'_> {
    /// The file of a model: another one for every training.
    pub fn model_path(&self, train: &Step, revision: &str) -> PathBuf {
        let name = hex(&Sha256::digest(format!("{}\n{revision}", train.key)));
        self.work.join(format!("{}.model", &name[..16]))
    }

    /// Measures one step with the model at `model`.
    ///
    /// # Errors
    /// If the program cannot be run or fails, or what it writes is not what is expected.
    pub fn measure(&self, step: &Step, model: &Path) -> anyhow::Result<Figures> {
        match step.what {
            What::Train => self.train(step, model).map(Figures::Training),
            What::Parse { input, width, threads } => {
                let parsing = Parsing { bench: self, model, width, threads };
                parsing.measure(input).map(Figures::Parsing)
            }
        }
    }

    fn train(&self, step: &Step, model: &Path) -> anyhow::Result<TrainingFigures> {
        let [train, dev, _] = self.inputs.portions()?;
        let stats_path = self.work.join("stats.json");
        let mut command = treebeam(["train"]);
        command.args(TRAIN_FLAGS).args(step.model.flags()?);
        for (flag, path) in [("--train", &train), ("--dev", &dev)] {
            command.arg(flag).arg(path);
        }
        command.arg("--model").arg(model).arg("--stats-json").arg(&stats_path);
        let (used, _) = run(&mut command)?;
        let stats: TrainStats = read_json(&stats_path)?;
        let TrainStats { iterations, features, weights, peak_rss_bytes } = stats;
        let model_bytes = std::fs::metadata(model).with_context(|| model.display().to_string())?.len();
        Ok(TrainingFigures { used, iterations, features, weights, model_bytes, peak_rss_bytes })
    }
}

/// Parsing in one way.
struct Parsing<'b> {
    bench: &'b Bench<'b>,
    model: &'b Path,
    width: usize,
    threads: usize,
}

impl Parsing<'_> {
    fn measure(&self, input: Input) -> anyhow::Result<ParsingFigures> {
        let sentences = self.bench.inputs.sentences(input)?;
        ensure!(!sentences.is_empty(), "the test file has fewer words than one sentence of {input:?} wants");
        let one = self.bench.inputs.copies(&sentences, 1)?;
        let parsed = self.bench.work.join("parsed.conllu");
        // Warms the caches of the system, and is not counted.
        let (_, stats) = self.parse(&one, &parsed)?;
        let output = std::fs::read(&parsed).with_context(|| parsed.display().to_string())?;
        let scores = (input == Input::Test).then(|| self.score(&one, &parsed)).transpose()?;
        let copies = self.copies(&sentences, stats.seconds);
        let many = self.bench.inputs.copies(&sentences, copies)?;
        let runs =
            (0..self.bench.profile.repetitions).map(|_| self.repetition(&one, &many)).collect::<Result<_, _>>()?;
        let output_sha256 = hex(&Sha256::digest(output));
        let ParseStats { sentences, tokens, .. } = stats;
        Ok(ParsingFigures { sentences, tokens, copies, runs, output_sha256, scores })
    }

    /// How many copies make a run as long as it should be.
    fn copies(&self, sentences: &[Sentence], seconds: f64) -> u64 {
        let wanted = 1 + (self.bench.profile.seconds / seconds.max(1e-4)).ceil() as u64;
        // Not more than memory of the disk's cache has room for.
        let bytes: usize = sentences.iter().map(|sentence| sentence.text().len()).sum();
        wanted.clamp(2, MOST_COPIES.min(1 + (1 << 29) / bytes.max(1) as u64).max(2))
    }

    fn repetition(&self, one: &Path, many: &Path) -> anyhow::Result<Run> {
        let null = Path::new("/dev/null");
        let (one, _) = self.parse(one, null)?;
        let (many, stats) = self.parse(many, null)?;
        Ok(Run { one, many, load_s: stats.model_load_seconds, peak_rss_bytes: stats.peak_rss_bytes })
    }

    fn parse(&self, input: &Path, output: &Path) -> anyhow::Result<(Used, ParseStats)> {
        let stats_path = self.bench.work.join("stats.json");
        let mut command = treebeam(["parse"]);
        command.arg("--model").arg(self.model);
        for (flag, number) in [("--beam", self.width), ("--threads", self.threads)] {
            command.arg(flag).arg(number.to_string());
        }
        command.arg(input).arg("-o").arg(output).arg("--stats-json").arg(&stats_path);
        let (used, _) = run(&mut command)?;
        Ok((used, read_json(&stats_path)?))
    }

    fn score(&self, gold: &Path, parsed: &Path) -> anyhow::Result<Scores> {
        let mut command = treebeam(["eval", "--json", "--samples", "1"]);
        let (_, output) = run(command.arg(gold).arg(parsed))?;
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).context("scores")?;
        // The first line counts every word and whole labels.
        Scores::deserialize(&report["systems"][0]["scores"][0]).context("scores")
    }
}
