//! Training runs of any kind of parser, as the command line drives them.

use std::path::Path;

use super::{Progress, Stopping, Trainer};
use crate::error::Result;
use crate::model::FrozenWeights;

/// A training run that goes on iteration by iteration.
pub trait Run {
    /// Sentences in one pass, of all replicas.
    fn n_sentences(&self) -> usize;
    /// When the run stops.
    fn stopping(&self) -> Stopping;
    /// Whether there is nothing left to do.
    fn is_done(&self, progress: &Progress) -> bool {
        self.stopping().is_done(&progress.reports)
    }
    /// Runs one more iteration. `tick` is called from time to time with the number of sentences done.
    fn iterate(&self, progress: &mut Progress, tick: &mut (dyn FnMut(usize) + Send));
    /// Writes a checkpoint.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&self, progress: &Progress, path: &Path) -> Result<()>;
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is of another run.
    fn load(&self, path: &Path) -> Result<Progress>;
    /// Writes the model after the last iteration; the kept weights.
    ///
    /// # Errors
    /// If there was no iteration or the model cannot be written.
    fn write<'p>(&self, progress: &'p Progress, path: &Path) -> Result<&'p FrozenWeights>;
}

impl Run for Trainer<'_> {
    fn n_sentences(&self) -> usize {
        self.data.examples().len() * self.options.replicas as usize
    }

    fn stopping(&self) -> Stopping {
        self.options.stopping()
    }

    fn iterate(&self, progress: &mut Progress, tick: &mut (dyn FnMut(usize) + Send)) {
        Trainer::iterate(self, progress, tick);
    }

    fn save(&self, progress: &Progress, path: &Path) -> Result<()> {
        progress.save(self.data.header(), path)
    }

    fn load(&self, path: &Path) -> Result<Progress> {
        Progress::load(self.data.header(), self.new_bases(), path)
    }

    fn write<'p>(&self, progress: &'p Progress, path: &Path) -> Result<&'p FrozenWeights> {
        self.finish(progress)?.write(path)?;
        Ok(&progress.kept()?.weights)
    }
}
