//! The record as one page of HTML that needs nothing else: no network, no script, picture or font from elsewhere.

use super::data::Trace;
use super::packed::Packed;
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
pub fn page(trace: Trace) -> Result<String> {
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
    let parts = [("{{data}}", style::embedded(&Packed::of(trace))?), ("{{js}}", SCRIPTS.concat())];
    Ok(head.page(include_str!("page/page.html"), parts))
}

/// A sentence of an index.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The page of its trace.
    pub page: String,
    /// The sentence.
    pub text: String,
    /// Values in the columns of the index, in the order of their heads.
    pub cells: Vec<String>,
}

/// The page that lists others: the title and the heads of the columns, then the sentences.
pub fn index(title: &str, heads: &[&str], sentences: &[Listed]) -> String {
    let head = Head {
        title,
        css: include_str!("page/page.css"),
        pictures: include_str!("page/pictures.css"),
        skip: ("#content", "Skip to the sentences"),
    };
    let cell = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", style::escaped(text));
    let row = |of: &Listed| {
        let link =
            format!("<td dir=\"auto\"><a href=\"{}\">{}</a></td>", style::escaped(&of.page), style::escaped(&of.text));
        format!("<tr>{link}{}</tr>\n", of.cells.iter().map(|text| cell("td", text)).collect::<String>())
    };
    let heads = heads.iter().map(|text| cell("th", text)).collect::<String>();
    let parts = [
        ("{{title}}", style::escaped(title)),
        ("{{heads}}", heads),
        ("{{rows}}", sentences.iter().map(row).collect()),
        ("{{js}}", [style::SCRIPT, "themes();\n"].concat()),
    ];
    head.page(include_str!("page/index.html"), parts)
}
