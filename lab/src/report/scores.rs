//! Scores: a table for each score and column.

use super::directions::{Direction, LEVEL, judgement};
use super::document::{Block, Cell, Content, NOTHING, Table};
use super::paired::{Pairs, holm, told_p};
use super::summary::{Difference, Entry, Method, Spread, Summary, difference};
use crate::experiment::TableLines;
use treebeam::eval::Metric;

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
    let mut figures: Vec<Vec<Cell>> = lines
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
    let line = |name: String, cells: Vec<Cell>| std::iter::once(Cell::text(name)).chain(cells).collect();
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
    Block {
        title: format!("{}: {column}", metric.name()),
        reading: reading(summary, directions, &averages, column, metric),
        note: corrected
            .told()
            .into_iter()
            .chain(power(summary, &averages, column, metric))
            .collect::<Vec<_>>()
            .join(" "),
        content: Content::Table(table),
    }
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

    /// Whether the comparison is significant with the others beside it; equal p-values are all so or all not.
    fn is_kept(&self, p: f64) -> bool {
        self.largest.is_some_and(|largest| p <= largest)
    }

    /// How many are significant; none where there is nothing to correct.
    fn told(&self) -> Option<String> {
        let (baseline, n) = (self.baseline.as_ref()?, self.p_values.len());
        if n < 2 {
            return None;
        }
        let count = |is: &dyn Fn(f64) -> bool| self.p_values.iter().filter(|p| is(**p)).count();
        let surely = count(&|p| p < LEVEL);
        let kept = match count(&|p| self.is_kept(p)) {
            _ if surely == 0 => return Some(format!("Of {n} comparisons with `{baseline}` none is significant.")),
            0 => "none".to_owned(),
            kept => format!("{kept} (`‡`)"),
        };
        Some(format!(
            "Significant of {n} comparisons with `{baseline}`: {surely} taken alone, {kept} when corrected for all {n}."
        ))
    }
}

/// The most columns of figures that fit beside each other.
const WIDEST: usize = 8;

/// What the lines of a table are: as asked for, unless so many columns would stand beside each other that the other way round
/// is easier to read.
fn narrower(asked: TableLines, n_methods: usize, n_treebanks: usize) -> TableLines {
    match asked {
        TableLines::Treebanks if n_methods > WIDEST && n_treebanks < n_methods => TableLines::Rows,
        TableLines::Rows if n_treebanks > WIDEST && n_methods < n_treebanks => TableLines::Treebanks,
        asked => asked,
    }
}

/// Marks the highest figure at `place`, if there are several figures.
fn mark_best(figures: &mut [Vec<Cell>], place: usize) {
    let values = || figures.iter().filter_map(|of_method| of_method[place].value);
    let best = values().fold(f64::NEG_INFINITY, f64::max);
    if values().count() > 1 {
        for of_method in figures.iter_mut() {
            of_method[place].best = of_method[place].value == Some(best);
        }
    }
}

fn entry_cell(summary: &Summary, entry: Option<&Entry>, metric: Metric, corrected: &Corrected) -> Cell {
    let rule = summary.plan.spec.table.punctuation;
    let score = entry.and_then(|e| Some((e, e.score(metric, rule)?)));
    let Some((entry, score)) = score else { return Cell::text(NOTHING) };
    let mut text = spread_text(score);
    let rows = summary.plan.spec.table.compared_with();
    if let Some(difference) = rows.first().and_then(|row| entry.difference(row, metric)) {
        let beats = |row: &&str| entry.difference(row, metric).is_some_and(|d| d.points > 0.0 && d.p < LEVEL);
        let dagger = if rows.len() > 1 && rows.iter().all(beats) { "†" } else { "" };
        let kept = if corrected.is_kept(difference.p) { "‡" } else { "" };
        text += &format!(" ({:+.2}{}{dagger}{kept})", difference.points, stars(&difference));
    }
    if !entry.is_complete() {
        text += &format!(" ({} of {} seeds)", entry.runs.len(), entry.n_seeds);
    }
    Cell { text, value: Some(score.mean), best: false }
}

fn average_cell(summary: &Summary, column: &str, method: &Method, metric: Metric) -> Cell {
    let Some(average) = summary.average_score(column, method, metric) else { return Cell::text(NOTHING) };
    let baseline = summary.plan.spec.table.compared_with().first().and_then(|row| summary.method_of(column, row));
    let baseline = baseline.filter(|m| m != method).and_then(|m| summary.average_score(column, &m, metric));
    let text = match baseline {
        Some(baseline) => format!("{} ({:+.2})", spread_text(average), average.mean - baseline.mean),
        None => spread_text(average),
    };
    Cell { text, value: Some(average.mean), best: false }
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

/// Whether the highest average is significantly above the next.
fn lead(summary: &Summary, column: &str, metric: Metric, best: &Method, second: &Method) -> String {
    let treebanks = summary.treebanks();
    let rule = summary.plan.spec.table.punctuation;
    let of = |t: &String| {
        let (ours, theirs) = (summary.entry(t, column, best)?, summary.entry(t, column, second)?);
        difference(ours, theirs, metric, rule)
    };
    let differences: Vec<Difference> = treebanks.iter().filter_map(of).collect();
    if let ([one], 1) = (&differences[..], treebanks.len()) {
        let judgement = if one.p < LEVEL { "significant" } else { "not significant" };
        return format!("the difference, {:+.2}, is {judgement}, {}", one.points, told_p(one.p));
    }
    let (higher, lower) = (|d: &&Difference| d.points > 0.0, |d: &&Difference| d.points < 0.0);
    let count = |of_sign: &dyn Fn(&&Difference) -> bool| differences.iter().filter(of_sign).count();
    let surely = differences.iter().filter(higher).filter(|d| d.p < LEVEL).count();
    let mean = differences.iter().map(|d| d.points).sum::<f64>() / differences.len() as f64;
    let (higher, lower) = (count(&higher), count(&lower));
    let judgement = judgement(higher, lower);
    let n = differences.len();
    format!("the difference, {mean:+.2}, is {judgement}, and significant on {surely} of {n} taken alone")
}

/// The methods of a column with their averages, the highest first.
fn averages(summary: &Summary, column: &str, metric: Metric) -> Vec<(Method, f64)> {
    let score = |m: Method| summary.average_score(column, &m, metric).map(|score| (m, score.mean));
    let mut averages: Vec<(Method, f64)> = summary.methods(column).into_iter().filter_map(score).collect();
    averages.sort_by(|a, b| b.1.total_cmp(&a.1));
    averages
}

/// What difference the table could have shown: between its highest method and the one that all are compared with, or, if there is
/// none or that is the highest, the next.
fn power(summary: &Summary, averages: &[(Method, f64)], column: &str, metric: Metric) -> Option<String> {
    let [(best, _), (second, _), ..] = averages else { return None };
    let baseline = summary.plan.spec.table.compared_with().first().and_then(|row| summary.method_of(column, row));
    let other = baseline.as_ref().filter(|m| *m != best).unwrap_or(second);
    let points = Pairs::new(summary, column, best, other, metric)?.detectable();
    let over = if summary.treebanks().len() > 1 { " in the mean over treebanks" } else { "" };
    Some(format!(
        "A difference of {points:.2} points{over}, between methods that differ as `{}` and `{}` do, would be found in four of five \
         cases (p < .05, by the test over sentences).",
        best.label, other.label
    ))
}

/// Who is highest, and what that is against the baseline.
fn reading(
    summary: &Summary,
    directions: &[Direction],
    averages: &[(Method, f64)],
    column: &str,
    metric: Metric,
) -> Vec<String> {
    let treebanks = summary.treebanks();
    let name = metric.name();
    let mut sentences = Vec::new();
    if let [(best, score), (second, next), ..] = averages {
        let of = |t: &String, m: &Method| summary.score(t, column, m, metric);
        let is_best = |t: &&String| averages.iter().all(|(m, _)| of(t, m) <= of(t, best));
        let n_best = treebanks.iter().filter(is_best).count();
        let lead = lead(summary, column, metric, best, second);
        sentences.push(match treebanks.len() {
            1 => format!(
                "`{}` is highest with {name} {score:.2}, before `{}` with {next:.2}: {lead}.",
                best.label, second.label
            ),
            n => format!(
                "On average `{}` is highest with {name} {score:.2}, before `{}` with {next:.2}: {lead}. It is highest on {n_best} of \
                 {n} treebanks.",
                best.label, second.label
            ),
        });
    }
    let baseline = summary.plan.spec.table.compared_with().first().copied().unwrap_or_default();
    let of_column = |d: &&Direction| d.column == column && d.metric == metric && d.against == baseline;
    // With a paper all rows that it has, else the method that gains most.
    let of_paper = directions.iter().filter(of_column).filter(|d| d.paper.is_some());
    let of_paper: Vec<&Direction> = of_paper.collect();
    let most = directions.iter().filter(of_column).max_by(|a, b| a.mean().total_cmp(&b.mean()));
    match (&of_paper[..], most) {
        _ if treebanks.len() < 2 => {}
        ([], Some(direction)) => sentences.push(direction.sentence()),
        ([direction], _) => sentences.push(direction.sentence()),
        ([first, ..], _) => {
            let clauses: Vec<String> = of_paper.iter().map(|d| d.clause()).collect();
            sentences.push(format!("Mean gains over `{}`: {}.", first.against, clauses.join("; ")));
        }
        ([], None) => {}
    }
    sentences
}
