//! The perceptron: weights are whole numbers, and every gradient is.

use std::sync::Arc;

use super::{FrozenWeights, IntegerWeights, Linear, LinearMemory, LinearScorer, OutputLayer, Weights as _};
use crate::configuration::Reads;
use crate::error::Result;
use crate::features::Compiled;
use crate::files::{Section, Sections};
use crate::model::{Averaged, DroppedFeatures, Seen, Trainable};
use crate::scorer::{Context, Opaque, Query, Scorer, Stages};
use crate::system::ActionId;

/// A perceptron over sparse features (Collins 2002; weights are averaged).
///
/// Most decisions are right and change nothing, so scores are memoised as in decoding, from one change to the next.
#[derive(Debug, Clone)]
pub struct Perceptron {
    features: Arc<Compiled>,
    stages: Stages,
    weights: IntegerWeights,
}

impl Perceptron {
    /// A perceptron that has learned nothing yet.
    ///
    /// # Panics
    /// If decisions have several stages: what those lose depends on each other.
    pub fn new(features: Arc<Compiled>, stages: Stages) -> Perceptron {
        assert_eq!(stages.outputs().len(), 1, "a perceptron decides on whole actions");
        let weights = IntegerWeights::new(stages.width());
        Perceptron { features, stages, weights }
    }

    /// A perceptron that goes on with these weights.
    ///
    /// # Panics
    /// As [`Perceptron::new`], or if the weights are for other outputs.
    #[must_use]
    pub fn with_weights(self, weights: IntegerWeights) -> Perceptron {
        assert_eq!(weights.width(), self.stages.width(), "weights for the same outputs");
        Perceptron { weights, ..self }
    }

    /// The weights.
    pub fn weights(&self) -> &IntegerWeights {
        &self.weights
    }

    /// Scorer with the current weights.
    #[inline]
    pub fn linear_scorer(&self) -> LinearScorer<'_, IntegerWeights> {
        LinearScorer::new(&self.features, &self.weights, self.stages.width())
    }

    /// Replaces the scores of `seen`.
    fn set(&self, seen: &mut Seen, scores: &[i32]) {
        seen.set(scores);
        let unit = self.weights.scale();
        if unit > 1 {
            seen.scores.iter_mut().for_each(|score| *score /= f64::from(unit));
        }
    }

    fn linear(&self, weights: FrozenWeights) -> Linear {
        let output = OutputLayer::new(self.stages.clone(), &[]).expect("without hidden layers, any stages fit");
        Linear::new(Arc::clone(&self.features), weights, output)
    }
}

impl Averaged for Perceptron {
    type Finished = Linear;

    fn n_features(&self) -> usize {
        self.weights.n_features()
    }

    fn end_sentence(&mut self) {
        self.weights.end_sentence();
    }

    fn restart_average(&mut self) {
        self.weights.restart_average();
    }

    fn finish(replicas: &[&Perceptron]) -> Linear {
        let weights: Vec<&IntegerWeights> = replicas.iter().map(|replica| &replica.weights).collect();
        replicas[0].linear(FrozenWeights::average(&weights, replicas[0].stages.width()))
    }

    fn save(&self) -> Vec<Section<'_>> {
        self.weights.save()
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        self.weights.load(sections)
    }

    fn save_finished(finished: &Linear) -> Vec<Section<'_>> {
        finished.weights().sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<Linear> {
        Ok(self.linear(self.weights.load_finished(sections)?))
    }
}

/// A change of a weight: its feature, its action, the amount.
pub type Change = (u64, ActionId, i32);

/// The features of a configuration, where some were left out.
type Kept = Vec<u64>;

impl Trainable for Perceptron {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self.linear_scorer())
    }

    fn reads(&self) -> &Reads {
        self.features.reads()
    }

    fn weight(&self, feature: u64, output: u32) -> f32 {
        self.weights.get(feature, output as ActionId) as f32 / self.weights.scale() as f32
    }

    fn knows(&self, _: u64) -> bool {
        true
    }

    fn begin(&self, memory: &mut Opaque, context: Context) {
        self.linear_scorer().begin(memory, context);
    }

    fn forget(&self, memory: &mut Opaque) {
        self.linear_scorer().forget(memory);
    }

    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, dropped: DroppedFeatures, seen: &mut Seen) {
        if dropped.is_none() {
            seen.kept.get::<Kept>().clear();
            self.set(seen, self.linear_scorer().score_one(memory, context, query));
            return;
        }
        let features = memory.get::<LinearMemory>().features(&self.features, context, &query.view);
        let kept: &mut Kept = seen.kept.get();
        kept.clear();
        kept.extend(features.iter().filter(|&&feature| !dropped.has(feature)));
        let mut scores = vec![0; self.stages.width()];
        self.weights.add_features(kept, &mut scores);
        self.set(seen, &scores);
    }

    fn credit(
        &self,
        memory: &mut Opaque,
        context: Context,
        query: &Query,
        seen: Option<&Seen>,
        _: usize,
        gradient: &[(u32, f32)],
        into: &mut Opaque,
    ) {
        let mut moving = gradient.iter().filter(|(_, gradient)| *gradient != 0.0).peekable();
        if moving.peek().is_none() {
            return;
        }
        let features = match seen.and_then(|seen| seen.kept.as_ref::<Kept>()).filter(|kept| !kept.is_empty()) {
            Some(kept) => kept,
            None => memory.get::<LinearMemory>().features(&self.features, context, &query.view),
        };
        let into: &mut Vec<Change> = into.get();
        for &(output, gradient) in moving {
            debug_assert_eq!(gradient.fract(), 0.0, "perceptrons change by whole numbers");
            into.extend(features.iter().map(|&feature| (feature, output as ActionId, -gradient as i32)));
        }
    }

    fn unit(&self) -> f32 {
        self.weights.scale() as f32
    }

    fn learn(&mut self, gradient: &mut Opaque) {
        let changes: &mut Vec<Change> = gradient.get();
        self.weights.update_all(changes);
        changes.clear();
    }
}
