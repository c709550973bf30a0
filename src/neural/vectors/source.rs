//! A file of vectors that is read once, with its digest.

use sha2::{Digest as _, Sha256};
use std::io::{BufRead, Read as _};
use std::path::Path;

use crate::error::{Error, Location, Problem, Result};
use crate::files::{hex, open};

/// The most bytes of a line, or of a word in binary form: more is no vector, and would fill the memory.
const MAX_LINE: u64 = 1 << 20;

/// A file that is read once.
pub struct VectorFile {
    path: String,
    input: Box<dyn BufRead + Send>,
    /// Digest of the bytes that were looked at and not read yet.
    sha256: Sha256,
    /// Number of bytes that have been read.
    pub n_bytes: u64,
    /// True if there was a byte that no text has.
    pub is_binary: bool,
}

impl VectorFile {
    /// Opens the file, which may be packed.
    pub fn open(path: &str) -> Result<VectorFile> {
        let input = open(Path::new(path))?;
        Ok(VectorFile { path: path.to_owned(), input, sha256: Sha256::new(), n_bytes: 0, is_binary: false })
    }

    /// Error in a line; 0 where there are no lines.
    pub fn problem(&self, line: usize, found: String, expected: &str) -> Error {
        let location = Location { path: self.path.clone(), line, sentence: None };
        Problem { location, found, expected: expected.to_owned() }.into()
    }

    fn io(&self) -> impl FnOnce(std::io::Error) -> Error + use<> {
        Error::io(self.path.clone())
    }

    /// Some of the first bytes, which are still to be read.
    pub fn start(&mut self) -> Result<Vec<u8>> {
        let error = self.io();
        let start = self.input.fill_buf().map_err(error)?;
        Ok(start[..start.len().min(8)].to_vec())
    }

    fn count(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.n_bytes += bytes.len() as u64;
    }

    /// Reads up to and with this byte.
    fn until(&mut self, end: u8, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        let n = (&mut self.input).take(MAX_LINE).read_until(end, into).map_err(self.io())?;
        if n as u64 == MAX_LINE && !into.ends_with(&[end]) {
            let found = format!("{MAX_LINE} bytes without the end of a {}", if end == b' ' { "word" } else { "line" });
            return Err(self.problem(0, found, "a word and its numbers in each line"));
        }
        Ok(())
    }

    /// Reads a line with its end; whether there was one.
    pub fn line(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        self.until(b'\n', line)?;
        self.is_binary |= line.contains(&0);
        self.count(line);
        Ok(!line.is_empty())
    }

    /// Reads a word and the space behind it; line ends before it are those of the vector before.
    pub fn word(&mut self, word: &mut Vec<u8>) -> Result<()> {
        self.until(b' ', word)?;
        self.count(word);
        word.pop_if(|last| *last == b' ');
        let n_ends = word.iter().take_while(|byte| **byte == b'\n').count();
        word.drain(..n_ends);
        Ok(())
    }

    /// Fills `bytes`; whether there were as many.
    pub fn exactly(&mut self, bytes: &mut [u8]) -> Result<bool> {
        match self.input.read_exact(bytes) {
            Ok(()) => {
                self.count(bytes);
                Ok(true)
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(self.io()(error)),
        }
    }

    /// Passes over so many bytes; whether there were as many.
    pub fn skip(&mut self, n: u64) -> Result<bool> {
        let mut bytes = [0; 1 << 12];
        let mut left = n;
        while left > 0 {
            let part = left.min(bytes.len() as u64) as usize;
            if !self.exactly(&mut bytes[..part])? {
                return Ok(false);
            }
            left -= part as u64;
        }
        Ok(true)
    }

    /// Refuses anything but empty lines.
    pub fn expect_end(&mut self, line: usize) -> Result<()> {
        let mut rest = Vec::new();
        while self.line(&mut rest)? {
            if !rest.trim_ascii().is_empty() {
                return Err(match line {
                    0 => {
                        self.problem(0, "more behind the last word".to_owned(), "as many words as the first line says")
                    }
                    line => self.problem(line, "an empty line".to_owned(), "a word and its numbers"),
                });
            }
        }
        Ok(())
    }

    /// The digest of all that was read.
    pub fn finish(self) -> String {
        hex(&self.sha256.finalize())
    }
}
