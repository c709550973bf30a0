//! One cell of a structure-sharing stack: a node with what features need of its partial tree.

use std::ops::Deref;

use super::{Arena, LabelSets, TreeId};
use crate::tree::{LabelId, NO_LABEL, NO_NODE, Node};

/// The number of slots of a cell.
pub const N_SLOTS: usize = 24;
const WORDS: usize = N_SLOTS / 4;

/// Slots of a cell: the facts about its node that features read. Every slot is a `u16`: a node, a label, a count or a
/// label set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Slot {
    /// The node itself.
    Node,
    /// The label of the arc into it.
    Label,
    /// Its leftmost dependent.
    L1,
    /// The label of the leftmost dependent.
    L1Label,
    /// The second leftmost left dependent.
    L2,
    /// Its label.
    L2Label,
    /// The rightmost dependent.
    R1,
    /// Its label.
    R1Label,
    /// The second rightmost right dependent.
    R2,
    /// Its label.
    R2Label,
    /// The number of left dependents.
    LeftValency,
    /// The number of right dependents.
    RightValency,
    /// The set of labels of left dependents.
    LeftLabels,
    /// The set of labels of right dependents.
    RightLabels,
    /// The head.
    Head,
    /// The label of the arc into the head.
    HeadLabel,
    /// The head's head.
    Head2,
    /// The label of the arc into the head's head.
    Head2Label,
    /// The number of words of its partial tree, itself included, each dependent's tree as it was when it was attached.
    Size,
    /// The leftmost dependent of the leftmost dependent, as that was when it was attached.
    L1L1,
    /// Its label.
    L1L1Label,
    /// The rightmost dependent of the rightmost dependent, as that was when it was attached.
    R1R1,
    /// Its label.
    R1R1Label,
}

/// The slots of one node: all that a feature can read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Slots([u16; N_SLOTS]);

/// A choice of slots. The [`Slots::key`] of a cell under a mask identifies what a reader of these slots sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotMask(Slots);

impl Slots {
    pub(super) fn bare(node: Node) -> Slots {
        let mut slots = Slots([NO_NODE; N_SLOTS]);
        slots.0[Slot::Node as usize] = node;
        for slot in [Slot::LeftValency, Slot::RightValency, Slot::LeftLabels, Slot::RightLabels] {
            slots.0[slot as usize] = 0;
        }
        slots.set(Slot::Size, 1);
        slots
    }

    /// The slots of the cell that stands for the last actions: `action`, and those that `before` stands for.
    pub(super) fn of_history(action: u16, before: Option<&Slots>) -> Slots {
        let mut slots = Slots([NO_NODE; N_SLOTS]);
        slots.0[0] = action;
        if let Some(before) = before {
            slots.0[1..Slots::HISTORY].copy_from_slice(&before.0[..Slots::HISTORY - 1]);
        }
        slots
    }

    /// Length of the action history of a configuration: the last actions, in the first slots, the last one first.
    pub const HISTORY: usize = 4;

    /// The last actions as one number, of the slots that stand for them.
    #[inline]
    pub fn history(&self) -> u64 {
        self.words()[0]
    }

    /// The value of `slot`.
    #[inline]
    pub fn get(&self, slot: Slot) -> u16 {
        self.0[slot as usize]
    }

    /// The value of the slot with number `slot`, below [`N_SLOTS`].
    #[inline]
    pub fn at(&self, slot: usize) -> u16 {
        self.0[slot]
    }

    /// All slots, by number.
    #[inline]
    pub fn as_array(&self) -> &[u16; N_SLOTS] {
        &self.0
    }

    #[inline]
    fn set(&mut self, slot: Slot, value: u16) {
        self.0[slot as usize] = value;
    }

    /// The slots after `dependent`, to the left of the node, was attached to it.
    #[inline]
    pub(super) fn with_left(self, dependent: &Slots, label: LabelId, sets: &LabelSets) -> Slots {
        self.with(SideSlots::LEFT, dependent, label, sets)
    }

    /// The slots after `dependent`, to the right of the node, was attached to it.
    #[inline]
    pub(super) fn with_right(self, dependent: &Slots, label: LabelId, sets: &LabelSets) -> Slots {
        self.with(SideSlots::RIGHT, dependent, label, sets)
    }

    #[inline]
    fn with(mut self, slots: SideSlots, dependent: &Slots, label: LabelId, sets: &LabelSets) -> Slots {
        let node = dependent.get(Slot::Node);
        let mut side = Dependents(slots.0.map(|slot| self.get(slot)));
        if slots.0[0] == Slot::L1 {
            side.add_left(node, label, sets)
        } else {
            side.add_right(node, label, sets)
        }
        for (slot, value) in slots.0.into_iter().zip(side.0) {
            self.set(slot, value);
        }
        if self.get(slots.0[0]) == node {
            let [of_outermost, its_label] = slots.1;
            self.set(of_outermost, dependent.get(slots.0[0]));
            self.set(its_label, dependent.get(slots.0[1]));
        }
        self.set(Slot::Size, self.get(Slot::Size).saturating_add(dependent.get(Slot::Size)));
        self
    }

    /// The slots after the node got a head.
    #[inline]
    pub(super) fn with_head(mut self, head: &Slots, label: LabelId) -> Slots {
        self.set(Slot::Label, label);
        self.set(Slot::Head, head.get(Slot::Node));
        self.set(Slot::HeadLabel, head.get(Slot::Label));
        self.set(Slot::Head2, head.get(Slot::Head));
        self.set(Slot::Head2Label, head.get(Slot::HeadLabel));
        self
    }

    /// The slots after the node lost its head.
    pub(super) fn without_head(mut self) -> Slots {
        for slot in [Slot::Label, Slot::Head, Slot::HeadLabel, Slot::Head2, Slot::Head2Label] {
            self.set(slot, NO_NODE);
        }
        self
    }

    /// The slots after the node lost all its dependents.
    pub(super) fn without_dependents(self) -> Slots {
        let mut slots = Slots::bare(self.get(Slot::Node));
        for slot in [Slot::Label, Slot::Head, Slot::HeadLabel, Slot::Head2, Slot::Head2Label] {
            slots.set(slot, self.get(slot));
        }
        slots
    }

    #[inline]
    fn words(&self) -> [u64; WORDS] {
        bytemuck::cast(self.0)
    }

    /// A 64-bit fingerprint of the slots in `mask`: equal slots have equal keys, different ones differ but for a chance
    /// of about 2^-64.
    #[inline]
    pub fn key(&self, mask: &SlotMask) -> u64 {
        const SECRETS: [u64; WORDS] = [
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
            0xd6e8_feb8_6659_fd93,
            0xff51_afd7_ed55_8ccd,
            0xa076_1d64_78bd_642f,
        ];
        let (words, mask) = (self.words(), mask.0.words());
        let word = |i: usize| (words[i] & mask[i]) ^ SECRETS[i];
        // Multiplied to 128 bits and folded, so that every bit of a slot reaches every bit of the key.
        let folded = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            (product >> 64) as u64 ^ product as u64
        };
        folded(folded(word(0), word(1)) ^ word(4), folded(word(2), word(3)) ^ word(5))
    }
}

impl SlotMask {
    /// The mask of these slots.
    pub fn of(slots: impl IntoIterator<Item = Slot>) -> SlotMask {
        let mut mask = SlotMask(Slots([0; N_SLOTS]));
        for slot in slots {
            mask.0.set(slot, u16::MAX);
        }
        mask
    }
}

/// Dependents of a node on one side: the outermost, its label, the second outermost, its label, their number, and the
/// set of their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependents(pub [u16; 6]);

/// The slots of [`Dependents`], in their order, and those of the outermost dependent of the outermost one.
#[derive(Debug, Clone, Copy)]
pub struct SideSlots(pub [Slot; 6], pub [Slot; 2]);

impl SideSlots {
    /// Those of left dependents.
    pub const LEFT: SideSlots = SideSlots(
        [Slot::L1, Slot::L1Label, Slot::L2, Slot::L2Label, Slot::LeftValency, Slot::LeftLabels],
        [Slot::L1L1, Slot::L1L1Label],
    );
    /// Those of right dependents.
    pub const RIGHT: SideSlots = SideSlots(
        [Slot::R1, Slot::R1Label, Slot::R2, Slot::R2Label, Slot::RightValency, Slot::RightLabels],
        [Slot::R1R1, Slot::R1R1Label],
    );
}

impl Dependents {
    /// No dependents.
    pub const NONE: Dependents = Dependents([NO_NODE, NO_NODE, NO_NODE, NO_NODE, 0, 0]);

    /// Adds a left dependent.
    #[inline]
    pub fn add_left(&mut self, node: Node, label: LabelId, sets: &LabelSets) {
        // NO_NODE is greater than any node.
        self.add(node, label, sets, |other| node < other);
    }

    /// Adds a right dependent.
    #[inline]
    pub fn add_right(&mut self, node: Node, label: LabelId, sets: &LabelSets) {
        self.add(node, label, sets, |other| other == NO_NODE || node > other);
    }

    #[inline]
    fn add(&mut self, node: Node, label: LabelId, sets: &LabelSets, is_beyond: impl Fn(Node) -> bool) {
        let [first, first_label, second, second_label, valency, labels] = self.0;
        let outermost = if is_beyond(first) {
            [node, label, first, first_label]
        } else if is_beyond(second) {
            [first, first_label, node, label]
        } else {
            [first, first_label, second, second_label]
        };
        let [first, first_label, second, second_label] = outermost;
        let (valency, labels) = (valency.saturating_add(1), sets.with(labels, label));
        self.0 = [first, first_label, second, second_label, valency, labels];
    }
}

/// Partial tree of a node as a cell stores it, and its updates when the tree grows.
pub trait PartialTree<'a>: Copy {
    /// State needed to make partial trees besides memory and label sets.
    type Maker: Copy;

    /// Partial tree of a node without arcs.
    fn bare(node: Node, arena: Arena<'a, Self>) -> Self;
    /// The node.
    fn node(&self) -> Node;
    /// The label of the arc into the node; [`NO_LABEL`] if it has no head.
    fn label(&self) -> LabelId;
    /// The number of the node's dependents.
    fn n_dependents(&self) -> usize;
    /// Partial tree after `dependent`, to the left of the node, was attached to it.
    fn with_left(&self, dependent: &Self, label: LabelId, arena: Arena<'a, Self>) -> Self;
    /// Partial tree after `dependent`, to the right of the node, was attached to it.
    fn with_right(&self, dependent: &Self, label: LabelId, arena: Arena<'a, Self>) -> Self;
    /// Partial tree after the node got a head.
    fn with_head(&self, head: &Self, label: LabelId, arena: Arena<'a, Self>) -> Self;

    /// Partial tree after `dependent` was attached to the node, on whichever side of it the sentence has it. The root
    /// stands before all words.
    #[inline]
    fn with_dependent(&self, dependent: &Self, label: LabelId, arena: Arena<'a, Self>) -> Self {
        if dependent.node() < self.node() {
            self.with_left(dependent, label, arena)
        } else {
            self.with_right(dependent, label, arena)
        }
    }

    /// True if the node has a head.
    #[inline]
    fn has_head(&self) -> bool {
        self.label() != NO_LABEL
    }
}

/// All slots, and their keys under the masks that features want.
#[derive(Debug, Clone, Copy)]
pub struct Keyed<'a> {
    /// Slots that features read.
    pub slots: Slots,
    /// The key of `slots` under each of the arena's masks; where [trees](super::Trees) are kept, the number of the tree.
    pub keys: &'a [u64],
}

impl Keyed<'_> {
    /// The number of the partial tree, where trees are kept.
    #[inline]
    pub fn tree(&self) -> TreeId {
        self.keys.first().map_or_else(|| self.slots.get(Slot::Node).into(), |&tree| tree as TreeId)
    }
}

impl<'a> PartialTree<'a> for Keyed<'a> {
    type Maker = &'a [SlotMask];

    #[inline]
    fn bare(node: Node, arena: Arena<'a>) -> Keyed<'a> {
        arena.keyed(Slots::bare(node))
    }

    #[inline]
    fn node(&self) -> Node {
        self.slots.get(Slot::Node)
    }

    #[inline]
    fn label(&self) -> LabelId {
        self.slots.get(Slot::Label)
    }

    #[inline]
    fn n_dependents(&self) -> usize {
        self.slots.get(Slot::LeftValency) as usize + self.slots.get(Slot::RightValency) as usize
    }

    #[inline]
    fn with_left(&self, dependent: &Keyed<'a>, label: LabelId, arena: Arena<'a>) -> Keyed<'a> {
        arena.grown(self.slots.with_left(&dependent.slots, label, arena.label_sets()), [self, dependent], label, true)
    }

    #[inline]
    fn with_right(&self, dependent: &Keyed<'a>, label: LabelId, arena: Arena<'a>) -> Keyed<'a> {
        arena.grown(self.slots.with_right(&dependent.slots, label, arena.label_sets()), [self, dependent], label, false)
    }

    #[inline]
    fn with_head(&self, head: &Keyed<'a>, label: LabelId, arena: Arena<'a>) -> Keyed<'a> {
        arena.changed(self.slots.with_head(&head.slots, label), self)
    }
}

/// A cell of a stack or buffer: immutable, shared by every configuration that stands on it.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a, P = Keyed<'a>> {
    /// Partial tree of the node.
    pub partial: P,
    /// The next cell: below in a stack, behind in a buffer.
    pub below: Option<&'a Cell<'a, P>>,
    /// On the stack: the node's cell before its last dependent in the buffer was attached to it. In the buffer: the cell
    /// that the node had on the stack, if it came back from there and is bound.
    pub(super) before: Option<&'a Cell<'a, P>>,
    /// A fingerprint of the nodes of this cell and all that follow it.
    pub(super) nodes: u64,
}

impl<P> Deref for Cell<'_, P> {
    type Target = P;

    #[inline]
    fn deref(&self) -> &P {
        &self.partial
    }
}

impl<'a, P: PartialTree<'a>> Cell<'a, P> {
    /// The cell of a partial tree on `below`.
    #[inline]
    pub(super) fn on(partial: P, below: Option<&'a Cell<'a, P>>) -> Cell<'a, P> {
        let rest = below.map_or(0, |cell| cell.nodes);
        let node = u64::from(partial.node()) + 1;
        let nodes = (rest.rotate_left(21) ^ node).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Cell { partial, below, before: None, nodes }
    }

    /// The cell in the buffer of a node that came back from the stack, where its cell was `before`.
    pub(super) fn bound(self, before: &'a Cell<'a, P>) -> Cell<'a, P> {
        Cell { before: Some(before), nodes: self.nodes.rotate_left(7), ..self }
    }

    /// The cell's node.
    #[inline]
    pub fn node(&self) -> Node {
        self.partial.node()
    }
}
