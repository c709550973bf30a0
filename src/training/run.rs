//! Training runs of any kind of parser, as the command line and experiments drive them.

use std::ops::ControlFlow;
use std::path::Path;

use super::{IterationReport, Stopping};
use crate::error::{Error, Result};
use crate::model::{Model, Size};

/// A training run that goes on iteration by iteration.
pub trait Run {
    /// Sentences in one pass, of all replicas.
    fn n_sentences(&self) -> usize;
    /// When the run stops.
    fn stopping(&self) -> Stopping;
    /// Reports of the iterations so far.
    fn reports(&self) -> &[IterationReport];
    /// True if there is nothing left to do.
    fn is_done(&self) -> bool {
        self.stopping().is_done(self.reports())
    }
    /// Runs one more iteration. `tick` is called from time to time with the number of sentences done.
    ///
    /// # Errors
    /// If training diverges: the run can then only [load](Run::load) a checkpoint.
    fn iterate(&mut self, tick: &mut (dyn FnMut(usize) + Send)) -> Result<()> {
        let finished = self.try_iterate(&mut |done| {
            tick(done);
            ControlFlow::Continue(())
        });
        self.check_converges()?;
        debug_assert!(finished.is_continue(), "nothing breaks off the iteration");
        Ok(())
    }
    /// Runs one more iteration, which `tick` can break off after any sentence or mini-batch; it is called with the number of
    /// sentences done. Training that diverges breaks it off, too. A run that was broken off stands between two sentences: all that can be done with it is to
    /// [load](Run::load) a checkpoint.
    fn try_iterate(&mut self, tick: &mut Tick) -> ControlFlow<()>;
    /// True if what is learned has grown beyond what can be summed or written.
    fn has_diverged(&self) -> bool {
        false
    }
    /// Refuses to go on with a run that has diverged.
    ///
    /// # Errors
    /// If it has.
    fn check_converges(&self) -> Result<()> {
        if !self.has_diverged() {
            return Ok(());
        }
        // An iteration that was broken off has made no report.
        let iteration = self.reports().len() + 1;
        Err(Error::Usage(format!(
            "training has diverged in iteration {iteration}: weights have grown beyond all bounds; expected a lower --rate, or \
             smaller numbers in --vectors"
        )))
    }
    /// Writes a checkpoint.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&self, path: &Path) -> Result<()>;
    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is of another run.
    fn load(&mut self, path: &Path) -> Result<()>;
    /// Writes the model of what is kept.
    ///
    /// # Errors
    /// If there was no iteration or the model cannot be written.
    fn write(&self, path: &Path) -> Result<Written>;
}

/// A training run of models whose scorers are of kind `F`, whatever learns their parameters.
pub trait ModelRun<F>: Run {
    /// The model of what is kept.
    ///
    /// # Errors
    /// If there was no iteration.
    fn model(&self) -> Result<Model<F>>;
}

/// Callback during an iteration, with the number of sentences done; it says whether to go on.
pub type Tick<'t> = dyn FnMut(usize) -> ControlFlow<()> + Send + 't;

/// A model that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The iteration that it is of, from 1.
    pub iteration: u32,
    /// Size of the model.
    pub size: Size,
}
