//! Derived options of a graph-based parser.

use super::{GraphKind, GraphOptions, KNOWN};
use crate::error::{Error, Result};
use crate::linear::Learner;
use crate::training::{Iterations, Nonprojective, Schedule};

impl GraphOptions {
    /// Default rate of Adam.
    pub const RATE: f64 = 0.001;
    /// Default dropout rate of a network's units (Dozat & Manning 2017).
    pub const DROPOUT: f64 = 0.33;
    /// Default number of sentences in a mini-batch.
    pub const BATCH: u32 = 8;

    /// The defaults for this parser: networks learn by Adam, and longer.
    pub fn of(system: GraphKind) -> GraphOptions {
        let default = GraphOptions { system, ..GraphOptions::default() };
        match system.is_biaffine() {
            true => {
                GraphOptions { learner: Learner::Adam, iterations: Iterations::Number(12), average_from: 0, ..default }
            }
            false => default,
        }
    }

    /// Checks that the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.iterations.check(self.patience, self.max_iterations)?;
        if !self.system.is_projective() && self.nonprojective == Nonprojective::Lift {
            let system = self.system;
            let message = format!(
                "--nonprojective lift makes trees projective, and `--system {system}` needs none; leave it out"
            );
            return Err(Error::Usage(message));
        }
        if !self.system.learners().contains(&self.learner) {
            let expected: Vec<&str> = self.system.learners().iter().map(|learner| learner.name()).collect();
            let expected = expected.join(" or ");
            let (system, learner) = (self.system, self.learner.name());
            return Err(Error::Usage(format!("{system} is not trained by {learner}; expected --learner {expected}")));
        }
        let is_foreign = |name: &str| KNOWN.iter().any(|known| known.name() == name && !known.is_of(self.system));
        if self.written().iter().any(|(name, _)| is_foreign(name)) {
            return Err(Error::Usage(format!(
                "{} has no network; expected --system biaffine for its options",
                self.system
            )));
        }
        Ok(())
    }

    /// Schedule of the run.
    pub fn schedule(&self) -> Schedule {
        let GraphOptions { iterations, keep, average_from, .. } = *self;
        let stopping = iterations.stopping(self.patience, self.max_iterations, average_from);
        Schedule { stopping, keep, average_from, pretrain: 0 }
    }
}
