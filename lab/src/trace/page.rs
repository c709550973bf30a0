//! The record as one page of HTML that needs nothing else: no network, no script, picture or font from elsewhere. Its scripts
//! serve pages that make records themselves, too.

use super::data::Trace;
use super::packed::Packed;
use crate::style::{self, Head};
use treebeam::error::{Error, Result};

/// The scripts that draw a record, in the order in which they stand in the page.
const SCRIPTS: [&str; 7] = [
    include_str!("page/data.js"),
    include_str!("page/timeline.js"),
    include_str!("page/item.js"),
    include_str!("page/tables.js"),
    include_str!("page/stacks.js"),
    include_str!("page/step.js"),
    include_str!("page/main.js"),
];

/// The elements that they draw into.
const PANE: &str = include_str!("page/pane.html");

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
    let js = [style::SCRIPT, include_str!("page/alone.js"), &SCRIPTS.concat()].concat();
    let parts = [("{{pane}}", PANE.to_owned()), ("{{data}}", style::embedded(&Packed::of(trace))?), ("{{js}}", js)];
    Ok(head.page(include_str!("page/page.html"), parts))
}

/// The record as [`page`] holds it, in JSON: what the function `beams` of a [`Live`] page draws.
///
/// # Errors
/// None that data could cause.
pub fn packed(trace: Trace) -> Result<String> {
    serde_json::to_string(&Packed::of(trace)).map_err(|error| Error::Usage(error.to_string()))
}

/// A page that makes records itself, by a program in it for WebAssembly, and draws several beside each other.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// The title, in the window's bar.
    pub title: &'a str,
    /// Its style sheet, behind that of beams.
    pub css: &'a str,
    /// Its content, an element with the id `content`.
    pub html: &'a str,
    /// Its script. A template with the id `pane` has the elements that a beam is drawn into, and `beams(root, packed, address, signal)`
    /// draws it: into a root that has them, from a [`packed`] record, with an address that is read and written, until a signal.
    pub js: &'a str,
    /// Embedded files: the id of the element that holds each, and its bytes in base64.
    pub data: &'a [(&'a str, String)],
}

impl Live<'_> {
    /// The page. It may run WebAssembly, and as every page of the program it may fetch nothing.
    pub fn page(&self) -> String {
        let css = [include_str!("page/page.css"), self.css].concat();
        let pictures = include_str!("page/pictures.css");
        let head = Head { title: self.title, css: &css, pictures, skip: ("#content", "Skip to the beams") };
        let data = |(id, text): &(&str, String)| {
            format!("<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>\n")
        };
        let parts = [
            ("{{html}}", self.html.to_owned()),
            ("{{pane}}", PANE.to_owned()),
            ("{{data}}", self.data.iter().map(data).collect()),
            ("{{js}}", [style::SCRIPT, BEFORE, &SCRIPTS.concat(), AFTER, self.js].concat()),
        ];
        let page = head.page(include_str!("page/live.html"), parts);
        page.replacen("script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'wasm-unsafe-eval'", 1)
    }
}

/// The scripts of a beam as a function, so that there can be several.
const BEFORE: &str = "function beams(root, packed, address, signal) {\nconst byId = (id) => root.getElementById(id);\n";
const AFTER: &str = "return { trace, state };\n}\n";

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
    let cell = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", style::escaped_xml(text));
    let row = |of: &Listed| {
        let link = format!(
            "<td dir=\"auto\"><a href=\"{}\">{}</a></td>",
            style::escaped_xml(&of.page),
            style::escaped_xml(&of.text)
        );
        format!("<tr>{link}{}</tr>\n", of.cells.iter().map(|text| cell("td", text)).collect::<String>())
    };
    let heads = heads.iter().map(|text| cell("th", text)).collect::<String>();
    let parts = [
        ("{{title}}", style::escaped_xml(title)),
        ("{{heads}}", heads),
        ("{{rows}}", sentences.iter().map(row).collect()),
        ("{{js}}", [style::SCRIPT, "themes();\n"].concat()),
    ];
    head.page(include_str!("page/index.html"), parts)
}
