//! Scoring with a network of one hidden layer, which reads embeddings of tokens or the vectors that an encoder makes of them.
//!
//! The first layer is factored by places: what each token contributes in each place is one product of matrices a sentence
//! (*products*), and the sum of a hidden unit a sum of rows, one for each place. What is read of one cell makes up one *part* of
//! that sum, which beams share. The output layer of all new configurations of a step is one product of matrices.
//!
//! Sums are always taken in the same order, so a configuration has the same scores however it came to be scored.

use std::sync::Arc;

use fearless_simd::prelude::*;
use fearless_simd::{f32x16, i32x16};

use super::activation::{activate, slopes};
use super::derived::Derived;
use super::encoder::{EncoderShape, encode};
use super::kernel::{Operand, exp, ln, multiply};
use super::layout::Layout;
use super::noise::Noise;
use super::parameters::Parameters;
use super::quantised::{ByteScratch, push_rounded};
use super::sentence::{Encoded, SentenceTokens};
use super::stack_lstm::{self, StackMemory, StackScorer};
use super::sums::{Base, Rows, Tables, Token, Unit};
use super::tensors::{ENCODER_INPUTS, ENCODER_NONE, OUTPUT, OUTPUT_BIAS};
use crate::configuration::{Reads, States, View};
use crate::features::Input;
use crate::files::prefetch;
use crate::memo::Memo;
use crate::scorer::{Context, Opaque, Query, Scorer, StepScores, Vectors};
use crate::system::{Actions, Permitted};
use crate::tree::Node;
use crate::vector::vectorised;

/// Scale of scores: the value of 1.0 in fixed point.
pub const UNIT: f32 = 65536.0;

/// Scores are kept within this, so that sums of two fit an integer and differ from scores of forbidden actions.
pub const MOST: f32 = 2047.0;

/// A network as it stands: everything that scoring reads.
#[derive(Debug, Clone, Copy)]
pub struct FeedForwardScorer<'m> {
    pub(super) layout: &'m Layout,
    pub(super) parameters: &'m Parameters,
    /// Values that follow from the parameters.
    pub(super) derived: &'m Derived,
    /// Dropout of training.
    pub(super) noise: Option<&'m Noise>,
}

/// The scratch memory of scoring: products of the sentence's tokens, and scores of its configurations.
#[derive(Debug, Clone, Default)]
pub struct FeedForwardMemory {
    /// The sentence that was begun.
    pub(super) sentence: Arc<SentenceTokens>,
    /// Sentences that are about to be begun, with the parameters and the noise that are.
    ahead: Vec<Arc<SentenceTokens>>,
    /// Of networks of full precision, and of quantised ones.
    rows: Rows<f32>,
    short_rows: Rows<i16>,
    /// Scratch memory of products of full precision, on their way to fewer bits.
    products: Vec<f32>,
    scratch: ByteScratch,
    /// Memory of stacks, where they are read.
    pub(super) stacks: StackMemory,
    wholes: Memo,
    /// The configurations' scores, by number.
    scores: Vectors,
    /// By number: the permitted actions, and the logarithm of their sum, once it was computed.
    partitions: Vec<Option<(Permitted, i32)>>,
    n_wholes: usize,
    n_new: usize,
    raw: Vec<f32>,
    /// By query of the step, and then by row, the number of the configuration.
    step: Vec<u32>,
    step_scores: StepScores,
    /// The scores of one query.
    read: Vectors,
}

/// Number of memoised rows at which all are forgotten.
const MAX_ROWS: u32 = 1 << 11;

/// Number of nodes of stacks at which all are forgotten, unless a sentence needs nearly as many at once.
const MAX_NODES: usize = 1 << 17;

/// The hidden units of one configuration.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    /// Activations.
    pub units: Vec<f32>,
    /// Derivative of each activation at its sum.
    pub slopes: Vec<f32>,
}

/// Tells the memory that these products of a common token will soon be read: the sentence has only just begun.
#[inline]
fn soon<T>(products: &[T]) {
    /// The bytes that the memory brings at once.
    const LINE: usize = 64;
    (0..products.len()).step_by(LINE / size_of::<T>()).for_each(|place| prefetch(products, place));
}

impl FeedForwardScorer<'_> {
    /// The width of scores, a whole number of blocks.
    pub(super) fn width(&self) -> usize {
        self.parameters.tensors[OUTPUT_BIAS].len()
    }

    /// The stacks, where they are read.
    pub(super) fn stacks(&self) -> Option<StackScorer<'_>> {
        let shape = stack_lstm::StackShape::of(&self.layout.network)?;
        let (network, derived) = (&self.layout.network, &self.derived.stacks);
        Some(StackScorer { shape, network, parameters: self.parameters, derived })
    }

    fn n_hidden(&self) -> usize {
        self.layout.network.hidden
    }

    /// The numbers of the tokens' values, and the dropout of the sentence.
    fn values(&self, input: &Input) -> SentenceTokens {
        // Before the root stands no token.
        SentenceTokens::new(input, (0..(input.n_words() + 2) as Node).map(|token| token.wrapping_sub(1)), self.noise)
    }

    /// Fills in embeddings and what an encoder makes of them, of all sentences together.
    fn embed(&self, sentences: &mut [SentenceTokens]) {
        let network = &self.layout.network;
        sentences.iter_mut().for_each(|sentence| sentence.embed(self.parameters, &network.dimensions));
        if let Some(stacks) = self.stacks() {
            for sentence in &mut *sentences {
                let vectors = stacks.vectors(&sentence.embeddings);
                sentence.encoded = Some(Encoded { vectors, ..Encoded::default() });
            }
        }
        let Some(shape) = EncoderShape::of(network) else { return };
        let noise = |sentence: usize, layer: usize, inputs: &mut [f32]| sentences[sentence].mask_within(layer, inputs);
        // Row 0 is no token, which the encoder does not read.
        let words: Vec<&[f32]> = sentences.iter().map(|sentence| &sentence.embeddings[network.dimension()..]).collect();
        let all = encode(shape, (self.parameters.lstms(ENCODER_INPUTS), &self.derived.encoder), &words, noise);
        for (sentence, layers) in sentences.iter_mut().zip(all) {
            let outputs = layers.last().map_or(&[][..], |layer| &layer.outputs);
            let vectors = [&self.parameters.tensors[ENCODER_NONE][..], outputs].concat();
            sentence.encoded = Some(Encoded { layers, vectors });
        }
    }

    /// Looks at sentences before they are begun, all together, which is faster.
    pub(super) fn look_ahead(&self, memory: &mut FeedForwardMemory, inputs: &[&Input]) {
        let mut sentences: Vec<SentenceTokens> = inputs.iter().map(|input| self.values(input)).collect();
        self.embed(&mut sentences);
        memory.ahead = sentences.into_iter().map(Arc::new).collect();
    }

    /// The tokens' embeddings, what an encoder makes of them, and products.
    fn look_at(&self, memory: &mut FeedForwardMemory, input: &Input) {
        if self.noise.is_none() && (!self.derived.common.is_empty() || self.derived.quantised.is_some()) {
            return self.look_once(memory, input);
        }
        let mut sentence = self.values(input);
        let same = |ahead: &&Arc<SentenceTokens>| {
            ahead.ids == sentence.ids && ahead.sets == sentence.sets && ahead.noise == sentence.noise
        };
        memory.sentence = match memory.ahead.iter().find(same) {
            Some(ahead) => Arc::clone(ahead),
            None => {
                self.embed(std::slice::from_mut(&mut sentence));
                Arc::new(sentence)
            }
        };
        if let Some(stacks) = self.stacks() {
            return stacks.begin(&mut memory.stacks, &memory.sentence);
        }
        let n_tokens = input.n_words() + 2;
        let FeedForwardMemory { sentence, rows, .. } = memory;
        self.multiply(sentence.vectors(), n_tokens, &mut rows.products);
        rows.bases.clear();
        rows.bases.extend((0..n_tokens).map(|token| Base::Own(token * self.derived.places.width())));
    }

    /// The products of tokens, those of common ones from where they are kept; nothing else is known of the sentence then.
    fn look_once(&self, memory: &mut FeedForwardMemory, input: &Input) {
        let FeedForwardMemory { rows, short_rows, products, scratch, .. } = memory;
        let n = self.layout.network.places.len() * self.n_hidden();
        // Each token's, from the first to the last one.
        let mut multiply = |sentence: &mut SentenceTokens, n_tokens: usize, each: &mut dyn FnMut(&[f32])| {
            self.embed(std::slice::from_mut(sentence));
            self.multiply(sentence.vectors(), n_tokens, products);
            products.chunks_exact(self.derived.places.width()).for_each(|products| each(&products[..n]));
        };
        match &self.derived.quantised {
            None => self.look_up(input, &self.derived.tables, rows, |sentence, new, to| {
                multiply(sentence, new.len(), &mut |products| to.extend_from_slice(products));
            }),
            Some(quantised) if self.derived.encoder.is_empty() => {
                self.look_up(input, &quantised.tables, short_rows, |sentence, new, to| {
                    quantised.push_products((self.layout, self.parameters), (&sentence.sets, new), scratch, to);
                });
            }
            Some(quantised) => self.look_up(input, &quantised.tables, short_rows, |sentence, new, to| {
                multiply(sentence, new.len(), &mut |products| push_rounded(products, self.n_hidden(), to));
            }),
        }
    }

    /// Fills in the products of tokens; `push` adds those of new ones, of which it is given the sentence.
    fn look_up<T: Unit>(
        &self,
        input: &Input,
        tables: &Tables<T>,
        rows: &mut Rows<T>,
        push: impl FnOnce(&mut SentenceTokens, &[Token], &mut Vec<T>),
    ) {
        let mut sentence = self.values(input);
        rows.bases.clear();
        rows.products.clear();
        // The tokens whose products are to be made, where they stand, and their numbers if they are common.
        let (mut new, mut places): (Vec<Token>, Vec<(u32, Option<u32>)>) = (Vec::new(), Vec::new());
        for place in 0..sentence.n_tokens() {
            let token: Token = std::array::from_fn(|column| sentence.ids[column][place]);
            let number = self.derived.common.number(&token);
            match number.and_then(|number| tables.common(number)) {
                Some(products) => soon(products),
                None => {
                    new.push(token);
                    places.push((place as u32, number));
                }
            }
            rows.bases.push(number.map_or(Base::Own(0), Base::Common));
        }
        if new.is_empty() {
            return;
        }
        if self.derived.encoder.is_empty() {
            for (column, ids) in sentence.ids.iter_mut().enumerate() {
                *ids = new.iter().map(|token| token[column]).collect();
            }
        }
        push(&mut sentence, &new, &mut rows.products);
        let width = rows.products.len() / new.len();
        for (start, &(place, number)) in (0..).step_by(width).zip(&places) {
            let products = &rows.products[start..start + width];
            if !number.is_some_and(|number| tables.keep(number, products)) {
                rows.bases[place as usize] = Base::Own(start);
            }
        }
    }

    /// Replaces `products` by those of `n` tokens.
    fn multiply(&self, vectors: &[f32], n: usize, products: &mut Vec<f32>) {
        let places = &self.derived.places;
        products.clear();
        products.resize(n * places.width(), 0.0);
        places.multiply(Operand::rows(vectors, self.layout.network.vector_dimension()), products, n);
    }

    /// Finds the parts of a configuration, making those that are new; a fingerprint of all that is read.
    fn find(&self, memory: &mut FeedForwardMemory, read: (&View, &States)) -> u64 {
        let groups = &self.layout.groups;
        match &self.derived.quantised {
            None => memory.rows.find(&self.derived.tables, groups, read),
            Some(quantised) => memory.short_rows.find(&quantised.tables, groups, read),
        }
    }

    /// The hidden units of a configuration, with their slopes.
    pub(super) fn hidden(&self, memory: &mut FeedForwardMemory, context: Context, view: &View, hidden: &mut Hidden) {
        self.make_room(memory);
        if let Some(stacks) = self.stacks() {
            self.find_in_stacks(memory, context, view);
            let found = std::mem::take(&mut memory.stacks.found);
            stacks.sums(&mut memory.stacks, &found, &mut hidden.units);
            memory.stacks.found = found;
        } else {
            self.find(memory, (view, &context.interner.states()));
            hidden.units.resize(self.n_hidden(), 0.0);
            memory.rows.sum(&self.derived.tables, &mut hidden.units);
        }
        hidden.slopes.resize(self.n_hidden(), 0.0);
        slopes(self.layout.network.activation, &hidden.units, &mut hidden.slopes);
        activate(self.layout.network.activation, &mut hidden.units);
    }

    /// The scores of `n` rows of activations.
    pub(super) fn output(&self, units: &[f32], n: usize, scores: &mut Vec<f32>) {
        let width = self.width();
        scores.clear();
        (0..n).for_each(|_| scores.extend_from_slice(&self.parameters.tensors[OUTPUT_BIAS]));
        let weights = &self.parameters.tensors[OUTPUT];
        multiply(Operand::rows(units, self.n_hidden()), weights, scores, (n, self.n_hidden(), width));
    }

    /// Finds a configuration's nodes in stacks; a fingerprint of them.
    pub(super) fn find_in_stacks(&self, memory: &mut FeedForwardMemory, context: Context, view: &View) -> u64 {
        memory.stacks.find(&self.layout.network, view, context.interner.trees());
        memory.stacks.found.iter().fold(0x243f_6a88_85a3_08d3, |fingerprint: u64, &number| {
            let product = u128::from(fingerprint ^ (u64::from(number) + 1)) * 0x9e37_79b9_7f4a_7c15;
            (product >> 64) as u64 ^ product as u64
        })
    }

    fn forget_scores(&self, memory: &mut FeedForwardMemory) {
        memory.rows.clear();
        memory.short_rows.clear();
        memory.wholes.clear();
        memory.scores.clear(self.width());
        memory.partitions.clear();
        (memory.n_wholes, memory.n_new) = (0, 0);
    }

    fn make_room(&self, memory: &mut FeedForwardMemory) {
        // While training, tapes go by the numbers of nodes.
        if self.noise.is_none()
            && let Some(stacks) = self.stacks()
            && memory.stacks.is_full(MAX_NODES)
        {
            stacks.forget(&mut memory.stacks);
            self.forget_scores(memory);
        }
        if memory.rows.n_parts.max(memory.short_rows.n_parts) >= MAX_ROWS || memory.n_wholes >= MAX_ROWS as usize {
            self.forget_scores(memory);
        }
    }

    /// Finds the number of a configuration; if it is new, its activations are left to be scored.
    fn prepare(&self, memory: &mut FeedForwardMemory, context: Context, view: &View) -> u32 {
        if self.layout.network.stacks.is_some() {
            return self.prepare_in_stacks(memory, context, view);
        }
        let fingerprint = self.find(memory, (view, &context.interner.states()));
        let next = (memory.n_wholes + memory.n_new) as u32;
        memory.wholes.get_or_insert(fingerprint, next).unwrap_or_else(|| {
            match &self.derived.quantised {
                None => memory.rows.push_sum(&self.derived.tables, memory.n_new),
                Some(quantised) => memory.short_rows.push_sum(&quantised.tables, memory.n_new),
            }
            memory.n_new += 1;
            next
        })
    }

    /// The same where stacks are read, whose sums are left to be made, too.
    fn prepare_in_stacks(&self, memory: &mut FeedForwardMemory, context: Context, view: &View) -> u32 {
        let fingerprint = self.find_in_stacks(memory, context, view);
        let next = (memory.n_wholes + memory.n_new) as u32;
        memory.wholes.get_or_insert(fingerprint, next).unwrap_or_else(|| {
            let StackMemory { new, found, .. } = &mut memory.stacks;
            new.extend_from_slice(found);
            memory.n_new += 1;
            next
        })
    }

    /// Scores all configurations that were left to be scored.
    fn finish(&self, memory: &mut FeedForwardMemory) {
        let n_new = std::mem::take(&mut memory.n_new);
        if n_new == 0 {
            return;
        }
        let FeedForwardMemory { rows, short_rows, scratch, raw, stacks, .. } = memory;
        if let Some(scorer) = self.stacks() {
            let mut new = std::mem::take(&mut stacks.new);
            scorer.sums(stacks, &new, &mut rows.sums);
            new.clear();
            stacks.new = new;
        }
        match &self.derived.quantised {
            None => {
                let hidden = &mut rows.sums[..n_new * self.n_hidden()];
                activate(self.layout.network.activation, hidden);
                self.output(hidden, n_new, raw);
            }
            Some(quantised) => {
                quantised.scores((self.layout, self.parameters), (&short_rows.sums, n_new), scratch, raw);
            }
        }
        let raw = std::mem::take(raw);
        for row in raw.chunks_exact(self.width()) {
            let scores = memory.scores.push_zero();
            vectorised!(simd => to_fixed_point(simd, row, scores));
        }
        memory.n_wholes += n_new;
        memory.partitions.resize(memory.n_wholes, None);
        memory.raw = raw;
    }

    /// Writes the scores of a configuration, made probabilities if the network says so.
    fn write(
        &self,
        (scores, partitions): (&Vectors, &mut [Option<(Permitted, i32)>]),
        context: Context,
        (number, permitted): (u32, Permitted),
        into: &mut [i32],
    ) {
        let scores = scores.get(number);
        let n = into.len().min(scores.len());
        if !self.layout.network.normalised {
            into[..n].copy_from_slice(&scores[..n]);
            return;
        }
        let partition = match partitions[number as usize] {
            Some((of, partition)) if of == permitted => partition,
            _ => log_partition(scores, context.actions.mask(permitted)),
        };
        partitions[number as usize] = Some((permitted, partition));
        vectorised!(_simd => into.iter_mut().zip(scores).for_each(|(into, score)| *into = score - partition));
    }
}

/// Rows are whole blocks.
#[inline(always)]
fn to_fixed_point<S: Simd>(simd: S, row: &[f32], into: &mut [i32]) {
    const N: usize = Actions::LANES;
    for (into, scores) in into.as_chunks_mut::<N>().0.iter_mut().zip(row.as_chunks::<N>().0) {
        let scores = f32x16::simd_from(simd, *scores).max(f32x16::splat(simd, -MOST)).min(f32x16::splat(simd, MOST));
        let whole: i32x16<S> = (scores * f32x16::splat(simd, UNIT)).round_ties_even().to_int();
        whole.store_slice(into);
    }
}

/// The logarithm of the sum of the permitted scores' exponentials, all in fixed point. `mask` is 0 where an output is permitted.
pub fn log_partition(scores: &[i32], mask: &[i32]) -> i32 {
    const N: usize = Actions::LANES;
    let (scores, masks) = (scores.as_chunks::<N>().0, mask.as_chunks::<N>().0);
    let mut sums = [0.0_f32; N];
    let highest = vectorised!(_simd => {
        let mut most = [i32::MIN; N];
        for (scores, masks) in scores.iter().zip(masks) {
            for ((most, &score), &mask) in most.iter_mut().zip(scores).zip(masks) {
                *most = (*most).max(if mask == 0 { score } else { i32::MIN });
            }
        }
        let highest = most.iter().fold(i32::MIN, |highest, &most| highest.max(most));
        for (scores, masks) in scores.iter().zip(masks) {
            for ((sum, &score), &mask) in sums.iter_mut().zip(scores).zip(masks) {
                let term = exp((score.wrapping_sub(highest)) as f32 / UNIT);
                *sum += if mask == 0 { term } else { 0.0 };
            }
        }
        highest
    });
    if highest == i32::MIN {
        return 0;
    }
    let sum: f64 = sums.iter().map(|&sum| f64::from(sum)).sum();
    highest + (ln(sum) * f64::from(UNIT)).round_ties_even() as i32
}

impl Scorer for FeedForwardScorer<'_> {
    fn reads(&self) -> &Reads {
        &self.layout.reads
    }

    fn begin(&self, memory: &mut Opaque, context: Context) {
        let memory: &mut FeedForwardMemory = memory.get();
        self.look_at(memory, context.input);
        self.forget_scores(memory);
    }

    fn forget(&self, memory: &mut Opaque) {
        self.forget_scores(memory.get());
    }

    fn score<'s>(&self, memory: &'s mut Opaque, context: Context, queries: &[Query]) -> &'s mut StepScores {
        let memory: &mut FeedForwardMemory = memory.get();
        self.make_room(memory);
        let mut numbers = std::mem::take(&mut memory.step);
        numbers.clear();
        numbers.extend(queries.iter().map(|query| self.prepare(memory, context, &query.view)));
        self.finish(memory);
        let FeedForwardMemory { step_scores, scores, partitions, .. } = &mut *memory;
        step_scores.clear();
        let mut row = 0;
        for (query, Query { permitted, .. }) in queries.iter().enumerate() {
            if step_scores.ask(u64::from(numbers[query]) + 1, *permitted).is_some() {
                numbers[row] = numbers[query];
                row += 1;
            }
        }
        step_scores.fill(context.actions, |row, permitted, into| {
            self.write((scores, partitions), context, (numbers[row], permitted), into);
        });
        memory.step = numbers;
        &mut memory.step_scores
    }

    fn score_one<'s>(&self, memory: &'s mut Opaque, context: Context, query: &Query) -> &'s [i32] {
        let memory: &mut FeedForwardMemory = memory.get();
        self.make_room(memory);
        let number = match self.layout.network.stacks {
            Some(_) => self.prepare(memory, context, &query.view),
            None => {
                let (groups, read) = (&self.layout.groups, (&query.view, &*context.interner.states()));
                match &self.derived.quantised {
                    None => memory.rows.sum_once(&self.derived.tables, groups, read),
                    Some(quantised) => memory.short_rows.sum_once(&quantised.tables, groups, read),
                }
                memory.n_new = 1;
                memory.n_wholes as u32
            }
        };
        self.finish(memory);
        let FeedForwardMemory { scores, partitions, read, .. } = memory;
        read.clear(self.width());
        self.write((scores, partitions), context, (number, query.permitted), read.push_zero());
        read.get(0)
    }
}
