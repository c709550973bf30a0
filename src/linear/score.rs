//! Scores of all actions in a configuration, memoised per sentence.
//!
//! Most configurations of a beam share their stack tops and buffer fronts, and those that do not mostly differ on one side
//! of one word. So scores are memoised on three levels, each keyed by the slots that it reads: the vector of each
//! [group](crate::features::Group) of templates, looked up in the weights; that of each [part](crate::features::Part), a sum
//! of groups; and, if there are many parts, that of the whole configuration, a sum of parts. Sums are of integers: memoised
//! scores equal the plain ones to the bit ([`LinearMemory::score_plainly`]).

use std::ops::Range;

use fearless_simd::Simd;

use super::sides::{SideMemory, SideScorer};
use super::{OutputLayer, Row, Weights};
use crate::configuration::{Cells, InternedConfiguration, SlotMask, Tables, View};
use crate::features::{Compiled, Extractor, Sides};
use crate::memo::Memo;
use crate::scorer::{Context, MAX_TERMS, Query, Scorer, Scores, SideScores, Vectors};
use crate::system::Permitted;
use crate::vector::vectorised;

/// Scores by the weights of sparse features.
#[derive(Debug)]
pub struct LinearScorer<'w, W> {
    features: &'w Compiled,
    weights: &'w W,
    /// Output layer between sums of weights and scores, if there is one.
    output: Option<&'w OutputLayer>,
    /// The lanes of sums.
    width: usize,
}

impl<W> Clone for LinearScorer<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for LinearScorer<'_, W> {}

/// The scratch memory of scoring: vectors of one sentence and where to find them.
#[derive(Debug, Clone, Default)]
pub struct LinearMemory {
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
    /// The numbers of the vectors that the rows of the step are the sums of.
    step: Vec<u32>,
    /// The sums of one configuration by itself, and what they are the sum of.
    sum: Vectors,
    terms: Vec<u32>,
    /// Scores of actions, where they are not the sums themselves.
    read: Vec<i32>,
    read_vectors: Vectors,
    /// All features of a configuration, for those who ask for them.
    all_features: Vec<u64>,
    width: usize,
    /// Edition of the label sets whose hashes the extractor knows.
    label_sets: u64,
    /// Memoised scores of the states of sides.
    sides: SideMemory,
}

/// Memoised vectors of one level.
#[derive(Debug, Clone, Default)]
struct Level {
    memo: Memo,
    vectors: Vectors,
    /// Number of vectors, those included that are still to be made, in this order.
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

impl<'w, W: Weights> LinearScorer<'w, W> {
    /// Sums of `width` lanes that are scores themselves.
    pub fn new(features: &'w Compiled, weights: &'w W, width: usize) -> LinearScorer<'w, W> {
        LinearScorer { features, weights, output: None, width }
    }

    /// Sums of which `output` makes scores.
    pub fn with_output(features: &'w Compiled, weights: &'w W, output: &'w OutputLayer) -> LinearScorer<'w, W> {
        let width = output.n_sums();
        LinearScorer { features, weights, output: Some(output).filter(|output| !output.is_direct()), width }
    }

    /// True if the sum of all parts is computed each time it is looked through, and not memoised: with so few parts
    /// that takes less than a look-up.
    #[inline(always)]
    fn few_parts(&self) -> bool {
        self.features.parts().len() <= MAX_TERMS
    }

    /// Number of vectors that [`LinearScorer::prepare`] gives for a configuration.
    #[inline(always)]
    fn n_terms(&self) -> usize {
        if self.few_parts() { self.features.parts().len() } else { 1 }
    }

    /// Appends to `terms` the numbers of the vectors whose sum, after [`LinearScorer::finish`], is the scores of all actions,
    /// permitted or not. Cells must carry the keys of [`Compiled::masks`].
    ///
    /// Preparing the configurations of a whole beam before they are finished lets the misses of all their look-ups overlap.
    #[inline]
    fn prepare<'a, V: View<'a>>(
        &self,
        memory: &mut LinearMemory,
        context: Context,
        Query { view, point, .. }: &Query<V>,
        terms: &mut Vec<u32>,
    ) {
        let features = self.features;
        let cell = |role| view.cell(*point, role);
        let few = self.few_parts();
        if !few {
            let key = memory.extractor.key(features, cell);
            if let Some(vector) = memory.wholes.get_or_insert(key) {
                terms.push(vector);
                return;
            }
        }
        let mut seen = false;
        for (number, part) in features.parts().iter().enumerate() {
            let key = memory.extractor.part_key(features, number, cell);
            let vector = match memory.parts.get_or_insert(key) {
                Some(vector) => vector,
                None => {
                    if !seen {
                        memory.extractor.see(features, &view.cells(*point));
                        seen = true;
                    }
                    self.prepare_part(memory, context, part.groups.clone())
                }
            };
            if few { terms.push(vector) } else { memory.part_vectors.push(vector) }
        }
        if !few {
            terms.push(memory.wholes.add());
        }
    }

    /// The number of a new part's vector, which is still to be made of its groups.
    #[inline(never)]
    fn prepare_part(&self, memory: &mut LinearMemory, context: Context, groups: Range<usize>) -> u32 {
        memory.new_parts.push(groups.len());
        groups.for_each(|group| self.prepare_group(memory, context, group));
        memory.parts.add()
    }

    /// Finds the vector of a group, or makes one that is still to be looked up.
    #[inline]
    fn prepare_group(&self, memory: &mut LinearMemory, context: Context, group: usize) {
        let key = memory.extractor.group_key(self.features, group);
        let vector = memory.groups.get_or_insert(key).unwrap_or_else(|| {
            let start = memory.features.len();
            memory.extractor.extract(self.features, group, context.input, context.label_sets, &mut memory.features);
            self.weights.prefetch(&memory.features[start..]);
            memory.new_groups.push(memory.features.len());
            memory.groups.add()
        });
        memory.group_vectors.push(vector);
    }

    /// The same scorer for configurations of interned states.
    #[inline]
    fn by_sides(&self) -> Option<SideScorer<'w, W>> {
        let LinearScorer { features, weights, output, width } = *self;
        Some(SideScorer { sides: features.sides()?, weights, output, width })
    }

    /// [`LinearScorer::finish`] with the best instructions: compiled once for all systems.
    #[inline(never)]
    fn finish_all(&self, memory: &mut LinearMemory) {
        vectorised!(simd => self.finish(simd, memory));
    }

    /// The sum of one configuration that was prepared, whose vectors are `memory.terms`, after it is finished.
    #[inline(never)]
    fn finish_one(&self, memory: &mut LinearMemory) {
        vectorised!(simd => {
            self.finish(simd, memory);
            let level = if self.few_parts() { &memory.parts } else { &memory.wholes };
            memory.sum.clear(self.width);
            memory.sum.push_sum(simd, &level.vectors, &memory.terms);
        });
    }

    /// The sum of the configuration that the extractor sees. What is read of one place alone often comes again and is memoised by
    /// groups; what is read of several hardly does in a single derivation, and is looked up each time.
    #[inline(never)]
    fn sum_once(&self, memory: &mut LinearMemory, context: Context) {
        for (number, group) in self.features.groups().iter().enumerate() {
            if !group.is_joint() {
                self.prepare_group(memory, context, number);
            }
        }
        let start = memory.features.len();
        for group in self.features.groups().iter().filter(|group| group.is_joint()) {
            memory.extractor.extract_of(group, context.input, context.label_sets, &mut memory.features);
        }
        self.weights.prefetch(&memory.features[start..]);
        vectorised!(simd => {
            self.look_up(memory);
            memory.sum.clear(self.width);
            memory.sum.push_sum(simd, &memory.groups.vectors, &memory.group_vectors);
            self.weights.add(&memory.rows[start..], memory.sum.last_mut());
        });
        memory.group_vectors.clear();
    }

    /// Fills the vectors of all configurations that were prepared.
    #[inline(always)]
    fn finish<S: Simd>(&self, simd: S, memory: &mut LinearMemory) {
        self.look_up(memory);
        let mut groups = &memory.group_vectors[..];
        for &n_groups in &memory.new_parts {
            let (of_part, rest) = groups.split_at(n_groups);
            memory.parts.vectors.push_sum(simd, &memory.groups.vectors, of_part);
            groups = rest;
        }
        for of_whole in memory.part_vectors.chunks_exact(self.features.parts().len()) {
            memory.wholes.vectors.push_sum(simd, &memory.parts.vectors, of_whole);
        }
        memory.new_parts.clear();
        memory.group_vectors.clear();
        memory.part_vectors.clear();
    }

    /// Looks up the features of all new groups.
    #[inline(always)]
    fn look_up(&self, memory: &mut LinearMemory) {
        memory.rows.resize(memory.features.len(), Row::default());
        self.weights.find(&memory.features, &mut memory.rows);
        let mut start = 0;
        for &end in &memory.new_groups {
            self.weights.add(&memory.rows[start..end], memory.groups.vectors.push_zero());
            start = end;
        }
        memory.new_groups.clear();
        memory.features.clear();
    }

    /// The vectors that rows are sums of.
    #[inline(always)]
    fn vectors<'s>(&self, memory: &'s LinearMemory) -> &'s Vectors {
        if self.few_parts() { &memory.parts.vectors } else { &memory.wholes.vectors }
    }

    /// The scores that the output layer, if there is one, makes of the sums in `memory.sum`.
    #[inline]
    fn output<'s>(&self, memory: &'s mut LinearMemory, context: Context, permitted: Permitted) -> &'s [i32] {
        let sums = memory.sum.get(0);
        let Some(output) = self.output else { return sums };
        output.scores(sums, self.weights.scale(), context.actions.mask(permitted), &mut memory.read);
        &memory.read
    }
}

impl<W: Weights> Scorer for LinearScorer<'_, W> {
    type Memory = LinearMemory;

    fn masks(&self) -> &[SlotMask] {
        self.features.masks()
    }

    #[inline]
    fn reads_history(&self) -> bool {
        self.features.reads_history()
    }

    fn begin(&self, memory: &mut LinearMemory, context: Context) {
        memory.begin(context, self.width);
    }

    fn forget(&self, memory: &mut LinearMemory) {
        memory.forget();
    }

    fn score<'a, V: View<'a>>(&self, memory: &mut LinearMemory, context: Context, queries: &[Query<V>]) {
        memory.make_room();
        let mut step = std::mem::take(&mut memory.step);
        step.clear();
        for query in queries {
            self.prepare(memory, context, query, &mut step);
        }
        self.finish_all(memory);
        memory.step = step;
    }

    #[inline(always)]
    fn row<'s>(
        &self,
        memory: &'s mut LinearMemory,
        context: Context,
        number: usize,
        permitted: Permitted,
    ) -> Scores<'s> {
        let n_terms = self.n_terms();
        let terms = number * n_terms..(number + 1) * n_terms;
        if self.output.is_none() {
            return Scores::new(self.vectors(memory), &memory.step[terms]);
        }
        let level = if self.few_parts() { &memory.parts } else { &memory.wholes };
        memory.sum.clear(self.width);
        vectorised!(simd => memory.sum.push_sum(simd, &level.vectors, &memory.step[terms]));
        self.output(memory, context, permitted);
        memory.read_vectors.clear(memory.read.len());
        memory.read_vectors.push_zero().copy_from_slice(&memory.read);
        Scores::new(&memory.read_vectors, &[0])
    }

    #[inline]
    fn score_one<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut LinearMemory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        memory.make_room();
        let mut terms = std::mem::take(&mut memory.terms);
        terms.clear();
        self.prepare(memory, context, &query, &mut terms);
        memory.terms = terms;
        self.finish_one(memory);
        self.output(memory, context, query.permitted)
    }

    #[inline]
    fn score_once<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut LinearMemory,
        context: Context,
        Query { view, point, permitted }: Query<V>,
    ) -> &'s [i32] {
        memory.groups.make_room(self.width);
        memory.extractor.see(self.features, &view.cells(point));
        self.sum_once(memory, context);
        self.output(memory, context, permitted)
    }

    fn sides(&self) -> Option<&Sides> {
        self.features.sides()
    }

    fn begin_sides(&self, memory: &mut LinearMemory, context: Context) {
        if let Some(scorer) = self.by_sides() {
            scorer.begin(&mut memory.sides, context);
        }
    }

    fn score_sides<'s>(
        &self,
        memory: &'s mut LinearMemory,
        context: Context,
        tables: &Tables,
        queries: &[Query<&InternedConfiguration>],
    ) -> Option<&'s SideScores> {
        Some(self.by_sides()?.score(&mut memory.sides, context, tables, queries))
    }
}

impl LinearMemory {
    /// Forgets the last sentence, and prepares for vectors of `width` lanes.
    pub fn begin(&mut self, context: Context, width: usize) {
        let edition = context.label_sets.edition();
        if self.label_sets != edition {
            self.extractor.clear();
            self.label_sets = edition;
        }
        self.width = width;
        self.forget();
    }

    fn forget(&mut self) {
        for level in [&mut self.wholes, &mut self.parts, &mut self.groups] {
            level.clear(self.width);
        }
    }

    /// Makes room for new scores where much is memoised; the numbers of vectors are void.
    fn make_room(&mut self) {
        for level in [&mut self.wholes, &mut self.parts, &mut self.groups] {
            level.make_room(self.width);
        }
    }

    /// The features that `cells` have, in no particular order.
    pub fn features(&mut self, features: &Compiled, context: Context, cells: &Cells) -> &[u64] {
        self.all_features.clear();
        self.extractor.extract_all(features, context.input, context.label_sets, cells, &mut self.all_features);
        &self.all_features
    }

    /// The sums of the rows of all features that `cells` have, without any memory, and these features: the reference for
    /// what is memoised.
    pub fn score_plainly<W: Weights>(
        &mut self,
        scorer: &LinearScorer<W>,
        context: Context,
        cells: &Cells,
    ) -> (&[i32], &[u64]) {
        self.features(scorer.features, context, cells);
        self.sum.clear(scorer.width);
        scorer.weights.add_features(&self.all_features, self.sum.push_zero());
        (self.sum.get(0), &self.all_features)
    }
}
