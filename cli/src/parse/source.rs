//! The sentences to parse: all of them, or all that can be read.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use treebeam::error::{Error, Problems, Result, counted, remaining};
use treebeam::treebank::{ReadBlock, Reader, Sentence};

/// Reads sentences; what is malformed ends it, or is left out and remembered.
#[derive(Debug)]
pub struct Source<R> {
    blocks: Blocks<R>,
    keep_going: bool,
    problems: Problems,
    n_left_out: usize,
    /// Why the input could not be read to its end.
    broken: Option<Error>,
}

/// A block of the input, or its end.
type Step = Result<Option<ReadBlock>>;

#[derive(Debug)]
enum Blocks<R> {
    /// Read when they are asked for.
    Direct(Reader<R>),
    /// Read ahead by another thread; the next one, if it is there already.
    Ahead(Receiver<Step>, Option<Step>),
}

/// Number of problems of each kind that are listed.
const LISTED: usize = 10;

/// Number of blocks that are read ahead.
const AHEAD: usize = 1024;

impl<R: BufRead + Send + 'static> Source<R> {
    /// The sentences of `reader`; with `keep_going`, without those that are malformed. An input that may keep us waiting is
    /// read by a thread of its own, so that [`Source::is_ready`] can tell.
    ///
    /// # Errors
    /// If that thread cannot be started.
    pub fn new(mut reader: Reader<R>, keep_going: bool, may_wait: bool) -> io::Result<Source<R>> {
        let blocks = if may_wait {
            let (sender, receiver) = sync_channel(AHEAD);
            let read = move || {
                loop {
                    let step = reader.step();
                    let is_last = !matches!(step, Ok(Some(_)));
                    if sender.send(step).is_err() || is_last {
                        break;
                    }
                }
            };
            std::thread::Builder::new().spawn(read)?;
            Blocks::Ahead(receiver, None)
        } else {
            Blocks::Direct(reader)
        };
        Ok(Source { blocks, keep_going, problems: Problems::new(LISTED), n_left_out: 0, broken: None })
    }

    /// False if the next sentence has not come yet.
    pub fn is_ready(&mut self) -> bool {
        let Blocks::Ahead(receiver, next) = &mut self.blocks else { return true };
        if next.is_none() {
            match receiver.try_recv() {
                Ok(step) => *next = Some(step),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => {}
            }
        }
        true
    }

    fn step(&mut self) -> Step {
        match &mut self.blocks {
            Blocks::Direct(reader) => reader.step(),
            // The thread has ended behind the last block.
            Blocks::Ahead(receiver, next) => next.take().or_else(|| receiver.recv().ok()).unwrap_or(Ok(None)),
        }
    }

    /// The next sentence.
    ///
    /// # Errors
    /// If the input cannot be read or is malformed, unless that is to be left out.
    pub fn next(&mut self) -> Result<Option<Sentence>> {
        loop {
            match self.step() {
                Ok(None) => return Ok(None),
                Ok(Some(step)) if self.keep_going => {
                    self.n_left_out += usize::from(step.is_left_out());
                    self.problems.append(step.problems);
                    if let Some(sentence) = step.sentence {
                        return Ok(Some(sentence));
                    }
                }
                Ok(Some(step)) => {
                    return step.problems.into_first().map_or(Ok(step.sentence), |problem| Err(problem.into()));
                }
                Err(error) if self.keep_going => {
                    self.broken = Some(error);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
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
