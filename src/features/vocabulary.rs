//! The values of columns by number, for scorers that keep a vector or a row for each.

use hashbrown::HashMap;

use super::N_COLUMNS;
use crate::error::Result;
use crate::files::{Section, Sections};

/// The values of some training sentences, numbered by column: from 1 on, the most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    pub(super) columns: Vec<HashMap<u64, u32>>,
}

impl Vocabulary {
    /// The number of values that are not in the vocabulary.
    pub const UNKNOWN: u32 = 0;

    /// The same with more values of one column, which have the next numbers in their order. Values that are known keep theirs.
    #[must_use]
    pub fn with(&self, column: usize, values: &[u64]) -> Vocabulary {
        let mut with = self.clone();
        if let Some(ids) = with.columns.get_mut(column) {
            for &value in values {
                let next = ids.len() as u32 + 1;
                ids.entry(value).or_insert(next);
            }
        }
        with
    }

    /// The number of `value` in the column with this number, or [`Vocabulary::UNKNOWN`].
    #[inline]
    pub fn id(&self, column: usize, value: u64) -> u32 {
        self.columns.get(column).and_then(|ids| ids.get(&value)).copied().unwrap_or(Vocabulary::UNKNOWN)
    }

    /// The number of numbers in a column, that of unknown values included.
    pub fn len(&self, column: usize) -> usize {
        self.columns.get(column).map_or(1, |ids| ids.len() + 1)
    }

    /// The number of numbers in all columns.
    pub fn n_values(&self) -> usize {
        (0..N_COLUMNS).map(|column| self.len(column)).sum()
    }

    /// The values of a column, in the order of their numbers, as a file holds them; none if there is no such column.
    pub fn values(&self, column: usize) -> Vec<u64> {
        let values = self.columns.get(column).into_iter().flatten();
        let mut values: Vec<(u32, u64)> = values.map(|(&value, &id)| (id, value)).collect();
        values.sort_unstable();
        values.into_iter().map(|(_, value)| value).collect()
    }

    /// The sections of a model file that hold the values.
    pub fn sections(&self) -> Vec<Section<'static>> {
        let values = |column| bytemuck::cast_slice::<u64, u8>(&self.values(column)).to_vec();
        (0..N_COLUMNS).map(|column| Section::new(format!("values-{column}"), values(column))).collect()
    }

    /// The vocabulary in these sections.
    ///
    /// # Errors
    /// If one is missing, or a value comes twice in a column.
    pub fn from_sections(sections: &Sections) -> Result<Vocabulary> {
        let values = |column| Ok(sections.numbers::<u64>(&format!("values-{column}"))?.to_vec());
        let values = (0..N_COLUMNS).map(values).collect::<Result<Vec<Vec<u64>>>>()?;
        Vocabulary::from_values(values.iter().map(|values| &values[..]))
            .ok_or_else(|| sections.damaged("a value comes twice in the vocabulary"))
    }

    /// The vocabulary of columns with these values; `None` if one comes twice in a column.
    pub fn from_values<'v>(columns: impl Iterator<Item = &'v [u64]>) -> Option<Vocabulary> {
        let ids = |values: &[u64]| values.iter().zip(1..).map(|(&value, id)| (value, id)).collect::<HashMap<_, _>>();
        let checked = |values| Some(ids(values)).filter(|ids| ids.len() == values.len());
        Some(Vocabulary { columns: columns.map(checked).collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Columns, Input, WordShape};
    use crate::tree::ROOT;
    use crate::treebank::generate::{Options, sentences};
    use crate::treebank::{Column, Sentence};

    #[test]
    fn values_have_numbers_by_frequency_and_come_back() {
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
        let sentences: Vec<Sentence> = sentences(Options { seed: 3, n_sentences: 30, non_projective: false }).collect();
        let inputs: Vec<Input> = sentences.iter().map(|sentence| Input::new(&columns, sentence)).collect();
        let vocabulary = Vocabulary::new(inputs.iter(), 2, 3);
        let [words, tags] = [0, 1].map(|column| vocabulary.values(column));
        assert!(words.len() > tags.len() && vocabulary.len(1) == tags.len() + 1);
        let count = |value| inputs.iter().flat_map(|input| input.column(0)).filter(|&&other| other == value).count();
        assert!(words.iter().map(|&value| count(value)).is_sorted_by(|a, b| a >= b));
        assert!(words.iter().all(|&value| count(value) >= 3));
        let again = Vocabulary::from_values([&words[..], &tags].into_iter()).unwrap();
        assert_eq!(again, vocabulary);
        assert_eq!(Vocabulary::from_values([&[7, 7][..]].into_iter()), None);

        let mut input = Input::default();
        input.read(&columns, Some(&vocabulary), &sentences[0]);
        assert_eq!(words[input.id(0, ROOT) as usize - 1], input.value(0, ROOT));
        for word in 1..=sentences[0].n_words() as u16 {
            assert_eq!(input.id(0, word), vocabulary.id(0, input.value(0, word)));
            assert_eq!(inputs[0].id(0, word), Vocabulary::UNKNOWN);
        }
    }
}
