//! Findings of an experiment in a few sentences: over all columns, with their significance, and their limits.

use minijinja::Value;

use super::answer::{Chosen, best};
use super::directions::{Direction, LEVEL};
use super::paired::pairs_between;
use super::reproduction::of_paper;
use super::scores::averages;
use super::summary::{Method, Summary};
use super::templates::{sentences, view};
use super::training::extents;
use crate::experiment::{ChosenFor, Variant};
use treebeam::eval::Gain;
use treebeam::eval::Metric;

/// With more columns than these only the ends are named.
const MOST_NAMED: usize = 4;

/// Findings of an experiment, a sentence each, in Markdown. Where each treebank takes the best of a menu, the answer says what was found,
/// and only a paper's differences are findings beside it.
pub fn findings(summary: &Summary, directions: &[Direction]) -> Vec<String> {
    let metric = summary.metrics()[0];
    let table = &summary.plan.spec.table;
    let of_all = match table.compared_with().first() {
        Some(_) if table.choose == ChosenFor::Each => Vec::new(),
        Some(baseline) => leads(summary, baseline, metric),
        None => extremes(summary, metric),
    };
    of_paper(directions).into_iter().chain(of_all).collect()
}

/// The row of one column that is best on development data, beside the row that all are compared with.
fn lead(summary: &Summary, column: &str, baseline: &str, metric: Metric) -> Option<(Chosen, Gain)> {
    let against = summary.method_of(column, baseline)?;
    let side = best(summary, column, metric, &|m: &Method, _| *m != against)?;
    let baseline = vec![against; side.methods.len()];
    let gain = pairs_between(summary, column, &side.methods, &baseline, metric)?.gain();
    Some((side.chosen, gain))
}

/// Gains of the best rows over `baseline`, in all columns.
fn leads<'s>(summary: &Summary<'s>, baseline: &str, metric: Metric) -> Vec<String> {
    let columns = summary.columns();
    let lead =
        |column: &'s String| lead(summary, column, baseline, metric).map(|(chosen, gain)| (column, chosen, gain));
    let mut leads: Vec<(&String, Chosen, Gain)> = columns.filter_map(lead).collect();
    // The number of leads on one side of zero, and of those that are significant.
    let side = |sign: f64| {
        let of_side = || leads.iter().filter(move |(.., gain)| gain.points * sign > 0.0);
        view! { n => of_side().count(), surely => of_side().filter(|(.., gain)| gain.p < LEVEL).count() }
    };
    let (ahead, behind) = (side(1.0), side(-1.0));
    if leads.len() > MOST_NAMED {
        leads.sort_by(|a, b| b.2.points.total_cmp(&a.2.points));
    }
    let (metric, treebanks) = (metric.name(), summary.treebanks());
    let lead = |(column, chosen, gain): &(&String, Chosen, Gain)| view! { column, chosen, gain };
    let leads: Vec<Value> = leads.iter().map(lead).collect();
    sentences("leads.jinja", view! { leads, baseline, metric, treebanks, ahead, behind, most_named => MOST_NAMED })
}

/// The highest and the lowest method of each column, where no row is there to be compared with.
fn extremes(summary: &Summary, metric: Metric) -> Vec<String> {
    let of_column = |column: &String| {
        let scores = averages(summary, column, metric);
        let end = |(method, score): &(Method, f64)| (method.label.clone(), *score);
        Some(view! { name => column, n => scores.len(), high => end(scores.first()?), low => end(scores.last()?) })
    };
    let columns: Vec<Value> = summary.columns().filter_map(of_column).collect();
    if columns.is_empty() {
        return Vec::new();
    }
    let (several, treebanks) = (summary.plan.spec.columns.len() > 1, summary.treebanks());
    sentences("extremes.jinja", view! { columns, several, treebanks, metric => metric.name() })
}

/// Limits of the experiment: data, iterations, seeds, whether it is a small version, and what is missing.
pub fn limits(summary: &Summary) -> Vec<String> {
    let (n_done, n_cells) = (summary.n_done, summary.plan.cells.len());
    let (extents, n_treebanks) = (extents(summary), summary.plan.treebanks.len());
    // Rows that a profile leaves out have no column in the plan.
    let is_left_out = |row: &&Variant| row.columns.as_ref().is_some_and(Vec::is_empty);
    let n_left_out = summary.plan.spec.rows.iter().filter(is_left_out).count();
    let profile = &summary.plan.profile_name;
    sentences("limits.jinja", view! { extents, n_treebanks, n_done, n_cells, n_left_out, profile })
}
