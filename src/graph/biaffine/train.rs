//! A training run.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::ThreadPool;

use super::Biaffine;
use super::gradient::Example;
use super::learner::{Layout, Learner};
use super::tensors::Tensors;
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::graph::run::{Learns, Trainer};
use crate::graph::{GraphData, GraphOptions, GraphScorer};
use crate::neural::Noise;
use crate::neural::optimiser::Rule;
use crate::options::batch_of;
use crate::training::{Iterations, Tick};

/// A training run of a biaffine parser.
pub type BiaffineTrainer<'t> = Trainer<'t, Learner>;

impl<'t> BiaffineTrainer<'t> {
    /// A run on `data` with up to `threads` threads, on which the result does not depend.
    ///
    /// # Errors
    /// If the options contradict each other, or are for another parser, or threads cannot be started.
    pub fn new(options: &'t GraphOptions, data: &'t GraphData, threads: usize) -> Result<BiaffineTrainer<'t>> {
        let (Some(network), Some(vocabulary)) = (data.header().network.clone(), data.vocabulary()) else {
            return Err(Error::Usage(format!("{} is no biaffine parser", options.system)));
        };
        let inputs = data.examples().iter().map(|(input, _)| input);
        let noise = Noise::new(options.seed, vocabulary, inputs);
        let layout = Layout::new(network, vocabulary.clone(), data.inventory(), data.header().labels.len());
        let mut tensors = Tensors::random(&layout.network, &layout.sizes, options.seed);
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
        Trainer::of(options, data, threads, Learner::new(Arc::new(layout), tensors, rule, noise, dropout))
    }
}

impl Learns for Learner {
    fn pass(
        &mut self,
        options: &GraphOptions,
        data: &GraphData,
        pool: &ThreadPool,
        order: &[usize],
        tick: &mut Tick,
    ) -> ControlFlow<(), u64> {
        let examples = data.examples();
        let (mut updates, mut done) = (0, 0);
        for batch in order.chunks(batch(options, data)) {
            let sentences: Vec<Example> =
                batch.iter().map(|&number| (&examples[number].0, &examples[number].1)).collect();
            updates += pool.install(|| self.learn(&sentences));
            done += batch.len();
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }

    fn score_dev(finished: &Biaffine, data: &GraphData) -> Option<Counts> {
        data.score_network(finished)
    }

    fn scorer(finished: &Biaffine) -> GraphScorer {
        GraphScorer::Biaffine(finished.clone())
    }
}

/// The sentences of a mini-batch.
fn batch(options: &GraphOptions, data: &GraphData) -> usize {
    batch_of(options.batch.unwrap_or(GraphOptions::BATCH) as usize, data.examples().len())
}
