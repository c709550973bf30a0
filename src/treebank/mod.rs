//! Sentences as they stand in files: lossless CoNLL-U and CoNLL-X.

mod sentence;

pub use sentence::{Column, Format, Sentence, Treebank};
