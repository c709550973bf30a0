//! Greedy decoding where a move changes what is seen from few points only, as in easy-first.
//!
//! The best action at each point waits in a heap. After a move only the points it touched are scored again; what waits of
//! them, and of the point that is gone, is out of date and is passed over when it comes up. Ties are broken as in a beam of
//! width 1, by the point and the action's number: [`Decoder::decode_by_beam`] finds the same tree with the same score.
//!
//! Complexity: O(n) scorings for n points at the start, instead of O(n²), and O(n log n) for the heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Decoder, Parsed, Workspace};
use crate::configuration::Point;
use crate::scorer::{Query, best_permitted};
use crate::system::{ActionId, Choice, TransitionSystem};
use crate::tree::Node;

/// The best action at a point: its score, the point's name, the action, and the edition of the point's scores. The greatest
/// is to be taken first.
type Waiting = (i32, Reverse<Node>, Reverse<ActionId>, u32);

impl<S: TransitionSystem> Decoder<'_, S> {
    /// The tree that greedy decoding finds for the sentence in `workspace.input`.
    pub(super) fn decode_by_points(&self, workspace: &mut Workspace) -> Parsed {
        let machine = &self.machine;
        let (arena, context, scratch) = workspace.begin(self.scorer, machine.actions);
        let n_words = context.input.n_nodes();
        let system = machine.system;
        let mut item = machine.initial(arena, n_words);
        let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
        // By name: how often the point was scored.
        let mut editions = vec![0u32; n_words + 1];
        let mut stale = 0..system.n_points(&item.configuration) as Point;
        while !machine.is_terminal(item) {
            let c = &item.configuration;
            for point in stale {
                let name = system.point_name(c, point);
                let edition = &mut editions[name as usize];
                *edition += 1;
                let permitted = system.permitted(c, point);
                let scores =
                    self.scorer.score_one(scratch.memory, context, &Query { view: item.view(point), permitted });
                let best = best_permitted(scores, machine.actions.mask(permitted));
                waiting.extend(best.map(|(score, action)| (score, Reverse(name), Reverse(action), *edition)));
            }
            let up_to_date = |(score, Reverse(name), Reverse(action), edition): Waiting| {
                let point = system.point_named(c, name).filter(|_| edition == editions[name as usize])?;
                Some((score, Choice { point, action }))
            };
            let (score, choice) = std::iter::from_fn(|| waiting.pop())
                .find_map(up_to_date)
                .expect("a configuration that is not terminal permits something");
            item = machine.successor(item, choice, item.score + i64::from(score), false, arena);
            stale = system.points_touched(&item.configuration, choice.point);
        }
        let (tree, score) = (machine.tree(item, n_words), item.score);
        *scratch.n_scored += item.length() as u64;
        Parsed::new(tree, score)
    }
}
