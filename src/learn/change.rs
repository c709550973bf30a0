//! Changes of weights, made at once or put off to the end of a mini-batch.

use crate::model::{LiveWeights, Weights as _};
use crate::system::ActionId;

/// One change: a feature, an action, by how much.
pub type Change = (u64, ActionId, i32);

/// Where a learner reads weights and leaves changes.
pub trait Memory {
    /// Whether changes take effect at once.
    const AT_ONCE: bool;
    /// The weights to decide with.
    fn weights(&self) -> &LiveWeights;
    /// Adds `change` to the weights of `action` for all `features`.
    fn reward(&mut self, features: &[u64], action: ActionId, change: i32);
}

/// Changes take effect at once.
#[derive(Debug)]
pub struct Online<'w>(pub &'w mut LiveWeights);

impl Memory for Online<'_> {
    const AT_ONCE: bool = true;

    fn weights(&self) -> &LiveWeights {
        self.0
    }

    fn reward(&mut self, features: &[u64], action: ActionId, change: i32) {
        self.0.prefetch(features);
        for &feature in features {
            self.0.update(feature, action, change);
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
    const AT_ONCE: bool = false;

    fn weights(&self) -> &LiveWeights {
        self.weights
    }

    fn reward(&mut self, features: &[u64], action: ActionId, change: i32) {
        self.changes.extend(features.iter().map(|&feature| (feature, action, change)));
    }
}
