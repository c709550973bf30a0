//! Extraction: from a configuration to the hashes of its features.

use super::compile::{Hashed, Read};
use super::{Compiled, Input};
use crate::configuration::{Cell, Cells, LabelSets, Role};
use crate::tree::{NO_NODE, ROOT};

/// Scratch memory of extraction.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    /// Atom values of the group at hand; number 0 is the constant that pads short templates.
    values: Vec<u64>,
    /// The hash of each label set, by number, as far as met.
    set_hashes: Vec<u64>,
}

impl Extractor {
    /// Forgets what it knows of label sets: to be called when [`LabelSets::clear_if_full`] has cleared them.
    pub fn clear(&mut self) {
        self.set_hashes.clear();
    }

    /// The key of what `group` reads: equal keys mean equal features.
    #[inline]
    pub fn key(&self, features: &Compiled, group: usize, cells: &Cells) -> u64 {
        let mut key = group as u64;
        for &(role, mask) in &features.groups[group].key {
            let of_cell = match cells[role as usize] {
                Some(cell) => cell.keys[mask as usize],
                None => 0x51_7c_c1_b7_27_22_0a_95,
            };
            key = (key.rotate_left(29) ^ of_cell).wrapping_mul(0x2d35_8dcc_aa6c_78a5);
        }
        key ^ key >> 32
    }

    /// Appends the hashes of all features of `group` to `hashes`, in the order of the group's templates.
    #[inline]
    pub fn extract(
        &mut self,
        features: &Compiled,
        group: usize,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
        hashes: &mut Vec<u64>,
    ) {
        let group = &features.groups[group];
        self.values.clear();
        self.values.push(0);
        for read in &group.reads {
            let value = self.value(read, input, sets, cells);
            self.values.push(value);
        }
        let values = &self.values[..];
        let hash = |template: &Hashed| match template.n_atoms {
            0..=2 => hash::<2>(template, values),
            3..=4 => hash::<4>(template, values),
            _ => hash::<6>(template, values),
        };
        let (unconditional, conditional) = group.templates.split_at(group.n_unconditional);
        hashes.extend(unconditional.iter().map(hash));
        let holds = |template: &Hashed| values[template.condition as usize] != 0;
        hashes.extend(
            conditional.iter().map(|template| if holds(template) { hash(template) } else { mix(template.seed) }),
        );
    }

    /// Appends the hashes of all features to `hashes`.
    pub fn extract_all(
        &mut self,
        features: &Compiled,
        input: &Input,
        sets: &LabelSets,
        cells: &Cells,
        hashes: &mut Vec<u64>,
    ) {
        for group in 0..features.groups.len() {
            self.extract(features, group, input, sets, cells, hashes);
        }
    }

    #[inline]
    fn value(&mut self, read: &Read, input: &Input, sets: &LabelSets, cells: &Cells) -> u64 {
        let slot = |role: u8, slot: u8| cells[role as usize].map_or(NO_NODE, |cell| cell.slots.at(slot as usize));
        match *read {
            Read::Column { role, slot: s, column } => input.value(column as usize, slot(role, s)),
            Read::Number { role, slot: s } => u64::from(slot(role, s)) + 1,
            Read::Set { role, slot: s } => match cells[role as usize] {
                Some(cell) => self.set_hash(sets, cell.slots.at(s as usize)),
                None => 1,
            },
            Read::Class { role, slot: s } => {
                cells[role as usize].map_or(0, |cell| distance_class(cell.slots.at(s as usize).into()))
            }
            Read::IsOne { role, slot: s } => {
                cells[role as usize].map_or(0, |cell| 1 + u64::from(cell.slots.at(s as usize) == 1))
            }
            Read::Is { role, slot: s, column, ref values } => {
                u64::from(values.contains(&input.value(column as usize, slot(role, s))))
            }
            Read::One => 1,
            Read::Distance { from, to } => distance(cells, from as usize, to as usize, input.n_words()),
        }
    }

    fn set_hash(&mut self, sets: &LabelSets, set: u16) -> u64 {
        if let Some(&hash) = self.set_hashes.get(set as usize) {
            return hash;
        }
        for set in self.set_hashes.len()..=set as usize {
            let hash = sets.members(set as u16, |labels| {
                labels.iter().fold(2, |sum: u64, &label| {
                    sum.wrapping_add(mix((u64::from(label) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
                })
            });
            self.set_hashes.push(hash);
        }
        self.set_hashes[set as usize]
    }
}

/// The class of the distance between the nodes in two places, 0 if one is empty.
pub(super) fn distance(cells: &Cells, from: usize, to: usize, n_words: usize) -> u64 {
    let position = |role: usize| {
        let node = cells[role].map(Cell::node)?;
        // A root in the buffer stands behind the last word.
        let behind = node == ROOT && Role::ALL[role].in_buffer();
        Some(if behind { n_words + 1 } else { node as usize })
    };
    match (position(from), position(to)) {
        (Some(a), Some(b)) => distance_class(a.abs_diff(b)),
        _ => 0,
    }
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
fn hash<const ATOMS: usize>(template: &Hashed, values: &[u64]) -> u64 {
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

/// Spreads what tells a sum apart over all 64 bits.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x ^= x >> 32;
    x = x.wrapping_mul(0xe9846af9b1a615d);
    x ^ x >> 29
}
