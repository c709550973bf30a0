//! Two systems side by side: in which classes of words they differ, and how sure that is.

use std::collections::BTreeMap;

use serde::Serialize;

use super::breakdown::{BreakdownSection, direction, length};
use super::counts::percent;
use super::significance::randomisation_of_differences;
use super::{Granularity, InputSentence};

/// Two systems on the words of one class, by the gold tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The breakdown.
    pub section: BreakdownSection,
    /// The class.
    pub class: String,
    /// Words of the class.
    pub gold: u64,
    /// Words that the first system has right.
    pub first_right: u64,
    /// Words that the second has right.
    pub second_right: u64,
    /// Second less first, in percentage points of the class's words.
    pub difference: f64,
    /// The p-value of paired approximate randomisation over sentences, by itself.
    pub p: f64,
}

/// A sentence with both systems' trees.
pub(super) struct Triple<'a> {
    pub gold: &'a InputSentence,
    pub first: &'a InputSentence,
    pub second: &'a InputSentence,
    pub scored: &'a [bool],
}

/// The words of a class by sentence.
#[derive(Default)]
struct Class {
    gold: u64,
    right: [u64; 2],
    /// Number of words that are right in the second beyond those in the first, by sentence where that is not 0.
    differences: BTreeMap<usize, i64>,
}

/// The comparison in those of `sections` whose classes are words: labels (head and label right), tags, directions and lengths
/// (head right). The classes with most words come first.
pub(super) fn compared(
    triples: &[Triple],
    granularity: Granularity,
    sections: &[BreakdownSection],
    samples: usize,
    seed: u64,
) -> Vec<Compared> {
    let mut all = Vec::new();
    for &section in sections {
        let mut classes: BTreeMap<String, Class> = BTreeMap::new();
        for (number, triple) in triples.iter().enumerate() {
            for word in (0..triple.scored.len()).filter(|&word| triple.scored[word]) {
                let gold = triple.gold;
                let name = match section {
                    BreakdownSection::Label => granularity.of(&gold.labels[word]).to_owned(),
                    BreakdownSection::Tag => gold.upos[word].clone(),
                    BreakdownSection::Direction => direction(gold.heads[word], word).to_owned(),
                    BreakdownSection::Length => length(gold.heads[word], word).to_owned(),
                    _ => continue,
                };
                let is_right = |system: &InputSentence| {
                    let label = || granularity.of(&system.labels[word]) == granularity.of(&gold.labels[word]);
                    system.heads[word] == gold.heads[word] && (section != BreakdownSection::Label || label())
                };
                let right = [is_right(triple.first), is_right(triple.second)];
                let class = classes.entry(name).or_default();
                class.gold += 1;
                for (count, right) in class.right.iter_mut().zip(right) {
                    *count += u64::from(right);
                }
                if right[0] != right[1] {
                    *class.differences.entry(number).or_default() += i64::from(right[1]) - i64::from(right[0]);
                }
            }
        }
        let mut of_section: Vec<Compared> = classes
            .into_iter()
            .map(|(class, Class { gold, right: [first, second], differences })| Compared {
                section,
                class,
                gold,
                first_right: first,
                second_right: second,
                difference: percent(second, gold) - percent(first, gold),
                p: randomisation_of_differences(&differences.into_values().collect::<Vec<_>>(), samples, seed),
            })
            .collect();
        of_section.sort_by_key(|class| std::cmp::Reverse(class.gold));
        all.extend(of_section);
    }
    all
}
