//! Perceptrons, greedy and global.

mod change;
mod checkpoint;
mod data;
mod exploration;
mod global;
mod greedy;
mod options;
mod supervision;
mod trainer;
mod violation;

pub use data::{Example, TrainingData};
pub use options::{Keep, Nonprojective, TrainOptions, Training, Update};
pub use trainer::{Best, IterationReport, Progress, Trainer};
