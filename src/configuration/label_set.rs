//! Sets of labels as small numbers, for the label-set features of Zhang & Nivre (2011).

use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::tree::LabelId;

/// A set's number in its [`LabelSets`].
pub type LabelSetId = u16;

const UNKNOWN: LabelSetId = LabelSetId::MAX;

/// The number of the next [edition](LabelSets::edition).
static EDITIONS: AtomicU64 = AtomicU64::new(1);

/// An interner of label sets of any size: the same set always has the same number, and adding a label is one look-up in
/// a dense table.
///
/// Number 0 is the empty set. Numbers are given in order of first need, so they mean nothing outside this interner: what
/// a feature reads is the set's hash, which depends on its members alone.
#[derive(Debug)]
pub struct LabelSets {
    n_labels: usize,
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    edition: u64,
    /// Members in ascending order, by set.
    members: Vec<Box<[LabelId]>>,
    by_members: HashMap<Box<[LabelId]>, LabelSetId>,
    /// `with[set * n_labels + label]`: the set with the label.
    with: Vec<LabelSetId>,
}

impl LabelSets {
    /// The number of labels.
    pub(super) fn n_labels(&self) -> usize {
        self.n_labels
    }

    /// An interner of sets of labels below `n_labels`.
    pub fn new(n_labels: usize) -> LabelSets {
        let sets = LabelSets { n_labels, inner: RefCell::default() };
        sets.clear();
        sets
    }

    /// The set `set` with `label` added; labels that the interner does not know, as those of a gold tree that were not seen in
    /// training, are in no set.
    ///
    /// After 65,535 different sets no further set is made and `set` itself is returned; [`LabelSets::clear_if_full`]
    /// between sentences keeps that from happening.
    #[inline]
    pub fn with(&self, set: LabelSetId, label: LabelId) -> LabelSetId {
        if label as usize >= self.n_labels {
            return set;
        }
        let place = set as usize * self.n_labels + label as usize;
        let known = self.inner.borrow().with[place];
        if known == UNKNOWN { self.make(set, label, place) } else { known }
    }

    #[cold]
    fn make(&self, set: LabelSetId, label: LabelId, place: usize) -> LabelSetId {
        let inner = &mut *self.inner.borrow_mut();
        let mut members = inner.members[set as usize].to_vec();
        if let Err(place) = members.binary_search(&label) {
            members.insert(place, label);
        }
        let members: Box<[LabelId]> = members.into();
        let id = match inner.by_members.get(&members) {
            Some(&id) => id,
            None if inner.members.len() >= UNKNOWN as usize => return set,
            None => inner.add(members, self.n_labels),
        };
        inner.with[place] = id;
        id
    }

    /// Calls `read` with the members of `set`, ascending.
    pub fn members<T>(&self, set: LabelSetId, read: impl FnOnce(&[LabelId]) -> T) -> T {
        read(&self.inner.borrow().members[set as usize])
    }

    /// A number that no other interner has, and this one only until it forgets its sets: what is known by a set's number can
    /// be kept as long as it stays the same. Never 0.
    pub fn edition(&self) -> u64 {
        self.inner.borrow().edition
    }

    /// The number of different sets met so far, the empty one included.
    pub fn n_sets(&self) -> usize {
        self.inner.borrow().members.len()
    }

    /// Forgets every set once half of the numbers are used, and says whether it did. To be called between sentences.
    pub fn clear_if_full(&self) -> bool {
        let full = self.n_sets() > UNKNOWN as usize / 2;
        if full {
            self.clear();
        }
        full
    }

    fn clear(&self) {
        let inner = &mut *self.inner.borrow_mut();
        *inner = Inner { edition: EDITIONS.fetch_add(1, Ordering::Relaxed), ..Inner::default() };
        inner.add(Box::default(), self.n_labels);
    }
}

impl Inner {
    fn add(&mut self, members: Box<[LabelId]>, n_labels: usize) -> LabelSetId {
        let id = self.members.len() as LabelSetId;
        self.by_members.insert(members.clone(), id);
        self.members.push(members);
        self.with.resize(self.members.len() * n_labels, UNKNOWN);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_members() {
        let sets = LabelSets::new(3);
        let ab = sets.with(sets.with(0, 1), 2);
        let ba = sets.with(sets.with(0, 2), 1);
        assert_eq!(ab, ba);
        assert_eq!(sets.with(ab, 1), ab);
        sets.members(ab, |members| assert_eq!(members, [1, 2]));
        assert_ne!(ab, sets.with(0, 1));
        assert_eq!(sets.n_sets(), 4);
    }
}
