//! Words wherever they stand: in a file's sentence, or in a caller's memory.

use super::{Column, Sentence};
use crate::error::{Location, Problem, Result};
use crate::tree::{Node, ROOT};

/// The words of one sentence, as parsers read them.
///
/// # Examples
/// A parser takes words from where they are, without a copy of their text:
/// ```
/// use treebeam::error::Location;
/// use treebeam::prelude::*;
/// use treebeam::treebank::Words;
/// # treebeam_systems::register();
///
/// struct Tagged<'a>(&'a [(&'a str, &'a str)]);
///
/// impl Words for Tagged<'_> {
///     fn n_words(&self) -> usize {
///         self.0.len()
///     }
///
///     fn column(&self, word: Node, column: Column) -> &str {
///         let (form, tag) = self.0[usize::from(word) - 1];
///         match column {
///             Column::Form => form,
///             Column::Upos => tag,
///             _ => "_",
///         }
///     }
///
///     fn location(&self) -> Location {
///         Location { path: "typed in".to_owned(), line: 0, sentence: None }
///     }
/// }
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 1.into(), ..TrainOptions::default() };
/// let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
/// let words = Tagged(&[("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")]);
/// let parsed = Parser::new(&model, 8, 1)?.parse_with(1, &|_, input| model.read(&words, input), 1);
/// assert_eq!(parsed[0][0].tree.n_words(), 3);
/// # Ok::<(), Error>(())
/// ```
pub trait Words {
    /// The number of words.
    fn n_words(&self) -> usize;

    /// The text of `column` of `word`, one of `1..=n`; `_` if there is none.
    fn column(&self, word: Node, column: Column) -> &str;

    /// The place of the sentence, for messages.
    fn location(&self) -> Location;

    /// The text of the column `name` of `word` that CoNLL-U Plus has behind the ten; `None` if there is no such column.
    fn further(&self, _word: Node, _name: &str) -> Option<&str> {
        None
    }

    /// The name of the treebank that the sentence is of, for models that were trained on several; none for the first of them.
    fn treebank(&self) -> Option<&str> {
        None
    }

    /// The place of `word`, for messages; that of the sentence, if no other is known.
    fn location_of(&self, _word: Node) -> Location {
        self.location()
    }
}

/// Refuses a sentence of more than `most` words; the message says what was `expected`, and what to do.
///
/// # Errors
/// If the sentence is longer.
pub fn check_length<W: Words + ?Sized>(sentence: &W, most: usize, expected: impl FnOnce() -> String) -> Result<()> {
    let n_words = sentence.n_words();
    if n_words <= most {
        return Ok(());
    }
    let found = format!("a sentence of {n_words} words");
    Err(Problem { location: sentence.location(), found, expected: expected() }.into())
}

impl Words for Sentence {
    fn n_words(&self) -> usize {
        self.n_words()
    }

    fn column(&self, word: Node, column: Column) -> &str {
        self.column(word, column)
    }

    fn location(&self) -> Location {
        self.location(ROOT)
    }

    fn further(&self, word: Node, name: &str) -> Option<&str> {
        self.further(word, name)
    }

    fn treebank(&self) -> Option<&str> {
        self.treebank()
    }

    fn location_of(&self, word: Node) -> Location {
        Sentence::location(self, word)
    }
}
