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
            Some(id) => write!(f, " (sentence {})", excerpt(id)),
            None => Ok(()),
        }
    }
}

/// The most characters of a value from a file that a message repeats.
const EXCERPT: usize = 60;

/// Excerpt of a value from a file for a message: on one line and not too much of it. Control characters are escaped.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == EXCERPT {
            shown.push('…');
            break;
        }
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
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
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt("a b"), "a b");
        assert_eq!(excerpt("a\tb\n\u{1b}[31m"), "a\\tb\\n\\u{1b}[31m");
        let long = excerpt(&"é".repeat(1 << 20));
        assert_eq!((long.chars().count(), long.ends_with('…')), (EXCERPT + 1, true));
    }
}
