//! The first two levels of Universal Dependencies' validator: the file's format, and the form of its annotation.
//!
//! Level 1 is what every reader of this crate demands, and white space. Level 2 adds what can be told without knowing the
//! language: comments that a sentence must have, inventories, the order within columns, the basic tree. The rules are those
//! of <https://universaldependencies.org/format.html> and of the validation that treebanks pass before they are released.

mod values;

use std::collections::HashMap;

use super::sentence::value;
use super::{Column, Format, Sentence};
use crate::error::{Problems, Rule, excerpt, told_apart};
use crate::tree::Roots;
use values::{Nodes, Place};

/// Checks the sentences of one file, in order.
#[derive(Debug, Default)]
pub struct Validator {
    level: u8,
    /// The line at which each sentence's id was given first.
    ids: HashMap<Box<str>, usize>,
}

impl Validator {
    /// A validator of one file at `level` 1 or 2.
    pub fn new(level: u8) -> Validator {
        Validator { level, ids: HashMap::new() }
    }

    /// Adds what is wrong with the next sentence, a well-formed one of CoNLL-U, to `problems`. Without `roots`, heads and
    /// labels may be missing. Linear in the length of the sentence.
    pub fn check(&mut self, sentence: &Sentence, roots: Option<Roots>, problems: &mut Problems) {
        debug_assert_eq!(sentence.format(), Format::Conllu, "the levels are of CoNLL-U");
        let mut found = Problems::new(problems.limit());
        let nodes = Nodes::of(sentence);
        for (i, text) in sentence.text().lines().enumerate() {
            let place = &mut Place { sentence, line: sentence.line() + i, problems: &mut found };
            if text.starts_with('#') {
                continue;
            }
            let columns: Vec<&str> = text.split('\t').collect();
            white_space(&columns, place);
            if self.level >= 2 {
                values::check(&columns, &nodes, roots.is_some(), place);
            }
        }
        if self.level >= 2 {
            self.comments(sentence, &mut found);
            match roots {
                Some(roots) => sentence.check_annotation(roots, &mut found),
                None => sentence.check_given_heads(&mut found),
            }
        }
        found.sort();
        problems.append(found);
    }

    /// A sentence has one id, which no other has, and one text, which is that of its words.
    fn comments(&mut self, sentence: &Sentence, problems: &mut Problems) {
        let line = sentence.line();
        let mut ids = 0;
        let mut texts = Vec::new();
        for (i, comment) in sentence.comments().enumerate() {
            let place = &mut Place { sentence, line: line + i, problems };
            if let Some(id) = value(comment, "sent_id") {
                ids += 1;
                let id = id.trim();
                if ids > 1 {
                    place.add(Rule::SentenceId, || "another sent_id".into(), "one `# sent_id = ...` a sentence");
                } else if id.is_empty() || id.contains(char::is_whitespace) {
                    let found = || format!("the sent_id `{}`", excerpt(id));
                    place.add(Rule::SentenceId, found, "an id without white space");
                } else if let Some(&first) = self.ids.get(id) {
                    let found = || format!("the sent_id `{}`, which line {first} has too", excerpt(id));
                    place.add(Rule::SentenceId, found, "another id for every sentence of the file");
                } else {
                    self.ids.insert(id.into(), line + i);
                }
            } else if let Some(text) = value(comment, "text") {
                if !texts.is_empty() {
                    place.add(Rule::Text, || "another text".into(), "one `# text = ...` a sentence");
                }
                texts.push((line + i, text.strip_prefix(' ').unwrap_or(text).to_owned()));
            }
        }
        let place = &mut Place { sentence, line, problems };
        if ids == 0 {
            place.add(Rule::SentenceId, || "a sentence without sent_id".into(), "a comment `# sent_id = ...`");
        }
        match texts.first() {
            None => place.add(Rule::Text, || "a sentence without text".into(), "a comment `# text = ...`"),
            Some((line, text)) => {
                place.line = *line;
                if let Err(found) = text_of_words(text, sentence) {
                    place.add(Rule::Text, || found, "the forms of the words, with spaces but where SpaceAfter=No");
                }
            }
        }
    }
}

/// No column starts or ends with white space or has two of it in a row; only forms, lemmas and MISC have any.
fn white_space(columns: &[&str], place: &mut Place<'_>) {
    for (&text, column) in columns.iter().zip(Column::ALL) {
        if !text.contains(char::is_whitespace) {
            continue;
        }
        let allowed = matches!(column, Column::Form | Column::Lemma | Column::Misc);
        let mut blank = true;
        let twice = text.chars().any(|c| std::mem::replace(&mut blank, c.is_whitespace()) && c.is_whitespace());
        if !allowed || twice || text.ends_with(char::is_whitespace) {
            let expected = match allowed {
                true => "no white space at either end, and single spaces within",
                false => "no white space in this column",
            };
            let found = || format!("the {} `{}`", column.name(Format::Conllu), excerpt(text));
            place.add(Rule::WhiteSpace, found, expected);
        }
    }
}

/// Checks that `text` is what the surface tokens make; if it is not, says where the two part.
fn text_of_words(text: &str, sentence: &Sentence) -> Result<(), String> {
    if text.ends_with(char::is_whitespace) {
        return Err("a text that ends with white space".into());
    }
    let mut rest = text;
    let mut covered_to = 0;
    for line in sentence.text().lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, form, .., misc] = columns[..] else { continue };
        if id.contains('.') {
            continue;
        }
        if let Some((_, last)) = id.split_once('-') {
            covered_to = last.parse().unwrap_or(0);
        } else if id.parse().unwrap_or(0) <= covered_to {
            continue;
        }
        rest = rest.strip_prefix(form).ok_or_else(|| {
            let there = rest.char_indices().nth(form.chars().count()).map_or(rest, |(end, _)| &rest[..end]);
            let [there, form] = told_apart(there, form);
            format!("a text that goes on with {there} where word {id} is {form}")
        })?;
        let glued = misc.split('|').any(|item| item == "SpaceAfter=No");
        let spaced = rest.starts_with(char::is_whitespace);
        if glued && spaced {
            return Err(format!("a space behind word {id}, which has SpaceAfter=No"));
        }
        if !glued && !spaced && !rest.is_empty() {
            return Err(format!("no space behind word {id}, which has no SpaceAfter=No"));
        }
        rest = rest.trim_start();
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(format!("a text that goes on with `{}` behind the last word", excerpt(rest)))
    }
}

#[cfg(test)]
mod tests;
