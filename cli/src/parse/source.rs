//! The sentences to parse: all of them, or all that can be read.

use std::io::BufRead;

use treebeam::error::{Error, Problems, Result, counted, remaining};
use treebeam::treebank::{Reader, Sentence};

/// Reads sentences; what is malformed ends it, or is left out and remembered.
#[derive(Debug)]
pub struct Source<R> {
    reader: Reader<R>,
    keep_going: bool,
    problems: Problems,
    n_left_out: usize,
    /// Why the input could not be read to its end.
    broken: Option<Error>,
}

/// Number of problems of each kind that are listed.
const LISTED: usize = 10;

impl<R: BufRead> Source<R> {
    /// The sentences of `reader`; with `keep_going`, without those that are malformed.
    pub fn new(reader: Reader<R>, keep_going: bool) -> Source<R> {
        Source { reader, keep_going, problems: Problems::new(LISTED), n_left_out: 0, broken: None }
    }

    /// The next sentence.
    ///
    /// # Errors
    /// If the input cannot be read or is malformed, unless that is to be left out.
    pub fn next(&mut self) -> Result<Option<Sentence>> {
        if !self.keep_going {
            return self.reader.next().transpose();
        }
        loop {
            match self.reader.step() {
                Ok(None) => return Ok(None),
                Ok(Some(step)) => {
                    self.problems.append(step.problems);
                    match step.sentence {
                        Some(sentence) => return Ok(Some(sentence)),
                        None => self.n_left_out += 1,
                    }
                }
                Err(error) => {
                    self.broken = Some(error);
                    return Ok(None);
                }
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
