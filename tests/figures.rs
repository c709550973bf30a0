//! The figures of README.md and of the book are those of the committed tables, and the scores of the tables those of the
//! committed records.
//!
//! The texts quote figures in fragments of sentences. The test makes each fragment again from the tables and looks for it; then
//! it looks for numbers that no fragment has made.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use treebeam::eval::{Metric, Punctuation};
use treebeam::experiment::{Folder, Record, Store};
use treebeam::files::read_whole;
use treebeam::learn::Stop;
use treebeam::report::document::{Cell, Content, Document, Table};
use treebeam::report::page::{Base, Report};
use treebeam::report::sign_test;

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results")
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
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
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
    global_against_greedy(&mut texts);
    verdict(&mut texts);
    papers(&mut texts);
    spurious_choices(&mut texts);
    ablations(&mut texts);
    widths(&mut texts);
    updates(&mut texts);
    axis_of_search(&mut texts);
    margins_and_features(&mut texts);
    ingredients(&mut texts);
    networks_on_english(&mut texts);
    networks(&mut texts);
    networks_elsewhere(&mut texts);
    speed(&mut texts);
    peers(&mut texts);
    systems(&mut texts);
    alignment(&mut texts);
    every_system(&mut texts);
    pretraining(&mut texts);
    learners(&mut texts);
    languages(&mut texts);
    sizes(&mut texts);
    seeds(&mut texts);
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

fn global_against_greedy(texts: &mut Texts) {
    let document = document("global-vs-greedy", "quick");
    let rows = [
        "greedy static",
        "greedy dynamic",
        "global early b=8",
        "global max-violation b=8",
        "global max-violation b=32",
        "global max-violation b=8, dynamic gold",
    ];
    for (column, system, features) in [
        ("arc-standard", "arc-standard", "stack"),
        ("arc-eager", "arc-eager", "stack"),
        ("arc-hybrid", "arc-hybrid", "stack"),
        ("arc-eager, zn11", "arc-eager", "zn11"),
    ] {
        let las = |row: &str| score(&document, &format!("LAS: {column}"), "average", row);
        let mut line = format!("| {system} | `{features}` | {:.2} |", las(rows[0]));
        for row in &rows[1..] {
            line += &format!(" {:.2} ({:+.2}) |", las(row), las(row) - las(rows[0]));
        }
        texts.says(&line);
    }
    let columns = ["arc-standard", "arc-eager", "arc-hybrid", "arc-eager, zn11"];
    let las = |column: &str, row: &str| score(&document, &format!("LAS: {column}"), "average", row);
    let over_exploration =
        columns.map(|column| [2, 3, 4, 5].map(|row| wins(&document, column, rows[row], "greedy dynamic", Metric::Las)));
    let over_exploration = over_exploration.as_flattened();
    let (least, most) = range(&over_exploration.iter().map(|wins| wins.mean).collect::<Vec<f64>>());
    assert!(least > 0.0);
    let unsure = |wins: &[Wins]| wins.iter().filter(|wins| wins.p >= 0.05).count();
    let [standard, eager, hybrid, zn11] = [0, 4, 8, 12].map(|from| unsure(&over_exploration[from..from + 4]));
    assert_eq!((eager, hybrid, zn11), (0, 0, 0));
    texts.says(&format!(
        "every global row is ahead of exploration (*greedy dynamic*) in every line, by {least:.2} to {most:.2} points, in {} of 16 cases \
         significantly by the sign test over treebanks (not in {standard} of 4 with arc-standard)",
        16 - standard
    ));
    let so_many = |row: &str, of: &dyn Fn(Wins) -> usize| -> String {
        let of_column = |column| of(wins(&document, column, row, "greedy static", Metric::Las)).to_string();
        let [standard, eager, hybrid, zn11] = columns.map(of_column);
        format!("{standard}, {eager}, {hybrid} and {zn11}")
    };
    let surely = |row: &str| so_many(row, &|wins| wins.surely_higher);
    texts.says(&format!(
        "significant on {} of 19 treebanks for early updates, on {} for max-violation at width 8, and on {} for exploration",
        surely("global early b=8"),
        surely("global max-violation b=8"),
        surely("greedy dynamic")
    ));
    let exploration = columns.map(|column| wins(&document, column, "greedy dynamic", "greedy static", Metric::Las));
    let are_significant = exploration.each_ref().map(|wins| wins.n == 19 && wins.p < 0.05);
    assert_eq!(are_significant, [true, true, false, true]);
    texts.says(&format!(
        "Exploration is ahead of the static oracle on {} of 19, with arc-hybrid not significantly (p = {:.2})",
        so_many("greedy dynamic", &|wins| wins.higher),
        exploration[2].p
    ));
    let early = columns.map(|column| las(column, "global early b=8") - las(column, "global max-violation b=8"));
    let treebanks = |column: &str| -> (usize, usize) {
        let table = table(&document, &format!("LAS: {column}"));
        let place = |row: &str| table.heads.iter().position(|head| head == row).unwrap();
        let (ours, theirs) = (place("global early b=8"), place("global max-violation b=8"));
        let lines = table.lines.iter().filter(|line| line[0].text != "average");
        let differences = lines.map(|line| line[ours].value.unwrap() - line[theirs].value.unwrap());
        differences.fold((0, 0), |(higher, lower), d| (higher + usize::from(d > 0.0), lower + usize::from(d < 0.0)))
    };
    let counted = columns.map(treebanks);
    let [standard, eager, hybrid, zn11] = early.map(signed);
    let [of_standard, of_eager, of_hybrid, of_zn11] = counted.map(|(higher, _)| higher);
    texts.says(&format!(
        "early updates differ from max-violation at width 8 by {standard}, {eager}, {hybrid} and {zn11} points, and are higher on {of_standard}, \
         {of_eager}, {of_hybrid} and {of_zn11} of 19 treebanks"
    ));
    let p = counted.map(|(higher, lower)| sign_test(higher, lower));
    let (least, _) = range(&p);
    assert!(least >= 0.05);
    texts.says(&format!("by signs none of these is significant (p = {least:.3} at best)"));
    let planned = planned("global-vs-greedy", "quick");
    let passes = |row: &str| -> Vec<f64> {
        let of_row = planned.iter().filter(|record| record.row == row);
        of_row.map(|record| record.training.epochs.len() as f64).collect()
    };
    texts.says(&format!(
        "They take {:.0} iterations in the mean, max-violation at width 8 {:.0}, exploration {:.0}",
        mean(&passes("global early b=8")),
        mean(&passes("global max-violation b=8")),
        mean(&passes("greedy dynamic"))
    ));
    let cut_off = |row: &str| planned.iter().filter(|record| record.row == row).filter(is_cut_off).count();
    let of_experiment = |name: &str| {
        let planned = self::planned(name, "quick");
        format!("{} of {}", planned.iter().filter(is_cut_off).count(), planned.len())
    };
    let [first, second, third] = ["languages", "exploration-vs-beam", "global-vs-greedy"].map(of_experiment);
    texts.says(&format!(
        "or to 30 iterations, which stopped {first}, {second} and {third} trainings of the first three experiments (in the second of them the \
         limit is 60 for covington and 2-planar)"
    ));
    let of_early = planned.iter().filter(|record| record.row == "global early b=8").count();
    texts.says(&format!(
        "the limit of 30 iterations stopped {} of their {of_early} trainings, and {} of the other {}",
        cut_off("global early b=8"),
        rows.iter().map(|row| cut_off(row)).sum::<usize>() - cut_off("global early b=8"),
        planned.len() - of_early
    ));
    // What the table itself says, in other words.
    let about = answer(&document);
    let between = |start: &str, end: &str| {
        let (_, rest) = about.split_once(start).unwrap_or_else(|| panic!("no `{start}`"));
        rest.split_once(end).unwrap().0.replace('+', "")
    };
    texts.says(&format!("19 treebanks (at most 2,000 training sentences each, {}, to the plateau)", GLOBAL_SEEDS.0));
    texts.says(&format!(
        "the global one is ahead by {} points (95 % interval {}; with {} drawn anew, too, {})",
        between("than greedy training, by ", " points"),
        between("(95 % interval ", ","),
        GLOBAL_SEEDS.1,
        between(GLOBAL_SEEDS.2, ". As the")
    ));
    let settings = &document.answer.as_ref().unwrap().settings;
    let by_treebank = |name: &str| {
        let (ahead, behind) = settings.iter().find(|setting| setting.name == name).unwrap().n_ahead;
        assert!(settings.iter().all(|setting| setting.is_significant()));
        (ahead, sign_test(ahead, behind))
    };
    let [standard, eager, hybrid, zn11] = columns.map(by_treebank);
    assert!(eager.1 < 0.001 && zn11.1 < 0.001);
    texts.says(&format!(
        "on {} of 19 treebanks with arc-standard (p = {:.3} by signs), {} with arc-eager, {} with arc-hybrid (p = {:.3}), {} with `zn11`",
        standard.0, standard.1, eager.0, hybrid.0, hybrid.1, zn11.0
    ));
    texts.says(&format!(
        "that takes {} times as long in parsing and {} times in training",
        between("**What it costs:** parsing takes ", " times"),
        between("), training ", " times")
    ));
}

/// How many seeds `global-vs-greedy` has, in words, and what its answer says of them.
const GLOBAL_SEEDS: (&str, &str, &str) = ("two seeds", "treebanks and seeds", "2 seeds of each), the interval is ");

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

/// What the comparison on every system says.
fn verdict(texts: &mut Texts) {
    let document = document("exploration-vs-beam", "quick");
    let index = format!("{} {}", answer(&document), document.limits.join(" "));
    let between = |start: &str, end: &str| {
        let (_, rest) = index.split_once(start).unwrap_or_else(|| panic!("no `{start}`"));
        rest.split_once(end).unwrap_or_else(|| panic!("no `{end}`")).0.to_owned()
    };
    let (n_systems, n_treebanks) = (between("averaged over ", " systems"), between(" systems and ", " treebanks"));
    texts.says(&format!("Of each of {n_systems} systems the best greedy and the best global model"));
    assert_eq!((n_systems.as_str(), n_treebanks.as_str()), ("16", "10"));
    texts.says(&format!(
        "a quick run, ten treebanks, {} sentences each, to the plateau; one seed",
        between("whole experiment: ", " training sentences")
    ));
    if index.contains("**Neither is clearly better here:**") {
        let points = between("differs from greedy training by ", " points of LAS");
        let p = between("that is not significant (", ")").rsplit_once("p = ").unwrap().1.to_owned();
        texts.says(&format!(
            "global training differs from greedy training by {points} points of LAS on average, which is not significant (p = {p})"
        ));
        texts.says("Neither is clearly better there");
    } else {
        let points =
            between("**Global training with a beam parses better** than greedy training, by ", " points of LAS");
        let p = between("parses better** than", ").").rsplit_once(", p ").unwrap().1.replace('\\', "");
        texts
            .says(&format!("global training is ahead of greedy training by {points} points of LAS on average (p {p})"));
        let (_, interval) = index.split_once("(10 treebanks, one seed), the interval is ").unwrap();
        let interval = interval.split_once(". As").unwrap().0.replace('+', "");
        texts.says(&format!("with treebanks drawn anew, too, the 95 % interval is {interval}"));
    }
    let (ahead, surely) = (between("Global training is ahead on ", ","), between("systems, significantly on ", ";"));
    // Where fewer were significant when corrected, it would say so.
    assert!(!index.contains("when corrected for"));
    texts.says(&format!(
        "it is ahead on {ahead}, significantly on {surely} (on all of these when corrected for {n_systems} tests, too)"
    ));
    let behind = "; greedy training on 4 of 16 systems, significantly on all of them (covington, easy-first, 2-planar, covington-nonmonotonic).";
    assert!(index.contains(behind), "{index}");
    texts.says("greedy training is ahead, significantly (also when corrected)");
    let by_signs = |start: &str, end: &str| between(start, end).split(", ").count();
    texts.says(&format!(
        "Counted by treebank (sign test) global training is significantly ahead with {} systems, and behind with {}",
        by_signs("significantly ahead with 8 of 16 systems (", ")"),
        by_signs("significantly behind with 1 (", ")")
    ));
    let settings = &document.answer.as_ref().unwrap().settings;
    let unsure: Vec<&str> = settings.iter().filter(|s| !s.is_significant()).map(|s| s.name.as_str()).collect();
    assert_eq!(unsure, ["arc-standard", "swap"]);
    texts.says("With arc-standard and swap the two do not differ significantly");
    texts.says(&format!(
        "parsing takes {} times as long, training {} times",
        between("**What it costs:** parsing takes ", " times as long"),
        between("times as long (", "; medians").rsplit_once("training ").unwrap().1.split_once(" times").unwrap().0
    ));
}

fn papers(texts: &mut Texts) {
    let table1 = document("gn13-table1", "full");
    let gain = |column: &str| wins(&table1, column, "dynamic", "static", Metric::Uas);
    let [eager, hybrid, easy] = [gain("arc-eager"), gain("arc-hybrid"), gain("easy-first")];
    texts.says(&format!(
        "UAS {}, {} and {} in the mean of five seeds (paper {}, {} and {}); higher on {}, {} and {} of {} languages, significantly on \
         {}, {} and {}; with arc-hybrid significantly lower on {}",
        signed(eager.mean),
        signed(easy.mean),
        signed(hybrid.mean),
        signed(eager.paper.unwrap()),
        signed(easy.paper.unwrap()),
        signed(hybrid.paper.unwrap()),
        eager.higher,
        easy.higher,
        hybrid.higher,
        eager.n,
        eager.surely_higher,
        easy.surely_higher,
        hybrid.surely_higher,
        hybrid.surely_lower
    ));
    assert!(table1.about.iter().any(|text| text.contains("for 15 iterations, with 5 seeds")), "{:?}", table1.about);
    texts.says("The paper trained easy-first for 20 iterations; all rows here have 15");

    let figure1 = document("gn13-figure1", "quick");
    let map = figure1.blocks.iter().find_map(|block| match &block.content {
        Content::HeatMap(map) if map.title.contains("average") => Some(map),
        _ => None,
    });
    let values: Vec<Vec<f64>> =
        map.unwrap().values.iter().map(|line| line.iter().map(|v| v.unwrap()).collect()).collect();
    let of_line = |i: usize| mean(&values[i]);
    let of_column = |j: usize| mean(&values.iter().map(|line| line[j]).collect::<Vec<_>>());
    let (last_line, last_column) = (values.len() - 1, values[0].len() - 1);
    texts.says(&format!(
        "in the mean UAS falls the later exploration begins ({:.1} to {:.1}) and rises with its probability ({:.1} to {:.1})",
        of_line(0),
        of_line(last_line),
        of_column(0),
        of_column(last_column)
    ));
    texts.says("ten treebanks, three seeds a cell, 10 iterations so far");
    let range =
        figure1.blocks.iter().find(|block| block.title == "UAS: from the worst to the best of the grid").unwrap();
    let part = |start: &str, end: &str| range.reading[0].split_once(start).unwrap().1.split_once(end).unwrap().0;
    texts.says(&format!(
        "the grid spans {} points in the mean over treebanks (paper {}); cells that differ by their seeds alone would span {}",
        part("there are ", " points"),
        part("treebanks here and ", " in the paper"),
        part("would span ", " points")
    ));

    learning_to_search(texts);
    texts.says("three treebanks, 800 sentences, three passes, none converged");

    let bounds = document("fg17-table1", "full");
    let losses = table(&bounds, "Bounds and loss, means over configurations").lines.last().unwrap();
    let nearness = table(&bounds, "How far the bounds are from the loss");
    let n_same = nearness.lines.iter().filter(|line| line.last().unwrap().text == "same").count();
    let n_chained = |line: &&Vec<Cell>| {
        let of = |i: usize| line[i].value.unwrap();
        of(3) <= of(4) && of(4) <= of(5) && of(5) <= of(6)
    };
    let lines = &table(&bounds, "Bounds and loss, means over configurations").lines;
    let (_, treebanks) = lines.split_last().unwrap();
    assert_eq!(treebanks.iter().filter(n_chained).count(), treebanks.len());
    texts.says(&format!("the bounds enclose the loss on all {}", treebanks.len()));
    texts.says(&format!(
        "(mean loss {:.2}, paper {:.2}); the order of the three is the paper's on {n_same} treebanks",
        losses[4].value.unwrap(),
        losses[8].value.unwrap()
    ));
    let average = nearness.lines.last().unwrap();
    let of = |i: usize| average[i].value.unwrap();
    texts.says(&format!(
        "({:.5} of the loss, the problematic-cycle bound {:.5}), in the paper the problematic-cycle bound ({:.5}, lower {:.5})",
        of(1),
        of(2),
        of(5),
        of(4)
    ));
    assert!(of(1) < of(2) && of(2) < of(3), "here the lower bound is nearest");
    assert!(of(5) < of(4) && of(4) < of(6), "in the paper the upper bound that counts problematic cycles is");

    let (table3, table4) = (document("fg17-table3", "full"), document("fg17-table4", "full"));
    let claim = wins(&table3, "all", "upper", "monotonic", Metric::Uas);
    // Its p over the sentences of all treebanks stands in what the table says first.
    let gist = table3.gist.join(" ");
    let (_, sure) = gist.split_once(&format!("{:+.2} against `monotonic`", claim.mean)).unwrap();
    let (_, sure) = sure.split_once("significant (").unwrap();
    texts.says(&format!(
        "UAS {} in the mean of 19 languages (paper: {}), significantly over sentences ({}), but it is higher on {} of {} only (significantly on {}, \
         and significantly lower on {}; sign test, p = {:.2})",
        signed(claim.mean),
        signed(claim.paper.unwrap()),
        sure.split_once(')').unwrap().0,
        claim.higher,
        claim.n,
        claim.surely_higher,
        claim.surely_lower,
        claim.p
    ));
    let exploring = ["monotonic", "upper"].map(|row| wins(&table3, "all", row, "static", Metric::Uas));
    let papers = exploring.each_ref().map(|wins| signed(wins.paper.unwrap()));
    texts.says(&format!(
        "Exploring over static, with final arcs and without: {} and {} (paper: {} and {}), higher on {} and {} of 19, p = {:.3} and {:.3}",
        signed(exploring[0].mean),
        signed(exploring[1].mean),
        papers[0],
        papers[1],
        exploring[0].higher,
        exploring[1].higher,
        exploring[0].p,
        exploring[1].p
    ));
    let beside = ["covington dynamic", "covington non-monotonic"]
        .map(|row| wins(&table4, "all", row, "arc-eager dynamic", Metric::Uas));
    texts.says(&format!(
        "Beside arc-eager {} and {} (paper: {} and {}), higher on {} and {} of {}, p = {:.2} and {:.2} by signs",
        signed(beside[0].mean),
        signed(beside[1].mean),
        signed(beside[0].paper.unwrap()),
        signed(beside[1].paper.unwrap()),
        beside[0].higher,
        beside[1].higher,
        beside[0].n,
        beside[0].p,
        beside[1].p
    ));
    let attardi = wins(&table4, "all", "attardi dynamic", "arc-eager dynamic", Metric::Las);
    texts.says(&format!(
        "is behind arc-eager, in LAS by {:.2} points (paper: {:.2} ahead), on {} of {} languages",
        -attardi.mean,
        attardi.paper.unwrap(),
        attardi.lower,
        attardi.n
    ));
}

fn spurious_choices(texts: &mut Texts) {
    let document = document("spurious-choices", "quick");
    let choices = ["best-scored", "canonical", "random", "all"];
    let of = |system: &str, oracle: &str| {
        choices.map(|choice| wins(&document, system, &format!("{oracle}, {choice}"), "static", Metric::Uas))
    };
    let gains = |wins: &[Wins]| wins.iter().map(|wins| wins.mean).collect::<Vec<f64>>();
    let span = |values: &[f64]| {
        let (low, high) = range(values);
        format!("{} to {}", signed(low), signed(high))
    };
    let systems = ["arc-eager", "arc-hybrid", "arc-standard"];
    let others = systems.map(|system| of(system, "non-deterministic"));
    let explored = systems.map(|system| of(system, "dynamic"));
    assert!(others.iter().chain(&explored).flatten().all(|wins| wins.n == 10));
    let n_sure = |wins: &[Wins]| wins.iter().filter(|wins| wins.p < 0.05).count();
    assert_eq!(others.each_ref().map(|wins| n_sure(wins)), [0, 0, 1]);
    let sure = others[2][1].p;
    assert!(sure < 0.05 && 12.0 * sure > 0.05);
    let [a, b, c] = others.each_ref().map(|wins| span(&gains(wins)));
    texts.says("On ten treebanks of at most 600 sentences, to the plateau, with two seeds");
    texts.says(&format!(
        "the first alone changes the UAS of arc-eager by {a} points, of arc-hybrid by {b} and of arc-standard by {c}, significantly over \
         treebanks in 1 of 12 cases (arc-standard where the canonical one is preferred, p = {sure:.2}; not when corrected for 12 tests)"
    ));
    let [a, b, c] = explored.each_ref().map(|wins| span(&gains(wins)));
    let [d, e, f] = explored.each_ref().map(|wins| n_sure(wins));
    texts.says(&format!("With exploration as well it is {a}, {b} and {c}, significantly in {d}, {e} and {f} of 4"));
    let beyond: Vec<f64> = explored[1].iter().zip(&others[1]).map(|(wins, other)| wins.mean - other.mean).collect();
    texts.says(&format!("exploration adds {} to that", span(&beyond)));
    for wins in &explored[1..] {
        assert!([0, 2, 3].iter().all(|&other| wins[1].mean > wins[other].mean), "the canonical choice is the best");
    }
    assert!(explored[1][1..].iter().all(|other| other.mean > explored[1][0].mean));
    let [hybrid, standard] = [&explored[1], &explored[2]].map(|wins| wins[1].mean - wins[0].mean);
    texts.says(&format!("it is ahead of the choice of the paper, the transition of the highest score, by {hybrid:.2} and {standard:.2} points"));
}

fn ablations(texts: &mut Texts) {
    let lecture = document("lecture-global-vs-greedy", "quick");
    let las = |row: &str| score(&lecture, "LAS: arc-eager", "average", row);
    texts.says(&format!(
        "arc-eager, LAS: gold configurations {:.1}, explored ones {:.1}; global without early update {:.1}, with it {:.1}, \
         max-violation {:.1}",
        las("greedy, gold configurations"),
        las("greedy, explored configurations"),
        las("global, no early update"),
        las("global, early update"),
        las("global, max-violation")
    ));
    texts.says("ten treebanks of at most 2,000 sentences, to the plateau, two seeds");
    texts.says(&format!(
        "(LAS {:.1}, with early updates {:.1}; ten treebanks of at most 2,000 sentences, two seeds)",
        las("global, no early update"),
        las("global, early update")
    ));
    let beams = document("exploration-vs-beam", "quick");
    let figure = beams.blocks.iter().find_map(|block| match &block.content {
        Content::Figure(figure) if figure.name == "decoding-time" => Some(figure),
        _ => None,
    });
    let ends: Vec<f64> = figure.unwrap().curves.iter().map(|curve| curve.points.last().unwrap().y).collect();
    texts.says(&format!(
        "with all the time that any row takes, beams are ahead on {} of {} systems, by {:.2} points of LAS in the mean",
        ends.iter().filter(|end| **end > 0.0).count(),
        ends.len(),
        mean(&ends)
    ));
    let planned = planned("exploration-vs-beam", "quick");
    let passes = || planned.iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "600 sentences each of ten treebanks, to the plateau ({} to {} iterations), one seed",
        passes().min().unwrap(),
        passes().max().unwrap()
    ));
    let cut_off: Vec<_> = planned.iter().filter(is_cut_off).collect();
    assert!(cut_off.iter().all(|record| record.row.starts_with("beam")));
    texts.says(&format!(
        "{} of the {} trainings, all of them with a beam, were stopped by the limit of 30 iterations",
        cut_off.len(),
        planned.len()
    ));
    texts.says("with covington and 2-planar, whose beams gain longest, the limit is 60");
    // Of the models that are ahead or behind where greedy training is ahead.
    for setting in &beams.answer.as_ref().unwrap().settings {
        let is_compared = |record: &&&Record| {
            record.column == setting.name
                && [&setting.greedy, &setting.global].iter().any(|chosen| {
                    chosen.label == record.row || chosen.label.starts_with(&format!("{}, width", record.row))
                })
        };
        let of_setting: Vec<&str> = cut_off.iter().filter(is_compared).map(|record| record.treebank.as_str()).collect();
        if setting.gain.points < 0.0 {
            assert!(of_setting.is_empty(), "{}: {of_setting:?}", setting.name);
        }
    }
}

fn widths(texts: &mut Texts) {
    let document = document("beam-ablation", "quick");
    let store = records("beam-ablation");
    let treebanks: BTreeSet<&str> = store.records().iter().map(|record| record.treebank.as_str()).collect();
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    assert_eq!((treebanks.len(), store.records().len()), (10, 10 * systems.len() * 13));
    let passes: Vec<f64> = store.records().iter().map(|record| record.training.epochs.len() as f64).collect();
    let (least, most) = range(&passes);
    texts.says(&format!(
        "ten treebanks of at most 1,000 sentences, to the plateau ({least} to {most} iterations; the limit stopped {} of the {} \
         trainings), one seed",
        store.records().iter().filter(is_cut_off).count(),
        store.records().len()
    ));
    let of = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let las = |system: &str, row: &str| of("average", system, row);
    let matched = |width: usize| match width {
        1 | 8 | 64 => format!("global b={width}, width {width}"),
        _ => format!("global b={width}"),
    };
    let widths = [1, 2, 4, 8, 16, 32, 64];
    texts.says(&format!("| | trained | {} |", widths.map(|width| width.to_string()).join(" | ")));
    for system in systems {
        let line = |name: &str, row: &dyn Fn(usize) -> String| {
            let cells = widths.map(|width| format!("{:.2}", las(system, &row(width))));
            format!("| {system} | {name} | {} |", cells.join(" | "))
        };
        texts.says(&line("greedily, explored", &|width| format!("greedy dynamic, width {width}")));
        texts.says(&line("globally, in a beam of 8", &|width| format!("global b=8, width {width}")));
        texts.says(&line("globally, in the same beam", &matched));
    }
    let gains = |row: &str, other: &str| {
        let [a, b, c] = systems.map(|system| signed(las(system, row) - las(system, other)));
        format!("{a}, {b} and {c}")
    };
    let [one, eight, wide] = [1, 8, 64].map(matched);
    // On how many treebanks the wide beam is ahead, and the sign test over them.
    let [(a, p), (b, q), (c, r)] = systems.map(|system| {
        let gains = treebanks.iter().map(|t| of(t, system, &wide) - of(t, system, &eight));
        let (ahead, behind): (Vec<f64>, Vec<f64>) = gains.filter(|gain| *gain != 0.0).partition(|gain| *gain > 0.0);
        (ahead.len(), sign_test(ahead.len(), behind.len()))
    });
    texts.says(&format!(
        "With arc-standard, arc-eager and arc-hybrid, training and parsing in a beam of 8 instead of one of 1 gives {} points, in one of \
         64 instead of one of 8 {} points (higher on {a}, {b} and {c} of ten treebanks; sign test, p = {p:.2}, {q:.3} and {r:.2})",
        gains(&eight, &one),
        gains(&wide, &eight)
    ));
    texts.says(&format!(
        "What was trained in a beam of 8 changes by {} points where it parses in one of 64, and what was trained in one of 64 by {} where \
         it parses in one of 8",
        gains("global b=8, width 64", "global b=8, width 8"),
        gains("global b=64, width 8", &wide)
    ));
    texts.says(&format!(
        "Models that were trained greedily, with exploration, lose {} points in a beam of 8",
        gains("greedy dynamic, width 8", "greedy dynamic, width 1").replace('−', "")
    ));
    let dynamic =
        |update: &str, width: &str| gains(&format!("{update} b=8, dynamic gold"), &format!("{update} b=8{width}"));
    texts.says(&format!(
        "training against all derivations of the gold tree (*dynamic gold*) instead of the canonical one changes LAS by {} points \
         with arc-standard, arc-eager and arc-hybrid, with max-violation updates by {}",
        dynamic("early", ""),
        dynamic("global", ", width 8")
    ));
    texts.says("ten treebanks, one seed, to the plateau");
}

fn updates(texts: &mut Texts) {
    let document = document("updates", "quick");
    let against = "perceptron, max-violation";
    let las = |system: &str, row: &str| score(&document, &format!("LAS: {system}"), "average", row);
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let [standard, eager, hybrid] =
        systems.map(|system| signed(las(system, "perceptron, standard") - las(system, against)));
    let store = records("updates");
    assert!(store.records().iter().all(|record| !is_cut_off(&record)));
    let iterations = range(&store.records().iter().map(|r| r.training.epochs.len() as f64).collect::<Vec<_>>());
    texts.says(&format!(
        "four treebanks of 300 sentences, to the plateau ({} to {} iterations, the limit stopped none), three seeds",
        iterations.0, iterations.1
    ));
    texts.says(&format!("(LAS {standard}, {eager} and {hybrid} for arc-standard, arc-eager and arc-hybrid)"));
    let ways = ["perceptron, early", against, "perceptron, laso"];
    let spread = |system: &str| {
        let (least, most) = range(&ways.map(|row| las(system, row)));
        most - least
    };
    let widest = systems.map(spread).into_iter().fold(0.0, f64::max);
    texts.says(&format!("early, max-violation and LaSO lie within {widest:.2} points of each other"));
    assert_eq!(store.records().len(), 15 * 3 * 4 * 3);
    let [standard, eager, hybrid] = systems.map(|system| signed(las(system, "dual averaging") - las(system, against)));
    texts.says(&format!(
        "Dual averaging, a perceptron without averages here, is behind it ({standard}, {eager} and {hybrid})"
    ));
    let [softmax_margin, loss_augmented] = ["softmax-margin, adagrad", "loss-augmented, perceptron"];
    for system in systems {
        let table = table(&document, &format!("LAS: {system}"));
        // Rows may stand in lines or in columns.
        let rows = || table.lines.iter().map(|line| &line[0].text).chain(&table.heads[1..]);
        for row in rows().filter(|row| row.contains(", ") && !row.starts_with("greedy") || *row == "adagrad") {
            assert!(row == softmax_margin || las(system, row) < las(system, softmax_margin), "{system}: {row}");
        }
    }
    texts.says("On test data softmax-margin is highest with all three systems");
    let chosen = [("arc-standard", softmax_margin), ("arc-hybrid", softmax_margin), ("arc-eager", loss_augmented)];
    for (system, row) in chosen {
        assert_eq!(best_on_development_data(&store, system), row, "{system}");
    }
    let [standard, hybrid, eager] = chosen.map(|(system, row)| signed(las(system, row) - las(system, against)));
    texts.says(&format!("({standard} and {hybrid} on max-violation by the perceptron, on test data)"));
    texts.says(&format!("loss-augmented perceptron with arc-eager ({eager})"));
    let wins = table(&document, "Who wins");
    let at = |head: &str| wins.heads.iter().position(|h| h == head).unwrap();
    let significant = chosen.map(|(system, row)| {
        let line = wins.lines.iter().find(|line| {
            line[at("column")].text == system && line[at("method")].text == row && line[at("score")].text == "LAS"
        });
        line.unwrap()[at("higher, p < .05")].value.unwrap()
    });
    texts.says(&format!(
        "significant on {}, {} and {} of the four treebanks",
        significant[0], significant[1], significant[2]
    ));
}

/// The row with a beam whose LAS on development data is highest for `system`, in the mean of treebanks and seeds.
fn best_on_development_data(store: &Store, system: &str) -> String {
    let mut scores: HashMap<&str, Vec<f64>> = HashMap::new();
    for record in store.records().iter().filter(|record| record.column == system && !record.row.starts_with("greedy")) {
        scores.entry(&record.row).or_default().push(record.decodings[0].dev.with_punctuation.las());
    }
    // All rows that are whole have as many trainings.
    let whole = scores.values().map(Vec::len).max().unwrap();
    scores.retain(|_, scores| scores.len() == whole);
    let best = scores.iter().max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
    (*best.unwrap().0).to_owned()
}

fn axis_of_search(texts: &mut Texts) {
    let document = document("search-axis", "quick");
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let las_on = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let las = |system: &str, row: &str| las_on("average", system, row);
    let rows = [
        "greedy static",
        "greedy explored",
        "beam, width 8",
        "beam, merging, width 8",
        "beam, merging, width 64",
        "beam 64, merging, standard",
        "exact",
        "exact, loss-augmented",
    ];
    for system in systems {
        texts.says(&format!("| {system} | {} |", rows.map(|row| format!("{:.2}", las(system, row))).join(" | ")));
    }
    texts.says(
        "LAS averaged over ten treebanks (Bulgarian, Danish, Dutch, English, Basque, German, Hungarian, Italian, Swedish, \
         Turkish), 500 training sentences each, trained to the plateau, one seed",
    );
    for head in [
        "| merging, 8 |",
        "| merging, 64 |",
        "| merging, 64, whole derivations |",
        "merging beam of 8",
        "merging beam of 64",
    ] {
        texts.says(head);
    }
    let diagnosis = table(&document, "Search errors and model errors");
    let errors = diagnosis.heads.iter().position(|head| head == "search errors %").unwrap();
    let most = |method: &str| {
        let lines = diagnosis.lines.iter().filter(|line| line[1].text == method);
        lines.map(|line| line[errors].value.unwrap()).fold(f64::NAN, f64::max)
    };
    texts.says(&format!("errs in at most {:.1} % of the sentences", most("beam, merging, width 8")));
    texts.says(&format!("a plain beam of 8 in at most {:.1} %", most("beam, width 8")));
    let (averages, treebanks) = {
        let heads = &table(&document, "LAS: arc-eager").heads;
        (heads.last().unwrap(), &heads[1..heads.len() - 1])
    };
    assert_eq!((averages.as_str(), treebanks.len()), ("average", 10));
    // The mean over systems on each treebank, and the sign test over these.
    let gains = |more: &str, less: &str| -> (f64, usize, f64) {
        let on = |t: &String| mean(&systems.map(|system| las_on(t, system, more) - las_on(t, system, less)));
        let gains: Vec<f64> = treebanks.iter().map(on).collect();
        let ahead = gains.iter().filter(|gain| **gain > 0.0).count();
        (mean(&gains), ahead, sign_test(ahead, gains.len() - ahead))
    };
    let gaps = |more: &str, less: &str| systems.map(|system| las(system, more) - las(system, less));
    let (gain, ahead, p) = gains("beam, merging, width 8", "beam, width 8");
    texts
        .says(&format!("{gain:.2} points ahead of the plain one, on {ahead} of ten treebanks (sign test, p = {p:.3})"));
    let (gain, ahead, p) = gains("beam, merging, width 8", "exact");
    texts.says(&format!("{gain:.2} points ahead of exact search, on {ahead} of ten (p = {p:.2})"));
    let (gain, ahead, p) = gains("exact", "beam, width 8");
    texts.says(&format!("Exact search is {gain:.2} points ahead of the plain beam, on {ahead} of ten (p = {p:.2})"));
    let (gain, ahead, p) = gains("exact, loss-augmented", "beam, width 8");
    texts.says(&format!("{gain:.2} when the loss is added to its scores (on {ahead} of ten, p = {p:.2})"));
    let (least, most) = range(&gaps("beam, merging, width 64", "beam 64, merging, standard"));
    let (_, ahead, p) = gains("beam, merging, width 64", "beam 64, merging, standard");
    assert_eq!(ahead, 10);
    texts.says(&format!(
        "loses {least:.2} to {most:.2} points when it learns from whole derivations, as exact search has to, on all ten (p = {p:.3})"
    ));
    let (gain, ahead, p) = gains("exact", "greedy explored");
    assert_eq!(ahead, 10);
    texts.says(&format!("ahead of greedy training with exploration by {gain:.2} points, on all ten (p = {p:.3})"));
    let (least, most) = range(&gaps("exact, loss-augmented", "exact"));
    let [least, most] = [least, most].map(signed);
    texts.says(&format!("The loss added to the scores changes exact training by {least} to {most} points"));
    let store = records("search-axis");
    let cut_off = store.records().iter().filter(is_cut_off).count();
    texts.says(&format!("The limit of 25 iterations stopped {cut_off} of the {} trainings", store.records().len()));
    texts.says("(ten treebanks, 500 sentences each, one seed)");
}

fn networks(texts: &mut Texts) {
    let document = document("neural-global-vs-greedy", "quick");
    let store = records("neural-global-vs-greedy");
    assert_eq!(store.records().len(), 2 * 4 * 19);
    let systems = ["arc-standard", "arc-eager", "arc-hybrid", "swap"];
    let treebanks = ["hu_szeged", "tr_imst"];
    let on = |system: &str, treebank: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let of_treebank = |treebank: &str, row: &str| mean(&systems.map(|system| on(system, treebank, row)));
    let las = |row: &str| mean(&treebanks.map(|treebank| of_treebank(treebank, row)));
    texts.says(
        "152 trainings; 500 Hungarian and 500 Turkish sentences, one seed; LAS on test data averaged over four systems and the two \
         treebanks",
    );
    let epochs = |row: &str| store.records().iter().find(|record| record.row == row).unwrap().training.epochs.len();
    let [local, global] = ["bilstm, explored", "bilstm, CRF latent"].map(epochs);
    texts.says(&format!("Networks learned for {local} iterations, and for {global} more in global training"));
    texts.says("decoded at width 1 and at width 8, the rest at width 8");
    texts.says("| | static, 1 | static, 8 | explored, 1 | explored, 8 | global, static gold |");
    let scorers = ["linear", "feed-forward", "bilstm", "stack-lstm"];
    let greedy = ["static, width 1", "static, width 8", "explored, width 1", "explored, width 8"];
    let global = |scorer: &str| match scorer {
        "linear" => &["global static", "global latent"][..],
        _ => &["CRF static", "CRF latent", "frozen perceptron"],
    };
    let of = |scorer: &str, row: &str| las(&format!("{scorer}, {row}"));
    for scorer in scorers {
        let rows = greedy.iter().chain(global(scorer));
        let cells: Vec<String> = rows.map(|row| format!("{:.2}", of(scorer, row))).collect();
        texts.says(&format!("| {scorer} | {} |", cells.join(" | ")));
    }
    let latent = |scorer: &str| of(scorer, global(scorer)[1]);
    let [a, b, c, d] = scorers.map(|scorer| signed(of(scorer, "explored, width 8") - of(scorer, "explored, width 1")));
    texts.says(&format!(
        "changes the linear model by {a}, the feed-forward network by {b}, the bilstm by {c} and the stack-LSTM by {d}"
    ));
    let [a, b, c, d] = scorers.map(|scorer| signed(latent(scorer) - of(scorer, "explored, width 8")));
    let on_each = treebanks.map(|treebank| {
        let gain = |scorer: &str| {
            let row = |row: &str| of_treebank(treebank, &format!("{scorer}, {row}"));
            signed(row(global(scorer)[1]) - row("explored, width 8"))
        };
        let [a, b, c, d] = scorers.map(gain);
        format!("{a}, {b}, {c} and {d}")
    });
    texts.says(&format!(
        "global training changes them by {a}, {b}, {c} and {d} in the same beam (on Hungarian by {}, on Turkish by {})",
        on_each[0], on_each[1]
    ));
    let [a, b, c, d] = scorers.map(|scorer| signed(latent(scorer) - of(scorer, "explored, width 1")));
    texts.says(&format!("Together, from greedy to global, these are {a}, {b}, {c} and {d} points"));

    exact_networks(texts);
}

fn networks_elsewhere(texts: &mut Texts) {
    let document = document("networks", "quick");
    let held_out = ["de_gsd_reduced", "it_partut", "sv_lines", "tr_imst"];
    let treebanks = ["hu_szeged"].into_iter().chain(held_out);
    let of = |row: &str, treebank: &str| score(&document, "LAS: arc-hybrid", treebank, row);
    let elsewhere = |row: &str| mean(&held_out.map(|treebank| of(row, treebank)));
    texts.says("five whole treebanks of 910 to 3,435 sentences, arc-hybrid, one seed");
    texts.says("how many iterations they take on 500 of the Hungarian sentences");
    texts.says("| | Hungarian | German | Italian | Swedish | Turkish | mean of the last four |");
    for (name, row) in [
        ("linear, explored, greedily", "linear, explored, width 1"),
        ("the same, in a beam of 8", "linear, explored, width 8"),
        ("linear, globally", "linear, global latent"),
        ("feed-forward, explored, greedily", "feed-forward, explored, width 1"),
        ("the same, in a beam of 8", "feed-forward, explored, width 8"),
        ("the same, then globally", "feed-forward, CRF latent"),
        ("bilstm, explored, greedily", "bilstm, explored, width 1"),
        ("the same, in a beam of 8", "bilstm, explored, width 8"),
        ("the same, then globally", "bilstm, CRF latent"),
    ] {
        let cells: Vec<String> = treebanks.clone().map(|treebank| format!("{:.2}", of(row, treebank))).collect();
        texts.says(&format!("| {name} | {} | {:.2} |", cells.join(" | "), elsewhere(row)));
    }
    let gain = |row: &str, other: &str| signed(elsewhere(row) - elsewhere(other));
    let beyond = |scorer: &str| {
        let [greedy, beam] = [1, 8].map(|width| format!("{scorer}, explored, width {width}"));
        let global = format!("{scorer}, CRF latent");
        [gain(&greedy, "linear, global latent"), gain(&beam, &greedy), gain(&global, &beam)]
    };
    let [a, b, c] = beyond("feed-forward");
    let [d, e, f] = beyond("bilstm");
    texts.says(&format!(
        "In the mean of the four held-out treebanks the greedy feed-forward network is {a} and the greedy encoder {d} points from the \
         linear model that was trained globally; a beam of 8 changes them by {b} and {e}, global training in it by {c} and {f}"
    ));
    let small = |row: &str| signed(of(row, "hu_szeged") - of("linear, global latent", "hu_szeged"));
    texts.says(&format!(
        "on Hungarian, with 910 sentences, the two in a beam of 8 are {} and {} points from it",
        small("feed-forward, explored, width 8"),
        small("bilstm, explored, width 8")
    ));
    // Every network against both linear models.
    for scorer in ["feed-forward", "bilstm"] {
        for row in ["explored, width 1", "explored, width 8", "CRF latent"] {
            for against in ["linear, global latent", "linear, explored"] {
                let row = format!("{scorer}, {row}");
                let wins = wins(&document, "arc-hybrid", &row, against, Metric::Las);
                assert_eq!((wins.n, wins.surely_higher), (5, 5), "{row}, {against}");
            }
        }
    }
    let store = records("networks");
    let of = |how: &str| -> Vec<&Record> {
        let is_network = |record: &&Record| !record.row.starts_with("linear") && record.row.ends_with(how);
        store.records().iter().filter(is_network).collect()
    };
    let n_last = |records: &[&Record]| {
        records.iter().filter(|r| r.training.kept_epoch as usize == r.training.epochs.len()).count()
    };
    assert_eq!(n_last(&of("explored")), 0);
    texts.says("No network that was trained on single decisions was best in its last iteration");
    let global = of("CRF latent");
    assert!(global.iter().all(|record| record.training.epochs.len() == 3));
    texts.says(&format!(
        "of the {} that were then trained globally, for three iterations, {} were",
        global.len(),
        n_last(&global)
    ));
    let n = |row: &str| wins(&document, "arc-hybrid", row, "linear, global latent", Metric::Las).surely_higher;
    texts.says(&format!(
        "significantly higher than that model on {} and {} of five treebanks",
        n("feed-forward, explored, width 8"),
        n("bilstm, explored, width 8")
    ));
}

fn exact_networks(texts: &mut Texts) {
    let document = document("exact-networks", "quick");
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let treebanks = [("Hungarian", "hu_szeged"), ("Turkish", "tr_imst")];
    let rows = [
        "greedy explored",
        "greedy explored, tanh",
        "beam 8 after exploration",
        "exact after exploration",
        "exact after exploration, tanh",
        "beam 8, tanh",
        "exact",
        "exact, tanh",
    ];
    let las = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    for (name, treebank) in treebanks {
        for system in systems {
            let cells = rows.map(|row| format!("{:.2}", las(treebank, system, row)));
            texts.says(&format!("| {name}, {system} | {} |", cells.join(" | ")));
        }
    }
    texts.says("LAS on Hungarian-Szeged and Turkish-IMST, 500 training sentences each, two layers of 2 × 128,");
    texts.says(
        "36 iterations, one seed; whole derivations are learned by the same loss in all rows, by 4 iterations more",
    );
    let beyond = |treebank: &str, row: &str, other: &str| -> Vec<f64> {
        systems.iter().map(|system| las(treebank, system, row) - las(treebank, system, other)).collect()
    };
    let both = |row: &str, other: &str| [beyond("hu_szeged", row, other), beyond("tr_imst", row, other)].concat();
    let changes = |gains: &[f64]| {
        let (least, most) = range(gains);
        format!("{} to {}", signed(least), signed(most))
    };
    let surely = |row: &str| {
        let wins = systems.map(|system| wins(&document, system, row, "greedy explored", Metric::Las));
        [wins.iter().map(|wins| wins.surely_higher).sum(), wins.iter().map(|wins| wins.surely_lower).sum::<usize>()]
    };
    let numbers = ["none", "one", "two", "three", "four", "five", "all"];
    let after = ["exact after exploration", "beam 8 after exploration"];
    let [exact, beam] = after.map(|row| changes(&both(row, "greedy explored")));
    let [[up, down], [up_in_a_beam, down_in_a_beam]] = after.map(surely);
    assert_eq!([down, down_in_a_beam], [0, 0]);
    texts.says("After exploration 4 iterations of global training with exact search");
    texts.says(&format!(
        "change LAS by {exact} points, significantly upwards in {} of six comparisons and downwards in none, and as many with a beam of 8 \
         by {beam}, in {}; between the two lie {} points",
        numbers[up],
        numbers[up_in_a_beam],
        changes(&both(after[0], after[1]))
    ));
    texts.says(&format!("change LAS by {exact} points, and as many with a beam of 8 by {beam}."));
    let gains = |treebank: &str| beyond(treebank, "exact, tanh", "greedy explored");
    let (least, most) = range(&gains("hu_szeged"));
    let (behind, ahead) = range(&gains("tr_imst"));
    let (least_lost, most_lost) = range(&both("exact, tanh", "beam 8, tanh"));
    assert!(least_lost > 0.0);
    texts.says(&format!(
        "{least:.2} to {most:.2} points ahead of greedy exploration on Hungarian, significantly in all three systems, and from {:.2} points \
         behind it to {ahead:.2} ahead on Turkish, nowhere significantly; a beam of 8 that learns from random parameters in the same way is \
         behind exact search in all six comparisons, by {least_lost:.2} to {most_lost:.2} points",
        -behind
    ));
    assert_eq!(surely("exact, tanh"), [3, 0]);
    for system in systems {
        assert!(rows.iter().all(|row| las("hu_szeged", system, row) <= las("hu_szeged", system, "exact, tanh")));
    }
    texts.says(&format!(
        "To greedy training tangents give {} points",
        changes(&both("greedy explored, tanh", "greedy explored"))
    ));
}

fn margins_and_features(texts: &mut Texts) {
    let margins = document("beam-margin", "quick");
    let las = |margin: &str, width: u32| score(&margins, "LAS: all", "average", &format!("{margin}, width {width}"));
    let margins = ["margin 99 %", "margin 99.5 %", "margin 99.9 %", "margin 100 %"];
    let changes =
        [8, 16, 32, 64].map(|width| margins.map(|margin| (las(margin, width) - las("no margin", width)).abs()));
    let most = changes.as_flattened().iter().fold(0.0_f64, |most, change| most.max(*change));
    texts.says("five treebanks of 910 to 1,500 sentences, arc-eager, one seed");
    texts.says(&format!(
        "margins that keep 99 to 100 % of the winning derivations of the development data change LAS by {most:.2} points at most"
    ));
    let (eager, stack) = (document("features", "quick"), document("features-stack", "quick"));
    let gain = |document: &Document, base: &str, column: &str, group: &str| {
        let las = |row: &str| score(document, &format!("LAS: {column}"), "average", row);
        las(&format!("{base} and {group}")) - las(base)
    };
    let columns = ["arc-eager, greedy", "arc-eager, width 8"];
    let groups = ["below", "buffer", "tree", "history", "context"];
    let gains = columns.map(|column| groups.map(|group| gain(&eager, "zn11", column, group)));
    let [(low, high), (low_8, high_8)] = gains.map(|gains| range(&gains));
    texts.says("four treebanks and two of 910 to 1,000 sentences, to the plateau, one seed");
    texts.says(&format!(
        "changes LAS by {} to {} points greedily and by {} to {} at width 8",
        signed(low),
        signed(high),
        signed(low_8),
        signed(high_8)
    ));
    let rich = columns.map(|column| {
        let las = |row: &str| score(&eager, &format!("LAS: {column}"), "average", row);
        signed(las("zn11, tree and context") - las("zn11"))
    });
    texts.says(&format!("`eager-rich` by {} and {}", rich[0], rich[1]));
    for group in groups {
        for (column, treebank, sign) in [(columns[0], "en_ewt", 1.0), (columns[1], "tr_imst", -1.0)] {
            let las = |row: &str| score(&eager, &format!("LAS: {column}"), treebank, row);
            assert!((las(&format!("zn11 and {group}")) - las("zn11")) * sign > 0.0, "{column}, {treebank}, {group}");
        }
    }
    let hybrid = ["arc-hybrid, greedy", "arc-hybrid, width 8"];
    let [history, beside] = ["history", "stack-context"]
        .map(|group| hybrid.map(|column| format!("{:.2}", gain(&stack, "stack", column, group))));
    texts.says(&format!(
        "the history of the last actions adds {} points with greedy arc-hybrid and {} at width 8, the words beside \
         (`stack-context`) {} and {}",
        history[0], history[1], beside[0], beside[1]
    ));
    let both =
        ["arc-hybrid, greedy", "arc-hybrid, width 8", "arc-standard, greedy", "arc-standard, width 8"].map(|column| {
            let las = |row: &str| score(&stack, &format!("LAS: {column}"), "average", row);
            signed(las("stack, stack-tree and stack-context") - las("stack"))
        });
    texts
        .says(&format!("`stack-rich`, {} and {}, and {} and {} with arc-standard", both[0], both[1], both[2], both[3]));
    for column in ["arc-standard, greedy", "arc-standard, width 8"] {
        for group in ["stack-below", "buffer", "stack-tree", "history", "stack-context"] {
            assert!(gain(&stack, "stack", column, group) <= 0.0, "{column}, {group}");
        }
    }
}

fn ingredients(texts: &mut Texts) {
    let store = records("en-ewt-targets");
    let decoding = |row: &str, width: usize| {
        let record = store.records().iter().find(|record| record.row == row).unwrap();
        record.decodings.iter().find(|decoding| decoding.width == width).unwrap()
    };
    let las = |row: &str, width: usize| {
        let decoding = decoding(row, width);
        [&decoding.dev, &decoding.test].map(|scores| scores.with_punctuation.las())
    };
    let mut line = |name: &str, row: &str, width: usize, base: &str| {
        let ([dev, test], [_, base]) = (las(row, width), las(base, width));
        let gain = if row.starts_with("zn11") && !row.contains(',') || row == "greedy, zn11, 4 replicas" {
            String::new()
        } else {
            format!(" {}", signed(test - base))
        };
        texts.says(&format!("| {name} | {width} | {dev:.2} | {test:.2} |{gain} |"));
    };
    for (name, row) in [
        ("`zn11`", "zn11"),
        ("`zn11+context`", "context"),
        ("`eager-rich`", "rich"),
        ("`eager-rich`, loss-augmented", "rich, losses"),
        ("`zn11`, four replicas", "zn11, 4 replicas"),
        ("`eager-rich`, four replicas", "rich, 4 replicas"),
    ] {
        for width in [8, 64] {
            line(name, row, width, "zn11");
        }
    }
    for (name, row) in [
        ("greedy, `zn11`, four replicas", "greedy, zn11, 4 replicas"),
        ("greedy, `eager-rich`, four replicas", "greedy, rich, 4 replicas"),
        ("greedy, `eager-rich+history`, four replicas", "greedy, rich and history, 4 replicas"),
        ("greedy, `eager-rich+below+buffer`, four replicas", "greedy, all but history, 4 replicas"),
        ("the same, always exploring", "greedy, all but history, always exploring, 4 replicas"),
        ("the same, non-monotonic", "greedy, non-monotonic, always exploring, 4 replicas"),
        ("learning to search, `eager-rich`, four replicas", "search, rich, 4 replicas"),
    ] {
        line(name, row, 1, "greedy, zn11, 4 replicas");
    }
    for row in ["eisner", "eisner-2", "eisner-3"] {
        let [dev, test] = las(row, 1);
        texts.says(&format!("| `{row}` | | {dev:.2} | {test:.2} | |"));
    }
    let siblings = las("eisner-2", 1)[1] - las("eisner", 1)[1];
    texts.says(&format!("those of neighbouring siblings besides (`eisner-2`, {})", signed(siblings)));
    let test = |row: &str, width: usize| las(row, width)[1];
    let third = test("eisner-3", 1);
    texts.says(&format!("those of grandparents, too (`eisner-3`, {})", signed(third - test("eisner", 1))));
    assert!(third > test("greedy, zn11, 4 replicas", 1) && third < test("greedy, rich, 4 replicas", 1));
    let uas = |row: &str, width: usize| decoding(row, width).test.with_punctuation.uas();
    texts.says(&format!(
        "it is {:.2} points behind in LAS and {:.2} ahead in UAS",
        test("zn11", 8) - third,
        uas("eisner-3", 1) - uas("zn11", 8)
    ));
    let iterations = || store.records().iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "the whole treebank, arc-eager, to the plateau ({} to {} iterations), one seed",
        iterations().min().unwrap(),
        iterations().max().unwrap()
    ));
}

fn networks_on_english(texts: &mut Texts) {
    let store = records("en-ewt-networks");
    assert_eq!(store.records().len(), 13 * 3);
    // On development and on test data, in the mean of the seeds.
    let las = |row: &str, width: usize| {
        let of_row = store.records().iter().filter(|record| record.row == row);
        let decodings = of_row.flat_map(|record| &record.decodings).filter(|decoding| decoding.width == width);
        let scores = decodings.map(|d| [&d.dev, &d.test].map(|scores| scores.with_punctuation.las()));
        let (dev, test): (Vec<f64>, Vec<f64>) = scores.map(|[dev, test]| (dev, test)).unzip();
        [mean(&dev), mean(&test)]
    };
    texts.says("no vectors from outside, means of three seeds");
    for (name, row, widths) in [
        ("feed-forward, 200 units, static", "feed-forward 200, static", &[1, 8][..]),
        ("feed-forward, 200 units, explored", "feed-forward 200, explored", &[1, 8, 64]),
        ("feed-forward, 300 units, explored", "feed-forward 300, explored", &[1, 8]),
        ("feed-forward, 400 units, static", "feed-forward 400, static", &[1, 8]),
        ("feed-forward, 400 units, explored", "feed-forward 400, explored", &[1, 8]),
        ("the same, then globally", "feed-forward 400, CRF latent", &[8, 32]),
        ("`chen-manning`, 200 units, static", "chen-manning 200, static", &[1, 8]),
        ("bilstm of 128, explored", "bilstm, explored", &[1, 8]),
        ("the same, then globally", "bilstm, CRF latent", &[8, 32]),
        ("bilstm of 192, explored", "bilstm 192, explored", &[1, 8]),
        ("the same, then globally", "bilstm 192, CRF latent", &[8, 32]),
        ("bilstm of 256, explored", "bilstm 256, explored", &[1, 8, 32]),
    ] {
        for &width in widths {
            let [dev, test] = las(row, width);
            texts.says(&format!("| {name} | {width} | {dev:.2} | {test:.2} |"));
        }
    }
    let [dev, test] = las("biaffine", 1);
    texts.says(&format!("| biaffine | | {dev:.2} | {test:.2} |"));
    // Of all rows and widths.
    let widths = |record: &Record| -> Vec<usize> { record.decodings.iter().map(|decoding| decoding.width).collect() };
    let all = store.records().iter().flat_map(|record| widths(record).into_iter().map(|width| (&*record.row, width)));
    let best = all.max_by(|a, b| las(a.0, a.1)[0].total_cmp(&las(b.0, b.1)[0]));
    assert_eq!(best.unwrap(), ("bilstm 256, explored", 32));
    let [dev, test] = las("bilstm 256, explored", 32);
    texts.says(&format!(
        "The encoder of 256 units in a beam of 32 is the best of all on development data, {dev:.2}, and has {test:.2} on test data"
    ));
    let gain = |row: &str, from: usize, other: &str, to: usize| las(other, to)[1] - las(row, from)[1];
    let explored =
        ["feed-forward 200, explored", "feed-forward 400, explored", "bilstm, explored", "bilstm 192, explored"];
    let [small, large, encoder, larger] = explored.map(|row| gain(row, 1, row, 8));
    texts.says(&format!(
        "networks of 200 and 400 units without an encoder gain {small:.2} and {large:.2} points by a beam of 8, those with an encoder \
         of 128 and 192 units {encoder:.2} and {larger:.2}"
    ));
    // The same where trainings are named first.
    texts.says(&format!(
        "networks of 200 and 400 units without an encoder, trained greedily with exploration, gain {small:.2} and {large:.2} points by \
         a beam of 8, those with an encoder of 128 and 192 units {encoder:.2} and {larger:.2}"
    ));
    texts.says(&format!(
        "global training changes the network of 400 units by {}, the encoder of 128 by {} and that of 192 by {}",
        signed(gain("feed-forward 400, explored", 8, "feed-forward 400, CRF latent", 8)),
        signed(gain("bilstm, explored", 8, "bilstm, CRF latent", 8)),
        signed(gain("bilstm 192, explored", 8, "bilstm 192, CRF latent", 8))
    ));
    texts.says(&format!(
        "In the network of 200 units exploration adds {:.2} greedily, in that of 400 units {:.2}",
        gain("feed-forward 200, static", 1, "feed-forward 200, explored", 1),
        gain("feed-forward 400, static", 1, "feed-forward 400, explored", 1)
    ));
    let is_last = |record: &&Record| record.training.kept_epoch as usize == record.training.epochs.len();
    let n_last = store.records().iter().filter(is_last).count();
    texts.says(&format!("{n_last} of the {} trainings were best in their last one", store.records().len()));
}

/// The lines of a file of tab-separated values, by the heads of its columns.
fn tsv(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').map(str::to_owned));
    let heads: Vec<String> = lines.next().unwrap().collect();
    lines.map(|line| heads.iter().cloned().zip(line).collect()).collect()
}

/// Learning to search beside a dynamic oracle, with the paper's passes and to the plateau, by rates chosen on development data.
fn learning_to_search(texts: &mut Texts) {
    let document = document("l2s-table3", "quick");
    let store = records("l2s-table3");
    assert_eq!(document.progress.as_ref().map(|p| (p.done, p.cells)), Some((100, 100)));
    let to_the_plateau = || store.records().iter().filter(|record| record.row != "L2S, 3 passes");
    let passes = to_the_plateau().map(|record| record.training.epochs.len());
    let n_stopped = to_the_plateau().filter(is_cut_off).count();
    texts.says(&format!(
        "ten treebanks of 500 sentences, one seed, all rows but one to the plateau ({} to {} iterations, the limit of 40 stopped {} of \
         90)",
        passes.clone().min().unwrap(),
        passes.max().unwrap(),
        if n_stopped == 0 { "none".to_owned() } else { n_stopped.to_string() }
    ));
    let dev = |row: &str| {
        let of_row = store.records().iter().filter(|record| record.row == row);
        mean(&of_row.map(|record| record.decodings[0].dev.without_punctuation.las()).collect::<Vec<_>>())
    };
    let without_rare = ["L2S", "L2S, rate 0.01", "L2S, rate 0.02"];
    let all_features = [
        "L2S, all features, rate 0.0025",
        "L2S, all features",
        "L2S, all features, rate 0.01",
        "L2S, all features, rate 0.02",
    ];
    let ([low, middle, high], [a, b, c, d]) = (without_rare.map(dev), all_features.map(dev));
    texts.says(&format!(
        "LAS on development data is {low:.2}, {middle:.2} and {high:.2} in the mean at rates of 0.005 (the paper's), 0.01 and 0.02 where rare \
         features are left out, and {a:.2}, {b:.2}, {c:.2} and {d:.2} at 0.0025, 0.005, 0.01 and 0.02 with all features"
    ));
    let rows = without_rare.iter().chain(&all_features);
    let best = rows.max_by(|one, other| dev(one).total_cmp(&dev(other))).unwrap();
    let gain = |row: &str, metric| wins(&document, "all", row, "Dyna", metric);
    let rows = ["L2S, 3 passes", "L2S", best];
    let unlabelled = rows.map(|row| gain(row, Metric::Uas));
    let labelled = rows.map(|row| gain(row, Metric::Las));
    texts.says(&format!(
        "With the paper's three passes it is {:.2} points of UAS and {:.2} of LAS behind the perceptron with a dynamic oracle (paper: {:.2} \
         and {:.2} ahead), lower on {} and {} of ten",
        -unlabelled[0].mean,
        -labelled[0].mean,
        unlabelled[0].paper.unwrap(),
        labelled[0].paper.unwrap(),
        unlabelled[0].lower,
        labelled[0].lower
    ));
    texts.says(&format!(
        "to the plateau at the paper's rate {} and {} from it, and at the best rate {} and {}",
        signed(unlabelled[1].mean),
        signed(labelled[1].mean),
        signed(unlabelled[2].mean),
        signed(labelled[2].mean)
    ));
    texts.says(&format!(
        "higher in LAS on {} of ten ({} significantly), lower on {} ({}), p = {:.2} by signs",
        labelled[2].higher, labelled[2].surely_higher, labelled[2].lower, labelled[2].surely_lower, labelled[2].p
    ));
    let [snn_uas, snn_las] = [Metric::Uas, Metric::Las].map(|metric| gain("Snn", metric));
    texts.says(&format!(
        "The static neural parser is {} points of UAS and {} of LAS from the perceptron (paper {} and {}), higher in LAS on {} of ten, p = \
         {:.3}",
        signed(snn_uas.mean),
        signed(snn_las.mean),
        signed(snn_uas.paper.unwrap()),
        signed(snn_las.paper.unwrap()),
        snn_las.higher,
        snn_las.p
    ));
}

/// How fast it is: the full profile, in which every width has a model of its own, and beside it a newer processor, on which less was run.
fn speed(texts: &mut Texts) {
    let folder = results().join("throughput");
    let lines = tsv(&folder.join("full.tsv"));
    let of = |line: &HashMap<String, String>, head: &str| -> f64 { line[head].parse().unwrap() };
    let text = fs::read_to_string(folder.join("full.md")).unwrap();
    let revision = text.lines().find_map(|line| line.strip_prefix("revision: ")).unwrap();
    let records = String::from_utf8(read_whole(&Folder::new(&folder).records()).unwrap()).unwrap();
    let trainings: HashMap<String, serde_json::Value> = records
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|record| record["figures"]["kind"] == "training" && record["provenance"]["revision"] == revision)
        .map(|record| {
            let step = record["step"].as_str().unwrap();
            (step.split(':').next().unwrap().to_owned(), record["figures"].clone())
        })
        .collect();
    let found = |lines: &[HashMap<String, String>], width: &str, threads: &str| {
        let is_meant =
            |l: &&HashMap<String, String>| l["input"] == "test" && l["width"] == width && l["threads"] == threads;
        lines.iter().find(is_meant).unwrap().clone()
    };
    assert!(text.contains("machine: AMD EPYC"));
    texts.says("on one core (AMD EPYC, Zen 4)");
    let (mut slower, mut speeds) = (HashMap::new(), HashMap::new());
    let widths = ["1", "2", "4", "8", "16", "32", "64", "128"];
    for width in widths {
        let line = found(&lines, width, "1");
        assert!(line["trained"] == "greedy" || line["trained"] == format!("beam {width}"), "a model of its own");
        let tokens_per_s = of(&line, "tokens_per_s");
        let sentences_per_s = tokens_per_s * of(&line, "sentences") / of(&line, "tokens");
        let times = of(&line, "times_greedy");
        let training = &trainings[&line["trained"]];
        slower.insert(width, times);
        speeds.insert(width, rounded(tokens_per_s, 3));
        texts.says(&format!(
            "| {width} | {:.2} | {} | {} | {:.1} | {} | {:.0} MB | {} iterations in {:.0} s |",
            of(&line, "las"),
            rounded(tokens_per_s, 3),
            rounded(sentences_per_s, 3),
            of(&line, "cpu_us_per_token"),
            if times == 1.0 { "1".to_owned() } else { format!("{times:.1}") },
            of(&line, "peak_rss_bytes") / 1e6,
            training["iterations"].as_array().unwrap().len(),
            training["used"]["wall_s"].as_f64().unwrap()
        ));
    }
    let faster = ["1", "8", "64"].map(|width| {
        let with = |threads: &str| of(&found(&lines, width, threads), "tokens_per_s");
        with("2") / with("1")
    });
    texts.says(&format!(
        "two threads are {:.1} times as fast as one greedily, {:.1} times at width 8 and {:.1} times at width 64",
        faster[0], faster[1], faster[2]
    ));
    texts.says(&format!(
        "parsing takes {:.1} times as long at width 8 as greedily, and {:.1} times at width 64 (English-EWT, `zn11`, one core: {}, {} \
         and {} words a second)",
        slower["8"], slower["64"], speeds["1"], speeds["8"], speeds["64"]
    ));
    let newer = tsv(&folder.join("quick.tsv"));
    let speeds_there = ["1", "8", "64"].map(|width| rounded(of(&found(&newer, width, "1"), "tokens_per_s"), 3));
    texts.says(&format!(
        "On a newer processor (Zen 5) it was {}, {} and {} tokens a second at widths 1, 8 and 64",
        speeds_there[0], speeds_there[1], speeds_there[2]
    ));
    let extremes = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (low, high) = extremes(&mut trainings.values().map(|t| t["model_bytes"].as_f64().unwrap() / 1e6));
    texts.says(&format!("files of {low:.0} to {high:.0} MB"));
    let (low, high) = extremes(&mut lines.iter().map(|line| of(line, "load_ms")));
    texts.says(&format!("models load in {low:.0} to {high:.0} ms"));
    let joined = |width: &str| -> Vec<(f64, f64)> {
        let of_width = lines.iter().filter(|l| l["input"] == "joined" && l["width"] == width);
        of_width.map(|line| (of(line, "words"), of(line, "cpu_us_per_token"))).collect()
    };
    let ends = |width: &str| {
        let points = joined(width);
        (points[0], points[points.len() - 1])
    };
    let longer = widths.map(|width| ends(width).1.1 / ends(width).0.1);
    let (least, most) = range(&longer);
    assert!(most < 1.1, "no longer in a long sentence than in a short one");
    let (((short, _), (long, _)), n_widths) = (ends("8"), widths.len());
    texts.says(&format!(
        "a token takes {least:.2} to {most:.2} times as long in a sentence of {long:.0} words as in one of {short:.0}, at any of {n_widths} \
         widths"
    ));
    texts.says(&format!("all widths to {}", widths[n_widths - 1]));
}

/// Other parsers on the same machine, and what was measured of some elsewhere.
fn peers(texts: &mut Texts) {
    let lines = tsv(&results().join("peers/full.tsv"));
    let of = |name: &str, head: &str| -> f64 {
        lines.iter().find(|line| line["program"] == name).unwrap()[head].parse().unwrap()
    };
    let names = [
        "treebeam greedy, beam 1",
        "treebeam global, beam 8",
        "treebeam global, beam 64",
        "UDPipe, beam 1",
        "UDPipe, beam 5",
        "spaCy",
    ];
    assert_eq!(lines.len(), names.len());
    for name in names {
        texts.says(&format!(
            "| {name} | {:.2} | {} | {:.0} MB | {} | {:.1} MB |",
            of(name, "las"),
            rounded(of(name, "tokens_per_cpu_s"), 3),
            of(name, "peak_parsing_mb"),
            rounded(of(name, "training_cpu_s"), 3),
            of(name, "model_mb")
        ));
    }
    let speed = |name: &str| of(name, "tokens_per_cpu_s");
    texts.says(&format!(
        "A beam of 8 takes {:.2} times and one of 64 {:.1} times the processor time of UDPipe's greedy mode, the fastest of the others",
        speed("UDPipe, beam 1") / speed("treebeam global, beam 8"),
        speed("UDPipe, beam 1") / speed("treebeam global, beam 64")
    ));
    let text = fs::read_to_string(results().with_file_name("experiments").join("peers.toml")).unwrap();
    let spec: toml::Table = text.parse().unwrap();
    let parsers = spec["elsewhere"][1]["parser"].as_array().unwrap();
    let times = |width: i64| {
        let speed = |name: &str| {
            let is_meant = |p: &&toml::Value| {
                p["name"].as_str().unwrap().starts_with(name) && p["width"].as_integer() == Some(width)
            };
            parsers.iter().find(is_meant).unwrap()["tokens-per-cpu-second"].as_float().unwrap()
        };
        speed("treebeam, 4 replicas") / speed("redshift 2016")
    };
    texts.says(&format!(
        "an earlier release of treebeam was {:.1} times as fast as redshift at width 8 and {:.1} times at width 64",
        times(8),
        times(64)
    ));
}

fn alignment(texts: &mut Texts) {
    let document = document("alignment", "quick");
    let store = records("alignment");
    let passes = || store.records().iter().map(|record| record.training.epochs.len());
    assert_eq!(store.records().iter().filter(is_cut_off).count(), 0);
    texts.says(&format!(
        "four treebanks of at most 600 sentences, one seed, to the plateau ({} to {} iterations, the limit stopped none)",
        passes().min().unwrap(),
        passes().max().unwrap()
    ));
    let gain = |system: &str, row: &str, against: &str| wins(&document, system, row, against, Metric::Las);
    assert_eq!(gain("easy-first", "words", "steps").mean, 0.0, "the same models");
    let differ = [
        "arc-eager-repair",
        "arc-eager-unshift",
        "attardi",
        "swap",
        "covington",
        "covington-nonlocal",
        "covington-nonmonotonic",
    ];
    let words = differ.map(|system| gain(system, "words", "steps"));
    let (most, least) = range(&words.each_ref().map(|wins| -wins.mean));
    assert!(most > 0.0, "lower with all");
    texts.says(&format!(
        "is {most:.2} to {least:.2} points of LAS worse in the mean of the treebanks, significantly in {} of {} pairs of a system and a \
         treebank, and better in {}, nowhere significantly",
        words.iter().map(|wins| wins.surely_lower).sum::<usize>(),
        words.iter().map(|wins| wins.n).sum::<usize>(),
        words.iter().map(|wins| wins.higher).sum::<usize>(),
    ));
    assert!(words.iter().all(|wins| wins.surely_higher == 0));
    let unequal = ["arc-eager-repair", "arc-eager-unshift", "swap", "covington", "covington-nonmonotonic"];
    let means = unequal.map(|system| gain(system, "steps, length", "steps").mean);
    assert!(["attardi", "covington-nonlocal"].iter().all(|s| gain(s, "steps, length", "steps").mean == 0.0));
    let (lowest, highest) = range(&means);
    texts.says(&format!("changes LAS by {} to {} points", signed(lowest), signed(highest)));
    assert!(means[1] > 0.0 && means[2] > 0.0 && means[0] < 0.0 && means[3] < 0.0 && means[4] < 0.0);
    let beam = |system: &str| signed(gain(system, "steps", "exploration").mean);
    texts.says(&format!(
        "ahead of greedy training with exploration with Attardi's system ({}), arc-eager-repair ({}) and the non-local Covington \
         system ({})",
        beam("attardi"),
        beam("arc-eager-repair"),
        beam("covington-nonlocal")
    ));
    texts.says(&format!(
        "behind with the non-monotonic and the plain Covington system ({} and {}), easy-first ({}), swap ({}) and arc-eager-unshift ({})",
        beam("covington-nonmonotonic"),
        beam("covington"),
        beam("easy-first"),
        beam("swap"),
        beam("arc-eager-unshift")
    ));
}

fn every_system(texts: &mut Texts) {
    let document = document("every-system", "quick");
    let store = records("every-system");
    let passes = || store.records().iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "five treebanks of at most 2,000 sentences, one seed, to the plateau ({} to {} iterations, the limit stopped {} of {})",
        passes().min().unwrap(),
        passes().max().unwrap(),
        store.records().iter().filter(is_cut_off).count(),
        store.records().len()
    ));
    let gain = |system: &str, row: &str| wins(&document, system, row, "exploration", Metric::Las).mean;
    let three = ["swap", "covington", "covington-nonmonotonic"];
    let of = |row: &str| three.map(|system| signed(gain(system, row)));
    let ([swap, plain, other], early, laso) = (of("max-violation"), of("early"), of("LaSO"));
    assert!(three.iter().all(|system| gain(system, "max-violation") < gain(system, "early")));
    texts.says(&format!(
        "swap ({swap}), the plain Covington system ({plain}) and the non-monotonic one ({other}); with early updates these figures are \
         {}, {} and {}, with LaSO {}, {} and {}",
        early[0], early[1], early[2], laso[0], laso[1], laso[2]
    ));
    let settings = &document.answer.as_ref().unwrap().settings;
    let difference = |system: &str| settings.iter().find(|setting| setting.name == system).unwrap().gain.points;
    let told = |system: &str| signed(difference(system));
    let ahead = [
        ("Attardi's system", "attardi"),
        ("arc-eager-unshift", "arc-eager-unshift"),
        ("the non-local Covington system", "covington-nonlocal"),
        ("the plain one", "covington"),
        ("swap", "swap"),
        ("arc-eager-repair", "arc-eager-repair"),
        ("easy-first", "easy-first"),
        ("2-planar", "2-planar"),
    ];
    assert!(ahead.iter().all(|(_, system)| difference(system) > 0.0));
    let listed: Vec<String> = ahead.iter().map(|(name, system)| format!("{name} ({})", told(system))).collect();
    let (last, others) = listed.split_last().unwrap();
    texts.says(&format!("ahead of exploration with {} and {last}", others.join(", ")));
    texts.says(&format!(
        "with the non-monotonic Covington system the two do not differ ({})",
        told("covington-nonmonotonic")
    ));
    let about = answer(&document);
    // Where fewer were significant when corrected, it would say so.
    assert!(about.contains(
        "Global training is ahead on 8 of 9 systems, significantly on all of them; greedy training on 1 of 9"
    ));
    texts.says("significantly with each of them (also when corrected for 9 tests)");
    texts.says("on 8 of 9 systems, significantly on all of these (also when corrected for 9 tests)");
    let (_, interval) = about.split_once("(5 treebanks, one seed), the interval is ").unwrap();
    texts.says(&format!(
        "in the mean of the nine systems by {:.2} points (with treebanks drawn anew {})",
        document.answer.as_ref().unwrap().overall.points,
        interval.split_once(". As").unwrap().0.replace('+', "")
    ));
    let planar = ["max-violation", "early", "LaSO"].map(|row| signed(gain("2-planar", row)));
    texts.says(&format!("with 2-planar the three are {}, {} and {}", planar[0], planar[1], planar[2]));
}

fn pretraining(texts: &mut Texts) {
    let document = document("pretraining", "quick");
    let store = records("pretraining");
    let passes = || store.records().iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "ten treebanks of at most 800 sentences, one seed, to the plateau ({} to {} iterations, the limit stopped {} of {})",
        passes().min().unwrap(),
        passes().max().unwrap(),
        store.records().iter().filter(is_cut_off).count(),
        store.records().len()
    ));
    let systems = ["arc-eager", "arc-standard", "arc-hybrid"];
    let of = |system: &str, gold: &str| wins(&document, system, &format!("{gold}, pre-trained"), gold, Metric::Las);
    let stat = systems.map(|system| of(system, "static gold"));
    let [a, b, c] = stat.each_ref().map(|wins| wins.mean);
    texts.says(&format!(
        "With the first five iterations trained greedily it gains {a:.2}, {b:.2} and {c:.2} points of LAS"
    ));
    let [higher, surely, lower] = [
        stat.each_ref().map(|wins| wins.higher),
        stat.each_ref().map(|wins| wins.surely_higher),
        stat.each_ref().map(|wins| wins.surely_lower),
    ];
    texts.says(&format!(
        "higher on {}, {} and {} of 10 treebanks, significantly on {}, {} and {}, and significantly lower on {}, {} and {}",
        higher[0], higher[1], higher[2], surely[0], surely[1], surely[2], lower[0], lower[1], lower[2]
    ));
    let dynamic = ["arc-eager", "arc-hybrid"].map(|system| of(system, "dynamic gold"));
    texts.says(&format!(
        "against the best-scored derivation of the gold tree it gains {:.2} and {:.2} with arc-eager and arc-hybrid",
        dynamic[0].mean, dynamic[1].mean
    ));
    let best = stat.iter().chain(&dynamic).map(|wins| wins.p).fold(1.0, f64::min);
    texts.says(&format!("none of the five is significant (p = {best:.2} at best)"));
    let explored =
        systems.map(|system| wins(&document, system, "static gold, pre-trained", "greedy dynamic", Metric::Las));
    texts.says(&format!(
        "ahead of exploration on {}, {} and {} of 10 treebanks",
        explored[0].higher, explored[1].higher, explored[2].higher
    ));
}

fn systems(texts: &mut Texts) {
    let document = document("systems", "quick");
    let lines = &table(&document, "Training").lines;
    let mut systems: Vec<&str> = lines.iter().map(|line| line[0].text.as_str()).collect();
    systems.dedup();
    let n = systems.len();
    let gain = |system: &&str, treebank: &str| {
        let of = |row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
        of("beam 8") - of("greedy")
    };
    let gains = |treebank: &str| -> Vec<f64> { systems.iter().map(|system| gain(system, treebank)).collect() };
    // Stars, of how many systems on a treebank.
    let is_sure = |system: &&str, treebank: &str| {
        let table = table(&document, &format!("LAS: {system}"));
        let line = table.lines.iter().find(|line| line[0].text == treebank).unwrap();
        line[2].text.contains('*')
    };
    let (least, most) = range(&gains("eu_bdt"));
    assert!(systems.iter().all(|system| is_sure(system, "eu_bdt")));
    texts.says(&format!("adds {least:.1} to {most:.1} points of LAS on Basque, with all {n} systems significantly"));
    let dutch = gains("nl_lassysmall");
    texts.says(&format!("it adds something with {} of {n}", dutch.iter().filter(|gain| **gain > 0.0).count()));
    let behind = |system: &str| -gain(&system, "nl_lassysmall");
    texts.says(&format!(
        "`swap` is {:.1} points behind greedy parsing there and `covington` {:.1}, significantly, arc-standard {:.1} and `2-planar` {:.1}, \
         not significantly",
        behind("swap"),
        behind("covington"),
        behind("arc-standard"),
        behind("2-planar")
    ));
    assert_eq!(
        ["swap", "covington", "arc-standard", "2-planar"].map(|system| is_sure(&system, "nl_lassysmall")),
        [true, true, false, false]
    );
    texts.says("1,000 training sentences of six treebanks each, to the plateau, one seed");
    let told = document.answer.as_ref().unwrap();
    let sure = told.settings.iter().filter(|s| s.is_significant());
    let (ahead, behind): (Vec<_>, Vec<_>) = sure.partition(|s| s.gain.points > 0.0);
    assert_eq!((told.treebanks.len(), behind.len(), behind[0].name.as_str()), (6, 1, "covington"));
    texts.says(&format!(
        "a beam of 8 adds {:.2} points of LAS in the mean, significantly with {} of {n} systems, and takes {:.2} with `covington`, \
         significantly; with {} systems it adds something on each of the six",
        told.overall.points,
        ahead.len(),
        -behind[0].gain.points,
        told.settings.iter().filter(|s| s.n_ahead == (6, 0)).count()
    ));
}

fn learners(texts: &mut Texts) {
    let (learners, features) = (document("l2s-table4", "quick"), document("l2s-table5", "quick"));
    let las = |row: &str| score(&learners, "LAS: all", "average", row);
    let uas = |row: &str| score(&features, "UAS: all", "average", row);
    texts.says(&format!(
        "`sgd` is {:.0} points of LAS behind `sgd-plus`, and that {:.0} to {:.0} behind networks; single features are {:.0} points of \
         UAS behind products of two, and these {:.0} behind products of three",
        las("sgd-plus") - las("sgd"),
        las("nn, ftrl") - las("sgd-plus"),
        las("multiclass") - las("sgd-plus"),
        uas("bigrams") - uas("unigrams"),
        uas("all") - uas("bigrams")
    ));
    texts.says("at most 800 sentences of three treebanks");
    let above: Vec<String> = ["en_ewt", "hu_szeged", "sv_lines"]
        .iter()
        .map(|t| score(&learners, "LAS: all", t, "adagrad") - score(&learners, "LAS: all", t, "perceptron"))
        .map(|gain| format!("{gain:.1}"))
        .collect();
    texts.says(&format!("is {} points of LAS above the greedy perceptron", above.join(", ")));
}

/// By how much global training is ahead in a class of words, in a column if the table has several.
fn gain_of_class(document: &Document, kind: &str, column: Option<&str>, class: &str) -> f64 {
    let table = table(document, &format!("Where they differ, {kind}"));
    let place = usize::from(column.is_some());
    let is_meant = |line: &&Vec<Cell>| column.is_none_or(|c| line[0].text == c) && line[place].text == class;
    let line = table.lines.iter().find(is_meant).unwrap_or_else(|| panic!("{kind}: no {class}"));
    line.last().unwrap().text.parse().unwrap()
}

fn languages(texts: &mut Texts) {
    let document = document("languages", "quick");
    let systems = [("arc-eager", "zn11"), ("arc-hybrid", "stack"), ("arc-standard", "stack")];
    for (column, features) in systems {
        let las = |row: &str| score(&document, &format!("LAS: {column}"), "average", row);
        let Wins { n, higher, surely_higher, lower, surely_lower, mean, .. } =
            wins(&document, column, "max-violation b=8", "greedy dynamic", Metric::Las);
        texts.says(&format!(
            "| {column} | `{features}` | {:.2} | {:.2} | {} | {higher} of {n} ({surely_higher}) | {lower} ({surely_lower}) |",
            las("greedy dynamic"),
            las("max-violation b=8"),
            signed(mean)
        ));
    }
    let page = fs::read_to_string(results().join("languages/quick.md")).unwrap();
    let (_, of_arc_eager) = page.split_once("## LAS: arc-eager").unwrap();
    let line = of_arc_eager.lines().find(|line| line.starts_with("| bg_btb |")).unwrap();
    assert!(fs::read_to_string(results().join("../docs/src/methodology.md")).unwrap().contains(line), "{line}");
    let picture =
        document.blocks.iter().find(|block| block.title == "What global training gains, by treebank").unwrap();
    for (column, _) in systems {
        let Wins { n, higher, p, .. } = wins(&document, column, "max-violation b=8", "greedy dynamic", Metric::Las);
        if column == "arc-standard" {
            texts.says(&format!("do not agree which is better (sign test, p = {p:.2})"));
            let settings = &document.answer.as_ref().unwrap().settings;
            let of_sentences = settings.iter().find(|s| s.name == column).unwrap().gain.p;
            texts.says(&format!(
                "significant over sentences (p = {of_sentences:.3}), but the treebanks do not agree which is better (sign test, p = {p:.2})"
            ));
        }
        assert!(picture.reading.contains(&format!("{column}: above 0 on {higher} of {n} treebanks.")));
    }
    let about = document.answer.as_ref().unwrap();
    let text = answer(&document);
    let (_, interval) = text.split_once("5 seeds of each), the interval is ").unwrap();
    let interval = interval.split_once(". As").unwrap().0.replace('+', "");
    texts.says(&format!(
        "by {:.2} points of LAS in the mean of the three systems (95 % interval with treebanks and seeds drawn anew {interval})",
        about.overall.points
    ));
    let index = fs::read_to_string(results().join("README.md")).unwrap();
    let first = format!("1. {} ([languages](languages/quick.md))", document.answer.as_ref().unwrap().headline);
    assert!(index.contains(&first), "this is what the index opens with: {first}");
    let gain = |kind: &str, column: &str, class: &str| signed(gain_of_class(&document, kind, Some(column), class));
    for (column, _) in systems {
        let gains = ["1", "2", "3-6", "7+", "root"].map(|class| gain("by arc length", column, class));
        texts.says(&format!("| {column} | {} |", gains.join(" | ")));
        let values = gains.map(|gain| gain.replace('−', "-").parse::<f64>().unwrap());
        assert!(values[0] <= 0.0 && values[1..].iter().all(|gain| *gain > 0.0), "{column}");
    }
    let eager = |kind: &str, class: &str| gain(kind, "arc-eager", class).replace('+', "");
    texts.says(&format!(
        "{} points in sentences of at most ten words, {} in those of more than fifty",
        eager("by sentence length", "1-10"),
        eager("by sentence length", "51+")
    ));
    texts.says(&format!(
        "coordinating conjunctions ({}) and conjuncts ({})",
        eager("by label", "cc"),
        eager("by label", "conj")
    ));
    let block = document.blocks.iter().find(|block| block.title == "By treebank").unwrap();
    let rho = |name: &str| {
        let (_, rest) = block.reading[1].split_once(&format!("{name} ")).unwrap();
        let (rho, rest) = rest.split_once(" (p = ").unwrap();
        (rho.parse::<f64>().unwrap(), rest.split_once(')').unwrap().0.to_owned())
    };
    let names = ["words a sentence", "non-projective arcs %", "labels", "unknown forms in test %", "greedy score"];
    let most = names.into_iter().max_by(|a, b| rho(a).0.abs().total_cmp(&rho(b).0.abs())).unwrap();
    assert_eq!(most, "labels");
    let (rho, p) = rho(most);
    texts.says(&format!("the largest rank correlation is {} with the number of labels (p = {p})", signed(rho)));
    texts.says("19 treebanks (at most 800 training sentences each, five seeds, to the plateau)");
    by_other_scores(texts);
}

/// With arc-standard much depends on the score.
fn by_other_scores(texts: &mut Texts) {
    let store = records("languages");
    let gains = |metric: Metric, rule: Punctuation| -> Vec<f64> {
        let scores = scores_of_records(store.records(), rule, metric);
        let of =
            |treebank: &String, row: &str| scores[&[treebank.clone(), "arc-standard".to_owned(), row.to_owned()]][0];
        let mut treebanks: Vec<&String> = store.records().iter().map(|record| &record.treebank).collect();
        treebanks.sort();
        treebanks.dedup();
        treebanks.iter().map(|t| of(t, "max-violation b=8") - of(t, "greedy dynamic")).collect()
    };
    let [labelled, unlabelled] = [gains(Metric::Las, Punctuation::Exclude), gains(Metric::Uas, Punctuation::Include)];
    let n_ahead = |gains: &[f64]| format!("{} of {}", gains.iter().filter(|gain| **gain > 0.0).count(), gains.len());
    let [gain, gain_unlabelled] = [&labelled, &unlabelled].map(|gains| signed(mean(gains)));
    for (without, it_is) in
        [("without punctuation the gain there is", "in UAS it is"), ("without punctuation it is", "in UAS it is")]
    {
        texts.says(&format!(
            "{without} {gain}, on {}; {it_is} {gain_unlabelled}, on {}",
            n_ahead(&labelled),
            n_ahead(&unlabelled)
        ));
    }
}

fn sizes(texts: &mut Texts) {
    let document = document("learning-curves", "quick");
    for column in ["250 sentences", "500 sentences", "1000 sentences", "2000 sentences", "all sentences"] {
        let las = |row: &str| score(&document, &format!("LAS: {column}"), "average", row);
        let [greedy, global] = [las("greedy dynamic"), las("max-violation b=8")];
        let wins = wins(&document, column, "max-violation b=8", "greedy dynamic", Metric::Las);
        let size = column.split_once(' ').unwrap().0;
        let size = if size.len() > 3 { size.replace("000", ",000") } else { size.to_owned() };
        texts.says(&format!(
            "| {} | {greedy:.2} | {global:.2} | {} | {} of {} |",
            size.replace("all", "all, 2,738 to 12,544"),
            signed(global - greedy),
            wins.surely_higher,
            wins.n
        ));
    }
}

/// How far apart the seeds of one row are.
fn seeds(texts: &mut Texts) {
    let store = records("gn13-table1");
    let groups = by_all_but_seed(store.records(), Punctuation::Include, Metric::Las);
    let span = |scores: &Vec<f64>| {
        let (low, high) = scores.iter().fold((f64::INFINITY, 0.0f64), |(l, h), score| (l.min(*score), h.max(*score)));
        high - low
    };
    let spans: Vec<f64> = groups.values().filter(|scores| scores.len() == 5).map(span).collect();
    assert!(spans.len() > 50, "{} rows have five seeds", spans.len());
    texts.says(&format!(
        "Five seeds of one row are {:.1} points of LAS apart in the mean, and {:.1} at most, in",
        mean(&spans),
        spans.iter().fold(0.0f64, |most, span| most.max(*span))
    ));
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
        ("graph-orders", "quick", "**Unfinished:** 13 of 16 trainings have been run."),
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
             says which), with 2 seeds.",
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

#[test]
fn texts_of_specifications_leave_it_to_the_records_what_was_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
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
