//! Lengths of training, and rows that have not converged.

use std::ops::RangeInclusive;

use minijinja::Value;
use serde::Serialize;

use super::document::{Block, Content, Table, TableCell};
use super::summary::{Entry, Summary};
use super::templates::{block, view};
use crate::experiment::Record;
use treebeam::eval::Metric;

/// A row that still gains as many points of LAS on development data in its last iteration, in the mean, has not converged.
const STILL_GAINS: f64 = 0.1;

/// The trainings of one row in one column, over treebanks and seeds.
struct RowTrainings<'a> {
    column: &'a str,
    row: &'a str,
    records: Vec<&'a Record>,
}

impl RowTrainings<'_> {
    /// Points of LAS gained on development data in the last iteration, in the mean over trainings of several
    /// iterations; nothing if development data were not scored.
    fn last_gain(&self) -> Option<f64> {
        let gains: Vec<f64> = self.records.iter().filter_map(|r| last_gain(&dev_scores(r)?)).collect();
        (!gains.is_empty()).then(|| gains.iter().sum::<f64>() / gains.len() as f64)
    }

    /// In how many trainings the last iteration is better on development data than all before.
    fn best_at_last(&self) -> usize {
        self.records.iter().filter(|r| dev_scores(r).is_some_and(|scores| are_highest_at_last(&scores))).count()
    }
}

/// LAS on development data by iteration.
fn dev_scores(record: &Record) -> Option<Vec<f64>> {
    let score = |epoch: &crate::experiment::Epoch| epoch.dev.map(|counts| Metric::Las.score(&counts));
    record.training.epochs.iter().map(score).collect()
}

fn last_gain(scores: &[f64]) -> Option<f64> {
    match scores {
        [.., before, last] => Some(last - before),
        _ => None,
    }
}

fn are_highest_at_last(scores: &[f64]) -> bool {
    scores.split_last().is_some_and(|(last, others)| others.iter().all(|other| other < last))
}

fn trainings<'a>(summary: &'a Summary) -> Vec<RowTrainings<'a>> {
    let mut all: Vec<RowTrainings> = Vec::new();
    for column in summary.columns() {
        for row in summary.plan.spec.rows.iter().map(|r| r.name.get_ref()) {
            let Some(method) = summary.method_of(column, row) else { continue };
            let of_row = |e: &&Entry| e.column == *column && e.method == method;
            let runs = summary.entries.iter().filter(of_row).flat_map(|e| &e.runs);
            let records: Vec<&Record> = runs.map(|(record, _)| *record).collect();
            if !records.is_empty() {
                all.push(RowTrainings { column, row, records });
            }
        }
    }
    all
}

/// The least and the most of some numbers; nothing if there are none.
fn extent(numbers: impl Iterator<Item = usize> + Clone) -> Option<RangeInclusive<usize>> {
    Some(numbers.clone().min()?..=numbers.max()?)
}

fn shown(extent: &RangeInclusive<usize>) -> String {
    match extent.start() == extent.end() {
        true => extent.start().to_string(),
        false => format!("{} to {}", extent.start(), extent.end()),
    }
}

fn n_sentences(record: &Record) -> usize {
    record.train.n_sentences()
}

fn n_iterations(record: &Record) -> usize {
    record.training.epochs.len()
}

/// Extent of the records of an experiment.
#[derive(Serialize)]
pub struct Extents {
    /// Number of training sentences of each treebank.
    pub sentences: String,
    /// The fewest and the most iterations, with their noun.
    pub iterations: String,
    are_iterations_equal: bool,
    /// Number of treebanks.
    pub n_treebanks: usize,
    /// Number of seeds.
    pub n_seeds: usize,
}

/// Extents of the records; none if there are none.
pub fn extents(summary: &Summary) -> Option<Extents> {
    let records = || summary.entries.iter().flat_map(|e| &e.runs).map(|(record, _)| *record);
    let iterations = extent(records().map(n_iterations))?;
    let mut treebanks: Vec<&str> = records().map(|r| r.treebank.as_str()).collect();
    treebanks.sort_unstable();
    treebanks.dedup();
    let mut seeds: Vec<u64> = records().map(|r| r.options.seed()).collect();
    seeds.sort_unstable();
    seeds.dedup();
    Some(Extents {
        sentences: shown(&extent(records().map(n_sentences))?),
        are_iterations_equal: iterations.start() == iterations.end(),
        iterations: format!("{} iteration{}", shown(&iterations), if *iterations.end() == 1 { "" } else { "s" }),
        n_treebanks: treebanks.len(),
        n_seeds: seeds.len(),
    })
}

/// The table of how long rows were trained; nothing if nothing was.
pub fn training(summary: &Summary) -> Option<Block> {
    let trainings = trainings(summary);
    let heads = ["column", "row", "trainings", "sentences", "iterations", "LAS gained in the last", "last is the best"];
    let mut table = Table::new(2, heads);
    for of_row in &trainings {
        let range = |of: fn(&Record) -> usize| {
            let extent = extent(of_row.records.iter().map(|r| of(r)))?;
            Some(TableCell::valued(shown(&extent), *extent.end() as f64))
        };
        let is_scored = of_row.last_gain().is_some();
        table.lines.push(vec![
            TableCell::text(of_row.column),
            TableCell::text(of_row.row),
            TableCell::count(of_row.records.len()),
            range(n_sentences)?,
            range(n_iterations)?,
            TableCell::signed(of_row.last_gain()),
            TableCell::shown(is_scored.then(|| of_row.best_at_last() as f64), |n| {
                format!("{n} of {}", of_row.records.len())
            }),
        ]);
    }
    let mut gains: Vec<(f64, &RowTrainings)> = trainings.iter().filter_map(|t| Some((t.last_gain()?, t))).collect();
    let n_rows = gains.len();
    gains.retain(|(points, _)| *points >= STILL_GAINS);
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    let gain = |(points, of): &(f64, &RowTrainings)| view! { points, column => of.column, row => of.row };
    let gains: Vec<Value> = gains.iter().map(gain).collect();
    let several = trainings.iter().any(|t| t.column != trainings[0].column);
    let view = view! { n_rows, gains, several, still_gains => STILL_GAINS };
    (!table.lines.is_empty()).then(|| block("training.jinja", view, Content::Table(table)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Store;
    use crate::experiment::testing::{plan, record, store_of};

    #[test]
    fn records_and_not_the_plan_say_what_was_run() {
        let plan = plan();
        let mut store = Store::default();
        let summary = |store: &Store| extents(&Summary::new(&plan, store, false));
        assert!(summary(&store).is_none());
        let mut one = record(&plan.cells[0], "r1");
        one.train.sentences = 0..77;
        store.insert(one);
        let one = summary(&store).unwrap();
        assert_eq!((one.sentences.as_str(), one.n_treebanks, one.n_seeds), ("77", 1, 1));
        plan.cells.iter().skip(1).for_each(|c| store.insert(record(c, "r1")));
        let all = summary(&store).unwrap();
        assert_eq!((all.n_treebanks, all.n_seeds), (2, 2));
    }

    #[test]
    fn rows_that_still_gain_are_named() {
        let plan = plan();
        let store = store_of(&plan.cells, |cell, record| {
            let tokens = 1000;
            let gained = if cell.row == "dynamic" { 8 } else { 0 };
            let epoch = record.training.epochs[0];
            record.training.epochs = [700, 700 + gained]
                .map(|labelled| crate::experiment::Epoch {
                    dev: Some(treebeam::eval::Counts { tokens, labelled, ..Default::default() }),
                    ..epoch
                })
                .into();
        });
        let block = training(&Summary::new(&plan, &store, false)).unwrap();
        assert!(block.reading[0].contains("2 of 6 rows"), "{:?}", block.reading);
        assert!(block.reading[0].contains("`dynamic` (eager) +0.80, `dynamic` (hybrid) +0.80"), "{:?}", block.reading);
        let Content::Table(table) = &block.content else { panic!("a table") };
        assert!(table.lines.iter().any(|line| line[1].text == "dynamic" && line[6].text == "4 of 4"));
        assert!(table.lines.iter().any(|line| line[1].text == "greedy" && line[6].text == "0 of 4"));
    }
}
