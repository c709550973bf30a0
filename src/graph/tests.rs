//! Both decoders against enumeration of all trees.

use super::{ArcScores, GraphDecoder, GraphKind};
use crate::random::{below, stream};
use crate::tree::{Node, Roots, Tree, all_trees, is_projective, violations};

/// Random scores from `-range..=range`; small ranges make ties, and cycles in cycles.
fn random_scores(n_words: usize, range: u64, numbers: &[u64]) -> ArcScores {
    let mut stream = stream(1, "arc scores", numbers);
    let mut scores = ArcScores::default();
    scores.reset(n_words);
    for dependent in 0..=n_words as Node {
        for head in 0..=n_words as Node {
            scores.set(head, dependent, below(2 * range + 1, &mut stream) as i32 - range as i32);
        }
    }
    scores
}

fn is_in_class(kind: GraphKind, tree: &Tree) -> bool {
    kind == GraphKind::Mst || is_projective(tree)
}

#[test]
fn decoders_find_what_enumeration_finds() {
    for kind in GraphKind::ALL {
        // One workspace for all sentences: what one leaves behind must not reach the next.
        let mut decoder = GraphDecoder::default();
        let mut heads = Vec::new();
        for roots in [Roots::Single, Roots::Several] {
            for n in 1..=5 {
                let trees: Vec<Tree> = all_trees(n, roots).filter(|tree| is_in_class(kind, tree)).collect();
                for (range, n_matrices) in [(2, 150), (50, 150), (1 << 28, 50)] {
                    for matrix in 0..n_matrices {
                        let scores = random_scores(n, range, &[n as u64, range, matrix]);
                        let highest = trees.iter().map(|tree| scores.of_tree(tree.heads())).max();
                        decoder.decode(kind, &scores, roots, &mut heads);
                        assert_eq!(violations(&heads, roots), [], "{kind} {scores:?}");
                        assert!(is_in_class(kind, &Tree::new(&heads, &vec![0; n])), "{kind} {scores:?}: {heads:?}");
                        assert_eq!(Some(scores.of_tree(&heads)), highest, "{kind} {roots:?} {scores:?}: {heads:?}");
                    }
                }
            }
        }
    }
}

/// Beyond what can be enumerated: trees are trees, no projective one beats the best of all, and words that prefer
/// each other in nested cycles do not confuse the opening.
#[test]
fn longer_sentences_have_trees_and_projectivity_costs() {
    let mut decoder = GraphDecoder::default();
    let (mut projective, mut any) = (Vec::new(), Vec::new());
    for roots in [Roots::Single, Roots::Several] {
        for matrix in 0..60 {
            let n = 10 + matrix as usize;
            let mut scores = random_scores(n, 1000, &[99, matrix]);
            for dependent in 1..=n as Node {
                // Neighbours in blocks of 2, 4, 8 ... attract each other.
                for head in 1..=n as Node {
                    let level = 16 - (head ^ dependent).leading_zeros() as i32;
                    scores.set(head, dependent, scores.get(head, dependent) + 4000 / (1 + level));
                }
            }
            decoder.decode(GraphKind::Eisner, &scores, roots, &mut projective);
            decoder.decode(GraphKind::Mst, &scores, roots, &mut any);
            for heads in [&projective, &any] {
                assert_eq!(violations(heads, roots), []);
            }
            assert!(is_projective(&Tree::new(&projective, &vec![0; n])));
            assert!(scores.of_tree(&any) >= scores.of_tree(&projective));
            // No change of a single head to another makes a better tree.
            for dependent in 1..=n {
                for head in 0..=n as Node {
                    let mut changed = any.clone();
                    changed[dependent - 1] = head;
                    if violations(&changed, roots).is_empty() {
                        assert!(scores.of_tree(&changed) <= scores.of_tree(&any));
                    }
                }
            }
        }
    }
}

/// "John saw Mary" with the scores and the two trees of McDonald, Pereira, Ribarov & Hajič (2005, section 2.2.1): greedy heads
/// close the cycle John, saw; the best tree is root → saw, saw → John, saw → Mary, with 10 + 30 + 30.
#[test]
fn john_saw_mary() {
    let mut scores = ArcScores::default();
    scores.reset(3);
    let arcs = [(0, 1, 9), (0, 2, 10), (0, 3, 9), (1, 2, 20), (1, 3, 3), (2, 1, 30), (2, 3, 30), (3, 1, 11), (3, 2, 0)];
    for (head, dependent, score) in arcs {
        scores.set(head, dependent, score);
    }
    let mut heads = Vec::new();
    for kind in GraphKind::ALL {
        GraphDecoder::default().decode(kind, &scores, Roots::Single, &mut heads);
        assert_eq!((heads.as_slice(), scores.of_tree(&heads)), (&[2, 0, 2][..], 70), "{kind}");
    }
}
