//! An experiment in a few sentences: what all of its columns say, what of it is significant, and how far it goes.

use super::answer::{Chosen, FOR_SIGNS, best, so_many_of_all};
use super::directions::{Direction, LEVEL};
use super::document::{Reproduction, Verdict};
use super::paired::{Gain, Pairs, told_p};
use super::summary::{Method, Summary};
use super::training::extents;
use crate::error::counted;
use crate::eval::Metric;

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

/// The most comparisons that are named where they point the other way, and where they are not significant.
const MOST_EXCEPTIONS: usize = 3;

/// How much of what a paper reports is found here, and what is not; none without figures of a paper.
pub fn reproduction(directions: &[Direction], differs: &str) -> Option<Reproduction> {
    let verdict = verdict(directions)?;
    let judged: Vec<(&Direction, bool)> = directions.iter().filter_map(|d| Some((d, d.mean_holds()?))).collect();
    let held: Vec<&Direction> = judged.iter().filter(|(_, holds)| *holds).map(|(d, _)| *d).collect();
    let is_sure = |d: &&Direction| d.sign_test() < LEVEL;
    let n_sure = held.iter().copied().filter(is_sure).count();
    // What cannot be significant on so few treebanks is no exception.
    let n_treebanks = directions.iter().map(|d| d.ours.len()).max().unwrap_or(0);
    let (surely, unsure) = match (n_treebanks, held.len()) {
        (_, 0) => (String::new(), Vec::new()),
        (n, _) if n < FOR_SIGNS => (format!("; {n} treebanks are too few for significance"), Vec::new()),
        _ => {
            let so_many = if n_sure == 0 { "none".to_owned() } else { n_sure.to_string() };
            (format!(", {so_many} significantly"), held.iter().copied().filter(|d| !is_sure(d)).collect())
        }
    };
    let is_only_column = directions.iter().all(|d| d.column == directions[0].column);
    let others = judged.iter().filter(|(_, holds)| !*holds).map(|(d, _)| *d).collect();
    let otherwise = [("the other way", others), ("not significant", unsure)];
    let otherwise = otherwise.into_iter().filter_map(|(what, of_it)| exceptions(what, of_it, is_only_column)).collect();
    let held = format!("{} of {}{surely}", held.len(), judged.len());
    Some(Reproduction { verdict, held, otherwise, differs: differs.trim().to_owned() })
}

/// The comparisons that are not as a paper has them: those named that are furthest from it.
fn exceptions(what: &str, mut directions: Vec<&Direction>, is_only_column: bool) -> Option<String> {
    let theirs = |d: &Direction| d.paper.as_ref().map_or(0.0, |paper| paper.mean);
    let distance = |d: &Direction| (d.mean() - theirs(d)).abs();
    directions.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let n = directions.len();
    let clause = |d: &&Direction| {
        let (name, row) = (d.metric.name(), &d.method.label);
        let ours = format!("{:+.2}, higher on {} of {}", d.mean(), d.n_higher(), d.ours.len());
        let place = if is_only_column { String::new() } else { format!("{}, ", d.column) };
        format!("{place}`{row}` over `{}` {name} {ours} (paper {:+.2})", d.against, theirs(d))
    };
    let mut clauses: Vec<String> = directions.iter().take(MOST_EXCEPTIONS).map(clause).collect();
    clauses.extend((n > MOST_EXCEPTIONS).then(|| format!("and {} more", n - MOST_EXCEPTIONS)));
    (n > 0).then(|| format!("{what}: {}", clauses.join("; ")))
}

/// Whether what a paper reports is found here; none without figures of a paper.
fn verdict(directions: &[Direction]) -> Option<Verdict> {
    let judged = || directions.iter().filter_map(|d| Some((d.mean_holds()?, d.sign_test() < LEVEL)));
    match (judged().count(), judged().filter(|(holds, _)| *holds).count()) {
        (0, _) => None,
        (_, 0) => Some(Verdict::Not),
        _ if judged().all(|(holds, is_sure)| holds && is_sure) => Some(Verdict::Reproduced),
        _ => Some(Verdict::InPart),
    }
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

/// Whether what a paper found is found here, in a sentence.
fn of_paper(directions: &[Direction]) -> Option<String> {
    let verdict = verdict(directions)?.name();
    let means: Vec<bool> = directions.iter().filter_map(Direction::mean_holds).collect();
    let n = means.len();
    let n_held = means.iter().filter(|holds| **holds).count();
    let sure: Vec<&Direction> =
        directions.iter().filter(|d| d.mean_holds() == Some(true) && d.sign_test() < LEVEL).collect();
    let surely = sure.len();
    // They may all be of one row, while the paper's claim is about others. Of one or two this says nothing.
    let is_of = |row: &str, d: &Direction| d.method.row == row || d.against == row;
    let first = sure.first().filter(|_| surely > 2);
    let of_one = first.into_iter().flat_map(|first| [&first.method.row, &first.against]).find(|row| {
        sure.iter().all(|d| is_of(row, d)) && directions.iter().any(|d| d.mean_holds().is_some() && !is_of(row, d))
    });
    let of_one = of_one.map_or_else(String::new, |row| format!(", all of these in comparison with `{row}`"));
    let how_many = if surely == 0 { "none".to_owned() } else { surely.to_string() };
    // On so few treebanks the sign test cannot be significant whatever the differences are, and the sentence says so.
    let most = directions.iter().map(|d| d.ours.len()).max().unwrap_or(0);
    let too_few = if most < FOR_SIGNS { format!(", which {most} are too few for") } else { String::new() };
    Some(match (n, n_held) {
        (1, _) => {
            let holds = if n_held == 1 { "points the same way here" } else { "points the other way here" };
            let sure = if surely == 1 { "significant" } else { "not significant" };
            format!(
                "**{verdict}:** the paper's one difference {holds}, {sure} by the sign test over treebanks{too_few}."
            )
        }
        (n, 0) => format!(
            "**{verdict}:** of {n} differences that the paper reports, none points the same way here in the mean over treebanks."
        ),
        (n, _) => format!(
            "**{verdict}:** of {n} differences that the paper reports, {n_held} point the same way here in the mean over treebanks, \
             {how_many} of them significantly by the sign test over treebanks{too_few}{of_one}."
        ),
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::directions::Theirs;
    use crate::report::summary::{Difference, Method};

    /// A method that gains a point against a row on so many treebanks, as it does in the paper.
    fn gains(row: &str, against: &str, n_treebanks: usize) -> Direction {
        let gain = |number| (format!("t{number}"), Difference { points: 1.0, p: 0.01 });
        let gains = (0..n_treebanks).map(|number| (format!("t{number}"), 1.0)).collect();
        Direction {
            column: "all".to_owned(),
            method: Method { row: row.to_owned(), width: 1, label: row.to_owned() },
            against: against.to_owned(),
            metric: Metric::Uas,
            ours: (0..n_treebanks).map(gain).collect(),
            paper: Some(Theirs { gains, mean: 1.0 }),
        }
    }

    #[test]
    fn a_table_is_reproduced_only_if_all_of_it_is() {
        let surely = gains("dynamic", "static", 10);
        let otherwise = |sign: f64| {
            let mut direction = gains("dynamic", "other", 10);
            direction.paper.as_mut().unwrap().mean = sign;
            direction
        };
        assert_eq!(verdict(&[]), None);
        assert_eq!(verdict(&[surely.clone(), otherwise(1.0)]), Some(Verdict::Reproduced));
        assert_eq!(verdict(&[surely.clone(), otherwise(-1.0)]), Some(Verdict::InPart));
        assert_eq!(
            verdict(&[surely, gains("dynamic", "other", 2)]),
            Some(Verdict::InPart),
            "two treebanks are too few"
        );
        assert_eq!(verdict(&[otherwise(-1.0)]), Some(Verdict::Not));
        assert!(
            of_paper(&[otherwise(-1.0)])
                .unwrap()
                .starts_with("**Not reproduced:** the paper's one difference points the other")
        );
    }

    #[test]
    fn what_is_not_as_in_the_paper_is_named_the_furthest_first() {
        let paper = |row: &str, n_treebanks: usize, mean: f64| {
            let mut direction = gains(row, "static", n_treebanks);
            direction.paper.as_mut().unwrap().mean = mean;
            direction
        };
        let ten = [paper("a", 10, 1.0), paper("b", 10, -0.5), paper("c", 10, -2.0)];
        let told = reproduction(&ten, " Other data.\n").unwrap();
        assert_eq!(told.held, "1 of 3, 1 significantly");
        assert_eq!(
            told.otherwise,
            ["the other way: `c` over `static` UAS +1.00, higher on 10 of 10 (paper -2.00); \
              `b` over `static` UAS +1.00, higher on 10 of 10 (paper -0.50)"]
        );
        assert_eq!(told.differs, "Other data.");
        let mut elsewhere = paper("d", 10, -1.0);
        elsewhere.column = "others".to_owned();
        let told = reproduction(&[ten[0].clone(), elsewhere, paper("e", 10, 0.0)], "").unwrap();
        assert_eq!(told.held, "1 of 2, 1 significantly", "where the paper has no difference there is none to be found");
        assert!(told.otherwise[0].starts_with("the other way: others, `d` over `static` UAS"), "{told:?}");
        let mut unsure = paper("a", 6, 1.0);
        unsure.ours[0].1.points = -1.0;
        let many: Vec<Direction> = std::iter::repeat_n(unsure, 5).collect();
        let told = reproduction(&many, "").unwrap();
        assert_eq!(told.held, "5 of 5, none significantly");
        assert!(told.otherwise[0].starts_with("not significant: ") && told.otherwise[0].ends_with("; and 2 more"));
        let few = reproduction(&[paper("a", 3, 1.0)], "").unwrap();
        assert_eq!((few.held.as_str(), few.otherwise.len()), ("1 of 1; 3 treebanks are too few for significance", 0));
        assert_eq!(reproduction(&[], "Other data."), None);
    }

    #[test]
    fn differences_that_are_all_from_one_row_are_said_to_be() {
        // Two treebanks that agree are not significant, ten are.
        let own = gains("dynamic", "monotonic", 2);
        let of_static = ["dynamic", "monotonic", "upper"].map(|row| gains(row, "static", 10));
        let said = of_paper(&[&of_static[..], std::slice::from_ref(&own)].concat()).unwrap();
        assert!(
            said.starts_with("**Reproduced in part:** of 4 differences") && said.contains(", 3 of them significantly"),
            "{said}"
        );
        assert!(said.ends_with(", all of these in comparison with `static`."), "{said}");
        let others = [gains("dynamic", "monotonic", 10)];
        for of_several in [[&of_static[..], &others].concat(), [&of_static[..2], std::slice::from_ref(&own)].concat()] {
            assert!(of_paper(&of_several).unwrap().ends_with("by the sign test over treebanks."));
        }
        assert!(of_paper(&[own]).unwrap().contains("over treebanks, which 2 are too few for."));
    }
}
