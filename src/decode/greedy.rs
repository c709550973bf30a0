//! Greedy decoding: what a beam of width 1 does, without the beam.
//!
//! Ties are broken as in a beam of width 1, by the point and the action's number: [`Decoder::decode_by_beam`] finds the
//! same tree with the same score.

use super::{Decoder, Parsed, Workspace};
use crate::configuration::{Arena, Point};
use crate::scorer::{Context, Query, Scorer, best_permitted};
use crate::system::{Choice, TransitionSystem};

impl<S: TransitionSystem, C: Scorer> Decoder<'_, S, C> {
    /// The tree that greedy decoding finds for the sentence in `workspace.input`.
    pub(super) fn decode_greedily(&self, workspace: &mut Workspace<C::Memory>) -> Parsed {
        let n_words = workspace.input.n_words();
        workspace.start();
        let Workspace { bump, label_sets, memory, input, .. } = workspace;
        let machine = &self.machine;
        let context = Context { input, label_sets, actions: machine.actions };
        self.scorer.begin(memory, context);
        let arena = Arena::new(bump, label_sets, &[]);
        let mut item = machine.initial(arena, n_words);
        while let Some(first) = machine.system.permitted_unless_terminal(&item.configuration, 0) {
            let c = &item.configuration;
            let mut best: Option<(i32, Choice)> = None;
            for point in 0..machine.system.n_points(c) as Point {
                let permitted = if point == 0 { first } else { machine.system.permitted(c, point) };
                let scores = self.scorer.score_once(memory, context, Query { view: item, point, permitted });
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
        workspace.n_scored += item.length() as u64;
        Parsed { tree, score }
    }
}
