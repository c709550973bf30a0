//! Questions about a tree given by its heads alone.

use crate::tree::{Node, ROOT};

/// The words of the cycle with the smallest word in it, starting there and following heads; `None` if every word hangs,
/// however indirectly, on the root.
///
/// `heads[0]` is the head of word 1, and all heads are at most `heads.len()`.
pub fn cycle(heads: &[Node]) -> Option<Vec<Node>> {
    // visited[w]: the walk that met w first, counted from 1.
    let mut visited = vec![0usize; heads.len() + 1];
    let mut smallest: Option<Node> = None;
    for (walk, _) in heads.iter().enumerate() {
        let mut node = (walk + 1) as Node;
        while node != ROOT && visited[node as usize] == 0 {
            visited[node as usize] = walk + 1;
            node = heads[node as usize - 1];
        }
        if node != ROOT && visited[node as usize] == walk + 1 {
            let least = members(heads, node).into_iter().min();
            smallest = [smallest, least].into_iter().flatten().min();
        }
    }
    smallest.map(|start| members(heads, start))
}

/// The cycle through `start`, which must be on one.
fn members(heads: &[Node], start: Node) -> Vec<Node> {
    std::iter::successors(Some(start), |&word| Some(heads[word as usize - 1]).filter(|&head| head != start)).collect()
}

/// Whether the arc into each word is non-projective: some word strictly between the arc's ends does not descend from its
/// head (Nivre & Nilsson 2005, section 2). Arcs from the root are always projective.
///
/// `heads` must have no cycle. Takes time linear in the sum of the arcs' lengths.
pub fn nonprojective(heads: &[Node]) -> Vec<bool> {
    let spans = preorder(heads);
    let (first, last) = (|node: Node| spans[node as usize].0, |node: Node| spans[node as usize].1);
    heads
        .iter()
        .zip(1..)
        .map(|(&head, word)| {
            let between = head.min(word) + 1..head.max(word);
            head != ROOT && between.into_iter().any(|k| first(k) < first(head) || first(k) > last(head))
        })
        .collect()
}

/// For each node its own number and its last descendant's in a depth-first numbering from the root.
fn preorder(heads: &[Node]) -> Vec<(u32, u32)> {
    let n = heads.len();
    let mut dependents = vec![Vec::new(); n + 1];
    for (&head, word) in heads.iter().zip(1..) {
        dependents[head as usize].push(word);
    }
    let mut spans = vec![(0, 0); n + 1];
    let mut order = Vec::with_capacity(n + 1);
    let mut stack = vec![ROOT];
    while let Some(node) = stack.pop() {
        spans[node as usize].0 = order.len() as u32;
        order.push(node);
        stack.extend(&dependents[node as usize]);
    }
    for node in order.into_iter().rev() {
        let last = dependents[node as usize].iter().map(|&d| spans[d as usize].1).max();
        spans[node as usize].1 = last.unwrap_or(spans[node as usize].0);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cycles() {
        assert_eq!(cycle(&[2, 0, 2]), None);
        assert_eq!(cycle(&[1]), Some(vec![1]));
        assert_eq!(cycle(&[0, 5, 2, 3, 4]), Some(vec![2, 5, 4, 3]));
        // Two cycles: 5 <-> 6, reached first from word 1, and 3 <-> 4.
        assert_eq!(cycle(&[5, 0, 4, 3, 6, 5]), Some(vec![3, 4]));
        assert_eq!(cycle(&[]), None);
    }

    #[test]
    fn crossing_arcs() {
        // "A hearing is scheduled on the issue today": `on` depends on `hearing`, `today` on `scheduled`.
        let heads = [2, 3, 0, 3, 2, 7, 5, 4];
        let crossing: Vec<bool> = nonprojective(&heads);
        assert_eq!(crossing, [false, false, false, false, true, false, false, true]);
        // A word under the root within an arc: the arc does not dominate it.
        assert_eq!(nonprojective(&[3, 0, 0]), [true, false, false]);
    }

    /// Whether `word` descends from `ancestor`, by climbing.
    fn descends(heads: &[Node], mut word: Node, ancestor: Node) -> bool {
        while word != ancestor && word != ROOT {
            word = heads[word as usize - 1];
        }
        word == ancestor
    }

    proptest! {
        #[test]
        fn as_defined(heads in (1..9usize).prop_flat_map(|n| prop::collection::vec(0..=n as Node, n))) {
            let has_cycle = (1..=heads.len() as Node).any(|word| {
                let mut node = word;
                for _ in 0..=heads.len() {
                    if node != ROOT {
                        node = heads[node as usize - 1];
                    }
                }
                node != ROOT
            });
            let found = cycle(&heads);
            prop_assert_eq!(found.is_some(), has_cycle);
            if let Some(words) = found {
                for (i, &word) in words.iter().enumerate() {
                    prop_assert_eq!(heads[word as usize - 1], words[(i + 1) % words.len()]);
                }
            } else {
                let expected: Vec<bool> = heads.iter().zip(1..).map(|(&head, word)| {
                    (head.min(word) + 1..head.max(word)).any(|k| !descends(&heads, k, head))
                }).collect();
                prop_assert_eq!(nonprojective(&heads), expected);
            }
        }
    }
}
