//! Confusions of labels, and of tags of heads.

use std::collections::BTreeMap;

use serde::Serialize;

use super::input::{ScoredSentence, scored_words};
use super::{Granularity, InputSentence};
use crate::tree::{Node, ROOT};

/// Number of times that one value in gold is another in the system's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Value in gold.
    pub gold: String,
    /// Value in the system's tree.
    pub system: String,
    /// Number of times.
    pub count: u64,
    /// Number of times that gold has the value at all.
    pub of: u64,
}

/// The name of the root among tags.
const ROOT_NAME: &str = "ROOT";

/// Labels taken for others, whatever the heads; the most frequent first.
pub(super) fn of_labels(pairs: &[ScoredSentence], granularity: Granularity) -> Vec<Confusion> {
    confusions(pairs, |sentence, word| granularity.of(&sentence.labels[word]))
}

/// Tags of heads taken for others: what gold attaches to a verb, the system to a noun. Tags are those of the gold file.
pub(super) fn of_head_tags(pairs: &[ScoredSentence]) -> Vec<Confusion> {
    let mut found: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for (pair, word) in scored_words(pairs) {
        let tag = |head: Node| if head == ROOT { ROOT_NAME } else { pair.gold.upos[usize::from(head) - 1].as_str() };
        let (gold, system) = (pair.gold.heads[word], pair.system.heads[word]);
        *totals.entry(tag(gold)).or_default() += 1;
        // Another head of the same tag is no right one.
        if gold != system {
            *found.entry((tag(gold), tag(system))).or_default() += 1;
        }
    }
    sorted(found, &totals)
}

fn confusions<'a>(
    pairs: &'a [ScoredSentence<'a>],
    name: impl Fn(&'a InputSentence, usize) -> &'a str,
) -> Vec<Confusion> {
    let mut found: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for (pair, word) in scored_words(pairs) {
        let (gold, system) = (name(pair.gold, word), name(pair.system, word));
        *totals.entry(gold).or_default() += 1;
        if gold != system {
            *found.entry((gold, system)).or_default() += 1;
        }
    }
    sorted(found, &totals)
}

fn sorted(found: BTreeMap<(&str, &str), u64>, totals: &BTreeMap<&str, u64>) -> Vec<Confusion> {
    let confusion = |((gold, system), count): ((&str, &str), u64)| Confusion {
        gold: gold.to_owned(),
        system: system.to_owned(),
        count,
        of: totals.get(gold).copied().unwrap_or(0),
    };
    let mut all: Vec<Confusion> = found.into_iter().map(confusion).collect();
    // Sorting is stable: of equals, by name.
    all.sort_by_key(|confusion| std::cmp::Reverse(confusion.count));
    all
}
