//! Arcs that are given: constraints that parsed trees keep.
//!
//! A constraint is a partial tree, the gold side of the oracles of all systems. In each configuration the moves of least
//! [cost](crate::system::Oracle::keeping_costs) over its arcs are allowed, and of a move that gives a word its given label, no other
//! label. As long as all arcs can be kept, that cost is 0; else as many are kept as the costs know how to.

use crate::configuration::{Arena, Point, Reads};
use crate::decode::{Machine, Parsed, Workspace};
use crate::model::LabelDecoding;
use crate::system::{Derivation, FORBIDDEN, MoveCosts, Roots, SystemKind, TransitionSystem};
use crate::tree::{Gold, NO_LABEL, NO_NODE, Node, Tree};
use crate::with_system;

/// Heads and labels of some words of a sentence.
#[derive(Debug, Clone)]
pub struct Given {
    /// A tree that has the heads, which alone count in it, and the labels, as they are decoded.
    gold: Gold,
    /// The same labels, as finished trees have them.
    finished: Tree,
}

impl Given {
    /// The given arcs of a sentence: `finished` has heads, labels of finished trees, or neither; `decoded` the same labels as they are decoded,
    /// if they are.
    ///
    /// # Panics
    /// If the heads are no [part of a tree](crate::tree::partial_violations).
    pub fn new(finished: Tree, decoded: impl Fn(Node) -> Option<crate::tree::LabelId>, roots: Roots) -> Given {
        let labels: Vec<_> = finished.words().map(|word| decoded(word).unwrap_or(NO_LABEL)).collect();
        Given { gold: Gold::partial(&Tree::new(finished.heads(), &labels), roots), finished }
    }

    /// The gold side of what is given.
    pub fn gold(&self) -> &Gold {
        &self.gold
    }

    /// True if a head of `word` is given.
    pub fn has_head(&self, word: Node) -> bool {
        self.finished.head(word) != NO_NODE
    }

    /// True if an arc would give the dependent another head than the given one.
    pub fn contradicts(&self, head: Node, dependent: Node) -> bool {
        self.has_head(dependent) && self.finished.head(dependent) != head
    }

    /// The number of given heads that `tree` does not have.
    pub fn n_lost(&self, tree: &Tree) -> usize {
        tree.words().filter(|&word| self.contradicts(tree.head(word), word)).count()
    }

    /// The tree that users get of a decoded one: given arcs stay where they are, and bear the given labels.
    pub fn finish(&self, decoding: &LabelDecoding, parsed: Parsed) -> Parsed {
        let Parsed { tree, score, mut confidences, tags, alternatives } = parsed;
        let is_kept = |word: Node, head: Node| self.finished.head(word) == head;
        let decoded = tree.clone();
        let mut tree = decoding.finish_others(tree, |word| is_kept(word, decoded.head(word)));
        for word in decoded.words().filter(|&word| self.finished.label(word) != NO_LABEL) {
            let head = tree.head(word);
            if is_kept(word, head) || !self.has_head(word) {
                tree.attach(word, head, self.finished.label(word));
                confidences
                    .iter_mut()
                    .skip(usize::from(word) - 1)
                    .take(1)
                    .for_each(|confidence| confidence.label = 1.0);
            }
        }
        Parsed { tree, score, confidences, tags, alternatives }
    }

    /// The tree with the given labels of this whole tree that a transition system derives, if it does not keep all given heads; `None` if it
    /// does.
    pub fn lost(&self, system: SystemKind, roots: Roots, workspace: &mut Workspace) -> Option<Tree> {
        workspace.start(&Reads::of([]));
        let arena = Arena::new(&workspace.bump, &workspace.interner);
        let tree = with_system!(system, roots, |system| self.derived(system, arena));
        (self.n_lost(&tree) > 0).then_some(tree)
    }

    fn derived<'a, S: TransitionSystem>(&self, system: S, arena: Arena<'a>) -> Tree {
        Derivation::keeping::<S, S::Shared<'a>>(&system, &self.gold, arena).tree
    }

    /// Replaces `losses`, by point and action: [`FORBIDDEN`] for actions that lose more than need be, or give a word another
    /// label than the given one.
    pub(super) fn forbid<'a, S: TransitionSystem>(
        &self,
        machine: &Machine<S>,
        c: &S::Shared<'a>,
        losses: &mut Vec<Vec<i32>>,
    ) {
        let (system, actions) = (&machine.system, machine.actions);
        let n_points = system.n_points(c);
        losses.resize(n_points.max(losses.len()), Vec::new());
        let costs_at = |point: Point| {
            let permitted = system.permitted(c, point);
            (permitted, system.keeping_costs(&self.gold, c, point, permitted.moves))
        };
        let costs: Vec<_> = (0..n_points as Point).map(costs_at).collect();
        let least = costs.iter().filter_map(|(_, costs): &(_, MoveCosts)| costs.least()).min();
        for ((point, losses), (permitted, costs)) in (0..).zip(losses).zip(costs) {
            losses.clear();
            losses.resize(actions.width(), FORBIDDEN);
            for mv in permitted.moves.iter().filter(|&mv| costs.get(mv) == least) {
                let dependent = system.arc(c, point, mv).map(|(_, dependent)| dependent);
                let label = dependent.map_or(NO_LABEL, |dependent| self.gold.label(dependent));
                match actions.id(mv, label).filter(|&id| label != NO_LABEL && actions.permits(permitted, id)) {
                    Some(id) => losses[usize::from(id)] = 0,
                    // No label is given, or the move never bears it: then it takes the place of another one in the end.
                    None => actions.of_move(mv).for_each(|id| losses[usize::from(id)] = 0),
                }
            }
        }
    }
}
