//! The pending list in an arena, copied on writing, block by block.

use bumpalo::collections::Vec as BumpVec;

use super::Pending;
use crate::configuration::arena::{Arena, fingerprint};
use crate::configuration::{
    Cell, Cells, Configuration, ListPlace, PartialTree, Point, Restored, Role, Saved, SharedConfiguration,
};
use crate::tree::{LabelId, Node, ROOT};

/// The number of nodes to a block. PERF: sentences of up to 31 words have one block, and a transition copies as many
/// pointers as there are pending nodes; at 1,000 words it copies at most 32 blocks of two words and 32 pointers.
const BLOCK: usize = 32;

/// A configuration ⟨λ, A⟩ that shares with the one before it all but the block that the transition changed.
///
/// # Invariants
/// * Block b holds, in order, those of the nodes from 32b to 32b + 31 that are pending, so that a node's block never
///   changes, and there is no need to split or join blocks.
/// * As every pending word lacks a head and every other word has one, the arcs determine the list.
///
/// Complexity: a transition copies two blocks at most and the list of blocks, O(B + n/B) pointers for blocks of B nodes.
#[derive(Debug, Clone, Copy)]
pub struct SharedPending<'a> {
    blocks: &'a [Block<'a>],
    n_pending: u16,
    /// The sum of the arcs' fingerprints.
    arcs: u64,
}

type Block<'a> = &'a [&'a Cell<'a>];

impl<'a> SharedPending<'a> {
    /// The block of the node at `index` and its place there; past the end the last place of all.
    #[inline]
    fn locate(&self, mut index: usize) -> Option<(usize, usize)> {
        for (number, block) in self.blocks.iter().enumerate() {
            if index < block.len() {
                return Some((number, index));
            }
            index -= block.len();
        }
        None
    }

    /// The cells of all pending nodes, from left to right.
    fn cells_in_order(&self) -> impl Iterator<Item = &'a Cell<'a>> + use<'a> {
        self.blocks.iter().flat_map(|block| block.iter().copied())
    }

    #[inline]
    fn cell(&self, index: usize) -> &'a Cell<'a> {
        let (block, place) = self.locate(index).expect(PRECONDITION);
        self.blocks[block][place]
    }

    /// The configuration in which `dependent` is off the list and this is known of the node of `head`.
    fn attached(
        &self,
        dependent: &Cell<'a>,
        head: &Cell<'a>,
        after: PartialTree,
        label: LabelId,
        arena: Arena<'a>,
    ) -> Self {
        let head_after = arena.on(after, None);
        let blocks = arena.bump().alloc_slice_copy(self.blocks);
        let (of_dependent, of_head) = (block_of(dependent.node()), block_of(head.node()));
        for block in [of_dependent, of_head].into_iter().take(1 + usize::from(of_dependent != of_head)) {
            let mut cells = BumpVec::with_capacity_in(blocks[block].len(), arena.bump());
            let kept = blocks[block].iter().filter(|cell| cell.node() != dependent.node());
            cells.extend(kept.map(|&cell| if cell.node() == head.node() { head_after } else { cell }));
            blocks[block] = cells.into_bump_slice();
        }
        let arc = fingerprint(head.node(), dependent.node(), label);
        SharedPending { blocks, n_pending: self.n_pending - 1, arcs: self.arcs.wrapping_add(arc) }
    }
}

fn block_of(node: Node) -> usize {
    node as usize / BLOCK
}

/// The place of `node` in its block.
fn place_of(block: Block, node: Node) -> Option<usize> {
    block.binary_search_by_key(&node, |cell| cell.node()).ok()
}

const PRECONDITION: &str = "the effect's precondition holds";

impl<'a> Configuration for SharedPending<'a> {
    type Arena = Arena<'a>;
}

impl<'a> SharedConfiguration<'a> for SharedPending<'a> {
    const LISTS: &'static [&'static str] = &["pending"];
    const N_STACKS: usize = 0;
    const HAS_POINTS: bool = true;

    /// S0 and B0 are the nodes before and behind the point, S1 and B1 their neighbours on the other side, and so on.
    #[inline]
    fn cells(&self, point: Point) -> Cells<'a> {
        let mut cells = [None; Role::COUNT];
        let Some((number, place)) = self.locate(point as usize) else { return cells };
        let (before, behind) = self.blocks[number].split_at(place + 1);
        let before = before.iter().rev().chain(self.blocks[..number].iter().rev().flat_map(|block| block.iter().rev()));
        let behind = behind.iter().chain(self.blocks[number + 1..].iter().flat_map(|block| block.iter()));
        for (role, &cell) in [Role::S0, Role::S1, Role::S2, Role::S3].into_iter().zip(before) {
            cells[role as usize] = Some(cell);
        }
        for (role, &cell) in [Role::B0, Role::B1, Role::B2, Role::B3].into_iter().zip(behind) {
            cells[role as usize] = Some(cell);
        }
        cells
    }

    #[inline]
    fn identity(&self) -> u64 {
        self.arcs
    }

    fn save(&self, to: &mut Saved) {
        let SharedPending { blocks, n_pending, arcs } = *self;
        to.number(n_pending);
        to.number(arcs);
        to.number(blocks.len() as u64);
        for block in blocks {
            to.number(block.len() as u64);
            block.iter().for_each(|&cell| to.cell(Some(cell)));
        }
    }

    fn restored(from: &mut Restored<'a, '_>) -> Self {
        let bump = from.bump;
        let (n_pending, arcs, n_blocks) = (from.number() as u16, from.number(), from.number() as usize);
        let blocks = bump.alloc_slice_fill_with(n_blocks, |_| -> Block<'a> {
            let n = from.number() as usize;
            bump.alloc_slice_fill_with(n, |_| from.listed())
        });
        SharedPending { blocks, n_pending, arcs }
    }

    fn places(&self) -> Vec<Vec<ListPlace<'a>>> {
        vec![self.cells_in_order().map(ListPlace::of).collect()]
    }
}

impl<'a> Pending for SharedPending<'a> {
    fn initial(arena: Arena<'a>, n_words: usize) -> Self {
        arena.interner().cover(n_words);
        let cell = |node| arena.on(PartialTree::bare(node), None);
        let nodes: Vec<Node> = (ROOT..=n_words as Node).collect();
        let blocks = nodes
            .chunks(BLOCK)
            .map(|nodes| -> Block<'a> { arena.bump().alloc_slice_fill_iter(nodes.iter().map(|&node| cell(node))) });
        let blocks = arena.bump().alloc_slice_fill_iter(blocks.collect::<Vec<_>>());
        SharedPending { blocks, n_pending: n_words as u16 + 1, arcs: 0 }
    }

    #[inline]
    fn n_pending(&self) -> usize {
        self.n_pending as usize
    }

    #[inline]
    fn pending(&self, index: usize) -> Option<Node> {
        self.locate(index).map(|(block, place)| self.blocks[block][place].node())
    }

    #[inline]
    fn index_of(&self, node: Node) -> Option<usize> {
        let (before, rest) = self.blocks.split_at(block_of(node));
        Some(before.iter().map(|block| block.len()).sum::<usize>() + place_of(rest[0], node)?)
    }

    #[inline]
    fn is_pending(&self, node: Node) -> bool {
        place_of(self.blocks[block_of(node)], node).is_some()
    }

    #[inline]
    fn left_arc_at(&self, point: Point, label: LabelId, arena: Arena<'a>) -> Self {
        let (dependent, head) = (self.cell(point as usize), self.cell(point as usize + 1));
        let after = head.partial.with_left(&dependent.partial, label, arena.interner());
        self.attached(dependent, head, after, label, arena)
    }

    #[inline]
    fn right_arc_at(&self, point: Point, label: LabelId, arena: Arena<'a>) -> Self {
        let (head, dependent) = (self.cell(point as usize), self.cell(point as usize + 1));
        let after = head.partial.with_right(&dependent.partial, label, arena.interner());
        self.attached(dependent, head, after, label, arena)
    }
}
