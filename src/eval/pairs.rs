//! Paired comparisons over the sentences of several treebanks.
//!
//! Every treebank counts the same, as it does in averages. What is tested is whether two ways of parsing differ on sentences
//! like these; whether they would on other languages is a question to the sign test over treebanks, and to the interval for
//! which treebanks and seeds are resampled, too.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::random::{below, stream};

/// Number of random swaps of a test.
const SAMPLES: usize = 10_000;

/// Number of resamples of sentences for an interval.
const RESAMPLES: usize = 2000;

/// Difference in percentage points, averaged over treebanks.
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

/// Contributions of sentences to a difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// By treebank, in percentage points of the average over treebanks, the mean over seeds.
    sentences: Vec<Vec<f64>>,
    /// By treebank and seed, in percentage points of this treebank alone.
    by_seed: Vec<Vec<Vec<f64>>>,
}

impl Gain {
    /// The difference that such a comparison finds in four of five cases, at p < .05: 2.80 standard errors of a normal
    /// distribution, of which the interval has 3.92.
    pub fn detectable(&self) -> f64 {
        detectable((self.low, self.high))
    }
}

fn detectable((low, high): (f64, f64)) -> f64 {
    (high - low) / 3.92 * 2.80
}

impl Pairs {
    /// The comparison of these contributions, by treebank and seed, in percentage points of the treebank alone; each treebank has
    /// the same sentences for all its seeds, of which it has one at least.
    pub fn new(by_seed: Vec<Vec<Vec<f64>>>) -> Pairs {
        let n = by_seed.len() as f64;
        let mean_of_seeds = |seeds: &Vec<Vec<f64>>| -> Vec<f64> {
            let share = n * seeds.len() as f64;
            (0..seeds[0].len()).map(|i| seeds.iter().map(|seed| seed[i]).sum::<f64>() / share).collect()
        };
        Pairs { sentences: by_seed.iter().map(mean_of_seeds).collect(), by_seed }
    }

    /// The mean of several comparisons of the same sentences and seeds; none if there are none or they are not the same.
    pub fn mean(all: &[Pairs]) -> Option<Pairs> {
        let (first, others) = all.split_first()?;
        let lengths = |pairs: &Pairs| -> Vec<Vec<usize>> {
            pairs.by_seed.iter().map(|seeds| seeds.iter().map(Vec::len).collect()).collect()
        };
        if others.iter().any(|other| lengths(other) != lengths(first)) {
            return None;
        }
        let n = all.len() as f64;
        let mut mean = first.clone();
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        for other in others {
            mean.sentences.iter_mut().zip(&other.sentences).for_each(|(sums, more)| add(sums, more));
            let seeds = mean.by_seed.iter_mut().flatten().zip(other.by_seed.iter().flatten());
            seeds.for_each(|(sums, more)| add(sums, more));
        }
        mean.sentences.iter_mut().flatten().for_each(|sum| *sum /= n);
        mean.by_seed.iter_mut().flatten().flatten().for_each(|sum| *sum /= n);
        Some(mean)
    }

    /// The difference, and how sure it is.
    pub fn gain(&self) -> Gain {
        let (low, high) = self.interval();
        Gain { points: self.points(), low, high, p: self.randomisation() }
    }

    /// See [`Gain::detectable`].
    pub fn detectable(&self) -> f64 {
        detectable(self.interval())
    }

    /// The difference, in percentage points.
    pub fn points(&self) -> f64 {
        self.sentences.iter().flatten().sum()
    }

    /// The difference on each treebank alone, the mean over seeds.
    pub fn by_treebank(&self) -> Vec<f64> {
        let of = |seeds: &Vec<Vec<f64>>| seeds.iter().flatten().sum::<f64>() / seeds.len() as f64;
        self.by_seed.iter().map(of).collect()
    }

    /// Number of sentences.
    pub fn n_sentences(&self) -> usize {
        self.sentences.iter().map(Vec::len).sum()
    }

    /// Number of seeds of each treebank, at least and at most.
    pub fn n_seeds(&self) -> (usize, usize) {
        let counts = || self.by_seed.iter().map(Vec::len);
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }

    /// Paired approximate randomisation (Yeh 2000): a coin a sentence decides whether the two change places.
    fn randomisation(&self) -> f64 {
        // A sentence on which they agree changes nothing.
        let values: Vec<f64> = self.sentences.iter().flatten().copied().filter(|v| *v != 0.0).collect();
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
        percentiles(|sample| {
            let mut draws = stream(1, "bootstrap over treebanks", &[sample]);
            let of = |values: &Vec<f64>| {
                let n = values.len() as u64;
                (0..n).map(|_| values[below(n, &mut draws) as usize]).sum::<f64>()
            };
            self.sentences.iter().map(of).sum()
        })
    }

    /// The percentile interval of a hierarchical bootstrap (Davison & Hinkley 1997, section 3.8): as many treebanks as there are,
    /// drawn with replacement, of each as many seeds, and of each of these as many sentences.
    pub fn interval_of_all(&self) -> (f64, f64) {
        percentiles(|sample| {
            let mut draws = stream(1, "bootstrap of treebanks, seeds and sentences", &[sample]);
            let n_treebanks = self.by_seed.len();
            let of_treebanks: f64 = (0..n_treebanks)
                .map(|_| {
                    let seeds = &self.by_seed[below(n_treebanks as u64, &mut draws) as usize];
                    let of_seeds: f64 = (0..seeds.len())
                        .map(|_| {
                            let sentences = &seeds[below(seeds.len() as u64, &mut draws) as usize];
                            let n = sentences.len() as u64;
                            (0..n).map(|_| sentences[below(n, &mut draws) as usize]).sum::<f64>()
                        })
                        .sum();
                    of_seeds / seeds.len() as f64
                })
                .sum();
            of_treebanks / n_treebanks as f64
        })
    }
}

/// Between which numbers lie 95 % of what is drawn.
fn percentiles(drawn: impl Fn(u64) -> f64 + Send + Sync) -> (f64, f64) {
    let mut sums: Vec<f64> = (0..RESAMPLES as u64).into_par_iter().map(drawn).collect();
    sums.sort_unstable_by(f64::total_cmp);
    let tail = RESAMPLES / 40;
    (sums[tail], sums[RESAMPLES - 1 - tail])
}

/// The p-values of several tests when all of them are looked at, each at most 1: those below a level are what Holm (1979) rejects
/// at it.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (place, &i) in order.iter().enumerate() {
        largest = largest.max(p_values[i] * (p_values.len() - place) as f64).min(1.0);
        corrected[i] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_one_seed(sentences: Vec<Vec<f64>>) -> Pairs {
        let n = sentences.len() as f64;
        let by_seed = sentences.iter().map(|of| vec![of.iter().map(|points| points * n).collect()]).collect();
        Pairs { sentences, by_seed }
    }

    /// With one treebank and one seed both intervals are about sentences; treebanks that disagree make the wider one wide, and so do
    /// seeds.
    #[test]
    fn what_is_resampled_widens_the_interval() {
        let sentences = |mean: f64| -> Vec<f64> { (0..400).map(|i| (mean + f64::from(i % 5) - 2.0) / 400.0).collect() };
        let one = of_one_seed(vec![sentences(1.0)]);
        let (narrow, wide) = (one.interval(), one.interval_of_all());
        assert!((narrow.0 - wide.0).abs() < 0.03 && (narrow.1 - wide.1).abs() < 0.03, "{narrow:?}, {wide:?}");
        assert!(narrow.0 > 0.8 && narrow.1 < 1.2);
        let half = |of: Vec<f64>| of.iter().map(|points| points / 2.0).collect::<Vec<f64>>();
        let two = of_one_seed(vec![half(sentences(3.0)), half(sentences(-1.0))]);
        assert!((two.gain().points - 1.0).abs() < 1e-9 && two.interval().0 > 0.8);
        let wide = two.interval_of_all();
        assert!(wide.0 < -0.8 && wide.1 > 2.8, "{wide:?}");
        let seeds = Pairs {
            sentences: vec![sentences(1.0)],
            by_seed: vec![vec![sentences(0.5), sentences(1.0), sentences(1.5)]],
        };
        let wide_of_seeds = seeds.interval_of_all();
        assert!(wide_of_seeds.0 < narrow.0 - 0.1 && wide_of_seeds.1 > narrow.1 + 0.1, "{wide_of_seeds:?}");
        assert_eq!(seeds.n_seeds(), (3, 3));
        let gain = Gain { points: 1.0, low: 0.0, high: 3.92, p: 0.5 };
        assert!((gain.detectable() - 2.8).abs() < 1e-9);
    }

    #[test]
    fn other_sentences_have_no_mean() {
        assert_eq!(Pairs::mean(&[]), None);
        assert_eq!(Pairs::mean(&[of_one_seed(vec![vec![1.0]]), of_one_seed(vec![vec![1.0, 2.0]])]), None);
    }

    #[test]
    fn the_randomisation_is_that_of_all_ways_to_swap() {
        let pairs = of_one_seed(vec![vec![0.5, 0.5, -0.25], vec![1.0, 0.0, 0.75, 0.5]]);
        let values: Vec<f64> = pairs.sentences.iter().flatten().copied().filter(|v| *v != 0.0).collect();
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
        let are = |p_values: &[f64]| holm(p_values).into_iter().map(|p| p < 0.05).collect::<Vec<bool>>();
        assert_eq!(are(&[0.04, 0.001, 0.03, 0.01]), [false, true, false, true]);
        assert_eq!(are(&[0.04, 0.045]), [false, false]);
        assert_eq!(are(&[0.02, 0.045]), [true, true]);
        assert!(are(&[]).is_empty());
        assert_eq!(holm(&[0.5, 0.25, 0.0625]), [0.5, 0.5, 0.1875], "no smaller than one before it");
        assert_eq!(holm(&[0.75, 0.75]), [1.0, 1.0]);
    }
}
