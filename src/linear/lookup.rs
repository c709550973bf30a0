//! Vectors of groups of templates, looked up in the weights many at a time.

use super::{Row, Weights};
use crate::configuration::{LabelSets, State};
use crate::features::{Extractor, Group, GroupReads, Input, SidePart, Sides};
use crate::memo::Memo;
use crate::scorer::Vectors;

/// Memoised vectors of groups, and sums of them that are still to be made.
#[derive(Debug, Clone, Default)]
pub struct LookUp {
    /// Holds the slots that groups read.
    pub extractor: Extractor,
    memo: Memo,
    /// By group of those that read one value, and by this value plus one: the number of the vector, if there is one.
    direct: Vec<u32>,
    /// The values that there can be, and one more.
    n_values: usize,
    /// Vectors are numbered through the sentence; those before `first` are forgotten.
    vectors: Vectors,
    first: u32,
    n: u32,
    /// Of each sum to be made, how many vectors it has; and the vectors of all of them.
    sums: Vec<usize>,
    terms: Vec<u32>,
    /// Of each group that is new, the end of its features.
    ends: Vec<usize>,
    features: Vec<u64>,
    rows: Vec<Row>,
}

/// When there are so many vectors they are forgotten.
const MAX_VECTORS: u32 = 1 << 11;

/// What a look-up reads of the sentence.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s, W> {
    pub weights: &'s W,
    pub input: &'s Input,
    pub sets: &'s LabelSets,
}

impl LookUp {
    /// Forgets the last sentence; the next vectors have `lanes` lanes. Labels are below `n_labels`.
    pub fn start(&mut self, sides: &Sides, lanes: usize, n_words: usize, n_labels: usize) {
        self.n_values = n_words.max(n_labels) + 2;
        self.direct.clear();
        self.direct.resize(sides.n_groups() * self.n_values, 0);
        self.memo.clear();
        self.vectors.clear(lanes);
        (self.first, self.n) = (1, 0);
    }

    /// Forgets vectors, if there are many.
    pub fn make_room(&mut self, lanes: usize) {
        if self.n >= MAX_VECTORS {
            self.memo.clear();
            self.vectors.clear(lanes);
            self.first += self.n;
            self.n = 0;
        }
    }

    /// Asks for the sum of the vectors of a part's groups, the first of which has this number, in a state. `see` shows it
    /// to the extractor.
    #[inline]
    pub fn ask<W: Weights>(
        &mut self,
        part: &SidePart,
        first: usize,
        state: State,
        source: &Source<W>,
        see: impl FnOnce(&mut Extractor),
    ) {
        let mut see = Some(see);
        for (number, group) in part.groups.iter().enumerate() {
            let number = first + number;
            let next = self.first + self.n;
            let known = match group.reads {
                GroupReads::One(place) => {
                    let value = state.0[place as usize].wrapping_add(1) as usize;
                    let known = &mut self.direct[number * self.n_values + value];
                    let is_known = *known >= self.first;
                    if !is_known {
                        *known = next;
                    }
                    is_known.then_some(*known)
                }
                GroupReads::Some(mask) => self.memo.get_or_insert(state.masked(mask).key(number), next),
            };
            let vector = known.unwrap_or_else(|| {
                if let Some(see) = see.take() {
                    see(&mut self.extractor);
                }
                self.extract(&group.group, source)
            });
            self.terms.push(vector - self.first);
        }
        self.sums.push(part.groups.len());
    }

    /// Asks for the sum of the vectors of joint groups, the first of which has this number, for what the extractor has
    /// seen.
    pub fn ask_joint<W: Weights>(&mut self, groups: &[Group], first: usize, source: &Source<W>) {
        for (number, group) in groups.iter().enumerate() {
            let key = self.extractor.key_of(group, first + number);
            let known = self.memo.get_or_insert(key, self.first + self.n);
            let vector = known.unwrap_or_else(|| self.extract(group, source));
            self.terms.push(vector - self.first);
        }
        self.sums.push(groups.len());
    }

    /// Asks for a new vector.
    #[inline]
    fn extract<W: Weights>(&mut self, group: &Group, source: &Source<W>) -> u32 {
        let start = self.features.len();
        self.extractor.extract_of(group, source.input, source.sets, &mut self.features);
        source.weights.prefetch(&self.features[start..]);
        self.ends.push(self.features.len());
        self.n += 1;
        self.first + self.n - 1
    }

    /// Appends to `sums` all that was asked for, in order.
    #[inline(always)]
    pub fn answer<W: Weights>(&mut self, weights: &W, sums: &mut Vectors) {
        self.rows.resize(self.features.len(), Row::default());
        weights.find(&self.features, &mut self.rows);
        let mut start = 0;
        for &end in &self.ends {
            weights.add(&self.rows[start..end], self.vectors.push_zero());
            start = end;
        }
        let mut terms = &self.terms[..];
        for &n in &self.sums {
            let (of_sum, rest) = terms.split_at(n);
            sums.push_sum(&self.vectors, of_sum);
            terms = rest;
        }
        self.ends.clear();
        self.features.clear();
        self.terms.clear();
        self.sums.clear();
    }
}
