//! A [`Report`] as one page of HTML that needs nothing else: no network, no script.

use std::fmt::Write;

use treebeam::eval::{Metric, Report, Section, SystemReport};

use super::dots;
use super::render::{Table, compared, comparison, headline, intervals, scores, several_roots, tables};
use crate::style::{BASE, escaped};

/// Style that only this page has.
const STYLE: &str = "\
main { max-width: 76rem; margin: 0 auto; padding: 1.4rem clamp(0.9rem, 3vw, 2.5rem) 4rem; }
h1 { font: 600 clamp(1.5rem, 1.2rem + 1.2vw, 2rem)/1.2 var(--serif); overflow-wrap: anywhere; margin: 0 0 0.6rem; }
h2 { font-size: 1.15rem; margin: 1.8rem 0 0.5rem; overflow-wrap: anywhere; }
.answer { max-width: 74ch; padding-left: 0.95rem; border-left: 4px solid var(--accent); font: 1.15rem/1.5 var(--serif); overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 0.88rem; overflow-wrap: anywhere; }
details { margin-top: 0.6rem; }
summary { cursor: pointer; padding: 0.4rem 0.7rem; background: var(--band); border-radius: 0.4rem; }
.box { overflow-x: auto; max-width: 100%; margin: 0.6rem 0; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
th { font-weight: 500; color: var(--soft); vertical-align: bottom; }
th.t, td.t { text-align: left; }
";

/// The page.
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    write_page(&mut out, report).expect("strings take all that is written to them");
    out
}

fn write_page(out: &mut String, report: &Report) -> std::fmt::Result {
    let title = escaped(&format!("Evaluation against {}", report.gold));
    let pictures = dots::STYLE;
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>treebeam: {title}</title>\n\
         <style>\n{BASE}{STYLE}{pictures}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    )?;
    for sentence in answer(report) {
        writeln!(out, "<p class=\"answer\">{}</p>", escaped(&sentence))?;
    }
    let facts = format!(
        "{} sentences, {} words{}; punctuation: {} words ({}). Below, unless it says otherwise: {}.",
        report.sentences,
        report.words,
        several_roots(report.several_roots),
        report.punctuation_words,
        report.punctuation_rule.description(),
        headline(report.headline)
    );
    writeln!(out, "<p class=\"soft\">{}</p>", escaped(&facts))?;
    if let (Some(tests), [first, second, ..]) = (&report.comparison, report.systems.as_slice()) {
        writeln!(out, "<h2>{} against {}</h2>", escaped(&second.path), escaped(&first.path))?;
        write_table(out, &comparison(tests))?;
        let how = format!(
            "p: approximate randomisation over sentences, two-sided, {} rounds, every comparison by itself; * p < .05, ** p < .01; \
             interval: bootstrap; seed {}. First: {}; second: {}.",
            report.samples, report.seed, first.path, second.path
        );
        writeln!(out, "<p class=\"soft\">{}</p>", escaped(&how))?;
        dots::write_pictures(out, &report.systems)?;
        for section in Section::ALL {
            if let Some(table) = report.compared.as_deref().and_then(|all| compared(section, all)) {
                write_fold(out, &format!("Both by {}", section.title()), &table)?;
            }
        }
    }
    for system in &report.systems {
        writeln!(out, "<h2>{}</h2>", escaped(&system.path))?;
        write_table(out, &scores(system))?;
        writeln!(out, "<p class=\"soft\">{}</p>", escaped(&intervals(report, system)))?;
        if report.comparison.is_none() {
            dots::write_pictures(out, std::slice::from_ref(system))?;
        }
        for (section, table) in tables(&system.breakdowns) {
            write_fold(out, &format!("By {}", section.title()), &table)?;
        }
    }
    out.write_str("</main>\n</body>\n</html>\n")
}

/// Summary, in a sentence or two.
fn answer(report: &Report) -> Vec<String> {
    let score = |system: &SystemReport| {
        let scores = system.under(report.headline).map(|scores| scores.counts);
        scores.map(|counts| format!("{} has LAS {:.2} and UAS {:.2}", system.path, counts.las(), counts.uas()))
    };
    let mut sentences = vec![report.systems.iter().filter_map(score).collect::<Vec<_>>().join("; ") + "."];
    if let (Some(tests), [first, second, ..]) = (&report.comparison, report.systems.as_slice()) {
        let las = tests.iter().find(|test| test.metric == Metric::Las);
        sentences.extend(las.map(|test| match test.p < 0.05 {
            true => {
                let (ahead, behind) = if test.difference > 0.0 { (second, first) } else { (first, second) };
                format!(
                    "{} is better than {} by {:.2} points of LAS; that is significant (p = {:.4}).",
                    ahead.path,
                    behind.path,
                    test.difference.abs(),
                    test.p
                )
            }
            false => format!(
                "They differ by {:.2} points of LAS, which is not significant (p = {:.4}).",
                test.difference.abs(),
                test.p
            ),
        }));
    }
    sentences
}

fn write_fold(out: &mut String, title: &str, table: &Table) -> std::fmt::Result {
    writeln!(out, "<details><summary>{}</summary>", escaped(title))?;
    write_table(out, table)?;
    out.write_str("</details>\n")
}

fn write_table(out: &mut String, table: &Table) -> std::fmt::Result {
    out.write_str("<div class=\"box\" tabindex=\"0\"><table>\n")?;
    for (i, row) in table.rows.iter().enumerate() {
        out.write_str("<tr>")?;
        for (column, cell) in row.iter().enumerate() {
            let name = if i == 0 { "th" } else { "td" };
            let class = if column < table.n_left { " class=\"t\"" } else { "" };
            write!(out, "<{name}{class}>{}</{name}>", escaped(cell))?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</table></div>\n")
}
