//! The exact loss of monotonic Covington configurations (Gómez-Rodríguez & Fernández-González, ACL 2015).
//!
//! A gold arc x → d that has not been made can no more be made if the pair has been passed by, if d has another head, or
//! if x and d are connected already, for then the arc would close a cycle. All others can each be made, but not always
//! all of them: each cycle of the arcs made and the arcs that can be made costs one arc more. Cycles are disjoint, as no
//! node has two heads. So
//!
//! loss = number of gold arcs that cannot be made + number of cycles.
//!
//! If only some arcs of a tree count, the others are left out: their words may get any head, or none.
//!
//! **One root.** If the tree must be completed, with one word on the root, more may be lost. What remains to be decided is
//! a head for the top of each connected part, among the nodes of other parts that it will still meet; so the loss is the
//! least weight of a spanning tree of the parts, in which gold arcs weigh nothing, others 1, and arcs from the root so
//! much that there is only one ([`ChuLiuEdmonds`]). Most configurations need no search for it. Let no cycles be left to break, and let t be
//! the last word or the topmost word above it, with the gold arcs that can be made. If t is the root, or will meet a node
//! that descends from it, or a word without a head that will, nothing more is lost: all other words without a head can become dependents of the last word.
//!
//! Complexity: O(n) but for climbs to the tops of trees; with one root, where parts have to be spanned, O(n²).

use super::list_state::{ListState, top};
use super::root_word;
use treebeam::graph::{ArcScores, ChuLiuEdmonds};
use treebeam::system::Roots;
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The memory of the computation, to be used again.
#[derive(Debug, Default)]
pub(super) struct LossTables {
    /// The heads that words have or can get in the gold tree.
    heads: Vec<Node>,
    /// The walk that first met a node, from 1; 0 is "not met yet".
    met_by: Vec<Node>,
    decoder: ChuLiuEdmonds,
    scores: ArcScores,
    /// Heads of the connected parts.
    spanning: Vec<Node>,
}

impl LossTables {
    /// The loss of `state`.
    pub fn of(&mut self, gold: &Gold, state: &ListState, roots: Roots) -> u32 {
        let now = &state.heads[..];
        let root_taken = roots == Roots::Single && root_word(now).is_some();
        let can_be_made = |x: Node, d: Node| {
            now[d as usize] == NO_NODE
                && state.will_meet(x, d)
                && !(x == ROOT && root_taken)
                // d has no head, so it is the top of what it is connected with.
                && top(now, x) != d
        };
        self.heads.clear();
        self.heads.extend_from_slice(now);
        let mut lost = 0;
        for d in (1..=state.last()).filter(|&d| gold.weight(d) > 0) {
            let x = gold.head(d);
            if now[d as usize] == x || can_be_made(x, d) {
                self.heads[d as usize] = x;
            } else {
                lost += gold.weight(d);
            }
        }
        if lost == 0 && !gold.is_weighted() {
            // All heads are gold ones, and the gold tree has no cycles and one root.
            return 0;
        }
        let n_cycles = self.n_cycles();
        if roots == Roots::Several || n_cycles == 0 && self.can_be_completed(state) {
            lost + n_cycles
        } else {
            self.spanning_loss(gold, state, root_taken)
        }
    }

    /// True if all words can get heads besides those in `self.heads`, which make no cycles.
    fn can_be_completed(&self, state: &ListState) -> bool {
        let top_of_last = top(&self.heads, state.last());
        let root_taken = root_word(&self.heads).is_some();
        let is_taken = |node: Node| node == ROOT && root_taken;
        let hangs_on_root = |&node: &Node| !is_taken(node) && top(&self.heads, node) == ROOT;
        let nodes = || ROOT..=state.last();
        let of_root: Vec<Node> = if top_of_last == ROOT { Vec::new() } else { nodes().filter(hangs_on_root).collect() };
        let meets_root = |word: Node| of_root.iter().any(|&node| state.will_meet(node, word));
        // Another word without a head may stand between.
        let is_open = |word: Node| word != top_of_last && self.heads[word as usize] == NO_NODE;
        let leads_to_root = |word: Node| is_open(word) && state.will_meet(word, top_of_last) && meets_root(word);
        top_of_last == ROOT || meets_root(top_of_last) || nodes().skip(1).any(leads_to_root)
    }

    fn n_cycles(&mut self) -> u32 {
        self.met_by.clear();
        self.met_by.resize(self.heads.len(), 0);
        let mut n = 0;
        for walk in 1..self.heads.len() as Node {
            let mut node = walk;
            while node != NO_NODE && self.met_by[node as usize] == 0 {
                self.met_by[node as usize] = walk;
                node = self.heads[node as usize];
            }
            n += u32::from(node != NO_NODE && self.met_by[node as usize] == walk);
        }
        n
    }

    /// The loss by way of a spanning tree of the connected parts, the root's part first.
    fn spanning_loss(&mut self, gold: &Gold, state: &ListState, root_taken: bool) -> u32 {
        let now = &state.heads[..];
        let tops: Vec<Node> = (0..=state.last()).filter(|&node| now[node as usize] == NO_NODE).collect();
        let part = |node: Node| tops.binary_search(&top(now, node)).expect("tops are in order") as Node;
        let parts: Vec<Node> = (0..=state.last()).map(part).collect();
        // An arc that cannot be made costs more than all that can.
        let never = -1 - (1..=state.last()).map(|d| gold.weight(d) as i32).sum::<i32>();
        let last_part = tops.len() as Node - 1;
        self.scores.reset(last_part as usize);
        (0..=last_part).for_each(|d| (0..=last_part).for_each(|x| self.scores.set(x, d, never)));
        for (d, &dependent) in (0..).zip(&tops).skip(1) {
            for head in (if root_taken { 1 } else { ROOT })..=state.last() {
                let x = parts[head as usize];
                if x != d && state.will_meet(head, dependent) {
                    let lost = if gold.head(dependent) == head { 0 } else { gold.weight(dependent) as i32 };
                    self.scores.set(x, d, self.scores.get(x, d).max(-lost));
                }
            }
        }
        let roots = if root_taken { Roots::Several } else { Roots::Single };
        self.decoder.decode(&self.scores, roots, &mut self.spanning);
        let score: i32 = self.spanning.iter().zip(1..).map(|(&x, d)| self.scores.get(x, d)).sum();
        assert!(score > never, "every permitted move leaves the tree completable");
        let wrong = |&d: &Node| now[d as usize] != NO_NODE && now[d as usize] != gold.head(d);
        let of_wrong: u32 = (1..=state.last()).filter(wrong).map(|d| gold.weight(d)).sum();
        of_wrong + score.unsigned_abs()
    }
}
