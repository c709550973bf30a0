//! Speed of a program: it parses a file once and several times over, which separates parsing from starting and loading.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::figures::{ParsingFigures, Repetition, TestScores};
use super::inputs::{Input, Inputs};
use super::process::{Used, run_into};
use crate::experiment::Experiments;
use treebeam::error::Error;
use treebeam::treebank::Sentence;
use treebeam_lab::experiment::{Data, Overrides, Provenance};

/// The most copies that are parsed in one run.
const MOST_COPIES: u64 = 200;

/// Checks that a profile's bounds let a run end.
///
/// # Errors
/// If it does not.
pub fn check_measuring(path: &Path, profile: &str, repetitions: usize, seconds: f64) -> anyhow::Result<()> {
    let file = path.display();
    ensure!(
        (1..=1000).contains(&repetitions),
        "{file}: {profile}: repetitions = {repetitions}; expected a whole number from 1 to 1,000"
    );
    ensure!(
        (0.0..=3600.0).contains(&seconds),
        "{file}: {profile}: seconds = {seconds}; expected a number from 0 to 3600"
    );
    Ok(())
}

/// Treebank and programs of measurements, and how long these are.
#[derive(Debug)]
pub struct Bench {
    /// The files.
    pub inputs: Inputs,
    /// This program, which scores.
    pub program: PathBuf,
    /// This program and the machine.
    pub provenance: Provenance,
    /// Number of measurements of everything.
    pub repetitions: usize,
    /// As many copies are parsed as take this long.
    pub seconds: f64,
    /// True if something else is measured than the profile says.
    pub is_own: bool,
}

/// One run of a parser.
#[derive(Debug, Clone, Copy)]
pub struct Once {
    /// Resources that the process used.
    pub used: Used,
    /// Seconds that parsing took, if the parser reports them; else those of the process.
    pub parsing_s: f64,
    /// Seconds that loading the model took, if the parser reports them.
    pub load_s: f64,
    /// Its peak memory.
    pub peak_rss_bytes: Option<u64>,
}

impl Bench {
    /// Bench of the experiment `name`. The treebank is the one that is asked for, else that of the profile, or its `fallback` where there is
    /// no folder of treebanks. Models and other files that are not kept go into cargo's target folder if there is one, else among the cells
    /// of the experiment's results.
    ///
    /// # Errors
    /// If several treebanks are asked for, one cannot be read, or a folder cannot be made.
    pub fn new(
        (args, path, overrides): (&Experiments, &Path, &Overrides),
        name: &str,
        (of_profile, fallback): (&str, &str),
        (repetitions, seconds): (usize, f64),
    ) -> anyhow::Result<Bench> {
        let treebank = match overrides.treebanks.as_deref() {
            None if args.treebanks.is_some() => of_profile,
            None => {
                eprintln!("TREEBEAM_TREEBANKS is not set: {fallback} stands in for {of_profile}");
                fallback
            }
            Some([treebank]) => treebank,
            Some(_) => {
                let what =
                    format!("{}: whole programs are measured on one treebank; expected one name", path.display());
                return Err(Error::Usage(format!("{what} in --set treebanks=NAME")).into());
            }
        };
        let cap = overrides.max_train_sentences.filter(|cap| *cap > 0);
        let is_own = treebank != of_profile || cap.is_some() || !overrides.options.is_empty();
        let data = Data::find(treebank.parse()?, args.treebanks.as_deref(), cap)?;
        let target = Path::new("target");
        let cells = args.folder(name, is_own).join("cells");
        let scratch = if target.is_dir() { target.join(name) } else { cells.join("work") };
        std::fs::create_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
        let program = std::env::current_exe().context("this program")?;
        let provenance = Provenance::of_this_process(1);
        Ok(Bench { inputs: Inputs::new(data, scratch), program, provenance, repetitions, seconds, is_own })
    }

    /// Times `parse`, which is given the file to read and the one to write.
    ///
    /// # Errors
    /// If the program cannot be run or fails, or what it writes is not what is expected.
    pub fn measure(
        &self,
        input: Input,
        parse: &dyn Fn(&Path, &Path) -> anyhow::Result<Once>,
    ) -> anyhow::Result<ParsingFigures> {
        let sentences = self.inputs.sentences(input)?;
        ensure!(!sentences.is_empty(), "the test file has fewer words than one sentence of {input:?} wants");
        let one = self.inputs.copies(&sentences, 1)?;
        let parsed = self.inputs.folder().join("parsed.conllu");
        // Warms the caches of the system, and is not counted.
        let first = parse(&one, &parsed)?;
        let output = std::fs::read(&parsed).with_context(|| parsed.display().to_string())?;
        let scores = (input == Input::Test).then(|| self.score(&one, &parsed)).transpose()?;
        let copies = self.copies(&sentences, first.parsing_s);
        let many = self.inputs.copies(&sentences, copies)?;
        let null = Path::new("/dev/null");
        let repetition = |_| {
            let (one, many) = (parse(&one, null)?, parse(&many, null)?);
            Ok(Repetition { one: one.used, many: many.used, load_s: many.load_s, peak_rss_bytes: many.peak_rss_bytes })
        };
        let runs = (0..self.repetitions).map(repetition).collect::<anyhow::Result<_>>()?;
        let output_sha256 = treebeam::files::hex(&Sha256::digest(output));
        let tokens = sentences.iter().map(|sentence| sentence.words().count() as u64).sum();
        Ok(ParsingFigures { sentences: sentences.len() as u64, tokens, copies, runs, output_sha256, scores })
    }

    /// Number of copies that make a run as long as it should be.
    fn copies(&self, sentences: &[Sentence], seconds: f64) -> u64 {
        let wanted = 1 + (self.seconds / seconds.max(1e-4)).ceil() as u64;
        // Not more than memory of the disk's cache has room for.
        let bytes: usize = sentences.iter().map(|sentence| sentence.text().len()).sum();
        wanted.clamp(2, MOST_COPIES.min(1 + (1 << 29) / bytes.max(1) as u64).max(2))
    }

    fn score(&self, gold: &Path, parsed: &Path) -> anyhow::Result<TestScores> {
        let report = self.inputs.folder().join("scores.json");
        let output = File::create(&report).with_context(|| report.display().to_string())?;
        let mut command = Command::new(&self.program);
        command.args(["eval", "--json", "--samples", "1"]).arg(gold).arg(parsed);
        run_into(&mut command, output.into())?;
        let report: serde_json::Value = super::read_json(&report)?;
        // The first line counts every word and whole labels.
        TestScores::deserialize(&report["systems"][0]["scores"][0]).context("scores")
    }
}
