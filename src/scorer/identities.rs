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
        // PERF: the upper bits of a product are better spread than the lower ones, by which places are found: of three look-ups, one met
        // another fingerprint first.
        self.0.get_or_insert(identity ^ identity >> 32, 0).is_none()
    }

    /// Number of identities.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
