//! Derived options of a graph-based parser.

use super::{BiaffineNetwork, GraphKind};
use crate::error::{Error, Result};
use crate::learn::Learner;
use crate::model::Lstm;
use crate::options::{GraphOptions, KNOWN};
use crate::training::{Iterations, Nonprojective, Stopping};

impl GraphOptions {
    /// The rate of Adam unless told otherwise.
    pub const RATE: f64 = 0.001;
    /// Default dropout rate of a network's units (Dozat & Manning 2017).
    pub const DROPOUT: f64 = 0.33;
    /// The sentences of a mini-batch unless told otherwise.
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

    /// The layout of the network that scores arcs, if one does.
    pub fn network(&self) -> Option<BiaffineNetwork> {
        let or = |given: Option<u32>, default: usize| given.map_or(default, |given| given as usize);
        self.system.is_biaffine().then(|| BiaffineNetwork {
            dimensions: [or(self.word_units, 64), 32, 24, 24, 16],
            encoder: Lstm { layers: or(self.lstm_layers, 2), units: or(self.lstm_units, 128) },
            arc_units: or(self.arc_units, 200),
            label_units: or(self.label_units, 64),
        })
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

    /// When training stops.
    pub fn stopping(&self) -> Stopping {
        self.iterations.stopping(self.patience, self.max_iterations, self.average_from)
    }
}
