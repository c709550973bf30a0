//! A feature set made ready for extraction: templates in groups that can be memoised, atoms as slot numbers.

use std::ops::Range;

use super::address::history_slot;
use super::extract::slot_place;
use super::{Address, Atom, Attribute, Columns, FeatureSet, Sides, Step, Template};
use crate::configuration::{Role, Slot, SlotMask};

/// Instruction to read one atom's value; places are those of [`slot_place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
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
    pub n_atoms: u8,
    /// The number of the atom that must not be 0, if there is a condition; else 0.
    pub condition: u8,
    /// The template's number in the set.
    pub template: u16,
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
    pub(super) reads: Vec<Read>,
    /// Those with a condition last.
    pub(super) templates: Vec<Hashed>,
    /// The places of the slots that the key depends on, four to a word; the last word repeats its last slot.
    pub(super) key: Vec<[u8; 4]>,
    places: Vec<Role>,
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

    /// The places that the group's key depends on.
    pub fn places(&self) -> impl Iterator<Item = Role> + '_ {
        self.places.iter().copied()
    }

    /// True if the group reads several places.
    pub fn is_joint(&self) -> bool {
        self.places.len() > 1
    }

    /// The numbers of the group's templates in the set.
    pub fn templates(&self) -> impl Iterator<Item = usize> + '_ {
        self.templates.iter().map(|t| t.template as usize)
    }
}

/// The groups that read the same places, whatever they read there. Their sum is memoised, too, so that a configuration
/// whose left dependents alone are new looks up the features of left dependents alone.
#[derive(Debug, Clone)]
pub struct Part {
    /// The numbers of its groups.
    pub groups: Range<usize>,
    pub(super) key: CellKeys,
}

/// (place, number of the mask) for each place that a key depends on: cells carry their keys under these masks.
pub(super) type CellKeys = Vec<(Role, u8)>;

/// A compiled feature set.
#[derive(Debug, Clone)]
pub struct Compiled {
    pub(super) groups: Vec<Group>,
    pub(super) parts: Vec<Part>,
    /// The places that any feature of the set reads, with the masks of their keys.
    pub(super) whole: CellKeys,
    places_read: Vec<Role>,
    masks: Vec<SlotMask>,
    columns: Columns,
    n_templates: usize,
    reads_history: bool,
    sides: Option<Sides>,
}

impl Compiled {
    /// Compiles `set` over `columns`. `buffer_is_suffix` says whether B0 tells what is behind it
    /// ([`SystemInfo::buffer_is_suffix`](crate::system::SystemInfo::buffer_is_suffix)).
    pub fn new(set: &FeatureSet, columns: Columns, buffer_is_suffix: bool) -> Compiled {
        let mut masks = Masks::default();
        let (mut groups, mut parts): (Vec<Group>, Vec<Part>) = (Vec::new(), Vec::new());
        let all: Vec<usize> = (0..set.templates.len()).collect();
        for members in classes(&all, |number| places(&set.templates[number])) {
            let first = groups.len();
            for members in classes(&members, |number| sides(&set.templates[number], buffer_is_suffix)) {
                groups.push(group(set, &members, &columns, buffer_is_suffix));
            }
            let key = masks.key(slots_read(set, &members, buffer_is_suffix));
            parts.push(Part { groups: first..groups.len(), key });
        }
        let whole = masks.key(slots_read(set, &all, buffer_is_suffix));
        // Also the places whose cells hold the keys of other places.
        let read = |(role, slot)| [role, seen_from(role, slot, buffer_is_suffix).0];
        let read: Vec<Role> =
            set.templates.iter().flat_map(|t| &t.atoms).flat_map(Atom::slots).flat_map(read).collect();
        let is_read = |role: &Role| read.contains(role);
        let places_read = Role::ALL.into_iter().filter(is_read).collect();
        let mut atoms = set.templates.iter().flat_map(|template| &template.atoms);
        let reads_history = atoms.any(|atom| matches!(atom, Atom::Action(_)));
        let n_templates = set.templates.len();
        let sides = Sides::new(set, &columns, buffer_is_suffix);
        Compiled { groups, parts, whole, places_read, masks: masks.0, columns, n_templates, reads_history, sides }
    }

    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The parts: every group is in one of them.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The masks under which cells must carry keys.
    pub fn masks(&self) -> &[SlotMask] {
        &self.masks
    }

    /// The places that features read.
    #[inline]
    pub fn places_read(&self) -> &[Role] {
        &self.places_read
    }

    /// The columns that the set reads.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// True if any template reads the last actions.
    #[inline]
    pub fn reads_history(&self) -> bool {
        self.reads_history
    }

    /// The number of templates.
    pub fn n_templates(&self) -> usize {
        self.n_templates
    }

    /// The templates by the sides of nodes that they read, if they can be told apart by these.
    #[inline]
    pub fn sides(&self) -> Option<&Sides> {
        self.sides.as_ref()
    }
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

/// Key of a template's part: the places of the stack that it reads, and true if it reads the buffer.
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

/// Key of a template's group within its part: the sides of its places that it reads.
fn sides(template: &Template, buffer_is_suffix: bool) -> u128 {
    let read = template.atoms.iter().flat_map(Atom::slots).map(|(role, slot)| seen_from(role, slot, buffer_is_suffix));
    read.fold(0, |sides, (role, slot)| sides | 1 << (role as u32 * 7 + side(slot)))
}

/// Where the value of a slot can be told from: in a buffer that is a suffix, B0 tells what is behind it, and that has no
/// arcs.
pub(super) fn seen_from(role: Role, slot: Slot, buffer_is_suffix: bool) -> (Role, Slot) {
    if buffer_is_suffix && role.in_buffer() && role != Role::B0 { (Role::B0, Slot::Node) } else { (role, slot) }
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

fn masks_of(slots: &SlotsRead) -> impl Iterator<Item = (Role, SlotMask)> {
    let read = Role::ALL.into_iter().zip(slots).filter(|(_, slots)| !slots.is_empty());
    read.map(|(role, slots)| (role, SlotMask::of(slots.iter().copied())))
}

/// The masks under which cells carry keys.
#[derive(Default)]
struct Masks(Vec<SlotMask>);

impl Masks {
    fn key(&mut self, slots: SlotsRead) -> CellKeys {
        masks_of(&slots).map(|(role, mask)| (role, self.number(mask))).collect()
    }

    fn number(&mut self, mask: SlotMask) -> u8 {
        let number = self.0.iter().position(|known| *known == mask).unwrap_or_else(|| {
            self.0.push(mask);
            self.0.len() - 1
        });
        number as u8
    }
}

pub(super) fn group(set: &FeatureSet, members: &[usize], columns: &Columns, buffer_is_suffix: bool) -> Group {
    let mut atoms: Vec<&Atom> = members.iter().flat_map(|&number| &set.templates[number].atoms).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms.sort_by_key(|atom| !matches!(read(atom, columns), Read::Column { .. }));
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
            let place = atoms.iter().position(|&known| known == atom);
            // Number 0 is the constant that pads short templates.
            let place =
                place.and_then(|place| u8::try_from(place + 1).ok()).expect("a group has at most 255 different atoms");
            hashed.atoms[hashed.n_atoms as usize] = place;
            hashed.n_atoms += 1;
            if matches!(atom, Atom::Is(..)) {
                hashed.condition = place;
            }
        }
        templates.push(hashed);
    }
    templates.sort_by_key(|t| (t.condition != 0, t.n_atoms, t.template));
    let slots = slots_read(set, members, buffer_is_suffix);
    let places = masks_of(&slots).map(|(role, _)| role).collect();
    let slots = Role::ALL.into_iter().zip(&slots).flat_map(|(role, slots)| slots.iter().map(move |&slot| (role, slot)));
    let read_slots: Vec<u8> = slots.map(|(role, slot)| slot_place(role, slot)).collect();
    let word = |slots: &[u8]| std::array::from_fn(|i| slots[i.min(slots.len() - 1)]);
    let key = read_slots.chunks(4).map(word).collect();
    let (mut of_columns, mut reads) = (Vec::new(), Vec::new());
    for atom in atoms {
        match read(atom, columns) {
            Read::Column { place, column } => of_columns.push((place, column)),
            read => reads.push(read),
        }
    }
    Group { columns: of_columns, reads, templates, key, places }
}

fn read(atom: &Atom, columns: &Columns) -> Read {
    let number_of = |column| columns.index(column).expect("the columns are those of the set") as u8;
    match atom {
        Atom::Distance(from, to) => Read::Distance { from: *from, to: *to },
        Atom::Action(number) => Read::Number { place: slot_place(Role::A, history_slot(*number)) },
        Atom::One => Read::One,
        Atom::Is(address, attribute, values) => {
            let column = columns.named(*attribute).expect("conditions are of columns");
            let values = values.iter().map(|value| columns.hash(column, value)).collect();
            let place = slot_place(address.role, address.step.node_slot());
            Read::Is { place, column: number_of(column), address: *address, values }
        }
        Atom::Of(address, attribute) => {
            let place = |slot| slot_place(address.role, slot);
            if let Some(column) = columns.named(*attribute) {
                let (place, column) = (place(address.step.node_slot()), number_of(column));
                return match address.step {
                    Step::Previous | Step::Next => Read::Neighbour { place, column, address: *address },
                    _ => Read::Column { place, column },
                };
            }
            match attribute {
                Attribute::Label => Read::Number { place: place(address.step.label_slot()) },
                Attribute::LeftValency => Read::Number { place: place(Slot::LeftValency) },
                Attribute::RightValency => Read::Number { place: place(Slot::RightValency) },
                Attribute::LeftLabels => Read::Set { place: place(Slot::LeftLabels) },
                Attribute::RightLabels => Read::Set { place: place(Slot::RightLabels) },
                Attribute::Size => Read::Class { place: place(Slot::Size) },
                Attribute::Leaf => Read::IsOne { place: place(Slot::Size) },
                Attribute::Word | Attribute::Tag | Attribute::Column(_) => unreachable!("it names a column"),
            }
        }
    }
}

/// A template's own starting value.
fn seed(template: usize) -> u64 {
    (template as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
