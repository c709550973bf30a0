//! From a sentence to its tree.

use super::step::{ItemOf, Stepper};
use super::{Item, Machine, NO_MARGIN, Parsed, Strategy, Workspace};
use crate::scorer::Scorer;
use crate::system::TransitionSystem;

/// A machine and what scores its actions: all that decoding needs and that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'m, S> {
    /// The transition system with its actions.
    pub machine: Machine<'m, S>,
    /// Scorer of configurations.
    pub scorer: &'m dyn Scorer,
    /// Margin of pruning: largest lag of candidates of a step behind the best, in the model's fixed point; see
    /// [`margin`](super::margin).
    pub margin: i64,
}

impl<'m, S: TransitionSystem> Decoder<'m, S> {
    /// The decoder over a machine that remembers what `scorer` reads.
    pub fn new(system: S, actions: &'m crate::system::Actions, scorer: &'m dyn Scorer) -> Decoder<'m, S> {
        Decoder { machine: Machine::new(system, actions, scorer), scorer, margin: NO_MARGIN }
    }

    /// The decoder that leaves out candidates which lag more than `margin` behind the best of their step.
    #[must_use]
    pub fn with_margin(self, margin: i64) -> Decoder<'m, S> {
        Decoder { margin, ..self }
    }

    /// The best trees of the sentence in `workspace.input`, best first: at most `k` of what this way of searching finds.
    ///
    /// # Panics
    /// If a width is 0.
    pub fn find(&self, workspace: &mut Workspace, strategy: Strategy, k: usize) -> Vec<Parsed> {
        match strategy {
            Strategy::Beam { width } => self.decode(workspace, width, k),
            Strategy::Merged { width, merging } => {
                merging.decode(self.scorer, self.machine.actions, workspace, width, k)
            }
            Strategy::Exact(tabulation) => vec![tabulation.decode(self.scorer, self.machine.actions, workspace)],
        }
    }

    /// The best trees of the sentence in `workspace.input`, best first: at most `k` of the final beam's items.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode(&self, workspace: &mut Workspace, width: usize, k: usize) -> Vec<Parsed> {
        match width {
            // Where scorers read the last actions, any move changes what is seen from every point.
            1 if self.machine.system.info().local_points && !self.machine.keeps_history => {
                vec![self.decode_by_points(workspace)]
            }
            1 => vec![self.decode_greedily(workspace)],
            _ => self.decode_by_beam(workspace, width, k),
        }
    }

    /// Result of [`Decoder::decode`] by a beam, at any width.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_by_beam(&self, workspace: &mut Workspace, width: usize, k: usize) -> Vec<Parsed> {
        let n_words = workspace.input.n_words();
        let (mut stepper, n_scored) = workspace.stepper(self.machine, self.scorer);
        let items = self.beams(&mut stepper, width, &mut |_| ());
        *n_scored += stepper.n_scored;
        let parsed = |item: &ItemOf<S>| Parsed { tree: self.machine.tree(item, n_words), score: item.score };
        Parsed::best(items.iter().map(parsed), k)
    }

    /// Lag of the derivation that wins in a beam of `width`: its largest score gap to the best item of a step.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn lag(&self, workspace: &mut Workspace, width: usize) -> i64 {
        let (mut stepper, _) = workspace.stepper(self.machine, self.scorer);
        let mut tops = Vec::new();
        let items = self.beams(&mut stepper, width, &mut |items: &[ItemOf<S>]| tops.push(items[0].score));
        behind(items[0], &tops)
    }

    /// The final beam. `look` sees every beam, from the initial one to the final one.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn beams<'a>(
        &self,
        stepper: &mut Stepper<'_, 'a, S>,
        width: usize,
        look: &mut dyn FnMut(&[ItemOf<'a, S>]),
    ) -> Vec<ItemOf<'a, S>> {
        assert!(width > 0, "a beam has at least width 1");
        let mut items = vec![stepper.initial()];
        look(&items);
        while stepper.advance(self.scorer, (width, self.margin), &mut items, None) {
            look(&items);
        }
        items
    }
}

/// Largest lag of a derivation behind the highest scores of all steps, `tops`.
fn behind<'a, C>(winner: &'a Item<'a, C>, tops: &[i64]) -> i64 {
    let behind = winner.history().zip(tops.iter().rev()).map(|(item, top)| top - item.score);
    behind.max().unwrap_or_default()
}
