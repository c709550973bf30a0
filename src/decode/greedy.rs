//! Greedy decoding: what a beam of width 1 does, without the beam.
//!
//! Ties are broken as in a beam of width 1, by the point and the action's number: [`Decoder::decode_by_beam`] finds the
//! same tree with the same score.

use super::{Decoder, Parsed, Workspace, best_permitted};
use crate::configuration::{Arena, Point, View as _};
use crate::model::Weights;
use crate::system::{Choice, TransitionSystem};

impl<S: TransitionSystem, W: Weights> Decoder<'_, S, W> {
    /// The tree that greedy decoding finds for the sentence in `workspace.input`.
    pub(super) fn decode_greedily(&self, workspace: &mut Workspace) -> Parsed {
        let n_words = workspace.input.n_words();
        workspace.start(self.weights.n_sums(self.actions.width()));
        let Workspace { bump, label_sets, scorer, input, .. } = workspace;
        let arena = Arena::new(bump, label_sets, &[]);
        let system = self.system;
        let mut item = self.initial(arena, n_words);
        while !system.is_terminal(&item.configuration) {
            let c = &item.configuration;
            let mut best: Option<(i32, Choice)> = None;
            for point in 0..system.n_points(c) as Point {
                let permitted = system.permitted(c, point);
                scorer.score_once(self.features, self.weights, input, label_sets, &item.cells(point));
                let scores = scorer.read(self.weights, self.actions, permitted);
                if let Some((score, action)) = best_permitted(scores, self.actions.mask(permitted))
                    && best.is_none_or(|(highest, _)| score > highest)
                {
                    best = Some((score, Choice { point, action }));
                }
            }
            let (score, choice) = best.expect("a configuration that is not terminal permits something");
            item = self.successor(item, choice, item.score + i64::from(score), false, arena);
        }
        Parsed { tree: self.tree(item, n_words), score: item.score }
    }
}
