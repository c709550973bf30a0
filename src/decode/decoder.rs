//! From a sentence to its tree.

use super::{Beam, Candidate, IDLE, Identities, Item, Scorer, Workspace};
use std::slice::ChunksExact;

use crate::configuration::{Arena, LabelSets, Point, View as _};
use crate::features::{Compiled, Input};
use crate::model::Weights;
use crate::system::{Actions, Choice, Permitted, TransitionSystem};
use crate::tree::{NO_LABEL, NO_NODE, Node, ROOT, Tree};

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
        match width {
            // Where features read the last actions, any move changes what is seen from every point.
            1 if S::LOCAL_POINTS && !self.features.reads_history() => vec![self.decode_by_points(workspace)],
            1 => vec![self.decode_greedily(workspace)],
            _ => self.decode_by_beam(workspace, width, k),
        }
    }

    /// What [`Decoder::decode`] finds, by beams at any width.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_by_beam(&self, workspace: &mut Workspace, width: usize, k: usize) -> Vec<Parsed> {
        assert!(width > 0, "a beam has at least width 1");
        let n_words = workspace.input.n_words();
        workspace.start(self.weights.n_sums(self.actions.width()));
        let Workspace { bump, label_sets, scorer, input, selection, terms, distinct } = workspace;
        let arena = Arena::new(bump, label_sets, self.features.masks());
        let mut items = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        let mut next = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        items.push(self.initial(arena, n_words));
        while !items.iter().all(|item| self.system.is_terminal(&item.configuration)) {
            self.score(&items, scorer, input, label_sets, terms);
            let mut beam = Beam::new(selected(width), items[0].score, selection);
            let mut of_items = terms.chunks_exact(Scorer::n_terms(self.features));
            for (rank, item) in items.iter().enumerate() {
                self.offer(&mut beam, rank as u32, item, scorer, &mut of_items);
            }
            self.build(&items, beam.finish(), width, distinct, arena, |_| false, |item| next.push(item));
            std::mem::swap(&mut items, &mut next);
            next.clear();
        }
        items.iter().take(k).map(|item| Parsed { tree: self.tree(item, n_words), score: item.score }).collect()
    }

    /// The item before the first transition.
    pub fn initial<'a>(&self, arena: Arena<'a>, n_words: usize) -> &'a Item<'a, S::Shared<'a>> {
        let configuration = self.system.initial(arena, n_words);
        arena.bump().alloc(Item { configuration, parent: None, choice: IDLE, score: 0, is_gold: true, history: None })
    }

    /// The scores of all actions of an item at `point`, where `permitted` holds.
    #[inline]
    pub(super) fn scores<'a, 's>(
        &self,
        item: &Item<'a, S::Shared<'a>>,
        point: Point,
        permitted: Permitted,
        scorer: &'s mut Scorer,
        input: &Input,
        label_sets: &LabelSets,
    ) -> &'s [i32] {
        scorer.score(self.features, self.weights, input, label_sets, (item, point));
        scorer.read(self.weights, self.actions, permitted)
    }

    /// Scores all actions of all items; `terms` then says which vectors to add up for each item and point.
    pub fn score<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        scorer: &mut Scorer,
        input: &Input,
        label_sets: &LabelSets,
        terms: &mut Vec<u32>,
    ) {
        terms.clear();
        scorer.make_room();
        for item in items {
            let c = &item.configuration;
            let n_points = if self.system.is_terminal(c) { self.n_idling() } else { self.system.n_points(c) };
            for point in 0..n_points as Point {
                scorer.prepare(self.features, self.weights, input, label_sets, (*item, point), terms);
            }
        }
        scorer.finish(self.features, self.weights);
    }

    /// At how many points an item is scored whose derivation is complete.
    fn n_idling(&self) -> usize {
        usize::from(self.actions.idle().is_some())
    }

    /// Offers all successors of an item to the beam; an item whose derivation is complete succeeds itself. `terms` goes
    /// on with what [`Decoder::score`] gave for this item.
    ///
    /// Where derivations differ in length, waiting is scored like any transition (Zhu et al. 2013): else the longer
    /// derivations of a beam would gain by their length.
    #[inline]
    pub fn offer<'a>(
        &self,
        beam: &mut Beam,
        rank: u32,
        item: &Item<'a, S::Shared<'a>>,
        scorer: &mut Scorer,
        terms: &mut ChunksExact<u32>,
    ) {
        let mut next = || terms.next().expect("every item was scored");
        let c = &item.configuration;
        if self.system.is_terminal(c) {
            let gained = self.actions.idle().map_or(0, |idle| {
                let scores = scorer.scores(self.features, self.weights, next(), self.actions, Permitted::default());
                scores.of(idle)
            });
            beam.offer(Candidate::new(item.score + i64::from(gained), rank, IDLE));
            return;
        }
        for point in 0..self.system.n_points(c) as Point {
            let permitted = self.system.permitted(c, point);
            let scores = scorer.scores(self.features, self.weights, next(), self.actions, permitted);
            beam.offer_all(rank, point, item.score, scores, self.actions.mask(permitted));
        }
    }

    /// Offers those successors of an item that `choices`, in ascending order, lead to.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    pub fn offer_only<'a>(
        &self,
        beam: &mut Beam,
        rank: u32,
        item: &Item<'a, S::Shared<'a>>,
        choices: &[Choice],
        scorer: &mut Scorer,
        input: &Input,
        label_sets: &LabelSets,
    ) {
        for at_point in choices.chunk_by(|a, b| a.point == b.point) {
            let is_idle = at_point[0] == IDLE;
            if is_idle && self.n_idling() == 0 {
                beam.offer(Candidate::new(item.score, rank, IDLE));
                continue;
            }
            let point = if is_idle { 0 } else { at_point[0].point };
            let permitted =
                if is_idle { Permitted::default() } else { self.system.permitted(&item.configuration, point) };
            let scores = self.scores(item, point, permitted, scorer, input, label_sets);
            for &choice in at_point {
                let action = if is_idle { self.actions.idle().unwrap_or_default() } else { choice.action };
                let score = item.score + i64::from(scores[action as usize]);
                beam.offer(Candidate::new(score, rank, choice));
            }
        }
    }

    /// Builds the successors that `candidates` stand for, best first, until there are `width`.
    ///
    /// Of successors that made the same arcs in another order and have the same stack only the best is kept: its twin has the
    /// same future, could never overtake it, and would take a place from a different analysis.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    pub fn build<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        candidates: &[Candidate],
        width: usize,
        distinct: &mut Identities,
        arena: Arena<'a>,
        is_gold: impl Fn(Candidate) -> bool,
        mut keep: impl FnMut(&'a Item<'a, S::Shared<'a>>),
    ) {
        distinct.clear();
        for &candidate in candidates {
            let parent = items[candidate.rank() as usize];
            let item = self.successor(parent, candidate.choice(), candidate.score(), is_gold(candidate), arena);
            if width == 1 || distinct.insert(item.identity()) {
                keep(item);
                if width == 1 || distinct.len() == width {
                    break;
                }
            }
        }
    }

    /// The item after `choice`.
    #[inline]
    pub fn successor<'a>(
        &self,
        parent: &'a Item<'a, S::Shared<'a>>,
        choice: Choice,
        score: i64,
        is_gold: bool,
        arena: Arena<'a>,
    ) -> &'a Item<'a, S::Shared<'a>> {
        let configuration = match choice {
            IDLE => parent.configuration,
            _ => self.system.successor(&parent.configuration, self.actions.chosen(choice), arena),
        };
        let history = match choice {
            IDLE => parent.history,
            _ if self.features.reads_history() => Some(arena.history(choice.action, parent.history)),
            _ => None,
        };
        arena.bump().alloc(Item { configuration, parent: Some(parent), choice, score, is_gold, history })
    }

    /// The arcs of a derivation, read off by walking back: what happened last to a word stands, whether it got a head or lost
    /// it. A word that the system leaves without a head hangs on the root.
    pub fn tree<'a>(&self, item: &'a Item<'a, S::Shared<'a>>, n_words: usize) -> Tree {
        let mut tree = Tree::unattached(n_words);
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
        for word in 1..=n_words as Node {
            if tree.head(word) == NO_NODE {
                hang(&mut tree, word);
            }
        }
        tree
    }
}
