//! Signatures: what of a configuration decides all scores from there on, as far as it was not read before (the kernel features
//! of Huang & Sagae 2010).
//!
//! A word moves from the front of the buffer to the top of the stack and further down, and dependents are added beside those
//! that it has. So of each place counts what is read of it there or deeper down, and of the topmost node and the front of the
//! buffer, which get arcs, also what becomes something that is read: the outermost dependent, which another one will push
//! inwards; the head, which will be a dependent's head's head; the size, which goes into that of the head's.
//!
//! Of nodes of which only columns are read (the tag of a dependent, the form of S2), the values in these columns count and not
//! which node it is: scores distinguish no more.

use hashbrown::HashMap;

use super::{Atom, Attribute, Columns, FeatureSet, Input};
use crate::configuration::{Cell, Role, Slot, States};
use crate::error::{Problem, Result};
use crate::tree::{NO_NODE, Node};

/// Signature: the properties of the nodes on a stack and a buffer that a feature set reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// By number: S0, S1, S2, S3, B0.
    places: [PlaceProperties; N_PLACES],
}

const N_PLACES: usize = 5;
const STACK: [Role; 4] = [Role::S0, Role::S1, Role::S2, Role::S3];
const B0: usize = 4;

/// Properties of the node in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PlaceProperties {
    /// A bit for each slot.
    slots: u32,
    /// By number of a slot that holds a node: a bit for each column that counts of it, or [`WHOLE`].
    columns: [u16; NODE_SLOTS.len()],
}

/// The slots that hold nodes.
const NODE_SLOTS: [Slot; 9] =
    [Slot::Node, Slot::L1, Slot::L2, Slot::R1, Slot::R2, Slot::Head, Slot::Head2, Slot::L1L1, Slot::R1R1];
/// The node itself counts, not only its columns; or so do columns that have no bit.
const WHOLE: u16 = 1 << 15;

/// The slots that hold labels, or sets of them.
const LABEL_SLOTS: [Slot; 11] = [
    Slot::Label,
    Slot::HeadLabel,
    Slot::Head2Label,
    Slot::L1Label,
    Slot::L2Label,
    Slot::R1Label,
    Slot::R2Label,
    Slot::L1L1Label,
    Slot::R1R1Label,
    Slot::LeftLabels,
    Slot::RightLabels,
];

impl Signature {
    /// Signature of the configurations of `what` as `set`, whose columns are these, reads them.
    ///
    /// # Errors
    /// The first template that reads the last actions, with its line: they distinguish nearly all derivations.
    pub fn new(what: &str, set: &FeatureSet, columns: &Columns) -> Result<Signature> {
        let reads_actions = |atom: &&Atom| matches!(atom, Atom::Action(_));
        let found =
            set.templates.iter().find_map(|template| Some((template, template.atoms.iter().find(reads_actions)?)));
        if let Some((template, atom)) = found {
            let found = format!("template `{template}`, whose `{atom}` reads the last actions");
            let expected = format!(
                "for {what}, templates that read words and arcs: derivations that differ in their last actions cannot be merged"
            );
            return Err(Problem::at(set.path(), template.line, found, expected).into());
        }
        let atoms = || set.templates.iter().flat_map(|template| &template.atoms);
        Ok(Signature::of(|role| {
            let mut place = PlaceProperties::default();
            atoms().for_each(|atom| place.read(atom, role, columns));
            place
        }))
    }

    /// Signature of a network that reads these places: the nodes and labels themselves.
    pub fn of_places<'p>(places: impl Iterator<Item = &'p super::Place> + Clone) -> Signature {
        Signature::of(|role| {
            let mut place = PlaceProperties::default();
            places.clone().filter(|read| read.role == role).for_each(|read| place.add(read.slot, WHOLE));
            place
        })
    }

    /// Signature by `read`, the properties of each place of a configuration.
    fn of(read: impl Fn(Role) -> PlaceProperties) -> Signature {
        let mut all = PlaceProperties::default();
        Role::ALL.into_iter().for_each(|role| all.include(&read(role)));
        let mut places = [PlaceProperties::default(); N_PLACES];
        let mut below = PlaceProperties::default();
        for (place, &role) in STACK.iter().enumerate().rev() {
            below.include(&read(role));
            if role == Role::S0 {
                below.close(&all);
            }
            places[place] = below;
        }
        below.include(&read(Role::B0));
        below.close(&all);
        places[B0] = below;
        Signature { places }
    }

    /// True if labels of arcs count, in any place.
    pub fn reads_labels(&self) -> bool {
        LABEL_SLOTS.into_iter().any(|slot| self.places.iter().any(|place| place.has(slot)))
    }

    /// The signature made ready for a sentence.
    pub fn of_sentence(&self, input: &Input) -> SentenceSignature {
        let mut known: Vec<u16> = Vec::new();
        let mut classes = Vec::new();
        let mut class = |columns: u16| {
            let place = known.iter().position(|&other| other == columns).unwrap_or_else(|| {
                known.push(columns);
                classes.push(classes_of(columns, input));
                known.len() - 1
            });
            place as u8
        };
        let places = self.places.map(|place| {
            let by_slot = |slot: Slot| {
                let node_slot = NODE_SLOTS.iter().position(|&known| known == slot);
                let columns = node_slot.map(|number| place.columns[number]).filter(|columns| columns & WHOLE == 0);
                (slot, columns.map(&mut class))
            };
            Slot::ALL.into_iter().filter(|&slot| place.has(slot)).map(by_slot).collect()
        });
        SentenceSignature { places, classes }
    }
}

impl PlaceProperties {
    fn has(&self, slot: Slot) -> bool {
        self.slots >> slot as u32 & 1 == 1
    }

    fn columns(&self, slot: Slot) -> u16 {
        NODE_SLOTS.iter().position(|&known| known == slot).map_or(0, |number| self.columns[number])
    }

    /// Adds a slot, and of one that holds a node what counts of that.
    fn add(&mut self, slot: Slot, columns: u16) {
        self.slots |= 1 << slot as u32;
        if let Some(number) = NODE_SLOTS.iter().position(|&known| known == slot) {
            self.columns[number] |= columns;
        }
    }

    fn include(&mut self, other: &PlaceProperties) {
        self.slots |= other.slots;
        self.columns.iter_mut().zip(other.columns).for_each(|(columns, other)| *columns |= other);
    }

    /// Adds what an atom reads of `role`.
    fn read(&mut self, atom: &Atom, role: Role, columns: &Columns) {
        let column = |attribute: Attribute| columns.named(attribute).and_then(|column| columns.index(column));
        let counts = match *atom {
            Atom::Of(address, attribute) | Atom::Is(address, attribute, _) if !address.step.is_in_sentence() => {
                column(attribute).filter(|&column| column < 15).map_or(WHOLE, |column| 1 << column)
            }
            _ => WHOLE,
        };
        for (_, slot) in atom.slots().into_iter().filter(|&(of, _)| of == role) {
            self.add(slot, counts);
        }
    }

    /// Adds what becomes something that is read, in any place, when the node gets a dependent, a head, or becomes a head.
    fn close(&mut self, all: &PlaceProperties) {
        self.add(Slot::Node, WHOLE);
        let becomes = [
            (Slot::L1, Slot::L1L1),
            (Slot::L1Label, Slot::L1L1Label),
            (Slot::R1, Slot::R1R1),
            (Slot::R1Label, Slot::R1R1Label),
            (Slot::L1, Slot::L2),
            (Slot::L1Label, Slot::L2Label),
            (Slot::R1, Slot::R2),
            (Slot::R1Label, Slot::R2Label),
            (Slot::Head, Slot::Head2),
            (Slot::HeadLabel, Slot::Head2Label),
            (Slot::Label, Slot::HeadLabel),
            (Slot::Size, Slot::Size),
        ];
        for (from, to) in becomes {
            // A label becomes a head's label, and that the label of a head's head.
            if all.has(to) || self.has(to) {
                self.add(from, all.columns(to) | self.columns(to));
            }
        }
    }
}

/// By node, the root first: the first node of the same values in these columns.
fn classes_of(columns: u16, input: &Input) -> Vec<Node> {
    let mut first = HashMap::new();
    let class = |node: Node| {
        let read = (0..u16::BITS as usize).filter(|column| columns >> column & 1 == 1);
        let values: Vec<u64> = read.map(|column| input.value(column, node)).collect();
        *first.entry(values).or_insert(node)
    };
    (0..=input.n_words() as Node).map(class).collect()
}

/// A [`Signature`] for one sentence.
#[derive(Debug)]
pub struct SentenceSignature {
    /// By place: the slots that count, with the number of the classes that distinguish the nodes in them.
    places: [Vec<(Slot, Option<u8>)>; N_PLACES],
    classes: Vec<Vec<Node>>,
}

impl SentenceSignature {
    /// A fingerprint of S0 and B0, and of the stack below S0 if `whole`: equal ones have equal signatures but for a chance of
    /// about 2^-64. `more` goes into it.
    pub fn key<'a>(
        &self,
        states: &States,
        (s0, b0): (Option<&'a Cell<'a>>, Option<&'a Cell<'a>>),
        whole: bool,
        more: u64,
    ) -> u64 {
        let mut key = self.add(states, more, B0, b0);
        let mut cell = s0;
        for place in 0..if whole { STACK.len() } else { 1 } {
            key = self.add(states, key, place, cell);
            cell = cell.and_then(|cell| cell.below);
        }
        key
    }

    fn add<'a>(&self, states: &States, key: u64, place: usize, cell: Option<&'a Cell<'a>>) -> u64 {
        let Some(cell) = cell else { return mixed(key, u64::MAX) };
        // Four slots at a time.
        let value = |&(slot, class): &(Slot, Option<u8>)| {
            let value = states.get(cell, slot);
            let node = class.filter(|_| value != NO_NODE);
            u64::from(node.map_or(value, |class| self.classes[usize::from(class)][usize::from(value)]))
        };
        let words =
            self.places[place].chunks(4).map(|slots| slots.iter().fold(0, |word, slot| word << 16 | value(slot)));
        words.fold(mixed(key, place as u64), mixed)
    }
}

/// A key with another number in it: multiplied to 128 bits and folded.
fn mixed(key: u64, word: u64) -> u64 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xc2b2_ae3d_27d4_eb4f);
    ((product >> 64) as u64 ^ product as u64).rotate_left(23) ^ word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::WordShape;
    use crate::treebank::Column;

    fn signature(text: &str) -> Result<Signature> {
        let set = FeatureSet::parse("my", "my.feat", text).unwrap();
        Signature::new("merging", &set, &Columns::of(&set, Column::Form, WordShape::AsWritten, Column::Upos))
    }

    fn slots(place: &PlaceProperties) -> Vec<(Slot, u16)> {
        let all =
            [Slot::Node, Slot::Label, Slot::L1, Slot::L1Label, Slot::L2, Slot::L2Label, Slot::R1, Slot::R2, Slot::Head];
        all.into_iter().filter(|&slot| place.has(slot)).map(|slot| (slot, place.columns(slot))).collect()
    }

    #[test]
    fn what_is_read_deeper_down_counts() {
        // Forms are column 0, tags column 1.
        let Signature { places } = signature("S0.w\nS1.p S0.l2.p\nS2.p S1.label\ndist(S3,B0)").unwrap();
        let by_place = [
            vec![(Slot::Node, WHOLE | 3), (Slot::Label, 0), (Slot::L1, 2), (Slot::L2, 2)],
            vec![(Slot::Node, WHOLE | 2), (Slot::Label, 0)],
            vec![(Slot::Node, WHOLE | 2)],
            vec![(Slot::Node, WHOLE)],
            vec![(Slot::Node, WHOLE | 3), (Slot::Label, 0), (Slot::L1, 2), (Slot::L2, 2)],
        ];
        assert_eq!(places.map(|place| slots(&place)), by_place);
        let read = |text: &str| signature(text).unwrap();
        assert!(!read("S0.l2.p S0.vl\nS0.size B0.leaf").reads_labels());
        for text in ["S2.label", "S0.sl", "B0.l1.label", "S0.h.label"] {
            assert!(read(text).reads_labels(), "{text}");
        }
        let heads = read("S0.h.h.label S2.h.h.w").places[0];
        assert!(heads.has(Slot::Label) && heads.has(Slot::HeadLabel) && heads.columns(Slot::Head) == 1);
    }

    #[test]
    fn what_reads_the_last_actions_has_none() {
        let error = signature("S0.w\n# history\nS0.p A2").unwrap_err().to_string();
        assert!(error.starts_with("my.feat:3: template `S0.p A2`, whose `A2` reads the last actions"), "{error}");
    }
}
