//! Arc-eager that repairs its mistakes (Honnibal & Johnson, EMNLP 2015, "An Improved Non-monotonic Transition System for
//! Dependency Parsing"), as spaCy's parser has it; without a root.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | σ = \[\], or b is not bound and \|β\| ≥ 2 | (σ, b\|β) → (σ\|b, β) | push |
//! | RIGHT | σ ≠ \[\], β ≠ \[\] | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | push - 1 if g(b) = s, else push + \[g(b) ∈ β behind b, b is not bound\] + \[g(b) = root\] |
//! | LEFT | σ ≠ \[\], β ≠ \[\] | takes back any arc into s, adds b → s, frees b, (σ\|s, b\|β) → (σ, b\|β) | pop - \[g(s) = b\] + (\[g(s) = s1\] if s has a head, else back + \[g(s) = root\]) |
//! | REDUCE | s has a head, or \|σ\| = 1 and β = \[\] | (σ\|s, β) → (σ, β) | pop |
//! | REDUCE | s has no head, \|σ\| ≥ 2 | (σ\|s, β) → (σ, s\|β), s bound | pop - back |
//!
//! s is S0, s1 is S1, b is B0; σ includes s and β includes b; push = \[g(b) ∈ σ\] + #{k ∈ σ : g(k) = b}, pop = \[g(s) ∈ β\] +
//! #{d ∈ β : g(d) = s}, back = \[g(s) ∈ σ\] + #{k ∈ σ : g(k) = s}. Initial: σ = \[\], β = 1..n. Terminal: σ = \[\], β = \[\];
//! words that have no head then hang on the root. Derives every projective tree.
//!
//! A word without a head that is in the way goes back to the buffer, where it must get one, by RIGHT, or take the
//! stack's top as a dependent, by LEFT, before it can be shifted again. A derivation has 6n transitions at most: a word is
//! bound once for its first push and once for each LEFT that frees it, of which there are no more than n; every time it is
//! bound costs that move and another push; and each word is pushed for the first time and popped for good once.
//!
//! **Costs**: those of spaCy, and the loss of arcs from the root, which spaCy leaves to other moves. They are approximate.
//! The sums above can fall below 0, and then all are raised until the least is 0.
//!
//! **Arcs that are to be kept**: as long as one of them waits, nothing goes back, and the moves are those of `arc_eager` but for LEFT, which
//! may take back an arc that does not matter. So there is always a move that loses none of them.
//!
//! **One root**: the last word of the buffer is shifted only onto an empty stack, and with β = \[\] a word without a head
//! goes back unless it is alone. So one word is left without a head, and no configuration gets stuck, as RIGHT is always
//! possible. With [`Roots::Several`], which the paper does not have, the last word may be shifted if it is not bound, and
//! with β = \[\] REDUCE pops.

use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The arc-eager system that repairs.
#[derive(Debug, Clone, Copy)]
pub struct ArcEagerRepair {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEagerRepair {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        // Words that came back may have arcs.
        buffer_is_suffix: false,
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic],
        ..SystemInfo::new(
            "arc-eager-repair",
            "Arc-eager that moves words back to repair mistakes (Honnibal & Johnson 2015)",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right, Move::Idle],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEagerRepair {
        ArcEagerRepair { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEagerRepair {
        ArcEagerRepair { oracle, ..self }
    }

    /// True if REDUCE moves S0 back to the buffer.
    #[inline]
    fn goes_back<C: Stacks>(&self, c: &C) -> bool {
        let left_over = c.buffer_len() == 0 && self.roots == Roots::Several;
        c.stack_len() >= 2 && !c.s0_has_head() && !left_over
    }
}

impl System for ArcEagerRepair {
    fn info(&self) -> &'static SystemInfo {
        ArcEagerRepair::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Approximate
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        MoveSet::default()
            .with(Move::Left, head != ROOT && dependent < head)
            .with(Move::Right, head != ROOT && head < dependent)
    }

    fn prefers_static(&self) -> bool {
        self.oracle == OracleKind::Lazy
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        6 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcEagerRepair {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::Nowhere)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() == 0 && c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (stack_empty, buffer_len) = (c.stack_len() == 0, c.buffer_len());
        let shiftable = !c.b0_is_bound() && (buffer_len >= 2 || self.roots == Roots::Several);
        let moves = MoveSet::default()
            .with(Move::Shift, buffer_len > 0 && (stack_empty || shiftable))
            .with(Move::Right, !stack_empty && buffer_len > 0)
            .with(Move::Left, !stack_empty && buffer_len > 0)
            .with(Move::Reduce, c.stack_len() >= 2 || !stack_empty && buffer_len == 0);
        Permitted { moves, from_root: MoveSet::default() }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        eager::arc(c, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Reduce if self.goes_back(c) => c.unshift(arena),
            Move::Left => c.left_arc_from_buffer(action.label, arena).free_b0(arena),
            _ => eager::successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcEagerRepair {
    /// That of `arc_eager`: no word goes back.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        match c.buffer_len() {
            0 => (0, Move::Reduce),
            _ => (0, eager::static_move(gold, c, self.oracle)),
        }
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let Some((s, s_has_head)) = c.stack_nodes().next() else {
            let mut costs = MoveCosts::default();
            costs.set(Move::Shift, 0);
            return costs;
        };
        let weight = |node: Node| gold.weight(node) as i32;
        let of = |word: Node, holds: bool| if holds { weight(word) } else { 0 };
        let in_buffer = |node: Node| node != ROOT && buffer_has(c, gold.n_words(), node);
        let in_stack = |node: Node| c.stack_nodes().any(|(k, _)| k == node);
        let arcs_with_stack = |word: Node| {
            let dependents = c.stack_nodes().filter(|&(k, _)| gold.head(k) == word).map(|(k, _)| weight(k));
            of(word, in_stack(gold.head(word))) + dependents.sum::<i32>()
        };
        let g = gold.head(s);
        let dependents: i32 = gold.dependents(s).iter().filter(|&&d| in_buffer(d)).map(|&d| weight(d)).sum();
        let pop = of(s, in_buffer(g)) + dependents;
        let back = if s_has_head { 0 } else { arcs_with_stack(s) };
        let mut costs = [None; Move::COUNT];
        costs[Move::Reduce as usize] = Some(if self.goes_back(c) { pop - back } else { pop });
        if let Some(b) = c.buffer(0) {
            let push = arcs_with_stack(b);
            let behind = gold.head(b) > b && in_buffer(gold.head(b)) && !c.b0_is_bound();
            costs[Move::Shift as usize] = Some(push);
            let given_up = of(b, behind || gold.head(b) == ROOT);
            costs[Move::Right as usize] = Some(push + if gold.head(b) == s { -weight(b) } else { given_up });
            let kept = if s_has_head { of(s, c.stack(1) == Some(g)) } else { back + of(s, g == ROOT) };
            costs[Move::Left as usize] = Some(pop - of(s, g == b) + kept);
        }
        raised(costs, permitted)
    }

    /// As long as arcs wait, those of `arc_eager` for the moves that it has too, and so that the last word finds one word alone without a
    /// head. LEFT may take back an arc that does not count; nothing goes back.
    fn keeping_costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        let waits = |word: Node| gold.weight(word) > 0;
        let none_waits =
            !c.stack_nodes().any(|(word, has_head)| !has_head && waits(word)) && !c.buffer_nodes().any(waits);
        let b = c.buffer(0);
        let (s, s_has_head) = c.stack_nodes().next().unwrap_or((NO_NODE, false));
        let taken_back = if s_has_head && c.stack(1) == Some(gold.head(s)) { gold.weight(s) } else { 0 };
        if none_waits {
            permitted.iter().for_each(|mv| costs.set(mv, if mv == Move::Left { taken_back } else { 0 }));
            return costs;
        }
        let eager = eager::costs(gold, c, permitted, self.roots, StackView::default());
        for (mv, cost) in permitted.iter().filter_map(|mv| Some((mv, eager.get(mv)?))) {
            let crowds = self.roots == Roots::Single && c.buffer_len() == 1 && c.n_headless() > 1;
            let more = match mv {
                Move::Right => u32::from(crowds),
                Move::Left if s_has_head => {
                    let dependents = b.map_or(0, |b| gold.weight_from(s, b));
                    costs.set(mv, taken_back + dependents);
                    continue;
                }
                Move::Reduce => u32::from(self.goes_back(c)),
                _ => 0,
            };
            costs.set(mv, cost + more);
        }
        costs
    }
}

/// The costs of the permitted moves, raised until none is below 0.
fn raised(costs: [Option<i32>; Move::COUNT], permitted: MoveSet) -> MoveCosts {
    let of_permitted = || permitted.iter().filter_map(|mv| Some((mv, costs[mv as usize]?)));
    let below = of_permitted().map(|(_, cost)| cost).min().map_or(0, |least| least.min(0));
    let mut raised = MoveCosts::default();
    for (mv, cost) in of_permitted() {
        raised.set(mv, (cost - below) as u32);
    }
    raised
}

/// True if `word` is in the buffer, whose words are in order: first those that came back, then all that were never
/// shifted.
///
/// Complexity: the number of words that came back.
fn buffer_has<C: Stacks>(c: &C, n_words: usize, word: Node) -> bool {
    for index in 0..c.buffer_len() {
        let here = c.buffer(index).expect("the buffer is that long");
        if here >= word {
            return here == word;
        }
        if here as usize + c.buffer_len() - index == n_words + 1 {
            return true;
        }
    }
    false
}
