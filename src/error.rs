//! Errors about data: what was found where, what was expected, what to do.

mod problems;

pub use problems::{Problems, Rule, counted, remaining, thousands};

use std::fmt;
use std::path::PathBuf;

/// A place in a file. Lines count from 1 within the file, never within the sentence.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Location {
    /// The file as the user named it; `-` for standard input.
    pub path: String,
    /// The line, from 1; 0 when the problem concerns the whole file.
    pub line: usize,
    /// The sentence's id (`# sent_id = ...`), where it has one.
    pub sentence: Option<String>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        match &self.sentence {
            Some(id) => write!(f, " (sentence {})", excerpt_of(id, ID)),
            None => Ok(()),
        }
    }
}

/// The most characters of a value from a file that a message repeats.
const EXCERPT: usize = 60;

/// The same of a sentence's id, which is repeated whole: no treebank has longer ones.
pub(crate) const ID: usize = 400;

/// Excerpt of a value from a file for a message: on one line and not too much of it. Control characters, and others that
/// cannot be seen, are escaped.
pub fn excerpt(text: &str) -> String {
    excerpt_of(text, EXCERPT)
}

/// [`excerpt`] of `most` characters.
pub(crate) fn excerpt_of(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == most {
            shown.push('…');
            break;
        }
        if is_unseen(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// True of control characters, which may command a terminal, of marks of direction, and of other white space than the space.
fn is_unseen(c: char) -> bool {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
    c.is_control() || !c.is_ascii() && (c.is_whitespace() || c.general_category() == GeneralCategory::Format)
}

/// Excerpt in quotation marks of a value that should be ASCII, with the code points of the characters that are not and may look like it.
pub fn excerpt_of_ascii(text: &str) -> String {
    let foreign: String = text.chars().filter(|c| !c.is_ascii()).take(8).collect();
    format!("`{}`{}", excerpt(text), code_points(&foreign))
}

/// Two values that differ, as excerpts in quotation marks, with the code points in which they differ unless these are ASCII: others look
/// alike. Where they differ far behind their beginnings, the excerpts begin there.
///
/// # Examples
/// ```
/// use treebeam::error::distinguished;
///
/// assert_eq!(distinguished("cat", "cut"), ["`cat`", "`cut`"]);
/// assert_eq!(distinguished("cafe\u{301}", "café"), ["`cafe\u{301}` (U+0065 U+0301)", "`café` (U+00E9)"]);
/// ```
pub fn distinguished(one: &str, other: &str) -> [String; 2] {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| text.chars().skip(same).collect::<Vec<char>>();
    let (a, b) = (rest(one), rest(other));
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let parts = [&a[..a.len() - same_end], &b[..b.len() - same_end]];
    let is_plain = parts.iter().all(|part| part.iter().all(|c| c.is_ascii_graphic()));
    let start = if same < EXCERPT * 2 / 3 { 0 } else { same - 10 };
    [(one, parts[0]), (other, parts[1])].map(|(text, part)| {
        let text: String = text.chars().skip(start).take(EXCERPT + 1).collect();
        let part: String = part.iter().take(8).collect();
        let before = if start > 0 { "…" } else { "" };
        format!("`{before}{}`{}", excerpt(&text), if is_plain { String::new() } else { code_points(&part) })
    })
}

/// Code points in brackets, if there are any.
fn code_points(text: &str) -> String {
    let points: Vec<String> = text.chars().map(|c| format!("U+{:04X}", c as u32)).collect();
    if points.is_empty() { String::new() } else { format!(" ({})", points.join(" ")) }
}

/// One thing that is wrong with an input file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {found}; expected {expected}")]
pub struct Problem {
    /// Place of the problem.
    pub location: Location,
    /// Text that was found.
    pub found: String,
    /// Text that was expected, and where it helps, what to do.
    pub expected: String,
}

impl Problem {
    /// A problem on a line of a file, or with the whole file on line 0.
    pub fn at(path: impl Into<String>, line: usize, found: impl Into<String>, expected: impl Into<String>) -> Problem {
        let location = Location { path: path.into(), line, sentence: None };
        Problem { location, found: found.into(), expected: expected.into() }
    }
}

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Malformed input.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// Several problems of one input.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A request that contradicts itself or names something unknown.
    #[error("{0}")]
    Usage(String),
}

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Wraps an input/output error with the file it concerns.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_distinguished() {
        for (one, other, expected) in [
            ("dog", "dogs", ["`dog`", "`dogs`"]),
            ("a b", "a\u{a0}b", ["`a b` (U+0020)", "`a\\u{a0}b` (U+00A0)"]),
            ("АB", "AB", ["`АB` (U+0410)", "`AB` (U+0041)"]),
            ("x", "x\u{200b}", ["`x`", "`x\\u{200b}` (U+200B)"]),
        ] {
            assert_eq!(distinguished(one, other), expected);
        }
        let long = "y".repeat(100);
        let [one, other] = distinguished(&(long.clone() + "1"), &(long + "2"));
        assert_eq!((one.as_str(), other.as_str()), ("`…yyyyyyyyyy1`", "`…yyyyyyyyyy2`"));
        assert_eq!(excerpt_of_ascii("\u{ff12}"), "`\u{ff12}` (U+FF12)");
    }

    #[test]
    fn ids_are_reported_whole() {
        let mut location = Location { path: "x".into(), line: 1, sentence: Some("i".repeat(150)) };
        assert!(location.to_string().contains(&format!(" (sentence {})", "i".repeat(150))));
        location.sentence = Some("\u{1b}[2J".into());
        assert_eq!(location.to_string(), "x:1 (sentence \\u{1b}[2J)");
    }

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt("a b"), "a b");
        assert_eq!(excerpt("a\tb\n\u{1b}[31m"), "a\\tb\\n\\u{1b}[31m");
        assert_eq!(excerpt("é \u{a0}\u{200d}\u{202e}\u{9b}"), "é \\u{a0}\\u{200d}\\u{202e}\\u{9b}");
        let long = excerpt(&"é".repeat(1 << 20));
        assert_eq!((long.chars().count(), long.ends_with('…')), (EXCERPT + 1, true));
    }
}
