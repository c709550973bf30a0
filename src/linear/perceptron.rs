//! The perceptron: weights are whole numbers, and every gradient is.

use std::sync::Arc;

use super::{FrozenWeights, IntegerWeights, Linear, LinearMemory, LinearScorer, OutputLayer, Weights as _};
use crate::configuration::View;
use crate::error::Result;
use crate::features::Compiled;
use crate::files::{Section, Sections};
use crate::model::{Averaged, Dropped, Seen, Trainable};
use crate::scorer::{Context, Query, Scorer as _, Stages};
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
        assert_eq!(stages.lanes().len(), 1, "a perceptron decides on whole actions");
        let weights = IntegerWeights::new(stages.width());
        Perceptron { features, stages, weights }
    }

    /// The weights.
    pub fn weights(&self) -> &IntegerWeights {
        &self.weights
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

/// A change of a weight: its feature, its action, by how much.
type Change = (u64, ActionId, i32);

impl Trainable for Perceptron {
    type Lane = i32;
    /// The features, where some were left out.
    type Kept = Vec<u64>;
    type Gradient = Vec<Change>;
    type Memory = LinearMemory;
    type Scorer<'w> = LinearScorer<'w, IntegerWeights>;

    #[inline]
    fn scorer(&self) -> LinearScorer<'_, IntegerWeights> {
        LinearScorer::new(&self.features, &self.weights, self.stages.width())
    }

    fn see<'a, V: View<'a>>(
        &self,
        memory: &mut LinearMemory,
        context: Context,
        query: Query<V>,
        dropped: Dropped,
        seen: &mut Seen<i32, Vec<u64>>,
    ) {
        seen.lanes.clear();
        seen.kept.clear();
        if dropped.is_none() {
            seen.lanes.extend_from_slice(self.scorer().score_once(memory, context, query));
            return;
        }
        let features = memory.features(&self.features, context, &query.view.cells(query.point));
        seen.kept.extend(features.iter().filter(|&&feature| !dropped.has(feature)));
        seen.lanes.resize(self.stages.width(), 0);
        self.weights.add_features(&seen.kept, &mut seen.lanes);
    }

    fn see_stage(&self, _: usize, _: &mut Seen<i32, Vec<u64>>) {}

    fn credit<'a, V: View<'a>>(
        &self,
        memory: &mut LinearMemory,
        context: Context,
        query: Query<V>,
        seen: Option<&Seen<i32, Vec<u64>>>,
        _: usize,
        gradient: &[(u32, f32)],
        into: &mut Vec<Change>,
    ) {
        let mut moving = gradient.iter().filter(|(_, gradient)| *gradient != 0.0).peekable();
        if moving.peek().is_none() {
            return;
        }
        let features = match seen {
            Some(seen) if !seen.kept.is_empty() => &seen.kept,
            _ => memory.features(&self.features, context, &query.view.cells(query.point)),
        };
        for &(lane, gradient) in moving {
            debug_assert_eq!(gradient.fract(), 0.0, "perceptrons change by whole numbers");
            into.extend(features.iter().map(|&feature| (feature, lane as ActionId, -gradient as i32)));
        }
    }

    fn learn(&mut self, gradient: &mut Vec<Change>) {
        self.weights.update_all(gradient);
        gradient.clear();
    }

    /// The perceptron's steps have one length.
    fn squared_distance(&self, _: (&Seen<i32, Vec<u64>>, u32), _: (&Seen<i32, Vec<u64>>, u32)) -> f32 {
        1.0
    }
}
