//! Everything that decides what a training run computes.

use super::global::Lesson;
use super::{Correct, Iterations, Keep, Nonprojective, Objective, Preset, RollIn, RollOut, Search, Stopping};
use crate::choice::choice;
use crate::decode::SearchKind;
use crate::error::Result;
use crate::features::{ColumnName, NetworkSet, WordShape};
use crate::linear::{Learner, LearnerOptions};
use crate::model::{Activation, Align, Comparison, Layers, Lstm, Network, Normalise, ScorerKind};
use crate::scorer::Decisions;
use crate::system::{OracleKind, Roots, SystemKind};
use crate::tree::lift::Scheme;
use serde::{Deserialize, Serialize};

/// What a gradient must be for a weight to begin, unless told otherwise. PERF: learning to search with AdaGrad, one replica, 8
/// iterations (en_ewt 5): weights, and the best labelled attachment score on the development data, without it, with it, and with
/// 0.05: hu_szeged 7.2, 1.4, 1.0 million, 68.48, 68.49, 68.45; tr_imst 12.1, 3.3, 2.3, 52.36, 52.54, 52.35; sv_lines 8.6, 2.0, 1.3,
/// 81.08, 81.01, 81.07; en_ewt 20.0, 5.2, 3.6, 85.61, 85.58, 85.56.
const MIN_GRADIENT: f64 = 0.02;

/// The rate of dual averaging, unless told otherwise, where an example is a sentence.
const SENTENCE_RATE: f32 = 0.1;

/// The options of a training run. They are written into the model's header; two runs with equal options on equal data make
/// equal models.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
///
/// // What depends on the system and on the kind of training follows them.
/// let defaults = TrainOptions::of(SystemKind::Swap, Training::Global, Learner::default());
/// let options = TrainOptions { beam: 16, iterations: 10.into(), ..defaults };
/// assert_eq!(options.features, "stack");
/// options.check()?;
/// // What contradicts itself is refused, with the option to change.
/// let odd = TrainOptions { oracle: OracleKind::MonotonicFirst, ..options };
/// assert!(odd.check().is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrainOptions {
    /// The transition system.
    pub system: SystemKind,
    /// What makes scores.
    #[serde(skip_serializing_if = "ScorerKind::is_linear")]
    pub scorer: ScorerKind,
    /// The feature set: the name of a built-in one, or a path to a `.feat` file. Networks do not read it.
    pub features: String,
    /// Greedy or global training, or learning to search.
    pub training: Training,
    /// What changes the weights by the gradients of the objective.
    #[serde(skip_serializing_if = "is_default")]
    pub learner: Learner,
    /// What training minimises; `None`: what suits the learner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// The learner's rate: η, of `ftrl` α, of `mira` and `svm` C; `None`: its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Of `sgd` and `dual-averaging`, λ: the loss has λ/2 times the squared norm of the weights added to it; `None`: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2: Option<f64>,
    /// Global, with objectives that add losses to scores: how much a loss of 1 adds; `None`: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_weight: Option<f64>,
    /// Training on single decisions: the probability with which each feature of a configuration is left out of its example.
    #[serde(skip_serializing_if = "is_default")]
    pub dropout: f64,
    /// Training on single decisions: features that come fewer times in the first pass are left out; `None`: with `nn` 2, else 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<u8>,
    /// A weight begins with a gradient of at least this size, and takes no memory before; `None`: 0.02 on single decisions
    /// whose objective is a probability, else 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_gradient: Option<f64>,
    /// With `nn`: hidden units for each action; `None`: 5. Of a network: hidden units; `None`: 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<u32>,
    /// What hidden units of a network make of their sums; `None`: `relu`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// What a network reads of a configuration: the name of a built-in [`NetworkSet`], or a path to a `.feat` file; `None`: with an
    /// encoder `extended`, else `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<String>,
    /// Of a network: the numbers in an embedding of a word; `None`: as many as the vectors have, or 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_units: Option<u32>,
    /// The file of word vectors that a network begins with, see [`Vectors`](crate::neural::Vectors); `None`: random ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<String>,
    /// Layers of an encoder or of each stack; `None`: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lstm_layers: Option<u32>,
    /// The numbers that each direction of an encoder's layer, or a layer of each stack, gives on; `None`: 128.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lstm_units: Option<u32>,
    /// The model file of a network to begin with; `None`: a random one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// Which layers of a network learn.
    #[serde(skip_serializing_if = "is_default")]
    pub layers: Layers,
    /// With `nn`: how its layers learn; `None`: by `ftrl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nn_update: Option<Learner>,
    /// With a learner of real-valued weights: whether moves and labels are decided on together.
    #[serde(skip_serializing_if = "is_default")]
    pub decisions: Decisions,
    /// Learning to search: the algorithm; what follows overrides it. `None`: `l2s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Learning to search: who decides which configurations are learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll_in: Option<RollIn>,
    /// Learning to search: whose losses are costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll_out: Option<RollOut>,
    /// Learning to search: how fast the learned policy takes over in mixtures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Learning to search: the probability of the reference in a mixed roll-out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_share: Option<f64>,
    /// Learning to search: run the reference's roll-outs even where the oracle tells their losses.
    #[serde(skip_serializing_if = "is_default")]
    pub run_reference: bool,
    /// The gold side: one canonical derivation, or every correct action.
    pub oracle: OracleKind,
    /// Greedy, with an oracle that is not static: which of several correct transitions is reinforced, and followed where the
    /// prediction is wrong; `None`: what the objective does of itself ([`Correct::of`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct: Option<Correct>,
    /// Greedy with a dynamic oracle: explore after this many iterations (k of Goldberg & Nivre 2013).
    pub explore_from: u32,
    /// Greedy with a dynamic oracle: the probability of following the model's own choice (p).
    pub explore_prob: f64,
    /// Greedy with a dynamic oracle: follow what is drawn from the model's probabilities to this power (Ballesteros et al. 2016);
    /// `None`: its predictions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explore_power: Option<f64>,
    /// Global: how many of the iterations, the first ones, train greedily, with exploration if there is an oracle for it.
    #[serde(skip_serializing_if = "is_default")]
    pub pretrain: u32,
    /// Global: where in the derivation to update.
    pub update: Update,
    /// How the best derivation is looked for, in global training and, unless told otherwise, in decoding.
    #[serde(skip_serializing_if = "is_default")]
    pub search: SearchKind,
    /// Global: the width of the training beam. Also the width that the model is decoded at unless told otherwise.
    pub beam: usize,
    /// Global: whether items of a beam that look the same to all features become one, in training and, unless told otherwise, in
    /// parsing.
    #[serde(skip_serializing_if = "is_default")]
    pub merge: bool,
    /// Global: which items of a beam are compared, in training and, unless told otherwise, in parsing.
    #[serde(skip_serializing_if = "is_default")]
    pub align: Align,
    /// Global: what their scores are divided by before they are compared.
    #[serde(skip_serializing_if = "is_default")]
    pub normalise: Normalise,
    /// Passes over the training data: a number, or `plateau`.
    pub iterations: Iterations,
    /// With `plateau`: stop after so many iterations without a better score; `None`: [`Iterations::PATIENCE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// With `plateau`: the most iterations; `None`: [`Iterations::MOST`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// Averages begin after this many iterations, if there are more: the first ones are far from where learning ends.
    pub average_from: u32,
    /// How many times to train, each time in another random order; the model is the sum of their averages. Linear models
    /// vote by adding up. PERF: on English-EWT at width 8 the labelled attachment score is 87.63 with one, 87.73 with two,
    /// 87.85 with four.
    pub replicas: u32,
    /// The seed of shuffling and exploration.
    pub seed: u64,
    /// Sentences per mini-batch: their updates are made together.
    pub batch: usize,
    /// What to do with non-projective training trees.
    pub nonprojective: Nonprojective,
    /// With lifting: what labels remember of it.
    pub lift: Scheme,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// The column that word atoms (`.w`) read.
    pub word_column: ColumnName,
    /// What word atoms make of their column.
    pub word_shape: WordShape,
    /// The column that tag atoms (`.p`) read.
    pub tag_column: ColumnName,
    /// Which iteration's weights become the model.
    pub keep: Keep,
}

impl Default for TrainOptions {
    fn default() -> TrainOptions {
        TrainOptions {
            system: SystemKind::ArcEager,
            scorer: ScorerKind::Linear,
            features: "zn11".to_owned(),
            training: Training::Global,
            learner: Learner::Perceptron,
            objective: None,
            rate: None,
            l2: None,
            loss_weight: None,
            dropout: 0.0,
            min_count: None,
            min_gradient: None,
            hidden: None,
            activation: None,
            places: None,
            word_units: None,
            vectors: None,
            lstm_layers: None,
            lstm_units: None,
            init: None,
            layers: Layers::All,
            nn_update: None,
            decisions: Decisions::Joint,
            preset: None,
            roll_in: None,
            roll_out: None,
            alpha: None,
            reference_share: None,
            run_reference: false,
            oracle: OracleKind::Dynamic,
            correct: None,
            explore_from: 1,
            explore_prob: 0.9,
            explore_power: None,
            pretrain: 0,
            update: Update::MaxViolation,
            search: SearchKind::Beam,
            beam: 8,
            merge: false,
            align: Align::Steps,
            normalise: Normalise::Nothing,
            iterations: Iterations::Number(15),
            patience: None,
            max_iterations: None,
            average_from: 3,
            replicas: 4,
            seed: 1,
            batch: 1,
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

/// Whether an option has its default, so that it need not be written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

choice! {
    /// The three schools.
    pub enum Training {
        /// One decision at a time, each corrected on the spot (beam of width 1).
        Greedy = "greedy",
        /// Whole derivations in a beam.
        Global = "global",
        /// Learning to search: one decision at a time, by what each costs after roll-ins and roll-outs.
        L2s = "l2s",
    }
}

choice! {
    /// Where global training compares the predicted with the gold prefix (Huang, Fayong & Guo 2012).
    pub enum Update {
        /// Where gold falls off the beam (Collins & Roark 2004).
        Early,
        /// At the end of the derivation, whether that is a violation or not.
        Standard,
        /// Where the predicted prefix outscores the gold one most.
        MaxViolation,
        /// At the last prefix that is a violation.
        Latest,
        /// At the end if that is a violation, else early.
        Hybrid,
        /// Wherever gold falls off the beam; the search then goes on from the gold prefix (Daumé & Marcu 2005).
        Laso,
    }
}

impl Update {
    /// What suits beams of a system: of early updates, max-violation and LaSO the one that was best on development data in the mean of
    /// Dutch and Turkish, or max-violation if that was within a point of it. On five treebanks (`make every-system`) LaSO is the best of
    /// the three with these systems, too; with swap it is 0.95 points ahead of max-violation.
    pub fn of(system: SystemKind) -> Update {
        match system {
            SystemKind::Swap | SystemKind::Covington | SystemKind::CovingtonNonmonotonic => Update::Laso,
            _ => Update::MaxViolation,
        }
    }
}

impl TrainOptions {
    /// The defaults for this system, kind of training and learner. They differ from [`TrainOptions::default`] in what
    /// depends on these: the feature set, the oracle, the update, the number of roots and the number of replicas.
    pub fn of(system: SystemKind, training: Training, learner: Learner) -> TrainOptions {
        let default = TrainOptions::default();
        let oracle = match training {
            Training::Greedy if learner == Learner::Svm => OracleKind::Static,
            Training::Greedy | Training::L2s => system.greedy_oracle(),
            Training::Global => system.beam_oracle(),
        };
        // Networks cannot be added up, and there is one best support vector machine.
        let replicas = if matches!(learner, Learner::Nn | Learner::Svm) { 1 } else { default.replicas };
        let features = system.features().to_owned();
        let roots = system.own_roots(default.roots);
        let update = Update::of(system);
        TrainOptions { system, training, learner, oracle, update, replicas, features, roots, ..default }
    }

    /// The same for a scorer of this kind. Networks learn by Adam, from mini-batches, once; single decisions with some hidden
    /// units left out; whole derivations by their probability in the beam, where gold has fallen off it.
    #[must_use]
    pub fn with_scorer(self, scorer: ScorerKind) -> TrainOptions {
        if scorer.is_linear() {
            return TrainOptions { scorer, ..self };
        }
        let learner = if self.learner == Learner::Perceptron { Learner::Adam } else { self.learner };
        let (dropout, iterations) = match (self.training, scorer) {
            (Training::Global, _) => (0.0, 3),
            (_, ScorerKind::Bilstm | ScorerKind::StackLstm) => (0.3, 12),
            _ => (0.3, 8),
        };
        let (update, iterations) = (Update::Early, Iterations::Number(iterations));
        TrainOptions { scorer, learner, dropout, iterations, update, replicas: 1, batch: 8, average_from: 0, ..self }
    }

    /// Whether weights are whole numbers, changed by the perceptron's rule. Decisions in several stages, steps that are shared
    /// among correct transitions, and features that are counted before they are let in, are for learners of real-valued weights.
    pub fn is_perceptron(&self) -> bool {
        self.scorer.is_linear()
            && self.learner == Learner::Perceptron
            && self.decisions == Decisions::Joint
            && self.correct != Some(Correct::All)
            && self.min_count.is_none_or(|n| n < 2)
    }

    /// The layout of the network, if one makes scores.
    ///
    /// # Errors
    /// If there is no set of places of this name, or its file is malformed.
    pub fn network(&self) -> Result<Option<Network>> {
        let hidden = self.hidden.unwrap_or(200) as usize;
        let (between, has_points) = (self.system.name().contains("covington"), self.system == SystemKind::EasyFirst);
        // A probability of actions at one point says nothing about those at others.
        let normalised = self.training != Training::Global && !has_points;
        let of_layers = |n: Option<u32>, default| n.map_or(default, |n| n as usize);
        let lstm = Lstm { layers: of_layers(self.lstm_layers, 2), units: of_layers(self.lstm_units, 128) };
        let (places, encoder) = match self.scorer {
            ScorerKind::Linear => return Ok(None),
            ScorerKind::FeedForward | ScorerKind::StackLstm => ("full", None),
            ScorerKind::Bilstm => ("extended", Some(lstm)),
        };
        let activation = self.activation.unwrap_or_default();
        let set = NetworkSet::load_for(self.places.as_deref().unwrap_or(places), self.system)?;
        set.check(self.system.name(), self.system.buffer_is_suffix())?;
        let mut network = Network::new(&set, encoder, (hidden, activation), between, normalised);
        if network.places.is_empty() {
            return Err(crate::error::Error::Usage(format!(
                "{}: no place whose word is read by {}, which has no words between two focus words (M0); expected places such as S0 or S0.l1",
                set.name, self.system
            )));
        }
        network.dimensions[0] = of_layers(self.word_units, network.dimensions[0]);
        // Two stacks have a top each.
        let has_m0 = between || self.system == SystemKind::TwoPlanar;
        Ok(Some(if self.scorer == ScorerKind::StackLstm { network.with_stacks(lstm, has_m0) } else { network }))
    }

    /// What training minimises.
    pub fn objective(&self) -> Objective {
        let suited = match (self.scorer, self.training) {
            (ScorerKind::Linear, _) => Objective::of(self.training, self.learner),
            (_, Training::Global) if self.merge => Objective::Perceptron,
            (_, Training::Global) if self.search == SearchKind::Exact => Objective::LossAugmented,
            (_, Training::Global) if self.layers == Layers::Output => Objective::Perceptron,
            (_, Training::Global) => Objective::Crf,
            _ => Objective::Softmax,
        };
        self.objective.unwrap_or(suited)
    }

    /// How to choose among correct transitions, if not as the objective does of itself.
    pub(super) fn among_correct(&self) -> Option<Correct> {
        self.correct.filter(|&correct| Correct::of(self.objective()) != Some(correct))
    }

    /// What global training learns of a derivation.
    pub(super) fn lesson(&self) -> Lesson {
        Lesson {
            width: self.beam,
            comparison: self.comparison(),
            update: self.update,
            objective: self.objective(),
            loss_weight: self.loss_weight.unwrap_or(1.0) as f32,
            aggressiveness: self.aggressiveness(),
        }
    }

    /// Whether weights may wait for a gradient to begin with. Where every option has a part of a probability, most gradients
    /// are so small that their weights stay near 0. Not those whose learner looks at an example's weights before it changes
    /// them, or that are there from the beginning.
    pub(super) fn has_min_gradient(&self) -> bool {
        self.training != Training::Global
            && self.scorer.is_linear()
            && self.objective().is_probability()
            && !matches!(self.learner, Learner::Perceptron | Learner::SgdPlus | Learner::Nn)
    }

    /// The learner's options.
    pub(super) fn learner(&self) -> LearnerOptions {
        let mut learner = LearnerOptions::of(self.learner);
        if let Some(update) = self.nn_update {
            learner =
                LearnerOptions { hidden: learner.hidden, min_count: learner.min_count, ..LearnerOptions::of(update) };
        }
        learner.min_count = self.min_count.unwrap_or(learner.min_count);
        let suited = if self.has_min_gradient() { MIN_GRADIENT } else { 0.0 };
        learner.min_gradient = self.min_gradient.unwrap_or(suited) as f32;
        learner.l2 = self.l2.map_or(0.0, |l2| l2 as f32);
        let averages_duals = self.learner == Learner::DualAveraging;
        // Steps of other learners go by the number of gradients.
        let in_time = averages_duals || learner.l2 > 0.0;
        learner.in_fixed_point = self.training == Training::Global;
        learner.by_sentence = in_time && learner.in_fixed_point;
        // A sentence's gradient is a sum over its transitions, and dual averaging takes its longest steps first.
        let suited = if averages_duals && learner.by_sentence { SENTENCE_RATE } else { learner.rate };
        learner.rate = self.rate.map_or(suited, |rate| rate as f32);
        learner.hidden = self.hidden.map_or(learner.hidden, |hidden| hidden as usize);
        learner
    }

    /// The largest step of MIRA, if it is the learner.
    pub(super) fn aggressiveness(&self) -> Option<f32> {
        (self.learner == Learner::Mira).then(|| self.learner().rate)
    }

    /// What learner and search the options amount to, if there are any.
    pub fn told(&self) -> Option<String> {
        let is_plain = self.objective() == Objective::Perceptron && self.training != Training::L2s;
        if self.is_perceptron() && is_plain {
            return self.correct.map(|correct| format!("of several correct transitions: {}", correct.name()));
        }
        let learner = self.learner();
        let rate = if self.scorer.is_linear() { learner.rate } else { super::network::rate(self) as f32 };
        let mut told = format!("{}, {}, rate {rate}", self.learner.name(), self.objective().name());
        if learner.l2 > 0.0 {
            told += &format!(", L2 {}", learner.l2);
        }
        if learner.hidden > 0 && self.scorer.is_linear() {
            told += &format!(", {} hidden units an action by {}", learner.hidden, learner.update.name());
        }
        if self.dropout > 0.0 {
            told += &format!(", dropout {}", self.dropout);
        }
        if let Some(correct) = self.correct {
            told += &format!(", of several correct transitions: {}", correct.name());
        }
        if self.training == Training::L2s {
            let preset = self.preset.map_or(String::new(), |preset| format!("preset {}: ", preset.name()));
            told = format!("learning to search, {preset}{}; {told}", self.search());
        }
        if self.batch > 1 && !self.scorer.is_linear() {
            told += &format!(", mini-batches of {}", self.batch);
        }
        if let Some(power) = self.explore_power {
            told += &format!(", exploring by probabilities to the power {power}");
        }
        if self.layers == Layers::Output {
            told += ", the output layer alone";
        }
        if let Some(init) = &self.init {
            told += &format!(", from {init}");
        }
        if let Some(vectors) = &self.vectors {
            told += &format!(", vectors of words from {vectors}");
        }
        Some(told)
    }

    /// How learning to search searches: the preset, as far as nothing else was asked for.
    pub fn search(&self) -> Search {
        let preset = self.preset.unwrap_or(Preset::L2s).search();
        Search {
            roll_in: self.roll_in.unwrap_or(preset.roll_in),
            roll_out: self.roll_out.unwrap_or(preset.roll_out),
            alpha: self.alpha.unwrap_or(preset.alpha),
            reference_share: self.reference_share.or(preset.reference_share),
            run_reference: self.run_reference,
        }
    }

    /// What items of a beam are compared by.
    pub fn comparison(&self) -> Comparison {
        Comparison { align: self.align, normalise: self.normalise }
    }

    /// How an iteration trains, after `iteration` others, and by which oracle. Where the one of the gold side has no costs in all
    /// configurations, training on single decisions beforehand is by the one that the system trains greedily with.
    pub(super) fn training_in(&self, iteration: u32) -> (Training, OracleKind) {
        match iteration < self.pretrain {
            true if self.oracle.explores() => (Training::Greedy, self.oracle),
            true => (Training::Greedy, self.system.greedy_oracle()),
            false => (self.training, self.oracle),
        }
    }

    /// What training on single decisions minimises, before global training or by itself.
    pub(super) fn local_objective(&self) -> Objective {
        match self.training {
            Training::Global => self.objective().of_decisions(),
            Training::Greedy | Training::L2s => self.objective(),
        }
    }

    /// Whether predictions are followed into mistakes, in some iterations at least.
    pub fn explores(&self) -> bool {
        let (training, oracle) = self.training_in(0);
        training == Training::Greedy && oracle.explores()
    }

    /// The iteration after which averages begin: not before global training does.
    pub(super) fn averages_begin(&self) -> u32 {
        self.average_from.max(self.pretrain)
    }

    /// When training stops.
    pub fn stopping(&self) -> Stopping {
        self.iterations.stopping(self.patience, self.max_iterations, self.averages_begin())
    }

    /// The width at which the model is decoded unless told otherwise: 1 after greedy training.
    pub fn decoding_beam(&self) -> usize {
        match self.training {
            Training::Greedy | Training::L2s => 1,
            Training::Global => self.beam,
        }
    }
}
