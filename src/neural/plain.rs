//! Networks in double precision, written down as the formulas have them, and differences of a loss: what tests hold networks and
//! their gradients to.

use super::encoder::EncoderShape;
use super::gradients::Gradients;
use super::parameters::Parameters;
use super::sentence::SentenceTokens;
use crate::random;

/// Numbers in double precision.
pub fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

/// Factors by which `noise` multiplies so many numbers.
pub fn factors(n: usize, noise: impl Fn(&mut [f32])) -> Vec<f64> {
    let mut factors = vec![1.0; n];
    noise(&mut factors);
    wide(&factors)
}

/// Adds the product of a row and a matrix.
pub fn add_product(x: &[f64], weights: &[f64], sums: &mut [f64]) {
    for (x, row) in x.iter().zip(weights.chunks_exact(sums.len())) {
        sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += x * w);
    }
}

/// By token of a sentence: its embedding, past what noise leaves out.
pub fn embeddings(sentence: &SentenceTokens, tensors: &[Vec<f64>], dimensions: &[usize]) -> Vec<Vec<f64>> {
    let factors = factors(sentence.embeddings.len(), |numbers| sentence.mask(numbers));
    let embedding = |(token, factors): (usize, &[f64])| {
        let columns = tensors.iter().zip(dimensions).enumerate();
        let numbers = columns.flat_map(|(column, (table, &n))| {
            let values = sentence.values(column, token);
            (0..n).map(move |at| values.iter().map(|&value| table[value as usize * n + at]).sum::<f64>())
        });
        numbers.zip(factors).map(|(x, factor)| x * factor).collect()
    };
    factors.chunks_exact(dimensions.iter().sum()).enumerate().map(embedding).collect()
}

/// One step of a long short-term memory, whose weights stand first in `tensors`: inputs, recurrent weights and biases. `state` are its
/// cell and its output.
pub fn step(x: &[f64], (c, h): &mut (Vec<f64>, Vec<f64>), tensors: [&[f64]; 3]) {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let units = c.len();
    let mut sums = tensors[2][..4 * units].to_vec();
    add_product(x, tensors[0], &mut sums);
    add_product(h, tensors[1], &mut sums);
    for unit in 0..units {
        let [i, f, o] = [0, 1, 3].map(|gate| sigmoid(sums[gate * units + unit]));
        c[unit] = f * c[unit] + i * sums[2 * units + unit].tanh();
        h[unit] = o * c[unit].tanh();
    }
}

/// The vectors of a sentence's words. `tensors` are inputs, recurrent weights and biases.
pub fn encode(
    shape: EncoderShape,
    tensors: [&[f64]; 3],
    embeddings: &[Vec<f64>],
    noise: &dyn Fn(usize, &mut [f32]),
) -> Vec<Vec<f64>> {
    let (units, n) = (shape.units, embeddings.len());
    let mut read: Vec<Vec<f64>> = embeddings.to_vec();
    let mut rest = tensors;
    for layer in 0..shape.layers {
        let width = read[0].len();
        if layer > 0 {
            let factors = factors(n * width, |numbers| noise(layer, numbers));
            read.iter_mut().flatten().zip(factors).for_each(|(x, factor)| *x *= factor);
        }
        let mut outputs = vec![vec![0.0; 2 * units]; n];
        for direction in 0..2 {
            let mut state = (vec![0.0; units], vec![0.0; units]);
            for number in 0..n {
                let word = if direction == 0 { number } else { n - 1 - number };
                step(&read[word], &mut state, rest);
                outputs[word][direction * units..][..units].copy_from_slice(&state.1);
            }
            let lengths = [width, units, 1].map(|rows| rows * 4 * units);
            rest = std::array::from_fn(|number| &rest[number][lengths[number]..]);
        }
        read = outputs;
    }
    read
}

/// Parameters that are `factor` times as large as those that training begins with, and random numbers within half of `spread` more, so
/// that units differ.
pub fn enlarged(mut parameters: Parameters, factor: f32, spread: f32) -> Parameters {
    let mut stream = random::stream(9, "test", &[]);
    for tensor in &mut parameters.tensors {
        tensor.iter_mut().for_each(|w| *w = *w * factor + (random::unit(&mut stream) - 0.5) as f32 * spread);
    }
    parameters
}

/// Compares gradients with differences of the loss of parameters, in `n` random places of each tensor, and returns the largest slope of
/// each. `dimensions` are the lengths of columns' embeddings; errors are shares of slopes, or of `least` if these are smaller.
pub fn check_gradients(
    found: &Gradients,
    parameters: &Parameters,
    dimensions: &[usize],
    (n, least): (usize, f64),
    loss: impl Fn(&[Vec<f64>]) -> f64,
) -> Vec<f64> {
    let mut tensors: Vec<Vec<f64>> = parameters.tensors.iter().map(|tensor| wide(tensor)).collect();
    let mut stream = random::stream(1, "places", &[]);
    let mut check = |tensor: usize| {
        let gradients = &found.tensors[tensor];
        let mut largest = 0.0_f64;
        for _ in 0..if gradients.is_empty() { 0 } else { n } {
            let at = random::below(gradients.len() as u64, &mut stream) as usize;
            let place = match dimensions.get(tensor) {
                Some(&dimension) => found.rows[tensor][at / dimension] as usize * dimension + at % dimension,
                None => at,
            };
            let slope = slope(&mut tensors, (tensor, place), &loss);
            let error = (f64::from(gradients[at]) - slope).abs();
            assert!(error < 2e-3 * slope.abs().max(least), "{tensor}, {at}: {} instead of {slope}", gradients[at]);
            largest = largest.max(slope.abs());
        }
        largest
    };
    (0..found.tensors.len()).map(&mut check).collect()
}

/// The slope of a loss in one of the numbers that it depends on.
pub fn slope(tensors: &mut [Vec<f64>], (tensor, place): (usize, usize), loss: impl Fn(&[Vec<f64>]) -> f64) -> f64 {
    let was = tensors[tensor][place];
    let [above, below] = [1e-5, -1e-5].map(|distance| {
        tensors[tensor][place] = was + distance;
        loss(tensors)
    });
    tensors[tensor][place] = was;
    (above - below) / 2e-5
}
