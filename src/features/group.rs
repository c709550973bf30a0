//! Groups of templates that can be memoised, with their atoms as slot numbers.

use super::address::{history_slot, slot_place};
use super::{Address, Atom, Attribute, Columns, FeatureSet, Step, Template};
use crate::configuration::{Role, Slot};

/// Instruction to read one atom's value; places are those of [`slot_place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Instruction {
    /// The column's value of the node in a slot.
    Column { place: u8, column: u8 },
    /// The column's value of a neighbour in the sentence of the node in a slot.
    Neighbour { place: u8, column: u8, address: Address },
    /// The slot's number itself: a label or a count.
    Number { place: u8 },
    /// The hash of the label set in a slot.
    Set { place: u8 },
    /// The distance between two places, in classes.
    Distance { from: Role, to: Role },
    /// The number in a slot, in classes.
    Class { place: u8 },
    /// The hash of the name of the sentence's treebank.
    Source,
    /// Always 1.
    One,
    /// True if a slot's number is 1.
    IsOne { place: u8 },
    /// 1 if the column's value of the node in a slot, or of its neighbour, is one of these, else 0.
    Is { place: u8, column: u8, address: Address, values: Box<[u64]> },
}

/// A template as the hash reads it: a seed of its own and the numbers of its atoms within the group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hashed {
    pub seed: u64,
    pub atoms: [u8; super::parse::MAX_ATOMS],
    pub read: AtomsRead,
    /// The template's number in the set.
    pub template: u16,
}

/// Atoms of a template that its hash reads. Those behind the template's last one are the constant that adds nothing. PERF: one choice for
/// each template, not one for its length and one for its condition.
#[derive(Debug, Clone, Copy)]
pub(super) enum AtomsRead {
    /// The first two.
    Two,
    /// The first four.
    Four,
    /// All.
    All,
    /// All if the atom with this number, which is a condition, is not 0; else none.
    AllIf(u8),
}

/// Templates that read the same places, and of these the same sides: words, heads, left or right dependents. What they
/// contribute to the scores depends only on the slots they read, so it can be memoised under the key of these slots
/// (Goldberg, Zhao & Huang 2013 cache a stack's features in the same spirit).
#[derive(Debug, Clone)]
pub struct Group {
    /// The first atoms: the columns' values of the nodes in these slots, (place, column). PERF: that is what most atoms are, and to read
    /// them takes no choice.
    pub(super) columns: Vec<(u8, u8)>,
    /// The other atoms.
    pub(super) reads: Vec<Instruction>,
    pub(super) templates: Vec<Hashed>,
    /// The places of the slots that the key depends on, four to a word; the last word repeats its last slot.
    pub(super) key: Vec<[u8; 4]>,
}

impl Group {
    /// The number of templates.
    pub fn len(&self) -> usize {
        self.templates.len()
    }

    /// True if the group has no template.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }
}

/// Rank of a template within a group: those with a condition come last.
pub(super) fn rank(template: &Template, number: usize) -> (bool, usize, usize) {
    (template.atoms.iter().any(|atom| matches!(atom, Atom::Is(..))), template.atoms.len(), number)
}

/// The members by class, classes in order of their first member.
pub(super) fn classes<K: PartialEq>(members: &[usize], class: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut classes: Vec<(K, Vec<usize>)> = Vec::new();
    for &member in members {
        let class = class(member);
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, members)) => members.push(member),
            None => classes.push((class, vec![member])),
        }
    }
    classes.into_iter().map(|(_, members)| members).collect()
}

/// Slot from which the value of a slot follows. In a buffer that is a suffix, B0 determines the words behind it, and these have no
/// arcs.
pub(super) fn seen_from(role: Role, slot: Slot, buffer_is_suffix: bool) -> (Role, Slot) {
    if buffer_is_suffix && role.in_buffer() && role != Role::B0 { (Role::B0, Slot::Node) } else { (role, slot) }
}

/// The slots that templates read, by place.
type SlotsRead = [Vec<Slot>; Role::COUNT];

fn slots_read(set: &FeatureSet, members: &[usize], buffer_is_suffix: bool) -> SlotsRead {
    let mut slots = SlotsRead::default();
    for (role, slot) in members.iter().flat_map(|&number| &set.templates[number].atoms).flat_map(Atom::slots) {
        let (role, slot) = seen_from(role, slot, buffer_is_suffix);
        let slots = &mut slots[role as usize];
        if !slots.contains(&slot) {
            slots.push(slot);
        }
    }
    slots
}

/// The classes, those cut in two whose templates have more different atoms than a byte can number.
pub(super) fn that_fit(set: &FeatureSet, classes: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut fit = Vec::new();
    let mut waiting: Vec<Vec<usize>> = classes.into_iter().rev().collect();
    while let Some(mut members) = waiting.pop() {
        if n_atoms(set, &members) < 256 {
            fit.push(members);
        } else {
            let rest = members.split_off(members.len() / 2);
            waiting.extend([rest, members]);
        }
    }
    fit
}

fn n_atoms(set: &FeatureSet, members: &[usize]) -> usize {
    let mut atoms: Vec<&Atom> = members.iter().flat_map(|&number| &set.templates[number].atoms).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.len()
}

/// Group of templates, those with a condition last.
pub(super) fn group(set: &FeatureSet, members: &[usize], columns: &Columns, buffer_is_suffix: bool) -> Group {
    let mut members = members.to_vec();
    members.sort_by_key(|&number| rank(&set.templates[number], number));
    group_in_order(set, &members, columns, buffer_is_suffix)
}

/// Group of templates in this order.
pub(super) fn group_in_order(set: &FeatureSet, members: &[usize], columns: &Columns, buffer_is_suffix: bool) -> Group {
    let mut atoms: Vec<&Atom> = members.iter().flat_map(|&number| &set.templates[number].atoms).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.sort_by_key(|atom| !matches!(read(atom, columns), Instruction::Column { .. }));
    let mut templates: Vec<Hashed> = Vec::new();
    for &number in members {
        let mut hashed = Hashed {
            seed: seed(number),
            atoms: [0; super::parse::MAX_ATOMS],
            read: AtomsRead::Two,
            template: number as u16,
        };
        let template = &set.templates[number];
        let place = |atom| {
            let place = atoms.iter().position(|&known| known == atom);
            // Number 0 is the constant that pads short templates.
            place.and_then(|place| u8::try_from(place + 1).ok()).expect("a group has at most 255 different atoms")
        };
        for (hashed, atom) in hashed.atoms.iter_mut().zip(&template.atoms) {
            *hashed = place(atom);
        }
        let condition = template.atoms.iter().rfind(|atom| matches!(atom, Atom::Is(..)));
        hashed.read = match (condition, template.atoms.len()) {
            (Some(condition), _) => AtomsRead::AllIf(place(condition)),
            (None, 0..=2) => AtomsRead::Two,
            (None, 3..=4) => AtomsRead::Four,
            (None, _) => AtomsRead::All,
        };
        templates.push(hashed);
    }
    let slots = slots_read(set, members, buffer_is_suffix);
    let slots = Role::ALL.into_iter().zip(&slots).flat_map(|(role, slots)| slots.iter().map(move |&slot| (role, slot)));
    let read_slots: Vec<u8> = slots.map(|(role, slot)| slot_place(role, slot)).collect();
    let word = |slots: &[u8]| std::array::from_fn(|i| slots[i.min(slots.len() - 1)]);
    let key = read_slots.chunks(4).map(word).collect();
    let (mut of_columns, mut reads) = (Vec::new(), Vec::new());
    for atom in atoms {
        match read(atom, columns) {
            Instruction::Column { place, column } => of_columns.push((place, column)),
            read => reads.push(read),
        }
    }
    Group { columns: of_columns, reads, templates, key }
}

fn read(atom: &Atom, columns: &Columns) -> Instruction {
    let number_of = |column| columns.index(column).expect("the columns are those of the set") as u8;
    match atom {
        Atom::Distance(from, to) => Instruction::Distance { from: *from, to: *to },
        Atom::Action(number) => Instruction::Number { place: slot_place(Role::A, history_slot(*number)) },
        Atom::Source => Instruction::Source,
        Atom::One => Instruction::One,
        Atom::Is(address, attribute, values) => {
            let column = columns.named(*attribute).expect("conditions are of columns");
            let values = values.iter().map(|value| columns.hash(column, value)).collect();
            let place = slot_place(address.role, address.step.node_slot());
            Instruction::Is { place, column: number_of(column), address: *address, values }
        }
        Atom::Of(address, attribute) => {
            let place = |slot| slot_place(address.role, slot);
            if let Some(column) = columns.named(*attribute) {
                let (place, column) = (place(address.step.node_slot()), number_of(column));
                return match address.step {
                    Step::Previous | Step::Next => Instruction::Neighbour { place, column, address: *address },
                    _ => Instruction::Column { place, column },
                };
            }
            match attribute {
                Attribute::Label => Instruction::Number { place: place(address.step.label_slot()) },
                Attribute::LeftValency => Instruction::Number { place: place(Slot::LeftValency) },
                Attribute::RightValency => Instruction::Number { place: place(Slot::RightValency) },
                Attribute::LeftLabels => Instruction::Set { place: place(Slot::LeftLabels) },
                Attribute::RightLabels => Instruction::Set { place: place(Slot::RightLabels) },
                Attribute::Size => Instruction::Class { place: place(Slot::Size) },
                Attribute::Leaf => Instruction::IsOne { place: place(Slot::Size) },
                Attribute::Word | Attribute::Tag | Attribute::Column(_) | Attribute::Inside(..) => {
                    unreachable!("it names a column")
                }
            }
        }
    }
}

/// A template's own starting value.
fn seed(template: usize) -> u64 {
    (template as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
