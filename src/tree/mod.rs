//! Heads and labels as mathematics: what a tree is, whether it is projective, how to lift one that is not.
//!
//! Nodes are numbers: 0 is the root, `1..=n` are the sentence's words in order.

mod gold;
mod label;
mod length;
pub mod lift;
mod order;
mod partial;
mod projective;
mod validity;

pub use gold::Gold;
pub use label::{LabelId, Labels, NO_LABEL};
pub use length::{ARC_LENGTHS, arc_length};
pub use order::Orders;
pub use partial::{completed, partial_violations};
pub use projective::{is_projective, non_projective_arcs};
pub use validity::{Roots, Violation, violations};

/// A node of a sentence: 0 is the root, `1..=n` its words.
pub type Node = u16;

/// The artificial root.
pub const ROOT: Node = 0;

/// "No such node": an empty stack position, a missing head or dependent.
pub const NO_NODE: Node = Node::MAX;

/// The longest sentence that can be parsed, in words. The last two numbers of [`Node`] are kept free: one for
/// [`NO_NODE`], one for the position of a root that stands behind the last word.
pub const MAX_WORDS: usize = Node::MAX as usize - 2;

/// A labelled dependency tree (or forest under the root) over `n` words.
///
/// # Examples
/// ```
/// use treebeam::tree::{Labels, ROOT, Roots, Tree, is_projective, violations};
///
/// let mut labels = Labels::default();
/// let [root, det, nsubj] = ["root", "det", "nsubj"].map(|name| labels.intern(name));
/// // "The dog barks": entry 0 belongs to the first word.
/// let tree = Tree::new(&[2, 3, ROOT], &[det, nsubj, root]);
/// assert_eq!((tree.head(1), labels.name(tree.label(1))), (2, "det"));
/// assert!(is_projective(&tree));
/// assert!(violations(tree.heads(), Roots::Single).is_empty());
/// // A cycle is no tree.
/// assert_eq!(violations(&[2, 1, ROOT], Roots::Single).len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tree {
    heads: Vec<Node>,
    labels: Vec<LabelId>,
}

impl Tree {
    /// A tree over `n` words, none of which has a head yet.
    pub fn unattached(n: usize) -> Tree {
        assert!(n <= MAX_WORDS, "a sentence has at most {MAX_WORDS} words");
        Tree { heads: vec![NO_NODE; n + 1], labels: vec![NO_LABEL; n + 1] }
    }

    /// A tree from heads and labels, both for the words `1..=n` in order (entry 0 belongs to word 1).
    ///
    /// # Panics
    /// If the two differ in length.
    pub fn new(heads: &[Node], labels: &[LabelId]) -> Tree {
        assert_eq!(heads.len(), labels.len());
        let mut tree = Tree::unattached(heads.len());
        tree.heads[1..].copy_from_slice(heads);
        tree.labels[1..].copy_from_slice(labels);
        tree
    }

    /// The tree with a second node for each word, whose arc from the root bears the word's tag: the tree of
    /// [joint tagging](crate::system::Joint).
    ///
    /// # Panics
    /// If there are not as many tags as words, or too many words.
    #[must_use]
    pub fn with_tags(&self, tags: &[LabelId]) -> Tree {
        assert_eq!(self.n_words(), tags.len());
        Tree::new(&[self.heads(), &vec![ROOT; tags.len()]].concat(), &[self.labels(), tags].concat())
    }

    /// The tree of the words alone and the tags, of a tree that has second nodes.
    #[must_use]
    pub fn without_tags(&self) -> (Tree, Vec<LabelId>) {
        let n_words = self.n_words() / 2;
        let (labels, tags) = self.labels().split_at(n_words);
        (Tree::new(&self.heads()[..n_words], labels), tags.to_vec())
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.heads.len() - 1
    }

    /// The head of `word`; [`NO_NODE`] if it has none, as the root never has.
    pub fn head(&self, word: Node) -> Node {
        self.heads[word as usize]
    }

    /// The heads of the words; entry 0 belongs to word 1.
    pub fn heads(&self) -> &[Node] {
        &self.heads[1..]
    }

    /// The labels of the words' arcs; entry 0 belongs to word 1.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels[1..]
    }

    /// The label of the arc into `word`.
    pub fn label(&self, word: Node) -> LabelId {
        self.labels[word as usize]
    }

    /// Attaches `word` to `head` with `label`, replacing what it had.
    pub fn attach(&mut self, word: Node, head: Node, label: LabelId) {
        self.heads[word as usize] = head;
        self.labels[word as usize] = label;
    }

    /// The words `1..=n`.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        1..self.heads.len() as Node
    }

    /// The number of words whose head is the root.
    pub fn n_roots(&self) -> usize {
        self.words().filter(|&w| self.head(w) == ROOT).count()
    }
}

/// All trees over `n` words, a few, each word `w` labelled `w - 1`: for tests that try every one.
pub fn all_trees(n: usize, roots: Roots) -> impl Iterator<Item = Tree> {
    let labels: Vec<LabelId> = (0..n as LabelId).collect();
    (0..(n + 1).pow(n as u32)).filter_map(move |mut code| {
        let heads: Vec<Node> = (0..n)
            .map(|_| {
                let head = (code % (n + 1)) as Node;
                code /= n + 1;
                head
            })
            .collect();
        violations(&heads, roots).is_empty().then(|| Tree::new(&heads, &labels))
    })
}
