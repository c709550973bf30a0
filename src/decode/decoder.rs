//! From a sentence to its tree.

use hashbrown::HashSet;

use super::{Beam, Candidate, IDLE, Item, Scorer, Workspace};
use crate::configuration::{Arena, LabelSets, Point};
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
        // Where features read the last actions, any move changes what is seen from every point.
        if width == 1 && S::LOCAL_POINTS && !self.features.reads_history() {
            return vec![self.decode_by_points(workspace)];
        }
        self.decode_by_beam(workspace, width, k)
    }

    /// What [`Decoder::decode`] finds, by beams at any width.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_by_beam(&self, workspace: &mut Workspace, width: usize, k: usize) -> Vec<Parsed> {
        assert!(width > 0, "a beam has at least width 1");
        let n_words = workspace.input.n_words();
        workspace.start(self.features, self.weights.n_sums(self.actions.width()));
        let Workspace { bump, label_sets, scorer, input, candidates, distinct } = workspace;
        let arena = Arena::new(bump, label_sets, self.features.masks());
        let mut items = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        let mut next = bumpalo::collections::Vec::with_capacity_in(width.min(1 << 16), bump);
        items.push(self.initial(arena, n_words));
        while !items.iter().all(|item| self.system.is_terminal(&item.configuration)) {
            let mut beam = Beam::new(selected(width), candidates);
            for (rank, item) in items.iter().enumerate() {
                self.offer(&mut beam, rank as u32, item, scorer, input, label_sets);
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
        let cells = item.cells(point);
        scorer.score_actions(self.features, self.weights, input, label_sets, &cells, self.actions, permitted)
    }

    /// Offers all successors of an item to the beam; an item whose derivation is complete succeeds itself.
    #[inline]
    pub fn offer<'a>(
        &self,
        beam: &mut Beam,
        rank: u32,
        item: &Item<'a, S::Shared<'a>>,
        scorer: &mut Scorer,
        input: &Input,
        label_sets: &LabelSets,
    ) {
        let c = &item.configuration;
        if self.system.is_terminal(c) {
            self.offer_idling(beam, rank, item, scorer, input, label_sets);
            return;
        }
        for point in 0..self.system.n_points(c) as Point {
            let permitted = self.system.permitted(c, point);
            let scores = self.scores(item, point, permitted, scorer, input, label_sets);
            beam.offer_all(rank, point, item.score, scores, self.actions.mask(permitted));
        }
    }

    /// Offers an item whose derivation is complete as its own successor. Where derivations differ in length, waiting is
    /// scored like any transition (Zhu et al. 2013): else the longer derivations of a beam would gain by their length.
    fn offer_idling<'a>(
        &self,
        beam: &mut Beam,
        rank: u32,
        item: &Item<'a, S::Shared<'a>>,
        scorer: &mut Scorer,
        input: &Input,
        label_sets: &LabelSets,
    ) {
        let gained = self
            .actions
            .idle()
            .map_or(0, |idle| self.scores(item, 0, Permitted::default(), scorer, input, label_sets)[idle as usize]);
        beam.offer(Candidate { score: item.score + i64::from(gained), rank, choice: IDLE });
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
            if at_point[0] == IDLE {
                self.offer_idling(beam, rank, item, scorer, input, label_sets);
                continue;
            }
            let point = at_point[0].point;
            let permitted = self.system.permitted(&item.configuration, point);
            let scores = self.scores(item, point, permitted, scorer, input, label_sets);
            for &choice in at_point {
                let score = item.score + i64::from(scores[choice.action as usize]);
                beam.offer(Candidate { score, rank, choice });
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
        distinct: &mut HashSet<u64>,
        arena: Arena<'a>,
        is_gold: impl Fn(&Candidate) -> bool,
        mut keep: impl FnMut(&'a Item<'a, S::Shared<'a>>),
    ) {
        distinct.clear();
        for candidate in candidates {
            let parent = items[candidate.rank as usize];
            let item = self.successor(parent, candidate.choice, candidate.score, is_gold(candidate), arena);
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
