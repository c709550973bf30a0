//! The best projective tree where the score of an arc depends on its neighbours.
//!
//! | order | an arc is scored with | source | time | space |
//! |---|---|---|---|---|
//! | second | the next sibling | McDonald & Pereira (2006) | n³ | n² |
//! | third | that and the grandparent | Koo & Collins (2010), model 1 | n⁴ | n³ |
//!
//! Spans are those of Eisner's algorithm ([`super::Eisner`]), and *sibling* spans: all that stands between two neighbouring
//! dependents of a head. In the third order every span knows the head of its head, a *g-span*; in a sibling span, whose ends have
//! the same head, that is this one. Here both orders are one algorithm: a *row* is a node with one of the heads that it may have, or,
//! in the second order, with any.
//!
//! | span | is the best of | over |
//! |---|---|---|
//! | incomplete, `g, h → d` | complete `h, h+1 ← d` + score of `(g, h, none, d)` | |
//! | | incomplete `g, h → s` + sibling `h, s d` + score of `(g, h, s, d)` | `h < s < d` |
//! | sibling, `h, s d` | complete `h, s → m` + complete `h, m+1 ← d` | `s ≤ m < d` |
//! | complete, `g, h → e` | incomplete `g, h → m` + complete `h, m → e` | `h < m ≤ e` |
//!
//! and the mirror images. The grandparent stands outside of the span. With a single root, spans are made over the words alone, and
//! the root takes the word for which both its halves and the arc are best.
//!
//! [`Heads`] says which heads a word may have: all of them, and the best of all projective trees is found; or some of them, and the
//! best is found of all projective trees that are made of them.

use super::forest::{Edge, Forest, IMPOSSIBLE};
use super::{ArcScores, Order, Part};
use crate::tree::{LabelId, NO_NODE, Node, ROOT, Roots};

/// Scores of parts that fill a chart.
pub trait PartScores {
    /// Writes the scores of the arc from `head` to `dependent`, each with the best label, with every grandparent and sibling:
    /// a row for each of `grandparents`, in it first the score without a sibling, then of every word between the two, from
    /// left to right. Where `wanted` says no, by grandparent or by column, nothing needs to be written.
    fn score(&mut self, arc: (Node, Node), grandparents: &[Node], wanted: Wanted, scores: &mut [i32]);

    /// See [`Forest::labels`].
    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>);
}

/// Wanted scores of an arc.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'c> {
    /// By grandparent.
    pub grandparents: &'c [bool],
    /// By column: none, then the words between head and dependent.
    pub siblings: &'c [bool],
}

/// The heads that words may have.
#[derive(Debug, Clone, Default)]
pub struct Heads {
    /// By node: where its candidates start.
    starts: Vec<usize>,
    candidates: Vec<Node>,
}

impl Heads {
    /// All nodes for each of `n_words` words.
    pub fn all(&mut self, n_words: usize) {
        self.set(n_words, |word, candidates| candidates.extend((0..=n_words as Node).filter(|&head| head != word)));
    }

    /// Those that `candidates` appends for each word.
    pub fn set(&mut self, n_words: usize, mut candidates: impl FnMut(Node, &mut Vec<Node>)) {
        self.starts.clear();
        self.candidates.clear();
        self.starts.extend([0, 0]);
        for word in 1..=n_words as Node {
            candidates(word, &mut self.candidates);
            self.starts.push(self.candidates.len());
        }
    }

    /// For each word its `most` best heads by the scores of arcs, and that which it has in this tree, which so stays possible.
    pub fn best(&mut self, scores: &ArcScores, tree: &[Node], most: usize) {
        let mut ranking: Vec<Node> = Vec::new();
        self.set(tree.len(), |word, candidates| {
            ranking.clear();
            ranking.extend((0..=tree.len() as Node).filter(|&head| head != word));
            ranking.sort_by_key(|&head| (std::cmp::Reverse(scores.get(head, word)), head));
            let own = tree[word as usize - 1];
            ranking.truncate(most);
            ranking.push(own);
            ranking.sort_unstable();
            ranking.dedup();
            candidates.extend(&ranking);
        });
    }

    /// Leaves only those that `stays` is true of, as head and word.
    pub fn retain(&mut self, stays: impl Fn(Node, Node) -> bool) {
        let before = self.clone();
        let n_words = self.starts.len() as Node - 2;
        self.set(n_words.into(), |word, candidates| {
            candidates.extend(before.of(word).iter().filter(|&&head| stays(head, word)));
        });
    }

    fn of(&self, word: Node) -> &[Node] {
        &self.candidates[self.starts[word as usize]..self.starts[word as usize + 1]]
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// Scratch memory: the chart of one sentence.
#[derive(Debug, Clone)]
pub struct Chart {
    order: Order,
    roots: Roots,
    /// The number of nodes.
    size: usize,
    /// By node: its first row.
    first_rows: Vec<usize>,
    /// By row: the head of the row's node; no node if it is the root or any.
    heads: Vec<Node>,
    /// By row: its node.
    nodes: Vec<Node>,
    /// `[node][head]`: the row, if the node may have this head.
    rows: Vec<u32>,
    /// `[row][end]`.
    complete: Vec<i64>,
    /// `[row][dependent]`.
    arcs: Vec<i64>,
    /// `[row of the dependent that is further from the head][the nearer one]`.
    siblings: Vec<i64>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    scores: Vec<i32>,
    grandparents: Vec<bool>,
    wanted: Vec<bool>,
    below: Vec<i64>,
}

impl Chart {
    /// An empty one.
    pub fn new(order: Order) -> Chart {
        Chart {
            order,
            roots: Roots::Single,
            size: 0,
            first_rows: Vec::new(),
            heads: Vec::new(),
            nodes: Vec::new(),
            rows: Vec::new(),
            complete: Vec::new(),
            arcs: Vec::new(),
            siblings: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Fills the chart over `n_words` words.
    pub fn fill<S: PartScores>(&mut self, n_words: usize, roots: Roots, heads: &Heads, scores: &mut S) {
        self.start(n_words, roots, heads);
        let first = if roots == Roots::Single { 1 } else { 0 };
        for left in (first..self.size as Node).rev() {
            for row in self.rows_of(left) {
                self.complete[row * self.size + left as usize] = 0;
            }
            for right in left + 1..self.size as Node {
                self.fill_arc(left, right, scores);
                if left != ROOT {
                    self.fill_arc(right, left, scores);
                    self.fill_siblings(left, right);
                    self.fill_complete(right, left);
                }
                self.fill_complete(left, right);
            }
        }
        if roots == Roots::Single {
            for word in 1..self.size as Node {
                self.fill_root(word, scores);
            }
        }
    }

    fn start(&mut self, n_words: usize, roots: Roots, heads: &Heads) {
        self.roots = roots;
        self.size = n_words + 1;
        self.first_rows.clear();
        self.heads.clear();
        self.nodes.clear();
        self.rows.clear();
        self.rows.resize(self.size * self.size, NONE);
        for node in 0..self.size as Node {
            self.first_rows.push(self.heads.len());
            if node == ROOT || self.order != Order::Third {
                self.heads.push(NO_NODE);
            } else {
                self.heads.extend(heads.of(node));
            }
            self.nodes.resize(self.heads.len(), node);
            for (&head, number) in heads.of(node).iter().zip(self.first_rows[node as usize]..) {
                let row = if self.order == Order::Third { number } else { self.first_rows[node as usize] };
                self.rows[node as usize * self.size + head as usize] = row as u32;
            }
        }
        self.first_rows.push(self.heads.len());
        for table in [&mut self.complete, &mut self.arcs, &mut self.siblings] {
            table.clear();
            table.resize(self.heads.len() * self.size, IMPOSSIBLE);
        }
    }

    fn rows_of(&self, node: Node) -> std::ops::Range<usize> {
        self.first_rows[node as usize]..self.first_rows[node as usize + 1]
    }

    /// The row of `node` below `head`.
    fn row(&self, node: Node, head: Node) -> Option<usize> {
        let row = self.rows[node as usize * self.size + head as usize];
        (row != NONE).then_some(row as usize)
    }

    /// True if the row's grandparent is outside of the span.
    fn is_outside(&self, row: usize, left: Node, right: Node) -> bool {
        let head = self.heads[row];
        head == NO_NODE || head < left || head > right
    }

    /// The scores of all parts of the arc, in the scratch memory: rows of the head's rows, or of this one alone.
    fn score<S: PartScores>(&mut self, head: Node, dependent: Node, only: Option<usize>, scores: &mut S) {
        let (left, right) = (head.min(dependent), head.max(dependent));
        let rows = only.map_or(self.rows_of(head), |row| row..row + 1);
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.grandparents.clear();
        scratch.grandparents.extend(rows.clone().map(|row| self.is_outside(row, left, right)));
        let single = head == ROOT && self.roots == Roots::Single;
        scratch.wanted.clear();
        scratch.wanted.push(true);
        scratch.wanted.extend((left + 1..right).map(|word| !single && self.row(word, head).is_some()));
        scratch.scores.clear();
        scratch.scores.resize(rows.len() * scratch.wanted.len(), 0);
        let wanted = Wanted { grandparents: &scratch.grandparents, siblings: &scratch.wanted };
        scores.score((head, dependent), &self.heads[rows], wanted, &mut scratch.scores);
        self.scratch = scratch;
    }

    fn fill_arc<S: PartScores>(&mut self, head: Node, dependent: Node, scores: &mut S) {
        let Some(below) = self.row(dependent, head) else { return };
        self.score(head, dependent, None, scores);
        let width = self.scratch.wanted.len();
        let first = self.complete[below * self.size + next(dependent, head)];
        let left = head.min(dependent) as usize + 1;
        let siblings = below * self.size + left;
        for (slot, row) in self.rows_of(head).enumerate() {
            if !self.scratch.grandparents[slot] {
                continue;
            }
            let scores = &self.scratch.scores[slot * width..][..width];
            let arcs = &self.arcs[row * self.size + left..][..width - 1];
            let nearer = arcs.iter().zip(&self.siblings[siblings..]).zip(&scores[1..]);
            let best = nearer.map(|((arc, between), &score)| arc + between + i64::from(score));
            let best = best.fold(first + i64::from(scores[0]), i64::max);
            self.arcs[row * self.size + dependent as usize] = best;
        }
    }

    /// With a single root, the value of the tree whose root is `word` stands where the root's arc to it would.
    fn fill_root<S: PartScores>(&mut self, word: Node, scores: &mut S) {
        let Some(below) = self.row(word, ROOT) else { return };
        self.score(ROOT, word, None, scores);
        let halves = self.complete[below * self.size + 1] + self.complete[below * self.size + self.size - 1];
        self.arcs[word as usize] = halves + i64::from(self.scratch.scores[0]);
    }

    fn fill_complete(&mut self, head: Node, end: Node) {
        let (from, to) = if head < end { (head + 1, end) } else { (end, head - 1) };
        let mut below = std::mem::take(&mut self.scratch.below);
        below.clear();
        below.extend((from..=to).map(|word| match self.row(word, head) {
            Some(row) => self.complete[row * self.size + end as usize],
            None => IMPOSSIBLE,
        }));
        for row in self.rows_of(head) {
            if self.is_outside(row, head.min(end), head.max(end)) {
                let arcs = &self.arcs[row * self.size + from as usize..];
                let best = arcs.iter().zip(&below).map(|(arc, below)| arc + below).fold(IMPOSSIBLE, i64::max);
                self.complete[row * self.size + end as usize] = best;
            }
        }
        self.scratch.below = below;
    }

    /// Two neighbouring dependents of every head that both may have outside of the span.
    fn fill_siblings(&mut self, left: Node, right: Node) {
        for row in self.rows_of(left) {
            let head = self.heads[row];
            let other = if head == NO_NODE { Some(self.first_rows[right as usize]) } else { self.row(right, head) };
            let Some(other) = other.filter(|_| self.is_outside(row, left, right)) else { continue };
            let width = (right - left) as usize;
            let there = &self.complete[row * self.size + left as usize..][..width];
            let back = &self.complete[other * self.size + left as usize + 1..][..width];
            let best = there.iter().zip(back).map(|(there, back)| there + back).fold(IMPOSSIBLE, i64::max);
            // In the second order, where the head may stand on either side, both places are those of this span.
            if head == NO_NODE || head < left {
                self.siblings[other * self.size + left as usize] = best;
            }
            if head == NO_NODE || head > right {
                self.siblings[row * self.size + right as usize] = best;
            }
        }
    }
}

/// The node next to `from` on the way to `to`.
fn next(to: Node, from: Node) -> usize {
    usize::from(if from < to { from + 1 } else { from - 1 })
}

/// A span: by the row of its head, and the other end; of siblings, by the row of the one further from the head, and the nearer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Span {
    /// All trees with a single root.
    Whole,
    /// A head with all its dependents up to the end.
    Complete(u32, Node),
    /// An arc and all that stands below it in between.
    Arc(u32, Node),
    /// Siblings: the span between two neighbouring dependents, they and what they have on this side included.
    Siblings(u32, Node),
}

/// A filled chart with the scores that it was filled with.
#[derive(Debug)]
pub struct Filled<'c, S> {
    /// The chart.
    pub chart: &'c mut Chart,
    /// The scores.
    pub scores: &'c mut S,
}

impl<S: PartScores> Forest for Filled<'_, S> {
    type Item = Span;

    fn goal(&self) -> Span {
        match self.chart.roots {
            Roots::Single => Span::Whole,
            Roots::Several => Span::Complete(0, self.chart.size as Node - 1),
        }
    }

    fn value(&self, item: Span) -> i64 {
        let at = |row: u32, column: Node| row as usize * self.chart.size + column as usize;
        match item {
            Span::Whole => self.chart.arcs[1..self.chart.size].iter().copied().fold(IMPOSSIBLE, i64::max),
            Span::Complete(row, end) => self.chart.complete[at(row, end)],
            Span::Arc(row, dependent) => self.chart.arcs[at(row, dependent)],
            Span::Siblings(row, nearer) => self.chart.siblings[at(row, nearer)],
        }
    }

    fn edges(&mut self, item: Span, edges: &mut Vec<Edge<Span>>) {
        let end = self.chart.size as Node - 1;
        match item {
            Span::Whole => {
                for word in 1..=end {
                    let Some(below) = self.chart.row(word, ROOT) else { continue };
                    self.chart.score(ROOT, word, None, self.scores);
                    let halves = [Span::Complete(below as u32, 1), Span::Complete(below as u32, end)];
                    let score = i64::from(self.chart.scratch.scores[0]);
                    edges.push(Edge { tails: halves.map(Some), part: Some(Part::arc(ROOT, word)), score });
                }
            }
            Span::Complete(row, end) => self.chart.edges_of_complete(row, end, edges),
            Span::Arc(row, dependent) => {
                let (head, grandparent) = (self.chart.nodes[row as usize], self.chart.heads[row as usize]);
                let Some(below) = self.chart.row(dependent, head) else { return };
                let below = below as u32;
                self.chart.score(head, dependent, Some(row as usize), self.scores);
                let scores = &self.chart.scratch.scores;
                let part = |sibling| Some(Part { grandparent, head, sibling, dependent });
                let first = Span::Complete(below, next(dependent, head) as Node);
                edges.push(Edge { tails: [Some(first), None], part: part(NO_NODE), score: scores[0].into() });
                for (sibling, &score) in (head.min(dependent) + 1..).zip(&scores[1..]) {
                    let tails = [Span::Arc(row, sibling), Span::Siblings(below, sibling)].map(Some);
                    edges.push(Edge { tails, part: part(sibling), score: score.into() });
                }
            }
            Span::Siblings(row, nearer) => {
                let (further, head) = (self.chart.nodes[row as usize], self.chart.heads[row as usize]);
                let nearer_row = match head {
                    NO_NODE => Some(self.chart.first_rows[nearer as usize]),
                    head => self.chart.row(nearer, head),
                };
                let Some(nearer_row) = nearer_row.map(|row| row as u32) else { return };
                let rows = if nearer < further { [nearer_row, row] } else { [row, nearer_row] };
                for middle in nearer.min(further)..nearer.max(further) {
                    let tails = [Span::Complete(rows[0], middle), Span::Complete(rows[1], middle + 1)].map(Some);
                    edges.push(Edge { tails, part: None, score: 0 });
                }
            }
        }
    }

    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>) {
        self.scores.labels(part, labels);
    }
}

impl Chart {
    fn edges_of_complete(&self, row: u32, end: Node, edges: &mut Vec<Edge<Span>>) {
        let head = self.nodes[row as usize];
        if head == end {
            edges.push(Edge { tails: [None; 2], part: None, score: 0 });
            return;
        }
        let (from, to) = if head < end { (head + 1, end) } else { (end, head - 1) };
        for middle in from..=to {
            if let Some(below) = self.row(middle, head) {
                let tails = [Span::Arc(row, middle), Span::Complete(below as u32, end)].map(Some);
                edges.push(Edge { tails, part: None, score: 0 });
            }
        }
    }
}
