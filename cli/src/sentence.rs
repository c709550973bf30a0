//! One way to name a sentence: by its id, or else by its number.

use treebeam::error::{Error, Result};
use treebeam::treebank::Sentence;

/// Finds the sentence with the id `wanted`, or else the one with that number, from 1, among what is read of the file at `path`. Its
/// number comes with it.
///
/// # Errors
/// If there is no such sentence, or the file cannot be read as far as to it.
pub fn find<T>(
    read: impl Iterator<Item = Result<T>>,
    path: &str,
    wanted: &str,
    sentence: impl Fn(&T) -> &Sentence,
) -> Result<(usize, T)> {
    let mut by_number = None;
    let mut n = 0;
    for found in read {
        let found = match found {
            Ok(found) => found,
            // Errors behind the sentence that was found do not matter.
            Err(_) if by_number.is_some() => break,
            Err(error) => return Err(error),
        };
        n += 1;
        if sentence(&found).id() == Some(wanted) {
            return Ok((n, found));
        }
        if wanted.parse() == Ok(n) {
            by_number = Some((n, found));
        }
    }
    by_number.ok_or_else(|| not_found(path, wanted, n))
}

/// The error for a name that none of `n` sentences has.
pub fn not_found(path: &str, wanted: &str, n: usize) -> Error {
    Error::Usage(format!("{path}: no sentence `{wanted}`; expected the id of a sentence or a number from 1 to {n}"))
}
