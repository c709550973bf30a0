//! Bounds of the loss of non-monotonic Covington configurations (Fernández-González & Gómez-Rodríguez, ACL 2017,
//! section 4).
//!
//! U is the set of gold arcs that have not been made and whose pair has been passed by, I that of those that can still be
//! made. Then
//!
//! lower = |U| ≤ loss ≤ pc-upper = |U| + n_pc ≤ upper = |U| + n_c
//!
//! where n_c is the number of elementary cycles of A ∪ I, and n_pc that of those that are problematic: let x → y be the
//! arc of the cycle that will be made last, of those not in A; making it removes the arc into x, and the cycle is
//! problematic if that is a gold arc.
//!
//! The chain holds in every configuration (verified by exhaustion on up to four words) if the root is a node of λ1, and
//! the loss counts words without a head as wrong. It takes for granted that no tree has to be completed.
//!
//! **Departure**: after [`MAX_CYCLES`] cycles counting stops. A loss is at most n, so an upper bound that is higher says
//! nothing more.

use super::cycles::Cycles;
use super::list_state::ListState;
use treebeam::system::{Bounds, OracleKind};
use treebeam::tree::{Gold, NO_NODE, Node};

/// Least number of cycles to examine; no fewer than there are words.
const MAX_CYCLES: usize = 1000;

/// The bounds of the loss of `state`.
pub(super) fn bounds_of(gold: &Gold, state: &ListState, cycles: &mut Cycles) -> Bounds {
    let (lower, now) = (lower_bound(gold, state), &state.heads[..]);
    let mut n_problematic = 0;
    let n_cycles =
        count_cycles(gold, state, cycles, |cycle| n_problematic += u32::from(is_problematic(gold, now, cycle)));
    Bounds { lower, pc_upper: lower + n_problematic, upper: lower + n_cycles }
}

/// The bound of the loss of `state` that the oracle `kind` goes by, and no other: the lower one asks for no cycles, and the upper
/// one not which are problematic.
pub(super) fn bound_of(kind: OracleKind, gold: &Gold, state: &ListState, cycles: &mut Cycles) -> u32 {
    match kind {
        OracleKind::Lower => lower_bound(gold, state),
        OracleKind::PcUpper => bounds_of(gold, state, cycles).pc_upper,
        _ => lower_bound(gold, state) + count_cycles(gold, state, cycles, |_| ()),
    }
}

/// |U|.
fn lower_bound(gold: &Gold, state: &ListState) -> u32 {
    let is_lost = |d: Node| {
        let x = gold.head(d);
        x != state.heads[d as usize] && !state.will_meet(x, d)
    };
    (1..=state.last()).filter(|&d| is_lost(d)).map(|d| gold.weight(d)).sum()
}

/// The number of elementary cycles of A ∪ I, each of which is shown to `visit`.
fn count_cycles(gold: &Gold, state: &ListState, cycles: &mut Cycles, mut visit: impl FnMut(&[Node])) -> u32 {
    let now = &state.heads[..];
    cycles.wrong.clear();
    let counts = |d: Node| gold.weight(d) > 0;
    let is_wrong = |&d: &Node| now[d as usize] != NO_NODE && (now[d as usize] != gold.head(d) || !counts(d));
    cycles.wrong.extend((1..=state.last()).filter(is_wrong));
    // A made, and a gold arc that can still be made.
    let heads = |d: Node| {
        let (x, head) = (gold.head(d), now[d as usize]);
        [head, if x != head && counts(d) && state.will_meet(x, d) { x } else { NO_NODE }]
    };
    // Gold arcs alone make no cycle: each goes through a wrong one.
    let mut n_cycles = 0;
    if cycles.any_through_wrong(now.len(), heads) {
        cycles.heads.clear();
        cycles.heads.push([NO_NODE; 2]);
        cycles.heads.extend((1..=state.last()).map(heads));
        let most = MAX_CYCLES.max(now.len()) as u32;
        cycles.visit(|cycle| {
            n_cycles += 1;
            visit(cycle);
            n_cycles < most
        });
    }
    n_cycles
}

/// True if the arc into the head of the cycle's last new arc is gold. The cycle lists dependents before heads.
fn is_problematic(gold: &Gold, now: &[Node], cycle: &[Node]) -> bool {
    let head_of = |place: usize| cycle[(place + 1) % cycle.len()];
    let new_arcs = (0..cycle.len()).filter(|&place| now[cycle[place] as usize] != head_of(place));
    // Pairs are met by their right words, and for each right word from right to left.
    let last = new_arcs.max_by_key(|&place| {
        let (d, x) = (cycle[place], head_of(place));
        (d.max(x), std::cmp::Reverse(d.min(x)))
    });
    last.is_some_and(|place| gold.head(head_of(place)) == head_of(place + 1) && gold.weight(head_of(place)) > 0)
}
