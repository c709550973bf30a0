//! Any gold tree, each arc of which counts by its weight: dynamic programming over intervals.
//!
//! **The buffer shrinks.** A gold subtree whose words follow one another, all of them in the buffer, and whose own subtrees
//! are such, can be made as a whole at no loss, for no gold arc connects its inside with anything else. One word
//! stands for it.
//!
//! **Inside the buffer** any projective tree can be made. Half-trees as in Eisner's algorithm (1996) give the most gold arcs
//! of a tree over consecutive words whose root is its first or its last one.
//!
//! **Intervals.** Let the interval hold the items 0..=i of the stack, S0 being item 0, and the first k words of the buffer.
//! Dependents on the left and on the right of a root do not depend on one another. So it is enough to know
//! * for an item as the root, the most arcs by k, whatever items it takes as dependents later: `of_item`,
//! * for a word as the root, the most arcs when it is the last word of the interval, by i: `of_word`.

use std::ops::Range;

use super::NEVER;
use treebeam::system::Roots;
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The memory of the computation.
#[derive(Debug, Default)]
pub(super) struct CubicTime {
    /// The words of the buffer that are left, from word 1 on; entry 0 stands for none.
    words: Vec<Node>,
    /// Place of each node of the sentence: its number among the items, or behind these among the words.
    places: Vec<usize>,
    /// By first and last of the words, the first being the root of the tree over them; both from 0 on.
    first_is_root: ArcCounts,
    /// By the number of the word before the first and by that of the last, which is the root.
    last_is_root: ArcCounts,
    /// By two words: the first a dependent of the second, with all between them.
    left_arc: ArcCounts,
    /// By two words: the second a dependent of the first, with all between them.
    right_arc: ArcCounts,
    /// By item and k: the item is the root and has taken no item as a dependent yet.
    of_item: ArcCounts,
    /// By item and word: as `of_item`, the word being its last dependent and without dependents on the right so far.
    with_dependent: ArcCounts,
    /// By item: how many of the items that joined since it became the root are its gold dependents.
    on_left: Vec<i32>,
    /// By word, for the current i.
    of_word: Vec<i32>,
    /// By k, for the current i: the best of all roots.
    best: Vec<i32>,
}

/// A table of numbers of arcs with rows of one length.
#[derive(Debug, Default)]
struct ArcCounts {
    cells: Vec<i32>,
    width: usize,
}

impl ArcCounts {
    fn reset(&mut self, height: usize, width: usize) {
        self.width = width;
        self.cells.clear();
        self.cells.resize(height * width, NEVER);
    }

    fn get(&self, row: usize, column: usize) -> i32 {
        self.cells[row * self.width + column]
    }

    fn raise(&mut self, row: usize, column: usize, value: i32) {
        let cell = &mut self.cells[row * self.width + column];
        *cell = (*cell).max(value);
    }
}

impl CubicTime {
    /// The most words that can still get their gold heads.
    pub(super) fn n_right(&mut self, gold: &Gold, stack: &[Node], buffer: Range<Node>, roots: Roots) -> u32 {
        let n_made = self.shrink(gold, stack, buffer);
        self.inside_the_buffer(gold);
        let (m, q) = (stack.len(), self.words.len() - 1);
        self.of_item.reset(m, q + 1);
        self.with_dependent.reset(m, q + 1);
        self.on_left.clear();
        self.on_left.resize(m, 0);
        self.of_word.clear();
        self.of_word.resize(q + 1, NEVER);
        self.of_item.raise(0, 0, 0);
        for i in 0..m {
            if i > 0 {
                self.join_item(gold, stack, i);
            }
            self.take_words_on_the_right(gold, stack, i);
            self.join_words(gold, stack, i);
        }
        let whole = match roots {
            // The last item is the root, which is nobody's dependent.
            Roots::Several => self.of_item.get(m - 1, q),
            Roots::Single => self.below_the_root(gold, stack),
        };
        n_made + u32::try_from(whole).unwrap_or_default()
    }

    /// Sets `words` and `places`; the number of gold arcs within the subtrees that are made.
    fn shrink(&mut self, gold: &Gold, stack: &[Node], buffer: Range<Node>) -> u32 {
        let is_made = |word: Node| gold.span_start(word).is_some_and(|first| first >= buffer.start);
        let is_left = |word: &Node| {
            let head = gold.head(*word);
            head < buffer.start || !is_made(head)
        };
        self.words.clear();
        self.words.push(NO_NODE);
        self.words.extend(buffer.clone().filter(is_left));
        self.places.clear();
        self.places.resize(gold.n_words() + 1, usize::MAX);
        for (place, &node) in stack.iter().chain(&self.words[1..]).enumerate() {
            self.places[node as usize] = place;
        }
        buffer.clone().filter(|word| !is_left(word)).map(|word| gold.weight(word)).sum()
    }

    fn inside_the_buffer(&mut self, gold: &Gold) {
        let q = self.words.len() - 1;
        for table in [&mut self.first_is_root, &mut self.last_is_root, &mut self.left_arc, &mut self.right_arc] {
            table.reset(q + 1, q + 1);
        }
        for word in 1..=q {
            self.first_is_root.raise(word, word, 0);
            self.last_is_root.raise(word - 1, word, 0);
        }
        for distance in 1..q {
            for first in 1..=q - distance {
                let last = first + distance;
                let halves = |k: usize| self.first_is_root.get(first, k) + self.last_is_root.get(k, last);
                let both = (first..last).map(halves).max().unwrap_or(NEVER);
                let (a, b) = (self.words[first], self.words[last]);
                self.left_arc.raise(first, last, both + gain(gold, b, a));
                self.right_arc.raise(first, last, both + gain(gold, a, b));
                let rest = |k: usize| self.right_arc.get(first, k) + self.first_is_root.get(k, last);
                let best = (first + 1..=last).map(rest).max().unwrap_or(NEVER);
                self.first_is_root.raise(first, last, best);
                let before = first - 1;
                let rest = |k: usize| self.last_is_root.get(before, k) + self.left_arc.get(k, last);
                let best = (first..last).map(rest).max().unwrap_or(NEVER);
                self.last_is_root.raise(before, last, best);
            }
        }
    }

    /// The roots of the interval whose last item is `i` and that holds the first `k` words: what each has, and its node.
    fn item_roots(&self, i: usize, k: usize) -> impl Iterator<Item = (usize, i32)> + '_ {
        (0..=i).map(move |item| (item, self.of_item.get(item, k) + self.on_left[item]))
    }

    fn word_roots(&self, k: usize) -> impl Iterator<Item = (usize, i32)> + '_ {
        (1..=k).map(move |word| (word, self.of_word[word] + self.first_is_root.get(word, k)))
    }

    /// Item `i` joins what was the interval up to item `i` - 1: as the root, or as a dependent of each root.
    fn join_item(&mut self, gold: &Gold, stack: &[Node], i: usize) {
        let node = stack[i];
        for k in 0..self.words.len() {
            let items = self.item_roots(i - 1, k).map(|(item, arcs)| arcs + gain(gold, node, stack[item]));
            let words = self.word_roots(k).map(|(word, arcs)| arcs + gain(gold, node, self.words[word]));
            let most = items.chain(words).max().unwrap_or(NEVER);
            self.of_item.raise(i, k, most);
        }
        let head = gold.head(node);
        if node == ROOT {
            // It cannot be a dependent.
            self.on_left[..i].fill(NEVER);
            self.of_word.fill(NEVER);
        } else if self.places[head as usize] < i {
            self.on_left[self.places[head as usize]] += gain(gold, head, node);
        } else if let Some(word) = self.words.iter().position(|&word| word == head) {
            self.of_word[word] += gain(gold, head, node);
        }
    }

    /// Item `i`, while it is the root, takes trees of words as dependents.
    fn take_words_on_the_right(&mut self, gold: &Gold, stack: &[Node], i: usize) {
        for k in 1..self.words.len() {
            let before = |j: usize| self.of_item.get(i, j) + self.last_is_root.get(j, k);
            let most = (0..k).map(before).max().unwrap_or(NEVER);
            self.with_dependent.raise(i, k, most + gain(gold, stack[i], self.words[k]));
            let after = |word: usize| self.with_dependent.get(i, word) + self.first_is_root.get(word, k);
            let most = (1..=k).map(after).max().unwrap_or(NEVER);
            self.of_item.raise(i, k, most);
        }
    }

    /// Words become roots of the interval whose last item is `i`.
    fn join_words(&mut self, gold: &Gold, stack: &[Node], i: usize) {
        let q = self.words.len() - 1;
        self.best.clear();
        self.best.resize(q + 1, NEVER);
        for k in 0..=q {
            if k > 0 {
                let on_top = |j: usize| self.best[j] + self.last_is_root.get(j, k);
                let mut most = (0..k).map(on_top).max().unwrap_or(NEVER);
                for word in 1..k {
                    most = most.max(self.of_word[word] + self.left_arc.get(word, k));
                }
                // Items are before words, and so among the first dependents.
                let items = gold.dependents(self.words[k]).iter().map(|&node| self.places[node as usize]);
                for item in items.filter(|&item| item <= i && item < stack.len()) {
                    let arc = gain(gold, self.words[k], stack[item]);
                    let on_item =
                        |j: usize| self.of_item.get(item, j) + self.on_left[item] + self.last_is_root.get(j, k) + arc;
                    most = most.max((0..k).map(on_item).max().unwrap_or(NEVER));
                }
                self.of_word[k] = self.of_word[k].max(most);
            }
            let items = self.item_roots(i, k).map(|(_, arcs)| arcs);
            let words = self.word_roots(k).map(|(_, arcs)| arcs);
            self.best[k] = items.chain(words).max().unwrap_or(NEVER);
        }
    }

    /// The most arcs of a whole interval that becomes a dependent of the root.
    fn below_the_root(&self, gold: &Gold, stack: &[Node]) -> i32 {
        let (m, q) = (stack.len(), self.words.len() - 1);
        let below = |node: Node| gain(gold, ROOT, node);
        let items = self.item_roots(m - 1, q).map(|(item, arcs)| arcs + below(stack[item]));
        let words = self.word_roots(q).map(|(word, arcs)| arcs + below(self.words[word]));
        items.chain(words).max().unwrap_or(NEVER)
    }
}

/// The value of an arc: its weight, if it is one of the gold tree's.
fn gain(gold: &Gold, head: Node, dependent: Node) -> i32 {
    if gold.head(dependent) == head { gold.weight(dependent) as i32 } else { 0 }
}
