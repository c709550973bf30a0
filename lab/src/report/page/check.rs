//! Checks of what a document must hold so that it can be drawn.

use crate::report::document::{Block, Content, Document, Table};
use crate::report::figure::{Axis, Curve, Figure, HeatMap, Scale};

/// Finding, and what was expected.
type Fault = (String, String);

/// Checks that every block of `document` can be drawn and every file of its be linked to.
pub(super) fn check(document: &Document) -> Result<(), Fault> {
    for (what, name) in [("name", &document.name), ("profile", &document.profile)] {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return fault(format!("{what} `{name}`"), "letters, digits, `-`, `_` and `.`");
        }
    }
    if let Some(file) = document.files.iter().find(|file| file.is_empty() || file.contains(['/', '\\'])) {
        return fault(format!("file `{file}`"), "the name of a file beside the document");
    }
    document.blocks.iter().try_for_each(|block| {
        check_block(block).map_err(|(found, expected)| (format!("block `{}`: {found}", block.title), expected))
    })
}

fn check_block(block: &Block) -> Result<(), Fault> {
    match &block.content {
        Content::Table(table) => check_table(table),
        Content::Figure(figure) => check_figure(figure),
        Content::HeatMap(map) => check_heat_map(map),
    }
}

fn fault<T>(found: String, expected: impl Into<String>) -> Result<T, Fault> {
    Err((found, expected.into()))
}

fn check_table(table: &Table) -> Result<(), Fault> {
    let n = table.heads.len();
    if table.n_texts > n {
        return fault(format!("{} columns of text", table.n_texts), format!("at most {n}, as there are heads"));
    }
    match table.lines.iter().zip(1..).find(|(line, _)| line.len() != n) {
        Some((line, at)) => {
            fault(format!("line {at} of the table has {} cells", line.len()), format!("{n}, as there are heads"))
        }
        None => Ok(()),
    }
}

fn check_figure(figure: &Figure) -> Result<(), Fault> {
    if figure.curves.is_empty() {
        return fault("a figure without curves".to_owned(), "at least one");
    }
    for Curve { name, points, .. } in &figure.curves {
        if points.is_empty() {
            return fault(format!("curve `{name}` without points"), "at least one");
        }
        for point in points {
            check_value(name, point.x, &figure.x)?;
            check_value(name, point.y, &figure.y)?;
            if point.sd.is_some_and(|sd| !(sd >= 0.0 && sd.is_finite())) {
                return fault(format!("curve `{name}` has a negative standard deviation"), "none, or 0 or more");
            }
        }
    }
    Ok(())
}

/// The largest number that a chart shows: nothing that is measured here comes near, and ticks are set one by one.
const MAX_VALUE: f64 = 1e15;

fn check_value(curve: &str, value: f64, axis: &Axis) -> Result<(), Fault> {
    let expected = match axis.scale {
        _ if !(-MAX_VALUE..=MAX_VALUE).contains(&value) => "a number that an axis can bear",
        Scale::Doubling | Scale::Decimal if value <= 0.0 => "more than 0, as the axis is logarithmic",
        _ => return Ok(()),
    };
    fault(format!("curve `{curve}` has {value} on the axis `{}`", axis.title), expected)
}

fn check_heat_map(map: &HeatMap) -> Result<(), Fault> {
    let (n_lines, n_columns) = (map.y.len(), map.x.len());
    if map.values.len() != n_lines {
        return fault(format!("a heat map of {} lines", map.values.len()), format!("{n_lines}, as there are names"));
    }
    match map.values.iter().zip(&map.y).find(|(line, _)| line.len() != n_columns) {
        Some((line, name)) => {
            fault(format!("line `{name}` of the heat map has {} figures", line.len()), n_columns.to_string())
        }
        None if map.values.iter().flatten().flatten().all(|value| value.is_finite()) => Ok(()),
        None => fault("a figure of the heat map that is not finite".to_owned(), "a number, or nothing"),
    }
}
