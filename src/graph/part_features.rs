//! The features of parts of second and third order, beside those of their arcs.
//!
//! | group | templates | what else tells features apart |
//! |---|---|---|
//! | siblings (McDonald & Pereira 2006) | words and tags of dependent and sibling; with the head's: three tags, two tags and a word | direction; direction and distance of dependent and sibling |
//! | grandparent (Carreras 2007; Koo & Collins 2010) | the same of dependent and grandparent, with the head's | directions of both arcs; these and the distance of head and grandparent |
//! | grand-siblings (Koo & Collins 2010) | tags of all four; of grandparent, sibling and dependent | directions of both arcs |
//!
//! A dependent that has no sibling on the way to its head is a part, too: the feature then says so. Features are hashes as those of
//! arcs are ([`super::ArcFeatures`]); which kinds of nodes a feature reads tells groups apart.

use super::features::{Class, GOLDEN};
use crate::features::{Columns, Input, mix};
use crate::tree::Node;

/// What a template reads.
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

const SIBLINGS: [&[Atom]; 10] = [
    &[HeadTag, SiblingTag, DependentTag],
    &[SiblingTag, DependentTag],
    &[SiblingWord, DependentTag],
    &[SiblingTag, DependentWord],
    &[SiblingWord, DependentWord],
    &[HeadWord, SiblingTag, DependentTag],
    &[HeadTag, SiblingWord, DependentTag],
    &[HeadTag, SiblingTag, DependentWord],
    &[HeadTag, SiblingTag],
    &[HeadWord, SiblingTag],
];
const GRANDPARENT: [&[Atom]; 8] = [
    &[GrandparentTag, HeadTag, DependentTag],
    &[GrandparentTag, DependentTag],
    &[GrandparentWord, DependentTag],
    &[GrandparentTag, DependentWord],
    &[GrandparentWord, DependentWord],
    &[GrandparentWord, HeadTag, DependentTag],
    &[GrandparentTag, HeadWord, DependentTag],
    &[GrandparentTag, HeadTag, DependentWord],
];
const GRAND_SIBLINGS: [&[Atom]; 2] =
    [&[GrandparentTag, HeadTag, SiblingTag, DependentTag], &[GrandparentTag, SiblingTag, DependentTag]];

/// The number of templates of the second order.
pub const N_SIBLING_TEMPLATES: usize = SIBLINGS.len();
/// The number of templates that the third order has beyond.
pub const N_GRANDPARENT_TEMPLATES: usize = GRANDPARENT.len() + GRAND_SIBLINGS.len();

/// The number of a group: where the numbers of its templates start.
const OF_SIBLINGS: usize = 0;
const OF_GRANDPARENT: usize = OF_SIBLINGS + SIBLINGS.len();
const OF_GRAND_SIBLINGS: usize = OF_GRANDPARENT + GRANDPARENT.len();
const N_TEMPLATES: usize = OF_GRAND_SIBLINGS + GRAND_SIBLINGS.len();

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
            self.seeds = (0..N_TEMPLATES as u64).map(|number| mix((number + 301).wrapping_mul(GOLDEN))).collect();
        }
        let (word, tag) = columns.word_and_tag();
        self.terms.clear();
        self.tags.clear();
        self.known.clear();
        for (&word, &tag) in input.column(word).iter().zip(input.column(tag)) {
            self.terms.push(std::array::from_fn(|atom| {
                let value = if atom % 2 == 0 { word } else { tag };
                // Odd, so that no value is lost.
                value.wrapping_mul(mix((atom as u64 + 71).wrapping_mul(GOLDEN)) | 1)
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

    /// Appends the features of an arc with the next sibling, which may be none.
    pub fn of_siblings(&self, head: Node, sibling: Node, dependent: Node, features: &mut Vec<u64>) {
        let [of_head, of_sibling, of_dependent] = self.terms_of([head, sibling, dependent]);
        let near = if sibling == crate::tree::NO_NODE { head } else { sibling };
        let [hw, ht, ..] = *of_head;
        let [_, _, dw, dt, ..] = *of_dependent;
        let [_, _, _, _, sw, st, ..] = *of_sibling;
        let terms = [hw, ht, dw, dt, sw, st, 0, 0];
        for (atoms, seed) in SIBLINGS.iter().zip(&self.seeds[OF_SIBLINGS..]) {
            let sum = sum(atoms, *seed, &terms);
            features.extend(Class::of(near, dependent).terms().map(|term| mix(sum.wrapping_add(term))));
        }
    }

    /// Appends the features of an arc with the head's head, which is none if the head is the root.
    pub fn of_grandparent(&self, grandparent: Node, head: Node, dependent: Node, features: &mut Vec<u64>) {
        let [of_grandparent, of_head, of_dependent] = self.terms_of([grandparent, head, dependent]);
        let [hw, ht, ..] = *of_head;
        let [_, _, dw, dt, ..] = *of_dependent;
        let [_, _, _, _, _, _, gw, gt] = *of_grandparent;
        let terms = [hw, ht, dw, dt, 0, 0, gw, gt];
        let directions = Directions::of(grandparent, head, dependent);
        let distance = Class::of(grandparent, head).index() as u64 / 2;
        let ways = [directions.term(0), directions.term(1 + distance)];
        for (atoms, seed) in GRANDPARENT.iter().zip(&self.seeds[OF_GRANDPARENT..]) {
            let sum = sum(atoms, *seed, &terms);
            features.extend(ways.map(|term| mix(sum.wrapping_add(term))));
        }
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
}

/// Which way the arcs from the grandparent and from the head lead.
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

/// Where things of the node stand; those of no node stand first.
fn place(node: Node) -> usize {
    node.wrapping_add(1).into()
}
