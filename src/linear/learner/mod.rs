//! Learners: from features and the costs of options to real-valued weights, one example at a time.
//!
//! | learner | after | changes weights by | weights of the model |
//! |---|---|---|---|
//! | `perceptron` | Rosenblatt (1958), Collins (2002) | ±1 | averaged |
//! | `mira` | Crammer et al. (2006), PA-I | as far as it takes to win by the cost, at most by C | averaged |
//! | `sgd` | Robbins & Monro (1951) | η t^-½ × gradient | the last |
//! | `sgd-plus` | Duchi et al. (2011), Ross et al. (2013), Karampatziakis & Langford (2011) | adaptive, normalised, importance-invariant steps | the last |
//! | `adagrad` | Duchi, Hazan & Singer (2011) | η / √(sum of squared gradients) × gradient | averaged |
//! | `ftrl` | McMahan et al. (2013), FTRL-proximal | the minimum of all linearised losses so far | the last |
//! | `svm` | Crammer & Singer (2001), Keerthi et al. (2008), as in liblinear and MaltParser | coordinate ascent of the dual over all decisions at once | the last |
//! | `nn` | one hidden layer of tanh units, each layer by `sgd-plus` or `ftrl` | | the last |
//!
//! The [`Objective`](crate::learn::Objective) defines the loss: a learner is given its gradient.
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
mod summed;

pub(super) use adagrad::AdaGrad;
pub(super) use fixed::Fixed;
pub(super) use ftrl::Ftrl;
pub(super) use linear::UpdateScratch;
pub(super) use network::{HiddenNetwork, n_units};
pub use rule::LearnerOptions;
pub(super) use rule::{StepClock, UpdateRule};
pub(super) use sgd::Sgd;
pub(super) use sgd_plus::SgdPlus;
pub(super) use summed::Summed;

use crate::choice::choice;

choice! {
    /// The learners.
    #[derive(Default)]
    pub enum Learner {
        /// Steps of 1 on mistakes.
        #[default]
        Perceptron = "perceptron",
        /// Passive-aggressive: steps just long enough.
        Mira = "mira",
        /// Stochastic gradient descent.
        Sgd = "sgd",
        /// Stochastic gradient descent with adaptive, normalised and importance-invariant steps.
        SgdPlus = "sgd-plus",
        /// Adaptive gradient descent.
        Adagrad = "adagrad",
        /// Follow the regularised leader, proximal.
        Ftrl = "ftrl",
        /// A support vector machine, offline on the canonical derivations.
        Svm = "svm",
        /// One hidden layer.
        Nn = "nn",
        /// Networks: steps by the first two moments of gradients.
        Adam = "adam",
        /// Networks: stochastic gradient descent with momentum.
        Momentum = "momentum",
    }
}

impl Learner {
    /// True if it is for networks alone.
    pub fn is_of_networks(self) -> bool {
        matches!(self, Learner::Adam | Learner::Momentum)
    }

    /// True if the model's weights are the average over training, not the last ones.
    pub fn averages(self) -> bool {
        matches!(self, Learner::Perceptron | Learner::Mira | Learner::Adagrad)
    }
}
