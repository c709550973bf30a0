//! Blocks of lines between blank lines, and what can be wrong with how they are laid out.

use std::io::{self, BufRead, Read};

/// The most bytes that one block may have; a longer one is no sentence, and reading on would fill the memory.
const MAX_BLOCK: usize = 64 << 20;

/// A fault of a file's layout. All of them can be repaired without loss but for comments behind the last sentence, and are
/// as the file is read on.
pub(super) struct Fault {
    /// The line, from 1 in the file.
    pub line: usize,
    /// Text that was found there.
    pub found: &'static str,
    /// Text that was expected.
    pub expected: &'static str,
}

/// The only fault that cannot be repaired without loss.
pub(super) const TRAILING_COMMENTS: &str = "comments behind the last sentence";

/// Splits an input into blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Lines read so far.
    line: usize,
    /// True if carriage returns were met: one report is enough, a file has them everywhere or nowhere.
    carriage_returns: bool,
    /// True if lines that start with a number sign are comments, which belong to the words behind them.
    comments: bool,
}

/// The next block of a file, if there is one.
pub(super) enum NextBlock {
    /// A block; its first line, from 1 in the file.
    At(usize),
    /// A block that is too long to go on from, and its first line.
    TooLong(usize),
    /// The end of the file.
    End,
}

impl Blocks {
    /// Nothing read so far; with `comments`, lines that start with a number sign are comments.
    pub(super) fn new(comments: bool) -> Blocks {
        Blocks { comments, ..Blocks::default() }
    }

    /// Reads the next block of `input`, which is the same each time, into `block`: lines that end in a line feed each, at
    /// least one, none of them blank. Each fault is reported once a block.
    pub(super) fn next(
        &mut self,
        input: &mut dyn BufRead,
        block: &mut Vec<u8>,
        faults: &mut Vec<Fault>,
    ) -> io::Result<NextBlock> {
        block.clear();
        let (mut first, mut n_removed) = (0, 0);
        // True while the block has comments only.
        let mut in_comments = self.comments;
        loop {
            let start = block.len();
            let limit = (MAX_BLOCK + 1 - start) as u64;
            if (&mut *input).take(limit).read_until(b'\n', block)? == 0 {
                if start == 0 {
                    return Ok(NextBlock::End);
                }
                if in_comments {
                    block.clear();
                    let expected = "words; `treebeam treebank convert --fix` removes them";
                    add(faults, first, TRAILING_COMMENTS, expected);
                    return Ok(NextBlock::End);
                }
                let expected = "a blank line behind the last sentence; `treebeam treebank convert --fix` adds it";
                add(faults, self.line, "the end of the file", expected);
                return Ok(NextBlock::At(first + n_removed));
            }
            if block.len() > MAX_BLOCK {
                return Ok(NextBlock::TooLong(first.max(1)));
            }
            self.line += 1;
            self.tidy(start, block, faults);
            if block[start..] == *b"\n" {
                block.truncate(start);
                if start > 0 && !in_comments {
                    return Ok(NextBlock::At(first + n_removed));
                }
                let expected = match start {
                    0 => "a sentence; `treebeam treebank convert --fix` removes needless blank lines",
                    _ => "words behind the comments; `treebeam treebank convert --fix` removes needless blank lines",
                };
                add(faults, self.line, "a blank line", expected);
                // Words keep their lines; comments seem to stand right before them.
                n_removed += usize::from(start > 0);
            } else {
                in_comments &= block[start] == b'#';
                if start == 0 {
                    first = self.line;
                }
            }
        }
    }

    /// Makes the line from `start` end in a line feed alone, and takes a byte order mark off.
    fn tidy(&mut self, start: usize, block: &mut Vec<u8>, faults: &mut Vec<Fault>) {
        if self.line == 1 && block.starts_with(b"\xef\xbb\xbf") {
            block.drain(..3);
            let expected = "UTF-8 without one; `treebeam treebank convert --fix` removes it";
            add(faults, 1, "a byte order mark", expected);
        }
        if block[start..].last() == Some(&b'\n') {
            block.pop();
        }
        if block[start..].last() == Some(&b'\r') {
            block.pop();
            if !self.carriage_returns {
                let expected = "a line feed alone, here and elsewhere; `treebeam treebank convert --fix` repairs it";
                add(faults, self.line, "a carriage return at the end of the line", expected);
            }
            self.carriage_returns = true;
        }
        if block.len() > start && block[start..].iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            block.truncate(start);
            let expected = "a blank line without them; `treebeam treebank convert --fix` removes them";
            add(faults, self.line, "spaces or tabs on a line of their own", expected);
        }
        block.push(b'\n');
    }
}

/// Adds a fault unless it is there, so that their number does not grow with the input.
fn add(faults: &mut Vec<Fault>, line: usize, found: &'static str, expected: &'static str) {
    if faults.iter().all(|fault| fault.found != found) {
        faults.push(Fault { line, found, expected });
    }
}
