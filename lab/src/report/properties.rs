//! Gains of global training on each treebank, beside properties of the treebanks.

use std::collections::HashSet;
use std::sync::Arc;

use minijinja::Value;

use super::answer::{ChosenModels, chosen};
use super::document::{Block, Content, Table, TableCell};
use super::figure::{Axis, Curve, Figure, Point, Style};
use super::summary::{SAMPLES, Summary};
use super::templates::{block, view};
use crate::experiment::{Data, TreebankSource};
use treebeam::error::Result;
use treebeam::eval::{Metric, signs};
use treebeam::random::{shuffle, stream};
use treebeam::treebank::Stats;

/// Fewer treebanks than these say nothing of properties.
const LEAST: usize = 6;

/// Properties of a treebank: a figure for each of [`NAMES`].
type Properties = [f64; NAMES.len()];

const NAMES: [&str; 6] = [
    "sentences trained on",
    "words a sentence",
    "non-projective arcs %",
    "labels",
    "unknown forms in test %",
    "greedy score",
];

/// The best models of a column, chosen on development data.
struct Compared<'s> {
    column: &'s str,
    global: ChosenModels,
    greedy: ChosenModels,
}

impl Compared<'_> {
    /// Their scores on a treebank's test data, the global one's first.
    fn scores(&self, summary: &Summary, treebank: &str, metric: Metric) -> Option<(f64, f64)> {
        let place = summary.treebanks().iter().position(|name| name == treebank)?;
        let score = |side: &ChosenModels| summary.score(treebank, self.column, &side.methods[place], metric);
        Some((score(&self.global)?, score(&self.greedy)?))
    }
}

/// Models that are compared in each column that has models of both kinds.
fn compared<'s>(summary: &'s Summary<'_>, metric: Metric) -> Vec<Compared<'s>> {
    let of_column = |column| {
        let [global, greedy] = chosen(summary, column, metric)?;
        Some(Compared { column, global, greedy })
    };
    summary.plan.spec.columns.iter().filter_map(|column| of_column(column.name.get_ref())).collect()
}

/// The table, with the rank correlation of each property with the gain; none without comparisons on [`LEAST`] treebanks, or if
/// these cannot be read.
pub fn properties(summary: &Summary, metric: Metric) -> Option<Block> {
    let compared = compared(summary, metric);
    let mut lines: Vec<(String, Properties, f64)> = Vec::new();
    // No words of folds are unknown to all models.
    let is_whole = |data: &&Arc<Data>| !matches!(data.source, TreebankSource::Folds { .. });
    for data in summary.plan.treebanks.iter().filter(is_whole) {
        let treebank = data.source.to_string();
        let scores: Vec<(f64, f64)> = compared.iter().filter_map(|c| c.scores(summary, &treebank, metric)).collect();
        if scores.is_empty() || scores.len() < compared.len() {
            continue;
        }
        let n = scores.len() as f64;
        let greedy = scores.iter().map(|(_, theirs)| theirs).sum::<f64>() / n;
        let gain = scores.iter().map(|(ours, theirs)| ours - theirs).sum::<f64>() / n;
        lines.push((treebank, of_treebank(data, greedy).ok()?, gain));
    }
    if lines.len() < LEAST {
        return None;
    }
    lines.sort_by(|a, b| b.2.total_cmp(&a.2));
    let gains: Vec<f64> = lines.iter().map(|line| line.2).collect();
    let of_property = |(number, name): (usize, &&str)| {
        let values: Vec<f64> = lines.iter().map(|line| line.1[number]).collect();
        let (rho, p) = rank_correlation(&values, &gains)?;
        Some(view! { name, rho, p })
    };
    let correlations: Vec<Value> = NAMES.iter().enumerate().filter_map(of_property).collect();
    let mut table = Table::new(1, std::iter::once("treebank").chain(NAMES).chain(["global less greedy"]));
    for (treebank, properties, gain) in &lines {
        let mut line = vec![TableCell::text(treebank)];
        let digits = [0, 1, 2, 0, 1, 2];
        line.extend(properties.iter().zip(digits).map(|(&value, digits)| TableCell::number(Some(value), digits)));
        line.push(TableCell::signed(Some(*gain)));
        table.lines.push(line);
    }
    let (ahead, _) = signs(gains.iter().copied());
    let view = view! { ahead, correlations, n => lines.len(), metric => metric.name() };
    Some(block("properties.jinja", view, Content::Table(table)))
}

/// Each treebank and column as a point: how well the best greedy model parses, and by how much the best global one exceeds it;
/// none without comparisons on [`LEAST`] treebanks.
pub fn gains(summary: &Summary, metric: Metric) -> Option<Block> {
    let curve = |compared: Compared| {
        let point = |treebank: &String| {
            let (ours, theirs) = compared.scores(summary, treebank, metric)?;
            Some(Point { label: treebank.clone(), ..Point::at(theirs, ours - theirs) })
        };
        let points: Vec<Point> = summary.treebanks().iter().filter_map(point).collect();
        (points.len() >= LEAST).then(|| Curve { name: compared.column.to_owned(), style: Style::Points, points })
    };
    let curves = compared(summary, metric).into_iter().filter_map(curve).collect();
    let figure = Figure {
        name: "gains".to_owned(),
        title: "What global training gains, by treebank".to_owned(),
        x: Axis::linear(format!("{} of the best greedy model, %", metric.name())),
        y: Axis::linear(format!("points of {}, global less greedy", metric.name()))
            .noted("above 0 global training is ahead"),
        curves,
    };
    let of_curve = |Curve { name, points, .. }: &Curve| {
        let (ahead, _) = signs(points.iter().map(|point| point.y));
        view! { name, ahead, n => points.len() }
    };
    let view = view! { curves => figure.curves.iter().map(of_curve).collect::<Vec<_>>() };
    (!figure.curves.is_empty()).then(|| block("gains.jinja", view, Content::Figure(figure)))
}

fn of_treebank(data: &Data, greedy: f64) -> Result<Properties> {
    let [train, test] = [data.read(&data.train)?, data.read(&data.test)?];
    let mut stats = Stats::default();
    let mut known = HashSet::new();
    for sentence in &train.sentences {
        stats.add(sentence)?;
        known.extend(sentence.words().map(|word| sentence.form(word)));
    }
    let forms = || test.sentences.iter().flat_map(|sentence| sentence.words().map(|word| sentence.form(word)));
    let unknown = forms().filter(|form| !known.contains(form)).count();
    Ok([
        stats.n_sentences as f64,
        stats.n_words as f64 / stats.n_sentences.max(1) as f64,
        stats.non_projective_arcs_percent(),
        stats.labels.len() as f64,
        100.0 * unknown as f64 / forms().count().max(1) as f64,
        greedy,
    ])
}

/// Spearman's rank correlation, and the probability of one as far from 0 by chance, by permutation; none if either does not vary.
fn rank_correlation(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    let (a, mut b) = (ranks(a), ranks(b));
    let observed = correlation(&a, &b)?;
    let mut rng = stream(1, "permutation of ranks", &[]);
    let extreme = (0..SAMPLES).filter(|_| {
        shuffle(&mut b, &mut rng);
        correlation(&a, &b).is_some_and(|rho| rho.abs() >= observed.abs() - 1e-12)
    });
    Some((observed, (extreme.count() + 1) as f64 / (SAMPLES + 1) as f64))
}

/// Ranks from 1, equal values sharing the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count();
    let equal = |value: f64| values.iter().filter(|other| **other == value).count();
    values.iter().map(|&value| below(value) as f64 + (equal(value) + 1) as f64 / 2.0).collect()
}

/// Pearson's correlation.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len() as f64;
    let [mean_a, mean_b] = [a, b].map(|values| values.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - mean_a, y - mean_b)).sum::<f64>();
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, full_store, plan_of, spec_of};

    #[test]
    fn ranks_share_what_is_equal_and_correlations_are_those_of_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        let (rho, p) = rank_correlation(&[1.0, 2.0, 3.0, 4.0, 5.0, 60.0], &[2.0, 4.0, 5.0, 9.0, 11.0, 12.0]).unwrap();
        assert!((rho - 1.0).abs() < 1e-12);
        // 2 of the 720 orders are as far from 0.
        assert!(p > 0.001 && p < 0.006, "{p}");
        assert_eq!(rank_correlation(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        let (rho, p) = rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0]).unwrap();
        assert!((rho - 0.6).abs() < 1e-12 && p > 0.3, "{rho} {p}");
    }

    #[test]
    fn six_treebanks_make_a_table() {
        let sources: Vec<String> =
            (1..=6).map(|seed| format!("\"generated:{seed},{},projective\"", 40 + seed)).collect();
        let six = SPEC.replacen(
            "treebanks = [\"generated:1,50,projective\", \"generated:2,400,nonprojective\"]",
            &format!("treebanks = [{}]", sources.join(", ")),
            1,
        );
        let block = |text: &str| {
            let plan = plan_of(&spec_of(text));
            let store = full_store(&plan);
            properties(&Summary::new(&plan, &store, false), Metric::Las)
        };
        assert_eq!(block(SPEC), None, "two treebanks are too few");
        let block = block(&six).unwrap();
        let Content::Table(table) = &block.content else { panic!("a table") };
        assert_eq!(table.lines.len(), 6);
        let gains: Vec<f64> = table.lines.iter().map(|line| line.last().unwrap().value.unwrap()).collect();
        assert!(gains.is_sorted_by(|a, b| a >= b));
        assert!(block.reading[0].starts_with("Global training is ahead on "), "{:?}", block.reading);
        // All portions have 30 sentences and no non-projective arcs: nothing varies there.
        assert!(block.reading[1].contains("words a sentence ") && !block.reading[1].contains("non-projective"));
    }
}
