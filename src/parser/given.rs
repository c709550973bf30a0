//! Heads and labels that the input gives.

use super::{KeepHeads, Loaded};
use crate::decode::{Given, Workspace};
use crate::error::{Problem, Result, excerpt};
use crate::tree::{
    LabelId, Labels, NO_LABEL, NO_NODE, Node, ROOT, Roots, Tree, Violation, completed, is_projective,
    partial_violations,
};
use crate::treebank::{Column, Format, Words};

/// Reader of the heads and labels that are to be kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keeping {
    pub heads: Option<KeepHeads>,
    pub labels: bool,
}

impl Keeping {
    /// The given arcs of a sentence; `None` if there are none.
    ///
    /// # Errors
    /// If a head is none of the sentence's nodes, a label none of the model's, or the heads cannot be kept, by any parser or by one of this
    /// model, and all are to be.
    pub fn read(self, words: &dyn Words, model: &Loaded) -> Result<Option<Given>> {
        if self.heads.is_none() && !self.labels {
            return Ok(None);
        }
        let (roots, known) = (model.roots(), self.known(words, model.labels())?);
        let Some(known) = known else { return Ok(None) };
        if let Loaded::Transitions(model) = model {
            // The oracle, which finds the arcs that can be kept, has a limit on length.
            model.header.system.check_training_length(words)?;
        }
        let known = self.possible(known, words, roots)?;
        let decoded = model.decoded_labels();
        let decoded = |word: Node| {
            let label = known.label(word);
            let name = (label != NO_LABEL).then(|| model.labels().name(label))?;
            decoded.and_then(|names| Some(names.iter().position(|other| other == name)? as LabelId))
        };
        let given = Given::new(known.clone(), decoded, roots);
        if self.heads == Some(KeepHeads::All) {
            check(&given, &known, words, model, roots)?;
        }
        Ok(Some(given))
    }

    /// The heads and labels in the columns of the words, if there are any.
    fn known(self, words: &dyn Words, labels: &Labels) -> Result<Option<Tree>> {
        let n = words.n_words();
        let mut known = Tree::unattached(n);
        let mut any = false;
        for word in 1..=n as Node {
            let problem = |column: Column, expected: String| {
                let found =
                    format!("{} `{}` of word {word}", column.name(Format::Conllu), excerpt(words.column(word, column)));
                Problem { location: words.location_of(word), found, expected }
            };
            let head = match words.column(word, Column::Head) {
                "_" => NO_NODE,
                _ if self.heads.is_none() => NO_NODE,
                text => {
                    let head =
                        text.parse().ok().filter(|&head: &Node| usize::from(head) <= n && head.to_string() == text);
                    head.ok_or_else(|| {
                        problem(Column::Head, format!("a number from 0 to {n}, or `_` for a head that is open"))
                    })?
                }
            };
            let label = match words.column(word, Column::Deprel) {
                "_" => NO_LABEL,
                _ if !self.labels => NO_LABEL,
                name => labels.get(name).ok_or_else(|| {
                    let all: Vec<&str> = labels.names().iter().map(String::as_str).take(MOST_NAMED).collect();
                    let more = if labels.len() > all.len() { ", ..." } else { "" };
                    problem(Column::Deprel, format!("a label that the model knows: {}{more}", all.join(", ")))
                })?,
            };
            any |= head != NO_NODE || label != NO_LABEL;
            known.attach(word, head, label);
        }
        Ok(any.then_some(known))
    }

    /// The tree without heads that cannot be parts of a tree together.
    fn possible(self, mut known: Tree, words: &dyn Words, roots: Roots) -> Result<Tree> {
        loop {
            let violations = partial_violations(known.heads(), roots);
            let Some(violation) = violations.first() else { return Ok(known) };
            let word = match violation {
                // The one that came last gives way.
                Violation::Cycle(cycle) => cycle.iter().copied().max(),
                violation => violation.word(),
            };
            let word = word.unwrap_or(1);
            if self.heads != Some(KeepHeads::LeastLoss) {
                let what = match violation {
                    Violation::SeveralRoots(_) => "one word with head 0, as the model was trained for (--roots single)",
                    _ => "heads that are part of a tree",
                };
                return Err(cannot(words, word, known.head(word), &violation.to_string(), what));
            }
            known.attach(word, NO_NODE, known.label(word));
        }
    }
}

/// Labels that a message names at most.
const MOST_NAMED: usize = 40;

fn cannot(words: &dyn Words, word: Node, head: Node, why: &str, expected: &str) -> crate::error::Error {
    let found = format!("the head {head} of word {word} cannot be kept: {why}");
    let expected = format!("{expected}; --keep-heads=least-loss keeps as many as can be");
    Problem { location: words.location_of(word), found, expected }.into()
}

/// Refuses heads that the model's parser does not derive together.
fn check(given: &Given, known: &Tree, words: &dyn Words, model: &Loaded, roots: Roots) -> Result<()> {
    let system = model.system().name();
    let heads = completed(known.heads(), roots);
    let derives_others = match model {
        Loaded::Transitions(model) => !model.header.system.info().projective_only,
        Loaded::Graph(model) => !model.header.system.is_projective(),
    };
    if !derives_others && !is_projective(&Tree::new(&heads, known.labels())) {
        let [word, other] = crossing(known).unwrap_or([1, 1]);
        let why = format!("its arc crosses that from {} to {other}", known.head(other));
        let expected = format!("arcs that do not cross: `{system}` derives projective trees");
        return Err(cannot(words, word, known.head(word), &why, &expected));
    }
    let Loaded::Transitions(transitions) = model else { return Ok(()) };
    let mut workspace = Workspace::new(transitions.actions.n_labels());
    let Some(tree) = given.lost(transitions.header.system, roots, &mut workspace) else { return Ok(()) };
    let word = tree.words().find(|&word| given.contradicts(tree.head(word), word)).unwrap_or(1);
    let expected = format!("heads that `{system}` derives together");
    Err(cannot(words, word, known.head(word), "it is not derived together with the other heads", &expected))
}

/// The dependents of two known arcs that cross, the later one first.
fn crossing(known: &Tree) -> Option<[Node; 2]> {
    let ends =
        |word: Node| (known.head(word) != NO_NODE).then(|| (known.head(word).min(word), known.head(word).max(word)));
    for word in known.words() {
        let Some((first, last)) = ends(word) else { continue };
        let crosses = |&other: &Node| {
            ends(other).is_some_and(|(start, end)| {
                start < first && first < end && end < last || first < start && start < last && last < end
            })
        };
        if let Some(other) = (ROOT + 1..word).find(crosses) {
            return Some([word, other]);
        }
    }
    None
}
