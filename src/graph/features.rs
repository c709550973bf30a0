//! The features of an arc: those of McDonald, Crammer & Pereira (2005, table 1).
//!
//! | group | templates | what else distinguishes features |
//! |---|---|---|
//! | head | its word and tag, each and both | direction; direction and distance |
//! | dependent | its word and tag, each and both | the same |
//! | pair | words and tags of both: all four, every three, both words, both tags | the same |
//! | surrounding | tags of both and of a neighbour of each, four ways; and of one neighbour, four ways | the same |
//! | between | tags of both and one tag in between, once for each different tag | the same |
//!
//! Every template makes two features: with the direction of the arc, and with direction and distance (1, 2, 3, 4, 5, up
//! to 10, more). Departures: prefixes of long words are not read; templates with the tag of one neighbour are added, as in the
//! authors' released parser; a tag that stands between head and dependent more than once counts once; there are no
//! features without a direction.
//!
//! A feature is a 64-bit hash: the sum of its atoms' values, each multiplied by a number of its atom's own, and of a number for
//! template and direction or distance, mixed. The products are made once per node ([`ArcFeatures::start`]), so a feature costs
//! a few additions and the mixing. Head and dependent groups depend on one node and the class of distance alone, so their
//! scores can be had once for many arcs.

use crate::features::{Columns, Input, mix};
use crate::tree::{NO_NODE, Node};

/// Atom: a value that a template reads.
#[derive(Debug, Clone, Copy)]
enum Atom {
    HeadWord,
    HeadTag,
    DependentWord,
    DependentTag,
    /// The tag of the word before the head.
    BeforeHead,
    /// The tag of the word behind the head.
    BehindHead,
    BeforeDependent,
    BehindDependent,
    Between,
}

use Atom::*;

const N_ATOMS: usize = 9;
const N_OF_NODE: usize = N_ATOMS / 2;

const HEAD: [&[Atom]; 3] = [&[HeadWord, HeadTag], &[HeadWord], &[HeadTag]];
const DEPENDENT: [&[Atom]; 3] = [&[DependentWord, DependentTag], &[DependentWord], &[DependentTag]];
const ARC: [&[Atom]; 15] = [
    &[HeadWord, HeadTag, DependentWord, DependentTag],
    &[HeadTag, DependentWord, DependentTag],
    &[HeadWord, DependentWord, DependentTag],
    &[HeadWord, HeadTag, DependentTag],
    &[HeadWord, HeadTag, DependentWord],
    &[HeadWord, DependentWord],
    &[HeadTag, DependentTag],
    &[HeadTag, BehindHead, BeforeDependent, DependentTag],
    &[BeforeHead, HeadTag, BeforeDependent, DependentTag],
    &[HeadTag, BehindHead, DependentTag, BehindDependent],
    &[BeforeHead, HeadTag, DependentTag, BehindDependent],
    &[BeforeHead, HeadTag, DependentTag],
    &[HeadTag, BehindHead, DependentTag],
    &[HeadTag, BeforeDependent, DependentTag],
    &[HeadTag, DependentTag, BehindDependent],
];
const BETWEEN: [Atom; 3] = [HeadTag, Between, DependentTag];

/// The number of templates.
pub const N_TEMPLATES: usize = HEAD.len() + DEPENDENT.len() + ARC.len() + 1;

/// The number of a template's group: where the numbers of its templates start.
const HEADS: usize = 0;
const DEPENDENTS: usize = HEADS + HEAD.len();
const ARCS: usize = DEPENDENTS + DEPENDENT.len();
const BETWEENS: usize = ARCS + ARC.len();

/// A class of arcs by direction and distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class(u8);

impl Class {
    /// The number of classes.
    pub const COUNT: usize = 14;

    /// The class of the arc.
    pub fn of(head: Node, dependent: Node) -> Class {
        let distance = match head.abs_diff(dependent) {
            far @ 0..=5 => far.max(1) as u8 - 1,
            6..=10 => 5,
            _ => 6,
        };
        Class(distance * 2 + u8::from(head < dependent))
    }

    /// The class's number.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Terms that distinguish features with only the direction, and with direction and distance.
    pub(super) fn terms(self) -> [u64; 2] {
        [u64::from(self.0 & 1) + 1, u64::from(self.0) + 3].map(|number| mix(number.wrapping_mul(GOLDEN)))
    }
}

pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The products of values of one sentence, and the extraction of features from them.
#[derive(Debug, Clone, Default)]
pub struct ArcFeatures {
    /// By node: the terms of atoms of a head, in their order, and those of a dependent.
    as_head: Vec<[u64; N_OF_NODE]>,
    as_dependent: Vec<[u64; N_OF_NODE]>,
    /// By node: the number of its tag among those of the sentence.
    tags: Vec<u16>,
    /// By number of a tag: its term between head and dependent.
    between: Vec<u64>,
    /// The values of the tags met, by number.
    known: Vec<u64>,
    /// The seeds of templates.
    seeds: Vec<u64>,
}

impl ArcFeatures {
    /// Reads the sentence in `input`, whose columns are `columns` as [`Columns::of_words_and_tags`] makes them.
    pub fn start(&mut self, columns: &Columns, input: &Input) {
        let (word, tag) = columns.word_and_tag();
        if self.seeds.is_empty() {
            self.seeds = seeds(101, N_TEMPLATES);
        }
        self.as_head.clear();
        self.as_dependent.clear();
        self.tags.clear();
        self.between.clear();
        self.known.clear();
        let n = input.n_words() as Node;
        for node in 0..=n {
            let before = if node == 0 { NO_NODE } else { node - 1 };
            let behind = if node == n { NO_NODE } else { node + 1 };
            let tag_value = input.value(tag, node);
            let values = [input.value(word, node), tag_value, input.value(tag, before), input.value(tag, behind)];
            let product = |atoms: [Atom; N_OF_NODE]| -> [u64; N_OF_NODE] {
                std::array::from_fn(|i| values[i].wrapping_mul(multiplier(atoms[i])))
            };
            self.as_head.push(product([HeadWord, HeadTag, BeforeHead, BehindHead]));
            self.as_dependent.push(product([DependentWord, DependentTag, BeforeDependent, BehindDependent]));
            let number = self.known.iter().position(|&known| known == tag_value).unwrap_or_else(|| {
                self.known.push(tag_value);
                self.between.push(tag_value.wrapping_mul(multiplier(Between)));
                self.known.len() - 1
            });
            self.tags.push(number as u16);
        }
    }

    /// Appends the features of the head group.
    pub fn of_head(&self, head: Node, class: Class, features: &mut Vec<u64>) {
        let [word, tag, ..] = self.as_head[head as usize];
        self.of_templates(&HEAD, HEADS, [word, tag, 0, 0, 0, 0, 0, 0, 0], class, features);
    }

    /// Appends the features of the dependent group.
    pub fn of_dependent(&self, dependent: Node, class: Class, features: &mut Vec<u64>) {
        let [word, tag, ..] = self.as_dependent[dependent as usize];
        self.of_templates(&DEPENDENT, DEPENDENTS, [0, 0, word, tag, 0, 0, 0, 0, 0], class, features);
    }

    /// Appends the features of the other groups, given the numbers of the different tags between the two.
    pub fn of_arc(&self, head: Node, dependent: Node, class: Class, between: &[u16], features: &mut Vec<u64>) {
        let [head_word, head_tag, before_head, behind_head] = self.as_head[head as usize];
        let [word, tag, before, behind] = self.as_dependent[dependent as usize];
        let terms = [head_word, head_tag, word, tag, before_head, behind_head, before, behind, 0];
        self.of_templates(&ARC, ARCS, terms, class, features);
        let [direction, distance] = class.terms();
        let both = BETWEEN.iter().fold(self.seeds[BETWEENS], |sum, &atom| sum.wrapping_add(terms[atom as usize]));
        for &number in between {
            let sum = both.wrapping_add(self.between[number as usize]);
            features.extend([mix(sum.wrapping_add(direction)), mix(sum.wrapping_add(distance))]);
        }
    }

    /// Appends all features of an arc.
    pub fn of(&self, head: Node, dependent: Node, features: &mut Vec<u64>) {
        let class = Class::of(head, dependent);
        let mut between = TagsBetween::default();
        between.restart(head.min(dependent));
        between.reach(self, head.max(dependent));
        self.of_head(head, class, features);
        self.of_dependent(dependent, class, features);
        self.of_arc(head, dependent, class, between.get(), features);
    }

    #[inline]
    fn of_templates<const N: usize>(
        &self,
        templates: &[&[Atom]; N],
        first: usize,
        terms: [u64; N_ATOMS],
        class: Class,
        features: &mut Vec<u64>,
    ) {
        let [direction, distance] = class.terms();
        for (atoms, seed) in templates.iter().zip(&self.seeds[first..]) {
            let sum = atoms.iter().fold(*seed, |sum, &atom| sum.wrapping_add(terms[atom as usize]));
            features.extend([mix(sum.wrapping_add(direction)), mix(sum.wrapping_add(distance))]);
        }
    }
}

/// The different tags strictly between two nodes, for a left end that stays and a right end that moves on.
#[derive(Debug, Clone, Default)]
pub struct TagsBetween {
    /// The next node to be included.
    next: Node,
    tags: Vec<u16>,
    /// By tag: whether it is included.
    included: Vec<bool>,
}

impl TagsBetween {
    /// Starts behind `left`.
    pub fn restart(&mut self, left: Node) {
        self.next = left + 1;
        self.tags.clear();
        self.included.clear();
    }

    /// True if the right end has not gone beyond `right`.
    pub fn can_reach(&self, right: Node) -> bool {
        self.next <= right
    }

    /// Moves the right end to `right`, which is not further left than it was.
    pub fn reach(&mut self, features: &ArcFeatures, right: Node) {
        self.included.resize(features.known.len(), false);
        for node in self.next..right {
            let tag = features.tags[node as usize];
            if !std::mem::replace(&mut self.included[tag as usize], true) {
                self.tags.push(tag);
            }
        }
        self.next = self.next.max(right);
    }

    /// The tags, in the order in which they were met.
    pub fn get(&self) -> &[u16] {
        &self.tags
    }
}

fn multiplier(atom: Atom) -> u64 {
    multiplier_of(atom as u64 + 51)
}

/// The number that an atom's values are multiplied by, from a number of its own. It is odd, so that no value is lost.
pub(super) fn multiplier_of(number: u64) -> u64 {
    mix(number.wrapping_mul(GOLDEN)) | 1
}

/// Seeds of so many templates, from consecutive numbers.
pub(super) fn seeds(first: u64, n: usize) -> Vec<u64> {
    (first..first + n as u64).map(|number| mix(number.wrapping_mul(GOLDEN))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::input;
    use std::collections::HashSet;

    fn start(words: &[(&str, &str)]) -> ArcFeatures {
        let (columns, input) = input(words);
        let mut features = ArcFeatures::default();
        features.start(&columns, &input);
        features
    }

    fn of(features: &ArcFeatures, head: Node, dependent: Node) -> HashSet<u64> {
        let mut found = Vec::new();
        features.of(head, dependent, &mut found);
        let distinct: HashSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "no feature twice");
        distinct
    }

    #[test]
    fn an_arc_has_two_features_for_each_template_and_tag_in_between() {
        let features = start(&[("a", "D"), ("b", "N"), ("c", "V"), ("d", "D"), ("e", "N"), ("f", "D")]);
        let templates = N_TEMPLATES - 1;
        // Between 1 and 6 stand N, V, D, N.
        for (head, dependent, between) in [(2, 1, 0), (0, 1, 0), (1, 6, 3), (6, 1, 3), (0, 3, 2)] {
            assert_eq!(of(&features, head, dependent).len(), 2 * (templates + between), "{head} {dependent}");
        }
    }

    /// Shared features of two arcs are those that both have: found by hand from the table of templates.
    #[test]
    fn arcs_share_what_they_have_in_common() {
        let features = start(&[("a", "D"), ("b", "N"), ("c", "V"), ("a", "D"), ("b", "N"), ("c", "V"), ("g", "X")]);
        let shared = |one: (Node, Node), other: (Node, Node)| {
            of(&features, one.0, one.1).intersection(&of(&features, other.0, other.1)).count()
        };
        // b → a twice; one a stands behind the root, the other behind c, so templates with that neighbour differ.
        let with_that_neighbour = ARC.iter().filter(|atoms| atoms.iter().any(|a| matches!(a, BeforeDependent)));
        assert_eq!(shared((2, 1), (5, 4)), 2 * (N_TEMPLATES - 1 - with_that_neighbour.count()));
        // a → b and b → a: the direction distinguishes all.
        assert_eq!(shared((1, 2), (2, 1)), 0);
        // Head c from the left, at distances 1 and 4: what does not depend on the distance, of the head alone.
        assert_eq!(shared((3, 4), (3, 7)), HEAD.len());
    }

    /// Features are part of model files: they must never change.
    #[test]
    fn features_are_fixed() {
        let features = start(&[("a", "D"), ("b", "N"), ("c", "V")]);
        let mut found = Vec::new();
        features.of(3, 1, &mut found);
        let sum = found.iter().fold(0u64, |sum, &feature| sum.rotate_left(5) ^ feature);
        assert_eq!((found.len(), sum), (44, 17_278_371_797_019_585_758));
    }
}
