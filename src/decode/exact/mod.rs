//! Exact search: the derivation of the highest score among all that the machine permits, by tabulation (Kuhlmann,
//! Gómez-Rodríguez & Satta 2011; Shi, Huang & Lee 2017).
//!
//! If features read words by position only, the scores of a configuration depend on the positions of S0 and B0, and
//! perhaps of S1, and not on the arcs that were made. The transitions between pushing a word and having it back on top, with
//! all that stood on it popped, are a *push computation*; it depends on the stack below no further than features read. The best
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
//! | file | content |
//! |---|---|
//! | `tabulation` | its settings, and for which scores and sentences it is defined |
//! | `table` | the best action of each kind for each choice of positions |
//! | `narrow` | push computations of arc-hybrid and arc-eager |
//! | `wide` | push computations of arc-standard |

mod narrow;
mod table;
mod tabulation;
mod wide;

pub use tabulation::{Loss, Tabulation};

use self::table::{Arc, Ask, BestEntry, SummedEntry, Table, TableEntry, best};
use super::value::share_of_label;
use super::{Confidence, Given, Parsed, Workspace};
use crate::configuration::PlainConfiguration;
use crate::model::Marginals;
use crate::scorer::Scorer;
use crate::system::{Actions, Choice, Deduction, OverStacks};
use crate::tree::Tree;

impl Tabulation {
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
        let table = self.table(scorer, actions, workspace, loss, |_, scored| best(scored));
        let (derivation, score) = match self.kind {
            Deduction::Standard => wide::search(&table),
            Deduction::Hybrid | Deduction::Eager => narrow::search(&table),
        };
        (derivation.into_iter().map(|action| Choice { point: 0, action }).collect(), score)
    }

    fn table<'t, E: TableEntry>(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        loss: Option<Loss<'t>>,
        entry: impl Fn(Option<Arc>, &[BestEntry]) -> E,
    ) -> Table<'t, E> {
        let (arena, context, scratch) = workspace.begin(scorer, actions);
        let table = Table::fill(self, scorer, scratch.memory, context, arena, loss, entry);
        *scratch.n_scored += table.values(Ask::Shift).count() as u64;
        table
    }

    /// Exact marginals of the arcs of a tree over the sentence in `workspace.input`: the probability of each head, by the softmax of the
    /// scores of all derivations at the temperature of heads, and of each label given the head, by that of its scores in these derivations
    /// at the temperature of labels. Scores include the loss if there is one; temperatures are in their fixed point. Empty for
    /// arc-standard, which has none.
    pub fn confidences(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        loss: Option<Loss>,
        (tree, marginals): (&Tree, Marginals),
    ) -> Vec<Confidence> {
        if tree.n_words() == 0 || !self.has_marginals() {
            return Vec::new();
        }
        let table = self.table(scorer, actions, workspace, loss, |arc, scored| SummedEntry {
            weight: best(scored).score as f64 / marginals.head_temperature,
            label: arc.filter(|arc| arc.may_be_in(tree)).map_or(1.0, |arc| {
                let labels = scored.iter().map(|&BestEntry { score, action }| (score, actions.get(action).label));
                marginals.labels * share_of_label(labels, tree.label(arc.dependent), marginals.label_temperature)
            }),
        });
        narrow::confidences(&table, tree)
    }

    /// The best tree of the sentence in `workspace.input` with the score of its derivation.
    pub fn decode(&self, scorer: &dyn Scorer, actions: &Actions, workspace: &mut Workspace) -> Parsed {
        self.decode_with(scorer, actions, workspace, None)
    }

    /// The best of the trees that keep what is given, or of those that lose least of it, with the score of its derivation.
    pub fn decode_given(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        given: &Given,
    ) -> Parsed {
        let loss = Loss::forbidding(given.gold());
        let Parsed { tree, score, .. } = self.decode_with(scorer, actions, workspace, Some(loss));
        let score = score - loss.of_tree(&tree);
        Parsed::new(tree, score)
    }

    fn decode_with(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        loss: Option<Loss>,
    ) -> Parsed {
        let (derivation, score) = self.search(scorer, actions, workspace, loss);
        let n_words = workspace.input.n_words();
        let tree = tree(self.system.over_stacks(self.roots), actions, &derivation, n_words);
        Parsed::new(tree, score)
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
