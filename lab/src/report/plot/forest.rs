//! The answer as a file: the gains of all settings on one axis, with their costs.

use minijinja::Value;

use crate::report::answer::Answer;
use crate::report::page::gains_of;
use crate::report::templates::{render, view};
use crate::style::colour;
use treebeam::error::Result;

/// Draws the gains of `answer`, means last; `provenance` goes into its description.
///
/// # Errors
/// None that data could cause.
pub fn answer_svg(answer: &Answer, provenance: &str) -> Result<String> {
    let forest = gains_of(answer);
    let rows = |name: &str| forest.get_attr(name).and_then(|rows| rows.try_iter()).into_iter().flatten();
    let (rows, means): (Vec<Value>, Vec<Value>) = (rows("rows").collect(), rows("means").collect());
    let colours = ["c0", "c1"].map(|name| colour(name, false));
    render("forest.svg", view! { forest, rows, means, colours, provenance })
}
