//! Projectivity.
//!
//! An arc from `h` to `d` is projective if `h` dominates every word strictly between the two; a tree is projective if
//! all of its arcs are (Kuhlmann & Nivre 2006, definition 1, after Nivre & Nilsson 2005). The root stands in front
//! of the first word and dominates everything, so arcs from it are always projective.

use super::{Node, Tree};

/// Dominance between nodes, by the times at which a depth-first walk enters and leaves them.
struct Dominance {
    enter: Vec<u32>,
    leave: Vec<u32>,
}

impl Dominance {
    /// Linear in the number of words. Words that the root does not dominate are dominated by none.
    fn new(tree: &Tree) -> Dominance {
        let n = tree.n_words();
        // Dependents as linked lists: `first[head]`, then `next[dependent]`; 0, the root, ends a list.
        let mut first = vec![0 as Node; n + 1];
        let mut next = vec![0 as Node; n + 1];
        for word in tree.words().rev() {
            if let Some(slot) = first.get_mut(tree.head(word) as usize) {
                next[word as usize] = std::mem::replace(slot, word);
            }
        }
        let (mut enter, mut leave) = (vec![u32::MAX; n + 1], vec![0; n + 1]);
        let mut clock = 0;
        let mut open: Vec<Node> = vec![0];
        enter[0] = 0;
        while let Some(&node) = open.last() {
            let dependent = std::mem::replace(&mut first[node as usize], 0);
            if dependent == 0 {
                leave[node as usize] = clock;
                open.pop();
            } else {
                first[node as usize] = next[dependent as usize];
                clock += 1;
                enter[dependent as usize] = clock;
                open.push(dependent);
            }
        }
        Dominance { enter, leave }
    }
}

/// The words whose arcs are not projective, ascending.
///
/// `tree` must be a tree: every word has a head, and no cycle. Time is O(n log n), however long the arcs are.
pub fn non_projective_arcs(tree: &Tree) -> Vec<Node> {
    let Dominance { enter, leave } = Dominance::new(tree);
    // A head dominates all words of a span if it dominates those that are entered first and last of them. Times are counted
    // backwards in `latest`, so that the last one is the least.
    let (mut earliest, mut latest) = (Extremes::default(), Extremes::default());
    let mut found = Vec::new();
    // Arcs by their right ends, as linked lists of words; 0, the root, ends a list.
    let n = tree.n_words();
    let (mut first, mut next) = (vec![0 as Node; n + 1], vec![0 as Node; n + 1]);
    for word in tree.words().rev() {
        let right = word.max(tree.head(word)) as usize;
        next[word as usize] = std::mem::replace(&mut first[right], word);
    }
    for right in tree.words() {
        let mut word = first[right as usize];
        while word != 0 {
            let head = tree.head(word);
            let from = word.min(head) + 1;
            if from < right {
                let (enter, leave) = (enter[head as usize], leave[head as usize]);
                if earliest.since(from) < enter || u32::MAX - latest.since(from) > leave {
                    found.push(word);
                }
            }
            word = next[word as usize];
        }
        earliest.push(right, enter[right as usize]);
        latest.push(right, u32::MAX - enter[right as usize]);
    }
    found.sort_unstable();
    found
}

/// True if all arcs of `tree` are projective; the conditions of [`non_projective_arcs`] hold.
pub fn is_projective(tree: &Tree) -> bool {
    non_projective_arcs(tree).is_empty()
}

/// The least values of all suffixes of a sequence: those that are less than all that follow them, with their places.
#[derive(Debug, Default)]
struct Extremes(Vec<(Node, u32)>);

impl Extremes {
    fn push(&mut self, place: Node, value: u32) {
        while self.0.pop_if(|(_, last)| *last >= value).is_some() {}
        self.0.push((place, value));
    }

    /// The least value from `place` on, which is one of those that were pushed.
    fn since(&self, place: Node) -> u32 {
        self.0[self.0.partition_point(|&(other, _)| other < place)].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Roots, all_trees};

    #[test]
    fn worked_examples() {
        let tree = |heads: &[Node]| Tree::new(heads, &vec![0; heads.len()]);
        assert!(is_projective(&tree(&[2, 0, 2])));
        // "A hearing is scheduled on the issue today": `on` (5) belongs to `hearing` (2).
        assert_eq!(non_projective_arcs(&tree(&[2, 4, 4, 0, 2, 7, 5, 4])), [5]);
        // Crossing arcs 1 -> 3 and 4 -> 2, though 1 dominates 2: only the second is non-projective.
        assert_eq!(non_projective_arcs(&tree(&[0, 4, 1, 1])), [2]);
    }

    /// Span by span, as the definition reads.
    #[test]
    fn arcs_are_projective_by_the_definition() {
        for tree in (1..=6).flat_map(|n| all_trees(n, Roots::Several)) {
            let dominance = Dominance::new(&tree);
            let holds = |ancestor: Node, node: Node| {
                let time = dominance.enter[node as usize];
                dominance.enter[ancestor as usize] <= time && time <= dominance.leave[ancestor as usize]
            };
            let is_projective = |&word: &Node| {
                let head = tree.head(word);
                (head.min(word) + 1..head.max(word)).all(|between| holds(head, between))
            };
            let by_span: Vec<Node> = tree.words().filter(|word| !is_projective(word)).collect();
            assert_eq!(non_projective_arcs(&tree), by_span, "{:?}", tree.heads());
        }
    }

    /// 1, 3, 12, 55, 273 projective trees with any number of roots; 1, 2, 7, 30, 143 with one (Kuhlmann 2010).
    #[test]
    fn counts_of_projective_trees() {
        for (n, many, one) in [(1, 1, 1), (2, 3, 2), (3, 12, 7), (4, 55, 30), (5, 273, 143)] {
            let count = |roots| all_trees(n, roots).filter(is_projective).count();
            assert_eq!((count(Roots::Several), count(Roots::Single)), (many, one), "n = {n}");
        }
    }

    /// A tree is projective exactly if no two arcs cross, the root standing in front.
    #[test]
    fn projective_means_no_crossing() {
        for tree in all_trees(5, Roots::Several) {
            let arcs: Vec<(Node, Node)> = tree.words().map(|d| (tree.head(d).min(d), tree.head(d).max(d))).collect();
            let crossing = arcs.iter().any(|a| arcs.iter().any(|b| a.0 < b.0 && b.0 < a.1 && a.1 < b.1));
            assert_eq!(is_projective(&tree), !crossing, "{tree:?}");
        }
    }
}
