//! Configurations of the 2-planar system: two stacks, one of which is active, and a buffer.
//!
//! # Invariants of the shared implementation
//! * To shift, to reduce and to switch is O(1): stacks share their links. An arc copies the sentence's heads and its table of
//!   cells, as in Covington's systems, whose [`SharedLists`] are used for this: O(n).
//! * A word may stand on both stacks. Links hold words, not cells, so that a word is seen with its latest arcs on both.

use bumpalo::Bump;

use super::{
    Arena, Cells, Configuration, ListPlace, Lists as _, PlainView, Point, Restored, Role, Saved, SharedConfiguration,
    SharedLists,
};
use crate::tree::{LabelId, NO_LABEL, NO_NODE, Node, Tree};

/// A configuration ⟨active stack, other stack, buffer, arcs⟩ without a root node: words without a head hang on the root.
pub trait TwoStacks: Configuration {
    /// The configuration before the first transition, for a sentence of `n_words`.
    fn initial(arena: Self::Arena, n_words: usize) -> Self;

    /// The active stack from the top down.
    fn active(&self) -> impl Iterator<Item = Node> + '_;
    /// The other stack from the top down.
    fn other(&self) -> impl Iterator<Item = Node> + '_;
    /// The front of the buffer; one past the last word if the buffer is empty.
    fn front(&self) -> Node;
    /// The head of every node so far, by node; [`NO_NODE`] where there is none.
    fn heads(&self) -> &[Node];
    /// True if the last transition was a switch.
    fn has_switched(&self) -> bool;

    /// The number of words.
    fn n_words(&self) -> usize {
        self.heads().len() - 1
    }

    /// Moves B0 onto both stacks.
    fn shift(&self, arena: Self::Arena) -> Self;
    /// Pops the active stack.
    fn reduce(&self) -> Self;
    /// Makes the other stack the active one.
    fn switch(&self) -> Self;
    /// Makes `dependent`, which has no head, a dependent of `head`.
    fn attach(&self, head: Node, dependent: Node, label: LabelId, arena: Self::Arena) -> Self;
}

/// An item of a stack and the items below it.
#[derive(Debug, Clone, Copy)]
struct Link<'a> {
    node: Node,
    below: Option<&'a Link<'a>>,
    /// A fingerprint of the stack from this item down.
    fingerprint: u64,
}

/// A stack that shares its links with others.
type Stack<'a> = Option<&'a Link<'a>>;

fn nodes<'a>(stack: Stack<'a>) -> impl Iterator<Item = Node> + 'a {
    std::iter::successors(stack, |link| link.below).map(|link| link.node)
}

fn fingerprint(stack: Stack) -> u64 {
    stack.map_or(0, |link| link.fingerprint)
}

fn push<'a>(stack: Stack<'a>, node: Node, bump: &'a Bump) -> Stack<'a> {
    let mixed = (fingerprint(stack) ^ (u64::from(node) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Some(bump.alloc(Link { node, below: stack, fingerprint: mixed ^ mixed >> 29 }))
}

/// [`TwoStacks`] in an [`Arena`]: a few words, `Copy`.
#[derive(Debug, Clone, Copy)]
pub struct SharedTwoStacks<'a> {
    active: Stack<'a>,
    other: Stack<'a>,
    has_switched: bool,
    /// The arcs and the cells of all words; its right focus is the front of the buffer.
    words: SharedLists<'a>,
}

impl<'a> SharedTwoStacks<'a> {
    /// Both stacks from the bottom up, the active one first, and the buffer.
    fn stacks_and_buffer(&self) -> [Vec<ListPlace<'a>>; 3] {
        let place =
            |link: &'a Link<'a>| ListPlace { node: link.node, cell: std::ptr::from_ref(link).addr(), tree: None };
        let stack = |top: Stack<'a>| {
            let mut places: Vec<ListPlace> = std::iter::successors(top, |link| link.below).map(place).collect();
            places.reverse();
            places
        };
        let table = self.words.table();
        let front = usize::from(self.front()).min(table.len());
        let buffer = table[front..].iter().map(|cell| ListPlace::of(cell)).collect();
        [stack(self.active), stack(self.other), buffer]
    }
}

impl<'a> Configuration for SharedTwoStacks<'a> {
    type Arena = Arena<'a>;
}

impl<'a> SharedConfiguration<'a> for SharedTwoStacks<'a> {
    const LISTS: &'static [&'static str] = &["active", "other", "buffer"];
    const N_STACKS: usize = 2;

    /// S0, S1, ... are the active stack, M0 is the top of the other one.
    #[inline]
    fn cells(&self, _: Point) -> Cells<'a> {
        let table = self.words.table();
        let mut cells: Cells<'a> = [None; Role::COUNT];
        for (place, node) in cells[..=Role::S3 as usize].iter_mut().zip(nodes(self.active)) {
            *place = Some(table[node as usize]);
        }
        cells[Role::M0 as usize] = self.other.map(|link| table[link.node as usize]);
        let front = (self.front() as usize).min(table.len());
        for (place, cell) in cells[Role::B0 as usize..].iter_mut().zip(&table[front..]) {
            *place = Some(cell);
        }
        cells
    }

    #[inline]
    fn identity(&self) -> u64 {
        let stacks = fingerprint(self.active).wrapping_mul(3) ^ fingerprint(self.other).rotate_left(17);
        (self.words.identity() ^ stacks).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ u64::from(self.has_switched)
    }

    fn save(&self, to: &mut Saved) {
        let SharedTwoStacks { active, other, has_switched, words } = *self;
        for stack in [active, other] {
            to.number(nodes(stack).count() as u64);
            nodes(stack).for_each(|node| to.number(node));
        }
        to.number(u64::from(has_switched));
        words.save(to);
    }

    fn restored(from: &mut Restored<'a, '_>) -> Self {
        let [active, other] = [(); 2].map(|()| {
            let n = from.number();
            let top_down: Vec<Node> = (0..n).map(|_| from.number() as Node).collect();
            top_down.into_iter().rev().fold(None, |stack, node| push(stack, node, from.bump))
        });
        let has_switched = from.number() != 0;
        SharedTwoStacks { active, other, has_switched, words: SharedLists::restored(from) }
    }

    fn places(&self) -> Vec<Vec<ListPlace<'a>>> {
        self.stacks_and_buffer().into()
    }
}

impl<'a> TwoStacks for SharedTwoStacks<'a> {
    fn initial(arena: Arena<'a>, n_words: usize) -> Self {
        SharedTwoStacks { active: None, other: None, has_switched: false, words: SharedLists::initial(arena, n_words) }
    }

    fn active(&self) -> impl Iterator<Item = Node> + '_ {
        nodes(self.active)
    }

    fn other(&self) -> impl Iterator<Item = Node> + '_ {
        nodes(self.other)
    }

    #[inline]
    fn front(&self) -> Node {
        self.words.right()
    }

    #[inline]
    fn heads(&self) -> &[Node] {
        self.words.heads()
    }

    #[inline]
    fn has_switched(&self) -> bool {
        self.has_switched
    }

    fn shift(&self, arena: Arena<'a>) -> Self {
        let front = self.front();
        SharedTwoStacks {
            active: push(self.active, front, arena.bump()),
            other: push(self.other, front, arena.bump()),
            has_switched: false,
            words: self.words.shift(),
        }
    }

    fn reduce(&self) -> Self {
        SharedTwoStacks { active: self.active.and_then(|link| link.below), has_switched: false, ..*self }
    }

    fn switch(&self) -> Self {
        SharedTwoStacks { active: self.other, other: self.active, has_switched: true, ..*self }
    }

    fn attach(&self, head: Node, dependent: Node, label: LabelId, arena: Arena<'a>) -> Self {
        let words = self.words.attach(head, dependent, label, [], arena);
        SharedTwoStacks { has_switched: false, words, ..*self }
    }
}

/// [`TwoStacks`] as plain vectors: the reference, and what exhaustive search enumerates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlainTwoStacks {
    /// Bottom first.
    active: Vec<Node>,
    /// Bottom first.
    other: Vec<Node>,
    front: Node,
    has_switched: bool,
    heads: Vec<Node>,
    labels: Vec<LabelId>,
}

impl Configuration for PlainTwoStacks {
    type Arena = ();
}

impl PlainView for PlainTwoStacks {
    fn tree(&self) -> Tree {
        Tree::new(&self.heads[1..], &self.labels[1..])
    }

    fn lists(&self) -> Vec<Vec<Node>> {
        vec![self.active.clone(), self.other.clone(), (self.front..self.heads.len() as Node).collect()]
    }
}

impl TwoStacks for PlainTwoStacks {
    fn initial((): (), n_words: usize) -> Self {
        PlainTwoStacks {
            active: Vec::new(),
            other: Vec::new(),
            front: 1,
            has_switched: false,
            heads: vec![NO_NODE; n_words + 1],
            labels: vec![NO_LABEL; n_words + 1],
        }
    }

    fn active(&self) -> impl Iterator<Item = Node> + '_ {
        self.active.iter().rev().copied()
    }

    fn other(&self) -> impl Iterator<Item = Node> + '_ {
        self.other.iter().rev().copied()
    }

    fn front(&self) -> Node {
        self.front
    }

    fn heads(&self) -> &[Node] {
        &self.heads
    }

    fn has_switched(&self) -> bool {
        self.has_switched
    }

    fn shift(&self, (): ()) -> Self {
        let mut next = PlainTwoStacks { front: self.front + 1, has_switched: false, ..self.clone() };
        next.active.push(self.front);
        next.other.push(self.front);
        next
    }

    fn reduce(&self) -> Self {
        let mut next = PlainTwoStacks { has_switched: false, ..self.clone() };
        next.active.pop();
        next
    }

    fn switch(&self) -> Self {
        let PlainTwoStacks { active, other, front, heads, labels, .. } = self.clone();
        PlainTwoStacks { active: other, other: active, front, has_switched: true, heads, labels }
    }

    fn attach(&self, head: Node, dependent: Node, label: LabelId, (): ()) -> Self {
        let mut next = PlainTwoStacks { has_switched: false, ..self.clone() };
        next.heads[dependent as usize] = head;
        next.labels[dependent as usize] = label;
        next
    }
}
