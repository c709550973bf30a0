//! Arc-standard with online reordering (Nivre, ACL 2009): a stack system that derives every tree.
//!
//! | move | precondition | effect |
//! |---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) |
//! | LEFT | \|σ\| ≥ 2, s1 is a word | adds s0 → s1, (σ\|s1\|s0, β) → (σ\|s0, β) |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) |
//! | SWAP | \|σ\| ≥ 2, s1 is a word, s1 < s0 in the sentence | (σ\|s1\|s0, β) → (σ\|s0, s1\|β) |
//!
//! Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. Derives every tree. A derivation has 2n transitions and
//! two more for each swap; as a pair of words is swapped at most once, n(n + 1) at most. On treebanks swaps are rare, so that
//! parsing takes linear time in practice.
//!
//! **Oracles.** All of them sort the words into the gold tree's projective order, and all of them derive every tree:
//!
//! | oracle | rule |
//! |---|---|
//! | `static` | Nivre (2009): LEFT or RIGHT if it makes a gold arc whose dependent has all its own dependents; else SWAP if s0 comes before s1 in the projective order; else SHIFT |
//! | `lazy` | Nivre, Kuhlmann & Hall (IWPT 2009): as `static`, but while b belongs to the maximal projective component of s0, SHIFT instead of SWAP |
//! | `non-deterministic` | Björkelund & Nivre (IWPT 2015): the move of `static`; also SHIFT wherever `static` still derives the tree after it |
//!
//! The third is the default, as beams do best when the model may choose among the derivations of a tree. A move costs
//! 0 if the oracle permits it and 1 if not; that is a verdict and no loss, and it has a meaning only on derivations that the
//! oracle permits. Orders of the words other than the projective order in which dependents stand as in the sentence could
//! do as well, at the price of swaps that serve nothing; no oracle permits these. There is no dynamic oracle: none is known
//! that is fast and exact.
//!
//! **Arcs that are to be kept**: a move keeps them if the static oracle's rule, followed from then on, makes all of them, where words whose
//! arcs do not count join their neighbours as soon as they wait for nothing. That is sound, and there is always such a move: the rule's
//! own. There may be others, whose derivations sort the words into other orders. In training on partial trees SWAP costs 0 only where the rule
//! takes it.
//!
//! **One root**: with [`Roots::Single`] RIGHT makes an arc from the root only as the last transition. For a gold tree with
//! several roots, which cannot be derived then, the first of them becomes the head of the others.
//!
//! **Labels**: a move bears the labels of arcs that go its way in the sentence. In configurations where s0 comes before s1
//! in the sentence, LEFT makes an arc that goes to the right; no oracle leads there.

use super::ArcStandard;
use super::completion::Completion;
use treebeam::configuration::{Point, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The swap system.
#[derive(Debug, Clone, Copy)]
pub struct Swap {
    roots: Roots,
    oracle: OracleKind,
}

impl Swap {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        features: "stack",
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::NonDeterministic],
        // On Dutch-LassySmall, 1,500 training sentences: LAS 72.3 with this one, 71.0 static, 68.2 non-deterministic.
        beam_oracle: Some(OracleKind::Lazy),
        derives_all: true,
        projective_only: false,
        buffer_is_suffix: false,
        minimal_features: "minimal-stack",
        beam_update: "laso",
        ..SystemInfo::new(
            "swap",
            "Arc-standard with online reordering (Nivre 2009): all trees",
            &[Move::Shift, Move::Left, Move::Right, Move::Swap, Move::Idle],
        )
    };

    /// The system with one or several words on the root, and the non-deterministic oracle.
    pub fn new(roots: Roots) -> Swap {
        Swap { roots, oracle: OracleKind::NonDeterministic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> Swap {
        Swap { oracle, ..self }
    }

    /// Arc-standard: the system without SWAP.
    fn without_swap(&self) -> ArcStandard {
        ArcStandard::new(self.roots)
    }

    /// The move of the static or the lazy oracle where s0 and s1 are on the stack and b is the front of the buffer. It is
    /// always permitted: where arcs are all that is left and none is a gold one, it is RIGHT.
    fn canonical_move(
        &self,
        gold: &Gold,
        (s0, s1, b): (Option<Node>, Option<Node>, Option<Node>),
        is_complete: impl Fn(usize) -> bool,
    ) -> Move {
        let (Some(s0), Some(s1)) = (s0, s1) else { return Move::Shift };
        let orders = gold.orders();
        let too_early = self.roots == Roots::Single && s1 == ROOT && b.is_some();
        let lazy = || self.oracle == OracleKind::Lazy && b.is_some_and(|b| orders.component(s0) == orders.component(b));
        if s1 != ROOT && gold.head(s1) == s0 && is_complete(1) {
            Move::Left
        } else if gold.head(s0) == s1 && is_complete(0) && !too_early {
            Move::Right
        } else if s1 != ROOT && s1 < s0 && orders.place(s0) < orders.place(s1) && !lazy() {
            Move::Swap
        } else if b.is_some() {
            Move::Shift
        } else {
            Move::Right
        }
    }

    /// The move of the static oracle for a tree of which some arcs alone count: what waits for nothing joins its neighbour.
    fn keeping_move(&self, gold: &Gold, c: &Completion) -> Move {
        let (Some(s0), Some(s1)) = (c.stack(0), c.stack(1)) else { return Move::Shift };
        let too_early = self.roots == Roots::Single && s1 == ROOT && c.front().is_some();
        let joins = |dependent: Node, head: Node| {
            c.n_missing(dependent) == 0 && (gold.head(dependent) == head || c.is_orphan(dependent))
        };
        let orders = gold.orders();
        if s1 != ROOT && joins(s1, s0) {
            Move::Left
        } else if joins(s0, s1) && !too_early {
            Move::Right
        } else if s1 != ROOT && s1 < s0 && orders.place(s0) < orders.place(s1) {
            Move::Swap
        } else if c.front().is_some() {
            Move::Shift
        } else {
            Move::Right
        }
    }

    /// True if the gold tree can still be derived if SHIFT is taken in `c`, instead of the canonical move.
    fn may_shift<C: Stacks>(&self, gold: &Gold, c: &C, canonical: Move) -> bool {
        let worth_asking = match canonical {
            Move::Swap => true,
            Move::Left | Move::Right if !gold.orders().is_projective() => true,
            // A word that is shifted onto S0 stays there unless S0 waits for it, besides S1.
            Move::Left => c.stack(0).is_some_and(|s0| c.n_dependents(0) + 1 < gold.dependents(s0).len()),
            _ => false,
        };
        let rule = |completion: &Completion| {
            let nodes = (completion.stack(0), completion.stack(1), completion.front());
            let is_complete = |depth| completion.stack(depth).is_some_and(|node| completion.n_missing(node) == 0);
            self.canonical_move(gold, nodes, is_complete)
        };
        worth_asking && Completion::from(gold, c).n_wrong(Move::Shift, rule) == 0
    }
}

impl System for Swap {
    fn info(&self) -> &'static SystemInfo {
        Swap::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::SoundOnItsWay
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        n_words * (n_words + 1)
    }
}

impl<C: Stacks> Transitions<C> for Swap {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        self.without_swap().initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        self.without_swap().is_terminal(c)
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        let Permitted { moves, from_root } = self.without_swap().permitted(c, point);
        Permitted { moves: moves.with(Move::Swap, c.stack_len() >= 3 && c.stack(1) < c.stack(0)), from_root }
    }

    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        self.without_swap().arc(c, point, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Swap => c.swap(arena),
            _ => self.without_swap().successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for Swap {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        // All arcs so far are gold ones, so that to count them is enough.
        let is_complete =
            |depth| c.stack(depth).is_some_and(|node| c.n_dependents(depth) == gold.dependents(node).len());
        (0, self.canonical_move(gold, (c.stack(0), c.stack(1), c.buffer(0)), is_complete))
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        if gold.is_partial() {
            let mut costs = self.keeping_costs(gold, c, point, permitted);
            // Swaps that serve no known arc are not taught.
            let rule = self.keeping_move(gold, &Completion::from(gold, c));
            if let Some(cost) = costs.get(Move::Swap).filter(|_| rule != Move::Swap) {
                costs.set(Move::Swap, cost + 1);
            }
            return costs;
        }
        let (_, canonical) = self.static_move(gold, c);
        let mut costs = MoveCosts::default();
        for mv in permitted.iter() {
            let correct = mv == canonical
                || mv == Move::Shift
                    && self.oracle == OracleKind::NonDeterministic
                    && self.may_shift(gold, c, canonical);
            costs.set(mv, u32::from(!correct));
        }
        costs
    }

    fn keeping_costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut losses = MoveCosts::default();
        for mv in self.permitted(c, 0).moves.iter() {
            losses.set(mv, Completion::from(gold, c).n_wrong(mv, |completion| self.keeping_move(gold, completion)));
        }
        losses.relative(permitted)
    }
}
