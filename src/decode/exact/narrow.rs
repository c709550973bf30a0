//! Push computations of arc-hybrid and arc-eager: a word that is pushed stays on top until it is popped.
//!
//! An item (c, i, j) is the best push computation from the word in position i being pushed onto that in position c, of which
//! it depends if S1 is read, to B0 being in position j. It is either empty, and j = i + 1, or ends by popping a word k that was
//! pushed onto i when B0 was k:
//!
//! (c, i, j) = max over k: (c, i, k) + push of k from (c, i, k) + (i, k, j) + pop of k at (i, k, j)
//!
//! In arc-hybrid k is pushed by SHIFT and popped by LEFT or RIGHT; in arc-eager it is pushed by SHIFT and popped by LEFT, or
//! pushed by RIGHT and popped by REDUCE. With one root, arc-eager's items that end behind the last word are told apart by
//! whether an arc from the root was made: in complete derivations that is so once, which is what its preconditions ask of the
//! last word.

use super::table::{Ask, Best, NEVER, Table};
use crate::system::ActionId;
use crate::system::Deduction;
use crate::tree::{Node, Roots};

/// The best derivation and its score.
pub(super) fn search(table: &Table) -> (Vec<ActionId>, i64) {
    let mut chart = Chart::new(table);
    chart.fill();
    let (end, n_roots) = (table.n_words + 1, chart.n_ends - 1);
    let mut derivation = Vec::with_capacity(2 * table.n_words);
    chart.trace(0, 0, end, n_roots, &mut derivation);
    (derivation, chart.get(0, 0, end, n_roots))
}

struct Chart<'t> {
    table: &'t Table<'t>,
    /// Items by place in the table, and those that end behind the last word by the number of arcs from the root.
    items: Vec<i64>,
    ends: Vec<i64>,
    /// Number of distinct numbers of arcs from the root.
    n_ends: usize,
}

/// Derivation of a word: its push and its pop.
#[derive(Debug, Clone, Copy)]
struct Way {
    score: i64,
    push: Best,
    pop: Best,
    /// The number of arcs from the root before the word is popped.
    n_roots: usize,
}

impl<'t> Chart<'t> {
    fn new(table: &'t Table<'t>) -> Chart<'t> {
        let n_ends = if table.kind == Deduction::Eager && table.roots == Roots::Single { 2 } else { 1 };
        let end = table.n_words + 1;
        let first = table.place(0, 0, end);
        let n = table.place(0, 0, end + 1) - first;
        Chart { table, items: vec![NEVER; first], ends: vec![NEVER; n * n_ends], n_ends }
    }

    fn get(&self, c: usize, i: usize, j: usize, n_roots: usize) -> i64 {
        let place = self.table.place(c, i, j);
        match place.checked_sub(self.items.len()) {
            None if n_roots == 0 => self.items[place],
            None => NEVER,
            Some(place) => self.ends[place * self.n_ends + n_roots],
        }
    }

    fn set(&mut self, c: usize, i: usize, j: usize, n_roots: usize, score: i64) {
        let place = self.table.place(c, i, j);
        match place.checked_sub(self.items.len()) {
            None => self.items[place] = score,
            Some(place) => self.ends[place * self.n_ends + n_roots] = score,
        }
    }

    /// The position of S1, as far as it is read.
    fn context(&self, c: usize) -> usize {
        if self.table.reads_s1 { c } else { 0 }
    }

    fn fill(&mut self) {
        let n = self.table.n_words;
        for i in (0..=n).rev() {
            for c in 0..if self.table.reads_s1 { i.max(1) } else { 1 } {
                self.set(c, i, i + 1, 0, 0);
                for j in i + 2..=n + 1 {
                    let n_ends = if j > n { self.n_ends } else { 1 };
                    for n_roots in 0..n_ends {
                        let mut best = NEVER;
                        for k in i + 1..j {
                            best = best.max(self.ways(c, i, k, j, n_roots).map(|way| way.score).max().unwrap_or(NEVER));
                        }
                        self.set(c, i, j, n_roots, best);
                    }
                }
            }
        }
    }

    /// The ways to have k pushed onto i and popped again with B0 in position j; their scores include what was before.
    #[inline]
    fn ways(&self, c: usize, i: usize, k: usize, j: usize, n_roots: usize) -> impl Iterator<Item = Way> + '_ {
        let table = self.table;
        let below = self.context(i);
        let at_end = j > table.n_words;
        let before = self.get(c, i, k, 0);
        let pairs = match table.kind {
            Deduction::Eager => [(Ask::Shift, Ask::Left), (Ask::Right, Ask::Reduce)],
            _ => {
                let right = if i == 0 {
                    Ask::RightRoot
                } else if table.gold.is_some_and(|gold| usize::from(gold.head(k as Node)) == i) {
                    Ask::RightGold
                } else {
                    Ask::Right
                };
                [(Ask::Shift, Ask::Left), (Ask::Shift, right)]
            }
        };
        pairs.into_iter().filter_map(move |(push, pop)| {
            let makes_root = self.n_ends > 1 && at_end && pop == Ask::Left;
            let n_roots = n_roots.checked_sub(usize::from(makes_root))?;
            let (push, pop) = (table.best(push, c, i, k), table.best(pop, below, k, j));
            let parts = [before, push.score, self.get(below, k, j, n_roots), pop.score];
            let possible = parts.iter().all(|&part| part > NEVER);
            possible.then(|| Way { score: parts.iter().sum(), push, pop, n_roots })
        })
    }

    /// Appends the transitions of an item.
    fn trace(&self, c: usize, i: usize, j: usize, n_roots: usize, derivation: &mut Vec<ActionId>) {
        // The pops of the words that stood on i, the last one first.
        let mut steps = Vec::new();
        let (mut to, mut roots_left) = (j, n_roots);
        while to > i + 1 {
            let score = self.get(c, i, to, roots_left);
            let found = (i + 1..to).find_map(|k| {
                let way = self.ways(c, i, k, to, roots_left).find(|way| way.score == score)?;
                Some((k, way))
            });
            let Some((k, way)) = found else { break };
            steps.push((k, to, way));
            (to, roots_left) = (k, 0);
        }
        for (k, j, way) in steps.into_iter().rev() {
            derivation.push(way.push.action);
            self.trace(self.context(i), k, j, way.n_roots, derivation);
            derivation.push(way.pop.action);
        }
    }
}
