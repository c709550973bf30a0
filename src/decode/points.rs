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
use crate::configuration::{Arena, Point};
use crate::model::Weights;
use crate::system::{ActionId, Choice, FORBIDDEN, TransitionSystem};
use crate::tree::Node;
use crate::vector::vectorised;

/// The best action at a point: its score, the point's name, the action, and the edition of the point's scores. The greatest
/// is to be taken first.
type Waiting = (i32, Reverse<Node>, Reverse<ActionId>, u32);

impl<S: TransitionSystem, W: Weights> Decoder<'_, S, W> {
    /// The tree that greedy decoding finds for the sentence in `workspace.input`.
    pub(super) fn decode_by_points(&self, workspace: &mut Workspace) -> Parsed {
        let n_words = workspace.input.n_words();
        workspace.start(self.weights.n_sums(self.actions.width()));
        let Workspace { bump, label_sets, scorer, input, .. } = workspace;
        let arena = Arena::new(bump, label_sets, self.features.masks());
        let system = self.system;
        let mut item = self.initial(arena, n_words);
        let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
        // By name: how often the point was scored.
        let mut editions = vec![0u32; n_words + 1];
        let mut stale = 0..system.n_points(&item.configuration) as Point;
        while !system.is_terminal(&item.configuration) {
            let c = &item.configuration;
            for point in stale {
                let name = system.point_name(c, point);
                let edition = &mut editions[name as usize];
                *edition += 1;
                let permitted = system.permitted(c, point);
                let scores = self.scores(item, point, permitted, scorer, input, label_sets);
                let best = best_permitted(scores, self.actions.mask(permitted));
                waiting.extend(best.map(|(score, action)| (score, Reverse(name), Reverse(action), *edition)));
            }
            let up_to_date = |(score, Reverse(name), Reverse(action), edition): Waiting| {
                let point = system.point_named(c, name).filter(|_| edition == editions[name as usize])?;
                Some((score, Choice { point, action }))
            };
            let (score, choice) = std::iter::from_fn(|| waiting.pop())
                .find_map(up_to_date)
                .expect("a configuration that is not terminal permits something");
            item = self.successor(item, choice, item.score + i64::from(score), false, arena);
            stale = system.points_touched(&item.configuration, choice.point);
        }
        Parsed { tree: self.tree(item, n_words), score: item.score }
    }
}

/// The permitted action of the highest score, the first of them on ties. `mask` is 0 for permitted ones and [`FORBIDDEN`]
/// for others.
#[inline]
pub fn best_permitted(scores: &[i32], mask: &[i32]) -> Option<(i32, ActionId)> {
    vectorised!(_simd => best_permitted_with(scores, mask))
}

#[inline(always)]
fn best_permitted_with(scores: &[i32], mask: &[i32]) -> Option<(i32, ActionId)> {
    let masked = || scores.iter().zip(mask).map(|(score, mask)| score + mask);
    // Two passes, of which the compiler turns the first into vector instructions.
    let highest = masked().max().filter(|&highest| highest > FORBIDDEN / 2)?;
    let action = masked().position(|score| score == highest)?;
    Some((highest, action as ActionId))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;
    use proptest::prelude::*;

    proptest! {
        /// Against looking at one action after the other.
        #[test]
        fn the_first_of_the_best_permitted_actions(lanes in prop::collection::vec((-4i32..4, prop::bool::ANY), 48)) {
            let scores: Vec<i32> = lanes.iter().map(|lane| lane.0).collect();
            let mask: Vec<i32> = lanes.iter().map(|lane| if lane.1 { 0 } else { FORBIDDEN }).collect();
            let mut expected: Option<(i32, ActionId)> = None;
            for (action, &(score, permitted)) in lanes.iter().enumerate() {
                if permitted && expected.is_none_or(|(highest, _)| score > highest) {
                    expected = Some((score, action as ActionId));
                }
            }
            for best in versions!(_simd => best_permitted_with(&scores, &mask)) {
                prop_assert_eq!(best, expected);
            }
        }
    }
}
