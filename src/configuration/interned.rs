//! Configurations whose cells know their nodes' partial trees by the numbers of three interned states.
//!
//! # Invariants
//! * A state is never changed once it is made, and its number stays its own until the sentence ends.
//! * Number 0 is the state of what is not there, number n + 1 that of node n without arcs, on every side.
//! * States of equal content mostly have the same number. They need not: in a long sentence the interner forgets what it
//!   knows of older ones. Two numbers for one state cost a second vector of scores, and change nothing else.

use std::cell::{Ref, RefCell};

use super::side::{STATE_SLOTS, Side, State, StateId};
use super::{Arena, ArenaConfiguration, LabelSets, PartialTree, Role};
use crate::memo::Memo;
use crate::tree::{LabelId, NO_LABEL, Node};

/// Interned states of a node's two sides, by number: the form in which a cell stores the partial tree.
#[derive(Debug, Clone, Copy)]
pub struct SideIds {
    node: Node,
    label: LabelId,
    n_dependents: u16,
    /// By [`Side`]; that of the side which is nothing but the node is of its bare state.
    ids: [StateId; 4],
}

impl SideIds {
    /// The node.
    #[inline]
    pub fn of_node(&self) -> Node {
        self.node
    }

    /// The state of a side, of nothing but the node if that is all that is asked for.
    #[inline]
    pub fn id(&self, side: Side) -> StateId {
        self.ids[side as usize]
    }

    /// All of them, two to a word, those of one side where [`SideIds::mask`] of it has bits.
    #[inline]
    pub fn words(&self) -> [u64; 2] {
        bytemuck::cast(self.ids)
    }

    /// See [`SideIds::words`].
    pub fn mask(sides: &[Side]) -> [u64; 2] {
        let mut mask = [0; 4];
        sides.iter().for_each(|&side| mask[side as usize] = StateId::MAX);
        bytemuck::cast(mask)
    }
}

#[inline]
fn bare_id(node: Node) -> StateId {
    StateId::from(node) + 1
}

/// The interner of one sentence.
#[derive(Debug, Default)]
pub struct Interner(RefCell<Tables>);

/// The states of all sides.
#[derive(Debug, Default)]
pub struct Tables {
    /// By [`Side`].
    sides: [Table; 3],
    memo: Memo,
    with_sizes: bool,
}

#[derive(Debug)]
struct Table {
    states: Vec<State>,
    /// Mask of the slots of a state that are kept.
    mask: State,
}

impl Default for Table {
    fn default() -> Table {
        Table { states: Vec::new(), mask: State::NOTHING }
    }
}

/// When the interner knows so many states it forgets them; they stay where they are.
const MAX_STATES: usize = 1 << 13;

/// The table of a side; states that tell nodes alone are among those of the left side.
#[inline]
fn table_of(side: Side) -> usize {
    side as usize % Side::ALL.len()
}

impl Interner {
    /// Forgets the last sentence, and prepares for one of `n_words`. `masks` says for each side what is kept of its states,
    /// `with_sizes` whether the sizes of partial trees are counted.
    pub fn start(&self, masks: &[State; 3], with_sizes: bool, n_words: usize) {
        let tables = &mut *self.0.borrow_mut();
        tables.memo.clear();
        tables.with_sizes = with_sizes;
        for (side, &mask) in Side::ALL.into_iter().zip(masks) {
            let table = &mut tables.sides[side as usize];
            table.mask = mask;
            table.states.clear();
            table.states.push(State::NOTHING);
            table.states.extend((0..=n_words as Node).map(|node| State::bare(side, node).masked(mask)));
        }
    }

    /// Forgets states, if there are many.
    pub fn make_room(&self) {
        let memo = &mut self.0.borrow_mut().memo;
        if memo.len() >= MAX_STATES {
            memo.clear();
        }
    }

    /// The states.
    pub fn tables(&self) -> Ref<'_, Tables> {
        self.0.borrow()
    }
}

impl Tables {
    /// A state.
    #[inline]
    pub fn state(&self, side: Side, id: StateId) -> State {
        self.sides[table_of(side)].states[id as usize]
    }

    #[inline(always)]
    fn intern(&mut self, side: Side, state: State) -> StateId {
        let table = &mut self.sides[side as usize];
        let state = state.masked(table.mask);
        let bare = bare_id(state.0[0]);
        if table.states[bare as usize] == state {
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
    pub fn size(&self, of: &SideIds) -> u16 {
        let size = |side: Side| self.state(side, of.id(side)).size();
        size(Side::Left).saturating_add(size(Side::Right)).saturating_add(1)
    }

    #[inline]
    fn with_dependent(
        &mut self,
        side: Side,
        head: &SideIds,
        dependent: &SideIds,
        label: LabelId,
        sets: &LabelSets,
    ) -> SideIds {
        let state = self.state(side, head.id(side));
        let mut dependents = state.dependents();
        match side {
            Side::Left => dependents.add_left(dependent.node, label, sets),
            _ => dependents.add_right(dependent.node, label, sets),
        }
        let size = if self.with_sizes { state.size().saturating_add(self.size(dependent)) } else { 0 };
        let mut of_head = SideIds { n_dependents: head.n_dependents.saturating_add(1), ..*head };
        of_head.ids[side as usize] = self.intern(side, state.with_dependents(dependents, size));
        of_head
    }
}

impl<'a> PartialTree<'a> for SideIds {
    type Maker = &'a Interner;

    fn bare(node: Node, _: Arena<'a, SideIds>) -> SideIds {
        SideIds { node, label: NO_LABEL, n_dependents: 0, ids: [bare_id(node); 4] }
    }

    #[inline]
    fn node(&self) -> Node {
        self.node
    }

    #[inline]
    fn label(&self) -> LabelId {
        self.label
    }

    #[inline]
    fn n_dependents(&self) -> usize {
        self.n_dependents as usize
    }

    #[inline]
    fn with_left(&self, dependent: &SideIds, label: LabelId, arena: Arena<'a, SideIds>) -> SideIds {
        arena.maker().0.borrow_mut().with_dependent(Side::Left, self, dependent, label, arena.label_sets())
    }

    #[inline]
    fn with_right(&self, dependent: &SideIds, label: LabelId, arena: Arena<'a, SideIds>) -> SideIds {
        arena.maker().0.borrow_mut().with_dependent(Side::Right, self, dependent, label, arena.label_sets())
    }

    #[inline]
    fn with_head(&self, head: &SideIds, label: LabelId, arena: Arena<'a, SideIds>) -> SideIds {
        let tables = &mut *arena.maker().0.borrow_mut();
        let [_, _, above, above_label, ..] = tables.state(Side::Head, head.id(Side::Head)).0;
        let state: [u16; STATE_SLOTS] = [self.node, label, head.node, head.label, above, above_label, 0, 0];
        let mut ids = self.ids;
        ids[Side::Head as usize] = tables.intern(Side::Head, State(state));
        SideIds { label, ids, ..*self }
    }
}

/// A configuration over a stack and a buffer whose cells know partial trees by [`SideIds`].
pub type InternedConfiguration<'a> = ArenaConfiguration<'a, SideIds>;

impl<'a> InternedConfiguration<'a> {
    /// Side states of the node in a place.
    #[inline]
    pub fn sides(&self, role: Role) -> Option<&'a SideIds> {
        self.cell_at(role).map(|cell| &cell.partial)
    }
}
