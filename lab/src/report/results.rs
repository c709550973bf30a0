//! A summary made into a document.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;

use super::answer::answer;
use super::classes::classes;
use super::comparisons::comparisons;
use super::costs::{costs, data};
use super::diagnoses::{diagnoses, propagation, replacements};
use super::directions::{directions, who_wins};
use super::document::{Block, Content, Document, Progress};
use super::figure::HeatMap;
use super::figures::{figures, heat_maps};
use super::findings::{findings, limits};
use super::properties::{gains, properties};
use super::published::published;
use super::range::range;
use super::reproduction::reproduction;
use super::scores::scores;
use super::summary::{SAMPLES, Summary};
use super::templates::{block, sentences, view};
use super::training::{extents, training};
use crate::experiment::{Cell, Decoding, Portion, Tags, TreebankSource};
use treebeam::eval::Punctuation;
use treebeam::treebank::{Column, Format};

/// Gives pictures whose files would have the same name, as of columns that differ in what file names leave out, names that differ.
fn tell_apart(blocks: &mut [Block]) {
    let mut taken = BTreeSet::new();
    for block in blocks {
        let name = match &mut block.content {
            Content::Table(_) => continue,
            Content::Figure(figure) => &mut figure.name,
            Content::HeatMap(map) => &mut map.name,
        };
        let first = name.clone();
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            *name = format!("{first}-{number}");
        }
    }
}

/// Document of the records of `summary`. `command` is what generates it; `files` are those beside it with figures and records.
pub fn document(summary: &Summary, command: &str, files: Vec<String>) -> Document {
    let spec = &summary.plan.spec;
    let directions = directions(summary);
    let mut blocks = Vec::new();
    let mut details = Vec::new();
    for (metric, i) in summary.metrics().into_iter().zip(0..) {
        let blocks = if i == 0 { &mut blocks } else { &mut details };
        let columns = summary.columns();
        let with_lines = columns.filter(|column| !summary.lines(column).is_empty());
        blocks.extend(with_lines.map(|column| scores(summary, &directions, column, metric)));
    }
    blocks.extend(who_wins(summary, &directions));
    blocks.extend(gains(summary, summary.metrics()[0]));
    blocks.extend(properties(summary, summary.metrics()[0]));
    let n_seeds = summary.plan.profile.seeds.len();
    blocks.extend(heat_maps(summary).into_iter().map(|map| heat_block(map, n_seeds)));
    blocks.extend(range(summary));
    blocks.extend(figures(summary).into_iter().map(|(figure, reading)| Block {
        title: figure.title.clone(),
        reading,
        note: String::new(),
        content: Content::Figure(figure),
    }));
    details.extend(published(summary));
    details.extend(diagnoses(summary));
    details.extend(propagation(summary));
    details.extend(replacements(summary));
    details.extend(classes(summary, summary.metrics()[0]));
    details.extend(training(summary));
    details.extend([costs(summary), data(summary)]);
    let is_only_column = spec.columns.len() == 1;
    let [mut blocks, details] = [blocks, details].map(|blocks| -> Vec<Block> {
        blocks.into_iter().filter_map(|block| trimmed(block, is_only_column)).collect()
    });
    let n_findings = blocks.len();
    blocks.extend(details);
    tell_apart(&mut blocks);
    let extents = extents(summary);
    Document {
        name: spec.name.clone(),
        profile: summary.plan.profile_name.clone(),
        title: spec.title.clone(),
        findings: findings(summary, &directions),
        comparisons: comparisons(summary),
        reproduction: reproduction(&directions, &spec.differs),
        limits: limits(summary),
        has_protocol: spec.protocol.is_some(),
        answer: answer(summary),
        progress: Some(Progress {
            done: summary.n_done,
            cells: summary.plan.cells.len(),
            revisions: summary.revisions.iter().cloned().collect(),
            treebanks: extents.as_ref().map_or(0, |extents| extents.n_treebanks),
            seeds: extents.as_ref().map_or(0, |extents| extents.n_seeds),
            sentences: extents.map_or_else(String::new, |extents| extents.sentences),
        }),
        about: about(summary),
        blocks,
        n_findings: Some(n_findings),
        analysis: spec.analysis.trim().to_owned(),
        provenance: provenance(summary, command),
        files,
    }
}

/// The block as wide as it need be: without empty columns and, if there is one column of the specification only, without its
/// name; nothing if nothing stands in it.
fn trimmed(block: Block, is_only_column: bool) -> Option<Block> {
    let Content::Table(table) = block.content else { return Some(block) };
    let table = table.trimmed();
    let table = if is_only_column { table.without("column") } else { table };
    (!table.lines.is_empty()).then_some(Block { content: Content::Table(table), ..block })
}

/// Tags that were read, in words, and the accuracy of taggers by treebank and column.
fn tags(summary: &Summary) -> Value {
    let mut kinds: Vec<Tags> = summary.plan.cells.iter().map(Cell::tags_parsed_with).collect();
    kinds.dedup();
    let kind = match kinds[..] {
        [] | [Tags::Gold] => " and tags",
        [Tags::Jackknifed] => ", predicted tags",
        [Tags::None] => ", no tags",
        _ => ", tags as rows and columns say",
    };
    let mut taggers: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for (record, _) in summary.entries.iter().flat_map(|entry| &entry.runs) {
        if let Some(tagging) = &record.tagging {
            let column = Column::from(tagging.options.columns().1).name(Format::Conllu);
            taggers.insert((&record.treebank, column), tagging.accuracy());
        }
    }
    let tagger = |((treebank, column), accuracy): ((&str, &str), f64)| view! { treebank, column, accuracy };
    let mean = taggers.values().sum::<f64>() / taggers.len().max(1) as f64;
    let taggers: Vec<Value> = taggers.into_iter().map(tagger).collect();
    view! { kind, taggers, mean, joint => joint_accuracy(summary) }
}

/// Accuracy on test data of the tags that models give with their trees, by column and row: the mean over treebanks and seeds.
fn joint_accuracy(summary: &Summary) -> Vec<Value> {
    let mut found: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for entry in &summary.entries {
        let of_run = |decoding: &Decoding| {
            Some(100.0 * decoding.right_tags? as f64 / decoding.test.with_punctuation.tokens as f64)
        };
        let accuracies = entry.runs.iter().filter_map(|(_, decoding)| of_run(decoding));
        accuracies.for_each(|accuracy| found.entry((&entry.column, &entry.method.row)).or_default().push(accuracy));
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    found.into_iter().map(|((column, row), all)| view! { column, row, accuracy => mean(&all) }).collect()
}

fn about(summary: &Summary) -> Vec<String> {
    let table = &summary.plan.spec.table;
    let punctuation = match table.punctuation {
        Punctuation::Include => "included",
        Punctuation::Exclude => "excluded",
    };
    let folds: Vec<String> = summary
        .plan
        .treebanks
        .iter()
        .filter(|data| matches!(data.source, TreebankSource::Folds { .. }))
        .map(|data| data.source.to_string())
        .collect();
    let view = view! {
        punctuation,
        tags => tags(summary),
        folds,
        profile => summary.plan.profile_name,
        extents => extents(summary),
        n_done => summary.n_done,
        n_cells => summary.plan.cells.len(),
        n_stale => summary.n_stale,
        revisions => summary.revisions,
        carried => summary.carried,
        baseline => table.baseline.as_ref().map(|row| row.get_ref()),
        samples => SAMPLES,
        compared_with => table.compared_with(),
        n_seeds => summary.plan.profile.seeds.len(),
    };
    sentences("about.jinja", view)
}

/// The lines that say where all this comes from.
pub(super) fn provenance(summary: &Summary, command: &str) -> Vec<String> {
    let plan = summary.plan;
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(" ");
    let mut hosts: Vec<String> = summary
        .entries
        .iter()
        .flat_map(|e| &e.runs)
        .map(|(r, _)| {
            format!("{} ({} cores), {} at once", r.provenance.host.cpu, r.provenance.host.cores, r.provenance.jobs)
        })
        .collect();
    hosts.sort();
    hosts.dedup();
    let mut lines = vec![
        format!("Generated by `{command}`: do not edit."),
        format!("cells: {} of {} done", summary.n_done, plan.cells.len()),
        format!("revision: {}", list(&mut summary.revisions.iter().cloned())),
        format!("seeds: {}", list(&mut plan.profile.seeds.iter().map(u64::to_string))),
        format!("machine: {}", hosts.join("; ")),
    ];
    let records = summary.entries.iter().flat_map(|entry| &entry.runs).map(|(record, _)| record);
    let protocols: BTreeSet<&String> = records.filter_map(|record| record.provenance.protocol.as_ref()).collect();
    lines.extend(protocols.into_iter().map(|sha256| format!("sha256 of the protocol: {sha256}")));
    for data in &plan.treebanks {
        let portion = |name: &str, p: &Portion| format!("{name} {}", p.sha256);
        let parts = [portion("train", &data.train), portion("dev", &data.dev), portion("test", &data.test)];
        lines.push(format!("sha256 of {}: {}", data.source, parts.join(", ")));
    }
    lines
}

fn heat_block(map: HeatMap, n_seeds: usize) -> Block {
    let mut cells: Vec<(usize, usize, f64)> = Vec::new();
    for (i, line) in map.values.iter().enumerate() {
        cells.extend(line.iter().enumerate().filter_map(|(j, value)| Some((i, j, (*value)?))));
    }
    let by_value = |a: &&(usize, usize, f64), b: &&(usize, usize, f64)| a.2.total_cmp(&b.2);
    let cell = |&(i, j, value): &(usize, usize, f64)| view! { value, x => map.x[j], y => map.y[i] };
    let mean_of = |is_in: &dyn Fn(&&(usize, usize, f64)) -> bool| {
        let values: Vec<f64> = cells.iter().filter(is_in).map(|cell| cell.2).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let lines = map.y.iter().enumerate().map(|(i, y)| (y, mean_of(&|cell| cell.0 == i))).collect::<Vec<_>>();
    let columns = map.x.iter().enumerate().map(|(j, x)| (x, mean_of(&|cell| cell.1 == j))).collect::<Vec<_>>();
    let (high, low) = (cells.iter().max_by(by_value).map(cell), cells.iter().min_by(by_value).map(cell));
    let view = view! { map, lines, columns, high, low, n_seeds };
    block("heat.jinja", view, Content::HeatMap(map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, full_store, plan, spec_of, store_of};
    use crate::report::markdown;

    const COMMAND: &str = "treebeam experiment table test.toml";

    #[test]
    fn tables_of_a_whole_experiment() {
        let plan = plan();
        let store = full_store(&plan);
        let document = document(&Summary::new(&plan, &store, false), COMMAND, vec!["records.jsonl".to_owned()]);
        insta::assert_snapshot!("whole_experiment", markdown(&document));
        let json = serde_json::to_string(&document).unwrap();
        let back: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(markdown(&back), markdown(&document));
    }

    #[test]
    fn tables_of_an_unfinished_one_with_methods_as_lines() {
        let mut plan = plan();
        plan.spec = spec_of(
            &SPEC.replace("[table]", "[table]\nlines = \"rows\"\nmetrics = [\"las\"]\npunctuation = \"exclude\""),
        );
        let store = store_of(plan.cells.iter().skip(1).take(5), |_, _| ());
        let text = markdown(&document(&Summary::new(&plan, &store, false), COMMAND, Vec::new()));
        assert!(text.contains("**Unfinished:** 5 of 24"));
        let eager: String = text.split("## ").nth(1).unwrap().to_owned();
        insta::assert_snapshot!("unfinished_experiment", eager);
    }

    /// Means over two kinds of processor are no speeds of either.
    #[test]
    fn speeds_of_several_processors_are_marked() {
        let plan = plan();
        let costs_of = |second: &str| {
            let store = store_of(&plan.cells, |cell, record| {
                let is_first = cell.key == plan.cells[0].key;
                record.provenance.host.cpu = if is_first { second } else { "First" }.to_owned();
            });
            let text = markdown(&document(&Summary::new(&plan, &store, false), COMMAND, Vec::new()));
            text.split("## ").find(|part| part.starts_with("Costs")).unwrap().to_owned()
        };
        let (one, two) = (costs_of("First"), costs_of("Second"));
        assert!(one.contains("Parsing is fastest") && !one.contains("(a)"), "{one}");
        assert!(two.contains("(a) First, (b) Second") && !two.contains("Parsing is fastest"), "{two}");
        let marked = |mark: &str| two.lines().filter(|line| line.starts_with('|') && line.contains(mark)).count();
        assert!(marked("(ab)") == 1 && marked("(a)") > 1, "{two}");
    }
}
