//! Training runs whose models are of any kind.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::Path;

use super::TrainingData;
use super::trainer::ModelRun;
use crate::error::Result;
use crate::model::{Frozen as _, Model};
use crate::process;
use crate::scorers::{AnyModel, AnyScorer, OneOf};
use crate::training::{IterationReport, Run, Stopping, Tick, Written};

/// A run whose models have scorers of kind `F`, which are one of those that all programs know.
#[derive(Debug)]
pub struct AnyRun<'t, R, F> {
    run: R,
    data: &'t TrainingData,
    threads: usize,
    kind: PhantomData<fn() -> F>,
}

impl<'t, R: ModelRun<F>, F: OneOf> AnyRun<'t, R, F> {
    /// The run on `data`; models are calibrated on so many threads.
    pub fn new(run: R, data: &'t TrainingData, threads: usize) -> AnyRun<'t, R, F> {
        AnyRun { run, data, threads, kind: PhantomData }
    }
}

impl<R: ModelRun<F>, F: OneOf> ModelRun<AnyScorer> for AnyRun<'_, R, F> {
    fn model(&self) -> Result<AnyModel> {
        let Model { header, label_decoding, actions, scorer } = self.run.model()?;
        Ok(Model { header, label_decoding, actions, scorer: scorer.into() })
    }
}

impl<R: ModelRun<F>, F: OneOf> Run for AnyRun<'_, R, F> {
    fn n_sentences(&self) -> usize {
        self.run.n_sentences()
    }

    fn stopping(&self) -> Stopping {
        self.run.stopping()
    }

    fn reports(&self) -> &[IterationReport] {
        self.run.reports()
    }

    fn try_iterate(&mut self, tick: &mut Tick) -> ControlFlow<()> {
        self.run.try_iterate(tick)
    }

    fn save(&self, path: &Path) -> Result<()> {
        self.run.save(path)
    }

    fn load(&mut self, path: &Path) -> Result<()> {
        self.run.load(path)
    }

    fn write(&self, path: &Path) -> Result<Written> {
        let mut model = self.model()?;
        let pool = process::thread_pool(self.threads)?;
        pool.install(|| self.data.calibrate(&mut model));
        model.write(path)?;
        Ok(Written { iteration: model.header.provenance.iteration, size: model.scorer.size() })
    }
}
