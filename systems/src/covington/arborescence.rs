//! The least weight of a spanning tree whose arcs lead away from a root (Chu & Liu 1965; Edmonds 1967).
//!
//! Complexity: O(ne) for n nodes and e arcs.

/// An arc between two nodes and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedArc {
    pub head: usize,
    pub dependent: usize,
    pub weight: u32,
}

/// The least weight of `arcs` that give each of `n_nodes` nodes but the first one head and make no cycle; `None` if no arcs
/// do.
pub(super) fn least_weight(mut n_nodes: usize, mut arcs: Vec<WeightedArc>) -> Option<u32> {
    const NONE: usize = usize::MAX;
    let mut root = 0;
    let mut total = 0;
    loop {
        let mut best = vec![(u32::MAX, NONE); n_nodes];
        for arc in arcs.iter().filter(|arc| arc.dependent != root) {
            best[arc.dependent] = best[arc.dependent].min((arc.weight, arc.head));
        }
        if (0..n_nodes).any(|node| node != root && best[node].1 == NONE) {
            return None;
        }
        best[root].0 = 0;
        total += best.iter().map(|&(weight, _)| weight).sum::<u32>();
        // The cycles of best arcs, by number.
        let (mut cycle_of, mut met_by) = (vec![NONE; n_nodes], vec![NONE; n_nodes]);
        let mut n_cycles = 0;
        for walk in 0..n_nodes {
            let mut node = walk;
            while node != root && met_by[node] == NONE {
                met_by[node] = walk;
                node = best[node].1;
            }
            if node != root && met_by[node] == walk && cycle_of[node] == NONE {
                while cycle_of[node] == NONE {
                    cycle_of[node] = n_cycles;
                    node = best[node].1;
                }
                n_cycles += 1;
            }
        }
        if n_cycles == 0 {
            return Some(total);
        }
        // Each cycle becomes one node; to enter it is to give up one of its arcs.
        let mut number = cycle_of;
        n_nodes = n_cycles;
        for number in number.iter_mut().filter(|number| **number == NONE) {
            *number = n_nodes;
            n_nodes += 1;
        }
        root = number[root];
        arcs.retain_mut(|arc| {
            arc.weight = arc.weight.saturating_sub(best[arc.dependent].0);
            (arc.head, arc.dependent) = (number[arc.head], number[arc.dependent]);
            arc.head != arc.dependent
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By trial of every choice of heads.
    fn by_trial(n_nodes: usize, weights: &[u32]) -> u32 {
        let is_tree = |heads: &[usize]| {
            (1..n_nodes).all(|node| {
                let mut above = node;
                for _ in 0..n_nodes {
                    above = if above == 0 { 0 } else { heads[above - 1] };
                }
                above == 0
            })
        };
        let choices = (0..n_nodes.pow(n_nodes as u32 - 1)).map(|mut code| {
            let mut digit = || {
                let digit = code % n_nodes;
                code /= n_nodes;
                digit
            };
            (1..n_nodes).map(|_| digit()).collect::<Vec<usize>>()
        });
        let trees = choices.filter(|heads| is_tree(heads));
        trees.map(|heads| (1..n_nodes).map(|d| weights[heads[d - 1] * n_nodes + d]).sum()).min().unwrap()
    }

    proptest! {
        #[test]
        fn no_tree_weighs_less(n_nodes in 1usize..6, weights in prop::collection::vec(0u32..6, 25)) {
            let arcs = (0..n_nodes).flat_map(|head| (0..n_nodes).map(move |dependent| (head, dependent)));
            let arcs = arcs.filter(|(head, dependent)| head != dependent).map(|(head, dependent)| {
                WeightedArc { head, dependent, weight: weights[head * n_nodes + dependent] }
            });
            prop_assert_eq!(least_weight(n_nodes, arcs.collect()), Some(by_trial(n_nodes, &weights)));
        }
    }

    #[test]
    fn a_node_without_an_arc_is_out_of_reach() {
        let arc = |head, dependent| WeightedArc { head, dependent, weight: 1 };
        assert_eq!(least_weight(3, vec![arc(0, 1)]), None);
        assert_eq!(least_weight(3, vec![arc(0, 1), arc(1, 2)]), Some(2));
        assert_eq!(least_weight(4, vec![arc(0, 1), arc(2, 3), arc(3, 2)]), None);
    }
}
