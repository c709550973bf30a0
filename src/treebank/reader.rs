//! Reading sentences one at a time.

use super::blocks::{Block, Blocks, Fault, TRAILING_COMMENTS};
use super::scan::Bounds;
use super::{Format, Sentence, cut, recognise};
use crate::error::{Error, Problem, Problems, Result, Rule};
use crate::files;
use std::collections::VecDeque;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// An iterator over the sentences of an input, in memory that does not grow with it.
///
/// It refuses whatever would not survive being written again; whether heads and labels make sense is not its
/// concern. It ends after the first error.
///
/// # Examples
/// ```
/// use treebeam::treebank::{Format, Reader};
///
/// let text = "1\tyes\t_\tINTJ\t_\t_\t0\troot\t_\t_\n\n1\tno\t_\tINTJ\t_\t_\t0\troot\t_\n\n";
/// let mut sentences = Reader::new(text.as_bytes(), "answers.conllu", Format::Conllu);
/// assert_eq!(sentences.next().unwrap()?.form(1), "yes");
/// // What is malformed is told with its line; nothing follows.
/// let error = sentences.next().unwrap().unwrap_err().to_string();
/// assert_eq!(error, "answers.conllu:3: 9 columns; expected 10 columns, separated by single tabs");
/// assert!(sentences.next().is_none());
/// # Ok::<(), treebeam::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    reading: Reading,
}

/// A reader without its input, so that it is compiled once for all of them.
#[derive(Debug)]
struct Reading {
    source: Arc<str>,
    format: Format,
    blocks: Blocks,
    repair: bool,
    n_blocks: usize,
    finished: bool,
    block: Vec<u8>,
    words: Vec<Bounds>,
    problems: Problems,
    empty_allowed: bool,
    /// The most words of a sentence, if longer ones are divided.
    most_words: Option<usize>,
    /// The parts of a sentence that was divided that are still to come, with their first lines.
    parts: VecDeque<(usize, Vec<u8>)>,
}

/// Result of reading one block of lines by a reader that does not stop at problems.
#[derive(Debug)]
pub struct ReadBlock {
    /// The sentence, if its block is well formed.
    pub sentence: Option<Sentence>,
    /// Problems of the block, in the order of lines: of each kind the first [`Problems::LIMIT`], and the number of the
    /// others. With a sentence there can be faults of the file's layout, which it has lost.
    pub problems: Problems,
}

impl ReadBlock {
    /// True if there was something to read that is left out: needless blank lines and their like are not.
    pub fn is_left_out(&self) -> bool {
        self.sentence.is_none() && self.problems.rules().any(|rule| rule != Rule::Layout)
    }
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
        let reading = Reading {
            source: source.into(),
            format,
            blocks: Blocks::new(format == Format::Conllu),
            repair: false,
            n_blocks: 0,
            finished: false,
            block: Vec::new(),
            words: Vec::new(),
            problems: Problems::new(Problems::LIMIT),
            empty_allowed: false,
            most_words: None,
            parts: VecDeque::new(),
        };
        Reader { input, reading }
    }

    /// Divides sentences of more than `most_words` words, as [`super::cut`] does.
    #[must_use]
    pub fn cutting(mut self, most_words: usize) -> Reader<R> {
        self.reading.most_words = Some(most_words);
        self
    }

    /// Takes an input without sentences for what it is; otherwise it is refused.
    #[must_use]
    pub fn allowing_empty(mut self) -> Reader<R> {
        self.reading.empty_allowed = true;
        self
    }

    /// Repairs silently what can be repaired without loss: carriage returns before line feeds, a byte order mark,
    /// needless blank lines, blank lines of spaces and tabs, a missing blank line at the end. Comments behind the last
    /// sentence are left out, which is a problem still.
    #[must_use]
    pub fn repairing(mut self) -> Reader<R> {
        self.reading.repair = true;
        self
    }

    /// The format that is read.
    pub fn format(&self) -> Format {
        self.reading.format
    }

    /// The next block with all that is wrong with it; `None` at the end.
    ///
    /// # Errors
    /// Only those of the input itself.
    pub fn step(&mut self) -> Result<Option<ReadBlock>> {
        let sentence = self.reading.advance(&mut self.input)?;
        let problems = self.reading.take_problems();
        Ok((sentence.is_some() || !problems.is_empty()).then_some(ReadBlock { sentence, problems }))
    }
}

impl Reading {
    /// The next sentence, or the first problem instead.
    fn next(&mut self, input: &mut dyn BufRead) -> Option<Result<Sentence>> {
        let mut result = self.advance(input);
        if let Some(problem) = self.take_problems().into_first() {
            result = Err(problem.into());
        }
        self.finished |= result.is_err();
        result.transpose()
    }

    /// Reads the next block; its problems go to `self.problems`. Neither sentence nor problem means the end.
    fn advance(&mut self, input: &mut dyn BufRead) -> Result<Option<Sentence>> {
        if self.finished {
            return Ok(None);
        }
        if let Some((line, part)) = self.parts.pop_front() {
            self.block = part;
            return Ok(self.sentence_at(line));
        }
        let mut faults = Vec::new();
        let block = self.blocks.next(input, &mut self.block, &mut faults).map_err(Error::io(&*self.source));
        let block = block.inspect_err(|_| self.finished = true)?;
        faults.sort_by_key(|fault| fault.line);
        for Fault { line, found, expected } in faults {
            if !self.repair || found == TRAILING_COMMENTS {
                self.problem(Rule::Layout, line, found, expected);
            }
        }
        match block {
            Block::At(line) => {
                self.n_blocks += 1;
                let mut line = line;
                if let Some(most_words) = self.most_words
                    && let Some(parts) = cut::parts(&self.block, most_words)
                {
                    self.parts = parts.into_iter().map(|(offset, part)| (line + offset, part)).collect();
                    (line, self.block) = self.parts.pop_front().unwrap_or_default();
                }
                let mut sentence = self.sentence_at(line);
                if self.n_blocks == 1
                    && sentence.as_ref().is_none_or(|sentence| !recognise::has_usual_columns(sentence))
                {
                    sentence = None;
                    self.say_what_it_seems_to_be(line);
                }
                self.problems.sort();
                Ok(sentence)
            }
            Block::TooLong(line) => {
                self.finished = true;
                if self.n_blocks == 0 {
                    self.say_what_it_seems_to_be(line);
                }
                self.problem(Rule::Words, line, "64 MiB without a blank line", "a blank line behind each sentence");
                Ok(None)
            }
            Block::End => {
                self.finished = true;
                if self.n_blocks == 0 && !self.empty_allowed {
                    self.problem(Rule::Words, 0, "no sentence", "at least one; the file is empty");
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
                let expected = recognise::encoding(&self.block);
                let lines = self.block.split(|&byte| byte == b'\n').enumerate();
                for (i, _) in lines.filter(|(_, content)| std::str::from_utf8(content).is_err()) {
                    let problem = || Problem::at(&*self.source, line + i, "bytes that are not UTF-8", &*expected);
                    self.problems.add(Rule::Encoding, problem);
                }
                None
            }
        }
    }

    /// Adds what a file that is not read at all seems to be, in front of its problems.
    fn say_what_it_seems_to_be(&mut self, line: usize) {
        if let Some((found, expected)) = recognise::other_format(&self.block, &self.source) {
            let others = self.take_problems();
            self.problem(Rule::Format, line, found, &expected);
            self.problems.append(others);
        }
    }

    fn take_problems(&mut self) -> Problems {
        let limit = self.problems.limit();
        std::mem::replace(&mut self.problems, Problems::new(limit))
    }

    fn problem(&mut self, rule: Rule, line: usize, found: &str, expected: &str) {
        self.problems.add(rule, || Problem::at(&*self.source, line, found, expected));
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Sentence>;

    fn next(&mut self) -> Option<Result<Sentence>> {
        self.reading.next(&mut self.input)
    }
}
