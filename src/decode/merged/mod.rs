//! Beams that merge: items of a step that look the same to all features become one (Huang & Sagae 2010; for arc-eager and
//! arc-hybrid as Kuhlmann, Gómez-Rodríguez & Satta 2011 tabulate them).
//!
//! The transitions since S0, or what it is the head of, was pushed are a *push computation*. What they see of the nodes below is
//! what features read of these, so that they are the same for all stacks that agree on it. An item stands for all push
//! computations that lead, from one **origin**, to configurations whose S0 and B0 have equal
//! [signatures](crate::features::Signature). It keeps
//!
//! * its **inside** score, the best sum of the scores since its origin,
//! * its **edges**, the ways in which it came about: the push computation of one item was popped, and that of the item on which
//!   it had been pushed went on.
//!
//! An origin is a word just pushed. Pushes of a word onto nodes of equal signatures make one origin, which keeps the items that
//! they were made from, its **predictors**. A pop is tried with every predictor, whose stack is then the one below; so the
//! stacks of all items make a graph, the graph-structured stack. An item is ranked by its **prefix** score: its inside score
//! and that of the best way to its origin.
//!
//! Origins know what the stack holds as far as it matters, so what a pop leads to is known by the predictor's origin, S0 and B0.
//! All predictors of an item have taken equally many transitions, since between push and pop every word is pushed and popped
//! once: whatever is combined stays in step.
//!
//! In the last step the edges are a packed forest of derivations, from which the best ones are taken lazily.
//!
//! Complexity: a step of a beam of b items looks at O(b) candidates; there are 2n steps. Memory is linear in the sentence.
//!
//! | file | content |
//! |---|---|
//! | `merging` | its settings, and what it has to know of a system |
//! | `search` | items, origins, and a step of the beam |
//! | `candidates` | the successors of a step's items, best first, found as they are needed |
//! | `forest` | the best derivations of items (Huang & Chiang 2005, algorithm 3) |

mod candidates;
mod forest;
mod merging;
mod search;

pub use merging::Merging;
pub use search::{MergedSearch, Successor};

use super::{Parsed, Workspace};
use crate::configuration::{Arena, ArenaConfiguration, Reads};
use crate::scorer::Scorer;
use crate::system::{ActionId, Actions};
use crate::tree::Tree;

impl Merging {
    /// The best derivations of the sentence in `workspace.input` with their scores, best first: at most `k`, no two of which make
    /// the same tree, of a beam of `width`.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn search(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        width: usize,
        k: usize,
    ) -> Vec<(Vec<ActionId>, i64)> {
        assert!(width > 0, "a beam has at least width 1");
        let (arena, context, scratch) = workspace.begin(scorer, actions);
        let mut search = MergedSearch::new(self, arena, context, (width, k));
        while search.advance(scorer, scratch.memory, context) {}
        let (found, n_scored) = (search.best_derivations(k), search.n_scored());
        *scratch.n_scored += n_scored;
        found
    }

    /// The `k` best trees of the sentence in `workspace.input`, best first, no two of them equal, each with the score of its
    /// best derivation in a beam of `width`.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode(
        &self,
        scorer: &dyn Scorer,
        actions: &Actions,
        workspace: &mut Workspace,
        width: usize,
        k: usize,
    ) -> Vec<Parsed> {
        let derivations = self.search(scorer, actions, workspace, width, k);
        workspace.start(&Reads::of([]));
        let (arena, context, _) = workspace.parts(actions);
        let n_words = context.input.n_nodes();
        let parsed = |(derivation, score): (Vec<ActionId>, i64)| {
            Parsed::new(self.tree(actions, &derivation, n_words, arena), score)
        };
        derivations.into_iter().map(parsed).collect()
    }

    /// The tree that a whole derivation makes.
    fn tree<'a>(&self, actions: &Actions, derivation: &[ActionId], n_words: usize, arena: Arena<'a>) -> Tree {
        let mut tree = Tree::unattached(n_words);
        let system = self.system.over_stacks(self.roots);
        let mut c: ArenaConfiguration = system.initial(arena, n_words);
        for &id in derivation {
            debug_assert!(actions.permits(system.permitted(&c, 0), id));
            let action = actions.get(id);
            if let Some((head, dependent)) = system.arc(&c, 0, action.mv) {
                tree.attach(dependent, head, action.label);
            }
            c = system.successor(&c, action, arena);
        }
        tree
    }
}
