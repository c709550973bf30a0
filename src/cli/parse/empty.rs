//! Columns that the model reads and the input does not fill.

use crate::features::ColumnName;
use crate::treebank::{Column, Format, Sentence};

/// Words that are looked at before anything is said.
const ENOUGH: usize = 100;

/// Watches the columns that a model reads.
#[derive(Debug)]
pub struct EmptyColumns {
    columns: Vec<(Column, usize)>,
    n_words: usize,
    said: bool,
    /// What the input's columns are called.
    format: Format,
}

impl EmptyColumns {
    /// Watches the columns of words and of tags.
    pub fn new(word: ColumnName, tag: ColumnName, format: Format) -> EmptyColumns {
        let mut columns = vec![(Column::from(word), 0)];
        if word != tag {
            columns.push((Column::from(tag), 0));
        }
        EmptyColumns { columns, n_words: 0, said: false, format }
    }

    /// Counts, and warns once: as soon as enough was seen, or at the latest `at_the_end`.
    pub fn look_at(&mut self, sentences: &[Sentence], path: &str, at_the_end: bool) {
        if self.said {
            return;
        }
        for sentence in sentences {
            for (column, n_empty) in &mut self.columns {
                *n_empty += sentence.words().filter(|&word| sentence.column(word, *column) == "_").count();
            }
            self.n_words += sentence.n_words();
        }
        if self.n_words == 0 || self.n_words < ENOUGH && !at_the_end {
            return;
        }
        self.said = true;
        for &(column, n_empty) in self.columns.iter().filter(|(_, n_empty)| n_empty * 2 > self.n_words) {
            let percent = 100 * n_empty / self.n_words;
            eprintln!(
                "warning: {path}: {} is empty (`_`) in {percent} % of the words, and the model reads it: expect poor trees; \
                 fill the column, with a tagger for example, or train a model that reads another one (--tag-column, \
                 --word-column)",
                column.name(self.format)
            );
        }
    }
}
