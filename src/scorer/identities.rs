//! Sets of fingerprints.

use crate::memo::Memo;

/// A set of fingerprints.
#[derive(Debug, Clone, Default)]
pub struct Identities(Memo);

impl Identities {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one; whether it is new.
    #[inline]
    pub fn insert(&mut self, identity: u64) -> bool {
        self.0.get_or_insert(identity, 0).is_none()
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
