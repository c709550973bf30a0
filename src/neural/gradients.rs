//! The gradients of a network's parameters. Names that begin with `of_` are gradients of the loss in what they name.

use super::kernel::add;
use super::parameters::Parameters;
use super::sentence::SentenceTokens;
use crate::features::N_COLUMNS;
use crate::vector::vectorised;

/// The gradients of all parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gradients {
    /// By tensor; of embeddings of columns, only rows that were read, in the order of `rows`.
    pub tensors: Vec<Vec<f32>>,
    /// By column: the rows that were read.
    pub rows: [Vec<u32>; N_COLUMNS],
}

impl Gradients {
    /// No gradients yet, of so many tensors.
    pub fn none(n_tensors: usize) -> Gradients {
        Gradients { tensors: vec![Vec::new(); n_tensors], ..Gradients::default() }
    }

    /// Fills in those of the embeddings of columns, of which `dimensions` are the lengths, from those of tokens, past what noise left
    /// out. `parameters` are those that they are gradients of.
    pub fn of_columns(
        &mut self,
        parameters: &Parameters,
        dimensions: &[usize; N_COLUMNS],
        sentences: &[&SentenceTokens],
        mut of_tokens: Vec<f32>,
    ) {
        let mut rest = &mut of_tokens[..];
        for sentence in sentences {
            let (own, after) = rest.split_at_mut(sentence.embeddings.len());
            sentence.mask(own);
            rest = after;
        }
        let mut start = 0;
        for (column, &n) in dimensions.iter().enumerate().filter(|(_, n)| **n > 0) {
            let tokens =
                sentences.iter().flat_map(|sentence| (0..sentence.n_tokens()).map(move |token| (sentence, token)));
            let rows = of_tokens.chunks_exact(dimensions.iter().sum()).map(|row| &row[start..start + n]);
            let n_rows = parameters.tensors[column].len() / n;
            let of_values = tokens.zip(rows).flat_map(|((sentence, token), row)| {
                sentence.values(column, token).iter().map(move |&value| (value, row))
            });
            (self.rows[column], self.tensors[column]) = of_column(n_rows, of_values);
            start += n;
        }
    }

    /// Makes the norm of all gradients together at most this.
    pub fn clip(&mut self, longest: f64) {
        let norm = norm(&self.tensors);
        if norm > longest {
            let factor = (longest / norm) as f32;
            self.tensors.iter_mut().flatten().for_each(|gradient| *gradient *= factor);
        }
    }
}

/// No number yet.
const NONE: u32 = u32::MAX;

/// Sums of the gradients in those of `n_rows` rows that were read, of which `read` has the numbers: these, in the order in which they
/// came first, and the sums.
pub fn of_column<'g>(n_rows: usize, read: impl Iterator<Item = (u32, &'g [f32])>) -> (Vec<u32>, Vec<f32>) {
    let mut numbers = vec![NONE; n_rows];
    let (mut rows, mut gradients) = (Vec::new(), Vec::new());
    for (id, gradient) in read {
        match numbers[id as usize] {
            NONE => {
                numbers[id as usize] = rows.len() as u32;
                rows.push(id);
                gradients.extend_from_slice(gradient);
            }
            number => add(&mut gradients[number as usize * gradient.len()..][..gradient.len()], gradient),
        }
    }
    (rows, gradients)
}

/// The length of all gradients together.
fn norm(tensors: &[Vec<f32>]) -> f64 {
    tensors.iter().map(|tensor| squared_norm(tensor)).sum::<f64>().sqrt()
}

/// The sum of squares, sixteen of them side by side.
fn squared_norm(numbers: &[f32]) -> f64 {
    const LANES: usize = 16;
    let mut sums = [0.0_f64; LANES];
    let (blocks, rest) = numbers.as_chunks::<LANES>();
    vectorised!(_simd => {
        for block in blocks {
            sums.iter_mut().zip(block).for_each(|(sum, &x)| *sum += f64::from(x) * f64::from(x));
        }
    });
    let rest: f64 = rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    sums.iter().sum::<f64>() + rest
}
