//! The encoder against a plain one in double precision, whose loss tests differences of.

use super::encoder::{Layer, Shape, Weights, encode, panels};
use super::through_time::backward;
use crate::random;

/// Numbers between ± `bound`.
fn numbers(n: usize, bound: f64, salt: u64) -> Vec<f32> {
    let mut stream = random::stream(salt, "encoder", &[]);
    (0..n).map(|_| ((2.0 * random::unit(&mut stream) - 1.0) * bound) as f32).collect()
}

/// Leaves out some inputs of layers above the first one.
fn noise(sentence: usize, layer: usize, numbers: &mut [f32]) {
    let left_out = |place: usize| (place + layer + sentence).is_multiple_of(3);
    numbers.iter_mut().enumerate().for_each(|(place, x)| *x *= if left_out(place) { 0.0 } else { 1.5 });
}

/// The vectors of a sentence's words, written down as the formulas have it. `tensors` are inputs, recurrent weights and biases.
pub fn plain(
    shape: Shape,
    tensors: [&[f64]; 3],
    embeddings: &[Vec<f64>],
    noise: &dyn Fn(usize, &mut [f32]),
) -> Vec<Vec<f64>> {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (units, n) = (shape.units, embeddings.len());
    let mut read: Vec<Vec<f64>> = embeddings.to_vec();
    let [mut of_inputs, mut of_recurrent, mut of_bias] = [0; 3];
    for layer in 0..shape.layers {
        let width = read[0].len();
        if layer > 0 {
            let mut factors = vec![1.0_f32; n * width];
            noise(layer, &mut factors);
            let all = read.iter_mut().flatten().zip(factors);
            all.for_each(|(x, factor)| *x *= f64::from(factor));
        }
        let mut outputs = vec![vec![0.0; 2 * units]; n];
        for direction in 0..2 {
            let (mut given, mut cell) = (vec![0.0; units], vec![0.0; units]);
            for step in 0..n {
                let word = if direction == 0 { step } else { n - 1 - step };
                let sum = |gate: usize, unit: usize| -> f64 {
                    let column = gate * units + unit;
                    let inputs = read[word].iter().enumerate();
                    let inputs = inputs.map(|(i, x)| x * tensors[0][of_inputs + i * 4 * units + column]);
                    let given = given.iter().enumerate();
                    let given = given.map(|(i, h)| h * tensors[1][of_recurrent + i * 4 * units + column]);
                    inputs.sum::<f64>() + given.sum::<f64>() + tensors[2][of_bias + column]
                };
                let new: Vec<(f64, f64)> = (0..units)
                    .map(|unit| {
                        let [i, f, o] = [0, 1, 3].map(|gate| sigmoid(sum(gate, unit)));
                        let c = f * cell[unit] + i * sum(2, unit).tanh();
                        (c, o * c.tanh())
                    })
                    .collect();
                (cell, given) = new.into_iter().unzip();
                outputs[word][direction * units..][..units].copy_from_slice(&given);
            }
            of_inputs += width * 4 * units;
            of_recurrent += units * 4 * units;
            of_bias += 4 * units;
        }
        read = outputs;
    }
    read
}

/// Vectors are those of the plain encoder; gradients of all parameters and inputs are differences of its loss.
#[test]
fn gradients_are_differences_of_the_loss() {
    for (layers, units) in [(1, 3), (2, 5), (3, 16)] {
        let shape = Shape { layers, units, inputs: 7 };
        let tensors = shape.lengths().map(|length| numbers(length, 0.5, length as u64));
        let weights = Weights { inputs: &tensors[0], recurrent: &tensors[1], bias: &tensors[2] };
        // Of equal length, of one word, and longer than the others.
        let sentences: Vec<Vec<f32>> = [4, 1, 4, 9, 2].iter().map(|n| numbers(n * 7, 1.0, *n as u64)).collect();
        let inputs: Vec<&[f32]> = sentences.iter().map(|inputs| &inputs[..]).collect();
        let encoded: Vec<Vec<Layer>> = encode(shape, (weights, &panels(shape, weights)), &inputs, noise);
        let slopes: Vec<f32> = numbers(20 * shape.outputs(), 1.0, 1);
        let all: Vec<&[Layer]> = encoded.iter().map(|layers| &layers[..]).collect();
        let found = backward(shape, weights, &all, slopes.clone(), noise);
        let loss = |tensors: &[Vec<f64>; 4]| -> f64 {
            let mut start = 0;
            let mut vectors: Vec<f64> = Vec::new();
            for (number, inputs) in sentences.iter().enumerate() {
                let embeddings: Vec<Vec<f64>> =
                    tensors[3][start..start + inputs.len()].chunks(7).map(<[f64]>::to_vec).collect();
                start += inputs.len();
                let [inputs, recurrent, bias, _] = tensors;
                let of = plain(shape, [inputs, recurrent, bias], &embeddings, &|layer, x| noise(number, layer, x));
                vectors.extend(of.into_iter().flatten());
            }
            vectors.iter().zip(&slopes).map(|(x, &slope)| x * f64::from(slope)).sum()
        };
        let wide = |numbers: &[f32]| -> Vec<f64> { numbers.iter().map(|&x| f64::from(x)).collect() };
        let given = encoded.iter().flat_map(|layers| &layers.last().unwrap().outputs);
        let given: f64 = given.zip(&slopes).map(|(x, slope)| f64::from(x * slope)).sum();
        let embeddings = wide(&sentences.concat());
        let mut tensors = [wide(&tensors[0]), wide(&tensors[1]), wide(&tensors[2]), embeddings];
        assert!((given - loss(&tensors)).abs() < 1e-4, "{given}, not {}", loss(&tensors));
        let found = [&found.inputs, &found.recurrent, &found.bias, &found.embeddings];
        for number in 0..4 {
            assert_eq!(found[number].len(), tensors[number].len());
            for at in (0..found[number].len()).step_by(1.max(found[number].len() / 60)) {
                let was = tensors[number][at];
                let mut at_distance = |distance: f64| {
                    tensors[number][at] = was + distance;
                    loss(&tensors)
                };
                let slope = (at_distance(1e-5) - at_distance(-1e-5)) / 2e-5;
                tensors[number][at] = was;
                let error = (f64::from(found[number][at]) - slope).abs();
                assert!(
                    error < 1e-3 * slope.abs().max(0.1),
                    "{number}, {at}: {} instead of {slope}",
                    found[number][at]
                );
            }
        }
    }
}

/// A sentence's vectors and its gradients do not depend on which others are in the mini-batch.
#[test]
fn sentences_do_not_depend_on_company() {
    let shape = Shape { layers: 2, units: 24, inputs: 10 };
    let tensors = shape.lengths().map(|length| numbers(length, 0.5, length as u64));
    let weights = Weights { inputs: &tensors[0], recurrent: &tensors[1], bias: &tensors[2] };
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
