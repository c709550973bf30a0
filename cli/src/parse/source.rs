//! The sentences to parse: all of them, or all that can be read.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use treebeam::error::{Error, Problems, Result, counted, remaining};
use treebeam::treebank::{ReadBlock, Reader, Sentence, Unread};

/// Reads sentences; what is malformed ends it, or is left out and remembered.
#[derive(Debug)]
pub struct SentenceReader<R> {
    blocks: Blocks<R>,
    keep_going: bool,
    problems: Problems,
    n_left_out: usize,
    /// Why the input could not be read to its end.
    broken: Option<Error>,
    /// An error behind blocks that are still to be read.
    failed: Option<Error>,
}

/// A block of the input, or its end.
type Step = Result<Option<Unread>>;

#[derive(Debug)]
enum Blocks<R> {
    /// Found when they are asked for.
    Direct(Reader<R>),
    /// Found ahead by another thread.
    Ahead {
        blocks: Receiver<Step>,
        /// The next one, if it is there already.
        next: Option<Step>,
        /// True if the input may be long in coming.
        may_wait: bool,
    },
}

/// Number of problems of each kind that are listed.
const LISTED: usize = 10;

/// Bytes that are read before they are parsed together: enough to keep threads busy, little enough to stream.
const CHUNK: usize = 1 << 19;

/// Number of blocks that are found ahead.
const AHEAD: usize = 512;

impl<R: BufRead + Send + 'static> SentenceReader<R> {
    /// The sentences of `reader`; with `keep_going`, without those that are malformed. An input that may keep us
    /// waiting is read by a thread of its own, so that [`SentenceReader::is_ready`] can say; with several threads any
    /// is, so that they need not wait.
    ///
    /// # Errors
    /// If that thread cannot be started.
    pub fn new(mut reader: Reader<R>, keep_going: bool, may_wait: bool, threads: usize) -> io::Result<Self> {
        let blocks = if may_wait || threads > 1 {
            let (sender, blocks) = sync_channel(AHEAD);
            let find = move || {
                loop {
                    let step = reader.find();
                    let is_last = !matches!(step, Ok(Some(_)));
                    if sender.send(step).is_err() || is_last {
                        break;
                    }
                }
            };
            std::thread::Builder::new().spawn(find)?;
            Blocks::Ahead { blocks, next: None, may_wait }
        } else {
            Blocks::Direct(reader)
        };
        Ok(Self { blocks, keep_going, problems: Problems::new(LISTED), n_left_out: 0, broken: None, failed: None })
    }

    /// False if the next sentence may be long in coming.
    pub fn is_ready(&mut self) -> bool {
        let Blocks::Ahead { blocks, next, may_wait: true } = &mut self.blocks else { return true };
        if next.is_none() {
            match blocks.try_recv() {
                Ok(step) => *next = Some(step),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {}
            }
        }
        true
    }

    fn step(&mut self) -> Step {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        match &mut self.blocks {
            Blocks::Direct(reader) => reader.find(),
            // The thread has ended behind the last block.
            Blocks::Ahead { blocks, next, .. } => next.take().or_else(|| blocks.recv().ok()).unwrap_or(Ok(None)),
        }
    }

    /// The next blocks, of [`CHUNK`] bytes or somewhat more, or as many as are ready; none at the end.
    ///
    /// # Errors
    /// If the input cannot be read, unless it is to end there.
    pub fn find(&mut self) -> Result<Vec<Unread>> {
        let (mut found, mut n) = (Vec::new(), 0);
        while n < CHUNK && (found.is_empty() || self.is_ready()) {
            match self.step() {
                Ok(None) => break,
                Ok(Some(block)) => {
                    n += block.n_bytes();
                    found.push(block);
                }
                Err(error) if self.keep_going => {
                    self.broken = Some(error);
                    break;
                }
                Err(error) if found.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The sentence of a block, if it has one.
    ///
    /// # Errors
    /// If the block is malformed, unless it is to be left out.
    pub fn accept(&mut self, block: ReadBlock) -> Result<Option<Sentence>> {
        if !self.keep_going {
            return block.problems.into_first().map_or(Ok(block.sentence), |problem| Err(problem.into()));
        }
        self.n_left_out += usize::from(block.is_left_out());
        self.problems.append(block.problems);
        Ok(block.sentence)
    }

    /// Leaves out a sentence that cannot be parsed, if that is wanted.
    ///
    /// # Errors
    /// The error itself, if it is not.
    pub fn leave_out(&mut self, error: Error) -> Result<()> {
        match error {
            Error::Problem(problem) if self.keep_going => {
                self.problems.add(treebeam::error::Rule::Words, || problem);
                self.n_left_out += 1;
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Says what was left out or repaired; whether anything was.
    pub fn report(&self, n_parsed: usize) -> bool {
        for (_, problem) in self.problems.kept() {
            eprintln!("warning: {problem}");
        }
        for (rule, more) in self.problems.more() {
            eprintln!("warning: {}", remaining(rule, more));
        }
        if let Some(error) = &self.broken {
            eprintln!("warning: the input ends here: {error}");
        }
        if self.n_left_out > 0 {
            let were = if self.n_left_out == 1 { "was" } else { "were" };
            let parsed = if n_parsed == 1 { "was parsed" } else { "were parsed" };
            eprintln!("warning: {} {were} left out, {n_parsed} {parsed}", counted(self.n_left_out, "sentence"));
        }
        self.n_left_out > 0 || self.broken.is_some()
    }
}
