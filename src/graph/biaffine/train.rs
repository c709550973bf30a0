//! A training run.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::gradient::Example;
use super::learner::{Frame, Learner};
use super::tensors::Tensors;
use crate::error::{Error, Result};
use crate::graph::{GraphData, GraphModel, GraphOptions, GraphRun, GraphScorer};
use crate::learn::batch_of;
use crate::neural::Noise;
use crate::neural::optimiser::Rule;
use crate::process::{self, cpu_s_with};
use crate::random;
use crate::training::{IterationReport, Iterations, Pass, Progress, Run, Stopping, Tick, Written};

/// A training run of a biaffine parser.
#[derive(Debug)]
pub struct BiaffineTrainer<'t> {
    options: &'t GraphOptions,
    data: &'t GraphData,
    pool: rayon::ThreadPool,
    progress: Progress<Learner>,
}

impl<'t> BiaffineTrainer<'t> {
    /// A run on `data` with up to `threads` threads, on which the result does not depend.
    ///
    /// # Errors
    /// If the options contradict each other, or are for another parser, or threads cannot be started.
    pub fn new(options: &'t GraphOptions, data: &'t GraphData, threads: usize) -> Result<BiaffineTrainer<'t>> {
        options.check()?;
        options.iterations.check_dev(data.has_dev())?;
        let (Some(network), Some(vocabulary)) = (data.header().network.clone(), data.vocabulary()) else {
            return Err(Error::Usage(format!("{} is no biaffine parser", options.system)));
        };
        let pool = process::thread_pool(threads)?;
        let inputs = data.examples().iter().map(|(input, _)| input);
        let noise = Noise::new(options.seed, vocabulary, inputs);
        let frame = Frame::new(network, vocabulary.clone(), data.inventory(), data.header().labels.len());
        let mut tensors = Tensors::random(&frame.network, &frame.sizes, options.seed);
        if let Some(vectors) = data.vectors() {
            vectors.fill(vocabulary, &mut tensors.0[0]);
        }
        let n_batches = data.examples().len().div_ceil(batch(options, data)) as u64;
        // How long it takes to the plateau nobody knows.
        let n_steps = match options.iterations {
            Iterations::Number(n) => Some(n_batches * u64::from(n)),
            Iterations::Plateau => None,
        };
        let learner = crate::linear::Learner::Adam;
        let rule = Rule { learner, rate: options.rate.unwrap_or(GraphOptions::RATE), second: 0.99, n_steps };
        let dropout = options.dropout.unwrap_or(GraphOptions::DROPOUT) as f32;
        let learner = Learner::new(Arc::new(frame), tensors, rule, noise, dropout);
        Ok(BiaffineTrainer { options, data, pool, progress: Progress::new(vec![learner]) })
    }

    #[cfg(test)]
    pub(super) fn learner(&self) -> &Learner {
        &self.progress.replicas[0]
    }

    /// One pass, unless it is broken off; the number of sentences with a wrong word.
    fn pass(&mut self, tick: &mut Tick) -> ControlFlow<(), u64> {
        let BiaffineTrainer { options, data, pool, progress } = self;
        let examples = data.examples();
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let iteration = u64::from(progress.iteration);
        random::shuffle(&mut order, &mut random::stream(options.seed, "shuffle", &[iteration]));
        let (mut updates, mut done) = (0, 0);
        for batch in order.chunks(batch(options, data)) {
            let sentences: Vec<Example> =
                batch.iter().map(|&number| (&examples[number].0, &examples[number].1)).collect();
            let learner = &mut progress.replicas[0];
            updates += pool.install(|| learner.learn(&sentences));
            done += batch.len();
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }
}

/// The sentences of a mini-batch.
fn batch(options: &GraphOptions, data: &GraphData) -> usize {
    batch_of(options.batch.unwrap_or(GraphOptions::BATCH) as usize, data.examples().len())
}

impl Run for BiaffineTrainer<'_> {
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
        // The pass changes the run that the clock's pool belongs to.
        let (start, cpu_start) = (Instant::now(), cpu_s_with(&self.pool));
        let updates = self.pass(tick)?;
        let Self { options, data, pool, progress } = self;
        let pass = Pass {
            updates,
            seconds: start.elapsed().as_secs_f64(),
            cpu_seconds: cpu_s_with(pool).zip(cpu_start).map(|(end, start)| end - start),
            stopping: options.stopping(),
            keep: options.keep,
            has_dev: data.has_dev(),
        };
        progress.end_pass(pass, |finished| pool.install(|| data.score_network(finished)));
        ControlFlow::Continue(())
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

impl GraphRun for BiaffineTrainer<'_> {
    fn model(&self) -> Result<GraphModel> {
        let best = self.progress.kept()?;
        let mut header = self.data.header().clone();
        self.progress.tell(&mut header.provenance, best.iteration);
        Ok(GraphModel::new(header, GraphScorer::Biaffine(best.finished.clone())))
    }
}
