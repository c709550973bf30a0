//! Long derivations in little memory: when a sentence's arena has filled up, what the items of the beam stand for is kept outside,
//! the arena is emptied, and the search goes on from there. What fell off the beam, and the configurations that led to what is
//! on it, are freed.

use bumpalo::Bump;

use super::step::ItemOf;
use super::{IDLE, Item};
use crate::configuration::{Arena, Interner, Restored, Saved, SharedConfiguration};
use crate::system::TransitionSystem;
use crate::tree::{LabelId, Node, Tree};

/// Number of bytes in use.
#[inline]
pub fn used(bump: &Bump) -> usize {
    bump.allocated_bytes() - bump.chunk_capacity()
}

/// A beam after many steps, outside an arena.
#[derive(Debug)]
pub struct Past {
    items: Saved,
    /// The tree that the first item has made so far; a word without a head hangs on the root.
    first: Tree,
    /// By item: the words of its tree with another head or label than in the first one's, with both. All trees of a wide beam would take
    /// the product of its width and the sentence's length.
    differences: Vec<Vec<(Node, Node, LabelId)>>,
}

impl Past {
    /// The past of these items without their trees. What scorers know of cells and states is void then.
    pub fn without_trees<S: TransitionSystem>(items: &[ItemOf<S>], interner: &Interner) -> Past {
        let mut saved = Saved::default();
        for item in items {
            item.configuration.save(&mut saved);
            saved.history(item.last_actions);
            saved.number(item.score as u64);
            saved.number(u64::from(item.is_gold));
        }
        saved.end(interner);
        Past { items: saved, first: Tree::unattached(0), differences: vec![Vec::new(); items.len()] }
    }

    /// The past of these items, one at least, the tree of each by `tree`; else as [`Past::without_trees`].
    pub fn new<'a, S: TransitionSystem>(
        items: &[ItemOf<'a, S>],
        interner: &Interner,
        tree: impl Fn(ItemOf<'a, S>) -> Tree,
    ) -> Past {
        let past = Past::without_trees::<S>(items, interner);
        let first = tree(items[0]);
        let difference = |&item: &ItemOf<'a, S>| {
            let tree = tree(item);
            let arcs = tree.words().map(|word| (word, tree.head(word), tree.label(word)));
            arcs.filter(|&(word, head, label)| (head, label) != (first.head(word), first.label(word))).collect()
        };
        let differences = items.iter().map(difference).collect();
        Past { first, differences, ..past }
    }

    /// The items in an arena, without their histories.
    pub fn items<'a, S: TransitionSystem>(&self, arena: Arena<'a>) -> Vec<ItemOf<'a, S>> {
        let mut from = self.items.restore(arena.bump());
        self.differences.iter().map(|_| item::<S>(&mut from)).collect()
    }

    /// The tree that the item of this number has made.
    pub fn tree(&self, item: usize) -> Tree {
        let mut tree = self.first.clone();
        self.differences[item].iter().for_each(|&(word, head, label)| tree.attach(word, head, label));
        tree
    }
}

fn item<'a, S: TransitionSystem>(from: &mut Restored<'a, '_>) -> ItemOf<'a, S> {
    let configuration = S::Shared::restored(from);
    let (last_actions, score, is_gold) = (from.history(), from.number() as i64, from.number() != 0);
    from.bump.alloc(Item { configuration, parent: None, choice: IDLE, score, is_gold, last_actions })
}
