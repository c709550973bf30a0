//! An evaluation ([`Report`](treebeam::eval::Report)) for people: as text and as a page of HTML.

mod dots;
mod page;
mod render;

pub use page::page;
pub use render::{TextTable, render};
