//! Arc-eager core, shared by its variants: the arcs of SHIFT, REDUCE, LEFT and RIGHT, their effects, two static oracles,
//! and the costs of the monotonic systems.
//!
//! **Static oracles.** Both take LEFT if b → s is a gold arc, and RIGHT if s → b is one. They differ where neither is, and both
//! SHIFT and REDUCE would lead to the gold tree:
//!
//! | oracle | otherwise | whose order |
//! |---|---|---|
//! | `static` | REDUCE if s has a head and no gold dependent from b on, else SHIFT | Goldberg's released code |
//! | `lazy` | REDUCE if some w below s is linked with b by a gold arc, either way, else SHIFT | Nivre; as Goldberg & Nivre (COLING 2012; TACL 2013) print it |
//!
//! Both reduce the rest of the stack when b is the root behind the last word. On *He gave Mary a book* (heads 2 0 2 5 2) the fifth
//! transition of `arc_eager` is REDUCE by `static` and SHIFT by `lazy`. Among the nodes w is the root, where it is at the bottom of
//! the stack. For a tree that is not projective, the canonical derivation is one of least cost; that of `lazy` takes the rule's move
//! wherever it is of least cost.
//!
//! The costs count gold arcs one by one (Goldberg & Nivre, COLING 2012; TACL 2013, section 4.1), with two corrections:
//! the index sets are those of the table in `arc_eager`, and a word that already has a head is no longer waited for. If
//! one word alone may hang on the root, further terms are added (`one_root`).
//!
//! Complexity: the part of the stack down to b's leftmost gold neighbour; with one root, the stack.

use super::one_root::OneRoot;
use treebeam::configuration::Stacks;
use treebeam::system::{Action, Move, MoveCosts, MoveSet, OracleKind, Roots};
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The arc of LEFT or RIGHT, as (head, dependent).
pub(super) fn arc<C: Stacks>(c: &C, mv: Move) -> Option<(Node, Node)> {
    match mv {
        Move::Left => Some((c.buffer(0)?, c.stack(0)?)),
        Move::Right => Some((c.stack(0)?, c.buffer(0)?)),
        _ => None,
    }
}

/// The configuration after SHIFT, REDUCE, LEFT or RIGHT.
#[inline(always)]
pub(super) fn successor<C: Stacks>(c: &C, action: Action, arena: C::Arena) -> C {
    match action.mv {
        Move::Shift => c.shift(arena),
        Move::Reduce => c.reduce(arena),
        Move::Left => c.left_arc_from_buffer(action.label, arena),
        Move::Right => c.right_arc_to_buffer(action.label, arena),
        mv => unreachable!("arc-eager systems have no common effect of {}", mv.name()),
    }
}

/// The move of the static oracle: `lazy`, or else `static`. An empty buffer counts as one that holds the root alone.
pub(super) fn static_move<C: Stacks>(gold: &Gold, c: &C, oracle: OracleKind) -> Move {
    let b = c.buffer(0).unwrap_or(ROOT);
    let Some((s, s_has_head)) = c.stack_nodes().next() else { return Move::Shift };
    let reduces = || match oracle {
        OracleKind::Lazy => is_linked(gold, c, b),
        _ => gold.n_dependents_from(s, b) == 0,
    };
    if !s_has_head && gold.head(s) == b {
        Move::Left
    } else if b != ROOT && gold.head(b) == s {
        Move::Right
    } else if s_has_head && (b == ROOT || reduces()) {
        Move::Reduce
    } else {
        Move::Shift
    }
}

/// True if a gold arc that can still be made joins b, which is a word, with a node on the stack.
fn is_linked<C: Stacks>(gold: &Gold, c: &C, b: Node) -> bool {
    let (head_in_stack, n_dependents) = arcs_with_stack(gold, c.stack_nodes(), b, |_| 1);
    let root_in_stack = || c.stack(c.stack_len() - 1) == Some(ROOT);
    head_in_stack || n_dependents > 0 || gold.head(b) == ROOT && root_in_stack()
}

/// View of the stack that monotonic costs are computed for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StackView {
    /// The number of items, all of which have heads, that are taken as popped.
    pub depth: usize,
    /// The word that was attached to the root, if that is a move of the system and one word alone may be.
    pub taken: Option<Node>,
}

/// The costs of SHIFT, REDUCE, LEFT and RIGHT in a system where a word that has a head keeps it. An empty buffer counts as one
/// that holds the root alone.
pub(super) fn costs<C: Stacks>(gold: &Gold, c: &C, permitted: MoveSet, roots: Roots, view: StackView) -> MoveCosts {
    let mut costs = MoveCosts::default();
    let b = c.buffer(0).unwrap_or(ROOT);
    let stack = || c.stack_nodes().skip(view.depth);
    let s = stack().next().map_or(NO_NODE, |(s, _)| s);
    if permitted.has(Move::Shift) || permitted.has(Move::Right) {
        let (head_in_stack, lost) = arcs_with_stack(gold, stack(), b, |k| gold.weight(k));
        let of_b = |is_lost: bool| if is_lost { gold.weight(b) } else { 0 };
        if permitted.has(Move::Shift) {
            costs.set(Move::Shift, of_b(head_in_stack) + lost);
        }
        if permitted.has(Move::Right) {
            let g = gold.head(b);
            // A gold head is given up for s: one in the buffer, the root, or one on the stack.
            let given_up = g != s && (g > b || g == ROOT || head_in_stack);
            costs.set(Move::Right, of_b(given_up) + lost);
        }
    }
    if permitted.has(Move::Left) || permitted.has(Move::Reduce) {
        let dependents = if b == ROOT { 0 } else { gold.weight_from(s, b) };
        if permitted.has(Move::Left) {
            let g = gold.head(s);
            let given_up = b != ROOT && (g == ROOT || g > b);
            costs.set(Move::Left, if given_up { gold.weight(s) } else { 0 } + dependents);
        }
        if permitted.has(Move::Reduce) {
            costs.set(Move::Reduce, dependents);
        }
    }
    if roots == Roots::Single && b != ROOT {
        let one_root = OneRoot::of(gold, stack(), c.n_headless(), b, view.taken);
        for mv in permitted.iter() {
            if let Some(cost) = costs.get(mv) {
                costs.set(mv, one_root.cost(mv, cost));
            }
        }
    }
    costs
}

/// Gold arcs between b and the stack: true if b's gold head is a word on the stack, and what the words without a head on the
/// stack that are gold dependents of b count together.
fn arcs_with_stack(
    gold: &Gold,
    stack: impl Iterator<Item = (Node, bool)>,
    b: Node,
    weight: impl Fn(Node) -> u32,
) -> (bool, u32) {
    let head = gold.head(b);
    let leftmost =
        gold.dependents(b).first().copied().unwrap_or(NO_NODE).min(if head == ROOT { NO_NODE } else { head });
    let (mut head_in_stack, mut lost) = (false, 0);
    for (k, has_head) in stack.take_while(|&(k, _)| k >= leftmost) {
        head_in_stack |= k == head;
        lost += if !has_head && gold.head(k) == b { weight(k) } else { 0 };
    }
    (head_in_stack, lost)
}
