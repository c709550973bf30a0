//! Every oracle against exhaustive search. The numbers of configurations, of derivations and of transitions were also
//! counted by a program written apart.

use super::*;
use treebeam::system::exhaustive::{Findings, Scope, Shape, check, check_named, check_weighted};

fn findings(kind: SystemKind, scope: Scope) -> Findings {
    check_named(kind, scope)
}

fn projective(n_words: usize, roots: Roots) -> Scope {
    Scope { n_words, roots, shape: Shape::Projective, n_labels: 1 }
}

/// No mismatch, no configuration without a way out, every gold tree rebuilt.
#[track_caller]
fn assert_exact(kind: SystemKind, scope: Scope, findings: &Findings) {
    assert_eq!(findings.counterexample, None, "{kind} {scope:?}");
    assert_eq!((findings.mismatches, findings.zero_set_errors, findings.stuck), (0, 0, 0), "{kind} {scope:?}");
    assert_eq!((findings.without_zero, findings.suboptimal), (0, 0), "{kind} {scope:?}");
    assert_eq!(findings.rebuilt, findings.trees, "{kind} {scope:?}");
    assert!(findings.transitions > 0 || scope.n_words == 1);
}

#[test]
fn costs_are_exact_with_several_roots() {
    let trees = [1, 3, 12, 55, 273, 1428];
    let expected = [
        (super::ARC_STANDARD, [3, 10, 40, 183, 911, 4787], [2, 27, 480, 10_505, 265_083, 7_378_476]),
        (super::ARC_EAGER, [3, 11, 49, 245, 1307, 7255], [2, 30, 588, 13_970, 376_740, 11_068_428]),
        (super::ARC_EAGER_NONMONOTONIC, [3, 11, 49, 245, 1307, 7255], [2, 36, 780, 19_580, 545_454, 16_366_308]),
        (super::ARC_EAGER_START, [3, 13, 62, 318, 1715, 9575], [2, 36, 744, 17_930, 484_848, 14_237_160]),
        (super::ARC_EAGER_ZPAR, [3, 11, 48, 233, 1206, 6510], [2, 30, 564, 12_760, 328_965, 9_294_852]),
        (super::ARC_HYBRID, [3, 11, 46, 214, 1072, 5648], [2, 30, 552, 12_155, 306_033, 8_485_176]),
        (super::EASY_FIRST, [2, 7, 30, 143, 728, 3876], [1, 18, 384, 9_460, 257_985, 7_574_112]),
    ];
    for (kind, configurations, transitions) in expected {
        for n_words in 1..=6 {
            let scope = projective(n_words, Roots::Several);
            let found = findings(kind, scope);
            assert_exact(kind, scope, &found);
            let counts = (found.trees, found.configurations, found.transitions);
            assert_eq!(counts, (trees[n_words - 1], configurations[n_words - 1], transitions[n_words - 1]), "{kind}");
            // Arc-eager with the root at the bottom of the stack ends with whatever is left on the stack.
            if kind != super::ARC_EAGER_START {
                assert_eq!(
                    found.pairs,
                    found.trees * (found.configurations - found.trees),
                    "one terminal one per tree"
                );
            }
        }
    }
}

#[test]
fn costs_are_exact_with_one_root() {
    let trees = [1, 2, 7, 30, 143, 728];
    for kind in exact_for_projective(Roots::Single) {
        for n_words in 1..=6 {
            let scope = projective(n_words, Roots::Single);
            let found = findings(kind, scope);
            assert_exact(kind, scope, &found);
            assert_eq!(found.trees, trees[n_words - 1]);
        }
    }
}

/// No tag costs what a later one does: what is lost is the tag itself.
#[test]
fn tags_cost_what_labels_do() {
    for n_words in 1..=4 {
        let scope = Scope { n_labels: 2, ..projective(n_words, Roots::Several) };
        let found = findings(super::TAGGER, scope);
        assert_eq!((found.mismatches, found.zero_set_errors, found.stuck), (0, 0, 0), "{scope:?}");
        // Trees in which all words hang on the root are tagged sentences.
        assert_eq!((found.derivable, found.rebuilt), (1 << n_words, 1 << n_words), "{scope:?}");
    }
}

/// Tags beside a tree cost what labels do, and leave the costs of its arcs what they are.
#[test]
fn joint_costs_are_those_of_the_parser_and_of_tags() {
    let mut n_systems = 0;
    for &parser in SystemKind::all() {
        let Some(joint) = parser.joint() else { continue };
        assert_eq!((joint.joint(), SystemKind::named(joint.name())), (Some(joint), Some(joint)));
        n_systems += 1;
        for &roots in parser.roots() {
            let scope = Scope { n_labels: 2, ..projective(2, roots) };
            let [with, without] = [joint, parser].map(|kind| findings(kind, scope));
            let errors = |found: &Findings| [found.mismatches, found.zero_set_errors, found.suboptimal].map(|n| n > 0);
            assert_eq!((errors(&with), with.stuck), (errors(&without), without.stuck), "{joint} {roots:?}");
            assert_eq!((with.trees, with.rebuilt), (4 * without.trees, 4 * without.rebuilt), "{joint} {roots:?}");
        }
    }
    // All over a stack and a buffer, but for the one whose first word is never in the buffer.
    assert_eq!(n_systems, 11);
    for roots in [Roots::Single, Roots::Several] {
        for parser in [super::ARC_STANDARD, super::ARC_EAGER, super::ARC_HYBRID] {
            let scope = Scope { n_labels: 2, ..projective(3, roots) };
            let joint = parser.joint().expect("it is over a stack and a buffer");
            assert_exact(joint, scope, &findings(joint, scope));
        }
    }
}

/// With two labels the cost of an action is its unlabelled cost, and 1 more for a gold arc with the wrong label.
#[test]
fn labelled_costs_are_exact() {
    for roots in [Roots::Several, Roots::Single] {
        for kind in exact_for_projective(roots) {
            let scope = Scope { n_labels: 2, ..projective(3, roots) };
            let found = findings(kind, scope);
            assert_exact(kind, scope, &found);
            if (kind, roots) == (super::ARC_EAGER, Roots::Several) {
                assert_eq!(found.transitions, 20_256);
            }
        }
    }
    let scope = Scope { n_labels: 2, ..projective(4, Roots::Several) };
    let found = findings(super::ARC_HYBRID, scope);
    assert_exact(super::ARC_HYBRID, scope, &found);
    assert_eq!(found.transitions, 1_635_040);
}

/// Arcs that count by their labels, one of them nothing.
#[test]
fn weighted_costs_are_exact() {
    let mut n_systems = 0;
    for &kind in SystemKind::all() {
        for &roots in kind.roots() {
            for weights in [[1, 3], [0, 2]] {
                let scope = Scope { n_labels: 2, ..projective(if kind == super::EASY_FIRST { 3 } else { 4 }, roots) };
                with_system!(kind, roots, |system| if system.weighs_arcs() {
                    let found = check_weighted(&system, scope, &weights);
                    assert_exact(kind, scope, &found);
                    n_systems += 1;
                });
            }
        }
    }
    assert_eq!(n_systems, 2 * 7, "three arc-eager systems with several roots, two others with one root, too");
}

/// Spurious ambiguity: the number of derivations of a tree, and of configurations that stand side by side on the way.
#[test]
fn derivations_of_a_tree() {
    for kind in [super::ARC_STANDARD, super::ARC_EAGER, super::ARC_HYBRID] {
        let found = findings(kind, projective(6, Roots::Several));
        assert_eq!((found.derivations, found.max_derivations, found.max_abreast), (2307, 10, 5), "{kind}");
    }
}

/// Approximate costs: no configuration is stuck, all trees are derived, and a move of least cost is rarely not the best.
#[test]
fn approximate_costs_rarely_mislead() {
    for (kind, roots, configurations, pairs, misled) in [
        (super::ARC_EAGER_UNSHIFT, Roots::Single, 405, 11_250, 122),
        (super::ARC_EAGER_UNSHIFT, Roots::Several, 600, 29_975, 355),
        (super::ARC_EAGER_REPAIR, Roots::Single, 180, 4_500, 0),
        (super::ARC_EAGER_REPAIR, Roots::Several, 257, 11_110, 76),
    ] {
        let found = findings(kind, projective(4, roots));
        assert_eq!((found.configurations, found.pairs), (configurations, pairs), "{kind} {roots:?}");
        assert_eq!((found.stuck, found.suboptimal), (0, misled), "{kind} {roots:?}");
        assert_eq!(found.rebuilt, found.trees, "{kind} {roots:?}");
    }
}

/// Preferring monotonic moves leaves a move of least loss among those of least cost, and no other.
#[test]
fn monotonic_moves_are_as_good() {
    for roots in [Roots::Single, Roots::Several] {
        let found = with_system!(ARC_EAGER_NONMONOTONIC, roots, OracleKind::MonotonicFirst, |system| {
            check(&system, projective(5, roots))
        });
        assert_eq!((found.suboptimal, found.without_zero), (0, 0));
        assert!(found.mismatches > 0);
    }
}

/// With the root at the bottom of the stack a word can be attached to it or be left over, which multiplies derivations.
#[test]
fn derivations_with_the_root_on_the_stack() {
    let found = findings(super::ARC_EAGER_START, projective(6, Roots::Several));
    assert_eq!((found.derivations, found.max_derivations, found.max_abreast), (8448, 40, 14));
}

/// Non-projective gold trees: arc-by-arc costs are too high, never too low, and may leave no free move; even so a move
/// of least cost is almost always of least loss.
#[test]
fn nonprojective_gold_trees_are_approximated() {
    let of =
        |kind, n_words| findings(kind, Scope { shape: Shape::NonProjective, ..projective(n_words, Roots::Several) });
    for (n_words, trees, pairs, without_zero, suboptimal) in
        [(4, 70, 13_300, 284, 42), (5, 1023, 1_057_782, 14_830, 2_079)]
    {
        let found = of(super::ARC_EAGER, n_words);
        assert_eq!((found.trees, found.pairs), (trees, pairs));
        assert_eq!((found.without_zero, found.suboptimal), (without_zero, suboptimal));
        assert_eq!((found.overestimates, found.rebuilt), (found.mismatches, 0));
    }
    let found = of(super::ARC_HYBRID, 5);
    assert_eq!((found.transitions, found.mismatches, found.overestimates), (1_146_783, 28_180, 28_180));
}

/// Nederhof (2019): arc-standard's costs are exact for non-projective gold trees as well, none of which it derives.
#[test]
fn arc_standard_is_exact_for_all_trees() {
    for (roots, trees, transitions) in [(Roots::Several, 1023, 993_333), (Roots::Single, 482, 258_834)] {
        for n_words in 1..=5 {
            let scope = Scope { shape: Shape::NonProjective, ..projective(n_words, roots) };
            let found = findings(super::ARC_STANDARD, scope);
            assert_eq!(found.counterexample, None, "{scope:?}");
            assert_eq!((found.mismatches, found.zero_set_errors, found.stuck), (0, 0, 0), "{scope:?}");
            assert_eq!((found.without_zero, found.suboptimal, found.derivable), (0, 0, 0), "{scope:?}");
            if n_words == 5 {
                assert_eq!((found.trees, found.transitions), (trees, transitions), "{scope:?}");
            }
        }
    }
}

/// Chang et al. (2015): the configurations of arc-hybrid without a root node.
#[test]
fn configurations_without_a_root() {
    for (n_words, configurations, transitions) in [(1, 1, 0), (2, 5, 8), (3, 21, 140), (4, 94, 2820), (5, 455, 66_209)]
    {
        let found = findings(super::ARC_HYBRID_ROOTLESS, projective(n_words, Roots::Single));
        assert_eq!((found.configurations, found.transitions), (configurations, transitions), "{n_words} words");
    }
}

/// Attardi's system: the static oracle derives whatever can be derived, which is all projective trees and most others of
/// a few words, and costs are exact where the tree can still be derived.
#[test]
fn attardi_knows_what_it_derives() {
    for (roots, of_non_projective) in [(Roots::Single, [0, 0, 2, 29, 332]), (Roots::Several, [0, 0, 4, 62, 738])] {
        for n_words in 1..=5 {
            for shape in [Shape::Projective, Shape::NonProjective] {
                let found = findings(super::ATTARDI, Scope { shape, ..projective(n_words, roots) });
                assert_eq!((found.stuck, found.reachable_zero_set_errors), (0, 0), "{roots:?}, {n_words} words");
                assert_eq!(found.rebuilt, found.derivable, "{roots:?}, {n_words} words");
                match shape {
                    Shape::Projective => assert_eq!(found.derivable, found.trees),
                    Shape::NonProjective => {
                        assert_eq!(found.derivable, of_non_projective[n_words - 1], "{roots:?}, {n_words} words")
                    }
                }
                // Elsewhere costs are approximations, and good ones.
                assert!(found.mismatches * 500 <= found.transitions, "{found:?}");
            }
        }
    }
}

/// The 2-planar system: costs are exact where the tree can still be derived, and every tree of a few words
/// can be derived, as it takes six words for three arcs that cross one another. With four words 39 of 444,290 and 95 of
/// 565,460 pairs mislead.
#[test]
fn two_planar_knows_what_it_derives() {
    for (n_words, configurations) in [(1, 2), (2, 30), (3, 578)] {
        for shape in [Shape::Projective, Shape::NonProjective] {
            let found = findings(super::TWO_PLANAR, Scope { shape, ..projective(n_words, Roots::Several) });
            assert_eq!((found.stuck, found.reachable_zero_set_errors), (0, 0), "{n_words} words: {found:?}");
            assert_eq!((found.rebuilt, found.derivable), (found.trees, found.trees), "{n_words} words");
            assert_eq!((found.configurations, found.without_zero, found.suboptimal), (configurations, 0, 0));
        }
    }
}
