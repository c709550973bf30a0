//! Arc-eager with UNSHIFT (Nivre & Fernández-González, Computational Linguistics 2014), the root at the bottom of the stack.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\], b is not bound | (σ, b\|β) → (σ\|b, β) | as `arc_eager_start` |
//! | RIGHT | β ≠ \[\] | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | as `arc_eager_start` |
//! | LEFT | β ≠ \[\], s is a word without a head | adds b → s, (σ\|s, b\|β) → (σ, b\|β) | as `arc_eager_start` |
//! | REDUCE | s has a head | (σ\|s, β) → (σ, β) | as `arc_eager_start` |
//! | UNSHIFT | β = \[\], s is a word without a head | (σ\|s, \[\]) → (σ, s), s bound | none: no other move is permitted |
//!
//! s is S0, b is B0. Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. Derives every projective tree, in 4n
//! transitions at most: n that push the words for the first time, as many UNSHIFTs, RIGHTs after them, and pops.
//!
//! Words that are left over, which `arc_eager_start` hangs on the root, come back here and get heads: one after the
//! other, from the top of the stack, by LEFT and RIGHT with what is below. The paper speaks of a bit that is set when the
//! buffer is first empty and forbids SHIFT from then on; that b came back, and is bound, says the same.
//!
//! **Costs**: as in the paper, those of the system without UNSHIFT, and so approximate: a word that is left over is believed
//! to end on the root, though it comes back and can still be attached to what is below it.
//!
//! **Arcs that are to be kept** are made before words come back, those from the root by RIGHT: SHIFT, too, loses the arc from the root
//! into b, and with one root so does RIGHT from the root into another word. With these two terms there is always a move that loses
//! none of them.
//!
//! **One root**: with [`Roots::Single`] RIGHT makes one arc from the root at most, and REDUCE does not pop the word that it
//! attached as long as the buffer has words. So every word finds another one below it, and no configuration gets stuck;
//! a derivation ends with one word on the root, for the last one that comes back to an otherwise empty stack has no other
//! place.

use super::arc_eager_start::{at_bottom, successor};
use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, Node, ROOT};

/// The arc-eager system with UNSHIFT.
#[derive(Debug, Clone, Copy)]
pub struct ArcEagerUnshift {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEagerUnshift {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        // A word that came back has nothing behind it.
        buffer_is_suffix: false,
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic],
        ..SystemInfo::new(
            "arc-eager-unshift",
            "Arc-eager with UNSHIFT (Nivre & Fernández-González 2014)",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right, Move::Unshift, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEagerUnshift {
        ArcEagerUnshift { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEagerUnshift {
        ArcEagerUnshift { oracle, ..self }
    }
}

impl System for ArcEagerUnshift {
    fn info(&self) -> &'static SystemInfo {
        ArcEagerUnshift::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Approximate
    }

    fn prefers_static(&self) -> bool {
        self.oracle == OracleKind::Lazy
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        4 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcEagerUnshift {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::StackBottom)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.buffer_len() == 0 && at_bottom(c)
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (at_bottom, s0_has_head, buffer_empty) = (at_bottom(c), c.s0_has_head(), c.buffer_len() == 0);
        let taken = self.roots == Roots::Single && c.flag();
        let keeps = taken && c.stack_len() == 2 && !buffer_empty;
        let moves = MoveSet::default()
            .with(Move::Shift, !buffer_empty && !c.b0_is_bound())
            .with(Move::Right, !(buffer_empty || at_bottom && taken))
            .with(Move::Left, !buffer_empty && !at_bottom && !s0_has_head)
            .with(Move::Reduce, s0_has_head && !keeps)
            .with(Move::Unshift, buffer_empty && !at_bottom && !s0_has_head);
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, at_bottom) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        eager::arc(c, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Unshift => c.unshift(arena),
            _ => successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcEagerUnshift {
    /// That of `arc_eager_start`, which leaves no word over but pops none after the buffer is empty.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, eager::static_move(gold, c, self.oracle))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = eager::costs(gold, c, permitted, Roots::Several, StackView::default());
        if permitted.has(Move::Unshift) {
            costs.set(Move::Unshift, 0);
        }
        costs
    }

    /// Arcs are kept by being made before the buffer is empty, those from the root by RIGHT. From then on nothing is lost.
    fn keeping_costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let b = c.buffer(0).filter(|_| !c.b0_is_bound());
        let Some(b) = b else {
            let mut costs = MoveCosts::default();
            permitted.iter().for_each(|mv| costs.set(mv, 0));
            return costs;
        };
        let mut costs = eager::costs(gold, c, permitted, Roots::Several, StackView::default());
        let of_root = |word: Node| if gold.head(word) == ROOT { gold.weight(word) } else { 0 };
        let of_others = || gold.dependents(ROOT).iter().filter(|&&word| word > b).map(|&word| of_root(word)).sum();
        let takes_root = self.roots == Roots::Single && at_bottom(c);
        for (mv, lost) in [(Move::Shift, of_root(b)), (Move::Right, if takes_root { of_others() } else { 0 })] {
            if let Some(cost) = costs.get(mv) {
                costs.set(mv, cost + lost);
            }
        }
        costs
    }
}
