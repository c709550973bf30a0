//! A derivation carried on to its end on bare lists of nodes: how many words get wrong heads if a rule is followed from
//! some configuration on.
//!
//! A rule that is known to derive the gold tree from wherever it can be derived thus finds the moves that keep the tree
//! derivable; elsewhere the number of wrong heads is an upper bound of the loss.
//!
//! Complexity: linear in the length of the rest of the derivation.

use treebeam::configuration::Stacks;
use treebeam::system::Move;
use treebeam::tree::{Gold, Node, ROOT};

/// The lists of a configuration, and what of the gold tree can still be built from them.
#[derive(Debug)]
pub(super) struct Completion<'g> {
    gold: &'g Gold,
    /// S0 last.
    stack: Vec<Node>,
    /// B0 last.
    buffer: Vec<Node>,
    /// By node: the number of gold dependents that count and are still in the lists; [`GONE`] if the node is not.
    missing: Vec<u16>,
    /// Weight of the arcs made since that are not in the gold tree.
    wrong: u32,
}

const GONE: u16 = u16::MAX;

impl<'g> Completion<'g> {
    /// The completion that begins at `c`.
    pub(super) fn from<C: Stacks>(gold: &'g Gold, c: &C) -> Completion<'g> {
        let mut stack: Vec<Node> = c.stack_nodes().map(|(node, _)| node).collect();
        let mut buffer: Vec<Node> = c.buffer_nodes().collect();
        stack.reverse();
        buffer.reverse();
        let mut missing = vec![GONE; gold.n_words() + 1];
        let nodes = || stack.iter().chain(&buffer).copied();
        nodes().for_each(|node| missing[node as usize] = 0);
        let counts = |node: &Node| *node != ROOT && gold.weight(*node) > 0;
        for head in nodes().filter(counts).map(|node| gold.head(node) as usize) {
            missing[head] = missing[head].saturating_add(1);
        }
        Completion { gold, stack, buffer, missing, wrong: 0 }
    }

    /// The node at `depth` of the stack.
    pub(super) fn stack(&self, depth: usize) -> Option<Node> {
        self.stack.len().checked_sub(depth + 1).map(|place| self.stack[place])
    }

    /// The number of nodes on the stack.
    pub(super) fn stack_len(&self) -> usize {
        self.stack.len()
    }

    /// The front of the buffer.
    pub(super) fn front(&self) -> Option<Node> {
        self.buffer.last().copied()
    }

    /// The number of gold dependents of `node` that count and have no head yet.
    pub(super) fn n_missing(&self, node: Node) -> u16 {
        self.missing[node as usize]
    }

    /// True if `word` waits for no head: its gold head has been attached, so that it can no longer get it, or counts nothing.
    pub(super) fn is_orphan(&self, word: Node) -> bool {
        self.missing[self.gold.head(word) as usize] == GONE || self.gold.weight(word) == 0
    }

    /// Takes `mv`, which must be possible.
    pub(super) fn take(&mut self, mv: Move) {
        let s = |depth: usize| self.stack.len() - 1 - depth;
        match mv {
            Move::Shift => self.stack.extend(self.buffer.pop()),
            Move::Swap => {
                let s1 = self.stack.remove(s(1));
                self.buffer.push(s1);
            }
            Move::Left => self.attach(s(1), s(0)),
            Move::Right => self.attach(s(0), s(1)),
            Move::Left2 => self.attach(s(2), s(0)),
            Move::Right2 => self.attach(s(0), s(2)),
            mv => unreachable!("{} is no move between the topmost nodes of a stack", mv.name()),
        }
    }

    fn attach(&mut self, dependent: usize, head: usize) {
        let (dependent_node, head_node) = (self.stack[dependent], self.stack[head]);
        let gold_head = self.gold.head(dependent_node);
        let weight = self.gold.weight(dependent_node);
        self.wrong += if gold_head != head_node { weight } else { 0 };
        self.missing[dependent_node as usize] = GONE;
        if self.missing[gold_head as usize] != GONE && weight > 0 {
            self.missing[gold_head as usize] -= 1;
        }
        self.stack.remove(dependent);
    }

    /// The number of words, each counted by its weight, that get wrong heads if after `first` every move is that of `rule`, until
    /// the buffer is empty and one node is left.
    pub(super) fn n_wrong(mut self, first: Move, rule: impl Fn(&Completion) -> Move) -> u32 {
        self.take(first);
        while self.stack.len() > 1 || !self.buffer.is_empty() {
            let mv = rule(&self);
            self.take(mv);
        }
        self.wrong
    }
}
