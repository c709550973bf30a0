//! Trees as columns.

use std::collections::TryReserveError;
use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treebeam::decode::Parsed;
use treebeam::error::{Error, Result};
use treebeam::parser::{AnyParser, CHUNK_WORDS, Loaded};
use treebeam::tree::Node;
use treebeam::treebank::Words as _;

use super::Sentences;
use super::sentences::Row;
use crate::memory::{no_memory, room};

/// The columns `head`, `deprel` and `score`, row by row.
#[derive(Default)]
pub struct Columns {
    n_rows: usize,
    /// A bit for each row, and how many are not set.
    validity: Vec<u8>,
    n_null: usize,
    /// Start of the row's words, and end of the last row's.
    offsets: Vec<i32>,
    heads: Vec<i32>,
    /// Start of the words' labels.
    label_offsets: Vec<i32>,
    labels: Vec<u8>,
    scores: Vec<f64>,
}

/// The columns as buffers: rows, words, nulls, validity, offsets, heads, offsets of labels, labels, scores.
pub type Buffers = (usize, usize, usize, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes);

/// Bytes for Python.
pub struct Bytes(Vec<u8>);

impl<'py> IntoPyObject<'py> for Bytes {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyBytes::new(py, &self.0))
    }
}

impl Columns {
    /// Parses the next of `rows`, so many words of them that threads are kept busy. Rows that cannot be parsed are left out if it
    /// is to keep going.
    ///
    /// # Errors
    /// The first problem, otherwise.
    pub fn parse_chunk(
        &mut self,
        sentences: &Sentences<'_>,
        rows: &mut Range<usize>,
        parser: &mut AnyParser,
        model: &Loaded,
        keep_going: bool,
    ) -> Result<()> {
        // Rows that are there, and of all whether they are.
        let (mut chunk, mut there, mut words): (Vec<Row<'_>>, _, _) = (Vec::new(), Vec::new(), 0);
        while words < CHUNK_WORDS
            && let Some(row) = rows.next()
        {
            let read = sentences.row(row).map_err(Into::into);
            let read = read.and_then(|row| row.map(|row| parser.check(&row).map(|()| row)).transpose());
            let read = match read {
                Err(_) if keep_going => None,
                read => read?,
            };
            there.push(read.as_ref().map(Row::n_words));
            words += read.as_ref().map_or(1, Row::n_words);
            chunk.extend(read.filter(|row| row.n_words() > 0));
        }
        let parsed = parser.parse(&chunk)?;
        self.reserve(&parsed, model).map_err(|_| no_memory("the columns"))?;
        let mut parsed = parsed.into_iter().flat_map(|parsed| parsed.into_iter().next());
        for n_words in there {
            match n_words {
                None => self.add_none(),
                Some(0) => self.add(&[], &[], 0.0),
                Some(_) => {
                    let Some(best) = parsed.next() else { continue };
                    let score = best.score as f64 / f64::from(model.scale());
                    self.add(best.tree.heads(), &model.labels().names_of(&best.tree), score);
                }
            }
        }
        if self.labels.len() > i32::MAX as usize {
            return Err(Error::Usage(
                "the labels of the batch take more than 2 GiB; expected smaller batches".to_owned(),
            ));
        }
        Ok(())
    }

    /// Makes room for the best trees.
    fn reserve(&mut self, parsed: &[Vec<Parsed>], model: &Loaded) -> Result<(), TryReserveError> {
        let labels = || parsed.iter().flat_map(|parsed| parsed.first()).flat_map(|best| best.tree.labels());
        self.heads.try_reserve(labels().count())?;
        self.label_offsets.try_reserve(labels().count() + 1)?;
        self.labels.try_reserve(labels().map(|&label| model.labels().name(label).len()).sum())
    }

    fn add(&mut self, heads: &[Node], labels: &[&str], score: f64) {
        self.begin(true, score);
        for (&head, label) in heads.iter().zip(labels) {
            self.heads.push(head.into());
            self.label_offsets.push(self.labels.len() as i32);
            self.labels.extend_from_slice(label.as_bytes());
        }
    }

    /// Adds a row without a sentence.
    fn add_none(&mut self) {
        self.n_null += 1;
        self.begin(false, 0.0);
    }

    fn begin(&mut self, is_there: bool, score: f64) {
        let bit = self.n_rows % 8;
        if bit == 0 {
            self.validity.push(0);
        }
        if let Some(bits) = self.validity.last_mut() {
            *bits |= u8::from(is_there) << bit;
        }
        self.offsets.push(self.heads.len() as i32);
        self.scores.push(score);
        self.n_rows += 1;
    }

    /// The buffers of the columns.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn buffers(mut self) -> PyResult<Buffers> {
        self.offsets.push(self.heads.len() as i32);
        self.label_offsets.push(self.labels.len() as i32);
        let counts = (self.n_rows, self.heads.len(), self.n_null);
        let of_numbers = |numbers: Vec<i32>| bytes(&numbers, |number| number.to_ne_bytes());
        let (offsets, heads) = (of_numbers(self.offsets)?, of_numbers(self.heads)?);
        let (label_offsets, scores) =
            (of_numbers(self.label_offsets)?, bytes(&self.scores, |score| score.to_ne_bytes())?);
        let (validity, labels) = (Bytes(self.validity), Bytes(self.labels));
        Ok((counts.0, counts.1, counts.2, validity, offsets, heads, label_offsets, labels, scores))
    }
}

/// The bytes of numbers.
fn bytes<T: Copy, const N: usize>(numbers: &[T], of_number: impl Fn(T) -> [u8; N]) -> PyResult<Bytes> {
    let mut bytes = Vec::new();
    room(&mut bytes, numbers.len() * N)?;
    numbers.iter().for_each(|&number| bytes.extend(of_number(number)));
    Ok(Bytes(bytes))
}
