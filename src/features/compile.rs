//! A feature set made ready for extraction: templates in groups that can be memoised, atoms as slot numbers.

use super::address::history_slot;
use super::{Atom, Attribute, Columns, FeatureSet};
use crate::configuration::{Role, Slot, SlotMask};

/// How to read one atom's value from the cells in all places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    /// The column's value of the node in a slot.
    Column { role: u8, slot: u8, column: u8 },
    /// The slot's number itself: a label or a count.
    Number { role: u8, slot: u8 },
    /// The hash of the label set in a slot.
    Set { role: u8, slot: u8 },
    /// The distance between two places, in classes.
    Distance { from: u8, to: u8 },
    /// The number in a slot, in classes.
    Class { role: u8, slot: u8 },
    /// Always 1.
    One,
    /// Whether a slot's number is 1.
    IsOne { role: u8, slot: u8 },
    /// 1 if the column's value of the node in a slot is one of these, else 0.
    Is { role: u8, slot: u8, column: u8, values: Box<[u64]> },
}

/// A template as the hash reads it: a seed of its own and the numbers of its atoms within the group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hashed {
    pub seed: u64,
    pub atoms: [u8; super::parse::MAX_ATOMS],
    pub n_atoms: u8,
    /// The number of the atom that must not be 0, if there is a condition; else 0.
    pub condition: u8,
    /// The template's number in the set.
    pub template: u16,
}

/// Templates that read the same places. What they contribute to the scores depends only on the slots they read, so it can be
/// memoised under the key of these slots (Goldberg, Zhao & Huang 2013 cache a stack's features in the same spirit).
#[derive(Debug, Clone)]
pub struct Group {
    pub(super) reads: Vec<Read>,
    /// Those with a condition last.
    pub(super) templates: Vec<Hashed>,
    pub(super) n_unconditional: usize,
    /// (place, number of the mask) for each place that the key depends on.
    pub(super) key: Vec<(u8, u8)>,
}

impl Group {
    /// The number of templates.
    pub fn len(&self) -> usize {
        self.templates.len()
    }

    /// Whether the group has no template.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// The places that the group's key depends on.
    pub fn places(&self) -> impl Iterator<Item = Role> + '_ {
        self.key.iter().map(|&(role, _)| Role::ALL[role as usize])
    }

    /// The numbers of the group's templates in the set.
    pub fn templates(&self) -> impl Iterator<Item = usize> + '_ {
        self.templates.iter().map(|t| t.template as usize)
    }
}

/// A compiled feature set.
#[derive(Debug, Clone)]
pub struct Compiled {
    pub(super) groups: Vec<Group>,
    masks: Vec<SlotMask>,
    columns: Columns,
    n_templates: usize,
    reads_history: bool,
}

impl Compiled {
    /// Compiles `set` over `columns`. `buffer_is_suffix` says whether B0 tells what is behind it
    /// ([`System::BUFFER_IS_SUFFIX`](crate::system::System::BUFFER_IS_SUFFIX)).
    pub fn new(set: &FeatureSet, columns: Columns, buffer_is_suffix: bool) -> Compiled {
        let mut classes: Vec<(Class, Vec<usize>)> = Vec::new();
        for (number, template) in set.templates.iter().enumerate() {
            let class = Class::of(&template.atoms);
            match classes.iter_mut().find(|(known, _)| *known == class) {
                Some((_, members)) => members.push(number),
                None => classes.push((class, vec![number])),
            }
        }
        let mut masks = Vec::new();
        let groups =
            classes.iter().map(|(_, members)| group(set, members, &columns, buffer_is_suffix, &mut masks)).collect();
        let mut atoms = set.templates.iter().flat_map(|template| &template.atoms);
        let reads_history = atoms.any(|atom| matches!(atom, Atom::Action(_)));
        Compiled { groups, masks, columns, n_templates: set.templates.len(), reads_history }
    }

    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The masks under which cells must carry keys.
    pub fn masks(&self) -> &[SlotMask] {
        &self.masks
    }

    /// The columns that the set reads.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Whether any template reads the last actions.
    #[inline]
    pub fn reads_history(&self) -> bool {
        self.reads_history
    }

    /// The number of templates.
    pub fn n_templates(&self) -> usize {
        self.n_templates
    }
}

/// What decides a template's group: the places of the stack, whether the buffer is read, and for templates of the buffer
/// alone whether they read more than its words. (Words of the buffer are fresh once per position, dependents of B0 more
/// often; together with the stack the difference is not worth a group.)
#[derive(Debug, PartialEq, Eq)]
struct Class {
    stack: u8,
    buffer: bool,
    tree_of_buffer: bool,
}

impl Class {
    fn of(atoms: &[Atom]) -> Class {
        let mut class = Class { stack: 0, buffer: false, tree_of_buffer: false };
        for (role, slot) in atoms.iter().flat_map(Atom::slots) {
            if role.in_buffer() {
                class.buffer = true;
                class.tree_of_buffer |= slot != Slot::Node;
            } else {
                class.stack |= 1 << role as u8;
            }
        }
        class.tree_of_buffer &= class.stack == 0;
        class
    }
}

fn group(
    set: &FeatureSet,
    members: &[usize],
    columns: &Columns,
    buffer_is_suffix: bool,
    masks: &mut Vec<SlotMask>,
) -> Group {
    let mut atoms: Vec<Atom> = Vec::new();
    let mut templates: Vec<Hashed> = Vec::new();
    for &number in members {
        let mut hashed = Hashed {
            seed: seed(number),
            atoms: [0; super::parse::MAX_ATOMS],
            n_atoms: 0,
            condition: 0,
            template: number as u16,
        };
        for atom in &set.templates[number].atoms {
            let place = atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                atoms.push(atom.clone());
                atoms.len() - 1
            });
            // Number 0 is the constant that pads short templates.
            let place = u8::try_from(place + 1).expect("a group has at most 255 different atoms");
            hashed.atoms[hashed.n_atoms as usize] = place;
            hashed.n_atoms += 1;
            if matches!(atom, Atom::Is(..)) {
                hashed.condition = place;
            }
        }
        templates.push(hashed);
    }
    templates.sort_by_key(|t| (t.condition != 0, t.n_atoms, t.template));
    let n_unconditional = templates.iter().take_while(|t| t.condition == 0).count();

    let mut slots: [Vec<Slot>; Role::COUNT] = Default::default();
    for (role, slot) in atoms.iter().flat_map(Atom::slots) {
        if buffer_is_suffix && role.in_buffer() && role != Role::B0 {
            // B0 determines what is behind it, and that has no arcs.
            slots[Role::B0 as usize].push(Slot::Node);
        } else {
            slots[role as usize].push(slot);
        }
    }
    let key = (0..Role::COUNT)
        .filter(|&role| !slots[role].is_empty())
        .map(|role| {
            let mask = SlotMask::of(slots[role].iter().copied());
            let number = masks.iter().position(|known| *known == mask).unwrap_or_else(|| {
                masks.push(mask);
                masks.len() - 1
            });
            (role as u8, number as u8)
        })
        .collect();
    let reads = atoms.iter().map(|atom| read(atom, columns)).collect();
    Group { reads, templates, n_unconditional, key }
}

fn read(atom: &Atom, columns: &Columns) -> Read {
    let number_of = |column| columns.index(column).expect("the columns are those of the set") as u8;
    match atom {
        Atom::Distance(a, b) => Read::Distance { from: *a as u8, to: *b as u8 },
        Atom::Action(number) => Read::Number { role: Role::A as u8, slot: history_slot(*number) as u8 },
        Atom::One => Read::One,
        Atom::Is(address, attribute, values) => {
            let column = columns.named(*attribute).expect("conditions are of columns");
            let values = values.iter().map(|value| columns.hash(column, value)).collect();
            let (role, slot) = (address.role as u8, address.step.node_slot() as u8);
            Read::Is { role, slot, column: number_of(column), values }
        }
        Atom::Of(address, attribute) => {
            let role = address.role as u8;
            if let Some(column) = columns.named(*attribute) {
                return Read::Column { role, slot: address.step.node_slot() as u8, column: number_of(column) };
            }
            match attribute {
                Attribute::Label => Read::Number { role, slot: address.step.label_slot() as u8 },
                Attribute::LeftValency => Read::Number { role, slot: Slot::LeftValency as u8 },
                Attribute::RightValency => Read::Number { role, slot: Slot::RightValency as u8 },
                Attribute::LeftLabels => Read::Set { role, slot: Slot::LeftLabels as u8 },
                Attribute::RightLabels => Read::Set { role, slot: Slot::RightLabels as u8 },
                Attribute::Size => Read::Class { role, slot: Slot::Size as u8 },
                Attribute::Leaf => Read::IsOne { role, slot: Slot::Size as u8 },
                Attribute::Word | Attribute::Tag | Attribute::Column(_) => unreachable!("it names a column"),
            }
        }
    }
}

/// A template's own starting value.
fn seed(template: usize) -> u64 {
    (template as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
