//! Activation functions of hidden units.

use super::kernel::tanh;
use crate::model::Activation;
use crate::vector::vectorised;

/// Replaces sums by activations.
pub fn activate(activation: Activation, sums: &mut [f32]) {
    vectorised!(_simd => match activation {
        Activation::Relu => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
        Activation::Cube => sums.iter_mut().for_each(|sum| *sum = *sum * *sum * *sum),
        Activation::Tanh => sums.iter_mut().for_each(|sum| *sum = tanh(*sum)),
    });
}

/// Derivatives of an activation at sums.
pub fn slopes(activation: Activation, sums: &[f32], slopes: &mut [f32]) {
    let pairs = slopes.iter_mut().zip(sums);
    vectorised!(_simd => match activation {
        Activation::Relu => pairs.for_each(|(slope, sum)| *slope = if *sum > 0.0 { 1.0 } else { 0.0 }),
        Activation::Cube => pairs.for_each(|(slope, sum)| *slope = 3.0 * sum * sum),
        Activation::Tanh => pairs.for_each(|(slope, sum)| {
            let value = tanh(*sum);
            *slope = 1.0 - value * value;
        }),
    });
}
