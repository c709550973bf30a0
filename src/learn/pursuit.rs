//! Two beams that advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix
//! after gold has fallen off the free one.

use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use crate::configuration::Arena;
use crate::decode::{Beam, Candidate, Decoder, IDLE, Item, Scratch, selected};
use crate::scorer::{Context, Query, Scorer};
use crate::system::{Choice, TransitionSystem};

/// What both beams of a sentence share.
#[derive(Debug, Clone, Copy)]
pub struct Pursuit<'p, S, C> {
    /// What scores and succeeds.
    pub decoder: Decoder<'p, S, C>,
    /// What tells correct actions.
    pub supervision: Supervision<'p, S>,
    /// Which derivations are gold.
    pub gold_side: GoldSide<'p>,
    /// The width of the free beam.
    pub width: usize,
    /// The width of the gold one.
    pub gold_width: usize,
}

/// Two beams after equally many steps.
#[derive(Debug)]
pub struct Beams<'a, C> {
    /// The free beam, best first.
    pub items: Vec<&'a Item<'a, C>>,
    /// The best gold derivations so far, best first.
    pub gold_items: Vec<&'a Item<'a, C>>,
    n_steps: usize,
    queries: Vec<Query<&'a Item<'a, C>>>,
    correct: Vec<Choice>,
    correct_by_rank: Vec<(u32, Choice)>,
}

impl<C> Beams<'_, C> {
    /// The scores of the best prefixes, which training records of each step.
    pub fn scores(&self) -> PrefixScores {
        let (predicted, gold) = (self.items[0], self.gold_items[0]);
        PrefixScores {
            predicted: predicted.score,
            gold: gold.score,
            predicted_is_gold: predicted.is_gold,
            gold_in_beam: self.items.iter().any(|item| item.is_gold),
        }
    }
}

impl<S: TransitionSystem, C: Scorer> Pursuit<'_, S, C> {
    /// Both beams before the first step.
    pub fn start<'a>(&self, arena: Arena<'a>, n_words: usize) -> Beams<'a, S::Shared<'a>> {
        let initial = self.decoder.machine.initial(arena, n_words);
        Beams {
            items: vec![initial],
            gold_items: vec![initial],
            n_steps: 0,
            queries: Vec::new(),
            correct: Vec::new(),
            correct_by_rank: Vec::new(),
        }
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance<'a>(
        &self,
        beams: &mut Beams<'a, S::Shared<'a>>,
        arena: Arena<'a>,
        context: Context,
        Scratch { memory, selection, distinct }: &mut Scratch<C::Memory>,
    ) -> bool {
        let Beams { items, gold_items, n_steps, queries, correct, correct_by_rank } = beams;
        let decoder = &self.decoder;
        if items.iter().chain(&*gold_items).all(|item| decoder.machine.is_terminal(item)) {
            return false;
        }
        decoder.score(items, memory, context, queries);
        let mut beam = Beam::new(selected(self.width), items[0].score, selection).with_margin(decoder.margin);
        decoder.offer(&mut beam, items, memory, context, queries);
        correct_by_rank.clear();
        for (rank, item) in (0..).zip(&*items).filter(|(_, item)| item.is_gold) {
            self.correct(item, *n_steps, correct);
            correct_by_rank.extend(correct.iter().map(|&choice| (rank, choice)));
        }
        let is_gold = |c: Candidate| correct_by_rank.binary_search(&(c.rank(), c.choice())).is_ok();
        let mut next: Vec<&Item<_>> = Vec::with_capacity(items.len());
        decoder.build(items, beam.finish(), self.width, distinct, arena, is_gold, |item| next.push(item));

        let mut beam = Beam::new(selected(self.gold_width), gold_items[0].score, selection);
        for (rank, item) in (0..).zip(&*gold_items) {
            self.correct(item, *n_steps, correct);
            decoder.offer_only(&mut beam, rank, item, correct, memory, context);
        }
        let mut next_gold: Vec<&Item<_>> = Vec::with_capacity(gold_items.len());
        let keep = |item| next_gold.push(item);
        decoder.build(gold_items, beam.finish(), self.gold_width, distinct, arena, |_| true, keep);

        (*items, *gold_items) = (next, next_gold);
        *n_steps += 1;
        true
    }

    /// The correct choices after `n_steps` of a gold derivation, in ascending order: waiting, once it is complete.
    pub fn correct<'a>(&self, item: &Item<'a, S::Shared<'a>>, n_steps: usize, correct: &mut Vec<Choice>) {
        if self.decoder.machine.is_terminal(item) {
            correct.clear();
            correct.push(IDLE);
        } else {
            self.supervision.correct(self.gold_side, &item.configuration, n_steps, correct);
        }
    }
}
