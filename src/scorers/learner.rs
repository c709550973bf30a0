//! Learners of every kind of scorer behind one type.

use super::AnyScorer;
use crate::configuration::Reads;
use crate::error::Result;
use crate::features::Input;
use crate::files::{Section, Sections};
use crate::linear::{Perceptron, Regressors};
use crate::model::{Averaged, DroppedFeatures, Seen, Trainable};
use crate::neural::FeedForwardLearner;
use crate::scorer::{Context, Opaque, Query, Scorer};

/// Parameters of any kind that are being trained.
#[derive(Debug, Clone)]
pub enum AnyLearner {
    /// Whole-numbered weights of sparse features.
    Perceptron(Perceptron),
    /// Real-valued weights of sparse features, or a hidden layer over them.
    Regressors(Regressors),
    /// A feed-forward network.
    FeedForward(FeedForwardLearner),
}

/// Runs the same code with whichever learner it is.
macro_rules! each {
    ($of:expr, |$learner:ident| $body:expr) => {
        match $of {
            AnyLearner::Perceptron($learner) => $body,
            AnyLearner::Regressors($learner) => $body,
            AnyLearner::FeedForward($learner) => $body,
        }
    };
}

impl AnyLearner {
    /// The finished parameters of replicas, which are all of the first one's kind.
    fn finish_all<T: Averaged>(replicas: &[&AnyLearner], of: impl Fn(&AnyLearner) -> Option<&T>) -> T::Finished {
        T::finish(&replicas.iter().filter_map(|any| of(any)).collect::<Vec<&T>>())
    }
}

impl Averaged for AnyLearner {
    type Finished = AnyScorer;

    fn n_features(&self) -> usize {
        each!(self, |learner| learner.n_features())
    }

    fn end_sentence(&mut self) {
        each!(self, |learner| learner.end_sentence());
    }

    fn end_pass(&mut self) {
        each!(self, |learner| learner.end_pass());
    }

    fn restart_average(&mut self) {
        each!(self, |learner| learner.restart_average());
    }

    fn has_diverged(&self) -> bool {
        each!(self, |learner| learner.has_diverged())
    }

    fn is_dead(&self) -> bool {
        each!(self, |learner| learner.is_dead())
    }

    fn rate(&self) -> Option<(f64, u64)> {
        each!(self, |learner| learner.rate())
    }

    fn finish(replicas: &[&AnyLearner]) -> AnyScorer {
        macro_rules! finish {
            ($($kind:ident),*) => {
                match replicas[0] {
                    $(AnyLearner::$kind(_) => AnyLearner::finish_all(replicas, |any| match any {
                        AnyLearner::$kind(learner) => Some(learner),
                        _ => None,
                    })
                    .into(),)*
                }
            };
        }
        finish!(Perceptron, Regressors, FeedForward)
    }

    fn save(&self) -> Vec<Section<'_>> {
        each!(self, |learner| learner.save())
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        each!(self, |learner| learner.load(sections))
    }

    fn save_finished(finished: &AnyScorer) -> Vec<Section<'_>> {
        match finished {
            // A perceptron has no layers, and passes over what is said of them.
            AnyScorer::Linear(linear) => Regressors::save_finished(linear),
            AnyScorer::FeedForward(network) => FeedForwardLearner::save_finished(network),
        }
    }

    fn load_finished(&self, sections: &Sections) -> Result<AnyScorer> {
        Ok(each!(self, |learner| learner.load_finished(sections)?.into()))
    }
}

impl Trainable for AnyLearner {
    fn counts_decisions(&self) -> bool {
        each!(self, |learner| learner.counts_decisions())
    }

    fn by_batch(&self) -> bool {
        each!(self, |learner| learner.by_batch())
    }

    fn scorer(&self) -> Box<dyn Scorer + '_> {
        each!(self, |learner| learner.scorer())
    }

    fn reads(&self) -> &Reads {
        each!(self, |learner| Trainable::reads(learner))
    }

    fn weight(&self, feature: u64, output: u32) -> f32 {
        each!(self, |learner| learner.weight(feature, output))
    }

    fn knows(&self, feature: u64) -> bool {
        each!(self, |learner| learner.knows(feature))
    }

    fn begin(&self, memory: &mut Opaque, context: Context) {
        each!(self, |learner| learner.begin(memory, context));
    }

    fn look_ahead(&self, memory: &mut Opaque, inputs: &[&Input]) {
        each!(self, |learner| learner.look_ahead(memory, inputs));
    }

    fn forget(&self, memory: &mut Opaque) {
        each!(self, |learner| learner.forget(memory));
    }

    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, dropped: DroppedFeatures, seen: &mut Seen) {
        each!(self, |learner| learner.see(memory, context, query, dropped, seen));
    }

    fn see_stage(&self, stage: usize, seen: &mut Seen) {
        each!(self, |learner| learner.see_stage(stage, seen));
    }

    fn credit(
        &self,
        memory: &mut Opaque,
        context: Context,
        query: &Query,
        seen: Option<&Seen>,
        stage: usize,
        gradient: &[(u32, f32)],
        into: &mut Opaque,
    ) {
        each!(self, |learner| learner.credit(memory, context, query, seen, stage, gradient, into));
    }

    fn learn(&mut self, gradient: &mut Opaque) {
        each!(self, |learner| learner.learn(gradient));
    }

    fn unit(&self) -> f32 {
        each!(self, |learner| learner.unit())
    }

    fn lengthen(&self, gradient: &mut Opaque, loss: f32, longest: f32) {
        each!(self, |learner| learner.lengthen(gradient, loss, longest));
    }

    fn learn_batch(&mut self, gradients: &mut [Opaque]) {
        each!(self, |learner| learner.learn_batch(gradients));
    }

    fn diverges(&self) -> bool {
        each!(self, |learner| learner.diverges())
    }

    fn squared_distance(&self, right: (&Seen, u32), wrong: (&Seen, u32)) -> f32 {
        each!(self, |learner| learner.squared_distance(right, wrong))
    }
}
