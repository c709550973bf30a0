//! Learners of every kind of scorer behind one type.

use super::{AnyMemory, AnyScorer, AnyScoring};
use crate::configuration::View;
use crate::error::Result;
use crate::features::Input;
use crate::files::{Section, Sections};
use crate::linear::{Perceptron, Regressors};
use crate::model::{Averaged, Dropped, Seen, Trainable};
use crate::neural::FeedForwardLearner;
use crate::scorer::{Context, Query};

/// Parameters of any kind that are being trained.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a replica")]
pub enum AnyLearner {
    /// Whole-numbered weights of sparse features.
    Perceptron(Perceptron),
    /// Real-valued weights of sparse features, or a hidden layer over them.
    Regressors(Regressors),
    /// A feed-forward network.
    FeedForward(FeedForwardLearner),
}

/// Record that an [`AnyLearner`] keeps of a configuration: that of its kind.
#[derive(Debug, Clone, Default)]
pub struct AnyKept {
    perceptron: SeenBy<Perceptron>,
    regressors: SeenBy<Regressors>,
    feed_forward: SeenBy<FeedForwardLearner>,
}

/// The gradient of an [`AnyLearner`]: that of its kind is filled.
#[derive(Debug, Default)]
pub struct AnyGradient {
    perceptron: <Perceptron as Trainable>::Gradient,
    regressors: <Regressors as Trainable>::Gradient,
    feed_forward: <FeedForwardLearner as Trainable>::Gradient,
}

type SeenBy<T> = Seen<<T as Trainable>::Lane, <T as Trainable>::Kept>;
type SeenByAny = SeenBy<AnyLearner>;

/// A learner that is one of [`AnyLearner`]: what is its own of what belongs to all.
trait OneOf: Trainable {
    fn memory<'a>(&self, any: &'a mut AnyMemory) -> &'a mut Self::Memory;
    fn seen<'a>(&self, any: &'a SeenByAny) -> &'a SeenBy<Self>;
    fn seen_mut<'a>(&self, any: &'a mut SeenByAny) -> &'a mut SeenBy<Self>;
    fn gradient<'a>(&self, any: &'a mut AnyGradient) -> &'a mut Self::Gradient;
    fn of(any: &AnyLearner) -> Option<&Self>;
}

macro_rules! one_of {
    ($learner:ident is $kind:ident, with $field:ident and a memory for $memory:ident) => {
        impl OneOf for $learner {
            fn memory<'a>(&self, any: &'a mut AnyMemory) -> &'a mut Self::Memory {
                &mut any.$memory
            }

            fn seen<'a>(&self, any: &'a SeenByAny) -> &'a SeenBy<Self> {
                &any.kept.$field
            }

            fn seen_mut<'a>(&self, any: &'a mut SeenByAny) -> &'a mut SeenBy<Self> {
                &mut any.kept.$field
            }

            fn gradient<'a>(&self, any: &'a mut AnyGradient) -> &'a mut Self::Gradient {
                &mut any.$field
            }

            fn of(any: &AnyLearner) -> Option<&$learner> {
                match any {
                    AnyLearner::$kind(learner) => Some(learner),
                    _ => None,
                }
            }
        }
    };
}

one_of!(Perceptron is Perceptron, with perceptron and a memory for linear);
one_of!(Regressors is Regressors, with regressors and a memory for linear);
one_of!(FeedForwardLearner is FeedForward, with feed_forward and a memory for feed_forward);

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

/// The finished parameters of replicas, which are all of the first one's kind.
fn finish<T: OneOf>(_: &T, replicas: &[&AnyLearner]) -> T::Finished {
    T::finish(&replicas.iter().filter_map(|any| T::of(any)).collect::<Vec<&T>>())
}

/// Has the scores of what `learner` has seen in lanes of any kind.
fn show<T: OneOf<Lane: Into<f64>>>(learner: &T, seen: &mut SeenByAny) {
    let mut lanes = std::mem::take(&mut seen.lanes);
    lanes.clear();
    lanes.extend(learner.seen(seen).lanes.iter().map(|&lane| lane.into()));
    seen.lanes = lanes;
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

    fn finish(replicas: &[&AnyLearner]) -> AnyScorer {
        each!(replicas[0], |learner| finish(learner, replicas).into())
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
    /// Whole and real scores alike, without rounding.
    type Lane = f64;
    type Kept = AnyKept;
    type Gradient = AnyGradient;
    type Memory = AnyMemory;
    type Scorer<'w> = AnyScoring<'w>;

    fn counts_decisions(&self) -> bool {
        each!(self, |learner| learner.counts_decisions())
    }

    fn by_batch(&self) -> bool {
        each!(self, |learner| learner.by_batch())
    }

    fn scorer(&self) -> AnyScoring<'_> {
        match self {
            AnyLearner::Perceptron(learner) => AnyScoring::Perceptron(learner.scorer()),
            AnyLearner::Regressors(learner) => AnyScoring::Regressors(learner.scorer()),
            AnyLearner::FeedForward(learner) => AnyScoring::FeedForward(learner.scorer()),
        }
    }

    fn reads_history(&self) -> bool {
        each!(self, |learner| Trainable::reads_history(learner))
    }

    fn begin(&self, memory: &mut AnyMemory, context: Context) {
        each!(self, |learner| learner.begin(learner.memory(memory), context));
    }

    fn look_ahead(&self, memory: &mut AnyMemory, inputs: &[&Input]) {
        each!(self, |learner| learner.look_ahead(learner.memory(memory), inputs));
    }

    fn forget(&self, memory: &mut AnyMemory) {
        each!(self, |learner| learner.forget(learner.memory(memory)));
    }

    fn see<'a, V: View<'a>>(
        &self,
        memory: &mut AnyMemory,
        context: Context,
        query: Query<V>,
        dropped: Dropped,
        seen: &mut SeenByAny,
    ) {
        each!(self, |learner| {
            learner.see(learner.memory(memory), context, query, dropped, learner.seen_mut(seen));
            show(learner, seen);
        });
    }

    fn see_stage(&self, stage: usize, seen: &mut SeenByAny) {
        each!(self, |learner| {
            learner.see_stage(stage, learner.seen_mut(seen));
            show(learner, seen);
        });
    }

    fn credit<'a, V: View<'a>>(
        &self,
        memory: &mut AnyMemory,
        context: Context,
        query: Query<V>,
        seen: Option<&SeenByAny>,
        stage: usize,
        gradient: &[(u32, f32)],
        into: &mut AnyGradient,
    ) {
        each!(self, |learner| {
            let (seen, into) = (seen.map(|seen| learner.seen(seen)), learner.gradient(into));
            learner.credit(learner.memory(memory), context, query, seen, stage, gradient, into);
        });
    }

    fn learn(&mut self, gradient: &mut AnyGradient) {
        each!(self, |learner| learner.learn(learner.gradient(gradient)));
    }

    fn unit(&self) -> f32 {
        each!(self, |learner| learner.unit())
    }

    fn lengthen(&self, gradient: &mut AnyGradient, loss: f32, longest: f32) {
        each!(self, |learner| learner.lengthen(learner.gradient(gradient), loss, longest));
    }

    fn learn_batch(&mut self, gradients: &mut [AnyGradient]) {
        each!(self, |learner| {
            let mut own: Vec<_> = gradients.iter_mut().map(|any| std::mem::take(learner.gradient(any))).collect();
            learner.learn_batch(&mut own);
        });
    }

    fn squared_distance(&self, right: (&SeenByAny, u32), wrong: (&SeenByAny, u32)) -> f32 {
        each!(self, |learner| {
            learner.squared_distance((learner.seen(right.0), right.1), (learner.seen(wrong.0), wrong.1))
        })
    }
}
