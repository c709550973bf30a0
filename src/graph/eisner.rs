//! The best projective tree, by Eisner's algorithm.
//!
//! Eisner (1996), "Three new probabilistic models for dependency parsing", in the arc-factored form that McDonald, Crammer &
//! Pereira (2005) use: the score of a tree is the sum of the scores of its arcs. A *complete* span of `a..=b` is a head at
//! one end with all its dependents up to the other end; an *incomplete* span is an arc between the ends and all that stands
//! below it in between.
//!
//! | span | is the best of | over |
//! |---|---|---|
//! | incomplete, `a → b` | complete `a → m` + complete `m+1 ← b` + score of the arc | `a ≤ m < b` |
//! | incomplete, `a ← b` | the same with the other arc's score | `a ≤ m < b` |
//! | complete, `a → b` | incomplete `a → m` + complete `m → b` | `a < m ≤ b` |
//! | complete, `a ← b` | complete `a ← m` + incomplete `m ← b` | `a ≤ m < b` |
//!
//! Initial: spans of one word, of score 0. With several roots the answer is the complete span from the root to the last
//! word. With a single one, spans are made over the words alone, and the root takes the word `m` for which complete `1 ← m`
//! + complete `m → n` + score of the arc is highest: exact, at no cost.
//!
//! Time is cubic in the number of words, space quadratic. No back pointers are kept: a tree visits a linear number of spans,
//! and where each of them splits is found again in linear time.

use super::forest::{Edge, Forest, IMPOSSIBLE};
use super::{ArcScores, Part};
use crate::tree::{LabelId, Node, ROOT, Roots};

/// Scratch memory: the chart. Each kind of span is stored so that the spans that differ in their inner end stand side by
/// side; complete spans are wanted both ways.
#[derive(Debug, Clone, Default)]
pub struct Eisner {
    size: usize,
    /// Complete `a → b` at `[a][b]`.
    right_from: Vec<i64>,
    /// Complete `a → b` at `[b][a]`.
    right_to: Vec<i64>,
    /// Complete `a ← b` at `[a][b]`.
    left_from: Vec<i64>,
    /// Complete `a ← b` at `[b][a]`.
    left_to: Vec<i64>,
    /// Incomplete, arc from the first to the second: `[head][dependent]`.
    arcs: Vec<i64>,
}

/// A span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HalfTree {
    /// All trees with a single root.
    Whole,
    /// Complete, its head on the left.
    Right(usize, usize),
    /// Complete, its head on the right.
    Left(usize, usize),
    /// Incomplete: head and dependent.
    Arc(usize, usize),
}

use HalfTree as Span;

impl Eisner {
    /// Writes the heads of the best projective tree into `heads`, entry 0 being that of word 1. On ties the arc that ends
    /// further left wins, so the tree depends on nothing but the scores.
    pub fn decode(&mut self, scores: &ArcScores, roots: Roots, heads: &mut Vec<Node>) {
        let n = scores.n_words();
        heads.clear();
        heads.resize(n, ROOT);
        if n == 0 {
            return;
        }
        let first = match roots {
            Roots::Single => 1,
            Roots::Several => 0,
        };
        self.fill(scores, first);
        let mut open = match roots {
            Roots::Several => vec![Span::Right(0, n)],
            Roots::Single => {
                let score = |m: usize| {
                    let below = self.left_from[self.at(1, m)] + self.right_to[self.at(n, m)];
                    below + i64::from(scores.get(ROOT, m as Node))
                };
                // The root takes the first of the best words; its entry in `heads` is set already.
                let m = (2..=n).fold(1, |best, m| if score(m) > score(best) { m } else { best });
                vec![Span::Left(1, m), Span::Right(m, n)]
            }
        };
        while let Some(span) = open.pop() {
            match span {
                Span::Whole => {}
                Span::Right(a, b) | Span::Left(a, b) if a == b => {}
                Span::Right(a, b) => {
                    let m = a + 1 + split(self.run(&self.arcs, a, a + 1, b), self.run(&self.right_to, b, a + 1, b));
                    open.extend([Span::Arc(a, m), Span::Right(m, b)]);
                }
                Span::Left(a, b) => {
                    let m = a + split(self.run(&self.left_from, a, a, b - 1), self.run(&self.arcs, b, a, b - 1));
                    open.extend([Span::Left(a, m), Span::Arc(b, m)]);
                }
                Span::Arc(head, dependent) => {
                    heads[dependent - 1] = head as Node;
                    let (a, b) = (head.min(dependent), head.max(dependent));
                    let m = a + split(self.run(&self.right_from, a, a, b - 1), self.run(&self.left_to, b, a + 1, b));
                    open.extend([Span::Right(a, m), Span::Left(m + 1, b)]);
                }
            }
        }
    }

    /// Fills the chart over the nodes from `first` on.
    fn fill(&mut self, scores: &ArcScores, first: usize) {
        self.size = scores.n_words() + 1;
        let tables = [&mut self.right_from, &mut self.right_to, &mut self.left_from, &mut self.left_to, &mut self.arcs];
        for table in tables {
            table.clear();
            table.resize(self.size * self.size, IMPOSSIBLE);
        }
        for a in first..self.size {
            self.set_right(a, a, 0);
            self.set_left(a, a, 0);
        }
        for width in 1..self.size {
            for a in first..self.size - width {
                let b = a + width;
                let inside = best(self.run(&self.right_from, a, a, b - 1), self.run(&self.left_to, b, a + 1, b));
                let (there, back) = (self.at(a, b), self.at(b, a));
                self.arcs[there] = inside + i64::from(scores.get(a as Node, b as Node));
                if a as Node != ROOT {
                    self.arcs[back] = inside + i64::from(scores.get(b as Node, a as Node));
                    let left = best(self.run(&self.left_from, a, a, b - 1), self.run(&self.arcs, b, a, b - 1));
                    self.set_left(a, b, left);
                }
                // Complete `b → b` is 0 already.
                let right = best(self.run(&self.arcs, a, a + 1, b), self.run(&self.right_to, b, a + 1, b));
                self.set_right(a, b, right);
            }
        }
    }

    fn at(&self, row: usize, column: usize) -> usize {
        row * self.size + column
    }

    /// Columns `from..=to` of a row.
    fn run<'t>(&self, table: &'t [i64], row: usize, from: usize, to: usize) -> &'t [i64] {
        &table[self.at(row, from)..=self.at(row, to)]
    }

    fn set_right(&mut self, a: usize, b: usize, score: i64) {
        let (from, to) = (self.at(a, b), self.at(b, a));
        self.right_from[from] = score;
        self.right_to[to] = score;
    }

    fn set_left(&mut self, a: usize, b: usize, score: i64) {
        let (from, to) = (self.at(a, b), self.at(b, a));
        self.left_from[from] = score;
        self.left_to[to] = score;
    }
}

/// The chart of the last sentence, for more trees than the best one.
#[derive(Debug)]
pub struct FilledEisner<'e, L> {
    /// The chart, filled by [`Eisner::decode`] with these scores for so many roots.
    pub eisner: &'e Eisner,
    /// The scores.
    pub scores: &'e ArcScores,
    /// Number of words that may hang on the root.
    pub roots: Roots,
    /// Appends the scores of the arc with each label that it may bear.
    pub labels: L,
}

impl<L: FnMut(Node, Node, &mut Vec<(i64, LabelId)>)> Forest for FilledEisner<'_, L> {
    type Item = Span;

    fn goal(&self) -> Span {
        match self.roots {
            Roots::Single => Span::Whole,
            Roots::Several => Span::Right(0, self.scores.n_words()),
        }
    }

    fn value(&self, item: Span) -> i64 {
        let eisner = self.eisner;
        match item {
            Span::Whole => {
                let n = self.scores.n_words();
                let of_root = |m| self.value(Span::Left(1, m)) + self.value(Span::Right(m, n)) + self.score(0, m);
                (1..=n).map(of_root).max().unwrap_or(IMPOSSIBLE)
            }
            Span::Right(a, b) => eisner.right_from[eisner.at(a, b)],
            Span::Left(a, b) => eisner.left_from[eisner.at(a, b)],
            Span::Arc(head, dependent) => eisner.arcs[eisner.at(head, dependent)],
        }
    }

    fn edges(&mut self, item: Span, edges: &mut Vec<Edge<Span>>) {
        let made = |tails: [Span; 2]| Edge { tails: tails.map(Some), part: None, score: 0 };
        let arc = |tails: [Span; 2], head: usize, dependent: usize| {
            let part = Some(Part::arc(head as Node, dependent as Node));
            Edge { tails: tails.map(Some), part, score: self.score(head, dependent) }
        };
        match item {
            Span::Right(a, b) | Span::Left(a, b) if a == b => {
                edges.push(Edge { tails: [None; 2], part: None, score: 0 });
            }
            Span::Right(a, b) => edges.extend((a + 1..=b).map(|m| made([Span::Arc(a, m), Span::Right(m, b)]))),
            Span::Left(a, b) => edges.extend((a..b).map(|m| made([Span::Left(a, m), Span::Arc(b, m)]))),
            Span::Arc(head, dependent) => {
                let (a, b) = (head.min(dependent), head.max(dependent));
                edges.extend((a..b).map(|m| arc([Span::Right(a, m), Span::Left(m + 1, b)], head, dependent)));
            }
            Span::Whole => {
                let n = self.scores.n_words();
                edges.extend((1..=n).map(|m| arc([Span::Left(1, m), Span::Right(m, n)], 0, m)));
            }
        }
    }

    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>) {
        (self.labels)(part.head, part.dependent, labels);
    }
}

impl<L> FilledEisner<'_, L> {
    fn score(&self, head: usize, dependent: usize) -> i64 {
        self.scores.get(head as Node, dependent as Node).into()
    }
}

/// The highest sum of two spans that meet.
fn best(left: &[i64], right: &[i64]) -> i64 {
    left.iter().zip(right).map(|(left, right)| left + right).max().unwrap_or(IMPOSSIBLE)
}

/// First of the places where the spans of the highest sum meet.
fn split(left: &[i64], right: &[i64]) -> usize {
    let highest = best(left, right);
    left.iter().zip(right).position(|(left, right)| left + right == highest).unwrap_or(0)
}
