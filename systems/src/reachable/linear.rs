//! Projective gold trees, in linear time.
//!
//! **Words of the buffer.** A word joins its gold head inside the buffer at no loss, with two exceptions. One are words
//! whose gold head is left of the buffer: they become dependents of it, if it is on the stack and is the root at some time,
//! and dependents of any root if not. The other are words that have a gold dependent on the stack, and what is above
//! these: by the gold heads of such a word, of its head, and so on, a **path** leads up to a word whose gold head is left
//! of the buffer. As gold arcs do not cross, paths do not meet, and what joins the nodes of the stack, from S0 down, with
//! words of the paths comes in the order of the words: first all gold dependents of the first word of the first path.
//!
//! **Items of the stack** join in their order. For each root we keep the most gold arcs of an interval with that root. When
//! an item joins as a dependent, only the entry of its gold head changes, by one; as the new root its entry is the best of all
//! entries, or one more than that of one of its gold dependents. So an item costs as much as it has gold dependents.
//!
//! **Words of a path** can become roots, too, and after any of the items between the first gold dependent of the path and
//! the next one that is beyond it. There are three cases of what has been done with the path, and entries for each. Let c be
//! the first word of the path that might still become the root.
//! * *Ahead*: c has not joined. Once all items that are gold dependents of c have, c may join its gold head inside the
//!   buffer, and the next word of the path is c; each entry grows by one.
//! * *Within*: c was the root, or is, and the word after it has not joined. An item that takes its place as the root is not
//!   the gold head of c. Then the next word is treated as in the first case.
//! * *Behind*: all words of the path have joined. If c is the root, the words above it may become roots one after the other,
//!   up to the top of the path, at a gain of one each. To stop halfway is of no use: it costs the same arc as to stop at c,
//!   and loses words that might have dependents on the stack.
//!
//! The path is over when the gold head of its top word joins, of which the top becomes a dependent, or when what comes next
//! is beyond it; then the entries of *behind* and *ahead* are one. Only *ahead* has entries for items that joined before
//! the path, so that nothing but roots of late has to be moved.
//!
//! Complexity: linear in the number of items and the lengths of their paths, plus the time to count the words of the buffer
//! whose heads are left of it.

use std::ops::Range;

use super::NEVER;
use treebeam::system::Roots;
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The memory of the computation.
#[derive(Debug, Default)]
pub(super) struct LinearTime {
    /// By node: its number among the items of the stack and, behind them, among the words of paths; [`NOWHERE`] for others.
    places: Vec<u32>,
    /// The words of all paths, in their order.
    words: Vec<PathWord>,
    ahead: Entries,
    within: Entries,
    behind: Entries,
}

const NOWHERE: u32 = u32::MAX;

/// A word of a path.
#[derive(Debug, Clone, Copy)]
struct PathWord {
    node: Node,
    /// The number of the path's top word among the words of paths.
    top: usize,
}

/// The most gold arcs of an interval, by its root.
#[derive(Debug, Default)]
struct Entries {
    arcs: Vec<i32>,
    /// The places of those that have an entry.
    roots: Vec<u32>,
    best: i32,
}

impl Entries {
    fn reset(&mut self, len: usize) {
        self.arcs.clear();
        self.arcs.resize(len, NEVER);
        self.roots.clear();
        self.best = NEVER;
    }

    fn clear(&mut self) {
        for root in self.roots.drain(..) {
            self.arcs[root as usize] = NEVER;
        }
        self.best = NEVER;
    }

    fn get(&self, place: u32) -> i32 {
        self.arcs[place as usize]
    }

    fn raise(&mut self, place: u32, arcs: i32) {
        if arcs <= NEVER / 2 {
            return;
        }
        let entry = &mut self.arcs[place as usize];
        if *entry == NEVER {
            self.roots.push(place);
        }
        *entry = (*entry).max(arcs);
        self.best = self.best.max(*entry);
    }

    /// A gold dependent of this root has joined.
    fn count_one(&mut self, place: u32) {
        let entry = &mut self.arcs[place as usize];
        if *entry != NEVER {
            *entry += 1;
            self.best = self.best.max(*entry);
        }
    }

    /// The best entry of the roots that become dependents of a new root, of which those at `children` are gold dependents.
    fn below(&self, children: impl Iterator<Item = u32>) -> i32 {
        children.map(|place| self.get(place) + 1).fold(self.best, i32::max)
    }
}

/// Position in a path that has begun and is not over.
#[derive(Debug, Clone, Copy)]
struct Current {
    /// The number of c among the words of paths.
    word: usize,
    /// The best entry of *ahead* among the gold dependents of c.
    best_child: i32,
}

/// Constants of a computation.
#[derive(Clone, Copy)]
struct Given<'g> {
    gold: &'g Gold,
    /// From S0 down.
    stack: &'g [Node],
    /// The first word of the buffer.
    front: Node,
    roots: Roots,
}

impl Given<'_> {
    /// True if the top of a path with this gold head never gets it from an item of the stack.
    fn is_gone(&self, head: Node, places: &[u32]) -> bool {
        places[head as usize] == NOWHERE && !(self.roots == Roots::Single && head == ROOT)
    }
}

impl LinearTime {
    /// The most words that can still get their gold heads.
    pub(super) fn n_right(&mut self, gold: &Gold, stack: &[Node], buffer: Range<Node>, roots: Roots) -> u32 {
        let given = Given { gold, stack, front: buffer.start, roots };
        self.find_paths(given);
        let size = stack.len() + self.words.len();
        for entries in [&mut self.ahead, &mut self.within, &mut self.behind] {
            entries.reset(size);
        }
        let n_gained = self.join_all(given);
        let has_left_head = |word: Node| gold.head(word) < buffer.start;
        let n_not_top = self.words.iter().enumerate().filter(|(number, word)| *number != word.top).count();
        let n_kept = buffer.clone().filter(|&word| has_left_head(word)).count() + n_not_top;
        for &node in stack.iter().chain(self.words.iter().map(|word| &word.node)) {
            self.places[node as usize] = NOWHERE;
        }
        (buffer.len() - n_kept) as u32 + u32::try_from(n_gained).unwrap_or_default()
    }

    fn find_paths(&mut self, Given { gold, stack, front, .. }: Given) {
        self.words.clear();
        if self.places.len() <= gold.n_words() {
            self.places.resize(gold.n_words() + 1, NOWHERE);
        }
        for (place, &node) in stack.iter().enumerate() {
            self.places[node as usize] = place as u32;
        }
        for &item in stack.iter().filter(|&&item| item != ROOT) {
            let first = self.words.len();
            let mut word = gold.head(item);
            while word >= front && self.places[word as usize] == NOWHERE {
                self.places[word as usize] = (stack.len() + self.words.len()) as u32;
                self.words.push(PathWord { node: word, top: first });
                word = gold.head(word);
            }
            let top = self.words.len().saturating_sub(1);
            self.words[first..].iter_mut().for_each(|word| word.top = top);
        }
    }

    /// The number of gold dependents of `node` in the buffer that are on no path.
    fn n_on_right(&self, Given { gold, front, .. }: Given, node: Node) -> i32 {
        let behind = gold.dependents(node).iter().rev().take_while(|&&dependent| dependent >= front);
        behind.filter(|&&dependent| self.places[dependent as usize] == NOWHERE).count() as i32
    }

    fn join_all(&mut self, given: Given) -> i32 {
        let Given { gold, stack, .. } = given;
        // The number to be added to all entries of `ahead`.
        let mut offset = 0;
        let mut current: Option<Current> = None;
        let mut next_path = 0;
        for (i, &node) in stack.iter().enumerate() {
            let place = i as u32;
            let head = gold.head(node);
            let head_place = if head == NO_NODE { NOWHERE } else { self.places[head as usize] };
            let head_word = (head_place != NOWHERE).then(|| (head_place as usize).checked_sub(stack.len())).flatten();
            let n_on_right = self.n_on_right(given, node);
            if i == 0 {
                self.ahead.raise(place, n_on_right);
            } else {
                let mut is_head_of_top = false;
                if let Some(Current { word, .. }) = current {
                    let top = self.words[word].top;
                    let head_of_top = gold.head(self.words[top].node);
                    is_head_of_top = head_of_top == node;
                    let is_beyond = given.is_gone(head_of_top, &self.places)
                        && (n_on_right > 0 || head_word.is_some_and(|number| number > top));
                    let up_to = match head_word.filter(|&number| number <= top) {
                        Some(number) => number,
                        None if is_head_of_top || is_beyond => top,
                        None => word,
                    };
                    for _ in word..up_to {
                        self.advance(given, &mut current, &mut offset);
                    }
                    if is_beyond {
                        self.finish(&mut current, offset);
                    }
                }
                self.join_item(given, place, n_on_right, is_head_of_top, &mut current);
                if is_head_of_top {
                    self.finish(&mut current, offset);
                }
            }
            if current.is_none() && head_word == Some(next_path) {
                current = Some(Current { word: next_path, best_child: NEVER });
                next_path = self.words[next_path].top + 1;
            }
            if let Some(path) = &mut current {
                if head == self.words[path.word].node {
                    path.best_child = path.best_child.max(self.ahead.get(place));
                }
                self.join_word(given, *path, offset);
            }
        }
        self.most(given, current, offset)
    }

    /// The item at `place` joins: as a dependent of each root, and as the new root.
    fn join_item(
        &mut self,
        given: Given,
        place: u32,
        n_on_right: i32,
        is_head_of_top: bool,
        current: &mut Option<Current>,
    ) {
        let node = given.stack[place as usize];
        let LinearTime { places, words, ahead, within, behind } = self;
        let dependents = || given.gold.dependents(node).iter().map(|&dependent| places[dependent as usize]);
        // Those that have not joined have no entry.
        let children = || dependents().filter(|&child| child != NOWHERE);
        let [of_ahead, of_within, of_behind] = [&*ahead, &*within, &*behind].map(|entries| entries.below(children()));
        if node == ROOT {
            for entries in [&mut *ahead, &mut *within, &mut *behind] {
                entries.clear();
            }
        } else {
            let head = given.gold.head(node);
            let head_place = places[head as usize];
            if head_place != NOWHERE {
                for entries in [&mut *ahead, &mut *within, &mut *behind] {
                    entries.count_one(head_place);
                }
                if let Some(path) = current
                    && given.gold.head(head) == words[path.word].node
                {
                    path.best_child = path.best_child.max(ahead.get(head_place));
                }
            }
        }
        ahead.raise(place, of_ahead + n_on_right + i32::from(is_head_of_top));
        within.raise(place, of_within + n_on_right);
        behind.raise(place, of_behind + n_on_right);
    }

    /// c may become the root here, and so may the top of its path after it.
    fn join_word(&mut self, given: Given, path: Current, offset: i32) {
        let place = |number: usize| (given.stack.len() + number) as u32;
        let top = self.words[path.word].top;
        let arcs = self.ahead.best.max(path.best_child + 1) + offset;
        if path.word == top {
            self.behind.raise(place(top), arcs);
        } else {
            self.within.raise(place(path.word), arcs);
            let n_above = (top - path.word) as i32;
            self.behind.raise(place(top), self.within.get(place(path.word)) + n_above);
        }
    }

    /// c joins its gold head inside the buffer, if it has not joined yet; the next word of the path becomes c.
    fn advance(&mut self, given: Given, current: &mut Option<Current>, offset: &mut i32) {
        let Some(path) = current else { return };
        *offset += 1;
        merge(&mut self.within, &mut self.ahead, *offset);
        let place = (given.stack.len() + path.word) as u32;
        *path = Current { word: path.word + 1, best_child: self.ahead.get(place) };
        self.join_word(given, *path, *offset);
    }

    /// The path is over: what was *within* at its top is *behind*.
    fn finish(&mut self, current: &mut Option<Current>, offset: i32) {
        merge(&mut self.behind, &mut self.ahead, offset);
        self.within.clear();
        *current = None;
    }

    /// The most gold arcs when all items have joined.
    fn most(&mut self, given: Given, mut current: Option<Current>, mut offset: i32) -> i32 {
        let Given { gold, stack, front, roots } = given;
        while let Some(path) = current {
            if path.word == self.words[path.word].top {
                break;
            }
            self.advance(given, &mut current, &mut offset);
        }
        if roots == Roots::Several {
            self.finish(&mut current, offset);
            return self.ahead.get(stack.len() as u32 - 1) + offset;
        }
        let of_root = gold.dependents(ROOT)[0];
        let is_top = current.is_some_and(|path| gold.head(self.words[path.word].node) == ROOT);
        if current.is_some() && !is_top {
            self.finish(&mut current, offset);
        }
        let place = self.places[of_root as usize];
        let on_root = |entries: &Entries| if place == NOWHERE { NEVER } else { entries.get(place) + 1 };
        // A word of the buffer that hangs on the root can become the last root of all intervals that it has not joined.
        let ahead = self.ahead.best.max(on_root(&self.ahead)) + offset + i32::from(of_root >= front);
        ahead.max(self.behind.best).max(on_root(&self.behind))
    }
}

/// Moves the entries of `from` to `to`, where `offset` has to be added to what entries say.
fn merge(from: &mut Entries, to: &mut Entries, offset: i32) {
    for place in from.roots.drain(..) {
        let arcs = std::mem::replace(&mut from.arcs[place as usize], NEVER);
        to.raise(place, arcs - offset);
    }
    from.best = NEVER;
}
