//! Scores of all actions in a configuration, memoised per sentence.
//!
//! Most configurations of a beam share their stack tops and buffer fronts, and those that do not mostly differ on one side
//! of one word. So scores are memoised on three levels, each keyed by the slots that it reads: the vector of each
//! [group](crate::features::Group) of templates, looked up in the weights; that of each [part](crate::features::Part), a sum
//! of groups; and, if there are many parts, that of the whole configuration, a sum of parts. Sums are of integers: memoised
//! scores equal the plain ones to the bit ([`Scorer::score_plainly`]).

use super::memo::Memo;
use super::vectors::{MAX_TERMS, Vectors};
use crate::configuration::{Cells, LabelSets, Point, View};
use crate::features::{Compiled, Extractor, Input};
use crate::model::{Row, Weights};
use crate::system::{ActionId, Actions, Permitted};
use crate::vector::vectorised;

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
    /// The scores of one configuration by itself, and what they are the sum of.
    sum: Vectors,
    terms: Vec<u32>,
    /// Scores of actions, where they are not the sums themselves.
    read: Vec<i32>,
    read_vectors: Vectors,
    /// All features of a configuration, for those who ask for them.
    all_features: Vec<u64>,
    width: usize,
}

/// The scores of all actions in one configuration, as a sum that is still to be made.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'s> {
    pub(super) vectors: &'s Vectors,
    pub(super) terms: &'s [u32],
}

impl<'s> Scores<'s> {
    /// The sum of those of `vectors` that have these numbers.
    pub fn new(vectors: &'s Vectors, terms: &'s [u32]) -> Scores<'s> {
        Scores { vectors, terms }
    }

    /// The score of one action.
    #[inline]
    pub fn of(&self, action: ActionId) -> i32 {
        self.terms.iter().map(|&term| self.vectors.get(term)[action as usize]).sum()
    }
}

/// Whether the sum of all parts is made anew each time it is looked through, and not memoised: with so few parts that
/// takes less than to find what is memoised.
#[inline]
fn few_parts(features: &Compiled) -> bool {
    features.parts().len() <= MAX_TERMS
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

    /// Appends to `terms` the [`Scorer::n_terms`] numbers of the vectors whose sum, after [`Scorer::finish`], is the scores
    /// of all actions, permitted or not, at `point` of `view`. Cells must carry the keys of [`Compiled::masks`].
    ///
    /// Preparing the configurations of a whole beam before they are finished lets the misses of all their look-ups overlap.
    #[inline]
    pub fn prepare<'a, W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        (view, point): (&impl View<'a>, Point),
        terms: &mut Vec<u32>,
    ) {
        let cell = |role| view.cell(point, role);
        let few = few_parts(features);
        if !few {
            let key = self.extractor.key(features, cell);
            if let Some(vector) = self.wholes.get_or_insert(key) {
                terms.push(vector);
                return;
            }
        }
        let mut seen = false;
        for (number, part) in features.parts().iter().enumerate() {
            let key = self.extractor.part_key(features, number, cell);
            let vector = match self.parts.get_or_insert(key) {
                Some(vector) => vector,
                None => {
                    if !seen {
                        self.extractor.see(features, &view.cells(point));
                        seen = true;
                    }
                    for group in part.groups.clone() {
                        self.prepare_group(features, weights, group, input, sets);
                    }
                    self.new_parts.push(part.groups.len());
                    self.parts.add()
                }
            };
            if few { terms.push(vector) } else { self.part_vectors.push(vector) }
        }
        if !few {
            terms.push(self.wholes.add());
        }
    }

    /// How many vectors [`Scorer::prepare`] gives for a configuration.
    pub fn n_terms(features: &Compiled) -> usize {
        if few_parts(features) { features.parts().len() } else { 1 }
    }

    /// The scores of all actions where `permitted` holds, of a configuration for which [`Scorer::prepare`] gave these terms.
    #[inline]
    pub fn scores<'s, W: Weights>(
        &'s mut self,
        features: &Compiled,
        weights: &W,
        terms: &'s [u32],
        actions: &Actions,
        permitted: Permitted,
    ) -> Scores<'s> {
        let level = if few_parts(features) { &self.parts } else { &self.wholes };
        if weights.sums_are_scores() {
            return Scores::new(&level.vectors, terms);
        }
        self.sum.clear(self.width);
        self.sum.push_sum(&level.vectors, terms);
        let scores = weights.scores(self.sum.get(0), actions, permitted, &mut self.read);
        self.read_vectors.clear(scores.len());
        self.read_vectors.push_zero().copy_from_slice(scores);
        Scores::new(&self.read_vectors, &[0])
    }

    /// The scores of all actions where `permitted` holds, from the sums of the configuration that was scored last.
    #[inline]
    pub fn read<W: Weights>(&mut self, weights: &W, actions: &Actions, permitted: Permitted) -> &[i32] {
        weights.scores(self.sum.get(0), actions, permitted, &mut self.read)
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
    ) {
        let key = self.extractor.group_key(features, group);
        let vector = self.groups.get_or_insert(key).unwrap_or_else(|| {
            let start = self.features.len();
            self.extractor.extract(features, group, input, sets, &mut self.features);
            weights.prefetch(&self.features[start..]);
            self.new_groups.push(self.features.len());
            self.groups.add()
        });
        self.group_vectors.push(vector);
    }

    /// Fills the vectors of all configurations that were prepared.
    #[inline]
    pub fn finish<W: Weights>(&mut self, features: &Compiled, weights: &W) {
        vectorised!(_simd => self.finish_vectors(features, weights));
    }

    #[inline(always)]
    fn finish_vectors<W: Weights>(&mut self, features: &Compiled, weights: &W) {
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
    #[inline(always)]
    fn look_up<W: Weights>(&mut self, weights: &W) {
        self.rows.resize(self.features.len(), Row::default());
        weights.find(&self.features, &mut self.rows);
        let mut start = 0;
        for &end in &self.new_groups {
            weights.add(&self.rows[start..end], self.groups.vectors.push_zero());
            start = end;
        }
        self.new_groups.clear();
        self.features.clear();
    }

    /// The sums at `point` of `view`: [`Scorer::prepare`] and [`Scorer::finish`] for one alone. [`Scorer::read`] makes
    /// scores of them.
    #[inline]
    pub fn score<'a, W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        view: (&impl View<'a>, Point),
    ) -> &[i32] {
        self.make_room();
        let mut terms = std::mem::take(&mut self.terms);
        terms.clear();
        self.prepare(features, weights, input, sets, view, &mut terms);
        self.terms = terms;
        vectorised!(_simd => {
            self.finish_vectors(features, weights);
            let level = if few_parts(features) { &self.parts } else { &self.wholes };
            self.sum.clear(self.width);
            self.sum.push_sum(&level.vectors, &self.terms);
        });
        self.sum.get(0)
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
        self.extractor.see(features, cells);
        for group in 0..features.groups().len() {
            self.prepare_group(features, weights, group, input, sets);
        }
        vectorised!(_simd => {
            self.look_up(weights);
            self.sum.clear(self.width);
            self.sum.push_sum(&self.groups.vectors, &self.group_vectors);
        });
        self.group_vectors.clear();
        self.sum.get(0)
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
        self.sum.clear(self.width);
        weights.add_features(&self.all_features, self.sum.push_zero());
        (self.sum.get(0), &self.all_features)
    }

    /// The features that `cells` have, in no particular order.
    pub fn features(&mut self, features: &Compiled, input: &Input, sets: &LabelSets, cells: &Cells) -> &[u64] {
        self.all_features.clear();
        self.extractor.extract_all(features, input, sets, cells, &mut self.all_features);
        &self.all_features
    }
}
