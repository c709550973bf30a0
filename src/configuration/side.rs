//! The sides of a node: what is known of its left dependents, of its right ones, and of its heads.

use super::cell::{Dependents, SideSlots, Slot};
use crate::tree::{NO_NODE, Node};

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
    /// Nothing but the node itself.
    Node,
}

/// Number of values in the state of a side.
pub const STATE_SLOTS: usize = 8;

/// Where [`Slot::Size`] stands in the state of a side of dependents: there, the size of their partial trees.
const SIZE: usize = 7;

impl Side {
    /// The sides that have states.
    pub const ALL: [Side; 3] = [Side::Left, Side::Right, Side::Head];

    /// The slots that the state of the side holds, in its order; the node comes first.
    pub fn slots(self) -> &'static [Slot] {
        const fn with_node(SideSlots([a, b, c, d, e, f], _): SideSlots) -> [Slot; 7] {
            [Slot::Node, a, b, c, d, e, f]
        }
        const LEFT: [Slot; 7] = with_node(SideSlots::LEFT);
        const RIGHT: [Slot; 7] = with_node(SideSlots::RIGHT);
        match self {
            Side::Left => &LEFT,
            Side::Right => &RIGHT,
            Side::Head => &[Slot::Node, Slot::Label, Slot::Head, Slot::HeadLabel, Slot::Head2, Slot::Head2Label],
            Side::Node => &[Slot::Node],
        }
    }

    /// Where the state of the side holds `slot`, if it does.
    pub(crate) fn place(self, slot: Slot) -> Option<usize> {
        match (self, slot) {
            (Side::Left | Side::Right, Slot::Size) => Some(SIZE),
            _ => self.slots().iter().position(|&held| held == slot),
        }
    }

    /// The sides whose states tell what `slot` holds; none for the node, which all of them tell.
    pub(crate) fn of(slot: Slot) -> Vec<Side> {
        let tells = |side: &Side| slot != Slot::Node && side.place(slot).is_some();
        Side::ALL.into_iter().filter(tells).collect()
    }
}

/// A state's number in the table of its side.
pub type StateId = u32;

/// The number of the state of what is not there.
pub const NOTHING: StateId = 0;

/// The state of one side of a node: its values in the order of [`Side::slots`], then zeros. The last value of a side of
/// dependents is the size of their partial trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct State(pub [u16; STATE_SLOTS]);

impl State {
    /// The state of what is not there.
    pub const NOTHING: State = State([NO_NODE; STATE_SLOTS]);

    /// The state of a side of `node` without arcs.
    pub fn bare(side: Side, node: Node) -> State {
        let none = NO_NODE;
        match side {
            Side::Left | Side::Right | Side::Node => {
                let [a, b, c, d, e, f] = Dependents::NONE.0;
                State([node, a, b, c, d, e, f, 0])
            }
            Side::Head => State([node, none, none, none, none, none, 0, 0]),
        }
    }

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
        self.0[STATE_SLOTS - 1]
    }
}
