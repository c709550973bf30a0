//! The decoder: finds the tree of a sentence.

use std::ops::ControlFlow;

use hashbrown::HashMap;

use super::past::{Past, used};
use super::step::{ItemOf, Stepper};
use super::{Given, Item, Machine, NO_MARGIN, Parsed, Restricted, Scratch, Strategy, Workspace};
use crate::scorer::Scorer;
use crate::system::TransitionSystem;

/// A machine and what scores its actions: all that decoding needs and that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'m, S> {
    /// The transition system with its actions.
    pub machine: Machine<'m, S>,
    /// Scorer of configurations.
    pub scorer: &'m dyn Scorer,
    /// Margin of pruning: largest score gap of candidates of a step to the best, in the model's fixed point; see
    /// [`margin`](super::margin).
    pub margin: i64,
}

impl<'m, S: TransitionSystem> Decoder<'m, S> {
    /// The decoder over a machine that remembers what `scorer` reads.
    pub fn new(system: S, actions: &'m crate::system::Actions, scorer: &'m dyn Scorer) -> Decoder<'m, S> {
        Decoder { machine: Machine::new(system, actions, scorer), scorer, margin: NO_MARGIN }
    }

    /// The decoder that leaves out candidates with a larger score gap than `margin` to the best of their step.
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
            // With a scorer that reads the last actions, any move changes the features of every point.
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
        self.by_beam(workspace, (width, k), None)
    }

    /// The best trees of the sentence in `workspace.input` that keep what is given, as far as the system can, best first: at most `k` of the
    /// final beam's items.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_given(&self, workspace: &mut Workspace, width: usize, k: usize, given: &Given) -> Vec<Parsed> {
        let mut parsed = self.by_beam(workspace, (width, k), Some(given));
        // If no tree keeps everything, those that keep most.
        let least = parsed.iter().map(|parsed| given.n_lost(&parsed.tree)).min();
        parsed.retain(|parsed| Some(given.n_lost(&parsed.tree)) == least);
        parsed
    }

    fn by_beam(&self, workspace: &mut Workspace, (width, k): (usize, usize), given: Option<&Given>) -> Vec<Parsed> {
        assert!(width > 0, "a beam has at least width 1");
        workspace.start(self.scorer.reads());
        let (mut past, room) = (None, workspace.room);
        loop {
            let (arena, context, Scratch { memory, buffers, n_scored }) = workspace.parts(self.machine.actions);
            self.scorer.begin(memory, context);
            let mut stepper = Stepper::new(self.machine, arena, context, (memory, buffers));
            let found = self.stretch(&mut stepper, past.as_ref(), room, (width, k), given);
            *n_scored += stepper.n_scored;
            match found {
                ControlFlow::Break(parsed) => return parsed,
                ControlFlow::Continue(now) => past = Some(now),
            }
            workspace.bump.reset();
        }
    }

    /// The `k` best trees, if all derivations are complete before the arena has filled up; else the beam, saved outside the arena.
    fn stretch<'a>(
        &self,
        stepper: &mut Stepper<'_, 'a, S>,
        past: Option<&Past>,
        room: usize,
        (width, k): (usize, usize),
        given: Option<&Given>,
    ) -> ControlFlow<Vec<Parsed>, Past> {
        let (bump, n_words) = (stepper.arena.bump(), stepper.context.input.n_nodes());
        let mut items = match past {
            Some(past) => past.items::<S>(stepper.arena),
            None => vec![stepper.initial()],
        };
        let address = |item: ItemOf<'a, S>| std::ptr::from_ref(item).addr();
        // The number of each item of the past, by address.
        let starts: HashMap<usize, usize> = match past {
            Some(_) => items.iter().map(|&item| address(item)).zip(0..).collect(),
            None => HashMap::new(),
        };
        let room = room.max(2 * used(bump));
        let mut goes_on = true;
        let pruning = (width, self.margin);
        match given {
            None => {
                while goes_on && used(bump) < room {
                    goes_on = stepper.advance(self.scorer, pruning, &mut items, None);
                }
            }
            Some(given) => {
                let machine = self.machine;
                let forbid = |item: ItemOf<'a, S>, losses: &mut Vec<Vec<i32>>| {
                    given.forbid(&machine, &item.configuration, losses);
                };
                while goes_on && used(bump) < room {
                    let mut none = Vec::new();
                    let restricted = Restricted::losses_alone(&mut none, &forbid);
                    goes_on = stepper.advance(self.scorer, pruning, &mut items, Some(restricted));
                }
            }
        }
        let tree = |item: ItemOf<'a, S>| {
            let before = past.and_then(|past| {
                let start = starts.get(&address(item.history().last()?))?;
                Some(past.tree(*start))
            });
            match before {
                Some(before) => self.machine.tree_after(item, &before),
                None => self.machine.tree(item, n_words),
            }
        };
        if goes_on {
            return ControlFlow::Continue(Past::new::<S>(&items, stepper.arena.interner(), tree));
        }
        let parsed = items.iter().map(|item| Parsed::new(tree(item), item.score));
        ControlFlow::Break(Parsed::best(parsed, k))
    }

    /// Largest score gap to the best item of a step of the derivation that wins in a beam of `width`.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn largest_gap(&self, workspace: &mut Workspace, width: usize) -> i64 {
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

/// Largest gap of a derivation to the highest scores of all steps, `tops`.
fn behind<'a, C>(winner: &'a Item<'a, C>, tops: &[i64]) -> i64 {
    let behind = winner.history().zip(tops.iter().rev()).map(|(item, top)| top - item.score);
    behind.max().unwrap_or_default()
}
