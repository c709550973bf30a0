//! Vectors of groups of templates, looked up in the weights many at a time.

use fearless_simd::prelude::*;

use super::{Row, Weights};
use crate::configuration::{LabelSets, STATE_SLOTS, State};
use crate::features::{Extractor, Group, GroupReads, Input, SidePart};
use crate::memo::Memo;
use crate::scorer::Vectors;
use crate::vector::Ones;

/// Memoised vectors of groups, and sums of them that are still to be made.
#[derive(Debug, Clone, Default)]
pub struct LookUp {
    /// Holds the slots that groups read.
    pub extractor: Extractor,
    memo: Memo,
    /// By group of those that read one value, and by this value plus one: the place of the vector, if there is one.
    direct: Vec<u32>,
    /// Number of values that there can be, "none" among them.
    n_values: usize,
    /// The places of vectors are counted through all sentences, in blocks; those before `first` are forgotten, `next` is the next one's.
    ///
    /// PERF: so `direct` is not cleared for each sentence, which took 2 % of the instructions of greedy parsing.
    vectors: Vectors,
    first: u32,
    next: u32,
    /// The number of vectors of each sum to be made, and the places of all of them, from `first` on.
    sums: Vec<usize>,
    /// Behind these are others.
    terms: Vec<u32>,
    n_terms: usize,
    /// The end of the features of each new group.
    ends: Vec<usize>,
    features: Vec<u64>,
    rows: Vec<Row>,
}

/// Number of vectors at which all are forgotten.
const MAX_VECTORS: u32 = 1 << 11;

/// Source of a look-up: the weights, and the part of the sentence that it reads.
#[derive(Debug, Clone, Copy)]
pub struct LookUpSource<'s, W> {
    pub weights: &'s W,
    pub input: &'s Input,
    pub sets: &'s LabelSets,
}

impl LookUp {
    /// Forgets the last sentence; the next vectors are this `width`. There are `n_groups`, and those that read one value read one of
    /// `n_values`, "none" among them.
    pub fn start(&mut self, width: usize, n_groups: usize, n_values: usize) {
        self.n_values = n_values;
        if self.direct.len() < n_groups * n_values {
            self.direct.resize(n_groups * n_values, 0);
        }
        // At first, and long before the numbers of places run out.
        if !(1..=u32::MAX / 2).contains(&self.next) {
            self.direct.fill(0);
            self.next = 1;
        }
        self.forget(width);
    }

    /// Forgets vectors, if there are many.
    pub fn make_room(&mut self, width: usize) {
        if self.next - self.first >= MAX_VECTORS * self.vectors.width() as u32 {
            self.forget(width);
        }
    }

    /// Forgets all vectors.
    pub fn forget(&mut self, width: usize) {
        self.memo.clear();
        self.vectors.clear(width);
        self.first = self.next;
    }

    /// Asks for the sum of the vectors of a part's groups, the first of which has this number, in a state. `see` shows it
    /// to the extractor.
    #[inline]
    pub fn ask<W: Weights>(
        &mut self,
        part: &SidePart,
        first: usize,
        state: State,
        source: &LookUpSource<W>,
        see: impl FnOnce(&mut Extractor),
    ) {
        let (n, n_ones) = (part.groups.len(), part.ones.len());
        let (of_ones, of_others) = room(&mut self.terms, &mut self.n_terms, n).split_at_mut(n_ones);
        let (width, oldest, mut next) = (self.vectors.width() as u32, self.first, self.next);
        // By number of a group: whether its vector is new.
        let mut is_new = 0u64;
        let mut at = first * self.n_values;
        for (number, (term, &place)) in of_ones.iter_mut().zip(&part.ones).enumerate() {
            let value = state.0[place as usize % STATE_SLOTS].wrapping_add(1) as usize;
            let known = &mut self.direct[at + value];
            at += self.n_values;
            if *known < oldest {
                *known = next;
                next += width;
                is_new |= 1 << number;
            }
            *term = *known - oldest;
        }
        for (number, (term, group)) in (n_ones..).zip(of_others.iter_mut().zip(&part.groups[n_ones..])) {
            let GroupReads::Some(mask) = group.reads else { continue };
            let known = self.memo.get_or_insert(state.masked(mask).key(first + number), next);
            *term = known.unwrap_or(next) - oldest;
            if known.is_none() {
                next += width;
                is_new |= 1 << number;
            }
        }
        self.next = next;
        self.sums.push(n);
        if is_new != 0 {
            see(&mut self.extractor);
        }
        for number in Ones(is_new) {
            self.extract(&part.groups[number].group, source);
        }
    }

    /// Asks for the sum of the vectors of joint groups, the first of which has this number, for what the extractor has
    /// seen.
    pub fn ask_joint<W: Weights>(&mut self, groups: &[Group], first: usize, source: &LookUpSource<W>) {
        for (number, group) in groups.iter().enumerate() {
            let key = self.extractor.key_of(group, first + number);
            let known = self.memo.get_or_insert(key, self.next);
            room(&mut self.terms, &mut self.n_terms, 1)[0] = known.unwrap_or(self.next) - self.first;
            if known.is_none() {
                self.next += self.vectors.width() as u32;
                self.extract(group, source);
            }
        }
        self.sums.push(groups.len());
    }

    /// Asks for the next vector.
    #[inline]
    fn extract<W: Weights>(&mut self, group: &Group, source: &LookUpSource<W>) {
        let prefetch = source.weights.prefetcher();
        self.extractor.extract_of(group, source.input, source.sets, &mut self.features, prefetch);
        self.ends.push(self.features.len());
    }

    /// Appends to `sums` all that was asked for, in order.
    #[inline(always)]
    pub fn answer<V: Simd, W: Weights>(&mut self, simd: V, weights: &W, sums: &mut Vectors) {
        self.rows.resize(self.features.len(), Row::default());
        weights.find(&self.features, &mut self.rows);
        let mut start = 0;
        for &end in &self.ends {
            weights.add(&self.rows[start..end], self.vectors.push_zero());
            start = end;
        }
        let mut terms = &self.terms[..self.n_terms];
        for &n in &self.sums {
            let (of_sum, rest) = terms.split_at(n);
            sums.push_sum_at(simd, &self.vectors, of_sum);
            terms = rest;
        }
        self.ends.clear();
        self.features.clear();
        self.n_terms = 0;
        self.sums.clear();
    }
}

/// Room for so many more behind the first `used` of `terms`.
#[inline(always)]
fn room<'t>(terms: &'t mut Vec<u32>, used: &mut usize, n: usize) -> &'t mut [u32] {
    let start = *used;
    *used += n;
    if terms.len() < *used {
        grow(terms, *used);
    }
    &mut terms[start..*used]
}

#[cold]
fn grow(terms: &mut Vec<u32>, len: usize) {
    terms.resize(len.next_power_of_two(), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places go on from sentence to sentence: what was known of the last one is forgotten, also when places begin again.
    #[test]
    fn sentences_forget_what_was_known_before() {
        let mut look_up = LookUp::default();
        for next in [0, 1, 7000, u32::MAX / 2, u32::MAX / 2 + 1] {
            look_up.next = next;
            look_up.direct = vec![next.saturating_sub(1); 10];
            look_up.start(96, 4, 50);
            assert!(look_up.first == look_up.next && (1..=u32::MAX / 2).contains(&look_up.next));
            assert!(look_up.direct.iter().all(|&known| known < look_up.first), "{next}");
        }
    }
}
