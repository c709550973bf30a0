//! Confidences: probabilities of arcs, and of labels given their arcs, from the best trees of a sentence.
//!
//! Each of the K best trees has a share, the softmax of the scores at a temperature T: exp(score / T), divided by the sum of that over
//! the K trees. The probability of an arc is the sum of the shares of all trees with this arc. That of its label given the arc is the
//! share, among these, of the trees that have this label as well.
//!
//! **Calibration.** Scores of perceptrons have no scale of their own, and what all K trees have in common is not certain: the beam does not
//! contain all trees. So three numbers are fitted to development data: the temperature (Guo, Pleiss, Sun & Weinberger, ICML 2017), and
//! the shares of heads and of labels that are among the K trees at all, by which their probabilities are multiplied. They are those by
//! which the probabilities of the best trees' heads, and then of the labels of right heads, are nearest to whether these are right, by
//! squared error (Brier 1950). A model without takes the mean distance of the K trees to the best one's score for a temperature,
//! sentence by sentence, and 1 for the shares.
//!
//! **Exact marginals.** Models that search all trees and were calibrated do without the K best: the probability of a head is that by the
//! softmax of the scores of all trees, each with its best labels, and that of a label given the head by the softmax of the labels' scores
//! there ([exact search](super::exact::Tabulation::confidences), [Eisner's algorithm](crate::graph::Eisner)). Scores of heads and of
//! labels differ in scale, so each has a temperature of its own; that of labels is fitted with a factor, as above. Probabilities are those
//! of arcs as they are found, before lifts are undone.

use super::{Confidence, NO_MARGIN, Parsed, Search, Strategy, Workspace};
use crate::features::Input;
use crate::model::{Calibration, Header, Marginals, Model, Scoring};
use crate::neural::exp;
use crate::parallel;
use crate::tree::{LabelId, Tree};

/// Least number of development sentences that a temperature is fitted to.
pub const MIN_SENTENCES: usize = 50;
/// The most trees of a sentence that a temperature is fitted to.
pub const MAX_TREES: usize = 64;
/// The most sentences that marginals are calibrated on.
pub const MAX_OF_MARGINALS: usize = 200;

/// Assigns each of the `best` trees of a sentence the confidence in its arcs. Of scores, 1 is `scale` in the model's fixed point.
pub fn assign(best: &mut [Parsed], calibration: Option<Calibration>, scale: u32) {
    let shares = calibrated_shares(best, calibration, scale);
    let (heads, labels) = calibration.map_or((1.0, 1.0), |calibration| (calibration.heads, calibration.labels));
    let of_all: Vec<Vec<Confidence>> = best.iter().map(|parsed| confidences(&parsed.tree, best, &shares)).collect();
    for (parsed, confidences) in best.iter_mut().zip(of_all) {
        let calibrated = |Confidence { head, label }| Confidence { head: heads * head, label: labels * label };
        parsed.confidences = confidences.into_iter().map(calibrated).collect();
    }
}

/// By word the `n` labels that are most probable by the best trees of a sentence, the first one first, or all that the trees have. The rest
/// is as in [`assign`].
pub fn alternatives(best: &[Parsed], n: usize, calibration: Option<Calibration>, scale: u32) -> Vec<Vec<LabelId>> {
    let shares = calibrated_shares(best, calibration, scale);
    let of_word = |word| {
        let mut labels: Vec<(LabelId, f64)> = Vec::new();
        for (Parsed { tree, .. }, share) in best.iter().zip(&shares) {
            match labels.iter_mut().find(|(label, _)| *label == tree.label(word)) {
                Some((_, sum)) => *sum += share,
                None => labels.push((tree.label(word), *share)),
            }
        }
        labels.sort_by(|a, b| b.1.total_cmp(&a.1));
        labels.into_iter().take(n).map(|(label, _)| label).collect()
    };
    best.first().map_or_else(Vec::new, |first| first.tree.words().map(of_word).collect())
}

/// Shares of the best trees of a sentence at the temperature of `calibration`, or, without one, at the mean distance to the best score.
fn calibrated_shares(best: &[Parsed], calibration: Option<Calibration>, scale: u32) -> Vec<f64> {
    let behind = behind(best);
    let temperature = calibration.map_or_else(|| mean(&behind), |known| known.temperature * f64::from(scale));
    shares(&behind, temperature)
}

/// The calibration that fits to the best trees of these sentences, each with the gold tree; `None` if the sentences are too few or have
/// but one tree each.
pub fn calibration(sentences: &[(Vec<Parsed>, Tree)], scale: u32) -> Option<Calibration> {
    if sentences.len() < MIN_SENTENCES {
        return None;
    }
    let distances: Vec<Vec<f64>> = sentences.iter().map(|(best, _)| behind(best)).collect();
    let unit = mean(&distances.concat());
    let votes: Vec<Vec<Vote>> = sentences.iter().map(|(best, gold)| votes(best, gold)).collect();
    // Probability of each word's arc at a temperature, and whether the arc is right.
    let at = |temperature: f64| {
        distances.iter().zip(&votes).flat_map(move |(distances, votes)| {
            let shares = shares(distances, temperature);
            votes.iter().map(move |vote| {
                let sum = |trees: &[usize]| trees.iter().map(|&tree| shares[tree]).sum::<f64>();
                let head = sum(&vote.with_head);
                (Confidence { head, label: sum(&vote.with_both) / head }, vote.has_head, vote.has_label)
            })
        })
    };
    let of_heads = |temperature| fit(at(temperature).map(|(found, has_head, _)| (found.head, has_head)));
    // From a 64th of the mean distance to 64 times that, in steps of an eighth of an octave.
    let candidates = (-48..=48).map(|eighths: i32| unit * (f64::from(eighths) / 8.0).exp2());
    let best = candidates.map(|candidate| (candidate, of_heads(candidate))).min_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let (temperature, (heads, _)) = best.filter(|_| unit > 0.0)?;
    let of_labels = at(temperature).filter(|&(_, has_head, _)| has_head);
    let (labels, _) = fit(of_labels.map(|(found, _, has_label)| (found.label, has_label)));
    let [temperature, heads, labels] = [temperature / f64::from(scale), heads, labels].map(rounded);
    Some(Calibration { temperature, heads, labels, marginals: None })
}

/// The calibration of marginals that fits to development sentences with these gold trees: of heads first, then of labels. `parse` finds the
/// best tree of each with its marginals.
pub fn marginals(golds: &[&Tree], scale: u32, parse: impl Fn(Marginals) -> Vec<Parsed>) -> Marginals {
    let both = |temperature: f64| Marginals::of_temperatures(temperature, temperature);
    let n_words: usize = golds.iter().map(|gold| gold.n_words()).sum();
    let sum: f64 = parse(both(1.0)).iter().map(|parsed| (parsed.score as f64 / f64::from(scale)).abs()).sum();
    let unit = f64::max(sum / n_words.max(1) as f64, f64::MIN_POSITIVE.sqrt());
    let at = |eighths: i32| unit * (f64::from(eighths) / 8.0).exp2();
    // Factor and squared error of heads, of which none is missing, and, where these are right, of labels.
    let fitted = |marginals: Marginals| {
        let (found, mut of_heads, mut labels) = (parse(marginals), 0.0, Vec::new());
        for (Parsed { tree, confidences, .. }, gold) in found.iter().zip(golds) {
            for (word, &Confidence { head, label }) in tree.words().zip(confidences) {
                let has_head = tree.head(word) == gold.head(word);
                of_heads += (head - f64::from(u8::from(has_head))).powi(2);
                if has_head {
                    labels.push((label, tree.label(word) == gold.label(word)));
                }
            }
        }
        [(1.0, of_heads), fit(labels.into_iter())]
    };
    // From the mean score of a word times 2⁻⁸ to that times 2⁶ in steps of two octaves, and then around the best in ever smaller ones.
    let steps: Vec<(i32, [(f64, f64); 2])> =
        (-4..=3).map(|step| 16 * step).map(|place| (place, fitted(both(at(place))))).collect();
    let refined = |which: usize, of: &dyn Fn(f64) -> Marginals| {
        let lowest = steps.iter().map(|&(place, fitted)| (place, fitted[which]));
        let mut best = lowest.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap_or_default();
        for step in [8, 4, 2, 1] {
            for place in [best.0 - step, best.0 + step] {
                let found = fitted(of(at(place)))[which];
                best = if found.1 < best.1.1 { (place, found) } else { best };
            }
        }
        [at(best.0), best.1.0].map(rounded)
    };
    let [head_temperature, _] = refined(0, &both);
    let [label_temperature, labels] = refined(1, &|labels| Marginals::of_temperatures(head_temperature, labels));
    Marginals { head_temperature, label_temperature, labels }
}

/// The factor, 1 at most, by which these probabilities have the least squared error, and that error.
fn fit(probabilities: impl Iterator<Item = (f64, bool)>) -> (f64, f64) {
    let (mut squares, mut products, mut right) = (0.0, 0.0, 0.0);
    for (probability, is_right) in probabilities {
        squares += probability * probability;
        if is_right {
            products += probability;
            right += 1.0;
        }
    }
    let factor = if squares > 0.0 { f64::min(products / squares, 1.0) } else { 1.0 };
    (factor, factor * factor * squares - 2.0 * factor * products + right)
}

/// Four significant digits, which are read from a file as they were written.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

impl<F: Scoring> Model<F> {
    /// The calibration of confidences: that of the header, or temperature 1 for a network whose scores are logarithms of probabilities.
    /// `None` if there is none.
    pub fn confidence(&self) -> Option<Calibration> {
        let is_normalised = self.header.network.as_ref().is_some_and(|network| network.normalised);
        self.header.confidence.or(is_normalised.then(|| Calibration::of_temperature(1.0)))
    }

    /// Notes in the header the [calibration] that fits to these sentences with their gold trees. The threads are those of the current pool.
    pub fn calibrate_confidence(&mut self, dev: &[(&Input, &Tree)], strategy: Strategy) {
        let Header { system, roots, .. } = self.header;
        let k = strategy.width().unwrap_or(1).min(MAX_TREES);
        let search = Search { system, roots, actions: &self.actions, strategy, margin: NO_MARGIN, marginals: None, k };
        let (scorer, scale) = (self.scorer.scorer(), self.scorer.scale());
        if let Strategy::Exact(_) = strategy {
            let dev: Vec<_> = dev.iter().step_by(dev.len().div_ceil(MAX_OF_MARGINALS)).collect();
            let golds: Vec<&Tree> = dev.iter().map(|(_, gold)| *gold).collect();
            let parse = |marginals: Marginals| {
                let search = Search { marginals: Some(marginals.scaled(scale)), ..search };
                let parse = |workspace: &mut Workspace, number: usize| {
                    workspace.input.clone_from(dev[number].0);
                    let parsed = search.find(&*scorer, workspace).swap_remove(0);
                    Parsed { tree: self.label_decoding.finish(parsed.tree), ..parsed }
                };
                parallel::map_with(dev.len(), || Workspace::new(self.actions.n_labels()), parse)
            };
            let marginals = marginals(&golds, scale, parse);
            drop(scorer);
            let calibration = Calibration::of_temperature(marginals.head_temperature);
            self.header.confidence = Some(Calibration { marginals: Some(marginals), ..calibration });
            return;
        }
        let find = |workspace: &mut Workspace, number: usize| {
            let (input, gold) = dev[number];
            workspace.input.clone_from(input);
            let found = search.find(&*scorer, workspace).into_iter();
            let finish = |Parsed { tree, score, .. }| Parsed::new(self.label_decoding.finish(tree), score);
            (Parsed::best(found.map(finish), k), gold.clone())
        };
        let found = parallel::map_with(dev.len(), || Workspace::new(self.actions.n_labels()), find);
        drop(scorer);
        self.header.confidence = calibration(&found, scale);
    }
}

/// Distance of each score from the best one.
fn behind(best: &[Parsed]) -> Vec<f64> {
    let highest = best.iter().map(|parsed| parsed.score).max().unwrap_or_default();
    best.iter().map(|parsed| (highest - parsed.score) as f64).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The shares of trees whose scores lie so far behind.
fn shares(behind: &[f64], temperature: f64) -> Vec<f64> {
    let temperature = temperature.max(f64::MIN_POSITIVE);
    let weights: Vec<f64> = behind.iter().map(|behind| f64::from(exp((-behind / temperature) as f32))).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The probability of the arc of each word of `tree`, and of its label given the arc, by the trees with these shares.
fn confidences(tree: &Tree, all: &[Parsed], shares: &[f64]) -> Vec<Confidence> {
    let of_word = |word| {
        let (mut head, mut both) = (0.0, 0.0);
        for (Parsed { tree: other, .. }, share) in all.iter().zip(shares) {
            if other.head(word) == tree.head(word) {
                head += share;
                both += if other.label(word) == tree.label(word) { share } else { &0.0 };
            }
        }
        Confidence { head: f64::min(head, 1.0), label: f64::min(both / head, 1.0) }
    };
    tree.words().map(of_word).collect()
}

/// Agreement of the best trees of a sentence with the first one, at one word.
struct Vote {
    /// True if the first tree's head is right.
    has_head: bool,
    /// True if its label is right.
    has_label: bool,
    /// Places of the trees that have its head.
    with_head: Vec<usize>,
    /// Places of those that have its label as well.
    with_both: Vec<usize>,
}

fn votes(best: &[Parsed], gold: &Tree) -> Vec<Vote> {
    let first = &best[0].tree;
    let of_word = |word| {
        let has_head = |&tree: &usize| best[tree].tree.head(word) == first.head(word);
        let has_label = |&tree: &usize| best[tree].tree.label(word) == first.label(word);
        let with_head: Vec<usize> = (0..best.len()).filter(has_head).collect();
        Vote {
            has_head: first.head(word) == gold.head(word),
            has_label: first.label(word) == gold.label(word),
            with_both: with_head.iter().copied().filter(has_label).collect(),
            with_head,
        }
    };
    first.words().map(of_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(heads: &[u16], labels: &[u16], score: i64) -> Parsed {
        Parsed::new(Tree::new(heads, labels), score)
    }

    /// Two trees, of which the better one has three times the weight of the other at temperature 1 / ln 3.
    #[test]
    fn probabilities_are_sums_of_shares() {
        let mut best = [
            parsed(&[2, 0, 2], &[0, 1, 2], 70),
            parsed(&[2, 0, 1], &[3, 1, 2], 60),
            parsed(&[2, 0, 2], &[0, 1, 3], 60),
        ];
        assign(&mut best, Some(Calibration::of_temperature(1.0 / 3f64.ln())), 10);
        let near = |found: &Confidence, head: f64, label: f64| {
            assert!((found.head - head).abs() < 1e-6 && (found.label - label).abs() < 1e-6, "{found:?}");
        };
        // Shares are 3/5, 1/5 and 1/5.
        let [first, second, _] = &best;
        near(&first.confidences[0], 1.0, 0.8);
        near(&first.confidences[1], 1.0, 1.0);
        near(&first.confidences[2], 0.8, 0.75);
        near(&second.confidences[0], 1.0, 0.2);
        near(&second.confidences[2], 0.2, 1.0);
        let missing = Calibration { heads: 0.9, labels: 0.5, ..Calibration::of_temperature(1.0 / 3f64.ln()) };
        assign(&mut best, Some(missing), 10);
        near(&best[0].confidences[2], 0.72, 0.375);
        // Without a temperature the mean distance takes its place: 20/3 here.
        assign(&mut best, None, 10);
        near(&best[1].confidences[2], 1.0 / (2.0 + 1.5f64.exp()), 1.0);
    }

    #[test]
    fn a_single_tree_is_certain() {
        let mut best = [parsed(&[0], &[0], 5)];
        assign(&mut best, None, 1);
        assert_eq!(best[0].confidences, [Confidence { head: 1.0, label: 1.0 }]);
    }

    /// Sentences whose first of two trees is right at word 1 three times out of four, at a distance of 100, and whose word 2, on which both
    /// trees agree, is right four times out of five: probabilities are 3/4 and 4/5 then.
    #[test]
    fn the_calibration_is_the_one_that_fits() {
        let tree = |one: u16, two: u16, label: u16| Tree::new(&[one, two, 0], &[0, 0, label]);
        let sentence = |i: usize| {
            let best = vec![Parsed::new(tree(2, 3, 0), 100), Parsed::new(tree(3, 3, 0), 0)];
            (
                best,
                tree(
                    if i.is_multiple_of(4) { 3 } else { 2 },
                    if i.is_multiple_of(5) { 1 } else { 3 },
                    u16::from(i.is_multiple_of(10)),
                ),
            )
        };
        let sentences: Vec<_> = (0..400).map(sentence).collect();
        let fitted = calibration(&sentences, 10).unwrap();
        let mut best = sentences[0].0.clone();
        assign(&mut best, Some(fitted), 10);
        let [one, two, three] = [0, 1, 2].map(|word| best[0].confidences[word]);
        // Word 3 is always right: one factor has to do for both.
        assert!((one.head - 0.75).abs() < 0.02 && (two.head - 0.9).abs() < 0.02, "{fitted:?} {best:?}");
        assert!((three.label - 980.0 / 1020.0).abs() < 0.001, "{fitted:?}");
        assert_eq!(calibration(&sentences[..MIN_SENTENCES - 1], 10), None);
    }
}
