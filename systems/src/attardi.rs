//! Attardi's system of degree 2 (Attardi, CoNLL 2006; Cohen, Gómez-Rodríguez & Satta, EMNLP 2011): arc-standard whose arcs
//! may also skip one node of the stack.
//!
//! | move | precondition | effect |
//! |---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) |
//! | LEFT | \|σ\| ≥ 2, s1 is a word | adds s0 → s1, (σ\|s1\|s0, β) → (σ\|s0, β) |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) |
//! | LEFT-2 | \|σ\| ≥ 3, s2 is a word | adds s0 → s2, (σ\|s2\|s1\|s0, β) → (σ\|s1\|s0, β) |
//! | RIGHT-2 | \|σ\| ≥ 3 | adds s2 → s0, (σ\|s2\|s1\|s0, β) → (σ\|s2\|s1, β) |
//!
//! Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. Every derivation has 2n transitions. Derives every
//! projective tree and those others whose arcs, made bottom-up, never skip more than one node of the stack: with one
//! root 59 of the 64 trees of four words. Attardi's own system also extracts nodes from the stack and skips up to three; and
//! his RIGHT leaves the head in the buffer. What is here is what later work calls by his name.
//!
//! **Static oracle**: the first of LEFT, RIGHT, LEFT-2 and RIGHT-2 that makes a gold arc whose dependent has all its own
//! dependents; else SHIFT. It derives whatever the system derives: to attach a word that waits for nothing only brings
//! the others closer to one another.
//!
//! **Costs**: the static oracle's rule is carried on to the end after each move, and the wrong heads are counted; where a
//! word's gold head is gone, any arc into it is made as soon as it waits for nothing, and where only wrong arcs are left,
//! one that loses least. This is exact as to which moves keep the gold tree derivable wherever it is. Elsewhere it
//! is an upper bound of the loss, and the cost, a difference of two, an approximation. An exact polynomial oracle is known
//! (Gómez-Rodríguez, Sartorio & Satta, EMNLP 2014); its exponent is too high for training.
//!
//! Complexity of the costs of all moves: O(n).
//!
//! **One root**: with [`Roots::Single`] RIGHT makes an arc from the root only as the last transition, and RIGHT-2 never.

use super::ArcStandard;
use super::completion::Completion;
use treebeam::configuration::{Point, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// Attardi's system of degree 2.
#[derive(Debug, Clone, Copy)]
pub struct Attardi {
    roots: Roots,
}

/// The moves that make arcs, in the order of the static oracle, with the depths of head and dependent.
const ARCS: [(Move, usize, usize); 4] =
    [(Move::Left, 0, 1), (Move::Right, 1, 0), (Move::Left2, 0, 2), (Move::Right2, 2, 0)];

impl Attardi {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        projective_only: false,
        features: "stack",
        minimal_features: "minimal-stack",
        ..SystemInfo::new(
            "attardi",
            "Attardi's system of degree 2 (Attardi 2006): arc-standard whose arcs may skip a node of the stack",
            &[Move::Shift, Move::Left, Move::Right, Move::Left2, Move::Right2],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> Attardi {
        Attardi { roots }
    }

    /// The system without arcs that skip a node.
    fn degree_1(&self) -> ArcStandard {
        ArcStandard::new(self.roots)
    }

    /// The arcs that may be made, as (move, head, dependent).
    fn arcs(
        &self,
        buffer_empty: bool,
        stack_len: usize,
        stack: impl Fn(usize) -> Option<Node>,
    ) -> impl Iterator<Item = (Move, Node, Node)> {
        let root_is_free = self.roots == Roots::Several || (buffer_empty && stack_len == 2);
        ARCS.into_iter()
            .filter_map(move |(mv, head, dependent)| Some((mv, stack(head)?, stack(dependent)?)))
            .filter(move |&(_, head, dependent)| dependent != ROOT && (head != ROOT || root_is_free))
    }

    /// The static oracle's rule, made total.
    fn rule(&self, gold: &Gold, c: &Completion) -> Move {
        let arcs = || self.arcs(c.front().is_none(), c.stack_len(), |depth| c.stack(depth));
        // Loss of an arc beyond that of the configuration.
        let loss = |head: Node, dependent: Node| {
            u32::from(c.n_missing(dependent)) + u32::from(gold.head(dependent) != head && !c.is_orphan(dependent))
        };
        match arcs().find(|&(_, head, dependent)| loss(head, dependent) == 0) {
            Some((mv, ..)) => mv,
            None if c.front().is_some() => Move::Shift,
            None => arcs().min_by_key(|&(_, head, dependent)| loss(head, dependent)).map_or(Move::Right, |arc| arc.0),
        }
    }
}

impl System for Attardi {
    fn info(&self) -> &'static SystemInfo {
        Attardi::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::FreeWhereReachable
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        let (near, far) = if head < dependent { (Move::Right, Move::Right2) } else { (Move::Left, Move::Left2) };
        // Between neighbours there is nothing to skip; the one word on the root is the last.
        let skips = head.abs_diff(dependent) > 1 && !(self.roots == Roots::Single && head == ROOT);
        MoveSet::default().with(near, true).with(far, skips)
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Stacks> Transitions<C> for Attardi {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        self.degree_1().initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        self.degree_1().is_terminal(c)
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        let Permitted { moves, from_root } = self.degree_1().permitted(c, point);
        // The one word on the root is the last: there is nothing to skip.
        let skips_to_root = c.stack_len() == 3 && self.roots == Roots::Several;
        let skips = c.stack_len() >= 4;
        Permitted {
            moves: moves.with(Move::Left2, skips).with(Move::Right2, skips || skips_to_root),
            from_root: from_root.with(Move::Right2, skips_to_root),
        }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        let (_, head, dependent) = ARCS.into_iter().find(|arc| arc.0 == mv)?;
        Some((c.stack(head)?, c.stack(dependent)?))
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Left2 => c.left_arc_over_s1(action.label, arena),
            Move::Right2 => c.right_arc_over_s1(action.label, arena),
            _ => self.degree_1().successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for Attardi {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, self.rule(gold, &Completion::from(gold, c)))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut losses = MoveCosts::default();
        for mv in self.permitted(c, 0).moves.iter() {
            losses.set(mv, Completion::from(gold, c).n_wrong(mv, |completion| self.rule(gold, completion)));
        }
        losses.relative(permitted)
    }
}
