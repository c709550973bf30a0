//! Addresses and atoms: what a template may speak of.

use super::{Name, TextPart};
use crate::configuration::{N_SLOTS, Role, Slot};
use crate::tree::{NO_NODE, Node, ROOT};
use crate::treebank::Column;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A step from a node to a neighbour: in the tree built so far, or in the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The node itself.
    Here,
    /// Its head (`.h`).
    Head,
    /// Its head's head (`.h.h`).
    Head2,
    /// Its leftmost dependent (`.l1`).
    Left1,
    /// Its second leftmost left dependent (`.l2`).
    Left2,
    /// Its rightmost dependent (`.r1`).
    Right1,
    /// Its second rightmost right dependent (`.r2`).
    Right2,
    /// The leftmost dependent of its leftmost dependent, as that was when it was attached (`.l1.l1`).
    Left1Left1,
    /// The rightmost dependent of its rightmost dependent, as that was when it was attached (`.r1.r1`).
    Right1Right1,
    /// The word before it in the sentence (`.prev`).
    Previous,
    /// The word behind it in the sentence (`.next`).
    Next,
}

impl Step {
    /// Every step with its spelling.
    pub const ALL: [(Step, &'static str); 11] = [
        (Step::Here, ""),
        (Step::Head, ".h"),
        (Step::Head2, ".h.h"),
        (Step::Left1, ".l1"),
        (Step::Left2, ".l2"),
        (Step::Right1, ".r1"),
        (Step::Right2, ".r2"),
        (Step::Left1Left1, ".l1.l1"),
        (Step::Right1Right1, ".r1.r1"),
        (Step::Previous, ".prev"),
        (Step::Next, ".next"),
    ];

    /// True if it goes along the sentence, whatever the tree: then the node that it starts from determines it.
    pub fn is_in_sentence(self) -> bool {
        matches!(self, Step::Previous | Step::Next)
    }

    /// The node that is read of a place where [`Step::node_slot`] holds `node`, in a sentence of `n_words`. A root at the bottom
    /// of a stack stands before the first word, and one in the buffer behind the last.
    #[inline]
    pub fn node(self, role: Role, node: Node, n_words: usize) -> Node {
        let last = n_words as Node;
        let word = |word: Node| if (1..=last).contains(&word) { word } else { NO_NODE };
        match self {
            _ if node == NO_NODE => NO_NODE,
            Step::Previous if node == ROOT => word(if role.in_buffer() { last } else { ROOT }),
            Step::Previous => word(node - 1),
            Step::Next if node == ROOT => word(if role.in_buffer() { ROOT } else { 1 }),
            Step::Next => word(node + 1),
            _ => node,
        }
    }

    /// The slot that holds the node, or of steps in the sentence, the node that they start from.
    pub fn node_slot(self) -> Slot {
        match self {
            Step::Here | Step::Previous | Step::Next => Slot::Node,
            Step::Head => Slot::Head,
            Step::Head2 => Slot::Head2,
            Step::Left1 => Slot::L1,
            Step::Left2 => Slot::L2,
            Step::Right1 => Slot::R1,
            Step::Right2 => Slot::R2,
            Step::Left1Left1 => Slot::L1L1,
            Step::Right1Right1 => Slot::R1R1,
        }
    }

    /// The slot that holds the label of the arc into the node; not of steps in the sentence, whose nodes are known as words
    /// alone.
    pub fn label_slot(self) -> Slot {
        match self {
            Step::Here | Step::Previous | Step::Next => Slot::Label,
            Step::Head => Slot::HeadLabel,
            Step::Head2 => Slot::Head2Label,
            Step::Left1 => Slot::L1Label,
            Step::Left2 => Slot::L2Label,
            Step::Right1 => Slot::R1Label,
            Step::Right2 => Slot::R2Label,
            Step::Left1Left1 => Slot::L1L1Label,
            Step::Right1Right1 => Slot::R1R1Label,
        }
    }
}

/// A node: a place and a step from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The place.
    pub role: Role,
    /// The step.
    pub step: Step,
}

/// Attribute of a node that an atom reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribute {
    /// The column that the options call the word (`.w`).
    Word,
    /// The column that the options call the tag (`.p`).
    Tag,
    /// A column by its own name (`.form`, `.lemma`, `.upos`, `.xpos`, `.feats`).
    Column(Column),
    /// The label of the arc into the node (`.label`).
    Label,
    /// The number of left dependents (`.vl`); only of a place itself.
    LeftValency,
    /// The number of right dependents (`.vr`).
    RightValency,
    /// The set of labels of left dependents (`.sl`).
    LeftLabels,
    /// The set of labels of right dependents (`.sr`).
    RightLabels,
    /// The number of words of the partial tree (`.size`), the node included, in the classes of [`Atom::Distance`]. Where a
    /// word may be attached before it has all its dependents, later ones are not counted.
    Size,
    /// True if the node has no dependents (`.leaf`).
    Leaf,
    /// Something inside a column: of FORM, which stands for the column that the options call the word, a prefix, a suffix or the
    /// shape (`.pre2`, `.suf3`, `.shape`), or the path of its cluster (`.c4`, `.c`); of FEATS or MISC the value of a name (`.feats:Case`, `.misc:Gloss`), or of each (`.feats*`); behind
    /// MISC another column of CoNLL-U Plus (`.column:PARSEME:MWE`).
    Inside(Column, TextPart),
}

/// The columns that are lists of names and values, with their spelling.
const NAMED: [(Column, &str); 2] = [(Column::Feats, "feats"), (Column::Misc, "misc")];

impl Attribute {
    /// Every attribute with its spelling, but for those inside columns.
    pub const ALL: [(Attribute, &'static str); 14] = [
        (Attribute::Word, "w"),
        (Attribute::Tag, "p"),
        (Attribute::Column(Column::Form), "form"),
        (Attribute::Column(Column::Lemma), "lemma"),
        (Attribute::Column(Column::Upos), "upos"),
        (Attribute::Column(Column::Xpos), "xpos"),
        (Attribute::Column(Column::Feats), "feats"),
        (Attribute::Label, "label"),
        (Attribute::LeftValency, "vl"),
        (Attribute::RightValency, "vr"),
        (Attribute::LeftLabels, "sl"),
        (Attribute::RightLabels, "sr"),
        (Attribute::Size, "size"),
        (Attribute::Leaf, "leaf"),
    ];

    /// True if it reads the column that a tagger fills, which is `target` and the one that the options call the tag.
    pub fn reads(self, target: Column) -> bool {
        match self {
            Attribute::Tag => true,
            Attribute::Column(column) | Attribute::Inside(column, _) => column == target,
            _ => false,
        }
    }

    /// True if it reads clusters of words.
    pub fn is_cluster(self) -> bool {
        matches!(self, Attribute::Inside(_, TextPart::Cluster(_)))
    }

    /// The attribute with this spelling.
    pub fn spelled(spelling: &str) -> Option<Attribute> {
        let of_whole = Attribute::ALL.iter().find(|(_, known)| *known == spelling).map(|&(attribute, _)| attribute);
        of_whole.or_else(|| Attribute::inside(spelling))
    }

    /// True if it reads a column of the sentence.
    pub fn is_column(self) -> bool {
        matches!(self, Attribute::Word | Attribute::Tag | Attribute::Column(_) | Attribute::Inside(..))
    }

    /// The attribute inside a column that `spelling` names, such as `pre2`, `suf3`, `shape`, `feats:Case`.
    fn inside(spelling: &str) -> Option<Attribute> {
        let letters = |n: &str| n.parse().ok().filter(|n| (1..=TextPart::LONGEST_AFFIX).contains(n));
        let of_word = |part| Attribute::Inside(Column::Form, part);
        if let Some(name) = spelling.strip_prefix("column:") {
            return Some(Attribute::Inside(Column::Misc, TextPart::Further(Name::new(name)?)));
        }
        if let Some((column, name)) = spelling.split_once(':') {
            let column = NAMED.iter().find(|(_, known)| *known == column)?.0;
            return Some(Attribute::Inside(column, TextPart::Named(Name::new(name)?)));
        }
        if let Some(column) = spelling.strip_suffix('*') {
            let column = NAMED.iter().find(|(_, known)| *known == column)?.0;
            return Some(Attribute::Inside(column, TextPart::Each));
        }
        if let Some(n) = spelling.strip_prefix('c').filter(|n| n.bytes().all(|letter| letter.is_ascii_digit())) {
            let n =
                if n.is_empty() { 0 } else { n.parse().ok().filter(|n| (1..=TextPart::LONGEST_PATH).contains(n))? };
            return Some(of_word(TextPart::Cluster(n)));
        }
        match spelling.split_at_checked(3)? {
            ("pre", n) => letters(n).map(|n| of_word(TextPart::Prefix(n))),
            ("suf", n) => letters(n).map(|n| of_word(TextPart::Suffix(n))),
            _ => (spelling == "shape").then_some(of_word(TextPart::Shape)),
        }
    }
}

impl Serialize for Attribute {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Attribute, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Attribute::spelled(&text).ok_or_else(|| serde::de::Error::custom(format!("{text} is no attribute of a word")))
    }
}

/// One value of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// An attribute of a node.
    Of(Address, Attribute),
    /// The distance between the nodes in two places, in words: 1, 2, 3, 4, 5 for 5 to 10, 6 for more (Zhang & Nivre 2011).
    Distance(Role, Role),
    /// A condition: that a column of a node has one of these values. Where it does not hold, the other atoms of the template
    /// are not read.
    Is(Address, Attribute, Vec<String>),
    /// An action of the derivation, with its label, counted from its end: `A1` is the last one, `A2` the one before.
    Action(u8),
    /// The name of the treebank that the sentence is of (`source`), where a model is trained on several with names.
    Source,
    /// A constant (`1`).
    One,
}

impl Atom {
    /// The attribute that it reads of a node, if it does.
    pub fn attribute(&self) -> Option<Attribute> {
        match *self {
            Atom::Of(_, attribute) | Atom::Is(_, attribute, _) => Some(attribute),
            Atom::Distance(..) | Atom::Action(_) | Atom::Source | Atom::One => None,
        }
    }

    /// The (place, slot) pairs that the atom reads.
    pub fn slots(&self) -> Vec<(Role, Slot)> {
        match *self {
            Atom::Distance(a, b) => vec![(a, Slot::Node), (b, Slot::Node)],
            Atom::Action(number) => vec![(Role::A, history_slot(number))],
            Atom::Source | Atom::One => Vec::new(),
            Atom::Of(Address { role, step }, attribute) | Atom::Is(Address { role, step }, attribute, _) => vec![(
                role,
                match attribute {
                    Attribute::Word | Attribute::Tag | Attribute::Column(_) | Attribute::Inside(..) => step.node_slot(),
                    Attribute::Label => step.label_slot(),
                    Attribute::LeftValency => Slot::LeftValency,
                    Attribute::RightValency => Slot::RightValency,
                    Attribute::LeftLabels => Slot::LeftLabels,
                    Attribute::RightLabels => Slot::RightLabels,
                    Attribute::Size | Attribute::Leaf => Slot::Size,
                },
            )],
        }
    }
}

/// The slot of [`Role::A`] that holds the last action but `number`.
pub(super) fn history_slot(number: u8) -> Slot {
    [Slot::Node, Slot::Label, Slot::L1, Slot::L1Label][number as usize]
}

/// Number of a slot among the slots of all places: a byte, so that looking it up needs no check of bounds.
pub(super) const fn slot_place(role: Role, slot: Slot) -> u8 {
    const { assert!(Role::COUNT * N_SLOTS <= 256) };
    (role as usize * N_SLOTS + slot as usize) as u8
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spelling = Step::ALL.iter().find(|(step, _)| *step == self.step).map_or("", |(_, spelling)| spelling);
        write!(f, "{}{spelling}", self.role)
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Attribute::Inside(column, part) = *self {
            let column = NAMED.iter().find(|(named, _)| *named == column).map_or("", |(_, spelling)| spelling);
            return match part {
                TextPart::Whole => f.write_str(column),
                TextPart::Prefix(n) => write!(f, "pre{n}"),
                TextPart::Suffix(n) => write!(f, "suf{n}"),
                TextPart::Shape => f.write_str("shape"),
                TextPart::Cluster(0) => f.write_str("c"),
                TextPart::Cluster(n) => write!(f, "c{n}"),
                TextPart::Named(name) => write!(f, "{column}:{name}"),
                TextPart::Further(name) => write!(f, "column:{name}"),
                TextPart::Each => write!(f, "{column}*"),
            };
        }
        f.write_str(Attribute::ALL.iter().find(|(attribute, _)| attribute == self).map_or("", |(_, spelling)| spelling))
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Distance(a, b) => write!(f, "dist({a},{b})"),
            Atom::Action(number) => write!(f, "A{}", number + 1),
            Atom::Source => f.write_str("source"),
            Atom::One => f.write_str("1"),
            Atom::Of(address, attribute) => write!(f, "{address}.{attribute}"),
            Atom::Is(address, attribute, values) => write!(f, "{address}.{attribute}={}", values.join("|")),
        }
    }
}
