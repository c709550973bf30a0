//! Columns that the model reads and that the input does not fill, or not with what the model knows.

use crate::features::ColumnName;
use crate::tree::Node;
use crate::treebank::{Column, Format, Words};
use std::collections::HashSet;

/// Words that are looked at before anything is said.
const ENOUGH: usize = 100;

/// Words after which no more are looked at.
const MOST: usize = 1000;

/// Watches the columns that a model reads.
#[derive(Debug)]
pub struct EmptyColumns<'m> {
    columns: Vec<(Column, usize)>,
    /// The tags that the model knows, if it names them.
    tags: HashSet<&'m str>,
    tag_column: Column,
    n_unknown: usize,
    n_words: usize,
    said: bool,
    /// Format that names the input's columns.
    format: Format,
}

impl<'m> EmptyColumns<'m> {
    /// Watches the columns of words and of tags. `tags` are those that the model knows, or none.
    pub fn new((word, tag): (ColumnName, ColumnName), tags: &'m [String], format: Format) -> EmptyColumns<'m> {
        let mut columns = vec![(Column::from(word), 0)];
        if word != tag {
            columns.push((Column::from(tag), 0));
        }
        let tags = tags.iter().map(String::as_str).collect();
        EmptyColumns { columns, tags, tag_column: tag.into(), n_unknown: 0, n_words: 0, said: false, format }
    }

    /// Counts, and warns once: as soon as enough was seen, or at the latest `at_the_end`. The warnings call the input `path`.
    pub fn look_at<W: Words>(&mut self, sentences: &[W], path: &str, at_the_end: bool) -> Vec<String> {
        if self.said {
            return Vec::new();
        }
        for sentence in sentences {
            if self.n_words < MOST {
                self.count(sentence);
            }
        }
        self.warnings(path, at_the_end)
    }

    /// PERF: compiled here, and not where the kind of sentence is known, which may be a crate that is not optimised.
    fn count(&mut self, sentence: &dyn Words) {
        let words = 1..=sentence.n_words() as Node;
        for (column, n_empty) in &mut self.columns {
            *n_empty += words.clone().filter(|&word| sentence.column(word, *column) == "_").count();
        }
        if !self.tags.is_empty() {
            let tags = words.map(|word| sentence.column(word, self.tag_column));
            self.n_unknown += tags.filter(|&tag| tag != "_" && !self.tags.contains(tag)).count();
        }
        self.n_words += sentence.n_words();
    }

    fn warnings(&mut self, path: &str, at_the_end: bool) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.n_words == 0 || self.n_words < ENOUGH && !at_the_end {
            return warnings;
        }
        self.said = true;
        for &(column, n_empty) in self.columns.iter().filter(|(_, n_empty)| n_empty * 2 > self.n_words) {
            let percent = 100 * n_empty / self.n_words;
            warnings.push(format!(
                "{path}: {} is empty (`_`) in {percent} % of the words, and the model reads it: expect poor trees; \
                 fill the column, with a tagger for example, or train a model that reads another one (--tag-column, \
                 --word-column)",
                column.name(self.format)
            ));
        }
        if self.n_unknown * 2 > self.n_words {
            let percent = 100 * self.n_unknown / self.n_words;
            warnings.push(format!(
                "{path}: {percent} % of the words have tags in {} that were not in the training data: expect poor trees; \
                 tag the input with the tags of the training data, which `treebeam model info --json` lists",
                self.tag_column.name(self.format)
            ));
        }
        warnings
    }
}
