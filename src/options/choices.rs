//! Choices of training: methods, updates, objectives, correct transitions.

use crate::choice::choice;
use crate::linear::Learner;
use crate::system::SystemKind;

choice! {
    /// Training methods.
    pub enum Training {
        /// One decision at a time, each corrected on the spot (beam of width 1).
        Greedy = "greedy",
        /// Whole derivations in a beam.
        Global = "global",
        /// Learning to search: one decision at a time, by costs estimated with roll-ins and roll-outs.
        L2s = "l2s",
    }
}

choice! {
    /// Update strategy: the step at which global training compares the predicted with the gold prefix (Huang, Fayong & Guo 2012).
    pub enum Update {
        /// The step at which gold falls off the beam (Collins & Roark 2004).
        Early,
        /// At the end of the derivation, whether that is a violation or not.
        Standard,
        /// The step at which the predicted prefix outscores the gold one most.
        MaxViolation,
        /// At the last prefix that is a violation.
        Latest,
        /// At the end if that is a violation, else early.
        Hybrid,
        /// Every step at which gold falls off the beam; the search then goes on from the gold prefix (Daumé & Marcu 2005).
        Laso,
        /// As max-violation; both beams then start again from the predicted prefix, where actions of least cost are gold, until the
        /// sentence ends (Aufrant, Wisniewski & Yvon 2017). For oracles that know the costs in all configurations.
        Restart,
        /// The same where gold falls off the beam.
        RestartEarly,
    }
}

choice! {
    /// Items of the beam that global training starts again from.
    pub enum RestartFrom {
        /// The best one, which is gold.
        Best = "best",
        /// All; those that have lost least are gold.
        Beam = "beam",
    }
}

impl Update {
    /// Default update for beams of a system: of early updates, max-violation and LaSO the one that was best on
    /// development data in the mean of Dutch and Turkish, or max-violation if that was within a point of it. On ten
    /// treebanks (`make systems`) LaSO is 0.6 to 3.1 points ahead of max-violation with those systems.
    pub fn of(system: SystemKind) -> Update {
        let name = serde_json::Value::from(system.info().beam_update);
        serde_json::from_value(name).expect("systems name a strategy of updates")
    }
}

choice! {
    /// A loss to minimise.
    pub enum Objective {
        /// Each option's cost, by a regressor of its own.
        Regression = "regression",
        /// One option is right and all others are equally wrong, by a regressor for each.
        Multiclass = "multiclass",
        /// The probability of the right options.
        Softmax = "softmax",
        /// A right option wins by a margin, the cost of the option that it wins over.
        Hinge = "hinge",
        /// A right option wins.
        Perceptron = "perceptron",
        /// Global: a gold derivation wins by a margin, the loss of the one that it wins over.
        LossAugmented = "loss-augmented",
        /// Global: the probability of the gold derivations among all of the beam.
        Crf = "crf",
        /// The probability of the right options, or derivations, against others whose scores are raised by their losses.
        SoftmaxMargin = "softmax-margin",
    }
}

impl Objective {
    /// The default objective of `learner`.
    pub fn of(training: Training, learner: Learner) -> Objective {
        match learner {
            Learner::Mira if training == Training::Global => Objective::LossAugmented,
            Learner::Mira | Learner::Svm => Objective::Hinge,
            _ if training == Training::Global => Objective::Perceptron,
            Learner::Perceptron => Objective::Perceptron,
            Learner::Adam | Learner::Momentum => Objective::Softmax,
            Learner::Adagrad => Objective::Softmax,
            _ => Objective::Regression,
        }
    }

    /// The objectives of this kind of training.
    pub fn all_of(training: Training) -> &'static [Objective] {
        use Objective::*;
        match training {
            Training::Greedy | Training::L2s => &[Regression, Multiclass, Softmax, Hinge, Perceptron, SoftmaxMargin],
            Training::Global => &[Perceptron, LossAugmented, Crf, SoftmaxMargin],
        }
    }

    /// The same idea for single decisions, for training on these before whole derivations are learned from.
    pub fn of_decisions(self) -> Objective {
        match self {
            Objective::LossAugmented => Objective::Hinge,
            Objective::Crf => Objective::Softmax,
            other => other,
        }
    }

    /// True if the loss of what is wrong is added to its score, while beams of training are filled too.
    pub fn adds_losses(self) -> bool {
        matches!(self, Objective::Hinge | Objective::LossAugmented | Objective::SoftmaxMargin)
    }

    /// True if the objective raises a probability, of which all options have a part, instead of having one option win.
    pub fn is_probability(self) -> bool {
        matches!(self, Objective::Softmax | Objective::Crf | Objective::SoftmaxMargin)
    }
}

choice! {
    /// Choice among several correct transitions: the one that is reinforced, and followed where the prediction is
    /// wrong.
    pub enum Correct {
        /// The one of the highest score under the current model (Goldberg & Nivre 2012, 2013).
        ///
        /// Likelihoods: that of the best one, as in hard expectation maximisation.
        BestScored = "best-scored",
        /// The transition of the static oracle if it is among the correct ones, else the best-scored one.
        ///
        /// Along the canonical derivation it always is, for trees that the system derives. Elsewhere the static oracle's rule is
        /// asked all the same; what it says is taken only where the dynamic oracle agrees.
        Canonical = "canonical",
        /// One drawn at random, all with the same probability, anew at every decision.
        ///
        /// Each sentence of each iteration has a random stream of its own, so that neither threads nor resuming change a draw.
        Random = "random",
        /// All of them; the best-scored one is followed.
        ///
        /// Likelihoods: the sum of the probabilities of all correct actions. Perceptron and hinge: each of k correct
        /// transitions gets 1/k of the step that the best one would get, so that the update is the mean of those of
        /// each, what `random` does in expectation. Regression: the cost of each is learned.
        All = "all",
    }
}

impl Correct {
    /// Default choice of greedy perceptrons of a system.
    pub fn of_system(system: SystemKind) -> Correct {
        serde_json::from_value(system.info().correct.into()).expect("systems name a choice among correct transitions")
    }

    /// Choice that an objective makes of itself; `None`: something else (`multiclass` takes the first that makes a gold
    /// arc).
    pub fn of(objective: Objective) -> Option<Correct> {
        match objective {
            Objective::Perceptron | Objective::Hinge | Objective::LossAugmented => Some(Correct::BestScored),
            Objective::Softmax | Objective::SoftmaxMargin | Objective::Crf | Objective::Regression => {
                Some(Correct::All)
            }
            Objective::Multiclass => None,
        }
    }
}
