//! Exact search: the derivation of the highest score among all that the machine permits, by tabulation (Kuhlmann,
//! Gómez-Rodríguez & Satta 2011; Shi, Huang & Lee 2017).
//!
//! Where features read words by position only, the scores of a configuration depend on the positions of S0 and B0, and
//! perhaps of S1, and not on the arcs that were made. The transitions between pushing a word and having it back on top, with
//! all that stood on it popped, are a *push computation*; it depends on what is below no further than features read. The best
//! one for each choice of positions is found once, from smaller ones. The best label of a transition is chosen with its
//! score: it changes nothing that is read later.
//!
//! | system | features read | items | time | longest sentence |
//! |---|---|---|---|---|
//! | arc-hybrid, arc-eager | S0, B0 | O(n²) | O(n³) | [1,000 words](Tabulation::max_words) |
//! | arc-hybrid, arc-eager | S1, S0, B0 | O(n³) | O(n⁴) | 300 words |
//! | arc-standard | S1, S0, B0 | O(n⁴) | O(n⁶), with a factor of 1/720 | 220 words |
//!
//! In arc-hybrid and arc-eager the word on top of a push computation is the one that was pushed. In arc-standard it is
//! replaced by the heads that it gets, so that the items need both; and as every transition, SHIFT too, is scored by what S1
//! is, a push computation cannot be scored without the word that it stands on. Without S1 the O(n⁴) of the literature would
//! do.
//!
//! | file | what it holds |
//! |---|---|
//! | `table` | the best action of each kind for each choice of positions |
//! | `narrow` | push computations of arc-hybrid and arc-eager |
//! | `wide` | push computations of arc-standard |

mod narrow;
mod table;
mod wide;

use self::table::Table;
use super::{Parsed, Workspace};
use crate::configuration::{PlainConfiguration, Role};
use crate::error::{Error, Result};
use crate::features::FeatureSet;
use crate::model::Network;
use crate::scorer::Scorer;
use crate::system::{Actions, Choice, Deduction, OverStacks, SystemKind};
use crate::tree::{Gold, Roots, Tree};
use crate::treebank::{Words, check_length};

fn deduction(system: SystemKind) -> Result<Deduction> {
    system.info().tabulation.ok_or_else(|| {
        Error::Usage(format!(
            "there is no exact search for {system}; expected --system arc-standard, arc-hybrid or arc-eager, or --search beam"
        ))
    })
}

/// Settings of exact search besides scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabulation {
    kind: Deduction,
    system: SystemKind,
    roots: Roots,
    reads_s1: bool,
}

/// A loss that is added to scores, the Hamming loss of heads and labels: a word with a wrong head counts as 2, one with the gold
/// head and a wrong label as 1.
#[derive(Debug, Clone, Copy)]
pub struct Loss<'g> {
    /// The gold tree.
    pub gold: &'g Gold,
    /// Score of a loss of 1 (loss-augmented search), in fixed point; below 0 it takes away.
    pub weight: i64,
}

impl Tabulation {
    /// The tabulation for `system` with features of `set`.
    ///
    /// # Errors
    /// If the system has none, or the set reads more than positions of words.
    pub fn new(system: SystemKind, roots: Roots, set: &FeatureSet) -> Result<Tabulation> {
        let kind = deduction(system)?;
        set.check_positional(&format!("exact search with {system}"), &[Role::S0, Role::S1])?;
        Ok(Tabulation { kind, system, roots, reads_s1: kind == Deduction::Standard || set.reads(Role::S1) })
    }

    /// The tabulation for `system` with scores of `network`, which reads an encoder's vectors of these words or their embeddings
    /// (Shi, Huang & Lee 2017).
    ///
    /// # Errors
    /// If the system has none, or the network reads more than positions of words, or its scores are probabilities of single
    /// decisions.
    pub fn of_network(system: SystemKind, roots: Roots, network: &Network) -> Result<Tabulation> {
        let kind = deduction(system)?;
        let places = "expected --places minimal, or others of S0, S1 and B0 to B3 alone, or --search beam";
        network.check_positional().map_err(|what| {
            Error::Usage(format!(
                "exact search with {system} needs scores that read words by position only, and the network reads {what}; {places}"
            ))
        })?;
        if network.normalised {
            return Err(Error::Usage(
                "exact search compares sums of scores, and this network was trained on single decisions: its scores are probabilities \
                 among what is permitted; expected a model of --training global, or --search beam"
                    .to_owned(),
            ));
        }
        let reads_s1 = kind == Deduction::Standard || network.places.iter().any(|place| place.role == Role::S1);
        Ok(Tabulation { kind, system, roots, reads_s1 })
    }

    /// The longest sentence that it takes: memory stays below 1 GB.
    pub fn max_words(&self) -> usize {
        match (self.kind, self.reads_s1) {
            (Deduction::Standard, _) => 220,
            (_, true) => 300,
            (_, false) => 1000,
        }
    }

    /// Checks that exact search takes the sentence.
    ///
    /// # Errors
    /// If it is too long.
    pub fn check(&self, sentence: &dyn Words) -> Result<()> {
        let (system, most) = (self.system, self.max_words());
        check_length(sentence, most, || {
            format!("at most {most} for exact search with {system} and these features; --search beam has no limit")
        })
    }

    /// The best derivation of the sentence in `workspace.input`, with its score, the loss included if there is one.
    ///
    /// The sentence must not be longer than [`Tabulation::max_words`].
    pub fn search(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        loss: Option<Loss>,
    ) -> (Vec<Choice>, i64) {
        if workspace.input.n_words() == 0 {
            return (Vec::new(), 0);
        }
        let (arena, context, scratch) = workspace.begin(scorer, actions);
        let table = Table::fill(self, scorer, scratch.memory, context, arena, loss);
        *scratch.n_scored += table.scores(table::Ask::Shift).count() as u64;
        let (derivation, score) = match self.kind {
            Deduction::Standard => wide::search(&table),
            Deduction::Hybrid | Deduction::Eager => narrow::search(&table),
        };
        (derivation.into_iter().map(|action| Choice { point: 0, action }).collect(), score)
    }

    /// The best tree of the sentence in `workspace.input` with the score of its derivation.
    pub fn decode(&self, scorer: &dyn Scorer, actions: &Actions, workspace: &mut Workspace) -> Parsed {
        let (derivation, score) = self.search(scorer, actions, workspace, None);
        let n_words = workspace.input.n_words();
        let tree = tree(self.system.over_stacks(self.roots), actions, &derivation, n_words);
        Parsed { tree, score }
    }
}

/// The tree that a derivation makes.
fn tree(system: &dyn OverStacks, actions: &Actions, derivation: &[Choice], n_words: usize) -> Tree {
    let mut tree = Tree::unattached(n_words);
    let mut c: PlainConfiguration = system.initial((), n_words);
    for &choice in derivation {
        debug_assert!(actions.permits(system.permitted(&c, 0), choice.action));
        let action = actions.chosen(choice);
        if let Some((head, dependent)) = system.arc(&c, 0, action.mv) {
            tree.attach(dependent, head, action.label);
        }
        c = system.successor(&c, action, ());
    }
    debug_assert!(system.is_terminal(&c));
    tree
}
