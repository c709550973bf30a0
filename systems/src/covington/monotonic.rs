//! Covington's system with arcs that are final (Covington 2001; Nivre 2008, section 5).
//!
//! | move | precondition | effect |
//! |---|---|---|
//! | SHIFT | β ≠ \[\] | ⟨λ1, λ2, j\|β⟩ → ⟨λ1·λ2·j, \[\], β⟩ |
//! | NO-ARC | λ1 ≠ \[\] | ⟨λ1\|i, λ2, β⟩ → ⟨λ1, i\|λ2, β⟩ |
//! | LEFT | i is a word without a head, no path i →* j | as NO-ARC, adds j → i |
//! | RIGHT | j has no head, no path j →* i | as NO-ARC, adds i → j |
//!
//! The cost of a move is the loss after it less the loss before (see `loss`).
//!
//! Initial: λ1 = \[root\], λ2 = \[\], β = 1..n. Terminal: β = \[\]. Derives every tree, in n to n + n(n+1)/2 transitions.
//!
//! **Costs** are exact in every configuration and for every gold tree, projective or not: with several roots by the
//! formula of Gómez-Rodríguez & Fernández-González (the loss counts words that no transition attached as wrong), with
//! one by a spanning tree of the parts that are still apart.
//!
//! **One root**: RIGHT makes an arc from the root only if no word hangs on it, and when j = n every move must leave the
//! tree completable (see the [family](super)).
//!
//! **Departure**: the root is a node of λ1 rather than the head of whatever has none in the end, so that the arc from it
//! is a decision with a label.

use super::list_state::{ListState, top};
use super::loss::LossTables;
use super::{at_last_word, can_be_completed, left_focus, root_word, static_move};
use treebeam::configuration::{Lists, Point};
use treebeam::system::{
    Action, Exactness, MAX_WORDS_IF_QUADRATIC, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System,
    SystemInfo, Transitions,
};
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The monotonic Covington system.
#[derive(Debug, Clone, Copy)]
pub struct Covington {
    roots: Roots,
}

impl Covington {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        projective_only: false,
        max_words: MAX_WORDS_IF_QUADRATIC,
        // Gold derivations of many lengths compete in a beam that compares scores after equally many transitions.
        beam_oracle: Some(OracleKind::Static),
        features: "covington",
        headless_are_roots: false,
        beam_update: "laso",
        ..SystemInfo::new(
            "covington",
            "Covington's, every pair of words in turn; derives every tree",
            &[Move::Shift, Move::Left, Move::Right, Move::NoArc, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> Covington {
        Covington { roots }
    }
}

/// The arcs that are permitted between `i`, a node of λ1, and j, if arcs are final: LEFT, RIGHT.
pub(super) fn permitted_arcs<C: Lists>(c: &C, i: Node, roots: Roots) -> [bool; 2] {
    let (heads, j) = (c.heads(), c.right());
    let is_open = |node: Node| heads[node as usize] == NO_NODE;
    let left = i != ROOT && is_open(i) && top(heads, j) != i;
    let right =
        is_open(j) && top(heads, i) != j && !(i == ROOT && roots == Roots::Single && root_word(heads).is_some());
    let completes = |head: Node, dependent: Node| {
        roots == Roots::Several || !at_last_word(c) || {
            let mut heads = heads.to_vec();
            heads[dependent as usize] = head;
            can_be_completed(&heads, i, true)
        }
    };
    [left && completes(j, i), right && completes(i, j)]
}

/// True if passing on until λ1 holds `n_left` nodes is permitted; with 0, if SHIFT is.
pub(super) fn may_pass<C: Lists>(c: &C, n_left: Node, roots: Roots, arcs_are_final: bool) -> bool {
    roots == Roots::Several || !at_last_word(c) || can_be_completed(c.heads(), n_left, arcs_are_final)
}

impl System for Covington {
    fn info(&self) -> &'static SystemInfo {
        Covington::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        n_words + n_words * (n_words + 1) / 2
    }
}

impl<C: Lists> Transitions<C> for Covington {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.right() as usize > c.n_words()
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let shift = MoveSet::default().with(Move::Shift, may_pass(c, 0, self.roots, true));
        let Some(i) = left_focus(c) else { return Permitted { moves: shift, from_root: MoveSet::default() } };
        let [left, right] = permitted_arcs(c, i, self.roots);
        let no_arc = may_pass(c, i, self.roots, true);
        Permitted {
            moves: shift.with(Move::NoArc, no_arc).with(Move::Left, left).with(Move::Right, right),
            from_root: MoveSet::default().with(Move::Right, i == ROOT),
        }
    }

    #[inline]
    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Left => Some((c.right(), left_focus(c)?)),
            Move::Right => Some((left_focus(c)?, c.right())),
            _ => None,
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match self.arc(c, 0, action.mv) {
            Some((head, dependent)) => c.attach(head, dependent, action.label, None, arena).pass(1),
            None if action.mv == Move::Shift => c.shift(),
            None => c.pass(1),
        }
    }
}

impl<C: Lists> Oracle<C> for Covington {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, static_move(gold, c))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut loss = LossTables::default();
        let here = ListState::of(c);
        let before = loss.of(gold, &here, self.roots);
        let mut costs = MoveCosts::default();
        let mut next = ListState::default();
        for mv in permitted.iter() {
            next.clone_from(&here);
            match self.arc(c, 0, mv) {
                Some((head, dependent)) => {
                    next.attach(head, dependent, None);
                    next.pass(1);
                }
                None if mv == Move::Shift => next.shift(),
                None => next.pass(1),
            }
            costs.set(mv, loss.of(gold, &next, self.roots) - before);
        }
        costs
    }
}
