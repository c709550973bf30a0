//! The exact loss of non-monotonic Covington configurations, by search.
//!
//! For each loss from the lower bound on the question is whether any derivation attains it. A configuration is given up
//! if its lower bound is greater, and settles the question if its tighter upper bound is not. Complexity: exponential at
//! worst; the bounds are so close that a few configurations do for most.

use hashbrown::HashSet;

use super::bounds::bounds_of;
use super::cycles::Cycles;
use super::list_state::{ListState, detached};
use treebeam::configuration::PlainLists;
use treebeam::system::{Bounds, LossBounds};
use treebeam::tree::{Gold, NO_NODE, ROOT};

/// A search for losses of one gold tree, with several roots.
#[derive(Debug)]
pub struct ExactLoss<'g> {
    gold: &'g Gold,
    max_configurations: usize,
    cycles: Cycles,
}

impl<'g> ExactLoss<'g> {
    /// Searches that give up after so many configurations.
    pub fn new(gold: &'g Gold, max_configurations: usize) -> ExactLoss<'g> {
        ExactLoss { gold, max_configurations, cycles: Cycles::default() }
    }

    fn is_attained(&mut self, from: ListState, loss: u32) -> Option<bool> {
        let mut met: HashSet<ListState> = HashSet::new();
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            let mut next: Vec<(Bounds, ListState)> = successors(&state)
                .filter(|next| !met.contains(next))
                .map(|next| (bounds_of(self.gold, &next, &mut self.cycles), next))
                .filter(|(bounds, _)| bounds.lower <= loss)
                .collect();
            if next.iter().any(|(bounds, _)| bounds.pc_upper <= loss) {
                return Some(true);
            }
            // The most promising one last, to be taken first.
            next.sort_by_key(|(bounds, _)| std::cmp::Reverse(bounds.pc_upper));
            for (_, next) in next {
                met.insert(next.clone());
                open.push(next);
            }
            if met.len() > self.max_configurations {
                return None;
            }
        }
        Some(false)
    }
}

impl LossBounds for ExactLoss<'_> {
    fn bounds(&mut self, c: &PlainLists) -> Bounds {
        bounds_of(self.gold, &ListState::of(c), &mut self.cycles)
    }

    fn loss(&mut self, c: &PlainLists) -> Option<u32> {
        let bounds = self.bounds(c);
        for loss in bounds.lower..bounds.pc_upper {
            if self.is_attained(ListState::of(c), loss)? {
                return Some(loss);
            }
        }
        Some(bounds.pc_upper)
    }
}

/// Successors of a configuration by its transitions.
fn successors(state: &ListState) -> impl Iterator<Item = ListState> + '_ {
    let (j, i) = (state.right, state.n_left.checked_sub(1));
    let arcs = i.filter(|_| j <= state.last()).map(|i| [(i, j), (j, i)]).into_iter().flatten();
    let arcs = arcs.filter(|&(_, dependent)| dependent != ROOT).map(|(head, dependent)| {
        let mut next = state.clone();
        next.attach(head, dependent, detached(&state.heads, head, dependent, false).into_iter().flatten());
        next.pass(1);
        next
    });
    let passed = (j <= state.last() && i.is_some()).then(|| {
        let mut next = state.clone();
        next.pass(1);
        next
    });
    let shifted = (j <= state.last()).then(|| {
        let mut next = state.clone();
        next.shift();
        next
    });
    debug_assert!(state.heads[ROOT as usize] == NO_NODE);
    arcs.chain(passed).chain(shifted)
}
