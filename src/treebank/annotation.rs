//! The trees in sentences: heads and labels as numbers, and everything that is wrong with them.

use super::{Column, Sentence};
use crate::error::Problem;
use crate::tree::{LabelId, Labels, NO_NODE, Node, ROOT, Roots, Tree, Violation, violations};

impl Sentence {
    /// The heads of the words; entry 0 belongs to word 1.
    ///
    /// # Errors
    /// The first of [`Sentence::annotation_problems`] that concerns heads.
    pub fn heads(&self, roots: Roots) -> Result<Vec<Node>, Problem> {
        let heads: Vec<Node> = self.words().map(|word| self.head(word).unwrap_or(NO_NODE)).collect();
        match violations(&heads, roots).first() {
            None => Ok(heads),
            Some(violation) => Err(self.head_problem(violation)),
        }
    }

    /// The tree, with new labels added to `labels`.
    ///
    /// # Errors
    /// The first of [`Sentence::annotation_problems`], or more labels than [`Labels::MAX`].
    pub fn tree(&self, roots: Roots, labels: &mut Labels) -> Result<Tree, Problem> {
        self.tree_with(roots, |word, name| {
            if labels.len() == Labels::MAX && labels.get(name).is_none() {
                let found = format!("the label `{name}`, one more than there are numbers for");
                return Err(self.problem(word, found, "names of relations; is the column the right one?".into()));
            }
            Ok(labels.intern(name))
        })
    }

    /// The tree, if all of its labels are in `labels`.
    ///
    /// # Errors
    /// The first of [`Sentence::annotation_problems`], or a label that is not known.
    pub fn tree_of_known_labels(&self, roots: Roots, labels: &Labels) -> Result<Tree, Problem> {
        self.tree_with(roots, |word, name| {
            labels.get(name).ok_or_else(|| {
                let found = format!("the label `{name}`");
                self.problem(word, found, format!("one of the {} labels that are known", labels.len()))
            })
        })
    }

    fn tree_with(
        &self,
        roots: Roots,
        mut label: impl FnMut(Node, &str) -> Result<LabelId, Problem>,
    ) -> Result<Tree, Problem> {
        let heads = self.heads(roots)?;
        let labels = self
            .words()
            .map(|word| match self.deprel(word) {
                "_" => Err(self.label_problem(word)),
                name => label(word, name),
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Tree::new(&heads, &labels))
    }

    /// Everything that keeps the annotation from being a labelled tree.
    pub fn annotation_problems(&self, roots: Roots) -> Vec<Problem> {
        let heads: Vec<Node> = self.words().map(|word| self.head(word).unwrap_or(NO_NODE)).collect();
        let mut problems: Vec<Problem> =
            violations(&heads, roots).iter().map(|violation| self.head_problem(violation)).collect();
        problems.extend(self.words().filter(|&word| self.deprel(word) == "_").map(|word| self.label_problem(word)));
        problems.sort_by_key(|problem| problem.location.line);
        problems
    }

    fn head_problem(&self, violation: &Violation) -> Problem {
        let (found, expected) = match violation {
            Violation::NoHead(word) => (
                format!("the head `{}` of word {word}", self.column(*word, Column::Head)),
                format!("a number from 0 (the root) to {}", self.n_words()),
            ),
            Violation::SelfLoop(_) => (violation.to_string(), "another word or 0".into()),
            Violation::Cycle(_) => (violation.to_string(), "heads that lead to the root".into()),
            Violation::NoRoot => (violation.to_string(), "one".into()),
            Violation::SeveralRoots(_) => {
                (violation.to_string(), "one; `--multi-root` allows several, as CoNLL-X does".into())
            }
        };
        self.problem(violation.word().unwrap_or(ROOT), found, expected)
    }

    fn label_problem(&self, word: Node) -> Problem {
        self.problem(word, format!("the label `_` of word {word}"), "the name of a relation".into())
    }

    fn problem(&self, word: Node, found: String, expected: String) -> Problem {
        Problem { location: self.location(word), found, expected }
    }
}
