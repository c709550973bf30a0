//! A [`Report`] as tables for people to read.

use std::fmt::{self, Display};

use treebeam::error::excerpt;
use treebeam::eval::significance::{Interval, LEVEL};
use treebeam::eval::{
    AlignedScore, ArcClass, BreakdownSection, Breakdowns, Compared, Confusion, Granularity, Headline, LengthBucket,
    Metric, Punctuation, Reliability, Report, Scores, SystemReport, Test,
};
/// The report as text.
pub fn render(report: &Report) -> String {
    if let Some(column) = report.tags {
        return of_tags(report, column);
    }
    let mut text = format!(
        "{}: {} sentences, {} words{}\npunctuation: {} words ({})\n",
        report.gold,
        report.sentences,
        report.words,
        several_roots(report.several_roots),
        report.punctuation_words,
        report.punctuation_rule.description()
    );
    for system in &report.systems {
        text += &format!("\n{}{}\n\n", system.path, several_roots(system.several_roots));
        if let Some(intervals) = intervals(report, system) {
            text += &format!("{}\n{intervals}\n", scores(system));
            text += &aligned_line(system).map_or(String::new(), |line| line + "\n");
        } else {
            text += &aligned(system).to_string();
        }
        text += &labels_not_in_gold(report, system).map_or(String::new(), |line| line + "\n");
        text += &breakdowns(&system.breakdowns, report.headline);
    }
    if let (Some(tests), [first, second, ..]) = (&report.comparison, report.systems.as_slice()) {
        text += &format!("\n{} against {} ({})\n\n", second.path, first.path, headline(report.headline));
        text += &comparison(tests).to_string();
        let rounds = format!("{} rounds over sentences, seed {}", report.samples, report.seed);
        text += &format!("p: approximate randomisation, two-sided; interval: bootstrap; {rounds}\n");
        for section in BreakdownSection::ALL {
            if let Some(table) = report.compared.as_deref().and_then(|all| compared(section, all)) {
                text += &format!("\n{} against {}, by {}\n\n{table}", second.path, first.path, section.title());
            }
        }
    }
    text
}

/// The report of tags as text. The labelled scores are theirs, as all words hang on the root.
fn of_tags(report: &Report, column: &str) -> String {
    let Report { gold, sentences, words, .. } = report;
    let mut text = format!("{gold}: {sentences} sentences, {words} words\n");
    for system in &report.systems {
        text += &format!("\n{}\n\n", system.path);
        let Some(scores) = system.under(report.headline) else {
            text += &aligned(system).to_string();
            continue;
        };
        let counts = &scores.counts;
        let interval = system.intervals.as_ref().map_or(String::new(), |found| {
            let Interval { low, high } = found.las;
            format!(", {:.0}% interval {low:.2} to {high:.2}", LEVEL * 100.0)
        });
        text += &format!("{column}: accuracy {}{interval}\n", share(counts.las(), counts.labelled));
        text +=
            &format!("sentences without a mistake: {}\n", share(counts.exact_match_labelled(), counts.exact_labelled));
        for (section, mut table) in tables(&system.breakdowns) {
            let heads = match section {
                BreakdownSection::Label => vec!["tag"],
                _ => vec!["tag in gold", "in the system"],
            };
            heads.into_iter().zip(&mut table.rows[0]).for_each(|(name, cell)| *cell = name.to_owned());
            text += &format!("\n{table}");
        }
    }
    if let (Some(tests), [first, second, ..]) = (&report.comparison, report.systems.as_slice()) {
        let of_labels = tests.iter().find(|test| test.metric == Metric::Las);
        if let Some(Test { difference, interval, p, first_better, second_better, tied, .. }) = of_labels {
            let (low, high) = (signed(interval.low), signed(interval.high));
            text += &format!(
                "\n{} against {}: {} ({low} to {high}), p {p:.4}; better in {second_better} sentences, worse in {first_better}, tied in \
                 {tied}\n",
                second.path,
                first.path,
                signed(*difference)
            );
        }
    }
    text
}

pub(super) fn several_roots(n: usize) -> String {
    if n > 0 { format!(", {n} sentences with several roots") } else { String::new() }
}

pub(super) fn headline(headline: Headline) -> String {
    format!("punctuation {}, subtypes {}", punctuation(headline), subtypes(headline))
}

fn punctuation(headline: Headline) -> &'static str {
    match headline.punctuation {
        Punctuation::Include => "included",
        Punctuation::Exclude => "excluded",
    }
}

fn subtypes(headline: Headline) -> &'static str {
    match headline.granularity {
        Granularity::Full => "kept",
        Granularity::Universal => "dropped",
    }
}

const SCORES: [&str; 7] = ["sentences", "n", "UAS", "LAS", "label accuracy", "exact UAS", "exact LAS"];

fn score_cells(Scores { counts, .. }: &Scores) -> [String; 7] {
    [
        counts.sentences.to_string(),
        counts.tokens.to_string(),
        share(counts.uas(), counts.heads),
        share(counts.las(), counts.labelled),
        share(counts.label_accuracy(), counts.labels),
        share(counts.exact_match(), counts.exact_heads),
        share(counts.exact_match_labelled(), counts.exact_labelled),
    ]
}

pub(super) fn scores(system: &SystemReport) -> TextTable {
    let mut table = TextTable::new(2, ["punctuation", "subtypes"].into_iter().chain(SCORES));
    for variant in &system.scores {
        let names = [punctuation(variant.headline), subtypes(variant.headline)].map(str::to_owned);
        table.row(names.into_iter().chain(score_cells(&variant.scores)));
    }
    table
}

/// The scores of `eval.py`, in its columns.
pub(super) fn aligned(system: &SystemReport) -> TextTable {
    let mut table = TextTable::new(1, ["eval.py", "gold", "system", "precision", "recall", "F1", "of aligned words"]);
    for score in &system.aligned {
        let AlignedScore { metric, gold, system, precision, recall, f1, aligned_accuracy, .. } = *score;
        let shares = [precision, recall, f1].map(|share| format!("{share:.2}"));
        let of_aligned = aligned_accuracy.map_or(String::new(), |share| format!("{share:.2}"));
        let counts = [metric.to_owned(), gold.to_string(), system.to_string()];
        table.row(counts.into_iter().chain(shares).chain([of_aligned]));
    }
    table
}

/// Those scores of `eval.py` that the other tables do not have, where the words are gold's.
pub(super) fn aligned_line(system: &SystemReport) -> Option<String> {
    // Tags are mostly given, and then right.
    let asked = |score: &&AlignedScore| match score.metric {
        "CLAS" | "MLAS" | "BLEX" => true,
        "UPOS" | "XPOS" | "UFeats" => score.correct < score.gold,
        _ => false,
    };
    let scores = system.aligned.iter().filter(asked).map(|score| format!("{} {:.2}", score.metric, score.f1));
    let scores = scores.collect::<Vec<_>>().join(", ");
    (!scores.is_empty())
        .then(|| format!("as eval.py of Universal Dependencies has it (F1, subtypes dropped): {scores}"))
}

/// The most labels on the line of those that gold does not have.
const MOST_LABELS: usize = 20;

/// Labels that only the system has, on one line.
pub(super) fn labels_not_in_gold(report: &Report, system: &SystemReport) -> Option<String> {
    let labels = &system.labels_not_in_gold;
    let listed = labels.iter().take(MOST_LABELS).map(|(label, n)| format!("{} ({n})", excerpt(label)));
    let rest =
        if labels.len() > MOST_LABELS { format!(", and {} more", labels.len() - MOST_LABELS) } else { String::new() };
    let listed = listed.collect::<Vec<_>>().join(", ");
    (!labels.is_empty()).then(|| format!("labels that {} does not have: {listed}{rest}", report.gold))
}

/// Intervals, where the words are gold's.
pub(super) fn intervals(report: &Report, system: &SystemReport) -> Option<String> {
    let percent = LEVEL * 100.0;
    let intervals = system.intervals.as_ref()?;
    let [uas, las] = [intervals.uas, intervals.las]
        .map(|Interval { low, high }| if low.is_nan() { "-".to_owned() } else { format!("{low:.2} to {high:.2}") });
    let how = format!("bootstrap, {} samples of sentences, seed {}", report.samples, report.seed);
    Some(format!("{percent:.0}% intervals ({}): UAS {uas}, LAS {las} ({how})", headline(report.headline)))
}

fn breakdowns(breakdowns: &Breakdowns, under: Headline) -> String {
    let mut text = String::new();
    for (section, table) in tables(breakdowns) {
        text += &format!("\nby {} ({})\n\n{table}", section.title(), headline(under));
    }
    text
}

/// The tables of a system's breakdowns.
pub(super) fn tables(breakdowns: &Breakdowns) -> Vec<(BreakdownSection, TextTable)> {
    let classes = |name, classes: &Option<Vec<ArcClass>>| classes.as_ref().map(|classes| arc_classes(name, classes));
    let confused = |name, all: &Option<Vec<Confusion>>| all.as_ref().map(|all| confusions(name, all));
    let tables = [
        (BreakdownSection::Length, classes("length", &breakdowns.length)),
        (BreakdownSection::Label, classes("label", &breakdowns.label)),
        (BreakdownSection::SentenceLength, breakdowns.sentence_length.as_deref().map(buckets)),
        (BreakdownSection::Projectivity, classes("arcs", &breakdowns.projectivity)),
        (BreakdownSection::Tag, classes("tag", &breakdowns.tag)),
        (BreakdownSection::Direction, classes("head", &breakdowns.direction)),
        (BreakdownSection::LabelConfusion, confused("label", &breakdowns.label_confusion)),
        (BreakdownSection::TagConfusion, confused("tag of the head", &breakdowns.tag_confusion)),
        (BreakdownSection::Confidence, breakdowns.confidence.as_deref().map(reliability)),
    ];
    tables.into_iter().filter_map(|(section, table)| Some((section, table?))).collect()
}

/// The most frequent confusions; JSON has all of them.
const MOST_CONFUSIONS: usize = 25;

fn confusions(name: &str, confusions: &[Confusion]) -> TextTable {
    let mut table = TextTable::new(2, [&format!("{name} in gold") as &str, "in the system", "words", "% of gold"]);
    for confusion in confusions.iter().take(MOST_CONFUSIONS) {
        let share = 100.0 * confusion.count as f64 / confusion.of as f64;
        table.row([
            excerpt(&confusion.gold),
            excerpt(&confusion.system),
            confusion.count.to_string(),
            format!("{share:.2} (of {})", confusion.of),
        ]);
    }
    table
}

/// Two systems by class of words.
pub(super) fn compared(section: BreakdownSection, all: &[Compared]) -> Option<TextTable> {
    let mut table = TextTable::new(1, ["class", "gold", "first", "second", "difference", "p"]);
    for class in all.iter().filter(|class| class.section == section) {
        let score = |right: u64| share(100.0 * right as f64 / class.gold as f64, right);
        let stars = if class.p < 0.01 {
            "**"
        } else if class.p < 0.05 {
            "*"
        } else {
            ""
        };
        table.row([
            excerpt(&class.class),
            class.gold.to_string(),
            score(class.first_right),
            score(class.second_right),
            format!("{}{stars}", signed(class.difference)),
            format!("{:.4}", class.p),
        ]);
    }
    (table.rows.len() > 1).then_some(table)
}

fn arc_classes(name: &str, classes: &[ArcClass]) -> TextTable {
    let mut table = TextTable::new(1, [name, "gold", "recall", "predicted", "precision", "F1"]);
    for class in classes {
        table.row([
            // A label can be as long as its file.
            excerpt(&class.class),
            class.gold.to_string(),
            share(class.recall.unwrap_or(f64::NAN), class.gold_found),
            class.predicted.to_string(),
            share(class.precision.unwrap_or(f64::NAN), class.predicted_right),
            class.f1.map_or("-".to_owned(), |f1| format!("{f1:.2}")),
        ]);
    }
    table
}

fn reliability(all: &[Reliability]) -> TextTable {
    let mut table =
        TextTable::new(2, ["of", "confidence", "words", "mean", "right", "expected calibration error", "Brier"]);
    for of in all {
        let name = if of.of == "label" { "label, the head being right" } else { of.of };
        let mut row = |range: &str, words: u64, mean: f64, right: f64, errors: [String; 2]| {
            let shares = [format!("{mean:.2}"), format!("{right:.2}")];
            table.row([name.to_owned(), range.to_owned(), words.to_string()].into_iter().chain(shares).chain(errors));
        };
        for bin in &of.bins {
            let range = format!("{:.1} to {:.1}", bin.from, bin.to);
            row(&range, bin.words, bin.mean_confidence, bin.right, Default::default());
        }
        let errors = [format!("{:.2}", of.expected_calibration_error), format!("{:.4}", of.brier)];
        row("all", of.words, of.mean_confidence, of.right, errors);
    }
    table
}

fn buckets(buckets: &[LengthBucket]) -> TextTable {
    let mut table = TextTable::new(1, ["length"].into_iter().chain(SCORES));
    for bucket in buckets {
        table.row(std::iter::once(bucket.sentence_length.clone()).chain(score_cells(&bucket.scores)));
    }
    table
}

pub(super) fn comparison(tests: &[Test]) -> TextTable {
    let interval = format!("{:.0}% interval", LEVEL * 100.0);
    let mut table = TextTable::new(1, ["", "difference", &interval, "p", "better", "worse", "tied sentences"]);
    for test in tests {
        table.row([
            test.metric.name().to_owned(),
            signed(test.difference),
            format!("{} to {}", signed(test.interval.low), signed(test.interval.high)),
            format!("{:.4}", test.p),
            test.second_better.to_string(),
            test.first_better.to_string(),
            test.tied.to_string(),
        ]);
    }
    table
}

/// A percentage with the count that it stands for; a dash for a share of nothing.
fn share(percent: f64, count: u64) -> String {
    if percent.is_nan() { "-".to_owned() } else { format!("{percent:.2} ({count})") }
}

fn signed(points: f64) -> String {
    if points.is_nan() { "-".to_owned() } else { format!("{points:+.2}") }
}

/// Cells in columns: the first few flush left, the others flush right.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TextTable {
    n_left: usize,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with a header, whose first `n_left` columns are flush left.
    pub fn new<'a>(n_left: usize, header: impl IntoIterator<Item = &'a str>) -> TextTable {
        TextTable { n_left, rows: vec![header.into_iter().map(str::to_owned).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let column = |i: usize| self.rows.iter().filter_map(move |row| row.get(i));
        let widths: Vec<usize> =
            (0..n_columns).map(|i| column(i).map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
                // A format's width ends at 65,535.
                let blanks = " ".repeat(width - cell.chars().count());
                if i < self.n_left { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
