//! Scoring with a network of one hidden layer, which reads embeddings of tokens or the vectors that an encoder makes of them.
//!
//! The first layer is factored by places: what each token contributes in each place is one product of matrices a sentence
//! (*products*), and the sum of a hidden unit a sum of rows, one for each place. What is read of one cell makes up one *part* of
//! that sum, which beams share. The output layer of all new configurations of a step is one product of matrices.
//!
//! Sums are always taken in the same order, so a configuration has the same scores however it came to be scored.

use std::sync::Arc;

use super::encoder::{Layer, Shape, encode, panels};
use super::kernel::{Operand, Panels, add_with, exp, multiply, tanh, widest};
use super::layout::Layout;
use super::noise::{Noise, SentenceNoise};
use super::parameters::{BIAS, ENCODER_NONE, LABEL_PLACES, LABELS, OUTPUT, OUTPUT_BIAS, PLACES, Parameters};
use crate::configuration::View;
use crate::features::Input;
use crate::memo::Memo;
use crate::model::{Activation, N_COLUMNS};
use crate::scorer::{Context, Query, Scorer, Scores, Vectors};
use crate::system::{Actions, Permitted};
use crate::tree::Node;

/// What 1.0 is in the fixed point of scores.
pub const UNIT: f32 = 65536.0;

/// Scores are kept within this, so that sums of two fit an integer and differ from what is forbidden.
const MOST: f32 = 2047.0;

/// A network as it stands: everything that scoring reads.
#[derive(Debug, Clone, Copy)]
pub struct FeedForwardScorer<'m> {
    pub(super) layout: &'m Layout,
    pub(super) parameters: &'m Parameters,
    /// What follows from the parameters.
    pub(super) derived: &'m Derived,
    /// The lanes of scores, a whole number of blocks.
    pub(super) lanes: usize,
    /// What training changes at random.
    pub(super) noise: Option<&'m Noise>,
}

/// The scratch memory of scoring: products of the sentence's tokens, and what is known of its configurations.
#[derive(Debug, Clone, Default)]
pub struct FeedForwardMemory {
    /// The sentence that was begun.
    pub(super) sentence: Arc<Sentence>,
    /// Sentences that are about to be begun, with the parameters and the noise that are.
    ahead: Vec<Arc<Sentence>>,
    /// By token and place: a row of hidden units.
    products: Vec<f32>,
    parts: Level,
    wholes: Memo,
    /// The configurations' scores, by number.
    scores: Vectors,
    n_wholes: usize,
    /// Of the configurations that are new: activations, one row each.
    hidden: Vec<f32>,
    n_new: usize,
    raw: Vec<f32>,
    /// By query of the step, the number of its configuration.
    step: Vec<u32>,
    /// The scores of one query.
    read: Vectors,
    /// The parts of a configuration: places in the products, or numbers of parts.
    terms: Vec<Term>,
}

/// The tokens of a sentence: none, the root, the words.
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    /// By column: the numbers of their values.
    pub ids: [Vec<u32>; N_COLUMNS],
    /// By token: its embedding.
    pub embeddings: Vec<f32>,
    /// What an encoder made of these, if there is one.
    pub encoded: Option<Encoded>,
    /// What was drawn for the sentence.
    pub noise: SentenceNoise,
}

impl Sentence {
    /// By token: what the hidden layer reads.
    pub fn vectors(&self) -> &[f32] {
        self.encoded.as_ref().map_or(&self.embeddings, |encoded| &encoded.vectors)
    }
}

/// What an encoder made of a sentence.
#[derive(Debug, Clone, Default)]
pub struct Encoded {
    /// Of the root and the words.
    pub layers: Vec<Layer>,
    /// By token: a vector; that of no token is a parameter of its own.
    pub vectors: Vec<f32>,
}

/// Where a row of the sum of hidden units stands.
#[derive(Debug, Clone, Copy)]
enum Term {
    Product(usize),
    Part(u32),
}

/// Memoised rows.
#[derive(Debug, Clone, Default)]
struct Level {
    memo: Memo,
    rows: Vec<f32>,
    n: u32,
}

/// When so many rows are memoised all are forgotten.
const MAX_ROWS: u32 = 1 << 11;

/// The hidden units of one configuration.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    /// Activations.
    pub units: Vec<f32>,
    /// By how much each activation grows with its sum.
    pub slopes: Vec<f32>,
}

impl FeedForwardScorer<'_> {
    pub(super) fn width(&self) -> usize {
        self.lanes
    }

    fn n_hidden(&self) -> usize {
        self.layout.network.hidden
    }

    /// The numbers of the tokens' values, and what is drawn for the sentence.
    fn values(&self, input: &Input) -> Sentence {
        let tokens = || (0..(input.n_words() + 2) as Node).map(|token| token.wrapping_sub(1));
        let ids = std::array::from_fn(|column| tokens().map(|token| input.id(column, token)).collect());
        let mut sentence = Sentence { ids, ..Sentence::default() };
        if let Some(noise) = self.noise {
            sentence.noise = noise.of_sentence(input);
            for (column, ids) in sentence.ids.iter_mut().enumerate() {
                noise.forget_rare(&sentence.noise, column, ids);
            }
        }
        sentence
    }

    /// Fills in embeddings and what an encoder makes of them, of all sentences together.
    fn embed(&self, sentences: &mut [Sentence]) {
        let network = &self.layout.network;
        let dimension = network.dimension();
        for sentence in &mut *sentences {
            sentence.embeddings.reserve_exact(sentence.ids[0].len() * dimension);
            for token in 0..sentence.ids[0].len() {
                for ((ids, table), &n) in sentence.ids.iter().zip(&self.parameters.tensors).zip(&network.dimensions) {
                    sentence.embeddings.extend_from_slice(&table[ids[token] as usize * n..][..n]);
                }
            }
            if self.noise.is_some() {
                sentence.noise.mask(&mut sentence.embeddings);
            }
        }
        let Some(shape) = Shape::of(network) else { return };
        let noise = |sentence: usize, layer: usize, inputs: &mut [f32]| {
            if self.noise.is_some() {
                sentences[sentence].noise.mask_within(layer, inputs);
            }
        };
        // What stands for no token is not among the words.
        let words: Vec<&[f32]> = sentences.iter().map(|sentence| &sentence.embeddings[dimension..]).collect();
        let all = encode(shape, (self.parameters.encoder(), &self.derived.encoder), &words, noise);
        for (sentence, layers) in sentences.iter_mut().zip(all) {
            let given = layers.last().map_or(&[][..], |layer| &layer.outputs);
            let vectors = [&self.parameters.tensors[ENCODER_NONE][..], given].concat();
            sentence.encoded = Some(Encoded { layers, vectors });
        }
    }

    /// Looks at sentences before they are begun, all together, which is faster.
    pub(super) fn look_ahead(&self, memory: &mut FeedForwardMemory, inputs: &[&Input]) {
        let mut sentences: Vec<Sentence> = inputs.iter().map(|input| self.values(input)).collect();
        self.embed(&mut sentences);
        memory.ahead = sentences.into_iter().map(Arc::new).collect();
    }

    /// The tokens' embeddings, what an encoder makes of them, and products.
    fn look_at(&self, memory: &mut FeedForwardMemory, input: &Input) {
        let mut sentence = self.values(input);
        let same = |ahead: &&Arc<Sentence>| ahead.ids == sentence.ids && ahead.noise == sentence.noise;
        memory.sentence = match memory.ahead.iter().find(same) {
            Some(ahead) => Arc::clone(ahead),
            None => {
                self.embed(std::slice::from_mut(&mut sentence));
                Arc::new(sentence)
            }
        };
        let (places, n_tokens) = (&self.derived.places, input.n_words() + 2);
        memory.products.clear();
        memory.products.resize(n_tokens * places.width(), 0.0);
        let vectors = Operand::rows(memory.sentence.vectors(), self.layout.network.vector_dimension());
        places.multiply(vectors, &mut memory.products, n_tokens);
    }

    /// Finds the parts of a configuration, making those that are new; a fingerprint of all that is read.
    #[inline]
    fn find<'a, V: View<'a>>(&self, memory: &mut FeedForwardMemory, query: &Query<V>) -> u64 {
        let hidden = self.n_hidden();
        let width = self.derived.places.width();
        memory.terms.clear();
        let mut fingerprint = 0x243f_6a88_85a3_08d3_u64;
        let mut mix = |value: u64| {
            let product = u128::from(fingerprint ^ value) * 0x9e37_79b9_7f4a_7c15;
            fingerprint = (product >> 64) as u64 ^ product as u64;
        };
        for group in &self.layout.groups {
            let cell = query.view.cell(query.point, group.role);
            if let Some(place) = group.single() {
                let token = group.tokens(cell).next().unwrap_or_default() as usize;
                memory.terms.push(Term::Product(token * width + place * hidden));
                mix(token as u64 + 1);
                continue;
            }
            let key = group.key(cell);
            let next = memory.parts.n;
            let number = memory.parts.memo.get_or_insert(key, next).unwrap_or_else(|| {
                memory.parts.n += 1;
                let start = memory.parts.rows.len();
                memory.parts.rows.resize(start + hidden, 0.0);
                let sum = &mut memory.parts.rows[start..];
                let tokens = group.tokens(cell).zip(group.places.clone());
                let products = &memory.products;
                let tokens =
                    tokens.map(|(token, place)| &products[token as usize * width + place * hidden..][..hidden]);
                let of_labels = &self.derived.labels;
                let n_labels = of_labels.len() / (hidden * self.layout.network.labels.len().max(1));
                let labels = group.labels_of(cell).zip(group.labels.clone());
                let labels =
                    labels.map(|(label, place)| &of_labels[(place * n_labels + label as usize) * hidden..][..hidden]);
                widest!(_simd => tokens.chain(labels).for_each(|row| add_with(sum, row)));
                next
            });
            memory.terms.push(Term::Part(number));
            mix(u64::from(number) << 32 | 1);
        }
        fingerprint
    }

    /// The sums of hidden units, of the parts that were found.
    #[inline]
    fn sum(&self, memory: &FeedForwardMemory, sums: &mut [f32]) {
        let hidden = self.n_hidden();
        sums.copy_from_slice(&self.parameters.tensors[BIAS]);
        widest!(_simd => {
            for term in &memory.terms {
                let row = match *term {
                    Term::Product(start) => &memory.products[start..][..hidden],
                    Term::Part(number) => &memory.parts.rows[number as usize * hidden..][..hidden],
                };
                add_with(sums, row);
            }
        });
    }

    /// The hidden units of a configuration, with their slopes.
    pub(super) fn hidden<'a, V: View<'a>>(
        &self,
        memory: &mut FeedForwardMemory,
        query: &Query<V>,
        hidden: &mut Hidden,
    ) {
        self.make_room(memory);
        self.find(memory, query);
        hidden.units.resize(self.n_hidden(), 0.0);
        self.sum(memory, &mut hidden.units);
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

    fn make_room(&self, memory: &mut FeedForwardMemory) {
        if memory.parts.n >= MAX_ROWS || memory.n_wholes >= MAX_ROWS as usize {
            self.forget(memory);
        }
    }

    /// Finds the number of a configuration; if it is new, its activations are left to be scored.
    #[inline]
    fn prepare<'a, V: View<'a>>(&self, memory: &mut FeedForwardMemory, query: &Query<V>) -> u32 {
        let fingerprint = self.find(memory, query);
        let next = (memory.n_wholes + memory.n_new) as u32;
        memory.wholes.get_or_insert(fingerprint, next).unwrap_or_else(|| {
            let hidden = self.n_hidden();
            let mut rows = std::mem::take(&mut memory.hidden);
            let start = memory.n_new * hidden;
            if rows.len() < start + hidden {
                rows.resize(start + hidden, 0.0);
            }
            self.sum(memory, &mut rows[start..start + hidden]);
            memory.hidden = rows;
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
        let hidden = &mut memory.hidden[..n_new * self.layout.network.hidden];
        activate(self.layout.network.activation, hidden);
        let mut raw = std::mem::take(&mut memory.raw);
        self.output(hidden, n_new, &mut raw);
        for row in raw.chunks_exact(self.width()) {
            let lanes = memory.scores.push_zero();
            widest!(_simd => to_fixed_point(row, lanes));
        }
        memory.n_wholes += n_new;
        memory.raw = raw;
    }

    /// The scores of a configuration, made probabilities if the network says so.
    fn read<'s>(
        &self,
        memory: &'s mut FeedForwardMemory,
        context: Context,
        number: u32,
        permitted: Permitted,
    ) -> &'s Vectors {
        if !self.layout.network.normalised {
            memory.read.clear(self.width());
            memory.read.push_zero().copy_from_slice(memory.scores.get(number));
            return &memory.read;
        }
        let scores = memory.scores.get(number);
        let partition = log_partition(scores, context.actions.mask(permitted));
        memory.read.clear(self.width());
        let read = memory.read.push_zero();
        widest!(_simd => read.iter_mut().zip(scores).for_each(|(read, score)| *read = score - partition));
        &memory.read
    }
}

#[inline(always)]
fn to_fixed_point(row: &[f32], lanes: &mut [i32]) {
    for (lane, score) in lanes.iter_mut().zip(row) {
        *lane = (score.clamp(-MOST, MOST) * UNIT).round_ties_even() as i32;
    }
}

/// Replaces sums by activations.
pub fn activate(activation: Activation, sums: &mut [f32]) {
    widest!(_simd => match activation {
        Activation::Relu => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
        Activation::Cube => sums.iter_mut().for_each(|sum| *sum = *sum * *sum * *sum),
        Activation::Tanh => sums.iter_mut().for_each(|sum| *sum = tanh(*sum)),
    });
}

/// By how much activations grow with their sums.
pub fn slopes(activation: Activation, sums: &[f32], slopes: &mut [f32]) {
    let pairs = slopes.iter_mut().zip(sums);
    widest!(_simd => match activation {
        Activation::Relu => pairs.for_each(|(slope, sum)| *slope = if *sum > 0.0 { 1.0 } else { 0.0 }),
        Activation::Cube => pairs.for_each(|(slope, sum)| *slope = 3.0 * sum * sum),
        Activation::Tanh => pairs.for_each(|(slope, sum)| {
            let value = tanh(*sum);
            *slope = 1.0 - value * value;
        }),
    });
}

/// The logarithm of the sum of the permitted lanes' exponentials, all in fixed point. `mask` is 0 where a lane is permitted.
fn log_partition(scores: &[i32], mask: &[i32]) -> i32 {
    const N: usize = Actions::LANES;
    let permitted = |score: i32, mask: i32| if mask == 0 { score } else { i32::MIN };
    let highest = scores.iter().zip(mask).map(|(&score, &mask)| permitted(score, mask)).max().unwrap_or(i32::MIN);
    if highest == i32::MIN {
        return 0;
    }
    let mut sums = [0.0_f32; N];
    widest!(_simd => {
        for (scores, masks) in scores.as_chunks::<N>().0.iter().zip(mask.as_chunks::<N>().0) {
            for ((sum, &score), &mask) in sums.iter_mut().zip(scores).zip(masks) {
                let term = exp((score.wrapping_sub(highest)) as f32 / UNIT);
                *sum += if mask == 0 { term } else { 0.0 };
            }
        }
    });
    let sum: f64 = sums.iter().map(|&sum| f64::from(sum)).sum();
    highest + (ln(sum) * f64::from(UNIT)).round_ties_even() as i32
}

/// The natural logarithm of a number of at least 1, without the platform's library: 2 artanh((m − 1) / (m + 1)) for the mantissa m.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let sum = (0..16).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * ratio * sum
}

impl Scorer for FeedForwardScorer<'_> {
    type Memory = FeedForwardMemory;

    fn begin(&self, memory: &mut FeedForwardMemory, context: Context) {
        self.look_at(memory, context.input);
        self.forget(memory);
    }

    fn forget(&self, memory: &mut FeedForwardMemory) {
        memory.parts.memo.clear();
        memory.parts.rows.clear();
        memory.parts.n = 0;
        memory.wholes.clear();
        memory.scores.clear(self.width());
        (memory.n_wholes, memory.n_new) = (0, 0);
    }

    fn score<'a, V: View<'a>>(&self, memory: &mut FeedForwardMemory, _: Context, queries: &[Query<V>]) {
        self.make_room(memory);
        let mut step = std::mem::take(&mut memory.step);
        step.clear();
        step.extend(queries.iter().map(|query| self.prepare(memory, query)));
        memory.step = step;
        self.finish(memory);
    }

    #[inline]
    fn row<'s>(
        &self,
        memory: &'s mut FeedForwardMemory,
        context: Context,
        number: usize,
        permitted: Permitted,
    ) -> Scores<'s> {
        match self.layout.network.normalised {
            true => Scores::new(self.read(memory, context, memory.step[number], permitted), &[0]),
            false => Scores::new(&memory.scores, &memory.step[number..number + 1]),
        }
    }

    fn score_one<'a, 's, V: View<'a>>(
        &self,
        memory: &'s mut FeedForwardMemory,
        context: Context,
        query: Query<V>,
    ) -> &'s [i32] {
        self.make_room(memory);
        let number = self.prepare(memory, &query);
        self.finish(memory);
        self.read(memory, context, number, query.permitted).get(0)
    }
}

/// What follows from parameters, and is made once whenever they change.
#[derive(Debug, Clone, Default)]
pub struct Derived {
    /// By place of a label, and by label: a row of hidden units.
    labels: Vec<f32>,
    /// By place: what vectors of tokens are multiplied by.
    places: Panels,
    /// By layer of the encoder, the same of what it reads.
    encoder: Vec<Panels>,
}

impl Derived {
    /// What follows from these parameters.
    pub fn new(layout: &Layout, parameters: &Parameters) -> Derived {
        let network = &layout.network;
        let encoder = Shape::of(network).map_or_else(Vec::new, |shape| panels(shape, parameters.encoder()));
        let places = Panels::new(&parameters.tensors[PLACES], (network.vector_dimension(), network.hidden));
        Derived { labels: label_products(layout, parameters), places, encoder }
    }
}

/// By place of a label, and by label: what the label contributes in the place.
fn label_products(layout: &Layout, parameters: &Parameters) -> Vec<f32> {
    let network = &layout.network;
    let (dimension, hidden) = (network.label_dimension, network.hidden);
    let labels = &parameters.tensors[LABELS];
    let n_labels = labels.len() / dimension;
    let mut products = vec![0.0; network.labels.len() * n_labels * hidden];
    let weights = parameters.tensors[LABEL_PLACES].chunks_exact(dimension * hidden);
    for (weights, products) in weights.zip(products.chunks_exact_mut(n_labels * hidden)) {
        multiply(Operand::rows(labels, dimension), weights, products, (n_labels, dimension, hidden));
    }
    products
}
