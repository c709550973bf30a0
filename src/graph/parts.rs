//! Parts of second or third order that a score sees of a tree: an arc with its neighbours.

use crate::tree::{NO_NODE, Node, ROOT};

/// An arc with the neighbours that decide its score. Every word of a tree is the dependent of exactly one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// The head of the head; [`NO_NODE`] if that is the root, or scores do not see it.
    pub grandparent: Node,
    /// The head.
    pub head: Node,
    /// The dependent of the same head that stands next to this one on the way to the head; [`NO_NODE`] if there is none, or
    /// scores do not see it.
    pub sibling: Node,
    /// The dependent.
    pub dependent: Node,
}

impl Part {
    /// The arc alone.
    pub fn arc(head: Node, dependent: Node) -> Part {
        Part { grandparent: NO_NODE, head, sibling: NO_NODE, dependent }
    }

    /// The part of `dependent` in the tree with these heads, entry 0 being the head of word 1, as scores of this order see it.
    pub fn of(heads: &[Node], dependent: Node, order: Order) -> Part {
        let head_of = |word: Node| heads[word as usize - 1];
        let mut part = Part::arc(head_of(dependent), dependent);
        let head = part.head;
        if order >= Order::Second {
            let is_child = |word: &Node| head_of(*word) == head;
            let sibling = match head < dependent {
                true => (head + 1..dependent).rev().find(is_child),
                false => (dependent + 1..head).find(is_child),
            };
            part.sibling = sibling.unwrap_or(NO_NODE);
        }
        if order == Order::Third && head != ROOT {
            part.grandparent = head_of(head);
        }
        part
    }
}

/// Order of a model: the largest number of arcs that a score sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// An arc.
    First,
    /// An arc and that of the next sibling.
    Second,
    /// An arc, that of the next sibling, and that of the head.
    Third,
}

impl Order {
    /// The longest sentence, in words, whose best tree is looked for among all.
    pub fn exact_words(self) -> usize {
        match self {
            Order::First => usize::MAX,
            Order::Second => 500,
            Order::Third => 200,
        }
    }

    /// Largest number of heads that a word of a longer sentence may have, so that memory stays that of the longest
    /// exact one.
    pub fn most_heads(self, n_words: usize) -> usize {
        (self.exact_words().saturating_pow(3) / n_words.pow(2)).max(1)
    }
}
