//! Validity: the conditions under which a list of heads is a tree.

use super::{NO_NODE, Node, ROOT};
use crate::choice::choice;
use std::fmt;

choice! {
    /// Number of words that may hang from the root.
    #[derive(Default)]
    pub enum Roots {
        /// Exactly one, as Universal Dependencies demand.
        #[default]
        Single,
        /// One or more, as in CoNLL-X.
        Several,
    }
}

/// The most words that a message names.
const MOST_NAMED: usize = 20;

/// One way in which heads fail to be a tree. Words are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The word has no head, or one that does not exist.
    NoHead(Node),
    /// The word is its own head.
    SelfLoop(Node),
    /// Each word's head is the next one, the last one's is the first; starts with the smallest.
    Cycle(Vec<Node>),
    /// All words have heads, and no word hangs from the root.
    NoRoot,
    /// These words hang from the root, and only one may.
    SeveralRoots(Vec<Node>),
}

impl Violation {
    /// The first word concerned, if the violation has a place.
    pub fn word(&self) -> Option<Node> {
        match self {
            Violation::NoHead(word) | Violation::SelfLoop(word) => Some(*word),
            Violation::Cycle(words) => words.first().copied(),
            // The first root is all right; the second is the one too many.
            Violation::SeveralRoots(words) => words.get(1).copied(),
            Violation::NoRoot => None,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::NoHead(word) => write!(f, "word {word} has no head in the sentence"),
            Violation::SelfLoop(word) => write!(f, "word {word} is its own head"),
            Violation::Cycle(words) => {
                f.write_str("a cycle of heads: ")?;
                words.iter().take(MOST_NAMED).try_for_each(|word| write!(f, "{word} -> "))?;
                if words.len() > MOST_NAMED {
                    write!(f, "... -> ")?;
                }
                words.first().map_or(Ok(()), |word| write!(f, "{word}"))?;
                if words.len() > MOST_NAMED { write!(f, ", {} words", words.len()) } else { Ok(()) }
            }
            Violation::NoRoot => f.write_str("no word with head 0"),
            Violation::SeveralRoots(words) => {
                let named: Vec<String> = words.iter().take(MOST_NAMED).map(ToString::to_string).collect();
                let more = if words.len() > MOST_NAMED { ", ..." } else { "" };
                write!(f, "{} words with head 0: {}{more}", words.len(), named.join(", "))
            }
        }
    }
}

/// Everything that keeps `heads` from being a tree; empty for a tree. Entry 0 is the head of word 1.
///
/// Time and space are linear in the number of words. Sentences without words are not trees.
pub fn violations(heads: &[Node], roots: Roots) -> Vec<Violation> {
    let n = heads.len();
    let exists = |head: Node| head != NO_NODE && head as usize <= n;
    let mut found = Vec::new();
    // The walk that first met a node, from 1; 0 is "not met yet". A walk that meets itself has closed a cycle.
    let mut met_by = vec![0usize; n + 1];
    for word in 1..=n as Node {
        let head = heads[word as usize - 1];
        if !exists(head) {
            found.push(Violation::NoHead(word));
        }
        let walk = word as usize;
        let mut node = word;
        while node != ROOT && exists(node) && met_by[node as usize] == 0 {
            met_by[node as usize] = walk;
            node = heads[node as usize - 1];
        }
        if node != ROOT && exists(node) && met_by[node as usize] == walk {
            found.push(cycle_through(node, heads));
        }
    }
    let attached: Vec<Node> = (1..=n as Node).filter(|&word| heads[word as usize - 1] == ROOT).collect();
    if attached.is_empty() {
        // Without heads there is no root either, but saying so helps nobody.
        if heads.iter().all(|&head| exists(head)) {
            found.push(Violation::NoRoot);
        }
    } else if attached.len() > 1 && roots == Roots::Single {
        found.push(Violation::SeveralRoots(attached));
    }
    found
}

fn cycle_through(node: Node, heads: &[Node]) -> Violation {
    let mut cycle = vec![node];
    let mut next = heads[node as usize - 1];
    while next != node {
        cycle.push(next);
        next = heads[next as usize - 1];
    }
    if cycle.len() == 1 {
        return Violation::SelfLoop(node);
    }
    let smallest = cycle.iter().enumerate().min_by_key(|&(_, word)| word).map_or(0, |(i, _)| i);
    cycle.rotate_left(smallest);
    Violation::Cycle(cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_violation_is_found() {
        use Violation::*;
        assert_eq!(violations(&[2, 0, 2], Roots::Single), []);
        assert_eq!(violations(&[2, 0, 0], Roots::Several), []);
        assert_eq!(violations(&[2, 0, 0], Roots::Single), [SeveralRoots(vec![2, 3])]);
        assert_eq!(violations(&[0, 2], Roots::Single), [SelfLoop(2)]);
        assert_eq!(violations(&[0, 4, 2, 3], Roots::Single), [Cycle(vec![2, 4, 3])]);
        assert_eq!(violations(&[2, 1], Roots::Several), [Cycle(vec![1, 2]), NoRoot]);
        assert_eq!(violations(&[0, 7, NO_NODE], Roots::Single), [NoHead(2), NoHead(3)]);
        assert_eq!(violations(&[], Roots::Several), [NoRoot]);
    }

    #[test]
    fn a_cycle_is_reported_once_and_names_its_words() {
        let found = violations(&[3, 1, 2, 1, 4, 0], Roots::Single);
        assert_eq!(found, [Violation::Cycle(vec![1, 3, 2])]);
        assert_eq!(found[0].to_string(), "a cycle of heads: 1 -> 3 -> 2 -> 1");
    }

    /// As many trees over n words under one root node as Cayley's formula says: (n + 1)^(n - 1).
    #[test]
    fn counts_of_trees_match_cayley() {
        for n in 1..=5usize {
            let mut heads = vec![0 as Node; n];
            let mut n_trees = 0;
            loop {
                n_trees += usize::from(violations(&heads, Roots::Several).is_empty());
                let Some(digit) = heads.iter().position(|&head| (head as usize) < n) else { break };
                heads[digit] += 1;
                heads[..digit].fill(0);
            }
            assert_eq!(n_trees, (n + 1).pow(n as u32 - 1), "n = {n}");
        }
    }
}
