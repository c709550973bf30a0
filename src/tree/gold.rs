//! A gold tree, whole or in part, prepared once per sentence for the oracles.

use std::sync::OnceLock;

use super::{LabelId, NO_LABEL, NO_NODE, Node, Orders, ROOT, Roots, Tree, completed};

/// A gold tree with its dependents in order, so that every question an oracle asks takes constant or logarithmic time.
#[derive(Debug, Clone)]
pub struct Gold {
    tree: Tree,
    /// Dependents of node `h`, ascending: `dependents[first[h]..first[h + 1]]`.
    dependents: Vec<Node>,
    first: Vec<u32>,
    /// Computed when first asked for: only systems that reorder words ask.
    orders: OnceLock<Orders>,
    /// By word; see [`Gold::span_start`]. Computed when first asked for.
    span_starts: OnceLock<Vec<Node>>,
    /// By node: what the arc into it counts in losses; none if each counts 1.
    weights: Vec<u32>,
    /// True if heads or labels of some words are not known.
    is_partial: bool,
    /// The gold side of the words alone, where the tree has second nodes for tags.
    of_parser: Option<Box<Gold>>,
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
        Gold {
            tree,
            dependents,
            first,
            orders: OnceLock::new(),
            span_starts: OnceLock::new(),
            weights: Vec::new(),
            is_partial: false,
            of_parser: None,
        }
    }

    /// The same tree [with tags](Tree::with_tags).
    ///
    /// # Panics
    /// If there are not as many tags as words, or too many words.
    #[must_use]
    pub fn with_tags(self, tags: &[LabelId]) -> Gold {
        let whole = Gold::new(self.tree.with_tags(tags));
        let weights = if self.is_weighted() { [&self.weights[..], &vec![1; tags.len()]].concat() } else { Vec::new() };
        Gold { weights, is_partial: self.is_partial, of_parser: Some(Box::new(self)), ..whole }
    }

    /// The gold side of the words alone.
    #[inline]
    pub fn of_parser(&self) -> &Gold {
        self.of_parser.as_deref().unwrap_or(self)
    }

    /// The same tree, each of whose arcs counts in losses by its label: weighted Hamming loss. Labels from `by_label`'s end on count 1.
    #[must_use]
    pub fn weighted(self, by_label: &[u32]) -> Gold {
        let of_parser = self.of_parser.as_ref().map(|gold| Box::new((**gold).clone().weighted(by_label)));
        let of = |word| by_label.get(usize::from(self.label(word))).copied().unwrap_or(1) * self.weight(word);
        let weights = [1].into_iter().chain(self.tree.words().map(of)).collect();
        Gold { weights, of_parser, ..self }
    }

    /// The gold side of a partial tree: words that have no head there get one, such that the tree is complete and projective if that
    /// can be, and count nothing.
    ///
    /// # Panics
    /// If the arcs make a cycle, or more words hang on the root than `roots` allows.
    pub fn partial(known: &Tree, roots: Roots) -> Gold {
        let heads = completed(known.heads(), roots);
        let weights = [1].into_iter().chain(known.heads().iter().map(|&head| u32::from(head != NO_NODE))).collect();
        Gold { weights, is_partial: true, ..Gold::new(Tree::new(&heads, known.labels())) }
    }

    /// The same tree, of which the arcs into some words alone count, as if no others were known.
    #[must_use]
    pub fn counting(self, counts: impl Fn(Node) -> bool) -> Gold {
        let weight = |word: Node| if word == ROOT || counts(word) { self.weight(word) } else { 0 };
        let weights = (0..=self.n_words() as Node).map(weight).collect();
        Gold { weights, is_partial: true, ..self }
    }

    /// True if it is the gold side of a [partial tree](Gold::partial).
    #[inline]
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// True if `label` is right for the arc into `word`: its gold label, or any, if it has none.
    #[inline]
    pub fn has_label(&self, word: Node, label: LabelId) -> bool {
        let gold = self.label(word);
        gold == label || gold == NO_LABEL
    }

    /// True if arcs are [weighted](Gold::weighted), or [some alone](Gold::partial) count.
    #[inline]
    pub fn is_weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Weight of the arc into `word` in losses: 1, unless arcs are [weighted](Gold::weighted) or it does not [count](Gold::partial).
    #[inline]
    pub fn weight(&self, word: Node) -> u32 {
        self.weights.get(usize::from(word)).copied().unwrap_or(1)
    }

    /// The weight of the arcs from `node` to its dependents at `from` or to their right.
    #[inline]
    pub fn weight_from(&self, node: Node, from: Node) -> u32 {
        match self.weights.is_empty() {
            true => self.n_dependents_from(node, from),
            false => self.dependents(node).iter().filter(|&&d| d >= from).map(|&d| self.weight(d)).sum(),
        }
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
        self.orders.get_or_init(|| Orders::of(&self.tree, |node| self.dependents(node)))
    }

    /// True if the tree is projective.
    pub fn is_projective(&self) -> bool {
        self.starts()[1..].iter().all(|&start| start != NO_NODE)
    }

    /// The first word of the subtree of `word`, if the words of that subtree and of every subtree in it follow one another:
    /// then all arcs within are projective. `None` if they do not.
    #[inline]
    pub fn span_start(&self, word: Node) -> Option<Node> {
        Some(self.starts()[word as usize]).filter(|&start| start != NO_NODE)
    }

    fn starts(&self) -> &[Node] {
        self.span_starts.get_or_init(|| {
            let n = self.n_words();
            // Heads before their dependents.
            let mut order = self.dependents(0).to_vec();
            for place in 0.. {
                match order.get(place) {
                    Some(&word) => order.extend_from_slice(self.dependents(word)),
                    None => break,
                }
            }
            let mut starts: Vec<Node> = (0..=n as Node).collect();
            let (mut last, mut size) = (starts.clone(), vec![1; n + 1]);
            for &word in order.iter().rev() {
                let whole = |&d: &Node| starts[d as usize] != NO_NODE;
                let all_whole = self.dependents(word).iter().all(whole);
                for &dependent in self.dependents(word) {
                    last[word as usize] = last[word as usize].max(last[dependent as usize]);
                    starts[word as usize] = starts[word as usize].min(starts[dependent as usize]);
                    size[word as usize] += size[dependent as usize];
                }
                let (first, last) = (starts[word as usize], last[word as usize]);
                if !all_whole || last - first + 1 != size[word as usize] {
                    starts[word as usize] = NO_NODE;
                }
            }
            starts
        })
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
