//! Scorers of all kinds as one: what programs train and parse with that do not care which kind it is. Training and decoding
//! are compiled for each transition system, so that each further kind of scorer would cost as many copies of them again.

mod learner;

pub use learner::{AnyGradient, AnyKept, AnyLearner};

use crate::configuration::{InternedConfiguration, SlotMask, Tables, View};
use crate::error::Result;
use crate::features::{Columns, Sides, Vocabulary};
use crate::files::{Section, Sections};
use crate::linear::{FrozenWeights, IntegerWeights, Linear, LinearMemory, LinearModel, LinearScorer, RealWeights};
use crate::model::{Frozen, Header, Model, Scoring, Size};
use crate::neural::{FeedForward, FeedForwardMemory, FeedForwardScorer};
use crate::scorer::{Context, Query, Scorer, Scores, SideScores};
use crate::system::{Actions, Permitted};

/// The model of a transition-based parser with any scorer.
///
/// # Examples
/// ```
/// use treebeam::learn::{ModelRun as _, Run as _, start};
/// use treebeam::prelude::*;
/// use treebeam::model::ScorerKind;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::Options { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { hidden: Some(16), iterations: 1.into(), ..TrainOptions::default() };
/// let options = options.with_scorer(ScorerKind::FeedForward);
/// let data = TrainingData::new(&options, &train, None)?;
/// let mut run = start(&options, &data, 1)?;
/// run.iterate(&mut |_sentences_done| ())?;
/// let model: AnyModel = run.model()?;
/// let trees = Parser::new(&model, 4, 1)?.parse(&train.sentences[..1], 2);
/// assert!(trees[0].len() <= 2);
/// // It is no linear one.
/// assert!(model.into_linear().is_err());
/// # Ok::<(), Error>(())
/// ```
pub type AnyModel = Model<AnyScorer>;

/// A finished scorer of any kind.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a model")]
pub enum AnyScorer {
    /// Sparse features.
    Linear(Linear),
    /// A network, with an encoder or without.
    FeedForward(FeedForward),
}

/// Scoring with an [`AnyScorer`], or with an [`AnyLearner`] as it is: decoders and training are compiled for this one.
#[derive(Debug, Clone, Copy)]
pub enum AnyScoring<'m> {
    /// Sparse features.
    Linear(LinearScorer<'m, FrozenWeights>),
    /// A perceptron that is being trained.
    Perceptron(LinearScorer<'m, IntegerWeights>),
    /// Regressors that are being trained.
    Regressors(LinearScorer<'m, RealWeights>),
    /// A network, with an encoder or without, finished or not.
    FeedForward(FeedForwardScorer<'m>),
}

/// The scratch memory of an [`AnyScoring`].
#[derive(Debug, Default)]
pub struct AnyMemory {
    linear: LinearMemory,
    feed_forward: FeedForwardMemory,
}

impl From<Linear> for AnyScorer {
    fn from(linear: Linear) -> AnyScorer {
        AnyScorer::Linear(linear)
    }
}

impl From<FeedForward> for AnyScorer {
    fn from(network: FeedForward) -> AnyScorer {
        AnyScorer::FeedForward(network)
    }
}

/// Runs the same code with whichever scorer it is.
macro_rules! each {
    ($of:expr, |$scorer:ident| $body:expr) => {
        match $of {
            AnyScorer::Linear($scorer) => $body,
            AnyScorer::FeedForward($scorer) => $body,
        }
    };
}

impl AnyScorer {
    /// The linear scorer, if it is one.
    pub fn as_linear(&self) -> Option<&Linear> {
        match self {
            AnyScorer::Linear(linear) => Some(linear),
            AnyScorer::FeedForward(_) => None,
        }
    }
}

impl AnyModel {
    /// The model with a linear scorer.
    ///
    /// # Errors
    /// If it has another one.
    pub fn into_linear(self) -> Result<LinearModel> {
        let Model { header, label_decoding, actions, scorer } = self;
        match scorer {
            AnyScorer::Linear(scorer) => Ok(Model { header, label_decoding, actions, scorer }),
            other => {
                let what = format!("the scorer is of kind `{}`; expected `{}`", other.kind(), Linear::KIND);
                Err(crate::error::Error::Usage(what))
            }
        }
    }
}

impl From<LinearModel> for AnyModel {
    fn from(model: LinearModel) -> AnyModel {
        let Model { header, label_decoding, actions, scorer } = model;
        Model { header, label_decoding, actions, scorer: AnyScorer::Linear(scorer) }
    }
}

impl Scoring for Linear {
    type Memory = AnyMemory;
    type Scorer<'m> = AnyScoring<'m>;

    #[inline]
    fn scorer(&self) -> AnyScoring<'_> {
        AnyScoring::Linear(self.linear_scorer())
    }
}

impl Scoring for FeedForward {
    type Memory = AnyMemory;
    type Scorer<'m> = AnyScoring<'m>;

    #[inline]
    fn scorer(&self) -> AnyScoring<'_> {
        AnyScoring::FeedForward(self.network_scorer())
    }
}

impl Scoring for AnyScorer {
    type Memory = AnyMemory;
    type Scorer<'m> = AnyScoring<'m>;

    #[inline]
    fn scorer(&self) -> AnyScoring<'_> {
        match self {
            AnyScorer::Linear(linear) => linear.scorer(),
            AnyScorer::FeedForward(network) => network.scorer(),
        }
    }
}

impl Frozen for AnyScorer {
    const KIND: &'static str = "linear, feed-forward, bilstm or stack-lstm";

    fn kind(&self) -> &'static str {
        match self {
            AnyScorer::Linear(linear) => linear.kind(),
            AnyScorer::FeedForward(network) => network.kind(),
        }
    }

    fn reads(kind: &[u8]) -> bool {
        Linear::reads(kind) || FeedForward::reads(kind)
    }

    fn columns(&self) -> &Columns {
        each!(self, |scorer| scorer.columns())
    }

    fn vocabulary(&self) -> Option<&Vocabulary> {
        each!(self, |scorer| scorer.vocabulary())
    }

    fn scale(&self) -> u32 {
        each!(self, |scorer| scorer.scale())
    }

    fn size(&self) -> Size {
        each!(self, |scorer| scorer.size())
    }

    fn sections(&self) -> Vec<Section<'_>> {
        each!(self, |scorer| scorer.sections())
    }

    fn from_sections(sections: &Sections, header: &Header, actions: &Actions) -> Result<AnyScorer> {
        match FeedForward::reads(sections.get("scorer")?) {
            true => FeedForward::from_sections(sections, header, actions).map(AnyScorer::FeedForward),
            false => Linear::from_sections(sections, header, actions).map(AnyScorer::Linear),
        }
    }
}

/// Runs the same code with whatever scores.
macro_rules! with_scorer {
    ($of:expr, |$scorer:ident| $body:expr) => {
        match $of {
            AnyScoring::Linear($scorer) => $body,
            AnyScoring::Perceptron($scorer) => $body,
            AnyScoring::Regressors($scorer) => $body,
            AnyScoring::FeedForward($scorer) => $body,
        }
    };
}

/// Runs the same code with whatever scores, and its memory.
macro_rules! with_memory {
    ($of:expr, $memory:expr, |$scorer:ident, $own:ident| $body:expr) => {
        with_memory!(@ $of, $scorer, $own, $body,
            Linear in $memory.linear, Perceptron in $memory.linear, Regressors in $memory.linear,
            FeedForward in $memory.feed_forward)
    };
    (@ $of:expr, $scorer:ident, $own:ident, $body:expr, $($kind:ident in $memory:expr),+) => {
        match $of {
            $(AnyScoring::$kind($scorer) => {
                let $own = &mut $memory;
                $body
            })+
        }
    };
}

impl Scorer for AnyScoring<'_> {
    type Memory = AnyMemory;

    fn masks(&self) -> &[SlotMask] {
        with_scorer!(self, |scorer| scorer.masks())
    }

    fn reads_history(&self) -> bool {
        with_scorer!(self, |scorer| scorer.reads_history())
    }

    fn begin(&self, memory: &mut AnyMemory, context: Context) {
        with_memory!(self, memory, |scorer, memory| scorer.begin(memory, context));
    }

    fn forget(&self, memory: &mut AnyMemory) {
        with_memory!(self, memory, |scorer, memory| scorer.forget(memory));
    }

    fn score<'a, V: View<'a>>(&self, memory: &mut AnyMemory, context: Context, queries: &[Query<V>]) {
        with_memory!(self, memory, |scorer, memory| scorer.score(memory, context, queries));
    }

    #[inline(always)]
    fn row<'s>(&self, memory: &'s mut AnyMemory, context: Context, number: usize, permitted: Permitted) -> Scores<'s> {
        with_memory!(self, memory, |scorer, memory| scorer.row(memory, context, number, permitted))
    }

    #[inline]
    fn score_one<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut AnyMemory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        with_memory!(self, memory, |scorer, memory| scorer.score_one(memory, context, query))
    }

    #[inline]
    fn score_once<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut AnyMemory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        with_memory!(self, memory, |scorer, memory| scorer.score_once(memory, context, query))
    }

    fn sides(&self) -> Option<&Sides> {
        with_scorer!(self, |scorer| scorer.sides())
    }

    fn begin_sides(&self, memory: &mut AnyMemory, context: Context) {
        with_memory!(self, memory, |scorer, memory| scorer.begin_sides(memory, context));
    }

    fn score_sides<'s>(
        &self,
        memory: &'s mut AnyMemory,
        context: Context,
        tables: &Tables,
        queries: &[Query<&InternedConfiguration>],
    ) -> Option<&'s SideScores> {
        with_memory!(self, memory, |scorer, memory| scorer.score_sides(memory, context, tables, queries))
    }
}
