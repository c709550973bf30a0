//! Covington's system in which arcs can be taken back (Fernández-González & Gómez-Rodríguez, ACL 2017).
//!
//! | move | precondition | effect |
//! |---|---|---|
//! | SHIFT | β ≠ \[\] | ⟨λ1, λ2, j\|β⟩ → ⟨λ1·λ2·j, \[\], β⟩ |
//! | NO-ARC | λ1 ≠ \[\] | ⟨λ1\|i, λ2, β⟩ → ⟨λ1, i\|λ2, β⟩ |
//! | LEFT | i is a word | as NO-ARC, makes j → i |
//! | RIGHT | λ1 ≠ \[\] | as NO-ARC, makes i → j |
//!
//! Making x → y removes the arc that y had from another head, and then, if x descends from y, the arc into x: A stays
//! without cycles.
//!
//! Initial: λ1 = \[root\], λ2 = \[\], β = 1..n. Terminal: β = \[\]. Derives every tree, in n to n + n(n+1)/2 transitions.
//!
//! **Costs**: no formula for the loss is known. The oracle goes by one of three bounds of it (see `bounds`), and
//! the cost of a move is what the bound is after it, less what it is before, or less than the least after any move if that
//! is lower. The paper trained best with the upper bound.
//!
//! **One root**: an arc from the root takes the place of the one there was. When j = n every move must leave the tree
//! completable (see the [family](super)); the bounds do not know of it.
//!
//! **Departure**: the root is a node of λ1 rather than the head of whatever has none in the end; without that the chain of
//! bounds does not hold for words whose gold head is the root.

use super::bounds::bound_of;
use super::cycles::Cycles;
use super::exact::ExactLoss;
use super::list_state::{ListState, detached};
use super::loss::LossTables;
use super::monotonic::{Covington, may_pass};
use super::{at_last_word, can_be_completed, left_focus, static_move};
use treebeam::configuration::{Lists, Point};
use treebeam::system::{
    Action, Exactness, LossBounds, MAX_WORDS_IF_QUADRATIC, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted,
    Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The non-monotonic Covington system.
#[derive(Debug, Clone, Copy)]
pub struct CovingtonNonmonotonic {
    roots: Roots,
    oracle: OracleKind,
}

impl CovingtonNonmonotonic {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        projective_only: false,
        max_words: MAX_WORDS_IF_QUADRATIC,
        oracles: &[OracleKind::Static, OracleKind::Lower, OracleKind::PcUpper, OracleKind::Upper],
        // Gold derivations of many lengths compete in a beam that compares scores after equally many transitions.
        beam_oracle: Some(OracleKind::Static),
        features: "covington",
        headless_are_roots: false,
        beam_update: "laso",
        ..SystemInfo::new(
            "covington-nonmonotonic",
            "Covington's, with arcs that can be taken back (Fernández-González & Gómez-Rodríguez 2017)",
            &[Move::Shift, Move::Left, Move::Right, Move::NoArc, Move::Idle],
        )
    };

    /// The system with one or several words on the root, and the upper bound for its oracle.
    pub fn new(roots: Roots) -> CovingtonNonmonotonic {
        CovingtonNonmonotonic { roots, oracle: OracleKind::Upper }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> CovingtonNonmonotonic {
        CovingtonNonmonotonic { oracle, ..self }
    }

    /// The system whose arcs stay.
    fn monotonic(&self) -> Covington {
        Covington::new(self.roots)
    }

    fn one_root(&self) -> bool {
        self.roots == Roots::Single
    }

    /// State after `mv`.
    fn after<C: Lists>(&self, c: &C, here: &ListState, mv: Move) -> ListState {
        let mut next = here.clone();
        match self.arc(c, 0, mv) {
            Some((head, dependent)) => {
                let detached = detached(&here.heads, head, dependent, self.one_root());
                next.attach(head, dependent, detached.into_iter().flatten());
                next.pass(1);
            }
            None if mv == Move::Shift => next.shift(),
            None => next.pass(1),
        }
        next
    }
}

impl System for CovingtonNonmonotonic {
    fn info(&self) -> &'static SystemInfo {
        CovingtonNonmonotonic::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Bound
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        self.monotonic().max_derivation_len(n_words)
    }

    fn bounds<'g>(&self, gold: &'g Gold, max_configurations: usize) -> Option<Box<dyn LossBounds + 'g>> {
        Some(Box::new(ExactLoss::new(gold, max_configurations)))
    }
}

impl<C: Lists> Transitions<C> for CovingtonNonmonotonic {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        self.monotonic().initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        self.monotonic().is_terminal(c)
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let shift = MoveSet::default().with(Move::Shift, may_pass(c, 0, self.roots, false));
        let Some(i) = left_focus(c) else { return Permitted { moves: shift, from_root: MoveSet::default() } };
        let completes = |mv: Move| {
            !self.one_root() || !at_last_word(c) || {
                let next = self.after(c, &ListState::of(c), mv);
                can_be_completed(&next.heads, next.n_left, false)
            }
        };
        let moves = shift
            .with(Move::NoArc, may_pass(c, i, self.roots, false))
            .with(Move::Left, i != ROOT && completes(Move::Left))
            .with(Move::Right, completes(Move::Right));
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, i == ROOT) }
    }

    #[inline]
    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        self.monotonic().arc(c, point, mv)
    }

    fn detached(&self, c: &C, point: Point, mv: Move) -> [Option<Node>; 2] {
        match self.arc(c, point, mv) {
            Some((head, dependent)) => detached(c.heads(), head, dependent, self.one_root()),
            None => [None; 2],
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match self.arc(c, 0, action.mv) {
            Some((head, dependent)) => {
                let detached = detached(c.heads(), head, dependent, self.one_root());
                c.attach(head, dependent, action.label, detached.into_iter().flatten(), arena).pass(1)
            }
            None if action.mv == Move::Shift => c.shift(),
            None => c.pass(1),
        }
    }
}

impl<C: Lists> Oracle<C> for CovingtonNonmonotonic {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, static_move(gold, c))
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        if gold.is_partial() && self.oracle.is_static() {
            return self.keeping_costs(gold, c, point, permitted);
        }
        let mut cycles = Cycles::default();
        let mut bound = |state: &ListState| bound_of(self.oracle, gold, state, &mut cycles);
        let here = ListState::of(c);
        let mut after = MoveCosts::default();
        permitted.iter().for_each(|mv| after.set(mv, bound(&self.after(c, &here, mv))));
        let least = after.least().unwrap_or(0).min(bound(&here));
        let mut costs = MoveCosts::default();
        for mv in permitted.iter() {
            costs.set(mv, after.get(mv).expect("just set") - least);
        }
        costs
    }

    /// The loss as if arcs were final from now on: what the monotonic system can still make, this one can, too.
    fn keeping_costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let here = ListState::of(c);
        let (mut loss, mut losses) = (LossTables::default(), MoveCosts::default());
        for mv in self.permitted(c, 0).moves.iter() {
            let next = self.after(c, &here, mv);
            let at_last_word = next.right == next.last() && here.right == next.right;
            let is_complete = next.right > next.last();
            let can_go_on = match self.roots {
                Roots::Several => true,
                Roots::Single if is_complete => true,
                Roots::Single => !at_last_word || can_be_completed(&next.heads, next.n_left, true),
            };
            // More than all arcs together.
            let never = u32::from(next.last()) + 1;
            losses.set(mv, if can_go_on { loss.of(gold, &next, self.roots) } else { never });
        }
        losses.relative(permitted)
    }
}
