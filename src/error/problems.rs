//! Many problems of one input, in memory that does not grow with their number.

use std::collections::BTreeMap;
use std::fmt;

use super::Problem;
use crate::choice::choice;

choice! {
    /// The rules that a treebank's file can break, by level as Universal Dependencies' own validator counts levels: 1, up to
    /// [`Rule::Words`], is the file's format, 2 the basic tree and the form of its annotation.
    pub enum Rule {
        /// The file is of another format.
        Format = "format",
        /// Bytes that are not UTF-8.
        Encoding = "encoding",
        /// Letters with marks are composed where Unicode has a character for both: normalisation form C.
        Normalisation = "normalisation",
        /// Carriage returns, a byte order mark, blank lines too many or too few.
        Layout = "layout",
        /// A line has ten columns.
        Columns = "columns",
        /// A column is not empty, and has no white space where none may be.
        EmptyColumn = "empty-column",
        /// White space within or around a column's text.
        WhiteSpace = "white-space",
        /// Comments come before the words.
        Comment = "comment",
        /// Words are numbered from 1 without gaps; ranges and empty nodes stand where they belong.
        Id = "id",
        /// A sentence has words, and no more than can be parsed.
        Words = "words",
        /// A word's head is a node of the sentence.
        Head = "head",
        /// Heads lead to the root.
        Cycle = "cycle",
        /// As many words hang from the root as the format allows.
        Root = "root",
        /// A word has a label, and one of the right form.
        Label = "label",
        /// Sentences have an id, each another one; so are ids of parallel sentences, and their alternatives and parts are counted.
        SentenceId = "sentence-id",
        /// A sentence begins one document and one paragraph at most, not within a line of text.
        Document = "document",
        /// Sentences have their text, which is that of their words.
        Text = "text",
        /// Universal parts of speech are of the universal inventory.
        Upos = "upos",
        /// Features are pairs of names and values, sorted, none given twice.
        Feats = "feats",
        /// The enhanced graph is a sorted list of heads and labels, reaches every node, and is there in all sentences or in none.
        Deps = "deps",
        /// Attributes of MISC are given once; SpaceAfter is No, of tokens of the text.
        Misc = "misc",
    }
}

impl Rule {
    /// The level at which Universal Dependencies' validator checks it.
    pub fn level(self) -> u8 {
        if self <= Rule::Words { 1 } else { 2 }
    }
}

/// Problems: the first of each rule, and the number of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    limit: usize,
    kept: Vec<(Rule, Problem)>,
    counts: BTreeMap<Rule, Count>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    kept: usize,
    all: usize,
}

impl Problems {
    /// Default number of problems to keep of each rule.
    pub const LIMIT: usize = 100;

    /// No problems yet; of those to come, the first `limit` of each rule are kept.
    pub fn new(limit: usize) -> Problems {
        Problems { limit, kept: Vec::new(), counts: BTreeMap::new() }
    }

    /// Number of problems to keep of each rule.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Counts one more; `problem` is asked for only if it is kept.
    pub fn add(&mut self, rule: Rule, problem: impl FnOnce() -> Problem) {
        let count = self.counts.entry(rule).or_default();
        count.all += 1;
        if count.kept < self.limit {
            count.kept += 1;
            self.kept.push((rule, problem()));
        }
    }

    /// Adds all problems of `other`.
    pub fn append(&mut self, other: Problems) {
        for (rule, problem) in other.kept {
            let count = self.counts.entry(rule).or_default();
            if count.kept < self.limit {
                count.kept += 1;
                self.kept.push((rule, problem));
            }
        }
        for (rule, Count { all, .. }) in other.counts {
            self.counts.entry(rule).or_default().all += all;
        }
    }

    /// Puts those that are kept in the order of their lines.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|(_, problem)| problem.location.line);
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The same problems, the last of which says what else to do.
    #[must_use]
    pub fn with_remedy(mut self, remedy: &str) -> Problems {
        if let Some((_, problem)) = self.kept.last_mut() {
            problem.expected += remedy;
        }
        self
    }

    /// Rules that are broken.
    pub fn rules(&self) -> impl Iterator<Item = Rule> {
        self.counts.keys().copied()
    }

    /// Number of problems, kept or not.
    pub fn len(&self) -> usize {
        self.counts.values().map(|count| count.all).sum()
    }

    /// Kept problems, with their rules.
    pub fn kept(&self) -> &[(Rule, Problem)] {
        &self.kept
    }

    /// Number of problems of each rule beyond those that are kept.
    pub fn more(&self) -> impl Iterator<Item = (Rule, usize)> {
        self.counts.iter().map(|(&rule, count)| (rule, count.all - count.kept)).filter(|&(_, more)| more > 0)
    }

    /// The first one, if there is any.
    pub fn into_first(self) -> Option<Problem> {
        self.kept.into_iter().next().map(|(_, problem)| problem)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut end = "";
        for (_, problem) in &self.kept {
            write!(f, "{end}{problem}")?;
            end = "\n";
        }
        for (rule, more) in self.more() {
            write!(f, "{end}{}", remaining(rule, more))?;
            end = "\n";
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Message for problems that are not listed.
pub fn remaining(rule: Rule, more: usize) -> String {
    format!("and {} more of this kind: {rule}", thousands(more))
}

/// A number with commas between its thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun in the right form: `1 file`, `2 files`, `1,200 files`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize) -> Problem {
        Problem::at("x", line, "a", "b")
    }

    #[test]
    fn the_first_are_kept_and_the_others_counted() {
        let mut problems = Problems::new(2);
        (1..=1500).for_each(|line| problems.add(Rule::Id, || problem(line)));
        problems.add(Rule::Head, || problem(1));
        let mut all = Problems::new(3);
        all.append(problems.clone());
        all.append(problems.clone());
        all.sort();
        let lines: Vec<usize> = all.kept().iter().map(|(_, problem)| problem.location.line).collect();
        assert_eq!((all.len(), lines), (3002, vec![1, 1, 1, 1, 2]));
        assert_eq!(all.more().collect::<Vec<_>>(), [(Rule::Id, 2997)]);
        assert!(problems.to_string().ends_with("\nx:1: a; expected b\nand 1,498 more of this kind: id"), "{problems}");
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 2000].map(|n| counted(n, "word")), ["0 words", "1 word", "2,000 words"]);
    }
}
