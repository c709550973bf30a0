//! Training: the initial network, and passes over mini-batches.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::gradient::GoldSentence;
use super::layout::BiaffineLayout;
use super::learner::BiaffineLearner;
use super::tensors;
use crate::graph::GraphOptions;
use crate::graph::learn::{GraphSetup, Learns};
use crate::neural::Noise;
use crate::neural::optimiser::OptimiserRule;
use crate::options::batch_of;
use crate::training::Tick;

impl GraphSetup<'_> {
    /// The network that training begins with, if one is to be trained.
    pub fn biaffine(&self) -> Option<BiaffineLearner> {
        let GraphSetup { options, data } = *self;
        let (network, vocabulary) = (data.header().network.clone()?, data.vocabulary()?);
        let inputs = data.examples().iter().map(|(input, _)| input);
        let noise = Noise::new(options.seed, vocabulary, inputs);
        let layout = BiaffineLayout::new(network, vocabulary.clone(), data.inventory(), data.header().labels.len());
        let mut parameters = tensors::random(&layout, options.seed);
        if let Some(vectors) = data.vectors() {
            vectors.fill(vocabulary, &mut parameters.tensors[0]);
        }
        let n_steps = options.iterations.n_steps(data.examples().len().div_ceil(self.batch()));
        let learner = crate::linear::Learner::Adam;
        let rule = OptimiserRule { learner, rate: options.rate.unwrap_or(GraphOptions::RATE), second: 0.99, n_steps };
        let dropout = options.dropout.unwrap_or(GraphOptions::DROPOUT) as f32;
        Some(BiaffineLearner::new(Arc::new(layout), parameters, rule, noise, dropout))
    }

    /// The sentences of a mini-batch.
    fn batch(&self) -> usize {
        batch_of(self.options.batch.unwrap_or(GraphOptions::BATCH) as usize, self.data.examples().len())
    }
}

impl Learns for BiaffineLearner {
    fn pass(&mut self, setup: GraphSetup, order: &[usize], tick: &mut Tick) -> ControlFlow<(), u64> {
        let examples = setup.data.examples();
        let (mut updates, mut done) = (0, 0);
        for batch in order.chunks(setup.batch()) {
            let sentences: Vec<GoldSentence> =
                batch.iter().map(|&number| (&examples[number].0, &examples[number].1)).collect();
            updates += self.learn(&sentences);
            done += batch.len();
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }
}
