//! Scores: a table for each score and column.

use minijinja::Value;

use super::directions::{Direction, LEVEL, sign_test};
use super::document::{Block, Content, NOTHING, Table, TableCell};
use super::paired::pairs_of;
use super::summary::{Difference, Entry, Method, Spread, Summary, difference};
use super::templates::{block, view};
use crate::experiment::TableLines;
use treebeam::eval::{Metric, holm, sign, signs};

/// The table of one score in one column.
pub fn scores(summary: &Summary, directions: &[Direction], column: &str, metric: Metric) -> Block {
    let lines = summary.lines(column);
    let treebanks = summary.treebanks();
    let mut names = treebanks.clone();
    if treebanks.len() > 1 {
        names.push("average".to_owned());
    }
    let corrected = Corrected::new(summary, column, &lines, metric);
    let averages = averages(summary, column, metric);
    // By method, then by treebank with the average last.
    let mut figures: Vec<Vec<TableCell>> = lines
        .iter()
        .map(|method| {
            let of_treebank = |t: &String| entry_cell(summary, summary.entry(t, column, method), metric, &corrected);
            let average = (treebanks.len() > 1).then(|| average_cell(summary, column, method, metric));
            treebanks.iter().map(of_treebank).chain(average).collect()
        })
        .collect();
    for place in 0..names.len() {
        mark_best(&mut figures, place);
    }
    let labels = lines.iter().map(|m| m.label.clone());
    let head = |names: Vec<String>| std::iter::once(String::new()).chain(names);
    let line = |name: String, cells: Vec<TableCell>| std::iter::once(TableCell::text(name)).chain(cells).collect();
    let mut table;
    match narrower(summary.plan.spec.table.lines, lines.len(), names.len()) {
        TableLines::Rows => {
            table = Table::new(1, head(names));
            table.lines = labels.zip(figures).map(|(label, cells)| line(label, cells)).collect();
        }
        TableLines::Treebanks => {
            table = Table::new(1, head(labels.collect()));
            let of_place = |i: usize| figures.iter().map(|of_method| of_method[i].clone()).collect();
            table.lines = names.into_iter().enumerate().map(|(i, name)| line(name, of_place(i))).collect();
        }
    }
    let power = power(summary, &averages, column, metric);
    let lead = match &averages[..] {
        [(best, _), (second, _), ..] => lead(summary, &averages, column, metric, [best, second]),
        _ => None,
    };
    let ends: Vec<(&String, f64)> = averages.iter().map(|(method, score)| (&method.label, *score)).collect();
    let view = view! {
        column, treebanks, lead, power,
        metric => metric.name(),
        best => ends.first(),
        second => ends.get(1),
        compared => compared(summary, directions, column, metric),
        baseline => corrected.baseline,
        n_tests => corrected.p_values.len(),
        n_surely => corrected.count(|p| p < LEVEL),
        n_kept => corrected.count(|p| corrected.is_kept(p)),
    };
    block("scores.jinja", view, Content::Table(table))
}

/// The comparisons of a table with the row that all are compared with, and which of them are significant when all are looked at.
struct Corrected {
    baseline: Option<String>,
    /// Each p by itself.
    p_values: Vec<f64>,
    /// The largest of these that is significant when corrected for their number; none if none is.
    largest: Option<f64>,
}

impl Corrected {
    fn new(summary: &Summary, column: &str, methods: &[Method], metric: Metric) -> Self {
        let baseline = summary.plan.spec.table.compared_with().first().map(|row| (*row).to_owned());
        let entries = methods.iter().flat_map(|m| summary.treebanks().into_iter().map(move |t| (t, m)));
        let p_of =
            |(t, m): (String, &Method)| Some(summary.entry(&t, column, m)?.difference(baseline.as_deref()?, metric)?.p);
        let p_values: Vec<f64> = entries.filter_map(p_of).collect();
        let of_all = p_values.iter().zip(holm(&p_values));
        let largest = of_all.filter(|(_, corrected)| *corrected < LEVEL).map(|(p, _)| *p).max_by(f64::total_cmp);
        Corrected { baseline, p_values, largest }
    }

    /// True if the comparison is significant with the others beside it; equal p-values are all so or all not.
    fn is_kept(&self, p: f64) -> bool {
        self.largest.is_some_and(|largest| p <= largest)
    }

    fn count(&self, is_meant: impl Fn(f64) -> bool) -> usize {
        self.p_values.iter().filter(|p| is_meant(**p)).count()
    }
}

/// The most columns of figures that fit beside each other.
const WIDEST: usize = 8;

/// Choice of the lines of a table: as asked for, unless so many columns would stand beside each other that the other way round
/// is easier to read.
fn narrower(asked: TableLines, n_methods: usize, n_treebanks: usize) -> TableLines {
    match asked {
        TableLines::Treebanks if n_methods > WIDEST && n_treebanks < n_methods => TableLines::Rows,
        TableLines::Rows if n_treebanks > WIDEST && n_methods < n_treebanks => TableLines::Treebanks,
        asked => asked,
    }
}

/// Marks the highest figure at `place`, if there are several figures.
fn mark_best(figures: &mut [Vec<TableCell>], place: usize) {
    let values = || figures.iter().filter_map(|of_method| of_method[place].value);
    let best = values().fold(f64::NEG_INFINITY, f64::max);
    if values().count() > 1 {
        for of_method in figures.iter_mut() {
            of_method[place].best = of_method[place].value == Some(best);
        }
    }
}

fn entry_cell(summary: &Summary, entry: Option<&Entry>, metric: Metric, corrected: &Corrected) -> TableCell {
    let rule = summary.rule();
    let score = entry.and_then(|e| Some((e, e.score(metric, rule)?)));
    let Some((entry, score)) = score else { return TableCell::text(NOTHING) };
    let mut text = spread_text(score);
    let rows = summary.plan.spec.table.compared_with();
    if let Some(difference) = rows.first().and_then(|row| entry.difference(row, metric)) {
        let beats = |row: &&str| entry.difference(row, metric).is_some_and(|d| sign(d.points).is_gt() && d.p < LEVEL);
        let dagger = if rows.len() > 1 && rows.iter().all(beats) { "†" } else { "" };
        let kept = if corrected.is_kept(difference.p) { "‡" } else { "" };
        text += &format!(" ({:+.2}{}{dagger}{kept})", difference.points, stars(&difference));
    }
    if !entry.is_complete() {
        text += &format!(" ({} of {} seeds)", entry.runs.len(), entry.n_seeds);
    }
    TableCell::valued(text, score.mean)
}

fn average_cell(summary: &Summary, column: &str, method: &Method, metric: Metric) -> TableCell {
    let Some(average) = summary.average_score(column, method, metric) else { return TableCell::text(NOTHING) };
    let baseline = summary.plan.spec.table.compared_with().first().and_then(|row| summary.method_of(column, row));
    let baseline = baseline.filter(|m| m != method).and_then(|m| summary.average_score(column, &m, metric));
    let text = match baseline {
        Some(baseline) => format!("{} ({:+.2})", spread_text(average), average.mean - baseline.mean),
        None => spread_text(average),
    };
    TableCell::valued(text, average.mean)
}

fn spread_text(spread: Spread) -> String {
    match spread.sd {
        Some(sd) => format!("{:.2} ± {sd:.2}", spread.mean),
        None => format!("{:.2}", spread.mean),
    }
}

/// The marks of significance.
pub fn stars(difference: &Difference) -> &'static str {
    match difference.p {
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        _ => "",
    }
}

/// The highest average beside the next: the difference, its p by the test over sentences if there is one treebank, otherwise by the
/// sign test over treebanks, the treebanks where it is significantly higher of `n`, and those where none is higher.
fn lead(
    summary: &Summary,
    averages: &[(Method, f64)],
    column: &str,
    metric: Metric,
    [best, second]: [&Method; 2],
) -> Option<Value> {
    let (treebanks, rule) = (summary.treebanks(), summary.rule());
    let of = |t: &String| {
        let (ours, theirs) = (summary.entry(t, column, best)?, summary.entry(t, column, second)?);
        difference(ours, theirs, metric, rule)
    };
    let differences: Vec<Difference> = treebanks.iter().filter_map(of).collect();
    let score = |t: &String, m: &Method| summary.score(t, column, m, metric);
    let is_best = |t: &&String| averages.iter().all(|(m, _)| score(t, m) <= score(t, best));
    let first = differences.first()?;
    Some(view! {
        mean => differences.iter().map(|d| d.points).sum::<f64>() / differences.len() as f64,
        p => if treebanks.len() == 1 { first.p } else { sign_test(signs(differences.iter().map(|d| d.points))) },
        surely => differences.iter().filter(|d| sign(d.points).is_gt() && d.p < LEVEL).count(),
        n => differences.len(),
        n_best => treebanks.iter().filter(is_best).count(),
    })
}

/// The methods of a column with their averages, the highest first.
pub fn averages(summary: &Summary, column: &str, metric: Metric) -> Vec<(Method, f64)> {
    let score = |m: Method| summary.average_score(column, &m, metric).map(|score| (m, score.mean));
    let mut averages: Vec<(Method, f64)> = summary.methods(column).into_iter().filter_map(score).collect();
    averages.sort_by(|a, b| b.1.total_cmp(&a.1));
    averages
}

/// The minimum detectable difference of a table, between the highest method and the one that all are compared with, or, if there is
/// none or that is the highest, the next.
fn power(summary: &Summary, averages: &[(Method, f64)], column: &str, metric: Metric) -> Option<Value> {
    let [(best, _), (second, _), ..] = averages else { return None };
    let baseline = summary.plan.spec.table.compared_with().first().and_then(|row| summary.method_of(column, row));
    let other = baseline.as_ref().filter(|m| *m != best).unwrap_or(second);
    let points = pairs_of(summary, column, best, other, metric)?.gain().detectable();
    Some(view! { points, other => other.label })
}

/// Comparisons with the baseline that sentences state: those of the paper's rows if there is a paper, else that of the row that gains
/// most.
fn compared(summary: &Summary, directions: &[Direction], column: &str, metric: Metric) -> Vec<Value> {
    let baseline = summary.plan.spec.table.compared_with().first().copied().unwrap_or_default();
    let of_column = |d: &&Direction| d.column == column && d.metric == metric && d.against == baseline;
    let of_paper: Vec<Value> =
        directions.iter().filter(of_column).filter(|d| d.paper.is_some()).map(Direction::view).collect();
    let most = directions.iter().filter(of_column).max_by(|a, b| a.mean().total_cmp(&b.mean()));
    if of_paper.is_empty() { most.map(Direction::view).into_iter().collect() } else { of_paper }
}
