//! Checkpoints: a killed run resumes to the same bytes.
//!
//! A checkpoint is the [`Progress`] after an iteration and the header of the model to come, which shows whether it belongs to
//! the run at hand. No random state is needed: every stream is derived from the seed, the iteration and the sentence.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

use super::IterationReport;
use super::progress::{Best, Progress};
use crate::error::{Error, Result, excerpt};
use crate::files::{FileKind, Section};
use crate::model::Averaged;

const CHECKPOINT: FileKind = FileKind { magic: b"treebckp", version: 7, name: "checkpoint" };

#[derive(Serialize, Deserialize)]
struct CheckpointSummary<H> {
    header: H,
    iteration: u32,
    reports: Vec<IterationReport>,
    /// Iteration and score of the model that is kept so far.
    best: Option<(u32, u64)>,
}

impl<P: Averaged> Progress<P> {
    /// Writes a checkpoint of the run that is to make a model with `header`, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save<H: Serialize>(&self, header: &H, path: &Path) -> Result<()> {
        let summary = CheckpointSummary {
            header,
            iteration: self.iteration,
            reports: self.reports.clone(),
            best: self.best.as_ref().map(|best| (best.iteration, best.score)),
        };
        let summary = serde_json::to_vec(&summary).expect("a summary is plain data");
        let mut sections = vec![Section::new("summary", summary)];
        let best = self.best.iter().flat_map(|best| P::save_finished(&best.finished));
        sections.extend(best.map(|section| section.under("best")));
        for (number, replica) in self.replicas.iter().enumerate() {
            let of_replica = replica.save().into_iter();
            sections.extend(of_replica.map(|section| section.under(&format!("replica-{number}"))));
        }
        CHECKPOINT.write(&sections, path)
    }

    /// Goes on from the checkpoint at `path`, if it is of the run that is to make a model with `header`.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or belongs to a run with other options or data; nothing can be said of what the
    /// replicas are then.
    pub fn load<H: Serialize + DeserializeOwned + PartialEq>(&mut self, header: &H, path: &Path) -> Result<()> {
        let sections = CHECKPOINT.read(path)?;
        let summary: CheckpointSummary<H> = sections.json("summary")?;
        if summary.header != *header {
            let what = differences(&summary.header, header);
            return Err(sections.damaged(&format!("the checkpoint is of a run with {what}; expected the same")));
        }
        for (number, replica) in self.replicas.iter_mut().enumerate() {
            replica.load(&sections.under(&format!("replica-{number}")))?;
        }
        let best = summary.best.map(|(iteration, score)| {
            Ok::<_, Error>(Best {
                iteration,
                score,
                finished: self.replicas[0].load_finished(&sections.under("best"))?,
            })
        });
        (self.iteration, self.reports, self.best) = (summary.iteration, summary.reports, best.transpose()?);
        Ok(())
    }
}

/// Number of differences that are named.
const NAMED: usize = 4;

/// Differences between a run with the header `there` and this run: options, or else the program or the data, or the
/// notes on the model, or else files that options name, such as sets of features.
fn differences<H: Serialize>(there: &H, here: &H) -> String {
    let value = |header: &H| serde_json::to_value(header).expect("a header is plain data");
    let (there, here) = (value(there), value(here));
    let (options, none) = (|header: &Value| header["training"].as_object().cloned().unwrap_or_default(), &Value::Null);
    let (there_options, here_options) = (options(&there), options(&here));
    let names: BTreeSet<&String> = there_options.keys().chain(here_options.keys()).collect();
    let shown = |value: &Value| match value {
        Value::Null => "no value".to_owned(),
        Value::String(text) => excerpt(text),
        value => excerpt(&value.to_string()),
    };
    let named: Vec<String> = names
        .into_iter()
        .map(|name| (name, there_options.get(name).unwrap_or(none), here_options.get(name).unwrap_or(none)))
        .filter(|(_, there, here)| there != here)
        .map(|(name, there, here)| format!("--{name} {} instead of {}", shown(there), shown(here)))
        .collect();
    let more = named.len().saturating_sub(NAMED);
    let is_other = |names: &[&str]| names.iter().any(|name| there["provenance"][name] != here["provenance"][name]);
    let is_note = |name: &str| there["provenance"]["notes"][name] != here["provenance"]["notes"][name];
    match named.len() {
        0 if is_other(&["version"]) => "another version of the program".to_owned(),
        0 if is_other(&["train_sha256", "dev_sha256"]) => "other training or development data".to_owned(),
        0 if is_note("licence") => "another --licence".to_owned(),
        0 if is_note("about") => "another --about".to_owned(),
        0 => "other files under the same names, such as a set of features that has changed".to_owned(),
        1..=NAMED => named.join(" and "),
        _ => format!("{} and {more} other options that differ", named[..NAMED].join(", ")),
    }
}
