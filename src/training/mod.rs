//! Training runs of every kind of parser: preparation of treebanks, progress between two iterations, checkpoints, and
//! the loop that the command line drives.

mod checkpoint;
mod drive;
mod iterations;
pub(crate) mod prepare;
mod progress;
mod run;

pub use drive::{Drive, Next, Observer};
pub use iterations::{IterationReport, Iterations, Stop, Stopping};
pub use prepare::{Nonprojective, compare, development};
pub use progress::Keep;
pub use run::{ModelRun, Run, Schedule, Setup, Tick, Trainer, Trains, Written};
