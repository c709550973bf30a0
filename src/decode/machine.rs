//! The machine that scorers drive: a transition system with its inventory of actions.

use super::{IDLE, Item};
use crate::configuration::{Arena, Configuration, Reads};
use crate::scorer::Scorer;
use crate::system::{Actions, Choice, OverStacks, TransitionSystem, Transitions};
use crate::tree::{NO_LABEL, NO_NODE, ROOT, Tree};

/// A transition system, its actions, and what its items remember. It knows nothing of scores.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'m, S> {
    /// The transition system.
    pub system: S,
    /// The actions.
    pub actions: &'m Actions,
    /// True if items remember their last actions.
    pub keeps_history: bool,
}

impl<'m, S: TransitionSystem> Machine<'m, S> {
    /// The machine whose items remember what `scorer` reads.
    pub fn new(system: S, actions: &'m Actions, scorer: &dyn Scorer) -> Machine<'m, S> {
        Machine { system, actions, keeps_history: keeps_history(scorer.reads()) }
    }

    /// The machine of a system over a stack and a buffer, if it is one.
    pub fn over_stacks(self) -> Option<Machine<'m, &'static dyn OverStacks>> {
        let Machine { system, actions, keeps_history } = self;
        Some(Machine { system: system.over_stacks()?, actions, keeps_history })
    }

    /// The item before the first transition.
    pub fn initial<'a>(&self, arena: Arena<'a>, n_words: usize) -> &'a Item<'a, S::Shared<'a>> {
        let configuration = self.system.initial(arena, n_words);
        arena.bump().alloc(Item {
            configuration,
            parent: None,
            choice: IDLE,
            score: 0,
            is_gold: true,
            last_actions: None,
        })
    }

    /// True if the derivation of an item is complete.
    #[inline]
    pub fn is_terminal<'a>(&self, item: &Item<'a, S::Shared<'a>>) -> bool {
        self.system.is_terminal(&item.configuration)
    }

    /// The item after `choice`.
    #[inline(always)]
    pub fn successor<'a>(
        &self,
        parent: &'a Item<'a, S::Shared<'a>>,
        choice: Choice,
        score: i64,
        is_gold: bool,
        arena: Arena<'a>,
    ) -> &'a Item<'a, S::Shared<'a>> {
        let last_actions = match choice {
            IDLE => parent.last_actions,
            _ if self.keeps_history => Some(arena.history(choice.action, parent.last_actions)),
            _ => None,
        };
        arena.bump().alloc_with(|| {
            let configuration = match choice {
                IDLE => parent.configuration,
                _ => self.system.successor(&parent.configuration, self.actions.chosen(choice), arena),
            };
            Item { configuration, parent: Some(parent), choice, score, is_gold, last_actions }
        })
    }

    /// The item that a derivation leads to from the initial one; it has no score.
    pub fn derive<'a>(
        &self,
        choices: impl IntoIterator<Item = Choice>,
        arena: Arena<'a>,
        n_words: usize,
    ) -> &'a Item<'a, S::Shared<'a>> {
        let initial = self.initial(arena, n_words);
        choices.into_iter().fold(initial, |item, choice| self.successor(item, choice, 0, false, arena))
    }

    /// The arcs of a derivation, read off by walking back: what happened last to a word stands, whether it got a head or lost
    /// it. A word that the system leaves without a head hangs on the root.
    pub fn tree<'a, C: Configuration>(&self, item: &'a Item<'a, C>, n_words: usize) -> Tree
    where
        S: Transitions<C>,
    {
        self.tree_after(item, &Tree::unattached(n_words))
    }

    /// As [`Machine::tree`], of an item whose history begins where another derivation ended, which made the tree `before`.
    pub fn tree_after<'a, C: Configuration>(&self, item: &'a Item<'a, C>, before: &Tree) -> Tree
    where
        S: Transitions<C>,
    {
        let mut tree = Tree::unattached(before.n_words());
        let hang = |tree: &mut Tree, word| tree.attach(word, ROOT, self.actions.root_label());
        for item in item.history().filter(|item| item.choice != IDLE) {
            let Some(parent) = item.parent else { break };
            let action = self.actions.chosen(item.choice);
            if let Some((head, dependent)) = self.system.arc(&parent.configuration, action.point, action.mv)
                && tree.head(dependent) == NO_NODE
            {
                debug_assert!(action.label != NO_LABEL);
                tree.attach(dependent, head, action.label);
            }
            for word in self.system.detached(&parent.configuration, action.point, action.mv).into_iter().flatten() {
                if tree.head(word) == NO_NODE {
                    hang(&mut tree, word);
                }
            }
        }
        for word in before.words() {
            match before.head(word) {
                _ if tree.head(word) != NO_NODE => {}
                NO_NODE => hang(&mut tree, word),
                head => tree.attach(word, head, before.label(word)),
            }
        }
        tree
    }
}

/// True if items must remember their last actions.
pub fn keeps_history(reads: &Reads) -> bool {
    reads.history || reads.compositions
}
