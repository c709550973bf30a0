//! Long short-term memories (Hochreiter & Schmidhuber 1997, with the forget gates of Gers, Schmidhuber & Cummins 2000): their parameters,
//! one step, and its gradients. [`encoder`](super::encoder) and [`stack_lstm`](super::stack_lstm) read sequences with them.
//!
//! With x the input, h the output, c the cell, h' and c' those of the step before, ⊙ the product element by element:
//!
//! ```text
//! i, f, o = σ(W x + R h' + b)      g = tanh(W x + R h' + b)      c = f ⊙ c' + i ⊙ g      h = o ⊙ tanh(c)
//! ```
//!
//! With a for the sums that gates are made of:
//!
//! ```text
//! dc = dc' + dh ⊙ o ⊙ (1 − tanh² c)         dh = that of the step's own readers + R da of the step after
//! da_i = dc ⊙ g ⊙ i (1 − i)    da_f = dc ⊙ c' ⊙ f (1 − f)    da_g = dc ⊙ i ⊙ (1 − g²)    da_o = dh ⊙ tanh c ⊙ o (1 − o)
//! dW = da xᵀ    dR = da h'ᵀ    db = Σ da    dx = Wᵀ da
//! ```

use super::kernel::{sigmoid, tanh};
use crate::random::{self, Xoshiro256PlusPlus};

/// The parameters of long short-term memories, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct LstmWeights<'p> {
    /// W: a row for each input; in it i, f, g and o of all units.
    pub inputs: &'p [f32],
    /// R: a row for each unit of the step before; in it i, f, g and o of all units.
    pub recurrent: &'p [f32],
    /// b.
    pub bias: &'p [f32],
}

/// Shape of several long short-term memories with the same number of units.
pub trait Lstms: Copy {
    /// The numbers in each one's output.
    fn units(&self) -> usize;

    /// The numbers in each one's input.
    fn inputs(&self) -> impl Iterator<Item = usize>;

    /// The lengths of the tensors in [`LstmWeights`].
    fn lengths(&self) -> [usize; 3] {
        let gates = 4 * self.units();
        let n = self.inputs().count();
        [self.inputs().sum::<usize>() * gates, n * self.units() * gates, n * gates]
    }

    /// The parameters of one of them.
    fn lstm<'p>(&self, weights: LstmWeights<'p>, number: usize) -> LstmWeights<'p> {
        let (units, gates) = (self.units(), 4 * self.units());
        let mut inputs = self.inputs();
        let before: usize = inputs.by_ref().take(number).sum();
        LstmWeights {
            inputs: &weights.inputs[before * gates..][..inputs.next().unwrap_or_default() * gates],
            recurrent: &weights.recurrent[number * units * gates..][..units * gates],
            bias: &weights.bias[number * gates..][..gates],
        }
    }

    /// Fills one of the tensors of [`LstmWeights`], by its place there, with random numbers as Glorot & Bengio (2010) draw them; biases are 0,
    /// but for those of forget gates: these are 1, so that cells are kept at first (Jozefowicz, Zaremba & Sutskever 2015).
    fn fill(&self, place: usize, tensor: &mut [f32], mut stream: Xoshiro256PlusPlus) {
        let (units, gates) = (self.units(), 4 * self.units());
        if place == 2 {
            tensor.chunks_exact_mut(gates).for_each(|bias| bias[units..2 * units].fill(1.0));
            return;
        }
        let mut rest = tensor;
        for inputs in self.inputs() {
            let inputs = if place == 0 { inputs } else { units };
            let bound = (6.0 / (inputs + units) as f64).sqrt();
            let (own, after) = rest.split_at_mut(inputs * gates);
            random::fill(own, bound, &mut stream);
            rest = after;
        }
    }
}

/// One step: from sums to gates, and from the cell of the step before to the cell and the output.
#[inline(always)]
pub fn step(sums: &mut [f32], cell: &mut [f32], output: &mut [f32]) {
    let units = cell.len();
    let (i_and_f, g_and_o) = sums.split_at_mut(2 * units);
    i_and_f.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
    let (g, o) = g_and_o.split_at_mut(units);
    g.iter_mut().for_each(|sum| *sum = tanh(*sum));
    o.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
    let (i, f) = i_and_f.split_at(units);
    cell.iter_mut().zip(i.iter().zip(&*g)).zip(f).for_each(|((c, (i, g)), f)| *c = f * *c + i * g);
    output.iter_mut().zip(&*cell).for_each(|(h, c)| *h = tanh(*c));
    output.iter_mut().zip(&*o).for_each(|(h, o)| *h *= o);
}

/// The gradients of one step: from gates to those in their sums. `of_output` is the gradient in the output, `of_cell` that which came to
/// the cell from the step after, and then that which goes on to the step before.
#[inline(always)]
pub fn step_back(gates: &mut [f32], (cell, before): (&[f32], &[f32]), of_output: &mut [f32], of_cell: &mut [f32]) {
    let units = cell.len();
    let (i_and_f, g_and_o) = gates.split_at_mut(2 * units);
    let ((i, f), (g, o)) = (i_and_f.split_at_mut(units), g_and_o.split_at_mut(units));
    let all = of_cell.iter_mut().zip(of_output).zip(cell).zip(o);
    all.for_each(|(((of_cell, of_output), c), o)| {
        let squashed = tanh(*c);
        *of_cell += *of_output * *o * (1.0 - squashed * squashed);
        *o = *of_output * squashed * *o * (1.0 - *o);
    });
    let all = of_cell.iter_mut().zip(i).zip(f).zip(g).zip(before);
    all.for_each(|((((of_cell, i), f), g), before)| {
        let of = *of_cell;
        *of_cell = of * *f;
        *f = of * before * *f * (1.0 - *f);
        let input = *i;
        *i = of * *g * input * (1.0 - input);
        *g = of * input * (1.0 - *g * *g);
    });
}
