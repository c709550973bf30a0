//! The k best derivations of a packed forest, lazily.
//!
//! Huang & Chiang (2005), "Better k-best parsing", algorithm 3: the values of all items are known, from the chart of the best
//! tree; an item's next best derivation is looked for only when a derivation above needs it. An item has a heap of
//! candidates: a derivation of rank (i, j, l) takes the i-th best of one tail, the j-th best of the other and the l-th best label;
//! when it is taken, those of which one rank is one higher become candidates.
//!
//! Every algorithm here derives every tree in one way, so the k best derivations with labels are the k best labelled trees. On ties
//! the edge that the chart names first wins.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::Hash;

use super::Part;
use crate::decode::Parsed;
use crate::decode::value::Value;
use crate::tree::{LabelId, ROOT, Tree};

/// Hyperedge: one way to make an item, of other items, and of a part with its label if it makes an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge<I> {
    /// Items that it is made of.
    pub tails: [Option<I>; 2],
    /// The arc that it makes.
    pub part: Option<Part>,
    /// The score of the part with its best label, in this place of the tree.
    pub score: i64,
}

/// A chart with the values of its items.
pub trait Forest {
    /// Items with values.
    type Item: Copy + Eq + Hash;

    /// The item whose derivations are the trees.
    fn goal(&self) -> Self::Item;

    /// The score of the best derivation.
    fn value(&self, item: Self::Item) -> i64;

    /// Appends the ways to make the item. One with an impossible tail may be left out.
    fn edges(&mut self, item: Self::Item, edges: &mut Vec<Edge<Self::Item>>);

    /// Appends the scores of the labels that the part may bear, the score of the part with its best one among them.
    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>);
}

/// Scores from here down are those of what cannot be.
pub const IMPOSSIBLE: i64 = <i64 as Value>::NEVER;

/// The `k` best trees over `n_words` words, the best first; fewer if there are not so many.
pub fn k_best<F: Forest>(forest: &mut F, n_words: usize, k: usize) -> Vec<Parsed> {
    let mut search = KBest { nodes: Vec::new(), numbers: HashMap::new(), edges: Vec::new(), forest };
    let goal = search.number(search.forest.goal());
    (0..k).map_while(|rank| search.tree(goal, rank, n_words)).collect()
}

type Ranks = [u32; 3];

/// A derivation of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Derivation {
    score: i64,
    edge: u32,
    ranks: Ranks,
}

impl Ord for Derivation {
    /// The greater is the better.
    fn cmp(&self, other: &Derivation) -> Ordering {
        self.score.cmp(&other.score).then_with(|| (other.edge, other.ranks).cmp(&(self.edge, self.ranks)))
    }
}

impl PartialOrd for Derivation {
    fn partial_cmp(&self, other: &Derivation) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Known derivations of an item.
#[derive(Debug)]
struct Known<I> {
    edges: Vec<Edge<I>>,
    /// By edge, once needed: labels with what they lose against the best one, the best first.
    labels: HashMap<u32, Vec<(i64, LabelId)>>,
    /// The best derivations, the best first.
    found: Vec<Derivation>,
    heap: BinaryHeap<Derivation>,
    seen: HashSet<(u32, Ranks)>,
    /// Derivations that become candidates before the next one is taken.
    pending: Vec<(u32, Ranks)>,
}

struct KBest<'f, F: Forest> {
    forest: &'f mut F,
    nodes: Vec<Known<F::Item>>,
    numbers: HashMap<F::Item, usize>,
    edges: Vec<Edge<F::Item>>,
}

impl<F: Forest> KBest<'_, F> {
    /// The number of the item, which becomes known.
    fn number(&mut self, item: F::Item) -> usize {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        self.edges.clear();
        self.forest.edges(item, &mut self.edges);
        let forest = &*self.forest;
        let candidate = |(number, edge): (usize, &Edge<F::Item>)| {
            let score = edge.tails.iter().flatten().map(|&tail| forest.value(tail)).sum::<i64>() + edge.score;
            Derivation { score, edge: number as u32, ranks: [0; 3] }
        };
        let heap: BinaryHeap<Derivation> =
            self.edges.iter().enumerate().map(candidate).filter(|candidate| candidate.score > IMPOSSIBLE / 2).collect();
        self.numbers.insert(item, self.nodes.len());
        self.nodes.push(Known {
            edges: self.edges.clone(),
            labels: HashMap::new(),
            found: Vec::new(),
            heap,
            seen: HashSet::new(),
            pending: Vec::new(),
        });
        self.nodes.len() - 1
    }

    /// Finds the derivation of this rank, from 0; `None` if there are not so many. Without recursion, as trees are deep.
    fn find(&mut self, number: usize, rank: u32) -> Option<Derivation> {
        let mut tasks = vec![(number, rank)];
        while let Some(&(number, rank)) = tasks.last() {
            if self.nodes[number].found.len() > rank as usize {
                tasks.pop();
                continue;
            }
            if let Some(&(edge, ranks)) = self.nodes[number].pending.last() {
                match self.score(number, edge, ranks) {
                    Score::Known(score) => {
                        let node = &mut self.nodes[number];
                        node.pending.pop();
                        node.heap.push(Derivation { score, edge, ranks });
                    }
                    Score::Impossible => {
                        self.nodes[number].pending.pop();
                    }
                    Score::Missing(tail, rank) => tasks.push((tail, rank)),
                }
                continue;
            }
            let node = &mut self.nodes[number];
            match node.heap.pop() {
                Some(best) => {
                    node.found.push(best);
                    for i in 0..best.ranks.len() {
                        let mut next = best.ranks;
                        next[i] += 1;
                        if node.seen.insert((best.edge, next)) {
                            node.pending.push((best.edge, next));
                        }
                    }
                }
                // There are no more.
                None => {
                    tasks.pop();
                }
            }
        }
        self.nodes[number].found.get(rank as usize).copied()
    }

    /// The score of the derivation, if it is known that there is one.
    fn score(&mut self, number: usize, edge: u32, ranks: Ranks) -> Score {
        let Edge { tails, part, mut score } = self.nodes[number].edges[edge as usize];
        for (tail, rank) in tails.into_iter().zip(ranks) {
            let Some(tail) = tail else {
                match rank {
                    0 => continue,
                    _ => return Score::Impossible,
                }
            };
            if rank == 0 {
                score += self.forest.value(tail);
                continue;
            }
            let tail = self.number(tail);
            let node = &self.nodes[tail];
            match node.found.get(rank as usize) {
                Some(found) => score += found.score,
                None if node.is_exhausted() => return Score::Impossible,
                None => return Score::Missing(tail, rank),
            }
        }
        match (part, ranks[2]) {
            (_, 0) => Score::Known(score),
            (Some(part), rank) => match self.label(number, edge, part, rank) {
                Some((loss, _)) => Score::Known(score - loss),
                None => Score::Impossible,
            },
            (None, _) => Score::Impossible,
        }
    }

    /// Loss of the label of this rank against the best one, and the label.
    fn label(&mut self, number: usize, edge: u32, part: Part, rank: u32) -> Option<(i64, LabelId)> {
        let labels = self.nodes[number].labels.entry(edge).or_insert_with(|| {
            let mut labels = Vec::new();
            self.forest.labels(part, &mut labels);
            labels.sort_by_key(|&(score, label)| (std::cmp::Reverse(score), label));
            let highest = labels.first().map_or(0, |&(score, _)| score);
            labels.iter().map(|&(score, label)| (highest - score, label)).collect()
        });
        labels.get(rank as usize).copied()
    }

    fn tree(&mut self, goal: usize, rank: usize, n_words: usize) -> Option<Parsed> {
        let score = self.find(goal, rank as u32)?.score;
        let (mut heads, mut labels) = (vec![ROOT; n_words], vec![0; n_words]);
        let mut open = vec![(goal, rank as u32)];
        while let Some((number, rank)) = open.pop() {
            let Derivation { edge, ranks, .. } = self.find(number, rank).expect("what is made of it was found");
            let Edge { tails, part, .. } = self.nodes[number].edges[edge as usize];
            if let Some(part) = part {
                let word = part.dependent as usize - 1;
                heads[word] = part.head;
                labels[word] = self.label(number, edge, part, ranks[2]).map_or(0, |(_, label)| label);
            }
            for (tail, rank) in tails.into_iter().zip(ranks) {
                if let Some(tail) = tail {
                    open.push((self.number(tail), rank));
                }
            }
        }
        Some(Parsed::new(Tree::new(&heads, &labels), score))
    }
}

impl<I> Known<I> {
    fn is_exhausted(&self) -> bool {
        self.heap.is_empty() && self.pending.is_empty()
    }
}

/// The score of a derivation.
enum Score {
    Known(i64),
    /// There is no such derivation.
    Impossible,
    /// It depends on this derivation, by item and rank.
    Missing(usize, u32),
}
