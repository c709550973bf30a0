//! Covington's system with transitions that pass over words (Fernández-González & Gómez-Rodríguez, NAACL 2018).
//!
//! | move | precondition | effect |
//! |---|---|---|
//! | SHIFT | β ≠ \[\] | ⟨λ1, λ2, j\|β⟩ → ⟨λ1·λ2·j, \[\], β⟩ |
//! | LEFT at k | the node i' k before the end of λ1 is a word without a head, no path i' →* j | adds j → i', moves i' and all behind it to λ2 |
//! | RIGHT at k | j has no head, no path j →* i' | adds i' → j, moves i' and all behind it to λ2 |
//!
//! The point of a move is k: 0 for the end of λ1. Each is what k NO-ARC and an arc are in [`Covington`](super::Covington).
//!
//! Initial: λ1 = \[root\], λ2 = \[\], β = 1..n. Terminal: β = \[\]. Derives every tree, each by one derivation, in n + a
//! transitions for the a arcs made: 2n for a whole tree.
//!
//! **Costs**: from here the same trees can be reached as in the monotonic system, where NO-ARC costs nothing if an arc
//! beyond is still wanted. So the loss is the monotonic one, the cost of a move the difference it makes, and both are as
//! exact as they are there. The paper has a static oracle only.
//!
//! **One root**: as in the monotonic system.
//!
//! Complexity: O(n) moves in a configuration, each scored; an oracle's costs take O(n²) in one.

use super::is_linked_before;
use super::list_state::ListState;
use super::loss::LossTables;
use super::monotonic::{may_pass, permitted_arcs};
use treebeam::configuration::{Lists, Point};
use treebeam::system::{
    Action, Exactness, MAX_WORDS_IF_QUADRATIC, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo,
    Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The non-local Covington system.
#[derive(Debug, Clone, Copy)]
pub struct CovingtonNonlocal {
    roots: Roots,
}

impl CovingtonNonlocal {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        projective_only: false,
        max_words: MAX_WORDS_IF_QUADRATIC,
        features: "covington",
        headless_are_roots: false,
        ..SystemInfo::new(
            "covington-nonlocal",
            "Covington's, passing over words in one transition (Fernández-González & Gómez-Rodríguez 2018)",
            &[Move::Shift, Move::Left, Move::Right, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> CovingtonNonlocal {
        CovingtonNonlocal { roots }
    }
}

/// The node `point` before the end of λ1.
fn node_at<C: Lists>(c: &C, point: Point) -> Option<Node> {
    c.n_left().checked_sub(point + 1)
}

impl System for CovingtonNonlocal {
    fn info(&self) -> &'static SystemInfo {
        CovingtonNonlocal::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Lists> Transitions<C> for CovingtonNonlocal {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.right() as usize > c.n_words()
    }

    fn n_points(&self, c: &C) -> usize {
        c.n_left().max(1).into()
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        let shift = MoveSet::default().with(Move::Shift, point == 0 && may_pass(c, 0, self.roots, true));
        let Some(i) = node_at(c, point) else { return Permitted { moves: shift, from_root: MoveSet::default() } };
        let [left, right] = permitted_arcs(c, i, self.roots);
        Permitted {
            moves: shift.with(Move::Left, left).with(Move::Right, right),
            from_root: MoveSet::default().with(Move::Right, i == ROOT),
        }
    }

    #[inline]
    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Left => Some((c.right(), node_at(c, point)?)),
            Move::Right => Some((node_at(c, point)?, c.right())),
            _ => None,
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match self.arc(c, action.point, action.mv) {
            Some((head, dependent)) => c.attach(head, dependent, action.label, None, arena).pass(action.point + 1),
            None => c.shift(),
        }
    }
}

impl<C: Lists> Oracle<C> for CovingtonNonlocal {
    /// The arc between j and the last node of λ1 that it is linked to, if there is one; else SHIFT.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        let (n_left, j) = (c.n_left(), c.right());
        if !is_linked_before(gold, j, n_left) {
            return (0, Move::Shift);
        }
        let (head, dependents) = (gold.head(j), gold.dependents(j));
        let dependent = dependents[..dependents.partition_point(|&d| d < n_left)].last().copied();
        let (node, mv) = match dependent {
            Some(dependent) if head >= n_left || dependent > head => (dependent, Move::Left),
            _ => (head, Move::Right),
        };
        (n_left - 1 - node, mv)
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        if permitted.is_empty() {
            return costs;
        }
        let mut loss = LossTables::default();
        let here = ListState::of(c);
        let before = loss.of(gold, &here, self.roots);
        let mut next = ListState::default();
        for mv in permitted.iter() {
            next.clone_from(&here);
            match self.arc(c, point, mv) {
                Some((head, dependent)) => {
                    next.attach(head, dependent, None);
                    next.pass(point + 1);
                }
                None => next.shift(),
            }
            costs.set(mv, loss.of(gold, &next, self.roots) - before);
        }
        costs
    }
}
