//! The sides of a node: its left dependents, its right ones, its heads, and the dependents of its outermost dependents.

use super::{LabelSets, Slot};
use crate::tree::{LabelId, NO_NODE, Node};

/// One of the sides of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Its left dependents.
    Left,
    /// Its right dependents.
    Right,
    /// Its head and its head's head.
    Head,
    /// The node itself, and the outermost dependents of its outermost dependents.
    Inner,
}

/// Number of values in the state of a side.
pub const STATE_SLOTS: usize = 8;

/// Place of [`Slot::Size`] in the state of a side of dependents: the size of their partial trees.
const SIZE: usize = 7;

impl Side {
    /// Every side.
    pub const ALL: [Side; Side::COUNT] = [Side::Left, Side::Right, Side::Head, Side::Inner];
    /// The number of sides.
    pub const COUNT: usize = 4;

    /// The slots that the state of the side contains, in its order; the node comes first.
    pub fn slots(self) -> &'static [Slot] {
        use Slot::*;
        match self {
            Side::Left => &[Node, L1, L1Label, L2, L2Label, LeftValency, LeftLabels],
            Side::Right => &[Node, R1, R1Label, R2, R2Label, RightValency, RightLabels],
            Side::Head => &[Node, Label, Head, HeadLabel, Head2, Head2Label],
            Side::Inner => &[Node, L1L1, L1L1Label, R1R1, R1R1Label],
        }
    }

    /// Place of `slot` in the state of the side, if it has one.
    pub(crate) fn place(self, slot: Slot) -> Option<usize> {
        match (self, slot) {
            (Side::Left | Side::Right, Slot::Size) => Some(SIZE),
            _ => self.slots().iter().position(|&other| other == slot),
        }
    }

    /// A side whose state contains a slot other than the size, and the place there.
    pub fn containing(slot: Slot) -> (Side, usize) {
        let at = |side: Side| Some((side, side.place(slot)?));
        // The inner state is where fewest nodes have another than the bare one.
        [Side::Inner, Side::Left, Side::Right, Side::Head]
            .into_iter()
            .find_map(at)
            .expect("some side contains each slot")
    }

    /// The sides whose states contain `slot`; none for the node, which all of them contain.
    pub(crate) fn of(slot: Slot) -> Vec<Side> {
        let contains = |side: &Side| slot != Slot::Node && side.place(slot).is_some();
        Side::ALL.into_iter().filter(contains).collect()
    }
}

/// A state's number in the table of its side.
pub type StateId = u32;

/// The number of the state of a missing node.
pub const NOTHING: StateId = 0;

/// The state of one side of a node: its values in the order of [`Side::slots`], then zeros. The last value of a side of
/// dependents is the size of their partial trees.
#[derive(Debug, Clone, Copy, Eq)]
#[repr(C, align(16))]
pub struct State(pub [u16; STATE_SLOTS]);

/// PERF: two registers, not a loop.
impl PartialEq for State {
    #[inline]
    fn eq(&self, other: &State) -> bool {
        self.bits() == other.bits()
    }
}

impl State {
    /// The state of a missing node.
    pub const NOTHING: State = State([NO_NODE; STATE_SLOTS]);

    /// The state of a side of `node` without arcs.
    pub fn bare(side: Side, node: Node) -> State {
        let none = NO_NODE;
        match side {
            Side::Left | Side::Right => {
                let [a, b, c, d, e, f] = Dependents::NONE.0;
                State([node, a, b, c, d, e, f, 0])
            }
            Side::Head => State([node, none, none, none, none, none, 0, 0]),
            Side::Inner => State([node, none, none, none, none, 0, 0, 0]),
        }
    }

    /// The mask that keeps all values.
    pub const WHOLE: State = State([u16::MAX; STATE_SLOTS]);

    /// The mask that keeps these values.
    pub fn mask(keeps: [bool; STATE_SLOTS]) -> State {
        State(keeps.map(|keeps| if keeps { u16::MAX } else { 0 }))
    }

    #[inline]
    fn bits(self) -> u128 {
        bytemuck::cast(self.0)
    }

    /// The state with nothing but the values that `mask` has.
    #[inline]
    pub fn masked(self, mask: State) -> State {
        State(bytemuck::cast(self.bits() & mask.bits()))
    }

    /// A 64-bit fingerprint of the state and of what it is a state of: those of different ones differ but for a chance of
    /// about 2^-64.
    #[inline]
    pub fn key(self, of: usize) -> u64 {
        let bits = self.bits();
        let of = (of as u64 + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let product = u128::from(bits as u64 ^ 0x9e37_79b9_7f4a_7c15) * u128::from((bits >> 64) as u64 ^ of);
        let folded = (product >> 64) as u64 ^ product as u64;
        (folded ^ folded >> 29).wrapping_mul(0xff51_afd7_ed55_8ccd)
    }

    /// The state's dependents, if its side has some.
    #[inline]
    pub fn dependents(self) -> Dependents {
        let [_, a, b, c, d, e, f, _] = self.0;
        Dependents([a, b, c, d, e, f])
    }

    /// The state with these dependents, whose partial trees have this size.
    #[inline]
    pub fn with_dependents(self, Dependents([a, b, c, d, e, f]): Dependents, size: u16) -> State {
        State([self.0[0], a, b, c, d, e, f, size])
    }

    /// The size of the dependents' partial trees.
    #[inline]
    pub fn size(self) -> u16 {
        self.0[SIZE]
    }
}

/// Dependents of a node on one side: the outermost, its label, the second outermost, its label, their number, and the
/// set of their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependents(pub [u16; 6]);

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
