//! The backward pass from the gradients of sums through the three memories, the compositions and the tokens.
//!
//! Nodes form trees, in which gradients go from the leaves to the first node: those of equal depth, of all sentences of a
//! mini-batch, are one product of matrices. The gradient in a node is the sum of those from all configurations and
//! all nodes that read it. A node's input is a vector of a token or a tree, never the output of a memory, so that all three memories come first, then
//! the compositions, the largest ones first, and then the tokens. The gradients of a single step are those of
//! [`step_back`].
//!
//! All sums are taken in the order of sentences and nodes, and products are split by their results alone: nothing depends on the
//! number of threads.

use super::shape::{HISTORY, N_SEQUENCES, StackShape};
use super::step::mask;
use super::tape::{StackTape, sequence_of};
use crate::configuration::Role;
use crate::model::Network;
use crate::neural::gradients::Gradients;
use crate::neural::kernel::{Operand, add, multiply, of_rows, of_weights, sum_of_rows, transposed};
use crate::neural::lstm::step_back;
use crate::neural::parameters::Parameters;
use crate::neural::tape::Tape;
use crate::neural::tensors::{
    ACTIONS, COMPOSITION, COMPOSITION_BIAS, ENCODER_BIAS, ENCODER_INPUTS, ENCODER_RECURRENT, LABELS, PLACES, TOKENS,
    TOKENS_BIAS,
};
use crate::parallel;
use crate::vector::vectorised;

/// The nodes of a sequence, of all sentences: the first one has read nothing.
struct Chain {
    parents: Vec<u32>,
    /// Items, or actions.
    inputs: Vec<u32>,
    /// By node: the number of its sentence.
    tapes: Vec<u32>,
    cells: Vec<f32>,
    outputs: Vec<f32>,
    gates: Vec<f32>,
}

/// The gradients in a sequence.
#[derive(Debug, Default)]
struct SequenceGradients {
    /// By layer.
    inputs: Vec<f32>,
    recurrent: Vec<f32>,
    bias: Vec<f32>,
    /// By node: in what the first layer read.
    read: Vec<f32>,
}

/// Offsets of a sentence's parts among those of all.
struct Offsets {
    tokens: Vec<u32>,
    trees: Vec<u32>,
    /// By sequence.
    nodes: [Vec<u32>; N_SEQUENCES],
    n_tokens: u32,
}

impl Offsets {
    fn new(tapes: &[&StackTape]) -> Offsets {
        let from = |first: usize, n: &dyn Fn(&StackTape) -> usize| -> (Vec<u32>, usize) {
            let mut next = first;
            let start = |tape: &&StackTape| {
                next += n(tape);
                (next - n(tape)) as u32
            };
            let starts = tapes.iter().map(start).collect();
            (starts, next)
        };
        let (tokens, n_tokens) = from(0, &|tape| tape.n_tokens as usize);
        let (trees, _) = from(n_tokens, &|tape| tape.parts.len());
        // All sentences share the first node.
        let nodes = |sequence: usize| from(0, &|tape| tape.sequences[sequence].parents.len().saturating_sub(1)).0;
        Offsets { tokens, trees, nodes: std::array::from_fn(nodes), n_tokens: n_tokens as u32 }
    }

    fn item(&self, tape: usize, n_tokens: u32, item: u32) -> u32 {
        match item.checked_sub(n_tokens) {
            None => self.tokens[tape] + item,
            Some(tree) => self.trees[tape] + tree,
        }
    }

    fn node(&self, sequence: usize, tape: usize, node: u32) -> u32 {
        if node == 0 { 0 } else { self.nodes[sequence][tape] + node }
    }
}

/// Shared inputs of the backward pass.
struct Pass<'p> {
    shape: StackShape,
    network: &'p Network,
    parameters: &'p Parameters,
    tapes: Vec<&'p StackTape>,
    offsets: Offsets,
    /// By item: its vector.
    vectors: Vec<f32>,
    chains: [Chain; N_SEQUENCES],
}

impl Gradients {
    /// Adds those of stacks and of what they read; `sums` are the gradients of hidden units' sums. The gradients in tokens'
    /// embeddings, of all sentences.
    pub fn of_stacks(
        &mut self,
        (shape, network): (StackShape, &Network),
        parameters: &Parameters,
        tapes: &[&Tape],
        sums: &[f32],
    ) -> Vec<f32> {
        let stacks: Vec<&StackTape> = tapes.iter().map(|tape| &tape.stacks).collect();
        let pass = Pass::new(shape, network, parameters, stacks);
        let (mut of_items, mut of_outputs) = self.of_places(&pass, sums);
        let of_sequence =
            |sequence: usize, of_outputs: &mut Vec<f32>| pass.of_sequence(sequence, std::mem::take(of_outputs));
        let of_sequences: [_; N_SEQUENCES] =
            parallel::map_mut(&mut of_outputs, of_sequence).try_into().expect("one of each sequence");
        let [stack, buffer, history] = of_sequences;
        for (chain, of) in pass.chains.iter().zip([&stack, &buffer]) {
            for (&item, row) in chain.inputs.iter().zip(of.read.chunks_exact(shape.units)).skip(1) {
                add(&mut of_items[item as usize * shape.units..][..shape.units], row);
            }
        }
        self.tensors[ACTIONS] = vec![0.0; parameters.tensors[ACTIONS].len()];
        let actions = pass.chains[HISTORY].inputs.iter().zip(history.read.chunks_exact(shape.label)).skip(1);
        actions.for_each(|(&action, row)| {
            add(&mut self.tensors[ACTIONS][action as usize * shape.label..][..shape.label], row)
        });
        for of in [stack, buffer, history] {
            self.tensors[ENCODER_INPUTS].extend(of.inputs);
            self.tensors[ENCODER_RECURRENT].extend(of.recurrent);
            self.tensors[ENCODER_BIAS].extend(of.bias);
        }
        self.of_compositions(&pass, &mut of_items);
        self.of_token_vectors(&pass, tapes, of_items)
    }

    /// Gradients of the vectors that hidden units read: by item, and by node and layer of each sequence.
    fn of_places(&mut self, pass: &Pass, sums: &[f32]) -> (Vec<f32>, [Vec<f32>; N_SEQUENCES]) {
        let Pass { shape, network, offsets, .. } = pass;
        let StackShape { layers, units, .. } = *shape;
        let (hidden, width) = (network.hidden, network.places.len() * units);
        // By configuration and place: the row that is read, and what it is one of.
        let mut rows: Vec<(Option<usize>, usize)> = Vec::new();
        for (number, tape) in pass.tapes.iter().enumerate() {
            for (&found, place) in tape.found.iter().zip(network.places.iter().cycle()) {
                rows.push(match place.role {
                    Role::M0 => (None, offsets.item(number, tape.n_tokens, found) as usize),
                    role => {
                        let sequence = sequence_of(role);
                        (Some(sequence), offsets.node(sequence, number, found) as usize * layers + layers - 1)
                    }
                });
            }
        }
        let mut read = Vec::with_capacity(rows.len() * units);
        for &(sequence, row) in &rows {
            let from = sequence.map_or(&pass.vectors, |sequence| &pass.chains[sequence].outputs);
            read.extend_from_slice(&from[row * units..][..units]);
        }
        self.tensors[PLACES] = of_weights(Operand::rows(&read, width), width, sums, hidden);
        let of_read = of_rows(sums, &pass.parameters.tensors[PLACES], (width, hidden));
        let mut of_items = vec![0.0; pass.vectors.len()];
        let mut of_outputs = [0, 1, 2].map(|sequence| vec![0.0; pass.chains[sequence].outputs.len()]);
        for (&(sequence, row), of) in rows.iter().zip(of_read.chunks_exact(units)) {
            let to = sequence.map_or(&mut of_items, |sequence| &mut of_outputs[sequence]);
            add(&mut to[row * units..][..units], of);
        }
        (of_items, of_outputs)
    }

    /// Gradients of trees' parts, and at last of tokens, from those of trees.
    fn of_compositions(&mut self, pass: &Pass, of_items: &mut [f32]) {
        let StackShape { units, label, .. } = pass.shape;
        let all = |(number, tape): (usize, &&StackTape)| -> Vec<[u32; 3]> {
            let item = |item| pass.offsets.item(number, tape.n_tokens, item);
            tape.parts.iter().map(|&[head, dependent, relation]| [item(head), item(dependent), relation]).collect()
        };
        let parts: Vec<[u32; 3]> = pass.tapes.iter().enumerate().flat_map(all).collect();
        let first = pass.offsets.n_tokens as usize;
        // A tree's is one more than the larger one of its parts.
        let mut heights = vec![0_u32; parts.len()];
        for (number, parts) in parts.iter().enumerate() {
            let height = |item: u32| (item as usize).checked_sub(first).map_or(0, |tree| heights[tree] + 1);
            heights[number] = height(parts[0]).max(height(parts[1]));
        }
        let weights = &pass.parameters.tensors[COMPOSITION];
        let (of_vectors, of_relation) = weights.split_at(2 * units * units);
        let mut of_sums = vec![0.0; parts.len() * units];
        for trees in by_level(&heights).iter().rev() {
            let mut rows = Vec::with_capacity(trees.len() * units);
            for &tree in trees {
                let (vector, of) =
                    (&pass.vectors[(first + tree) * units..][..units], &of_items[(first + tree) * units..]);
                rows.extend(vector.iter().zip(of).map(|(x, of)| of * (1.0 - x * x)));
            }
            let of_parts = of_rows(&rows, of_vectors, (2 * units, units));
            for ((&tree, row), of_parts) in
                trees.iter().zip(rows.chunks_exact(units)).zip(of_parts.chunks_exact(2 * units))
            {
                of_sums[tree * units..][..units].copy_from_slice(row);
                for (&part, of) in parts[tree].iter().zip(of_parts.chunks_exact(units)) {
                    add(&mut of_items[part as usize * units..][..units], of);
                }
            }
        }
        let relations = &pass.parameters.tensors[LABELS];
        let mut read = Vec::with_capacity(parts.len() * 2 * units);
        let mut of_label = Vec::with_capacity(parts.len() * label);
        for &[head, dependent, relation] in &parts {
            for item in [head, dependent] {
                read.extend_from_slice(&pass.vectors[item as usize * units..][..units]);
            }
            of_label.extend_from_slice(&relations[relation as usize * label..][..label]);
        }
        self.tensors[COMPOSITION] = of_weights(Operand::rows(&read, 2 * units), 2 * units, &of_sums, units);
        self.tensors[COMPOSITION].extend(of_weights(Operand::rows(&of_label, label), label, &of_sums, units));
        self.tensors[COMPOSITION_BIAS] = sum_of_rows(&of_sums, units);
        self.tensors[LABELS] = vec![0.0; relations.len()];
        let of_relations = of_rows(&of_sums, of_relation, (label, units));
        for (&[.., relation], of) in parts.iter().zip(of_relations.chunks_exact(label)) {
            add(&mut self.tensors[LABELS][relation as usize * label..][..label], of);
        }
    }

    /// Gradients of tokens' embeddings from those of their vectors.
    fn of_token_vectors(&mut self, pass: &Pass, tapes: &[&Tape], mut of_items: Vec<f32>) -> Vec<f32> {
        let StackShape { units, embedding, .. } = pass.shape;
        let n = pass.offsets.n_tokens as usize;
        of_items.truncate(n * units);
        of_items.iter_mut().zip(&pass.vectors).for_each(|(of, x)| *of *= if *x > 0.0 { 1.0 } else { 0.0 });
        let embeddings: Vec<f32> = tapes.iter().map(|tape| &tape.sentence.embeddings[..]).collect::<Vec<_>>().concat();
        self.tensors[TOKENS] = of_weights(Operand::rows(&embeddings, embedding), embedding, &of_items, units);
        self.tensors[TOKENS_BIAS] = sum_of_rows(&of_items, units);
        of_rows(&of_items, &pass.parameters.tensors[TOKENS], (embedding, units))
    }
}

impl<'p> Pass<'p> {
    fn new(shape: StackShape, network: &'p Network, parameters: &'p Parameters, tapes: Vec<&'p StackTape>) -> Pass<'p> {
        let offsets = Offsets::new(&tapes);
        let n = |tape: &StackTape| tape.n_tokens as usize * shape.units;
        let tokens = tapes.iter().map(|tape| &tape.vectors[..n(tape)]);
        let trees = tapes.iter().map(|tape| &tape.vectors[n(tape)..]);
        let vectors = tokens.chain(trees).collect::<Vec<_>>().concat();
        let chains = std::array::from_fn(|sequence| Chain::new(shape, sequence, &tapes, &offsets));
        Pass { shape, network, parameters, tapes, offsets, vectors, chains }
    }

    /// Gradients of a sequence's parameters from those in nodes, by layer.
    fn of_sequence(&self, sequence: usize, mut of_outputs: Vec<f32>) -> SequenceGradients {
        let StackShape { layers, units, .. } = self.shape;
        let Chain { parents, tapes, cells, outputs, gates, .. } = &self.chains[sequence];
        let (n, row) = (parents.len(), 4 * units);
        let weights = self.parameters.lstms(ENCODER_INPUTS);
        let part = |layer: usize| self.shape.part(weights, sequence, layer);
        // Transposes of what a layer multiplies: its inputs, and its last output.
        let turn = |layer| [part(layer).inputs, part(layer).recurrent].map(|matrix| transposed(matrix, row));
        let turned: Vec<[Vec<f32>; 2]> = (0..layers).map(turn).collect();
        let mut depths = vec![0_u32; n];
        (1..n).for_each(|node| depths[node] = depths[parents[node] as usize] + 1);
        let mut of_cells = vec![0.0; n * layers * units];
        // By layer and node.
        let mut of_sums = vec![0.0; layers * n * row];
        for nodes in by_level(&depths).iter().skip(1).rev() {
            for layer in (0..layers).rev() {
                let place = |node: usize| (node * layers + layer) * units;
                let mut rows = Vec::with_capacity(nodes.len() * row);
                nodes.iter().for_each(|&node| rows.extend_from_slice(&gates[4 * place(node)..][..row]));
                vectorised!(_simd => {
                    for (&node, row) in nodes.iter().zip(rows.chunks_exact_mut(row)) {
                        let before = &cells[place(parents[node] as usize)..][..units];
                        let own = place(node)..place(node) + units;
                        let (of_output, of_cell) = (&mut of_outputs[own.clone()], &mut of_cells[own.clone()]);
                        step_back(row, (&cells[own], before), of_output, of_cell);
                    }
                });
                let [inputs, recurrent] = &turned[layer];
                let mut of_before = vec![0.0; nodes.len() * units];
                multiply(Operand::rows(&rows, row), recurrent, &mut of_before, (nodes.len(), row, units));
                for ((&node, sums), of) in nodes.iter().zip(rows.chunks_exact(row)).zip(of_before.chunks_exact(units)) {
                    let parent = place(parents[node] as usize);
                    of_sums[(layer * n + node) * row..][..row].copy_from_slice(sums);
                    add(&mut of_outputs[parent..][..units], of);
                    let of_cell = of_cells[place(node)..][..units].to_vec();
                    add(&mut of_cells[parent..][..units], &of_cell);
                }
                if layer > 0 {
                    let mut of_below = vec![0.0; nodes.len() * units];
                    multiply(Operand::rows(&rows, row), inputs, &mut of_below, (nodes.len(), row, units));
                    for (&node, of) in nodes.iter().zip(of_below.chunks_exact_mut(units)) {
                        mask(of, self.mask(sequence, layer, tapes[node]));
                        add(&mut of_outputs[place(node) - units..][..units], of);
                    }
                }
            }
        }
        let mut all = SequenceGradients::default();
        for (layer, of_sums) in of_sums.chunks_exact(n * row).enumerate() {
            let width = self.shape.inputs_of(sequence, layer);
            let at = |node: usize, layer: usize| &outputs[(node * layers + layer) * units..][..units];
            let before = parents.iter().map(|&parent| at(parent as usize, layer)).collect::<Vec<_>>().concat();
            let read = match layer {
                0 => self.first_inputs(sequence),
                _ => {
                    let mut read = (0..n).map(|node| at(node, layer - 1)).collect::<Vec<_>>().concat();
                    let rows = read.chunks_exact_mut(units).zip(tapes);
                    rows.for_each(|(row, &tape)| mask(row, self.mask(sequence, layer, tape)));
                    read
                }
            };
            all.inputs.extend(of_weights(Operand::rows(&read, width), width, of_sums, row));
            all.recurrent.extend(of_weights(Operand::rows(&before, units), units, of_sums, row));
            all.bias.extend(sum_of_rows(of_sums, row));
            if layer == 0 {
                all.read = of_rows(of_sums, part(0).inputs, (width, row));
            }
        }
        all
    }

    fn mask(&self, sequence: usize, layer: usize, tape: u32) -> &[f32] {
        let StackShape { layers, units, .. } = self.shape;
        &self.tapes[tape as usize].masks[(sequence * layers + layer) * units..][..units]
    }

    /// By node: what the first layer of a sequence read.
    fn first_inputs(&self, sequence: usize) -> Vec<f32> {
        let (from, width) = match sequence {
            HISTORY => (&self.parameters.tensors[ACTIONS], self.shape.label),
            _ => (&self.vectors, self.shape.units),
        };
        let inputs = self.chains[sequence].inputs.iter();
        inputs.map(|&input| &from[input as usize * width..][..width]).collect::<Vec<_>>().concat()
    }
}

impl Chain {
    fn new(shape: StackShape, sequence: usize, tapes: &[&StackTape], offsets: &Offsets) -> Chain {
        let width = shape.layers * shape.units;
        let zeros = vec![0.0; width];
        let mut chain = Chain {
            parents: vec![0],
            inputs: vec![0],
            tapes: vec![0],
            cells: zeros.clone(),
            outputs: zeros,
            gates: vec![0.0; 4 * width],
        };
        for (number, tape) in tapes.iter().enumerate() {
            let of = &tape.sequences[sequence];
            let n = of.parents.len().saturating_sub(1);
            chain.parents.extend(of.parents.iter().skip(1).map(|&parent| offsets.node(sequence, number, parent)));
            let input = |&input: &u32| match sequence {
                HISTORY => input,
                _ => offsets.item(number, tape.n_tokens, input),
            };
            chain.inputs.extend(of.inputs.iter().skip(1).map(input));
            chain.tapes.extend(std::iter::repeat_n(number as u32, n));
            if n > 0 {
                chain.cells.extend_from_slice(&of.cells[width..]);
                chain.outputs.extend_from_slice(&of.outputs[width..]);
                chain.gates.extend_from_slice(&of.gates[4 * width..]);
            }
        }
        chain
    }
}

/// Numbers by their level, each level's in ascending order.
fn by_level(levels: &[u32]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); levels.iter().max().map_or(0, |&highest| highest as usize + 1)];
    levels.iter().enumerate().for_each(|(number, &level)| all[level as usize].push(number));
    all
}
