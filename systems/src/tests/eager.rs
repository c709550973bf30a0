//! The two static oracles of arc-eager systems: `static` reduces as early as it can, `lazy` as late.

use super::*;
use treebeam::configuration::{PlainConfiguration, Stacks as _};
use treebeam::system::exhaustive::{Shape, gold_trees};
use treebeam::tree::{NO_NODE, ROOT};

fn all_golds(n_words: usize, roots: Roots, shapes: &[Shape]) -> Vec<Gold> {
    shapes.iter().flat_map(|&shape| gold_trees(n_words, roots, shape, 1)).collect()
}

/// The arc-eager systems: those with REDUCE and the oracle `lazy`.
fn eager_systems() -> impl Iterator<Item = (SystemKind, Roots)> {
    let systems = SystemKind::all().iter().copied().filter(|kind| kind.info().moves.contains(&Move::Reduce));
    let systems = systems.filter(|kind| kind.oracles().contains(&OracleKind::Lazy));
    systems.flat_map(|kind| kind.roots().iter().map(move |&roots| (kind, roots)))
}

/// A system over a stack and a buffer with this oracle.
fn system(kind: SystemKind, roots: Roots, oracle: OracleKind) -> &'static dyn OverStacks {
    match kind.with_oracle(roots, oracle) {
        AnySystem::Stacks(system) => system,
        _ => panic!("{kind} is no system over a stack and a buffer"),
    }
}

fn moves(derivation: &Derivation) -> Vec<Move> {
    derivation.actions.iter().map(|action| action.mv).collect()
}

/// The rule of the lecture and of Goldberg & Nivre (2012), word for word; what is left at the end is reduced, and nothing without a
/// head is.
fn as_printed(kind: SystemKind, gold: &Gold, c: &PlainConfiguration) -> Move {
    let stack: Vec<Node> = c.stack_nodes().map(|(node, _)| node).collect();
    let buffer: Vec<Node> = (0..c.buffer_len()).filter_map(|index| c.buffer(index)).collect();
    let is_gold = |head: Node, dependent: Node| dependent != ROOT && gold.head(dependent) == head;
    let Some((&s, below)) = stack.split_first() else { return Move::Shift };
    let b = match buffer.first() {
        Some(&b) => b,
        None if kind == super::ARC_EAGER_REPAIR => return Move::Reduce,
        None => ROOT,
    };
    if s != ROOT && is_gold(b, s) && c.head(s) == NO_NODE {
        Move::Left
    } else if is_gold(s, b) {
        Move::Right
    } else if c.head(s) == NO_NODE {
        Move::Shift
    } else if b == ROOT || below.iter().any(|&w| is_gold(w, b) || is_gold(b, w) && c.head(w) == NO_NODE) {
        Move::Reduce
    } else {
        Move::Shift
    }
}

/// Calls `see` with each configuration of a derivation and the move that is taken there.
fn follow(system: &dyn OverStacks, derivation: &Derivation, mut see: impl FnMut(&PlainConfiguration, Move)) {
    let n_words = derivation.tree.words().count();
    let mut c: PlainConfiguration = system.initial((), n_words);
    for &action in &derivation.actions {
        see(&c, action.mv);
        c = system.successor(&c, action, ());
    }
}

#[test]
fn all_arc_eager_systems_have_both_orders() {
    let names: std::collections::BTreeSet<&str> = eager_systems().map(|(kind, _)| kind.name()).collect();
    let expected = ["", "-nonmonotonic", "-repair", "-start", "-unshift", "-zpar"];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), expected.map(|variant| format!("arc-eager{variant}")));
}

/// "He gave Mary a book": the orders part at the fifth transition.
#[test]
fn he_gave_mary_a_book() {
    use Move::{Left as L, Reduce as D, Right as R, Shift as S};
    let gold = gold(&[2, 0, 2, 5, 2]);
    for (oracle, expected) in
        [(OracleKind::Static, [S, L, S, R, D, S, L, R, D, L]), (OracleKind::Lazy, [S, L, S, R, S, L, D, R, D, L])]
    {
        let system = system(super::ARC_EAGER, Roots::Single, oracle);
        let derivation = Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ()).unwrap();
        assert_eq!(moves(&derivation), expected, "{oracle:?}");
    }
}

/// Both orders derive every projective tree by moves that cost nothing; of SHIFT and REDUCE, where both are free, one takes
/// the other than the other.
#[test]
fn both_orders_derive_every_projective_tree() {
    for (kind, roots) in eager_systems() {
        let mut n_ambiguous = 0;
        for gold in (1..=6).flat_map(|n_words| all_golds(n_words, roots, &[Shape::Projective])) {
            for oracle in [OracleKind::Static, OracleKind::Lazy] {
                let system = system(kind, roots, oracle);
                let derivation = Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ());
                let derivation = derivation.unwrap_or_else(|| panic!("{kind}, {roots:?}, {oracle:?}: {gold:?}"));
                assert!(derivation.actions.len() <= system.max_derivation_len(gold.n_words()));
                if system.exactness() != Exactness::ExactForProjective {
                    continue;
                }
                follow(system, &derivation, |c, mv| {
                    let costs = system.costs(&gold, c, 0, system.permitted(c, 0).moves);
                    assert_eq!(costs.get(mv), Some(0), "{kind}, {roots:?}, {oracle:?}: {mv:?} for {gold:?}");
                    let is_free = |mv: Move| costs.get(mv) == Some(0);
                    // An arc from the root may also be left to the end of a derivation.
                    let is_root_arc = c.buffer(0).is_some_and(|b| gold.head(b) == ROOT);
                    if is_free(Move::Shift)
                        && is_free(Move::Reduce)
                        && mv != Move::Left
                        && mv != Move::Right
                        && !is_root_arc
                    {
                        let expected = if oracle == OracleKind::Lazy { Move::Shift } else { Move::Reduce };
                        assert_eq!(mv, expected, "{kind}, {oracle:?}: {gold:?}");
                        n_ambiguous += 1;
                    }
                });
            }
        }
        let exact = system(kind, roots, OracleKind::Lazy).exactness() == Exactness::ExactForProjective;
        // ZPar's rules leave no choice.
        assert_eq!(n_ambiguous > 0, exact && kind != super::ARC_EAGER_ZPAR, "{kind}");
    }
}

/// ZPar's rules forbid SHIFT after REDUCE, so that its own oracle is lazy.
#[test]
fn zpar_is_lazy() {
    for roots in [Roots::Single, Roots::Several] {
        for gold in (1..=6).flat_map(|n_words| all_golds(n_words, roots, &[Shape::Projective])) {
            let of = |oracle| {
                let system = system(super::ARC_EAGER_ZPAR, roots, oracle);
                Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ()).unwrap()
            };
            assert_eq!(of(OracleKind::Lazy), of(OracleKind::Static), "{gold:?}");
        }
    }
}

/// The lazy oracle is what is printed, on all trees: on those that are not projective wherever that is permitted and of least
/// cost.
#[test]
fn the_lazy_oracle_is_the_printed_one() {
    for (kind, roots) in eager_systems() {
        let system = system(kind, roots, OracleKind::Lazy);
        let (mut n_taken, mut n_others) = (0, 0);
        for gold in (1..=5).flat_map(|n_words| all_golds(n_words, roots, &[Shape::Projective, Shape::NonProjective])) {
            let canonical = Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ());
            let is_derived = canonical.is_some();
            let derivation =
                canonical.unwrap_or_else(|| Derivation::least_cost::<_, PlainConfiguration>(&system, &gold, ()));
            follow(system, &derivation, |c, mv| {
                let costs = system.costs(&gold, c, 0, system.permitted(c, 0).moves);
                let printed = as_printed(kind, &gold, c);
                if is_derived {
                    assert_eq!(mv, printed, "{kind}, {roots:?}: {gold:?}");
                } else {
                    assert_eq!(costs.get(mv), costs.least(), "{kind}, {roots:?}: {gold:?}");
                    let is_best = costs.get(printed).is_some() && costs.get(printed) == costs.least();
                    assert!(
                        mv == printed || !is_best,
                        "{kind}, {roots:?}: {mv:?}, not {printed:?} in {c:?} for {gold:?}"
                    );
                    *(if mv == printed { &mut n_taken } else { &mut n_others }) += 1;
                }
            });
        }
        assert!(n_taken > n_others && n_others > 0, "{kind}, {roots:?}: {n_taken}, {n_others}");
    }
}
