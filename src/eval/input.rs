//! Input of evaluation: forms, tags, and trees that are known to be trees.

use std::path::Path;

use super::{Analysis, Counts};
use crate::error::{Problem, Result};
use crate::tree::{Node, ROOT, Roots};
use crate::treebank::{Column, Reader, Sentence};

/// A file whose sentences are all trees, perhaps with several roots.
#[derive(Debug, Clone)]
pub struct EvalInput {
    /// The file as the user named it.
    pub path: String,
    /// Its sentences.
    pub sentences: Vec<InputSentence>,
}

/// One sentence of an [`EvalInput`]. Entry 0 of each list belongs to word 1.
#[derive(Debug, Clone)]
pub struct InputSentence {
    /// The sentence's id, where it has one.
    pub id: Option<String>,
    /// The line on which the sentence's block starts, from 1.
    pub line: usize,
    /// The words' lines.
    pub lines: Vec<usize>,
    /// The words' forms.
    pub forms: Vec<String>,
    /// The words' lemmas.
    pub lemmas: Vec<String>,
    /// The words' universal parts of speech.
    pub upos: Vec<String>,
    /// The words' parts of speech of the language.
    pub xpos: Vec<String>,
    /// The words' features.
    pub feats: Vec<String>,
    /// The words' heads.
    pub heads: Vec<Node>,
    /// The labels of the arcs into the words.
    pub labels: Vec<String>,
    /// The confidences in the words' heads and labels, if the file has any; see [`Sentence::confidences`].
    pub confidences: Vec<[Option<f64>; 2]>,
    /// The multiword tokens, in order.
    pub ranges: Vec<MultiwordToken>,
}

/// A multiword token: one token of the text that is several words of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiwordToken {
    /// Its words' entries in the lists of an [`InputSentence`].
    pub words: std::ops::Range<usize>,
    /// Its form.
    pub form: String,
    /// Its line of the file, from 1.
    pub line: usize,
}

impl EvalInput {
    /// Reads CoNLL-U or CoNLL-X; `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read, is malformed or empty, or a word has no head, a head that does not exist, or is part of
    /// a cycle, or a confidence is no probability. The first such word is named.
    pub fn read(path: &Path) -> Result<EvalInput> {
        EvalInput::read_for(path, None)
    }

    /// [`EvalInput::read`], as a tagger of the column `target` reads it, if there is one: its values are the labels of words that all hang
    /// on the root.
    ///
    /// # Errors
    /// As there.
    pub fn read_for(path: &Path, target: Option<Column>) -> Result<EvalInput> {
        // Sentence by sentence: the compared columns are kept, the file is not.
        let sentences = Reader::open(path, None)?
            .map(|sentence| Ok(InputSentence::new(&sentence?.for_target(target))?))
            .collect::<Result<_>>()?;
        Ok(EvalInput { path: path.display().to_string(), sentences })
    }

    /// The input of these sentences, which errors and reports call `path`.
    ///
    /// # Errors
    /// As [`EvalInput::read`], but for files.
    pub fn of_sentences<'s>(
        path: &str,
        sentences: impl IntoIterator<Item = &'s Sentence>,
    ) -> Result<EvalInput, Problem> {
        let sentences = sentences.into_iter().map(InputSentence::new).collect::<Result<_, _>>()?;
        Ok(EvalInput { path: path.to_owned(), sentences })
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.sentences.iter().map(InputSentence::n_words).sum()
    }

    /// The number of sentences with several roots.
    pub fn n_several_roots(&self) -> usize {
        self.sentences.iter().filter(|sentence| sentence.has_several_roots()).count()
    }
}

impl InputSentence {
    /// The sentence's heads, which must make a tree, and what else is compared.
    ///
    /// # Errors
    /// If a word has no head, a head that does not exist, or is part of a cycle, or a confidence is no probability.
    pub fn new(sentence: &Sentence) -> Result<InputSentence, Problem> {
        let heads = sentence.heads(Roots::Several)?;
        let column = |column| sentence.words().map(|word| sentence.column(word, column).to_owned()).collect();
        Ok(InputSentence {
            id: sentence.id().map(str::to_owned),
            line: sentence.line(),
            lines: sentence.lines_of_words(),
            forms: column(Column::Form),
            lemmas: column(Column::Lemma),
            upos: column(Column::Upos),
            xpos: column(Column::Xpos),
            feats: column(Column::Feats),
            heads,
            labels: sentence.words().map(|word| sentence.deprel(word).to_owned()).collect(),
            confidences: sentence.confidences()?,
            ranges: ranges(sentence),
        })
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.heads.len()
    }

    /// True if more than one word hangs on the root.
    pub fn has_several_roots(&self) -> bool {
        self.heads.iter().filter(|&&head| head == ROOT).count() > 1
    }

    /// The sentence's tree.
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis { heads: self.heads.clone(), labels: self.labels.iter().map(String::as_str).collect() }
    }
}

/// The sentence's multiword tokens.
fn ranges(sentence: &Sentence) -> Vec<MultiwordToken> {
    let lines = sentence.text().lines().enumerate();
    let range = |(at, line): (usize, &str)| {
        let mut columns = line.split('\t');
        let (first, last) = columns.next()?.split_once('-')?;
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        let form = columns.next()?.to_owned();
        Some(MultiwordToken { words: first.checked_sub(1)?..last, form, line: sentence.line() + at })
    };
    lines.filter_map(range).collect()
}

/// A sentence of two files, and the words of it that are scored.
pub(super) struct ScoredSentence<'a> {
    pub gold: &'a InputSentence,
    pub system: &'a InputSentence,
    /// By word: whether it is scored.
    pub scored: &'a [bool],
    /// The sentence's counts under the same choice.
    pub counts: Counts,
}

/// The scored words of every sentence as entries of its lists.
pub(super) fn scored_words<'a>(pairs: &'a [ScoredSentence]) -> impl Iterator<Item = (&'a ScoredSentence<'a>, usize)> {
    pairs.iter().flat_map(|pair| (0..pair.scored.len()).filter(|&w| pair.scored[w]).map(move |w| (pair, w)))
}
