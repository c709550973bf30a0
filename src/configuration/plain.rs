//! Configurations as plain vectors: slow, and plainly right.

use super::{Configuration, PlainView, RootPlace, Stacks};
use crate::tree::{LabelId, NO_LABEL, NO_NODE, Node, ROOT, Tree};

/// A configuration that owns its stack, its buffer and its arcs and copies all of them on every transition, O(n).
///
/// It is the reference beside which tests walk [`ArenaConfiguration`](super::ArenaConfiguration), and, as it can be
/// compared and hashed, what exhaustive search enumerates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlainConfiguration {
    /// Bottom first, S0 last.
    stack: Vec<Node>,
    /// B0 last.
    buffer: Vec<Node>,
    /// By node; [`NO_NODE`] where there is no head yet. With the first tag come the [second nodes](super::tagged_row) of all words.
    heads: Vec<Node>,
    /// By node; [`NO_LABEL`] where there is no head yet.
    labels: Vec<LabelId>,
    /// The words of the buffer that are bound, the one that came back last behind the others.
    bound: Vec<Node>,
    flag: bool,
    n_words: usize,
}

impl PlainConfiguration {
    /// The head of `node` so far; [`NO_NODE`] if it has none.
    pub fn head(&self, node: Node) -> Node {
        self.heads[node as usize]
    }

    /// The label of the arc into `node` so far; [`NO_LABEL`] if it has no head.
    pub fn label(&self, node: Node) -> LabelId {
        self.labels[node as usize]
    }

    fn from_top(nodes: &[Node], depth: usize) -> Option<Node> {
        nodes.len().checked_sub(depth + 1).map(|place| nodes[place])
    }

    fn attach(&mut self, dependent: Node, head: Node, label: LabelId) {
        self.heads[dependent as usize] = head;
        self.labels[dependent as usize] = label;
    }
}

const PRECONDITION: &str = "the effect's precondition holds";

impl Configuration for PlainConfiguration {
    type Arena = ();
}

impl PlainView for PlainConfiguration {
    fn tree(&self) -> Tree {
        Tree::new(&self.heads[1..], &self.labels[1..])
    }

    fn lists(&self) -> Vec<Vec<Node>> {
        vec![self.stack.clone(), self.buffer.iter().rev().copied().collect()]
    }
}

impl Stacks for PlainConfiguration {
    fn initial((): (), n_words: usize, root: RootPlace) -> Self {
        let words = (1..=n_words as Node).rev();
        let (stack, buffer) = match root {
            RootPlace::StackBottom => (vec![ROOT], words.collect()),
            RootPlace::BufferEnd => (Vec::new(), std::iter::once(ROOT).chain(words).collect()),
            RootPlace::Nowhere => (Vec::new(), words.collect()),
        };
        let (heads, labels) = (vec![NO_NODE; n_words + 1], vec![NO_LABEL; n_words + 1]);
        PlainConfiguration { stack, buffer, heads, labels, bound: Vec::new(), flag: false, n_words }
    }

    fn stack(&self, depth: usize) -> Option<Node> {
        Self::from_top(&self.stack, depth)
    }

    fn buffer(&self, index: usize) -> Option<Node> {
        Self::from_top(&self.buffer, index)
    }

    fn stack_len(&self) -> usize {
        self.stack.len()
    }

    fn buffer_len(&self) -> usize {
        self.buffer.len()
    }

    fn n_headless(&self) -> usize {
        self.stack.iter().filter(|&&node| node != ROOT && self.head(node) == NO_NODE).count()
    }

    fn n_dependents(&self, depth: usize) -> usize {
        let n = |node| self.heads[1..=self.n_words].iter().filter(|&&head| head == node).count();
        self.stack(depth).map_or(0, n)
    }

    fn buffer_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.buffer.iter().rev().copied()
    }

    fn stack_nodes(&self) -> impl Iterator<Item = (Node, bool)> + '_ {
        self.stack.iter().rev().map(|&node| (node, self.head(node) != NO_NODE))
    }

    fn b0_is_bound(&self) -> bool {
        !self.bound.is_empty() && self.bound.last() == self.buffer.last()
    }

    fn flag(&self) -> bool {
        self.flag
    }

    fn with_flag(&self, flag: bool) -> Self {
        PlainConfiguration { flag, ..self.clone() }
    }

    fn s0_label(&self) -> Option<LabelId> {
        self.stack(0).map(|s0| self.label(s0)).filter(|&label| label != NO_LABEL)
    }

    fn shift(&self, (): ()) -> Self {
        let mut next = self.free_b0(());
        let b0 = next.buffer.pop().expect(PRECONDITION);
        next.stack.push(b0);
        next
    }

    fn reduce(&self, (): ()) -> Self {
        let mut next = self.clone();
        next.stack.pop().expect(PRECONDITION);
        next
    }

    fn unshift(&self, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        next.buffer.push(s0);
        next.bound.push(s0);
        next
    }

    fn free_b0(&self, (): ()) -> Self {
        let mut next = self.clone();
        if self.b0_is_bound() {
            next.bound.pop();
        }
        next
    }

    fn left_arc_from_buffer(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        let b0 = self.buffer(0).expect(PRECONDITION);
        next.attach(s0, b0, label);
        next
    }

    fn arc_from_absent_root(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        next.attach(s0, ROOT, label);
        next
    }

    fn right_arc_to_buffer(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.free_b0(());
        let s0 = self.stack(0).expect(PRECONDITION);
        let b0 = next.buffer.pop().expect(PRECONDITION);
        next.stack.push(b0);
        next.attach(b0, s0, label);
        next
    }

    fn b0_awaits_tag(&self) -> bool {
        let label_of = |b0: Node| self.labels.get(self.n_words + usize::from(b0)).copied().unwrap_or(NO_LABEL);
        self.buffer(0).is_some_and(|b0| b0 != ROOT && label_of(b0) == NO_LABEL)
    }

    fn tag_front(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let n_nodes = 2 * self.n_words;
        next.heads.resize(n_nodes + 1, NO_NODE);
        next.labels.resize(n_nodes + 1, NO_LABEL);
        next.attach(self.buffer(0).expect(PRECONDITION) + self.n_words as Node, ROOT, label);
        next
    }

    fn tag_b0(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let b0 = next.buffer.pop().expect(PRECONDITION);
        next.stack.push(b0);
        next.attach(b0, ROOT, label);
        next
    }

    fn left_arc_in_stack(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        let s1 = next.stack.pop().expect(PRECONDITION);
        next.stack.push(s0);
        next.attach(s1, s0, label);
        next
    }

    fn right_arc_in_stack(&self, label: LabelId, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        let s1 = self.stack(1).expect(PRECONDITION);
        next.attach(s0, s1, label);
        next
    }

    fn left_arc_over_s1(&self, label: LabelId, (): ()) -> Self {
        let (s0, s2) = (self.stack(0).expect(PRECONDITION), self.stack(2).expect(PRECONDITION));
        let mut next = self.clone();
        next.stack.remove(self.stack.len() - 3);
        next.attach(s2, s0, label);
        next
    }

    fn right_arc_over_s1(&self, label: LabelId, (): ()) -> Self {
        let s2 = self.stack(2).expect(PRECONDITION);
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        next.attach(s0, s2, label);
        next
    }

    fn swap(&self, (): ()) -> Self {
        let mut next = self.clone();
        let s1 = next.stack.remove(self.stack.len() - 2);
        next.buffer.push(s1);
        next
    }

    fn swap_into_buffer(&self, (): ()) -> Self {
        let mut next = self.clone();
        let s0 = next.stack.pop().expect(PRECONDITION);
        next.buffer.insert(self.buffer.len() - 1, s0);
        next
    }
}
