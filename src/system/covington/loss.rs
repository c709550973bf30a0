//! The exact loss of monotonic Covington configurations (Gómez-Rodríguez & Fernández-González, ACL 2015).
//!
//! A gold arc x → d that has not been made can no more be made if the pair has been passed by, if d has another head, or
//! if x and d are connected already, for then the arc would close a cycle. All others can each be made, but not always
//! all of them: each cycle of the arcs made and the arcs that can be made costs one arc more. Cycles are disjoint, as no
//! node has two heads. So
//!
//! loss = number of gold arcs that cannot be made + number of cycles.
//!
//! If one word alone may hang on the root, the gold arc from the root cannot be made once another word does. That the
//! tree must be completed may cost more arcs, which is not counted: then the loss is at least this, and equal to it
//! wherever this is 0.
//!
//! Complexity: O(n) but for the climbs from gold heads to the tops of their trees.

use super::outlook::{Outlook, top};
use super::root_word;
use crate::system::Roots;
use crate::tree::{Gold, NO_NODE, Node, ROOT};

/// The memory of the computation, to be used again.
#[derive(Debug, Default)]
pub(super) struct Loss {
    /// The heads that words have or can get in the gold tree.
    heads: Vec<Node>,
    /// The walk that first met a node, from 1; 0 is "not met yet".
    met_by: Vec<Node>,
}

impl Loss {
    /// The loss of `outlook`.
    pub fn of(&mut self, gold: &Gold, outlook: &Outlook, roots: Roots) -> u32 {
        let now = &outlook.heads[..];
        let root_taken = roots == Roots::Single && root_word(now).is_some();
        let can_be_made = |x: Node, d: Node| {
            now[d as usize] == NO_NODE
                && outlook.will_meet(x, d)
                && !(x == ROOT && root_taken)
                // d has no head, so it is the top of what it is connected with.
                && top(now, x) != d
        };
        self.heads.clear();
        self.heads.extend_from_slice(now);
        let mut lost = 0;
        for d in 1..=outlook.last() {
            let x = gold.head(d);
            if now[d as usize] == x || can_be_made(x, d) {
                self.heads[d as usize] = x;
            } else {
                lost += 1;
            }
        }
        // Without a loss all heads are gold ones, and the gold tree has no cycles.
        if lost == 0 { 0 } else { lost + self.n_cycles() }
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
}
