//! The figures of README.md and of the book are those of the committed tables, and the scores of the tables those of the
//! committed records.
//!
//! The texts quote figures in fragments of sentences. The test makes each fragment again from the tables and looks for it; then
//! it looks for numbers that no fragment has made.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::root;

use treebeam::eval::{Metric, Punctuation};
use treebeam::files::read_whole;
use treebeam::learn::Stop;
use treebeam_lab::experiment::{Folder, Record, Store, Stored};
use treebeam_lab::report::document::{Cell, Content, Document, Table};
use treebeam_lab::report::page::{Base, Report};
use treebeam_lab::report::sign_test;

mod networks;
mod papers;
mod schools;
mod search;
mod speed;

fn results() -> PathBuf {
    root().join("results")
}

/// The committed results of an experiment at a scale.
fn document(name: &str, profile: &str) -> Document {
    let path = results().join(name).join(format!("{profile}.json"));
    serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap()
}

fn table<'a>(document: &'a Document, title: &str) -> &'a Table {
    let block = document.blocks.iter().find(|block| block.title == title);
    let block = block.unwrap_or_else(|| panic!("{}: no block `{title}`", document.name));
    let Content::Table(table) = &block.content else { panic!("{}: `{title}` is no table", document.name) };
    table
}

/// The figure where a line and a column of a table meet, whichever of them is the treebank and which the row.
fn score(document: &Document, title: &str, treebank: &str, row: &str) -> f64 {
    let table = table(document, title);
    let at = |line: &str, head: &str| {
        let column = table.heads.iter().position(|h| h == head)?;
        table.lines.iter().find(|cells| cells[0].text == line)?[column].value
    };
    at(treebank, row).or_else(|| at(row, treebank)).unwrap_or_else(|| panic!("{title}: no {treebank}, {row}"))
}

/// A line of the table of who wins.
struct Wins {
    n: usize,
    higher: usize,
    surely_higher: usize,
    lower: usize,
    surely_lower: usize,
    mean: f64,
    p: f64,
    paper: Option<f64>,
}

fn wins(document: &Document, column: &str, method: &str, against: &str, metric: Metric) -> Wins {
    let direct = listed(document, column, method, against, metric);
    // Of two rows that others are compared with, each comparison is listed once.
    let reversed = || listed(document, column, against, method, metric).map(Wins::reversed);
    direct.or_else(reversed).unwrap_or_else(|| panic!("{}: no {column}, {method}, {against}", document.name))
}

fn listed(document: &Document, column: &str, method: &str, against: &str, metric: Metric) -> Option<Wins> {
    let wanted = [("column", column), ("method", method), ("against", against), ("score", metric.name())];
    let table = table(document, "Who wins");
    let place = |head: &str| table.heads.iter().position(|h| h == head);
    // A table of one column does not name it.
    let is_wanted =
        |line: &&Vec<Cell>| wanted.iter().all(|(head, text)| place(head).is_none_or(|i| line[i].text == *text));
    let line = table.lines.iter().find(is_wanted)?;
    let value = |head: &str| line[place(head)?].value;
    let count = |head: &str| value(head).unwrap() as usize;
    Some(Wins {
        n: count("treebanks"),
        higher: count("higher"),
        surely_higher: count("higher, p < .05"),
        lower: count("lower"),
        surely_lower: count("lower, p < .05"),
        mean: value("mean gain").unwrap(),
        p: value("p of signs").unwrap(),
        paper: value("paper's gain"),
    })
}

impl Wins {
    fn reversed(self) -> Wins {
        Wins {
            higher: self.lower,
            surely_higher: self.surely_lower,
            lower: self.higher,
            surely_lower: self.surely_higher,
            mean: -self.mean,
            paper: self.paper.map(|gain| -gain),
            ..self
        }
    }
}

/// Whether the limit of iterations ended a training while its scores still rose.
fn is_cut_off(record: &&Record) -> bool {
    record.training.stop == Some(Stop::Maximum)
}

fn records(name: &str) -> Store {
    Store::open(&Folder::new(&results().join(name))).unwrap()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A text that quotes figures, with blanks for line ends, and which of its bytes are accounted for.
struct Text {
    name: &'static str,
    text: String,
    is_known: Vec<bool>,
}

/// All texts that quote figures.
struct Texts(Vec<Text>);

/// The texts, each with where its figures begin and end.
const QUOTING: [(&str, &str, &str); 6] = [
    ("README.md", "## The answer", "## Where to read on"),
    ("docs/paper.md", "## Abstract", "## References"),
    ("docs/src/answer.md", "**The question is answered for three systems", ""),
    ("docs/src/papers.md", "## What came out", "## The treebanks"),
    ("docs/src/speed.md", "On English-EWT", "## Measuring it again"),
    ("docs/src/methodology.md", "Five seeds of one row", "Most experiments so far"),
];

impl Text {
    fn new(name: &'static str, start: &str, end: &str) -> Text {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let from = text.find(start).unwrap_or_else(|| panic!("{name}: no `{start}`"));
        let to = if end.is_empty() { text.len() } else { from + text[from..].find(end).unwrap() };
        let text = text[from..to].split_whitespace().collect::<Vec<_>>().join(" ");
        let is_known = vec![false; text.len()];
        Text { name, text, is_known }
    }

    /// Accounts for every place that says so; whether there is any.
    fn says(&mut self, fragment: &str) -> bool {
        let mut says = false;
        for (at, _) in self.text.match_indices(fragment) {
            self.is_known[at..at + fragment.len()].fill(true);
            says = true;
        }
        says
    }

    /// Accounts for targets of links and code.
    fn leave_out_markup(&mut self) {
        for (start, end) in [("](", ")"), ("`", "`"), ("```", "```")] {
            let mut from = 0;
            while let Some(at) = self.text[from..].find(start).map(|at| from + at) {
                let Some(stop) = self.text[at + start.len()..].find(end) else { break };
                let stop = at + start.len() + stop + end.len();
                self.is_known[at..stop].fill(true);
                from = stop;
            }
        }
    }

    /// Numbers that nothing accounts for, with what is around them.
    fn unknown_numbers(&self) -> Vec<String> {
        let is_digit = |at: usize| self.text.as_bytes()[at].is_ascii_digit();
        let begins = |at: &usize| is_digit(*at) && (*at == 0 || !is_digit(at - 1)) && !self.is_known[*at];
        let around = |at: usize| {
            let (mut low, mut high) = (at.saturating_sub(30), (at + 20).min(self.text.len()));
            low += (0..4).find(|i| self.text.is_char_boundary(low + i)).unwrap();
            high -= (0..4).find(|i| self.text.is_char_boundary(high - i)).unwrap();
            format!("{}: {}", self.name, &self.text[low..high])
        };
        (0..self.text.len()).filter(begins).map(around).collect()
    }
}

impl Texts {
    fn new() -> Texts {
        Texts(QUOTING.map(|(name, start, end)| Text::new(name, start, end)).into())
    }

    /// Fails unless one of the texts says so.
    fn says(&mut self, fragment: &str) {
        let mut said = false;
        for text in &mut self.0 {
            said |= text.says(fragment);
        }
        assert!(said, "neither README.md nor the book says: {fragment}");
    }

    /// Accounts for what is no result: targets of links, code, years, and these words.
    fn leave_out(&mut self, words: &[&str]) {
        for text in &mut self.0 {
            text.leave_out_markup();
            for word in words {
                text.says(word);
            }
        }
    }
}

/// With a minus sign as books have it.
fn signed(value: f64) -> String {
    format!("{value:+.2}").replace('-', "−")
}

/// A number with its thousands apart, to so many places that count.
fn rounded(value: f64, places: i32) -> String {
    let unit = 10f64.powi(value.log10().floor() as i32 + 1 - places).max(1.0);
    let whole = ((value / unit).round() * unit) as u64;
    match whole {
        1000.. => format!("{},{:03}", whole / 1000, whole % 1000),
        _ => whole.to_string(),
    }
}

#[test]
fn figures_of_the_texts_are_those_of_the_tables() {
    let mut texts = Texts::new();
    schools::global_against_greedy(&mut texts);
    schools::verdict(&mut texts);
    papers::papers(&mut texts);
    papers::spurious_choices(&mut texts);
    search::ablations(&mut texts);
    search::widths(&mut texts);
    search::updates(&mut texts);
    search::axis_of_search(&mut texts);
    search::margins_and_features(&mut texts);
    search::ingredients(&mut texts);
    search::graphs(&mut texts);
    networks::networks_on_english(&mut texts);
    networks::networks(&mut texts);
    networks::networks_elsewhere(&mut texts);
    speed::speed(&mut texts);
    speed::peers(&mut texts);
    schools::systems(&mut texts);
    schools::alignment(&mut texts);
    schools::every_system(&mut texts);
    schools::pretraining(&mut texts);
    papers::learners(&mut texts);
    schools::languages(&mut texts);
    schools::sizes(&mut texts);
    papers::seeds(&mut texts);
    // Sizes of experiments that `what_was_run_is_as_the_texts_say` looks at, widths, and numbers of tables and processors.
    texts.leave_out(&[
        "(2011)",
        "(2013)",
        "(2015)",
        "(2017)",
        "2012, 2013",
        "(2008)",
        "Roark 2004",
        "Guo 2012",
        "2016",
        "b=8",
        "b=32",
        "2-planar",
        "Zen 5",
        "tables 4 and 5",
        "beam of 8",
        "on each of 19 treebanks",
        "distance to the head | 1 | 2 | 3 to 6 | 7 and more | root",
        "width 8",
        "when corrected for 16 tests",
        "when corrected for 9 tests",
        "19 languages",
        "10 languages",
    ]);
    let unknown: Vec<String> = texts.0.iter().flat_map(Text::unknown_numbers).collect();
    assert!(unknown.is_empty(), "numbers that are compared with nothing: {unknown:#?}");
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

/// What a document answers to the question, in its words.
fn answer(document: &Document) -> String {
    let answer = document.answer.as_ref().unwrap();
    format!("{} {}", answer.headline, answer.reading.join(" "))
}

/// The least and the most.
fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// The lines of a file of tab-separated values, by the heads of its columns.
fn tsv(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').map(str::to_owned));
    let heads: Vec<String> = lines.next().unwrap().collect();
    lines.map(|line| heads.iter().cloned().zip(line).collect()).collect()
}

/// By how much global training is ahead in a class of words, in a column if the table has several.
fn gain_of_class(document: &Document, kind: &str, column: Option<&str>, class: &str) -> f64 {
    let table = table(document, &format!("Where they differ, {kind}"));
    let place = usize::from(column.is_some());
    let is_meant = |line: &&Vec<Cell>| column.is_none_or(|c| line[0].text == c) && line[place].text == class;
    let line = table.lines.iter().find(is_meant).unwrap_or_else(|| panic!("{kind}: no {class}"));
    line.last().unwrap().text.parse().unwrap()
}

#[test]
fn what_was_run_is_as_the_texts_say() {
    for (name, profile, expected) in [
        (
            "updates",
            "quick",
            "Training data: 300 sentences a treebank, 4 treebanks. Trained for 7 to 91 iterations (the table *Training* says \
             which), with 3 seeds.",
        ),
        (
            "search-axis",
            "quick",
            "Training data: 500 sentences a treebank, 10 treebanks. Trained for 5 to 25 iterations (the table *Training* says \
             which), with 1 seed.",
        ),
        (
            "exact-networks",
            "quick",
            "Training data: 500 sentences a treebank, 2 treebanks. Trained for 4 to 36 iterations (the table *Training* says \
             which), with 1 seed.",
        ),
        (
            "graph-orders",
            "quick",
            "Training data: 500 sentences a treebank, 2 treebanks. Trained for 6 to 30 iterations",
        ),
        (
            "neural-global-vs-greedy",
            "quick",
            "Training data: 500 sentences a treebank, 2 treebanks. Trained for 3 to 36 iterations",
        ),
        (
            "beam-margin",
            "quick",
            "Training data: 910 to 1500 sentences a treebank, 5 treebanks. Trained for 6 iterations, with 1 seed.",
        ),
        (
            "features",
            "quick",
            "Training data: 910 to 1000 sentences a treebank, 4 treebanks. Trained for 7 to 28 iterations",
        ),
        ("features-stack", "quick", "Training data: 910 to 1000 sentences a treebank, 2 treebanks. Trained for "),
        (
            "global-vs-greedy",
            "quick",
            "Training data: 860 to 2000 sentences a treebank, 19 treebanks. Trained for 7 to 30 iterations (the table *Training* \
             says which), with 3 seeds.",
        ),
        ("languages", "quick", "Training data: 800 sentences a treebank, 19 treebanks. Trained for "),
        ("learning-curves", "quick", "Training data: 250 to 12544 sentences a treebank, 5 treebanks. Trained for "),
        ("lecture-global-vs-greedy", "quick", "10 treebanks. Trained for 4 to 30 iterations"),
        (
            "beam-ablation",
            "quick",
            "Training data: 910 to 1000 sentences a treebank, 10 treebanks. Trained for 7 to 30 iterations",
        ),
        ("exploration-vs-beam", "quick", "Training data: 600 sentences a treebank, 10 treebanks. Trained for "),
        ("systems", "quick", "Training data: 910 to 1000 sentences a treebank, 6 treebanks. Trained for "),
        ("gn13-figure1", "quick", "10 treebanks. Trained for 10 iterations, with 3 seeds."),
        ("spurious-choices", "quick", "Training data: 600 sentences a treebank, 10 treebanks. Trained for "),
        ("networks", "quick", "Training data: 910 to 3435 sentences a treebank, 5 treebanks. Trained for "),
        ("gn13-table1", "full", "10 treebanks. Trained for 15 iterations, with 5 seeds."),
        ("l2s-table3", "quick", "Training data: 500 sentences a treebank, 10 treebanks. Trained for 3 to "),
        ("l2s-table4", "quick", "Training data: 800 sentences a treebank, 3 treebanks. Trained for 3 to 15 iterations"),
        (
            "l2s-table5",
            "quick",
            "Training data: 800 sentences a treebank, 3 treebanks. Trained for 3 iterations, with 1 seed.",
        ),
        ("fg17-table3", "full", "19 treebanks. Trained for 15 iterations, with 1 seed."),
        ("fg17-table4", "full", "19 treebanks. Trained for 15 iterations, with 1 seed."),
    ] {
        let about = document(name, profile).about;
        assert!(about.iter().any(|text| text.contains(expected)), "{name}: {about:?}");
    }
}

/// What the results open with is made of the results as they are; dates of revisions, which the index has too, are not known here.
#[test]
fn the_index_and_the_page_are_those_of_the_results() {
    let report = Report::read(&results()).unwrap();
    let opening = |text: &str| text.split_once("## What was run").unwrap().0.to_owned();
    let index = fs::read_to_string(results().join("README.md")).unwrap();
    assert_eq!(opening(&index), opening(&report.index(&[], &BTreeMap::new())), "`make report` makes it anew");
    let page = fs::read_to_string(results().join("report.html")).unwrap();
    assert!(page == report.page(&Base::same_folder()).unwrap(), "`make report` makes report.html anew");
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
        let rest = format!("{options} {}", record.train.sha256);
        for decoding in &record.decodings {
            let key =
                (record.treebank.clone(), record.column.clone(), record.row.clone(), rest.clone(), decoding.width);
            groups.entry(key).or_default().push(metric.score(&decoding.test.get(rule)));
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
        for profile in ["quick", "full"].into_iter().filter(|p| folder.join(format!("{p}.json")).exists()) {
            let (document, records) = (document(&name, profile), planned(&name, profile));
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

/// What the methodology says of the time that all trainings took.
#[test]
fn the_time_of_all_trainings_is_told() {
    let mut seconds = 0.0;
    for entry in fs::read_dir(results()).unwrap() {
        // Experiments of other kinds have other records.
        let Ok(store) = Store::<Record>::open(&Folder::new(&entry.unwrap().path())) else { continue };
        seconds += store.records().iter().map(Stored::seconds).sum::<f64>();
    }
    let path = root().join("docs/src/methodology.md");
    let text = fs::read_to_string(path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let expected =
        format!("the trainings in `results/`, with parsing, took {:.0} hours by the clock", seconds / 3600.0);
    assert!(text.contains(&expected), "{expected}");
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
