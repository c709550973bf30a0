//! Scores broken down by properties of arcs and sentences.

use std::collections::BTreeMap;

use serde::Serialize;

use super::confusion::{self, Confusion};
use super::counts::{Scores, percent};
use super::input::{ScoredSentence, scored_words};
use super::reliability::{self, Reliability};
use super::{Counts, Granularity, InputSentence};
use crate::choice::choice;
use crate::tree::{ARC_LENGTHS, Node, Tree, arc_length, non_projective_arcs};

choice! {
    /// The kinds of breakdown.
    pub enum BreakdownSection {
        /// By the distance between a word and its head
        Length,
        /// By label
        Label,
        /// By the number of words of the sentence
        SentenceLength,
        /// By whether the arc is projective
        Projectivity,
        /// By the word's universal part of speech, as gold has it
        Tag,
        /// By whether the head stands before or behind the word, and how far away
        Direction,
        /// Labels that are taken for others
        LabelConfusion,
        /// Wrong heads: the tag of the gold head, and that of the predicted one
        TagConfusion,
        /// By the confidence in MISC, as `parse --confidences` writes it: reliability of confidences
        Confidence,
    }
}

impl BreakdownSection {
    /// Default sections.
    pub const USUAL: [BreakdownSection; 5] = [
        BreakdownSection::Length,
        BreakdownSection::Label,
        BreakdownSection::SentenceLength,
        BreakdownSection::Projectivity,
        BreakdownSection::Confidence,
    ];

    /// Title of its classes, for people.
    pub fn title(self) -> &'static str {
        match self {
            BreakdownSection::Length => "arc length, unlabelled",
            BreakdownSection::Label => "label, head and label right",
            BreakdownSection::SentenceLength => "sentence length in words",
            BreakdownSection::Projectivity => "projectivity, unlabelled",
            BreakdownSection::Tag => "tag of the word, unlabelled",
            BreakdownSection::Direction => "direction and distance of the head, unlabelled",
            BreakdownSection::LabelConfusion => "label in gold and in the system",
            BreakdownSection::TagConfusion => "tag of the head in gold and in the system",
            BreakdownSection::Confidence => "confidence",
        }
    }
}

/// One class of arcs. An arc is of a class by its own tree: gold arcs are found or not, predicted arcs are right or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArcClass {
    /// The class: a range of lengths, a label, `projective` or `non-projective`.
    pub class: String,
    /// Gold arcs of the class.
    pub gold: u64,
    /// Gold arcs that were predicted.
    pub gold_found: u64,
    /// Predicted arcs of the class.
    pub predicted: u64,
    /// Predicted arcs that are gold arcs.
    pub predicted_right: u64,
    /// `gold_found` in percent of `gold`, if there are any.
    pub recall: Option<f64>,
    /// `predicted_right` in percent of `predicted`, if there are any.
    pub precision: Option<f64>,
    /// The harmonic mean of precision and recall, one that does not exist counting as 0.
    pub f1: Option<f64>,
}

/// The sentences of a range of lengths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LengthBucket {
    /// The range, in words with punctuation.
    pub sentence_length: String,
    /// Their scores.
    #[serde(flatten)]
    pub scores: Scores,
}

/// The breakdowns of one system that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Breakdowns {
    /// By distance between word and head, unlabelled. Arcs from the root are a class of their own (McDonald & Nivre 2007,
    /// section 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Vec<ArcClass>>,
    /// By label, most frequent first; an arc is right if head and label are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Vec<ArcClass>>,
    /// By sentence length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence_length: Option<Vec<LengthBucket>>,
    /// By projectivity, unlabelled; an arc's projectivity depends on the tree that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projectivity: Option<Vec<ArcClass>>,
    /// By the gold file's tag of the word, unlabelled, most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<Vec<ArcClass>>,
    /// By direction and distance of the head, unlabelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vec<ArcClass>>,
    /// Labels taken for others, the most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_confusion: Option<Vec<Confusion>>,
    /// Tags of wrong heads beside those of the right ones, the most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_confusion: Option<Vec<Confusion>>,
    /// Reliability of confidences in heads and in labels, if the system's file has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Vec<Reliability>>,
}

impl Breakdowns {
    /// Breaks down `pairs` into `sections`.
    pub(super) fn new(pairs: &[ScoredSentence], granularity: Granularity, sections: &[BreakdownSection]) -> Breakdowns {
        let mut breakdowns = Breakdowns::default();
        for section in sections {
            match section {
                BreakdownSection::Length => {
                    let length = |sentence: &'_ InputSentence, word: usize| length(sentence.heads[word], word);
                    breakdowns.length = Some(in_order(&ARC_LENGTHS, tallies(pairs, has_head, length)));
                }
                BreakdownSection::Label => breakdowns.label = Some(by_label(pairs, granularity)),
                BreakdownSection::SentenceLength => breakdowns.sentence_length = Some(by_sentence_length(pairs)),
                BreakdownSection::Projectivity => breakdowns.projectivity = Some(by_projectivity(pairs)),
                BreakdownSection::Tag => breakdowns.tag = Some(by_tag(pairs)),
                BreakdownSection::Direction => {
                    let direction = |sentence: &'_ InputSentence, word: usize| direction(sentence.heads[word], word);
                    breakdowns.direction = Some(in_order(&DIRECTIONS, tallies(pairs, has_head, direction)));
                }
                BreakdownSection::LabelConfusion => {
                    breakdowns.label_confusion = Some(confusion::of_labels(pairs, granularity))
                }
                BreakdownSection::TagConfusion => breakdowns.tag_confusion = Some(confusion::of_head_tags(pairs)),
                BreakdownSection::Confidence => breakdowns.confidence = reliability::of_confidences(pairs, granularity),
            }
        }
        breakdowns
    }

    /// Leaves out all but `sections`.
    pub(super) fn keep(&mut self, sections: &[BreakdownSection]) {
        for section in BreakdownSection::ALL.into_iter().filter(|section| !sections.contains(section)) {
            match section {
                BreakdownSection::Length => self.length = None,
                BreakdownSection::Label => self.label = None,
                BreakdownSection::SentenceLength => self.sentence_length = None,
                BreakdownSection::Projectivity => self.projectivity = None,
                BreakdownSection::Tag => self.tag = None,
                BreakdownSection::Direction => self.direction = None,
                BreakdownSection::LabelConfusion => self.label_confusion = None,
                BreakdownSection::TagConfusion => self.tag_confusion = None,
                BreakdownSection::Confidence => self.confidence = None,
            }
        }
    }
}

/// The four numbers of an [`ArcClass`].
#[derive(Default, Clone, Copy)]
struct Tally {
    gold: u64,
    gold_found: u64,
    predicted: u64,
    predicted_right: u64,
}

impl Tally {
    fn add_gold(&mut self, found: bool) {
        self.gold += 1;
        self.gold_found += u64::from(found);
    }

    fn add_predicted(&mut self, right: bool) {
        self.predicted += 1;
        self.predicted_right += u64::from(right);
    }

    fn into_class(self, class: &str) -> ArcClass {
        let share = |part, whole| (whole > 0).then(|| percent(part, whole));
        let recall = share(self.gold_found, self.gold);
        let precision = share(self.predicted_right, self.predicted);
        let f1 = (recall.is_some() || precision.is_some()).then(|| {
            let (r, p) = (recall.unwrap_or(0.0), precision.unwrap_or(0.0));
            if r + p > 0.0 { 2.0 * r * p / (r + p) } else { 0.0 }
        });
        let Tally { gold, gold_found, predicted, predicted_right } = self;
        ArcClass { class: class.to_owned(), gold, gold_found, predicted, predicted_right, recall, precision, f1 }
    }
}

/// True if a word has the right head.
fn has_head(pair: &ScoredSentence, word: usize) -> bool {
    pair.gold.heads[word] == pair.system.heads[word]
}

/// Tallies of the scored arcs by what `class` says of a word's arc in a tree; `is_right` of what counts as the same arc.
fn tallies<'a>(
    pairs: &'a [ScoredSentence<'a>],
    is_right: impl Fn(&ScoredSentence, usize) -> bool,
    class: impl Fn(&'a InputSentence, usize) -> &'a str,
) -> BTreeMap<&'a str, Tally> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (pair, word) in scored_words(pairs) {
        let is_right = is_right(pair, word);
        tallies.entry(class(pair.gold, word)).or_default().add_gold(is_right);
        tallies.entry(class(pair.system, word)).or_default().add_predicted(is_right);
    }
    tallies
}

/// The tallies of these classes, in this order.
fn in_order(classes: &[&str], mut tallies: BTreeMap<&str, Tally>) -> Vec<ArcClass> {
    classes.iter().map(|&class| tallies.remove(class).unwrap_or_default().into_class(class)).collect()
}

/// All classes, the most frequent first.
fn by_frequency(tallies: BTreeMap<&str, Tally>) -> Vec<ArcClass> {
    let mut classes: Vec<ArcClass> = tallies.into_iter().map(|(class, tally)| tally.into_class(class)).collect();
    classes.sort_by_key(|class| std::cmp::Reverse((class.gold, class.predicted)));
    classes
}

fn by_label(pairs: &[ScoredSentence], granularity: Granularity) -> Vec<ArcClass> {
    let is_right = |pair: &ScoredSentence, word: usize| {
        let [gold, system] = [pair.gold, pair.system].map(|sentence| granularity.of(&sentence.labels[word]));
        gold == system && has_head(pair, word)
    };
    by_frequency(tallies(pairs, is_right, |sentence, word| granularity.of(&sentence.labels[word])))
}

/// The class of the arc from `head` into entry `word` by its length.
pub(super) fn length(head: Node, word: usize) -> &'static str {
    ARC_LENGTHS[arc_length(head, word)]
}

/// Directions with distances; "left" is a head that stands before its word.
const DIRECTIONS: [&str; 9] =
    ["root", "left 1", "left 2", "left 3-6", "left 7+", "right 1", "right 2", "right 3-6", "right 7+"];

/// The class of the arc from `head` into entry `word` by where the head stands.
pub(super) fn direction(head: Node, word: usize) -> &'static str {
    match arc_length(head, word) {
        length if usize::from(head) <= word => DIRECTIONS[length],
        length => DIRECTIONS[length + 4],
    }
}

fn by_tag(pairs: &[ScoredSentence]) -> Vec<ArcClass> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (pair, word) in scored_words(pairs) {
        // Tags are those of the gold file.
        let tally = tallies.entry(&pair.gold.upos[word]).or_default();
        tally.add_gold(has_head(pair, word));
        tally.add_predicted(has_head(pair, word));
    }
    by_frequency(tallies)
}

fn by_projectivity(pairs: &[ScoredSentence]) -> Vec<ArcClass> {
    let mut tallies = [Tally::default(); 2];
    for pair in pairs {
        let [gold, system] = [pair.gold, pair.system].map(|sentence| nonprojective(&sentence.heads));
        for word in (0..pair.scored.len()).filter(|&word| pair.scored[word]) {
            tallies[usize::from(gold[word])].add_gold(has_head(pair, word));
            tallies[usize::from(system[word])].add_predicted(has_head(pair, word));
        }
    }
    ["projective", "non-projective"].iter().zip(tallies).map(|(name, tally)| tally.into_class(name)).collect()
}

/// The buckets' names, and the most words that a sentence of each has.
const SENTENCE_LENGTHS: [(&str, usize); 6] =
    [("1-10", 10), ("11-20", 20), ("21-30", 30), ("31-40", 40), ("41-50", 50), ("51+", usize::MAX)];

/// The place in [`SENTENCE_LENGTHS`] of a sentence of so many words.
fn sentence_length_place(n_words: usize) -> usize {
    SENTENCE_LENGTHS.partition_point(|&(_, most)| most < n_words)
}

/// The class of a sentence of so many words.
pub(super) fn sentence_length(n_words: usize) -> &'static str {
    SENTENCE_LENGTHS[sentence_length_place(n_words)].0
}

fn by_sentence_length(pairs: &[ScoredSentence]) -> Vec<LengthBucket> {
    let mut buckets = [Counts::default(); SENTENCE_LENGTHS.len()];
    for pair in pairs {
        buckets[sentence_length_place(pair.gold.n_words())] += pair.counts;
    }
    let named = SENTENCE_LENGTHS.iter().zip(buckets);
    named.map(|(&(name, _), counts)| LengthBucket { sentence_length: name.to_owned(), scores: counts.into() }).collect()
}

/// True for each word whose arc to its head is non-projective; entry 0 belongs to word 1.
pub(super) fn nonprojective(heads: &[Node]) -> Vec<bool> {
    let mut flags = vec![false; heads.len()];
    for word in non_projective_arcs(&Tree::new(heads, &vec![0; heads.len()])) {
        flags[word as usize - 1] = true;
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::super::count;
    use super::*;

    fn sentence(heads: &[Node], labels: &[&str]) -> InputSentence {
        let n = heads.len();
        InputSentence {
            id: None,
            line: 1,
            lines: (1..=n).collect(),
            forms: vec!["w".to_owned(); n],
            lemmas: vec!["_".to_owned(); n],
            xpos: vec!["_".to_owned(); n],
            feats: vec!["_".to_owned(); n],
            ranges: Vec::new(),
            upos: vec!["X".to_owned(); n],
            heads: heads.to_vec(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            confidences: Vec::new(),
        }
    }

    fn breakdowns(gold: &InputSentence, system: &InputSentence, scored: &[bool]) -> Breakdowns {
        let counts = count(&gold.analysis(), &system.analysis(), |word| scored[word], Granularity::Universal);
        let pair = ScoredSentence { gold, system, scored, counts };
        use BreakdownSection::*;
        Breakdowns::new(&[pair], Granularity::Universal, &[Length, Label, SentenceLength, Projectivity])
    }

    /// (class, gold, found, predicted, right)
    fn figures(classes: Option<Vec<ArcClass>>) -> Vec<(String, u64, u64, u64, u64)> {
        let classes = classes.unwrap().into_iter();
        classes.map(|c| (c.class, c.gold, c.gold_found, c.predicted, c.predicted_right)).collect()
    }

    fn rows(rows: &[(&str, u64, u64, u64, u64)]) -> Vec<(String, u64, u64, u64, u64)> {
        rows.iter().map(|&(class, a, b, c, d)| (class.to_owned(), a, b, c, d)).collect()
    }

    /// "A hearing is scheduled on the issue today", two crossing arcs in gold; the system finds one of them, loses the
    /// other and makes the arc to "the" two words long.
    #[test]
    fn by_hand() {
        let gold = sentence(
            &[2, 3, 0, 3, 2, 7, 5, 4],
            &["det", "nsubj:pass", "root", "xcomp", "nmod", "det", "case", "advmod"],
        );
        let system =
            sentence(&[2, 3, 0, 3, 2, 5, 5, 7], &["det", "nsubj", "root", "xcomp", "obl", "det", "case", "advmod"]);
        let found = breakdowns(&gold, &system, &[true; 8]);
        assert_eq!(
            figures(found.length),
            rows(&[
                ("root", 1, 1, 1, 1),
                ("1", 4, 3, 5, 3),
                ("2", 1, 1, 1, 1),
                ("3-6", 2, 1, 1, 1),
                ("7+", 0, 0, 0, 0)
            ])
        );
        assert_eq!(
            figures(found.label),
            rows(&[
                ("det", 2, 1, 2, 1),
                ("advmod", 1, 0, 1, 0),
                ("case", 1, 1, 1, 1),
                ("nsubj", 1, 1, 1, 1),
                ("root", 1, 1, 1, 1),
                ("xcomp", 1, 1, 1, 1),
                ("nmod", 1, 0, 0, 0),
                ("obl", 0, 0, 1, 0),
            ])
        );
        assert_eq!(figures(found.projectivity), rows(&[("projective", 6, 5, 7, 5), ("non-projective", 2, 1, 1, 1)]));
        let buckets = found.sentence_length.unwrap();
        assert_eq!(buckets[0].scores.counts.heads, 6);
        assert!(buckets[1..].iter().all(|bucket| bucket.scores.counts == Counts::default()));
    }

    #[test]
    fn tags_directions_and_confusions_by_hand() {
        let mut gold = sentence(&[2, 3, 0, 3, 4], &["det", "nsubj", "root", "obj", "nmod:of"]);
        gold.upos = ["DET", "NOUN", "VERB", "NOUN", "NOUN"].map(str::to_owned).into();
        let system = sentence(&[2, 3, 0, 3, 3], &["det", "obj", "root", "obj", "obl"]);
        let counts = count(&gold.analysis(), &system.analysis(), |_| true, Granularity::Universal);
        let pair = ScoredSentence { gold: &gold, system: &system, scored: &[true; 5], counts };
        let found = Breakdowns::new(&[pair], Granularity::Universal, &BreakdownSection::ALL);
        assert_eq!(figures(found.tag), rows(&[("NOUN", 3, 2, 3, 2), ("DET", 1, 1, 1, 1), ("VERB", 1, 1, 1, 1)]));
        let directions: Vec<_> = figures(found.direction).into_iter().filter(|c| c.1 + c.3 > 0).collect();
        let expected = [("root", 1, 1, 1, 1), ("left 1", 2, 1, 1, 1), ("left 2", 0, 0, 1, 0), ("right 1", 2, 2, 2, 2)];
        assert_eq!(directions, rows(&expected));
        let listed = |confusions: Option<Vec<Confusion>>| -> Vec<String> {
            let text = |c: Confusion| format!("{} {} {} of {}", c.gold, c.system, c.count, c.of);
            confusions.unwrap().into_iter().map(text).collect()
        };
        assert_eq!(listed(found.label_confusion), ["nmod obl 1 of 1", "nsubj obj 1 of 1"]);
        assert_eq!(listed(found.tag_confusion), ["NOUN VERB 1 of 2"]);
    }

    #[test]
    fn words_that_are_not_scored_are_nowhere() {
        let gold = sentence(&[2, 0, 2], &["a", "root", "punct"]);
        let system = sentence(&[0, 1, 1], &["root", "b", "punct"]);
        let found = breakdowns(&gold, &system, &[true, true, false]);
        let sum = |classes: Option<Vec<ArcClass>>| {
            figures(classes)
                .into_iter()
                .map(|c| (c.1, c.2, c.3, c.4))
                .fold((0, 0, 0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1, sum.2 + c.2, sum.3 + c.3))
        };
        for classes in [found.length, found.label, found.projectivity] {
            assert_eq!(sum(classes), (2, 0, 2, 0));
        }
    }

    #[test]
    fn boundaries() {
        let place = |length: usize| SENTENCE_LENGTHS[SENTENCE_LENGTHS.partition_point(|&(_, most)| most < length)].0;
        assert_eq!([1, 10, 11, 20, 50, 51, 999].map(place), ["1-10", "1-10", "11-20", "11-20", "41-50", "51+", "51+"]);
        let arc = |head| ARC_LENGTHS[arc_length(head, 9)];
        assert_eq!([0, 9, 11, 8, 7, 4, 3, 16, 17].map(arc), ["root", "1", "1", "2", "3-6", "3-6", "7+", "3-6", "7+"]);
    }

    #[test]
    fn shares_that_do_not_exist() {
        let shares = |gold, predicted| {
            let class = Tally { gold, predicted, ..Tally::default() }.into_class("x");
            (class.recall, class.precision, class.f1)
        };
        assert_eq!(shares(0, 0), (None, None, None));
        assert_eq!(shares(3, 0), (Some(0.0), None, Some(0.0)));
        assert_eq!(shares(0, 2), (None, Some(0.0), Some(0.0)));
    }
}
