//! Plots.

pub mod document;
pub mod figure;
mod plot;

pub use plot::svg;
