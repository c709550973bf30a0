//! Learners: from features and the costs of options to real-valued weights, one example at a time.
//!
//! | learner | after | changes weights by | weights of the model |
//! |---|---|---|---|
//! | `perceptron` | Rosenblatt (1958), Collins (2002) | ±1 | averaged |
//! | `mira` | Crammer et al. (2006), PA-I | as far as it takes to win by the cost, at most by C | averaged |
//! | `sgd` | Robbins & Monro (1951) | η t^-½ × gradient | the last |
//! | `asgd` | Polyak & Juditsky (1992) | η × gradient | averaged |
//! | `sgd-plus` | Duchi et al. (2011), Ross et al. (2013), Karampatziakis & Langford (2011) | adaptive, normalised, importance-invariant steps | the last |
//! | `adagrad` | Duchi, Hazan & Singer (2011) | η / √(sum of squared gradients) × gradient | averaged |
//! | `ftrl` | McMahan et al. (2013), FTRL-proximal | the minimum of all linearised losses so far | the last |
//! | `nn` | one hidden layer of tanh units, each layer by `sgd-plus` or `ftrl` | | the last |
//!
//! What is minimised is the objective's business ([`Objective`](crate::learn::Objective)): a learner is given the gradient.
//!
//! Complexity: O(f × o) an example for f features and o options with a gradient; f × (o + h) with h hidden units.

mod adagrad;
mod fixed;
mod ftrl;
pub(super) mod linear;
mod network;
mod rule;
mod sgd;
mod sgd_plus;

pub(super) use adagrad::AdaGrad;
pub(super) use fixed::Fixed;
pub(super) use ftrl::Ftrl;
pub(super) use linear::Scratch;
pub(super) use network::{Network, n_units};
pub(super) use rule::Clock;
pub use rule::LearnerOptions;
pub(super) use sgd::Sgd;
pub(super) use sgd_plus::SgdPlus;

use serde::{Deserialize, Serialize};

/// The learners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// Steps of 1 on mistakes.
    #[default]
    Perceptron,
    /// Passive-aggressive: steps just long enough.
    Mira,
    /// Stochastic gradient descent.
    Sgd,
    /// Averaged stochastic gradient descent with steps of a fixed rate.
    Asgd,
    /// Stochastic gradient descent with adaptive, normalised and importance-invariant steps.
    SgdPlus,
    /// Adaptive gradient descent.
    Adagrad,
    /// Follow the regularised leader, proximal.
    Ftrl,
    /// One hidden layer.
    Nn,
}

impl Learner {
    /// The name as flags and specifications spell it.
    pub fn name(self) -> &'static str {
        match self {
            Learner::Perceptron => "perceptron",
            Learner::Mira => "mira",
            Learner::Sgd => "sgd",
            Learner::Asgd => "asgd",
            Learner::SgdPlus => "sgd-plus",
            Learner::Adagrad => "adagrad",
            Learner::Ftrl => "ftrl",
            Learner::Nn => "nn",
        }
    }

    /// Whether the model's weights are the average over training, not the last ones.
    pub fn averages(self) -> bool {
        matches!(self, Learner::Perceptron | Learner::Mira | Learner::Asgd | Learner::Adagrad)
    }
}
