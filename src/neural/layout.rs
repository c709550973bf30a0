//! The layout of a network: the tokens and labels that are read of each cell, as numbers of rows.

use std::ops::Range;

use crate::configuration::{Cell, PartialTree, Reads, Role, Side, Slot, States, View};
use crate::features::{Columns, Vocabulary, key};
use crate::model::Network;
use crate::tree::NO_NODE;

/// Group of values read of a cell.
#[derive(Debug, Clone)]
pub struct CellGroup {
    /// The cell.
    pub role: Role,
    /// Bits of [`PartialTree::words`] that determine all that is read of it.
    mask: [u64; Side::COUNT / 2],
    /// Places that are read here, and the values they read.
    pub places: Range<usize>,
    nodes: Vec<(Side, usize)>,
    /// The same of labels.
    pub labels: Range<usize>,
    label_values: Vec<(Side, usize)>,
}

/// A network's places by cell, and the values that it knows: all that its parameters do not change.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The network as headers describe it.
    pub network: Network,
    /// By cell.
    pub groups: Vec<CellGroup>,
    /// Parts of partial trees that are read.
    pub reads: Reads,
    /// The columns of sentences that are read.
    pub columns: Columns,
    /// The values that are known.
    pub vocabulary: Vocabulary,
}

impl Layout {
    /// The layout of a network that was checked.
    pub fn new(network: Network, columns: Columns, vocabulary: Vocabulary) -> Layout {
        let group = |role: Role| {
            let first = |places: &[crate::features::Place]| places.iter().take_while(|place| place.role < role).count();
            let slots = |places: &[crate::features::Place]| -> Vec<Slot> {
                places.iter().filter(|place| place.role == role).map(|place| place.slot).collect()
            };
            let (nodes, labels) = (slots(&network.places), slots(&network.labels));
            let values = |slots: &[Slot]| slots.iter().map(|&slot| Side::containing(slot)).collect::<Vec<_>>();
            let sides: Vec<Side> = values(&[&nodes[..], &labels].concat()).iter().map(|(side, _)| *side).collect();
            let (place, label) = (first(&network.places), first(&network.labels));
            CellGroup {
                role,
                mask: PartialTree::mask(&sides),
                places: place..place + nodes.len(),
                nodes: values(&nodes),
                labels: label..label + labels.len(),
                label_values: values(&labels),
            }
        };
        // Stacks read whole sequences.
        let by_place = network.stacks.is_none();
        let groups = Role::ALL.into_iter().filter(|_| by_place).map(group);
        let groups = groups.filter(|group| !group.places.is_empty() || !group.labels.is_empty()).collect();
        let slots = network.places.iter().chain(&network.labels).map(|place| place.slot);
        let reads = Reads::of(slots.filter(|_| by_place));
        let reads = Reads { compositions: !by_place, ..reads };
        Layout { network, groups, reads, columns, vocabulary }
    }

    /// Fills in the rows that all places read, of tokens and of labels.
    pub fn read(&self, (view, states): (&View, &States), tokens: &mut Vec<u32>, labels: &mut Vec<u32>) {
        tokens.clear();
        labels.clear();
        for group in &self.groups {
            let cell = view.cell(group.role);
            tokens.extend(group.tokens(cell, states));
            labels.extend(group.labels_of(cell, states));
        }
    }
}

/// The rows of values of a cell; 0 is nothing.
#[inline]
fn rows<'c>(values: &'c [(Side, usize)], cell: Option<&'c Cell>, states: &'c States) -> impl Iterator<Item = u32> + 'c {
    // NO_NODE + 1 wraps to 0.
    let value = move |cell: &Cell, (side, place): (Side, usize)| states.state(side, cell.id(side)).0[place];
    values.iter().map(move |&at| u32::from(cell.map_or(NO_NODE, |cell| value(cell, at)).wrapping_add(1)))
}

impl CellGroup {
    /// The rows of the tokens that are read of `cell`: 0 is no token, 1 the root.
    #[inline]
    pub fn tokens<'c>(&'c self, cell: Option<&'c Cell>, states: &'c States) -> impl Iterator<Item = u32> + 'c {
        rows(&self.nodes, cell, states)
    }

    /// The rows of the labels that are read of `cell`: 0 is no label.
    #[inline]
    pub fn labels_of<'c>(&'c self, cell: Option<&'c Cell>, states: &'c States) -> impl Iterator<Item = u32> + 'c {
        rows(&self.label_values, cell, states)
    }

    /// The only place that is read of the cell, if it is one.
    #[inline]
    pub fn single(&self) -> Option<usize> {
        (self.nodes.len() == 1 && self.label_values.is_empty()).then_some(self.places.start)
    }

    /// A fingerprint of all that is read of `cell`.
    #[inline]
    pub fn key(&self, cell: Option<&Cell>) -> u64 {
        let number = (self.role as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words = cell.map_or([0; Side::COUNT / 2], |cell| *cell.words());
        key(number, words.into_iter().zip(self.mask).map(|(word, mask)| word & mask))
    }
}
