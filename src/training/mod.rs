//! What training runs of every kind of parser have in common: what they make of treebanks, where a run stands between two
//! iterations, checkpoints, and how the command line drives them.

mod checkpoint;
mod drive;
mod iterations;
pub(crate) mod prepare;
mod progress;
mod run;

pub use drive::{Drive, Next, Observer};
pub use iterations::{Iterations, Stop, Stopping};
pub use prepare::{Nonprojective, compare, development};
pub use progress::{Best, IterationReport, Keep, Pass, Progress};
pub use run::{Run, Tick, Written};
