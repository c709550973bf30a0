//! Scores of all actions in a configuration, memoised per sentence.
//!
//! Most configurations of a beam share their stack tops and buffer fronts. Each group of templates contributes a vector that
//! depends only on the slots it reads, so it is computed once per sentence and key; the sum over the groups is memoised
//! as well. Sums are of integers: memoised scores equal the plain ones to the bit ([`Scorer::score_plainly`]).

use super::memo::Memo;
use crate::configuration::{Cells, LabelSets};
use crate::features::{Compiled, Extractor, Input};
use crate::model::Weights;
use crate::system::{Actions, Permitted};

/// The scratch memory of scoring: vectors of one sentence and where to find them.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    extractor: Extractor,
    /// By group: key to vector.
    groups: Vec<Memo>,
    /// All groups' keys together to the vector of sums.
    sums: Memo,
    vectors: Vec<i32>,
    /// Scores of actions, where they are not the sums themselves.
    read: Vec<i32>,
    features: Vec<u64>,
    width: usize,
}

impl Scorer {
    /// Forgets the last sentence, and prepares for `features` and vectors of `width` lanes.
    pub fn start(&mut self, features: &Compiled, width: usize, label_sets_cleared: bool) {
        if label_sets_cleared {
            self.extractor.clear();
        }
        self.groups.resize_with(features.groups().len(), Memo::default);
        self.groups.iter_mut().for_each(Memo::clear);
        self.sums.clear();
        self.vectors.clear();
        self.width = width;
    }

    /// The scores of all actions in the configuration whose cells are `cells` and where `permitted` holds.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    pub fn score_actions<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
        actions: &Actions,
        permitted: Permitted,
    ) -> &[i32] {
        let number = self.sum(features, weights, input, sets, cells);
        let sums = &self.vectors[number as usize * self.width..][..self.width];
        weights.scores(sums, actions, permitted, &mut self.read)
    }

    /// The sums of all rows of the configuration whose cells are `cells`.
    #[inline]
    pub fn score<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> &[i32] {
        let number = self.sum(features, weights, input, sets, cells);
        self.vector(number)
    }

    /// The number of the vector of sums.
    #[inline]
    fn sum<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> u32 {
        const MAX_GROUPS: usize = 32;
        let n_groups = features.groups().len();
        let mut keys = [0u64; MAX_GROUPS];
        let mut all = 0u64;
        for (group, key) in keys[..n_groups].iter_mut().enumerate() {
            *key = self.extractor.key(features, group, cells);
            all = (all.rotate_left(23) ^ *key).wrapping_mul(0x9fb2_1c65_1e98_df25);
        }
        let all = all ^ all >> 32;
        let next = (self.vectors.len() / self.width) as u32;
        if let Some(vector) = self.sums.get_or_insert(all, next) {
            return vector;
        }
        // The sum's own vector first, then those of the groups that are new.
        let sum = next as usize * self.width;
        self.vectors.resize(sum + self.width, 0);
        for (group, &key) in keys[..n_groups].iter().enumerate() {
            let next = (self.vectors.len() / self.width) as u32;
            let vector = match self.groups[group].get_or_insert(key, next) {
                Some(vector) => vector,
                None => {
                    self.features.clear();
                    self.extractor.extract(features, group, input, sets, cells, &mut self.features);
                    let start = self.vectors.len();
                    self.vectors.resize(start + self.width, 0);
                    weights.add(&self.features, &mut self.vectors[start..]);
                    next
                }
            };
            // A group's vector stands either before or after the sum's, never in it.
            let at = vector as usize * self.width;
            let (sum, of_group) = if at > sum {
                let (head, tail) = self.vectors.split_at_mut(at);
                (&mut head[sum..sum + self.width], &tail[..self.width])
            } else {
                let (head, tail) = self.vectors.split_at_mut(sum);
                (&mut tail[..self.width], &head[at..at + self.width])
            };
            for (sum, score) in sum.iter_mut().zip(of_group) {
                *sum += score;
            }
        }
        next
    }

    /// The scores without any memory: the reference for [`Scorer::score`], and what learning uses when weights change
    /// with every decision.
    pub fn score_plainly<W: Weights>(
        &mut self,
        features: &Compiled,
        weights: &W,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
    ) -> (&[i32], &[u64]) {
        self.features(features, input, sets, cells);
        self.vectors.clear();
        self.vectors.resize(self.width, 0);
        weights.add(&self.features, &mut self.vectors);
        (&self.vectors, &self.features)
    }

    /// The features that `cells` have, in no particular order.
    pub fn features(&mut self, features: &Compiled, input: &Input, sets: &LabelSets, cells: &Cells) -> &[u64] {
        self.features.clear();
        self.extractor.extract_all(features, input, sets, cells, &mut self.features);
        &self.features
    }

    #[inline]
    fn vector(&self, number: u32) -> &[i32] {
        &self.vectors[number as usize * self.width..][..self.width]
    }
}
