//! Plots; all results as a page.

pub mod document;
pub mod figure;
pub mod page;
mod plot;

pub use plot::svg;
