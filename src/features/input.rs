//! Feature input of a sentence: one hashed value per column and node.

use hashbrown::HashMap;
use rapidhash::v3::rapidhash_v3;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Attribute, Clusters, FeatureSet, Field, Name, Sets, TextPart, Vocabulary};
use crate::choice::choice;
use crate::configuration::tagged_word;
use crate::error::{Problem, Result};
use crate::tree::{LabelId, NO_NODE, Node};
use crate::treebank::{Column, Words};

choice! {
    /// A column that features may read, by its name on the command line.
    pub enum ColumnName {
        /// The word form.
        Form,
        /// The lemma.
        Lemma,
        /// The universal part of speech.
        Upos,
        /// The language's own part of speech.
        Xpos,
        /// The morphological features, as one value.
        Feats,
    }
}

choice! {
    /// Word shape: the form of their column that word atoms read.
    pub enum WordShape {
        /// The word as it is written.
        AsWritten,
        // PERF: worth 0.4 points of LAS on the development data of English-EWT at width 8 (88.0 to 88.4, arc-eager, zn11, 15 iterations).
        /// The word in lower case; all numbers of as many digits are one word.
        Normalised,
    }
}

impl From<ColumnName> for Column {
    fn from(name: ColumnName) -> Column {
        match name {
            ColumnName::Form => Column::Form,
            ColumnName::Lemma => Column::Lemma,
            ColumnName::Upos => Column::Upos,
            ColumnName::Xpos => Column::Xpos,
            ColumnName::Feats => Column::Feats,
        }
    }
}

/// Fields that a feature set reads, in the order in which an [`Input`] holds their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    word: Column,
    tag: Column,
    shape: WordShape,
    fields: Vec<Field>,
    clusters: Option<Clusters>,
    tagged: Option<Arc<Tagged>>,
    /// The names of treebanks that sentences may be of.
    sources: Vec<String>,
    /// True if the values of the last field are those of the treebank.
    marks_sources: bool,
}

/// Values of the column of tags that words have as soon as [joint tagging](crate::system::Joint) gives them a tag.
#[derive(Debug, PartialEq, Eq)]
struct Tagged {
    n_labels: usize,
    /// By column and label; none for columns that do not depend on tags.
    values: Vec<Option<Vec<u64>>>,
}

/// Parts of a word that stand in for a whole one that may be unknown.
const SURFACE: [Attribute; 3] = [
    Attribute::Inside(Column::Form, TextPart::Prefix(3)),
    Attribute::Inside(Column::Form, TextPart::Suffix(3)),
    Attribute::Inside(Column::Form, TextPart::Shape),
];

impl Columns {
    /// The fields that `set` reads, if `.w` means `word`, in this shape, and `.p` means `tag`.
    pub fn of(set: &FeatureSet, word: Column, shape: WordShape, tag: Column) -> Columns {
        let mut columns = Columns::of_fields(word, shape, tag, Vec::new());
        let atoms = set.templates.iter().flat_map(|template| &template.atoms);
        let named = atoms.filter_map(|atom| columns.named(atom.attribute()?));
        // Other scorers than sparse ones read the last two whatever the feature set reads.
        let whole = [word, tag].map(|column| Field { column, part: TextPart::Whole });
        let mut fields: Vec<Field> = Vec::new();
        for field in named.chain(whole) {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        columns.fields = fields;
        columns
    }

    /// The two columns alone, `word` in this shape.
    pub fn of_words_and_tags(word: Column, shape: WordShape, tag: Column) -> Columns {
        let mut fields = vec![Field { column: word, part: TextPart::Whole }];
        if tag != word {
            fields.push(Field { column: tag, part: TextPart::Whole });
        }
        Columns::of_fields(word, shape, tag, fields)
    }

    fn of_fields(word: Column, shape: WordShape, tag: Column, fields: Vec<Field>) -> Columns {
        let (clusters, tagged, sources, marks_sources) = (None, None, Vec::new(), false);
        Columns { word, tag, shape, fields, clusters, tagged, sources, marks_sources }
    }

    /// The same for sentences of treebanks with these names.
    #[must_use]
    pub fn with_sources(self, sources: &[String]) -> Columns {
        Columns { sources: sources.to_vec(), ..self }
    }

    /// The name of a sentence's treebank: the one that it has, or the first; none if treebanks have no names.
    pub(super) fn source<'s>(&'s self, name: Option<&'s str>) -> Option<&'s str> {
        let first = self.sources.first()?;
        Some(name.unwrap_or(first))
    }

    /// The same with these clusters of words.
    #[must_use]
    pub fn with_clusters(self, clusters: Option<Clusters>) -> Columns {
        Columns { clusters, ..self }
    }

    /// The same for joint tagging: the column of tags is not read of the sentence, but holds the label that a word was tagged with, one of
    /// these.
    #[must_use]
    pub fn with_tags(self, labels: &[String]) -> Columns {
        let of_field = |&field: &Field| {
            let value = |label: &String| self.hash(field, &self.part(field, label));
            (field.column == self.tag).then(|| labels.iter().map(value).collect())
        };
        let tagged = Tagged { n_labels: labels.len(), values: self.fields.iter().map(of_field).collect() };
        Columns { tagged: Some(Arc::new(tagged)), ..self }
    }

    /// True if `field` is not read of the sentence but filled by joint tagging.
    pub(super) fn fills(&self, field: Field) -> bool {
        self.tagged.is_some() && field.column == self.tag
    }

    /// The word that a slot holds, with its tag if that is known, in a sentence of `n_words`.
    pub(super) fn word_and_label(&self, n_words: usize, row: Node) -> (Node, Option<LabelId>) {
        match &self.tagged {
            Some(tagged) if row != NO_NODE && usize::from(row) > n_words => {
                let (word, label) = tagged_word(n_words, tagged.n_labels, row);
                (word, Some(label))
            }
            _ => (row, None),
        }
    }

    /// The text that `field` reads of `word`.
    pub fn text<'t>(&'t self, field: Field, sentence: &'t dyn Words, word: Node) -> Cow<'t, str> {
        match field.part {
            TextPart::Further(name) => Cow::Borrowed(sentence.further(word, name.as_str()).unwrap_or("_")),
            _ => self.part(field, sentence.column(word, field.column)),
        }
    }

    /// Refuses a sentence that lacks a column of CoNLL-U Plus that is read.
    ///
    /// # Errors
    /// With the name of the column.
    pub fn check(&self, sentence: &dyn Words) -> Result<()> {
        let further = self.fields.iter().filter_map(|field| match field.part {
            TextPart::Further(name) => Some(name),
            _ => None,
        });
        let is_lacking = |name: &Name| sentence.n_words() > 0 && sentence.further(1, name.as_str()).is_none();
        let Some(name) = further.into_iter().find(is_lacking) else { return Ok(()) };
        let found = format!("no column `{name}`, which a feature reads (`.column:{name}`)");
        let expected =
            format!("CoNLL-U Plus whose first line is `# global.columns = ...` with the ten columns and {name}");
        Err(Problem { location: sentence.location(), found, expected }.into())
    }

    /// The part of `text`, its column's, that `field` reads.
    pub fn part<'t>(&'t self, field: Field, text: &'t str) -> Cow<'t, str> {
        match (field.part, &self.clusters) {
            (TextPart::Cluster(length), Some(clusters)) => Cow::Borrowed(clusters.path(text, length)),
            (part, _) => part.of(text),
        }
    }

    /// The same for a network, and behind them what `inputs` read, or if there are none, the prefix, the suffix and the shape of the word.
    /// If treebanks have names, the last input has a value of its own in each treebank: its embedding is also that of the sentence's
    /// source (Stymne et al. 2018).
    #[must_use]
    pub fn with_inputs(mut self, inputs: &[Attribute]) -> Columns {
        let inputs = if inputs.is_empty() { &SURFACE } else { inputs };
        let fields: Vec<Field> = inputs.iter().filter_map(|&input| self.named(input)).collect();
        self.fields.extend(fields);
        self.marks_sources = true;
        self
    }

    /// The number of fields of an [`Input`].
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// True if nothing is read.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The places in an [`Input`] of the columns for words and tags.
    ///
    /// # Panics
    /// If they are not both among the columns.
    pub fn word_and_tag(&self) -> (usize, usize) {
        let place = |column| self.index(Field { column, part: TextPart::Whole }).expect("the column is read");
        (place(self.word), place(self.tag))
    }

    /// The field that `attribute` reads, if it reads one.
    pub fn named(&self, attribute: Attribute) -> Option<Field> {
        let (column, part) = match attribute {
            Attribute::Word => (self.word, TextPart::Whole),
            Attribute::Tag => (self.tag, TextPart::Whole),
            Attribute::Column(column) => (column, TextPart::Whole),
            Attribute::Inside(Column::Form, part) => (self.word, part),
            Attribute::Inside(column, part) => (column, part),
            _ => return None,
        };
        Some(Field { column, part })
    }

    /// The place of `field` in an [`Input`].
    pub fn index(&self, field: Field) -> Option<usize> {
        self.fields.iter().position(|&read| read == field)
    }

    /// The value of `text`, which is what `field` reads.
    #[inline]
    pub(super) fn hash(&self, field: Field, text: &str) -> u64 {
        // Shapes and paths are no words.
        let is_compared = field.column == self.word && !matches!(field.part, TextPart::Shape | TextPart::Cluster(_));
        let normalised = self.shape == WordShape::Normalised && is_compared;
        if normalised { normalised_hash(text) } else { rapidhash_v3(text.as_bytes()) }
    }

    /// The value of a node of which [`Shown`](super::Shown) says `text` in `field`.
    pub(super) fn value_shown(&self, field: Field, text: &str) -> u64 {
        match text {
            NOTHING => NO_VALUE,
            THE_ROOT => ROOT_VALUE,
            text => self.hash(field, text),
        }
    }

    /// The value that `text` has as a word.
    pub fn word(&self, text: &str) -> u64 {
        self.hash(Field { column: self.word, part: TextPart::Whole }, text)
    }

    /// True if each of its letters distinguishes this word from others.
    pub fn is_read_as_written(&self, text: &str) -> bool {
        self.word(text) == rapidhash_v3(text.as_bytes())
    }

    /// The columns that are read, each once.
    pub fn read(&self) -> Vec<Column> {
        Column::ALL.into_iter().filter(|column| self.fields.iter().any(|field| field.column == *column)).collect()
    }
}

/// Sign for a value that does not exist.
pub(super) const NOTHING: &str = "∅";
/// The root, which is no word.
pub(super) const THE_ROOT: &str = "ROOT";

/// The value of a node that does not exist.
const NO_VALUE: u64 = 0x6a09_e667_f3bc_c909;
/// The value of the root, which is no word.
const ROOT_VALUE: u64 = 0xbb67_ae85_84ca_a73b;

/// The values of one sentence.
#[derive(Debug, Clone, Default)]
pub struct Input {
    n_words: usize,
    /// The hash of the name of the sentence's treebank; 0 where treebanks have no names.
    source: u64,
    /// By column: no node, the root, the words.
    values: Vec<u64>,
    /// Values of words with tags, where tagging is joint.
    tagged: Option<Arc<Tagged>>,
    /// Columns of which the sets of values are read.
    set_columns: Vec<SetColumn>,
    /// The same as numbers in the vocabulary; none without one.
    ids: Vec<u32>,
    /// Sets of values that some of these numbers stand for.
    sets: Sets,
}

/// The sets of values of the words in one column.
#[derive(Debug, Clone, Default)]
struct SetColumn {
    column: usize,
    /// By word: where its values end.
    ends: Vec<usize>,
    values: Vec<u64>,
}

impl SetColumn {
    /// The values of each word.
    fn of_words(&self) -> impl Iterator<Item = &[u64]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.values[start..end])
    }
}

impl Input {
    /// The values of `sentence`.
    pub fn new(columns: &Columns, sentence: &dyn Words) -> Input {
        let mut input = Input::default();
        input.read(columns, None, sentence);
        input
    }

    /// Replaces the values by those of `sentence`, keeping the memory. With a vocabulary they have numbers, too.
    pub fn read(&mut self, columns: &Columns, vocabulary: Option<&Vocabulary>, sentence: &dyn Words) {
        self.n_words = sentence.n_words();
        self.values.clear();
        self.set_columns.clear();
        self.tagged.clone_from(&columns.tagged);
        self.source = columns.source(sentence.treebank()).map_or(0, |name| rapidhash_v3(name.as_bytes()));
        for (number, &field) in (1..).zip(&columns.fields) {
            let is_marked = columns.marks_sources && number == columns.fields.len();
            let mark = if is_marked { self.source } else { 0 };
            self.values.extend([NO_VALUE ^ mark, ROOT_VALUE ^ mark]);
            if columns.fills(field) {
                self.values.extend((0..self.n_words).map(|_| NO_VALUE));
                continue;
            }
            let value = |word| columns.hash(field, &columns.text(field, sentence, word)) ^ mark;
            self.values.extend((1..=self.n_words as Node).map(value));
            if field.part == TextPart::Each {
                let mut sets = SetColumn { column: number - 1, ..SetColumn::default() };
                for word in 1..=self.n_words as Node {
                    let text = columns.text(field, sentence, word);
                    let values: BTreeSet<u64> =
                        TextPart::pairs(&text).map(|pair| columns.hash(field, pair) ^ mark).collect();
                    sets.values.extend(values);
                    sets.ends.push(sets.values.len());
                }
                self.set_columns.push(sets);
            }
        }
        self.ids.clear();
        if let Some(vocabulary) = vocabulary {
            self.number(vocabulary);
        }
    }

    /// Gives the values the numbers that they have in `vocabulary`.
    pub fn number(&mut self, vocabulary: &Vocabulary) {
        self.ids.clear();
        let by_column = self.values.chunks_exact(self.n_words + 2).enumerate();
        self.ids.extend(by_column.flat_map(|(column, values)| values.iter().map(move |&v| vocabulary.id(column, v))));
        self.sets = Sets::of(vocabulary);
        for set_column in &self.set_columns {
            let column = set_column.column;
            let of_words = &mut self.ids[column * (self.n_words + 2) + 2..][..self.n_words];
            for (id, values) in of_words.iter_mut().zip(set_column.of_words()) {
                *id = self.sets.number(column, values.iter().map(|&value| vocabulary.id(column, value)).collect());
            }
        }
    }

    /// The hash of the name of the sentence's treebank; 0 where treebanks have no names.
    #[inline]
    pub fn source(&self) -> u64 {
        self.source
    }

    /// The number of words.
    #[inline]
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// The number of nodes of the sentence's trees but for the root: its words, and as many more for their tags where tagging is joint.
    #[inline]
    pub fn n_nodes(&self) -> usize {
        if self.tagged.is_some() { 2 * self.n_words } else { self.n_words }
    }

    /// The number of different values of a slot that holds a node: nodes, the root, no node, and words with tags.
    pub fn n_rows(&self) -> usize {
        self.n_nodes() + 2 + self.tagged.as_ref().map_or(0, |tagged| self.n_words * tagged.n_labels)
    }

    /// The word that a slot holds which may hold a [word with its tag](crate::configuration::tagged_row).
    #[inline]
    pub fn word(&self, node: Node) -> Node {
        if usize::from(node) <= self.n_words || node == NO_NODE { node } else { self.tagged(node).0 }
    }

    fn tagged(&self, row: Node) -> (Node, LabelId) {
        let tagged = self.tagged.as_ref().expect("words have tags where tagging is joint");
        tagged_word(self.n_words, tagged.n_labels, row)
    }

    /// The value of `node`, which may be [`crate::tree::NO_NODE`] or a [word with its tag](crate::configuration::tagged_row), in the
    /// column with number `column`.
    #[inline]
    pub fn value(&self, column: usize, node: Node) -> u64 {
        self.read_value::<true>(column, node)
    }

    /// [`Input::value`], where only if `TAGS` the node may be a word with its tag.
    #[inline]
    pub(super) fn read_value<const TAGS: bool>(&self, column: usize, node: Node) -> u64 {
        // NO_NODE + 1 wraps to 0.
        let (place, stride) = (usize::from(node.wrapping_add(1)), self.n_words + 2);
        if TAGS && place >= stride { self.tagged_value(column, node) } else { self.values[column * stride + place] }
    }

    /// True if tagging is joint.
    #[inline]
    pub(super) fn has_tags(&self) -> bool {
        self.tagged.is_some()
    }

    #[inline(never)]
    fn tagged_value(&self, column: usize, row: Node) -> u64 {
        let (word, label) = self.tagged(row);
        let of_tags = self.tagged.as_ref().and_then(|tagged| tagged.values[column].as_ref());
        of_tags.map_or_else(|| self.value(column, word), |values| values[usize::from(label)])
    }
}

impl Input {
    /// The number of the value of `node`, which may be [`crate::tree::NO_NODE`], in the column with number `column`:
    /// [`Vocabulary::UNKNOWN`] if the vocabulary does not have it, or there is none. Of several values that of their [set](Input::sets).
    #[inline]
    pub fn id(&self, column: usize, node: Node) -> u32 {
        let place = column * (self.n_words + 2) + node.wrapping_add(1) as usize;
        self.ids.get(place).copied().unwrap_or(Vocabulary::UNKNOWN)
    }

    /// The sets of values that have numbers here.
    pub fn sets(&self) -> &Sets {
        &self.sets
    }

    /// The values that are numbered in a column: those of [`Input::column`], or where sets are read, each value in one.
    fn single_values(&self, column: usize) -> impl Iterator<Item = u64> {
        let set_column = self.set_columns.iter().find(|set_column| set_column.column == column);
        let n = if set_column.is_some() { 2 } else { self.n_words + 2 };
        let of_sets = set_column.into_iter().flat_map(|set_column| &set_column.values);
        self.column(column)[..n].iter().chain(of_sets).copied()
    }

    /// The values of all nodes in the column with number `column`: those of no node, of the root, of the words.
    pub fn column(&self, column: usize) -> &[u64] {
        &self.values[column * (self.n_words + 2)..][..self.n_words + 2]
    }
}

/// The hash of a word in lower case with its digits made equal.
fn normalised_hash(word: &str) -> u64 {
    let mut buffer = [0u8; 64];
    if !word.is_ascii() || word.len() > buffer.len() {
        return rapidhash_v3(word.to_lowercase().replace(|c: char| c.is_numeric(), "0").as_bytes());
    }
    let normalised = &mut buffer[..word.len()];
    for (to, from) in normalised.iter_mut().zip(word.bytes()) {
        *to = if from.is_ascii_digit() { b'0' } else { from.to_ascii_lowercase() };
    }
    rapidhash_v3(normalised)
}

impl Vocabulary {
    /// Those values of each of `n_columns` columns that come at least `min_count` times in `inputs`, in each of which what
    /// stands for no node and for the root comes once; and the sets of these.
    pub fn new<'i>(inputs: impl Iterator<Item = &'i Input> + Clone, n_columns: usize, min_count: usize) -> Vocabulary {
        let column = |column| {
            let mut counts: HashMap<u64, usize> = HashMap::new();
            for input in inputs.clone() {
                input.single_values(column).for_each(|value| *counts.entry(value).or_default() += 1);
            }
            let mut counts: Vec<(u64, usize)> = counts.into_iter().filter(|&(_, count)| count >= min_count).collect();
            counts.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
            counts.into_iter().zip(1..).map(|((value, _), id)| (value, id)).collect()
        };
        let vocabulary = Vocabulary { columns: (0..n_columns).map(column).collect(), ..Vocabulary::default() };
        let mut sets: Vec<BTreeSet<Vec<u32>>> = Vec::new();
        for set_column in inputs.flat_map(|input| &input.set_columns) {
            let column = set_column.column;
            sets.resize(n_columns, BTreeSet::new());
            for values in set_column.of_words().filter(|values| values.len() > 1) {
                let mut set: Vec<u32> = values.iter().map(|&value| vocabulary.id(column, value)).collect();
                set.sort_unstable();
                sets[column].insert(set);
            }
        }
        vocabulary.with_sets(sets)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn affixes_are_read_as_words_are_compared() {
        use super::{Column, Columns, WordShape, rapidhash_v3};
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::Normalised, Column::Upos).with_inputs(&[]);
        assert_eq!(columns.len(), 5);
        let values = columns.fields[2..].iter().map(|&field| columns.hash(field, &field.part.of("Été84")));
        assert_eq!(values.collect::<Vec<_>>(), ["été", "é00", "Xxx00"].map(|text| rapidhash_v3(text.as_bytes())));
    }

    #[test]
    fn normalised_words() {
        use super::{normalised_hash, rapidhash_v3};
        for (word, normalised) in [("The", "the"), ("1984", "0000"), ("$3.50", "$0.00"), ("ÉTÉ", "été"), ("x", "x")]
        {
            assert_eq!(normalised_hash(word), rapidhash_v3(normalised.as_bytes()), "{word}");
        }
        let long = "A".repeat(100);
        assert_eq!(normalised_hash(&long), rapidhash_v3(long.to_lowercase().as_bytes()));
    }

    /// The hash is part of every model file: it must never change.
    #[test]
    fn the_hash_of_a_string_is_fixed() {
        let hashes = ["", "a", "parsing", "Straßenbahnhaltestelle"].map(|s| super::rapidhash_v3(s.as_bytes()));
        let fixed =
            [232_177_599_295_442_350, 6_457_959_414_642_172_395, 7_512_881_689_758_441_835, 14_266_066_240_595_146_445];
        assert_eq!(hashes, fixed);
    }
}
