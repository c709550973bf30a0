//! A training run from its first iteration to the model file, with checkpoints beside it.

use std::fmt::Arguments;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{IterationReport, Run, Stop, Written};
use crate::error::{Error, Result};

/// Settings of a run to a model file.
#[derive(Debug, Clone, Copy)]
pub struct Drive<'p> {
    /// The model file.
    pub model: &'p Path,
    /// True if to go on from a checkpoint, if there is one.
    pub resume: bool,
    /// A checkpoint is written after an iteration if the last one is at least so old.
    pub checkpoint_seconds: f64,
}

/// Decision on a run after an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It goes on.
    GoOn,
    /// It ends, and the model of the iterations so far is written.
    Finish,
    /// It ends, and no model is written.
    GiveUp,
}

/// Observer of a run. What is not of interest is passed over, and the run goes on.
pub trait Observer: Send {
    /// The run begins, or goes on from a checkpoint.
    fn begins(&mut self, _run: &dyn Run) {}
    /// Progress within an iteration, numbered from 1, in sentences. A break gives the run up.
    fn tick(&mut self, _iteration: u32, _done: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// An iteration is over.
    fn report(&mut self, _report: &IterationReport) -> Next {
        Next::GoOn
    }
    /// Something of interest.
    fn note(&mut self, _line: Arguments<'_>) {}
    /// Something that should be known.
    fn warn(&mut self, _line: Arguments<'_>) {}
}

/// Nobody watches.
impl Observer for () {}

impl<'p> Drive<'p> {
    /// Path of the checkpoint of a run whose model file is `model`.
    pub fn checkpoint(model: &Path) -> PathBuf {
        let mut name = model.as_os_str().to_owned();
        name.push(".checkpoint");
        PathBuf::from(name)
    }

    /// Drives the run; `None` if the observer gave it up. Its last checkpoint is then left.
    ///
    /// # Errors
    /// If the checkpoint to go on from is not of this run, the model cannot be written, or training diverges.
    pub fn run(&self, run: &mut dyn Run, observer: &mut dyn Observer) -> Result<Option<Written>> {
        let checkpoint = Drive::checkpoint(self.model);
        if self.resume && checkpoint.exists() {
            run.load(&checkpoint).map_err(|error| {
                Error::Usage(format!("{error}; without --resume training starts from the beginning"))
            })?;
            let (done, path) = (run.reports().len(), checkpoint.display());
            observer.note(format_args!("resuming after iteration {done} from {path}"));
        } else if self.resume {
            let path = checkpoint.display();
            observer.warn(format_args!("note: there is no checkpoint {path}; training starts from the beginning"));
        } else if checkpoint.is_file() {
            let path = checkpoint.display();
            observer.warn(format_args!(
                "note: {path} is of a run that was killed; --resume would go on from it, this run replaces it"
            ));
        }
        observer.begins(run);
        let mut saved = Instant::now();
        while !run.is_done() {
            let iteration = run.reports().len() as u32 + 1;
            if run.try_iterate(&mut |done| observer.tick(iteration, done))?.is_break() {
                return Ok(None);
            }
            match run.reports().last().map_or(Next::GoOn, |report| observer.report(report)) {
                Next::GoOn => {}
                Next::Finish => break,
                Next::GiveUp => return Ok(None),
            }
            // Standard output has no name for a checkpoint to stand beside.
            if self.model != Path::new("-") && saved.elapsed() >= Duration::from_secs_f64(self.checkpoint_seconds) {
                // Without it a killed run starts again, but this one can still make its model.
                if let Err(error) = run.save(&checkpoint) {
                    observer.warn(format_args!(
                        "warning: no checkpoint after iteration {iteration}: {error}; training goes on"
                    ));
                }
                saved = Instant::now();
            }
        }
        let done = run.reports().len();
        match run.stopping().stop(run.reports()) {
            Some(Stop::Plateau) => observer.note(format_args!("plateau after iteration {done}")),
            Some(Stop::Maximum) => observer.note(format_args!("no plateau within {done} iterations")),
            None => {}
        }
        for warning in run.stands_still().into_iter().chain(run.check_learned()?) {
            observer.warn(format_args!("warning: {warning}"));
        }
        let written = run.write(self.model)?;
        if checkpoint.is_file() {
            std::fs::remove_file(&checkpoint).map_err(Error::io(&checkpoint))?;
        }
        Ok(Some(written))
    }
}
