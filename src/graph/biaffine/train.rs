//! Training: what a network begins with, and its passes over mini-batches.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::Biaffine;
use super::gradient::Example;
use super::learner::{Layout, Learner};
use super::tensors::Tensors;
use crate::error::Result;
use crate::eval::Counts;
use crate::graph::learn::GraphSetup;
use crate::graph::{GraphHeader, GraphModel, GraphOptions, GraphScorer};
use crate::model::Size;
use crate::neural::Noise;
use crate::neural::optimiser::Rule;
use crate::options::batch_of;
use crate::random;
use crate::training::{Iterations, Tick, Trains};

impl GraphSetup<'_> {
    /// The network that training begins with, if one is to be trained.
    pub fn biaffine(&self) -> Option<Learner> {
        let GraphSetup { options, data } = *self;
        let (network, vocabulary) = (data.header().network.clone()?, data.vocabulary()?);
        let inputs = data.examples().iter().map(|(input, _)| input);
        let noise = Noise::new(options.seed, vocabulary, inputs);
        let layout = Layout::new(network, vocabulary.clone(), data.inventory(), data.header().labels.len());
        let mut tensors = Tensors::random(&layout.network, &layout.sizes, options.seed);
        if let Some(vectors) = data.vectors() {
            vectors.fill(vocabulary, &mut tensors.0[0]);
        }
        let n_batches = data.examples().len().div_ceil(self.batch()) as u64;
        // How long it takes to the plateau nobody knows.
        let n_steps = match options.iterations {
            Iterations::Number(n) => Some(n_batches * u64::from(n)),
            Iterations::Plateau => None,
        };
        let learner = crate::linear::Learner::Adam;
        let rule = Rule { learner, rate: options.rate.unwrap_or(GraphOptions::RATE), second: 0.99, n_steps };
        let dropout = options.dropout.unwrap_or(GraphOptions::DROPOUT) as f32;
        Some(Learner::new(Arc::new(layout), tensors, rule, noise, dropout))
    }

    /// The sentences of a mini-batch.
    fn batch(&self) -> usize {
        batch_of(self.options.batch.unwrap_or(GraphOptions::BATCH) as usize, self.data.examples().len())
    }
}

impl Trains<Learner> for GraphSetup<'_> {
    type Model = GraphModel;

    fn pass(&self, iteration: u32, replicas: &mut [Learner], tick: &mut Tick) -> ControlFlow<(), u64> {
        let [learner] = replicas else { unreachable!("there is one replica") };
        let examples = self.data.examples();
        let (mut updates, mut done) = (0, 0);
        for batch in random::order(examples.len(), self.options.seed, iteration).chunks(self.batch()) {
            let sentences: Vec<Example> =
                batch.iter().map(|&number| (&examples[number].0, &examples[number].1)).collect();
            updates += learner.learn(&sentences);
            done += batch.len();
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }

    fn score_dev(&self, finished: &Biaffine) -> Option<Counts> {
        self.data.score_network(finished)
    }

    fn model(&self, header: GraphHeader, finished: &Biaffine) -> Result<GraphModel> {
        Ok(GraphModel::new(header, GraphScorer::Biaffine(finished.clone())))
    }

    fn write(&self, model: GraphModel, path: &Path) -> Result<Size> {
        model.write(path)?;
        Ok(model.scorer.size())
    }
}
