//! The scores of a whole step, for all configurations that look alike at once.
//!
//! The scores of a configuration are the sum of one vector for each side that features read, and of one for what they read
//! of several. A side's vector belongs to its state; the joint one is memoised by what its templates read. Configurations
//! whose sides have the same numbers, and that permit the same moves, share one sum: at width 64, half of them are different.

use fearless_simd::prelude::*;

use super::lookup::{LookUp, Source};
use super::{OutputLayer, Weights};
use crate::configuration::{InternedConfiguration, SideIds, Slot, State, StateId, Tables};
use crate::features::{Behind, Extractor, Input, SidePart, Sides, key};
use crate::memo::Memo;
use crate::scorer::{Context, Query, SideScores, Vectors, lanes};
use crate::system::Actions;
use crate::tree::NO_NODE;
use crate::vector::vectorised;

/// Scores by the weights of sparse features.
#[derive(Debug)]
pub struct SideScorer<'w, W> {
    pub sides: &'w Sides,
    pub weights: &'w W,
    /// Output layer between sums of weights and scores, if there is one.
    pub output: Option<&'w OutputLayer>,
    /// The lanes of sums.
    pub width: usize,
}

/// Memory of a scorer of side states: memoised parts of a sentence, and the scores of a step.
#[derive(Debug, Clone, Default)]
pub struct SideMemory {
    known: KnownStates,
    scores: SideScores,
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
    /// Edition of the label sets whose hashes the extractor knows.
    label_sets: u64,
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
    /// Contribution of the state to the joint part's key.
    key: u64,
    /// The place of its vector; 0 if there was none yet.
    vector: u32,
}

/// When there are so many vectors they are forgotten. Long sentences do not come back to what they saw so long ago, and so
/// their memory stays in the cache.
const MAX_VECTORS: u32 = 1 << 11;

impl<W: Weights> SideScorer<'_, W> {
    /// Forgets the last sentence.
    pub fn begin(&self, SideMemory { known: memory, .. }: &mut SideMemory, context: Context) {
        let Context { input, label_sets, actions } = context;
        if memory.label_sets != label_sets.edition() {
            memory.look_up.extractor.clear();
            memory.label_sets = label_sets.edition();
        }
        memory.look_up.start(self.sides, self.width, input.n_words(), actions.n_labels());
        memory.vectors.clear(self.width);
        (memory.first, memory.next) = (1, 1);
        memory.joint.clear();
        let parts = &self.sides.parts;
        memory.parts.resize_with(parts.len() + 1, OfPart::default);
        let mut first_group = 0;
        for (number, of_part) in memory.parts.iter_mut().enumerate() {
            of_part.known.clear();
            of_part.first_group = first_group;
            first_group += parts.get(number).map_or(0, |part| part.groups.len());
        }
        let with_groups = parts.iter().filter(|part| !part.groups.is_empty()).count();
        memory.n_terms = with_groups + usize::from(!self.sides.joint.is_empty());
    }

    /// Scores a step.
    pub fn score<'s>(
        &self,
        memory: &'s mut SideMemory,
        context: Context,
        tables: &Tables,
        queries: &[Query<&InternedConfiguration>],
    ) -> &'s SideScores {
        let SideMemory { known: memory, scores } = memory;
        memory.make_room(self.width);
        memory.terms.resize(queries.len() * memory.n_terms, 0);
        scores.clear();
        for &Query { view, permitted, .. } in queries {
            scores.ask(self.sides, permitted, view, |number, ids| {
                self.prepare(memory, context, tables, (number, ids), view);
            });
        }
        vectorised!(simd => {
            memory.look_up.answer(simd, self.weights, &mut memory.vectors);
            if self.output.is_none() {
                memory.sum(simd, context.actions, scores);
            }
        });
        if let Some(output) = self.output {
            self.read(memory, context, output, scores);
        }
        scores
    }

    /// Finds the vectors whose sum are the scores of the signature with this number, or asks for them.
    #[inline]
    fn prepare(
        &self,
        memory: &mut KnownStates,
        context: Context,
        tables: &Tables,
        (signature, ids): (usize, &[StateId]),
        c: &InternedConfiguration,
    ) {
        let mut joint = 0u64;
        let mut at = signature * memory.n_terms;
        for (number, &id) in ids.iter().enumerate() {
            let known = match memory.parts[number].known.get(id as usize) {
                Some(&known) if known.vector >= memory.first => known,
                _ => self.ask(memory, context, tables, (number, id), c),
            };
            joint = (joint.rotate_left(29) ^ known.key).wrapping_mul(0x2d35_8dcc_aa6c_78a5);
            if known.vector != NO_VECTOR {
                memory.terms[at] = known.vector - memory.first;
                at += 1;
            }
        }
        if !self.sides.joint.is_empty() {
            let place = match memory.joint.get_or_insert(joint ^ joint >> 32, memory.next) {
                Some(place) => place,
                None => self.ask_joint(memory, context, tables, ids, c),
            };
            memory.terms[at] = place - memory.first;
        }
    }

    /// Asks for the vector of a part in a state.
    #[inline(never)]
    fn ask(
        &self,
        memory: &mut KnownStates,
        Context { input, label_sets: sets, .. }: Context,
        tables: &Tables,
        (number, id): (usize, StateId),
        c: &InternedConfiguration,
    ) -> Known {
        let (part, of_part) = (&self.sides.parts[number], &mut memory.parts[number]);
        let state = tables.state(part.side, id);
        let mut known = Known { key: key_of(part, state, input), vector: NO_VECTOR };
        if !part.groups.is_empty() {
            known.vector = memory.next;
            memory.next += memory.vectors.width() as u32;
            let source = Source { weights: self.weights, input, sets };
            let see = |extractor: &mut Extractor| see(extractor, part, state, c);
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
        Context { input, label_sets: sets, .. }: Context,
        tables: &Tables,
        ids: &[StateId],
        c: &InternedConfiguration,
    ) -> u32 {
        let sides = self.sides;
        let extractor = &mut memory.look_up.extractor;
        for (part, &id) in sides.parts.iter().zip(ids) {
            if !part.key.is_empty() {
                see(extractor, part, tables.state(part.side, id), c);
            }
        }
        if sides.reads_size {
            for of_role in &sides.roles {
                let size = c.sides(of_role.role).map_or(NO_NODE, |known| tables.size(known));
                extractor.set(of_role.role, Slot::Size, size);
            }
        }
        let first_group = memory.parts[sides.parts.len()].first_group;
        memory.look_up.ask_joint(&sides.joint, first_group, &Source { weights: self.weights, input, sets });
        let place = memory.next;
        memory.next += memory.vectors.width() as u32;
        place
    }

    /// Computes the scores of all signatures where they are not the sums themselves.
    fn read(&self, memory: &mut KnownStates, context: Context, output: &OutputLayer, scores: &mut SideScores) {
        let KnownStates { vectors, terms, n_terms, sum, read, .. } = memory;
        let (signatures, rows) = scores.rows(context.actions.width());
        for (number, signature) in signatures.iter_mut().enumerate() {
            let mask = context.actions.mask(signature.permitted);
            sum.clear(self.width);
            vectorised!(simd => sum.push_sum_at(simd, vectors, &terms[number * *n_terms..][..*n_terms]));
            output.scores(sum.get(0), self.weights.scale(), mask, read);
            let row = rows.blocks_of_mut(number as u32);
            bytemuck::cast_slice_mut(row).copy_from_slice(read);
            signature.best = vectorised!(simd => lanes::mask(simd, mask, row));
        }
    }
}

impl KnownStates {
    /// Forgets vectors, if there are many.
    fn make_room(&mut self, lanes: usize) {
        self.look_up.make_room(lanes);
        if self.next - self.first >= MAX_VECTORS * self.vectors.width() as u32 {
            self.vectors.clear(lanes);
            self.joint.clear();
            self.first = self.next;
        }
    }

    /// Computes the scores of all signatures.
    #[inline(always)]
    fn sum<V: Simd>(&self, simd: V, actions: &Actions, scores: &mut SideScores) {
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
    fn sum_all<V: Simd, const N: usize>(&self, simd: V, actions: &Actions, scores: &mut SideScores) {
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

/// Shows the extractor a state.
fn see(extractor: &mut Extractor, part: &SidePart, state: State, c: &InternedConfiguration) {
    for (&place, value) in part.places.iter().zip(state.0) {
        extractor.set_at(place, value);
    }
    for &Behind { role, node: place, ref bare } in &part.behind {
        let node = c.sides(role).map(SideIds::of_node);
        extractor.set_at(place, node.unwrap_or(NO_NODE));
        for &(place, value) in bare {
            extractor.set_at(place, node.map_or(NO_NODE, |_| value));
        }
    }
}
