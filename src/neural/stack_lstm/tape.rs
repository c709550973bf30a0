//! Tape of a sentence: the nodes and compositions that led to a loss, each of them once, however many configurations
//! read it.

use super::memory::StackMemory;
use super::shape::{HISTORY, N_SEQUENCES, StackShape};
use crate::configuration::Role;
use crate::model::Network;

/// The part of a [`Tape`](crate::neural::Tape) that networks with stacks have.
#[derive(Debug, Clone, Default)]
pub struct StackTape {
    /// By configuration and place: the number of a node here, of M0 that of an item.
    pub found: Vec<u32>,
    /// As in the memory: of tokens, and then of the trees that were recorded.
    pub vectors: Vec<f32>,
    pub n_tokens: u32,
    pub parts: Vec<[u32; 3]>,
    pub sequences: [SequenceTape; N_SEQUENCES],
    pub masks: Vec<f32>,
    /// By tree of the memory: one more than its place here.
    numbers: Vec<u32>,
}

/// Nodes of a sequence; the first one has read nothing.
#[derive(Debug, Clone, Default)]
pub struct SequenceTape {
    pub parents: Vec<u32>,
    pub inputs: Vec<u32>,
    pub cells: Vec<f32>,
    pub outputs: Vec<f32>,
    pub gates: Vec<f32>,
    /// By node of the memory: its number here; 0 if it is not recorded.
    numbers: Vec<u32>,
}

impl StackTape {
    /// Records the configuration that was found last.
    pub fn record(&mut self, network: &Network, shape: StackShape, memory: &StackMemory) {
        if self.found.is_empty() {
            self.n_tokens = memory.items.n_tokens;
            self.vectors = memory.items.vectors[..self.n_tokens as usize * shape.units].to_vec();
            self.masks.clone_from(&memory.masks);
        }
        for (&number, place) in memory.found.iter().zip(&network.places) {
            let number = match place.role {
                Role::M0 => self.item(number, shape, memory),
                role => self.node(sequence_of(role), number, shape, memory),
            };
            self.found.push(number);
        }
    }

    /// The number of a node here.
    fn node(&mut self, number: usize, node: u32, shape: StackShape, memory: &StackMemory) -> u32 {
        let sequence = &memory.sequences[number];
        let known =
            |tape: &SequenceTape, node: u32| tape.numbers.get(node as usize).copied().filter(|n| *n > 0 || node == 0);
        if self.sequences[number].parents.is_empty() {
            self.push(number, (0, 0), 0, shape, memory);
        }
        // From the first one that is not recorded to this one.
        let mut path = Vec::new();
        let mut at = node;
        while known(&self.sequences[number], at).is_none() {
            path.push(at);
            at = sequence.parents[at as usize];
        }
        for &node in path.iter().rev() {
            let input = sequence.inputs[node as usize];
            let input = if number == HISTORY { input } else { self.item(input, shape, memory) };
            let parent = self.sequences[number].numbers[sequence.parents[node as usize] as usize];
            self.push(number, (parent, input), node, shape, memory);
        }
        self.sequences[number].numbers[node as usize]
    }

    fn push(&mut self, number: usize, (parent, input): (u32, u32), node: u32, shape: StackShape, memory: &StackMemory) {
        let (sequence, tape) = (&memory.sequences[number], &mut self.sequences[number]);
        let (node, width) = (node as usize, shape.layers * shape.units);
        if tape.numbers.len() <= node {
            tape.numbers.resize(sequence.parents.len().max(node + 1), 0);
        }
        tape.numbers[node] = tape.parents.len() as u32;
        tape.parents.push(parent);
        tape.inputs.push(input);
        tape.cells.extend_from_slice(&sequence.cells[node * width..][..width]);
        tape.outputs.extend_from_slice(&sequence.outputs[node * width..][..width]);
        // The first node has none.
        tape.gates.resize(tape.gates.len() + 4 * width, 0.0);
        if node > 0 {
            let start = tape.gates.len() - 4 * width;
            tape.gates[start..].copy_from_slice(&sequence.gates[node * 4 * width..][..4 * width]);
        }
    }

    /// The number of an item here.
    fn item(&mut self, item: u32, shape: StackShape, memory: &StackMemory) -> u32 {
        let n_tokens = self.n_tokens;
        if item < n_tokens {
            return item;
        }
        self.numbers.resize(memory.items.parts.len(), 0);
        let known = |numbers: &[u32], item: u32| match item.checked_sub(n_tokens) {
            None => Ok(item),
            Some(tree) => numbers[tree as usize].checked_sub(1).map(|number| n_tokens + number).ok_or(item),
        };
        let mut waiting = vec![item];
        while let Some(&item) = waiting.last() {
            let [head, dependent, relation] = memory.items.parts[(item - n_tokens) as usize];
            match [head, dependent].map(|part| known(&self.numbers, part)) {
                [Ok(head), Ok(dependent)] => {
                    waiting.pop();
                    let tree = (item - n_tokens) as usize;
                    if self.numbers[tree] == 0 {
                        self.parts.push([head, dependent, relation]);
                        self.numbers[tree] = self.parts.len() as u32;
                        let vector = &memory.items.vectors[item as usize * shape.units..][..shape.units];
                        self.vectors.extend_from_slice(vector);
                    }
                }
                found => waiting.extend(found.into_iter().filter_map(Result::err)),
            }
        }
        known(&self.numbers, item).unwrap_or_default()
    }
}

/// The sequence whose node stands for a place.
pub fn sequence_of(role: Role) -> usize {
    match role {
        Role::A => HISTORY,
        role if role.in_buffer() => super::shape::BUFFER,
        _ => super::shape::STACK,
    }
}
