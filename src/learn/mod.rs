//! Perceptrons, greedy and global.

mod options;

pub use options::{ColumnName, Keep, Nonprojective, OracleKind, TrainOptions, Training, Update};
