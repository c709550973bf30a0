//! The encoder against a plain one in double precision, whose loss tests differences of.

use super::encoder::{EncoderShape, Layer, encode, panels};
use super::lstm::{LstmWeights, Lstms as _};
use super::plain::{self, slope, wide};
use super::through_time::backward;
use crate::random;

/// Numbers between ± `bound`.
fn numbers(n: usize, bound: f64, salt: u64) -> Vec<f32> {
    let mut numbers = vec![0.0; n];
    random::fill(&mut numbers, bound, &mut random::stream(salt, "encoder", &[]));
    numbers
}

/// Leaves out some inputs of layers above the first one.
fn noise(sentence: usize, layer: usize, numbers: &mut [f32]) {
    let left_out = |place: usize| (place + layer + sentence).is_multiple_of(3);
    numbers.iter_mut().enumerate().for_each(|(place, x)| *x *= if left_out(place) { 0.0 } else { 1.5 });
}

/// Vectors are those of the plain encoder; gradients of all parameters and inputs are differences of its loss.
#[test]
fn gradients_are_differences_of_the_loss() {
    for (layers, units) in [(1, 3), (2, 5), (3, 16)] {
        let shape = EncoderShape { layers, units, inputs: 7 };
        let tensors = shape.lengths().map(|length| numbers(length, 0.5, length as u64));
        let weights = LstmWeights { inputs: &tensors[0], recurrent: &tensors[1], bias: &tensors[2] };
        // Of equal length, of one word, and longer than the others.
        let sentences: Vec<Vec<f32>> = [4, 1, 4, 9, 2].iter().map(|n| numbers(n * 7, 1.0, *n as u64)).collect();
        let inputs: Vec<&[f32]> = sentences.iter().map(|inputs| &inputs[..]).collect();
        let encoded: Vec<Vec<Layer>> = encode(shape, (weights, &panels(shape, weights)), &inputs, noise);
        let slopes: Vec<f32> = numbers(20 * shape.outputs(), 1.0, 1);
        let all: Vec<&[Layer]> = encoded.iter().map(|layers| &layers[..]).collect();
        let found = backward(shape, weights, &all, slopes.clone(), noise);
        let loss = |tensors: &[Vec<f64>]| -> f64 {
            let mut start = 0;
            let mut vectors: Vec<f64> = Vec::new();
            for (number, inputs) in sentences.iter().enumerate() {
                let embeddings: Vec<Vec<f64>> =
                    tensors[3][start..start + inputs.len()].chunks(7).map(<[f64]>::to_vec).collect();
                start += inputs.len();
                let weights = [0, 1, 2].map(|number| &tensors[number][..]);
                let of = plain::encode(shape, weights, &embeddings, &|layer, x| noise(number, layer, x));
                vectors.extend(of.into_iter().flatten());
            }
            vectors.iter().zip(&slopes).map(|(x, &slope)| x * f64::from(slope)).sum()
        };
        let given = encoded.iter().flat_map(|layers| &layers.last().unwrap().outputs);
        let given: f64 = given.zip(&slopes).map(|(x, slope)| f64::from(x * slope)).sum();
        let mut tensors: Vec<Vec<f64>> = tensors.iter().map(|tensor| wide(tensor)).collect();
        tensors.push(wide(&sentences.concat()));
        assert!((given - loss(&tensors)).abs() < 1e-4, "{given}, not {}", loss(&tensors));
        for (number, found) in [&found.inputs, &found.recurrent, &found.bias, &found.embeddings].into_iter().enumerate()
        {
            assert_eq!(found.len(), tensors[number].len());
            for at in (0..found.len()).step_by(1.max(found.len() / 60)) {
                let slope = slope(&mut tensors, (number, at), loss);
                let error = (f64::from(found[at]) - slope).abs();
                assert!(error < 1e-3 * slope.abs().max(0.1), "{number}, {at}: {} instead of {slope}", found[at]);
            }
        }
    }
}

/// A sentence's vectors and its gradients do not depend on which others are in the mini-batch.
#[test]
fn sentences_do_not_depend_on_company() {
    let shape = EncoderShape { layers: 2, units: 24, inputs: 10 };
    let tensors = shape.lengths().map(|length| numbers(length, 0.5, length as u64));
    let weights = LstmWeights { inputs: &tensors[0], recurrent: &tensors[1], bias: &tensors[2] };
    let sentences: Vec<Vec<f32>> = [3, 8, 1, 8, 5].iter().map(|n| numbers(n * 10, 1.0, *n as u64)).collect();
    let inputs: Vec<&[f32]> = sentences.iter().map(|inputs| &inputs[..]).collect();
    let ready = panels(shape, weights);
    let encoded: Vec<Vec<Layer>> = encode(shape, (weights, &ready), &inputs, |_, _, _| ());
    for (inputs, layers) in inputs.iter().zip(&encoded) {
        let alone = &encode(shape, (weights, &ready), &[inputs], |_, _, _| ())[0];
        let same = |(a, b): (&Layer, &Layer)| a.outputs == b.outputs && a.cells == b.cells && a.gates == b.gates;
        assert!(alone.iter().zip(layers).all(same), "other bits");
    }
    let slopes = numbers(25 * shape.outputs(), 1.0, 1);
    let all: Vec<&[Layer]> = encoded.iter().map(|layers| &layers[..]).collect();
    let together = backward(shape, weights, &all, slopes.clone(), |_, _, _| ()).embeddings;
    let (mut words, mut alone) = (0, Vec::new());
    for layers in &encoded {
        let n = layers[0].outputs.len() / shape.outputs();
        let slopes = slopes[words * shape.outputs()..][..n * shape.outputs()].to_vec();
        alone.extend(backward(shape, weights, &[&layers[..]], slopes, |_, _, _| ()).embeddings);
        words += n;
    }
    assert!(alone == together, "other bits");
}
