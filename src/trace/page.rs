//! The record as one page of HTML that needs nothing else: no network, no script, picture or font from elsewhere.

use super::data::Trace;
use crate::draw::escaped;
use crate::error::{Error, Result};

/// The scripts of the page, in the order in which they stand in it.
const SCRIPTS: [&str; 8] = [
    include_str!("page/data.js"),
    include_str!("page/svg.js"),
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
    let data = serde_json::to_string(trace).map_err(|error| Error::Usage(format!("the record: {error}")))?;
    // What could end the element that holds the data is written otherwise; to JSON it is the same.
    let data = data.replace('<', "\\u003c");
    let title = match &trace.sentence.id {
        Some(id) => format!("sentence {} ({id})", trace.sentence.number),
        None => format!("sentence {}", trace.sentence.number),
    };
    let parts = [
        ("{{title}}", escaped(&title)),
        ("{{css}}", [crate::style::BASE, include_str!("page/page.css")].concat()),
        ("{{pictures}}", include_str!("page/pictures.css").to_owned()),
        ("{{data}}", data),
        ("{{js}}", SCRIPTS.concat()),
    ];
    let mut page = String::new();
    let mut rest = include_str!("page/page.html");
    for (name, text) in parts {
        let (before, after) = rest.split_once(name).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}
