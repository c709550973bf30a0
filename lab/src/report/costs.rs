//! Costs of the methods, and the data.

use std::collections::BTreeSet;

use super::document::{Block, Content, Table, TableCell};
use super::summary::{Method, Summary};
use super::templates::{block, view};
use crate::experiment::{Decoding, Record};
use treebeam::eval::Punctuation;

/// The costs of all methods, averaged over treebanks and seeds.
pub fn costs(summary: &Summary) -> Block {
    let heads = ["column", "method", "training s", "sentences/s", "tokens/s", "features", "peak MB"];
    let mut table = Table::new(2, heads);
    let all = processors(summary, |_, _| true);
    for column in summary.columns() {
        for method in summary.methods(column) {
            let figure = |digits: usize, value: &dyn Fn(&Record, &Decoding) -> f64| {
                TableCell::number(summary.average(column, &method, value).map(|s| s.mean), digits)
            };
            let of_method = processors(summary, |c, m| c == column && *m == method);
            // If processors differ, times are marked by theirs.
            let timed = |digits: usize, value: &dyn Fn(&Record, &Decoding) -> f64| {
                let mut cell = figure(digits, value);
                if all.len() > 1 && cell.value.is_some() {
                    cell.text += &marks(&all, &of_method);
                }
                cell
            };
            table.lines.push(vec![
                TableCell::text(column),
                TableCell::text(&method.label),
                timed(1, &|r, _| r.training.wall_s),
                timed(0, &|_, d| d.sentences_per_second()),
                timed(0, &|_, d| d.tokens_per_second()),
                figure(0, &|r, _| r.training.n_features as f64),
                figure(0, &|r, _| r.peak_rss_bytes.map_or(f64::NAN, |bytes| bytes as f64 / 1e6)),
            ]);
        }
    }
    let several = summary.plan.spec.columns.len() > 1;
    let marked =
        |processor: &&str| (marks(&all, &BTreeSet::from([*processor])).trim().to_owned(), (*processor).to_owned());
    let processors: Vec<(String, String)> = all.iter().map(marked).collect();
    // Times of several processors do not compare.
    let [speed, time] = match all.len() {
        0 | 1 => [extremes(summary, &|_, d| d.tokens_per_second()), extremes(summary, &|r, _| r.training.wall_s)],
        _ => [None, None],
    };
    block("costs.jinja", view! { several, speed, time, processors }, Content::Table(table))
}

/// The models of the processors that the records of these columns and methods were made on.
pub(super) fn processors<'s>(summary: &'s Summary, is_meant: impl Fn(&str, &Method) -> bool) -> BTreeSet<&'s str> {
    let entries = summary.entries.iter().filter(|entry| is_meant(&entry.column, &entry.method));
    entries.flat_map(|entry| &entry.runs).map(|(record, _)| record.provenance.host.cpu.as_str()).collect()
}

/// Marks of `some` of `all` processors: ` (a)`, ` (ab)`.
fn marks(all: &BTreeSet<&str>, some: &BTreeSet<&str>) -> String {
    let letters = all.iter().zip('a'..='z').filter(|(processor, _)| some.contains(*processor));
    format!(" ({})", letters.map(|(_, letter)| letter).collect::<String>())
}

/// The method of a column with the highest mean of a value, and that with the lowest; none of fewer than two methods.
fn extremes(summary: &Summary, value: &dyn Fn(&Record, &Decoding) -> f64) -> Option<[(String, String, f64); 2]> {
    let columns = summary.columns();
    let methods: Vec<(&String, Method)> =
        columns.flat_map(|column| summary.methods(column).into_iter().map(move |m| (column, m))).collect();
    let means = methods.iter().filter_map(|(c, m)| Some((*c, m, summary.average(c, m, value)?.mean)));
    let means: Vec<_> = means.filter(|(.., v)| v.is_finite() && methods.len() > 1).collect();
    let end = |(column, method, mean): &(&String, &Method, f64)| ((*column).clone(), method.label.clone(), *mean);
    let most = means.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    let least = means.iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
    Some([end(most), end(least)])
}

/// Sizes of the data.
pub fn data(summary: &Summary) -> Block {
    let heads =
        ["treebank", "train sentences", "dev sentences", "test sentences", "test tokens", "without punctuation"];
    let mut table = Table::new(1, heads);
    for data in &summary.plan.treebanks {
        let treebank = data.source.to_string();
        let decoding = summary.entries.iter().filter(|e| e.treebank == treebank).find_map(|e| e.runs.first());
        let tokens = |rule| TableCell::number(decoding.map(|(_, d)| d.test.get(rule).tokens as f64), 0);
        let mut line = vec![TableCell::text(treebank)];
        line.extend([&data.train, &data.dev, &data.test].map(|portion| TableCell::count(portion.n_sentences())));
        line.extend([tokens(Punctuation::Include), tokens(Punctuation::Exclude)]);
        table.lines.push(line);
    }
    block("data.jinja", view! {}, Content::Table(table))
}
