//! The training loop: iterations over shuffled sentences, mini-batches, averages, development scores.

use rayon::prelude::*;
use std::time::Instant;

use super::change::{Change, Deferred, Memory, Online};
use super::data::{Example, TrainingData};
use super::exploration::Exploration;
use super::global::{self, GoldSide};
use super::greedy::{self, Teacher};
use super::progress::{Pass, Progress};
use super::supervision::Supervision;
use super::{OracleKind, TrainOptions, Training};
use crate::decode::{Decoder, Workspace};
use crate::error::{Error, Result};
use crate::model::{LiveWeights, Model};
use crate::random;
use crate::system::Oracle;
use crate::with_system;

/// A training run.
#[derive(Debug)]
pub struct Trainer<'t> {
    pub(super) options: &'t TrainOptions,
    pub(super) data: &'t TrainingData,
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
        progress.start_pass(self.options.average_from);
        let updates = with_system!(self.options.system, self.options.roots, |system| self.pass(system, progress, tick));
        let pass = Pass {
            updates,
            seconds: start.elapsed().as_secs_f64(),
            width: self.data.actions().width(),
            iterations: self.options.iterations,
            keep: self.options.keep,
            has_dev: self.data.has_dev(),
        };
        progress.end_pass(pass, |averaged| {
            self.pool.install(|| self.data.score_dev(averaged, self.options.decoding_beam()))
        });
    }

    /// The model after the last iteration.
    ///
    /// # Errors
    /// If there was none.
    pub fn finish(&self, progress: &Progress) -> Result<Model> {
        let best = progress.kept()?;
        let mut header = self.data.header().clone();
        header.provenance.iteration = best.iteration;
        Model::new(header, best.weights.clone())
    }

    fn pass<S: Oracle>(&self, system: S, progress: &mut Progress, tick: &mut dyn FnMut(usize)) -> u64 {
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
    fn learn_batch<S: Oracle>(
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

    fn greedy<S: Oracle, M: Memory>(
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
            OracleKind::Static => Teacher::Static(&example.derivation),
            OracleKind::Dynamic => Teacher::Dynamic(Exploration::new(
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

    fn global<S: Oracle>(
        &self,
        system: S,
        number: usize,
        weights: &LiveWeights,
        workspace: &mut Workspace,
    ) -> (Vec<Change>, u64) {
        let example = &self.data.examples()[number];
        let gold_side = match self.options.oracle {
            OracleKind::Static => GoldSide::Static(&example.derivation),
            OracleKind::Dynamic => GoldSide::Dynamic,
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
