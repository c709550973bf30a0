//! Non-monotonic arc-eager (Honnibal, Goldberg & Johnson, CoNLL 2013), the root behind the last word.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | SHIFT | b is a word | (σ, b\|β) → (σ\|b, β) | \[g(b) ∈ σ \\ s\] + #{k ∈ σ : g(k) = b} |
//! | RIGHT | σ ≠ \[\], b is a word | adds s → b, (σ\|s, b\|β) → (σ\|s\|b, β) | \[g(b) ∈ σ \\ s\] + #{k ∈ σ : g(k) = b} |
//! | LEFT | σ ≠ \[\] | takes back any arc into s, adds b → s, (σ\|s, b\|β) → (σ, b\|β) | \[g(s) ∈ β behind b\] + #{d ∈ β : g(d) = s} + \[the arc into s is gold\] + \[g(s) = s1, s has no head\] |
//! | REDUCE | s has a head | (σ\|s, β) → (σ, β) | \[g(s) ∈ β\] + #{d ∈ β : g(d) = s} |
//! | RIGHT-REDUCE | s has no head, \|σ\| ≥ 2 | adds s1 → s, (σ\|s1\|s, β) → (σ\|s1, β) | \[g(s) ∈ β\] + #{d ∈ β : g(d) = s} |
//!
//! s is S0, s1 is S1, b is B0; σ includes s and β includes b and the root. Initial: σ = \[\], β = 1..n, root. Terminal:
//! σ = \[\], β = \[root\]. Derives every projective tree, in 2n transitions.
//!
//! A decision to shift or to attach can be mended: LEFT replaces a head that was given too early, RIGHT-REDUCE makes
//! good an arc that was not made. So two arcs that exclude each other in `arc_eager` cost nothing here.
//!
//! **Departures**: the paper's REDUCE does what RIGHT-REDUCE does here if s has no head; its arc bears the label that RIGHT
//! would have had when s was shifted. Here the move has a name and the model chooses its label. The costs above are ours,
//! and exact: as the labels of made arcs matter, a gold arc with a wrong label costs nothing to take back.
//!
//! **Oracles**: static and lazy, those of `arc_eager`; dynamic, by the costs above; and monotonic-first, the default, as the paper recommends: where
//! moves of least cost include some that are free for `arc_eager`, the others count as 1 more. For a parser that
//! may mend everything, nearly every move is free; it learns more from costs that distinguish moves that need no mending.
//!
//! **One root**: with [`Roots::Single`] the root may become the head of the last item on the stack only; all above it
//! is reduced. The bottom of the stack never has a head, so that exactly one word hangs on the root and no configuration
//! gets stuck. A word hangs on the root if it is shifted onto an empty stack and stays, so in costs the root counts as a
//! gold head in the buffer only for words in the buffer and for the bottom of the stack: SHIFT and RIGHT lose the arc into
//! b from the root unless σ = \[\].

use super::eager::{self, StackView};
use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, NO_NODE, Node, ROOT};

/// The non-monotonic arc-eager system.
#[derive(Debug, Clone, Copy)]
pub struct ArcEagerNonmonotonic {
    roots: Roots,
    oracle: OracleKind,
}

impl ArcEagerNonmonotonic {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_training_words: MAX_WORDS,
        oracles: &[OracleKind::Static, OracleKind::Lazy, OracleKind::Dynamic, OracleKind::MonotonicFirst],
        ..SystemInfo::new(
            "arc-eager-nonmonotonic",
            "Non-monotonic arc-eager (Honnibal, Goldberg & Johnson 2013)",
            &[Move::Shift, Move::Reduce, Move::Left, Move::Right, Move::RightReduce],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> ArcEagerNonmonotonic {
        ArcEagerNonmonotonic { roots, oracle: OracleKind::Dynamic }
    }

    /// The system with this one of its oracles.
    #[must_use]
    pub fn with_oracle(self, oracle: OracleKind) -> ArcEagerNonmonotonic {
        ArcEagerNonmonotonic { oracle, ..self }
    }
}

/// `costs` with 1 more for the moves that `arc_eager` would pay for or does not have, if a move of least cost is free there.
fn prefer_monotonic<C: Stacks>(gold: &Gold, c: &C, costs: MoveCosts) -> MoveCosts {
    let permitted = MoveSet::default()
        .with(Move::Shift, true)
        .with(Move::Right, true)
        .with(Move::Left, !c.s0_has_head())
        .with(Move::Reduce, c.s0_has_head());
    let monotonic = eager::costs(gold, c, permitted, Roots::Several, StackView::default());
    let is_free = |mv: Move| monotonic.get(mv) == Some(0);
    let least = costs.least();
    if !Move::ALL.into_iter().any(|mv| costs.get(mv) == least && is_free(mv)) {
        return costs;
    }
    let mut preferred = costs;
    for mv in Move::ALL.into_iter().filter(|&mv| !is_free(mv)) {
        if let Some(cost) = costs.get(mv) {
            preferred.set(mv, cost + 1);
        }
    }
    preferred
}

impl System for ArcEagerNonmonotonic {
    fn info(&self) -> &'static SystemInfo {
        ArcEagerNonmonotonic::INFO
    }

    fn exactness(&self) -> Exactness {
        if self.oracle == OracleKind::MonotonicFirst { Exactness::Approximate } else { Exactness::ExactForProjective }
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        let left = head == ROOT || dependent < head;
        MoveSet::default().with(Move::Left, left).with(Move::Right, !left).with(Move::RightReduce, !left)
    }

    fn prefers_static(&self) -> bool {
        self.oracle == OracleKind::Lazy
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        2 * n_words
    }
}

impl<C: Stacks> Transitions<C> for ArcEagerNonmonotonic {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::BufferEnd)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.stack_len() == 0 && c.buffer_len() == 1
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let (stack_empty, at_root) = (c.stack_len() == 0, c.buffer_len() == 1);
        let (has_s1, s0_has_head) = (c.stack_len() >= 2, c.s0_has_head());
        let moves = MoveSet::default()
            .with(Move::Shift, !at_root)
            .with(Move::Right, !at_root && !stack_empty)
            .with(Move::Left, !(stack_empty || self.roots == Roots::Single && at_root && has_s1))
            .with(Move::Reduce, s0_has_head)
            .with(Move::RightReduce, has_s1 && !s0_has_head);
        Permitted { moves, from_root: MoveSet::default().with(Move::Left, at_root) }
    }

    fn arc(&self, c: &C, _: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::RightReduce => Some((c.stack(1)?, c.stack(0)?)),
            _ => eager::arc(c, mv),
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::RightReduce => c.right_arc_in_stack(action.label, arena),
            _ => eager::successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for ArcEagerNonmonotonic {
    /// That of `arc_eager`: no arc is made that would have to be taken back.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (0, eager::static_move(gold, c, self.oracle))
    }

    fn costs(&self, gold: &Gold, c: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        let mut set = |mv: Move, cost: u32| {
            if permitted.has(mv) {
                costs.set(mv, cost);
            }
        };
        let b = c.buffer(0).expect("the root stays in the buffer");
        let single = self.roots == Roots::Single;
        let mut nodes = c.stack_nodes();
        let Some((s, s_has_head)) = nodes.next() else {
            set(Move::Shift, 0);
            return costs;
        };
        let s1 = nodes.next().map(|(s1, _)| s1);
        if b != ROOT {
            let head = gold.head(b);
            let leftmost =
                gold.dependents(b).first().copied().unwrap_or(NO_NODE).min(if head == ROOT { NO_NODE } else { head });
            let in_stack = c.stack_nodes().map(|(k, _)| k).take_while(|&k| k >= leftmost);
            let lost: u32 = in_stack
                .map(|k| match k {
                    k if gold.head(k) == b => gold.weight(k),
                    k if k == head && k != s => gold.weight(b),
                    _ => 0,
                })
                .sum();
            let push = lost + if single && head == ROOT { gold.weight(b) } else { 0 };
            set(Move::Shift, push);
            set(Move::Right, push);
        }
        let g = gold.head(s);
        let dependents = if b == ROOT { 0 } else { gold.weight_from(s, b) };
        let of_s = |is_lost: bool| if is_lost { gold.weight(s) } else { 0 };
        let root_waits = g == ROOT && !(single && s1.is_some());
        let head_behind = b != ROOT && (root_waits || g != ROOT && g > b);
        let head_is_b = g == b && (b != ROOT || root_waits);
        let mended = match c.s0_label() {
            Some(label) => s1 == Some(g) && gold.has_label(s, label),
            None => s1 == Some(g),
        };
        set(Move::Left, of_s(head_behind) + of_s(mended) + dependents);
        let popped = of_s(head_behind || head_is_b) + dependents;
        set(if s_has_head { Move::Reduce } else { Move::RightReduce }, popped);
        if self.oracle == OracleKind::MonotonicFirst { prefer_monotonic(gold, c, costs) } else { costs }
    }
}
