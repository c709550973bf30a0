//! Lines of `.feat` files, and places in them.

use crate::error::excerpt;

/// A line without its comment.
pub(super) fn code(line: &str) -> &str {
    line.split('#').next().unwrap_or("")
}

/// The blank-separated words of `line` with the byte offsets at which they start.
pub(super) fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// Excerpt of a file at some place, for a message: no longer than anybody reads.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", excerpt(text))
}

/// The column, from 1, of the byte at `offset` of `line`.
pub(super) fn column(line: &str, offset: usize) -> usize {
    line[..offset].chars().count() + 1
}

/// Fault in a file: the offset in bytes, what was found, what was expected.
pub(super) type LineFault = (usize, String, String);
