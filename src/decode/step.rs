//! The step of a beam: all successors are scored, the best are selected, and only these are built. Parsing is the step over and
//! over; training is the step with a second beam beside the first, restricted to correct choices.

use super::item::{Candidate, IDLE, Item};
use super::select::{Keys, NO_MARGIN, Offer, ScoredStep, best_of, selected, selected_at_first};
use super::{Identities, Machine};
use crate::configuration::{Arena, Point, SharedConfiguration as _};
use crate::scorer::{Context, Opaque, Query, Scorer, StepScores};
use crate::system::{Choice, FORBIDDEN, Permitted, TransitionSystem};

/// Scratch memory of steps, for any number of sentences; one per thread.
#[derive(Debug, Default)]
pub struct Buffers {
    keys: Keys,
    distinct: Identities,
    offers: Vec<Offer>,
    /// Of the restricted beam: ranks and choices, and the number of the query for each.
    restricted: Vec<(u32, Choice, Option<usize>)>,
    candidates: Vec<Candidate>,
    choices: Vec<Choice>,
    /// Choices of gold items of the free beam, by rank.
    gold: Vec<(u32, Choice)>,
    losses: Vec<Vec<i32>>,
}

/// An item of a beam of a system `S`.
pub type ItemOf<'a, S> = &'a Item<'a, <S as TransitionSystem>::Shared<'a>>;

/// Beam search in one sentence, step by step; the caller has the beams.
#[derive(Debug)]
pub struct Stepper<'w, 'a, S: TransitionSystem> {
    /// The transition system and its actions.
    pub machine: Machine<'w, S>,
    /// Memory of items.
    pub arena: Arena<'a>,
    /// Context of scorers.
    pub context: Context<'w>,
    /// Memory of the scorer, which has begun with the sentence.
    pub memory: &'w mut Opaque,
    /// Scratch memory.
    pub buffers: &'w mut Buffers,
    /// Number of items that have been scored.
    pub n_scored: u64,
    queries: Vec<Query<'a>>,
}

/// Replaces choices by those of an item.
pub type Choices<'s, 'a, S> = dyn Fn(ItemOf<'a, S>, &mut Vec<Choice>) + 's;

/// Replaces losses, by point and action, by those of an item.
pub type Losses<'s, 'a, S> = dyn Fn(ItemOf<'a, S>, &mut Vec<Vec<i32>>) + 's;

/// A beam beside the free one, of items that are restricted to some choices.
pub struct Restricted<'s, 'a, S: TransitionSystem> {
    /// The items, best first; replaced by the best of their successors that `choices` allow.
    pub items: &'s mut Vec<ItemOf<'a, S>>,
    /// The width of the beam.
    pub width: usize,
    /// The choices of items, in ascending order; also of items of the free beam that are gold.
    pub choices: &'s Choices<'s, 'a, S>,
    /// Losses of items of the free beam, to be added to scores, if there are any.
    pub losses: Option<&'s Losses<'s, 'a, S>>,
}

impl<'s, 'a, S: TransitionSystem> Restricted<'s, 'a, S> {
    /// No second beam, but losses of the items of the free one. `none` is empty, and stays so.
    pub fn losses_alone(none: &'s mut Vec<ItemOf<'a, S>>, losses: &'s Losses<'s, 'a, S>) -> Restricted<'s, 'a, S> {
        Restricted { items: none, width: 0, choices: &|_, choices| choices.clear(), losses: Some(losses) }
    }
}

impl<'w, 'a, S: TransitionSystem> Stepper<'w, 'a, S> {
    /// The search before the first step.
    pub fn new(
        machine: Machine<'w, S>,
        arena: Arena<'a>,
        context: Context<'w>,
        (memory, buffers): (&'w mut Opaque, &'w mut Buffers),
    ) -> Stepper<'w, 'a, S> {
        Stepper { machine, arena, context, memory, buffers, n_scored: 0, queries: Vec::new() }
    }

    /// The item before the first transition.
    pub fn initial(&self) -> ItemOf<'a, S> {
        self.machine.initial(self.arena, self.context.input.n_nodes())
    }

    /// Replaces `items` by their best successors, at most `width`, none of which has a larger score gap than `margin` to the best, and the
    /// items of `restricted` by theirs. False, and nothing is done, if all derivations are complete.
    ///
    /// Of successors that made the same arcs in another order and have the same stack only the best is kept: its twin has the
    /// same future, could never overtake it, and would take a place from a different analysis.
    ///
    /// Padding (IDLE) of complete derivations is scored like any transition (Zhu et al. 2013) where derivations differ in length.
    /// Without it longer derivations would gain by their length.
    #[inline]
    pub fn advance(
        &mut self,
        scorer: &dyn Scorer,
        pruning: (usize, i64),
        items: &mut Vec<ItemOf<'a, S>>,
        restricted: Option<Restricted<'_, 'a, S>>,
    ) -> bool {
        let Stepper { machine, arena, context, memory, buffers, queries, n_scored } = self;
        let is_open = |items: &[ItemOf<'a, S>]| items.iter().any(|item| !machine.is_terminal(item));
        if !is_open(items) && !restricted.as_ref().is_some_and(|restricted| is_open(restricted.items)) {
            return false;
        }
        context.interner.make_room();
        queries.clear();
        *n_scored += buffers.ask(*machine, items, queries);
        let n_free = queries.len();
        buffers.ask_restricted(*machine, items, restricted.as_ref(), queries);
        let scores = scorer.score(memory, *context, queries);
        if let Some(restricted) = restricted {
            buffers.take_restricted(*machine, *arena, scores, restricted.items, restricted.width);
            if let Some(losses) = restricted.losses {
                buffers.augment(*machine, scores, items, losses, n_free);
            }
        }
        if !items.is_empty() {
            *items = buffers.take(*machine, *arena, scores, items, pruning);
        }
        true
    }
}

impl Buffers {
    /// Asks for the scores of all successors of the free beam's items; the number of items that are scored.
    #[inline(always)]
    fn ask<'a, S: TransitionSystem>(
        &mut self,
        Machine { system, actions, .. }: Machine<S>,
        items: &[ItemOf<'a, S>],
        queries: &mut Vec<Query<'a>>,
    ) -> u64 {
        self.offers.clear();
        let mut n_scored = 0;
        for (rank, &item) in (0..).zip(items) {
            let (c, base) = (&item.configuration, item.score);
            let Some(first) = system.permitted_unless_terminal(c, 0) else {
                let query = actions.idle().map(|_| queries.len() as u32);
                n_scored += u64::from(query.is_some());
                queries.extend(query.map(|_| Query { view: item.view(0), permitted: Permitted::default() }));
                self.offers.push(Offer { rank, point: IDLE.point, is_complete: true, query, base });
                continue;
            };
            n_scored += 1;
            let n_points = if S::Shared::HAS_POINTS { system.n_points(c) as Point } else { 1 };
            debug_assert_eq!(usize::from(n_points), system.n_points(c), "systems of this family have one point");
            for point in 0..n_points {
                let permitted = if point == 0 { first } else { system.permitted(c, point) };
                self.offers.push(Offer { rank, point, is_complete: false, query: Some(queries.len() as u32), base });
                queries.push(Query { view: item.view(point), permitted });
            }
        }
        n_scored
    }

    /// Asks for the scores of what the restricted beam's items may choose, and notes what goes on with gold derivations in the
    /// free one.
    fn ask_restricted<'a, S: TransitionSystem>(
        &mut self,
        machine: Machine<S>,
        items: &[ItemOf<'a, S>],
        restricted: Option<&Restricted<'_, 'a, S>>,
        queries: &mut Vec<Query<'a>>,
    ) {
        let Buffers { restricted: allowed, choices, gold, .. } = self;
        allowed.clear();
        gold.clear();
        let Some(restricted) = restricted else { return };
        for (rank, &item) in (0..).zip(&*restricted.items) {
            (restricted.choices)(item, choices);
            for at_point in choices.chunk_by(|a, b| a.point == b.point) {
                let is_scored = at_point[0] != IDLE || machine.actions.idle().is_some();
                let query = is_scored.then_some(queries.len());
                allowed.extend(at_point.iter().map(|&choice| (rank, choice, query)));
                let view = item.view(at_point[0].point);
                queries.extend(query.map(|_| Query { view, permitted: Permitted::default() }));
            }
        }
        for (rank, &item) in (0..).zip(items).filter(|(_, item)| item.is_gold) {
            (restricted.choices)(item, choices);
            gold.extend(choices.iter().map(|&choice| (rank, choice)));
        }
    }

    /// Replaces the items of the restricted beam by the best of their successors.
    fn take_restricted<'a, S: TransitionSystem>(
        &mut self,
        machine: Machine<S>,
        arena: Arena<'a>,
        scores: &StepScores,
        items: &mut Vec<ItemOf<'a, S>>,
        width: usize,
    ) {
        let Buffers { restricted, candidates, distinct, .. } = self;
        candidates.clear();
        candidates.extend(restricted.iter().map(|&(rank, choice, query)| {
            let action = if choice == IDLE { machine.actions.idle().unwrap_or_default() } else { choice.action };
            let gained = query.map_or(0, |query| scores.score(query, action, machine.actions));
            Candidate::new(items[rank as usize].score + i64::from(gained), rank, choice)
        }));
        let best = best_of(candidates, selected(width), NO_MARGIN).iter().map(|candidate| candidate.parts());
        *items = build(machine, arena, distinct, items, best, width, |_, _| true);
    }

    /// Adds losses to the scores of the free beam, whose queries are the first ones.
    fn augment<'a, S: TransitionSystem>(
        &mut self,
        machine: Machine<S>,
        scores: &mut StepScores,
        items: &[ItemOf<'a, S>],
        of_item: &Losses<'_, 'a, S>,
        n_free: usize,
    ) {
        let Buffers { offers, losses, .. } = self;
        let actions = machine.actions;
        let mut of_queries: Vec<Vec<i32>> = Vec::new();
        for offers in offers.chunk_by(|a, b| a.rank == b.rank) {
            if !offers[0].is_complete {
                of_item(items[offers[0].rank as usize], losses);
                of_queries.extend(losses[..offers.len()].iter().cloned());
            } else {
                of_queries.extend(actions.idle().map(|_| Vec::new()));
            }
        }
        scores.augment(actions, |query, permitted, row| {
            if query < n_free {
                augment(row, actions.mask(permitted), &of_queries[query]);
            }
        });
    }

    /// The best successors of the free beam's items.
    #[inline(always)]
    fn take<'a, S: TransitionSystem>(
        &mut self,
        machine: Machine<S>,
        arena: Arena<'a>,
        scores: &StepScores,
        items: &[ItemOf<'a, S>],
        (width, margin): (usize, i64),
    ) -> Vec<ItemOf<'a, S>> {
        let Buffers { keys, distinct, offers, gold, .. } = self;
        let scored = ScoredStep { scores, idle: machine.actions.idle() };
        let is_gold = |rank: u32, choice: Choice| !gold.is_empty() && gold.binary_search(&(rank, choice)).is_ok();
        // Few twins are among the best, so that few more than the width are enough at first.
        for wanted in [selected_at_first(width), selected(width)] {
            let Some(found) = keys.select((wanted, margin), offers, scored) else { break };
            let candidates = found.candidates(S::Shared::HAS_POINTS);
            let next = build(machine, arena, distinct, items, candidates, width, is_gold);
            if next.len() == width || found.are_all || wanted == selected(width) {
                return next;
            }
        }
        let all = keys.sort_all((selected(width), margin), offers, scored).iter();
        build(machine, arena, distinct, items, all.map(|candidate| candidate.parts()), width, is_gold)
    }
}

/// Adds losses to the scores of permitted actions.
fn augment(row: &mut [i32], permitted: &[i32], losses: &[i32]) {
    // Permitted actions must stay above forbidden ones, and sums must not overflow.
    const MOST: i32 = -(FORBIDDEN / 4);
    for ((score, &mask), &loss) in row.iter_mut().zip(permitted).zip(losses) {
        *score += if mask == 0 { loss.min(MOST) } else { 0 };
    }
}

/// Builds the successors that `candidates` stand for, best first, until there are `width`, of twins only the best.
#[inline]
fn build<'a, S: TransitionSystem>(
    machine: Machine<S>,
    arena: Arena<'a>,
    distinct: &mut Identities,
    items: &[ItemOf<'a, S>],
    candidates: impl Iterator<Item = (i64, u32, Choice)>,
    width: usize,
    is_gold: impl Fn(u32, Choice) -> bool,
) -> Vec<ItemOf<'a, S>> {
    distinct.clear();
    // The most that there can be, unless the beam is still filling up.
    let mut next = Vec::with_capacity(width.min(2 * items.len() + 8));
    for (score, rank, choice) in candidates {
        // PERF: built where it stays, be it a twin, of which there are few.
        let item: &Item<_> = machine.successor(items[rank as usize], choice, score, is_gold(rank, choice), arena);
        if distinct.insert(item.identity()) {
            next.push(item);
            if next.len() == width {
                break;
            }
        }
    }
    next
}
