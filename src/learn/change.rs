//! Changes of weights, made at once or put off to the end of a mini-batch.

use crate::model::LiveWeights;
use crate::system::ActionId;

/// One change: a feature, an action, by how much.
pub type Change = (u64, ActionId, i32);

/// Where a learner reads weights and leaves changes.
pub trait Memory {
    /// The weights to decide with.
    fn weights(&self) -> &LiveWeights;
    /// Rewards `good` and punishes `bad` for all `features`.
    fn correct(&mut self, features: &[u64], good: ActionId, bad: ActionId);
}

/// Changes take effect at once.
#[derive(Debug)]
pub struct Online<'w>(pub &'w mut LiveWeights);

impl Memory for Online<'_> {
    fn weights(&self) -> &LiveWeights {
        self.0
    }

    fn correct(&mut self, features: &[u64], good: ActionId, bad: ActionId) {
        for &feature in features {
            self.0.update(feature, good, 1);
            self.0.update(feature, bad, -1);
        }
    }
}

/// Changes are collected.
#[derive(Debug)]
pub struct Deferred<'w> {
    /// The weights of the whole mini-batch.
    pub weights: &'w LiveWeights,
    /// The changes so far.
    pub changes: Vec<Change>,
}

impl Memory for Deferred<'_> {
    fn weights(&self) -> &LiveWeights {
        self.weights
    }

    fn correct(&mut self, features: &[u64], good: ActionId, bad: ActionId) {
        self.changes.extend(features.iter().flat_map(|&feature| [(feature, good, 1), (feature, bad, -1)]));
    }
}
