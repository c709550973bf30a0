//! Configurations whose stacks and buffers share their structure, in an arena that is reset per sentence.
//!
//! # Invariants
//! * A cell is never changed once it is made. A transition makes at most two cells and copies nothing else, so it takes
//!   constant time and memory, whatever the length of the sentence or the width of the beam.
//! * The buffer is a linked list as the stack is: what lies behind B0 is shared by all configurations of a sentence.
//! * The head of a node on the stack, if it has one, is recorded in the node's own cell when the arc is made.
//! * A cell with a new dependent that stays on the stack points to the cell that it replaced, so that the arc can be taken
//!   back by a system that lets later heads replace earlier ones.
//!
//! The idea of the tree-structured stack is Goldberg, Zhao & Huang's (ACL 2013, "Efficient Implementation of Beam-Search
//! Incremental Parsers"); cells that carry the partial tree, and their keys, are ours.

use bumpalo::Bump;

use super::cell::{Slot, SlotMask, Slots};
use super::{Cell, Cells, Configuration, LabelSets, Point, Role, RootPlace, Stacks, View};
use crate::tree::{LabelId, NO_LABEL, Node, ROOT};

/// Where the cells of one sentence live.
#[derive(Debug, Clone, Copy)]
pub struct Arena<'a> {
    bump: &'a Bump,
    label_sets: &'a LabelSets,
    masks: &'a [SlotMask],
}

impl<'a> Arena<'a> {
    /// An arena over `bump`, whose cells carry one key per mask.
    pub fn new(bump: &'a Bump, label_sets: &'a LabelSets, masks: &'a [SlotMask]) -> Arena<'a> {
        Arena { bump, label_sets, masks }
    }

    /// The memory behind the arena, for what lives as long as its cells.
    pub fn bump(&self) -> &'a Bump {
        self.bump
    }

    /// The interner of label sets.
    pub fn label_sets(&self) -> &'a LabelSets {
        self.label_sets
    }

    /// The cell that stands for the last actions: `action`, and those of `before`.
    pub fn history(&self, action: u16, before: Option<&'a Cell<'a>>) -> &'a Cell<'a> {
        self.cell(Slots::of_history(action, before.map(|cell| &cell.slots)), None)
    }

    #[inline]
    pub(super) fn cell(&self, slots: Slots, below: Option<&'a Cell<'a>>) -> &'a Cell<'a> {
        self.unfinished_cell(slots, below)
    }

    /// A cell that is still to be told what it was before.
    #[inline]
    fn unfinished_cell(&self, slots: Slots, below: Option<&'a Cell<'a>>) -> &'a mut Cell<'a> {
        let keys = self.bump.alloc_slice_fill_iter(self.masks.iter().map(|mask| slots.key(mask)));
        self.bump.alloc(Cell::on(slots, keys, below))
    }

    /// The same node on another cell: its slots, and so its keys, stay what they are.
    #[inline]
    fn moved(&self, cell: &Cell<'a>, below: Option<&'a Cell<'a>>) -> &'a Cell<'a> {
        self.bump.alloc(Cell::on(cell.slots, cell.keys, below))
    }
}

/// A configuration in an [`Arena`]: a few words, `Copy`.
#[derive(Debug, Clone, Copy)]
pub struct ArenaConfiguration<'a> {
    stack: Option<&'a Cell<'a>>,
    buffer: Option<&'a Cell<'a>>,
    stack_len: u16,
    buffer_len: u16,
    n_headless: u16,
    flag: bool,
    /// The sum of the arcs' fingerprints.
    arcs: u64,
}

impl<'a> ArenaConfiguration<'a> {
    /// The cell of the stack's top.
    #[inline]
    pub fn stack_cell(&self) -> Option<&'a Cell<'a>> {
        self.stack
    }

    /// The cell of the buffer's front.
    #[inline]
    pub fn buffer_cell(&self) -> Option<&'a Cell<'a>> {
        self.buffer
    }
}

impl<'a> ArenaConfiguration<'a> {
    /// The three topmost cells of the stack.
    #[inline]
    fn top(&self) -> [&'a Cell<'a>; 3] {
        let s0 = self.stack.expect(PRECONDITION);
        let s1 = s0.below.expect(PRECONDITION);
        [s0, s1, s1.below.expect(PRECONDITION)]
    }

    fn deeper_cell(&self, role: Role) -> Option<&'a Cell<'a>> {
        match role {
            Role::A | Role::M0 => None,
            _ if role.in_buffer() => nth(self.buffer, role as usize - Role::B0 as usize),
            _ => nth(self.stack, role as usize),
        }
    }

    #[inline]
    fn arcs_with(&self, head: Node, dependent: Node, label: LabelId) -> u64 {
        self.arcs.wrapping_add(fingerprint(head, dependent, label))
    }
}

/// A fingerprint of an arc; those of several arcs are added up.
#[inline]
pub(super) fn fingerprint(head: Node, dependent: Node, label: LabelId) -> u64 {
    let arc = u64::from(head) | u64::from(dependent) << 16 | u64::from(label) << 32;
    let arc = (arc + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (arc ^ arc >> 29).wrapping_mul(0x1656_67b1_9e37_79f9)
}

fn nth<'a>(mut cell: Option<&'a Cell<'a>>, n: usize) -> Option<&'a Cell<'a>> {
    for _ in 0..n {
        cell = cell?.below;
    }
    cell
}

const PRECONDITION: &str = "the effect's precondition holds";

impl<'a> Configuration for ArenaConfiguration<'a> {
    type Arena = Arena<'a>;
}

impl<'a> View<'a> for ArenaConfiguration<'a> {
    #[inline]
    fn cells(&self, _: Point) -> Cells<'a> {
        Role::cells(self.stack, self.buffer)
    }

    #[inline]
    fn cell(&self, _: Point, role: Role) -> Option<&'a Cell<'a>> {
        // Most of what is asked for.
        if role == Role::S0 {
            self.stack
        } else if role == Role::B0 {
            self.buffer
        } else {
            self.deeper_cell(role)
        }
    }

    #[inline]
    fn identity(&self) -> u64 {
        let stack = self.stack.map_or(1, |cell| cell.nodes);
        let buffer = self.buffer.map_or(1, |cell| cell.nodes);
        let lists = stack.rotate_left(32) ^ buffer.rotate_left(13);
        (self.arcs ^ lists ^ u64::from(self.flag)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

impl<'a> Stacks for ArenaConfiguration<'a> {
    fn initial(arena: Arena<'a>, n_words: usize, root: RootPlace) -> Self {
        let mut stack = None;
        let mut buffer = None;
        match root {
            RootPlace::StackBottom => stack = Some(arena.cell(Slots::bare(ROOT), None)),
            RootPlace::BufferEnd => buffer = Some(arena.cell(Slots::bare(ROOT), None)),
            RootPlace::Nowhere => {}
        }
        let (stack_len, root_in_buffer) = (stack.is_some() as u16, buffer.is_some() as u16);
        for word in (1..=n_words as Node).rev() {
            buffer = Some(arena.cell(Slots::bare(word), buffer));
        }
        let buffer_len = n_words as u16 + root_in_buffer;
        ArenaConfiguration { stack, buffer, stack_len, buffer_len, n_headless: 0, flag: false, arcs: 0 }
    }

    #[inline]
    fn stack(&self, depth: usize) -> Option<Node> {
        nth(self.stack, depth).map(Cell::node)
    }

    #[inline]
    fn buffer(&self, index: usize) -> Option<Node> {
        nth(self.buffer, index).map(Cell::node)
    }

    #[inline]
    fn stack_len(&self) -> usize {
        self.stack_len as usize
    }

    #[inline]
    fn buffer_len(&self) -> usize {
        self.buffer_len as usize
    }

    #[inline]
    fn n_headless(&self) -> usize {
        self.n_headless as usize
    }

    #[inline]
    fn n_dependents(&self, depth: usize) -> usize {
        let n = |cell: &Cell| cell.slots.get(Slot::LeftValency) as usize + cell.slots.get(Slot::RightValency) as usize;
        nth(self.stack, depth).map_or(0, n)
    }

    #[inline]
    fn buffer_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.buffer, |cell| cell.below).map(Cell::node)
    }

    #[inline]
    fn stack_nodes(&self) -> impl Iterator<Item = (Node, bool)> + '_ {
        std::iter::successors(self.stack, |cell| cell.below).map(|cell| (cell.node(), cell.has_head()))
    }

    #[inline]
    fn b0_is_bound(&self) -> bool {
        self.buffer.is_some_and(|b0| b0.before.is_some())
    }

    #[inline]
    fn flag(&self) -> bool {
        self.flag
    }

    #[inline]
    fn with_flag(&self, flag: bool) -> Self {
        ArenaConfiguration { flag, ..*self }
    }

    #[inline]
    fn s0_label(&self) -> Option<LabelId> {
        self.stack.map(|s0| s0.slots.get(Slot::Label)).filter(|&label| label != NO_LABEL)
    }

    #[inline]
    fn shift(&self, arena: Arena<'a>) -> Self {
        let b0 = self.buffer.expect(PRECONDITION);
        ArenaConfiguration {
            stack: Some(arena.moved(b0, self.stack)),
            buffer: b0.below,
            stack_len: self.stack_len + 1,
            buffer_len: self.buffer_len - 1,
            n_headless: self.n_headless + u16::from(b0.node() != ROOT),
            ..*self
        }
    }

    #[inline]
    fn reduce(&self, _: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        ArenaConfiguration {
            stack: s0.below,
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s0.has_head()),
            ..*self
        }
    }

    fn unshift(&self, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        let b0 = arena.bump.alloc(Cell::on(s0.slots, s0.keys, self.buffer).bound(s0));
        ArenaConfiguration { buffer: Some(b0), buffer_len: self.buffer_len + 1, ..self.reduce(arena) }
    }

    fn free_b0(&self, arena: Arena<'a>) -> Self {
        match self.buffer {
            Some(b0) if b0.before.is_some() => ArenaConfiguration { buffer: Some(arena.moved(b0, b0.below)), ..*self },
            _ => *self,
        }
    }

    #[inline]
    fn left_arc_from_buffer(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let (s0, b0) = (self.stack.expect(PRECONDITION), self.buffer.expect(PRECONDITION));
        let head = arena.unfinished_cell(b0.slots.with_left(&s0.slots, label, arena.label_sets), b0.below);
        if let Some(before) = b0.before {
            *head = head.bound(before);
        }
        let arcs = self.arcs_with(b0.node(), s0.node(), label);
        let next = ArenaConfiguration { buffer: Some(head), arcs, ..self.reduce(arena) };
        if !s0.has_head() {
            return next;
        }
        let s1 = s0.below.expect(PRECONDITION);
        let old_arc = fingerprint(s1.node(), s0.node(), s0.slots.get(Slot::Label));
        ArenaConfiguration { stack: Some(s1.before.expect(PRECONDITION)), arcs: arcs.wrapping_sub(old_arc), ..next }
    }

    #[inline]
    fn arc_from_absent_root(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        ArenaConfiguration { arcs: self.arcs_with(ROOT, s0.node(), label), ..self.reduce(arena) }
    }

    #[inline]
    fn right_arc_to_buffer(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let (s0, b0) = (self.stack.expect(PRECONDITION), self.buffer.expect(PRECONDITION));
        let head = arena.unfinished_cell(s0.slots.with_right(&b0.slots, label, arena.label_sets), s0.below);
        head.before = Some(s0);
        let dependent = arena.cell(b0.slots.with_head(&s0.slots, label), Some(head));
        ArenaConfiguration {
            stack: Some(dependent),
            arcs: self.arcs_with(s0.node(), b0.node(), label),
            buffer: b0.below,
            stack_len: self.stack_len + 1,
            buffer_len: self.buffer_len - 1,
            ..*self
        }
    }

    #[inline]
    fn left_arc_in_stack(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        let s1 = s0.below.expect(PRECONDITION);
        let head = s0.slots.with_dependent(&s1.slots, label, arena.label_sets);
        ArenaConfiguration {
            stack: Some(arena.cell(head, s1.below)),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s1.has_head()),
            arcs: self.arcs_with(s0.node(), s1.node(), label),
            ..*self
        }
    }

    #[inline]
    fn right_arc_in_stack(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        let s1 = s0.below.expect(PRECONDITION);
        let head = s1.slots.with_dependent(&s0.slots, label, arena.label_sets);
        ArenaConfiguration {
            stack: Some(arena.cell(head, s1.below)),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s0.has_head()),
            arcs: self.arcs_with(s1.node(), s0.node(), label),
            ..*self
        }
    }

    #[inline]
    fn left_arc_over_s1(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let [s0, s1, s2] = self.top();
        let head = s0.slots.with_dependent(&s2.slots, label, arena.label_sets);
        ArenaConfiguration {
            stack: Some(arena.cell(head, Some(arena.moved(s1, s2.below)))),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s2.has_head()),
            arcs: self.arcs_with(s0.node(), s2.node(), label),
            ..*self
        }
    }

    #[inline]
    fn right_arc_over_s1(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let [s0, s1, s2] = self.top();
        let head = arena.cell(s2.slots.with_dependent(&s0.slots, label, arena.label_sets), s2.below);
        ArenaConfiguration {
            stack: Some(arena.moved(s1, Some(head))),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s0.has_head()),
            arcs: self.arcs_with(s2.node(), s0.node(), label),
            ..*self
        }
    }

    #[inline]
    fn swap(&self, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        let s1 = s0.below.expect(PRECONDITION);
        ArenaConfiguration {
            stack: Some(arena.moved(s0, s1.below)),
            buffer: Some(arena.moved(s1, self.buffer)),
            stack_len: self.stack_len - 1,
            buffer_len: self.buffer_len + 1,
            n_headless: self.n_headless - u16::from(!s1.has_head()),
            ..*self
        }
    }
}
