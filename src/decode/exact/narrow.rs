//! Push computations of arc-hybrid and arc-eager: a word that is pushed stays on top until it is popped.
//!
//! An item (c, i, j) is the best push computation from the word in position i being pushed onto that in position c, of which
//! it depends if S1 is read, to B0 being in position j. It is either empty, and j = i + 1, or ends by popping a word k that was
//! pushed onto i when B0 was k:
//!
//! (c, i, j) = max over k: (c, i, k) + push of k from (c, i, k) + (i, k, j) + pop of k at (i, k, j)
//!
//! In arc-hybrid k is pushed by SHIFT and popped by LEFT or RIGHT; in arc-eager it is pushed by SHIFT and popped by LEFT, or
//! pushed by RIGHT and popped by REDUCE. With one root, arc-eager's items that end behind the last word are distinguished by
//! an arc from the root: in complete derivations that is so once, which is what its preconditions ask of the
//! last word.
//!
//! With sums over k of products in place of maxima over k of sums, an item is the weight of all its push computations: the
//! inside pass. From the whole down, each item then hands its probability on to what it is made of, in the shares that these have in its
//! weight: the outside pass, as the gradient of the logarithm of the whole weight (Eisner 2016).

use super::table::{Ask, BestEntry, SummedEntry, Table, TableEntry};
use crate::decode::Confidence;
use crate::decode::value::{Value, share};
use crate::system::ActionId;
use crate::system::Deduction;
use crate::tree::{Node, ROOT, Roots, Tree};
use crate::vector::vectorised;

/// The best derivation and its score.
pub(super) fn search(table: &Table) -> (Vec<ActionId>, i64) {
    let mut chart = Chart::new(table);
    chart.fill();
    let (end, n_roots) = (table.n_words + 1, chart.n_ends - 1);
    let mut derivation = Vec::with_capacity(2 * table.n_words);
    chart.trace(0, 0, end, n_roots, &mut derivation);
    (derivation, chart.get(0, 0, end, n_roots))
}

/// The probability of each arc of `tree`, and of its label given the arc, which is the one that the table asks for.
pub(super) fn confidences(table: &Table<SummedEntry>, tree: &Tree) -> Vec<Confidence> {
    let mut chart = Chart::new(table);
    let [heads, labels] = vectorised!(_simd => {
        chart.fill();
        chart.probabilities(tree)
    });
    let of_word = |(head, label): (f64, f64)| Confidence {
        head: head.min(1.0),
        label: if head > 0.0 { f64::min(label / head, 1.0) } else { 0.0 },
    };
    heads.into_iter().zip(labels).map(of_word).collect()
}

struct Chart<'t, E: TableEntry> {
    table: &'t Table<'t, E>,
    /// Items by place in the table, and those that end behind the last word by the number of arcs from the root.
    items: Vec<E::Value>,
    ends: Vec<E::Value>,
    /// Number of distinct numbers of arcs from the root.
    n_ends: usize,
}

/// Derivation of a word: its push and its pop.
#[derive(Debug, Clone, Copy)]
struct Way<E: TableEntry> {
    value: E::Value,
    push: E,
    pop: E,
    /// The head that it gets.
    head: usize,
    /// The number of arcs from the root before the word is popped.
    n_roots: usize,
}

impl<'t, E: TableEntry> Chart<'t, E> {
    fn new(table: &'t Table<'t, E>) -> Chart<'t, E> {
        let n_ends = if table.kind == Deduction::Eager && table.roots == Roots::Single { 2 } else { 1 };
        let end = table.n_words + 1;
        let first = table.place(0, 0, end);
        let n = table.place(0, 0, end + 1) - first;
        Chart { table, items: vec![E::Value::NEVER; first], ends: vec![E::Value::NEVER; n * n_ends], n_ends }
    }

    fn get(&self, c: usize, i: usize, j: usize, n_roots: usize) -> E::Value {
        let place = self.table.place(c, i, j);
        match place.checked_sub(self.items.len()) {
            None if n_roots == 0 => self.items[place],
            None => E::Value::NEVER,
            Some(place) => self.ends[place * self.n_ends + n_roots],
        }
    }

    fn set(&mut self, c: usize, i: usize, j: usize, n_roots: usize, value: E::Value) {
        let place = self.table.place(c, i, j);
        match place.checked_sub(self.items.len()) {
            None => self.items[place] = value,
            Some(place) => self.ends[place * self.n_ends + n_roots] = value,
        }
    }

    /// The position of S1, as far as it is read.
    fn context(&self, c: usize) -> usize {
        if self.table.reads_s1 { c } else { 0 }
    }

    #[inline(always)]
    fn fill(&mut self) {
        let n = self.table.n_words;
        for i in (0..=n).rev() {
            for c in 0..if self.table.reads_s1 { i.max(1) } else { 1 } {
                self.set(c, i, i + 1, 0, E::Value::default());
                for j in i + 2..=n + 1 {
                    let n_ends = if j > n { self.n_ends } else { 1 };
                    for n_roots in 0..n_ends {
                        let of = |k| E::Value::total(self.ways(c, i, k, j, n_roots).map(|way| way.value));
                        self.set(c, i, j, n_roots, E::Value::total((i + 1..j).map(of)));
                    }
                }
            }
        }
    }

    /// The ways to have k pushed onto i and popped again with B0 in position j; their values include the derivation before.
    #[inline(always)]
    fn ways(&self, c: usize, i: usize, k: usize, j: usize, n_roots: usize) -> impl Iterator<Item = Way<E>> + '_ {
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
            let head = match pop {
                Ask::Left if at_end => ROOT.into(),
                Ask::Left => j,
                _ => i,
            };
            let (push, pop) = (table.entry(push, c, i, k), table.entry(pop, below, k, j));
            let parts = [before, push.value(), self.get(below, k, j, n_roots), pop.value()];
            let possible = parts.iter().all(|&part| part > E::Value::NEVER);
            let [before, of_push, inside, of_pop] = parts;
            possible.then(|| Way { value: before + of_push + inside + of_pop, push, pop, head, n_roots })
        })
    }
}

impl Chart<'_, BestEntry> {
    /// Appends the transitions of an item.
    fn trace(&self, c: usize, i: usize, j: usize, n_roots: usize, derivation: &mut Vec<ActionId>) {
        // The pops of the words that stood on i, the last one first.
        let mut steps = Vec::new();
        let (mut to, mut roots_left) = (j, n_roots);
        while to > i + 1 {
            let score = self.get(c, i, to, roots_left);
            let found = (i + 1..to).find_map(|k| {
                let way = self.ways(c, i, k, to, roots_left).find(|way| way.value == score)?;
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

impl Chart<'_, SummedEntry> {
    /// By word the probability of its head in `tree`, and of its label there as well.
    #[inline(always)]
    fn probabilities(&self, tree: &Tree) -> [Vec<f64>; 2] {
        let n = self.table.n_words;
        let [mut heads, mut labels] = [vec![0.0; n], vec![0.0; n]];
        // Items with their probabilities in place of their weights.
        let none = |items: &[f64]| vec![0.0; items.len()];
        let mut chart = Chart { items: none(&self.items), ends: none(&self.ends), ..*self };
        chart.set(0, 0, n + 1, self.n_ends - 1, 1.0);
        for i in 0..=n {
            for c in 0..if self.table.reads_s1 { i.max(1) } else { 1 } {
                for j in (i + 2..=n + 1).rev() {
                    for n_roots in 0..if j > n { self.n_ends } else { 1 } {
                        let (whole, weight) = (chart.get(c, i, j, n_roots), self.get(c, i, j, n_roots));
                        if whole == 0.0 {
                            continue;
                        }
                        for k in i + 1..j {
                            for way in self.ways(c, i, k, j, n_roots) {
                                let part = whole * share(way.value - weight);
                                for (c, i, j, n_roots) in [(c, i, k, 0), (self.context(i), k, j, way.n_roots)] {
                                    chart.set(c, i, j, n_roots, chart.get(c, i, j, n_roots) + part);
                                }
                                if way.head == usize::from(tree.head(k as Node)) {
                                    heads[k - 1] += part;
                                    labels[k - 1] += part * way.push.label * way.pop.label;
                                }
                            }
                        }
                    }
                }
            }
        }
        [heads, labels]
    }
}
