//! A feature set made ready for extraction.

use super::group::{Group, classes, group_in_order, rank, seen_from, that_fit};
use super::{Atom, Columns, FeatureSet, Sides, Template};
use crate::configuration::{Reads, Role, Slot};

/// A compiled feature set.
#[derive(Debug, Clone)]
pub struct Compiled {
    sides: Sides,
    /// All templates, in the order in which learners add up their features.
    all: Vec<Group>,
    reads: Reads,
    columns: Columns,
}

impl Compiled {
    /// Compiles `set` over `columns`. `buffer_is_suffix` says whether B0 determines the rest of the buffer
    /// ([`SystemInfo::buffer_is_suffix`](crate::system::SystemInfo::buffer_is_suffix)).
    pub fn new(set: &FeatureSet, columns: Columns, buffer_is_suffix: bool) -> Compiled {
        let sides = Sides::new(set, &columns, buffer_is_suffix);
        let all = that_fit(set, vec![order(set, buffer_is_suffix)]);
        let all = all.iter().map(|members| group_in_order(set, members, &columns, buffer_is_suffix)).collect();
        let mut atoms = set.templates.iter().flat_map(|template| &template.atoms);
        let history = atoms.any(|atom| matches!(atom, Atom::Action(_)));
        let slots = set.templates.iter().flat_map(|template| &template.atoms).flat_map(Atom::slots);
        let reads = Reads::of(slots.filter(|(role, _)| *role != Role::A).map(|(_, slot)| slot));
        Compiled { sides, all, reads: Reads { history, ..reads }, columns }
    }

    /// The templates by the sides of nodes that they read.
    #[inline]
    pub fn sides(&self) -> &Sides {
        &self.sides
    }

    /// All templates, in groups that [`Extractor::extract_all`](super::Extractor::extract_all) extracts one after the other.
    #[inline]
    pub(super) fn all(&self) -> &[Group] {
        &self.all
    }

    /// The numbers of the templates, in the order in which their features are extracted.
    pub fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.all.iter().flat_map(|group| group.templates.iter().map(|template| template.template.into()))
    }

    /// Parts of partial trees that any template reads.
    #[inline]
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The columns that the set reads.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The number of templates.
    pub fn n_templates(&self) -> usize {
        self.all.iter().map(Group::len).sum()
    }
}

/// The templates by the places that they read and then by what they read there. Sums of real weights depend on the order of
/// their terms, so that models of a release are those of the next as long as it stays as it is.
fn order(set: &FeatureSet, buffer_is_suffix: bool) -> Vec<usize> {
    let all: Vec<usize> = (0..set.templates.len()).collect();
    let by_places = classes(&all, |number| places(&set.templates[number])).into_iter();
    let mut groups: Vec<Vec<usize>> = by_places
        .flat_map(|members| classes(&members, |number| sides(&set.templates[number], buffer_is_suffix)))
        .collect();
    groups.iter_mut().for_each(|members| members.sort_by_key(|&number| rank(&set.templates[number], number)));
    groups.into_iter().flatten().collect()
}

/// Key of a template by its places: those of the stack, and true if it reads the buffer.
fn places(template: &Template) -> (u16, bool) {
    let (mut stack, mut buffer) = (0, false);
    for (role, _) in template.atoms.iter().flat_map(Atom::slots) {
        if role.in_buffer() {
            buffer = true;
        } else {
            stack |= 1 << role as u16;
        }
    }
    (stack, buffer)
}

/// Key of a template by what it reads of its places.
fn sides(template: &Template, buffer_is_suffix: bool) -> u128 {
    let read = template.atoms.iter().flat_map(Atom::slots).map(|(role, slot)| seen_from(role, slot, buffer_is_suffix));
    read.fold(0, |sides, (role, slot)| sides | 1 << (role as u32 * 7 + side(slot)))
}

/// The side of its node on which a slot lies. What changes together is on one side; labels vary more than what bears them.
fn side(slot: Slot) -> u32 {
    match slot {
        Slot::Node => 0,
        Slot::Head | Slot::Head2 => 1,
        Slot::L1 | Slot::L2 | Slot::L1L1 | Slot::LeftValency => 2,
        Slot::R1 | Slot::R2 | Slot::R1R1 | Slot::RightValency => 3,
        Slot::Size => 4,
        Slot::Label | Slot::HeadLabel | Slot::Head2Label => 5,
        Slot::L1Label
        | Slot::L2Label
        | Slot::R1Label
        | Slot::R2Label
        | Slot::LeftLabels
        | Slot::RightLabels
        | Slot::L1L1Label
        | Slot::R1R1Label => 6,
    }
}
