//! Training objectives: from scores and costs of options to the gradient of each score.
//!
//! Training on single decisions, whose options are moves with their labels:
//!
//! | objective | loss, for scores s and costs c of which the least is 0, Z being the options of cost 0 | its idea |
//! |---|---|---|
//! | `regression` | Σ (−s − c)² | a regressor for each option predicts its cost (csoaa of Beygelzimer et al. 2005) |
//! | `multiclass` | Σ (−s − \[not the reference's option\])² | one option is right, which the reference prefers |
//! | `softmax` | −log Σ_Z exp s + log Σ exp s | all of Z is right, whichever of it |
//! | `hinge` | max(0, max (s + c) − max_Z s) | the best of Z wins by the others' costs |
//! | `softmax-margin` | −log Σ_Z exp s + log Σ exp (s + c) | all of Z is right, the more so against what costs much (Gimpel & Smith 2010) |
//! | `perceptron` | max(0, max s − max_Z s) | the best of Z wins |
//!
//! Global training, whose options are the derivations of a beam as far as they have come, and those of the gold tree; s is the
//! score of a whole derivation so far, c the loss that it cannot avoid any more ([`Supervision::losses`]), Z are gold ones:
//!
//! | objective | loss | its source |
//! |---|---|---|
//! | `perceptron` | max(0, max s − max_Z s) | Collins & Roark (2004) |
//! | `loss-augmented` | max(0, max (s + c) − max_Z s) | the structured hinge (Taskar, Guestrin & Koller 2003; Tsochantaridis et al. 2005), in the beam |
//! | `crf` | −log Σ_Z exp s + log Σ exp s | the conditional likelihood, globally normalised, over the beam (Andor et al. 2016) |
//! | `softmax-margin` | −log Σ_Z exp s + log Σ exp (s + c) | Gimpel & Smith (2010) |
//!
//! Scores are negated predictions of costs, so the option of the highest score is predicted, the first of them on ties.
//! Predictions of the first two are taken for the nearest number between the least and the largest target so far, as in
//! Vowpal Wabbit.
//!
//! Complexity: O(o) for o options.
//!
//! [`Supervision::losses`]: super::Supervision::losses

use crate::neural::{exp, ln};
use crate::options::Objective;
use crate::vector::vectorised;

/// An objective with what it has learned of the costs, and the passive-aggressive steps of MIRA.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalObjective {
    objective: Objective,
    /// MIRA's C, if steps are to be as long as it takes.
    aggressiveness: Option<f32>,
    /// With `softmax`: the weight of (log Σ exp s)² in the loss.
    self_normalising: f32,
    /// By stage: the largest cost so far.
    largest: Vec<f32>,
    /// Decisions so far, over all stages.
    n_examples: u64,
}

impl LocalObjective {
    /// The objective before the first of decisions in `n_stages` stages.
    pub fn new(objective: Objective, aggressiveness: Option<f32>, n_stages: usize) -> LocalObjective {
        let largest = vec![0.0; n_stages];
        LocalObjective { objective, aggressiveness, self_normalising: 0.0, largest, n_examples: 0 }
    }

    /// The objective that keeps the sum of exponentials near 1, by so much of its squared logarithm in the loss (Devlin et al.
    /// 2014): scores are then nearly logarithms of probabilities as they stand, so that sums of them over derivations compare.
    #[must_use]
    pub fn self_normalising(self, weight: f32) -> LocalObjective {
        LocalObjective { self_normalising: weight, ..self }
    }

    /// Objective that is minimised.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Decisions so far, over all stages.
    pub fn n_examples(&self) -> u64 {
        self.n_examples
    }

    /// Fills in the gradients of a decision's options; see [`Objective::gradients`]. `squared_distance` is, for MIRA, the
    /// squared norm of the difference between the gradients of two options, of which the first is right.
    ///
    /// Behind the option that the reference prefers come those that were chosen among the right ones, if that is not left to the
    /// objective: with one of them the others are left out, several share equally in what one would be reinforced by.
    pub fn gradients(
        &mut self,
        stage: usize,
        options: &mut [ScoredOption],
        (reference, chosen): (usize, &[usize]),
        squared_distance: impl FnOnce(usize, usize) -> f32,
    ) {
        self.n_examples += 1;
        match *chosen {
            [] => self.of_options(stage, options, reference, squared_distance),
            [only] => {
                let is_kept = |&place: &usize| place == only || options[place].cost != 0.0;
                let places: Vec<usize> = (0..options.len()).filter(is_kept).collect();
                let mut kept: Vec<ScoredOption> = places.iter().map(|&place| options[place]).collect();
                let right = places.iter().position(|&place| place == only).expect("what was chosen is an option");
                self.of_options(stage, &mut kept, right, |a, b| squared_distance(places[a], places[b]));
                options.iter_mut().for_each(|option| option.gradient = 0.0);
                for (&place, option) in places.iter().zip(kept) {
                    options[place] = option;
                }
            }
            _ => {
                self.of_options(stage, options, reference, squared_distance);
                share(options, chosen);
            }
        }
        if self.self_normalising > 0.0 && self.objective == Objective::Softmax {
            vectorised!(_simd => normalise(options, self.self_normalising));
        }
    }

    fn of_options(
        &mut self,
        stage: usize,
        options: &mut [ScoredOption],
        reference: usize,
        squared_distance: impl FnOnce(usize, usize) -> f32,
    ) {
        self.objective.gradients(options, reference, &mut self.largest[stage]);
        let Some(aggressiveness) = self.aggressiveness else { return };
        let place = |sign: f32| options.iter().position(|option| option.gradient == sign);
        if let (Some(right), Some(wrong)) = (place(-1.0), place(1.0)) {
            let loss = options[wrong].cost + options[wrong].score - options[right].score;
            // PA-I: min(C, loss / ‖Δ‖²).
            let step = (loss / squared_distance(right, wrong)).min(aggressiveness);
            options[right].gradient = -step;
            options[wrong].gradient = step;
        }
    }

    /// State of the objective, as a checkpoint stores it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.n_examples.to_le_bytes().to_vec();
        bytes.extend(self.largest.iter().flat_map(|largest| largest.to_le_bytes()));
        bytes
    }

    /// Replaces the state by [`LocalObjective::to_bytes`] of an objective over as many stages; `None` if it is not one.
    pub fn load(&mut self, bytes: &[u8]) -> Option<()> {
        let (n_examples, largest) = bytes.split_first_chunk()?;
        self.n_examples = u64::from_le_bytes(*n_examples);
        let (largest, rest) = largest.as_chunks();
        if !rest.is_empty() || largest.len() != self.largest.len() {
            return None;
        }
        self.largest = largest.iter().map(|&largest| f32::from_le_bytes(largest)).collect();
        Some(())
    }
}

/// An option of an example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredOption {
    /// Its score.
    pub score: f32,
    /// Cost beyond that of the best option.
    pub cost: f32,
    /// The gradient of the loss in its score.
    pub gradient: f32,
}

/// Softmax: smaller gradients are not worth a step.
const NEGLIGIBLE: f32 = 1e-3;

impl Objective {
    /// Fills in the gradients. `reference` is the option that the reference prefers, `largest` the largest cost so far.
    ///
    /// # Panics
    /// If no option has cost 0.
    pub fn gradients(self, options: &mut [ScoredOption], reference: usize, largest: &mut f32) {
        match self {
            Objective::Regression => {
                *largest = options.iter().fold(*largest, |largest, option| largest.max(option.cost));
                for option in options {
                    option.gradient = 2.0 * (option.score.clamp(-*largest, 0.0) + option.cost);
                }
            }
            Objective::Multiclass => {
                for (number, option) in options.iter_mut().enumerate() {
                    let target = if number == reference { 0.0 } else { -1.0 };
                    option.gradient = 2.0 * (option.score.clamp(-1.0, 0.0) - target);
                }
            }
            Objective::Softmax | Objective::Crf => vectorised!(_simd => softmax(options, |_| 0.0)),
            Objective::SoftmaxMargin => vectorised!(_simd => softmax(options, |option| option.cost)),
            Objective::Hinge | Objective::LossAugmented => hinge(options, |option| option.cost),
            Objective::Perceptron => hinge(options, |_| 0.0),
        }
    }
}

// Without instructions for it, a fused multiplication and addition is a call of a function.
#[inline(always)]
fn softmax(options: &mut [ScoredOption], margin: impl Fn(&ScoredOption) -> f32) {
    let score = |option: &ScoredOption| option.score + margin(option);
    let highest = options.iter().fold(f32::NEG_INFINITY, |highest, option| highest.max(score(option)));
    let (mut all, mut right) = (0.0, 0.0);
    for option in &mut *options {
        let weight = exp(score(option) - highest);
        option.gradient = weight;
        all += weight;
        right += if option.cost == 0.0 { weight } else { 0.0 };
    }
    // If no right option has any weight left, they share the gradient equally.
    let n_right = options.iter().filter(|option| option.cost == 0.0).count() as f32;
    assert!(n_right > 0.0, "some option costs nothing");
    for option in options {
        let of_right = if right > 0.0 { option.gradient / right } else { 1.0 / n_right };
        option.gradient = option.gradient / all - if option.cost == 0.0 { of_right } else { 0.0 };
        if option.gradient.abs() < NEGLIGIBLE {
            option.gradient = 0.0;
        }
    }
}

/// Gives each of the `chosen` an equal part of the gradients of all that cost nothing.
fn share(options: &mut [ScoredOption], chosen: &[usize]) {
    let mut sum = 0.0;
    for option in options.iter_mut().filter(|option| option.cost == 0.0) {
        sum += option.gradient;
        option.gradient = 0.0;
    }
    for &place in chosen {
        options[place].gradient = sum / chosen.len() as f32;
    }
}

/// Adds the gradient of `weight` (log Σ exp s)².
#[inline(always)]
fn normalise(options: &mut [ScoredOption], weight: f32) {
    let highest = options.iter().fold(f32::NEG_INFINITY, |highest, option| highest.max(option.score));
    let sum: f32 = options.iter().map(|option| exp(option.score - highest)).sum();
    let slope = 2.0 * weight * (highest + ln(f64::from(sum)) as f32);
    for option in options {
        let of_option = slope * exp(option.score - highest) / sum;
        option.gradient += if of_option.abs() < NEGLIGIBLE { 0.0 } else { of_option };
    }
}

fn hinge(options: &mut [ScoredOption], margin: impl Fn(&ScoredOption) -> f32) {
    options.iter_mut().for_each(|option| option.gradient = 0.0);
    let best = |of: &dyn Fn(&ScoredOption) -> Option<f32>| {
        let mut best: Option<(usize, f32)> = None;
        for (number, option) in options.iter().enumerate() {
            if let Some(score) = of(option)
                && best.is_none_or(|(_, highest)| score > highest)
            {
                best = Some((number, score));
            }
        }
        best
    };
    let right = best(&|option| Some(option.score).filter(|_| option.cost == 0.0));
    let (right, right_score) = right.expect("some option costs nothing");
    let Some((wrong, wrong_score)) = best(&|option| Some(option.score + margin(option)).filter(|_| option.cost > 0.0))
    else {
        return;
    };
    // On ties the first option is predicted.
    if wrong_score > right_score || wrong_score == right_score && wrong < right {
        options[right].gradient = -1.0;
        options[wrong].gradient = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradients(objective: Objective, scored: &[(f32, f32)], reference: usize) -> Vec<f32> {
        let mut options: Vec<ScoredOption> =
            scored.iter().map(|&(score, cost)| ScoredOption { score, cost, gradient: f32::NAN }).collect();
        objective.gradients(&mut options, reference, &mut 0.0);
        options.into_iter().map(|option| option.gradient).collect()
    }

    #[test]
    fn golden() {
        let options = [(-0.5, 0.0), (-3.0, 2.0), (0.5, 1.0), (-1.0, 0.0)];
        assert_eq!(gradients(Objective::Regression, &options, 0), [-1.0, 0.0, 2.0, -2.0]);
        assert_eq!(gradients(Objective::Multiclass, &options, 3), [1.0, 0.0, 2.0, -2.0]);
        assert_eq!(gradients(Objective::Perceptron, &options, 0), [-1.0, 0.0, 1.0, 0.0]);
        assert_eq!(gradients(Objective::Hinge, &[(1.0, 0.0), (-0.5, 2.0), (0.2, 1.0)], 0), [-1.0, 1.0, 0.0]);
        assert_eq!(gradients(Objective::Hinge, &[(3.0, 0.0), (-0.5, 2.0), (0.2, 1.0)], 0), [0.0; 3]);
    }

    /// By hand: the loss is 2 + 0.5 − 0.2 = 2.3, the squared distance 8, so the step is 0.2875, unless C cuts it off.
    #[test]
    fn mira_goes_as_far_as_it_takes() {
        for (aggressiveness, step) in [(1.0, 0.2875), (0.1, 0.1)] {
            let mut objective = LocalObjective::new(Objective::Hinge, Some(aggressiveness), 1);
            let option = |score, cost| ScoredOption { score, cost, gradient: 0.0 };
            let mut options = [option(0.5, 2.0), option(0.2, 0.0), option(-3.0, 1.0)];
            objective.gradients(0, &mut options, (1, &[]), |right, wrong| {
                assert_eq!((right, wrong), (1, 0));
                8.0
            });
            for (option, expected) in options.iter().zip([step, -step, 0.0]) {
                assert!((option.gradient - expected).abs() < 1e-6, "{option:?}");
            }
        }
    }

    /// Gradients against differences of a loss of scores.
    fn assert_slopes(scored: &[(f32, f32)], gradients: &[f32], loss: &dyn Fn(&[f64]) -> f64) {
        for (number, &gradient) in gradients.iter().enumerate() {
            let mut scores: Vec<f64> = scored.iter().map(|(score, _)| f64::from(*score)).collect();
            scores[number] += 1e-4;
            let above = loss(&scores);
            scores[number] -= 2e-4;
            let slope = (above - loss(&scores)) / 2e-4;
            assert!((f64::from(gradient) - slope).abs() < 1e-5, "{gradients:?}, not {slope} at {number}");
        }
        assert_eq!(gradients.len(), scored.len());
    }

    #[test]
    fn self_normalising_is_the_gradient_of_its_loss() {
        let scored = [(0.3, 0.0), (-0.7, 2.0), (1.1, 1.0), (0.2, 0.0)];
        let mut options = scored.map(|(score, cost)| ScoredOption { score, cost, gradient: f32::NAN });
        let mut objective = LocalObjective::new(Objective::Softmax, None, 1).self_normalising(0.1);
        objective.gradients(0, &mut options, (0, &[]), |_, _| unreachable!());
        let loss = |scores: &[f64]| {
            let all = scores.iter().map(|score| score.exp()).sum::<f64>().ln();
            let right = scores.iter().zip(scored).filter(|(_, (_, cost))| *cost == 0.0);
            all - right.map(|(score, _)| score.exp()).sum::<f64>().ln() + 0.1 * all * all
        };
        assert_slopes(&scored, &options.map(|option| option.gradient), &loss);
    }

    /// With one right option chosen the others are left out of its likelihood; several share the perceptron's step, whose loss is
    /// that of their mean score. Without a choice the likelihood is that of all.
    #[test]
    fn chosen_options_are_those_that_are_reinforced() {
        let scored = [(0.3, 0.0), (-0.7, 2.0), (1.1, 1.0), (0.2, 0.0), (-0.4, 0.0)];
        let found = |objective: Objective, chosen: &[usize]| {
            let mut options = scored.map(|(score, cost)| ScoredOption { score, cost, gradient: f32::NAN });
            LocalObjective::new(objective, None, 1).gradients(0, &mut options, (0, chosen), |_, _| unreachable!());
            options.map(|option| option.gradient)
        };
        let likelihood = |right: &[usize], among: &[usize], scores: &[f64]| {
            let sum = |places: &[usize]| places.iter().map(|&place| scores[place].exp()).sum::<f64>().ln();
            sum(among) - sum(right)
        };
        let one = found(Objective::Softmax, &[3]);
        assert_slopes(&scored, &one, &|scores| likelihood(&[3], &[1, 2, 3], scores));
        assert_eq!((one[0], one[4]), (0.0, 0.0));
        let all = found(Objective::Softmax, &[]);
        assert_slopes(&scored, &all, &|scores| likelihood(&[0, 3, 4], &[0, 1, 2, 3, 4], scores));
        let hinge = |right: &[usize], margin: f64, scores: &[f64]| {
            let mean = right.iter().map(|&place| scores[place]).sum::<f64>() / right.len() as f64;
            f64::max(scores[1] + 2.0 * margin, scores[2] + margin) - mean
        };
        for (objective, margin) in [(Objective::Perceptron, 0.0), (Objective::Hinge, 1.0)] {
            for chosen in [&[4][..], &[0, 3, 4]] {
                assert_slopes(&scored, &found(objective, chosen), &|scores| hinge(chosen, margin, scores));
            }
            assert_eq!(found(objective, &[]), found(objective, &[0]));
        }
        // The gradient of the regressor of the choice, and of those of the wrong actions.
        assert_eq!(found(Objective::Multiclass, &[4])[..4], [0.0, 2.0 * (-0.7 + 1.0), 2.0, 0.0]);
    }

    #[test]
    fn what_is_known_of_decisions_comes_back() {
        let mut objective = LocalObjective::new(Objective::Regression, None, 2);
        let mut options = [0.0, 3.0].map(|cost| ScoredOption { score: 0.0, cost, gradient: 0.0 });
        objective.gradients(1, &mut options, (0, &[]), |_, _| unreachable!());
        let mut again = LocalObjective::new(Objective::Regression, None, 2);
        again.load(&objective.to_bytes()).unwrap();
        assert_eq!((again.largest[1], &again), (3.0, &objective));
        assert!(again.load(&objective.to_bytes()[1..]).is_none());
        assert!(LocalObjective::new(Objective::Regression, None, 1).load(&objective.to_bytes()).is_none());
    }

    /// The gradients of softmax and softmax-margin against differences of their losses.
    #[test]
    fn softmax_is_the_gradient_of_its_loss() {
        let scored = [(0.3, 0.0), (-0.7, 2.0), (1.1, 1.0), (0.2, 0.0)];
        for (objective, margin) in [(Objective::Softmax, 0.0), (Objective::SoftmaxMargin, 1.0)] {
            let loss = |scores: &[f64]| {
                let sum = |right: bool| {
                    let terms = scores.iter().zip(scored).filter(|(_, (_, cost))| !right || *cost == 0.0);
                    terms.map(|(score, (_, cost))| (score + margin * f64::from(cost)).exp()).sum::<f64>()
                };
                sum(false).ln() - sum(true).ln()
            };
            let found = gradients(objective, &scored, 0);
            assert_slopes(&scored, &found, &loss);
        }
    }
}
