//! The best tree, projective or not, by the algorithm of Chu & Liu and Edmonds.
//!
//! Chu & Liu (1965), "On the shortest arborescence of a directed graph"; Edmonds (1967), "Optimum branchings"; for parsing
//! McDonald, Pereira, Ribarov & Hajič (2005), "Non-projective dependency parsing using spanning tree algorithms". Every
//! word takes its best head; where that closes a cycle, the cycle becomes one node, whose incoming arcs are scored by what
//! they gain over the arc of the cycle that they replace, and so on. At the end each cycle is opened where the tree enters
//! it.
//!
//! | step | precondition | effect |
//! |---|---|---|
//! | grow | the last node of the path has no head | the best arc into it is chosen; its source becomes the last node |
//! | finish | the source hangs on the root, or is it | so does the whole path |
//! | contract | the source is on the path | the path from there on becomes one node |
//!
//! Initial: every node alone, the root finished. Terminal: all nodes finished.
//!
//! The path is that of Tarjan (1977), "Finding optimum branchings", with a matrix of scores (Camerini, Fratta & Maffioli
//! 1979 correct the opening of cycles): a contraction of k nodes takes time k · n, and after it there are k − 1 fewer, so
//! time and space are quadratic in the number of words.
//!
//! One root is had by charging every arc from the root more than all other arcs together can make up for: the best tree then has
//! as few roots as possible, which is one.

use super::ArcScores;
use crate::tree::{Node, ROOT, Roots};

/// The score of an arc that cannot be.
const IMPOSSIBLE: i64 = i64::MIN;

/// Scratch memory. A *slot* is a live node; it is called by the number of one of the words in it.
#[derive(Debug, Clone, Default)]
pub struct ChuLiuEdmonds {
    size: usize,
    /// The score of the best arc between two slots: `[dependent][head]`.
    scores: Vec<i64>,
    /// Arcs of these scores, as (head, dependent).
    arcs: Vec<(Node, Node)>,
    /// By slot.
    stages: Vec<Stage>,
    /// By slot: the number of its node. Words are nodes `1..=n`, contracted cycles those beyond.
    nodes: Vec<usize>,
    /// By slot: the score of the arc chosen into it.
    chosen_scores: Vec<i64>,
    /// By node: the arc chosen into it.
    chosen: Vec<(Node, Node)>,
    /// By node: the contracted cycle it is in; 0 for none.
    parents: Vec<usize>,
    path: Vec<usize>,
}

/// State of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    OnPath,
    /// Its chosen arcs lead from the root.
    Finished,
    /// Contracted into another slot.
    Gone,
}

impl ChuLiuEdmonds {
    /// Writes the heads of the best tree into `heads`, entry 0 being that of word 1. The first of equal heads wins, so the
    /// tree depends on nothing but the scores.
    pub fn decode(&mut self, scores: &ArcScores, roots: Roots, heads: &mut Vec<Node>) {
        self.start(scores, charge(roots, scores.n_words(), scores.spread()));
        self.run(heads);
    }

    /// The same for the best of those trees in which the first words have these heads and some arcs other scores, or cannot be
    /// (head, dependent, score). Whether there is such a tree; it may still have several roots if all have.
    pub fn decode_under(
        &mut self,
        scores: &ArcScores,
        roots: Roots,
        fixed: impl Iterator<Item = Node>,
        changes: &[(Node, Node, Option<i64>)],
        heads: &mut Vec<Node>,
    ) -> bool {
        let lowest = changes.iter().filter_map(|change| change.2).min().unwrap_or(0).min(scores.lowest());
        let charge = charge(roots, scores.n_words(), scores.lowest() + scores.spread() - lowest);
        self.start(scores, charge);
        for (head, dependent) in fixed.zip(1..) {
            let row = &mut self.scores[dependent * self.size..][..self.size];
            let kept = row[head as usize];
            row.fill(IMPOSSIBLE);
            row[head as usize] = kept;
        }
        for &(head, dependent, score) in changes {
            let charge = if head == ROOT { charge } else { 0 };
            let place = scores.place(head, dependent);
            self.scores[place] = score.map_or(IMPOSSIBLE, |score| score - charge);
        }
        self.run(heads)
    }

    /// True if there is a tree.
    fn run(&mut self, heads: &mut Vec<Node>) -> bool {
        for word in 1..self.size {
            if self.stages[word] == Stage::New && !self.grow(word) {
                return false;
            }
        }
        self.open_cycles();
        heads.clear();
        heads.extend(self.chosen[1..self.size].iter().map(|&(head, _)| head));
        true
    }

    fn start(&mut self, scores: &ArcScores, charge: i64) {
        let n = scores.n_words();
        self.size = n + 1;
        self.scores.clear();
        self.arcs.clear();
        for dependent in 0..=n as Node {
            for (head, &score) in scores.into(dependent).iter().enumerate() {
                self.scores.push(i64::from(score) - if head == 0 { charge } else { 0 });
                self.arcs.push((head as Node, dependent));
            }
        }
        self.stages.clear();
        self.stages.resize(self.size, Stage::New);
        self.stages[0] = Stage::Finished;
        self.nodes.clear();
        self.nodes.extend(0..self.size);
        self.chosen_scores.clear();
        self.chosen_scores.resize(self.size, 0);
        self.chosen.clear();
        self.chosen.resize(self.size, (ROOT, ROOT));
        self.parents.clear();
        self.parents.resize(self.size, 0);
    }

    /// Grows a path from `word` until it hangs on the root; whether it can.
    fn grow(&mut self, word: usize) -> bool {
        self.path.clear();
        self.path.push(word);
        self.stages[word] = Stage::OnPath;
        while let Some(&last) = self.path.last() {
            let Some(source) = self.choose(last) else { return false };
            match self.stages[source] {
                Stage::Finished => break,
                Stage::OnPath => self.contract(source),
                _ => {
                    self.stages[source] = Stage::OnPath;
                    self.path.push(source);
                }
            }
        }
        for &slot in &self.path {
            self.stages[slot] = Stage::Finished;
        }
        true
    }

    /// Chooses the best arc into `slot`; the slot that it comes from, unless none can be.
    fn choose(&mut self, slot: usize) -> Option<usize> {
        let row = slot * self.size;
        let mut best: Option<(i64, usize)> = None;
        for source in (0..self.size).filter(|&source| source != slot && self.stages[source] != Stage::Gone) {
            let score = self.scores[row + source];
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, source));
            }
        }
        let (score, source) = best.filter(|&(score, _)| score != IMPOSSIBLE)?;
        self.chosen_scores[slot] = score;
        self.chosen[self.nodes[slot]] = self.arcs[row + source];
        Some(source)
    }

    /// Makes one node of the path from `first` on, in the slot `first`.
    fn contract(&mut self, first: usize) {
        let size = self.size;
        let start = self.path.iter().rposition(|&slot| slot == first).expect("the cycle closes on the path");
        let node = self.parents.len();
        for &slot in &self.path[start..] {
            self.parents[self.nodes[slot]] = node;
            self.stages[slot] = Stage::Gone;
        }
        for other in (0..size).filter(|&other| self.stages[other] != Stage::Gone) {
            let mut into = (i64::MIN, (ROOT, ROOT));
            let mut from = into;
            for &slot in &self.path[start..] {
                let score = self.scores[slot * size + other];
                let gain = if score == IMPOSSIBLE { IMPOSSIBLE } else { score - self.chosen_scores[slot] };
                if gain > into.0 {
                    into = (gain, self.arcs[slot * size + other]);
                }
                let score = self.scores[other * size + slot];
                if score > from.0 {
                    from = (score, self.arcs[other * size + slot]);
                }
            }
            (self.scores[first * size + other], self.arcs[first * size + other]) = into;
            (self.scores[other * size + first], self.arcs[other * size + first]) = from;
        }
        self.stages[first] = Stage::OnPath;
        self.nodes[first] = node;
        self.parents.push(0);
        self.chosen.push((ROOT, ROOT));
        self.path.truncate(start + 1);
    }

    /// Opens cycles from the last one made to the first: the part of a cycle that the tree enters takes the entering arc.
    fn open_cycles(&mut self) {
        for cycle in (self.size..self.parents.len()).rev() {
            let arc = self.chosen[cycle];
            let mut part = arc.1 as usize;
            while self.parents[part] != cycle {
                part = self.parents[part];
            }
            self.chosen[part] = arc;
        }
    }
}

/// Charge on an arc from the root, if scores differ by at most `spread`.
fn charge(roots: Roots, n_words: usize, spread: i64) -> i64 {
    match roots {
        Roots::Single => spread * n_words as i64 + 1,
        Roots::Several => 0,
    }
}
