//! All gold trees of a few words, by trial of every assignment of heads.

use crate::system::Roots;
use crate::tree::{Gold, LabelId, Node, ROOT, Tree};

/// A class of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Trees in which every node between a head and its dependent descends from the head.
    Projective,
    /// All others.
    NonProjective,
}

/// Every tree of `shape` over `n_words`, with every assignment of labels below `n_labels`; with [`Roots::Single`] only
/// those in which one word hangs on the root.
pub fn gold_trees(n_words: usize, roots: Roots, shape: Shape, n_labels: LabelId) -> Vec<Gold> {
    let labellings: Vec<Vec<LabelId>> = assignments(n_words, n_labels).collect();
    assignments(n_words, n_words as Node + 1)
        .filter(|heads| is_tree(heads))
        .filter(|heads| is_projective(heads) == (shape == Shape::Projective))
        .filter(|heads| roots == Roots::Several || heads.iter().filter(|&&head| head == ROOT).count() == 1)
        .flat_map(|heads| labellings.iter().map(move |labels| Gold::new(Tree::new(&heads, labels))))
        .collect()
}

/// All sequences of `length` numbers below `bound`, the last number changing fastest.
fn assignments(length: usize, bound: u16) -> impl Iterator<Item = Vec<u16>> {
    let mut next = (bound > 0 || length == 0).then(|| vec![0; length]);
    std::iter::from_fn(move || {
        let current = next.take()?;
        if let Some(place) = current.iter().rposition(|&number| number + 1 < bound) {
            let mut following = current.clone();
            following[place] += 1;
            following[place + 1..].fill(0);
            next = Some(following);
        }
        Some(current)
    })
}

/// The nodes above `word`, nearest first; no more than there are words, so that cycles end.
fn ancestors(heads: &[Node], word: Node) -> impl Iterator<Item = Node> + '_ {
    let head = |node: Node| node.checked_sub(1).map(|place| heads[place as usize]);
    std::iter::successors(head(word), move |&node| head(node)).take(heads.len())
}

fn is_tree(heads: &[Node]) -> bool {
    (1..=heads.len() as Node).all(|word| ancestors(heads, word).any(|node| node == ROOT))
}

fn is_projective(heads: &[Node]) -> bool {
    (1..=heads.len() as Node).all(|word| {
        let head = heads[word as usize - 1];
        (word.min(head) + 1..word.max(head)).all(|between| ancestors(heads, between).any(|node| node == head))
    })
}
