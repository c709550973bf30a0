//! Reading sentences one at a time.

use super::blocks::{Blocks, Fault, NextBlock, TRAILING_COMMENTS};
use super::plus::{FurtherColumns, further_columns};
use super::scan::ColumnBounds;
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
/// // What is malformed is reported with its line; nothing follows.
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
    /// Further columns of CoNLL-U Plus, if the first line names any.
    further: Option<FurtherColumns>,
    blocks: Blocks,
    repair: bool,
    n_blocks: usize,
    finished: bool,
    words: Vec<ColumnBounds>,
    empty_allowed: bool,
    /// The most words of a sentence, if longer ones are divided.
    most_words: Option<usize>,
    /// The parts of a sentence that was divided that are still to come, with their first lines.
    parts: VecDeque<(usize, Vec<u8>)>,
}

/// A block of lines that was found in an input and is still to be read: [`Unread::read`] takes nothing but the block, so that blocks can be
/// read at the same time.
#[derive(Debug)]
pub struct Unread {
    source: Arc<str>,
    format: Format,
    further: Option<FurtherColumns>,
    /// First line, from 1 in the file.
    line: usize,
    /// Lines that end in a line feed each; none if the input ends, or cannot be gone on with, in a problem.
    lines: Vec<u8>,
    is_first: bool,
    /// Problems of the file's layout.
    layout: Problems,
}

impl Unread {
    /// Number of bytes.
    pub fn n_bytes(&self) -> usize {
        self.lines.len()
    }

    /// The sentence in the block, and all that is wrong with it.
    pub fn read(&self) -> ReadBlock {
        self.read_with(&mut Vec::new())
    }

    /// [`Unread::read`] with scratch memory.
    fn read_with(&self, words: &mut Vec<ColumnBounds>) -> ReadBlock {
        let mut problems = self.layout.clone();
        if self.lines.is_empty() {
            return ReadBlock { sentence: None, problems };
        }
        let mut sentence = self.sentence(words, &mut problems);
        if self.is_first && sentence.as_ref().is_none_or(|sentence| !recognise::has_usual_columns(sentence)) {
            sentence = None;
            problems = self.with_other_format(problems);
        }
        problems.sort();
        ReadBlock { sentence, problems }
    }

    fn sentence(&self, words: &mut Vec<ColumnBounds>, problems: &mut Problems) -> Option<Sentence> {
        match std::str::from_utf8(&self.lines) {
            Ok(text) => {
                let (source, further) = (&self.source, self.further.as_ref());
                Sentence::from_block(source, self.line, self.format, text, further, words, problems)
            }
            Err(_) => {
                let expected = recognise::encoding(&self.lines);
                let lines = self.lines.split(|&byte| byte == b'\n').enumerate();
                for (i, _) in lines.filter(|(_, content)| std::str::from_utf8(content).is_err()) {
                    let problem = || Problem::at(&*self.source, self.line + i, "bytes that are not UTF-8", &*expected);
                    problems.add(Rule::Encoding, problem);
                }
                None
            }
        }
    }

    /// Problems behind what a file that is not read at all seems to be.
    fn with_other_format(&self, others: Problems) -> Problems {
        let Some((found, expected)) = recognise::other_format(&self.lines, &self.source) else { return others };
        let mut problems = Problems::new(others.limit());
        problems.add(Rule::Format, || Problem::at(&*self.source, self.line, found, &expected));
        problems.append(others);
        problems
    }
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
    /// decides, and if it does not, the file is read as CoNLL-U.
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
            further: None,
            blocks: Blocks::new(format == Format::Conllu),
            repair: false,
            n_blocks: 0,
            finished: false,
            words: Vec::new(),
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
        self.reading.step(&mut self.input)
    }

    /// The next block, which is still to be read; `None` at the end.
    ///
    /// # Errors
    /// Only those of the input itself.
    pub fn find(&mut self) -> Result<Option<Unread>> {
        self.reading.find(&mut self.input)
    }
}

impl Reading {
    /// The next sentence, or the first problem instead.
    fn next(&mut self, input: &mut dyn BufRead) -> Option<Result<Sentence>> {
        let result = match self.step(input) {
            Ok(None) => return None,
            Ok(Some(ReadBlock { sentence, problems })) => match problems.into_first() {
                Some(problem) => Err(problem.into()),
                None => sentence.map(Ok)?,
            },
            Err(error) => Err(error),
        };
        self.finished |= result.is_err();
        Some(result)
    }

    fn step(&mut self, input: &mut dyn BufRead) -> Result<Option<ReadBlock>> {
        Ok(self.find(input)?.map(|block| block.read_with(&mut self.words)))
    }

    fn find(&mut self, input: &mut dyn BufRead) -> Result<Option<Unread>> {
        if self.finished {
            return Ok(None);
        }
        if let Some((line, part)) = self.parts.pop_front() {
            return Ok(Some(self.unread(line, part, Problems::new(Problems::LIMIT))));
        }
        let (mut lines, mut faults) = (Vec::with_capacity(1 << 11), Vec::new());
        let block = self.blocks.next(input, &mut lines, &mut faults).map_err(Error::io(&*self.source));
        let block = block.inspect_err(|_| self.finished = true)?;
        let mut layout = Problems::new(Problems::LIMIT);
        faults.sort_by_key(|fault| fault.line);
        for Fault { line, found, expected } in faults {
            if !self.repair || found == TRAILING_COMMENTS {
                layout.add(Rule::Layout, || Problem::at(&*self.source, line, found, expected));
            }
        }
        self.finished = !matches!(block, NextBlock::At(_));
        match block {
            NextBlock::At(mut line) => {
                self.n_blocks += 1;
                if self.n_blocks == 1 && self.format == Format::Conllu {
                    let end = lines.iter().position(|&byte| byte == b'\n').unwrap_or(lines.len());
                    self.further = std::str::from_utf8(&lines[..end]).ok().and_then(further_columns);
                }
                if let Some(most_words) = self.most_words
                    && let Some(parts) = cut::parts(&lines, most_words)
                {
                    self.parts = parts.into_iter().map(|(offset, part)| (line + offset, part)).collect();
                    (line, lines) = self.parts.pop_front().unwrap_or_default();
                }
                let is_first = self.n_blocks == 1;
                return Ok(Some(Unread { is_first, ..self.unread(line, lines, layout) }));
            }
            NextBlock::TooLong(line) => {
                let too_long = self.unread(line, lines, layout);
                let mut layout = if self.n_blocks == 0 {
                    too_long.with_other_format(too_long.layout.clone())
                } else {
                    too_long.layout
                };
                let (found, expected) = ("64 MiB without a blank line", "a blank line behind each sentence");
                layout.add(Rule::Words, || Problem::at(&*self.source, line, found, expected));
                return Ok(Some(self.unread(line, Vec::new(), layout)));
            }
            NextBlock::End if self.n_blocks == 0 && !self.empty_allowed => {
                let (found, expected) = ("no sentence", "at least one; the file is empty");
                layout.add(Rule::Words, || Problem::at(&*self.source, 0, found, expected));
            }
            NextBlock::End => {}
        }
        Ok((!layout.is_empty()).then(|| self.unread(0, Vec::new(), layout)))
    }

    fn unread(&self, line: usize, lines: Vec<u8>, layout: Problems) -> Unread {
        let (source, format, further) = (Arc::clone(&self.source), self.format, self.further.clone());
        Unread { source, format, further, line, lines, is_first: false, layout }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Sentence>;

    fn next(&mut self) -> Option<Result<Sentence>> {
        self.reading.next(&mut self.input)
    }
}
