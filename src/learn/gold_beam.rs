//! Two beams that advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix
//! after gold has fallen off the free one.

use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use crate::configuration::Arena;
use crate::decode::{Beam, Candidate, Decoder, IDLE, Item, Scratch, selected};
use crate::scorer::{Context, Query, Scorer};
use crate::system::{Choice, FORBIDDEN, Permitted, TransitionSystem};

/// Shared settings of both beams of a sentence, the free beam and the gold beam.
#[derive(Debug, Clone, Copy)]
pub struct GoldBeam<'p, S, C> {
    /// Decoder that scores configurations and makes their successors.
    pub decoder: Decoder<'p, S, C>,
    /// Supervision: tells correct actions.
    pub supervision: Supervision<'p, S>,
    /// Gold derivations.
    pub gold_side: GoldSide<'p>,
    /// The width of the free beam.
    pub width: usize,
    /// The width of the gold one.
    pub gold_width: usize,
    /// Loss augmentation: value of a loss of 1 in scores of the free beam; 0 unless decoding is loss-augmented.
    pub loss_weight: i32,
}

/// Two beams after equally many steps.
#[derive(Debug)]
pub struct Beams<'a, C> {
    /// The free beam, best first.
    pub items: Vec<&'a Item<'a, C>>,
    /// The best gold derivations so far, best first.
    pub gold_items: Vec<&'a Item<'a, C>>,
    n_steps: usize,
    buffers: Buffers<'a, C>,
}

/// Buffers that a step fills anew.
#[derive(Debug)]
struct Buffers<'a, C> {
    queries: Vec<Query<&'a Item<'a, C>>>,
    correct: Vec<Choice>,
    correct_by_rank: Vec<(u32, Choice)>,
    losses: Vec<Vec<i32>>,
    mask: Vec<i32>,
}

impl<'a, C> Beams<'a, C> {
    /// The free beam goes on from the best gold derivation, and from nothing else.
    pub fn restart(&mut self) {
        self.gold_items.truncate(1);
        self.items.clone_from(&self.gold_items);
    }

    /// The scores of the best prefixes.
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

impl<S: TransitionSystem, C: Scorer> GoldBeam<'_, S, C> {
    /// Both beams before the first step.
    pub fn start<'a>(&self, arena: Arena<'a>, n_words: usize) -> Beams<'a, S::Shared<'a>> {
        let initial = self.decoder.machine.initial(arena, n_words);
        Beams {
            items: vec![initial],
            gold_items: vec![initial],
            n_steps: 0,
            buffers: Buffers {
                queries: Vec::new(),
                correct: Vec::new(),
                correct_by_rank: Vec::new(),
                losses: Vec::new(),
                mask: Vec::new(),
            },
        }
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance<'a>(
        &self,
        beams: &mut Beams<'a, S::Shared<'a>>,
        arena: Arena<'a>,
        context: Context,
        scratch: &mut Scratch<C::Memory>,
    ) -> bool {
        let Beams { items, gold_items, n_steps, buffers } = beams;
        let decoder = &self.decoder;
        if items.iter().chain(&*gold_items).all(|item| decoder.machine.is_terminal(item)) {
            return false;
        }
        let (mut next, mut next_gold) = (Vec::with_capacity(items.len()), Vec::with_capacity(gold_items.len()));
        self.step(items, *n_steps, arena, context, scratch, buffers, &mut next);
        self.gold_step(gold_items, *n_steps, arena, context, scratch, buffers, &mut next_gold);
        (*items, *gold_items) = (next, next_gold);
        *n_steps += 1;
        true
    }

    /// Takes one step in the gold beam alone.
    pub fn advance_gold<'a>(
        &self,
        beams: &mut Beams<'a, S::Shared<'a>>,
        arena: Arena<'a>,
        context: Context,
        scratch: &mut Scratch<C::Memory>,
    ) {
        let Beams { gold_items, n_steps, buffers, .. } = beams;
        let mut next = Vec::with_capacity(gold_items.len());
        self.gold_step(gold_items, *n_steps, arena, context, scratch, buffers, &mut next);
        *gold_items = next;
        *n_steps += 1;
    }

    /// The best successors of items of the free beam, which have taken `n_steps`.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    fn step<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        n_steps: usize,
        arena: Arena<'a>,
        context: Context,
        Scratch { memory, selection, distinct, .. }: &mut Scratch<C::Memory>,
        buffers: &mut Buffers<'a, S::Shared<'a>>,
        next: &mut Vec<&'a Item<'a, S::Shared<'a>>>,
    ) {
        let Buffers { queries, correct, correct_by_rank, losses, mask } = buffers;
        let decoder = &self.decoder;
        decoder.score(items, memory, context, queries);
        let mut beam = Beam::new(selected(self.width), items[0].score, selection).with_margin(decoder.margin);
        match self.loss_weight {
            0 => decoder.offer(&mut beam, items, memory, context, queries),
            _ => self.offer_augmented(&mut beam, items, (memory, context), queries, losses, mask),
        }
        correct_by_rank.clear();
        for (rank, item) in (0..).zip(items).filter(|(_, item)| item.is_gold) {
            self.correct(item, n_steps, correct);
            correct_by_rank.extend(correct.iter().map(|&choice| (rank, choice)));
        }
        let is_gold = |c: Candidate| correct_by_rank.binary_search(&(c.rank(), c.choice())).is_ok();
        decoder.build(items, beam.finish(), self.width, distinct, arena, is_gold, |item| next.push(item));
    }

    /// The best correct successors of gold items.
    #[expect(clippy::too_many_arguments, reason = "a step of the innermost loop: the caller owns all the memory")]
    fn gold_step<'a>(
        &self,
        items: &[&'a Item<'a, S::Shared<'a>>],
        n_steps: usize,
        arena: Arena<'a>,
        context: Context,
        Scratch { memory, selection, distinct, .. }: &mut Scratch<C::Memory>,
        Buffers { correct, .. }: &mut Buffers<'a, S::Shared<'a>>,
        next: &mut Vec<&'a Item<'a, S::Shared<'a>>>,
    ) {
        let mut beam = Beam::new(selected(self.gold_width), items[0].score, selection);
        for (rank, item) in (0..).zip(items) {
            self.correct(item, n_steps, correct);
            self.decoder.offer_only(&mut beam, rank, item, correct, memory, context);
        }
        self.decoder.build(items, beam.finish(), self.gold_width, distinct, arena, |_| true, |item| next.push(item));
    }

    /// Offers candidates as [`Decoder::offer`] does, with losses added to the scores.
    fn offer_augmented<'a>(
        &self,
        beam: &mut Beam,
        items: &[&'a Item<'a, S::Shared<'a>>],
        (memory, context): (&mut C::Memory, Context),
        queries: &[Query<&'a Item<'a, S::Shared<'a>>>],
        losses: &mut Vec<Vec<i32>>,
        mask: &mut Vec<i32>,
    ) {
        let Decoder { machine, scorer, .. } = &self.decoder;
        let mut row = 0;
        for (rank, item) in (0..).zip(items) {
            if machine.is_terminal(item) {
                let gained = machine.actions.idle().map_or(0, |idle| {
                    row += 1;
                    scorer.row(memory, context, row - 1, Permitted::default()).of(idle)
                });
                beam.offer(Candidate::new(item.score + i64::from(gained), rank, IDLE));
                continue;
            }
            self.supervision.losses(&item.configuration, losses);
            let of_item = |query: &&Query<&Item<S::Shared<'a>>>| std::ptr::eq(query.view, *item);
            while let Some(&Query { point, permitted, .. }) = queries.get(row).filter(of_item) {
                augment(machine.actions.mask(permitted), &losses[usize::from(point)], self.loss_weight, mask);
                let scores = scorer.row(memory, context, row, permitted);
                beam.offer_all(rank, point, item.score, scores, mask);
                row += 1;
            }
        }
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

/// Replaces `mask` by one that adds losses to the scores of permitted actions.
fn augment(permitted: &[i32], losses: &[i32], weight: i32, mask: &mut Vec<i32>) {
    // What is permitted must stay above what is not, and sums must not overflow.
    const MOST: i32 = -(FORBIDDEN / 4);
    let augmented = |(&mask, loss): (&i32, &i32)| if mask == 0 { loss.saturating_mul(weight).min(MOST) } else { mask };
    mask.clear();
    mask.extend(permitted.iter().zip(losses).map(augmented));
}
