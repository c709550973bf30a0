//! A feature set by the sides of nodes that its templates read.
//!
//! A node's partial tree falls into three sides: its left dependents, its right dependents, and its heads. A transition
//! changes one or two sides of one or two nodes. So templates that read one side of one place, and perhaps its node,
//! make a [part](SidePart) of their own, whose scores are a function of that side's state; all that read more make the
//! joint part.

use super::compile::{Group, classes, group, seen_from};
use super::extract::slot_place;
use super::{Atom, Columns, FeatureSet};
use crate::configuration::{Role, STATE_SLOTS, Side, SideIds, Slot, State};
use crate::tree::{NO_NODE, ROOT};

/// A value of a state that the joint part reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRead {
    /// Where the state holds it.
    pub place: u8,
    /// If nothing but this column of the node is read: the column.
    pub column: Option<u8>,
}

/// Templates of a part that read the same values of its states.
#[derive(Debug, Clone)]
pub struct SideGroup {
    /// The templates.
    pub group: Group,
    /// Values that decide their features.
    pub reads: GroupReads,
}

/// Values that a group reads of its side's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupReads {
    /// One value, which is a node, a label or a count.
    One(u8),
    /// Those that this mask keeps.
    Some(State),
}

/// The templates that read one side of one place.
#[derive(Debug, Clone)]
pub struct SidePart {
    /// The place.
    pub role: Role,
    /// The side.
    pub side: Side,
    /// The templates, by what else of the side they read than its nodes. There may be none: then the joint part alone
    /// reads the side. At most 64, and those that read one value come first.
    pub groups: Vec<SideGroup>,
    /// Where the state holds these values.
    pub ones: Vec<u8>,
    /// Values that the joint part reads of the side.
    pub key: Vec<KeyRead>,
    /// Where templates read the values of the side's states, as places among all slots of all roles.
    pub places: Vec<u8>,
    /// Reads of words behind the node, if it determines them.
    pub behind: Vec<Behind>,
}

/// Reads of a word behind another in a buffer whose words have no arcs but for the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Its place.
    pub role: Role,
    /// Where the node is read, as a place among them.
    pub node: u8,
    /// Where else is read, and what is held there of a word without arcs.
    pub bare: Vec<(u8, u16)>,
}

/// A feature set by sides.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The parts of single sides.
    pub parts: Vec<SidePart>,
    /// The templates of the joint part, by the sides that they read.
    pub joint: Vec<Group>,
    /// By side: which values of states are read at all, directly or to find others after a transition.
    pub is_read: [State; 3],
    /// True if templates read the sizes of partial trees.
    pub reads_size: bool,
    /// The places that are read, and the sides of each: those of the parts, in their order.
    pub roles: Vec<RoleSides>,
}

/// A place and the sides of it that are read.
#[derive(Debug, Clone)]
pub struct RoleSides {
    /// The place.
    pub role: Role,
    /// The sides.
    pub sides: Vec<Side>,
    /// The same as [`SideIds::mask`].
    pub mask: [u64; 2],
}

/// The most parts that there may be.
pub(crate) const MAX_PARTS: usize = 32;

/// The most groups that a part may have.
const MAX_GROUPS: usize = u64::BITS as usize;

/// Reach of a template: places, and sides of places.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reach {
    roles: Vec<Role>,
    sides: Vec<(Role, Side)>,
}

impl Sides {
    /// The sides of `set`; `None` if it reads what they do not tell: the last actions, what is between two lists, dependents of dependents.
    pub fn new(set: &FeatureSet, columns: &Columns, buffer_is_suffix: bool) -> Option<Sides> {
        let slots: Vec<Vec<(Role, Slot)>> = set
            .templates
            .iter()
            .map(|template| template.atoms.iter().flat_map(Atom::slots))
            .map(|slots| slots.map(|(role, slot)| seen_from(role, slot, buffer_is_suffix)).collect())
            .collect();
        let is_told =
            |role, slot| !matches!(role, Role::A | Role::M0) && (slot == Slot::Node || !Side::of(slot).is_empty());
        if !slots.iter().flatten().all(|&(role, slot)| is_told(role, slot)) {
            return None;
        }
        let reaches: Vec<Reach> = slots.iter().map(|slots| Reach::of(slots)).collect();
        let mut places: Vec<(Role, Side)> = reaches.iter().flat_map(|reach| reach.sides.clone()).collect();
        for &role in reaches.iter().flat_map(|reach| &reach.roles) {
            if !places.iter().any(|(known, _)| *known == role) {
                places.push((role, Side::Node));
            }
        }
        places.sort_unstable();
        places.dedup();
        let first = places.first().copied().filter(|_| places.len() <= MAX_PARTS)?;
        // A node alone is told by any side of its place; of its right side there are fewest states.
        let of_node = |role: Role| {
            let of_role = || places.iter().copied().filter(|(known, _)| *known == role);
            of_role().find(|(_, side)| *side == Side::Right).or(of_role().next()).unwrap_or(first)
        };
        let part_of = |reach: &Reach| match (&reach.roles[..], &reach.sides[..]) {
            ([], _) => Some(first),
            (&[role], []) => Some(of_node(role)),
            ([_], &[place]) => Some(place),
            _ => None,
        };
        let members = |part: Option<(Role, Side)>| -> Vec<usize> {
            (0..reaches.len()).filter(|&number| part_of(&reaches[number]) == part).collect()
        };
        let compile = |classes: Vec<Vec<usize>>| -> Option<Vec<Group>> {
            let fits = |members: &Vec<usize>| n_atoms(set, members) < 256;
            let groups =
                classes.iter().map(|members| fits(members).then(|| group(set, members, columns, buffer_is_suffix)));
            groups.collect()
        };
        let joint = members(None);
        let mut parts = Vec::new();
        for &(role, side) in &places {
            let classes = classes(&members(Some((role, side))), |number| class_in_part(&slots[number]));
            let reads: Vec<GroupReads> = classes.iter().map(|members| reads_of(side, members, &slots)).collect();
            let groups = compile(classes)?.into_iter().zip(reads);
            let mut groups: Vec<SideGroup> = groups.map(|(group, reads)| SideGroup { group, reads }).collect();
            groups.sort_by_key(|group| matches!(group.reads, GroupReads::Some(_)));
            let ones = groups.iter().filter_map(|group| match group.reads {
                GroupReads::One(place) => Some(place),
                GroupReads::Some(_) => None,
            });
            let ones: Vec<u8> = ones.collect();
            if groups.len() > MAX_GROUPS {
                return None;
            }
            let key = key_reads(set, columns, &joint, (role, side), of_node(role) == (role, side), buffer_is_suffix);
            let behind = match role {
                Role::B0 if buffer_is_suffix => read_behind(set),
                _ => Vec::new(),
            };
            let places = side.slots().iter().map(|&slot| slot_place(role, slot)).collect();
            parts.push(SidePart { role, side, groups, ones, key, places, behind });
        }
        let joint = compile(classes(&joint, |number| reaches[number].clone()))?;
        let slots_of = |side: Side| slots.iter().flatten().filter_map(move |&(_, slot)| side.place(slot));
        let is_read = Side::ALL.map(|side| {
            let mut read = [false; STATE_SLOTS];
            slots_of(side).for_each(|place| read[place] = true);
            State::mask(needed(side, read))
        });
        let reads_size = slots.iter().flatten().any(|&(_, slot)| slot == Slot::Size);
        let of_role = |places: &[(Role, Side)]| {
            let sides: Vec<Side> = places.iter().map(|&(_, side)| side).collect();
            RoleSides { role: places[0].0, mask: SideIds::mask(&sides), sides }
        };
        let roles = places.chunk_by(|a, b| a.0 == b.0).map(of_role).collect();
        Some(Sides { parts, joint, is_read, reads_size, roles })
    }

    /// The number of groups.
    pub fn n_groups(&self) -> usize {
        self.joint.len() + self.parts.iter().map(|part| part.groups.len()).sum::<usize>()
    }
}

impl Reach {
    fn of(slots: &[(Role, Slot)]) -> Reach {
        let mut roles: Vec<Role> = slots.iter().map(|&(role, _)| role).collect();
        let mut sides: Vec<(Role, Side)> =
            slots.iter().flat_map(|&(role, slot)| Side::of(slot).into_iter().map(move |side| (role, side))).collect();
        roles.sort_unstable();
        roles.dedup();
        sides.sort_unstable();
        sides.dedup();
        Reach { roles, sides }
    }
}

/// With what is read, what it follows from: the outermost dependent from the outermost before, and so on.
fn needed(side: Side, mut read: [bool; STATE_SLOTS]) -> [bool; STATE_SLOTS] {
    read[0] = true;
    let reads_any_of = |read: &[bool; STATE_SLOTS], places: &[usize]| places.iter().any(|&place| read[place]);
    match side {
        Side::Left | Side::Right => {
            read[3] |= read[4];
            read[1] |= reads_any_of(&read, &[2, 3, 4]);
            read[2] |= read[4];
        }
        Side::Head | Side::Node => {
            read[3] |= read[5];
            read[2] |= read[4];
            read[1] |= read[3];
        }
    }
    read
}

/// Class of a template's group within a part: the one slot that it reads; or else whether it reads several and which of
/// them are labels.
fn class_in_part(slots: &[(Role, Slot)]) -> (bool, Vec<Slot>) {
    let mut read: Vec<Slot> = slots.iter().map(|&(_, slot)| slot).collect();
    read.sort_unstable_by_key(|&slot| slot as usize);
    read.dedup();
    if let [_] = read[..] {
        return (false, read);
    }
    read.retain(|slot| {
        matches!(
            slot,
            Slot::Label
                | Slot::HeadLabel
                | Slot::Head2Label
                | Slot::L1Label
                | Slot::L2Label
                | Slot::R1Label
                | Slot::R2Label
                | Slot::LeftLabels
                | Slot::RightLabels
        )
    });
    (true, read)
}

fn reads_of(side: Side, members: &[usize], slots: &[Vec<(Role, Slot)>]) -> GroupReads {
    let mut read = [false; STATE_SLOTS];
    let places =
        members.iter().flat_map(|&number| &slots[number]).filter_map(|&(_, slot)| Some((side.place(slot)?, slot)));
    let mut is_set = false;
    for (place, slot) in places {
        read[place] = true;
        is_set |= matches!(slot, Slot::LeftLabels | Slot::RightLabels);
    }
    match read.iter().filter(|&&read| read).count() {
        1 if !is_set => GroupReads::One(read.iter().position(|&read| read).unwrap_or(0) as u8),
        _ => GroupReads::Some(State::mask(read)),
    }
}

fn n_atoms(set: &FeatureSet, members: &[usize]) -> usize {
    let mut atoms: Vec<&Atom> = members.iter().flat_map(|&number| &set.templates[number].atoms).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.len()
}

/// Reads of the places behind B0.
fn read_behind(set: &FeatureSet) -> Vec<Behind> {
    let read = |role: Role| {
        let slots = set.templates.iter().flat_map(|template| &template.atoms).flat_map(Atom::slots);
        let mut slots: Vec<Slot> = slots.filter(|&(known, _)| known == role).map(|(_, slot)| slot).collect();
        slots.sort_unstable_by_key(|&slot| slot as usize);
        slots.dedup();
        let is_read = !slots.is_empty();
        slots.retain(|&slot| slot != Slot::Node);
        let bare = slots.into_iter().map(|slot| (slot_place(role, slot), of_bare(slot))).collect();
        is_read.then(|| Behind { role, node: slot_place(role, Slot::Node), bare })
    };
    [Role::B1, Role::B2, Role::B3].into_iter().filter_map(read).collect()
}

/// Value of a slot other than the node's for a word without arcs.
fn of_bare(slot: Slot) -> u16 {
    let of_side = |side: &Side| side.place(slot).map(|place| State::bare(*side, ROOT).0[place]);
    match slot {
        Slot::Size => 1,
        _ => Side::ALL.iter().find_map(of_side).unwrap_or(NO_NODE),
    }
}

/// Reads by the templates `joint` of a side of a place; `with_node` says whether the node is to be told by this side.
fn key_reads(
    set: &FeatureSet,
    columns: &Columns,
    joint: &[usize],
    (role, side): (Role, Side),
    with_node: bool,
    buffer_is_suffix: bool,
) -> Vec<KeyRead> {
    // By place in the state: by what it is read.
    let mut reads: [Vec<Option<u8>>; STATE_SLOTS] = Default::default();
    for atom in joint.iter().flat_map(|&number| &set.templates[number].atoms) {
        for (at, slot) in atom.slots() {
            let seen = seen_from(at, slot, buffer_is_suffix);
            let Some(place) = side.place(seen.1).filter(|_| seen.0 == role) else { continue };
            if place == 0 && !with_node {
                continue;
            }
            let column = match atom {
                // Of words behind and beside, the node tells more than its own column.
                Atom::Of(address, attribute) if seen == (at, slot) && !address.step.is_in_sentence() => {
                    columns.named(*attribute)
                }
                _ => None,
            };
            let read = column.and_then(|column| columns.index(column)).map(|column| column as u8);
            if !reads[place].contains(&read) {
                reads[place].push(read);
            }
        }
    }
    let key = |(place, reads): (usize, &Vec<Option<u8>>)| match reads[..] {
        [] => None,
        [read] => Some(KeyRead { place: place as u8, column: read }),
        _ => Some(KeyRead { place: place as u8, column: None }),
    };
    reads.iter().enumerate().filter_map(key).collect()
}
