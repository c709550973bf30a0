//! From a sentence to its tree.

use hashbrown::HashSet;

use super::{Beam, Candidate, Item, Workspace};
use crate::configuration::Arena;
use crate::features::Compiled;
use crate::model::Weights;
use crate::system::{Actions, TransitionSystem};
use crate::tree::{NO_LABEL, Node, Tree};

/// Everything that decoding needs and that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'m, S, W> {
    /// The transition system.
    pub system: S,
    /// The compiled features.
    pub features: &'m Compiled,
    /// The actions.
    pub actions: &'m Actions,
    /// The weights.
    pub weights: &'m W,
}

/// How many candidates to select for a beam of `width`, so that enough are left when twins are dropped.
pub fn selected(width: usize) -> usize {
    if width == 1 { 1 } else { width.saturating_add(width / 2) }
}

/// One complete derivation's tree and score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// The sum of the actions' scores, in the model's fixed point.
    pub score: i64,
}

impl<S: TransitionSystem, W: Weights> Decoder<'_, S, W> {
    /// The best trees of the sentence in `workspace.input`, best first: at most `k` of the final beam's items.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode(&self, workspace: &mut Workspace, width: usize, k: usize) -> Vec<Parsed> {
        assert!(width > 0, "a beam has at least width 1");
        let n_words = workspace.input.n_words();
        workspace.start(self.features, self.actions.width());
        let Workspace { bump, label_sets, scorer, input, candidates, distinct } = workspace;
        let arena = Arena::new(bump, label_sets, self.features.masks());
        let mut items = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        let mut next = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        items.push(self.initial(arena, n_words));
        for _ in 0..self.system.derivation_len(n_words) {
            let mut beam = Beam::new(selected(width), candidates);
            for (rank, item) in items.iter().enumerate() {
                let scores = scorer.score(self.features, self.weights, input, label_sets, &item.configuration);
                let permitted = self.system.permitted(&item.configuration);
                beam.offer_all(rank as u32, item.score, scores, self.actions.mask(permitted));
            }
            self.build(&items, beam.finish(), width, distinct, arena, |_| false, |item| next.push(item));
            std::mem::swap(&mut items, &mut next);
            next.clear();
        }
        items.iter().take(k).map(|item| Parsed { tree: self.tree(item, n_words), score: item.score }).collect()
    }

    /// The item before the first transition.
    pub fn initial<'a>(&self, arena: Arena<'a>, n_words: usize) -> &'a Item<'a> {
        let configuration = self.system.initial(arena, n_words);
        arena.bump().alloc(Item { configuration, parent: None, action: 0, score: 0, is_gold: true })
    }

    /// Builds the successors that `candidates` stand for, best first, until there are `width`.
    ///
    /// Of successors that made the same arcs in another order and have the same stack only the best is kept: its twin has the
    /// same future, could never overtake it, and would take a place from a different analysis.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    pub fn build<'a>(
        &self,
        items: &[&'a Item<'a>],
        candidates: &[Candidate],
        width: usize,
        distinct: &mut HashSet<u64>,
        arena: Arena<'a>,
        is_gold: impl Fn(&Candidate) -> bool,
        mut keep: impl FnMut(&'a Item<'a>),
    ) {
        distinct.clear();
        for candidate in candidates {
            let parent = items[candidate.rank as usize];
            let item = self.successor(parent, candidate.action, candidate.score, is_gold(candidate), arena);
            if width == 1 || distinct.insert(item.configuration.identity()) {
                keep(item);
                if width == 1 || distinct.len() == width {
                    break;
                }
            }
        }
    }

    /// The item after `action`.
    #[inline]
    pub fn successor<'a>(
        &self,
        parent: &'a Item<'a>,
        action: crate::system::ActionId,
        score: i64,
        is_gold: bool,
        arena: Arena<'a>,
    ) -> &'a Item<'a> {
        let configuration = self.system.successor(&parent.configuration, self.actions.get(action), arena);
        arena.bump().alloc(Item { configuration, parent: Some(parent), action, score, is_gold })
    }

    /// The arcs of a derivation, read off by walking back.
    pub fn tree<'a>(&self, item: &'a Item<'a>, n_words: usize) -> Tree {
        let mut tree = Tree::unattached(n_words);
        for item in item.history() {
            let Some(parent) = item.parent else { break };
            let action = self.actions.get(item.action);
            if let Some((head, dependent)) = self.system.arc(&parent.configuration, action.mv) {
                debug_assert!(action.label != NO_LABEL);
                tree.attach(dependent, head, action.label);
            }
        }
        debug_assert!(tree.words().all(|word: Node| tree.head(word) as usize <= n_words));
        tree
    }
}
