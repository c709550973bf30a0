//! Networks in fewer bits: `treebeam model freeze --quantise`.
//!
//! | precision | parameters in the file | rows of sums | output layer |
//! |---|---|---|---|
//! | `full` | f32 | f32 | f32 |
//! | `i16` | i16, with a step for each tensor | i16, in steps of 1/256, within ±128 | f32 |
//! | `i8` | the same | the same | activations u8 with a step for each configuration, weights i8 with one for each action |
//!
//! The products of a token are sums of what the values of its columns contribute, each of which is rounded, so that a rare word costs
//! no more than its own part. With `i8` they are products of bytes like the output layer's, unless an encoder makes what is multiplied: steps of
//! the embedding follow from its largest number, and each hidden unit has its step of weights in each place. Sums saturate. The steps of activations
//! follow from the largest one of the configuration, so nothing has to be known of the data.
//! Values that may be negative (embeddings, activations of `tanh` and `cube`) are moved up by [`MIDDLE`], which is
//! taken off again from the sums.
//!
//! With H hidden units, z and h the exact sums and activations of a configuration, W the exact output layer, and r roundings in a sum,
//! a score is off by at most Σ (|h' − h| |W| + h |W' − W|), where the rounded z' is within r / 512 of z and what products of bytes
//! are off by, activations within half a step of those of z', and weights within half a step of W; tests hold it to that.

use std::sync::Arc;

use super::activation::activate;
use super::bytes::ByteWeights;
use super::kernel::{Operand, Panels, multiply, tanh};
use super::layout::Layout;
use super::parameters::Parameters;
use super::sums::{Common, Tables, Token, Unit as _};
use super::tensors::{BIAS, OUTPUT, OUTPUT_BIAS, PLACES};
use crate::features::{N_COLUMNS, Sets};
use crate::lazy_rows::LazyRows;
use crate::linear::Precision;
use crate::model::Activation;
use crate::vector::vectorised;

/// Scale of sums: the value of 1.0 in rows of sums.
const ONE: f32 = 256.0;
/// The byte that stands for an activation of 0, where there are negative ones.
const MIDDLE: i32 = 128;
/// The largest weight in bytes, and the largest activation where there are negative ones.
const LARGEST: f32 = 127.0;
/// The largest activation where there are none.
const TOP: f32 = 255.0;
/// Rows are filled up to a whole number of these.
const UNITS: usize = 32;

/// A quantised network.
#[derive(Debug, Clone)]
pub struct Quantised {
    /// Tables that sums are made of.
    pub tables: Tables<i16>,
    /// Columns that products are made of, without an encoder.
    columns: Vec<Column>,
    output: Option<ByteLayer>,
}

/// Contributions of the values of a column to products.
#[derive(Debug, Clone)]
struct Column {
    /// Its number among the columns of a sentence.
    number: usize,
    dimension: usize,
    /// By place: what their embeddings are multiplied by.
    places: Places,
    /// By value, of the most frequent ones: its row, once it was needed.
    kept: Arc<LazyRows<i16>>,
}

/// Largest number of rows to keep of each column, if a row is of this many bytes.
const KEPT: [usize; N_COLUMNS] = [256, 256, 1024, 1024, 256];
const KEPT_BYTES: usize = 1 << 13;

/// Multipliers of embeddings, place after place.
#[derive(Debug, Clone)]
enum Places {
    Full(Panels),
    /// The units of each place fill up a row.
    Bytes(ByteLayer),
}

/// A layer whose weights and inputs are bytes.
#[derive(Debug, Clone)]
struct ByteLayer {
    weights: ByteWeights,
    /// By output: the step of weights.
    steps: Vec<f32>,
    /// By output: the sum of weights, times the zero point.
    zeros: Vec<i32>,
}

/// Scratch memory of scoring.
#[derive(Debug, Clone, Default)]
pub struct ByteScratch {
    units: Vec<f32>,
    bytes: Vec<u8>,
    steps: Vec<f32>,
    sums: Vec<i32>,
    /// Values of a column whose rows are made, and these.
    ids: Vec<u32>,
    rows: Vec<i16>,
}

impl Quantised {
    /// The network of these parameters, whose labels contribute `labels`; none if it is to have full precision.
    pub fn new(
        layout: &Layout,
        parameters: &Parameters,
        (labels, common): (&[f32], &Common),
        precision: Precision,
    ) -> Option<Quantised> {
        if precision == Precision::Full {
            return None;
        }
        let hidden = layout.network.hidden;
        let rows = |values: &[f32]| {
            let mut rows = Vec::new();
            push_rounded(values, hidden, &mut rows);
            rows
        };
        let (bias, labels) = (rows(&parameters.tensors[BIAS]), rows(labels));
        let tables = Tables::new(padded(hidden), bias, labels, layout, common);
        let signed = layout.network.activation != Activation::Relu;
        let in_bytes = precision == Precision::I8;
        let output = in_bytes.then(|| {
            let n_outputs = parameters.tensors[OUTPUT].len() / hidden;
            ByteLayer::new(parameters.tensors[OUTPUT].chunks_exact(n_outputs), (padded(hidden), n_outputs), signed)
        });
        let columns = if layout.network.encoder.is_none() { columns(layout, parameters, in_bytes) } else { Vec::new() };
        Some(Quantised { tables, columns, output })
    }

    /// Adds the products of these tokens, which are sums of what their values contribute, column by column.
    pub fn push_products(
        &self,
        (layout, parameters): (&Layout, &Parameters),
        (sets, tokens): (&Sets, &[Token]),
        scratch: &mut ByteScratch,
        products: &mut Vec<i16>,
    ) {
        let (hidden, n_places) = (layout.network.hidden, layout.network.places.len());
        let (start, width) = (products.len(), self.tables.width * n_places);
        products.resize(start + tokens.len() * width, 0);
        let mut ids = std::mem::take(&mut scratch.ids);
        let mut rows = std::mem::take(&mut scratch.rows);
        for column in &self.columns {
            let (number, table) = (column.number, &parameters.tensors[column.number]);
            ids.clear();
            for &id in tokens.iter().flat_map(|token| sets.values(number, &token[number])) {
                if column.kept(id).is_none() && !ids.contains(&id) {
                    ids.push(id);
                }
            }
            rows.clear();
            if !ids.is_empty() {
                let n = column.dimension;
                let embeddings: Vec<f32> = ids.iter().flat_map(|&id| &table[id as usize * n..][..n]).copied().collect();
                column.push_rows(&embeddings, (n_places, hidden), scratch, &mut rows);
                for (&id, row) in ids.iter().zip(rows.chunks_exact(width)) {
                    column.kept.set(id as usize, row);
                }
            }
            for (token, sum) in tokens.iter().zip(products[start..].chunks_exact_mut(width)) {
                for &value in sets.values(number, &token[number]) {
                    let made = || ids.iter().position(|&id| id == value).unwrap_or_default();
                    let row = column.kept(value).unwrap_or_else(|| &rows[made() * width..][..width]);
                    vectorised!(_simd => i16::add(sum, row));
                }
            }
        }
        (scratch.ids, scratch.rows) = (ids, rows);
    }

    /// Replaces `scores` by those of `n` configurations, from the sums of their hidden units.
    pub fn scores(
        &self,
        (layout, parameters): (&Layout, &Parameters),
        (sums, n): (&[i16], usize),
        scratch: &mut ByteScratch,
        scores: &mut Vec<f32>,
    ) {
        let (hidden, activation) = (layout.network.hidden, layout.network.activation);
        let rows = sums.chunks_exact(self.tables.width).take(n);
        let bias = &parameters.tensors[OUTPUT_BIAS];
        scores.clear();
        let Some(output) = &self.output else {
            (0..n).for_each(|_| scores.extend_from_slice(bias));
            scratch.units.clear();
            rows.for_each(|row| scratch.units.extend(row[..hidden].iter().map(|&z| f32::from(z) / ONE)));
            activate(activation, &mut scratch.units);
            let units = Operand::rows(&scratch.units, hidden);
            multiply(units, &parameters.tensors[OUTPUT], scores, (n, hidden, bias.len()));
            return;
        };
        let (inner, width) = (output.weights.inner(), output.weights.width());
        scratch.bytes.resize(n * inner, 0);
        scratch.sums.resize(n * width, 0);
        scratch.steps.clear();
        for (row, bytes) in rows.zip(scratch.bytes.chunks_exact_mut(inner)) {
            scratch.steps.push(vectorised!(_simd => to_bytes(activation, &row[..inner], bytes, &mut scratch.units)));
        }
        output.weights.multiply(&scratch.bytes[..n * inner], &mut scratch.sums[..n * width]);
        scores.resize(n * bias.len(), 0.0);
        let all = scores.chunks_exact_mut(bias.len()).zip(scratch.sums.chunks_exact(width)).zip(&scratch.steps);
        vectorised!(_simd => {
            for ((scores, sums), &step) in all {
                let outputs = scores.iter_mut().zip(sums).zip(&output.zeros).zip(&output.steps).zip(bias);
                outputs.for_each(|((((score, sum), zero), weight), bias)| {
                    *score = ((sum - zero) as f32 * step).mul_add(*weight, *bias);
                });
            }
        });
    }
}

impl Column {
    /// Adds the rows of these embeddings.
    fn push_rows(
        &self,
        embeddings: &[f32],
        (n_places, hidden): (usize, usize),
        scratch: &mut ByteScratch,
        rows: &mut Vec<i16>,
    ) {
        let n = embeddings.len() / self.dimension;
        match &self.places {
            Places::Full(panels) => {
                let units = &mut scratch.units;
                units.clear();
                units.resize(n * panels.width(), 0.0);
                panels.multiply(Operand::rows(embeddings, self.dimension), units, n);
                for units in units.chunks_exact(panels.width()) {
                    push_rounded(&units[..n_places * hidden], hidden, rows);
                }
            }
            Places::Bytes(layer) => {
                let ByteScratch { bytes, steps, sums, .. } = scratch;
                let (inner, width) = (layer.weights.inner(), layer.weights.width());
                bytes.resize(n * inner, 0);
                sums.resize(n * width, 0);
                steps.clear();
                for (embedding, bytes) in embeddings.chunks_exact(self.dimension).zip(bytes.chunks_exact_mut(inner)) {
                    steps.push(vectorised!(_simd => signed_bytes(embedding, bytes)));
                }
                layer.weights.multiply(&bytes[..n * inner], &mut sums[..n * width]);
                let start = rows.len();
                rows.resize(start + n * width, 0);
                let all = rows[start..].chunks_exact_mut(width).zip(sums.chunks_exact(width)).zip(&*steps);
                vectorised!(_simd => {
                    for ((row, sums), &step) in all {
                        for (((to, sum), zero), weight) in row.iter_mut().zip(sums).zip(&layer.zeros).zip(&layer.steps) {
                            *to = rounded((sum - zero) as f32 * step * weight);
                        }
                    }
                });
            }
        }
    }

    /// The row of a value, if it was made and is kept.
    fn kept(&self, id: u32) -> Option<&[i16]> {
        self.kept.get(id as usize)
    }
}

fn columns(layout: &Layout, parameters: &Parameters, in_bytes: bool) -> Vec<Column> {
    let network = &layout.network;
    let (hidden, n_places) = (network.hidden, network.places.len());
    let bytes = n_places * padded(hidden) * size_of::<i16>();
    let mut start = 0;
    let column = |(number, dimension): (usize, usize)| {
        let by_place = parameters.tensors[PLACES].chunks_exact(network.dimension() * hidden);
        let own: Vec<f32> =
            by_place.flat_map(|weights| &weights[start * hidden..][..dimension * hidden]).copied().collect();
        start += dimension;
        let places = match in_bytes {
            false => Places::Full(Panels::new(&own, (dimension, hidden))),
            true => {
                let row = |number: usize| {
                    let by_place = own.chunks_exact(dimension * hidden);
                    let mut row = Vec::with_capacity(n_places * padded(hidden));
                    for weights in by_place {
                        row.extend_from_slice(&weights[number * hidden..][..hidden]);
                        row.resize(row.len().next_multiple_of(padded(hidden)), 0.0);
                    }
                    row
                };
                let rows: Vec<Vec<f32>> = (0..dimension).map(row).collect();
                let rows = rows.iter().map(Vec::as_slice);
                Places::Bytes(ByteLayer::new(rows, (dimension, n_places * padded(hidden)), true))
            }
        };
        let n_kept = (parameters.tensors[number].len() / dimension).min(KEPT[number] * KEPT_BYTES / bytes);
        let kept = LazyRows::new(n_kept, n_places * padded(hidden));
        Column { number, dimension, places, kept: Arc::new(kept) }
    };
    network.dimensions.into_iter().enumerate().filter(|(_, dimension)| *dimension > 0).map(column).collect()
}

impl ByteLayer {
    /// The layer of `inner` inputs, of which the last ones may have no row of weights, to `n_outputs`; whether inputs may be negative.
    fn new<'w>(
        rows: impl Iterator<Item = &'w [f32]> + Clone,
        (inner, n_outputs): (usize, usize),
        signed: bool,
    ) -> ByteLayer {
        let mut steps = vec![0.0_f32; n_outputs];
        for row in rows.clone() {
            steps.iter_mut().zip(row).for_each(|(step, weight)| *step = step.max(weight.abs()));
        }
        steps.iter_mut().for_each(|step| *step /= LARGEST);
        let mut zeros = vec![0; n_outputs];
        let mut bytes = Vec::with_capacity(inner * n_outputs);
        for row in rows {
            for ((weight, &step), zero) in row.iter().zip(&steps).zip(&mut zeros) {
                let byte = if step > 0.0 { (weight / step).round_ties_even() as i8 } else { 0 };
                bytes.push(byte);
                *zero += if signed { MIDDLE * i32::from(byte) } else { 0 };
            }
        }
        bytes.resize(inner * n_outputs, 0);
        ByteLayer { weights: ByteWeights::new(&bytes, (inner, n_outputs)), steps, zeros }
    }
}

/// The units of a row that holds so many.
pub fn padded(hidden: usize) -> usize {
    hidden.next_multiple_of(UNITS)
}

/// Adds rows of `width` numbers to rows of [`padded`] ones.
pub fn push_rounded(values: &[f32], width: usize, rows: &mut Vec<i16>) {
    for row in values.chunks_exact(width) {
        let start = rows.len();
        rows.resize(start + padded(width), 0);
        vectorised!(_simd => {
            rows[start..].iter_mut().zip(row).for_each(|(to, &value)| *to = rounded(value));
        });
    }
}

/// The nearest number of a row of sums.
#[inline(always)]
fn rounded(value: f32) -> i16 {
    nearest((value * ONE).clamp(i16::MIN.into(), i16::MAX.into())) as i16
}

/// The nearest whole number, the even one of two, in its lowest 16 bits: by adding what leaves no bits for fractions.
#[inline(always)]
fn nearest(x: f32) -> i32 {
    (x + 12_582_912.0).to_bits() as i32
}

/// Fills in bytes for values that may be negative; gives the value of a step.
#[inline(always)]
fn signed_bytes(values: &[f32], bytes: &mut [u8]) -> f32 {
    let highest = values.iter().fold(0.0, |highest: f32, value| highest.max(value.abs()));
    let factor = if highest > 0.0 { LARGEST / highest } else { 0.0 };
    for (byte, value) in bytes.iter_mut().zip(values) {
        *byte = (nearest(value * factor) + MIDDLE) as u8;
    }
    highest / LARGEST
}

/// Fills in the activations of a row of sums; gives the value of a step.
#[inline(always)]
fn to_bytes(activation: Activation, sums: &[i16], bytes: &mut [u8], units: &mut Vec<f32>) -> f32 {
    match activation {
        Activation::Relu => {
            let highest = sums.iter().fold(0, |highest: i16, &z| highest.max(z));
            let factor = TOP / f32::from(highest.max(1));
            for (byte, &z) in bytes.iter_mut().zip(sums) {
                *byte = nearest(f32::from(z.max(0)) * factor) as u8;
            }
            f32::from(highest) / (TOP * ONE)
        }
        Activation::Tanh => {
            for (byte, &z) in bytes.iter_mut().zip(sums) {
                *byte = (nearest(tanh(f32::from(z) / ONE) * LARGEST) + MIDDLE) as u8;
            }
            1.0 / LARGEST
        }
        Activation::Cube => {
            units.clear();
            units.extend(sums.iter().map(|&z| f32::from(z) / ONE));
            units.iter_mut().for_each(|unit| *unit = *unit * *unit * *unit);
            signed_bytes(units, bytes)
        }
    }
}
