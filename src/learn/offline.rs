//! Training offline: the decisions of all canonical derivations are collected once, with their features, and a
//! [support vector machine](SupportVectors) is trained on them as one problem, pass after pass. What the parser would do is not
//! asked: this is how MaltParser is trained, and the baseline that learning along one's own path was measured against.

use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::TrainOptions;
use super::data::{Example, TrainingData};
use crate::configuration::Point;
use crate::decode::{Machine, Workspace};
use crate::error::Result;
use crate::features::Compiled;
use crate::linear::{Examples, Linear, LinearMemory, SupportVectors};
use crate::model::{Frozen as _, Model, Scoring as _};
use crate::process::{self, Clock};
use crate::random;
use crate::scorers::{AnyModel, AnyScorer};
use crate::system::TransitionSystem;
use crate::training::{IterationReport, ModelRun, Pass, Progress, Run, Stopping, Tick, Written};
use crate::with_system;

/// A training run of a support vector machine.
#[derive(Debug)]
pub struct OfflineRun<'t> {
    options: &'t TrainOptions,
    data: &'t TrainingData,
    pool: rayon::ThreadPool,
    progress: Progress<SupportVectors>,
}

impl<'t> OfflineRun<'t> {
    /// A run on `data` with up to `threads` threads, on which the result does not depend; all but the passes are done on these.
    ///
    /// # Errors
    /// If the options contradict each other or threads cannot be started.
    pub fn new(options: &'t TrainOptions, data: &'t TrainingData, threads: usize) -> Result<OfflineRun<'t>> {
        options.check()?;
        options.iterations.check_dev(data.has_dev())?;
        let pool = process::thread_pool(threads)?;
        let features = Arc::new(data.header().compile()?);
        let examples = pool.install(|| {
            with_system!(options.system, options.roots, |system| {
                // Whether items remember their actions matters to what features read.
                let machine = Machine { system, actions: data.actions(), keeps_history: features.reads().history };
                let of = |workspace: &mut Workspace, example: &Example| collect(machine, &features, example, workspace);
                gather(data, &of)
            })
        });
        let machine = SupportVectors::new(features, data.stages().clone(), Arc::new(examples), options.learner().rate);
        Ok(OfflineRun { options, data, pool, progress: Progress::new(vec![machine]) })
    }
}

/// All sentences' examples, one sentence after the other.
fn gather(data: &TrainingData, of: &(dyn Fn(&mut Workspace, &Example) -> Examples + Sync)) -> Examples {
    let n_labels = data.actions().n_labels();
    let parts =
        data.examples().par_iter().map_init(|| Workspace::new(n_labels), |workspace, example| of(workspace, example));
    let parts: Vec<Examples> = parts.collect();
    let mut all = Examples::default();
    parts.iter().for_each(|part| all.append(part));
    all
}

/// The decisions of a canonical derivation.
fn collect<S: TransitionSystem>(
    machine: Machine<S>,
    features: &Compiled,
    example: &Example,
    workspace: &mut Workspace,
) -> Examples {
    workspace.input.clone_from(&example.input);
    workspace.start(features.reads());
    let (arena, context, scratch) = workspace.parts(machine.actions);
    let memory: &mut LinearMemory = scratch.memory.get();
    memory.begin(context);
    let mut item = machine.initial(arena, context.input.n_words());
    let mut examples = Examples::default();
    for &choice in &example.derivation {
        let c = &item.configuration;
        for point in 0..machine.system.n_points(c) as Point {
            let features = memory.features(features, context, &item.view(point));
            examples.push_point(features, machine.system.permitted(c, point));
        }
        examples.push(choice);
        item = machine.successor(item, choice, 0, true, arena);
    }
    examples
}

impl ModelRun<AnyScorer> for OfflineRun<'_> {
    fn model(&self) -> Result<AnyModel> {
        let best = self.progress.kept()?;
        let mut header = self.data.header().clone();
        self.progress.tell(&mut header.provenance, best.iteration);
        Model::new(header, best.finished.clone().into())
    }
}

impl Run for OfflineRun<'_> {
    /// The progress of a pass is told in sentences, though decisions of all are visited in any order.
    fn n_sentences(&self) -> usize {
        self.data.examples().len()
    }

    fn stopping(&self) -> Stopping {
        self.options.stopping()
    }

    fn reports(&self) -> &[IterationReport] {
        &self.progress.reports
    }

    fn try_iterate(&mut self, tick: &mut Tick) -> ControlFlow<()> {
        let OfflineRun { options, data, pool, progress } = self;
        let clock = Clock::start(pool);
        let machine = &mut progress.replicas[0];
        let order = random::order(machine.n_decisions(), options.seed, progress.iteration);
        // As many decisions together as sentences have on average.
        let n_sentences = data.examples().len();
        let (mut updates, mut begin) = (0, 0);
        for done in 1..=n_sentences {
            let end = (done * order.len()).div_ceil(n_sentences);
            updates += machine.pass(&order[begin..end], data.actions());
            begin = end;
            tick(done)?;
        }
        let pass =
            Pass { updates, clock: &clock, stopping: options.stopping(), keep: options.keep, has_dev: data.has_dev() };
        let score_dev = |linear: &Linear| pool.install(|| data.score_dev(&*linear.scorer()));
        progress.end_pass(pass, score_dev);
        ControlFlow::Continue(())
    }

    fn save(&self, path: &Path) -> Result<()> {
        self.progress.save(self.data.header(), path)
    }

    fn load(&mut self, path: &Path) -> Result<()> {
        self.progress.load(self.data.header(), path)
    }

    fn write(&self, path: &Path) -> Result<Written> {
        let mut model = self.model()?;
        self.pool.install(|| self.data.calibrate(&mut model));
        model.write(path)?;
        Ok(Written { iteration: model.header.provenance.iteration, size: model.scorer.size() })
    }
}
