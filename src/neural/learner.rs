//! The network that is being trained.

use std::sync::Arc;

use super::derived::Derived;
use super::frozen::FeedForward;
use super::gradients::Gradients;
use super::layout::Layout;
use super::noise::{Noise, mixed};
use super::optimiser::{Optimiser, OptimiserRule};
use super::parameters::Parameters;
use super::score::{FeedForwardMemory, FeedForwardScorer, Hidden, UNIT};
use super::sums::{Token, common_tokens};
use super::tape::Tape;
use crate::configuration::Reads;
use crate::error::Result;
use crate::features::Input;
use crate::files::{Section, Sections};
use crate::linear::Precision;
use crate::model::{Averaged, DroppedFeatures, Layers, Seen, Trainable};
use crate::scorer::{Context, Opaque, Query, Scorer};

/// Settings of the learner of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnerSettings {
    /// Update rule of its parameters.
    pub rule: OptimiserRule,
    /// Divisor of the sum of a mini-batch's losses, for each of its sentences.
    pub divisor: f32,
    /// Layers that learn.
    pub layers: Layers,
}

/// A network that learns from mini-batches.
#[derive(Debug, Clone)]
pub struct FeedForwardLearner {
    pub(super) layout: Arc<Layout>,
    settings: LearnerSettings,
    optimiser: Optimiser,
    /// Values that follow from the current parameters.
    derived: Derived,
    noise: Noise,
    /// The commonest tokens of the training data.
    tokens: Arc<[Token]>,
}

impl FeedForwardLearner {
    /// A network with these parameters.
    pub fn new(
        layout: Arc<Layout>,
        parameters: Parameters,
        settings: LearnerSettings,
        noise: Noise,
    ) -> FeedForwardLearner {
        let derived = Derived::new(&layout, &parameters);
        let optimiser = Optimiser::new(settings.rule, parameters);
        let tokens = Arc::from([]);
        FeedForwardLearner { layout, settings, optimiser, derived, noise, tokens }
    }

    /// The same network, which when it is finished keeps what it makes of the commonest tokens of these sentences.
    #[must_use]
    pub fn with_common_tokens<'i>(self, inputs: impl Iterator<Item = &'i Input>) -> FeedForwardLearner {
        FeedForwardLearner { tokens: common_tokens(&self.layout.vocabulary, inputs).into(), ..self }
    }

    /// The parameters as they are.
    pub fn parameters(&self) -> &Parameters {
        &self.optimiser.parameters
    }

    #[cfg(test)]
    pub(super) fn set_normalised(&mut self, normalised: bool) {
        Arc::make_mut(&mut self.layout).network.normalised = normalised;
    }

    /// Scorer with the current parameters.
    pub fn network_scorer(&self) -> FeedForwardScorer<'_> {
        FeedForwardScorer {
            layout: &self.layout,
            parameters: &self.optimiser.parameters,
            derived: &self.derived,
            noise: Some(&self.noise),
        }
    }

    /// Changes the parameters by what the tapes of a mini-batch's sentences hold, and empties them.
    pub(super) fn learn_tapes(&mut self, tapes: &mut [Tape]) {
        let scale = 1.0 / (self.settings.divisor * tapes.len() as f32);
        let parameters = &self.optimiser.parameters;
        if tapes.iter().any(|tape| tape.n > 0) {
            let gradients = match self.settings.layers {
                Layers::All => Gradients::new(&self.layout, parameters, tapes, scale),
                Layers::Output => Gradients::of_output(parameters, tapes, scale),
            };
            self.optimiser.learn(gradients, &self.layout.network.dimensions);
            self.refresh();
        }
        tapes.fill_with(Tape::default);
    }

    /// Parameters have changed.
    fn refresh(&mut self) {
        // Nothing follows from the output layer but scores.
        if self.settings.layers == Layers::All {
            self.derived = Derived::new(&self.layout, &self.optimiser.parameters);
        }
        self.noise.step = self.optimiser.step;
    }

    fn finished(&self, parameters: Parameters) -> FeedForward {
        FeedForward::new(Arc::clone(&self.layout), Arc::clone(&self.tokens), parameters, Precision::Full)
    }
}

impl Averaged for FeedForwardLearner {
    type Finished = FeedForward;

    fn n_features(&self) -> usize {
        self.layout.vocabulary.n_values()
    }

    fn end_pass(&mut self) {
        self.optimiser.end_pass();
    }

    fn has_diverged(&self) -> bool {
        self.optimiser.has_diverged
    }

    fn is_dead(&self) -> bool {
        self.optimiser.is_dead
    }

    fn rate(&self) -> Option<(f64, u64)> {
        Some(self.optimiser.rate())
    }

    /// # Panics
    /// If there are several: networks cannot be added up.
    fn finish(replicas: &[&FeedForwardLearner]) -> FeedForward {
        assert_eq!(replicas.len(), 1, "networks cannot be added up");
        replicas[0].finished(replicas[0].optimiser.average.clone())
    }

    fn save(&self) -> Vec<Section<'_>> {
        self.optimiser.sections()
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        self.optimiser.load(sections)?;
        self.derived = Derived::new(&self.layout, &self.optimiser.parameters);
        self.refresh();
        Ok(())
    }

    fn save_finished(finished: &FeedForward) -> Vec<Section<'_>> {
        finished.parameters().sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<FeedForward> {
        Ok(self.finished(self.parameters().read_alike(sections)?))
    }
}

/// Hidden units that the learner keeps of a configuration, and scores on their way to those that are seen.
#[derive(Debug, Clone, Default)]
struct Kept {
    hidden: Hidden,
    scores: Vec<f32>,
}

impl Trainable for FeedForwardLearner {
    fn counts_decisions(&self) -> bool {
        true
    }

    fn by_batch(&self) -> bool {
        true
    }

    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self.network_scorer())
    }

    fn reads(&self) -> &Reads {
        &self.layout.reads
    }

    fn look_ahead(&self, memory: &mut Opaque, inputs: &[&Input]) {
        self.network_scorer().look_ahead(memory.get(), inputs);
    }

    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, dropped: DroppedFeatures, seen: &mut Seen) {
        let scorer = self.network_scorer();
        let Seen { scores: seen_scores, kept } = seen;
        let Kept { hidden, scores } = kept.get();
        scorer.hidden(memory.get(), context, &query.view, hidden);
        if !dropped.is_none() {
            drop_units(dropped, hidden);
        }
        scorer.output(&hidden.units, 1, scores);
        seen_scores.clear();
        seen_scores.extend(scores.iter().map(|&score| f64::from(score)));
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
        if gradient.iter().all(|(_, slope)| *slope == 0.0) {
            return;
        }
        let (scorer, memory, into): (_, &mut FeedForwardMemory, &mut Tape) =
            (self.network_scorer(), memory.get(), into.get());
        let mut hidden = Hidden::default();
        let hidden = match seen.and_then(|seen| seen.kept.as_ref::<Kept>()) {
            Some(kept) => &kept.hidden,
            None => {
                scorer.hidden(memory, context, &query.view, &mut hidden);
                &hidden
            }
        };
        let (mut tokens, mut labels) = (Vec::new(), Vec::new());
        if let Some(stacks) = scorer.stacks() {
            // It is known already, and so made.
            scorer.find_in_stacks(memory, context, &query.view);
            into.stacks.record(stacks.network, stacks.shape, &memory.stacks);
        }
        self.layout.read((&query.view, &context.interner.states()), &mut tokens, &mut labels);
        into.record(memory, (&tokens, &labels), hidden, (gradient, scorer.width()));
    }

    fn learn(&mut self, gradient: &mut Opaque) {
        self.learn_batch(std::slice::from_mut(gradient));
    }

    fn learn_batch(&mut self, gradients: &mut [Opaque]) {
        let mut tapes: Vec<Tape> = gradients.iter_mut().map(|gradient| std::mem::take(gradient.get())).collect();
        self.learn_tapes(&mut tapes);
    }

    fn unit(&self) -> f32 {
        UNIT
    }

    fn diverges(&self) -> bool {
        self.optimiser.has_diverged
    }
}

/// Leaves out hidden units, and makes the others larger.
pub(super) fn drop_units(dropped: DroppedFeatures, hidden: &mut Hidden) {
    let probability = dropped.probability();
    let (limit, kept) = ((probability * f64::from(1 << 24)) as u32, (1.0 / (1.0 - probability)) as f32);
    let salt = dropped.salt();
    for (number, (unit, slope)) in hidden.units.iter_mut().zip(&mut hidden.slopes).enumerate() {
        let drawn = (mixed(salt ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 40) as u32;
        let factor = if drawn < limit { 0.0 } else { kept };
        *unit *= factor;
        *slope *= factor;
    }
}
