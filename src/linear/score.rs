//! Scores of all actions in a configuration; those of a beam's are memoised per sentence.
//!
//! The scores of a configuration are the sum of one vector for each side that features read, and of one for what they read
//! of several. A side's vector belongs to its state; the joint one is memoised by what its templates read. Configurations
//! of a step whose sides have the same numbers, and that permit the same moves, share one sum: at width 64, half of them are
//! different. Sums are of integers: memoised scores equal the plain ones to the bit ([`LinearMemory::score_plainly`]).

use fearless_simd::prelude::*;

use super::lookup::{LookUp, LookUpSource};
use super::{OutputLayer, Weights};
use crate::configuration::{NOTHING, Reads, State, StateId, States, View};
use crate::features::{Compiled, Extractor, Input, MAX_PARTS, SidePart, Sides, key, mix};
use crate::memo::Memo;
use crate::scorer::{Context, Opaque, Query, Scorer, StepScores, Vectors, lanes};
use crate::system::Actions;
use crate::vector::vectorised;

/// Scores by the weights of sparse features.
#[derive(Debug)]
pub struct LinearScorer<'w, W> {
    features: &'w Compiled,
    weights: &'w W,
    /// Output layer between sums of weights and scores, if there is one.
    output: Option<&'w OutputLayer>,
    /// Width of sums.
    width: usize,
}

impl<W> Clone for LinearScorer<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for LinearScorer<'_, W> {}

/// The scratch memory of scoring: memoised parts of a sentence, and the scores of a step.
#[derive(Debug, Clone, Default)]
pub struct LinearMemory {
    known: KnownStates,
    scores: StepScores,
    /// Features of a configuration that is scored by itself.
    features: Vec<u64>,
    /// Edition of the label sets whose hashes the extractor knows.
    label_sets: u64,
}

/// Memoised states of a sentence.
#[derive(Debug, Clone, Default)]
struct KnownStates {
    look_up: LookUp,
    /// Vectors of states and joint ones. Their places are counted through the sentence, in blocks; those before `first` are forgotten,
    /// `next` is the next one's.
    vectors: Vectors,
    first: u32,
    next: u32,
    joint: Memo,
    /// By part, and one more for the joint part.
    parts: Vec<OfPart>,
    /// By signature: the places of the vectors to add up, from `first` on.
    terms: Vec<u32>,
    n_terms: usize,
    sum: Vectors,
    read: Vec<i32>,
}

/// Memory of a part.
#[derive(Debug, Clone, Default)]
struct OfPart {
    /// By the number of a state.
    known: Vec<Known>,
    /// The number of the part's first group.
    first_group: usize,
}

/// Memoised state.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// Contribution of the state to the joint part's key; 0 if the state is not known.
    key: u64,
    /// The place of its vector; 0 if there was none yet.
    vector: u32,
}

/// Number of vectors at which all are forgotten. Long sentences do not come back to what they saw so long ago, and so
/// their memory stays in the cache.
const MAX_VECTORS: u32 = 1 << 11;

impl<'w, W: Weights> LinearScorer<'w, W> {
    /// Sums of this `width` that are scores themselves.
    pub fn new(features: &'w Compiled, weights: &'w W, width: usize) -> LinearScorer<'w, W> {
        LinearScorer { features, weights, output: None, width }
    }

    /// Sums of which `output` makes scores.
    pub fn with_output(features: &'w Compiled, weights: &'w W, output: &'w OutputLayer) -> LinearScorer<'w, W> {
        let width = output.n_sums();
        LinearScorer { features, weights, output: Some(output).filter(|output| !output.is_direct()), width }
    }

    #[inline]
    fn sides(&self) -> &'w Sides {
        self.features.sides()
    }

    /// Finds the vectors whose sum are the scores of the signature with this number, or asks for them.
    #[inline]
    fn prepare(
        &self,
        memory: &mut KnownStates,
        context: Context,
        states: &States,
        (signature, ids): (usize, &[StateId]),
        view: &View,
    ) {
        let mut at = signature * memory.n_terms;
        let mut joint = last_actions(self.features, view);
        for (number, &id) in ids.iter().enumerate() {
            let known = match memory.parts[number].known.get(id as usize) {
                Some(&known) if known.vector >= memory.first && known.key != 0 => known,
                _ => self.ask(memory, context, states, (number, id), view),
            };
            joint = (joint.rotate_left(29) ^ known.key).wrapping_mul(0x2d35_8dcc_aa6c_78a5);
            if known.vector != NO_VECTOR {
                memory.terms[at] = known.vector - memory.first;
                at += 1;
            }
        }
        if !self.sides().joint.is_empty() {
            let place = match memory.joint.get_or_insert(joint ^ joint >> 32, memory.next) {
                Some(place) => place,
                None => self.ask_joint(memory, context, states, ids, view),
            };
            memory.terms[at] = place - memory.first;
        }
    }

    /// Asks for the vector of a part in a state.
    #[inline(never)]
    fn ask(
        &self,
        memory: &mut KnownStates,
        Context { input, interner, .. }: Context,
        states: &States,
        (number, id): (usize, StateId),
        view: &View,
    ) -> Known {
        let (part, of_part) = (&self.sides().parts[number], &mut memory.parts[number]);
        let state = states.state(part.side, id);
        let mut known = Known { key: key_of(part, state, input) | 1, vector: NO_VECTOR };
        if !part.groups.is_empty() {
            known.vector = memory.next;
            memory.next += memory.vectors.width() as u32;
            let source = LookUpSource { weights: self.weights, input, sets: interner.label_sets() };
            let see = |extractor: &mut Extractor| extractor.see_part(part, state, view);
            memory.look_up.ask(part, of_part.first_group, state, &source, see);
        }
        if of_part.known.len() <= id as usize {
            of_part.known.resize((id as usize + 1).next_power_of_two(), Known::default());
        }
        of_part.known[id as usize] = known;
        known
    }

    /// Asks for a vector of the joint part; its place.
    #[inline(never)]
    fn ask_joint(
        &self,
        memory: &mut KnownStates,
        context: Context,
        states: &States,
        ids: &[StateId],
        view: &View,
    ) -> u32 {
        let Context { input, interner, .. } = context;
        let sides = self.sides();
        self.see_joint(&mut memory.look_up.extractor, states, ids, view);
        let first_group = memory.parts[sides.parts.len()].first_group;
        let source = LookUpSource { weights: self.weights, input, sets: interner.label_sets() };
        memory.look_up.ask_joint(&sides.joint, first_group, &source);
        let place = memory.next;
        memory.next += memory.vectors.width() as u32;
        place
    }

    /// Shows the extractor what the joint part reads.
    #[inline]
    fn see_joint(&self, extractor: &mut Extractor, states: &States, ids: &[StateId], view: &View) {
        for (part, &id) in self.sides().parts.iter().zip(ids) {
            if !part.key.is_empty() {
                extractor.see_part(part, states.state(part.side, id), view);
            }
        }
        extractor.see_others(self.features, states, view);
    }

    /// Computes the scores of all signatures where they are not the sums themselves.
    fn read(&self, memory: &mut KnownStates, context: Context, output: &OutputLayer, scores: &mut StepScores) {
        let KnownStates { vectors, terms, n_terms, sum, read, .. } = memory;
        scores.fill(context.actions, |number, permitted, row| {
            sum.clear(self.width);
            vectorised!(simd => sum.push_sum_at(simd, vectors, &terms[number * *n_terms..][..*n_terms]));
            output.scores(sum.get(0), self.weights.scale(), context.actions.mask(permitted), read);
            row.copy_from_slice(read);
        });
    }
}

impl KnownStates {
    /// Forgets the last sentence, and prepares for the one of `context`, with sums of this `width`.
    fn begin(&mut self, sides: &Sides, width: usize, Context { input, actions, .. }: Context) {
        // Slots hold nodes, which may be words with tags, or labels.
        let n_values = input.n_rows().max(actions.n_labels() + 2);
        self.look_up.start(width, sides.n_groups(), n_values);
        self.vectors.clear(width);
        (self.first, self.next) = (1, 1);
        self.joint.clear();
        let parts = &sides.parts;
        self.parts.resize_with(parts.len() + 1, OfPart::default);
        let mut first_group = 0;
        for (number, of_part) in self.parts.iter_mut().enumerate() {
            of_part.known.clear();
            of_part.first_group = first_group;
            first_group += parts.get(number).map_or(0, |part| part.groups.len());
        }
        let with_groups = parts.iter().filter(|part| !part.groups.is_empty()).count();
        self.n_terms = with_groups + usize::from(!sides.joint.is_empty());
    }

    /// Forgets all vectors.
    fn forget(&mut self, width: usize) {
        self.look_up.forget(width);
        self.forget_vectors(width);
    }

    fn forget_vectors(&mut self, width: usize) {
        self.vectors.clear(width);
        self.joint.clear();
        self.first = self.next;
    }

    /// Forgets vectors, if there are many.
    fn make_room(&mut self, width: usize) {
        self.look_up.make_room(width);
        if self.next - self.first >= MAX_VECTORS * self.vectors.width() as u32 {
            self.forget_vectors(width);
        }
    }

    /// Computes the scores of all signatures.
    #[inline(always)]
    fn sum<V: Simd>(&self, simd: V, actions: &Actions, scores: &mut StepScores) {
        match self.n_terms {
            2 => self.sum_all::<V, 2>(simd, actions, scores),
            3 => self.sum_all::<V, 3>(simd, actions, scores),
            4 => self.sum_all::<V, 4>(simd, actions, scores),
            5 => self.sum_all::<V, 5>(simd, actions, scores),
            6 => self.sum_all::<V, 6>(simd, actions, scores),
            7 => self.sum_all::<V, 7>(simd, actions, scores),
            n => {
                let (signatures, rows) = scores.rows(actions.width());
                for (number, signature) in signatures.iter_mut().enumerate() {
                    let terms = (self.vectors.blocks(), &self.terms[number * n..][..n]);
                    let row = rows.blocks_of_mut(number as u32);
                    signature.best = lanes::sum_of_any(simd, terms, actions.mask(signature.permitted), row);
                }
            }
        }
    }

    #[inline(always)]
    fn sum_all<V: Simd, const N: usize>(&self, simd: V, actions: &Actions, scores: &mut StepScores) {
        let (terms, _) = self.terms.as_chunks::<N>();
        let blocks = self.vectors.blocks();
        let (signatures, rows) = scores.rows(actions.width());
        for (number, (signature, terms)) in signatures.iter_mut().zip(terms).enumerate() {
            let row = rows.blocks_of_mut(number as u32);
            signature.best = lanes::sum(simd, (blocks, terms), actions.mask(signature.permitted), row);
        }
    }
}

/// Stands for the vector of a part without templates.
const NO_VECTOR: u32 = u32::MAX;

/// Contribution of a state to the joint part's key.
#[inline]
fn key_of(part: &SidePart, state: State, input: &Input) -> u64 {
    let value = |place: u8, column: Option<u8>| match (state.0[place as usize], column) {
        (node, Some(column)) => input.value(column as usize, node),
        (value, None) => u64::from(value),
    };
    let start = (part.role as u64) << 2 | part.side as u64;
    key(start, part.key.iter().map(|read| value(read.place, read.column)))
}

/// The numbers of the states of all parts.
#[inline(always)]
fn ids_of<'i>(sides: &Sides, view: &View, ids: &'i mut [StateId; MAX_PARTS]) -> &'i [StateId] {
    let mut n = 0;
    for of_role in &sides.roles {
        let cell = view.cell(of_role.role);
        for &side in &of_role.sides {
            ids[n] = cell.map_or(NOTHING, |cell| cell.id(side));
            n += 1;
        }
    }
    &ids[..n]
}

/// A fingerprint of the last actions, if they are read. They are spread over all bits: else they would share some with the
/// numbers of states.
#[inline(always)]
fn last_actions(features: &Compiled, view: &View) -> u64 {
    match view.history {
        Some(history) if features.reads().history => mix(history.as_number().wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1,
        _ => 0,
    }
}

/// A fingerprint of all that is read of a configuration.
#[inline(always)]
fn fingerprint(features: &Compiled, view: &View) -> u64 {
    let words = &features.sides().words;
    key(
        last_actions(features, view),
        words.iter().map(|&(role, word, mask)| view.cell(role).map_or(0, |cell| cell.words()[word] & mask)),
    )
}

impl<W: Weights> Scorer for LinearScorer<'_, W> {
    fn reads(&self) -> &Reads {
        self.features.reads()
    }

    fn begin(&self, memory: &mut Opaque, context: Context) {
        let memory: &mut LinearMemory = memory.get();
        memory.begin(context);
        memory.known.begin(self.sides(), self.width, context);
    }

    fn forget(&self, memory: &mut Opaque) {
        memory.get::<LinearMemory>().known.forget(self.width);
    }

    fn score<'s>(&self, memory: &'s mut Opaque, context: Context, queries: &[Query]) -> &'s mut StepScores {
        let LinearMemory { known, scores, .. } = memory.get();
        known.make_room(self.width);
        known.terms.resize(queries.len() * known.n_terms, 0);
        scores.clear();
        let states = context.interner.states();
        for Query { view, permitted } in queries {
            if let Some(number) = scores.ask(fingerprint(self.features, view), *permitted) {
                let mut ids = [NOTHING; MAX_PARTS];
                let ids = ids_of(self.sides(), view, &mut ids);
                self.prepare(known, context, &states, (number, ids), view);
            }
        }
        vectorised!(simd => {
            known.look_up.answer(simd, self.weights, &mut known.vectors);
            if self.output.is_none() {
                known.sum(simd, context.actions, scores);
            }
        });
        if let Some(output) = self.output {
            self.read(known, context, output, scores);
        }
        scores
    }

    /// Nothing is memoised. PERF: of the 72 features of `zn11` a single derivation would look up 43 anew; all at once, their dense rows
    /// added in registers, cost less.
    fn score_one<'s>(&self, memory: &'s mut Opaque, context: Context, query: &Query) -> &'s [i32] {
        let memory: &mut LinearMemory = memory.get();
        memory.sum_plainly(self, context, &query.view);
        let KnownStates { sum, read, .. } = &mut memory.known;
        let Some(output) = self.output else { return sum.get(0) };
        output.scores(sum.get(0), self.weights.scale(), context.actions.mask(query.permitted), read);
        read
    }
}

impl LinearMemory {
    /// Prepares for the features of a sentence.
    pub fn begin(&mut self, context: Context) {
        let edition = context.interner.label_sets().edition();
        if self.label_sets != edition {
            self.known.look_up.extractor.clear();
            self.label_sets = edition;
        }
    }

    /// The features of a configuration, in the [order](Compiled::order) of learners.
    pub fn features(&mut self, features: &Compiled, context: Context, view: &View) -> &[u64] {
        self.extract(features, context, view, |_| ());
        &self.features
    }

    /// Replaces `features` by those of a configuration; `prefetch` is called with each.
    fn extract(&mut self, features: &Compiled, context: Context, view: &View, prefetch: impl FnMut(u64)) {
        self.features.clear();
        let extractor = &mut self.known.look_up.extractor;
        extractor.extract_all(features, context.input, context.interner, view, &mut self.features, prefetch);
    }

    /// The sums of the rows of all features of a configuration, without any memory, and these features: the reference for
    /// what is memoised.
    pub fn score_plainly<W: Weights>(
        &mut self,
        scorer: &LinearScorer<W>,
        context: Context,
        view: &View,
    ) -> (&[i32], &[u64]) {
        self.sum_plainly(scorer, context, view);
        (self.known.sum.get(0), &self.features)
    }

    fn sum_plainly<W: Weights>(&mut self, scorer: &LinearScorer<W>, context: Context, view: &View) {
        self.extract(scorer.features, context, view, scorer.weights.prefetcher());
        let sum = &mut self.known.sum;
        sum.clear(scorer.width);
        scorer.weights.add_prefetched(&self.features, sum.push_zero());
    }
}
