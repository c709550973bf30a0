//! An experiment in a few sentences: what all of its columns say, what of it is significant, and how far it goes.

use super::answer::{Chosen, best, so_many_of_all};
use super::directions::{Direction, LEVEL};
use super::paired::{Gain, Pairs, told_p};
use super::reproduction::of_paper;
use super::summary::{Method, Summary};
use super::training::extents;
use treebeam::error::counted;
use treebeam::eval::Metric;

/// With more columns than these only the ends are named.
const MOST_NAMED: usize = 4;

/// Of one column the row that is best on development data, beside the row that all are compared with.
struct Lead {
    column: String,
    chosen: Chosen,
    gain: Gain,
}

/// What an experiment says, a sentence each, in Markdown.
pub fn gist(summary: &Summary, directions: &[Direction]) -> Vec<String> {
    let metric = summary.metrics()[0];
    let of_all = match summary.plan.spec.table.compared_with().first() {
        Some(baseline) => leads_told(summary, baseline, metric),
        None => extremes(summary, metric),
    };
    of_paper(directions).into_iter().chain(of_all).collect()
}

fn lead(summary: &Summary, column: &str, baseline: &str, metric: Metric) -> Option<Lead> {
    let against = summary.method_of(column, baseline)?;
    let (method, chosen) = best(summary, column, metric, &|m: &Method| *m != against)?;
    let gain = Pairs::new(summary, column, &method, &against, metric)?.gain();
    Some(Lead { column: column.to_owned(), chosen, gain })
}

/// What the best rows gain over `baseline`, in all columns.
fn leads_told(summary: &Summary, baseline: &str, metric: Metric) -> Option<String> {
    let columns = summary.plan.spec.columns.iter().map(|c| c.name.get_ref());
    let mut leads: Vec<Lead> = columns.filter_map(|column| lead(summary, column, baseline, metric)).collect();
    let (name, n) = (metric.name(), leads.len());
    let over = match &summary.treebanks()[..] {
        [treebank] => format!(" on {treebank}"),
        treebanks => format!(", averaged over {} treebanks", treebanks.len()),
    };
    let is_significant = |lead: &&Lead| lead.gain.p < LEVEL;
    if let [lead] = &leads[..] {
        let judgement = if is_significant(&lead) { "significant" } else { "not significant" };
        let (points, p) = (lead.gain.points, told_p(lead.gain.p));
        return Some(format!(
            "Of the other rows `{}` is best on development data; on test data it has {name} {:.2}, {points:+.2} against `{baseline}`{over}: \
             {judgement} ({p}).",
            lead.chosen.label, lead.chosen.test
        ));
    }
    let count = |sign: f64| {
        let of_side = || leads.iter().filter(move |lead| lead.gain.points * sign > 0.0);
        (of_side().count(), of_side().filter(is_significant).count())
    };
    let ((ahead, surely_ahead), (behind, surely_behind)) = (count(1.0), count(-1.0));
    let side = |count: usize, surely: usize| match (count, surely) {
        (_, 0) => format!("in {} columns, nowhere significantly", so_many_of_all(count, n)),
        (count, surely) if count == surely && count == n => format!("in all {n} columns, significantly in each"),
        (count, surely) => format!("in {} columns, significantly in {surely}", so_many_of_all(count, n)),
    };
    let sides = match (ahead, behind) {
        (0, 0) => "neither ahead nor behind".to_owned(),
        (_, 0) => format!("ahead {}", side(ahead, surely_ahead)),
        (0, _) => format!("behind {}", side(behind, surely_behind)),
        _ => format!("ahead {}, and behind {}", side(ahead, surely_ahead), side(behind, surely_behind)),
    };
    let start =
        format!("Against `{baseline}` the row that is best on development data is {sides} ({name} on test data{over})");
    let clause = |lead: &Lead| {
        let star = if is_significant(&lead) { "" } else { ", not significant" };
        format!("{} {:+.2} (`{}`{star})", lead.column, lead.gain.points, lead.chosen.label)
    };
    match n {
        0 => None,
        n if n <= MOST_NAMED => Some(format!("{start}: {}.", leads.iter().map(clause).collect::<Vec<_>>().join("; "))),
        _ => {
            leads.sort_by(|a, b| b.gain.points.total_cmp(&a.gain.points));
            Some(format!("{start}: from {} to {}.", clause(&leads[0]), clause(&leads[n - 1])))
        }
    }
}

/// The highest and the lowest method of each column, where no row is there to be compared with.
fn extremes(summary: &Summary, metric: Metric) -> Option<String> {
    let several = summary.plan.spec.columns.len() > 1;
    let of_column = |column: &String| {
        let mut scores: Vec<(String, f64)> = summary
            .methods(column)
            .into_iter()
            .filter_map(|m| Some((m.label.clone(), summary.average_score(column, &m, metric)?.mean)))
            .collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        let place = if several { format!("{column}: ") } else { String::new() };
        match &scores[..] {
            [] => None,
            [(label, score)] => Some(format!("{place}`{label}` has {score:.2}")),
            [(high, most), .., (low, least)] => {
                Some(format!("{place}from {least:.2} (`{low}`) to {most:.2} (`{high}`) over {} rows", scores.len()))
            }
        }
    };
    let clauses: Vec<String> = summary.plan.spec.columns.iter().filter_map(|c| of_column(c.name.get_ref())).collect();
    let over = match &summary.treebanks()[..] {
        [treebank] => format!("on {treebank}"),
        treebanks => format!("averaged over {} treebanks", treebanks.len()),
    };
    let caution = if clauses.iter().any(|clause| clause.contains(" over ")) {
        " Differences between rows are not tested."
    } else {
        ""
    };
    (!clauses.is_empty()).then(|| format!("{} on test data, {over}: {}.{caution}", metric.name(), clauses.join("; ")))
}

/// How far the experiment goes: data, iterations, seeds, whether it is a small version, and what is missing.
pub fn limits(summary: &Summary) -> Vec<String> {
    let profile = &summary.plan.profile_name;
    let kind = match profile.as_str() {
        "quick" => "**A quick run**, not the whole experiment".to_owned(),
        "full" => "The whole experiment".to_owned(),
        other => format!("Profile `{other}`"),
    };
    let (n_done, n_cells) = (summary.n_done, summary.plan.cells.len());
    let Some(extents) = extents(summary) else {
        return vec![format!("{kind}: none of its {n_cells} trainings has been run.")];
    };
    let seeds = match extents.n_seeds {
        1 => "one seed, so what another seed would change is not known".to_owned(),
        n => format!("{n} seeds"),
    };
    let mut limits = vec![format!(
        "{kind}: {} training sentences a treebank, {}, {}, {seeds}.",
        extents.sentences,
        counted(extents.n_treebanks, "treebank"),
        extents.iterations
    )];
    if n_done < n_cells {
        limits.push(format!("**Unfinished:** {n_done} of {n_cells} trainings have been run."));
    }
    if summary.plan.treebanks.len() < 6 && summary.plan.treebanks.len() > 1 {
        limits.push("So few treebanks cannot say what holds for other languages.".to_owned());
    }
    limits
}
