//! Perceptrons, greedy and global; learning to search; base learners.

mod base;
mod change;
mod checkpoint;
mod data;
mod exploration;
mod global;
mod greedy;
mod iterations;
mod options;
pub(crate) mod prepare;
mod progress;
mod pursuit;
mod range;
mod run;
mod search;
mod supervision;
mod trainer;
mod violation;

pub use base::{Learner, Objective};
pub use data::{Example, TrainingData};
pub use iterations::{Iterations, Stop, Stopping};
pub use options::{Keep, Nonprojective, TrainOptions, Training, Update};
pub use progress::{Best, IterationReport, Pass, Progress};
pub use pursuit::{GoldSide, Pair, Pursuit};
pub(crate) use range::check as check_ranges;
pub use run::Run;
pub use search::{Preset, RollIn, RollOut, Search};
pub use supervision::Supervision;
pub use trainer::Trainer;
pub use violation::Step;
