//! Perceptrons, greedy and global.

mod change;
mod checkpoint;
mod data;
mod exploration;
mod global;
mod greedy;
mod options;
pub(crate) mod prepare;
mod progress;
mod run;
mod supervision;
mod trainer;
mod violation;

pub use data::{Example, TrainingData};
pub use options::{Keep, Nonprojective, TrainOptions, Training, Update};
pub use progress::{Best, IterationReport, Pass, Progress};
pub use run::Run;
pub use trainer::Trainer;
