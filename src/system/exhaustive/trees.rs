//! All gold trees of a few words, by trial of every assignment of heads.

use crate::system::Roots;
use crate::tree::{Gold, LabelId, Node, Tree, is_projective, violations};

/// A class of trees; see [`is_projective`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Projective trees.
    Projective,
    /// All others.
    NonProjective,
}

/// Every tree of `shape` over `n_words`, with every assignment of labels below `n_labels`; with [`Roots::Single`] only
/// those in which one word hangs on the root.
pub fn gold_trees(n_words: usize, roots: Roots, shape: Shape, n_labels: LabelId) -> Vec<Gold> {
    let labellings: Vec<Vec<LabelId>> = assignments(n_words, n_labels).collect();
    assignments(n_words, n_words as Node + 1)
        .filter(|heads| violations(heads, roots).is_empty())
        .flat_map(|heads| labellings.iter().map(move |labels| Tree::new(&heads, labels)))
        .filter(|tree| is_projective(tree) == (shape == Shape::Projective))
        .map(Gold::new)
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
