//! Vectors in the format of finalfusion (version 0): chunks, each with its kind and its length. Read are
//!
//! | chunk | what of it |
//! |---|---|
//! | words alone (1) | all |
//! | words with n-grams, in buckets (3), as fastText has them (7), or one by one (8) | the words; n-grams are passed over, as those of words of the file are part of their vectors |
//! | a matrix (2) of numbers of 32 bits | the rows of words |
//!
//! Metadata (5) and norms (6) are passed over: vectors are as they stand in the matrix, of length 1 if finalfusion made it so. Quantised
//! matrices (4) and vocabularies without words (9, of floret) are refused.

use super::source::VectorFile;
use crate::error::{Error, Result};

/// Magic bytes of finalfusion's files.
pub const MAGIC: &[u8] = b"FiFu";

/// The kind of numbers in a matrix.
const OF_32_BITS: u32 = 10;

/// Receiver of the rows of a matrix.
pub trait RowReceiver {
    /// Begins with rows of so many numbers.
    ///
    /// # Errors
    /// If they are too many.
    fn start(&mut self, source: &VectorFile, dimension: usize) -> Result<()>;

    /// Takes the row of the word with this number: numbers of 32 bits, the lowest byte first.
    ///
    /// # Errors
    /// If one is not finite.
    fn row(&mut self, source: &VectorFile, word: (usize, &str), bytes: &[u8]) -> Result<()>;
}

/// Reads the vectors of all words.
pub fn read(source: &mut VectorFile, vectors: &mut dyn RowReceiver) -> Result<()> {
    let mut file = File { source };
    let [_, version, n_chunks] = [file.u32()?, file.u32()?, file.u32()?];
    if version != 0 {
        return Err(file.wrong(format!("version {version} of finalfusion's format"), "version 0"));
    }
    for _ in 0..n_chunks {
        file.u32()?;
    }
    let mut words = None;
    for _ in 0..n_chunks {
        let (kind, length) = (file.u32()?, file.u64()?);
        let start = file.source.n_bytes;
        match kind {
            1 | 3 | 7 | 8 => words = Some(file.words(kind)?),
            2 => {
                let Some(words) = words.take() else {
                    return Err(file.wrong("a matrix before any words".to_owned(), "the words first"));
                };
                file.matrix(&words, length, vectors)?;
            }
            4 => {
                let expected = "one that is not, as `finalfusion reconstruct` makes it";
                return Err(file.wrong("a quantised matrix".to_owned(), expected));
            }
            5 | 6 => {}
            9 => {
                let expected = "one that has words; `finalfusion convert` writes others";
                return Err(file.wrong("a vocabulary of floret, which has no words".to_owned(), expected));
            }
            other => return Err(file.wrong(format!("a chunk of kind {other}"), "one of kind 1 to 8")),
        }
        let read = file.source.n_bytes - start;
        let left = length.checked_sub(read);
        if !left.is_some_and(|left| file.source.skip(left).is_ok_and(|is_there| is_there)) {
            return Err(file.cut());
        }
    }
    Ok(())
}

struct File<'s> {
    source: &'s mut VectorFile,
}

impl File<'_> {
    fn wrong(&self, found: String, expected: &str) -> Error {
        self.source.problem(0, found, expected)
    }

    fn cut(&self) -> Error {
        self.wrong("a file of finalfusion that is cut or damaged".to_owned(), "whole chunks")
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        match self.source.exactly(&mut bytes)? {
            true => Ok(bytes),
            false => Err(self.cut()),
        }
    }

    fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// The words of a vocabulary of this kind.
    fn words(&mut self, kind: u32) -> Result<Vec<String>> {
        let n = self.u64()?;
        // How many n-grams there are, how long they are, in how many buckets.
        let beyond = match kind {
            3 | 7 => 12,
            8 => 16,
            _ => 0,
        };
        for _ in 0..beyond / 4 {
            self.u32()?;
        }
        let mut words = Vec::new();
        let mut word = Vec::new();
        for _ in 0..n {
            let length = self.u32()?;
            if length > 1 << 20 {
                return Err(self.wrong(format!("a word of {length} bytes"), "shorter ones; the file may be damaged"));
            }
            word.resize(length as usize, 0);
            if !self.source.exactly(&mut word)? {
                return Err(self.cut());
            }
            words.push(String::from_utf8_lossy(&word).into_owned());
        }
        Ok(words)
    }

    /// The rows of the words in a matrix; those behind them are of n-grams.
    fn matrix(&mut self, words: &[String], length: u64, vectors: &mut dyn RowReceiver) -> Result<()> {
        let (n_rows, dimension, numbers) = (self.u64()?, self.u32()?, self.u32()?);
        if numbers != OF_32_BITS {
            return Err(self.wrong(format!("a matrix of numbers of kind {numbers}"), "numbers of 32 bits, kind 10"));
        }
        vectors.start(self.source, dimension as usize)?;
        if n_rows < words.len() as u64 {
            let expected = format!("one for each of {} words", words.len());
            return Err(self.wrong(format!("a matrix of {n_rows} rows"), &expected));
        }
        // Padding, so that the matrix starts at a multiple of 4.
        let size = u128::from(n_rows) * u128::from(dimension) * 4 + 16;
        match u128::from(length).checked_sub(size) {
            Some(padding) if padding <= 4 => {
                if !self.source.skip(padding as u64)? {
                    return Err(self.cut());
                }
            }
            _ => {
                let found = format!("{n_rows} rows of {dimension} numbers in a chunk of {length} bytes");
                return Err(self.wrong(found, "a chunk as long as its matrix"));
            }
        }
        let mut row = vec![0; 4 * dimension as usize];
        for (number, word) in words.iter().enumerate() {
            if !self.source.exactly(&mut row)? {
                return Err(self.cut());
            }
            vectors.row(self.source, (number + 1, word), &row)?;
        }
        Ok(())
    }
}
