//! A table as the template shows it.

use minijinja::Value;

use crate::report::document::{Table, TableCell};
use crate::report::templates::view;

/// Name of a line that averages over the others.
const AVERAGE: &str = "average";

/// The view of a table that has been checked. Averages stay at the bottom however the other lines are sorted; `same` is what all lines
/// have in common, and does not need a column; `asides` is the most characters of what follows a figure.
pub(super) fn view(table: &Table) -> Value {
    let (table, common) = table.clone().without_common();
    let n_texts = table.n_texts;
    let has_asides: Vec<bool> = (0..table.heads.len())
        .map(|column| column >= n_texts && table.lines.iter().any(|line| split(&line[column].text).1.is_some()))
        .collect();
    let asides = table.lines.iter().flat_map(|line| &line[n_texts..]).filter_map(|cell| split(&cell.text).1);
    let asides = asides.map(|aside| aside.chars().count()).max().unwrap_or(0);
    let is_average = |line: &&Vec<TableCell>| line.first().is_some_and(|cell| cell.text.eq_ignore_ascii_case(AVERAGE));
    let (averages, lines): (Vec<_>, Vec<_>) = table.lines.iter().partition(is_average);
    let cells = |line: &Vec<TableCell>| -> Vec<Value> {
        let cells = line.iter().zip(&has_asides).enumerate();
        cells.map(|(column, (cell, &has_asides))| cell_view(cell, column < n_texts, has_asides)).collect()
    };
    let [averages, lines] = [averages, lines].map(|lines| lines.into_iter().map(cells).collect::<Vec<_>>());
    view! {
        n_texts, lines, averages, asides,
        heads => table.heads,
        same => common.into_iter().map(|(head, text)| format!("{head}: {text}")).collect::<Vec<_>>(),
    }
}

/// A cell: its text, and what follows it in brackets or after ±, which is empty, but not absent, where only other cells of the column
/// have one, so that figures stand below each other; and the key of sorting, where the text does not say it.
fn cell_view(cell: &TableCell, is_text: bool, has_asides: bool) -> Value {
    let (text, aside) = if has_asides { split(&cell.text) } else { (cell.text.as_str(), None) };
    // Scripts read a number from the text of a figure; of a text only if its key is given. What rounding takes away is
    // no reason to sort otherwise.
    let half = text.split_once('.').map_or(0.5, |(_, digits)| 0.5 * 0.1_f64.powi(digits.len() as i32));
    let is_near = |value: &f64| text.parse().is_ok_and(|said: f64| (said - value).abs() <= half * 1.001);
    let is_said = |value: &f64| !is_text && is_near(value);
    view! {
        text,
        aside => has_asides.then(|| aside.unwrap_or_default()),
        value => cell.value.filter(|value| !is_said(value)),
        best => cell.best,
    }
}

/// A figure, and what follows it with the blank between.
fn split(text: &str) -> (&str, Option<&str>) {
    match text.find(" (").or_else(|| text.find(" ±")) {
        Some(at) if at > 0 => (&text[..at], Some(&text[at..])),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_go_to_the_bottom_and_values_are_said_only_where_texts_do_not() {
        let mut table = Table::new(1, ["treebank", "LAS"]);
        let value = |text: &str, value| TableCell { text: text.to_owned(), value: Some(value), best: false };
        table.lines = vec![
            vec![TableCell::text("average"), value("1.50", 1.5)],
            vec![TableCell::text("a (b)"), value("1.25 (+0.1**)", 1.251)],
            vec![value("8", 8.0), TableCell::text("–")],
        ];
        let view = serde_json::to_value(view(&table)).unwrap();
        let line = |cells: [(&str, Option<&str>, Option<f64>); 2]| {
            cells.map(
                |(text, aside, value)| serde_json::json!({"text": text, "aside": aside, "value": value, "best": false}),
            )
        };
        let averages = [line([("average", None, None), ("1.50", Some(""), None)])];
        let lines = [
            line([("a (b)", None, None), ("1.25", Some(" (+0.1**)"), None)]),
            line([("8", None, Some(8.0)), ("–", Some(""), None)]),
        ];
        assert_eq!(view["averages"], serde_json::json!(averages));
        assert_eq!(view["lines"], serde_json::json!(lines));
        assert_eq!(view["asides"], 9);
    }
}
