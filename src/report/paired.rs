//! Paired comparisons over the sentences of several treebanks.
//!
//! Every treebank counts the same, as it does in averages. What is tested is whether two ways of parsing differ on sentences
//! like these; whether they would on other languages is a question to the sign test over treebanks, see `directions`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::summary::{Entry, Method, SAMPLES, Summary};
use crate::eval::{Metric, Punctuation};
use crate::random::{below, stream};

/// How many times sentences are drawn for an interval.
const RESAMPLES: usize = 2000;

/// By how much something is better, in percentage points, averaged over treebanks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The points.
    pub points: f64,
    /// The lower end of the 95 % bootstrap interval over sentences; words per treebank are taken as given.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The probability of as large a difference by chance: paired approximate randomisation over the sentences of all treebanks.
    pub p: f64,
}

/// What each sentence adds to a difference, in percentage points of the average over treebanks; by treebank.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs(Vec<Vec<f64>>);

impl Pairs {
    /// `ours` against `theirs` in a column, over the seeds that both have; none unless every treebank has both.
    pub fn new(summary: &Summary, column: &str, ours: &Method, theirs: &Method, metric: Metric) -> Option<Pairs> {
        let rule = summary.plan.spec.table.punctuation;
        let treebanks = summary.treebanks();
        let n = treebanks.len() as f64;
        let of = |t: &String| {
            let pair = (summary.entry(t, column, ours)?, summary.entry(t, column, theirs)?);
            Some(by_sentence(pair.0, pair.1, metric, rule)?.into_iter().map(|points| points / n).collect())
        };
        treebanks.iter().map(of).collect::<Option<Vec<_>>>().map(Pairs)
    }

    /// The mean of several comparisons of the same sentences; none if there are none or the sentences are not the same.
    pub fn mean(all: &[Pairs]) -> Option<Pairs> {
        let (first, others) = all.split_first()?;
        let lengths = |pairs: &Pairs| pairs.0.iter().map(Vec::len).collect::<Vec<_>>();
        if others.iter().any(|other| lengths(other) != lengths(first)) {
            return None;
        }
        let n = all.len() as f64;
        let at = |t: usize, i: usize| all.iter().map(|pairs| pairs.0[t][i]).sum::<f64>() / n;
        Some(Pairs((0..first.0.len()).map(|t| (0..first.0[t].len()).map(|i| at(t, i)).collect()).collect()))
    }

    /// The difference, and how sure it is.
    pub fn gain(&self) -> Gain {
        let (low, high) = self.interval();
        Gain { points: self.0.iter().flatten().sum(), low, high, p: self.randomisation() }
    }

    /// How many sentences there are.
    pub fn n_sentences(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Paired approximate randomisation (Yeh 2000): a coin a sentence decides whether the two change places.
    fn randomisation(&self) -> f64 {
        // A sentence on which they agree changes nothing.
        let values: Vec<f64> = self.0.iter().flatten().copied().filter(|v| *v != 0.0).collect();
        // Sums of the same numbers in another order may differ in their last digits.
        let observed = values.iter().sum::<f64>().abs() - 1e-9;
        let extreme = (0..SAMPLES as u64).into_par_iter().filter(|&sample| {
            let mut coins = stream(1, "randomisation over treebanks", &[sample]);
            let swapped: f64 = values.iter().map(|&v| if below(2, &mut coins) == 0 { v } else { -v }).sum();
            swapped.abs() >= observed
        });
        (extreme.count() + 1) as f64 / (SAMPLES + 1) as f64
    }

    /// The percentile bootstrap interval: as many sentences of each treebank as there are, drawn with replacement.
    fn interval(&self) -> (f64, f64) {
        let drawn = |sample: u64| {
            let mut draws = stream(1, "bootstrap over treebanks", &[sample]);
            let of = |values: &Vec<f64>| {
                let n = values.len() as u64;
                (0..n).map(|_| values[below(n, &mut draws) as usize]).sum::<f64>()
            };
            self.0.iter().map(of).sum()
        };
        let mut sums: Vec<f64> = (0..RESAMPLES as u64).into_par_iter().map(drawn).collect();
        sums.sort_unstable_by(f64::total_cmp);
        let tail = RESAMPLES / 40;
        (sums[tail], sums[RESAMPLES - 1 - tail])
    }
}

/// What each sentence adds to the difference on its treebank, in percentage points; none without a common seed or a word.
fn by_sentence(ours: &Entry, theirs: &Entry, metric: Metric, rule: Punctuation) -> Option<Vec<f64>> {
    let mut fewer_errors: Vec<f64> = Vec::new();
    let (mut n_seeds, mut n_words) = (0, 0);
    for (record, decoding) in &ours.runs {
        let same_seed = theirs.runs.iter().find(|(other, _)| other.options.seed() == record.options.seed());
        let Some((_, other)) = same_seed else { continue };
        n_seeds += 1;
        n_words = decoding.test.get(rule).tokens;
        let (ours, theirs) = (decoding.errors.get(rule).of(metric), other.errors.get(rule).of(metric));
        fewer_errors.resize(ours.len(), 0.0);
        for ((sum, &ours), &theirs) in fewer_errors.iter_mut().zip(ours).zip(theirs) {
            *sum += theirs as f64 - ours as f64;
        }
    }
    let unit = 100.0 / (n_words as f64 * f64::from(n_seeds));
    unit.is_finite().then(|| fewer_errors.into_iter().map(|fewer| fewer * unit).collect())
}

/// Which of several tests are significant at `level` when all of them are looked at (Holm 1979).
pub fn holm(p_values: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut are = vec![false; p_values.len()];
    for (place, &i) in order.iter().enumerate() {
        if p_values[i] > level / (p_values.len() - place) as f64 {
            break;
        }
        are[i] = true;
    }
    are
}

/// A p-value for people.
pub fn told_p(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p if p < 0.1 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Store;
    use crate::experiment::testing::{plan, record};

    #[test]
    fn points_are_differences_of_averages() {
        let plan = plan();
        let mut store = Store::default();
        plan.cells.iter().for_each(|c| store.insert(record(c, "r1")));
        let summary = Summary::new(&plan, &store, &"r1".into(), false);
        let methods = summary.methods("eager");
        for metric in [Metric::Las, Metric::Uas] {
            let score = |m: &Method| summary.average_score("eager", m, metric).unwrap().mean;
            let pairs = Pairs::new(&summary, "eager", &methods[3], &methods[0], metric).unwrap();
            let gain = pairs.gain();
            assert!((gain.points - (score(&methods[3]) - score(&methods[0]))).abs() < 1e-9, "{gain:?}");
            assert!(gain.low < gain.points && gain.points < gain.high && gain.p > 0.0 && gain.p <= 1.0, "{gain:?}");
            let back = Pairs::new(&summary, "eager", &methods[0], &methods[3], metric).unwrap();
            assert_eq!(back.gain().p, gain.p);
            let mean = Pairs::mean(&[pairs.clone(), back]).unwrap().gain();
            assert!(mean.points.abs() < 1e-9 && mean.p > 0.99, "{mean:?}");
            assert_eq!(
                pairs.n_sentences(),
                summary.plan.treebanks.iter().map(|t| t.test.sentences.len()).sum::<usize>()
            );
        }
        assert_eq!(Pairs::mean(&[]), None);
        assert_eq!(Pairs::mean(&[Pairs(vec![vec![1.0]]), Pairs(vec![vec![1.0, 2.0]])]), None);
    }

    #[test]
    fn the_randomisation_is_that_of_all_ways_to_swap() {
        let pairs = Pairs(vec![vec![0.5, 0.5, -0.25], vec![1.0, 0.0, 0.75, 0.5]]);
        let values: Vec<f64> = pairs.0.iter().flatten().copied().filter(|v| *v != 0.0).collect();
        let observed = values.iter().sum::<f64>().abs();
        let n = 1u32 << values.len();
        let sum =
            |swaps: u32| values.iter().zip(0..).map(|(v, i)| if swaps >> i & 1 == 1 { -v } else { *v }).sum::<f64>();
        let exact = (0..n).filter(|&swaps| sum(swaps).abs() >= observed - 1e-9).count() as f64 / f64::from(n);
        let p = pairs.randomisation();
        assert!((p - exact).abs() < 0.02, "{p} against {exact}");
    }

    #[test]
    fn holm_stops_at_the_first_that_fails() {
        assert_eq!(holm(&[0.04, 0.001, 0.03, 0.01], 0.05), [false, true, false, true]);
        assert_eq!(holm(&[0.04, 0.045], 0.05), [false, false]);
        assert_eq!(holm(&[0.02, 0.045], 0.05), [true, true]);
        assert!(holm(&[], 0.05).is_empty());
    }
}
