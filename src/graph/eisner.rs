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
//! With sums in place of maxima, spans are the weights of all that they may hold: the inside pass of exact [marginals], after which each
//! span hands its probability on to what it is made of.
//!
//! Time is cubic in the number of words, space quadratic. No back pointers are kept: a tree visits a linear number of spans,
//! and where each of them splits is found again in linear time.

use super::forest::{Edge, Forest, IMPOSSIBLE};
use super::{ArcScores, Part};
use crate::decode::value::{Value, share};
use crate::tree::{LabelId, Node, ROOT, Roots};
use crate::vector::vectorised;

/// Scratch memory: the chart. Each kind of span is stored so that the spans that differ in their inner end stand side by
/// side; complete spans are wanted both ways.
#[derive(Debug, Clone, Default)]
pub struct Eisner<T = i64> {
    size: usize,
    /// Complete `a → b` at `[a][b]`.
    right_from: Vec<T>,
    /// Complete `a → b` at `[b][a]`.
    right_to: Vec<T>,
    /// Complete `a ← b` at `[a][b]`.
    left_from: Vec<T>,
    /// Complete `a ← b` at `[b][a]`.
    left_to: Vec<T>,
    /// Incomplete, arc from the first to the second: `[head][dependent]`.
    arcs: Vec<T>,
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
        self.fill(n, first, |head, dependent| scores.get(head as Node, dependent as Node).into());
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
}

impl<T: Value> Eisner<T> {
    /// Fills the chart over the nodes from `first` on to the last of `n` words.
    #[inline(always)]
    fn fill(&mut self, n: usize, first: usize, of_arc: impl Fn(usize, usize) -> T) {
        self.size = n + 1;
        let tables = [&mut self.right_from, &mut self.right_to, &mut self.left_from, &mut self.left_to, &mut self.arcs];
        for table in tables {
            table.clear();
            table.resize(self.size * self.size, T::NEVER);
        }
        for a in first..self.size {
            self.set_right(a, a, T::default());
            self.set_left(a, a, T::default());
        }
        for width in 1..self.size {
            for a in first..self.size - width {
                let b = a + width;
                let inside = best(self.run(&self.right_from, a, a, b - 1), self.run(&self.left_to, b, a + 1, b));
                let (there, back) = (self.at(a, b), self.at(b, a));
                self.arcs[there] = inside + of_arc(a, b);
                if a as Node != ROOT {
                    self.arcs[back] = inside + of_arc(b, a);
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
    fn run<'t>(&self, table: &'t [T], row: usize, from: usize, to: usize) -> &'t [T] {
        &table[self.at(row, from)..=self.at(row, to)]
    }

    fn set_right(&mut self, a: usize, b: usize, score: T) {
        let (from, to) = (self.at(a, b), self.at(b, a));
        self.right_from[from] = score;
        self.right_to[to] = score;
    }

    fn set_left(&mut self, a: usize, b: usize, score: T) {
        let (from, to) = (self.at(a, b), self.at(b, a));
        self.left_from[from] = score;
        self.left_to[to] = score;
    }
}

/// The probability of each arc at [`ArcScores::place`], by the softmax of the scores of all projective trees at this temperature: the inside
/// and the outside pass (Paskin 2001), the latter as the gradient of the former (Eisner 2016).
pub fn marginals(scores: &ArcScores, roots: Roots, temperature: f64) -> Vec<f64> {
    vectorised!(_simd => inside_and_outside(scores, roots, temperature))
}

#[inline(always)]
fn inside_and_outside(scores: &ArcScores, roots: Roots, temperature: f64) -> Vec<f64> {
    let n = scores.n_words();
    let of_arc = |head: usize, dependent: usize| f64::from(scores.get(head as Node, dependent as Node)) / temperature;
    let first = match roots {
        Roots::Single => 1,
        Roots::Several => 0,
    };
    let mut chart = Eisner::default();
    chart.fill(n, first, of_arc);
    let at = |a: usize, b: usize| a * (n + 1) + b;
    // Probabilities of complete spans, `a → b` and `a ← b` at `[a][b]`, and of arcs, at `[dependent][head]`.
    let [mut right, mut left, mut arcs] = [(); 3].map(|()| vec![0.0; (n + 1) * (n + 1)]);
    match roots {
        Roots::Several => right[at(0, n)] = 1.0,
        Roots::Single => {
            let weight = |m: usize| chart.left_from[at(1, m)] + chart.right_to[at(n, m)] + of_arc(0, m);
            let whole = f64::total((1..=n).map(weight));
            for m in 1..=n {
                let part = share(weight(m) - whole);
                arcs[at(m, 0)] = part;
                left[at(1, m)] += part;
                right[at(m, n)] += part;
            }
        }
    }
    for width in (1..=n).rev() {
        for a in first..=n - width {
            let b = a + width;
            let (whole, weight) = (right[at(a, b)], chart.right_from[at(a, b)]);
            for m in a + 1..=b {
                let part = whole * share(chart.arcs[at(a, m)] + chart.right_to[at(b, m)] - weight);
                arcs[at(m, a)] += part;
                right[at(m, b)] += part;
            }
            let (whole, weight) = (left[at(a, b)], chart.left_from[at(a, b)]);
            for m in a..if a > 0 { b } else { a } {
                let part = whole * share(chart.left_from[at(a, m)] + chart.arcs[at(b, m)] - weight);
                left[at(a, m)] += part;
                arcs[at(m, b)] += part;
            }
            // Both arcs are over the same spans.
            let (whole, weight) = (arcs[at(b, a)] + arcs[at(a, b)], chart.arcs[at(a, b)] - of_arc(a, b));
            for m in a..b {
                let part = whole * share(chart.right_from[at(a, m)] + chart.left_to[at(b, m + 1)] - weight);
                right[at(a, m)] += part;
                left[at(m + 1, b)] += part;
            }
        }
    }
    arcs
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

/// The value of two spans that meet somewhere.
#[inline(always)]
fn best<T: Value>(left: &[T], right: &[T]) -> T {
    T::total(left.iter().zip(right).map(|(&left, &right)| left + right))
}

/// First of the places where the spans of the highest sum meet.
fn split(left: &[i64], right: &[i64]) -> usize {
    let highest = best(left, right);
    left.iter().zip(right).position(|(left, right)| left + right == highest).unwrap_or(0)
}
