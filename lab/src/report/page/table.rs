//! A table as the template shows it.

use serde::Serialize;

use crate::report::document::{Cell, Table};

#[derive(Serialize)]
pub(super) struct TableView {
    heads: Vec<HeadView>,
    lines: Vec<Vec<CellView>>,
    /// The lines that stay at the bottom however the others are sorted.
    averages: Vec<Vec<CellView>>,
    /// The most characters of a second part.
    asides: usize,
    /// Texts that all lines have in common, and does not need a column.
    same: Vec<String>,
}

#[derive(Serialize)]
struct HeadView {
    text: String,
    is_text: bool,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    /// Text that follows the figure, in brackets or after ±. Empty, but not absent, where only other cells of the column have
    /// one, so that figures stand below each other.
    aside: Option<String>,
    /// Key of sorting, where the text does not say it.
    value: Option<f64>,
    best: bool,
}

/// Name of a line that averages over the others.
const AVERAGE: &str = "average";

impl TableView {
    /// The view of a table that has been checked.
    pub(super) fn new(table: &Table) -> TableView {
        let (table, common) = table.clone().without_common();
        let n_texts = table.n_texts;
        let has_asides: Vec<bool> = (0..table.heads.len())
            .map(|column| column >= n_texts && table.lines.iter().any(|line| split(&line[column].text).1.is_some()))
            .collect();
        let asides = table.lines.iter().flat_map(|line| &line[n_texts..]).filter_map(|cell| split(&cell.text).1);
        let asides = asides.map(|aside| aside.chars().count()).max().unwrap_or(0);
        let is_average = |line: &&Vec<Cell>| line.first().is_some_and(|cell| cell.text.eq_ignore_ascii_case(AVERAGE));
        let (averages, lines): (Vec<_>, Vec<_>) = table.lines.iter().partition(is_average);
        let view = |line: &Vec<Cell>| {
            let cells = line.iter().zip(&has_asides).enumerate();
            cells.map(|(column, (cell, &has_asides))| CellView::new(cell, column < n_texts, has_asides)).collect()
        };
        TableView {
            heads: table
                .heads
                .iter()
                .zip(0..)
                .map(|(h, i)| HeadView { text: h.clone(), is_text: i < n_texts })
                .collect(),
            lines: lines.into_iter().map(view).collect(),
            averages: averages.into_iter().map(view).collect(),
            asides,
            same: common.into_iter().map(|(head, text)| format!("{head}: {text}")).collect(),
        }
    }
}

impl CellView {
    fn new(cell: &Cell, is_text: bool, has_asides: bool) -> CellView {
        let (text, aside) = if has_asides { split(&cell.text) } else { (cell.text.as_str(), None) };
        // Scripts read a number from the text of a figure; of a text only if they are told that it is one.
        let is_said = |value: &f64| !is_text && text.parse() == Ok(*value);
        CellView {
            text: text.to_owned(),
            aside: has_asides.then(|| aside.unwrap_or_default().to_owned()),
            value: cell.value.filter(|value| !is_said(value)),
            best: cell.best,
        }
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
        let value = |text: &str, value| Cell { text: text.to_owned(), value: Some(value), best: false };
        table.lines = vec![
            vec![Cell::text("average"), value("1.50", 1.5)],
            vec![Cell::text("a (b)"), value("1.25 (+0.1**)", 1.251)],
            vec![value("8", 8.0), Cell::text("–")],
        ];
        let view = TableView::new(&table);
        let shown = |lines: &[Vec<CellView>]| -> Vec<(String, Option<String>, Option<f64>)> {
            lines.iter().flatten().map(|c| (c.text.clone(), c.aside.clone(), c.value)).collect()
        };
        let text = str::to_owned;
        assert_eq!(shown(&view.averages), [(text("average"), None, None), (text("1.50"), Some(text("")), None)]);
        let expected = [
            (text("a (b)"), None, None),
            (text("1.25"), Some(text(" (+0.1**)")), Some(1.251)),
            (text("8"), None, Some(8.0)),
            (text("–"), Some(text("")), None),
        ];
        assert_eq!(shown(&view.lines), expected);
        assert_eq!(view.asides, 9);
    }
}
