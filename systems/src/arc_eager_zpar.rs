//! Arc-eager without a root, by the rules of ZPar (Zhang & Clark, Computational Linguistics 2011; Zhang & Nivre, ACL 2011).
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\], the last move was not REDUCE | (σ, b\|β) → (σ\|b, β) | as `arc_eager` |
//! | RIGHT | σ ≠ \[\], β ≠ \[\] | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | as `arc_eager` |
//! | LEFT | σ ≠ \[\], s has no head | adds b → s, (σ\|s, b\|β) → (σ, b\|β); from the root if β = \[\] | as `arc_eager` |
//! | REDUCE | σ ≠ \[\], s has a head | (σ\|s, β) → (σ, β) | as `arc_eager`, and what the ban on SHIFT loses |
//!
//! s is S0, b is B0. Initial: σ = \[\], β = 1..n. Terminal: σ = \[\], β = \[\]. Derives every projective tree, in 2n
//! transitions, all of one length so that scores in a beam compare. ZPar calls LEFT on an empty buffer POP-ROOT and gives
//! it one label; here it is a LEFT whose head is the root and whose label the model chooses, so that data with several
//! labels of root arcs keep them.
//!
//! **The ban on SHIFT.** What REDUCE and then SHIFT do can be done in another order: b is shifted, and s popped when it comes
//! up again. So no tree is lost, and a tree has fewer derivations. After a REDUCE the free move may be the SHIFT that is
//! banned; the ban loses the least that LEFT, RIGHT, or REDUCE and what follows it cost, which is found by going down the
//! stack as far as there are heads. With this the costs are exact.
//!
//! **One root**: ZPar's rules, as in `arc_eager`: the last word may be shifted only onto an empty stack, and attached to S0
//! only if one word alone on the stack lacks a head. With [`Roots::Several`], which ZPar does not have, both rules are
//! dropped.

use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, Node, ROOT};

/// ZPar's arc-eager system.
#[derive(Debug, Clone, Copy)]
pub struct ArcEagerZpar {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEagerZpar {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic],
        ..SystemInfo::new(
            "arc-eager-zpar",
            "Arc-eager without a root, by ZPar's rules (Zhang & Clark 2011)",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEagerZpar {
        ArcEagerZpar { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEagerZpar {
        ArcEagerZpar { oracle, ..self }
    }

    /// True if the next word may be attached to the stack's top.
    #[inline]
    fn right_permitted<C: Stacks>(&self, c: &C) -> bool {
        c.buffer_len() >= 2 || c.buffer_len() == 1 && (c.n_headless() <= 1 || self.roots == Roots::Several)
    }

    /// Loss in `c`, with `depth` items popped by REDUCE, because SHIFT is not permitted.
    fn loss_by_ban<C: Stacks>(&self, gold: &Gold, c: &C, depth: usize) -> u32 {
        let mut least = u32::MAX;
        let mut so_far = 0;
        for (depth, (_, has_head)) in c.stack_nodes().enumerate().skip(depth) {
            let moves = MoveSet::default()
                .with(Move::Right, self.right_permitted(c))
                .with(Move::Left, !has_head)
                .with(Move::Reduce, has_head);
            let costs = eager::costs(gold, c, moves, self.roots, StackView { depth, ..StackView::default() });
            for mv in [Move::Left, Move::Right] {
                least = least.min(costs.get(mv).map_or(u32::MAX, |cost| so_far + cost));
            }
            so_far += costs.get(Move::Reduce).unwrap_or(0);
            if !has_head || so_far >= least {
                break;
            }
        }
        least
    }
}

impl System for ArcEagerZpar {
    fn info(&self) -> &'static SystemInfo {
        ArcEagerZpar::INFO
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
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

impl<C: Stacks> Transitions<C> for ArcEagerZpar {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::Nowhere)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() == 0 && c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (stack_empty, buffer_empty) = (c.stack_len() == 0, c.buffer_len() == 0);
        let last = self.roots == Roots::Single && c.buffer_len() == 1;
        let s0_has_head = c.s0_has_head();
        let moves = MoveSet::default()
            .with(Move::Shift, !buffer_empty && !c.flag() && (stack_empty || !last))
            .with(Move::Right, !stack_empty && self.right_permitted(c))
            .with(Move::Left, !stack_empty && !s0_has_head)
            .with(Move::Reduce, s0_has_head);
        Permitted { moves, from_root: MoveSet::default().with(Move::Left, buffer_empty) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Left if c.buffer_len() == 0 => Some((ROOT, c.stack(0)?)),
            _ => eager::arc(c, mv),
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        let next = match action.mv {
            // The root has no place: what counts is that the word is popped.
            Move::Left if c.buffer_len() == 0 => c.arc_from_absent_root(action.label, arena),
            _ => eager::successor(c, action, arena),
        };
        next.with_flag(action.mv == Move::Reduce && c.buffer_len() > 0)
    }
}

impl<C: Stacks> Oracle<C> for ArcEagerZpar {
    /// ZPar's own: it looks at the nearest word on the stack that has no head, which is the one that LEFT must reach. On projective
    /// trees it and `lazy` are one, since nothing else may follow REDUCE than what it was for.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        if self.oracle == OracleKind::Lazy {
            return (0, eager::static_move(gold, c, self.oracle));
        }
        let Some((s, s_has_head)) = c.stack_nodes().next() else { return (0, Move::Shift) };
        let waiting = c.stack_nodes().find(|&(_, has_head)| !has_head).map_or(ROOT, |(word, _)| word);
        let down = if s_has_head { Move::Reduce } else { Move::Left };
        let mv = match c.buffer(0) {
            None => down,
            Some(b) if gold.head(waiting) == b => down,
            Some(b) if gold.head(b) == ROOT || gold.head(b) > b => Move::Shift,
            Some(b) if gold.head(b) == s => Move::Right,
            Some(_) => Move::Reduce,
        };
        (0, mv)
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = eager::costs(gold, c, permitted, self.roots, StackView::default());
        if c.buffer_len() > 0 {
            let lost = if c.flag() { self.loss_by_ban(gold, c, 0) } else { 0 };
            for mv in permitted.iter() {
                if let Some(cost) = costs.get(mv) {
                    let after = if mv == Move::Reduce { self.loss_by_ban(gold, c, 1) } else { 0 };
                    costs.set(mv, cost + after - lost);
                }
            }
        }
        costs
    }
}
