//! Extraction: from a configuration to the hashes of its features.

use super::address::slot_place;
use super::group::{AtomsRead, Hashed, Instruction};
use super::{Address, Atom, Behind, Compiled, FeatureSet, Group, Input, SidePart};
use crate::configuration::{History, Interner, LabelSets, Role, Slot, State, States, View};
use crate::tree::{NO_NODE, Node, ROOT};

/// Scratch memory of extraction.
#[derive(Debug, Clone)]
pub struct Extractor {
    /// The slots of the configuration at hand, by [`slot_place`].
    seen: [u16; 256],
    /// Atom values of the group at hand; number 0 is the constant that pads short templates.
    values: [u64; 256],
    /// The hash of each label set, by number, as far as met.
    set_hashes: Vec<u64>,
}

impl Default for Extractor {
    fn default() -> Extractor {
        Extractor { seen: [NO_NODE; 256], values: [0; 256], set_hashes: Vec::new() }
    }
}

impl Extractor {
    /// Forgets what it knows of label sets: to be called when [`LabelSets::clear_if_full`] has cleared them.
    pub fn clear(&mut self) {
        self.set_hashes.clear();
    }

    /// Looks at a configuration: keys and features of groups are those of the last one that was looked at.
    pub fn see(&mut self, features: &Compiled, states: &States, view: &View) {
        for part in &features.sides().parts {
            let state = view.cell(part.role).map_or(State::NOTHING, |cell| states.state(part.side, cell.id(part.side)));
            self.see_part(part, state, view);
        }
        self.see_others(features, states, view);
    }

    /// Looks at the state of a part.
    #[inline]
    pub fn see_part(&mut self, part: &SidePart, state: State, view: &View) {
        for (&place, value) in part.places.iter().zip(state.0) {
            self.seen[place as usize] = value;
        }
        for &Behind { role, node: place, ref bare } in &part.behind {
            let node = view.cell(role).map(|cell| cell.row());
            self.seen[place as usize] = node.unwrap_or(NO_NODE);
            for &(place, value) in bare {
                self.seen[place as usize] = node.map_or(NO_NODE, |_| value);
            }
        }
    }

    /// Looks at what no side has: sizes of trees, and the last actions.
    #[inline]
    pub fn see_others(&mut self, features: &Compiled, states: &States, view: &View) {
        if features.reads().sizes {
            for of_role in &features.sides().roles {
                let size = view.cell(of_role.role).map_or(NO_NODE, |cell| states.size(cell));
                self.seen[slot_place(of_role.role, Slot::Size) as usize] = size;
            }
        }
        if features.reads().history {
            let first = slot_place(Role::A, Slot::Node) as usize;
            let last = view.history.map_or([NO_NODE; History::LENGTH], |history| history.last);
            self.seen[first..first + last.len()].copy_from_slice(&last);
        }
    }

    /// The key of what a group reads that has this number.
    #[inline]
    pub fn key_of(&self, group: &Group, number: usize) -> u64 {
        let slot = |place: u8| u64::from(self.seen[place as usize]);
        let start = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words = group.key.iter();
        key(start, words.map(|&[a, b, c, d]| slot(a) | slot(b) << 16 | slot(c) << 32 | slot(d) << 48))
    }

    /// Appends the hashes of all features of a group to `hashes`, in the order of its templates. `prefetch` is called with each as soon
    /// as it is known.
    #[inline]
    pub fn extract_of(
        &mut self,
        group: &Group,
        input: &Input,
        sets: &LabelSets,
        hashes: &mut Vec<u64>,
        prefetch: impl FnMut(u64),
    ) {
        // PERF: whether words may have tags is asked once for all values.
        match input.has_tags() {
            false => self.extract::<false>(group, input, sets, hashes, prefetch),
            true => self.extract::<true>(group, input, sets, hashes, prefetch),
        }
    }

    #[inline]
    fn extract<const TAGS: bool>(
        &mut self,
        group: &Group,
        input: &Input,
        sets: &LabelSets,
        hashes: &mut Vec<u64>,
        mut prefetch: impl FnMut(u64),
    ) {
        let (of_columns, of_others) = self.values[1..].split_at_mut(group.columns.len());
        for (value, &(place, column)) in of_columns.iter_mut().zip(&group.columns) {
            *value = input.read_value::<TAGS>(column as usize, self.seen[place as usize]);
        }
        for (value, read) in of_others.iter_mut().zip(&group.reads) {
            *value = value_of::<TAGS>(&self.seen, &mut self.set_hashes, read, input, sets);
        }
        let values = &self.values;
        hashes.extend(group.templates.iter().map(|template| {
            let feature = feature(template, values);
            prefetch(feature);
            feature
        }));
    }

    /// Appends the hashes of all features to `hashes`, in the [order](Compiled::order) of learners. `prefetch` is called with each as
    /// soon as it is known.
    pub fn extract_all(
        &mut self,
        features: &Compiled,
        input: &Input,
        interner: &Interner,
        view: &View,
        hashes: &mut Vec<u64>,
        mut prefetch: impl FnMut(u64),
    ) {
        self.see(features, &interner.states(), view);
        for group in features.all() {
            self.extract_of(group, input, interner.label_sets(), hashes, &mut prefetch);
        }
    }
}

impl Compiled {
    /// The feature of the template of `set` with this number whose atoms have these values, as [`Shown`](super::Shown) says them;
    /// `None` if they are not as many as its atoms, or it reads anything else than columns.
    pub fn feature(&self, set: &FeatureSet, number: usize, values: &[&str]) -> Option<u64> {
        let templates = self.all().iter().flat_map(|group| &group.templates);
        let hashed = templates.clone().find(|template| usize::from(template.template) == number)?;
        let template = &set.templates[number];
        let mut numbers = [0; 256];
        for ((&place, atom), text) in hashed.atoms.iter().zip(&template.atoms).zip(values) {
            let &Atom::Of(_, attribute) = atom else { return None };
            numbers[usize::from(place)] = self.columns().value_shown(self.columns().named(attribute)?, text);
        }
        (values.len() == template.atoms.len()).then(|| feature(hashed, &numbers))
    }
}

/// The feature of a template, by the values of its group's atoms.
#[inline]
fn feature(template: &Hashed, values: &[u64; 256]) -> u64 {
    match template.read {
        AtomsRead::Two => hash::<2>(template, values),
        AtomsRead::Four => hash::<4>(template, values),
        AtomsRead::AllIf(condition) if values[condition as usize] == 0 => mix(template.seed),
        AtomsRead::All | AtomsRead::AllIf(_) => hash::<{ super::parse::MAX_ATOMS }>(template, values),
    }
}

/// The value of an attribute in these slots.
#[inline(always)]
fn value_of<const TAGS: bool>(
    seen: &[u16; 256],
    set_hashes: &mut Vec<u64>,
    read: &Instruction,
    input: &Input,
    sets: &LabelSets,
) -> u64 {
    let slot = |place: u8| seen[place as usize];
    match *read {
        Instruction::Column { place, column } => input.read_value::<TAGS>(column as usize, slot(place)),
        Instruction::Neighbour { place, column, address } => {
            input.read_value::<TAGS>(column as usize, node_of::<TAGS>(address, slot(place), input))
        }
        Instruction::Number { place } => u64::from(slot(place)) + 1,
        // Slots of a missing cell have no value.
        Instruction::Set { place } => match slot(place) {
            NO_NODE => 1,
            set => match set_hashes.get(set as usize) {
                Some(&hash) => hash,
                None => set_hash(set_hashes, sets, set),
            },
        },
        Instruction::Class { place } => match slot(place) {
            NO_NODE => 0,
            number => distance_class(number.into()),
        },
        Instruction::IsOne { place } => match slot(place) {
            NO_NODE => 0,
            number => 1 + u64::from(number == 1),
        },
        Instruction::Is { place, column, address, ref values } => {
            let node = node_of::<TAGS>(address, slot(place), input);
            u64::from(values.contains(&input.read_value::<TAGS>(column as usize, node)))
        }
        Instruction::Distance { from, to } => {
            let node = |role| slot(slot_place(role, Slot::Node));
            let node = |role| if TAGS { input.word(node(role)) } else { node(role) };
            distance((from, node(from)), (to, node(to)), input.n_words())
        }
        Instruction::Source => input.source(),
        Instruction::One => 1,
    }
}

/// [`Step::node`](super::Step::node) of a place that may hold a word with its tag.
#[inline]
fn node_of<const TAGS: bool>(Address { role, step }: Address, node: Node, input: &Input) -> Node {
    step.node(role, if TAGS && step.is_in_sentence() { input.word(node) } else { node }, input.n_words())
}

/// The hash of a label set that has not been met.
#[cold]
fn set_hash(set_hashes: &mut Vec<u64>, sets: &LabelSets, set: u16) -> u64 {
    for set in set_hashes.len()..=set as usize {
        let hash = sets.members(set as u16, |labels| {
            labels.iter().fold(2, |sum: u64, &label| {
                sum.wrapping_add(mix((u64::from(label) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            })
        });
        set_hashes.push(hash);
    }
    set_hashes[set as usize]
}

/// One key of several.
#[inline]
pub(crate) fn key(start: u64, words: impl Iterator<Item = u64>) -> u64 {
    let key = words.fold(start, |key, word| (key.rotate_left(29) ^ word).wrapping_mul(0x2d35_8dcc_aa6c_78a5));
    key ^ key >> 32
}

/// The class of the distance between the nodes in two places, 0 if one is empty.
#[inline]
pub(super) fn distance(from: (Role, Node), to: (Role, Node), n_words: usize) -> u64 {
    let position = |(role, node): (Role, Node)| match node {
        // A root in the buffer stands behind the last word.
        ROOT if role.in_buffer() => n_words + 1,
        node => node as usize,
    };
    if from.1 == NO_NODE || to.1 == NO_NODE { 0 } else { distance_class(position(from).abs_diff(position(to))) }
}

/// Zhang & Nivre's classes of distance, as in their released parser.
pub(super) fn distance_class(distance: usize) -> u64 {
    match distance {
        0..=4 => distance as u64,
        5..=10 => 5,
        _ => 6,
    }
}

/// A multilinear hash: independent multiplications, so that the processor can overlap them.
#[inline]
fn hash<const ATOMS: usize>(template: &Hashed, values: &[u64; 256]) -> u64 {
    const MULTIPLIERS: [u64; super::parse::MAX_ATOMS] = [
        0xd6e8_feb8_6659_fd93,
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
        0x5899_65cc_7537_4cc3,
        0x1d8e_4e27_c47d_124f,
    ];
    let mut sum = template.seed;
    for i in 0..ATOMS {
        sum = sum.wrapping_add(values[template.atoms[i] as usize].wrapping_mul(MULTIPLIERS[i]));
    }
    mix(sum)
}

/// Spreads what distinguishes a sum over all 64 bits.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x ^= x >> 32;
    x = x.wrapping_mul(0xe9846af9b1a615d);
    x ^ x >> 29
}
