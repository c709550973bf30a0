//! Sentences from whatever Python has them in.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use treebeam::treebank::{Column, Format, Reader, Sentence};

use crate::errors::{exception, of_problem};
use crate::memory::{Watch, probe, room};
use crate::tree::Tree;

/// Name in messages of text that was handed over.
const TEXT: &str = "text";

/// Types of a sentence, for messages.
const EXPECTED: &str = "a list of (form, upos), a list of dictionaries with `form` and `upos`, a TokenList of conllu, \
                        a Doc or Span of spaCy, or a Tree";

/// CoNLL-U, of text or bytes.
pub fn text<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    match object.cast::<PyString>() {
        Ok(text) => text.encode_utf8().map(Some),
        Err(_) => Ok(object.cast::<PyBytes>().ok().cloned()),
    }
}

/// The text of a word, copied where there is memory for it.
fn copied(text: &Bound<'_, PyString>) -> PyResult<String> {
    let bytes = text.encode_utf8()?;
    let mut copy = Vec::new();
    room(&mut copy, bytes.as_bytes().len())?;
    copy.extend_from_slice(bytes.as_bytes());
    String::from_utf8(copy).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A reader of CoNLL-U.
pub fn reader(text: &[u8]) -> Reader<&[u8]> {
    Reader::new(text, TEXT, Format::Conllu).allowing_empty()
}

/// A file, or the sentences themselves.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Sentences.
    Sentences(Vec<Sentence>),
}

impl Source {
    /// Text of one line, and whatever Python takes for a path, is the path of a file.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Source> {
        let is_text = |object: &Bound<'_, PyAny>| object.is_instance_of::<PyString>();
        let is_path = match is_text(object) {
            true => !(object.contains("\n")? || object.contains("\t")?),
            false => object.hasattr("__fspath__")?,
        };
        match is_path {
            true => Ok(Source::File(object.extract()?)),
            false => Ok(Source::Sentences(read(object)?)),
        }
    }

    /// The path of the file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(path),
            Source::Sentences(_) => None,
        }
    }
}

/// The sentences of an iterable, or of CoNLL-U text.
pub fn read(object: &Bound<'_, PyAny>) -> PyResult<Vec<Sentence>> {
    let (watch, mut sentences) = (Watch::begin()?, Vec::new());
    if let Some(text) = text(object)? {
        let text = text.as_bytes();
        let read = || {
            for sentence in reader(text) {
                sentences.push(sentence.map_err(exception)?);
                room(&mut sentences, 1)?;
                watch.check()?;
            }
            Ok(sentences)
        };
        return object.py().detach(read);
    }
    room(&mut sentences, object.len().unwrap_or(0))?;
    for (number, item) in object.try_iter()?.enumerate() {
        sentences.push(sentence(&item?, number)?);
        room(&mut sentences, 1)?;
        watch.check()?;
    }
    Ok(sentences)
}

/// One sentence, which messages call by its number, from 0.
fn sentence(object: &Bound<'_, PyAny>, number: usize) -> PyResult<Sentence> {
    let source = format!("sentences[{number}]");
    if let Ok(list) = object.cast_exact::<PyList>() {
        return of_words(&source, list.iter());
    }
    if let Ok(tree) = object.cast::<Tree>() {
        let text = tree.get().conllu();
        return of_block(&source, &text);
    }
    if object.is_instance_of::<PyString>() {
        let found = format!("{source}: found text, {}; expected {EXPECTED}", object.repr()?);
        return Err(PyValueError::new_err(found));
    }
    if object.hasattr("serialize")? {
        let block = |object: &Bound<'_, PyAny>| -> PyResult<Sentence> {
            let text: String = object.call_method0("serialize")?.extract()?;
            of_block(&source, &text)
        };
        // What separates columns and words may stand in a word.
        return block(object).or_else(|error| block(&on_lines_of_their_own(object)?.ok_or(error)?));
    }
    let module = object.get_type().module()?;
    if module.to_cow()?.starts_with("spacy.") {
        return of_spacy(&source, object);
    }
    // One word, and not a list of them: its text is where words should be.
    if let Ok(tuple) = object.cast::<PyTuple>()
        && tuple.get_item(0).is_ok_and(|first| first.is_instance_of::<PyString>())
    {
        let found = format!(
            "{source}: found one word, {}; expected {EXPECTED}; a single sentence is put into a list",
            object.repr()?
        );
        return Err(PyValueError::new_err(found));
    }
    let words = object.try_iter().map_err(|_| unexpected(&source, object))?;
    let words: Vec<_> = words.collect::<PyResult<_>>()?;
    of_words(&source, words.into_iter())
}

/// A list of dictionaries with blanks for what ends columns and lines; none if there is nothing to replace.
fn on_lines_of_their_own<'py>(list: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let copy = list.py().import("copy")?.call_method1("deepcopy", (list,))?;
    let mut is_changed = false;
    for word in copy.try_iter()? {
        let word = word?;
        for item in word.call_method0("items")?.try_iter()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            let Ok(text) = value.cast::<PyString>() else { continue };
            let text = text.to_cow()?;
            let replaced = on_one_line(Cow::Borrowed(&text));
            if replaced != text {
                word.set_item(name, replaced)?;
                is_changed = true;
            }
        }
    }
    Ok(is_changed.then_some(copy))
}

/// The text with a blank for each run of tabs and line ends, which in CoNLL-U separate columns and words.
pub fn on_one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    let separators = ['\t', '\n', '\r'];
    if !text.contains(separators) {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    let mut in_run = false;
    for c in text.chars() {
        let separates = separators.contains(&c);
        match separates {
            true if in_run => {}
            true => line.push(' '),
            false => line.push(c),
        }
        in_run = separates;
    }
    Cow::Owned(line)
}

fn unexpected(source: &str, object: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!("{source}: found `{object}`; expected {EXPECTED}"))
}

/// The sentence of one block of CoNLL-U.
pub fn of_block(source: &str, text: &str) -> PyResult<Sentence> {
    probe(4 * text.len())?;
    let block = text.trim_end_matches('\n').to_owned() + "\n";
    Sentence::new(source, Format::Conllu, &block).map_err(of_problem)
}

type Word = Vec<(Column, String)>;

fn of_words<'py>(source: &str, words: impl ExactSizeIterator<Item = Bound<'py, PyAny>>) -> PyResult<Sentence> {
    let mut read: Vec<Word> = Vec::with_capacity(words.len());
    for object in words {
        if let Some(word) = word(source, &object)? {
            read.push(word);
        }
    }
    joined_words(source, read)
}

/// The sentence of these words.
fn joined_words(source: &str, words: Vec<Word>) -> PyResult<Sentence> {
    // Text grows by doubling, and is copied once.
    probe(words.iter().flatten().map(|(_, text)| 4 * (text.len() + 8)).sum())?;
    Sentence::from_columns(source, Format::Conllu, words).map_err(of_problem)
}

/// The columns of a word; `None` of what is none: ranges and empty nodes of CoNLL-U.
fn word(source: &str, object: &Bound<'_, PyAny>) -> PyResult<Option<Word>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        let names = [Column::Form, Column::Upos];
        if !(1..=names.len()).contains(&tuple.len()) {
            return Err(unexpected(source, object));
        }
        let mut word = Vec::with_capacity(names.len());
        for (column, value) in names.into_iter().zip(tuple.iter_borrowed()) {
            add(&mut word, column, &value)?;
        }
        return Ok(Some(word));
    }
    if object.is_instance_of::<PyString>() {
        let mut word = Vec::with_capacity(1);
        add(&mut word, Column::Form, object)?;
        return Ok(Some(word));
    }
    if let Ok(dictionary) = object.cast::<PyDict>() {
        return of_dictionary(dictionary);
    }
    let list: Vec<Bound<'_, PyAny>> = object.extract().map_err(|_| unexpected(source, object))?;
    word(source, PyTuple::new(object.py(), list)?.as_any())
}

/// The columns that dictionaries have, by their names there.
const KEYS: [(&str, Column); 8] = [
    ("form", Column::Form),
    ("lemma", Column::Lemma),
    ("upos", Column::Upos),
    ("upostag", Column::Upos),
    ("xpos", Column::Xpos),
    ("xpostag", Column::Xpos),
    ("feats", Column::Feats),
    ("misc", Column::Misc),
];

fn of_dictionary(dictionary: &Bound<'_, PyDict>) -> PyResult<Option<Word>> {
    if dictionary.get_item("id")?.is_some_and(|id| id.is_instance_of::<PyTuple>()) {
        return Ok(None);
    }
    let mut word: Word = Vec::new();
    for (key, column) in KEYS {
        let Some(value) = dictionary.get_item(key)? else { continue };
        if word.iter().any(|(known, _)| *known == column) {
            continue;
        }
        match value.cast::<PyDict>() {
            Ok(pairs) => word.push((column, on_one_line(joined(pairs)?.into()).into_owned())),
            Err(_) => add(&mut word, column, &value)?,
        }
    }
    Ok(Some(word))
}

/// Features as CoNLL-U writes them.
fn joined(pairs: &Bound<'_, PyDict>) -> PyResult<String> {
    let pair = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| match value.is_none() {
        true => format!("{name}"),
        false => format!("{name}={value}"),
    };
    let pairs: Vec<String> = pairs.iter().map(pair).collect();
    Ok(if pairs.is_empty() { "_".to_owned() } else { pairs.join("|") })
}

/// Adds what is said of a column; nothing and no text both mean that it is not known, but of forms.
fn add(word: &mut Word, column: Column, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_none() {
        return Ok(());
    }
    let text = value.cast::<PyString>().map_err(|_| {
        let name = column.name(Format::Conllu);
        PyValueError::new_err(format!("found `{value}` as a word's {name}; expected text"))
    })?;
    let text: Cow<'_, str> = Cow::Owned(copied(text)?);
    if column == Column::Form || !text.is_empty() {
        word.push((column, on_one_line(text).into_owned()));
    }
    Ok(())
}

/// The tokens of a Doc or Span.
fn of_spacy(source: &str, object: &Bound<'_, PyAny>) -> PyResult<Sentence> {
    let mut words = Vec::new();
    for token in object.try_iter()? {
        let token = token?;
        let mut word = Vec::new();
        for (name, column) in
            [("text", Column::Form), ("lemma_", Column::Lemma), ("pos_", Column::Upos), ("tag_", Column::Xpos)]
        {
            add(&mut word, column, &token.getattr(name)?)?;
        }
        let morph = token.getattr("morph")?.str()?;
        add(&mut word, Column::Feats, morph.as_any())?;
        words.push(word);
    }
    joined_words(source, words)
}
