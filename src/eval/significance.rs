//! Significance of a score or a difference: approximate randomisation and the bootstrap, both over sentences.
//!
//! Sentences are what is drawn, never words: the words of a sentence stand or fall together. To compare averages over
//! several training seeds, add up each sentence's counts over the seeds before calling; the seeds of one sentence then
//! share one coin.
//!
//! Complexity: O(samples · sentences). From 100,000 sentences on those with the same counts are drawn together, by binomial
//! numbers, which is the same distribution at O(samples · different counts).

use hashbrown::HashMap;
use rand_distr::{Binomial, Distribution};
use serde::{Deserialize, Serialize};

use super::{Counts, Metric};
use crate::parallel;
use crate::random::{Xoshiro256PlusPlus, below, stream};

/// The share of resamples that an [`Interval`] contains.
pub const LEVEL: f64 = 0.95;

/// Least number of sentences for which those with the same counts are drawn together. Treebanks have fewer; what comes out for them stays
/// what it was when every sentence was drawn by itself.
const MANY: usize = 100_000;

/// A percentile bootstrap interval at [`LEVEL`], in percent or percentage points; both ends are NaN if no word was
/// scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The two-sided p-value of the difference between two systems by stratified approximate randomisation (Yeh 2000; Noreen
/// 1989): in each of `samples` rounds a coin per sentence decides whether the two systems change places; the p-value is
/// (c + 1) / (samples + 1), where c rounds had a difference at least as great as the one observed.
///
/// `a[i]` and `b[i]` belong to the same sentence. The result depends on the seed, not on the number of threads.
///
/// # Examples
/// ```
/// use treebeam::eval::significance::{bootstrap_difference, randomisation};
/// use treebeam::eval::{Counts, Metric};
///
/// let sentence = |heads| Counts { sentences: 1, tokens: 10, heads, ..Counts::default() };
/// // In every other of 100 sentences, the second system has one more head right.
/// let a: Vec<Counts> = (0..100).map(|_| sentence(8)).collect();
/// let b: Vec<Counts> = (0..100).map(|i| sentence(8 + i % 2)).collect();
/// assert!(randomisation(&a, &b, Metric::Uas, 1000, 1) < 0.01);
/// assert_eq!(randomisation(&a, &a, Metric::Uas, 1000, 1), 1.0);
/// let gained = bootstrap_difference(&a, &b, Metric::Uas, 1000, 1);
/// assert!(gained.low > 0.0 && gained.low < 5.0 && gained.high > 5.0);
/// ```
///
/// # Panics
/// If `a` and `b` do not have the same number of sentences, or not the same number of words in each.
pub fn randomisation(a: &[Counts], b: &[Counts], metric: Metric, samples: usize, seed: u64) -> f64 {
    // Both systems are scored on the same number of words however they are swapped, so that differences of counts order
    // as differences of scores do.
    let differences: Vec<i64> = paired(a, b, metric).map(|(d, _)| d).collect();
    randomisation_of_differences(&differences, samples, seed)
}

/// [`randomisation`] of two systems of which only the differences in correct words are known, one per sentence; or in wrong
/// words, which gives the same p-value.
pub fn randomisation_of_differences(differences: &[i64], samples: usize, seed: u64) -> f64 {
    p_value(differences, samples, seed, MANY)
}

fn p_value(differences: &[i64], samples: usize, seed: u64, many: usize) -> f64 {
    // A sentence on which the systems agree changes nothing when swapped.
    let differences: Vec<i64> = differences.iter().copied().filter(|&d| d != 0).collect();
    let observed = differences.iter().sum::<i64>().abs();
    let sizes = differences.iter().map(|d| d.abs());
    let differences = Sentences::new(&differences, sizes, many);
    let is_extreme = parallel::map(samples, |sample| {
        let mut coins = stream(seed, "approximate randomisation", &[sample as u64]);
        differences.swapped(&mut coins).abs() >= observed
    });
    let n_extreme = is_extreme.iter().filter(|is_extreme| **is_extreme).count();
    (n_extreme + 1) as f64 / (samples + 1) as f64
}

/// Statistics of sentences, each resampled by itself or, where there are many, together with those like it.
enum Sentences<'s, T> {
    Each(&'s [T]),
    /// With the number of sentences like it.
    Alike(Vec<(T, u64)>),
}

impl<'s, T: Copy + Eq + std::hash::Hash + Ord> Sentences<'s, T> {
    /// Sentences are drawn together if there are at least `many`; two are like each other if they have the same of `keys`.
    fn new(sentences: &'s [T], keys: impl Iterator<Item = T>, many: usize) -> Sentences<'s, T> {
        if sentences.len() < many {
            return Sentences::Each(sentences);
        }
        let mut numbers: HashMap<T, u64> = HashMap::new();
        for key in keys {
            *numbers.entry(key).or_default() += 1;
        }
        let mut numbers: Vec<(T, u64)> = numbers.into_iter().collect();
        numbers.sort_unstable();
        Sentences::Alike(numbers)
    }
}

impl Sentences<'_, i64> {
    /// The sum of the differences if a coin per sentence decides about its sign.
    fn swapped(&self, coins: &mut Xoshiro256PlusPlus) -> i64 {
        match self {
            Sentences::Each(differences) => {
                differences.iter().map(|&d| if below(2, coins) == 0 { d } else { -d }).sum()
            }
            Sentences::Alike(sizes) => {
                let heads = |number, coins: &mut _| binomial(number, 0.5, coins) as i64;
                sizes.iter().map(|&(size, number)| size * (2 * heads(number, coins) - number as i64)).sum()
            }
        }
    }
}

impl Sentences<'_, (i64, u64)> {
    /// The sums of values and of words of as many sentences as there are, drawn with replacement.
    fn resampled(&self, draws: &mut Xoshiro256PlusPlus) -> (i64, u64) {
        match self {
            Sentences::Each(sentences) => {
                let n = sentences.len() as u64;
                (0..n).fold((0, 0), |(value, words), _| {
                    let drawn = sentences[below(n, draws) as usize];
                    (value + drawn.0, words + drawn.1)
                })
            }
            // A multinomial number for each kind of sentence: binomial among those that are left.
            Sentences::Alike(kinds) => {
                let mut of_later_kinds: u64 = kinds.iter().map(|&(_, number)| number).sum();
                let mut to_draw = of_later_kinds;
                let (mut sum_of_values, mut sum_of_words) = (0, 0);
                for &((value, words), number) in kinds {
                    let drawn = binomial(to_draw, number as f64 / of_later_kinds as f64, draws);
                    sum_of_values += value * drawn as i64;
                    sum_of_words += words * drawn;
                    to_draw -= drawn;
                    of_later_kinds -= number;
                }
                (sum_of_values, sum_of_words)
            }
        }
    }
}

/// Binomial sample: number of `n` draws that come out if each does with `probability`.
fn binomial(n: u64, probability: f64, draws: &mut Xoshiro256PlusPlus) -> u64 {
    Binomial::new(n, probability).map_or(0, |numbers| numbers.sample(draws))
}

/// By sentence: how many more words are correct in `b` than in `a`, and how many are scored.
fn paired<'a>(a: &'a [Counts], b: &'a [Counts], metric: Metric) -> impl Iterator<Item = (i64, u64)> + 'a {
    assert_eq!(a.len(), b.len(), "counts of the same sentences");
    a.iter().zip(b).map(move |(a, b)| {
        assert_eq!(a.tokens, b.tokens, "counts of the same words");
        (metric.correct(b) as i64 - metric.correct(a) as i64, a.tokens)
    })
}

/// The bootstrap interval of one system's score (Efron & Tibshirani 1993, section 13.3): sentences are drawn with
/// replacement, as many as there are, `samples` times.
///
/// The result depends on the seed, not on the number of threads.
///
/// # Panics
/// If `samples` is 0.
pub fn bootstrap(counts: &[Counts], metric: Metric, samples: usize, seed: u64) -> Interval {
    percentiles(counts.iter().map(|c| (metric.correct(c) as i64, c.tokens)), samples, seed, MANY)
}

/// The bootstrap interval of the difference, `b` minus `a`, in percentage points: as [`bootstrap`], each draw taking the
/// same sentences from both.
///
/// # Panics
/// If `samples` is 0, or as [`randomisation`] does.
pub fn bootstrap_difference(a: &[Counts], b: &[Counts], metric: Metric, samples: usize, seed: u64) -> Interval {
    percentiles(paired(a, b, metric), samples, seed, MANY)
}

/// The interval of Σ value / Σ words over resampled (value, words) pairs.
fn percentiles(sentences: impl Iterator<Item = (i64, u64)>, samples: usize, seed: u64, many: usize) -> Interval {
    assert!(samples > 0, "a bootstrap needs at least one sample");
    // Sentences without scored words change no ratio, but could make up a whole resample, which would have none.
    let sentences: Vec<_> = sentences.filter(|&(_, words)| words > 0).collect();
    if sentences.is_empty() {
        return Interval { low: f64::NAN, high: f64::NAN };
    }
    let sentences = Sentences::new(&sentences, sentences.iter().copied(), many);
    let mut scores = parallel::map(samples, |sample| {
        let mut draws = stream(seed, "bootstrap", &[sample as u64]);
        let (value, words) = sentences.resampled(&mut draws);
        100.0 * value as f64 / words as f64
    });
    scores.sort_unstable_by(f64::total_cmp);
    let tail = ((1.0 - LEVEL) / 2.0 * samples as f64) as usize;
    Interval { low: scores[tail], high: scores[samples - 1 - tail] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::unit;

    /// A sentence of `tokens` words, `heads` of them attached right and `labelled` of those labelled right.
    fn sentence(tokens: u64, heads: u64, labelled: u64) -> Counts {
        Counts { sentences: 1, tokens, heads, labels: labelled, labelled, ..Counts::default() }
    }

    /// The p-value over all 2^n ways to swap.
    fn exact(a: &[Counts], b: &[Counts], metric: Metric) -> f64 {
        let d: Vec<i64> = a.iter().zip(b).map(|(a, b)| metric.correct(b) as i64 - metric.correct(a) as i64).collect();
        let observed = d.iter().sum::<i64>().abs();
        let extreme = (0..1u32 << d.len()).filter(|swaps| {
            let sum: i64 = d.iter().enumerate().map(|(i, d)| if swaps >> i & 1 == 1 { -d } else { *d }).sum();
            sum.abs() >= observed
        });
        extreme.count() as f64 / (1u32 << d.len()) as f64
    }

    #[test]
    fn randomisation_approaches_the_exact_test() {
        let heads_a = [3, 5, 4, 7, 2, 6, 5, 5, 8, 1];
        let heads_b = [5, 6, 4, 6, 4, 8, 5, 8, 9, 2];
        let a: Vec<Counts> = heads_a.iter().map(|&heads| sentence(10, heads, heads / 2)).collect();
        let b: Vec<Counts> = heads_b.iter().map(|&heads| sentence(10, heads, heads / 2)).collect();
        let samples = 100_000;
        for (metric, by_hand) in [(Metric::Uas, 10.0 / 256.0), (Metric::Las, 2.0 / 64.0)] {
            let truth = exact(&a, &b, metric);
            let p = randomisation(&a, &b, metric, samples, 1);
            let sd = (truth * (1.0 - truth) / samples as f64).sqrt();
            assert!((p - truth).abs() < 4.0 * sd, "{metric:?}: {p} against {truth}");
            assert_eq!(p, randomisation(&a, &b, metric, samples, 1));
            assert_eq!(p, randomisation(&b, &a, metric, samples, 1));
            assert_ne!(p, randomisation(&a, &b, metric, samples, 2));
            assert_eq!(truth, by_hand, "{metric:?}");
        }
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let a = vec![sentence(9, 4, 3); 20];
        assert_eq!(randomisation(&a, &a, Metric::Las, 1000, 1), 1.0);
        assert_eq!(bootstrap_difference(&a, &a, Metric::Las, 1000, 1), Interval { low: 0.0, high: 0.0 });
    }

    #[test]
    fn the_least_p_value_is_one_in_samples_plus_one() {
        let (a, b) = (vec![sentence(9, 0, 0); 60], vec![sentence(9, 9, 9); 60]);
        assert_eq!(randomisation(&a, &b, Metric::Uas, 999, 1), 1.0 / 1000.0);
    }

    /// Two systems that differ by nothing but chance: in each of many trials the p-value falls below x with probability
    /// about x.
    #[test]
    fn p_values_are_uniform_under_the_null() {
        let trials = 1000;
        let p_values: Vec<f64> = (0..trials)
            .map(|trial| {
                let mut rng = stream(trial, "test", &[]);
                let mut draw =
                    || -> Vec<Counts> { (0..80).map(|_| sentence(20, (unit(&mut rng) * 21.0) as u64, 0)).collect() };
                let (a, b) = (draw(), draw());
                randomisation(&a, &b, Metric::Uas, 200, trial)
            })
            .collect();
        for level in [0.05, 0.25, 0.5, 0.75, 0.95] {
            let below = p_values.iter().filter(|&&p| p <= level).count() as f64 / trials as f64;
            let sd = (level * (1.0 - level) / trials as f64).sqrt();
            assert!((below - level).abs() < 4.0 * sd + 1.0 / 201.0, "P(p <= {level}) = {below}");
        }
    }

    #[test]
    fn intervals_hold_the_score_and_narrow_with_more_sentences() {
        let draw = |n: u64| -> Vec<Counts> { (0..n).map(|i| sentence(10 + i % 7, 5 + i * i % 5, i * i % 5)).collect() };
        for metric in [Metric::Uas, Metric::Las] {
            let width = |n| {
                let counts = draw(n);
                let total: Counts = counts.iter().sum();
                let score = 100.0 * metric.correct(&total) as f64 / total.tokens as f64;
                let interval = bootstrap(&counts, metric, 2000, 1);
                assert!(interval.low < score && score < interval.high, "{interval:?} without {score}");
                interval.high - interval.low
            };
            let ratio = width(100) / width(1600);
            assert!((3.0..5.0).contains(&ratio), "16 times the data, 1/{ratio} of the width");
        }
    }

    /// One word a sentence, so that the score is a mean of coin flips with a known standard error.
    #[test]
    fn the_interval_of_a_proportion_is_the_normal_one() {
        let counts: Vec<Counts> = (0..400).map(|i| sentence(1, u64::from(i % 4 != 0), 0)).collect();
        let interval = bootstrap(&counts, Metric::Uas, 10_000, 1);
        let half = 1.96 * 100.0 * (0.75f64 * 0.25 / 400.0).sqrt();
        assert!((interval.low - (75.0 - half)).abs() < 0.3, "{interval:?}");
        assert!((interval.high - (75.0 + half)).abs() < 0.3, "{interval:?}");
    }

    #[test]
    fn paired_draws_cancel_what_sentences_share() {
        // b is right on one word more than a in every sentence of 10 words, whatever a's score.
        let a: Vec<Counts> = (0..50).map(|i| sentence(10, i % 9, 0)).collect();
        let b: Vec<Counts> = (0..50).map(|i| sentence(10, i % 9 + 1, 0)).collect();
        assert_eq!(bootstrap_difference(&a, &b, Metric::Uas, 500, 1), Interval { low: 10.0, high: 10.0 });
    }

    /// The exact test, the normal interval and sentences drawn one by one say what comes of drawing like ones together.
    #[test]
    fn many_sentences_are_drawn_together_with_the_same_results() {
        let differences = [2i64, 1, 0, -1, 2, 2, 0, 3, 1, 1];
        let counts = |d: i64| sentence(10, (5 + d) as u64, 0);
        let (a, b): (Vec<_>, Vec<_>) = differences.iter().map(|&d| (counts(0), counts(d))).unzip();
        let (truth, samples) = (exact(&a, &b, Metric::Uas), 100_000);
        let p = p_value(&differences, samples, 1, 1);
        assert!((p - truth).abs() < 4.0 * (truth * (1.0 - truth) / samples as f64).sqrt(), "{p} against {truth}");

        let counts: Vec<(i64, u64)> = (0..2000).map(|i| (i % 5 + i * i % 7, 10 + i as u64 % 4)).collect();
        let together = percentiles(counts.iter().copied(), 20_000, 1, 1);
        let each = percentiles(counts.iter().copied(), 20_000, 1, usize::MAX);
        let width = each.high - each.low;
        assert!((together.low - each.low).abs() < 0.03 * width, "{together:?} against {each:?}");
        assert!((together.high - each.high).abs() < 0.03 * width, "{together:?} against {each:?}");

        // Three million sentences of one word, which take no time.
        let proportion = (0..3_000_000).map(|i| (i64::from(i % 4 != 0), 1));
        let half = 1.96 * 100.0 * (0.75f64 * 0.25 / 3e6).sqrt();
        let interval = percentiles(proportion, 10_000, 1, MANY);
        assert!((interval.low - (75.0 - half)).abs() < 0.05 * half, "{interval:?}");
        assert!((interval.high - (75.0 + half)).abs() < 0.05 * half, "{interval:?}");
    }

    #[test]
    fn sentences_without_scored_words_change_nothing() {
        let mut counts = vec![sentence(4, 3, 2); 3];
        counts.extend([Counts::default(); 30]);
        assert_eq!(bootstrap(&counts, Metric::Uas, 500, 1), Interval { low: 75.0, high: 75.0 });
        let none = bootstrap(&[Counts::default(); 3], Metric::Uas, 500, 1);
        assert!(none.low.is_nan() && none.high.is_nan());
    }
}
