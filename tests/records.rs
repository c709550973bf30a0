//! The committed results: tables say what records say, the index is that of the tables, and texts of specifications
//! leave it to the records what was run.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use treebeam::eval::{Metric, Punctuation};
use treebeam::files::read_whole;
use treebeam_lab::experiment::{Folder, Record, Store};
use treebeam_lab::report::document::{Content, Document};
use treebeam_lab::report::page::{Base, Report};

use crate::common::root;

fn results() -> PathBuf {
    root().join("results")
}

/// The committed results of an experiment at a scale.
fn document(name: &str, profile: &str) -> Document {
    let path = results().join(name).join(format!("{profile}.json.zst"));
    serde_json::from_slice(&read_whole(&path).unwrap()).unwrap()
}

fn records(name: &str) -> Store {
    Store::open(&Folder::new(&results().join(name))).unwrap()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The records that the tables of an experiment are made of: others lie beside them, of seeds of which not all has been run.
fn planned(name: &str, profile: &str) -> Vec<Record> {
    let provenance = document(name, profile).provenance;
    let seeds: Vec<u64> = provenance
        .iter()
        .find_map(|fact| fact.strip_prefix("seeds: "))
        .unwrap()
        .split(' ')
        .map(|seed| seed.parse().unwrap())
        .collect();
    let treebanks: Vec<&str> =
        provenance.iter().filter_map(|fact| Some(fact.strip_prefix("sha256 of ")?.split_once(':')?.0)).collect();
    let is_meant =
        |record: &&Record| seeds.contains(&record.options.seed()) && treebanks.contains(&record.treebank.as_str());
    records(name).records().iter().filter(is_meant).cloned().collect()
}

/// Pages that are no experiment's stand at the end.
#[test]
fn the_index_is_that_of_the_results() {
    let report = Report::read(&results()).unwrap();
    let made = report.index(&[]);
    let experiments = made.split_once("\nIn brackets:").unwrap().0;
    let index = fs::read_to_string(results().join("README.md")).unwrap();
    assert!(index.starts_with(experiments.trim_end()), "`make report` makes it anew");
    assert!(report.page(&Base::same_folder()).unwrap().len() > 1_000_000, "the page can be made");
}

/// The scores of records that differ in their seeds only, by everything else: treebank, column, row, the rest, width.
fn by_all_but_seed(
    records: &[Record],
    rule: Punctuation,
    metric: Metric,
) -> HashMap<(String, String, String, String, usize), Vec<f64>> {
    let mut groups: HashMap<_, Vec<f64>> = HashMap::new();
    for record in records {
        let mut options = serde_json::to_value(&record.options).unwrap();
        options["seed"] = 0.into();
        let rest = format!("{options} {} {}", record.train.sha256, record.tagging.is_some());
        for decoding in &record.decodings {
            let key =
                (record.treebank.clone(), record.column.clone(), record.row.clone(), rest.clone(), decoding.width);
            groups.entry(key).or_default().push(metric.score(decoding.test.get(rule)));
        }
    }
    groups
}

/// The means over seeds, by treebank, column, and row with its width and without.
fn scores_of_records(records: &[Record], rule: Punctuation, metric: Metric) -> HashMap<[String; 3], Vec<f64>> {
    let groups = by_all_but_seed(records, rule, metric);
    let mut scores: HashMap<[String; 3], Vec<f64>> = HashMap::new();
    for ((treebank, column, row, _, width), values) in groups {
        for label in [row.clone(), format!("{row}, width {width}")] {
            scores.entry([treebank.clone(), column.clone(), label]).or_default().push(mean(&values));
        }
    }
    scores
}

#[test]
fn every_score_in_the_tables_is_that_of_records() {
    let mut n_checked = 0;
    for folder in fs::read_dir(results()).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        // Records of other kinds of cells hold no scores.
        if ["throughput", "peers", "fg17-table1"].contains(&&*name) || !Folder::new(&folder).has_records() {
            continue;
        }
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        for profile in files.filter_map(|file| file.strip_suffix(".json.zst").map(str::to_owned)) {
            let (document, records) = (document(&name, &profile), planned(&name, &profile));
            let excluded = document.about.iter().any(|text| text.contains("punctuation excluded"));
            let rule = if excluded { Punctuation::Exclude } else { Punctuation::Include };
            for metric in [Metric::Las, Metric::Uas] {
                let scores = scores_of_records(&records, rule, metric);
                let prefix = format!("{}: ", metric.name());
                for block in &document.blocks {
                    let (Some(column), Content::Table(table)) = (block.title.strip_prefix(&prefix), &block.content)
                    else {
                        continue;
                    };
                    for line in &table.lines {
                        for (head, cell) in table.heads.iter().zip(line).skip(1) {
                            let (side, Some(value)) = (&line[0].text, cell.value) else { continue };
                            if [side, head].into_iter().any(|text| text == "average") {
                                continue;
                            }
                            let of = |treebank: &str, label: &str| {
                                scores.get(&[treebank.to_owned(), column.to_owned(), label.to_owned()])
                            };
                            let Some(of_records) = of(side, head).or_else(|| of(head, side)) else { continue };
                            let place = format!("{name}/{profile}.json: {}: {side}, {head}", block.title);
                            assert!(
                                of_records.iter().any(|score| (score - value).abs() < 1e-6),
                                "{place}: {value}, {of_records:?}"
                            );
                            n_checked += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(n_checked > 1000, "only {n_checked} scores were found in records");
}

#[test]
fn texts_of_specifications_leave_it_to_the_records_what_was_run() {
    let folder = root().join("experiments");
    let mut n_texts = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let analysis = text.split("\"\"\"").nth(1).unwrap().to_owned();
        for forbidden in ["quick profile", "full profile", "one seed", "five seeds here", "three passes"] {
            assert!(!analysis.contains(forbidden), "{}: `{forbidden}` depends on the profile", path.display());
        }
        n_texts += 1;
    }
    assert!(n_texts > 10);
}
