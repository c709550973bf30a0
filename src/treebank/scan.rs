//! The structure of one block: columns, ids, ranges, empty nodes.

use super::{Column, Format};
use crate::error::{Rule, excerpt, excerpt_of_ascii};
use crate::tree::MAX_WORDS;

/// Bounds of a word's columns in the text of its sentence: column `c` is at `bounds[c]..bounds[c + 1] - 1`, the byte
/// left out being the tab or line feed behind it. Further columns of CoNLL-U Plus begin where the last bound is.
pub(super) type ColumnBounds = [u32; 11];

/// Receiver of faults: the rule that is broken, the line, from 0 within the block, and what makes the message of what was
/// found and what was expected, which is asked only if the message is wanted.
pub(super) type FaultReceiver<'r> = dyn FnMut(Rule, usize, &dyn Fn() -> (String, String)) + 'r;

/// Fills `words` with the places of the columns in `text`, whose lines all end in a line feed and none of which is
/// empty, and reports every fault. Without faults, `words` are sound. Lines have columns of the names `further` behind the ten.
pub(super) fn scan(
    text: &str,
    format: Format,
    further: &[Box<str>],
    words: &mut Vec<ColumnBounds>,
    report: &mut FaultReceiver<'_>,
) {
    let expected_columns = 10 + further.len();
    words.clear();
    let bytes = text.as_bytes();
    let mut ids = Ids::default();
    let mut start = 0;
    let mut line = 0;
    let mut in_comments = true;
    if bytes.contains(&b'\r') {
        for (line, _) in text.split('\n').enumerate().filter(|(_, content)| content.contains('\r')) {
            report(Rule::Layout, line, &|| {
                let expected = "tabs and line feeds as the only control characters";
                ("a carriage return within the line".into(), expected.into())
            });
        }
    }
    while start < bytes.len() {
        let mut fault = |rule, message: &dyn Fn() -> (String, String)| report(rule, line, message);
        if bytes[start] == b'#' {
            if format == Format::Conllx {
                let expected = "a word; CoNLL-X has no comments, CoNLL-U has";
                fault(Rule::Comment, &|| ("a comment".into(), expected.into()));
            } else if !in_comments {
                let expected = "a word or the end of the sentence; comments come first";
                fault(Rule::Comment, &|| ("a comment".into(), expected.into()));
            }
            start += text[start..].find('\n').map_or(text.len(), |at| at + 1);
        } else {
            in_comments = false;
            let (bounds, n_columns, end) = columns(bytes, start);
            if n_columns == expected_columns {
                for column in Column::ALL {
                    if bounds[column as usize] + 1 == bounds[column as usize + 1] {
                        fault(Rule::EmptyColumn, &|| {
                            (format!("an empty {}", column.name(format)), "some text; `_` means none".into())
                        });
                    }
                }
                let values = if further.is_empty() { "" } else { &text[bounds[10] as usize..end - 1] };
                for (name, _) in further.iter().zip(values.split('\t')).filter(|(_, value)| value.is_empty()) {
                    let message = || (format!("an empty {}", excerpt(name)), "some text; `_` means none".into());
                    fault(Rule::EmptyColumn, &message);
                }
            } else {
                fault(Rule::Columns, &|| {
                    let columns = if n_columns == 1 { "column" } else { "columns" };
                    let says = if further.is_empty() { "" } else { ", as `# global.columns` says" };
                    let expected = format!("{expected_columns} columns, separated by single tabs{says}");
                    (format!("{n_columns} {columns}"), expected)
                });
            }
            let id = &text[start..bounds[1] as usize - 1];
            // Words beyond the limit are a fault and need not be kept.
            if ids.accept(id, line, format, &mut fault) && words.len() <= MAX_WORDS {
                words.push(bounds);
            }
            start = end;
        }
        line += 1;
    }
    ids.finish(report);
}

/// The bounds of the columns of the line that starts at `start`, their number, and the start of the next line. The bounds are right if
/// there are ten columns or more, and the first always is.
fn columns(bytes: &[u8], start: usize) -> (ColumnBounds, usize, usize) {
    let mut bounds = [0; 11];
    bounds[0] = start as u32;
    let (mut n_columns, mut end) = (1, bytes.len());
    for (at, &byte) in bytes[start..].iter().enumerate() {
        if byte > b'\n' {
            continue;
        }
        let next = (start + at + 1) as u32;
        if byte == b'\t' {
            if n_columns <= 10 {
                bounds[n_columns] = next;
            }
            n_columns += 1;
        } else if byte == b'\n' {
            if n_columns <= 10 {
                bounds[n_columns] = next;
            }
            end = next as usize;
            break;
        }
    }
    (bounds, n_columns, end)
}

/// The ids seen so far in a block.
#[derive(Default)]
struct Ids {
    /// The id of the last word.
    last: usize,
    /// Word lines met; fewer or more than `last` once an id was wrong.
    n_words: usize,
    /// The last sound range: its end and the line it stands on.
    range: Option<(usize, usize)>,
    /// The number of the last empty node behind the last word.
    last_empty: usize,
}

/// Receiver of faults: the kind of each, and, if that is wanted, what was found and what was expected.
type Faults<'f> = &'f mut dyn FnMut(Rule, &dyn Fn() -> (String, String));

impl Ids {
    /// Takes the next line's id; whether it is a word's.
    fn accept(&mut self, id: &str, line: usize, format: Format, fault: Faults) -> bool {
        let next = self.last + 1;
        let mut wrong = |expected: &dyn Fn() -> String| {
            fault(Rule::Id, &|| (format!("the id {}", excerpt_of_ascii(id)), expected()));
        };
        if let Some(number) = number(id).filter(|&number| number > 0) {
            if number != next {
                wrong(&|| format!("the id {next}; words are numbered from 1 without gaps"));
            }
            self.n_words += 1;
            if self.n_words == MAX_WORDS + 1 {
                fault(Rule::Words, &|| {
                    let expected = format!(
                        "at most {MAX_WORDS} words in a sentence; `treebeam treebank convert --cut 1000` divides it"
                    );
                    (format!("word {}", MAX_WORDS + 1), expected)
                });
            }
            // Going on from what was found reports one slip once, not every word behind it. No id above the limit is
            // believed, lest the next one overflow.
            self.last = number.min(MAX_WORDS + 1);
            self.last_empty = 0;
            return true;
        }
        if format == Format::Conllx {
            wrong(&|| format!("the id {next}; CoNLL-X has words only"));
        } else if let Some((first, last)) = pair(id, '-') {
            let overlaps = self.range.is_some_and(|(end, _)| first <= end);
            if first != next {
                wrong(&|| format!("a range that starts with the next word, {next}"));
            } else if last <= first {
                wrong(&|| format!("a range that ends behind word {first}"));
            } else if overlaps {
                wrong(&|| "ranges that do not overlap".into());
            } else {
                self.range = Some((last, line));
            }
        } else if let Some((word, number)) = pair(id, '.') {
            let next_empty = self.last_empty + 1;
            if word != self.last || number != next_empty {
                let last = self.last;
                wrong(&|| format!("{last}.{next_empty} for an empty node here"));
            }
            self.last_empty = if word == self.last { number } else { next_empty };
        } else {
            wrong(&|| format!("a word's number such as {next}, a range such as 1-2 or an empty node such as 1.1"));
        }
        false
    }

    fn finish(self, report: &mut FaultReceiver<'_>) {
        if self.n_words == 0 {
            let expected = "at least one word; remove the block";
            report(Rule::Words, 0, &|| ("a sentence without words".into(), expected.into()));
        } else if let Some((end, line)) = self.range.filter(|&(end, _)| end > self.last) {
            report(Rule::Id, line, &|| {
                let expected = format!("an end within the sentence, which has {} words", self.last);
                (format!("a range that ends with word {end}"), expected)
            });
        }
    }
}

/// The columns of a line: separated by tabs, or where it has none by one or more spaces. Other white space is text, such as
/// the no-break space between the digits of a number.
pub(super) fn fields(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(|field| field.trim_matches(' ')).collect()
    } else {
        line.split(' ').filter(|field| !field.is_empty()).collect()
    }
}

/// A number as ids and heads are written: digits without a sign or leading zeros, below ten thousand million.
pub(super) fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && (1..=10).contains(&text.len());
    let canonical = text.len() == 1 || !text.starts_with('0');
    if digits && canonical { text.parse().ok() } else { None }
}

fn pair(id: &str, separator: char) -> Option<(usize, usize)> {
    let (left, right) = id.split_once(separator)?;
    Some((number(left)?, number(right)?))
}
