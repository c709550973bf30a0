//! Arc-eager (Nivre 2003; 2008, section 4.2), with the root behind the last word (Ballesteros & Nivre 2013).
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | b is a word | (σ, b\|β) → (σ\|b, β) | \[g(b) ∈ σ\] + #{k ∈ σ : g(k) = b, k has no head} |
//! | RIGHT | σ ≠ \[\], b is a word | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | \[g(b) ∈ σ \\ s\] + \[g(b) ∈ β behind b\] + #{k ∈ σ : g(k) = b, k has no head} |
//! | LEFT | σ ≠ \[\], s has no head | adds b → s, (σ\|s, b\|β) → (σ, b\|β) | \[g(s) ∈ β behind b\] + #{d ∈ β : g(d) = s} |
//! | REDUCE | σ ≠ \[\], s has a head | (σ\|s, β) → (σ, β) | #{d ∈ β : g(d) = s} |
//!
//! s is S0, b is B0; σ includes s and β includes b and the root. Initial: σ = \[\], β = 1..n, root. Terminal: σ = \[\],
//! β = \[root\]. Derives every projective tree, in 2n transitions.
//!
//! **Costs**: Goldberg & Nivre (COLING 2012; TACL 2013, section 4.1) print index sets that are wrong when read literally
//! and lack the condition that k has no head; the forms above equal exhaustive search on every reachable configuration
//! of every projective tree of up to seven words.
//!
//! **One root**: the literature's system lets several words hang on the root. With [`Roots::Single`] the last word may be
//! shifted only onto an empty stack, and attached to S0 only if no more than one word on the stack lacks a head; no
//! configuration gets stuck, and the derivations are those of the trees with one root. Arcs are then no longer lost one
//! by one, which two further terms make good: see `one_root`. With them the costs equal exhaustive search again.

use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Deduction, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, Node, ROOT};

/// The arc-eager system.
#[derive(Debug, Clone, Copy)]
pub struct ArcEager {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEager {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        tabulation: Some(Deduction::Eager),
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic],
        ..SystemInfo::new(
            "arc-eager",
            "Arc-eager (Nivre 2003), the root behind the last word",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEager {
        ArcEager { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEager {
        ArcEager { oracle, ..self }
    }
}

impl System for ArcEager {
    fn info(&self) -> &'static SystemInfo {
        ArcEager::INFO
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        // The root stands behind the last word.
        let mv = if head == ROOT || dependent < head { Move::Left } else { Move::Right };
        MoveSet::default().with(mv, true)
    }

    /// Unless one word alone may hang on the root: then arcs are not lost one by one.
    fn weighs_arcs(&self) -> bool {
        self.roots == Roots::Several
    }

    fn prefers_static(&self) -> bool {
        self.oracle == OracleKind::Lazy
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcEager {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::BufferEnd)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() == 0 && c.buffer_len() == 1
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (stack_empty, at_root) = (c.stack_len() == 0, c.buffer_len() == 1);
        // The last word decides how many words are left for the root.
        let last = self.roots == Roots::Single && c.buffer_len() == 2;
        let s0_has_head = c.s0_has_head();
        let moves = MoveSet::default()
            .with(Move::Shift, !at_root && (stack_empty || !last))
            .with(Move::Right, !at_root && !stack_empty && (c.n_headless() <= 1 || !last))
            .with(Move::Left, !stack_empty && !s0_has_head)
            .with(Move::Reduce, !stack_empty && s0_has_head);
        Permitted { moves, from_root: MoveSet::default().with(Move::Left, at_root) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        eager::arc(c, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        eager::successor(c, action, arena)
    }
}

impl<C: Stacks> Oracle<C> for ArcEager {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, eager::static_move(gold, c, self.oracle))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        eager::costs(gold, c, permitted, self.roots, StackView::default())
    }
}
