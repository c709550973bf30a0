//! Long derivations in little memory: when a sentence's arena has filled up, what the items of the beam stand for is kept outside,
//! the arena is emptied, and the search goes on from there. What fell off the beam, and the configurations that led to what is
//! on it, are freed.

use bumpalo::Bump;
use hashbrown::HashMap;

use super::step::ItemOf;
use super::{IDLE, Item};
use crate::configuration::{Arena, Interner, Restored, Saved, SharedConfiguration};
use crate::system::TransitionSystem;
use crate::tree::Tree;

/// Number of bytes in use.
#[inline]
pub fn used(bump: &Bump) -> usize {
    bump.allocated_bytes() - bump.chunk_capacity()
}

/// A beam after many steps, outside an arena.
#[derive(Debug)]
pub struct Past {
    items: Saved,
    /// By item: the tree that it has made so far; a word without a head hangs on the root.
    trees: Vec<Tree>,
}

impl Past {
    /// The past of these items, of each of which `tree` tells the tree. What scorers know of cells and states is void then.
    pub fn new<'a, S: TransitionSystem>(
        items: &[ItemOf<'a, S>],
        interner: &Interner,
        tree: impl Fn(ItemOf<'a, S>) -> Tree,
    ) -> Past {
        let mut saved = Saved::default();
        for item in items {
            item.configuration.save(&mut saved);
            saved.history(item.last_actions);
            saved.number(item.score as u64);
            saved.number(u64::from(item.is_gold));
        }
        saved.end(interner);
        Past { items: saved, trees: items.iter().map(|&item| tree(item)).collect() }
    }

    /// The items in an arena, without their histories.
    pub fn items<'a, S: TransitionSystem>(&self, arena: Arena<'a>) -> Vec<ItemOf<'a, S>> {
        let mut from = self.items.restore(arena.bump());
        self.trees.iter().map(|_| item::<S>(&mut from)).collect()
    }

    /// By the address of an item of `starts`, the [items](Past::items) of this past: the tree that it has made.
    pub fn trees<'a, S: TransitionSystem>(&self, starts: &[ItemOf<'a, S>]) -> HashMap<usize, &Tree> {
        starts.iter().map(|&start| std::ptr::from_ref(start).addr()).zip(&self.trees).collect()
    }
}

fn item<'a, S: TransitionSystem>(from: &mut Restored<'a, '_>) -> ItemOf<'a, S> {
    let configuration = S::Shared::restored(from);
    let (last_actions, score, is_gold) = (from.history(), from.number() as i64, from.number() != 0);
    from.bump.alloc(Item { configuration, parent: None, choice: IDLE, score, is_gold, last_actions })
}
