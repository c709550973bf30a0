//! Values of what tables hold: the score of the best derivation of an item, or the logarithm of a sum over all of them.

use std::ops::Add;

use crate::neural::{exp, ln};
use crate::tree::LabelId;

/// Value of an item.
pub trait Value: Copy + PartialOrd + Add<Output = Self> + Default {
    /// Value of an impossible item. Sums of a few such values are still numbers.
    const NEVER: Self;

    /// The value of an item that is made in ways of these values.
    fn total(values: impl Iterator<Item = Self>) -> Self;
}

/// Scores: an item has that of the best way to make it.
impl Value for i64 {
    const NEVER: i64 = i64::MIN / 16;

    #[inline(always)]
    fn total(values: impl Iterator<Item = i64>) -> i64 {
        values.max().unwrap_or(Self::NEVER)
    }
}

/// Logarithms of weights: an item weighs as much as all ways to make it together.
impl Value for f64 {
    const NEVER: f64 = f64::NEG_INFINITY;

    #[inline(always)]
    fn total(values: impl Iterator<Item = f64>) -> f64 {
        let (mut highest, mut sum) = (Self::NEVER, 0.0);
        for value in values {
            if value > highest {
                sum = sum * share(highest - value) + 1.0;
                highest = value;
            } else if value > Self::NEVER {
                sum += share(value - highest);
            }
        }
        highest + ln(f64::max(sum, 1.0))
    }
}

/// The share of a part in the whole, from the logarithm of the part's weight less that of the whole's. Shares below e⁻³⁰ are 0.
#[inline(always)]
pub fn share(behind: f64) -> f64 {
    if behind > -30.0 { exp(behind as f32).into() } else { 0.0 }
}

/// The probability of `label` among labels with these scores: the softmax at a temperature.
pub fn share_of_label(scored: impl Iterator<Item = (i64, LabelId)> + Clone, label: LabelId, temperature: f64) -> f64 {
    let of = |scores: &mut dyn Iterator<Item = i64>| f64::total(scores.map(|score| score as f64 / temperature));
    let all = of(&mut scored.clone().map(|(score, _)| score));
    let wanted = of(&mut scored.filter(|&(_, other)| other == label).map(|(score, _)| score));
    if wanted > f64::NEVER { share(wanted - all) } else { 0.0 }
}
