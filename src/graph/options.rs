//! Everything that decides what the training of a graph-based parser computes.

use serde::{Deserialize, Serialize};

use super::{BiaffineNetwork, GraphKind};
use crate::choice::choice;
use crate::error::{Error, Result};
use crate::features::{ColumnName, WordShape};
use crate::learn::check_ranges;
use crate::model::Lstm;
use crate::training::{Iterations, Keep, Nonprojective, Stopping};
use crate::tree::Roots;
use crate::tree::lift::Scheme;

choice! {
    /// How far an update goes.
    pub enum Learner {
        /// Structured perceptron (Collins 2002): always by 1.
        Perceptron = "perceptron",
        /// 1-best MIRA (McDonald, Crammer & Pereira 2005; PA-I of Crammer et al. 2006): as far as it takes for the gold tree to
        /// win over the worst of the others by that one's loss, but at most by the aggressiveness.
        Mira = "mira",
        /// Networks: steps by the first two moments of gradients (Kingma & Ba 2015).
        Adam = "adam",
    }
}

/// The options of a training run. They are written into the model's header; two runs with equal options on equal data make
/// equal models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GraphOptions {
    /// The parser.
    pub system: GraphKind,
    /// How far an update goes.
    pub learner: Learner,
    /// MIRA: the longest step (C of PA-I).
    pub aggressiveness: f64,
    /// Biaffine parsers: the learner's rate; `None`: [`GraphOptions::RATE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The same: how often a unit is left out in training; `None`: [`GraphOptions::DROPOUT`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropout: Option<f64>,
    /// The same: sentences in a mini-batch; `None`: [`GraphOptions::BATCH`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// The same: the numbers in an embedding of a word; `None`: as many as the vectors have, or 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_units: Option<u32>,
    /// The same: the file of word vectors to begin with, see [`Vectors`](crate::neural::Vectors); `None`: random ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<String>,
    /// The same: layers of the encoder; `None`: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lstm_layers: Option<u32>,
    /// The same: the numbers that each direction of a layer gives on; `None`: 128.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lstm_units: Option<u32>,
    /// The same: units of a head, and of a dependent, that arcs are scored by; `None`: 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc_units: Option<u32>,
    /// The same for labels; `None`: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_units: Option<u32>,
    /// Passes over the training data: a number, or `plateau`.
    pub iterations: Iterations,
    /// With `plateau`: stop after so many iterations without a better score; `None`: [`Iterations::PATIENCE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// With `plateau`: the most iterations; `None`: [`Iterations::MOST`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Averages begin after this many iterations, if there are more.
    pub average_from: u32,
    /// The seed of shuffling.
    pub seed: u64,
    /// What to do with non-projective training trees. [`Nonprojective::MinCost`] is, for Eisner's algorithm, to learn the
    /// projective tree that shares most arcs with the gold tree, and for the other, the gold tree.
    pub nonprojective: Nonprojective,
    /// With lifting: what labels remember of it.
    pub lift: Scheme,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// The column that features of words read.
    pub word_column: ColumnName,
    /// What features of words make of their column.
    pub word_shape: WordShape,
    /// The column that features of tags read.
    pub tag_column: ColumnName,
    /// Which iteration's weights become the model.
    pub keep: Keep,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            system: GraphKind::Eisner,
            learner: Learner::Mira,
            aggressiveness: 1.0,
            rate: None,
            dropout: None,
            batch: None,
            word_units: None,
            vectors: None,
            lstm_layers: None,
            lstm_units: None,
            arc_units: None,
            label_units: None,
            iterations: Iterations::Number(10),
            patience: None,
            max_iterations: None,
            average_from: 1,
            seed: 1,
            nonprojective: Nonprojective::MinCost,
            lift: Scheme::Head,
            roots: Roots::Single,
            word_column: ColumnName::Form,
            word_shape: WordShape::Normalised,
            tag_column: ColumnName::Upos,
            keep: Keep::Best,
        }
    }
}

impl GraphOptions {
    /// The rate of Adam unless told otherwise.
    pub const RATE: f64 = 0.001;
    /// How often a unit of a network is left out unless told otherwise (Dozat & Manning 2017).
    pub const DROPOUT: f64 = 0.33;
    /// The sentences of a mini-batch unless told otherwise.
    pub const BATCH: u32 = 8;

    /// The defaults for this parser: networks learn by Adam, and longer.
    pub fn of(system: GraphKind) -> GraphOptions {
        let default = GraphOptions { system, ..GraphOptions::default() };
        match system.is_biaffine() {
            true => {
                GraphOptions { learner: Learner::Adam, iterations: Iterations::Number(12), average_from: 0, ..default }
            }
            false => default,
        }
    }

    /// The same with something in place of everything that may be left out, so that all names are there that the parser knows.
    pub fn with_all(&self) -> GraphOptions {
        let all = GraphOptions { patience: Some(1), max_iterations: Some(1), ..self.clone() };
        match self.system.is_biaffine() {
            true => GraphOptions {
                rate: Some(GraphOptions::RATE),
                dropout: Some(GraphOptions::DROPOUT),
                batch: Some(GraphOptions::BATCH),
                word_units: Some(1),
                vectors: Some(String::new()),
                lstm_layers: Some(1),
                lstm_units: Some(1),
                arc_units: Some(1),
                label_units: Some(1),
                ..all
            },
            false => all,
        }
    }

    /// The layout of the network that scores arcs, if one does.
    pub fn network(&self) -> Option<BiaffineNetwork> {
        let or = |given: Option<u32>, default: usize| given.map_or(default, |given| given as usize);
        self.system.is_biaffine().then(|| BiaffineNetwork {
            dimensions: [or(self.word_units, 64), 32, 24, 24, 16],
            encoder: Lstm { layers: or(self.lstm_layers, 2), units: or(self.lstm_units, 128) },
            arc_units: or(self.arc_units, 200),
            label_units: or(self.label_units, 64),
        })
    }

    /// Whether the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        check_ranges(self)?;
        self.iterations.check(self.patience, self.max_iterations)?;
        if !self.system.is_projective() && self.nonprojective == Nonprojective::Lift {
            let system = self.system;
            let message = format!(
                "--nonprojective lift makes trees projective, and `--system {system}` needs none; leave it out"
            );
            return Err(Error::Usage(message));
        }
        if !self.system.learners().contains(&self.learner) {
            let expected: Vec<&str> = self.system.learners().iter().map(|learner| learner.name()).collect();
            let expected = expected.join(" or ");
            let (system, learner) = (self.system, self.learner.name());
            return Err(Error::Usage(format!("{system} is not trained by {learner}; expected --learner {expected}")));
        }
        let of_networks =
            [self.word_units, self.lstm_layers, self.lstm_units, self.arc_units, self.label_units, self.batch];
        let has_numbers = self.rate.is_some() || self.dropout.is_some() || self.vectors.is_some();
        if !self.system.is_biaffine() && (has_numbers || of_networks.iter().any(Option::is_some)) {
            return Err(Error::Usage(format!(
                "{} has no network; expected --system biaffine for its options",
                self.system
            )));
        }
        Ok(())
    }

    /// When training stops.
    pub fn stopping(&self) -> Stopping {
        self.iterations.stopping(self.patience, self.max_iterations, self.average_from)
    }
}
