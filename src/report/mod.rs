//! Plots.

mod plot;

pub use plot::svg;
