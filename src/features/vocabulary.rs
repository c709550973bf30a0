//! The values of columns by number, for scorers that keep a vector or a row for each.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::N_COLUMNS;
use crate::error::Result;
use crate::files::{Section, Sections};

/// The values of some training sentences, numbered by column: from 1 on, the most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    pub(super) columns: Vec<HashMap<u64, u32>>,
    /// By column: its sets of several values.
    pub(super) sets: Arc<[KnownSets]>,
}

/// Sets of several values that a column has in training data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownSets {
    /// By number: the numbers of its values, in order.
    lists: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
}

impl KnownSets {
    /// These sets, by number.
    pub(super) fn new(lists: Vec<Vec<u32>>) -> KnownSets {
        KnownSets { numbers: lists.iter().cloned().zip(0..).collect(), lists }
    }
}

/// The sets of several values that a sentence may have: those of a vocabulary, and behind them its own. A node has one number in
/// each column: that of its value, or of a set of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sets {
    known: Arc<[KnownSets]>,
    own: Vec<Vec<u32>>,
}

/// Bit of numbers that are of sets.
const SET: u32 = 1 << 31;

impl Sets {
    /// Those of a vocabulary.
    pub(super) fn of(vocabulary: &Vocabulary) -> Sets {
        Sets { known: Arc::clone(&vocabulary.sets), own: Vec::new() }
    }

    /// The numbers of the values that `id` stands for in a column: itself, or those in the set of this number.
    #[inline]
    pub fn values<'s>(&'s self, column: usize, id: &'s u32) -> &'s [u32] {
        if id & SET == 0 { std::slice::from_ref(id) } else { self.list(column, (id & !SET) as usize) }
    }

    fn list(&self, column: usize, number: usize) -> &[u32] {
        let known = self.known.get(column).map_or(&[][..], |known| &known.lists);
        known.get(number).unwrap_or_else(|| &self.own[number - known.len()])
    }

    /// The number of the set of these values, of which there is at least one, in a column. A set that is new is the sentence's own.
    pub fn number(&mut self, column: usize, mut values: Vec<u32>) -> u32 {
        if let [value] = values[..] {
            return value;
        }
        values.sort_unstable();
        let known = self.known.get(column);
        if let Some(number) = known.and_then(|known| known.numbers.get(&values)) {
            return SET | number;
        }
        let own = self.own.iter().position(|own| *own == values).unwrap_or(self.own.len());
        if own == self.own.len() {
            self.own.push(values);
        }
        SET | (known.map_or(0, |known| known.lists.len()) + own) as u32
    }
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

    /// True if these are numbers of values, by column, or of sets of them that are not a sentence's own.
    pub fn has_token(&self, token: &[u32; N_COLUMNS]) -> bool {
        let has = |(column, &id): (usize, &u32)| match id & SET {
            0 => (id as usize) < self.len(column),
            _ => self.sets.get(column).is_some_and(|sets| ((id & !SET) as usize) < sets.lists.len()),
        };
        token.iter().enumerate().all(has)
    }

    /// The number of numbers of values in a column, that of unknown ones included.
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
        let mut sections: Vec<Section> =
            (0..N_COLUMNS).map(|column| Section::new(format!("values-{column}"), values(column))).collect();
        for (column, sets) in self.sets.iter().enumerate().filter(|(_, sets)| !sets.lists.is_empty()) {
            let lists =
                sets.lists.iter().flat_map(|list| std::iter::once(list.len() as u32).chain(list.iter().copied()));
            let numbers: Vec<u32> = lists.collect();
            sections.push(Section::new(sets_of(column), bytemuck::cast_slice::<u32, u8>(&numbers).to_vec()));
        }
        sections
    }

    /// The vocabulary in these sections.
    ///
    /// # Errors
    /// If one is missing, a value comes twice in a column, or a set twice or with values that are not there.
    pub fn from_sections(sections: &Sections) -> Result<Vocabulary> {
        let values = |column| Ok(sections.numbers::<u64>(&format!("values-{column}"))?.to_vec());
        let values = (0..N_COLUMNS).map(values).collect::<Result<Vec<Vec<u64>>>>()?;
        let vocabulary = Vocabulary::from_values(values.iter().map(|values| &values[..]))
            .ok_or_else(|| sections.damaged("a value comes twice in the vocabulary"))?;
        if !(0..N_COLUMNS).any(|column| sections.has(&sets_of(column))) {
            return Ok(vocabulary);
        }
        let sets = |column| {
            let name = sets_of(column);
            let numbers = if sections.has(&name) { sections.numbers::<u32>(&name)?.to_vec() } else { Vec::new() };
            let lists = lists(&numbers, vocabulary.len(column));
            lists.ok_or_else(|| sections.damaged("the vocabulary's sets are not of its values, or one comes twice"))
        };
        let sets = (0..N_COLUMNS).map(sets).collect::<Result<Arc<[KnownSets]>>>()?;
        Ok(Vocabulary { sets, ..vocabulary })
    }

    /// The vocabulary of columns with these values; `None` if one comes twice in a column.
    pub fn from_values<'v>(columns: impl Iterator<Item = &'v [u64]>) -> Option<Vocabulary> {
        let ids = |values: &[u64]| values.iter().zip(1..).map(|(&value, id)| (value, id)).collect::<HashMap<_, _>>();
        let checked = |values| Some(ids(values)).filter(|ids| ids.len() == values.len());
        Some(Vocabulary { columns: columns.map(checked).collect::<Option<_>>()?, sets: Arc::default() })
    }

    /// The same with the sets of several values that `sets` has, by column.
    #[must_use]
    pub(super) fn with_sets(self, sets: Vec<BTreeSet<Vec<u32>>>) -> Vocabulary {
        let sets = sets.into_iter().map(|sets| KnownSets::new(sets.into_iter().collect())).collect();
        Vocabulary { sets, ..self }
    }
}

/// Name of the section of a column's sets: the length of each, and behind it its numbers.
fn sets_of(column: usize) -> String {
    format!("sets-{column}")
}

/// The sets in a section, of numbers below `n`; `None` if there cannot be such sets.
fn lists(numbers: &[u32], n: usize) -> Option<KnownSets> {
    let (mut lists, mut rest) = (Vec::new(), numbers);
    while let Some((&length, behind)) = rest.split_first() {
        let (list, behind) = behind.split_at_checked(length as usize)?;
        let is_set = list.len() > 1 && list.is_sorted() && list.iter().all(|&number| (number as usize) < n);
        lists.push(is_set.then(|| list.to_vec())?);
        rest = behind;
    }
    Some(KnownSets::new(lists)).filter(|sets| sets.numbers.len() == sets.lists.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Attribute, Columns, Input, WordShape};
    use crate::tree::ROOT;
    use crate::treebank::generate::{GeneratorOptions, sentences};
    use crate::treebank::{Column, Format, Sentence};

    #[test]
    fn values_have_numbers_by_frequency_and_come_back() {
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
        let sentences: Vec<Sentence> =
            sentences(GeneratorOptions { seed: 3, n_sentences: 30, non_projective: false }).collect();
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

    /// The number of a set says which values it has, in whichever order; known ones have theirs in every sentence, others in their own.
    #[test]
    fn sets_have_numbers() {
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
        let columns = columns.with_inputs(&[Attribute::spelled("feats*").unwrap()]);
        let sentence = |lists: &[&str]| {
            let word = |(id, list): (usize, &&str)| format!("{id}\tx\t_\tX\t_\t{list}\t0\troot\t_\t_\n");
            Sentence::new("x", Format::Conllu, &(1..).zip(lists).map(word).collect::<String>()).unwrap()
        };
        let train = Input::new(&columns, &sentence(&["A=1|B=2", "A=1|C=3", "_", "A=1", "x|A=1|A=1", "D=4|A=1|B=2"]));
        let vocabulary = Vocabulary::new([&train].into_iter(), columns.len(), 1);
        // No node, the root, four pairs, none, and unknown ones.
        assert_eq!((vocabulary.len(2), vocabulary.sets[2].lists.len()), (8, 3));
        let read = |lists: &[&str]| {
            let mut input = Input::default();
            input.read(&columns, Some(&vocabulary), &sentence(lists));
            input
        };
        let ids = |lists: &[&str]| (1..=lists.len() as u16).map(|word| read(lists).id(2, word)).collect::<Vec<u32>>();
        let values = |list: &str| read(&[list]).sets().values(2, &ids(&[list])[0]).to_vec();
        let value = |pair: &str| vocabulary.id(2, columns.word(pair));
        let [a, b, c, none] = ["A=1", "B=2", "C=3", "_"].map(value);
        assert!([a, b, c, none].iter().all(|&value| value != Vocabulary::UNKNOWN));
        assert_eq!(ids(&["B=2|A=1", "A=1|B=2|x"]), [ids(&["A=1|B=2"]), ids(&["A=1|B=2"])].concat());
        assert_eq!([values("A=1"), values("_"), values("E=5")], [[a], [none], [Vocabulary::UNKNOWN]]);
        let sorted = |mut values: Vec<u32>| {
            values.sort_unstable();
            values
        };
        assert_eq!(values("A=1|B=2"), sorted(vec![a, b]));
        assert_eq!(values("C=3|B=2"), sorted(vec![b, c]));
        assert_eq!(values("C=3|E=5|F=6"), [Vocabulary::UNKNOWN, Vocabulary::UNKNOWN, c]);
        let own = ids(&["C=3|B=2", "A=1|E=5", "B=2|C=3"]);
        assert!(own[0] == own[2] && own[0] != own[1]);
        for (list, is_known) in [("A=1|C=3", true), ("_", true), ("Z=9", true), ("B=2|C=3", false), ("A=1|Z=9", false)]
        {
            assert_eq!(vocabulary.has_token(&[0, 0, ids(&[list])[0], 0, 0]), is_known, "{list}");
        }
        let stored: Vec<u32> =
            vocabulary.sets[2].lists.iter().flat_map(|list| [&[list.len() as u32][..], list].concat()).collect();
        assert_eq!(lists(&stored, 8).unwrap(), vocabulary.sets[2]);
        for wrong in [
            &stored[1..],
            &stored[..stored.len() - 1],
            &[stored.clone(), stored.clone()].concat(),
            &[2, 3, 2],
            &[1, 3],
            &[0],
            &[2, 3, 8],
        ] {
            assert_eq!(lists(wrong, 8), None, "{wrong:?}");
        }
    }
}
