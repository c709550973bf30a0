//! Errors about data: what was found where, what was expected, what to do.

use std::fmt;
use std::path::PathBuf;

/// A place in a file. Lines count from 1 within the file, never within the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            Some(id) => write!(f, " (sentence {id})"),
            None => Ok(()),
        }
    }
}

/// One thing that is wrong with an input file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {found}; expected {expected}")]
pub struct Problem {
    /// Where.
    pub location: Location,
    /// What was found.
    pub found: String,
    /// What was expected, and where it helps, what to do.
    pub expected: String,
}

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Malformed input.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// Several problems of one input, all of them.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
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
