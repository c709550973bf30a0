//! Reading sentences one at a time.

use super::blocks::{Block, Blocks, Fault};
use super::sentence::Bounds;
use super::{Format, Sentence};
use crate::error::{Error, Location, Problem, Result};
use crate::files;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// An iterator over the sentences of an input, in memory that does not grow with it.
///
/// It refuses whatever would not survive being written again; whether heads and labels make sense is not its
/// concern. It ends after the first error.
#[derive(Debug)]
pub struct Reader<R> {
    source: Arc<str>,
    format: Format,
    blocks: Blocks<R>,
    repair: bool,
    n_blocks: usize,
    finished: bool,
    block: Vec<u8>,
    words: Vec<Bounds>,
    problems: Vec<Problem>,
}

/// One step of a reader that does not stop at problems.
#[derive(Debug)]
pub struct Step {
    /// The sentence, if its block is well formed.
    pub sentence: Option<Sentence>,
    /// What is wrong with the block, in the order of lines. With a sentence there can be faults of the file's
    /// layout, which it has lost.
    pub problems: Vec<Problem>,
}

impl Reader<Box<dyn BufRead + Send>> {
    /// Opens a file, or standard input if `path` is `-`; `.gz` and `.zst` are unpacked. Without `format`, the name
    /// decides, and if it does not tell, the file is read as CoNLL-U.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Reader<Box<dyn BufRead + Send>>> {
        let format = format.or(Format::of_path(path)).unwrap_or(Format::Conllu);
        Ok(Reader::new(files::open(path)?, &path.display().to_string(), format))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads `input`, called `source` in messages.
    pub fn new(input: R, source: &str, format: Format) -> Reader<R> {
        Reader {
            source: source.into(),
            format,
            blocks: Blocks::new(input),
            repair: false,
            n_blocks: 0,
            finished: false,
            block: Vec::new(),
            words: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Repairs silently what can be repaired without loss: carriage returns before line feeds, a byte order mark,
    /// needless blank lines, a missing blank line at the end.
    #[must_use]
    pub fn repairing(mut self) -> Reader<R> {
        self.repair = true;
        self
    }

    /// The format that is read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The next block with all that is wrong with it; `None` at the end.
    ///
    /// # Errors
    /// Only those of the input itself.
    pub fn step(&mut self) -> Result<Option<Step>> {
        let sentence = self.advance()?;
        let problems = std::mem::take(&mut self.problems);
        Ok((sentence.is_some() || !problems.is_empty()).then_some(Step { sentence, problems }))
    }

    /// Reads the next block; its problems go to `self.problems`. Neither sentence nor problem means the end.
    fn advance(&mut self) -> Result<Option<Sentence>> {
        if self.finished {
            return Ok(None);
        }
        let mut faults = Vec::new();
        let block = self.blocks.next(&mut self.block, &mut faults).map_err(Error::io(&*self.source));
        let block = block.inspect_err(|_| self.finished = true)?;
        if !self.repair {
            for Fault { line, found, expected } in faults {
                self.problem(line, found.into(), expected.into());
            }
        }
        match block {
            Block::At(line) => {
                self.n_blocks += 1;
                let sentence = self.sentence_at(line);
                self.problems.sort_by_key(|problem| problem.location.line);
                Ok(sentence)
            }
            Block::TooLong(line) => {
                self.finished = true;
                self.problem(line, "64 MiB without a blank line".into(), "a blank line behind each sentence".into());
                Ok(None)
            }
            Block::End => {
                self.finished = true;
                if self.n_blocks == 0 {
                    self.problem(0, "no sentence".into(), "at least one; the file is empty".into());
                }
                Ok(None)
            }
        }
    }

    fn sentence_at(&mut self, line: usize) -> Option<Sentence> {
        match std::str::from_utf8(&self.block) {
            Ok(text) => {
                Sentence::from_block(&self.source, line, self.format, text, &mut self.words, &mut self.problems)
            }
            Err(_) => {
                let bad: Vec<usize> = self
                    .block
                    .split(|&byte| byte == b'\n')
                    .enumerate()
                    .filter_map(|(i, content)| std::str::from_utf8(content).is_err().then_some(line + i))
                    .collect();
                for line in bad {
                    self.problem(line, "bytes that are not UTF-8".into(), "UTF-8; convert the file's encoding".into());
                }
                None
            }
        }
    }

    fn problem(&mut self, line: usize, found: String, expected: String) {
        let location = Location { path: self.source.to_string(), line, sentence: None };
        self.problems.push(Problem { location, found, expected });
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Sentence>;

    fn next(&mut self) -> Option<Result<Sentence>> {
        let mut result = self.advance();
        if let Some(problem) = self.problems.drain(..).next() {
            result = Err(problem.into());
        }
        self.finished |= result.is_err();
        result.transpose()
    }
}
