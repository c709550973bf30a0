//! The elementary cycles of a graph in which no node has more than two heads (Johnson, SIAM Journal on Computing 1975).
//!
//! Arcs are walked from dependents to heads. Complexity: O((n + e)(c + 1)) for c cycles, of which there can be
//! exponentially many; nodes that are in no cycle are cut off first, in O(n + e), and there are seldom others.

use treebeam::tree::{NO_NODE, Node, ROOT};

/// A graph by word: up to two heads of each, [`NO_NODE`] where there are fewer. The root has none.
#[derive(Debug, Default)]
pub(super) struct Cycles {
    pub heads: Vec<[Node; 2]>,
    /// The words that have a wrong head.
    pub wrong: Vec<Node>,
    /// True if the node may still be in a cycle.
    alive: Vec<bool>,
    /// By node: its dependents that are alive.
    n_dependents: Vec<u32>,
    blocked: Vec<bool>,
    /// By node: the nodes to unblock with it.
    waiting: Vec<Vec<Node>>,
    path: Vec<Step>,
    nodes: Vec<Node>,
    unblocking: Vec<Node>,
}

/// A node on the path at hand.
#[derive(Debug)]
struct Step {
    /// Number of its heads that were tried.
    tried: usize,
    /// True if a cycle was found through it.
    found: bool,
}

impl Cycles {
    /// True if a cycle goes through one of the `wrong` words of a graph of `n` nodes, given by the heads of each. PERF:
    /// most configurations have none, and their graph need not be made; trainings with bounds took twice as long when
    /// it was.
    ///
    /// Complexity: O(wrong words times the nodes above them).
    pub fn any_through_wrong(&mut self, n: usize, heads: impl Fn(Node) -> [Node; 2]) -> bool {
        for &word in &self.wrong {
            self.blocked.clear();
            self.blocked.resize(n, false);
            self.unblocking.clear();
            self.unblocking.push(word);
            while let Some(above) = self.unblocking.pop() {
                for head in heads(above) {
                    if head == word {
                        return true;
                    }
                    let is_new = head != NO_NODE && head != ROOT;
                    if is_new && !std::mem::replace(&mut self.blocked[head as usize], true) {
                        self.unblocking.push(head);
                    }
                }
            }
        }
        false
    }

    /// Calls `visit` with each cycle, each node followed by a head of its and the last by the first, until it says `false`.
    pub fn visit(&mut self, mut visit: impl FnMut(&[Node]) -> bool) {
        let n = self.heads.len();
        self.alive.clear();
        self.alive.resize(n, true);
        self.alive[ROOT as usize] = false;
        self.peel(0);
        for start in 1..n as Node {
            if self.alive[start as usize] {
                if !self.from(start, &mut visit) {
                    return;
                }
                // All cycles through it are known.
                self.alive[start as usize] = false;
                self.peel(start);
            }
        }
    }

    /// Cuts off nodes without a head or without a dependent that is alive, until none is left.
    fn peel(&mut self, from: Node) {
        loop {
            self.n_dependents.clear();
            self.n_dependents.resize(self.heads.len(), 0);
            let mut changed = false;
            // From the last to the first and back: most chains are cut in one round.
            for node in (from..self.heads.len() as Node).filter(|&node| self.alive[node as usize]) {
                for head in self.heads[node as usize] {
                    if head != NO_NODE {
                        self.n_dependents[head as usize] += 1;
                    }
                }
            }
            for node in from..self.heads.len() as Node {
                let has_head = |heads: [Node; 2], alive: &[bool]| {
                    heads.iter().any(|&head| head != NO_NODE && alive[head as usize])
                };
                let at = node as usize;
                if self.alive[at] && (self.n_dependents[at] == 0 || !has_head(self.heads[at], &self.alive)) {
                    self.alive[at] = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Visits the cycles through `start` among the nodes that are alive.
    fn from(&mut self, start: Node, visit: &mut impl FnMut(&[Node]) -> bool) -> bool {
        let n = self.heads.len();
        self.blocked.clear();
        self.blocked.resize(n, false);
        self.waiting.resize_with(n, Vec::new);
        self.waiting.iter_mut().for_each(Vec::clear);
        self.path.clear();
        self.nodes.clear();
        self.enter(start);
        while let (Some(step), Some(&node)) = (self.path.last_mut(), self.nodes.last()) {
            if let Some(&head) = self.heads[node as usize].get(step.tried) {
                step.tried += 1;
                if head == start {
                    step.found = true;
                    if !visit(&self.nodes) {
                        return false;
                    }
                } else if head != NO_NODE && self.alive[head as usize] && !self.blocked[head as usize] {
                    self.enter(head);
                }
                continue;
            }
            let found = step.found;
            self.path.pop();
            self.nodes.pop();
            if found {
                self.unblock(node);
            } else {
                for head in self.heads[node as usize] {
                    if head != NO_NODE && self.alive[head as usize] && !self.waiting[head as usize].contains(&node) {
                        self.waiting[head as usize].push(node);
                    }
                }
            }
            if let Some(below) = self.path.last_mut() {
                below.found |= found;
            }
        }
        true
    }

    fn enter(&mut self, node: Node) {
        self.blocked[node as usize] = true;
        self.nodes.push(node);
        self.path.push(Step { tried: 0, found: false });
    }

    fn unblock(&mut self, node: Node) {
        self.unblocking.push(node);
        while let Some(node) = self.unblocking.pop() {
            if std::mem::take(&mut self.blocked[node as usize]) {
                let waiting = std::mem::take(&mut self.waiting[node as usize]);
                self.unblocking.extend(waiting);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All paths from `start` over greater nodes, by plain recursion.
    fn search(heads: &[[Node; 2]], path: &mut Vec<Node>, found: &mut Vec<Vec<Node>>) {
        let (start, last) = (path[0], path[path.len() - 1]);
        for head in heads[last as usize].into_iter().filter(|&head| head != NO_NODE) {
            if head == start {
                found.push(path.clone());
            } else if head > start && !path.contains(&head) {
                path.push(head);
                search(heads, path, found);
                path.pop();
            }
        }
    }

    proptest! {
        #[test]
        fn every_cycle_is_found_once(arcs in prop::collection::vec((0u16..9, 0u16..9), 8)) {
            let head = |head: Node, word: Node| if head == 0 || head == word { NO_NODE } else { head };
            let mut heads = vec![[NO_NODE; 2]];
            for (word, &(a, b)) in (1..).zip(&arcs) {
                let (a, b) = (head(a, word), head(b, word));
                heads.push([a, if a == b { NO_NODE } else { b }]);
            }
            let mut expected = Vec::new();
            for start in 1..heads.len() as Node {
                search(&heads, &mut vec![start], &mut expected);
            }
            let mut cycles = Cycles { heads, ..Cycles::default() };
            let mut found = Vec::new();
            cycles.visit(|cycle| {
                found.push(cycle.to_vec());
                true
            });
            expected.sort();
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
