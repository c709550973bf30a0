//! Optimisers: updates of parameters by their gradients.
//!
//! | learner | step | source |
//! |---|---|---|
//! | `adam` | η m / (√v + ε), m and v being averages of gradients and of their squares | Kingma & Ba (2015) |
//! | `adagrad` | η g / (√Σ g² + ε) | Duchi, Hazan & Singer (2011) |
//! | `momentum` | η m, m = 0.9 m + g | Rumelhart, Hinton & Williams (1986) |
//! | `perceptron` | η g, of the output layer alone | Collins (2002); Weiss et al. (2015) |
//!
//! The rate rises over the first steps and then falls along a straight line; a perceptron's stays as it is. Embeddings whose values did not come in a mini-batch stay
//! as they are. What is kept is an exponential moving average of the parameters; of a perceptron the plain one.

use super::gradients::Gradients;
use super::parameters::Parameters;
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::files::{Section, Sections};
use crate::linear::Learner;
use crate::parallel;
use crate::vector::vectorised;

/// The steps over which the rate rises; of short runs a tenth.
const WARM_UP: f64 = 200.0;
/// Final learning rate, as a share of the first.
const LAST: f64 = 0.02;
/// The longest gradient.
const LONGEST: f64 = 5.0;
/// Decay of the moving average at a step.
const KEPT: f64 = 0.9995;
/// From this step on the average follows only every [`STRIDE`] steps.
const STRIDES_FROM: u64 = 256;
const STRIDE: u64 = 8;
/// Number of parameters that one thread takes on at a time.
const SHARE: usize = 1 << 14;

/// Settings of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimiserRule {
    /// The rule of steps.
    pub learner: Learner,
    /// η.
    pub rate: f64,
    /// Decay of `adam`'s average of squares.
    pub second: f64,
    /// The steps of the whole run, if they are known.
    pub n_steps: Option<u64>,
}

/// Parameters with what their steps depend on.
#[derive(Debug, Clone)]
pub struct Optimiser {
    rule: OptimiserRule,
    /// Steps so far.
    pub step: u64,
    /// The parameters.
    pub parameters: Parameters,
    first: Parameters,
    second: Parameters,
    /// The moving average of the parameters.
    pub average: Parameters,
    /// True if some were no numbers when a pass ended.
    pub has_diverged: bool,
    /// True if in most steps of the last pass no gradient reached an embedding: units between these and the scores are dead or
    /// saturated, and stay so.
    pub is_dead: bool,
    /// Steps of the pass at hand by which embeddings could learn, and those of them in which none had a gradient.
    reached: [u64; 2],
}

impl Optimiser {
    /// The optimiser before the first step.
    pub fn new(rule: OptimiserRule, parameters: Parameters) -> Optimiser {
        let zeros = parameters.to_zeros();
        let average = parameters.clone();
        Optimiser {
            rule,
            step: 0,
            first: zeros.clone(),
            second: zeros,
            average,
            parameters,
            has_diverged: false,
            is_dead: false,
            reached: [0; 2],
        }
    }

    /// The rate η, and the number of steps so far.
    pub fn rate(&self) -> (f64, u64) {
        (self.rule.rate, self.step)
    }

    /// Takes a step. `dimensions` are the lengths of columns' embeddings.
    pub fn learn(&mut self, mut gradients: Gradients, dimensions: &[usize; N_COLUMNS]) {
        let is_perceptron = self.rule.learner == Learner::Perceptron;
        let embeddings = &gradients.tensors[..N_COLUMNS];
        if embeddings.iter().any(|gradient| !gradient.is_empty()) {
            let has_any = |tensors: &[Vec<f32>]| tensors.iter().flatten().any(|&gradient| gradient != 0.0);
            let [n_steps, n_dead] = &mut self.reached;
            *n_steps += 1;
            *n_dead += u64::from(!has_any(embeddings) && has_any(&gradients.tensors[N_COLUMNS..]));
        }
        if !is_perceptron {
            gradients.clip(LONGEST);
        }
        self.step += 1;
        let step = Step::new(&self.rule, self.step);
        let Optimiser { parameters, first, second, average, .. } = self;
        let moments = first.tensors.iter_mut().zip(&mut second.tensors);
        let all = parameters.tensors.iter_mut().zip(moments).zip(&gradients.tensors).enumerate();
        // Layers that do not learn have no gradients.
        for (number, ((weights, (first, second)), gradient)) in all.filter(|(_, (_, gradient))| !gradient.is_empty()) {
            let rows = dimensions.get(number).map(|&dimension| (&gradients.rows[number][..], dimension));
            step.take(weights, (first, second), gradient, rows);
        }
        // All steps count alike in a perceptron's average.
        let kept = if is_perceptron { Some((1.0 - 1.0 / self.step as f64) as f32) } else { kept(self.step) };
        let Some(kept) = kept else { return };
        for (average, now) in average.tensors.iter_mut().zip(&parameters.tensors) {
            let mut parts: Vec<_> = average.chunks_mut(SHARE).zip(now.chunks(SHARE)).collect();
            parallel::map_mut(&mut parts, |_, (average, now)| vectorised!(_simd => follow(average, now, kept)));
        }
    }

    /// Ends a pass over the data: parameters that are no numbers any more have diverged, and units may have died.
    pub fn end_pass(&mut self) {
        self.has_diverged = !self.parameters.are_finite() || !self.average.are_finite();
        let [n_steps, n_dead] = std::mem::take(&mut self.reached);
        self.is_dead = 2 * n_dead > n_steps;
    }

    /// Sections of a checkpoint.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = vec![Section::new("step", self.step.to_le_bytes().to_vec())];
        let all =
            [("now", &self.parameters), ("first", &self.first), ("second", &self.second), ("average", &self.average)];
        for (name, parameters) in all {
            sections.extend(parameters.sections().into_iter().map(|section| section.under(name)));
        }
        sections
    }

    /// Goes on from what a checkpoint holds.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn load(&mut self, sections: &Sections) -> Result<()> {
        let step = sections.get("step")?.try_into();
        self.step = u64::from_le_bytes(step.map_err(|_| sections.damaged("the number of steps is none"))?);
        let all = [
            ("now", &mut self.parameters),
            ("first", &mut self.first),
            ("second", &mut self.second),
            ("average", &mut self.average),
        ];
        for (name, parameters) in all {
            *parameters = parameters.read_alike(&sections.under(name))?;
        }
        (self.has_diverged, self.is_dead, self.reached) = (false, false, [0; 2]);
        Ok(())
    }
}

/// Decay of the moving average after so many steps; `None` if it stays as it is.
fn kept(step: u64) -> Option<f32> {
    let t = step as f64;
    let kept = KEPT.min((1.0 + t) / (10.0 + t));
    if step < STRIDES_FROM {
        return Some(kept as f32);
    }
    step.is_multiple_of(STRIDE).then(|| kept.powi(STRIDE as i32) as f32)
}

#[inline(always)]
fn follow(average: &mut [f32], weights: &[f32], kept: f32) {
    average.iter_mut().zip(weights).for_each(|(average, weight)| *average = weight + (*average - weight) * kept);
}

/// One step.
#[derive(Debug, Clone, Copy)]
struct Step {
    learner: Learner,
    rate: f32,
    /// Decays of `adam`'s two averages, and the corrections for their start at 0.
    kept: [f32; 2],
    corrections: [f32; 2],
}

impl Step {
    /// The step with this number, from 1.
    fn new(rule: &OptimiserRule, step: u64) -> Step {
        let t = step as f64;
        let left = rule.n_steps.map_or(1.0, |n| 1.0 - (1.0 - LAST) * (t / n as f64).min(1.0));
        let warm_up = rule.n_steps.map_or(WARM_UP, |n| WARM_UP.min(n as f64 / 10.0));
        let share = if rule.learner == Learner::Perceptron { 1.0 } else { (t / warm_up).min(1.0) * left };
        let rate = rule.rate * share;
        let kept = [0.9, rule.second];
        let power = |kept: f64| 1.0 / (1.0 - kept.powi(step.min(i32::MAX as u64) as i32));
        let corrections = kept.map(|kept| power(kept) as f32);
        Step { learner: rule.learner, rate: rate as f32, kept: kept.map(|kept| kept as f32), corrections }
    }

    /// Changes a tensor by its gradient. Of embeddings `rows` are the numbers of those that the gradient has, and their length: the others
    /// stay as they are.
    fn take(
        &self,
        weights: &mut [f32],
        (first, second): (&mut [f32], &mut [f32]),
        gradient: &[f32],
        rows: Option<(&[u32], usize)>,
    ) {
        match rows {
            Some((rows, n)) => {
                for (&row, gradient) in rows.iter().zip(gradient.chunks_exact(n)) {
                    let range = row as usize * n..(row as usize + 1) * n;
                    let moments = (&mut first[range.clone()], &mut second[range.clone()]);
                    self.apply(&mut weights[range], moments, gradient);
                }
            }
            None => {
                let weights = weights.chunks_mut(SHARE).zip(gradient.chunks(SHARE));
                let moments = first.chunks_mut(SHARE).zip(second.chunks_mut(SHARE));
                let mut parts: Vec<_> = weights.zip(moments).collect();
                parallel::map_mut(&mut parts, |_, ((weights, gradient), (first, second))| {
                    self.apply(weights, (first, second), gradient);
                });
            }
        }
    }

    fn apply(&self, weights: &mut [f32], (first, second): (&mut [f32], &mut [f32]), gradient: &[f32]) {
        let Step { learner, rate, .. } = *self;
        let [kept_first, kept_second] = self.kept;
        let [scale_first, scale_second] = self.corrections;
        let all = weights.iter_mut().zip(first).zip(second).zip(gradient);
        vectorised!(_simd => match learner {
            Learner::Adagrad => all.for_each(|(((weight, _), sum), gradient)| {
                *sum += gradient * gradient;
                *weight -= rate * gradient / (sum.sqrt() + 1e-6);
            }),
            Learner::Momentum => all.for_each(|(((weight, moment), _), gradient)| {
                *moment = 0.9 * *moment + gradient;
                *weight -= rate * *moment;
            }),
            Learner::Perceptron => all.for_each(|(((weight, _), _), gradient)| *weight -= rate * gradient),
            _ => all.for_each(|(((weight, first), second), gradient)| {
                *first = kept_first * *first + (1.0 - kept_first) * gradient;
                *second = kept_second * *second + (1.0 - kept_second) * (gradient * gradient);
                *weight -= rate * (*first * scale_first) / ((*second * scale_second).sqrt() + 1e-8);
            }),
        });
    }
}
