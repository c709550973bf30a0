//! Partial trees of a sentence's configurations, as the numbers of interned states: the one form in which cells know them.
//!
//! # Invariants
//! * A state is never changed once it is made, and its number stays its own until the sentence ends or its arena is emptied.
//! * Number 0 is the state of a missing node, number n + 1 that of node n without arcs, on every side.
//! * States of equal content mostly have the same number. They need not: in a long sentence the interner forgets what it
//!   knows of older ones. Two numbers for one state cost a second vector of scores, and change nothing else.

use hashbrown::HashMap;
use std::cell::{Ref, RefCell};

use super::side::{STATE_SLOTS, Side, State, StateId};
use super::{Composition, LabelSets, Slot, TreeId, Trees, tagged_row};
use crate::memo::Memo;
use crate::tree::{LabelId, NO_LABEL, Node};

/// The partial tree of a node: the numbers of the states of its sides.
///
/// PERF: `repr` lets two numbers be read as one word where they stand.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub struct PartialTree {
    /// By [`Side`].
    ids: [StateId; Side::COUNT],
    /// The number of the tree among the [compositions](Trees), where these are kept; else the node's.
    composition: TreeId,
    node: Node,
    /// The node as features read it: itself, or the [row](tagged_row) of a word with its tag.
    row: Node,
    label: LabelId,
    n_dependents: u16,
}

#[inline]
fn bare_id(node: Node) -> StateId {
    StateId::from(node) + 1
}

impl PartialTree {
    /// The partial tree of a node without arcs.
    #[inline]
    pub fn bare(node: Node) -> PartialTree {
        let ids = [bare_id(node); Side::COUNT];
        PartialTree { node, row: node, label: NO_LABEL, n_dependents: 0, composition: node.into(), ids }
    }

    /// The partial tree of a node without arcs that was given the tag `label`.
    pub(super) fn tagged(node: Node, label: LabelId, interner: &Interner) -> PartialTree {
        let row = interner.row(node, label);
        let states = &mut *interner.states.borrow_mut();
        let ids = Side::ALL.map(|side| states.intern(side, State::bare(side, row)));
        PartialTree { row, ids, ..PartialTree::bare(node) }
    }

    /// The partial tree of a word that awaits its tag: to features the word before it, which has got the tag `label`, stands for its
    /// head, and the word before that one for its head's head.
    pub(super) fn behind(&self, before: &PartialTree, label: LabelId, interner: &Interner) -> PartialTree {
        let row = interner.row(before.node, label);
        let states = &mut *interner.states.borrow_mut();
        let [_, _, above, ..] = states.state(Side::Head, before.id(Side::Head)).0;
        let state = State([self.row, NO_LABEL, row, NO_LABEL, above, NO_LABEL, 0, 0]);
        let mut ids = self.ids;
        ids[Side::Head as usize] = states.intern(Side::Head, state);
        PartialTree { ids, ..*self }
    }

    /// The node.
    #[inline]
    pub fn node(&self) -> Node {
        self.node
    }

    /// The node as features read it.
    #[inline]
    pub(crate) fn row(&self) -> Node {
        self.row
    }

    /// True if the node was given a tag.
    #[inline]
    pub fn is_tagged(&self) -> bool {
        self.row != self.node
    }

    /// The label of the arc into the node; [`NO_LABEL`] if it has no head.
    #[inline]
    pub fn label(&self) -> LabelId {
        self.label
    }

    /// True if the node has a head.
    #[inline]
    pub fn has_head(&self) -> bool {
        self.label != NO_LABEL
    }

    /// The number of the node's dependents.
    #[inline]
    pub fn n_dependents(&self) -> usize {
        self.n_dependents as usize
    }

    /// The number of the tree among the [compositions](Trees), where these are kept.
    #[inline]
    pub fn composition(&self) -> TreeId {
        self.composition
    }

    /// The number of the state of a side.
    #[inline]
    pub fn id(&self, side: Side) -> StateId {
        self.ids[side as usize]
    }

    /// The numbers of all sides' states, two to a word; [`PartialTree::mask`] keeps those of some.
    #[inline]
    pub fn words(&self) -> &[u64; Side::COUNT / 2] {
        bytemuck::cast_ref(&self.ids)
    }

    /// The mask that keeps the words of these sides; see [`PartialTree::words`].
    pub fn mask(sides: &[Side]) -> [u64; Side::COUNT / 2] {
        let mut mask = [0; Side::COUNT];
        sides.iter().for_each(|&side| mask[side as usize] = StateId::MAX);
        bytemuck::cast(mask)
    }

    /// The tree after `dependent` was attached to the node, on whichever side of it the sentence has it. The root stands before
    /// all words.
    #[inline]
    pub fn with_dependent(&self, dependent: &PartialTree, label: LabelId, interner: &Interner) -> PartialTree {
        match dependent.node < self.node {
            true => self.with_left(dependent, label, interner),
            false => self.with_right(dependent, label, interner),
        }
    }

    /// The tree after `dependent`, to the left of the node, was attached to it.
    #[inline]
    pub fn with_left(&self, dependent: &PartialTree, label: LabelId, interner: &Interner) -> PartialTree {
        interner.with_dependent(Side::Left, self, dependent, label)
    }

    /// The tree after `dependent`, to the right of the node, was attached to it.
    #[inline]
    pub fn with_right(&self, dependent: &PartialTree, label: LabelId, interner: &Interner) -> PartialTree {
        interner.with_dependent(Side::Right, self, dependent, label)
    }

    /// The tree after the node got a head.
    #[inline]
    pub fn with_head(&self, head: &PartialTree, label: LabelId, interner: &Interner) -> PartialTree {
        let states = &mut *interner.states.borrow_mut();
        let [_, _, above, above_label, ..] = states.state(Side::Head, head.id(Side::Head)).0;
        let state = State([self.row, label, head.row, head.label, above, above_label, 0, 0]);
        let mut ids = self.ids;
        ids[Side::Head as usize] = states.intern(Side::Head, state);
        PartialTree { label, ids, ..*self }
    }

    /// The tree after the node lost its head.
    pub(super) fn without_head(&self) -> PartialTree {
        let mut ids = self.ids;
        ids[Side::Head as usize] = bare_id(self.node);
        PartialTree { label: NO_LABEL, ids, ..*self }
    }

    /// The tree after the node lost all its dependents.
    pub(super) fn without_dependents(&self) -> PartialTree {
        let mut bare = PartialTree { label: self.label, ..PartialTree::bare(self.node) };
        bare.ids[Side::Head as usize] = self.ids[Side::Head as usize];
        bare
    }
}

/// Parts of partial trees, and of derivations, that a scorer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// By [`Side`]: the values of its states.
    pub states: [State; Side::COUNT],
    /// True if the sizes of partial trees are read.
    pub sizes: bool,
    /// True if the last actions are read.
    pub history: bool,
    /// True if the whole derivation is read, and partial trees by the order of their composition.
    pub compositions: bool,
}

impl Reads {
    /// All slots of partial trees; neither last actions nor compositions.
    pub const ALL: Reads =
        Reads { states: [State::WHOLE; Side::COUNT], sizes: true, history: false, compositions: false };

    /// The same with all slots of partial trees, which traces show.
    #[must_use]
    pub fn with_all_states(self) -> Reads {
        Reads { history: self.history, compositions: self.compositions, ..Reads::ALL }
    }

    /// The reads of these slots, and of what they follow from: the outermost dependent from the outermost before, and so on.
    pub fn of(slots: impl IntoIterator<Item = Slot>) -> Reads {
        let mut read = [[false; STATE_SLOTS]; Side::COUNT];
        let mut sizes = false;
        for slot in slots {
            sizes |= slot == Slot::Size;
            let places = Side::ALL.into_iter().filter_map(|side| Some((side, side.place(slot)?)));
            places.for_each(|(side, place)| read[side as usize][place] = true);
        }
        let [left, right, head, inner] = &mut read;
        for (outer, first) in [(left, 1), (right, 3)] {
            outer[1] |= inner[first] || inner[first + 1];
            outer[2] |= inner[first + 1];
            outer[3] |= outer[4];
            outer[1] |= outer[2] || outer[3] || outer[4];
            outer[2] |= outer[4];
        }
        head[3] |= head[5];
        head[2] |= head[4];
        head[1] |= head[3];
        read.iter_mut().for_each(|read| read[0] = true);
        Reads { states: read.map(State::mask), sizes, history: false, compositions: false }
    }
}

/// The interner of one sentence after another: sets of labels, states of sides, and compositions.
#[derive(Debug)]
pub struct Interner {
    label_sets: LabelSets,
    trees: Trees,
    states: RefCell<States>,
}

/// The states of all sides.
#[derive(Debug)]
pub struct States {
    /// By [`Side`].
    sides: [SideStates; Side::COUNT],
    memo: Memo,
    /// Sides of dependents after one more was attached, where sizes are not read: by the side, its number before, the dependent
    /// and the label.
    attached: Memo,
    /// Number of states, on every side, of nodes without arcs and of missing ones.
    n_bare: usize,
    with_sizes: bool,
    with_inner: bool,
}

#[derive(Debug)]
struct SideStates {
    states: Vec<State>,
    /// Mask of the values of a state that are kept.
    mask: State,
}

/// Number of states after which the memo of states is cleared; the states themselves stay.
const MAX_STATES: usize = 1 << 13;

impl Interner {
    /// An interner of sets of labels below `n_labels`, and of all that can be read of partial trees.
    pub fn new(n_labels: usize) -> Interner {
        let table = |_| SideStates { states: Vec::new(), mask: State::WHOLE };
        let sides = Side::ALL.map(table);
        let (memo, attached) = Default::default();
        let states = States { sides, memo, attached, n_bare: 0, with_sizes: true, with_inner: true };
        Interner { label_sets: LabelSets::new(n_labels), trees: Trees::default(), states: RefCell::new(states) }
    }

    /// Forgets the last sentence, and prepares for one of which this is read.
    pub fn start(&self, reads: &Reads) {
        self.label_sets.clear_if_full();
        self.trees.start(reads.compositions);
        let states = &mut *self.states.borrow_mut();
        states.clear_memos();
        states.with_sizes = reads.sizes;
        states.with_inner = reads.states[Side::Inner as usize].0[1..].iter().any(|&mask| mask != 0);
        for (table, &mask) in states.sides.iter_mut().zip(&reads.states) {
            table.mask = mask;
            table.states.clear();
        }
    }

    /// Makes the states of nodes without arcs, unless they are there: number 0 and those of `n_words` words and the root.
    pub(super) fn cover(&self, n_words: usize) {
        let states = &mut *self.states.borrow_mut();
        states.n_bare = n_words + 2;
        for (side, table) in Side::ALL.into_iter().zip(&mut states.sides) {
            if table.states.is_empty() {
                table.states.push(State::NOTHING);
                table.states.extend((0..=n_words as Node).map(|node| State::bare(side, node).masked(table.mask)));
            }
            let is_bare = |state: &State| state.0[0] == n_words as Node;
            assert!(
                table.states.get(n_words + 1).is_some_and(is_bare),
                "the interner was started for another sentence"
            );
        }
    }

    /// The number of words of the sentence.
    pub(super) fn n_words(&self) -> usize {
        self.states.borrow().n_bare - 2
    }

    /// The [row](tagged_row) of `node` with the tag `label`.
    fn row(&self, node: Node, label: LabelId) -> Node {
        let n_words = self.n_words();
        tagged_row(n_words, self.label_sets.n_labels(), node, label)
    }

    /// Forgets states, if there are many.
    pub fn make_room(&self) {
        let states = &mut *self.states.borrow_mut();
        if states.memo.len().max(states.attached.len()) >= MAX_STATES {
            states.clear_memos();
        }
    }

    /// Forgets the states of all trees but these, and numbers theirs anew. What is known of states by their numbers is void then.
    pub(super) fn retain<'t>(&self, trees: impl Iterator<Item = &'t mut PartialTree>) {
        let states = &mut *self.states.borrow_mut();
        states.clear_memos();
        let n_bare = states.n_bare;
        let before = states.sides.each_mut().map(|SideStates { states, .. }| {
            let bare = states[..n_bare].to_vec();
            std::mem::replace(states, bare)
        });
        let mut numbers: HashMap<(usize, StateId), StateId> = HashMap::new();
        for tree in trees {
            for ((side, id), SideStates { states, .. }) in tree.ids.iter_mut().enumerate().zip(&mut states.sides) {
                if *id as usize >= n_bare {
                    *id = *numbers.entry((side, *id)).or_insert_with(|| {
                        states.push(before[side][*id as usize]);
                        (states.len() - 1) as StateId
                    });
                }
            }
        }
    }

    /// The sets of labels.
    pub fn label_sets(&self) -> &LabelSets {
        &self.label_sets
    }

    /// The compositions of partial trees, where they are kept.
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// The states.
    #[inline]
    pub fn states(&self) -> Ref<'_, States> {
        self.states.borrow()
    }

    /// The value of a slot; meaningless if the sentence was started without it.
    pub fn get(&self, tree: &PartialTree, slot: Slot) -> u16 {
        self.states().get(tree, slot)
    }

    #[inline]
    fn with_dependent(&self, side: Side, head: &PartialTree, dependent: &PartialTree, label: LabelId) -> PartialTree {
        let states = &mut *self.states.borrow_mut();
        let mut after = states.with_dependent(side, head, dependent, label, &self.label_sets);
        if self.trees.are_kept() {
            let (head, dependent) = (head.composition, dependent.composition);
            after.composition = self.trees.compose(Composition { head, dependent, label, is_left: side == Side::Left });
        }
        after
    }
}

impl States {
    /// A state.
    #[inline]
    pub fn state(&self, side: Side, id: StateId) -> State {
        self.sides[side as usize].states[id as usize]
    }

    fn clear_memos(&mut self) {
        self.memo.clear();
        self.attached.clear();
    }

    #[inline(always)]
    fn intern(&mut self, side: Side, state: State) -> StateId {
        let table = &mut self.sides[side as usize];
        let state = state.masked(table.mask);
        let bare = bare_id(state.0[0]);
        if table.states.get(bare as usize) == Some(&state) {
            return bare;
        }
        let next = table.states.len() as StateId;
        self.memo.get_or_insert(state.key(side as usize), next).unwrap_or_else(|| {
            table.states.push(state);
            next
        })
    }

    /// The size of a node's partial tree.
    #[inline]
    pub fn size(&self, of: &PartialTree) -> u16 {
        let size = |side: Side| self.state(side, of.id(side)).size();
        size(Side::Left).saturating_add(size(Side::Right)).saturating_add(1)
    }

    /// The value of a slot.
    pub fn get(&self, tree: &PartialTree, slot: Slot) -> u16 {
        match slot {
            Slot::Node => tree.row,
            Slot::Label => tree.label,
            Slot::Size => self.size(tree),
            _ => {
                let (side, place) = Side::containing(slot);
                self.state(side, tree.id(side)).0[place]
            }
        }
    }

    #[inline]
    fn with_dependent(
        &mut self,
        side: Side,
        head: &PartialTree,
        dependent: &PartialTree,
        label: LabelId,
        sets: &LabelSets,
    ) -> PartialTree {
        let mut of_head = PartialTree { n_dependents: head.n_dependents.saturating_add(1), ..*head };
        let id = self.attached(side, head.id(side), dependent, label, sets);
        of_head.ids[side as usize] = id;
        if self.with_inner && self.state(side, id).dependents().0[0] == dependent.row {
            of_head.ids[Side::Inner as usize] = self.inner(side, head, dependent);
        }
        of_head
    }

    /// The state of a side after one more dependent was attached.
    #[inline]
    fn attached(
        &mut self,
        side: Side,
        before: StateId,
        dependent: &PartialTree,
        label: LabelId,
        sets: &LabelSets,
    ) -> StateId {
        if self.with_sizes {
            let size = self.state(side, before).size().saturating_add(self.size(dependent));
            return self.attach(side, before, dependent.row, label, size, sets);
        }
        let key = u64::from(before) << 33 | (side as u64) << 32 | u64::from(dependent.row) << 16 | u64::from(label);
        let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let key = key ^ key >> 32;
        self.attached.get(key).unwrap_or_else(|| {
            let id = self.attach(side, before, dependent.row, label, 0, sets);
            self.attached.get_or_insert(key, id);
            id
        })
    }

    fn attach(
        &mut self,
        side: Side,
        before: StateId,
        dependent: Node,
        label: LabelId,
        size: u16,
        sets: &LabelSets,
    ) -> StateId {
        let state = self.state(side, before);
        let mut dependents = state.dependents();
        match side {
            Side::Left => dependents.add_left(dependent, label, sets),
            _ => dependents.add_right(dependent, label, sets),
        }
        self.intern(side, state.with_dependents(dependents, size))
    }

    /// The inner state of a head whose outermost dependent on this side is a new one.
    #[cold]
    fn inner(&mut self, side: Side, head: &PartialTree, dependent: &PartialTree) -> StateId {
        let [_, outermost, its_label, ..] = self.state(side, dependent.id(side)).0;
        let mut inner = self.state(Side::Inner, head.id(Side::Inner));
        let first = if side == Side::Left { 1 } else { 3 };
        (inner.0[first], inner.0[first + 1]) = (outermost, its_label);
        self.intern(Side::Inner, inner)
    }
}
