//! Trees of which some arcs alone are known: costs that count these, and moves that keep them.

use super::*;
use treebeam::configuration::Point;
use treebeam::system::exhaustive::{Scope, Shape, Space, check_parts, parts};

/// Costs of the systems whose costs are exact are so for every part of a tree as well.
#[test]
fn costs_over_known_arcs_are_exact() {
    for roots in [Roots::Several, Roots::Single] {
        for kind in exact_for_projective(roots) {
            for n_words in 1..=4 {
                let scope = Scope { n_words, roots, shape: Shape::Projective, n_labels: 1 };
                let found = with_system!(kind, roots, |system| check_parts(&system, scope));
                assert_eq!(found.counterexample, None, "{kind} {scope:?}");
                assert_eq!((found.mismatches, found.without_zero, found.stuck), (0, 0, 0), "{kind} {scope:?}");
                assert!(found.transitions > 0 || n_words == 1);
            }
        }
    }
    for kind in [COVINGTON, COVINGTON_NONLOCAL] {
        for &roots in kind.roots() {
            for shape in [Shape::Projective, Shape::NonProjective] {
                let scope = Scope { n_words: 3, roots, shape, n_labels: 1 };
                let found = with_system!(kind, roots, |system| check_parts(&system, scope));
                assert_eq!((found.counterexample, found.without_zero), (None, 0), "{kind} {scope:?}");
            }
        }
    }
}

/// Findings on the moves that keep arcs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Kept {
    /// Parts of gold trees that can be derived.
    parts: u64,
    /// Such parts with the configurations that moves of cost 0 reach.
    pairs: u64,
    /// Of these, those in which no move is of cost 0.
    stuck: u64,
    /// Moves of cost 0 after which the part can no longer be derived.
    losing: u64,
    /// Moves of a higher cost after which it still can.
    forbidden: u64,
    /// Parts that can be derived, and moves of cost 0 do not.
    missed: u64,
}

/// Looks at every part of every gold tree in every configuration that moves of cost 0 reach.
fn kept<S: TransitionSystem>(system: &S, scope: Scope) -> Kept {
    let space: Space<S::Plain> = Space::of(system, scope.n_words, 1);
    let mut found = Kept::default();
    for gold in parts(scope) {
        let losses = space.losses(&gold);
        if losses[0] > 0 {
            continue;
        }
        found.parts += 1;
        let mut reached = vec![false; space.len()];
        reached[0] = true;
        for &c in space.order.iter().filter(|&&c| !space.is_terminal(c)) {
            if !reached[c] {
                continue;
            }
            found.pairs += 1;
            let costs = |(point, permitted): (usize, &Permitted)| {
                system.keeping_costs(&gold, &space.configurations[c], point as Point, permitted.moves)
            };
            let costs: Vec<MoveCosts> = space.permitted[c].iter().enumerate().map(costs).collect();
            let mut any = false;
            for &(action, to) in space.transitions(c) {
                let cost = costs[action.point as usize].get(action.mv).expect("permitted moves have costs");
                any |= cost == 0;
                reached[to] |= cost == 0;
                found.losing += u64::from(cost == 0 && losses[to] > 0);
                found.forbidden += u64::from(cost > 0 && losses[to] == 0);
            }
            found.stuck += u64::from(!any);
        }
        let derivation = Derivation::keeping::<S, S::Plain>(system, &gold, ());
        let lost = |word: Node| gold.weight(word) > 0 && derivation.tree.head(word) != gold.head(word);
        found.missed += u64::from(gold.tree().words().any(lost));
    }
    found
}

/// From the first configuration on there is always a move of cost 0, and none loses an arc that counts. With systems that have moves to mend
/// what others did, or orders of words to choose from, some moves are forbidden that would lose none.
#[test]
fn moves_of_no_cost_keep_known_arcs() {
    for &kind in SystemKind::all() {
        let careful =
            [ARC_EAGER_REPAIR, ARC_EAGER_UNSHIFT, ARC_HYBRID_SWAP, COVINGTON_NONMONOTONIC, SWAP].contains(&kind);
        for &roots in kind.roots() {
            for shape in [Shape::Projective, Shape::NonProjective] {
                let most = if kind.info().projective_only {
                    5
                } else if kind == ATTARDI {
                    4
                } else {
                    3
                };
                let most = if kind == EASY_FIRST || kind == ARC_EAGER_UNSHIFT { 4 } else { most };
                for n_words in 1..=most {
                    let scope = Scope { n_words, roots, shape, n_labels: 1 };
                    let found = with_system!(kind, roots, |system| kept(&system, scope));
                    assert_eq!((found.stuck, found.losing, found.missed), (0, 0, 0), "{kind} {scope:?}: {found:?}");
                    assert!(careful || found.forbidden == 0, "{kind} {scope:?}: {found:?}");
                    // Arc-hybrid's SWAP is permitted where it is due alone.
                    let few = kind == ARC_HYBRID_SWAP || found.forbidden * 2 < found.pairs || found.pairs < 20;
                    assert!(few, "{kind} {scope:?}: {found:?}");
                }
            }
        }
    }
}
