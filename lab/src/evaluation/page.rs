//! A [`Report`] as one page of HTML that needs nothing else: no network, no script.

use minijinja::Value;

use treebeam::error::Result;
use treebeam::eval::{BreakdownSection, Metric, Report, SystemReport, Test};

use super::dots::pictures;
use super::render::{
    aligned, aligned_line, compared, comparison, headline, intervals, labels_not_in_gold, scores, several_roots, tables,
};
use crate::report::templates::{render, view};
use crate::style::BASE;

/// The page.
///
/// # Errors
/// None that data could cause.
pub fn page(report: &Report) -> Result<String> {
    let of_system = |system: &SystemReport| {
        let same_words = system.under(report.headline).map(|scores| (scores.counts.las(), scores.counts.uas()));
        let aligned_f1 = |metric| system.aligned.iter().find(|score| score.metric == metric).map(|score| score.f1);
        let scores_of = same_words.or_else(|| Some((aligned_f1("LAS")?, aligned_f1("UAS")?)));
        let notes = [intervals(report, system), aligned_line(system), labels_not_in_gold(report, system)];
        let own = if report.comparison.is_none() { std::slice::from_ref(system) } else { &[] };
        let sections = tables(&system.breakdowns).into_iter().map(|(section, table)| (section.title(), table));
        view! {
            path => system.path,
            score => scores_of,
            table => if same_words.is_some() { scores(system) } else { aligned(system) },
            notes => notes.into_iter().flatten().collect::<Vec<_>>(),
            pictures => pictures(own),
            sections => sections.collect::<Vec<_>>(),
        }
    };
    let of_both = |tests: &Vec<Test>| {
        let all = report.compared.as_deref().unwrap_or_default();
        let sections = BreakdownSection::ALL.into_iter().filter_map(|by| Some((by.title(), compared(by, all)?)));
        view! {
            table => comparison(tests),
            pictures => pictures(&report.systems),
            sections => sections.collect::<Vec<_>>(),
        }
    };
    let [first, second] = [0, 1].map(|place: usize| report.systems.get(place).map(|system| &system.path));
    let tests = report.comparison.as_ref().filter(|_| second.is_some());
    let view = view! {
        report, first, second,
        css => [BASE, include_str!("page.css")].concat(),
        las => tests.and_then(|tests| tests.iter().find(|test| test.metric == Metric::Las)),
        several_roots => several_roots(report.several_roots),
        rule => report.punctuation_rule.description(),
        headline => headline(report.headline),
        compared => tests.map(of_both),
        systems => report.systems.iter().map(of_system).collect::<Vec<Value>>(),
    };
    render("evaluation.html", view)
}
