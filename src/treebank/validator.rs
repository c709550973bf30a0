//! The first two levels of Universal Dependencies' validator: the file's format, and the form of its annotation.
//!
//! Level 1 is what every reader of this crate demands, white space, and normalisation. Level 2 adds what can be checked without
//! knowing the language: comments that a sentence must have, inventories, the order within columns, the basic tree, the
//! connected enhanced graph. The rules are those of <https://universaldependencies.org/format.html> as the validator of the
//! package `udtools` 0.2.9 has them.

mod comments;
mod graph;
mod values;

use unicode_normalization::is_nfc;

use super::{Column, Format, Sentence, plus};
use crate::error::{Problems, Rule, distinguished, excerpt};
use crate::tree::Roots;
use comments::Comments;
use graph::Graphs;
use values::{LinePlace, is_space};

/// Checks the sentences of one treebank, in order; it may be several files.
#[derive(Debug, Default)]
pub struct Validator {
    level: u8,
    comments: Comments,
    graphs: Graphs,
}

impl Validator {
    /// A validator of one treebank at `level` 1 or 2.
    pub fn new(level: u8) -> Validator {
        Validator { level, ..Validator::default() }
    }

    /// Adds what is wrong with the next sentence, a well-formed one of CoNLL-U, to `problems`. Without `roots`, heads and
    /// labels may be missing. Linear in the length of the sentence.
    pub fn check(&mut self, sentence: &Sentence, roots: Option<Roots>, problems: &mut Problems) {
        debug_assert_eq!(sentence.format(), Format::Conllu, "the levels are of CoNLL-U");
        let mut found = Problems::new(problems.limit());
        // The word before, and the first and the last word of the last range.
        let (mut word, mut range) = (0, (0, 0));
        if plus::further_columns(sentence.text()).is_some() {
            let place = &mut LinePlace { sentence, line: sentence.line(), problems: &mut found };
            place.add(
                Rule::Format,
                || "further columns, of CoNLL-U Plus".into(),
                "CoNLL-U, with its ten columns alone",
            );
        }
        for (i, text) in sentence.text().lines().enumerate() {
            let place = &mut LinePlace { sentence, line: sentence.line() + i, problems: &mut found };
            characters(text, place);
            if text.starts_with('#') {
                continue;
            }
            let columns: Vec<&str> = text.split('\t').collect();
            white_space(&columns, place);
            let id = columns[Column::Id as usize];
            if let Some((first, last)) = id.split_once('-') {
                range = (first.parse().unwrap_or(0), last.parse().unwrap_or(0));
            } else if !id.contains('.') {
                word = id.parse().unwrap_or(0);
            } else if word < range.0 {
                let expected = "empty nodes before the range that begins with the next word";
                place.add(Rule::Id, || format!("the empty node {} behind a range", excerpt(id)), expected);
            }
            if self.level >= 2 {
                values::check(&columns, word <= range.1, roots.is_some(), place);
            }
        }
        if self.level >= 2 {
            self.comments.check(sentence, &mut found);
            match roots {
                Some(roots) => {
                    self.graphs.check(sentence, &mut found);
                    sentence.check_annotation(roots, &mut found);
                }
                None => sentence.check_given_heads(&mut found),
            }
        }
        found.sort();
        problems.append(found);
    }
}

/// No line has characters that stand for bytes that could not be read, or marks that could be composed with their letters.
fn characters(text: &str, place: &mut LinePlace<'_>) {
    if text.is_ascii() {
        return;
    }
    if text.contains(char::REPLACEMENT_CHARACTER) {
        let found = "the character U+FFFD, which stands for bytes that were not UTF-8";
        place.add(Rule::Encoding, || found.into(), "the text as it was before it was converted");
    }
    if let Some(column) = text.split('\t').find(|column| !is_nfc(column)) {
        let composed: String = unicode_normalization::UnicodeNormalization::nfc(column).collect();
        let [expected, found] = distinguished(&composed, column);
        place.add(Rule::Normalisation, || format!("the text {found}"), &format!("{expected}, normalisation form C"));
    }
}

/// No column starts or ends with white space or has two of it in a row; only forms, lemmas and MISC have any, and forms and
/// lemmas of ranges have none.
fn white_space(columns: &[&str], place: &mut LinePlace<'_>) {
    let is_range = columns[Column::Id as usize].contains('-');
    for (&text, column) in columns.iter().zip(Column::ALL) {
        if !text.contains(is_space) {
            continue;
        }
        // Separators of information count as white space only at an end.
        let allowed = match column {
            Column::Misc => true,
            Column::Form | Column::Lemma => !(is_range && text.contains(char::is_whitespace)),
            _ => !text.contains(char::is_whitespace),
        };
        let mut before = false;
        let twice = text.chars().any(|c| std::mem::replace(&mut before, c.is_whitespace()) && c.is_whitespace());
        if !allowed || twice || text.starts_with(is_space) || text.ends_with(is_space) {
            let expected = match column {
                Column::Form | Column::Lemma if is_range => "no white space in what is written as one token",
                Column::Form | Column::Lemma | Column::Misc => "no white space at either end, and single spaces within",
                _ => "no white space in this column",
            };
            let found = || format!("the {} `{}`", column.name(Format::Conllu), excerpt(text));
            place.add(Rule::WhiteSpace, found, expected);
        }
    }
}

#[cfg(test)]
mod tests;
