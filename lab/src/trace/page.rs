//! The record as one page of HTML that needs nothing else: no network, no script, picture or font from elsewhere.

use super::data::Trace;
use crate::style::{self, Head};
use treebeam::error::Result;

/// The scripts of the page, in the order in which they stand in it.
const SCRIPTS: [&str; 8] = [
    style::SCRIPT,
    include_str!("page/data.js"),
    include_str!("page/timeline.js"),
    include_str!("page/item.js"),
    include_str!("page/tables.js"),
    include_str!("page/stacks.js"),
    include_str!("page/step.js"),
    include_str!("page/main.js"),
];

/// The page.
///
/// # Errors
/// None that data could cause.
pub fn page(trace: &Trace) -> Result<String> {
    let title = match &trace.sentence.id {
        Some(id) => format!("sentence {} ({id})", trace.sentence.number),
        None => format!("sentence {}", trace.sentence.number),
    };
    let head = Head {
        title: &title,
        css: include_str!("page/page.css"),
        pictures: include_str!("page/pictures.css"),
        skip: ("#content", "Skip to the beam"),
    };
    let parts = [("{{data}}", style::embedded(trace)?), ("{{js}}", SCRIPTS.concat())];
    Ok(head.page(include_str!("page/page.html"), parts))
}
