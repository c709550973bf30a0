//! Derived options of a transition system: defaults that follow one another, learners, objectives, networks.

use super::{Correct, LearningToSearch, Objective, Preset, RollIn, TrainOptions, Training, Update};
use crate::decode::SearchKind;
use crate::error::Result;
use crate::features::NetworkSet;
use crate::linear::{Learner, LearnerOptions};
use crate::model::{Layers, Lstm, Network, ScorerKind};
use crate::scorer::Decisions;
use crate::system::{AnySystem, OracleKind, SystemKind};
use crate::training::{Iterations, Schedule};
use crate::treebank::Column;

/// Default size of a gradient for a weight to begin. PERF: learning to search with AdaGrad, one replica, 8 iterations
/// (en_ewt 5): weights, and the best labelled attachment score on the development data, without it, with it, and with
/// 0.05: hu_szeged 7.2, 1.4, 1.0 million, 68.48, 68.49, 68.45; tr_imst 12.1, 3.3, 2.3, 52.36, 52.54, 52.35; sv_lines
/// 8.6, 2.0, 1.3, 81.08, 81.01, 81.07; en_ewt 20.0, 5.2, 3.6, 85.61, 85.58, 85.56.
const MIN_GRADIENT: f64 = 0.02;

/// Learning rate of stochastic subgradients of the structured hinge, which are as large as derivations are long, while the margin is that
/// of the losses. On 300 sentences of four treebanks, by three systems, with an L2 norm, 0.5, 0.1 and 0.03 give 56.2, 57.3 and 57.7 LAS on
/// development data; with 0.5 some models of other treebanks diverge.
const SUBGRADIENT_RATE: f32 = 0.03;

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
        let features = system.info().features.to_owned();
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

    /// True if weights are whole numbers, changed by the perceptron's rule. Decisions in several stages, steps that are
    /// shared among correct transitions, and features that are counted before they are let in, are for learners of
    /// real-valued weights.
    pub fn is_perceptron(&self) -> bool {
        self.scorer.is_linear()
            && self.learner == Learner::Perceptron
            && self.decisions == Decisions::Joint
            && self.correct != Some(Correct::All)
            && self.min_count.is_none_or(|n| n < 2)
            && self.initial_weights.is_none()
    }

    /// The column that the model fills, if it is a tagger.
    pub fn target(&self) -> Option<Column> {
        self.system.info().tags.then(|| self.tag_column.into())
    }

    /// The layout of the network, if one makes scores.
    ///
    /// # Errors
    /// If there is no set of places of this name, or its file is malformed.
    pub fn network(&self) -> Result<Option<Network>> {
        let hidden = self.hidden.unwrap_or(200) as usize;
        let family = self.system.system(self.roots);
        let (between, has_points) = (matches!(family, AnySystem::Lists(_)), matches!(family, AnySystem::Pending(_)));
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
        set.check(self.system.name(), self.system.info().buffer_is_suffix)?;
        let is_stacks = self.scorer == ScorerKind::StackLstm;
        if self.places.is_some() {
            set.check_places(is_stacks.then_some("a stack-lstm reads the whole stack, buffer and history"))?;
        }
        if self.system.info().tags {
            set.check_unread(self.tag_column.into())?;
        }
        let mut network = Network::new(&set, encoder, (hidden, activation), between, normalised);
        network.dimensions = set.dimensions_of_fields(!self.system.info().tags && self.word_column != self.tag_column);
        if network.places.is_empty() && !is_stacks {
            return Err(crate::error::Error::Usage(format!(
                "{}: no place whose word is read by {}, which has no words between two focus words (M0); expected places such as S0 or S0.l1",
                set.name, self.system
            )));
        }
        network.dimensions[0] = of_layers(self.word_units, network.dimensions[0]);
        // Two stacks have a top each.
        let has_m0 = between || matches!(family, AnySystem::TwoStacks(_));
        Ok(Some(if is_stacks { network.with_stacks(lstm, has_m0) } else { network }))
    }

    /// Objective that training minimises.
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

    /// Choice among correct transitions, if not as the objective does of itself.
    pub(crate) fn among_correct(&self) -> Option<Correct> {
        self.correct.filter(|&correct| Correct::of(self.objective()) != Some(correct))
    }

    /// True if weights may wait for a gradient to begin with. Where every option has a part of a probability, most
    /// gradients are so small that their weights stay near 0. Not those whose learner looks at an example's weights
    /// before it changes them, or that are there from the beginning.
    pub(crate) fn has_min_gradient(&self) -> bool {
        self.training != Training::Global
            && self.scorer.is_linear()
            && self.objective().is_probability()
            && !matches!(self.learner, Learner::Perceptron | Learner::SgdPlus | Learner::Nn)
    }

    /// The learner's options.
    pub(crate) fn learner(&self) -> LearnerOptions {
        let mut learner = LearnerOptions::of(self.learner);
        if let Some(update) = self.nn_update {
            learner =
                LearnerOptions { hidden: learner.hidden, min_count: learner.min_count, ..LearnerOptions::of(update) };
        }
        learner.min_count = self.min_count.unwrap_or(learner.min_count);
        let suited = if self.has_min_gradient() { MIN_GRADIENT } else { 0.0 };
        learner.min_gradient = self.min_gradient.unwrap_or(suited) as f32;
        learner.l2 = self.l2.map_or(0.0, |l2| l2 as f32);
        learner.in_fixed_point = self.training == Training::Global;
        // Steps of other learners go by the number of gradients.
        learner.by_sentence = learner.l2 > 0.0 && learner.in_fixed_point;
        let is_subgradient = (self.learner, self.objective()) == (Learner::Sgd, Objective::LossAugmented);
        let suited = if is_subgradient { SUBGRADIENT_RATE } else { learner.rate };
        learner.rate = self.rate.map_or(suited, |rate| rate as f32);
        learner.hidden = self.hidden.map_or(learner.hidden, |hidden| hidden as usize);
        learner
    }

    /// The rate of a network's learner.
    pub(crate) fn network_rate(&self) -> f64 {
        self.rate.unwrap_or(match (self.learner, self.training) {
            (Learner::Perceptron, _) => 0.003,
            (Learner::Adagrad, _) => 0.01,
            (Learner::Momentum, _) => 0.05,
            (_, Training::Global) => 0.0003,
            _ => 0.001,
        })
    }

    /// The largest step of MIRA, if it is the learner.
    pub(crate) fn aggressiveness(&self) -> Option<f32> {
        (self.learner == Learner::Mira).then(|| self.learner().rate)
    }

    /// Summary of the learner and search that the options amount to, if there are any.
    pub fn summary(&self) -> Option<String> {
        let is_plain = self.objective() == Objective::Perceptron && self.training != Training::L2s;
        if self.is_perceptron() && is_plain {
            return self.correct.map(|correct| format!("of several correct transitions: {}", correct.name()));
        }
        let learner = self.learner();
        let rate = if self.scorer.is_linear() { learner.rate } else { self.network_rate() as f32 };
        let mut summary = format!("{}, {}, rate {rate}", self.learner.name(), self.objective().name());
        if learner.l2 > 0.0 {
            summary += &format!(", L2 {}", learner.l2);
        }
        if learner.hidden > 0 && self.scorer.is_linear() {
            summary += &format!(", {} hidden units an action by {}", learner.hidden, learner.update.name());
        }
        if self.dropout > 0.0 {
            summary += &format!(", dropout {}", self.dropout);
        }
        if let Some(correct) = self.correct {
            summary += &format!(", of several correct transitions: {}", correct.name());
        }
        if self.training == Training::L2s {
            let preset = self.preset.map_or(String::new(), |preset| format!("preset {}: ", preset.name()));
            summary = format!("learning to search, {preset}{}; {summary}", self.search());
        }
        if self.batch > 1 && !self.scorer.is_linear() {
            summary += &format!(", mini-batches of {}", self.batch);
        }
        if let Some(power) = self.explore_power {
            summary += &format!(", exploring by probabilities to the power {power}");
        }
        if self.layers == Layers::Output {
            summary += ", the output layer alone";
        }
        if let Some(init) = &self.init {
            summary += &format!(", from {init}");
        }
        if let Some(vectors) = &self.vectors {
            summary += &format!(", vectors of words from {vectors}");
        }
        Some(summary)
    }

    /// Settings of learning to search: the preset, as far as nothing else was asked for.
    pub fn search(&self) -> LearningToSearch {
        let preset = self.preset.unwrap_or(Preset::L2s).search();
        LearningToSearch {
            roll_in: self.roll_in.unwrap_or(preset.roll_in),
            roll_out: self.roll_out.unwrap_or(preset.roll_out),
            alpha: self.alpha.unwrap_or(preset.alpha),
            reference_share: self.reference_share.or(preset.reference_share),
            run_reference: self.run_reference,
        }
    }

    /// Training method and oracle of an iteration, after `iteration` others. Where the one of the gold side has no
    /// costs in all configurations, training on single decisions beforehand is by the one that the system trains
    /// greedily with.
    pub(crate) fn training_in(&self, iteration: u32) -> (Training, OracleKind) {
        match iteration < self.pretrain {
            true if self.oracle.explores() => (Training::Greedy, self.oracle),
            true => (Training::Greedy, self.system.greedy_oracle()),
            false => (self.training, self.oracle),
        }
    }

    /// Objective of training on single decisions, before global training or by itself.
    pub(crate) fn local_objective(&self) -> Objective {
        match self.training {
            Training::Global => self.objective().of_decisions(),
            Training::Greedy | Training::L2s => self.objective(),
        }
    }

    /// True if predictions are followed into mistakes by the options that begin with `--explore`, in some iterations at least.
    pub fn explores(&self) -> bool {
        let (training, oracle) = self.training_in(0);
        training == Training::Greedy && oracle.explores() || self.rolls_in()
    }

    /// True if beams of training start in the model's own derivations.
    pub fn rolls_in(&self) -> bool {
        self.training == Training::Global && self.roll_in == Some(RollIn::Learned)
    }

    /// Schedule of the run; averages begin no earlier than global training does.
    pub fn schedule(&self) -> Schedule {
        let average_from = self.average_from.max(self.pretrain);
        let stopping = self.iterations.stopping(self.patience, self.max_iterations, average_from);
        Schedule { stopping, keep: self.keep, average_from, pretrain: self.pretrain }
    }

    /// The default width at which the model is decoded: 1 after greedy training.
    pub fn decoding_beam(&self) -> usize {
        match self.training {
            Training::Greedy | Training::L2s => 1,
            Training::Global => self.beam,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient of a derivation is larger than that of a decision.
    #[test]
    fn rates_suit_what_a_gradient_is_of() {
        let rate = |training, objective| {
            let learner = Learner::Sgd;
            TrainOptions { training, objective: Some(objective), learner, ..TrainOptions::default() }.learner().rate
        };
        assert_eq!(rate(Training::Global, Objective::LossAugmented), 0.03);
        assert_eq!([rate(Training::Global, Objective::Crf), rate(Training::Greedy, Objective::Hinge)], [0.5; 2]);
    }
}
