//! Paired comparisons over the sentences of several treebanks.
//!
//! Every treebank counts the same, as it does in averages. Intervals are those of a hierarchical bootstrap: treebanks, seeds and
//! sentences are resampled, so that a claim is about languages, models and sentences like these. With one treebank nothing can
//! be said about others: its seeds and sentences are resampled.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::random::{below, stream};

/// Number of random swaps of a test over the sentences of one treebank.
const SAMPLES: usize = 10_000;

/// Number of resamples for an interval.
const RESAMPLES: usize = 2000;

/// Difference in percentage points, averaged over treebanks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The points.
    pub points: f64,
    /// The lower end of the 95 % interval of the hierarchical bootstrap.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Two-sided probability of no difference: of several treebanks twice the share of resamples on the other side of 0, of one
    /// treebank paired approximate randomisation over its sentences (Yeh 2000).
    pub p: f64,
}

/// Contributions of sentences to a difference: by treebank, seed and sentence, in percentage points of the treebank alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs(Vec<Vec<Vec<f64>>>);

impl Gain {
    /// Minimum detectable difference (80 % power, alpha 0.05): 2.80 standard errors of a normal distribution, of which the
    /// interval has 3.92.
    pub fn detectable(&self) -> f64 {
        (self.high - self.low) / 3.92 * 2.80
    }
}

/// Sign of a difference in percentage points. Scores are fractions of words: what is smaller than one word of any treebank is a tie
/// whose halves were rounded differently.
pub fn sign(points: f64) -> Ordering {
    if points.abs() < 1e-7 { Ordering::Equal } else { points.total_cmp(&0.0) }
}

/// Numbers of differences above and below 0, without ties.
pub fn signs(points: impl IntoIterator<Item = f64>) -> (usize, usize) {
    points.into_iter().map(sign).fold((0, 0), |(higher, lower), sign| match sign {
        Ordering::Greater => (higher + 1, lower),
        Ordering::Equal => (higher, lower),
        Ordering::Less => (higher, lower + 1),
    })
}

impl Pairs {
    /// The comparison of these contributions; each treebank has the same sentences for all its seeds, of which it has one at
    /// least.
    pub fn new(by_seed: Vec<Vec<Vec<f64>>>) -> Pairs {
        Pairs(by_seed)
    }

    /// The mean of several comparisons of the same sentences and seeds; none if there are none or they are not the same.
    pub fn mean(all: &[Pairs]) -> Option<Pairs> {
        let (first, others) = all.split_first()?;
        let lengths = |pairs: &Pairs| -> Vec<Vec<usize>> {
            pairs.0.iter().map(|seeds| seeds.iter().map(Vec::len).collect()).collect()
        };
        if others.iter().any(|other| lengths(other) != lengths(first)) {
            return None;
        }
        let mut mean = first.clone();
        for other in others {
            let seeds = mean.0.iter_mut().flatten().zip(other.0.iter().flatten());
            seeds.for_each(|(sums, more)| sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more));
        }
        mean.0.iter_mut().flatten().flatten().for_each(|sum| *sum /= all.len() as f64);
        Some(mean)
    }

    /// The difference, and how sure it is.
    pub fn gain(&self) -> Gain {
        let resampled = self.resampled();
        let tail = RESAMPLES / 40;
        let p = if self.0.len() == 1 { self.randomisation() } else { two_sided(&resampled) };
        Gain { points: self.points(), low: resampled[tail], high: resampled[RESAMPLES - 1 - tail], p }
    }

    /// The difference, in percentage points.
    pub fn points(&self) -> f64 {
        self.by_treebank().iter().sum::<f64>() / self.0.len() as f64
    }

    /// The difference on each treebank alone, the mean over seeds.
    pub fn by_treebank(&self) -> Vec<f64> {
        let of = |seeds: &Vec<Vec<f64>>| seeds.iter().flatten().sum::<f64>() / seeds.len() as f64;
        self.0.iter().map(of).collect()
    }

    /// Numbers of treebanks on which the difference is above and below 0, without ties.
    pub fn signs(&self) -> (usize, usize) {
        signs(self.by_treebank())
    }

    /// Number of sentences.
    pub fn n_sentences(&self) -> usize {
        self.0.iter().map(|seeds| seeds[0].len()).sum()
    }

    /// Number of seeds of each treebank, at least and at most.
    pub fn n_seeds(&self) -> (usize, usize) {
        let counts = || self.0.iter().map(Vec::len);
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }

    /// Paired approximate randomisation (Yeh 2000): a coin a sentence decides whether the two change places, for all seeds.
    fn randomisation(&self) -> f64 {
        let of_sentences = |seeds: &Vec<Vec<f64>>| -> Vec<f64> {
            (0..seeds[0].len()).map(|i| seeds.iter().map(|seed| seed[i]).sum::<f64>()).collect()
        };
        // A sentence on which they agree changes nothing.
        let values: Vec<f64> = self.0.iter().flat_map(of_sentences).filter(|v| *v != 0.0).collect();
        // Sums of the same numbers in another order may differ in their last digits.
        let observed = values.iter().sum::<f64>().abs() - 1e-9;
        let is_extreme = parallel::map(SAMPLES, |sample| {
            let mut coins = stream(1, "randomisation over treebanks", &[sample as u64]);
            let swapped: f64 = values.iter().map(|&v| if below(2, &mut coins) == 0 { v } else { -v }).sum();
            swapped.abs() >= observed
        });
        let n_extreme = is_extreme.iter().filter(|is_extreme| **is_extreme).count();
        (n_extreme + 1) as f64 / (SAMPLES + 1) as f64
    }

    /// Differences of a hierarchical bootstrap (Davison & Hinkley 1997, section 3.8), in ascending order: of as many treebanks as
    /// there are, drawn with replacement, and of each as many seeds and as many sentences. Seeds and sentences are crossed: models
    /// of all seeds parse the same sentences, so that one draw of sentences serves all drawn seeds.
    fn resampled(&self) -> Vec<f64> {
        let one = |sample: usize| {
            let mut draws = stream(1, "bootstrap of treebanks, seeds and sentences", &[sample as u64]);
            let mut drawn = |n: usize| below(n as u64, &mut draws) as usize;
            let n_treebanks = self.0.len();
            let mut sum = 0.0;
            for _ in 0..n_treebanks {
                let seeds = &self.0[drawn(n_treebanks)];
                let chosen: Vec<&[f64]> = seeds.iter().map(|_| &seeds[drawn(seeds.len())][..]).collect();
                let n_sentences = seeds[0].len();
                let sentences = (0..n_sentences).map(|_| {
                    let sentence = drawn(n_sentences);
                    chosen.iter().map(|seed| seed[sentence]).sum::<f64>()
                });
                sum += sentences.sum::<f64>() / seeds.len() as f64;
            }
            sum / n_treebanks as f64
        };
        let mut sums = parallel::map(RESAMPLES, one);
        sums.sort_unstable_by(f64::total_cmp);
        sums
    }
}

/// Twice the share of resamples on the rarer side of 0.
fn two_sided(resampled: &[f64]) -> f64 {
    let (higher, lower) = signs(resampled.iter().copied());
    let ties = resampled.len() - higher - lower;
    let share = (higher.min(lower) + ties + 1) as f64 / (resampled.len() + 1) as f64;
    (2.0 * share).min(1.0)
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

    /// With one treebank and one seed intervals are about sentences; treebanks that disagree make them wide, and so do seeds.
    #[test]
    fn what_is_resampled_widens_the_interval() {
        let sentences = |mean: f64| -> Vec<f64> { (0..400).map(|i| (mean + f64::from(i % 5) - 2.0) / 400.0).collect() };
        let narrow = Pairs::new(vec![vec![sentences(1.0)]]).gain();
        assert!(narrow.low > 0.8 && narrow.high < 1.2 && narrow.p < 0.001, "{narrow:?}");
        let wide = Pairs::new(vec![vec![sentences(3.0)], vec![sentences(-1.0)]]).gain();
        assert!((wide.points - 1.0).abs() < 1e-9 && wide.low < -0.8 && wide.high > 2.8 && wide.p > 0.3, "{wide:?}");
        let agreeing = Pairs::new(vec![vec![sentences(1.0)], vec![sentences(1.1)]]).gain();
        assert!(agreeing.low > 0.8 && agreeing.p < 0.001, "{agreeing:?}");
        let seeds = Pairs::new(vec![vec![sentences(0.5), sentences(1.0), sentences(1.5)]]);
        let wide = seeds.gain();
        assert!(wide.low < narrow.low - 0.1 && wide.high > narrow.high + 0.1, "{wide:?}");
        assert_eq!((seeds.n_seeds(), seeds.n_sentences()), ((3, 3), 400));
        // Seeds that agree say nothing more about the sentences.
        let same = Pairs::new(vec![vec![sentences(1.0); 5]]).gain();
        let width = |gain: Gain| gain.high - gain.low;
        assert!((width(same) / width(narrow) - 1.0).abs() < 0.1, "{same:?}, {narrow:?}");
        let gain = Gain { points: 1.0, low: 0.0, high: 3.92, p: 0.5 };
        assert!((gain.detectable() - 2.8).abs() < 1e-9);
    }

    #[test]
    fn no_difference_is_none() {
        let gain = Pairs::new(vec![vec![vec![0.0; 5]], vec![vec![0.0; 3]]]).gain();
        assert_eq!((gain.points, gain.low, gain.high, gain.p), (0.0, 0.0, 0.0, 1.0));
    }

    /// An exact tie whose two scores were rounded differently is on neither side.
    #[test]
    fn ties_are_on_neither_side() {
        let thirds = [100.0 / 3.0, 100.0 / 3.0, -200.0 / 3.0 + 1e-14];
        assert_ne!(thirds.iter().sum::<f64>(), 0.0);
        let pairs = Pairs::new(vec![vec![thirds.to_vec()], vec![vec![0.25]], vec![vec![-0.125]], vec![vec![1e-3]]]);
        assert_eq!(pairs.signs(), (2, 1));
        assert_eq!(sign(-1e-5), Ordering::Less);
    }

    #[test]
    fn other_sentences_have_no_mean() {
        let one = |sentences: &[f64]| Pairs::new(vec![vec![sentences.to_vec()]]);
        assert_eq!(Pairs::mean(&[]), None);
        assert_eq!(Pairs::mean(&[one(&[1.0]), one(&[1.0, 2.0])]), None);
        assert_eq!(Pairs::mean(&[one(&[1.0, 2.0]), one(&[3.0, 6.0])]), Some(one(&[2.0, 4.0])));
    }

    #[test]
    fn the_randomisation_is_that_of_all_ways_to_swap() {
        let values = [0.5, 0.5, -0.25, 1.0, 0.0, 0.75, 0.5];
        let pairs = Pairs::new(vec![vec![values.to_vec()]]);
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
