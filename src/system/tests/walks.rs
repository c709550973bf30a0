//! Random walks: the two configurations side by side, and costs on longer sentences.

use bumpalo::Bump;
use proptest::prelude::*;

use crate::configuration::{
    Arena, ArenaConfiguration, Cell, Configuration, LabelSets, N_SLOTS, PlainConfiguration, RootPlace, Slot, SlotMask,
};
use crate::system::*;
use crate::tree::{NO_LABEL, NO_NODE, ROOT};
use crate::with_system;

const N_LABELS: LabelId = 5;

/// The permitted action that `choice` picks.
fn pick(permitted: MoveSet, choice: u16) -> Action {
    let moves: Vec<Move> = permitted.iter().collect();
    let mv = moves[choice as usize % moves.len()];
    if mv.makes_arc() { Action { mv, label: choice / 7 % N_LABELS } } else { Action::bare(mv) }
}

/// What a cell must say of `node`, from the arcs alone.
fn expected_slots(
    c: &PlainConfiguration,
    n_words: usize,
    root: RootPlace,
    node: Node,
    sets: &LabelSets,
) -> [u16; N_SLOTS] {
    let place = |node: Node| if node == ROOT && root == RootPlace::BufferEnd { n_words + 1 } else { node as usize };
    let dependents = (1..=n_words as Node).filter(|&d| c.head(d) == node);
    let (left, mut right): (Vec<Node>, Vec<Node>) = dependents.partition(|&d| place(d) < place(node));
    right.reverse();
    let label = |node: Node| if node == NO_NODE { NO_LABEL } else { c.label(node) };
    let head = |node: Node| if node == NO_NODE { NO_NODE } else { c.head(node) };
    let nth = |side: &[Node], n: usize| side.get(n).copied().unwrap_or(NO_NODE);
    let label_set = |side: &[Node]| side.iter().fold(0, |set, &d| sets.with(set, c.label(d)));
    let mut slots = [NO_NODE; N_SLOTS];
    for (slot, value) in [
        (Slot::Node, node),
        (Slot::Label, label(node)),
        (Slot::L1, nth(&left, 0)),
        (Slot::L1Label, label(nth(&left, 0))),
        (Slot::L2, nth(&left, 1)),
        (Slot::L2Label, label(nth(&left, 1))),
        (Slot::R1, nth(&right, 0)),
        (Slot::R1Label, label(nth(&right, 0))),
        (Slot::R2, nth(&right, 1)),
        (Slot::R2Label, label(nth(&right, 1))),
        (Slot::LeftValency, left.len() as u16),
        (Slot::RightValency, right.len() as u16),
        (Slot::LeftLabels, label_set(&left)),
        (Slot::RightLabels, label_set(&right)),
        (Slot::Head, head(node)),
        (Slot::HeadLabel, label(head(node))),
        (Slot::Head2, head(head(node))),
        (Slot::Head2Label, label(head(head(node)))),
    ] {
        slots[slot as usize] = value;
    }
    slots
}

fn assert_same<S: TransitionSystem>(
    system: &S,
    plain: &PlainConfiguration,
    shared: &ArenaConfiguration,
    sets: &LabelSets,
    masks: &[SlotMask],
    n_words: usize,
) {
    let root = if S::NAME == ArcEager::NAME { RootPlace::BufferEnd } else { RootPlace::StackBottom };
    assert_eq!(plain.stack_len(), shared.stack_len());
    assert_eq!(plain.buffer_len(), shared.buffer_len());
    assert_eq!(plain.n_headless(), shared.n_headless());
    assert_eq!(plain.s0_has_head(), shared.s0_has_head());
    assert_eq!(plain.stack_nodes().collect::<Vec<_>>(), shared.stack_nodes().collect::<Vec<_>>());
    for depth in 0..n_words + 2 {
        assert_eq!(plain.stack(depth), shared.stack(depth));
        assert_eq!(plain.buffer(depth), shared.buffer(depth));
    }
    assert_eq!(
        (0..plain.buffer_len()).filter_map(|index| shared.buffer(index)).collect::<Vec<_>>(),
        plain.buffer_nodes().collect::<Vec<_>>()
    );
    assert_eq!(system.permitted(plain), system.permitted(shared));
    assert_eq!(system.is_terminal(plain), system.is_terminal(shared));
    for mv in system.permitted(plain).moves.iter() {
        assert_eq!(system.arc(plain, mv), system.arc(shared, mv));
    }
    for top in [shared.stack_cell(), shared.buffer_cell()] {
        for cell in std::iter::successors(top, |cell: &&Cell| cell.below) {
            let slots: [u16; N_SLOTS] = std::array::from_fn(|slot| cell.slots.at(slot));
            assert_eq!(slots, expected_slots(plain, n_words, root, cell.node(), sets), "{} {plain:?}", S::NAME);
            assert_eq!(cell.has_head(), plain.head(cell.node()) != NO_NODE);
            assert_eq!(cell.keys, masks.iter().map(|mask| cell.slots.key(mask)).collect::<Vec<_>>());
        }
    }
}

fn walk_side_by_side<S: TransitionSystem>(system: &S, n_words: usize, choices: &[u16]) {
    let (bump, sets) = (Bump::new(), LabelSets::new(N_LABELS as usize));
    let masks = [SlotMask::of([Slot::Node, Slot::Label]), SlotMask::of([Slot::L1, Slot::R2Label, Slot::LeftLabels])];
    let arena = Arena::new(&bump, &sets, &masks);
    let mut plain: PlainConfiguration = system.initial((), n_words);
    let mut shared: ArenaConfiguration = system.initial(arena, n_words);
    let mut steps = 0;
    assert_same(system, &plain, &shared, &sets, &masks, n_words);
    while !system.is_terminal(&plain) {
        let action = pick(system.permitted(&plain).moves, choices[steps]);
        plain = system.successor(&plain, action, ());
        shared = system.successor(&shared, action, arena);
        assert_same(system, &plain, &shared, &sets, &masks, n_words);
        steps += 1;
    }
    assert_eq!(steps, system.derivation_len(n_words));
}

/// Some projective tree: what a walk of arc-hybrid builds.
fn some_gold(roots: Roots, n_words: usize, choices: &[u16]) -> Gold {
    let system = ArcHybrid::new(roots);
    let mut c: PlainConfiguration = system.initial((), n_words);
    for &choice in choices.iter().take(system.derivation_len(n_words)) {
        c = system.successor(&c, pick(system.permitted(&c).moves, choice), ());
    }
    Gold::new(c.tree())
}

/// The number of wrong heads after free moves only, from `c` to the end.
fn loss_of_free_moves<S: Oracle>(system: &S, gold: &Gold, c: &PlainConfiguration) -> u32 {
    let mut c = c.clone();
    while !system.is_terminal(&c) {
        let costs = system.costs(gold, &c, system.permitted(&c).moves);
        let mv = Move::ALL.into_iter().find(|&mv| costs.get(mv) == Some(0)).expect("a free move");
        c = system.successor(&c, Action { mv, label: 0 }, ());
    }
    gold.tree().words().filter(|&word| c.head(word) != gold.head(word)).count() as u32
}

/// A cost is the loss after a move less the loss before. Free moves lead to a tree that attains the loss, if costs are
/// right; so what they lead to must differ by the cost.
fn walk_and_compare_losses<S: Oracle>(system: &S, gold: &Gold, choices: &[u16]) {
    let mut c: PlainConfiguration = system.initial((), gold.n_words());
    let mut loss = loss_of_free_moves(system, gold, &c);
    assert_eq!(loss, 0);
    for &choice in choices.iter().take(system.derivation_len(gold.n_words())) {
        let permitted = system.permitted(&c).moves;
        let costs = system.costs(gold, &c, permitted);
        for mv in permitted.iter() {
            let after = loss_of_free_moves(system, gold, &system.successor(&c, Action { mv, label: 0 }, ()));
            assert_eq!(Some(after - loss), costs.get(mv), "{} {mv:?} in {c:?} for {gold:?}", S::NAME);
        }
        let action = pick(permitted, choice);
        loss += costs.get(action.mv).unwrap();
        c = system.successor(&c, action, ());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shared_configurations_equal_plain_ones(n_words in 1usize..13, choices in prop::collection::vec(any::<u16>(), 24)) {
        for roots in [Roots::Single, Roots::Several] {
            for &kind in SystemKind::ALL {
                with_system!(kind, roots, |system| walk_side_by_side(&system, n_words, &choices));
            }
        }
    }

    #[test]
    fn free_moves_attain_the_loss(
        n_words in 1usize..15,
        tree in prop::collection::vec(any::<u16>(), 28),
        choices in prop::collection::vec(any::<u16>(), 28),
    ) {
        for roots in [Roots::Single, Roots::Several] {
            let gold = some_gold(roots, n_words, &tree);
            for &kind in SystemKind::ALL {
                with_system!(kind, roots, |system| walk_and_compare_losses(&system, &gold, &choices));
            }
        }
    }

    #[test]
    fn static_oracles_rebuild_projective_trees(n_words in 1usize..40, tree in prop::collection::vec(any::<u16>(), 80)) {
        for roots in [Roots::Single, Roots::Several] {
            let gold = some_gold(roots, n_words, &tree);
            for &kind in SystemKind::ALL {
                with_system!(kind, roots, |system| {
                    let canonical = Derivation::canonical::<_, PlainConfiguration>(&system, &gold, ()).expect("derivable");
                    assert_eq!(canonical.actions.len(), system.derivation_len(n_words));
                    let least_cost = Derivation::least_cost::<_, PlainConfiguration>(&system, &gold, ());
                    assert_eq!(least_cost, canonical);
                });
            }
        }
    }
}
