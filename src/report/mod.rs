//! Plots and trees.

mod plot;
pub mod tree;

pub use plot::svg;
