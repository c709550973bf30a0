//! The trees in sentences: heads and labels as numbers, and everything that is wrong with them.

use super::{CONFIDENCES, Column, Sentence};
use crate::error::{Problem, Problems, Rule, excerpt, excerpt_of_ascii};
use crate::tree::{LabelId, Labels, NO_LABEL, NO_NODE, Node, ROOT, Roots, Tree, Violation, violations};

impl Sentence {
    /// The heads of the words; entry 0 belongs to word 1.
    ///
    /// # Errors
    /// The first of [`Sentence::annotation_problems`] that concerns heads.
    pub fn heads(&self, roots: Roots) -> Result<Vec<Node>, Problem> {
        let heads: Vec<Node> = self.words().map(|word| self.head(word).unwrap_or(NO_NODE)).collect();
        match violations(&heads, roots).first() {
            None => Ok(heads),
            Some(violation) => Err(self.head_problem(violation, |word| self.line_of(word))),
        }
    }

    /// The tree, with new labels added to `labels`.
    ///
    /// # Errors
    /// The first of [`Sentence::annotation_problems`], or more labels than [`Labels::MAX`].
    pub fn tree(&self, roots: Roots, labels: &mut Labels) -> Result<Tree, Problem> {
        let heads = self.heads(roots)?;
        let label = |word: Node| match self.deprel(word) {
            "_" if self.is_unlabelled(word) => Err(self.label_problem(word, |word| self.line_of(word))),
            name => self.new_label(word, name, labels),
        };
        let labels = self.words().map(label).collect::<Result<Vec<_>, _>>()?;
        Ok(Tree::new(&heads, &labels))
    }

    /// The tree, in which words whose HEAD or DEPREL is `_` have no head or label; with new labels added to `labels`.
    ///
    /// # Errors
    /// As of [`Sentence::tree`], but for what is `_`.
    pub fn partial_tree(&self, roots: Roots, labels: &mut Labels) -> Result<Tree, Problem> {
        let heads: Vec<Node> = self.words().map(|word| self.head(word).unwrap_or(NO_NODE)).collect();
        let mut problems = Problems::new(1);
        self.check_partial_annotation(roots, &mut problems);
        problems.into_first().map_or(Ok(()), Err)?;
        let mut label = |word: Node| match self.deprel(word) {
            // Labels are those of arcs.
            _ if heads[usize::from(word) - 1] == NO_NODE => Ok(NO_LABEL),
            "_" if self.tags.is_none() => Ok(NO_LABEL),
            name => self.new_label(word, name, labels),
        };
        let found = self.words().map(&mut label).collect::<Result<Vec<_>, _>>()?;
        Ok(Tree::new(&heads, &found))
    }

    fn new_label(&self, word: Node, name: &str, labels: &mut Labels) -> Result<LabelId, Problem> {
        if labels.len() == Labels::MAX && labels.get(name).is_none() {
            let name = excerpt(name);
            let found = format!("the label `{name}`, one more than there are numbers for");
            return Err(self.problem(word, found, "names of relations; is the column the right one?".into()));
        }
        Ok(labels.intern(name))
    }

    /// Everything that keeps the annotation from being a labelled tree, in the order of lines; of each kind no more than
    /// [`Problems::LIMIT`], and the number of the others.
    pub fn annotation_problems(&self, roots: Roots) -> Problems {
        let mut problems = Problems::new(Problems::LIMIT);
        self.check_annotation(roots, &mut problems);
        problems
    }

    /// [`Sentence::annotation_problems`], added to `problems`. Linear in the length of the sentence.
    pub(super) fn check_annotation(&self, roots: Roots, problems: &mut Problems) {
        self.check(roots, problems, |_, _| false);
    }

    /// Everything that keeps the annotation from being a part of a labelled tree, where `_` is what is not known. Tags are known.
    pub(super) fn check_partial_annotation(&self, roots: Roots, problems: &mut Problems) {
        self.check(roots, problems, |word, column| self.tags.is_none() && self.column(word, column) == "_");
    }

    fn check(&self, roots: Roots, problems: &mut Problems, is_open: impl Fn(Node, Column) -> bool) {
        let heads: Vec<Node> = self.words().map(|word| self.head(word).unwrap_or(NO_NODE)).collect();
        let mut violations = violations(&heads, roots);
        violations.retain(|violation| !matches!(violation, Violation::NoHead(word) if is_open(*word, Column::Head)));
        let is_missing = |&word: &Node| self.is_unlabelled(word) && !is_open(word, Column::Deprel);
        let unlabelled: Vec<Node> = self.words().filter(is_missing).collect();
        if violations.is_empty() && unlabelled.is_empty() {
            return;
        }
        let lines = self.lines_of_words();
        let mut found = Problems::new(problems.limit());
        for violation in &violations {
            let rule = match violation {
                Violation::NoHead(_) => Rule::Head,
                Violation::SelfLoop(_) | Violation::Cycle(_) => Rule::Cycle,
                Violation::NoRoot | Violation::SeveralRoots(_) => Rule::Root,
            };
            found.add(rule, || self.head_problem(violation, |word| lines[word as usize - 1]));
        }
        for word in unlabelled {
            found.add(Rule::Label, || self.label_problem(word, |word| lines[word as usize - 1]));
        }
        found.sort();
        problems.append(found);
    }

    /// True if the word has no label, or no tag. In FEATS `_` says that there are no features, which is a tag like others.
    fn is_unlabelled(&self, word: Node) -> bool {
        self.deprel(word) == "_" && self.tags != Some(Column::Feats)
    }

    /// Adds the heads that stand in the column and are no words of the sentence, as those of text without annotation must
    /// not: `_` is no head, anything else is meant to be one.
    pub fn check_given_heads(&self, problems: &mut Problems) {
        let is_wrong = |&word: &Node| self.column(word, Column::Head) != "_" && self.head(word).is_none();
        let wrong: Vec<Node> = self.words().filter(is_wrong).collect();
        if wrong.is_empty() {
            return;
        }
        let lines = self.lines_of_words();
        for word in wrong {
            problems.add(Rule::Head, || self.head_problem(&Violation::NoHead(word), |word| lines[word as usize - 1]));
        }
    }

    fn head_problem(&self, violation: &Violation, line_of: impl Fn(Node) -> usize) -> Problem {
        let (found, expected) = match violation {
            Violation::NoHead(word) => (
                format!("the head {} of word {word}", excerpt_of_ascii(self.column(*word, Column::Head))),
                format!("a number from 0 (the root) to {}", self.n_words()),
            ),
            Violation::SelfLoop(_) => (violation.to_string(), "another word or 0".into()),
            Violation::Cycle(_) => (violation.to_string(), "heads that lead to the root".into()),
            Violation::NoRoot => (violation.to_string(), "one".into()),
            Violation::SeveralRoots(_) => {
                (violation.to_string(), "one; `--roots several` allows more, as CoNLL-X does".into())
            }
        };
        self.problem_at(violation.word().unwrap_or(ROOT), line_of, found, expected)
    }

    /// The values of `column`, by word from the first on, as labels.
    ///
    /// # Errors
    /// If a word has none.
    pub fn tags(&self, column: Column, labels: &mut Labels) -> Result<Vec<LabelId>, Problem> {
        Ok(self.clone().for_target(Some(column)).tree(Roots::Several, labels)?.labels().to_vec())
    }

    fn label_problem(&self, word: Node, line_of: impl Fn(Node) -> usize) -> Problem {
        let (found, expected) = match self.tags {
            None => (format!("the label `_` of word {word}"), "the name of a relation".to_owned()),
            Some(column) => (format!("the tag `_` of word {word}"), format!("a value in {}", column.name(self.format))),
        };
        self.problem_at(word, line_of, found, expected)
    }

    /// By word the confidences in MISC, in the order of [`CONFIDENCES`]; empty if no word has any.
    ///
    /// # Errors
    /// If one is no probability.
    pub fn confidences(&self) -> Result<Vec<[Option<f64>; 2]>, Problem> {
        let of_word = |word: Node| {
            let attribute = |name: &str| {
                let attributes = self.column(word, Column::Misc).split('|');
                attributes.filter_map(|attribute| attribute.split_once('=')).find(|(found, _)| *found == name)
            };
            let mut of_word = [None; 2];
            for (place, (name, value)) in
                of_word.iter_mut().zip(CONFIDENCES.map(attribute)).filter_map(|(p, a)| Some((p, a?)))
            {
                let probability = value.parse().ok().filter(|probability| (0.0..=1.0).contains(probability));
                let problem =
                    || self.problem(word, format!("{name}={value} in MISC"), "a probability from 0 to 1".to_owned());
                *place = Some(probability.ok_or_else(problem)?);
            }
            Ok(of_word)
        };
        let all: Vec<[Option<f64>; 2]> = self.words().map(of_word).collect::<Result<_, Problem>>()?;
        Ok(if all.iter().flatten().any(Option::is_some) { all } else { Vec::new() })
    }

    fn problem(&self, word: Node, found: String, expected: String) -> Problem {
        self.problem_at(word, |word| self.line_of(word), found, expected)
    }

    fn problem_at(&self, word: Node, line_of: impl Fn(Node) -> usize, found: String, expected: String) -> Problem {
        let line = if word == ROOT { self.line() } else { line_of(word) };
        Problem { location: self.location_at(line), found, expected }
    }
}
