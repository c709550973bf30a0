//! One way to name a sentence: by its id, or else by its number.

use std::io::BufRead;

use treebeam::error::{Error, Result};
use treebeam::treebank::{Reader, Sentence};

/// Finds the sentence with the id `wanted`, or else the one with that number, from 1; the first one if none is named. Its
/// number comes with it.
///
/// # Errors
/// If there is no such sentence, or the file cannot be read as far as to it.
pub fn find(reader: Reader<impl BufRead>, path: &str, wanted: Option<&str>) -> Result<(usize, Sentence)> {
    let wanted = wanted.unwrap_or("1");
    let mut by_number = None;
    let mut n = 0;
    for sentence in reader {
        let sentence = match sentence {
            Ok(sentence) => sentence,
            // What comes behind a sentence that was found is no obstacle.
            Err(_) if by_number.is_some() => break,
            Err(error) => return Err(error),
        };
        n += 1;
        if sentence.id() == Some(wanted) {
            return Ok((n, sentence));
        }
        if is_number(wanted, n) {
            by_number = Some((n, sentence));
        }
    }
    by_number.ok_or_else(|| not_found(path, wanted, n))
}

/// True if `text` is the number of a sentence that is the `n`-th.
pub fn is_number(text: &str, n: usize) -> bool {
    text.parse() == Ok(n)
}

/// The error for a name that none of `n` sentences has.
pub fn not_found(path: &str, wanted: &str, n: usize) -> Error {
    Error::Usage(format!("{path}: no sentence `{wanted}`; expected the id of a sentence or a number from 1 to {n}"))
}
