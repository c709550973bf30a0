//! Scorers of all kinds as one: what programs train and parse with that do not care which kind it is.

mod learner;

pub use learner::AnyLearner;

use crate::error::Result;
use crate::features::{Columns, Vocabulary};
use crate::files::{Section, Sections};
use crate::linear::{Linear, LinearModel};
use crate::model::{Frozen, Header, Model, Scoring, Size};
use crate::neural::FeedForward;
use crate::scorer::Scorer;
use crate::system::Actions;

/// The model of a transition-based parser with any scorer.
///
/// # Examples
/// ```
/// use treebeam::learn::start;
/// use treebeam::prelude::*;
/// use treebeam::model::ScorerKind;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
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

impl Scoring for AnyScorer {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        each!(self, |scorer| scorer.scorer())
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
