//! Attachment scores.

mod counts;

pub use counts::{Analysis, Counts, Granularity, Metric, Scores, count};
