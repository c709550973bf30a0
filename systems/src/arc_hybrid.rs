//! Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), with the root at the bottom of the stack.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) | \[g(b) ∈ σ below s0\] + #{k ∈ σ : g(k) = b} |
//! | LEFT | β ≠ \[\], s0 is a word | adds b → s0, (σ\|s0, b\|β) → (σ, b\|β) | \[g(s0) ∈ β behind b\] + \[g(s0) = s1\] + #{d ∈ β : g(d) = s0} |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) | \[g(s0) ∈ β\] + #{d ∈ β : g(d) = s0} |
//!
//! Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. Derives every projective tree, in 2n transitions; it
//! is arc-decomposable, and the costs (Goldberg & Nivre, TACL 2013, section 4.2) are exact.
//!
//! **One root**: with [`Roots::Single`] RIGHT makes an arc from the root only as the last transition. The costs stay as
//! they are, and exact: a word that hangs on the root in the gold tree can still do so if it is in the buffer or at S0
//! with the root below it, whether or not other words may.

use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Deduction, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, NO_NODE, Node, ROOT};

/// The arc-hybrid system.
#[derive(Debug, Clone, Copy)]
pub struct ArcHybrid {
    roots: Roots,
}

impl ArcHybrid {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        features: "stack",
        tabulation: Some(Deduction::Hybrid),
        ..SystemInfo::new(
            "arc-hybrid",
            "Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), the root at the bottom of the stack",
            &[Move::Shift, Move::Left, Move::Right],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcHybrid {
        ArcHybrid { roots }
    }
}

impl System for ArcHybrid {
    fn info(&self) -> &'static SystemInfo {
        ArcHybrid::INFO
    }

    fn weighs_arcs(&self) -> bool {
        true
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcHybrid {
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
        let moves = MoveSet::default()
            .with(Move::Shift, !buffer_empty)
            .with(Move::Left, !buffer_empty && c.stack_len() >= 2)
            .with(
                Move::Right,
                c.stack_len() >= 2 && !(self.roots == Roots::Single && right_from_root && !buffer_empty),
            );
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, right_from_root) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Left => Some((c.buffer(0)?, c.stack(0)?)),
            Move::Right => Some((c.stack(1)?, c.stack(0)?)),
            _ => None,
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Shift => c.shift(arena),
            Move::Left => c.left_arc_from_buffer(action.label, arena),
            Move::Right => c.right_arc_in_stack(action.label, arena),
            mv => unreachable!("{} has no {}", self.info().name, mv.name()),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcHybrid {
    /// LEFT if it makes a gold arc; RIGHT if it does and S0 has all its dependents; else SHIFT.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        let s0 = c.stack(0).unwrap_or(ROOT);
        let b = c.buffer(0);
        let mv = if s0 != ROOT && b == Some(gold.head(s0)) {
            Move::Left
        } else if s0 != ROOT
            && c.stack(1) == Some(gold.head(s0))
            && b.is_none_or(|b| gold.n_dependents_from(s0, b) == 0)
        {
            Move::Right
        } else {
            Move::Shift
        };
        (0, mv)
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        let b = c.buffer(0).unwrap_or(NO_NODE);
        let s0 = c.stack(0).unwrap_or(NO_NODE);
        if permitted.has(Move::Shift) {
            let head = gold.head(b);
            let leftmost = gold.dependents(b).first().copied().unwrap_or(NO_NODE).min(head);
            let lost = c
                .stack_nodes()
                .take_while(|&(k, _)| k >= leftmost)
                .map(|(k, _)| match k {
                    k if gold.head(k) == b => gold.weight(k),
                    k if k == head && k != s0 => gold.weight(b),
                    _ => 0,
                })
                .sum();
            costs.set(Move::Shift, lost);
        }
        if permitted.has(Move::Left) || permitted.has(Move::Right) {
            let g = gold.head(s0);
            let dependents = if b == NO_NODE { 0 } else { gold.weight_from(s0, b) };
            let of_s0 = |is_lost: bool| if is_lost { gold.weight(s0) } else { 0 };
            if permitted.has(Move::Left) {
                let lost = of_s0(g > b) + of_s0(c.stack(1) == Some(g));
                costs.set(Move::Left, lost + dependents);
            }
            if permitted.has(Move::Right) {
                costs.set(Move::Right, of_s0(b != NO_NODE && g >= b) + dependents);
            }
        }
        costs
    }
}
