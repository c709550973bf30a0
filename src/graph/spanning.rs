//! The k best trees, projective or not.
//!
//! Camerini, Fratta & Maffioli (1980), "The k best spanning arborescences of a network", divide all trees but the best one by
//! the first word, in order, whose arc differs; so Lawler (1972) divides the solutions of any such problem. Each part is a problem
//! of the same kind, in which some words have their arcs and another may not have one that it had; its best tree is found by
//! Chu-Liu-Edmonds ([`ChuLiuEdmonds`]). The best tree of all parts is the next one, and its part is divided again. The same arc with
//! another label is another arc, so trees differ in heads or labels.
//!
//! Time for n words is k · n times that of the best tree.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use super::{ArcScores, ChuLiuEdmonds};
use crate::decode::Parsed;
use crate::tree::{LabelId, Node, Roots, Tree, violations};

/// The labels of an arc, the best first, with the scores of the arc with them.
type Ranking = Vec<(i64, LabelId)>;

/// The `k` best labelled trees for scores of arcs with their best labels, the best first; fewer if there are not so many. `labels`
/// appends the scores of the arc from a head to a dependent with each label that it may bear.
pub fn k_best_spanning(
    decoder: &mut ChuLiuEdmonds,
    scores: &ArcScores,
    roots: Roots,
    labels: impl FnMut(Node, Node, &mut Ranking),
    k: usize,
) -> Vec<Parsed> {
    let mut search = Enumeration { decoder, scores, roots, labels, rankings: HashMap::new(), n_made: 0 };
    let mut open = BinaryHeap::new();
    open.extend(search.solve(Vec::new(), HashMap::new()));
    let mut found = Vec::new();
    while found.len() < k {
        let Some(best) = open.pop() else { break };
        found.push(search.parsed(&best));
        if found.len() < k {
            search.divide(&best, &mut open);
        }
    }
    found
}

/// An arc by its head and the rank of its label.
type Choice = (Node, usize);

/// All trees under conditions, by the best one.
#[derive(Debug, Clone)]
struct Class {
    score: i64,
    /// The number of the class, so that ties are broken by age.
    number: usize,
    /// The best tree; entry 0 is the arc of word 1.
    tree: Vec<Choice>,
    /// The arcs of the first words, which all trees have.
    n_fixed: usize,
    /// By head and dependent: how many of the best labels the arc may not bear.
    banned: HashMap<(Node, Node), usize>,
}

impl Class {
    fn key(&self) -> (i64, Reverse<usize>) {
        (self.score, Reverse(self.number))
    }
}

impl PartialEq for Class {
    fn eq(&self, other: &Class) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Class {}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Class) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Class {
    /// The greater has the better tree.
    fn cmp(&self, other: &Class) -> Ordering {
        self.key().cmp(&other.key())
    }
}

struct Enumeration<'s, L> {
    decoder: &'s mut ChuLiuEdmonds,
    scores: &'s ArcScores,
    roots: Roots,
    labels: L,
    rankings: HashMap<(Node, Node), Ranking>,
    n_made: usize,
}

impl<L: FnMut(Node, Node, &mut Ranking)> Enumeration<'_, L> {
    /// The labels of an arc.
    fn ranking(&mut self, head: Node, dependent: Node) -> &Ranking {
        self.rankings.entry((head, dependent)).or_insert_with(|| {
            let mut ranking = Vec::new();
            (self.labels)(head, dependent, &mut ranking);
            ranking.sort_by_key(|&(score, label)| (Reverse(score), label));
            ranking
        })
    }

    /// The class of all trees in which the first words have these arcs and the banned ones do not occur, unless it is empty.
    fn solve(&mut self, fixed: Vec<Choice>, banned: HashMap<(Node, Node), usize>) -> Option<Class> {
        let mut changes = Vec::new();
        for (&(head, dependent), &rank) in &banned {
            changes.push((head, dependent, self.ranking(head, dependent).get(rank).map(|&(score, _)| score)));
        }
        let mut heads = Vec::new();
        let fixed_heads = || fixed.iter().map(|&(head, _)| head);
        if !self.decoder.decode_under(self.scores, self.roots, fixed_heads(), &changes, &mut heads)
            || !violations(&heads, self.roots).is_empty()
        {
            return None;
        }
        let n_fixed = fixed.len();
        let mut tree = fixed;
        for (&head, dependent) in heads.iter().zip(1..).skip(n_fixed) {
            tree.push((head, banned.get(&(head, dependent)).copied().unwrap_or(0)));
        }
        let mut score = 0;
        for (&(head, rank), dependent) in tree.iter().zip(1..) {
            score += match rank {
                0 => self.scores.get(head, dependent).into(),
                rank => self.ranking(head, dependent)[rank].0,
            };
        }
        self.n_made += 1;
        Some(Class { score, number: self.n_made, tree, n_fixed, banned })
    }

    /// Divides all other trees of a class by the first word whose arc is not that of the best one.
    fn divide(&mut self, class: &Class, open: &mut BinaryHeap<Class>) {
        for (n_fixed, &(head, rank)) in class.tree.iter().enumerate().skip(class.n_fixed) {
            let dependent = n_fixed as Node + 1;
            // Words before this one have their arcs, so bans of their other arcs are no conditions any more.
            let mut banned = class.banned.clone();
            banned.retain(|&(_, banned), _| banned >= dependent);
            banned.insert((head, dependent), rank + 1);
            open.extend(self.solve(class.tree[..n_fixed].to_vec(), banned));
        }
    }

    fn parsed(&mut self, class: &Class) -> Parsed {
        let heads: Vec<Node> = class.tree.iter().map(|&(head, _)| head).collect();
        let mut labels = Vec::new();
        for (&(head, rank), dependent) in class.tree.iter().zip(1..) {
            labels.push(self.ranking(head, dependent).get(rank).map_or(0, |&(_, label)| label));
        }
        Parsed::new(Tree::new(&heads, &labels), class.score)
    }
}
