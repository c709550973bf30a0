//! What the methods cost, and the data.

use std::collections::BTreeSet;

use super::document::{Block, Cell, Content, Table};
use super::summary::{Method, Summary};
use crate::experiment::{Decoding, Record};
use treebeam::eval::Punctuation;

/// The costs of all methods, averaged over treebanks and seeds.
pub fn costs(summary: &Summary) -> Block {
    let heads = ["column", "method", "training s", "sentences/s", "tokens/s", "features", "peak MB"];
    let mut table = Table::new(2, heads);
    let all = processors(summary, |_, _| true);
    for column in summary.plan.spec.columns.iter().map(|c| c.name.get_ref()) {
        for method in summary.methods(column) {
            let figure = |digits: usize, value: &dyn Fn(&Record, &Decoding) -> f64| {
                Cell::number(summary.average(column, &method, value).map(|s| s.mean), digits)
            };
            let of_method = processors(summary, |c, m| c == column && *m == method);
            // Where processors differ, times are marked by those that they were taken on.
            let timed = |digits: usize, value: &dyn Fn(&Record, &Decoding) -> f64| {
                let mut cell = figure(digits, value);
                if all.len() > 1 && cell.value.is_some() {
                    cell.text += &marks(&all, &of_method);
                }
                cell
            };
            table.lines.push(vec![
                Cell::text(column),
                Cell::text(&method.label),
                timed(1, &|r, _| r.training.wall_s),
                timed(0, &|_, d| d.sentences_per_second()),
                timed(0, &|_, d| d.tokens_per_second()),
                figure(0, &|r, _| r.training.n_features as f64),
                figure(0, &|r, _| r.peak_rss_bytes.map_or(f64::NAN, |bytes| bytes as f64 / 1e6)),
            ]);
        }
    }
    let mut note = "Averages over treebanks and seeds; one thread each. Training is by the clock, from reading the data to the \
                model. Speeds \
                are of the test data, with the model in memory, by the time of the processor where records tell, otherwise by the \
                clock; where several cells ran at once, they took caches and memory from each other. Memory is the process's peak, with all cells that ran side by side."
        .to_owned();
    let mut reading = reading(summary);
    if all.len() > 1 {
        reading.clear();
        let listed: Vec<String> = all
            .iter()
            .map(|processor| format!("{} {processor}", marks(&all, &BTreeSet::from([*processor])).trim()))
            .collect();
        note += &format!(
            " **Times and speeds are of {} kinds of processor**, marked at each figure: {}. Compare only figures with the same \
             marks.",
            all.len(),
            listed.join(", ")
        );
    }
    Block { title: "Costs".to_owned(), reading, note, content: Content::Table(table) }
}

/// The models of the processors that the records of these columns and methods were made on.
fn processors<'s>(summary: &'s Summary, is_meant: impl Fn(&str, &Method) -> bool) -> BTreeSet<&'s str> {
    let entries = summary.entries.iter().filter(|entry| is_meant(&entry.column, &entry.method));
    entries.flat_map(|entry| &entry.runs).map(|(record, _)| record.provenance.host.cpu.as_str()).collect()
}

/// What `some` of `all` processors are marked with: ` (a)`, ` (ab)`.
fn marks(all: &BTreeSet<&str>, some: &BTreeSet<&str>) -> String {
    let letters = all.iter().zip('a'..='z').filter(|(processor, _)| some.contains(*processor));
    format!(" ({})", letters.map(|(_, letter)| letter).collect::<String>())
}

fn reading(summary: &Summary) -> Vec<String> {
    let columns = summary.plan.spec.columns.iter().map(|c| c.name.get_ref());
    let methods: Vec<(&String, Method)> =
        columns.flat_map(|column| summary.methods(column).into_iter().map(move |m| (column, m))).collect();
    let extremes = |value: &dyn Fn(&Record, &Decoding) -> f64| {
        let means = methods.iter().filter_map(|(c, m)| Some((*c, m, summary.average(c, m, value)?.mean)));
        let means: Vec<_> = means.filter(|(.., v)| v.is_finite()).collect();
        let most = means.iter().max_by(|a, b| a.2.total_cmp(&b.2)).copied();
        most.zip(means.iter().min_by(|a, b| a.2.total_cmp(&b.2)).copied())
    };
    let several = summary.plan.spec.columns.len() > 1;
    let name = |column: &str, method: &Method| match several {
        true => format!("`{}` ({column})", method.label),
        false => format!("`{}`", method.label),
    };
    let mut sentences = Vec::new();
    if methods.len() < 2 {
        return sentences;
    }
    if let Some(((c1, fast, most), (c2, slow, least))) = extremes(&|_, d| d.tokens_per_second()) {
        let (fast, slow) = (name(c1, fast), name(c2, slow));
        sentences.push(format!(
            "Parsing is fastest with {fast}, {most:.0} tokens a second, and slowest with {slow}, {least:.0}."
        ));
    }
    if let Some(((c1, long, most), (c2, short, least))) = extremes(&|r, _| r.training.wall_s) {
        let (long, short) = (name(c1, long), name(c2, short));
        sentences.push(format!(
            "Training takes longest for {long}, {most:.1} s in the mean, and shortest for {short}, {least:.1} s."
        ));
    }
    sentences
}

/// How much data there are.
pub fn data(summary: &Summary) -> Block {
    let heads =
        ["treebank", "train sentences", "dev sentences", "test sentences", "test tokens", "without punctuation"];
    let mut table = Table::new(1, heads);
    for data in &summary.plan.treebanks {
        let treebank = data.source.to_string();
        let decoding = summary.entries.iter().filter(|e| e.treebank == treebank).find_map(|e| e.runs.first());
        let tokens = |rule| Cell::number(decoding.map(|(_, d)| d.test.get(rule).tokens as f64), 0);
        let mut line = vec![Cell::text(treebank)];
        line.extend([&data.train, &data.dev, &data.test].map(|portion| Cell::count(portion.sentences.len())));
        line.extend([tokens(Punctuation::Include), tokens(Punctuation::Exclude)]);
        table.lines.push(line);
    }
    let (title, note) = ("Data".to_owned(), String::new());
    Block { title, reading: Vec::new(), note, content: Content::Table(table) }
}
