//! Whole programs measured from outside, as their users run them: processes, the files that they read and write, the models that
//! they train. Two kinds of cells are made of it: this program's throughput, and other parsers beside it.

mod figures;
mod inputs;
mod measure;
mod process;

pub use figures::{Figures, Measurement, MedianRange, ParsingFigures, TrainingFigures, distinct, machines, megabytes};
pub use inputs::Input;
pub use measure::{Bench, Once, check_measuring};
pub use process::{Used, read_json, run, run_into};

use treebeam::error::Error;

/// Error of a program as that of a cell.
pub fn failed(error: anyhow::Error) -> Error {
    Error::Usage(format!("{error:#}"))
}

/// Processes that wanted to run in the last minute, on average; only on Linux.
pub fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
