//! Checkpoints: a killed run resumes to the same bytes.
//!
//! A checkpoint is the [`Progress`] after an iteration and the header of the model to come, which tells whether it belongs to
//! the run at hand. No random state is needed: every stream is derived from the seed, the iteration and the sentence.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::Path;

use super::Progress;
use super::base::Base;
use super::progress::{Best, IterationReport};
use crate::error::{Error, Result};
use crate::files::{Kind, damaged, read_whole, write_whole};
use crate::model::{FrozenWeights, Layer, LiveWeights};

const CHECKPOINT: Kind = Kind { magic: b"treebckp", version: 4, name: "checkpoint" };

#[derive(Serialize, Deserialize)]
struct Summary<H> {
    header: H,
    iteration: u32,
    reports: Vec<IterationReport>,
    /// Iteration and score of the best weights so far, and the number of lanes.
    best: Option<(u32, u64, usize)>,
    /// Their hidden layers.
    layers: Vec<Layer>,
}

impl Progress {
    /// Writes a checkpoint of the run that is to make a model with `header`, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save<H: Serialize>(&self, header: &H, path: &Path) -> Result<()> {
        let summary = Summary {
            header,
            iteration: self.iteration,
            reports: self.reports.clone(),
            best: self.best.as_ref().map(|best| (best.iteration, best.score, best.weights.width())),
            layers: self.best.as_ref().map(|best| best.layers.clone()).unwrap_or_default(),
        };
        let summary = serde_json::to_vec(&summary).expect("a summary is plain data");
        let best = self.best.as_ref().map(|best| best.weights.sections());
        let (shape, best) = best.unwrap_or_default();
        let replicas: Vec<(Vec<u8>, [&[u8]; 3])> = self.replicas.iter().map(LiveWeights::sections).collect();
        let mut sections = vec![&summary[..], &shape, best[0], best[1], best[2]];
        for (state, tables) in &replicas {
            sections.push(state);
            sections.extend(tables);
        }
        let bases: Vec<Vec<u8>> = self.bases.iter().flat_map(Base::sections).collect();
        sections.extend(bases.iter().map(|section| &section[..]));
        write_whole(path, &CHECKPOINT.pack(&sections))
    }

    /// Reads the checkpoint at `path`, if it is of the run that is to make a model with `header` and began with `bases`.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or belongs to a run with other options or data.
    pub fn load<H: DeserializeOwned + PartialEq>(header: &H, mut bases: Vec<Base>, path: &Path) -> Result<Progress> {
        let bytes = read_whole(path)?;
        let sections = CHECKPOINT.unpack_any(&bytes, path)?;
        let [summary, shape, buckets, sparse, dense, rest @ ..] = &sections[..] else {
            return Err(damaged(path, "too few sections"));
        };
        let summary: Summary<H> = serde_json::from_slice(summary)
            .map_err(|error| damaged(path, &format!("the summary does not parse: {error}")))?;
        if summary.header != *header {
            let what =
                "the checkpoint is of a run with other options or data; give the same ones, or train without --resume";
            return Err(damaged(path, what));
        }
        let inside_out = || damaged(path, "the weights point outside their table; the file is damaged");
        let n_of_bases = bases.iter().map(Base::n_sections).sum();
        let n_of_replicas = rest.len().checked_sub(n_of_bases).ok_or_else(inside_out)?;
        let (replicas, mut of_bases) = rest.split_at(n_of_replicas);
        for base in &mut bases {
            let (sections, rest) = of_bases.split_at(base.n_sections());
            base.load(sections).ok_or_else(inside_out)?;
            of_bases = rest;
        }
        let replicas = replicas.chunks(4).map(|sections| match *sections {
            [state, places, entries, sums] => LiveWeights::from_sections(state, [places, entries, sums]),
            _ => None,
        });
        let replicas = replicas.collect::<Option<Vec<_>>>().ok_or_else(inside_out)?;
        let best = summary.best.map(|(iteration, score, width)| {
            let weights = FrozenWeights::from_sections(shape, [buckets, sparse, dense], width);
            Ok::<_, Error>(Best {
                iteration,
                score,
                weights: weights.ok_or_else(inside_out)?,
                layers: summary.layers.clone(),
            })
        });
        let best = best.transpose()?;
        Ok(Progress { iteration: summary.iteration, replicas, bases, best, reports: summary.reports })
    }
}
