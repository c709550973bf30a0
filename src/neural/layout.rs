//! The layout of a network made ready: what is read of each cell, as numbers of rows.

use std::ops::Range;

use crate::configuration::{Cell, Role, Slot, SlotMask};
use crate::model::Network;
use crate::tree::{NO_LABEL, NO_NODE};

/// Group of values read of a cell.
#[derive(Debug, Clone)]
pub struct Group {
    /// The cell.
    pub role: Role,
    /// All that is read of it.
    mask: SlotMask,
    /// Places that are read here, and the values they read.
    pub places: Range<usize>,
    nodes: Vec<Slot>,
    /// The same of labels.
    pub labels: Range<usize>,
    label_slots: Vec<Slot>,
}

/// A network's places by cell.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The layout.
    pub network: Network,
    /// By cell.
    pub groups: Vec<Group>,
}

impl Layout {
    /// The groups of a network whose layout was checked.
    pub fn new(network: Network) -> Layout {
        let group = |role: Role| {
            let first = |places: &[crate::features::Place]| places.iter().take_while(|place| place.role < role).count();
            let slots = |places: &[crate::features::Place]| -> Vec<Slot> {
                places.iter().filter(|place| place.role == role).map(|place| place.slot).collect()
            };
            let (nodes, label_slots) = (slots(&network.places), slots(&network.labels));
            let (place, label) = (first(&network.places), first(&network.labels));
            Group {
                role,
                mask: SlotMask::of(nodes.iter().chain(&label_slots).copied()),
                places: place..place + nodes.len(),
                nodes,
                labels: label..label + label_slots.len(),
                label_slots,
            }
        };
        // Stacks read whole sequences.
        let by_place = network.stacks.is_none();
        let groups = Role::ALL.into_iter().filter(|_| by_place).map(group);
        let groups = groups.filter(|group| !group.places.is_empty() || !group.labels.is_empty()).collect();
        Layout { network, groups }
    }

    /// Fills in the rows that all places read, of tokens and of labels.
    pub fn read<'a>(&self, cell: impl Fn(Role) -> Option<&'a Cell<'a>>, tokens: &mut Vec<u32>, labels: &mut Vec<u32>) {
        tokens.clear();
        labels.clear();
        for group in &self.groups {
            let cell = cell(group.role);
            tokens.extend(group.tokens(cell));
            labels.extend(group.labels_of(cell));
        }
    }
}

impl Group {
    /// The rows of the tokens that are read of `cell`: 0 is no token, 1 the root.
    #[inline]
    pub fn tokens<'c>(&'c self, cell: Option<&'c Cell>) -> impl Iterator<Item = u32> + 'c {
        // NO_NODE + 1 wraps to 0.
        self.nodes
            .iter()
            .map(move |&slot| u32::from(cell.map_or(NO_NODE, |cell| cell.partial.slots.get(slot)).wrapping_add(1)))
    }

    /// The rows of the labels that are read of `cell`: 0 is no label.
    #[inline]
    pub fn labels_of<'c>(&'c self, cell: Option<&'c Cell>) -> impl Iterator<Item = u32> + 'c {
        self.label_slots
            .iter()
            .map(move |&slot| u32::from(cell.map_or(NO_LABEL, |cell| cell.partial.slots.get(slot)).wrapping_add(1)))
    }

    /// The only place that is read of the cell, if it is one.
    #[inline]
    pub fn single(&self) -> Option<usize> {
        (self.nodes.len() == 1 && self.label_slots.is_empty()).then_some(self.places.start)
    }

    /// A fingerprint of all that is read of `cell`.
    #[inline]
    pub fn key(&self, cell: Option<&Cell>) -> u64 {
        let number = self.role as u64 + 1;
        cell.map_or(0, |cell| cell.partial.slots.key(&self.mask)).rotate_left(17)
            ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
