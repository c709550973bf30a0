//! Sentences as they stand in files: lossless CoNLL-U and CoNLL-X.
//!
//! Problems come in three layers. *Layout*: carriage returns, a byte order mark, blank lines too many or too few; can be
//! repaired without loss. *Structure*: columns, ids, encoding; every reader refuses a file where it is wrong. *Annotation*:
//! heads and labels; matters only where they are used, so that a file without any can be parsed.

mod annotation;
mod blocks;
pub mod columns;
pub mod convert;
pub mod cut;
mod file;
mod format;
pub mod generate;
mod plus;
mod reader;
mod recognise;
mod scan;
mod sentence;
pub mod split;
mod stats;
mod survey;
#[cfg(test)]
mod tests;
mod validator;
mod words;

pub use file::Treebank;
pub(crate) use file::unknown_source;
pub use format::{Column, Format};
pub use reader::{ReadBlock, Reader, Unread};
pub use sentence::{CONFIDENCES, Enhanced, Sentence};
pub use stats::Stats;
pub use survey::Survey;
pub use validator::Validator;
pub use words::{Words, check_length};
