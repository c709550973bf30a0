//! A gold tree, prepared once per sentence for the oracles.

use std::sync::OnceLock;

use super::{LabelId, NO_NODE, Node, Orders, Tree};

/// A gold tree with its dependents in order, so that every question an oracle asks takes constant or logarithmic time.
#[derive(Debug, Clone)]
pub struct Gold {
    tree: Tree,
    /// Dependents of node `h`, ascending: `dependents[first[h]..first[h + 1]]`.
    dependents: Vec<Node>,
    first: Vec<u32>,
    /// Computed when first asked for: only systems that reorder words ask.
    orders: OnceLock<Orders>,
}

impl Gold {
    /// Prepares `tree`, in which every word must have a head.
    ///
    /// # Panics
    /// If a word has no head or a head that does not exist.
    pub fn new(tree: Tree) -> Gold {
        let n = tree.n_words();
        let mut first = vec![0u32; n + 2];
        for word in tree.words() {
            let head = tree.head(word);
            assert!(head != NO_NODE && (head as usize) <= n, "word {word} has no valid head");
            first[head as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut dependents = vec![0; n];
        for word in tree.words() {
            let slot = &mut next[tree.head(word) as usize];
            dependents[*slot as usize] = word;
            *slot += 1;
        }
        Gold { tree, dependents, first, orders: OnceLock::new() }
    }

    /// The tree itself.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.tree.n_words()
    }

    /// The gold head of `node`; [`NO_NODE`] for the root.
    pub fn head(&self, node: Node) -> Node {
        self.tree.head(node)
    }

    /// The gold label of `word`.
    pub fn label(&self, word: Node) -> LabelId {
        self.tree.label(word)
    }

    /// Its projective order and maximal projective components.
    #[inline]
    pub fn orders(&self) -> &Orders {
        self.orders.get_or_init(|| Orders::of(self))
    }

    /// The dependents of `node`, ascending.
    pub fn dependents(&self, node: Node) -> &[Node] {
        &self.dependents[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The number of dependents of `node` at `from` or to its right.
    pub fn n_dependents_from(&self, node: Node, from: Node) -> u32 {
        let dependents = self.dependents(node);
        // Most nodes have few dependents, and most questions are about the right end.
        dependents.iter().rev().take_while(|&&d| d >= from).count() as u32
    }
}
