//! The training loop: iterations over shuffled sentences, mini-batches, averages, development scores.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::change::{Change, Deferred, Memory, Online};
use super::data::{Example, TrainingData};
use super::exploration::Exploration;
use super::global::{self, GoldSide};
use super::greedy::{self, Teacher};
use super::supervision::Supervision;
use super::{Keep, TrainOptions, Training};
use crate::decode::{Decoder, Workspace};
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::model::{FrozenWeights, LiveWeights, Model};
use crate::random;
use crate::system::{OracleKind, System as _, TransitionSystem};
use crate::with_system;

/// What one iteration did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationReport {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Greedy: wrong decisions. Global: sentences with an update.
    pub updates: u64,
    /// Features with a row of live weights.
    pub features: usize,
    /// Correct heads and labels on the development data, decoded with the averaged weights.
    pub dev: Option<Counts>,
    /// Wall time of the iteration's training, without the development data.
    pub seconds: f64,
}

/// The state of a training run between two iterations: all that a later one depends on.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u32,
    /// The live weights.
    pub weights: LiveWeights,
    /// The weights to keep so far.
    pub best: Option<Best>,
    /// What the iterations did.
    pub reports: Vec<IterationReport>,
}

/// The weights of the iteration to keep.
#[derive(Debug, Clone)]
pub struct Best {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Correct heads and labels on the development data.
    pub score: u64,
    /// The averages.
    pub weights: FrozenWeights,
}

/// A training run.
#[derive(Debug)]
pub struct Trainer<'t> {
    options: &'t TrainOptions,
    data: &'t TrainingData,
    pool: rayon::ThreadPool,
    threads: usize,
}

impl<'t> Trainer<'t> {
    /// A run on `data` with up to `threads` threads, on which the result does not depend.
    ///
    /// # Errors
    /// If the options contradict each other or threads cannot be started.
    pub fn new(options: &'t TrainOptions, data: &'t TrainingData, threads: usize) -> Result<Trainer<'t>> {
        options.check()?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start {threads} threads: {error}")))?;
        Ok(Trainer { options, data, pool, threads })
    }

    /// Runs one more iteration. `tick` is called after every mini-batch with the number of sentences done.
    pub fn iterate(&self, progress: &mut Progress, tick: &mut dyn FnMut(usize)) {
        let start = Instant::now();
        if progress.iteration > 0 && progress.iteration == self.options.average_from {
            progress.weights.restart_average();
        }
        let updates = with_system!(self.options.system, self.options.roots, |system| {
            self.pass(system.with_oracle(self.options.oracle), progress, tick)
        });
        let seconds = start.elapsed().as_secs_f64();
        progress.iteration += 1;
        let wanted = self.options.keep == Keep::Best || progress.iteration == self.options.iterations;
        let mut dev = None;
        if wanted || self.data.has_dev() {
            let averaged = FrozenWeights::average(&progress.weights, self.data.actions().width());
            dev = self.pool.install(|| self.data.score_dev(&averaged, self.options.decoding_beam()));
            let score = dev.map_or(0, |counts| counts.labelled);
            let better = progress.best.as_ref().is_none_or(|best| score > best.score);
            if self.options.keep == Keep::Last || dev.is_none() || better {
                progress.best = Some(Best { iteration: progress.iteration, score, weights: averaged });
            }
        }
        progress.reports.push(IterationReport {
            iteration: progress.iteration,
            updates,
            features: progress.weights.n_features(),
            dev,
            seconds,
        });
    }

    /// The model after the last iteration.
    ///
    /// # Errors
    /// If there was none.
    pub fn finish(&self, progress: &Progress) -> Result<Model> {
        let Some(best) = &progress.best else {
            return Err(Error::Usage("training for 0 iterations makes no model".to_owned()));
        };
        let mut header = self.data.header().clone();
        header.provenance.iteration = best.iteration;
        Model::new(header, best.weights.clone())
    }

    fn pass<S: TransitionSystem>(&self, system: S, progress: &mut Progress, tick: &mut dyn FnMut(usize)) -> u64 {
        let examples = self.data.examples();
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let iteration = progress.iteration;
        random::shuffle(&mut order, &mut random::stream(self.options.seed, "shuffle", &[u64::from(iteration)]));
        let n_labels = self.data.actions().n_labels();
        let mut workspaces: Vec<Workspace> = (0..self.threads).map(|_| Workspace::new(n_labels)).collect();
        let (mut updates, mut done) = (0, 0);
        for batch in order.chunks(self.options.batch) {
            if let &[number] = batch
                && self.options.training == Training::Greedy
            {
                let mut memory = Online(&mut progress.weights);
                updates += self.greedy(system, iteration, number, &mut workspaces[0], &mut memory);
                progress.weights.tick();
            } else {
                let learned = self.learn_batch(system, iteration, batch, &progress.weights, &mut workspaces);
                for (changes, n_updates) in learned {
                    for (feature, action, change) in changes {
                        progress.weights.update(feature, action, change);
                    }
                    progress.weights.tick();
                    updates += n_updates;
                }
            }
            done += batch.len();
            tick(done);
        }
        updates
    }

    /// The changes of each sentence of a mini-batch, in order, whichever thread they come from.
    fn learn_batch<S: TransitionSystem>(
        &self,
        system: S,
        iteration: u32,
        batch: &[usize],
        weights: &LiveWeights,
        workspaces: &mut [Workspace],
    ) -> Vec<(Vec<Change>, u64)> {
        let learn = |number: usize, workspace: &mut Workspace| match self.options.training {
            Training::Greedy => {
                let mut memory = Deferred { weights, changes: Vec::new() };
                let updates = self.greedy(system, iteration, number, workspace, &mut memory);
                (memory.changes, updates)
            }
            Training::Global => self.global(system, number, weights, workspace),
        };
        if batch.len() == 1 || workspaces.len() == 1 {
            return batch.iter().map(|&number| learn(number, &mut workspaces[0])).collect();
        }
        let share = batch.len().div_ceil(workspaces.len());
        self.pool.install(|| {
            let parts = workspaces.par_iter_mut().zip(batch.par_chunks(share));
            parts
                .map(|(workspace, part)| part.iter().map(|&number| learn(number, workspace)).collect::<Vec<_>>())
                .collect::<Vec<_>>()
                .into_iter()
                .flatten()
                .collect()
        })
    }

    fn greedy<S: TransitionSystem, M: Memory>(
        &self,
        system: S,
        iteration: u32,
        number: usize,
        workspace: &mut Workspace,
        memory: &mut M,
    ) -> u64 {
        let example = &self.data.examples()[number];
        let options = self.options;
        let teacher = match options.oracle {
            oracle if oracle.is_static() => Teacher::Static(&example.derivation),
            OracleKind::NonDeterministic => Teacher::NonDeterministic,
            _ => Teacher::Dynamic(Exploration::new(
                options.explore_from,
                options.explore_prob,
                options.seed,
                iteration,
                number,
            )),
        };
        let decoder = self.decoder(system, &());
        workspace.input.clone_from(&example.input);
        greedy::learn(&decoder, &self.supervision(system, example), teacher, workspace, memory)
    }

    fn global<S: TransitionSystem>(
        &self,
        system: S,
        number: usize,
        weights: &LiveWeights,
        workspace: &mut Workspace,
    ) -> (Vec<Change>, u64) {
        let example = &self.data.examples()[number];
        let gold_side = match self.options.oracle {
            oracle if oracle.is_static() => GoldSide::Static(&example.derivation),
            _ => GoldSide::Dynamic,
        };
        let decoder = self.decoder(system, weights);
        let supervision = self.supervision(system, example);
        let mut changes = Vec::new();
        workspace.input.clone_from(&example.input);
        let (update, beam) = (self.options.update, self.options.beam);
        let updated = global::learn(&decoder, &supervision, gold_side, update, beam, workspace, &mut changes);
        (changes, u64::from(updated))
    }

    fn decoder<'w, S, W>(&'w self, system: S, weights: &'w W) -> Decoder<'w, S, W> {
        Decoder { system, features: self.data.features(), actions: self.data.actions(), weights }
    }

    fn supervision<'s, S>(&'s self, system: S, example: &'s Example) -> Supervision<'s, S> {
        Supervision { system, actions: self.data.actions(), gold: &example.gold }
    }
}
