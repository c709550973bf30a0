//! An evaluation ([`Report`](treebeam::eval::Report)) for people: as text and as a page of HTML.

mod dots;
mod page;
mod render;

pub use page::page;
pub use render::render;

/// The template of the page, by name.
pub(crate) const TEMPLATE: (&str, &str) = ("evaluation.html", include_str!("page.html"));
