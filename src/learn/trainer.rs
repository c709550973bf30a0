//! The training loop: iterations over shuffled sentences, mini-batches, averages, development scores.

use rayon::prelude::*;
use std::sync::Mutex;

use super::base::Base;
use super::change::{Change, Deferred, Memory, Online};
use super::data::{Example, TrainingData};
use super::exploration::Exploration;
use super::global;
use super::greedy::{self, Teacher};
use super::progress::{Pass, Progress};
use super::pursuit::{GoldSide, Pursuit};
use super::search::{self, Dropout, Guide};
use super::supervision::Supervision;
use super::{TrainOptions, Training};
use crate::decode::{Decoder, Workspace};
use crate::error::{Error, Result};
use crate::model::{LiveWeights, Model};
use crate::process::Clock;
use crate::random;
use crate::system::{OracleKind, TransitionSystem};
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
        options.iterations.check_dev(data.has_dev())?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start {threads} threads: {error}")))?;
        Ok(Trainer { options, data, pool, threads })
    }

    /// Runs one more iteration of every replica. `tick` is called after every mini-batch with the number of sentences done
    /// by all of them.
    pub fn iterate(&self, progress: &mut Progress, tick: &mut (dyn FnMut(usize) + Send)) {
        let clock = Clock::start(&self.pool);
        if self.options.has_base() && progress.bases.is_empty() {
            progress.bases = self.new_bases();
        }
        progress.start_pass(self.options.replicas, self.options.average_from);
        let iteration = progress.iteration;
        let done = Mutex::new((0, tick));
        let tick = |n: usize| {
            let (done, tick) = &mut *done.lock().expect("no thread fails while it reports");
            *done += n;
            tick(*done);
        };
        let Progress { replicas, bases, .. } = progress;
        let updates = self.pool.install(|| {
            let passes = replicas.par_iter_mut().enumerate().map(|(number, weights)| {
                with_system!(self.options.system, self.options.roots, |system| {
                    ReplicaPass::new(self, system, iteration, number).run(weights, &tick)
                })
            });
            let searches = bases.par_iter_mut().enumerate().map(|(number, base)| {
                with_system!(self.options.system, self.options.roots, |system| {
                    ReplicaPass::new(self, system, iteration, number).search(base, &tick)
                })
            });
            passes.chain(searches).sum()
        });
        let pass = Pass {
            updates,
            seconds: clock.seconds(),
            cpu_seconds: clock.cpu_seconds(),
            width: self.data.parts().width(),
            stopping: self.options.stopping(),
            keep: self.options.keep,
            has_dev: self.data.has_dev(),
        };
        progress.end_pass(pass, |averaged, layers| {
            self.pool.install(|| self.data.score_dev(averaged, layers, self.options.decoding_beam()))
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
        header.layers.clone_from(&best.layers);
        Model::new(header, best.weights.clone())
    }
}

impl Trainer<'_> {
    /// The base learners before the first iteration, if any are trained.
    pub(super) fn new_bases(&self) -> Vec<Base> {
        let options = self.options;
        let n = if options.has_base() { options.replicas as usize } else { 0 };
        let base = |number| {
            let seed = replica_seed(options.seed, number);
            Base::new(options.base(), options.objective(), self.data.parts(), seed)
        };
        (0..n).map(base).collect()
    }
}

/// The seed of a replica: the first one is the run that would be made without others.
fn replica_seed(seed: u64, number: usize) -> u64 {
    match number {
        0 => seed,
        _ => random::below(1 << 63, &mut random::stream(seed, "replica", &[number as u64])),
    }
}

/// One pass of one replica over the training data.
#[derive(Debug, Clone, Copy)]
struct ReplicaPass<'t, S> {
    trainer: &'t Trainer<'t>,
    system: S,
    iteration: u32,
    seed: u64,
}

impl<'t, S: TransitionSystem> ReplicaPass<'t, S> {
    fn new(trainer: &'t Trainer<'t>, system: S, iteration: u32, number: usize) -> ReplicaPass<'t, S> {
        let system = system.with_oracle(trainer.options.oracle);
        ReplicaPass { trainer, system, iteration, seed: replica_seed(trainer.options.seed, number) }
    }

    /// The sentences in the order of this pass.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.trainer.data.examples().len()).collect();
        random::shuffle(&mut order, &mut random::stream(self.seed, "shuffle", &[u64::from(self.iteration)]));
        order
    }

    /// With a base learner of real weights.
    fn search(&self, base: &mut Base, tick: &(dyn Fn(usize) + Sync)) -> u64 {
        let (data, options) = (self.trainer.data, self.trainer.options);
        let mut workspace = Workspace::new(data.actions().n_labels());
        let mut updates = 0;
        for number in self.order() {
            let example = &data.examples()[number];
            let guide = match options.training {
                Training::L2s => Guide::Search {
                    search: options.search(),
                    pass: self.iteration,
                    stream: random::stream(self.seed, "search", &[u64::from(self.iteration), number as u64]),
                },
                _ => Guide::Greedy(self.teacher(number)),
            };
            workspace.input.clone_from(&example.input);
            let (decoder, supervision) = (self.decoder(&()), self.supervision(example));
            let stream = || random::stream(self.seed, "dropout", &[u64::from(self.iteration), number as u64]);
            let dropout = (options.dropout > 0.0).then(|| Dropout::new(options.dropout, stream()));
            updates += search::learn(&decoder, &supervision, data.parts(), guide, dropout, &mut workspace, base);
            tick(1);
        }
        base.end_pass();
        updates
    }

    fn run(&self, weights: &mut LiveWeights, tick: &(dyn Fn(usize) + Sync)) -> u64 {
        let (data, options) = (self.trainer.data, self.trainer.options);
        let order = self.order();
        let n_labels = data.actions().n_labels();
        let mut workspaces: Vec<Workspace> = (0..self.trainer.threads).map(|_| Workspace::new(n_labels)).collect();
        let mut updates = 0;
        for batch in order.chunks(options.batch) {
            if let &[number] = batch
                && options.training == Training::Greedy
            {
                updates += self.greedy(number, &mut workspaces[0], &mut Online(weights));
                weights.tick();
            } else {
                for (changes, n_updates) in self.learn_batch(batch, weights, &mut workspaces) {
                    weights.update_all(&changes);
                    weights.tick();
                    updates += n_updates;
                }
            }
            tick(batch.len());
        }
        updates
    }

    /// The changes of each sentence of a mini-batch, in order, whichever thread they come from.
    fn learn_batch(
        &self,
        batch: &[usize],
        weights: &LiveWeights,
        workspaces: &mut [Workspace],
    ) -> Vec<(Vec<Change>, u64)> {
        let learn = |number: usize, workspace: &mut Workspace| match self.trainer.options.training {
            Training::Greedy => {
                let mut memory = Deferred { weights, changes: Vec::new() };
                let updates = self.greedy(number, workspace, &mut memory);
                (memory.changes, updates)
            }
            Training::Global | Training::L2s => self.global(number, weights, workspace),
        };
        if batch.len() == 1 || workspaces.len() == 1 {
            return batch.iter().map(|&number| learn(number, &mut workspaces[0])).collect();
        }
        let share = batch.len().div_ceil(workspaces.len());
        let parts = workspaces.par_iter_mut().zip(batch.par_chunks(share));
        parts
            .map(|(workspace, part)| part.iter().map(|&number| learn(number, workspace)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
            .into_iter()
            .flatten()
            .collect()
    }

    /// The gold side of greedy training.
    fn teacher(&self, number: usize) -> Teacher<'t> {
        let options = self.trainer.options;
        match options.oracle {
            oracle if oracle.is_static() => Teacher::Static(&self.trainer.data.examples()[number].derivation),
            OracleKind::NonDeterministic => Teacher::NonDeterministic,
            _ => Teacher::Dynamic(Exploration::new(
                options.explore_from,
                options.explore_prob,
                self.seed,
                self.iteration,
                number,
            )),
        }
    }

    fn greedy<M: Memory>(&self, number: usize, workspace: &mut Workspace, memory: &mut M) -> u64 {
        let example = &self.trainer.data.examples()[number];
        workspace.input.clone_from(&example.input);
        let (decoder, supervision) = (self.decoder(&()), self.supervision(example));
        greedy::learn(&decoder, &supervision, self.teacher(number), workspace, memory)
    }

    fn global(&self, number: usize, weights: &LiveWeights, workspace: &mut Workspace) -> (Vec<Change>, u64) {
        let options = self.trainer.options;
        let example = &self.trainer.data.examples()[number];
        let gold_side = match options.oracle {
            oracle if oracle.is_static() => GoldSide::Static(&example.derivation),
            _ => GoldSide::Dynamic,
        };
        let (decoder, supervision) = (self.decoder(weights), self.supervision(example));
        let mut changes = Vec::new();
        workspace.input.clone_from(&example.input);
        let (width, gold_width) = (options.beam, options.beam);
        let pursuit = Pursuit { decoder, supervision, gold_side, width, gold_width };
        let updated = global::learn(&pursuit, options.update, workspace, &mut changes);
        (changes, u64::from(updated))
    }

    fn decoder<'w, W>(&'w self, weights: &'w W) -> Decoder<'w, S, W> {
        let data = self.trainer.data;
        Decoder { system: self.system, features: data.features(), actions: data.actions(), weights }
    }

    fn supervision<'s>(&'s self, example: &'s Example) -> Supervision<'s, S> {
        Supervision { system: self.system, actions: self.trainer.data.actions(), gold: &example.gold }
    }
}
