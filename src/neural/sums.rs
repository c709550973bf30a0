//! Sums of hidden units: the rows that make up the sum of a configuration, and the sums that are kept.
//!
//! Rows are of single precision, or of whole numbers of 16 bits in networks that are [quantised](super::quantised). What each token
//! contributes in each place are its *products*; those of common tokens are made once and kept for all sentences. What is read of one
//! cell makes up one *part* of the sum.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use hashbrown::HashMap;

use super::kernel::add_with;
use super::layout::{CellGroup, Layout};
use crate::configuration::{Cell, States, View};
use crate::features::{Input, N_COLUMNS, Vocabulary};
use crate::lazy_rows::LazyRows;
use crate::memo::Memo;
use crate::tree::Node;
use crate::vector::vectorised;

/// Elements of sums.
pub trait Unit: Pod + Default + Debug + Send + Sync {
    /// Adds `row` to `sum`.
    fn add(sum: &mut [Self], row: &[Self]);
}

impl Unit for f32 {
    #[inline(always)]
    fn add(sum: &mut [f32], row: &[f32]) {
        add_with(sum, row);
    }
}

impl Unit for i16 {
    /// Adds with saturation: sums that do not fit stay at the end of the range.
    #[inline(always)]
    fn add(sum: &mut [i16], row: &[i16]) {
        sum.iter_mut().zip(row).for_each(|(sum, term)| *sum = sum.saturating_add(*term));
    }
}

/// A token, by its values' numbers in the columns.
pub type Token = [u32; N_COLUMNS];

/// The most tokens that a model says are common.
const MOST_TOKENS: usize = 1 << 12;

/// The tokens of these sentences that come more than once, the commonest first. They have their numbers in `vocabulary`.
pub fn common_tokens<'i>(vocabulary: &Vocabulary, inputs: impl Iterator<Item = &'i Input>) -> Vec<Token> {
    let mut counts: HashMap<Token, usize> = HashMap::new();
    for input in inputs {
        for place in 0..(input.n_words() + 2) as Node {
            let token: Token = std::array::from_fn(|column| input.id(column, place.wrapping_sub(1)));
            // Another sentence's own sets have the same numbers.
            if vocabulary.has_token(&token) {
                *counts.entry(token).or_default() += 1;
            }
        }
    }
    let mut counts: Vec<(Token, usize)> = counts.into_iter().filter(|&(_, count)| count > 1).collect();
    counts.sort_unstable_by_key(|&(token, count)| (std::cmp::Reverse(count), token));
    counts.into_iter().take(MOST_TOKENS).map(|(token, _)| token).collect()
}

/// The most bytes that products of common tokens may take.
const MOST: usize = 32 << 20;

/// The common tokens of which products are kept, the commonest first.
#[derive(Debug, Clone, Default)]
pub struct Common {
    numbers: HashMap<Token, u32>,
    n: usize,
}

impl Common {
    /// As many of `tokens`, the commonest first, as there is room for if the products of each take this many bytes.
    pub fn new(tokens: &[Token], bytes: usize) -> Common {
        let n = tokens.len().min(MOST / bytes.max(1));
        Common { numbers: tokens[..n].iter().copied().zip(0..).collect(), n }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The number of a token, if it is one of them.
    #[inline]
    pub fn number(&self, token: &Token) -> Option<u32> {
        self.numbers.get(token).copied()
    }
}

/// Tables of addends that do not depend on the sentence.
#[derive(Debug, Clone)]
pub struct Tables<T> {
    /// The units of a row.
    pub width: usize,
    /// Bias: every sum begins with it.
    bias: Vec<T>,
    /// By place of a label, and by label: a row.
    labels: Vec<T>,
    n_labels: usize,
    /// By number of a common token.
    common: Arc<Products<T>>,
}

/// The products of common tokens.
#[derive(Debug)]
struct Products<T> {
    /// Flags of the products that were made once. What comes once and never again is not worth its memory.
    made: Box<[AtomicBool]>,
    /// Products that were needed again. They do not depend on the thread that makes them.
    kept: LazyRows<T>,
}

impl<T: Unit> Tables<T> {
    /// The tables with rows for this bias and these labels, of `width` units each.
    pub fn new(width: usize, bias: Vec<T>, labels: Vec<T>, layout: &Layout, common: &Common) -> Tables<T> {
        let n_labels = labels.len() / (width * layout.network.labels.len().max(1));
        let made = (0..common.n).map(|_| AtomicBool::new(false)).collect();
        let products = Products { made, kept: LazyRows::new(common.n, layout.network.places.len() * width) };
        Tables { width, bias, labels, n_labels, common: Arc::new(products) }
    }

    /// The products of a common token, if they are kept.
    #[inline]
    pub fn common(&self, number: u32) -> Option<&[T]> {
        self.common.kept.get(number as usize)
    }

    /// Keeps the products of a common token, which were made, if it is not for the first time; whether they are kept.
    pub fn keep(&self, number: u32, products: &[T]) -> bool {
        let Products { made, kept } = &*self.common;
        if made[number as usize].swap(true, Ordering::Relaxed) {
            kept.set(number as usize, products);
        }
        kept.get(number as usize).is_some()
    }

    /// The row of a label in a place of one.
    #[inline(always)]
    fn label(&self, place: usize, label: u32) -> &[T] {
        &self.labels[(place * self.n_labels + label as usize) * self.width..][..self.width]
    }
}

/// Place of a token's products.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// Those of a common one.
    Common(u32),
    /// In the sentence's own, from here on.
    Own(usize),
}

/// Place of a row of a sum.
#[derive(Debug, Clone, Copy)]
enum Term {
    /// The place of a token.
    Product(u32, u32),
    Part(u32),
}

/// The rows of one sentence.
#[derive(Debug, Clone, Default)]
pub struct Rows<T> {
    /// By token: where its products stand.
    pub bases: Vec<Base>,
    /// The products of tokens that are not common.
    pub products: Vec<T>,
    memo: Memo,
    parts: Vec<T>,
    /// Number of parts.
    pub n_parts: u32,
    /// The terms of the configuration that was found last.
    terms: Vec<Term>,
    /// Sums of new configurations, one row each.
    pub sums: Vec<T>,
}

/// A row of a sum.
#[derive(Debug, Clone, Copy)]
struct Addend<'r, T> {
    row: &'r [T],
    to: To,
}

/// Destination of a row that is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Sum,
    /// The part that is being made.
    Part,
    /// The part, which is then complete and is added to the sum.
    PartAndSum,
}

/// Rows that are added at once.
struct Addends<'r, T> {
    rows: [Addend<'r, T>; MOST_ADDENDS],
    n: usize,
}

/// Largest number of these.
const MOST_ADDENDS: usize = 32;

/// Number of units that are summed at once.
const UNITS: usize = 32;

impl<'r, T: Unit> Addends<'r, T> {
    fn none() -> Addends<'r, T> {
        Addends { rows: [Addend { row: &[], to: To::Sum }; MOST_ADDENDS], n: 0 }
    }

    #[inline(always)]
    fn push(&mut self, row: &'r [T], to: To) {
        self.rows[self.n] = Addend { row, to };
        self.n += 1;
    }

    /// Adds them to `sum`, in their order, and forgets them; all parts must be complete.
    ///
    /// PERF: some units at a time over all rows, so that they are summed in registers; row by row it takes longer, as what has been stored
    /// has to be loaded again.
    #[inline(always)]
    fn add_to(&mut self, sum: &mut [T]) {
        let addends = &self.rows[..self.n];
        self.n = 0;
        let (sums, last) = sum.as_chunks_mut::<UNITS>();
        for (number, sum) in sums.iter_mut().enumerate() {
            let (mut total, mut part) = (*sum, [T::default(); UNITS]);
            for addend in addends {
                let row = &addend.row.as_chunks::<UNITS>().0[number];
                addend.to.add(row, &mut total, &mut part);
            }
            *sum = total;
        }
        if !last.is_empty() {
            let part = &mut [T::default(); UNITS][..last.len()];
            for addend in addends {
                addend.to.add(addend.row.as_chunks::<UNITS>().1, last, part);
            }
        }
    }
}

impl To {
    #[inline(always)]
    fn add<T: Unit>(self, row: &[T], sum: &mut [T], part: &mut [T]) {
        if self == To::Sum {
            return T::add(sum, row);
        }
        T::add(part, row);
        if self == To::PartAndSum {
            T::add(sum, part);
            part.fill(T::default());
        }
    }
}

/// Adds rows to `sum`, in their order.
#[inline(always)]
fn add_rows<'r, T: Unit>(rows: impl Iterator<Item = &'r [T]>, sum: &mut [T]) {
    let mut addends = Addends::none();
    for row in rows {
        if addends.n == MOST_ADDENDS {
            addends.add_to(sum);
        }
        addends.push(row, To::Sum);
    }
    addends.add_to(sum);
}

impl<T: Unit> Rows<T> {
    /// Forgets all parts.
    pub fn clear(&mut self) {
        self.memo.clear();
        self.parts.clear();
        self.n_parts = 0;
    }

    /// The row of a token in a place.
    #[inline(always)]
    fn product<'r>(&'r self, tables: &'r Tables<T>, token: u32, place: usize) -> &'r [T] {
        let start = place * tables.width;
        match self.bases[token as usize] {
            Base::Common(number) => &tables.common(number).unwrap_or_default()[start..][..tables.width],
            Base::Own(base) => &self.products[base + start..][..tables.width],
        }
    }

    /// The rows of all that is read of a group's cell.
    #[inline(always)]
    fn rows_of<'r>(
        &'r self,
        tables: &'r Tables<T>,
        group: &'r CellGroup,
        cell: Option<&'r Cell>,
        states: &'r States,
    ) -> impl Iterator<Item = &'r [T]> {
        let products = group.tokens(cell, states).zip(group.places.clone());
        let labels = group.labels_of(cell, states).zip(group.labels.clone());
        let products = products.map(|(token, place)| self.product(tables, token, place));
        products.chain(labels.map(|(label, place)| tables.label(place, label)))
    }

    /// Makes the sums of hidden units of a configuration, the only one that is new, and keeps nothing of its
    /// parts: for derivations that never come back to one.
    pub fn sum_once(&mut self, tables: &Tables<T>, groups: &[CellGroup], (view, states): (&View, &States)) {
        let mut sums = std::mem::take(&mut self.sums);
        sums.resize(sums.len().max(tables.width), T::default());
        let sum = &mut sums[..tables.width];
        sum.copy_from_slice(&tables.bias);
        vectorised!(_simd => {
            let mut addends = Addends::none();
            for group in groups {
                let rows = self.rows_of(tables, group, view.cell(group.role), states);
                let n = group.places.len() + group.labels.len();
                if addends.n + n > MOST_ADDENDS {
                    addends.add_to(sum);
                }
                if n > MOST_ADDENDS {
                    // No program writes a model that reads so many places of one cell, but a file may say so.
                    let mut part = vec![T::default(); tables.width];
                    add_rows(rows, &mut part);
                    T::add(sum, &part);
                    continue;
                }
                let (inner, last) = if group.single().is_some() { (To::Sum, To::Sum) } else { (To::Part, To::PartAndSum) };
                for (row, number) in rows.zip(1..) {
                    addends.push(row, if number == n { last } else { inner });
                }
            }
            addends.add_to(sum);
        });
        self.sums = sums;
    }

    /// Finds the parts of a configuration, making those that are new; a fingerprint of all that is read.
    pub fn find(&mut self, tables: &Tables<T>, groups: &[CellGroup], (view, states): (&View, &States)) -> u64 {
        self.terms.clear();
        let mut fingerprint = 0x243f_6a88_85a3_08d3_u64;
        let mut mix = |value: u64| {
            let product = u128::from(fingerprint ^ value) * 0x9e37_79b9_7f4a_7c15;
            fingerprint = (product >> 64) as u64 ^ product as u64;
        };
        for group in groups {
            let cell = view.cell(group.role);
            if let Some(place) = group.single() {
                let token = group.tokens(cell, states).next().unwrap_or_default();
                self.terms.push(Term::Product(token, place as u32));
                mix(u64::from(token) + 1);
                continue;
            }
            let next = self.n_parts;
            let number = self.memo.get_or_insert(group.key(cell), next).unwrap_or_else(|| {
                self.n_parts += 1;
                let mut parts = std::mem::take(&mut self.parts);
                let start = parts.len();
                parts.resize(start + tables.width, T::default());
                vectorised!(_simd => add_rows(self.rows_of(tables, group, cell, states), &mut parts[start..]));
                self.parts = parts;
                next
            });
            self.terms.push(Term::Part(number));
            mix(u64::from(number) << 32 | 1);
        }
        fingerprint
    }

    /// The sums of hidden units of the configuration that was found last.
    #[inline]
    pub fn sum(&self, tables: &Tables<T>, sums: &mut [T]) {
        sums.copy_from_slice(&tables.bias);
        vectorised!(_simd => {
            let rows = self.terms.iter().map(|term| match *term {
                Term::Product(token, place) => self.product(tables, token, place as usize),
                Term::Part(number) => &self.parts[number as usize * tables.width..][..tables.width],
            });
            add_rows(rows, sums);
        });
    }

    /// Adds the sums of the configuration that was found last to those that are new, of which there are `n`.
    #[inline]
    pub fn push_sum(&mut self, tables: &Tables<T>, n: usize) {
        let mut sums = std::mem::take(&mut self.sums);
        let start = n * tables.width;
        if sums.len() < start + tables.width {
            sums.resize(start + tables.width, T::default());
        }
        self.sum(tables, &mut sums[start..start + tables.width]);
        self.sums = sums;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Role, Slot};
    use crate::features::{Columns, NetworkSet, Place, Vocabulary, WordShape};
    use crate::model::{Activation, Network};
    use crate::treebank::Column;

    /// As those whose parts are kept, also where a cell has more rows than are added at once.
    #[test]
    fn sums_that_are_made_at_once_are_those_of_parts() {
        for n_places in [1, 2, 13, 32, 33, 70] {
            let set = NetworkSet::load("focus").unwrap();
            let network = Network::new(&set, None, (40, Activation::Relu), false, true);
            let place = Place { role: Role::S0, slot: Slot::Node };
            let network = Network { places: vec![place; n_places], labels: Vec::new(), ..network };
            let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
            let layout = Layout::new(network, columns, Vocabulary::default());
            let bias: Vec<f32> = (0..40).map(|unit| unit as f32 * 0.37).collect();
            let tables = Tables::new(40, bias, Vec::new(), &layout, &Common::default());
            let products = (0..n_places * 40).map(|i| (i % 17) as f32 * 0.1 - 0.8).collect();
            let mut rows = Rows { bases: vec![Base::Own(0)], products, ..Rows::default() };
            let interner = crate::configuration::Interner::new(1);
            let read = (&View::default(), &*interner.states());
            rows.find(&tables, &layout.groups, read);
            let mut sum = vec![0.0; 40];
            rows.sum(&tables, &mut sum);
            rows.sum_once(&tables, &layout.groups, read);
            assert_eq!(rows.sums[..40], sum, "{n_places}");
        }
    }

    /// Against sums unit by unit: of more rows than are added at once, with and without parts, in rows of any width. Those of i16 saturate.
    #[test]
    fn rows_are_added_in_their_order() {
        for width in [1, 31, 32, 50, 96] {
            let row = |number: usize| -> Vec<i16> {
                (0..width).map(|unit| ((number * 7919 + unit * 104_729) % 50_001) as i16).collect()
            };
            let rows: Vec<Vec<i16>> = (0..70).map(row).collect();
            let by_unit = |terms: &[&[usize]]| -> Vec<i16> {
                let total = |unit: usize, numbers: &[usize], begin: i16| {
                    numbers.iter().fold(begin, |sum, &number| sum.saturating_add(rows[number][unit]))
                };
                (0..width)
                    .map(|unit| {
                        terms.iter().fold(-7, |sum: i16, numbers| match numbers {
                            [number] => sum.saturating_add(rows[*number][unit]),
                            numbers => sum.saturating_add(total(unit, numbers, 0)),
                        })
                    })
                    .collect()
            };
            let all: Vec<[usize; 1]> = (0..70).map(|number| [number]).collect();
            let mut sum = vec![-7; width];
            add_rows(rows.iter().map(Vec::as_slice), &mut sum);
            assert_eq!(sum, by_unit(&all.iter().map(|number| &number[..]).collect::<Vec<_>>()), "{width}");

            let terms: [&[usize]; 4] = [&[0], &[1, 2, 3], &[4, 5], &[6]];
            let mut addends = Addends::none();
            for numbers in terms {
                for (place, &number) in numbers.iter().enumerate() {
                    let to = match (numbers.len(), place + 1 == numbers.len()) {
                        (1, _) => To::Sum,
                        (_, false) => To::Part,
                        (_, true) => To::PartAndSum,
                    };
                    addends.push(&rows[number], to);
                }
            }
            let mut sum = vec![-7; width];
            addends.add_to(&mut sum);
            assert_eq!(sum, by_unit(&terms), "{width}");
            addends.add_to(&mut sum);
            assert_eq!(sum, by_unit(&terms), "they are forgotten");
        }
    }
}
