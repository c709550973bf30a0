//! The features of parts of second and third order, beside those of their arcs.
//!
//! | group | templates | what else distinguishes features |
//! |---|---|---|
//! | siblings (McDonald & Pereira 2006) | words and tags of dependent and sibling; with the head's: three tags, two tags and a word | direction; of tags alone also with the distance of dependent and sibling |
//! | grandparent (Carreras 2007; Koo & Collins 2010) | the same of dependent and grandparent, with the head's | directions of both arcs; of tags alone also with the distance of head and grandparent |
//! | grand-siblings (Koo & Collins 2010) | tags of all four; of grandparent, sibling and dependent | directions of both arcs |
//!
//! A dependent that has no sibling on the way to its head is a part, too: the feature then says so. Features are hashes as those of
//! arcs are ([`super::ArcFeatures`]); the kinds of nodes that features read distinguish groups.

use super::features::{Class, GOLDEN, multiplier_of, seeds};
use crate::features::{Columns, Input, mix};
use crate::tree::{NO_NODE, Node};

/// Atom: a value that a template reads.
#[derive(Debug, Clone, Copy)]
enum Atom {
    HeadWord,
    HeadTag,
    DependentWord,
    DependentTag,
    SiblingWord,
    SiblingTag,
    GrandparentWord,
    GrandparentTag,
}

use Atom::*;

const N_ATOMS: usize = 8;

/// Sibling templates that read no more of the sibling than its tag, and the rest.
const SIBLINGS_BY_TAG: [&[Atom]; 7] = [
    &[HeadTag, SiblingTag, DependentTag],
    &[SiblingTag, DependentTag],
    &[SiblingTag, DependentWord],
    &[HeadWord, SiblingTag, DependentTag],
    &[HeadTag, SiblingTag, DependentWord],
    &[HeadTag, SiblingTag],
    &[HeadWord, SiblingTag],
];
const SIBLINGS_BY_WORD: [&[Atom]; 3] =
    [&[SiblingWord, DependentTag], &[SiblingWord, DependentWord], &[HeadTag, SiblingWord, DependentTag]];
/// Grandparent templates that read no more of the grandparent than its tag, and the rest.
const GRANDPARENT_BY_TAG: [&[Atom]; 5] = [
    &[GrandparentTag, HeadTag, DependentTag],
    &[GrandparentTag, DependentTag],
    &[GrandparentTag, DependentWord],
    &[GrandparentTag, HeadWord, DependentTag],
    &[GrandparentTag, HeadTag, DependentWord],
];
const GRANDPARENT_BY_WORD: [&[Atom]; 3] =
    [&[GrandparentWord, DependentTag], &[GrandparentWord, DependentWord], &[GrandparentWord, HeadTag, DependentTag]];
const GRAND_SIBLINGS: [&[Atom]; 2] =
    [&[GrandparentTag, HeadTag, SiblingTag, DependentTag], &[GrandparentTag, SiblingTag, DependentTag]];

/// The number of templates of the second order.
pub const N_SIBLING_TEMPLATES: usize = SIBLINGS_BY_TAG.len() + SIBLINGS_BY_WORD.len();
/// The number of templates that the third order has beyond.
pub const N_GRANDPARENT_TEMPLATES: usize = GRANDPARENT_BY_TAG.len() + GRANDPARENT_BY_WORD.len() + GRAND_SIBLINGS.len();

/// Numbers of the groups' first templates.
const OF_SIBLINGS: usize = 0;
const OF_GRANDPARENT: usize = N_SIBLING_TEMPLATES;
const OF_GRAND_SIBLINGS: usize = N_TEMPLATES - GRAND_SIBLINGS.len();
const N_TEMPLATES: usize = N_SIBLING_TEMPLATES + N_GRANDPARENT_TEMPLATES;

/// Part of an arc's neighbour that features read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeighbourReads {
    /// Its tag, and how far away it is.
    Tag,
    /// Its word, too.
    Word,
}

impl NeighbourReads {
    /// All that there is to read.
    pub const BOTH: [NeighbourReads; 2] = [NeighbourReads::Tag, NeighbourReads::Word];
}

/// The products of values of one sentence, and the extraction of features from them.
#[derive(Debug, Clone, Default)]
pub struct PartFeatures {
    /// By node, that of no node first: the terms of its word and tag as a head, a dependent, a sibling, a grandparent.
    terms: Vec<[u64; N_ATOMS]>,
    /// By node, that of no node first: the number of its tag among those of the sentence.
    tags: Vec<u32>,
    known: Vec<u64>,
    seeds: Vec<u64>,
}

impl PartFeatures {
    /// Reads the sentence in `input`, whose columns are `columns` as [`Columns::of_words_and_tags`] makes them.
    pub fn start(&mut self, columns: &Columns, input: &Input) {
        if self.seeds.is_empty() {
            self.seeds = seeds(301, N_TEMPLATES);
        }
        let (word, tag) = columns.word_and_tag();
        self.terms.clear();
        self.tags.clear();
        self.known.clear();
        for (&word, &tag) in input.column(word).iter().zip(input.column(tag)) {
            self.terms.push(std::array::from_fn(|atom| {
                let value = if atom % 2 == 0 { word } else { tag };
                value.wrapping_mul(multiplier_of(atom as u64 + 71))
            }));
            let number = self.known.iter().position(|&known| known == tag).unwrap_or_else(|| {
                self.known.push(tag);
                self.known.len() - 1
            });
            self.tags.push(number as u32);
        }
    }

    /// The number of the node's tag, below [`PartFeatures::n_tags`]; equal for equal tags.
    pub fn tag(&self, node: Node) -> usize {
        self.tags[place(node)] as usize
    }

    /// The number of different tags in the sentence, that of no node included.
    pub fn n_tags(&self) -> usize {
        self.known.len()
    }

    /// Appends features of an arc with the next sibling, which may be none.
    pub fn of_siblings(
        &self,
        (head, sibling, dependent): (Node, Node, Node),
        reads: NeighbourReads,
        features: &mut Vec<u64>,
    ) {
        let [of_head, of_sibling, of_dependent] = self.terms_of([head, sibling, dependent]);
        let terms = [of_head[0], of_head[1], of_dependent[2], of_dependent[3], of_sibling[4], of_sibling[5], 0, 0];
        let ways = sibling_class(head, sibling, dependent).terms();
        let (templates, first): (&[&[Atom]], usize) = match reads {
            NeighbourReads::Tag => (&SIBLINGS_BY_TAG, OF_SIBLINGS),
            NeighbourReads::Word => (&SIBLINGS_BY_WORD, OF_SIBLINGS + SIBLINGS_BY_TAG.len()),
        };
        self.extend(templates, first, &terms, ways, features);
    }

    /// A number below [`PartFeatures::n_tags`] times the number of classes: where two siblings of the same arc have the same,
    /// their features of tags are the same.
    pub fn sibling_key(&self, head: Node, sibling: Node, dependent: Node) -> usize {
        self.tag(sibling) * Class::COUNT + sibling_class(head, sibling, dependent).index()
    }

    /// Appends features of an arc with the head's head, which is none if the head is the root.
    pub fn of_grandparent(
        &self,
        (grandparent, head, dependent): (Node, Node, Node),
        reads: NeighbourReads,
        features: &mut Vec<u64>,
    ) {
        let [of_grandparent, of_head, of_dependent] = self.terms_of([grandparent, head, dependent]);
        let [.., grandparent_word, grandparent_tag] = *of_grandparent;
        let terms = [of_head[0], of_head[1], of_dependent[2], of_dependent[3], 0, 0, grandparent_word, grandparent_tag];
        let directions = Directions::of(grandparent, head, dependent);
        let distance = Class::of(grandparent, head).index() as u64 / 2;
        let ways = [directions.term(0), directions.term(1 + distance)];
        let (templates, first): (&[&[Atom]], usize) = match reads {
            NeighbourReads::Tag => (&GRANDPARENT_BY_TAG, OF_GRANDPARENT),
            NeighbourReads::Word => (&GRANDPARENT_BY_WORD, OF_GRANDPARENT + GRANDPARENT_BY_TAG.len()),
        };
        self.extend(templates, first, &terms, ways, features);
    }

    /// The same as [`PartFeatures::sibling_key`] for grandparents.
    pub fn grandparent_key(&self, grandparent: Node, head: Node) -> usize {
        self.tag(grandparent) * Class::COUNT + Class::of(grandparent, head).index()
    }

    /// Appends the features of all four nodes. They read the nodes' tags and the directions of arcs alone.
    pub fn of_grand_siblings(
        &self,
        grandparent: Node,
        head: Node,
        sibling: Node,
        dependent: Node,
        features: &mut Vec<u64>,
    ) {
        let [of_grandparent, of_head] = self.terms_of([grandparent, head]);
        let [of_sibling, of_dependent] = self.terms_of([sibling, dependent]);
        let terms = [0, of_head[1], 0, of_dependent[3], 0, of_sibling[5], 0, of_grandparent[7]];
        let term = Directions::of(grandparent, head, dependent).term(0);
        let templates = GRAND_SIBLINGS.iter().zip(&self.seeds[OF_GRAND_SIBLINGS..]);
        features.extend(templates.map(|(atoms, seed)| mix(sum(atoms, *seed, &terms).wrapping_add(term))));
    }

    fn terms_of<const N: usize>(&self, nodes: [Node; N]) -> [&[u64; N_ATOMS]; N] {
        nodes.map(|node| &self.terms[place(node)])
    }

    fn extend(
        &self,
        templates: &[&[Atom]],
        first: usize,
        terms: &[u64; N_ATOMS],
        ways: [u64; 2],
        features: &mut Vec<u64>,
    ) {
        for (atoms, seed) in templates.iter().zip(&self.seeds[first..]) {
            let sum = sum(atoms, *seed, terms);
            // Distances go with tags alone: with words, too, they would cost more time than all else.
            let n_ways = if atoms.iter().all(|&atom| atom as usize % 2 == 1) { 2 } else { 1 };
            features.extend(ways[..n_ways].iter().map(|&way| mix(sum.wrapping_add(way))));
        }
    }
}

/// Direction and distance of the dependent from its sibling, or from the head if it has none.
fn sibling_class(head: Node, sibling: Node, dependent: Node) -> Class {
    Class::of(if sibling == NO_NODE { head } else { sibling }, dependent)
}

/// Directions of the arcs from the grandparent and from the head.
#[derive(Debug, Clone, Copy)]
pub struct Directions(u64);

impl Directions {
    /// The number of different ones.
    pub const COUNT: usize = 4;

    /// Those of these arcs.
    pub fn of(grandparent: Node, head: Node, dependent: Node) -> Directions {
        Directions(u64::from(grandparent < head) * 2 + u64::from(head < dependent))
    }

    /// The number, below [`Directions::COUNT`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn term(self, distance: u64) -> u64 {
        mix((distance * Directions::COUNT as u64 + self.0 + 41).wrapping_mul(GOLDEN))
    }
}

fn sum(atoms: &[Atom], seed: u64, terms: &[u64; N_ATOMS]) -> u64 {
    atoms.iter().fold(seed, |sum, &atom| sum.wrapping_add(terms[atom as usize]))
}

/// Index of a node; no node is first.
fn place(node: Node) -> usize {
    node.wrapping_add(1).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::input;

    fn start() -> PartFeatures {
        let (columns, input) = input(&[("a", "D"), ("b", "N"), ("c", "V"), ("a", "D"), ("d", "N")]);
        let mut features = PartFeatures::default();
        features.start(&columns, &input);
        features
    }

    /// Neighbours of one key share all features that read tags alone, and others do not.
    #[test]
    fn keys_tell_features_of_tags_apart() {
        let features = start();
        let of_sibling = |sibling| {
            let mut found = Vec::new();
            features.of_siblings((0, sibling, 5), NeighbourReads::Tag, &mut found);
            (features.sibling_key(0, sibling, 5), found)
        };
        let of_grandparent = |grandparent| {
            let mut found = Vec::new();
            features.of_grandparent((grandparent, 5, 4), NeighbourReads::Tag, &mut found);
            (features.grandparent_key(grandparent, 5), found)
        };
        let siblings: Vec<_> = [NO_NODE, 1, 2, 3, 4].map(of_sibling).into();
        let grandparents: Vec<_> = [0, 1, 2, 3].map(of_grandparent).into();
        for all in [siblings, grandparents] {
            for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
                assert_eq!(one.0 == other.0, one.1 == other.1);
            }
        }
    }

    /// Features are part of model files: they must never change.
    #[test]
    fn features_are_fixed() {
        let features = start();
        let mut found = Vec::new();
        for reads in NeighbourReads::BOTH {
            features.of_siblings((3, 4, 5), reads, &mut found);
            features.of_siblings((3, NO_NODE, 1), reads, &mut found);
            features.of_grandparent((0, 3, 5), reads, &mut found);
            features.of_grandparent((NO_NODE, 0, 3), reads, &mut found);
        }
        features.of_grand_siblings(0, 3, 4, 5, &mut found);
        let distinct: std::collections::HashSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len());
        let sum = found.iter().fold(0u64, |sum, &feature| sum.rotate_left(5) ^ feature);
        assert_eq!((found.len(), sum), (48, 2_830_418_472_353_072_204));
    }
}
