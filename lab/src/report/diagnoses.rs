//! Model errors and search errors, and what follows a first mistake.

use super::document::{Block, Content, Table, TableCell};
use super::summary::{Method, Summary};
use super::templates::{block, view};
use treebeam::diagnosis::{Diagnosis, PARTS, Propagation};

/// The diagnoses of a method summed up over treebanks and seeds; nothing unless every decoding has one.
pub fn of_method(summary: &Summary, column: &str, method: &Method) -> Option<Diagnosis> {
    let entries = summary.entries.iter().filter(|e| e.column == column && e.method == *method);
    let mut sum = Diagnosis::default();
    for (_, decoding) in entries.flat_map(|e| &e.runs) {
        sum += decoding.diagnosis?;
    }
    (sum.sentences > 0).then_some(sum)
}

/// The methods that have diagnoses, with their columns.
fn diagnosed<'s>(summary: &Summary<'s>) -> Vec<(&'s String, Method, Diagnosis)> {
    let methods = |column: &'s String| summary.methods(column).into_iter().map(move |method| (column, method));
    let all = summary.columns().flat_map(methods);
    let of = |(column, method): (&'s String, Method)| of_method(summary, column, &method).map(|d| (column, method, d));
    all.filter_map(of).collect()
}

/// The table of arcs that take others away; nothing if there are none.
pub fn replacements(summary: &Summary) -> Option<Block> {
    let heads = ["column", "method", "width", "arcs made", "replacing %", "gold of these %", "harmful of these %"];
    let mut table = Table::new(2, heads);
    for (column, method, Diagnosis { replacements: found, .. }) in diagnosed(summary) {
        if found.are_none() {
            continue;
        }
        let percent = |n: u64, of: u64| TableCell::number(Some(100.0 * n as f64 / of as f64), 2);
        table.lines.push(vec![
            TableCell::text(column),
            TableCell::text(method.label),
            TableCell::count(method.width),
            TableCell::count(found.arcs as usize),
            percent(found.replacing, found.arcs),
            percent(found.gold, found.replacing),
            percent(found.harmful, found.replacing),
        ]);
    }
    (!table.lines.is_empty()).then(|| block("replacements.jinja", view! {}, Content::Table(table)))
}

/// The table of arcs before and after the first wrong one; nothing if no method has these counts of all its sentences.
pub fn propagation(summary: &Summary) -> Option<Block> {
    let heads = [
        "column",
        "method",
        "width",
        "with a wrong arc %",
        "arcs before it",
        "at random",
        "steps before it",
        "wrong arcs after it",
        "wrong while all are right %",
        "wrong after it %",
        "wrong after it, at random %",
    ];
    let mut table = Table::new(2, heads);
    let mut all: Vec<(&String, Method, Propagation)> = Vec::new();
    let mean = |n: f64, found: &Propagation| n / found.with_wrong as f64;
    for (column, method, diagnosis) in diagnosed(summary) {
        let found = diagnosis.propagation;
        // Older records do not have them.
        if found.sentences < diagnosis.sentences {
            continue;
        }
        let percent = |rate: f64| TableCell::number(Some(100.0 * rate), 2);
        let mean = |n: f64| TableCell::number(Some(mean(n, &found)), 2);
        table.lines.push(vec![
            TableCell::text(column),
            TableCell::text(&method.label),
            TableCell::count(method.width),
            TableCell::number(Some(100.0 * found.with_wrong as f64 / found.sentences as f64), 1),
            mean(found.before as f64),
            mean(found.before_at_random),
            mean(found.steps_before as f64),
            mean(found.wrong_after as f64),
            percent(found.rate_while_right()),
            percent(found.rate_after()),
            percent(found.rate_after_at_random()),
        ]);
        all.push((column, method, found));
    }
    all.retain(|(_, _, found)| found.with_wrong > 0);
    let before = |found: &Propagation| mean(found.before as f64, found);
    let by_place = |a: &&(_, _, Propagation), b: &&(_, _, Propagation)| before(&a.2).total_cmp(&before(&b.2));
    let end = |(column, method, found): &(&String, Method, Propagation)| {
        let at_random = mean(found.before_at_random, found);
        view! { column, method => method.label, before => before(found), at_random }
    };
    let (most, least) = (all.iter().max_by(by_place).map(end), all.iter().min_by(by_place).map(end));
    (!table.lines.is_empty()).then(|| block("propagation.jinja", view! { most, least }, Content::Table(table)))
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
    for (column, method, d) in diagnosed(summary) {
        let percent = |n: u64| TableCell::number(Some(100.0 * n as f64 / d.sentences as f64), 1);
        let wrong = d.search_errors + d.model_errors;
        table.lines.push(vec![
            TableCell::text(column),
            TableCell::text(&method.label),
            TableCell::count(method.width),
            TableCell::count(d.sentences as usize),
            percent(d.right),
            percent(d.search_errors),
            percent(d.model_errors),
            TableCell::number(Some(100.0 * d.search_errors as f64 / wrong as f64), 1),
            percent(d.in_final_beam),
            TableCell::number(Some(100.0 * d.fallen_by(0)), 1),
            TableCell::number(Some(100.0 * d.fallen_by(PARTS / 2 - 1)), 1),
            TableCell::number(Some(100.0 * d.fallen_by(PARTS - 1)), 1),
            percent(d.not_derivable),
        ]);
        all.push((column.clone(), method, d));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Record;
    use crate::experiment::testing::{SPEC, full_store, plan_of, record, spec_of, store_of};
    use crate::report::{document, markdown};

    #[test]
    fn wrong_arcs_after_the_first_one_have_a_table() {
        let plan = plan_of(&spec_of(&SPEC.replacen("title =", "diagnose = true\ntitle =", 1)));
        let store = full_store(&plan);
        let text = markdown(&document(&Summary::new(&plan, &store, false), "treebeam", Vec::new()));
        let table = text.split("## ").find(|part| part.starts_with("Error propagation")).unwrap();
        insta::assert_snapshot!("propagation", table);
    }

    /// Records of versions that did not count are read, and have no line.
    #[test]
    fn older_records_have_no_line() {
        let plan = plan_of(&spec_of(&SPEC.replacen("title =", "diagnose = true\ntitle =", 1)));
        let written = serde_json::to_string(&record(&plan.cells[0], "r1")).unwrap();
        let again: Record = serde_json::from_str(&written).unwrap();
        assert_eq!(again.decodings, record(&plan.cells[0], "r1").decodings);
        let mut old: serde_json::Value = serde_json::from_str(&written).unwrap();
        let diagnosis = old["decodings"][0]["diagnosis"].as_object_mut().unwrap();
        diagnosis.remove("propagation").unwrap();
        let old: Record = serde_json::from_value(old).unwrap();
        assert!(!serde_json::to_string(&old).unwrap().contains("propagation"));
        let store = store_of(&plan.cells[..1], |_, record| *record = old.clone());
        let summary = Summary::new(&plan, &store, false);
        assert!(diagnoses(&summary).is_some() && propagation(&summary).is_none());
    }
}
