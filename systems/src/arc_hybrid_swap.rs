//! Arc-hybrid with online reordering (de Lhoneux, Stymne & Nivre, IWPT 2017): a system that derives every tree, with an
//! oracle that is static for SWAP and dynamic for the other moves. The parser UUParser is built on it.
//!
//! | move | precondition | effect | cost where SWAP is not due |
//! |---|---|---|---|
//! | SHIFT | β ≠ \[\] | (σ, b\|β) → (σ\|b, β) | 0 if b will be swapped back, else \[g(b) ∈ σ below s0\] + #{k ∈ σ : g(k) = b} |
//! | LEFT | β ≠ \[\], s0 is a word | adds b → s0, (σ\|s0, b\|β) → (σ, b\|β) | \[g(s0) ≠ b is in reach\] + #{d in reach : g(d) = s0} |
//! | RIGHT | \|σ\| ≥ 2 | adds s1 → s0, (σ\|s1\|s0, β) → (σ\|s1, β) | \[g(s0) ≠ s1 is in reach\] + #{d in reach : g(d) = s0} |
//! | SWAP | β ≠ \[\], s0 is a word, s0 < b in the sentence | (σ\|s0, b\|β) → (σ, b\|s0\|β) | 1 |
//!
//! Initial: σ = \[root\], β = 1..n. Terminal: σ = \[root\], β = \[\]. The paper has the root at the end of the buffer; here it stands
//! where [`ArcHybrid`] has it, whose derivations are those without SWAP. Derives every tree. A derivation has 2n transitions and
//! two more for each swap; as a pair of words is swapped at most once, n(n + 1) at most.
//!
//! **SWAP is static.** It is due as soon as b comes before s0 in the gold tree's projective order. It costs 0 then and every other move
//! 1; elsewhere it costs 1. Greedy training takes it where it is due and nowhere else, whatever the model predicts, and explores the
//! other moves' mistakes.
//!
//! **The other moves are dynamic.** A node x of σ *will be swapped back* if a word behind it in the sentence is still in β and comes
//! before it in the projective order, and so will b if one behind it in β does. An arc between a node of the stack and one of the
//! buffer is in reach, and so is an arc within the buffer. One between two nodes of the stack is in reach if the lower one is the head
//! and the other stands right on it, or if the upper one will be swapped back. The paper keeps sets of dependents in reach beside the
//! configuration instead; as long as every SWAP is the oracle's they hold the same words.
//!
//! **Guarantees**, for gold trees with as many roots as the system allows, found by exhaustion with up to five words:
//!
//! - Moves of cost 0 alone always derive the gold tree, and one of them is always permitted on their way.
//! - If SWAP is taken where it is due and nowhere else, costs are exact, whatever the other moves are and whether the gold tree is
//!   projective or not: they add up to the wrong heads of the best tree that can be reached in this way.
//! - They are no losses of the whole system, in which other SWAPs can bring back what counts as lost here; after a SWAP in the wrong
//!   place they are a guess.
//!
//! **Parts of trees**: arcs count by their weights, and SWAP is due by the tree that completes those that count. So moves of cost 0 keep
//! these arcs, and sort the words into no other order than that tree's.
//!
//! The static oracle takes the move of cost 0 that is SWAP, LEFT or RIGHT if there is one, else SHIFT.
//!
//! Complexity: a transition is O(1), costs are O(n).
//!
//! **One root**: with [`Roots::Single`] RIGHT makes an arc from the root only as the last transition.

use super::ArcHybrid;
use treebeam::configuration::{Point, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The arc-hybrid system with SWAP.
#[derive(Debug, Clone, Copy)]
pub struct ArcHybridSwap {
    roots: Roots,
}

impl ArcHybridSwap {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        features: "stack",
        derives_all: true,
        projective_only: false,
        buffer_is_suffix: false,
        unexplored: Some(Move::Swap),
        // On Dutch-LassySmall, 1,500 training sentences, width 8: LAS 76.1 on development data, 64.0 with max-violation.
        beam_update: "laso",
        ..SystemInfo::new(
            "arc-hybrid-swap",
            "Arc-hybrid with online reordering (de Lhoneux, Stymne & Nivre 2017): all trees",
            &[Move::Shift, Move::Left, Move::Right, Move::Swap, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcHybridSwap {
        ArcHybridSwap { roots }
    }

    /// Arc-hybrid: the system without SWAP.
    fn without_swap(&self) -> ArcHybrid {
        ArcHybrid::new(self.roots)
    }
}

/// True if SWAP is due: b comes before s0 in the projective order, and behind it in the sentence.
fn swap_is_due<C: Stacks>(gold: &Gold, c: &C) -> bool {
    let orders = gold.orders();
    match (c.stack(0), c.buffer(0)) {
        _ if orders.is_projective() => false,
        (Some(s0), Some(b)) => s0 != ROOT && s0 < b && orders.place(b) < orders.place(s0),
        _ => false,
    }
}

/// True if `node`, in the stack or the front of the buffer, will be swapped with a word that is in the buffer now.
fn goes_back<C: Stacks>(gold: &Gold, c: &C, node: Node) -> bool {
    let orders = gold.orders();
    let precedes = |word: Node| word > node && orders.place(word) < orders.place(node);
    node != ROOT && !orders.is_projective() && c.buffer_nodes().any(precedes)
}

impl System for ArcHybridSwap {
    fn info(&self) -> &'static SystemInfo {
        ArcHybridSwap::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::SoundOnItsWay
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        n_words * (n_words + 1)
    }
}

impl<C: Stacks> Transitions<C> for ArcHybridSwap {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        self.without_swap().initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        self.without_swap().is_terminal(c)
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        let Permitted { moves, from_root } = self.without_swap().permitted(c, point);
        Permitted { moves: moves.with(Move::Swap, moves.has(Move::Left) && c.stack(0) < c.buffer(0)), from_root }
    }

    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        self.without_swap().arc(c, point, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Swap => c.swap_into_buffer(arena),
            _ => self.without_swap().successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcHybridSwap {
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        let (s0, b) = (c.stack(0).filter(|&s0| s0 != ROOT), c.buffer(0));
        let too_early = self.roots == Roots::Single && c.stack_len() == 2 && b.is_some();
        let head = s0.map(|s0| gold.head(s0));
        // All arcs so far are gold ones, so that to count them is enough.
        let is_complete = s0.is_some_and(|s0| c.n_dependents(0) == gold.dependents(s0).len());
        let mv = if swap_is_due(gold, c) {
            Move::Swap
        } else if is_complete && b.is_some() && head == b {
            Move::Left
        } else if is_complete && head == c.stack(1) && !too_early {
            Move::Right
        } else if b.is_some() {
            Move::Shift
        } else {
            Move::Right
        };
        (0, mv)
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        let due = swap_is_due(gold, c);
        for mv in permitted.iter() {
            costs.set(mv, u32::from((mv == Move::Swap) != due));
        }
        if due {
            return costs;
        }
        let (s0, b) = (c.stack(0), c.buffer(0));
        let arcs = MoveSet::default().with(Move::Left, true).with(Move::Right, true);
        if let Some(b) = b.filter(|_| permitted.has(Move::Shift)) {
            let lost = |(node, _): (Node, bool)| match node {
                node if gold.head(node) == b => gold.weight(node),
                node if Some(node) != s0 && node == gold.head(b) => gold.weight(b),
                _ => 0,
            };
            costs.set(Move::Shift, if goes_back(gold, c, b) { 0 } else { c.stack_nodes().map(lost).sum() });
        }
        if let Some(s0) = s0.filter(|_| permitted.iter().any(|mv| arcs.has(mv))) {
            let head = gold.head(s0);
            let goes_back = goes_back(gold, c, s0);
            let (mut head_is_near, mut lost) = (Some(head) == c.stack(1), 0);
            let of_dependent = |node: Node| if gold.head(node) == s0 { gold.weight(node) } else { 0 };
            for node in c.buffer_nodes() {
                lost += of_dependent(node);
                head_is_near |= node == head;
            }
            if goes_back {
                for (node, _) in c.stack_nodes().skip(1) {
                    lost += of_dependent(node);
                    head_is_near |= node == head;
                }
            }
            for (mv, to) in [(Move::Left, b), (Move::Right, c.stack(1))] {
                if permitted.has(mv) {
                    let own = if head_is_near && to != Some(head) { gold.weight(s0) } else { 0 };
                    costs.set(mv, lost + own);
                }
            }
        }
        costs
    }
}
