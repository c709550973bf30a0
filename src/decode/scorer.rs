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
    /// Of each configuration that is prepared and new, the numbers of its parts' vectors.
    part_vectors: Vec<u32>,
    /// Of each part that is new, how many groups it has; and of all of them together, the numbers of the groups' vectors.
    new_parts: Vec<usize>,
    group_vectors: Vec<u32>,
    /// Of each group that is new, the end of its features.
    new_groups: Vec<usize>,
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
    /// How many vectors there are, those included that are still to be made, in this order.
    n: u32,
}

/// When a level has so many vectors it forgets them. Long sentences do not come back to what they saw so long ago, and
/// so their memory stays in the cache.
const MAX_VECTORS: u32 = 1 << 11;

impl Level {
    fn clear(&mut self, width: usize) {
        self.memo.clear();
        self.vectors.clear(width);
        self.n = 0;
    }

    fn make_room(&mut self, width: usize) {
        if self.n >= MAX_VECTORS {
            self.clear(width);
        }
    }

    /// The vector of `key`; if there is none, the next one will be.
    #[inline]
    fn get_or_insert(&mut self, key: u64) -> Option<u32> {
        self.memo.get_or_insert(key, self.n)
    }

    /// The number of the next vector, which is still to be made.
    #[inline]
    fn add(&mut self) -> u32 {
        self.n += 1;
        self.n - 1
    }
}

impl Scorer {
    /// Forgets the last sentence, and prepares for vectors of `width` lanes.
    pub fn start(&mut self, width: usize, label_sets_cleared: bool) {
        if label_sets_cleared {
            self.extractor.clear();
        }
        self.width = width;
        self.forget();
    }

    /// Forgets all scores, as if the sentence had just begun: to be called when weights have changed.
    pub fn forget(&mut self) {
        for level in [&mut self.wholes, &mut self.parts, &mut self.groups] {
            level.clear(self.width);
        }
    }

    /// Makes room for new scores where much is memoised; the numbers of vectors are void.
    pub fn make_room(&mut self) {
        for level in [&mut self.wholes, &mut self.parts, &mut self.groups] {
            level.make_room(self.width);
        }
    }

    /// The number of the vector that will hold the scores of all actions, permitted or not, in the configuration whose
    /// cells are `cells`, after [`Scorer::finish`]. Cells must carry the keys of [`Compiled::masks`].
    ///
    /// Preparing the configurations of a whole beam before they are finished lets the misses of all their look-ups overlap.
    #[inline]
    pub fn prepare<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> u32 {
        let key = self.extractor.key(features, cells);
        if let Some(vector) = self.wholes.get_or_insert(key) {
            return vector;
        }
        for (number, part) in features.parts().iter().enumerate() {
            let key = self.extractor.part_key(features, number, cells);
            let vector = self.parts.get_or_insert(key).unwrap_or_else(|| {
                for group in part.groups.clone() {
                    self.prepare_group(features, weights, group, input, sets, cells);
                }
                self.new_parts.push(part.groups.len());
                self.parts.add()
            });
            self.part_vectors.push(vector);
        }
        self.wholes.add()
    }

    /// Finds the vector of a group, or makes one that is still to be looked up.
    #[inline]
    fn prepare_group<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        group: usize,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) {
        let key = self.extractor.group_key(features, group, cells);
        let vector = self.groups.get_or_insert(key).unwrap_or_else(|| {
            let start = self.features.len();
            self.extractor.extract(features, group, input, sets, cells, &mut self.features);
            weights.prefetch(&self.features[start..]);
            self.new_groups.push(self.features.len());
            self.groups.add()
        });
        self.group_vectors.push(vector);
    }

    /// Fills the vectors of all configurations that were prepared.
    #[inline]
    pub fn finish<W: Weights>(&mut self, features: &Compiled, weights: &W) {
        self.look_up(weights);
        let mut groups = &self.group_vectors[..];
        for &n_groups in &self.new_parts {
            let (of_part, rest) = groups.split_at(n_groups);
            self.parts.vectors.push_sum(&self.groups.vectors, of_part);
            groups = rest;
        }
        for of_whole in self.part_vectors.chunks_exact(features.parts().len()) {
            self.wholes.vectors.push_sum(&self.parts.vectors, of_whole);
        }
        self.new_parts.clear();
        self.group_vectors.clear();
        self.part_vectors.clear();
    }

    /// Looks up the features of all new groups.
    #[inline]
    fn look_up<W: Weights>(&mut self, weights: &W) {
        self.rows.resize(self.features.len(), 0);
        weights.find(&self.features, &mut self.rows);
        let mut start = 0;
        for &end in &self.new_groups {
            weights.add(&self.rows[start..end], self.groups.vectors.push_zero());
            start = end;
        }
        self.new_groups.clear();
        self.features.clear();
    }

    /// The vector with this number.
    #[inline]
    pub fn vector(&self, number: u32) -> &[i32] {
        self.wholes.vectors.get(number)
    }

    /// The scores of all actions in the configuration whose cells are `cells`: [`Scorer::prepare`] and
    /// [`Scorer::finish`] for one alone.
    #[inline]
    pub fn score<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> &[i32] {
        self.make_room();
        let number = self.prepare(features, weights, input, sets, cells);
        self.finish(features, weights);
        self.vector(number)
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
        for group in 0..features.groups().len() {
            self.prepare_group(features, weights, group, input, sets, cells);
        }
        self.look_up(weights);
        self.wholes.vectors.clear(self.width);
        self.wholes.vectors.push_sum(&self.groups.vectors, &self.group_vectors);
        self.group_vectors.clear();
        self.vector(0)
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
        weights.add_features(&self.all_features, self.wholes.vectors.push_zero());
        (self.wholes.vectors.get(0), &self.all_features)
    }

    /// The features that `cells` have, in no particular order.
    pub fn features(&mut self, features: &Compiled, input: &Input, sets: &LabelSets, cells: &Cells) -> &[u64] {
        self.all_features.clear();
        self.extractor.extract_all(features, input, sets, cells, &mut self.all_features);
        &self.all_features
    }
}
