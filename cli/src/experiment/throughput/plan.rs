//! The steps of a run: for each model training it, then parsing with it.

use super::super::programs::Input;
use super::spec::{ModelSpec, ThroughputProfile};
use anyhow::Context;
use sha2::{Digest, Sha256};
use treebeam::error::counted;
use treebeam::files::hex;
use treebeam_lab::experiment::{Data, Golden};

/// One measurement.
#[derive(Debug, Clone)]
pub struct Step {
    /// The model.
    pub model: ModelSpec,
    /// Its use.
    pub what: What,
    /// A checksum of all that the figures depend on, but for code and machine.
    pub key: String,
    /// The checksum of the behaviour of what is measured, see [`Golden`].
    pub golden: String,
    /// The key of the step that trains the model.
    pub training: String,
}

/// Use of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// It is trained.
    Train,
    /// It parses.
    Parse {
        /// The file.
        input: Input,
        /// The width of the beam.
        width: usize,
        /// Threads.
        threads: usize,
    },
}

impl Step {
    /// The step in words.
    pub fn title(&self) -> String {
        let name = &self.model.name;
        match self.what {
            What::Train => format!("{name}: training"),
            What::Parse { input, width, threads } => {
                let threads = counted(threads, "thread");
                let of = match input {
                    Input::Test => String::new(),
                    Input::Joined(length) => format!(", sentences of {length} words"),
                };
                format!("{name}: parsing at width {width} on {threads}{of}")
            }
        }
    }
}

/// All steps, in the order in which they are done. Sentences are not joined to more words than the `n_words` of the test file.
///
/// # Errors
/// Never, as long as options are numbers and words.
pub fn plan(profile: &ThroughputProfile, data: &Data, n_words: usize, cores: usize) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    for model in &profile.models {
        let mut whats = vec![What::Train];
        for &width in &model.decode {
            whats.push(What::Parse { input: Input::Test, width, threads: 1 });
            if cores > 1 {
                whats.push(What::Parse { input: Input::Test, width, threads: cores });
            }
        }
        for width in model.decode.iter().copied().filter(|width| profile.length_widths.contains(width)) {
            let lengths = profile.lengths.iter().copied().filter(|&length| length <= n_words);
            whats.extend(lengths.map(|length| What::Parse { input: Input::Joined(length), width, threads: 1 }));
        }
        let mut training = String::new();
        let golden = Golden::concerning(&[&model.resolved]);
        let options = serde_json::to_string(&model.resolved).context("options")?;
        let sums = [&data.train, &data.dev, &data.test].map(|portion| portion.sha256.as_str()).join("\n");
        for what in whats {
            let how = match what {
                What::Train => String::new(),
                What::Parse { .. } => format!("{} times, {} seconds", profile.repetitions, profile.seconds),
            };
            let (key, golden) = (String::new(), golden.clone());
            let mut step = Step { model: model.clone(), what, key, golden, training: training.clone() };
            let all = format!("{}\n{options}\n{how}\n{sums}", step.title());
            step.key = hex(&Sha256::digest(all))[..16].to_owned();
            if what == What::Train {
                training.clone_from(&step.key);
                step.training.clone_from(&step.key);
            }
            steps.push(step);
        }
    }
    Ok(steps)
}
