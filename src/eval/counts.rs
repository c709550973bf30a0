//! Counting what is correct in one sentence, and scores from counts.

use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::choice::choice;
use crate::tree::Node;

/// A sentence's tree with its labels as text, so that trees from different label inventories compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis<'a> {
    /// The heads of the words `1..=n`; entry 0 belongs to word 1.
    pub heads: Vec<Node>,
    /// The labels of the arcs into the same words.
    pub labels: Vec<&'a str>,
}

choice! {
    /// Granularity of labels: those that count as the same.
    #[derive(Default)]
    pub enum Granularity {
        /// The whole label, with its subtype: `nsubj:pass` is not `nsubj`
        #[default]
        Full,
        /// The universal part, before the first colon: `nsubj:pass` is `nsubj`
        Universal,
    }
}

impl Granularity {
    /// The part of `label` that is compared.
    pub fn of(self, label: &str) -> &str {
        match self {
            Granularity::Full => label,
            Granularity::Universal => label.split_once(':').map_or(label, |(universal, _)| universal),
        }
    }
}

/// The two attachment scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The unlabelled attachment score.
    Uas,
    /// The labelled attachment score.
    Las,
}

impl Metric {
    /// The number of words that `counts` regards as correct.
    pub fn correct(self, counts: &Counts) -> u64 {
        match self {
            Metric::Uas => counts.heads,
            Metric::Las => counts.labelled,
        }
    }

    /// The score in percent; NaN if no word was scored.
    pub fn score(self, counts: &Counts) -> f64 {
        percent(self.correct(counts), counts.tokens)
    }

    /// The metric as tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Uas => "UAS",
            Metric::Las => "LAS",
        }
    }
}

/// Numbers of scored and of correct words, in one sentence or in many.
///
/// # Examples
/// ```
/// use treebeam::eval::{Analysis, Counts, Granularity, count};
///
/// let gold = Analysis { heads: vec![2, 3, 0, 3], labels: vec!["det", "nsubj", "root", "punct"] };
/// let system = Analysis { heads: vec![2, 3, 0, 2], labels: vec!["det", "obj", "root", "punct"] };
/// // Words are numbered from 0 here; the last one is punctuation.
/// let counts = count(&gold, &system, |word| word < 3, Granularity::Full);
/// assert_eq!((counts.tokens, counts.heads, counts.labelled), (3, 3, 2));
/// assert_eq!(counts.uas(), 100.0);
///
/// // Scores of several sentences are those of all their words together.
/// let both: Counts = [counts, counts].into_iter().sum();
/// assert_eq!(both.tokens, 6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Sentences with at least one scored word. A sentence that has none can be neither right nor wrong.
    pub sentences: u64,
    /// Scored words.
    pub tokens: u64,
    /// Scored words with the correct head.
    pub heads: u64,
    /// Scored words with the correct label, whatever their head.
    #[serde(default)]
    pub labels: u64,
    /// Scored words with the correct head and the correct label.
    pub labelled: u64,
    /// Sentences in which every scored word has the correct head.
    pub exact_heads: u64,
    /// Sentences in which every scored word has the correct head and the correct label.
    pub exact_labelled: u64,
}

impl Counts {
    /// The counts of one sentence, by whether head and label of each scored word are correct.
    pub fn of_sentence(words: impl Iterator<Item = (bool, bool)>) -> Counts {
        let mut counts = Counts::default();
        for (head, label) in words {
            counts.tokens += 1;
            counts.heads += u64::from(head);
            counts.labels += u64::from(label);
            counts.labelled += u64::from(head && label);
        }
        if counts.tokens > 0 {
            counts.sentences = 1;
            counts.exact_heads = u64::from(counts.heads == counts.tokens);
            counts.exact_labelled = u64::from(counts.labelled == counts.tokens);
        }
        counts
    }

    /// The unlabelled attachment score in percent; NaN if no word was scored.
    pub fn uas(&self) -> f64 {
        Metric::Uas.score(self)
    }

    /// The labelled attachment score in percent; NaN if no word was scored.
    pub fn las(&self) -> f64 {
        Metric::Las.score(self)
    }

    /// The share of words with the correct label, whatever their head, in percent; NaN if no word was scored.
    pub fn label_accuracy(&self) -> f64 {
        percent(self.labels, self.tokens)
    }

    /// The share of sentences whose scored words all have the correct head, in percent; NaN if none was scored.
    pub fn exact_match(&self) -> f64 {
        percent(self.exact_heads, self.sentences)
    }

    /// The share of sentences whose scored words all have the correct head and label, in percent; NaN if none was scored.
    pub fn exact_match_labelled(&self) -> f64 {
        percent(self.exact_labelled, self.sentences)
    }
}

/// Counts with the scores that follow from them, as they are written to JSON.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// [`Counts::uas`].
    pub uas: f64,
    /// [`Counts::las`].
    pub las: f64,
    /// [`Counts::label_accuracy`].
    pub label_accuracy: f64,
    /// [`Counts::exact_match`].
    pub exact_match: f64,
    /// [`Counts::exact_match_labelled`].
    pub exact_match_labelled: f64,
}

impl From<Counts> for Scores {
    fn from(counts: Counts) -> Scores {
        Scores {
            uas: counts.uas(),
            las: counts.las(),
            label_accuracy: counts.label_accuracy(),
            exact_match: counts.exact_match(),
            exact_match_labelled: counts.exact_match_labelled(),
            counts,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.heads += other.heads;
        self.labels += other.labels;
        self.labelled += other.labelled;
        self.exact_heads += other.exact_heads;
        self.exact_labelled += other.exact_labelled;
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

impl<'a> Sum<&'a Counts> for Counts {
    fn sum<I: Iterator<Item = &'a Counts>>(counts: I) -> Counts {
        counts.copied().sum()
    }
}

/// `part` in percent of `whole`; NaN if `whole` is 0.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Compares one sentence's analyses. `scored` is true of the entries (0 is word 1) that are scored.
///
/// # Panics
/// If the two differ in length.
pub fn count(gold: &Analysis, system: &Analysis, scored: impl Fn(usize) -> bool, granularity: Granularity) -> Counts {
    assert_eq!(gold.heads.len(), system.heads.len(), "two analyses of one sentence");
    Counts::of_sentence((0..gold.heads.len()).filter(|&word| scored(word)).map(|word| {
        let label = granularity.of(gold.labels[word]) == granularity.of(system.labels[word]);
        (gold.heads[word] == system.heads[word], label)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis<'a>(heads: &[Node], labels: &[&'a str]) -> Analysis<'a> {
        Analysis { heads: heads.to_vec(), labels: labels.to_vec() }
    }

    #[test]
    fn counts_by_hand() {
        // "She was seen today .": wrong head for word 4, a wrong subtype for word 1, a wrong label for word 2.
        let gold = analysis(&[3, 3, 0, 3, 3], &["nsubj:pass", "aux", "root", "obl:tmod", "punct"]);
        let system = analysis(&[3, 3, 0, 2, 3], &["nsubj", "cop", "root", "obl:tmod", "punct"]);
        let all = count(&gold, &system, |_| true, Granularity::Full);
        let expected =
            Counts { sentences: 1, tokens: 5, heads: 4, labels: 3, labelled: 2, exact_heads: 0, exact_labelled: 0 };
        assert_eq!(all, expected);
        assert_eq!((all.uas(), all.las(), all.label_accuracy()), (80.0, 40.0, 60.0));

        let universal = count(&gold, &system, |_| true, Granularity::Universal);
        assert_eq!(universal, Counts { labels: 4, labelled: 3, ..expected });

        let few = count(&gold, &system, |word| word != 3 && word != 4, Granularity::Universal);
        assert_eq!(
            few,
            Counts { sentences: 1, tokens: 3, heads: 3, labels: 2, labelled: 2, exact_heads: 1, exact_labelled: 0 }
        );
        let sum: Counts = [all, few].iter().sum();
        assert_eq!((sum.sentences, sum.tokens, sum.heads, sum.exact_heads), (2, 8, 7, 1));
        assert_eq!((sum.exact_match(), sum.exact_match_labelled()), (50.0, 0.0));
    }

    #[test]
    fn a_sentence_without_scored_words_is_not_exact() {
        let punct = analysis(&[0], &["punct"]);
        let none = count(&punct, &punct, |_| false, Granularity::Full);
        assert_eq!(none, Counts::default());
        assert!(none.uas().is_nan() && none.exact_match().is_nan());
    }

    #[test]
    fn only_the_first_colon_separates_the_subtype() {
        assert_eq!(Granularity::Universal.of("nmod:poss:x"), "nmod");
        assert_eq!(Granularity::Universal.of("root"), "root");
        assert_eq!(Granularity::Full.of("nmod:poss"), "nmod:poss");
    }
}
