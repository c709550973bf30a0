//! Means, spreads and differences over the records of a plan.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::document::OPEN;
use crate::experiment::{Carried, Cell, Decoding, Plan, Provenance, Record, Store, Variant};
use treebeam::eval::significance::randomisation_of_differences;
use treebeam::eval::{Metric, Punctuation};

/// The scores, in the order of tables.
pub const METRICS: [Metric; 2] = [Metric::Las, Metric::Uas];

/// Number of times that outputs are swapped at random: the number that Yeh's test is usually run with.
pub const SAMPLES: usize = 10_000;

/// A mean and its spread over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (with n - 1); `None` for a single value.
    pub sd: Option<f64>,
}

impl Spread {
    /// That of `values`; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let sd = || (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        (!values.is_empty()).then(|| Spread { mean, sd: (values.len() > 1).then(sd) })
    }
}

/// Difference of an entry from the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// In percentage points, over the seeds that both have.
    pub points: f64,
    /// The probability of a difference as large by chance: paired approximate randomisation over sentences, where the
    /// outputs of all seeds for a sentence are swapped together (Yeh 2000).
    pub p: f64,
}

/// Method that is compared within a column: a row, decoded at a width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The row.
    pub row: String,
    /// The width.
    pub width: usize,
    /// Its name in tables: the row's, with the width if the row is decoded at several.
    pub label: String,
}

/// One method in one column on one treebank, over all seeds that have records.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The treebank.
    pub treebank: String,
    /// The column.
    pub column: String,
    /// The row and the width.
    pub method: Method,
    /// Records with their decodings at the width, by ascending seed.
    pub runs: Vec<(&'a Record, &'a Decoding)>,
    /// The number of seeds of the plan.
    pub n_seeds: usize,
    /// Comparisons with the rows that others are compared with.
    pub differences: Vec<Versus>,
}

/// A comparison with a row of the same column and treebank.
#[derive(Debug, Clone, PartialEq)]
pub struct Versus {
    /// The row, at the first width it is decoded at.
    pub row: String,
    /// The score.
    pub metric: Metric,
    /// Difference of the entry.
    pub difference: Difference,
}

impl Entry<'_> {
    /// The score over seeds.
    pub fn score(&self, metric: Metric, rule: Punctuation) -> Option<Spread> {
        let values: Vec<f64> = self.runs.iter().map(|(_, d)| metric.score(d.test.get(rule))).collect();
        Spread::of(&values)
    }

    /// The difference to `row`.
    pub fn difference(&self, row: &str, metric: Metric) -> Option<Difference> {
        self.differences.iter().find(|v| v.row == row && v.metric == metric).map(|v| v.difference)
    }

    /// The mean over seeds of anything else.
    pub fn mean(&self, value: impl Fn(&Record, &Decoding) -> f64) -> Option<f64> {
        let values: Vec<f64> = self.runs.iter().map(|(r, d)| value(r, d)).collect();
        Spread::of(&values).map(|s| s.mean)
    }

    /// True if all seeds have records.
    pub fn is_complete(&self) -> bool {
        self.runs.len() == self.n_seeds
    }
}

/// All entries of a plan.
#[derive(Debug, Clone)]
pub struct Summary<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// By treebank, column, row and width, in the order of the plan.
    pub entries: Vec<Entry<'a>>,
    /// The revisions of the records that are used.
    pub revisions: BTreeSet<String>,
    /// Cells with a usable record.
    pub n_done: usize,
    /// Those among them whose record was made by a program that behaves otherwise, as far as is known.
    pub n_stale: usize,
    /// Those whose record is carried over, by the revision that made it and what showed that later ones give the same figures.
    pub carried: Vec<(String, Carried, usize)>,
}

/// Counts records that are carried over, see [`Summary::carried`].
pub fn count_carried<'p>(carried: &mut Vec<(String, Carried, usize)>, records: impl Iterator<Item = &'p Provenance>) {
    for provenance in records {
        let Some(found) = &provenance.carried else { continue };
        let is_same =
            |(revision, known, _): &&mut (String, Carried, usize)| *revision == provenance.revision && known == found;
        match carried.iter_mut().find(is_same) {
            Some((_, _, n)) => *n += 1,
            None => carried.push((provenance.revision.clone(), found.clone(), 1)),
        }
    }
}

impl<'a> Summary<'a> {
    /// Gathers the records of `plan` that count.
    pub fn new(plan: &'a Plan, store: &'a Store, accept_stale: bool) -> Summary<'a> {
        let mut summary = Summary {
            plan,
            entries: Vec::new(),
            revisions: BTreeSet::new(),
            n_done: 0,
            n_stale: 0,
            carried: Vec::new(),
        };
        // The cells of one entry differ in their seeds only, and the plan puts them side by side.
        for seeds in plan.cells.chunks(plan.profile.seeds.len()) {
            let cell = &seeds[0];
            let mut records: Vec<&Record> = seeds.iter().filter_map(|c| store.usable(c, accept_stale)).collect();
            records.sort_by_key(|r| r.options.seed());
            summary.n_done += records.len();
            let is_current = |c: &&Cell| store.usable(c, false).is_some();
            summary.n_stale += records.len() - seeds.iter().filter(is_current).count();
            count_carried(&mut summary.carried, records.iter().map(|record| &record.provenance));
            summary.revisions.extend(records.iter().map(|r| r.provenance.shown_revision()));
            for &width in &cell.decode {
                let label = match cell.decode.len() {
                    1 => cell.row.clone(),
                    _ => format!("{}, width {width}", cell.row),
                };
                summary.entries.push(Entry {
                    treebank: cell.treebank(),
                    column: cell.column.clone(),
                    method: Method { row: cell.row.clone(), width, label },
                    runs: records.iter().filter_map(|&r| Some((r, r.decoding(width)?))).collect(),
                    n_seeds: seeds.len(),
                    differences: Vec::new(),
                });
            }
        }
        summary.compare();
        summary
    }

    fn compare(&mut self) {
        let rule = self.rule();
        let rows = self.plan.spec.table.compared_with();
        let of_entry = |entry: &Entry| -> Vec<Versus> {
            let with = |row: &&str| self.first_of(&entry.treebank, &entry.column, row);
            let others = rows.iter().filter_map(with).filter(|other| other.method != entry.method);
            let pairs = others.flat_map(|other| METRICS.map(|metric| (other, metric)));
            let versus = |(other, metric): (&Entry, Metric)| {
                let difference = difference(entry, other, metric, rule)?;
                Some(Versus { row: other.method.row.clone(), metric, difference })
            };
            pairs.filter_map(versus).collect()
        };
        let differences: Vec<_> = self.entries.par_iter().map(of_entry).collect();
        for (entry, differences) in self.entries.iter_mut().zip(differences) {
            entry.differences = differences;
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &'a String> + use<'a> {
        self.plan.spec.columns.iter().map(|column| column.name.get_ref())
    }

    /// The rule for punctuation of the tables.
    pub fn rule(&self) -> Punctuation {
        self.plan.spec.table.punctuation
    }

    /// The methods of a column, in order.
    pub fn methods(&self, column: &str) -> Vec<Method> {
        let mut methods = Vec::new();
        for entry in self.entries.iter().filter(|e| e.column == column) {
            if !methods.contains(&entry.method) {
                methods.push(entry.method.clone());
            }
        }
        methods
    }

    /// The lines of a column's tables: its methods, and rows that are left open, in the order of the specification.
    pub fn lines(&self, column: &str) -> Vec<Method> {
        let methods = self.methods(column);
        let of_row = |row: &Variant| -> Vec<Method> {
            let name = row.name.get_ref();
            match row.open {
                Some(_) => vec![Method { row: name.clone(), width: 0, label: format!("{name}{OPEN}") }],
                None => methods.iter().filter(|m| m.row == *name).cloned().collect(),
            }
        };
        self.plan.spec.rows.iter().flat_map(of_row).collect()
    }

    /// The scores to tabulate.
    pub fn metrics(&self) -> Vec<Metric> {
        let asked = &self.plan.spec.table.metrics;
        if asked.is_empty() { METRICS.to_vec() } else { asked.clone() }
    }

    /// The entry of a method in a column on a treebank.
    pub fn entry(&self, treebank: &str, column: &str, method: &Method) -> Option<&Entry<'a>> {
        self.entries.iter().find(|e| e.treebank == treebank && e.column == column && e.method == *method)
    }

    /// The score of a method on a treebank's test data, the mean over seeds.
    pub fn score(&self, treebank: &str, column: &str, method: &Method, metric: Metric) -> Option<f64> {
        let score = self.entry(treebank, column, method)?.score(metric, self.rule())?;
        Some(score.mean)
    }

    /// The entry of a row in a column on a treebank, at the first width it is decoded at.
    pub fn first_of(&self, treebank: &str, column: &str, row: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|e| e.treebank == treebank && e.column == column && e.method.row == row)
    }

    /// The score that sentences compare: the labelled one, unless it is not tabulated.
    pub fn main_metric(&self) -> Metric {
        let metrics = self.metrics();
        if metrics.contains(&Metric::Las) { Metric::Las } else { metrics[0] }
    }

    /// The method of a row at the first width it is decoded at.
    pub fn method_of(&self, column: &str, row: &str) -> Option<Method> {
        self.method_at(column, row, None)
    }

    /// The method of a row at this width, or at the first one it is decoded at.
    pub fn method_at(&self, column: &str, row: &str, width: Option<usize>) -> Option<Method> {
        self.methods(column).into_iter().find(|m| m.row == row && width.is_none_or(|width| m.width == width))
    }

    /// The names of the treebanks, in the order of the plan.
    pub fn treebanks(&self) -> Vec<String> {
        self.plan.treebanks.iter().map(|data| data.source.to_string()).collect()
    }

    /// A value averaged over treebanks, each counting the same, and its spread over seeds; `None` unless every treebank has
    /// every seed.
    pub fn average(&self, column: &str, method: &Method, value: impl Fn(&Record, &Decoding) -> f64) -> Option<Spread> {
        self.average_on(column, method, |_| true, value)
    }

    /// The same over some of the treebanks.
    pub fn average_on(
        &self,
        column: &str,
        method: &Method,
        is_meant: impl Fn(&str) -> bool,
        value: impl Fn(&Record, &Decoding) -> f64,
    ) -> Option<Spread> {
        let entries = || self.entries.iter().filter(|e| e.column == column && e.method == *method);
        let of_method = || entries().filter(|e| is_meant(&e.treebank));
        if of_method().next().is_none() || !of_method().all(Entry::is_complete) {
            return None;
        }
        let n = of_method().count() as f64;
        let of_seed = |i: usize| of_method().map(|e| value(e.runs[i].0, e.runs[i].1)).sum::<f64>() / n;
        Spread::of(&(0..self.plan.profile.seeds.len()).map(of_seed).collect::<Vec<_>>())
    }

    /// The average of a score under the table's rule for punctuation.
    pub fn average_score(&self, column: &str, method: &Method, metric: Metric) -> Option<Spread> {
        let rule = self.rule();
        self.average(column, method, |_, d| metric.score(d.test.get(rule)))
    }

    /// The same on development data, on which methods are chosen.
    pub fn average_dev_score(&self, column: &str, method: &Method, metric: Metric) -> Option<Spread> {
        let rule = self.rule();
        self.average(column, method, |_, d| metric.score(d.dev.get(rule)))
    }
}

/// Over the seeds that both have; `None` if there is none.
pub(super) fn difference(entry: &Entry, baseline: &Entry, metric: Metric, rule: Punctuation) -> Option<Difference> {
    let mut points = Vec::new();
    // By sentence, how many more words are wrong in the entry than in the baseline, over all seeds.
    let mut more_errors: Vec<i64> = Vec::new();
    for (record, decoding) in &entry.runs {
        let same_seed = baseline.runs.iter().find(|(other, _)| other.options.seed() == record.options.seed());
        let Some((_, other)) = same_seed else { continue };
        points.push(metric.score(decoding.test.get(rule)) - metric.score(other.test.get(rule)));
        let (ours, theirs) = (decoding.errors.get(rule).of(metric), other.errors.get(rule).of(metric));
        more_errors.resize(ours.len(), 0);
        for ((sum, &ours), &theirs) in more_errors.iter_mut().zip(ours).zip(theirs) {
            *sum += ours as i64 - theirs as i64;
        }
    }
    let points = Spread::of(&points)?.mean;
    Some(Difference { points, p: randomisation_of_differences(&more_errors, SAMPLES, 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{plan, record};

    #[test]
    fn spreads_are_those_of_a_sample() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0]), Some(Spread { mean: 3.0, sd: None }));
        assert_eq!(Spread::of(&[1.0, 3.0]), Some(Spread { mean: 2.0, sd: Some(2f64.sqrt()) }));
    }

    #[test]
    fn averages_want_every_seed_of_every_treebank() {
        let plan = plan();
        let mut store = Store::default();
        let (last, others) = plan.cells.split_last().unwrap();
        others.iter().for_each(|c| store.insert(record(c, "r1")));
        let average = |store: &Store| {
            let summary = Summary::new(&plan, store, false);
            summary.average_score("hybrid", &summary.methods("hybrid")[3], Metric::Las)
        };
        assert_eq!(average(&store), None);
        store.insert(record(last, "r1"));
        let summary = Summary::new(&plan, &store, false);
        let method = &summary.methods("hybrid")[3];
        assert_eq!(method.label, "global, width 4");
        let by_hand: Vec<f64> = summary
            .entries
            .iter()
            .filter(|e| e.column == "hybrid" && e.method == *method)
            .map(|e| e.score(Metric::Las, Punctuation::Include).unwrap().mean)
            .collect();
        assert_eq!(by_hand.len(), 2);
        let ours = average(&store).unwrap();
        assert!((ours.mean - (by_hand[0] + by_hand[1]) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn differences_are_of_common_seeds_and_none_for_the_baseline() {
        let plan = plan();
        let mut store = Store::default();
        // Both seeds of "greedy", the second alone of "dynamic".
        for i in [0, 1, 3] {
            store.insert(record(&plan.cells[i], "r1"));
        }
        let summary = Summary::new(&plan, &store, false);
        assert_eq!(summary.entries[0].differences, []);
        let dynamic = &summary.entries[1];
        assert!(!dynamic.is_complete());
        let las = |i: usize| Metric::Las.score(&store.records()[i].decodings[0].test.with_punctuation);
        let difference = dynamic.difference("greedy", Metric::Las).unwrap();
        assert!((difference.points - (las(2) - las(1))).abs() < 1e-9);
        assert!(difference.p > 0.0 && difference.p <= 1.0);
        let mut later = self::plan();
        later.cells.iter_mut().for_each(|cell| cell.golden = "r2".to_owned());
        assert_eq!(Summary::new(&later, &store, false).n_done, 0);
        assert_eq!(Summary::new(&later, &store, true).n_done, 3);
    }
}
