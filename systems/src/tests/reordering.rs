//! The oracles of the systems with SWAP.

use super::*;
use treebeam::configuration::{PlainConfiguration, PlainView as _, Stacks};
use treebeam::system::exhaustive::{Scope, Shape, Space, check, gold_trees, parts};

fn swap(roots: Roots, oracle: OracleKind) -> Swap {
    Swap::new(roots).with_oracle(oracle)
}

fn canonical(system: &Swap, gold: &Gold) -> Derivation {
    Derivation::canonical::<_, PlainConfiguration>(system, gold, ()).expect("every tree is derived")
}

fn n_swaps(derivation: &Derivation) -> usize {
    derivation.actions.iter().filter(|action| action.mv == Move::Swap).count()
}

fn all_golds(n_words: usize, roots: Roots) -> impl Iterator<Item = Gold> {
    let of = move |shape| gold_trees(n_words, roots, shape, 1);
    of(Shape::Projective).into_iter().chain(of(Shape::NonProjective))
}

/// Every tree is derived; the lazy oracle never swaps more often than the eager one, and less often on the whole.
#[test]
fn lazy_swaps_are_fewer() {
    for (n_words, eager, lazy) in [(3, 4, 4), (4, 93, 85), (5, 1918, 1708)] {
        let mut totals = (0, 0);
        for gold in all_golds(n_words, Roots::Several) {
            let of = |oracle| n_swaps(&canonical(&swap(Roots::Several, oracle), &gold));
            let (eager, lazy) = (of(OracleKind::Static), of(OracleKind::Lazy));
            assert!(lazy <= eager, "{gold:?}");
            totals = (totals.0 + eager, totals.1 + lazy);
        }
        assert_eq!(totals, (eager, lazy), "{n_words} words");
    }
}

#[test]
fn one_root_is_derived_by_every_oracle() {
    for n_words in 1..=5 {
        for gold in all_golds(n_words, Roots::Single) {
            for &oracle in SWAP.oracles() {
                assert_eq!(canonical(&swap(Roots::Single, oracle), &gold).tree, *gold.tree());
                let free = Derivation::least_cost::<_, PlainConfiguration>(&swap(Roots::Single, oracle), &gold, ());
                assert_eq!(free.tree, *gold.tree(), "{oracle:?}");
            }
        }
    }
}

/// Nivre (2009), figure 1. The eager oracle swaps "is" and "scheduled" before each word of "on the issue" on its own;
/// the lazy one waits until that phrase is built (Nivre, Kuhlmann & Hall 2009, figure 4).
#[test]
fn a_hearing_is_scheduled_on_the_issue_today() {
    let gold = gold(&[2, 3, 0, 3, 2, 7, 5, 4, 3]);
    let of = |oracle| n_swaps(&canonical(&swap(Roots::Single, oracle), &gold));
    assert_eq!((of(OracleKind::Static), of(OracleKind::Lazy)), (6, 2));
}

/// The longest derivation swaps every pair of words.
#[test]
fn longest_derivations() {
    for n_words in 1..=4 {
        let system = Swap::new(Roots::Several);
        let space: Space<PlainConfiguration> = Space::of(&system, n_words, 1);
        let mut steps = vec![0; space.len()];
        for &c in &space.order {
            for &(_, to) in space.transitions(c) {
                steps[to] = steps[to].max(steps[c] + 1);
            }
        }
        assert_eq!(steps.into_iter().max(), Some(system.max_derivation_len(n_words)));
    }
}

/// On every derivation that it permits, the non-deterministic oracle permits exactly the moves after which the gold tree can
/// be derived with arcs made bottom-up and swaps towards the projective order only: found by search over all of these.
#[test]
fn the_non_deterministic_oracle_permits_all_orderly_derivations() {
    for roots in [Roots::Single, Roots::Several] {
        for n_words in 1..=5 {
            let system = Swap::new(roots);
            let space: Space<PlainConfiguration> = Space::of(&system, n_words, 1);
            let mut n_ambiguous = 0;
            for gold in all_golds(n_words, roots) {
                let orderly = |c: &PlainConfiguration, mv: Move| {
                    let is_complete = |word: Node| gold.dependents(word).iter().all(|&d| c.head(d) == word);
                    match system.arc(c, 0, mv) {
                        Some((head, dependent)) => gold.head(dependent) == head && is_complete(dependent),
                        None if mv == Move::Swap => {
                            let place = |depth| c.stack(depth).map(|node| gold.orders().place(node));
                            place(0) < place(1)
                        }
                        None => true,
                    }
                };
                let mut derives = vec![false; space.len()];
                for &c in space.order.iter().rev() {
                    let here = &space.configurations[c];
                    derives[c] = space.is_terminal(c)
                        || space.transitions(c).iter().any(|&(action, to)| orderly(here, action.mv) && derives[to]);
                }
                let mut permits = vec![false; space.len()];
                permits[0] = true;
                for &c in space.order.iter().filter(|&&c| !space.is_terminal(c)) {
                    if !permits[c] {
                        continue;
                    }
                    let here = &space.configurations[c];
                    let costs = system.costs(&gold, here, 0, space.permitted[c][0].moves);
                    let mut n_free = 0;
                    for &(action, to) in space.transitions(c) {
                        let free = costs.get(action.mv) == Some(0);
                        assert_eq!(
                            free,
                            orderly(here, action.mv) && derives[to],
                            "{action:?} in {here:?} for {gold:?}"
                        );
                        permits[to] |= free;
                        n_free += usize::from(free);
                    }
                    assert!(n_free > 0);
                    n_ambiguous += usize::from(n_free > 1);
                }
            }
            assert!(n_ambiguous > 0 || n_words < 3);
        }
    }
}

/// Soundness of the oracle: permitted actions keep the gold tree derivable; no verdict is too low.
#[test]
fn verdicts_are_sound() {
    for roots in [Roots::Single, Roots::Several] {
        for n_words in 1..=5 {
            for shape in [Shape::Projective, Shape::NonProjective] {
                for &oracle in SWAP.oracles() {
                    let scope = Scope { n_words, roots, shape, n_labels: 1 };
                    let found = with_system!(SWAP, roots, oracle, |system| check(&system, scope));
                    assert_eq!((found.stuck, found.without_zero, found.suboptimal), (0, 0, 0), "{found:?}");
                    assert_eq!((found.overestimates, found.rebuilt), (found.mismatches, found.trees), "{found:?}");
                    assert_eq!(found.derivable, found.trees);
                }
            }
        }
    }
}

/// Arc-hybrid with SWAP: moves of cost 0 derive every tree, and one of them is always permitted on their way.
#[test]
fn static_dynamic_verdicts_are_sound() {
    for roots in [Roots::Single, Roots::Several] {
        for n_words in 1..=5 {
            for shape in [Shape::Projective, Shape::NonProjective] {
                let scope = Scope { n_words, roots, shape, n_labels: 1 };
                let found = with_system!(ARC_HYBRID_SWAP, roots, |system| check(&system, scope));
                assert_eq!((found.stuck, found.without_zero, found.suboptimal), (0, 0, 0), "{found:?}");
                assert_eq!((found.overestimates, found.rebuilt), (found.mismatches, found.trees), "{found:?}");
                assert_eq!(found.derivable, found.trees);
            }
        }
    }
}

/// Costs are the losses, of every gold tree, if SWAP is taken when it is due and at no other time, and whatever else is
/// permitted: those of the best tree that can still be reached in this way; of parts of trees, too. For projective gold trees
/// these are the transitions of arc-hybrid.
#[test]
fn costs_are_exact_if_swap_is_static() {
    let numbers = [
        (Roots::Single, [[2, 14, 196, 3_750, 86_801], [0, 0, 68, 5_522, 435_558]]),
        (Roots::Several, [[2, 30, 552, 12_155, 306_033], [0, 0, 220, 20_384, 1_770_312]]),
    ];
    for (roots, expected) in numbers {
        let system = ArcHybridSwap::new(roots);
        for n_words in 1..=5 {
            let space: Space<PlainConfiguration> = Space::of(&system, n_words, 1);
            for (shape, expected) in [Shape::Projective, Shape::NonProjective].into_iter().zip(expected) {
                let golds = gold_trees(n_words, roots, shape, 1);
                let n_transitions: u64 = golds.iter().map(|gold| exact_transitions(&system, &space, gold)).sum();
                assert_eq!(n_transitions, expected[n_words - 1], "{roots:?}, {shape:?}, {n_words} words");
                if n_words <= 4 {
                    let of_part = |part: Gold| exact_transitions(&system, &space, &part);
                    let of_parts: u64 = parts(Scope { n_words, roots, shape, n_labels: 1 }).map(of_part).sum();
                    assert_eq!(of_parts, n_transitions << n_words);
                }
            }
        }
    }
}

/// Number of transitions, each of which costs what it loses, if SWAP is taken when it is due and at no other time.
fn exact_transitions(system: &ArcHybridSwap, space: &Space<PlainConfiguration>, gold: &Gold) -> u64 {
    let costs = |c: usize| system.costs(gold, &space.configurations[c], 0, space.permitted[c][0].moves);
    let next = |c: usize| {
        let due = !space.is_terminal(c) && costs(c).get(Move::Swap) == Some(0);
        space.transitions(c).iter().filter(move |(action, _)| (action.mv == Move::Swap) == due)
    };
    let (mut reached, mut losses) = (vec![false; space.len()], vec![0; space.len()]);
    reached[0] = true;
    for &c in &space.order {
        if reached[c] {
            next(c).for_each(|&(_, to)| reached[to] = true);
        }
    }
    let mut n_transitions = 0;
    for &c in space.order.iter().rev().filter(|&&c| reached[c]) {
        if space.is_terminal(c) {
            let tree = space.configurations[c].tree();
            let wrong = tree.words().filter(|&word| tree.head(word) != gold.head(word));
            losses[c] = wrong.map(|word| gold.weight(word)).sum();
            continue;
        }
        losses[c] = next(c).map(|&(_, to)| losses[to]).min().expect("a way on");
        for &(action, to) in next(c) {
            let claimed = costs(c).get(action.mv);
            let here = &space.configurations[c];
            assert_eq!(claimed, Some(losses[to] - losses[c]), "{action:?} in {here:?} for {gold:?}");
            n_transitions += 1;
        }
    }
    n_transitions
}

/// A gold tree with several roots for the system that leaves one: each becomes the head of the next.
#[test]
fn several_roots_where_one_is_allowed() {
    for heads in [&[0, 0, 0][..], &[2, 0, 0, 3], &[3, 0, 0, 2]] {
        let gold = gold(heads);
        let roots = gold.dependents(0);
        for &oracle in SWAP.oracles() {
            let system = swap(Roots::Single, oracle);
            assert_eq!(Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ()), None);
            let tree = Derivation::least_cost::<_, PlainConfiguration>(&system, &gold, ()).tree;
            for word in gold.tree().words() {
                let before = roots.iter().rev().find(|&&root| root < word).copied();
                let expected = before.filter(|_| gold.head(word) == 0).unwrap_or(gold.head(word));
                assert_eq!(tree.head(word), expected, "{oracle:?}, {heads:?}");
            }
        }
    }
}
