//! What base learners minimise: from scores and costs of options to the gradient of each score.
//!
//! | objective | loss, for scores s and costs c of which the least is 0, Z being the options of cost 0 | its idea |
//! |---|---|---|
//! | `regression` | Σ (−s − c)² | a regressor for each option predicts its cost (csoaa of Beygelzimer et al. 2005) |
//! | `multiclass` | Σ (−s − \[not the reference's option\])² | one option is right, which the reference prefers |
//! | `softmax` | −log Σ_Z exp s + log Σ exp s | all of Z is right, whichever of it |
//! | `hinge` | max(0, max (s + c) − max_Z s) | the best of Z wins by the others' costs |
//! | `perceptron` | max(0, max s − max_Z s) | the best of Z wins |
//!
//! Scores are negated predictions of costs, so the option of the highest score is predicted, the first of them on ties.
//! Predictions of the first two are taken for the nearest number between the least and the largest target so far, as in
//! Vowpal Wabbit.
//!
//! Complexity: O(o) for o options.

use serde::{Deserialize, Serialize};

/// A loss to minimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Each option's cost, by a regressor of its own.
    Regression,
    /// One option is right and all others are equally wrong, by a regressor for each.
    Multiclass,
    /// The probability of the right options.
    Softmax,
    /// A right option wins by a margin, the cost of the option that it wins over.
    Hinge,
    /// A right option wins.
    Perceptron,
}

/// An option of an example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Its score.
    pub score: f32,
    /// What it costs beyond the best option.
    pub cost: f32,
    /// The gradient of the loss in its score.
    pub gradient: f32,
}

/// Softmax: smaller gradients are not worth a step.
const NEGLIGIBLE: f32 = 1e-3;

impl Objective {
    /// The name as flags and specifications spell it.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Regression => "regression",
            Objective::Multiclass => "multiclass",
            Objective::Softmax => "softmax",
            Objective::Hinge => "hinge",
            Objective::Perceptron => "perceptron",
        }
    }

    /// Fills in the gradients. `reference` is the option that the reference prefers, `largest` the largest cost so far.
    ///
    /// # Panics
    /// If no option has cost 0.
    pub fn gradients(self, options: &mut [Scored], reference: usize, largest: &mut f32) {
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
            Objective::Softmax => softmax(options),
            Objective::Hinge => hinge(options, |option| option.cost),
            Objective::Perceptron => hinge(options, |_| 0.0),
        }
    }
}

fn softmax(options: &mut [Scored]) {
    let highest = options.iter().fold(f32::NEG_INFINITY, |highest, option| highest.max(option.score));
    let (mut all, mut right) = (0.0, 0.0);
    for option in &mut *options {
        let weight = (option.score - highest).exp();
        option.gradient = weight;
        all += weight;
        right += if option.cost == 0.0 { weight } else { 0.0 };
    }
    // Where no right option has any weight left, they share the gradient equally.
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

fn hinge(options: &mut [Scored], margin: impl Fn(&Scored) -> f32) {
    options.iter_mut().for_each(|option| option.gradient = 0.0);
    let best = |of: &dyn Fn(&Scored) -> Option<f32>| {
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
        let mut options: Vec<Scored> =
            scored.iter().map(|&(score, cost)| Scored { score, cost, gradient: f32::NAN }).collect();
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

    /// The gradient of the softmax against differences of the loss.
    #[test]
    fn softmax_is_the_gradient_of_its_loss() {
        let scored = [(0.3, 0.0), (-0.7, 2.0), (1.1, 1.0), (0.2, 0.0)];
        let loss = |scores: &[f64]| {
            let sum = |right: bool| {
                let terms = scores.iter().zip(scored).filter(|(_, (_, cost))| !right || *cost == 0.0);
                terms.map(|(score, _)| score.exp()).sum::<f64>()
            };
            sum(false).ln() - sum(true).ln()
        };
        let found = gradients(Objective::Softmax, &scored, 0);
        for number in 0..scored.len() {
            let mut scores = scored.map(|(score, _)| f64::from(score));
            scores[number] += 1e-4;
            let above = loss(&scores);
            scores[number] -= 2e-4;
            let slope = (above - loss(&scores)) / 2e-4;
            assert!((f64::from(found[number]) - slope).abs() < 1e-5, "{} instead of {slope}", found[number]);
        }
    }
}
