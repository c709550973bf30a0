//! Numbers of right words by their classes in gold trees: little enough to be kept with every experiment's records.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::breakdown::{length, nonprojective, sentence_length};
use super::counts::{Analysis, Metric, percent};

/// Words, and how many of them are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub struct RightWords {
    /// All words.
    pub words: u64,
    /// Words with the right head.
    pub heads: u64,
    /// Words with the right head and label.
    pub labelled: u64,
}

impl From<[u64; 3]> for RightWords {
    fn from([words, heads, labelled]: [u64; 3]) -> RightWords {
        RightWords { words, heads, labelled }
    }
}

impl From<RightWords> for [u64; 3] {
    fn from(RightWords { words, heads, labelled }: RightWords) -> [u64; 3] {
        [words, heads, labelled]
    }
}

impl AddAssign for RightWords {
    fn add_assign(&mut self, other: RightWords) {
        self.words += other.words;
        self.heads += other.heads;
        self.labelled += other.labelled;
    }
}

impl RightWords {
    /// The score, in percent; there are words.
    pub fn score(&self, metric: Metric) -> f64 {
        let right = match metric {
            Metric::Uas => self.heads,
            Metric::Las => self.labelled,
        };
        percent(right, self.words)
    }
}

/// By the name of a class.
pub type OfClass = BTreeMap<String, RightWords>;

/// Words that are right, punctuation included: recall by classes of gold trees, in which two systems have the same words, and
/// precision by classes of the system's trees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes {
    /// By the distance between a word and its gold head.
    pub arc_length: OfClass,
    /// By the number of words of the sentence.
    pub sentence_length: OfClass,
    /// By gold label.
    pub label: OfClass,
    /// By whether the gold arc is projective in the gold tree; none in older records, nor of the next two.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub projectivity: OfClass,
    /// By the distance between a word and the head that the system gave it: for precision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub predicted_arc_length: OfClass,
    /// By whether the system's arc is projective in its own tree: for precision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub predicted_projectivity: OfClass,
}

impl AddAssign<&Classes> for Classes {
    fn add_assign(&mut self, other: &Classes) {
        let pairs = [
            (&mut self.arc_length, &other.arc_length),
            (&mut self.sentence_length, &other.sentence_length),
            (&mut self.label, &other.label),
            (&mut self.projectivity, &other.projectivity),
            (&mut self.predicted_arc_length, &other.predicted_arc_length),
            (&mut self.predicted_projectivity, &other.predicted_projectivity),
        ];
        for (sums, others) in pairs {
            others.iter().for_each(|(class, &right)| *sums.entry(class.clone()).or_default() += right);
        }
    }
}

impl Classes {
    /// Adds a sentence.
    pub fn add(&mut self, gold: &Analysis, system: &Analysis) {
        let [of_gold, of_system] = [gold, system].map(|analysis| nonprojective(&analysis.heads));
        let projectivity = |is_nonprojective: bool| if is_nonprojective { "non-projective" } else { "projective" };
        for (word, (&head, &label)) in gold.heads.iter().zip(&gold.labels).enumerate() {
            let has_head = system.heads[word] == head;
            let is_right = has_head && system.labels[word] == label;
            let right = RightWords { words: 1, heads: u64::from(has_head), labelled: u64::from(is_right) };
            let classes = [
                (&mut self.arc_length, length(head, word)),
                (&mut self.sentence_length, sentence_length(gold.heads.len())),
                (&mut self.label, label),
                (&mut self.projectivity, projectivity(of_gold[word])),
                (&mut self.predicted_arc_length, length(system.heads[word], word)),
                (&mut self.predicted_projectivity, projectivity(of_system[word])),
            ];
            for (of_class, class) in classes {
                match of_class.get_mut(class) {
                    Some(sum) => *sum += right,
                    None => _ = of_class.insert(class.to_owned(), right),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_the_classes_of_their_gold_arcs_and_of_their_predicted_ones() {
        let gold = Analysis { heads: vec![2, 0, 2, 7, 7, 7, 2], labels: vec!["a", "root", "b", "c", "c", "a", "a"] };
        let system = Analysis { heads: vec![2, 0, 1, 7, 7, 7, 2], labels: vec!["b", "root", "b", "c", "c", "a", "b"] };
        let mut classes = Classes::default();
        classes.add(&gold, &system);
        let rows_of =
            |of: &OfClass| of.iter().map(|(name, r)| (name.clone(), r.words, r.heads, r.labelled)).collect::<Vec<_>>();
        let class = |name: &str, words, heads, labelled| (name.to_owned(), words, heads, labelled);
        assert_eq!(
            rows_of(&classes.arc_length),
            [class("1", 3, 2, 1), class("2", 1, 1, 1), class("3-6", 2, 2, 1), class("root", 1, 1, 1)]
        );
        assert_eq!(rows_of(&classes.sentence_length), [class("1-10", 7, 6, 4)]);
        assert_eq!(
            rows_of(&classes.label),
            [class("a", 3, 3, 1), class("b", 1, 0, 0), class("c", 2, 2, 2), class("root", 1, 1, 1)]
        );
        // 3 hangs on 1 in the system's tree, across the arc of the root.
        assert_eq!(rows_of(&classes.projectivity), [class("projective", 7, 6, 4)]);
        assert_eq!(
            rows_of(&classes.predicted_arc_length),
            [class("1", 2, 2, 1), class("2", 2, 1, 1), class("3-6", 2, 2, 1), class("root", 1, 1, 1)]
        );
        assert_eq!(
            rows_of(&classes.predicted_projectivity),
            [class("non-projective", 1, 0, 0), class("projective", 6, 6, 4)]
        );
        assert_eq!(classes.label["a"].score(Metric::Uas), 100.0);
        let text = serde_json::to_string(&classes.label).unwrap();
        assert_eq!(text, r#"{"a":[3,3,1],"b":[1,0,0],"c":[2,2,2],"root":[1,1,1]}"#);
        assert_eq!(serde_json::from_str::<OfClass>(&text).unwrap(), classes.label);
    }
}
