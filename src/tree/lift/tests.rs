use super::*;
use crate::tree::LabelId;
use crate::tree::{Roots, all_trees, is_projective, violations};
use proptest::prelude::*;

const SCHEMES: [Scheme; 3] = [Scheme::Head, Scheme::Path, Scheme::HeadPath];

fn names(n: usize) -> Labels {
    (0..n).map(|i| format!("l{i}")).collect()
}

/// Number of the non-projective trees over `n` words, each word with a label of its own, that survive the round trip.
fn recovered(n: usize, scheme: Scheme) -> (usize, usize) {
    let plain = names(n);
    let trees: Vec<Tree> = all_trees(n, Roots::Several).filter(|tree| !is_projective(tree)).collect();
    let survive = |tree: &&Tree| {
        let mut lifted = Labels::default();
        let projective = projectivise(tree, &plain, scheme, &mut lifted);
        assert!(is_projective(&projective));
        let lowering = Lowering::new(&lifted, scheme);
        lowering.lower(&projective).heads() == tree.heads()
    };
    (trees.iter().filter(survive).count(), trees.len())
}

#[test]
fn round_trips_over_all_small_trees() {
    assert_eq!(SCHEMES.map(|scheme| recovered(4, scheme)), [(70, 70), (66, 70), (70, 70)]);
    assert_eq!(SCHEMES.map(|scheme| recovered(5, scheme)), [(1021, 1023), (808, 1023), (1021, 1023)]);
}

#[test]
fn the_paper_s_way_with_a_hearing() {
    // "A hearing is scheduled on the issue today": `on` is lifted from `hearing` to `is`.
    let mut plain = Labels::default();
    let labels = ["det", "nsubj", "root", "vc", "nmod", "det", "pc", "tmp"].map(|name| plain.intern(name));
    let tree = Tree::new(&[2, 3, 0, 3, 2, 7, 5, 4], &labels);
    for (scheme, on, hearing) in [
        (Scheme::Head, "nmod↑nsubj", "nsubj"),
        (Scheme::Path, "nmod↑", "nsubj↓"),
        (Scheme::HeadPath, "nmod↑nsubj", "nsubj↓"),
    ] {
        let mut lifted = Labels::default();
        let projective = projectivise(&tree, &plain, scheme, &mut lifted);
        assert_eq!(projective.heads(), [2, 3, 0, 3, 3, 7, 5, 3], "`today` crosses once `on` is gone up");
        assert_eq!((lifted.name(projective.label(5)), lifted.name(projective.label(2))), (on, hearing));
        let lowering = Lowering::new(&lifted, scheme);
        let lowered = lowering.lower(&projective);
        // Both `hearing` and `scheduled` are marked, and `path` knows no more than that: it takes the last.
        assert_eq!(lowered.heads(), [2, 3, 0, 3, if scheme == Scheme::Path { 4 } else { 2 }, 7, 5, 4]);
        assert!(tree.words().all(|word| lowering.plain().name(lowered.label(word)) == plain.name(tree.label(word))));
    }
}

prop_compose! {
    /// A random tree of up to 30 words with labels from a small inventory: each word chooses among the nodes that come
    /// before it in a random order.
    fn any_tree()(n in 1usize..30)(
        order in Just((1..=n as Node).collect::<Vec<_>>()).prop_shuffle(),
        choices in proptest::collection::vec(any::<proptest::sample::Index>(), n),
        labels in proptest::collection::vec(0..4 as LabelId, n),
    ) -> Tree {
        let mut tree = Tree::unattached(order.len());
        for (i, &word) in order.iter().enumerate() {
            let head = match choices[i].index(i + 1) { 0 => ROOT, before => order[before - 1] };
            tree.attach(word, head, labels[i]);
        }
        tree
    }
}

proptest! {
    #[test]
    fn lifting_makes_projective_trees_and_keeps_labels(tree in any_tree()) {
        for scheme in SCHEMES {
            let plain = names(4);
            let mut lifted = Labels::default();
            let projective = projectivise(&tree, &plain, scheme, &mut lifted);
            prop_assert!(is_projective(&projective));
            prop_assert!(violations(projective.heads(), Roots::Several).is_empty());
            let lowering = Lowering::new(&lifted, scheme);
            let lowered = lowering.lower(&projective);
            prop_assert!(violations(lowered.heads(), Roots::Several).is_empty());
            for word in tree.words() {
                prop_assert_eq!(lowering.plain().name(lowered.label(word)), plain.name(tree.label(word)));
            }
            if is_projective(&tree) {
                prop_assert_eq!(lowered.heads(), tree.heads());
            }
        }
    }

    /// A parser predicts labels that no lift would give: the result is a tree all the same.
    #[test]
    fn lowering_any_labels_gives_a_tree(
        tree in any_tree(),
        codes in proptest::collection::vec((any::<Option<bool>>(), any::<bool>()), 4),
    ) {
        for scheme in SCHEMES {
            let encoded: Vec<String> = codes
                .iter()
                .enumerate()
                .map(|(i, &(from, over))| encode(&format!("l{i}"), from.map(|f| if f { "l0" } else { "l1" }), over, scheme))
                .collect();
            let labels: Labels = encoded.iter().collect();
            let lowered = Lowering::new(&labels, scheme).lower(&tree);
            prop_assert!(violations(lowered.heads(), Roots::Several).is_empty());
        }
    }
}
