//! Random walks: the two configurations side by side, and costs on longer sentences.

use bumpalo::Bump;
use proptest::prelude::*;

use super::*;
use treebeam::configuration::{
    Arena, Interner, LabelSets, N_SLOTS, PlainConfiguration, PlainView as _, Point, Reads, SharedConfiguration as _,
    Slot, tagged_row,
};
use treebeam::tree::{NO_LABEL, NO_NODE, ROOT, Tree};

const N_LABELS: LabelId = 5;

/// The permitted action that `choice` picks.
fn pick<C: Configuration, S: Transitions<C>>(system: &S, c: &C, choice: u16) -> Action {
    let at_point = |point| system.permitted(c, point).moves.iter().map(move |mv| Action::bare(mv).at(point));
    let actions: Vec<Action> = (0..system.n_points(c) as Point).flat_map(at_point).collect();
    let action = actions[choice as usize % actions.len()];
    if action.mv.makes_arc() { Action { label: choice / 7 % N_LABELS, ..action } } else { action }
}

/// Expected slots of the cell of `node`, from the arcs alone. The root stands before the first word or behind the last.
fn expected_slots(tree: &Tree, root_is_last: bool, node: Node, sets: &LabelSets) -> [u16; N_SLOTS] {
    let place = |node: Node| if node == ROOT && root_is_last { Node::MAX } else { node };
    let has_head = |node: Node| node != NO_NODE && node != ROOT;
    let label = |node: Node| if has_head(node) { tree.label(node) } else { NO_LABEL };
    let head = |node: Node| if has_head(node) { tree.head(node) } else { NO_NODE };
    let side = |node: Node, is_right: bool| -> Vec<Node> {
        let (left, right): (Vec<Node>, Vec<Node>) = tree
            .words()
            .filter(|&word| node != NO_NODE && tree.head(word) == node)
            .partition(|&word| place(word) < place(node));
        if is_right { right.into_iter().rev().collect() } else { left }
    };
    let (left, right) = (side(node, false), side(node, true));
    let nth = |side: &[Node], n: usize| side.get(n).copied().unwrap_or(NO_NODE);
    let (l1l1, r1r1) = (nth(&side(nth(&left, 0), false), 0), nth(&side(nth(&right, 0), true), 0));
    let label_set = |side: &[Node]| side.iter().fold(0, |set, &d| sets.with(set, tree.label(d)));
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
        (Slot::Size, size(tree, node)),
        (Slot::L1L1, l1l1),
        (Slot::L1L1Label, label(l1l1)),
        (Slot::R1R1, r1r1),
        (Slot::R1R1Label, label(r1r1)),
    ] {
        slots[slot as usize] = value;
    }
    slots
}

/// The same where words are tagged: their nodes are known as [rows](tagged_row), and the first word that awaits its tag is shown the two before it.
fn expected_rows(tree: &Tree, root_is_last: bool, node: Node, sets: &LabelSets) -> [u16; N_SLOTS] {
    let (words, tags) = tree.without_tags();
    let n_words = words.n_words();
    let row = |node: Node| match node {
        ROOT | NO_NODE => node,
        word if tags[usize::from(word) - 1] == NO_LABEL => word,
        word => tagged_row(n_words, usize::from(N_LABELS), word, tags[usize::from(word) - 1]),
    };
    let mut slots = expected_slots(&words, root_is_last, node, sets);
    for slot in [Slot::Node, Slot::L1, Slot::L2, Slot::R1, Slot::R2, Slot::Head, Slot::Head2, Slot::L1L1, Slot::R1R1] {
        slots[slot as usize] = row(slots[slot as usize]);
    }
    let n_tagged = tags.iter().filter(|&&tag| tag != NO_LABEL).count();
    if usize::from(node) == n_tagged + 1 {
        let before = |n: Node| node.checked_sub(n).filter(|&word| word != ROOT).map_or(NO_NODE, row);
        (slots[Slot::Head as usize], slots[Slot::Head2 as usize]) = (before(1), before(2));
    }
    slots
}

/// The number of nodes of the partial tree of `node`.
fn size(tree: &Tree, node: Node) -> u16 {
    1 + tree.words().filter(|&word| tree.head(word) == node).map(|word| size(tree, word)).sum::<u16>()
}

/// True if the system attaches a word only after all its dependents.
fn is_bottom_up(system: &str) -> bool {
    ["arc-standard", "arc-hybrid", "arc-hybrid-rootless", "arc-hybrid-swap", "attardi", "swap", "easy-first"]
        .contains(&system)
}

/// The same transitions are open to both configurations, and what features can see of the shared one follows from the
/// arcs of the plain one, in the slots that `reads` keeps.
fn assert_same<'a, S: TransitionSystem>(
    system: &S,
    plain: &S::Plain,
    shared: &S::Shared<'a>,
    interner: &Interner,
    n_words: usize,
    read: &[Slot],
) {
    assert_eq!(system.is_terminal(plain), system.is_terminal(shared));
    if system.is_terminal(plain) {
        return;
    }
    assert_eq!(system.n_points(plain), system.n_points(shared));
    let tree = plain.tree();
    let root_is_last = system.arc_moves(ROOT, 1).has(Move::Left) && !system.arc_moves(ROOT, 1).has(Move::Right);
    for point in 0..system.n_points(plain) as Point {
        assert_eq!(system.permitted(plain, point), system.permitted(shared, point));
        for mv in system.permitted(plain, point).moves.iter() {
            assert_eq!(system.arc(plain, point, mv), system.arc(shared, point, mv));
        }
        for cell in shared.cells(point).into_iter().flatten() {
            let (node, sets) = (cell.node(), interner.label_sets());
            let mut expected = match system.info().is_joint() && tree.n_words() > n_words {
                true => expected_rows(&tree, root_is_last, node, sets),
                false => expected_slots(&tree, root_is_last, node, sets),
            };
            if !is_bottom_up(system.info().name.trim_end_matches("+tags")) {
                // Words are attached before they have all their dependents, and lose some later.
                let size = &mut expected[Slot::Size as usize];
                if read.contains(&Slot::Size) {
                    assert_eq!(interner.get(cell, Slot::Size) == 1, *size == 1, "{} {plain:?}", system.info().name);
                }
                *size = interner.get(cell, Slot::Size);
                for slot in [Slot::L1L1, Slot::L1L1Label, Slot::R1R1, Slot::R1R1Label] {
                    expected[slot as usize] = interner.get(cell, slot);
                }
            }
            for &slot in read {
                assert_eq!(
                    interner.get(cell, slot),
                    expected[slot as usize],
                    "{} {slot:?} {plain:?}",
                    system.info().name
                );
            }
        }
    }
}

fn walk_side_by_side<S: TransitionSystem>(system: &S, n_words: usize, choices: &[u16], read: &[Slot]) {
    let (bump, interner) = (Bump::new(), Interner::new(N_LABELS as usize));
    interner.start(&Reads::of(read.iter().copied()));
    let arena = Arena::new(&bump, &interner);
    let n_nodes = if system.info().is_joint() { 2 * n_words } else { n_words };
    let mut plain: S::Plain = system.initial((), n_nodes);
    let mut shared: S::Shared<'_> = system.initial(arena, n_nodes);
    let mut steps = 0;
    assert_same(system, &plain, &shared, &interner, n_words, read);
    while !system.is_terminal(&plain) {
        let action = pick(system, &plain, choices[steps % choices.len()]);
        plain = system.successor(&plain, action, ());
        shared = system.successor(&shared, action, arena);
        assert_same(system, &plain, &shared, &interner, n_words, read);
        steps += 1;
        assert!(steps <= system.max_derivation_len(n_nodes), "{}", system.info().name);
    }
}

/// Some projective tree: what a walk of arc-hybrid builds.
fn some_gold(roots: Roots, n_words: usize, choices: &[u16]) -> Gold {
    let system = ArcHybrid::new(roots);
    let mut c: PlainConfiguration = system.initial((), n_words);
    for &choice in choices.iter().take(system.max_derivation_len(n_words)) {
        c = system.successor(&c, pick(&system, &c, choice), ());
    }
    Gold::new(c.tree())
}

/// The number of wrong heads after free moves only, from `c` to the end.
fn loss_of_free_moves<S: TransitionSystem>(system: &S, gold: &Gold, c: &S::Plain) -> u32 {
    let mut c = c.clone();
    while !system.is_terminal(&c) {
        let free = (0..system.n_points(&c) as Point).find_map(|point| {
            let costs = system.costs(gold, &c, point, system.permitted(&c, point).moves);
            Some(Action::labelled(Move::ALL.into_iter().find(|&mv| costs.get(mv) == Some(0))?, 0).at(point))
        });
        c = system.successor(&c, free.expect("a free move"), ());
    }
    let tree = c.tree();
    // A word left over hangs on the root.
    let head = |word: Node| if tree.head(word) == NO_NODE { ROOT } else { tree.head(word) };
    tree.words().filter(|&word| head(word) != gold.head(word)).count() as u32
}

/// A cost is the loss after a move less the loss before. Free moves lead to a tree that attains the loss, if costs are
/// right; so what they lead to must differ by the cost. All labels are 0, so that costs are of heads alone.
fn walk_and_compare_losses<S: TransitionSystem>(system: &S, gold: &Gold, choices: &[u16]) {
    let gold = &Gold::new(Tree::new(gold.tree().heads(), &vec![0; gold.n_words()]));
    let mut c: S::Plain = system.initial((), gold.n_words());
    let mut loss = loss_of_free_moves(system, gold, &c);
    assert_eq!(loss, 0);
    for &choice in choices {
        if system.is_terminal(&c) {
            break;
        }
        let Action { mv: chosen, point, .. } = pick(system, &c, choice);
        let permitted = system.permitted(&c, point).moves;
        let costs = system.costs(gold, &c, point, permitted);
        let successor = |mv| system.successor(&c, Action::labelled(mv, 0).at(point), ());
        for mv in permitted.iter() {
            let successor = successor(mv);
            let after = loss_of_free_moves(system, gold, &successor);
            assert_eq!(Some(after - loss), costs.get(mv), "{} {mv:?} in {c:?} for {gold:?}", system.info().name);
        }
        loss += costs.get(chosen).unwrap();
        c = successor(chosen);
    }
}

fn canonical<S: TransitionSystem>(system: &S, gold: &Gold) -> Option<Derivation> {
    Derivation::canonical::<S, S::Plain>(system, gold, ())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shared_configurations_equal_plain_ones(n_words in 1usize..13, choices in prop::collection::vec(any::<u16>(), 60)) {
        let joint = SystemKind::all().iter().filter_map(|kind| kind.joint());
        for kind in SystemKind::with_tagger().iter().copied().chain(joint) {
            for &roots in kind.roots() {
                with_system!(kind, roots, |system| {
                    walk_side_by_side(&system, n_words, &choices, &Slot::ALL);
                    // Slots that are not read are not kept, and those that are read do not depend on them.
                    let some: Vec<Slot> = Slot::ALL.into_iter().filter(|&slot| choices[slot as usize] % 3 == 0).collect();
                    walk_side_by_side(&system, n_words, &choices, &some);
                });
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
            for kind in super::exact_for_projective(roots) {
                with_system!(kind, roots, |system| walk_and_compare_losses(&system, &gold, &choices));
            }
        }
    }

    #[test]
    fn static_oracles_rebuild_projective_trees(n_words in 1usize..40, tree in prop::collection::vec(any::<u16>(), 80)) {
        for roots in [Roots::Single, Roots::Several] {
            let gold = some_gold(roots, n_words, &tree);
            for &kind in SystemKind::all().iter().filter(|kind| kind.roots().contains(&roots)) {
                with_system!(kind, roots, |system| {
                    let canonical = canonical(&system, &gold).expect("derivable");
                    assert!(canonical.actions.len() <= system.max_derivation_len(n_words));
                });
            }
        }
    }
}
