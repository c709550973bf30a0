//! Scores of all actions in a configuration, memoised per sentence.
//!
//! Most configurations of a beam share their stack tops and buffer fronts, and those that do not mostly differ on one side
//! of one word. So scores are memoised on three levels, each keyed by the slots that it reads: the vector of each
//! [group](crate::features::Group) of templates, looked up in the weights; that of each [part](crate::features::Part), a sum
//! of groups; and that of the whole configuration, a sum of parts. Sums are of integers: memoised scores equal the plain
//! ones to the bit ([`Scorer::score_plainly`]).

use super::memo::Memo;
use super::vectors::Vectors;
use crate::configuration::{Cells, LabelSets};
use crate::features::{Compiled, Extractor, Input};
use crate::model::{Row, Weights};

/// The scratch memory of scoring: vectors of one sentence and where to find them.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    extractor: Extractor,
    wholes: Level,
    parts: Level,
    groups: Level,
    /// The numbers of the vectors that the configuration at hand adds up: of its parts, and of the groups of those parts
    /// that are new.
    part_vectors: Vec<u32>,
    group_vectors: Vec<u32>,
    /// Groups that are new: the number of the vector, and the end of its features.
    new: Vec<(u32, usize)>,
    /// The features of new groups.
    features: Vec<u64>,
    rows: Vec<Row>,
    /// All features of a configuration, for those who ask for them.
    all_features: Vec<u64>,
    width: usize,
}

/// Memoised vectors of one level.
#[derive(Debug, Clone, Default)]
struct Level {
    memo: Memo,
    vectors: Vectors,
}

/// When a level has so many vectors it forgets them. Long sentences do not come back to what they saw so long ago, and
/// so their memory stays in the cache.
const MAX_VECTORS: usize = 1 << 11;

impl Level {
    fn clear(&mut self, width: usize) {
        self.memo.clear();
        self.vectors.clear(width);
    }

    fn make_room(&mut self, width: usize) {
        if self.vectors.len() >= MAX_VECTORS {
            self.clear(width);
        }
    }

    /// The vector of `key`; if there is none, the next one will be.
    #[inline]
    fn get_or_insert(&mut self, key: u64, next: u32) -> Option<u32> {
        self.memo.get_or_insert(key, next)
    }
}

impl Scorer {
    /// Forgets the last sentence, and prepares for `features` and vectors of `width` lanes.
    pub fn start(&mut self, features: &Compiled, width: usize, label_sets_cleared: bool) {
        if label_sets_cleared {
            self.extractor.clear();
        }
        self.width = width;
        self.forget();
        self.part_vectors.clear();
        self.part_vectors.reserve(features.parts().len());
    }

    /// Forgets all scores, as if the sentence had just begun: to be called when weights have changed.
    pub fn forget(&mut self) {
        for level in [&mut self.wholes, &mut self.parts, &mut self.groups] {
            level.clear(self.width);
        }
    }

    /// The scores of all actions in the configuration whose cells are `cells`, permitted or not. Cells must carry the keys
    /// of [`Compiled::masks`].
    #[inline]
    pub fn score<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> &[i32] {
        self.wholes.make_room(self.width);
        let key = self.extractor.key(features, cells);
        let next = self.wholes.vectors.len() as u32;
        if let Some(vector) = self.wholes.get_or_insert(key, next) {
            return self.wholes.vectors.get(vector);
        }
        self.score_parts(features, weights, input, sets, cells);
        self.wholes.vectors.push_sum(&self.parts.vectors, &self.part_vectors);
        self.wholes.vectors.get(next)
    }

    /// Finds or makes the vectors of all parts.
    fn score_parts<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) {
        self.parts.make_room(self.width);
        self.groups.make_room(self.width);
        self.part_vectors.clear();
        self.group_vectors.clear();
        let first_new = self.parts.vectors.len() as u32;
        let mut next = first_new;
        for (number, part) in features.parts().iter().enumerate() {
            let key = self.extractor.part_key(features, number, cells);
            let vector = self.parts.get_or_insert(key, next).unwrap_or_else(|| {
                for group in part.groups.clone() {
                    self.find_group(features, group, input, sets, cells);
                }
                next += 1;
                next - 1
            });
            self.part_vectors.push(vector);
        }
        if next == first_new {
            return;
        }
        self.look_up(weights);
        let mut groups = &self.group_vectors[..];
        for (part, _) in features.parts().iter().zip(&self.part_vectors).filter(|&(_, &vector)| vector >= first_new) {
            let (of_part, rest) = groups.split_at(part.groups.len());
            self.parts.vectors.push_sum(&self.groups.vectors, of_part);
            groups = rest;
        }
    }

    /// What [`Scorer::score`] gives, for derivations that never come back to a configuration: groups alone are memoised, and
    /// cells need no keys.
    #[inline]
    pub fn score_once<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> &[i32] {
        self.groups.make_room(self.width);
        self.group_vectors.clear();
        for group in 0..features.groups().len() {
            self.find_group(features, group, input, sets, cells);
        }
        self.look_up(weights);
        self.wholes.vectors.clear(self.width);
        self.wholes.vectors.push_sum(&self.groups.vectors, &self.group_vectors);
        self.wholes.vectors.get(0)
    }

    /// Finds the vector of a group, or makes one that is still to be looked up.
    #[inline]
    fn find_group(&mut self, features: &Compiled, group: usize, input: &Input, sets: &LabelSets, cells: &Cells) {
        let key = self.extractor.group_key(features, group, cells);
        let next = self.groups.vectors.len() as u32;
        let vector = self.groups.get_or_insert(key, next).unwrap_or_else(|| {
            self.groups.vectors.push_zero();
            self.extractor.extract(features, group, input, sets, cells, &mut self.features);
            self.new.push((next, self.features.len()));
            next
        });
        self.group_vectors.push(vector);
    }

    /// Looks up the features of all new groups, together: their misses overlap.
    #[inline]
    fn look_up<W: Weights>(&mut self, weights: &W) {
        self.rows.resize(self.features.len(), 0);
        weights.find(&self.features, &mut self.rows);
        let mut start = 0;
        for &(vector, end) in &self.new {
            weights.add(&self.rows[start..end], self.groups.vectors.get_mut(vector));
            start = end;
        }
        self.new.clear();
        self.features.clear();
    }

    /// The scores without any memory: the reference for [`Scorer::score`] and [`Scorer::score_once`].
    pub fn score_plainly<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> (&[i32], &[u64]) {
        self.features(features, input, sets, cells);
        self.wholes.vectors.clear(self.width);
        self.wholes.vectors.push_zero();
        weights.add_features(&self.all_features, self.wholes.vectors.get_mut(0));
        (self.wholes.vectors.get(0), &self.all_features)
    }

    /// The features that `cells` have, in no particular order.
    pub fn features(&mut self, features: &Compiled, input: &Input, sets: &LabelSets, cells: &Cells) -> &[u64] {
        self.all_features.clear();
        self.extractor.extract_all(features, input, sets, cells, &mut self.all_features);
        &self.all_features
    }
}
