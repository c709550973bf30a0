//! Figures of papers beside ours, and what they say about gains, which compare across treebanks where the figures themselves do
//! not.

use super::directions::published as figures_of;
use super::document::{Block, Content, Table, TableCell};
use super::scores::stars;
use super::summary::{Entry, Summary};
use super::templates::{block, view};
use crate::experiment::{AVERAGE, Published, Variant};

/// The table of figures that papers printed; nothing if the specification has none.
pub fn published(summary: &Summary) -> Option<Block> {
    let spec = &summary.plan.spec;
    let heads = [
        "treebank",
        "column",
        "row",
        "score",
        "ours",
        "paper",
        "ours − paper",
        "our gain",
        "paper's gain",
        "gain − gain",
        "direction",
    ];
    let mut table = Table::new(4, heads);
    for paper in &spec.papers {
        for treebank in summary.treebanks().iter().map(String::as_str).chain([AVERAGE]) {
            let is_open = |row: &Variant| row.name.get_ref() == paper.row.get_ref() && row.open.is_some();
            let line = paper.of(treebank).map(|theirs| line(summary, paper, treebank, theirs));
            // Rows that were not run are left out unless they say that they are open.
            let is_shown = |line: &Vec<TableCell>| line[4].value.is_some() || spec.rows.iter().any(is_open);
            table.lines.extend(line.filter(is_shown));
        }
    }
    if table.lines.is_empty() {
        return None;
    }
    let mut sources: Vec<&str> = spec.papers.iter().map(|p| p.source.as_str()).collect();
    sources.dedup();
    let gains: Vec<(f64, f64)> = table.lines.iter().filter_map(|l| Some((l[7].value?, l[8].value?))).collect();
    let n = gains.len();
    let mean = |of: fn(&(f64, f64)) -> f64| gains.iter().map(of).sum::<f64>() / n as f64;
    let open = spec.rows.iter().filter_map(|row| Some((row.name.get_ref(), row.open.as_ref()?))).collect::<Vec<_>>();
    let view = view! {
        n, sources, open,
        ours => mean(|g| g.0),
        theirs => mean(|g| g.1),
        apart => mean(|g| (g.0 - g.1).abs()),
        same => gains.iter().filter(|(a, b)| a * b > 0.0).count(),
        baseline => spec.table.compared_with().first(),
    };
    Some(block("published.jinja", view, Content::Table(table)))
}

fn line(summary: &Summary, paper: &Published, treebank: &str, theirs: f64) -> Vec<TableCell> {
    let (row, column) = (paper.row.get_ref(), paper.column.get_ref());
    let baseline = summary.plan.spec.table.compared_with().first().copied().filter(|baseline| baseline != row);
    let (ours, gain, mark) = match paper.metric.metric() {
        Some(metric) if treebank == AVERAGE => {
            let of = |row: &str| Some(summary.average_score(column, &summary.method_of(column, row)?, metric)?.mean);
            let ours = of(row);
            (ours, baseline.and_then(of).and_then(|b| Some(ours? - b)), "")
        }
        Some(metric) => {
            let entry = summary.first_of(treebank, column, row);
            let difference = entry.and_then(|e| e.difference(baseline?, metric));
            let ours = entry.and_then(|e| e.score(metric, summary.rule())).map(|s| s.mean);
            (ours, difference.map(|d| d.points), difference.as_ref().map_or("", stars))
        }
        None => {
            let speed = |e: &Entry| e.mean(|_, d| d.sentences_per_second());
            let of_average = || {
                let method = summary.method_of(column, row)?;
                Some(summary.average(column, &method, |_, d| d.sentences_per_second())?.mean)
            };
            let of_treebank = || summary.first_of(treebank, column, row).and_then(speed);
            (if treebank == AVERAGE { of_average() } else { of_treebank() }, None, "")
        }
    };
    let their_gain = paper.metric.metric().and_then(|metric| {
        let other = figures_of(summary, column, baseline?, metric)?;
        Some(theirs - other.of(treebank)?)
    });
    let digits = if paper.metric.metric().is_some() { 2 } else { 0 };
    let mut gained = TableCell::signed(gain);
    gained.text += mark;
    let direction = match (gain, their_gain) {
        (Some(a), Some(b)) if a * b > 0.0 => "same",
        (Some(a), Some(b)) if a * b < 0.0 => "opposite",
        _ => "",
    };
    vec![
        TableCell::text(treebank),
        TableCell::text(column),
        TableCell::text(row),
        TableCell::text(paper.metric.name()),
        TableCell::number(ours, digits),
        TableCell::number(Some(theirs), digits),
        TableCell::signed(ours.filter(|_| digits == 2).map(|v| v - theirs)),
        gained,
        TableCell::signed(their_gain),
        TableCell::signed(gain.zip(their_gain).map(|(a, b)| a - b)),
        TableCell::text(direction),
    ]
}
