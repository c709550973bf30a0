//! A feature set by the sides of nodes that its templates read.
//!
//! A node's partial tree falls into three sides: its left dependents, its right dependents, and its heads. A transition
//! changes one or two sides of one or two nodes. So templates that read one side of one place, and perhaps its node,
//! make a [part](SidePart) of their own, whose scores are a function of that side's state; all that read more make the
//! joint part.

use super::address::slot_place;
use super::group::{Group, classes, group, seen_from, that_fit};
use super::{Atom, Columns, FeatureSet};
use crate::configuration::{PartialTree, Role, STATE_SLOTS, Side, Slot, State};
use crate::tree::{NO_NODE, ROOT};

/// A value of a state that the joint part reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRead {
    /// Its place in the state.
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
    /// Places of single values in the state, for groups that read one.
    pub ones: Vec<u8>,
    /// Values that the joint part reads of the side.
    pub key: Vec<KeyRead>,
    /// Numbers of the slots of the side's states among all slots of all roles.
    pub places: Vec<u8>,
    /// Reads of words behind the node, if it determines them.
    pub behind: Vec<Behind>,
}

/// Reads of a word behind another in a buffer whose words have no arcs but for the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Its place.
    pub role: Role,
    /// Index of the node's place.
    pub node: u8,
    /// Further places that are read, each with the state of a word without arcs.
    pub bare: Vec<(u8, u16)>,
}

/// A feature set by sides.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The parts of single sides.
    pub parts: Vec<SidePart>,
    /// The templates of the joint part, by the sides that they read.
    pub joint: Vec<Group>,
    /// The places that are read, and the sides of each: those of the parts, in their order.
    pub roles: Vec<RoleSides>,
    /// Words of the numbers of states that are read: the place, the word of [`PartialTree::words`], and its bits.
    pub words: Vec<(Role, usize, u64)>,
}

/// A place and the sides of it that are read.
#[derive(Debug, Clone)]
pub struct RoleSides {
    /// The place.
    pub role: Role,
    /// The sides.
    pub sides: Vec<Side>,
}

/// The most parts that there may be.
pub(crate) const MAX_PARTS: usize = (Role::COUNT - 1) * Side::COUNT;

/// The most groups that a part may have.
const MAX_GROUPS: usize = u64::BITS as usize;

/// Reach of a template: places, and sides of places.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reach {
    roles: Vec<Role>,
    sides: Vec<(Role, Side)>,
}

impl Sides {
    /// The sides of `set`.
    pub fn new(set: &FeatureSet, columns: &Columns, buffer_is_suffix: bool) -> Sides {
        let slots: Vec<Vec<(Role, Slot)>> = set
            .templates
            .iter()
            .map(|template| template.atoms.iter().flat_map(Atom::slots))
            .map(|slots| slots.map(|(role, slot)| seen_from(role, slot, buffer_is_suffix)).collect())
            .collect();
        let reaches: Vec<Reach> = slots.iter().map(|slots| Reach::of(slots)).collect();
        let mut places: Vec<(Role, Side)> = reaches.iter().flat_map(|reach| reach.sides.clone()).collect();
        for &role in reaches.iter().flat_map(|reach| &reach.roles).filter(|role| **role != Role::A) {
            if !places.iter().any(|(known, _)| *known == role) {
                places.push((role, Side::Inner));
            }
        }
        places.sort_unstable();
        places.dedup();
        // Any side of a place determines its node; the right side has the fewest states.
        let of_node = |role: Role| {
            let of_role = || places.iter().copied().filter(|(known, _)| *known == role);
            of_role().find(|(_, side)| *side == Side::Right).or(of_role().next())
        };
        let part_of = |reach: &Reach| match (&reach.roles[..], &reach.sides[..]) {
            ([], _) => places.first().copied(),
            (&[role], []) => of_node(role),
            ([_], &[place]) => Some(place),
            _ => None,
        };
        let members = |part: Option<(Role, Side)>| -> Vec<usize> {
            (0..reaches.len()).filter(|&number| part_of(&reaches[number]) == part).collect()
        };
        let mut joint = members(None);
        let in_parts: Vec<Vec<Vec<usize>>> = places
            .iter()
            .map(|&place| {
                let mut classes = that_fit(set, classes(&members(Some(place)), |number| class_in_part(&slots[number])));
                joint.extend(classes.drain(MAX_GROUPS.min(classes.len())..).flatten());
                classes
            })
            .collect();
        let group = |members: &Vec<usize>| group(set, members, columns, buffer_is_suffix);
        let part = |(&(role, side), classes): (&(Role, Side), &Vec<Vec<usize>>)| {
            let in_part = |members| SideGroup { group: group(members), reads: reads_of(side, members, &slots) };
            let mut groups: Vec<SideGroup> = classes.iter().map(in_part).collect();
            groups.sort_by_key(|group| matches!(group.reads, GroupReads::Some(_)));
            let ones = groups.iter().filter_map(|group| match group.reads {
                GroupReads::One(place) => Some(place),
                GroupReads::Some(_) => None,
            });
            let ones: Vec<u8> = ones.collect();
            let with_node = of_node(role) == Some((role, side));
            let key = key_reads(set, columns, &joint, (role, side), with_node, buffer_is_suffix);
            let behind = match role {
                Role::B0 if buffer_is_suffix => read_behind(set),
                _ => Vec::new(),
            };
            let places = side.slots().iter().map(|&slot| slot_place(role, slot)).collect();
            SidePart { role, side, groups, ones, key, places, behind }
        };
        let parts = places.iter().zip(&in_parts).map(part).collect();
        let joint = that_fit(set, classes(&joint, |number| reaches[number].clone())).iter().map(group).collect();
        let of_role = |places: &[(Role, Side)]| RoleSides {
            role: places[0].0,
            sides: places.iter().map(|&(_, side)| side).collect(),
        };
        let roles: Vec<RoleSides> = places.chunk_by(|a, b| a.0 == b.0).map(of_role).collect();
        let words = roles.iter().flat_map(|&RoleSides { role, ref sides }| {
            PartialTree::mask(sides).into_iter().enumerate().map(move |(number, bits)| (role, number, bits))
        });
        let words = words.filter(|&(.., bits)| bits != 0).collect();
        Sides { parts, joint, roles, words }
    }

    /// The number of groups.
    pub fn n_groups(&self) -> usize {
        self.joint.len() + self.parts.iter().map(|part| part.groups.len()).sum::<usize>()
    }
}

impl Reach {
    fn of(slots: &[(Role, Slot)]) -> Reach {
        let mut roles: Vec<Role> = slots.iter().map(|&(role, _)| role).collect();
        // The last actions are on no side.
        let on_sides = slots.iter().filter(|(role, _)| *role != Role::A);
        let mut sides: Vec<(Role, Side)> =
            on_sides.flat_map(|&(role, slot)| Side::of(slot).into_iter().map(move |side| (role, side))).collect();
        roles.sort_unstable();
        roles.dedup();
        sides.sort_unstable();
        sides.dedup();
        Reach { roles, sides }
    }
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
                | Slot::L1L1Label
                | Slot::R1R1Label
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

/// Reads by the templates `joint` of a side of a place; `with_node` says whether this side is to determine the node.
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
                // The node also determines columns of words behind it and beside it.
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
