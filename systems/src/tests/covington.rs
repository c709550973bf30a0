//! The Covington family against exhaustive search, for all trees.

use std::collections::BTreeSet;

use super::*;
use treebeam::configuration::{Lists as _, PlainLists, PlainView as _};
use treebeam::system::exhaustive::{
    BoundFindings, Findings, Scope, Shape, Space, check_bounds, check_named, gold_trees,
};

fn findings(kind: SystemKind, n_words: usize, roots: Roots, shape: Shape) -> Findings {
    let scope = Scope { n_words, roots, shape, n_labels: 1 };
    check_named(kind, scope)
}

fn all_golds(n_words: usize, roots: Roots) -> Vec<Gold> {
    [Shape::Projective, Shape::NonProjective].map(|shape| gold_trees(n_words, roots, shape, 1)).concat()
}

/// The numbers of configurations of the monotonic system with several roots were also counted by a program written apart.
#[test]
fn costs_are_exact_for_all_trees() {
    let trees =
        [(Roots::Several, [(1, 0), (3, 0), (12, 4), (55, 70)]), (Roots::Single, [(1, 0), (2, 0), (7, 2), (30, 34)])];
    let expected = [
        (super::COVINGTON, [[5, 26, 180, 1687], [3, 11, 60, 462]]),
        (super::COVINGTON_NONLOCAL, [[4, 18, 110, 924], [3, 9, 40, 263]]),
    ];
    for (kind, configurations) in expected {
        for ((roots, trees), configurations) in trees.into_iter().zip(configurations) {
            for (n_words, ((projective, others), configurations)) in (1..).zip(trees.into_iter().zip(configurations)) {
                for (shape, n_trees) in [(Shape::Projective, projective), (Shape::NonProjective, others)] {
                    let found = findings(kind, n_words, roots, shape);
                    assert_eq!(found.counterexample, None, "{kind}, {n_words}, {roots:?}");
                    assert_eq!((found.mismatches, found.zero_set_errors, found.stuck), (0, 0, 0));
                    assert_eq!((found.without_zero, found.suboptimal), (0, 0));
                    assert_eq!((found.trees, found.rebuilt), (n_trees, n_trees));
                    assert_eq!(found.configurations, configurations);
                    assert!(found.transitions > 0 || n_trees == 0);
                }
            }
        }
    }
}

#[test]
fn labelled_costs_are_exact_for_all_trees() {
    for kind in [super::COVINGTON, super::COVINGTON_NONLOCAL] {
        for (roots, shape) in [Roots::Single, Roots::Several]
            .into_iter()
            .flat_map(|roots| [Shape::Projective, Shape::NonProjective].map(|shape| (roots, shape)))
        {
            let scope = Scope { n_words: 3, roots, shape, n_labels: 2 };
            let found = check_named(kind, scope);
            assert_eq!((found.counterexample, found.mismatches), (None, 0), "{kind}");
        }
    }
}

/// With one root nothing gets stuck, a tree is all that comes out, and every tree does.
#[test]
fn one_root_is_guaranteed() {
    fn trees(system: impl Transitions<PlainLists>, n_words: usize) -> BTreeSet<Vec<Node>> {
        let space: Space<PlainLists> = Space::of(&system, n_words, 1);
        let terminal = space.numbers().filter(|&c| space.is_terminal(c));
        terminal.map(|c| space.configurations[c].tree().heads().to_vec()).collect()
    }
    for n_words in 1..=4 {
        let golds = all_golds(n_words, Roots::Single);
        let expected: BTreeSet<Vec<Node>> = golds.iter().map(|gold| gold.tree().heads().to_vec()).collect();
        assert_eq!(trees(Covington::new(Roots::Single), n_words), expected);
        assert_eq!(trees(CovingtonNonlocal::new(Roots::Single), n_words), expected);
        assert_eq!(trees(CovingtonNonmonotonic::new(Roots::Single), n_words), expected);
        for roots in [Roots::Single, Roots::Several] {
            for shape in [Shape::Projective, Shape::NonProjective] {
                let found = findings(super::COVINGTON_NONMONOTONIC, n_words, roots, shape);
                assert_eq!((found.stuck, found.rebuilt), (0, found.trees), "{n_words} words, {roots:?}");
            }
        }
    }
}

/// The figures for four words were also computed by a program written apart.
#[test]
fn bounds_enclose_the_loss() {
    for n_words in 1..=4 {
        let found = check_bounds(&CovingtonNonmonotonic::new(Roots::Several), n_words, Roots::Several);
        assert_eq!(found.broken, 0, "{n_words} words");
        if n_words == 4 {
            assert_eq!(found.pairs, 210_875);
            let rounded = |of: f64| (of / found.pairs as f64 * 1e5).round();
            assert_eq!(BoundFindings::KINDS, [OracleKind::Lower, OracleKind::PcUpper, OracleKind::Upper]);
            assert_eq!(found.of.map(|of| rounded(of.distances)), [185.0, 70.0, 737.0]);
        }
    }
}

/// The search for the loss against the backward pass over all configurations.
#[test]
fn the_search_finds_the_loss() {
    let system = CovingtonNonmonotonic::new(Roots::Several);
    for n_words in 1..=4 {
        let space: Space<PlainLists> = Space::of(&system, n_words, 1);
        for gold in all_golds(n_words, Roots::Several) {
            let losses = space.losses(&gold);
            let mut search = system.bounds(&gold, usize::MAX).unwrap();
            for c in space.numbers() {
                assert_eq!(search.loss(&space.configurations[c]), Some(losses[c]), "{:?}", space.configurations[c]);
            }
        }
    }
}

/// Arcs that close a cycle: with 1 → 2 and 2 → 3 made, 3 → 1 takes 3 from 2, since 3 would descend from itself.
#[test]
fn a_new_arc_breaks_the_cycle_that_it_closes() {
    let system = CovingtonNonmonotonic::new(Roots::Several);
    let mut c: PlainLists = system.initial((), 3);
    let label = |mv| Action::labelled(mv, 0);
    let moves = [Move::Shift, Move::Right, Move::Shift, Move::Right, Move::Left];
    for mv in moves {
        assert!(system.permitted(&c, 0).moves.has(mv));
        if mv == Move::Left {
            assert_eq!(system.detached(&c, 0, mv), [Some(3), None]);
        }
        c = system.successor(&c, label(mv), ());
    }
    assert_eq!(c.heads(), [treebeam::tree::NO_NODE, 3, 1, treebeam::tree::NO_NODE]);
    // The monotonic system does not permit the last move.
    let system = Covington::new(Roots::Several);
    let mut c: PlainLists = system.initial((), 3);
    for mv in &moves[..4] {
        c = system.successor(&c, label(*mv), ());
    }
    assert!(!system.permitted(&c, 0).moves.has(Move::Left));
}

/// Gómez-Rodríguez & Fernández-González (2015): gold arcs that can each be made, but not together. With 1 → 2 made against
/// the gold tree 2 → 3 → 1, the arcs 2 → 3 and 3 → 1 would close a cycle.
#[test]
fn a_cycle_costs_one_arc() {
    let gold = gold(&[3, 0, 2]);
    let system = Covington::new(Roots::Several);
    let c: PlainLists = system.initial((), 3);
    let c = system.successor(&c, Action::bare(Move::Shift), ());
    let costs = system.costs(&gold, &c, 0, system.permitted(&c, 0).moves);
    let of = [Move::Shift, Move::Left, Move::Right, Move::NoArc].map(|mv| costs.get(mv));
    assert_eq!(of, [Some(1), Some(1), Some(2), Some(0)]);
}
