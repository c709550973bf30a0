//! Making nodes and compositions that are new, as many as possible at once.
//!
//! Rows of a product do not depend on which others there are, so a node has the same bits however it came to be made.

use super::derived::{StackDerived, products};
use super::memory::{Items, Sequence, StackMemory};
use super::shape::{BUFFER, HISTORY, N_SEQUENCES, STACK, StackShape};
use crate::configuration::Role;
use crate::model::Network;
use crate::neural::kernel::{Operand, multiply, tanh};
use crate::neural::lstm::{LstmWeights, step};
use crate::neural::parameters::Parameters;
use crate::neural::sentence::SentenceTokens;
use crate::neural::tensors::{BIAS, COMPOSITION, ENCODER_INPUTS, PLACES, TOKENS, TOKENS_BIAS};
use crate::vector::vectorised;

/// Stacks as they stand: everything that reading configurations takes.
#[derive(Debug, Clone, Copy)]
pub struct StackScorer<'m> {
    /// Their sizes.
    pub shape: StackShape,
    /// The network.
    pub network: &'m Network,
    /// Its parameters.
    pub parameters: &'m Parameters,
    /// Values that follow from them.
    pub derived: &'m StackDerived,
}

impl StackScorer<'_> {
    /// The parameters of one layer of a sequence.
    fn part(&self, sequence: usize, layer: usize) -> LstmWeights<'_> {
        self.shape.part(self.parameters.lstms(ENCODER_INPUTS), sequence, layer)
    }

    /// The vectors of tokens, from their embeddings.
    pub fn vectors(&self, embeddings: &[f32]) -> Vec<f32> {
        let [weights, bias] = [TOKENS, TOKENS_BIAS].map(|number| &self.parameters.tensors[number][..]);
        let mut vectors = products(embeddings, weights, bias, self.shape.embedding);
        vectors.iter_mut().for_each(|x| *x = x.max(0.0));
        vectors
    }

    /// Forgets the last sentence and looks at one whose tokens have vectors.
    pub fn begin(&self, memory: &mut StackMemory, sentence: &SentenceTokens) {
        let StackShape { layers, units, .. } = self.shape;
        let vectors = sentence.vectors();
        let n_tokens = vectors.len() / units;
        memory.items.vectors.clear();
        memory.items.vectors.extend_from_slice(vectors);
        for sequence in [STACK, BUFFER] {
            let weights = self.part(sequence, 0);
            memory.sequences[sequence].products = products(vectors, weights.inputs, weights.bias, units);
            memory.sequences[sequence].has_product = vec![true; n_tokens];
        }
        memory.masks.clear();
        if sentence.noise.is_some() {
            memory.masks.resize(N_SEQUENCES * layers * units, 1.0);
            for (number, mask) in memory.masks.chunks_exact_mut(units).enumerate() {
                sentence.mask_within(number, mask);
            }
        }
        memory.clear(n_tokens, layers * units, units);
        (memory.has_forgotten, memory.n_needed) = (false, 0);
    }

    /// Forgets all but the tokens.
    pub fn forget(&self, memory: &mut StackMemory) {
        let n_tokens = memory.items.n_tokens as usize;
        memory.clear(n_tokens, self.shape.layers * self.shape.units, self.shape.units);
        memory.has_forgotten = true;
    }

    /// Computes new vectors, and fills in the sums of hidden units of configurations, of which `found` has the nodes.
    pub fn sums(&self, memory: &mut StackMemory, found: &[u32], sums: &mut Vec<f32>) {
        self.make(memory);
        let (width, n) = (self.network.places.len() * self.shape.units, found.len() / self.network.places.len());
        let read = self.read(memory, found);
        sums.clear();
        (0..n).for_each(|_| sums.extend_from_slice(&self.parameters.tensors[BIAS]));
        let rows = Operand::rows(&read, width);
        multiply(rows, &self.parameters.tensors[PLACES], sums, (n, width, self.network.hidden));
    }

    /// Inputs of hidden units for configurations.
    pub(super) fn read(&self, memory: &StackMemory, found: &[u32]) -> Vec<f32> {
        let StackShape { layers, units, .. } = self.shape;
        let mut read = Vec::with_capacity(found.len() * units);
        for (&number, place) in found.iter().zip(self.network.places.iter().cycle()) {
            let last = |sequence: usize| {
                &memory.sequences[sequence].outputs[(number as usize * layers + layers - 1) * units..]
            };
            let row = match place.role {
                Role::M0 => &memory.items.vectors[number as usize * units..],
                Role::A => last(HISTORY),
                Role::B0 => last(BUFFER),
                _ => last(STACK),
            };
            read.extend_from_slice(&row[..units]);
        }
        read
    }

    fn make(&self, memory: &mut StackMemory) {
        let StackMemory { items, sequences, masks, n_steps, .. } = memory;
        self.compose(items);
        for (number, sequence) in sequences.iter_mut().enumerate() {
            *n_steps += (sequence.parents.len() - sequence.n_made) as u64;
            if number != HISTORY {
                self.multiply_inputs(number, sequence, items);
            }
            while sequence.n_made < sequence.parents.len() {
                // Nodes whose parents have been made.
                let first = sequence.n_made;
                let n = sequence.parents[first..].iter().take_while(|parent| (**parent as usize) < first).count();
                self.advance(number, sequence, first..first + n, masks);
                sequence.n_made += n;
            }
        }
    }

    /// Makes the vectors of new trees.
    fn compose(&self, items: &mut Items) {
        let units = self.shape.units;
        let mut read = Vec::new();
        while items.n_made < items.parts.len() {
            let made = items.n_tokens + items.n_made as u32;
            let is_ready = |parts: &&[u32; 3]| parts[0] < made && parts[1] < made;
            let parts: Vec<[u32; 3]> = items.parts[items.n_made..].iter().take_while(is_ready).copied().collect();
            read.clear();
            let start = items.vectors.len();
            for &[head, dependent, relation] in &parts {
                for item in [head, dependent] {
                    read.extend_from_slice(&items.vectors[item as usize * units..][..units]);
                }
                items.vectors.extend_from_slice(&self.derived.relations[relation as usize * units..][..units]);
            }
            let sums = &mut items.vectors[start..];
            let weights = &self.parameters.tensors[COMPOSITION];
            multiply(Operand::rows(&read, 2 * units), weights, sums, (parts.len(), 2 * units, units));
            vectorised!(_simd => sums.iter_mut().for_each(|x| *x = tanh(*x)));
            items.n_made += parts.len();
        }
    }

    /// Contributions of the vectors of trees to gates, as far as new nodes read them.
    fn multiply_inputs(&self, number: usize, sequence: &mut Sequence, items: &Items) {
        let (units, gates) = (self.shape.units, 4 * self.shape.units);
        let n_items = items.n_tokens as usize + items.parts.len();
        sequence.has_product.resize(n_items, false);
        let mut wanted: Vec<usize> = Vec::new();
        for &item in &sequence.inputs[sequence.n_made..] {
            if !std::mem::replace(&mut sequence.has_product[item as usize], true) {
                wanted.push(item as usize);
            }
        }
        if wanted.is_empty() {
            return;
        }
        sequence.products.resize(n_items * gates, 0.0);
        let read: Vec<&[f32]> = wanted.iter().map(|item| &items.vectors[item * units..][..units]).collect();
        let weights = self.part(number, 0);
        let rows = products(&read.concat(), weights.inputs, weights.bias, units);
        for (item, row) in wanted.into_iter().zip(rows.chunks_exact(gates)) {
            sequence.products[item * gates..][..gates].copy_from_slice(row);
        }
    }

    /// Makes nodes whose parents have been made.
    fn advance(&self, number: usize, sequence: &mut Sequence, nodes: std::ops::Range<usize>, masks: &[f32]) {
        let StackShape { layers, units, .. } = self.shape;
        let (gates, width, n) = (4 * units, layers * units, nodes.len());
        let keeps_gates = !masks.is_empty();
        let Sequence { parents, inputs, cells, outputs, gates: kept, products, .. } = sequence;
        cells.resize(nodes.end * width, 0.0);
        outputs.resize(nodes.end * width, 0.0);
        if keeps_gates {
            kept.resize(nodes.end * layers * gates, 0.0);
        }
        let firsts = if number == HISTORY { &self.derived.actions } else { &*products };
        let mut sums = Vec::with_capacity(n * gates);
        let mut read = Vec::with_capacity(n * units);
        for layer in 0..layers {
            let weights = self.part(number, layer);
            let place = |node: usize| (node * layers + layer) * units;
            sums.clear();
            if layer == 0 {
                for node in nodes.clone() {
                    sums.extend_from_slice(&firsts[inputs[node] as usize * gates..][..gates]);
                }
            } else {
                (0..n).for_each(|_| sums.extend_from_slice(weights.bias));
                read.clear();
                for node in nodes.clone() {
                    read.extend_from_slice(&outputs[place(node) - units..][..units]);
                }
                let masks = masks.get((number * layers + layer) * units..).unwrap_or_default();
                mask(&mut read, &masks[..units.min(masks.len())]);
                multiply(Operand::rows(&read, units), weights.inputs, &mut sums, (n, units, gates));
            }
            read.clear();
            for node in nodes.clone() {
                read.extend_from_slice(&outputs[place(parents[node] as usize)..][..units]);
                cells.copy_within(place(parents[node] as usize)..place(parents[node] as usize) + units, place(node));
            }
            multiply(Operand::rows(&read, units), weights.recurrent, &mut sums, (n, units, gates));
            vectorised!(_simd => {
                for (node, row) in nodes.clone().zip(sums.chunks_exact_mut(gates)) {
                    let (cell, output) = (&mut cells[place(node)..][..units], &mut outputs[place(node)..][..units]);
                    step(row, cell, output);
                }
            });
            if keeps_gates {
                for (node, row) in nodes.clone().zip(sums.chunks_exact(gates)) {
                    kept[(node * layers + layer) * gates..][..gates].copy_from_slice(row);
                }
            }
        }
    }
}

/// Multiplies each row by the mask, if there is one.
pub(super) fn mask(rows: &mut [f32], mask: &[f32]) {
    if !mask.is_empty() {
        rows.chunks_exact_mut(mask.len()).for_each(|row| row.iter_mut().zip(mask).for_each(|(x, factor)| *x *= factor));
    }
}
