//! Model errors and search errors.

use super::document::{Block, Cell, Content, Table};
use super::summary::{Method, Summary};
use super::templates::{block, view};
use treebeam::diagnosis::{Diagnosis, PARTS};

/// The diagnoses of a method summed up over treebanks and seeds; nothing unless every decoding has one.
pub fn of_method(summary: &Summary, column: &str, method: &Method) -> Option<Diagnosis> {
    let entries = summary.entries.iter().filter(|e| e.column == column && e.method == *method);
    let mut sum = Diagnosis::default();
    for (_, decoding) in entries.flat_map(|e| &e.runs) {
        sum += decoding.diagnosis?;
    }
    (sum.sentences > 0).then_some(sum)
}

/// The table of arcs that take others away; nothing if there are none.
pub fn replacements(summary: &Summary) -> Option<Block> {
    let heads = ["column", "method", "width", "arcs made", "replacing %", "gold of these %", "harmful of these %"];
    let mut table = Table::new(2, heads);
    for column in summary.columns() {
        for method in summary.methods(column) {
            let Some(found) = of_method(summary, column, &method).map(|d| d.replacements) else { continue };
            if found.are_none() {
                continue;
            }
            let percent = |n: u64, of: u64| Cell::number(Some(100.0 * n as f64 / of as f64), 2);
            table.lines.push(vec![
                Cell::text(column),
                Cell::text(&method.label),
                Cell::count(method.width),
                Cell::count(found.arcs as usize),
                percent(found.replacing, found.arcs),
                percent(found.gold, found.replacing),
                percent(found.harmful, found.replacing),
            ]);
        }
    }
    (!table.lines.is_empty()).then(|| block("replacements.jinja", view! {}, Content::Table(table)))
}

/// The table of diagnoses; nothing if there are none.
pub fn diagnoses(summary: &Summary) -> Option<Block> {
    let heads = [
        "column",
        "method",
        "width",
        "sentences",
        "right %",
        "search errors %",
        "model errors %",
        "search errors of wrong %",
        "wrong, gold in final beam %",
        "gold lost in first tenth %",
        "by half %",
        "by the end %",
        "gold not derivable %",
    ];
    let mut table = Table::new(2, heads);
    let mut all: Vec<(String, Method, Diagnosis)> = Vec::new();
    for column in summary.columns() {
        for method in summary.methods(column) {
            let Some(d) = of_method(summary, column, &method) else { continue };
            let percent = |n: u64| Cell::number(Some(100.0 * n as f64 / d.sentences as f64), 1);
            let wrong = d.search_errors + d.model_errors;
            table.lines.push(vec![
                Cell::text(column),
                Cell::text(&method.label),
                Cell::count(method.width),
                Cell::count(d.sentences as usize),
                percent(d.right),
                percent(d.search_errors),
                percent(d.model_errors),
                Cell::number(Some(100.0 * d.search_errors as f64 / wrong as f64), 1),
                percent(d.in_final_beam),
                Cell::number(Some(100.0 * d.fallen_by(0)), 1),
                Cell::number(Some(100.0 * d.fallen_by(PARTS / 2 - 1)), 1),
                Cell::number(Some(100.0 * d.fallen_by(PARTS - 1)), 1),
                percent(d.not_derivable),
            ]);
            all.push((column.clone(), method, d));
        }
    }
    let share = |d: &Diagnosis| 100.0 * d.search_errors as f64 / d.sentences as f64;
    let end = |(column, method, d): &(String, Method, Diagnosis)| {
        let wrong = (d.search_errors + d.model_errors).max(1);
        let of_wrong = 100.0 * d.search_errors as f64 / wrong as f64;
        view! { column, of_wrong, method => method.label, share => share(d) }
    };
    let most = all.iter().max_by(|a, b| share(&a.2).total_cmp(&share(&b.2))).map(end)?;
    let least = all.iter().min_by(|a, b| share(&a.2).total_cmp(&share(&b.2))).map(end)?;
    Some(block("diagnoses.jinja", view! { most, least }, Content::Table(table)))
}
