//! Memory of a sentence: the vectors of its tokens and partial trees (*items*), and the states of the three LSTMs after
//! what they have read (*nodes* of a *sequence*). Both are numbered when they are first met, and made later, many at
//! once.

use super::shape::{BUFFER, HISTORY, N_SEQUENCES, STACK};
use crate::configuration::{Cell, History, Role, TreeId, Trees, View};
use crate::memo::Memo;
use crate::model::Network;

/// Memory of the current sentence.
#[derive(Debug, Clone, Default)]
pub struct StackMemory {
    pub(super) items: Items,
    pub(super) sequences: [Sequence; N_SEQUENCES],
    /// The configuration that was found last: by place its node, of M0 its item.
    pub found: Vec<u32>,
    /// The same of configurations whose sums are to be made.
    pub new: Vec<u32>,
    /// By sequence and layer: what a layer reads of the one below is multiplied by this. Empty if nothing is left out.
    pub(super) masks: Vec<f32>,
    /// Cells on the way to one that is known.
    waiting: Vec<(u64, TreeId)>,
    /// Number of steps of long short-term memories, over all sentences.
    pub n_steps: u64,
    /// True if all nodes of the sentence have just been forgotten.
    pub(super) has_forgotten: bool,
    /// Number of nodes that the step after that has made again.
    pub(super) n_needed: usize,
}

/// Vectors of tokens and trees. The first ones are those of the tokens: none, the root, the words.
#[derive(Debug, Clone, Default)]
pub struct Items {
    pub vectors: Vec<f32>,
    pub n_tokens: u32,
    /// The items of the head and the dependent of each tree, and the relation.
    pub parts: Vec<[u32; 3]>,
    /// Number of these that have a vector.
    pub n_made: usize,
    /// By number of a tree less [`Trees::FIRST`]: one more than the place in `parts`; 0 if it has not been met.
    of_trees: Vec<u32>,
    unresolved: Vec<TreeId>,
}

/// States of one long short-term memory, by what it has read. Node 0 has read nothing.
#[derive(Debug, Clone, Default)]
pub struct Sequence {
    /// By node: what was read before the last input, and that input: an item, or an action.
    pub parents: Vec<u32>,
    pub inputs: Vec<u32>,
    /// By node and layer: c and h. The gates are kept while training.
    pub cells: Vec<f32>,
    pub outputs: Vec<f32>,
    pub gates: Vec<f32>,
    /// Number of nodes made; those after them wait.
    pub n_made: usize,
    by_input: Memo,
    by_cell: Memo,
    /// By item: what its vector adds to the gates of the first layer, with their biases, if that is known.
    pub products: Vec<f32>,
    pub has_product: Vec<bool>,
}

/// Spreads a number over all bits; different ones stay different.
fn spread(x: u64) -> u64 {
    x.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

impl Items {
    /// The item of a token or a tree, as a new one if it has not been met.
    fn of_tree(&mut self, tree: TreeId, trees: &Trees) -> u32 {
        if tree < Trees::FIRST {
            return tree + 1;
        }
        if let Some(known) = self.known(tree) {
            return known;
        }
        // Parts have smaller numbers, so this ends.
        self.unresolved.push(tree);
        while let Some(&tree) = self.unresolved.last() {
            let parts = trees.parts(tree).expect("the trees of a sentence's cells are kept with it");
            match [parts.head, parts.dependent].map(|part| self.known(part).ok_or(part)) {
                [Ok(head), Ok(dependent)] => {
                    self.unresolved.pop();
                    let place = (tree - Trees::FIRST) as usize;
                    if self.of_trees.len() <= place {
                        self.of_trees.resize(place + 1, 0);
                    }
                    if self.of_trees[place] == 0 {
                        self.parts.push([head, dependent, 2 * u32::from(parts.label) + u32::from(parts.is_left)]);
                        self.of_trees[place] = self.parts.len() as u32;
                    }
                }
                found => self.unresolved.extend(found.into_iter().filter_map(Result::err)),
            }
        }
        self.known(tree).unwrap_or_default()
    }

    fn known(&self, tree: TreeId) -> Option<u32> {
        let Some(place) = tree.checked_sub(Trees::FIRST) else { return Some(tree + 1) };
        let number = self.of_trees.get(place as usize).copied().unwrap_or_default();
        (number > 0).then(|| self.n_tokens + number - 1)
    }
}

impl Sequence {
    fn clear(&mut self, width: usize) {
        self.gates.clear();
        for numbers in [&mut self.parents, &mut self.inputs] {
            numbers.clear();
            numbers.push(0);
        }
        for numbers in [&mut self.cells, &mut self.outputs] {
            numbers.clear();
            numbers.resize(width, 0.0);
        }
        self.n_made = 1;
        self.by_input.clear();
        self.by_cell.clear();
    }

    /// The node after `input` is read, as a new one if that has not been done.
    fn after(&mut self, parent: u32, input: u32) -> u32 {
        let next = self.parents.len() as u32;
        let key = spread(u64::from(parent) << 32 | u64::from(input));
        self.by_input.get_or_insert(key, next).unwrap_or_else(|| {
            self.parents.push(parent);
            self.inputs.push(input);
            next
        })
    }
}

impl StackMemory {
    /// Forgets all but the tokens, of which there are `n_tokens`; nodes have `width` numbers in all their layers.
    pub(super) fn clear(&mut self, n_tokens: usize, width: usize, units: usize) {
        let Items { vectors, n_tokens: n, parts, n_made, of_trees, .. } = &mut self.items;
        vectors.truncate(n_tokens * units);
        parts.clear();
        of_trees.clear();
        (*n, *n_made) = (n_tokens as u32, 0);
        for sequence in &mut self.sequences {
            sequence.clear(width);
            sequence.products.truncate(n_tokens * 4 * units);
            sequence.has_product.truncate(n_tokens);
        }
        self.new.clear();
    }

    /// True if there are so many nodes that it is time to forget them: `most`, or twice as many as were made again
    /// after that was done last, if these are more, lest a long sentence do nothing else.
    pub fn is_full(&mut self, most: usize) -> bool {
        if std::mem::take(&mut self.has_forgotten) {
            self.n_needed = self.n_nodes();
        }
        self.n_nodes() >= most.max(2 * self.n_needed)
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.parents.len()).sum()
    }

    /// Finds the nodes of a configuration with these cells, and the item of M0, by place of the network. Those that are new are
    /// numbered, and wait to be made.
    pub fn find(&mut self, network: &Network, view: &View, trees: &Trees) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.extend(network.places.iter().map(|place| {
            let first = place.role as usize;
            match place.role {
                Role::M0 => view.cells[first].map_or(0, |cell| self.items.of_tree(cell.composition(), trees)),
                Role::A => self.history(view.history, trees),
                Role::B0 => self.node(BUFFER, &view.cells[first..], trees),
                _ => self.node(STACK, &view.cells[first..=Role::S3 as usize], trees),
            }
        }));
        self.found = found;
    }

    /// The node of a sequence that ends in these cells, the last one first.
    fn node(&mut self, sequence: usize, cells: &[Option<&Cell>], trees: &Trees) -> u32 {
        let Some(last) = cells[0] else { return 0 };
        let is_linked = last.below.is_some() || cells.get(1).is_none_or(|next| next.is_none());
        if is_linked {
            let linked = std::iter::successors(Some(last), |cell| cell.below);
            let linked = linked.map(|cell| (address(cell), cell.composition()));
            return self.linked(sequence, linked, trees);
        }
        let inputs = cells.iter().flatten().rev();
        inputs.fold(0, |node, cell| {
            let input = self.items.of_tree(cell.composition(), trees);
            self.sequences[sequence].after(node, input)
        })
    }

    /// The node of a whole derivation.
    fn history(&mut self, last: Option<&History>, trees: &Trees) -> u32 {
        let linked = std::iter::successors(last, |history| history.before);
        self.linked(HISTORY, linked.map(|history| (address(history), history.last[0].into())), trees)
    }

    /// The node of a sequence of links, the last one first, by their addresses and what they hold.
    fn linked(&mut self, sequence: usize, links: impl Iterator<Item = (u64, TreeId)>, trees: &Trees) -> u32 {
        let mut node = 0;
        self.waiting.clear();
        for (address, value) in links {
            let key = spread(address);
            if let Some(known) = self.sequences[sequence].by_cell.get(key) {
                node = known;
                break;
            }
            self.waiting.push((key, value));
        }
        while let Some((key, value)) = self.waiting.pop() {
            let input = if sequence == HISTORY { value } else { self.items.of_tree(value, trees) };
            node = self.sequences[sequence].after(node, input);
            self.sequences[sequence].by_cell.get_or_insert(key, node);
        }
        node
    }
}

fn address<T>(link: &T) -> u64 {
    std::ptr::from_ref(link).addr() as u64
}
