//! Comments at level 2: ids, documents, and the text of sentences.

use std::collections::{HashMap, HashSet};

use super::values::{LinePlace, is_space};
use crate::error::{Location, Problems, Rule, distinguished, excerpt};
use crate::treebank::Sentence;

/// Ids and other comments of a treebank's earlier sentences.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// The place at which each sentence's id was given first.
    ids: HashMap<Box<str>, Location>,
    parallel_ids: HashSet<Box<str>>,
    /// By parallel sentence: the last number of an alternative, and of a part.
    last_parallel: HashMap<Box<str>, [Option<u64>; 2]>,
    /// True if no space follows the last token of the text so far.
    no_space: bool,
}

impl Comments {
    /// Checks a sentence's comments, and that its text is that of its words.
    pub(super) fn check(&mut self, sentence: &Sentence, problems: &mut Problems) {
        let line = sentence.line();
        let (mut ids, mut parallel_ids, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let mut begins = [0; 2];
        for (i, comment) in sentence.comments().enumerate() {
            let place = &mut LinePlace { sentence, line: line + i, problems };
            let is_value = |value: &&str| !value.is_empty() && !value.contains(char::is_whitespace);
            let begins_with = |key| {
                ["# ", "#"]
                    .iter()
                    .any(|mark| comment.strip_prefix(mark).is_some_and(|comment| comment.starts_with(key)))
            };
            if let Some(id) = value(comment, "sent_id").filter(is_value) {
                ids.push((line + i, id));
            } else if begins_with("sent_id") {
                let found = || format!("the comment `{}`", excerpt(comment));
                place.add(
                    Rule::SentenceId,
                    found,
                    "`# sent_id = ...`, an id without white space and nothing behind it",
                );
            }
            if let Some(id) = value(comment, "parallel_id").and_then(ParallelId::of) {
                parallel_ids.push((line + i, id));
            } else if begins_with("parallel_id") {
                let found = || format!("the comment `{}`", excerpt(comment));
                let expected = "`# parallel_id = corpus/sentence`, lower-case letters, with digits and hyphens behind the stroke; \
                                perhaps `/alt1`, `/part1` or `/alt1part1` behind it";
                place.add(Rule::SentenceId, found, expected);
            }
            for (n, key) in begins.iter_mut().zip(["newdoc", "newpar"]) {
                *n += usize::from(is_beginning(comment, key));
                if *n == 2 {
                    place.add(Rule::Document, || format!("another {key}"), "one at most for a sentence");
                }
            }
            if let Some(text) = value(comment, "text") {
                texts.push((line + i, text));
            }
        }
        let mut place = LinePlace { sentence, line, problems };
        if begins != [0, 0] && self.no_space {
            let expected = "no SpaceAfter=No at the last token before a new document or paragraph";
            place.add(Rule::Document, || "a beginning where no space follows the token before".into(), expected);
        }
        match ids.as_slice() {
            [] => place.add(Rule::SentenceId, || "a sentence without sent_id".into(), "a comment `# sent_id = ...`"),
            &[(line, id)] => self.id(id, &mut LinePlace { line, ..place.again() }),
            &[_, (line, _), ..] => {
                let mut place = LinePlace { line, ..place.again() };
                place.add(Rule::SentenceId, || "another sent_id".into(), "one `# sent_id = ...` a sentence");
            }
        }
        match parallel_ids.as_slice() {
            [] => {}
            &[(line, id)] => self.parallel_id(id, &mut LinePlace { line, ..place.again() }),
            &[_, (line, _), ..] => {
                let mut place = LinePlace { line, ..place.again() };
                place.add(Rule::SentenceId, || "another parallel_id".into(), "one `# parallel_id = ...` at most");
            }
        }
        match texts.as_slice() {
            [] => place.add(Rule::Text, || "a sentence without text".into(), "a comment `# text = ...`"),
            &[(line, text)] => self.text(text, &mut LinePlace { line, ..place.again() }),
            &[_, (line, _), ..] => {
                let mut place = LinePlace { line, ..place.again() };
                place.add(Rule::Text, || "another text".into(), "one `# text = ...` a sentence");
            }
        }
    }

    fn id(&mut self, id: &str, place: &mut LinePlace<'_>) {
        if id.matches('/').count() > 1 {
            let found = || format!("the sent_id `{}`", excerpt(id));
            place.add(Rule::SentenceId, found, "one stroke at most, which is for parallel treebanks");
        }
        if let Some(Location { path, line, .. }) = self.ids.get(id) {
            let of_other_file =
                if *path == place.sentence.source() { String::new() } else { format!(" of {}", excerpt(path)) };
            let found = || format!("the sent_id `{}`, which line {line}{of_other_file} has too", excerpt(id));
            place.add(Rule::SentenceId, found, "another id for every sentence");
        } else {
            let location = Location { path: place.sentence.source().to_owned(), line: place.line, sentence: None };
            self.ids.insert(id.into(), location);
        }
    }

    /// An id of its own, whose alternatives and parts are counted from 1 on.
    fn parallel_id(&mut self, id: ParallelId<'_>, place: &mut LinePlace<'_>) {
        if !self.parallel_ids.insert(id.whole.into()) {
            let found = || format!("the parallel_id `{}` again", excerpt(id.whole));
            place.add(Rule::SentenceId, found, "another one for every sentence");
            return;
        }
        let before = self.last_parallel.insert(id.sentence.into(), id.numbers);
        for ((what, number), place_of) in ["alt", "part"].iter().zip(id.numbers).zip(0..) {
            let is_next = match (before.map(|before| before[place_of]), number) {
                (Some(Some(before)), Some(number)) => number == before.saturating_add(1),
                (Some(None), None) | (None, None) => true,
                (None, Some(number)) => number == 1,
                (Some(_), _) => false,
            };
            if !is_next {
                let found = || format!("the parallel_id `{}`", excerpt(id.whole));
                place.add(
                    Rule::SentenceId,
                    found,
                    &format!("numbers behind {what} from 1 on, in all such sentences or in none"),
                );
            }
        }
    }

    fn text(&mut self, text: &str, place: &mut LinePlace<'_>) {
        let expected = "the forms of the words, with spaces but where SpaceAfter=No";
        if text.is_empty() {
            place.add(Rule::Text, || "an empty text".into(), expected);
        } else if text.ends_with(is_space) {
            place.add(Rule::Text, || "a text that ends with white space".into(), expected);
        }
        if let Err(found) = self.text_of_words(text, place.sentence) {
            place.add(Rule::Text, || found, expected);
        }
    }

    /// Checks that `text` is what the surface tokens make; if it is not, says where the two part.
    fn text_of_words(&mut self, text: &str, sentence: &Sentence) -> Result<(), String> {
        let mut rest = text;
        let mut covered_to = 0;
        for line in sentence.text().lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [id, form, .., misc] = columns[..] else { continue };
            let of_range = id.parse().is_ok_and(|word: usize| word <= covered_to);
            if id.contains('.') || of_range {
                continue;
            }
            if let Some((_, last)) = id.split_once('-') {
                covered_to = last.parse().unwrap_or(0);
            }
            rest = rest.strip_prefix(form).ok_or_else(|| {
                let there = rest.char_indices().nth(form.chars().count()).map_or(rest, |(end, _)| &rest[..end]);
                let [there, form] = distinguished(there, form);
                let glued = if self.no_space && rest.starts_with(is_space) { ", behind SpaceAfter=No" } else { "" };
                format!("a text that goes on with {there} where word {id} is {form}{glued}")
            })?;
            self.no_space = misc.split('|').any(|item| item == "SpaceAfter=No");
            if !self.no_space {
                if !rest.is_empty() && !rest.starts_with(is_space) {
                    return Err(format!("no space behind word {id}, which has no SpaceAfter=No"));
                }
                rest = rest.trim_start_matches(is_space);
            }
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(format!("a text that goes on with `{}` behind the last word", excerpt(rest)))
        }
    }
}

/// The value in a comment `# key = value`, white space before it left out.
fn value<'t>(comment: &'t str, key: &str) -> Option<&'t str> {
    let rest = comment.strip_prefix('#')?.trim_start().strip_prefix(key)?;
    Some(rest.trim_start().strip_prefix('=')?.trim_start())
}

/// True of `# newdoc` or `# newdoc id`. What has more behind it, as ids have, is not counted, as it is not officially.
fn is_beginning(comment: &str, key: &str) -> bool {
    let rest = comment.strip_prefix('#').and_then(|comment| comment.trim_start().strip_prefix(key));
    rest.is_some_and(|rest| {
        let id = rest.trim_start();
        rest.is_empty() || id.len() < rest.len() && !id.is_empty() && !id.contains(char::is_whitespace)
    })
}

/// Id of a sentence of a parallel treebank.
#[derive(Clone, Copy)]
struct ParallelId<'t> {
    whole: &'t str,
    /// Corpus and sentence.
    sentence: &'t str,
    /// Numbers of the alternative and of the part, if it is one.
    numbers: [Option<u64>; 2],
}

impl<'t> ParallelId<'t> {
    fn of(whole: &'t str) -> Option<ParallelId<'t>> {
        let (corpus, rest) = whole.split_once('/')?;
        let (name, suffix) = match rest.split_once('/') {
            None => (rest, None),
            Some((name, suffix)) => (name, Some(suffix)),
        };
        let is_lower = |byte: u8| byte.is_ascii_lowercase();
        let is_name = |byte: u8| is_lower(byte) || byte.is_ascii_digit() || byte == b'-';
        let is_sound =
            !corpus.is_empty() && corpus.bytes().all(is_lower) && !name.is_empty() && name.bytes().all(is_name);
        let numbers = match suffix {
            None => [None; 2],
            Some(suffix) => {
                let (alt, part) = match suffix.find("part") {
                    None => (suffix, None),
                    Some(at) => (&suffix[..at], Some(&suffix[at + "part".len()..])),
                };
                let alt = if alt.is_empty() && part.is_some() { None } else { Some(alt.strip_prefix("alt")?) };
                [number(alt)?, number(part)?]
            }
        };
        let sentence = &whole[..corpus.len() + 1 + name.len()];
        is_sound.then_some(ParallelId { whole, sentence, numbers })
    }
}

/// The number in digits that do not begin with 0; `None` if there is something else.
fn number(digits: Option<&str>) -> Option<Option<u64>> {
    let Some(digits) = digits else { return Some(None) };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() && !digits.starts_with('0');
    is_number.then(|| Some(digits.parse().unwrap_or(u64::MAX)))
}
