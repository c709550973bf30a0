//! Arc-standard (Nivre 2004), arcs between the two topmost nodes of the stack, the root at its bottom.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) | difference of losses |
//! | LEFT | \|σ\| ≥ 2, s1 is a word | adds s0 → s1, (σ\|s1\|s0, β) → (σ\|s0, β) | difference of losses |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) | difference of losses |
//!
//! Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. Derives every projective tree, in 2n transitions.
//! Goldberg & Nivre (TACL 2013) start with the root at the front of the buffer instead, one forced SHIFT earlier.
//!
//! **Costs**: not arc-decomposable (with 1, 2 and 3 on the stack, 3 → 2 and 2 → 1 can each be made but not both), so the
//! cost of a move is the loss after it less the least loss after any move (Nederhof, TACL 2019): in linear time for
//! projective gold trees, in cubic time for others, and exact for all: see `reachable`.
//!
//! **One root**: with [`Roots::Single`] RIGHT makes an arc from the root only as the last transition. The costs are exact
//! with one root as with several.

use std::cell::RefCell;
use std::iter::once;

use super::reachable::Reachable;
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Deduction, Exactness, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The arc-standard system.
#[derive(Debug, Clone, Copy)]
pub struct ArcStandard {
    roots: Roots,
}

impl ArcStandard {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        features: "stack",
        minimal_features: "minimal-stack",
        correct: "canonical",
        tabulation: Some(Deduction::Standard),
        ..SystemInfo::new(
            "arc-standard",
            "Arc-standard (Nivre 2004), arcs between S0 and S1",
            &[Move::Shift, Move::Left, Move::Right],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcStandard {
        ArcStandard { roots }
    }
}

impl System for ArcStandard {
    fn info(&self) -> &'static SystemInfo {
        ArcStandard::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcStandard {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::StackBottom)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() == 1 && c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let buffer_empty = c.buffer_len() == 0;
        let right_from_root = c.stack_len() == 2;
        let moves = MoveSet::default().with(Move::Shift, !buffer_empty).with(Move::Left, c.stack_len() >= 3).with(
            Move::Right,
            c.stack_len() >= 2 && !(self.roots == Roots::Single && right_from_root && !buffer_empty),
        );
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, right_from_root) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Left => Some((c.stack(0)?, c.stack(1)?)),
            Move::Right => Some((c.stack(1)?, c.stack(0)?)),
            _ => None,
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Shift => c.shift(arena),
            Move::Left => c.left_arc_in_stack(action.label, arena),
            Move::Right => c.right_arc_in_stack(action.label, arena),
            mv => unreachable!("{} has no {}", self.info().name, mv.name()),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcStandard {
    /// LEFT if it makes a gold arc; RIGHT if it does and S0 has all its dependents; else SHIFT.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        let (Some(s0), Some(s1)) = (c.stack(0), c.stack(1)) else { return (0, Move::Shift) };
        let mv = if s1 != ROOT && gold.head(s1) == s0 {
            Move::Left
        } else if gold.head(s0) == s1 && c.buffer(0).is_none_or(|b| gold.n_dependents_from(s0, b) == 0) {
            Move::Right
        } else {
            Move::Shift
        };
        (0, mv)
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let open = self.permitted(c, 0).moves;
        if open.iter().count() <= 1 {
            // A forced move costs nothing.
            let mut costs = MoveCosts::default();
            permitted.iter().for_each(|mv| costs.set(mv, 0));
            return costs;
        }
        let end = gold.n_words() as Node + 1;
        let front = end - c.buffer_len() as Node;
        let s1 = c.stack(1);
        let nodes = || c.stack_nodes().map(|(node, _)| node);
        let mut losses = MoveCosts::default();
        REACHABLE.with_borrow_mut(|reachable| {
            for mv in open.iter() {
                let left = match mv {
                    Move::Shift => reachable.loss(gold, once(front).chain(nodes()), front + 1..end, self.roots),
                    Move::Left => {
                        reachable.loss(gold, nodes().filter(|&node| Some(node) != s1), front..end, self.roots)
                    }
                    Move::Right => reachable.loss(gold, nodes().skip(1), front..end, self.roots),
                    mv => unreachable!("{} has no {}", self.info().name, mv.name()),
                };
                let wrong = self.arc(c, 0, mv).filter(|&(head, dependent)| gold.head(dependent) != head);
                losses.set(mv, left + wrong.map_or(0, |(_, dependent)| gold.weight(dependent)));
            }
        });
        // The best derivation begins with the best move.
        losses.relative(permitted)
    }
}

thread_local! {
    /// The oracle is asked thousands of times a sentence, so its memory is kept.
    static REACHABLE: RefCell<Reachable> = RefCell::default();
}
