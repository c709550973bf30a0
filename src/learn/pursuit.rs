//! Two beams that advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix
//! after gold has fallen off the free one.

use super::supervision::Supervision;
use super::violation::Step;
use crate::configuration::Arena;
use crate::decode::{Beam, Candidate, Decoder, IDLE, Item, Scorer, Scratch, selected};
use crate::model::Weights;
use crate::system::{Choice, TransitionSystem};

/// The gold side of one sentence.
#[derive(Debug, Clone, Copy)]
pub enum GoldSide<'t> {
    /// The canonical derivation.
    Static(&'t [Choice]),
    /// Any derivation of least cost: the model chooses among them.
    Dynamic,
}

/// What both beams of a sentence share.
#[derive(Debug, Clone, Copy)]
pub struct Pursuit<'p, S, W> {
    /// What scores and succeeds.
    pub decoder: Decoder<'p, S, W>,
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
pub struct Pair<'a, C> {
    /// The free beam, best first.
    pub items: Vec<&'a Item<'a, C>>,
    /// The best gold derivations so far, best first.
    pub gold_items: Vec<&'a Item<'a, C>>,
    n_steps: usize,
    correct: Vec<Choice>,
    correct_by_rank: Vec<(u32, Choice)>,
}

impl<C> Pair<'_, C> {
    /// What training records of this step.
    pub fn step(&self) -> Step {
        let (predicted, gold) = (self.items[0], self.gold_items[0]);
        Step {
            predicted: predicted.score,
            gold: gold.score,
            predicted_is_gold: predicted.is_gold,
            gold_in_beam: self.items.iter().any(|item| item.is_gold),
        }
    }
}

impl<S: TransitionSystem, W: Weights> Pursuit<'_, S, W> {
    /// Both beams before the first step.
    pub fn start<'a>(&self, arena: Arena<'a>, n_words: usize) -> Pair<'a, S::Shared<'a>> {
        let initial = self.decoder.initial(arena, n_words);
        Pair {
            items: vec![initial],
            gold_items: vec![initial],
            n_steps: 0,
            correct: Vec::new(),
            correct_by_rank: Vec::new(),
        }
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance<'a>(
        &self,
        pair: &mut Pair<'a, S::Shared<'a>>,
        arena: Arena<'a>,
        Scratch { label_sets, scorer, input, selection, terms, distinct }: &mut Scratch,
    ) -> bool {
        let Pair { items, gold_items, n_steps, correct, correct_by_rank } = pair;
        let decoder = &self.decoder;
        if items.iter().chain(&*gold_items).all(|item| decoder.system.is_terminal(&item.configuration)) {
            return false;
        }
        decoder.score(items, scorer, input, label_sets, terms);
        let mut beam = Beam::new(selected(self.width), items[0].score, selection);
        let mut of_items = terms.chunks_exact(Scorer::n_terms(decoder.features));
        correct_by_rank.clear();
        for (rank, item) in items.iter().enumerate() {
            decoder.offer(&mut beam, rank as u32, item, scorer, &mut of_items);
            if item.is_gold {
                self.correct_choices(item, *n_steps, correct);
                correct_by_rank.extend(correct.iter().map(|&choice| (rank as u32, choice)));
            }
        }
        let is_gold = |c: Candidate| correct_by_rank.binary_search(&(c.rank(), c.choice())).is_ok();
        let mut next: Vec<&Item<_>> = Vec::with_capacity(items.len());
        decoder.build(items, beam.finish(), self.width, distinct, arena, is_gold, |item| next.push(item));

        let mut beam = Beam::new(selected(self.gold_width), gold_items[0].score, selection);
        for (rank, item) in gold_items.iter().enumerate() {
            self.correct_choices(item, *n_steps, correct);
            decoder.offer_only(&mut beam, rank as u32, item, correct, scorer, input, label_sets);
        }
        let mut next_gold: Vec<&Item<_>> = Vec::with_capacity(gold_items.len());
        let keep = |item| next_gold.push(item);
        decoder.build(gold_items, beam.finish(), self.gold_width, distinct, arena, |_| true, keep);

        (*items, *gold_items) = (next, next_gold);
        *n_steps += 1;
        true
    }

    /// The correct choices after `n_steps` of a gold derivation.
    fn correct_choices<'a>(&self, item: &Item<'a, S::Shared<'a>>, n_steps: usize, correct: &mut Vec<Choice>) {
        correct.clear();
        match self.gold_side {
            _ if self.decoder.system.is_terminal(&item.configuration) => correct.push(IDLE),
            GoldSide::Static(derivation) => correct.push(derivation[n_steps]),
            GoldSide::Dynamic => self.supervision.correct_choices(&item.configuration, correct),
        }
    }
}
