//! Partial trees: some words have heads, others have none yet.

use super::{NO_NODE, Node, ROOT, Roots, Violation, violations};

/// Everything that keeps `heads`, in which words without a head have [`NO_NODE`], from being a part of a tree. Entry 0 is the head of
/// word 1.
pub fn partial_violations(heads: &[Node], roots: Roots) -> Vec<Violation> {
    let is_open = |word: Node| heads[usize::from(word) - 1] == NO_NODE;
    let mut found = violations(heads, roots);
    found.retain(|violation| !matches!(violation, Violation::NoHead(word) if is_open(*word)));
    found
}

/// Heads of a whole tree that has the arcs of `heads`, in which words without a head have [`NO_NODE`]: a projective one, if there is one.
/// Entry 0 is the head of word 1.
///
/// The projective tree is what arc-standard makes of the words from left to right if a word joins its neighbour on the stack as soon
/// as it waits for no dependent and, if its head is known, meets that. To join early is never a mistake: what might have become a
/// dependent of the word can become one of the neighbour. Otherwise all words without a head join the first one that can hang
/// on the root.
///
/// Complexity: linear in the number of words.
///
/// # Panics
/// If there are [violations](partial_violations).
pub fn completed(heads: &[Node], roots: Roots) -> Vec<Node> {
    debug_assert!(partial_violations(heads, roots).is_empty(), "{heads:?}");
    projective(heads, roots).unwrap_or_else(|| {
        let words = || 1..=heads.len() as Node;
        let head = |word: Node| heads[usize::from(word) - 1];
        let top = words().find(|&word| head(word) == ROOT).or_else(|| words().find(|&word| head(word) == NO_NODE));
        let of = |word: Node| match head(word) {
            NO_NODE if Some(word) == top => ROOT,
            NO_NODE => top.unwrap_or(ROOT),
            head => head,
        };
        words().map(of).collect()
    })
}

/// A projective tree that has the arcs of `heads`, if there is one.
fn projective(heads: &[Node], roots: Roots) -> Option<Vec<Node>> {
    let n = heads.len() as Node;
    let known = |word: Node| heads[usize::from(word) - 1];
    let mut made = heads.to_vec();
    // By node: known dependents that have not joined it.
    let mut missing = vec![0u32; heads.len() + 1];
    for &head in heads.iter().filter(|&&head| head != NO_NODE) {
        missing[usize::from(head)] += 1;
    }
    let mut stack = vec![ROOT];
    for word in 1..=n + 1 {
        // One step further than there are words, to join what is left.
        let at_end = word > n;
        stack.extend((!at_end).then_some(word));
        while let [.., s1, s0] = stack[..] {
            let may = |head: Node, dependent: Node| {
                let too_early = roots == Roots::Single && head == ROOT && !(at_end && stack.len() == 2);
                let is_right = known(dependent) == head || known(dependent) == NO_NODE;
                is_right && missing[usize::from(dependent)] == 0 && !too_early
            };
            let (head, dependent) = if s1 != ROOT && known(s1) != NO_NODE && may(s0, s1) {
                (s0, s1)
            } else if may(s1, s0) {
                (s1, s0)
            } else if s1 != ROOT && may(s0, s1) {
                (s0, s1)
            } else {
                break;
            };
            if known(dependent) != NO_NODE {
                missing[usize::from(head)] -= 1;
            }
            made[usize::from(dependent) - 1] = head;
            // The dependent is S0 or S1.
            stack.truncate(stack.len() - 2);
            stack.push(head);
        }
    }
    (stack.len() == 1).then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Tree, all_trees, is_projective};

    /// Every part of every tree of up to five words.
    #[test]
    fn parts_of_trees_are_completed() {
        for roots in [Roots::Single, Roots::Several] {
            for n in 1..=5usize {
                for tree in all_trees(n, roots) {
                    for part in 0..1 << n {
                        let head = |(place, &head): (usize, &Node)| if part >> place & 1 == 1 { head } else { NO_NODE };
                        let known: Vec<Node> = tree.heads().iter().enumerate().map(head).collect();
                        assert_eq!(partial_violations(&known, roots), []);
                        let whole = completed(&known, roots);
                        assert_eq!(violations(&whole, roots), [], "{known:?}");
                        let keeps = |(known, whole): (&Node, &Node)| *known == NO_NODE || known == whole;
                        assert!(known.iter().zip(&whole).all(keeps), "{known:?} {whole:?}");
                        // A part of a projective tree has a projective completion: that tree.
                        if is_projective(&tree) {
                            assert!(is_projective(&Tree::new(&whole, &vec![0; n])), "{known:?} {whole:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_part_of_a_tree_is_found() {
        let open = NO_NODE;
        assert_eq!(partial_violations(&[open, open], Roots::Single), []);
        assert_eq!(partial_violations(&[2, 1, open], Roots::Single), [Violation::Cycle(vec![1, 2])]);
        assert_eq!(partial_violations(&[0, open, 0], Roots::Single), [Violation::SeveralRoots(vec![1, 3])]);
        assert_eq!(partial_violations(&[0, open, 0], Roots::Several), []);
        assert_eq!(partial_violations(&[open, 2], Roots::Several), [Violation::SelfLoop(2)]);
        assert_eq!(partial_violations(&[open, 7], Roots::Several), [Violation::NoHead(2)]);
    }
}
