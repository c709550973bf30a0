//! From a sentence to its tree.

use bumpalo::collections::Vec as BumpVec;

use super::beam::{NO_MARGIN, Of, Row};
use super::interned::InternedMachine;
use super::{Beam, Candidate, IDLE, Identities, Item, Machine, Scratch, Strategy, Workspace, interned};
use crate::configuration::{Arena, View as _};
use crate::scorer::{Context, Query, Scorer};
use crate::system::{Choice, Permitted, TransitionSystem};
use crate::tree::Tree;
use crate::vector::vectorised;

/// A machine and what scores its actions: all that decoding needs and that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'m, S, C> {
    /// The transition system with its actions.
    pub machine: Machine<'m, S>,
    /// Scorer of configurations.
    pub scorer: C,
    /// Margin of pruning: largest lag of candidates of a step behind the best, in the model's fixed point; see
    /// [`margin`](super::margin).
    pub margin: i64,
}

/// Number of candidates to select for a beam of `width`, so that enough are left when twins are dropped.
pub fn selected(width: usize) -> usize {
    if width == 1 { 1 } else { width.saturating_add(width / 2) }
}

/// Observer of the items of a step.
type Look<'l, 'a, C> = dyn FnMut(&[&'a Item<'a, C>]) + 'l;

/// One complete derivation's tree and score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// The sum of the actions' scores, in the model's fixed point.
    pub score: i64,
}

impl<'m, S: TransitionSystem, C: Scorer> Decoder<'m, S, C> {
    /// The decoder over a machine that remembers what `scorer` reads.
    pub fn new(system: S, actions: &'m crate::system::Actions, scorer: C) -> Decoder<'m, S, C> {
        Decoder { machine: Machine::new(system, actions, &scorer), scorer, margin: NO_MARGIN }
    }

    /// The decoder that leaves out candidates which lag more than `margin` behind the best of their step.
    #[must_use]
    pub fn with_margin(self, margin: i64) -> Decoder<'m, S, C> {
        Decoder { margin, ..self }
    }

    /// The best trees of the sentence in `workspace.input`, best first: at most `k` of what this way of searching finds.
    ///
    /// # Panics
    /// If a width is 0.
    pub fn find(&self, workspace: &mut Workspace<C::Memory>, strategy: Strategy, k: usize) -> Vec<Parsed> {
        match strategy {
            Strategy::Beam { width } => self.decode(workspace, width, k),
            Strategy::Merged { width, merging } => {
                merging.decode(&self.scorer, self.machine.actions, workspace, width, k)
            }
            Strategy::Exact(tabulation) => {
                vec![tabulation.decode(&self.scorer, self.machine.actions, workspace)]
            }
        }
    }

    /// The best trees of the sentence in `workspace.input`, best first: at most `k` of the final beam's items.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode(&self, workspace: &mut Workspace<C::Memory>, width: usize, k: usize) -> Vec<Parsed> {
        match width {
            // Where scorers read the last actions, any move changes what is seen from every point.
            1 if self.machine.system.info().local_points && !self.machine.keeps_history => {
                vec![self.decode_by_points(workspace)]
            }
            1 => vec![self.decode_greedily(workspace)],
            _ => self.decode_interned(workspace, width, k).unwrap_or_else(|| self.decode_by_beam(workspace, width, k)),
        }
    }

    /// Result of [`Decoder::decode_by_beam`] by beams of interned side states; `None` if the system, the scorer or the
    /// width is not for these.
    pub fn decode_interned(&self, workspace: &mut Workspace<C::Memory>, width: usize, k: usize) -> Option<Vec<Parsed>> {
        let machine = self.interned(width)?;
        workspace.start();
        let Workspace { bump, label_sets, memory, input, interned, .. } = workspace;
        let context = Context { input, label_sets, actions: self.machine.actions };
        let parsed = interned.decode((machine, &self.scorer, self.margin), memory, context, bump, (width, k));
        workspace.n_scored += std::mem::take(&mut interned.n_scored);
        parsed
    }

    /// The machine of beams of interned side states, if the system and the width are for these.
    fn interned(&self, width: usize) -> Option<InternedMachine<'m>> {
        self.machine.over_stacks().filter(|_| interned::WIDTHS.contains(&width))
    }

    /// Result of [`Decoder::decode`] by beams at any width.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_by_beam(&self, workspace: &mut Workspace<C::Memory>, width: usize, k: usize) -> Vec<Parsed> {
        let machine = &self.machine;
        workspace.start();
        let (bump, context, mut scratch) = workspace.parts(machine.actions);
        self.scorer.begin(scratch.memory, context);
        let arena = Arena::new(bump, context.label_sets, self.scorer.masks());
        let n_words = context.input.n_words();
        let mut n_items = 0;
        let items = self.beams(width, arena, context, &mut scratch, &mut |items| n_items += items.len());
        // The last ones have nothing to be scored.
        let n_scored = n_items - items.len();
        let parsed = |item: &&Item<_>| Parsed { tree: machine.tree(item, n_words), score: item.score };
        let parsed = items.iter().take(k).map(parsed).collect();
        drop(items);
        workspace.n_scored += n_scored as u64;
        parsed
    }

    /// Lag of the derivation that wins in a beam of `width`: its largest score gap to the best item of a step.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn lag(&self, workspace: &mut Workspace<C::Memory>, width: usize) -> i64 {
        self.lag_interned(workspace, width).unwrap_or_else(|| self.lag_by_beam(workspace, width))
    }

    /// [`Decoder::lag`] where beams of interned side states can tell.
    fn lag_interned(&self, workspace: &mut Workspace<C::Memory>, width: usize) -> Option<i64> {
        let machine = self.interned(width)?;
        workspace.start();
        let Workspace { bump, label_sets, memory, input, interned, .. } = workspace;
        let context = Context { input, label_sets, actions: self.machine.actions };
        let mut tops = Vec::new();
        let by = (machine, &self.scorer, self.margin);
        let items = interned.beams(by, memory, context, bump, width, &mut |items| tops.push(items[0].score))?;
        Some(behind(items[0], &tops))
    }

    /// Result of [`Decoder::lag`] by beams at any width.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn lag_by_beam(&self, workspace: &mut Workspace<C::Memory>, width: usize) -> i64 {
        workspace.start();
        let (bump, context, mut scratch) = workspace.parts(self.machine.actions);
        self.scorer.begin(scratch.memory, context);
        let arena = Arena::new(bump, context.label_sets, self.scorer.masks());
        let mut tops = Vec::new();
        let items = self.beams(width, arena, context, &mut scratch, &mut |items| tops.push(items[0].score));
        behind(items[0], &tops)
    }

    /// The final beam of a sentence, of which `context` has the input and with which the scorer has begun. `look` sees every
    /// beam, from the initial one to the final one.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn beams<'a>(
        &self,
        width: usize,
        arena: Arena<'a>,
        context: Context,
        Scratch { memory, selection, distinct }: &mut Scratch<C::Memory>,
        look: &mut Look<'_, 'a, S::Shared<'a>>,
    ) -> BumpVec<'a, &'a Item<'a, S::Shared<'a>>> {
        assert!(width > 0, "a beam has at least width 1");
        let machine = &self.machine;
        let mut items = BumpVec::with_capacity_in(width.min(1 << 16), arena.bump());
        let mut next = BumpVec::with_capacity_in(width.min(1 << 16), arena.bump());
        let mut queries = Vec::with_capacity(width.min(1 << 16));
        items.push(machine.initial(arena, context.input.n_words()));
        look(&items);
        while !items.iter().all(|item| machine.is_terminal(item)) {
            self.score(&items, memory, context, &mut queries);
            let mut beam = Beam::new(selected(width), items[0].score, selection).with_margin(self.margin);
            self.offer(&mut beam, &items, memory, context, &queries);
            self.build(&items, beam.finish(), width, distinct, arena, |_| false, |item| next.push(item));
            std::mem::swap(&mut items, &mut next);
            next.clear();
            look(&items);
        }
        items
    }

    /// Scores all actions of all items. `queries` then says what each row of the scores is of.
    pub fn score<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        memory: &mut C::Memory,
        context: Context,
        queries: &mut Vec<Query<&'a Item<'a, S::Shared<'a>>>>,
    ) {
        queries.clear();
        items.iter().for_each(|item| self.machine.ask(item, queries));
        self.scorer.score(memory, context, queries);
    }

    /// Offers all successors of all items to the beam; an item whose derivation is complete succeeds itself. `queries` are
    /// those of [`Decoder::score`].
    ///
    /// Where derivations differ in length, waiting is scored like any transition (Zhu et al. 2013): else the longer
    /// derivations of a beam would gain by their length.
    pub fn offer<'a>(
        &self,
        beam: &mut Beam,
        items: &[&'a Item<'a, S::Shared<'a>>],
        memory: &mut C::Memory,
        context: Context,
        queries: &[Query<&'a Item<'a, S::Shared<'a>>>],
    ) {
        let mut rows = beam.take_rows();
        let mut row = 0;
        for (rank, item) in (0..).zip(items) {
            let Item { score: base, .. } = **item;
            if self.machine.is_terminal(item) {
                let idles = self.machine.actions.idle();
                row += usize::from(idles.is_some());
                rows.push(Row { rank, base, of: idles.map_or(Of::Ended, Of::Idle) });
                continue;
            }
            let of_item = |query: &&Query<&Item<S::Shared<'a>>>| std::ptr::eq(query.view, *item);
            while let Some(&Query { point, permitted, .. }) = queries.get(row).filter(of_item) {
                rows.push(Row { rank, base, of: Of::Point(point, permitted) });
                row += 1;
            }
        }
        offer_rows(&self.scorer, beam, &rows, memory, context);
        beam.give_back(rows);
    }

    /// Offers those successors of an item that `choices`, in ascending order, lead to.
    pub fn offer_only<'a>(
        &self,
        beam: &mut Beam,
        rank: u32,
        item: &'a Item<'a, S::Shared<'a>>,
        choices: &[Choice],
        memory: &mut C::Memory,
        context: Context,
    ) {
        let Machine { system, actions, .. } = self.machine;
        for at_point in choices.chunk_by(|a, b| a.point == b.point) {
            let is_idle = at_point[0] == IDLE;
            if is_idle && self.machine.n_idling() == 0 {
                beam.offer(Candidate::new(item.score, rank, IDLE));
                continue;
            }
            let point = if is_idle { 0 } else { at_point[0].point };
            let permitted = if is_idle { Permitted::default() } else { system.permitted(&item.configuration, point) };
            let scores = self.scorer.score_one(memory, context, Query { view: item, point, permitted });
            for &choice in at_point {
                let action = if is_idle { actions.idle().unwrap_or_default() } else { choice.action };
                let score = item.score + i64::from(scores[action as usize]);
                beam.offer(Candidate::new(score, rank, choice));
            }
        }
    }

    /// Builds the successors that `candidates` stand for, best first, until there are `width`.
    ///
    /// Of successors that made the same arcs in another order and have the same stack only the best is kept: its twin has the
    /// same future, could never overtake it, and would take a place from a different analysis.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    pub fn build<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        candidates: &[Candidate],
        width: usize,
        distinct: &mut Identities,
        arena: Arena<'a>,
        is_gold: impl Fn(Candidate) -> bool,
        mut keep: impl FnMut(&'a Item<'a, S::Shared<'a>>),
    ) {
        distinct.clear();
        for &candidate in candidates {
            let parent = items[candidate.rank() as usize];
            let (choice, score) = (candidate.choice(), candidate.score());
            let item = self.machine.successor(parent, choice, score, is_gold(candidate), arena);
            if width == 1 || distinct.insert(item.identity()) {
                keep(item);
                if width == 1 || distinct.len() == width {
                    break;
                }
            }
        }
    }
}

/// Largest lag of a derivation behind the highest scores of all steps, `tops`.
fn behind<'a, C>(winner: &'a Item<'a, C>, tops: &[i64]) -> i64 {
    let behind = winner.history().zip(tops.iter().rev()).map(|(item, top)| top - item.score);
    behind.max().unwrap_or_default()
}

/// Offers what rows of scores are of, from the first row on. Nothing in it depends on the transition system.
fn offer_rows<C: Scorer>(scorer: &C, beam: &mut Beam, rows: &[Row], memory: &mut C::Memory, context: Context) {
    let actions = context.actions;
    vectorised!(simd => {
        let mut number = 0;
        for &Row { rank, base, of } in rows {
            match of {
                Of::Point(point, permitted) => {
                    let scores = scorer.row(memory, context, number, permitted);
                    beam.offer_all_with(simd, (rank, point, base), scores, actions.mask(permitted));
                    number += 1;
                }
                Of::Idle(idle) => {
                    let gained = scorer.row(memory, context, number, Permitted::default()).of(idle);
                    beam.offer(Candidate::new(base + i64::from(gained), rank, IDLE));
                    number += 1;
                }
                Of::Ended => beam.offer(Candidate::new(base, rank, IDLE)),
            }
        }
    });
}
