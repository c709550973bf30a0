//! Configurations of the Covington family: two lists and a buffer.
//!
//! The lists of a Covington configuration ⟨λ1, λ2, β, A⟩ hold consecutive nodes: λ1 the root and the words up to the left
//! focus i, λ2 the words between the focus words, β the words from the right focus j on. So two numbers say where it
//! stands: the length of λ1, which is i + 1, and j.
//!
//! # Invariants of the shared implementation
//! * Moving a focus copies nothing: O(1). An arc copies the sentence's heads and its table of cells, and remakes the cells
//!   that see it: O(n), for n arcs or so of a derivation that may have n² transitions.
//! * Every cell in the table is current, heads of heads included: when a word gets or loses its head, the cells of its
//!   dependents and of their dependents are remade.

use super::{
    Arena, Cell, Cells, Configuration, ListPlace, PartialTree, PlainView, Point, Restored, Role, Saved,
    SharedConfiguration,
};
use crate::tree::{LabelId, NO_LABEL, NO_NODE, Node, Tree};

/// A configuration ⟨λ1, λ2, β, A⟩ with λ1 = 0..i, λ2 = i+1..j-1, β = j..n.
pub trait Lists: Configuration {
    /// The configuration before the first transition: λ1 holds the root, β the words.
    fn initial(arena: Self::Arena, n_words: usize) -> Self;

    /// The number of nodes in λ1, the root included; the left focus is the last of them.
    fn n_left(&self) -> Node;
    /// The right focus j; one past the last word if β is empty.
    fn right(&self) -> Node;
    /// The head of every node so far, by node; [`NO_NODE`] where there is none.
    fn heads(&self) -> &[Node];

    /// The number of words.
    fn n_words(&self) -> usize {
        self.heads().len() - 1
    }

    /// Moves the last `n` nodes of λ1 to λ2.
    fn pass(&self, n: Node) -> Self;
    /// Moves λ2 and the right focus to λ1.
    fn shift(&self) -> Self;
    /// Takes their heads from the words `detached`, then makes `dependent` a dependent of `head` instead of what it was.
    fn attach(
        &self,
        head: Node,
        dependent: Node,
        label: LabelId,
        detached: impl IntoIterator<Item = Node>,
        arena: Self::Arena,
    ) -> Self;
}

/// [`Lists`] in an [`Arena`]: a few words, `Copy`.
#[derive(Debug, Clone, Copy)]
pub struct SharedLists<'a> {
    n_left: Node,
    right: Node,
    /// The sum of the arcs' fingerprints.
    arcs: u64,
    heads: &'a [Node],
    /// By node.
    cells: &'a [&'a Cell<'a>],
}

impl<'a> SharedLists<'a> {
    /// The cells of all nodes, by node.
    #[inline]
    pub(super) fn table(&self) -> &'a [&'a Cell<'a>] {
        self.cells
    }
}

/// Draft of the next configuration's arcs: copies of the tables.
struct Draft<'a> {
    arcs: u64,
    heads: &'a mut [Node],
    cells: &'a mut [&'a Cell<'a>],
    arena: Arena<'a>,
}

impl<'a> Draft<'a> {
    fn of(c: &SharedLists<'a>, arena: Arena<'a>) -> Draft<'a> {
        let bump = arena.bump();
        let (heads, cells) = (bump.alloc_slice_copy(c.heads), bump.alloc_slice_copy(c.cells));
        Draft { arcs: c.arcs, heads, cells, arena }
    }

    fn label(&self, node: Node) -> LabelId {
        self.cells[node as usize].label()
    }

    fn fingerprint(&self, word: Node) -> u64 {
        let arc = u64::from(self.heads[word as usize]) | u64::from(word) << 16 | u64::from(self.label(word)) << 32;
        let arc = (arc + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (arc ^ arc >> 29).wrapping_mul(0x1656_67b1_9e37_79f9)
    }

    fn tree(&self, node: Node) -> PartialTree {
        self.cells[node as usize].partial
    }

    fn remake(&mut self, node: Node, tree: PartialTree) {
        self.cells[node as usize] = self.arena.on(tree, None);
    }

    /// Adds the words that hang on `node` to the dependents of its partial tree.
    fn with_dependents(&self, node: Node, tree: PartialTree) -> PartialTree {
        let dependents = (1..self.heads.len() as Node).filter(|&word| self.heads[word as usize] == node);
        dependents
            .fold(tree, |tree, word| tree.with_dependent(&self.tree(word), self.label(word), self.arena.interner()))
    }

    /// Remakes the cells that see the head of `word`, whose own cell is current: those of its dependents, and of theirs.
    fn spread(&mut self, word: Node) {
        let n = self.heads.len() as Node;
        for below in 1..n {
            if self.heads[below as usize] == word {
                self.take_over(below);
                for next in 1..n {
                    if self.heads[next as usize] == below {
                        self.take_over(next);
                    }
                }
            }
        }
    }

    /// Remakes what the cell of `word` says of its head.
    fn take_over(&mut self, word: Node) {
        let head = self.tree(self.heads[word as usize]);
        self.remake(word, self.tree(word).with_head(&head, self.label(word), self.arena.interner()));
    }

    fn detach(&mut self, word: Node) {
        let head = self.heads[word as usize];
        if head == NO_NODE {
            return;
        }
        self.arcs = self.arcs.wrapping_sub(self.fingerprint(word));
        self.heads[word as usize] = NO_NODE;
        self.remake(word, self.tree(word).without_head());
        self.remake(head, self.with_dependents(head, self.tree(head).without_dependents()));
        self.spread(word);
    }

    /// Makes `word`, which has no head, a dependent of `head`.
    fn attach(&mut self, head: Node, word: Node, label: LabelId) {
        self.heads[word as usize] = head;
        let tree = self.tree(head).with_dependent(&self.tree(word), label, self.arena.interner());
        self.remake(head, tree);
        self.remake(word, self.tree(word).with_head(&tree, label, self.arena.interner()));
        self.arcs = self.arcs.wrapping_add(self.fingerprint(word));
        self.spread(word);
    }
}

impl<'a> Configuration for SharedLists<'a> {
    type Arena = Arena<'a>;
}

impl<'a> SharedConfiguration<'a> for SharedLists<'a> {
    const LISTS: &'static [&'static str] = &["lambda1", "lambda2", "buffer"];
    const N_STACKS: usize = 1;
    const HAS_POINTS: bool = true;

    /// S0, S1, ... are λ1 from its end, `point` nodes of it left out; M0 is the first of what then is λ2; B0, B1, ... are
    /// β.
    #[inline]
    fn cells(&self, point: Point) -> Cells<'a> {
        let mut cells: Cells<'a> = [None; Role::COUNT];
        let n_left = self.n_left.saturating_sub(point) as usize;
        let right = (self.right as usize).min(self.cells.len());
        for (place, cell) in cells[..=Role::S3 as usize].iter_mut().zip(self.cells[..n_left].iter().rev()) {
            *place = Some(cell);
        }
        cells[Role::M0 as usize] = self.cells[n_left..right].first().copied();
        for (place, cell) in cells[Role::B0 as usize..].iter_mut().zip(&self.cells[right..]) {
            *place = Some(cell);
        }
        cells
    }

    #[inline]
    fn identity(&self) -> u64 {
        let lists = u64::from(self.n_left) | u64::from(self.right) << 16;
        (self.arcs ^ (lists + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    fn save(&self, to: &mut Saved) {
        let SharedLists { n_left, right, arcs, heads, cells } = *self;
        [n_left, right].into_iter().for_each(|number| to.number(number));
        to.number(arcs);
        to.number(heads.len() as u64);
        heads.iter().for_each(|&head| to.number(head));
        cells.iter().for_each(|&cell| to.cell(Some(cell)));
    }

    fn restored(from: &mut Restored<'a, '_>) -> Self {
        let bump = from.bump;
        let [n_left, right] = [(); 2].map(|()| from.number() as Node);
        let (arcs, n) = (from.number(), from.number() as usize);
        let heads = bump.alloc_slice_fill_with(n, |_| from.number() as Node);
        let cells = bump.alloc_slice_fill_with(n, |_| from.listed());
        SharedLists { n_left, right, arcs, heads, cells }
    }

    fn places(&self) -> Vec<Vec<ListPlace<'a>>> {
        let cells = self.table();
        let left = usize::from(self.n_left());
        let right = usize::from(self.right()).min(cells.len());
        let list = |cells: &[&'a Cell<'a>]| cells.iter().map(|cell| ListPlace::of(cell)).collect();
        vec![list(&cells[..left]), list(&cells[left..right]), list(&cells[right..])]
    }
}

impl<'a> Lists for SharedLists<'a> {
    fn initial(arena: Arena<'a>, n_words: usize) -> Self {
        let bump = arena.bump();
        let heads = bump.alloc_slice_fill_copy(n_words + 1, NO_NODE);
        arena.interner().cover(n_words);
        let cells = bump.alloc_slice_fill_with(n_words + 1, |node| arena.on(PartialTree::bare(node as Node), None));
        SharedLists { n_left: 1, right: 1, arcs: 0, heads, cells }
    }

    #[inline]
    fn n_left(&self) -> Node {
        self.n_left
    }

    #[inline]
    fn right(&self) -> Node {
        self.right
    }

    #[inline]
    fn heads(&self) -> &[Node] {
        self.heads
    }

    #[inline]
    fn pass(&self, n: Node) -> Self {
        SharedLists { n_left: self.n_left - n, ..*self }
    }

    #[inline]
    fn shift(&self) -> Self {
        SharedLists { n_left: self.right + 1, right: self.right + 1, ..*self }
    }

    fn attach(
        &self,
        head: Node,
        dependent: Node,
        label: LabelId,
        detached: impl IntoIterator<Item = Node>,
        arena: Arena<'a>,
    ) -> Self {
        let mut draft = Draft::of(self, arena);
        detached.into_iter().chain([dependent]).for_each(|word| draft.detach(word));
        draft.attach(head, dependent, label);
        SharedLists { arcs: draft.arcs, heads: draft.heads, cells: draft.cells, ..*self }
    }
}

/// [`Lists`] as plain vectors: the reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlainLists {
    n_left: Node,
    right: Node,
    /// By node; [`NO_NODE`] where there is no head yet.
    heads: Vec<Node>,
    /// By node; [`NO_LABEL`] where there is no head yet.
    labels: Vec<LabelId>,
}

impl Configuration for PlainLists {
    type Arena = ();
}

impl PlainView for PlainLists {
    fn tree(&self) -> Tree {
        Tree::new(&self.heads[1..], &self.labels[1..])
    }

    fn lists(&self) -> Vec<Vec<Node>> {
        let end = self.heads.len() as Node;
        vec![(0..self.n_left).collect(), (self.n_left..self.right.min(end)).collect(), (self.right..end).collect()]
    }
}

impl Lists for PlainLists {
    fn initial((): (), n_words: usize) -> Self {
        PlainLists { n_left: 1, right: 1, heads: vec![NO_NODE; n_words + 1], labels: vec![NO_LABEL; n_words + 1] }
    }

    fn n_left(&self) -> Node {
        self.n_left
    }

    fn right(&self) -> Node {
        self.right
    }

    fn heads(&self) -> &[Node] {
        &self.heads
    }

    fn pass(&self, n: Node) -> Self {
        PlainLists { n_left: self.n_left - n, ..self.clone() }
    }

    fn shift(&self) -> Self {
        PlainLists { n_left: self.right + 1, right: self.right + 1, ..self.clone() }
    }

    fn attach(
        &self,
        head: Node,
        dependent: Node,
        label: LabelId,
        detached: impl IntoIterator<Item = Node>,
        (): (),
    ) -> Self {
        let mut next = self.clone();
        for word in detached {
            next.heads[word as usize] = NO_NODE;
            next.labels[word as usize] = NO_LABEL;
        }
        next.heads[dependent as usize] = head;
        next.labels[dependent as usize] = label;
        next
    }
}
