//! Arc-hybrid without a root node, as learning to search uses it (Chang et al., arXiv 1503.05615): one word is left over,
//! and hangs on the root.
//!
//! | move | precondition | effect | cost beyond arc-hybrid's |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) | \[σ ≠ \[\], g(b) = root\] |
//! | LEFT | σ ≠ \[\], β ≠ \[\] | adds b → s0, (σ\|s0, b\|β) → (σ, b\|β) | \[\|σ\| = 1, g(s0) = root\] |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) | 0 |
//!
//! Initial: σ = \[1\], β = 2..n. Terminal: \|σ\| = 1, β = \[\]. Derives the projective trees with one root, in 2(n - 1)
//! transitions; a sentence of one word needs none. LEFT may leave the stack empty; then SHIFT follows.
//!
//! **Costs**: those of [`ArcHybrid`] and a term for the arc from the root, which no move makes: the gold tree's word on
//! the root can be the one left over while it is in the buffer or at the bottom of the stack. With it the costs are
//! exact; the published reference has no such term, and prefers LEFT where that loses the arc.
//!
//! A derivation is one of [`ArcHybrid`] with one root less its first and its last transition, which are forced there. So the
//! two learn the same from features that do not see the root, and a comparison of published figures for them compares
//! other things.
//!
//! **One root**: there is no other setting. The label of the word left over is that of words that no move attached.

use super::ArcHybrid;
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{Action, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo, Transitions};
use treebeam::tree::{Gold, MAX_WORDS, Node, ROOT};

/// The arc-hybrid system without a root node.
#[derive(Debug, Clone, Copy)]
pub struct ArcHybridRootless {
    /// Moves and what they do.
    hybrid: ArcHybrid,
}

impl ArcHybridRootless {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        features: "stack",
        roots: &[Roots::Single],
        ..SystemInfo::new(
            "arc-hybrid-rootless",
            "Arc-hybrid without a root node (Chang et al. 2015): one word is left over and hangs on the root",
            ArcHybrid::INFO.moves,
        )
    };

    /// The system. It has one setting, [`Roots::Single`], whatever is asked for; see [`SystemInfo::roots`](treebeam::system::SystemInfo::roots).
    pub fn new(_: Roots) -> ArcHybridRootless {
        ArcHybridRootless { hybrid: ArcHybrid::new(Roots::Single) }
    }
}

impl System for ArcHybridRootless {
    fn info(&self) -> &'static SystemInfo {
        ArcHybridRootless::INFO
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words.saturating_sub(1)
    }
}

impl<C: Stacks> Transitions<C> for ArcHybridRootless {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        let empty = C::initial(arena, n_words, RootPlace::Nowhere);
        // The first word stands where other systems have the root.
        if n_words == 0 { empty } else { empty.shift(arena) }
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() <= 1 && c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let buffer_empty = c.buffer_len() == 0;
        let moves = MoveSet::default()
            .with(Move::Shift, !buffer_empty)
            .with(Move::Left, !buffer_empty && c.stack_len() >= 1)
            .with(Move::Right, c.stack_len() >= 2);
        Permitted { moves, from_root: MoveSet::default() }
    }

    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        self.hybrid.arc(c, point, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        self.hybrid.successor(c, action, arena)
    }
}

impl<C: Stacks> Oracle<C> for ArcHybridRootless {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        self.hybrid.static_move(gold, c)
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = self.hybrid.costs(gold, c, point, permitted);
        let on_root =
            |node: Option<Node>| node.filter(|&node| gold.head(node) == ROOT).map_or(0, |node| gold.weight(node));
        for (mv, lost) in [
            (Move::Shift, if c.stack_len() > 0 { on_root(c.buffer(0)) } else { 0 }),
            (Move::Left, if c.stack_len() == 1 { on_root(c.stack(0)) } else { 0 }),
        ] {
            if let Some(cost) = costs.get(mv) {
                costs.set(mv, cost + lost);
            }
        }
        costs
    }
}
