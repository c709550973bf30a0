//! Span of a grid from its lowest to its highest figure: beside a paper's, and beside what chance alone would give.

use std::collections::BTreeSet;

use super::document::{Block, Content, Table, TableCell};
use super::figures::heat_maps_of;
use super::summary::Summary;
use super::templates::{block, view};
use treebeam::eval::Metric;
use treebeam::random::{below, stream};

/// Number of grids that are drawn by chance.
const GRIDS: u64 = 1000;

/// The lowest and highest figures over the grid beside those of a paper.
pub fn range(summary: &Summary) -> Option<Block> {
    let paper = summary.plan.spec.paper_range.as_ref()?;
    let maps = heat_maps_of(summary, paper.metric);
    let heads = ["treebank", "lowest", "highest", "range", "paper's lowest", "highest", "range"];
    let mut table = Table::new(1, heads);
    for (treebank, map) in &maps {
        let values = || map.values.iter().flatten().flatten().copied();
        let (low, high) = (values().reduce(f64::min), values().reduce(f64::max));
        let theirs = [paper.low.get(treebank).copied(), paper.high.get(treebank).copied()];
        let width = |low: Option<f64>, high: Option<f64>| TableCell::number(high.zip(low).map(|(h, l)| h - l), 2);
        table.lines.push(vec![
            TableCell::text(treebank),
            TableCell::number(low, 2),
            TableCell::number(high, 2),
            width(low, high),
            TableCell::number(theirs[0], 2),
            TableCell::number(theirs[1], 2),
            width(theirs[0], theirs[1]),
        ]);
    }
    let pairs: Vec<(f64, f64)> = table.lines.iter().filter_map(|l| Some((l[3].value?, l[6].value?))).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| {
        (!pairs.is_empty()).then(|| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64)
    };
    let view = view! {
        ours => mean(|pair| pair.0),
        theirs => mean(|pair| pair.1),
        metric => paper.metric.name(),
        n_cells => maps.first().map_or(0, |(_, map)| map.values.iter().flatten().flatten().count()),
        n_seeds => summary.plan.profile.seeds.len(),
        span => span_by_chance(summary, paper.metric),
        source => paper.source,
    };
    Some(block("range.jinja", view, Content::Table(table)))
}

/// Span of the cells of the grid from the lowest to the highest if they differed by their seeds alone, in the mean over
/// treebanks; none with one seed. On each treebank it is known by how much every score differs from the mean of its cell. A cell by
/// chance is the mean of such differences, drawn with replacement, as many as there are seeds; a grid by chance has as many of these
/// as there are cells; and of many such grids the mean span is taken.
fn span_by_chance(summary: &Summary, metric: Metric) -> Option<f64> {
    let n_seeds = summary.plan.profile.seeds.len();
    let rule = summary.rule();
    if n_seeds < 2 {
        return None;
    }
    let spec = &summary.plan.spec;
    let axis = |number: usize| 0..spec.grid.get(number).map_or(0, |axis| axis.values.len());
    let rows: BTreeSet<String> = axis(0).flat_map(|i| axis(1).map(move |j| spec.grid_row(&[i, j]))).collect();
    // The mean of few scores lies nearer to them than the mean of many would, so differences from it are too small by this factor.
    let inflation = (n_seeds as f64 / (n_seeds - 1) as f64).sqrt();
    let of_treebank = |treebank: &String| {
        let cells: Vec<Vec<f64>> = summary
            .entries
            .iter()
            .filter(|entry| entry.treebank == *treebank && rows.contains(&entry.method.row) && entry.is_complete())
            .map(|entry| entry.runs.iter().map(|(_, d)| metric.score(d.test.get(rule))).collect())
            .collect();
        let deviations: Vec<f64> = cells
            .iter()
            .flat_map(|scores| {
                let mean = scores.iter().sum::<f64>() / n_seeds as f64;
                scores.iter().map(move |score| (score - mean) * inflation)
            })
            .collect();
        let n = deviations.len() as u64;
        let span = |number: u64| {
            let mut draws = stream(1, "grids by chance", &[number]);
            let mut cell =
                || (0..n_seeds).map(|_| deviations[below(n, &mut draws) as usize]).sum::<f64>() / n_seeds as f64;
            let (low, high) = (0..cells.len()).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), _| {
                let mean = cell();
                (low.min(mean), high.max(mean))
            });
            high - low
        };
        (n > 0).then(|| (0..GRIDS).map(span).sum::<f64>() / GRIDS as f64)
    };
    let spans: Vec<f64> = summary.treebanks().iter().filter_map(of_treebank).collect();
    (!spans.is_empty()).then(|| spans.iter().sum::<f64>() / spans.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, plan_of, spec_of, store_of};

    #[test]
    fn chance_spans_what_seeds_scatter() {
        let grid = "[[grid]]\noption = \"explore-from\"\nvalues = [0, 1]\n[[grid]]\noption = \"explore-prob\"\nvalues = [0.5, 1.0]\n";
        let spec = spec_of(&SPEC.replace("[table]", &format!("{grid}[table]")));
        let plan = plan_of(&spec);
        // Words right on test data: what differs between seeds, and between cells. Rows outside the grid scatter widely.
        let span = |right: &dyn Fn(usize, u64) -> u64| {
            let mut number = 0;
            let store = store_of(&plan.cells, |cell, record| {
                let seed = record.options.seed();
                let is_of_grid = cell.row.starts_with("explore-from");
                for decoding in &mut record.decodings {
                    let counts = &mut decoding.test.with_punctuation;
                    counts.tokens = 1000;
                    counts.labelled = if is_of_grid { right(number, seed) } else { 500 * (seed % 2) };
                }
                number += 1;
            });
            span_by_chance(&Summary::new(&plan, &store, false), Metric::Las).unwrap()
        };
        let of_cells = span(&|number, _| 500 + 10 * (number / 2) as u64);
        assert!(of_cells.abs() < 1e-9, "cells differ, seeds do not: {of_cells}");
        // Seeds are half a point below and above the mean of two, so they scatter by 0.71 points, and means of two by 0.5.
        let of_seeds = span(&|_, seed| 500 + 10 * (seed % 2));
        assert!((0.9..=1.42).contains(&of_seeds), "of eight cells, all but the full range: {of_seeds}");
    }
}
