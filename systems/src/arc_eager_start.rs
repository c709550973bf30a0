//! Arc-eager with the root at the bottom of the stack (Nivre 2003; 2008, section 4.2), as most of its literature has it.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | | (σ, b\|β) → (σ\|b, β) | \[g(b) ∈ σ, a word\] + #{k ∈ σ : g(k) = b, k has no head} |
//! | RIGHT | | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | \[g(b) ∈ σ \\ s\] + \[g(b) ∈ β behind b\] + #{k ∈ σ : g(k) = b, k has no head} |
//! | LEFT | s is a word without a head | adds b → s, (σ\|s, b\|β) → (σ, b\|β) | \[g(s) ∈ β behind b\] + \[g(s) = root\] + #{d ∈ β : g(d) = s} |
//! | REDUCE | s has a head | (σ\|s, β) → (σ, β) | #{d ∈ β : g(d) = s} |
//!
//! s is S0, b is B0. Initial: σ = \[root\], β = 1..n. Terminal: β = \[\]. Words that have no head then hang on the root.
//! Derives every projective tree, in n to 2n - 1 transitions. A word can come to hang on the root in two ways, by RIGHT
//! and by being left over, so that a tree has more derivations than with the root behind the last word (`arc_eager`):
//! 5.92 on average for six words, where that has 1.62.
//!
//! **Costs** (Goldberg & Nivre 2012, 2013, with the corrections of `arc_eager`): SHIFT does not lose the arc from the root,
//! as b may be left over; LEFT does. They are exact. The label of a word left over is not chosen, and no cost depends on
//! it.
//!
//! **One root**: with [`Roots::Single`] RIGHT makes one arc from the root at most. The word that it attaches stays on the
//! stack, as REDUCE does not pop it: words to come may need it. The last word may be shifted only if neither a word
//! without a head nor one attached to the root is on the stack, and attached to a word only if there is but one of either.
//! So exactly one word is left over or attached, and no configuration gets stuck: the top of the stack can be
//! popped until the last word may be attached. Derived are the projective trees with one root. The terms of `one_root` make
//! the costs exact.

use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, Node};

/// The arc-eager system with the root at the bottom of the stack.
#[derive(Debug, Clone, Copy)]
pub struct ArcEagerStart {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEagerStart {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic],
        ..SystemInfo::new(
            "arc-eager-start",
            "Arc-eager with the root at the bottom of the stack (Nivre 2003)",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEagerStart {
        ArcEagerStart { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEagerStart {
        ArcEagerStart { oracle, ..self }
    }
}

impl System for ArcEagerStart {
    fn info(&self) -> &'static SystemInfo {
        ArcEagerStart::INFO
    }

    /// Unless one word alone may hang on the root: then arcs are not lost one by one.
    fn weighs_arcs(&self) -> bool {
        self.roots == Roots::Several
    }

    fn prefers_static(&self) -> bool {
        self.oracle == OracleKind::Lazy
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        (2 * n_words).saturating_sub(1)
    }
}

/// True if S0 is the root.
pub(super) fn at_bottom<C: Stacks>(c: &C) -> bool {
    c.stack_len() == 1
}

/// The configuration after `action`, flagged once a word is attached to the root.
pub(super) fn successor<C: Stacks>(c: &C, action: Action, arena: C::Arena) -> C {
    let from_root = action.mv == Move::Right && at_bottom(c);
    eager::successor(c, action, arena).with_flag(c.flag() || from_root)
}

impl<C: Stacks> Transitions<C> for ArcEagerStart {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::StackBottom)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (at_bottom, s0_has_head) = (at_bottom(c), c.s0_has_head());
        let single = self.roots == Roots::Single;
        let last = single && c.buffer_len() == 1;
        // The words that hang on the root if nothing more happens to them.
        let n_roots = c.n_headless() + usize::from(c.flag());
        let keeps = single && c.flag() && c.stack_len() == 2;
        let moves = MoveSet::default()
            .with(Move::Shift, !last || n_roots == 0)
            .with(Move::Right, if at_bottom { !single || !c.flag() } else { !last || n_roots == 1 })
            .with(Move::Left, !at_bottom && !s0_has_head)
            .with(Move::Reduce, s0_has_head && !keeps);
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, at_bottom) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        eager::arc(c, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        successor(c, action, arena)
    }
}

impl<C: Stacks> Oracle<C> for ArcEagerStart {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, eager::static_move(gold, c, self.oracle))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let taken = if self.roots == Roots::Single && c.flag() { c.stack(c.stack_len() - 2) } else { None };
        eager::costs(gold, c, permitted, self.roots, StackView { taken, ..StackView::default() })
    }
}
