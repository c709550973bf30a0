//! Greedy decoding: what a beam of width 1 does, without the beam.
//!
//! Ties are broken as in a beam of width 1, by the point and the action's number: [`Decoder::decode_by_beam`] finds the
//! same tree with the same score.

use super::{Decoder, Parsed, Workspace};
use crate::configuration::Point;
use crate::scorer::{Query, best_permitted};
use crate::system::{Choice, TransitionSystem};

impl<S: TransitionSystem> Decoder<'_, S> {
    /// The tree that greedy decoding finds for the sentence in `workspace.input`.
    pub(super) fn decode_greedily(&self, workspace: &mut Workspace) -> Parsed {
        let machine = &self.machine;
        let (arena, context, scratch) = workspace.begin(self.scorer, machine.actions);
        let n_words = context.input.n_nodes();
        let mut item = machine.initial(arena, n_words);
        while let Some(first) = machine.system.permitted_unless_terminal(&item.configuration, 0) {
            let c = &item.configuration;
            let mut best: Option<(i32, Choice)> = None;
            for point in 0..machine.system.n_points(c) as Point {
                let permitted = if point == 0 { first } else { machine.system.permitted(c, point) };
                let scores =
                    self.scorer.score_one(scratch.memory, context, &Query { view: item.view(point), permitted });
                if let Some((score, action)) = best_permitted(scores, machine.actions.mask(permitted))
                    && best.is_none_or(|(highest, _)| score > highest)
                {
                    best = Some((score, Choice { point, action }));
                }
            }
            let (score, choice) = best.expect("a configuration that is not terminal permits something");
            item = machine.successor(item, choice, item.score + i64::from(score), false, arena);
        }
        let (tree, score) = (machine.tree(item, n_words), item.score);
        *scratch.n_scored += item.length() as u64;
        Parsed::new(tree, score)
    }
}
