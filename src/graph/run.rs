//! A training run of a graph-based parser, whatever it learns.

use std::ops::ControlFlow;
use std::path::Path;

use rayon::ThreadPool;

use super::{GraphData, GraphModel, GraphOptions, GraphScorer};
use crate::error::Result;
use crate::eval::Counts;
use crate::model::Averaged;
use crate::process::{self, Clock};
use crate::random;
use crate::training::{IterationReport, Pass, Progress, Run, Stopping, Tick, Written};

/// A training run whose kind of parameters is not known.
pub trait GraphRun: Run {
    /// The model of what is kept.
    ///
    /// # Errors
    /// If there was no iteration.
    fn model(&self) -> Result<GraphModel>;
}

/// Parameters that learn from sentences.
pub trait Learns: Averaged {
    /// Learns from the sentences with these numbers, one after the other, unless it is broken off; how many of them were wrong.
    fn pass(
        &mut self,
        options: &GraphOptions,
        data: &GraphData,
        pool: &ThreadPool,
        order: &[usize],
        tick: &mut Tick,
    ) -> ControlFlow<(), u64>;

    /// Correct heads and labels on the development data; `None` without such data.
    fn score_dev(finished: &Self::Finished, data: &GraphData) -> Option<Counts>;

    /// The scorer of a model.
    fn scorer(finished: &Self::Finished) -> GraphScorer;
}

/// A training run.
#[derive(Debug)]
pub struct Trainer<'t, P: Learns> {
    options: &'t GraphOptions,
    data: &'t GraphData,
    pool: ThreadPool,
    progress: Progress<P>,
}

impl<'t, P: Learns> Trainer<'t, P> {
    /// A run of these parameters on `data`, with up to `threads` threads, on which the result does not depend.
    ///
    /// # Errors
    /// If the options contradict each other or threads cannot be started.
    pub(super) fn of(
        options: &'t GraphOptions,
        data: &'t GraphData,
        threads: usize,
        parameters: P,
    ) -> Result<Trainer<'t, P>> {
        options.check()?;
        options.iterations.check_dev(data.has_dev())?;
        let pool = process::thread_pool(threads)?;
        Ok(Trainer { options, data, pool, progress: Progress::new(vec![parameters]) })
    }

    /// The model of what is kept.
    ///
    /// # Errors
    /// If there was no iteration.
    pub fn model(&self) -> Result<GraphModel> {
        let best = self.progress.kept()?;
        let mut header = self.data.header().clone();
        self.progress.tell(&mut header.provenance, best.iteration);
        Ok(GraphModel::new(header, P::scorer(&best.finished)))
    }

    #[cfg(test)]
    pub(super) fn parameters(&self) -> &P {
        &self.progress.replicas[0]
    }
}

impl<P: Learns> GraphRun for Trainer<'_, P> {
    fn model(&self) -> Result<GraphModel> {
        Trainer::model(self)
    }
}

impl<P: Learns> Run for Trainer<'_, P> {
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
        let Trainer { options, data, pool, progress } = self;
        progress.start_pass(options.average_from);
        let clock = Clock::start(pool);
        let order = random::order(data.examples().len(), options.seed, progress.iteration);
        let updates = progress.replicas[0].pass(options, data, pool, &order, tick)?;
        progress.replicas[0].end_pass();
        if progress.replicas[0].has_diverged() {
            return ControlFlow::Break(());
        }
        let pass =
            Pass { updates, clock: &clock, stopping: options.stopping(), keep: options.keep, has_dev: data.has_dev() };
        progress.end_pass(pass, |finished| pool.install(|| P::score_dev(finished, data)));
        ControlFlow::Continue(())
    }

    fn has_diverged(&self) -> bool {
        self.progress.replicas[0].has_diverged()
    }

    fn save(&self, path: &Path) -> Result<()> {
        self.progress.save(self.data.header(), path)
    }

    fn load(&mut self, path: &Path) -> Result<()> {
        self.progress.load(self.data.header(), path)
    }

    fn write(&self, path: &Path) -> Result<Written> {
        let model = self.model()?;
        model.write(path)?;
        Ok(Written { iteration: model.header.provenance.iteration, size: model.scorer.size() })
    }
}
