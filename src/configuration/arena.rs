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
//! Incremental Parsers"); cells that carry interned partial trees are ours.

use bumpalo::Bump;

use super::{Cell, Configuration, History, Interner, PartialTree, Restored, RootPlace, Saved, Stacks};
use crate::tree::{LabelId, NO_LABEL, NO_NODE, Node, ROOT};

/// Memory of one sentence's cells.
#[derive(Debug, Clone, Copy)]
pub struct Arena<'a> {
    bump: &'a Bump,
    interner: &'a Interner,
}

impl<'a> Arena<'a> {
    /// An arena over `bump`, for cells whose partial trees `interner` knows, which was [started](Interner::start) for the
    /// sentence.
    pub fn new(bump: &'a Bump, interner: &'a Interner) -> Arena<'a> {
        Arena { bump, interner }
    }

    /// The memory behind the arena, for what lives as long as its cells.
    pub fn bump(&self) -> &'a Bump {
        self.bump
    }

    /// The interner of partial trees.
    pub fn interner(&self) -> &'a Interner {
        self.interner
    }

    /// The last actions after `action`.
    pub fn history(&self, action: u16, before: Option<&'a History<'a>>) -> &'a History<'a> {
        let [a, b, c, _] = before.map_or([NO_NODE; History::LENGTH], |before| before.last);
        let before = before.filter(|_| self.interner.trees().are_kept());
        self.bump.alloc(History { last: [action, a, b, c], before })
    }

    #[inline]
    pub(super) fn on(&self, partial: PartialTree, below: Option<&'a Cell<'a>>) -> &'a Cell<'a> {
        self.bump.alloc(Cell::on(partial, below))
    }

    /// The same node on another cell, with the same partial tree.
    #[inline]
    fn moved(&self, cell: &Cell<'a>, below: Option<&'a Cell<'a>>) -> &'a Cell<'a> {
        self.on(cell.partial, below)
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

    /// See [`SharedConfiguration::identity`](super::SharedConfiguration::identity).
    #[inline]
    pub fn fingerprint(&self) -> u64 {
        let stack = self.stack.map_or(1, |cell| cell.nodes);
        let buffer = self.buffer.map_or(1, |cell| cell.nodes);
        let lists = stack.rotate_left(32) ^ buffer.rotate_left(13);
        (self.arcs ^ lists ^ u64::from(self.flag)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// See [`SharedConfiguration::save`](super::SharedConfiguration::save).
    pub(super) fn write_to(&self, to: &mut Saved) {
        let ArenaConfiguration { stack, buffer, stack_len, buffer_len, n_headless, flag, arcs } = *self;
        [stack, buffer].into_iter().for_each(|cell| to.cell(cell));
        [stack_len, buffer_len, n_headless, flag.into()].into_iter().for_each(|number| to.number(number));
        to.number(arcs);
    }

    /// See [`SharedConfiguration::restored`](super::SharedConfiguration::restored).
    pub(super) fn read_from(from: &mut Restored<'a, '_>) -> Self {
        let [stack, buffer] = [(); 2].map(|()| from.cell());
        let [stack_len, buffer_len, n_headless] = [(); 3].map(|()| from.number() as u16);
        let flag = from.number() != 0;
        ArenaConfiguration { stack, buffer, stack_len, buffer_len, n_headless, flag, arcs: from.number() }
    }

    /// The configuration that results if the transitions since `from`, which all concerned its topmost node, are taken from `onto`
    /// instead: the same S0 and the same buffer, over the stack below S0 of `onto`.
    pub fn grafted(&self, from: &Self, onto: &Self, arena: Arena<'a>) -> Self {
        let [s0, top] = [self.stack, onto.stack].map(|cell| cell.expect(PRECONDITION));
        ArenaConfiguration {
            stack: Some(arena.moved(s0, top.below)),
            buffer: self.buffer,
            buffer_len: self.buffer_len,
            arcs: onto.arcs.wrapping_add(self.arcs).wrapping_sub(from.arcs),
            ..*onto
        }
    }

    /// The three topmost cells of the stack.
    #[inline]
    fn top(&self) -> [&'a Cell<'a>; 3] {
        let s0 = self.stack.expect(PRECONDITION);
        let s1 = s0.below.expect(PRECONDITION);
        [s0, s1, s1.below.expect(PRECONDITION)]
    }

    #[inline]
    fn arcs_with(&self, head: Node, dependent: Node, label: LabelId) -> u64 {
        self.arcs.wrapping_add(fingerprint(head, dependent, label))
    }
}

/// A fingerprint of an arc; those of several arcs are added up.
#[inline]
pub(crate) fn fingerprint(head: Node, dependent: Node, label: LabelId) -> u64 {
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

impl<'a> Stacks for ArenaConfiguration<'a> {
    fn initial(arena: Arena<'a>, n_words: usize, root: RootPlace) -> Self {
        arena.interner.cover(n_words);
        let mut stack = None;
        let mut buffer = None;
        match root {
            RootPlace::StackBottom => stack = Some(arena.on(PartialTree::bare(ROOT), None)),
            RootPlace::BufferEnd => buffer = Some(arena.on(PartialTree::bare(ROOT), None)),
            RootPlace::Nowhere => {}
        }
        let (stack_len, root_in_buffer) = (stack.is_some() as u16, buffer.is_some() as u16);
        for word in (1..=n_words as Node).rev() {
            buffer = Some(arena.on(PartialTree::bare(word), buffer));
        }
        let buffer_len = n_words as u16 + root_in_buffer;
        ArenaConfiguration { stack, buffer, stack_len, buffer_len, n_headless: 0, flag: false, arcs: 0 }
    }

    #[inline]
    fn stack(&self, depth: usize) -> Option<Node> {
        nth(self.stack, depth).map(|cell| cell.node())
    }

    #[inline]
    fn buffer(&self, index: usize) -> Option<Node> {
        nth(self.buffer, index).map(|cell| cell.node())
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
        nth(self.stack, depth).map_or(0, |cell| cell.n_dependents())
    }

    #[inline]
    fn buffer_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.buffer, |cell| cell.below).map(|cell| cell.node())
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
        self.stack.map(|s0| s0.label()).filter(|&label| label != NO_LABEL)
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
        let b0 = arena.bump.alloc(Cell::on(s0.partial, self.buffer).bound(s0));
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
        // A root in the buffer stands behind all words; of words that changed places, S0 may stand behind B0 in the sentence.
        let tree = match b0.node() == ROOT || s0.node() < b0.node() {
            true => b0.with_left(s0, label, arena.interner()),
            false => b0.with_right(s0, label, arena.interner()),
        };
        let mut head = Cell::on(tree, b0.below);
        if let Some(before) = b0.before {
            head = head.bound(before);
        }
        let head = arena.bump.alloc(head);
        let arcs = self.arcs_with(b0.node(), s0.node(), label);
        let next = ArenaConfiguration { buffer: Some(head), arcs, ..self.reduce(arena) };
        if !s0.has_head() {
            return next;
        }
        let s1 = s0.below.expect(PRECONDITION);
        let old_arc = fingerprint(s1.node(), s0.node(), s0.label());
        ArenaConfiguration { stack: Some(s1.before.expect(PRECONDITION)), arcs: arcs.wrapping_sub(old_arc), ..next }
    }

    #[inline]
    fn arc_from_absent_root(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let s0 = self.stack.expect(PRECONDITION);
        ArenaConfiguration { arcs: self.arcs_with(ROOT, s0.node(), label), ..self.reduce(arena) }
    }

    // PERF: apart, so that what chooses among effects saves no registers.
    #[inline(never)]
    fn right_arc_to_buffer(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let (s0, b0) = (self.stack.expect(PRECONDITION), self.buffer.expect(PRECONDITION));
        let head = Cell { before: Some(s0), ..Cell::on(s0.with_right(b0, label, arena.interner()), s0.below) };
        let dependent = arena.on(b0.with_head(s0, label, arena.interner()), Some(arena.bump.alloc(head)));
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
    fn b0_awaits_tag(&self) -> bool {
        self.buffer.is_some_and(|b0| b0.node() != ROOT && !b0.is_tagged())
    }

    fn tag_front(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let (b0, interner) = (self.buffer.expect(PRECONDITION), arena.interner());
        let behind = b0.below.map(|b1| match b1.node() {
            ROOT => b1,
            _ => arena.on(b1.behind(b0, label, interner), b1.below),
        });
        let second = b0.node() + interner.n_words() as Node;
        ArenaConfiguration {
            buffer: Some(arena.on(PartialTree::tagged(b0.node(), label, interner), behind)),
            arcs: self.arcs_with(ROOT, second, label),
            ..*self
        }
    }

    fn tag_b0(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let b0 = self.buffer.expect(PRECONDITION);
        let tagged = b0.with_head(&PartialTree::bare(ROOT), label, arena.interner());
        ArenaConfiguration {
            stack: Some(arena.on(tagged, self.stack)),
            arcs: self.arcs_with(ROOT, b0.node(), label),
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
        let head = s0.with_dependent(s1, label, arena.interner());
        ArenaConfiguration {
            stack: Some(arena.on(head, s1.below)),
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
        let head = s1.with_dependent(s0, label, arena.interner());
        ArenaConfiguration {
            stack: Some(arena.on(head, s1.below)),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s0.has_head()),
            arcs: self.arcs_with(s1.node(), s0.node(), label),
            ..*self
        }
    }

    #[inline]
    fn left_arc_over_s1(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let [s0, s1, s2] = self.top();
        let head = s0.with_dependent(s2, label, arena.interner());
        ArenaConfiguration {
            stack: Some(arena.on(head, Some(arena.moved(s1, s2.below)))),
            stack_len: self.stack_len - 1,
            n_headless: self.n_headless - u16::from(!s2.has_head()),
            arcs: self.arcs_with(s0.node(), s2.node(), label),
            ..*self
        }
    }

    #[inline]
    fn right_arc_over_s1(&self, label: LabelId, arena: Arena<'a>) -> Self {
        let [s0, s1, s2] = self.top();
        let head = arena.on(s2.with_dependent(s0, label, arena.interner()), s2.below);
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

    #[inline]
    fn swap_into_buffer(&self, arena: Arena<'a>) -> Self {
        let (s0, b0) = (self.stack.expect(PRECONDITION), self.buffer.expect(PRECONDITION));
        let behind = arena.moved(s0, b0.below);
        let buffer = Some(arena.moved(b0, Some(behind)));
        ArenaConfiguration { buffer, buffer_len: self.buffer_len + 1, ..self.reduce(arena) }
    }
}
