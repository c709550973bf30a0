//! The parser's configuration: a stack, a buffer, and the arcs made so far.
//!
//! Transition systems are written once, over a trait of its family ([`Stacks`]), in terms of a handful of effects. Two
//! implementations stand behind it: [`ArenaConfiguration`], whose stacks and buffers share their structure so that a
//! transition is O(1) and nothing is copied, and [`PlainConfiguration`], plain vectors, the reference that tests
//! walk beside it. Covington's systems have a family of their own, [`Lists`], with [`SharedLists`] and [`PlainLists`], and
//! so have easy-first, [`Pending`], with [`SharedPending`] and [`PlainPending`], and the 2-planar system, [`TwoStacks`], with
//! [`SharedTwoStacks`] and [`PlainTwoStacks`].

mod arena;
mod cell;
mod label_set;
mod lists;
mod partial_tree;
mod pending;
mod plain;
mod role;
mod saved;
mod side;
mod slot;
mod tagged;
mod trees;
mod two_stacks;

pub(crate) use arena::fingerprint;
pub use arena::{Arena, ArenaConfiguration};
pub use cell::{Cell, History};
pub use label_set::{LabelSetId, LabelSets};
pub use lists::{Lists, PlainLists, SharedLists};
pub use partial_tree::{Interner, PartialTree, Reads, States};
pub use pending::{Pending, PlainPending, SharedPending};
pub use plain::PlainConfiguration;
pub use role::{Cells, Role, View};
pub use saved::{Restored, Saved};
pub use side::{Dependents, NOTHING, STATE_SLOTS, Side, State, StateId};
pub use slot::{N_SLOTS, Slot};
pub use tagged::{max_tagged_words, tagged_row, tagged_word};
pub use trees::{Composition, TreeId, Trees};
pub use two_stacks::{PlainTwoStacks, SharedTwoStacks, TwoStacks};

use std::fmt::Debug;
use std::hash::Hash;

use crate::tree::{LabelId, Node, Tree};

/// Position of the artificial root at the start of a derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootPlace {
    /// At the bottom of the stack.
    StackBottom,
    /// Behind the last word of the buffer.
    BufferEnd,
    /// Nowhere: words that are left without a head hang on it.
    Nowhere,
}

/// Point of a configuration at which a move is taken: 0 where there is no choice.
pub type Point = u16;

/// A configuration of some family of systems. Effects return the successor and leave `self` as it is; they never check
/// preconditions, which belong to the transition system.
pub trait Configuration: Sized + Clone {
    /// Memory in which successors are built.
    type Arena: Copy;
}

/// A configuration as decoding and learning keep it.
pub trait SharedConfiguration<'a>: Configuration<Arena = Arena<'a>> + Copy + Debug {
    /// The names of the lists, in the order of [`PlainView::lists`].
    const LISTS: &'static [&'static str];
    /// Number of stacks: these lists, the first ones, grow and shrink at their right end.
    const N_STACKS: usize;
    /// True if systems of the family may have several points; others are not asked.
    const HAS_POINTS: bool = false;

    /// The cells that features read, as seen from `point`.
    fn cells(&self, point: Point) -> Cells<'a>;

    /// A fingerprint of all that later transitions and scores depend on, and of the arcs so far. Configurations of equal
    /// identity were reached by doing the same things in another order; they have the same successors with the same
    /// scores, and derive the same trees.
    fn identity(&self) -> u64;

    /// Writes all that the configuration is, but for the interner's.
    fn save(&self, to: &mut Saved);

    /// The configuration that was written next, in the memory of `from`.
    fn restored(from: &mut Restored<'a, '_>) -> Self;

    /// Places of each of the lists, from left to right as in [`PlainView::lists`], for traces.
    fn places(&self) -> Vec<Vec<ListPlace<'a>>>;
}

/// A place of a list as people look at it.
#[derive(Debug, Clone, Copy)]
pub struct ListPlace<'a> {
    /// The node that stands there.
    pub node: Node,
    /// A name for the cell in which it stands: configurations that share the cell share the name.
    pub cell: usize,
    /// The node's partial tree, if it does not stand elsewhere.
    pub tree: Option<&'a PartialTree>,
}

impl<'a> ListPlace<'a> {
    /// The place that `cell` stands for.
    pub(crate) fn of(cell: &'a Cell<'a>) -> ListPlace<'a> {
        ListPlace { node: cell.node(), cell: std::ptr::from_ref(cell).addr(), tree: Some(&cell.partial) }
    }
}

impl<'a> SharedConfiguration<'a> for ArenaConfiguration<'a> {
    const LISTS: &'static [&'static str] = &["stack", "buffer"];
    const N_STACKS: usize = 1;

    #[inline]
    fn cells(&self, _: Point) -> Cells<'a> {
        Role::cells(self.stack_cell(), self.buffer_cell())
    }

    #[inline]
    fn identity(&self) -> u64 {
        self.fingerprint()
    }

    fn save(&self, to: &mut Saved) {
        self.write_to(to);
    }

    fn restored(from: &mut Restored<'a, '_>) -> Self {
        Self::read_from(from)
    }

    fn places(&self) -> Vec<Vec<ListPlace<'a>>> {
        let list = |first| std::iter::successors(first, |cell: &&Cell<'a>| cell.below).map(ListPlace::of);
        let mut stack: Vec<ListPlace> = list(self.stack_cell()).collect();
        stack.reverse();
        vec![stack, list(self.buffer_cell()).collect()]
    }
}

/// Plain view of a configuration, for exhaustive search and the reference implementations.
pub trait PlainView: Eq + Hash + Debug + Send + Sync {
    /// The arcs so far, as a tree in which some words may lack a head.
    fn tree(&self) -> Tree;

    /// The nodes of each list of the configuration, as the literature writes them down from left to right: of a stack S0
    /// comes last, of a buffer B0 first.
    fn lists(&self) -> Vec<Vec<Node>>;
}

/// A configuration ⟨stack, buffer, arcs⟩.
///
/// S0 is the top of the stack, B0 the front of the buffer.
pub trait Stacks: Configuration {
    /// The configuration before the first transition, for a sentence of `n_words`.
    fn initial(arena: Self::Arena, n_words: usize, root: RootPlace) -> Self;

    /// The node at `depth` of the stack, S0 being depth 0.
    fn stack(&self, depth: usize) -> Option<Node>;
    /// The node at `index` of the buffer, B0 being index 0.
    fn buffer(&self, index: usize) -> Option<Node>;
    /// The number of nodes on the stack, a root included.
    fn stack_len(&self) -> usize;
    /// The number of nodes in the buffer, a root included.
    fn buffer_len(&self) -> usize;
    /// The number of words on the stack that have no head yet; the root is not counted.
    fn n_headless(&self) -> usize;
    /// The number of dependents of the node at `depth` of the stack; 0 if there is none.
    fn n_dependents(&self, depth: usize) -> usize;
    /// The buffer from the front on.
    fn buffer_nodes(&self) -> impl Iterator<Item = Node> + '_;
    /// The stack from the top down: each node, and whether it has a head already.
    fn stack_nodes(&self) -> impl Iterator<Item = (Node, bool)> + '_;

    /// True if B0 exists, came back from the stack, and has not been freed since.
    fn b0_is_bound(&self) -> bool;
    /// A bit that a system keeps beside its lists; false at first.
    fn flag(&self) -> bool;
    /// The same configuration with this bit.
    #[must_use]
    fn with_flag(&self, flag: bool) -> Self;
    /// The label of the arc into S0, if S0 exists and has a head.
    fn s0_label(&self) -> Option<LabelId>;

    /// True if S0 exists and has a head.
    fn s0_has_head(&self) -> bool {
        self.stack_nodes().next().is_some_and(|(_, has_head)| has_head)
    }

    /// Moves B0 onto the stack.
    fn shift(&self, arena: Self::Arena) -> Self;
    /// Pops S0.
    fn reduce(&self, arena: Self::Arena) -> Self;
    /// Moves S0 back to the front of the buffer, where it is bound.
    fn unshift(&self, arena: Self::Arena) -> Self;
    /// Frees B0.
    fn free_b0(&self, arena: Self::Arena) -> Self;
    /// Makes S0 a dependent of B0 and pops it. A head that it had, which must be S1, forgets it.
    fn left_arc_from_buffer(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes S0 a dependent of a root that stands nowhere, and pops it.
    fn arc_from_absent_root(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes B0 a dependent of S0 and moves it onto the stack.
    fn right_arc_to_buffer(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// True if B0 is a word that was not given a tag by [`Stacks::tag_front`].
    fn b0_awaits_tag(&self) -> bool;
    /// Gives B0, a word that awaits its tag as all behind it do, the tag `label`.
    fn tag_front(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes B0 a dependent of a root that stands nowhere, and moves it onto the stack.
    fn tag_b0(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes S1 a dependent of S0 and removes it.
    fn left_arc_in_stack(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes S0 a dependent of S1 and pops it.
    fn right_arc_in_stack(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes S2 a dependent of S0 and removes it.
    fn left_arc_over_s1(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Makes S0 a dependent of S2 and pops it.
    fn right_arc_over_s1(&self, label: LabelId, arena: Self::Arena) -> Self;
    /// Moves S1 to the front of the buffer.
    fn swap(&self, arena: Self::Arena) -> Self;
    /// Moves S0 into the buffer, behind B0.
    fn swap_into_buffer(&self, arena: Self::Arena) -> Self;
}
