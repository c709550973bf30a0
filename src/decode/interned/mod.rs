//! Beams of interned side states: for systems with a stack and features that read sides of nodes.
//!
//! They find the same trees with the same scores as [`Decoder::decode_by_beam`](super::Decoder::decode_by_beam), to the
//! bit, in less time.

mod select;

use std::ops::RangeInclusive;

use bumpalo::Bump;

use self::select::{Keys, Offer};
use super::{Beam, Candidate, IDLE, Identities, Item, Machine, Parsed, Selection, selected};
use crate::configuration::{Arena, InternedConfiguration, Interner, SideIds};
use crate::scorer::{Context, Query, Scorer, SideScores};
use crate::system::{Choice, FORBIDDEN, OverStacks};

/// Scratch memory for any number of sentences; one per thread.
#[derive(Debug, Default)]
pub struct InternedBeam {
    interner: Interner,
    buffers: Buffers,
    /// Number of configurations that have been scored.
    pub(super) n_scored: u64,
}

/// Buffers that a step fills anew.
#[derive(Debug, Default)]
struct Buffers {
    keys: Keys,
    selection: Selection,
    distinct: Identities,
    offers: Vec<Offer>,
    offers_beside: Vec<Offer>,
    correct: Vec<Choice>,
}

/// The widths of such beams: those that the numbers of candidates have room for.
pub const WIDTHS: RangeInclusive<usize> = 2..=1 << 16;

/// An item of such a beam.
pub type InternedItem<'a> = &'a Item<'a, InternedConfiguration<'a>>;

/// Machine of beams of interned side states.
pub type InternedMachine<'m> = Machine<'m, &'static dyn OverStacks>;

impl InternedBeam {
    /// The best trees of the sentence of `context`, best first: at most `k` of the final beam's items; `None` if the scorer reads
    /// what the states do not tell. `bump` is empty.
    pub fn decode<'a, C: Scorer>(
        &'a mut self,
        (machine, scorer, margin): (InternedMachine<'a>, &C, i64),
        memory: &mut C::Memory,
        context: Context<'a>,
        bump: &'a Bump,
        (width, k): (usize, usize),
    ) -> Option<Vec<Parsed>> {
        let items = self.beams((machine, scorer, margin), memory, context, bump, width, &mut |_| ())?;
        let n_words = context.input.n_words();
        let parsed = |item: &InternedItem<'a>| Parsed { tree: machine.tree(item, n_words), score: item.score };
        Some(items.iter().take(k).map(parsed).collect())
    }

    /// The final beam of the sentence of `context`, as [`InternedBeam::decode`] finds it. `look` sees every beam, from the
    /// initial one to the final one.
    pub fn beams<'a, C: Scorer>(
        &'a mut self,
        (machine, scorer, margin): (InternedMachine<'a>, &C, i64),
        memory: &mut C::Memory,
        context: Context<'a>,
        bump: &'a Bump,
        width: usize,
        look: &mut dyn FnMut(&[InternedItem<'a>]),
    ) -> Option<Vec<InternedItem<'a>>> {
        let (mut search, initial) = self.start(machine, scorer, memory, context, bump)?;
        let (mut items, mut next) = (vec![initial], Vec::with_capacity(width));
        look(&items);
        while !items.iter().all(|item| machine.system.is_terminal(&item.configuration)) {
            let scores = search.score(scorer, memory, context, &items, &[])?;
            search.advance((width, margin), &items, scores, |_, _| false, &mut next);
            std::mem::swap(&mut items, &mut next);
            look(&items);
        }
        Some(items)
    }

    /// The search in the sentence of `context`, and the item before the first transition; `None` if the scorer reads what the
    /// states do not tell.
    pub fn start<'a, C: Scorer>(
        &'a mut self,
        machine: InternedMachine<'a>,
        scorer: &C,
        memory: &mut C::Memory,
        context: Context<'a>,
        bump: &'a Bump,
    ) -> Option<(InternedSearch<'a>, InternedItem<'a>)> {
        let sides = scorer.sides()?;
        let n_words = context.input.n_words();
        let InternedBeam { interner, buffers, n_scored } = self;
        *n_scored = 0;
        let interner = &*interner;
        let arena = Arena::of(bump, context.label_sets, interner);
        interner.start(&sides.is_read, sides.reads_size, n_words);
        scorer.begin_sides(memory, context);
        let configuration: InternedConfiguration<'a> = machine.system.initial(arena, n_words);
        let (parent, choice, score) = (None, IDLE, 0);
        let initial = bump.alloc(Item { configuration, parent, choice, score, is_gold: true, history: None });
        Some((InternedSearch { machine, arena, bump, interner, queries: Vec::new(), buffers, n_scored }, initial))
    }
}

/// A search in one sentence, step by step. The caller has the beam, or two side by side.
pub struct InternedSearch<'a> {
    machine: InternedMachine<'a>,
    arena: Arena<'a, SideIds>,
    bump: &'a Bump,
    interner: &'a Interner,
    queries: Vec<Query<&'a InternedConfiguration<'a>>>,
    buffers: &'a mut Buffers,
    n_scored: &'a mut u64,
}

impl<'a> InternedSearch<'a> {
    /// Scores all actions of a beam's items and of those of another `beside` it; what both have in common is scored once. `None` if
    /// the scorer does not score such configurations.
    #[inline]
    pub fn score<'m, C: Scorer>(
        &mut self,
        scorer: &C,
        memory: &'m mut C::Memory,
        context: Context,
        items: &[InternedItem<'a>],
        beside: &[InternedItem<'a>],
    ) -> Option<&'m SideScores> {
        let InternedSearch { machine: Machine { system, actions, .. }, interner, queries, buffers, n_scored, .. } =
            self;
        let Buffers { offers, offers_beside, .. } = &mut **buffers;
        interner.make_room();
        let is_scored_waiting = actions.idle().is_some();
        queries.clear();
        for (items, offers) in [(items, &mut *offers), (beside, &mut *offers_beside)] {
            offers.clear();
            for item in items {
                let (base, view) = (item.score, &item.configuration);
                let permitted = system.permitted_unless_terminal(view, 0);
                if permitted.is_some() || is_scored_waiting {
                    queries.push(Query { view, point: 0, permitted: permitted.unwrap_or_default() });
                }
                offers.push(Offer { base, signature: permitted.map(|_| 0), gained: 0 });
            }
        }
        **n_scored += queries.len() as u64;
        let scores = scorer.score_sides(memory, context, &interner.tables(), queries)?;
        let mut of_queries = scores.of_queries().iter();
        let mut next = || of_queries.next().copied().unwrap_or_default();
        for offer in offers.iter_mut().chain(offers_beside) {
            match (&mut offer.signature, actions.idle()) {
                (Some(signature), _) => *signature = next(),
                // Where nothing is permitted, every score has FORBIDDEN added.
                (None, Some(idle)) => offer.gained = scores.sums.get(next())[idle as usize] - FORBIDDEN,
                (None, None) => {}
            }
        }
        Some(scores)
    }

    /// Replaces `next` by the best successors of `items`, which were scored last; of twins there is only the best: see
    /// [`Decoder::build`](super::Decoder::build). `is_gold` tells of a rank and a choice whether it goes on with a gold derivation.
    #[inline]
    pub fn advance(
        &mut self,
        (width, margin): (usize, i64),
        items: &[InternedItem<'a>],
        scores: &SideScores,
        is_gold: impl Fn(u32, Choice) -> bool,
        next: &mut Vec<InternedItem<'a>>,
    ) {
        let Buffers { keys, selection, distinct, offers, .. } = &mut *self.buffers;
        let mut builder = Builder { machine: self.machine, arena: self.arena, bump: self.bump, width, distinct };
        let is_done = keys.select((width, margin), offers, scores).is_some_and(|selected| {
            builder.build(items, selected.candidates(), &is_gold, next);
            next.len() == width || selected.are_all
        });
        if !is_done {
            let candidates = keys.select_all((width, margin), offers, scores, selection).iter();
            builder.build(items, candidates.map(|c| (c.score(), c.rank(), c.choice())), &is_gold, next);
        }
    }

    /// Replaces `next` by the best of those successors of the items `beside`, which were scored last, that `correct` appends for
    /// each.
    pub fn advance_beside(
        &mut self,
        width: usize,
        beside: &[InternedItem<'a>],
        scores: &SideScores,
        mut correct: impl FnMut(InternedItem<'a>, &mut Vec<Choice>),
        next: &mut Vec<InternedItem<'a>>,
    ) {
        let Buffers { selection, distinct, offers_beside, correct: choices, .. } = &mut *self.buffers;
        let mut beam = Beam::new(selected(width), beside[0].score, selection);
        for ((rank, item), offer) in (0..).zip(beside).zip(&*offers_beside) {
            choices.clear();
            correct(item, choices);
            for &choice in &*choices {
                let gained = match offer.signature {
                    Some(signature) => scores.sums.get(signature)[usize::from(choice.action)],
                    None => offer.gained,
                };
                beam.offer(Candidate::new(offer.base + i64::from(gained), rank, choice));
            }
        }
        let candidates = beam.finish().iter().map(|c| (c.score(), c.rank(), c.choice()));
        let mut builder = Builder { machine: self.machine, arena: self.arena, bump: self.bump, width, distinct };
        builder.build(beside, candidates, &|_, _| true, next);
    }
}

/// Builder of the items of a step.
struct Builder<'a, 'b> {
    machine: InternedMachine<'b>,
    arena: Arena<'a, SideIds>,
    bump: &'a Bump,
    width: usize,
    distinct: &'b mut Identities,
}

impl<'a> Builder<'a, '_> {
    /// Builds the successors that `candidates` stand for, best first, until there are enough, of twins only the best: see
    /// [`Decoder::build`](super::Decoder::build).
    #[inline]
    fn build(
        &mut self,
        items: &[InternedItem<'a>],
        candidates: impl Iterator<Item = (i64, u32, Choice)>,
        is_gold: &impl Fn(u32, Choice) -> bool,
        next: &mut Vec<InternedItem<'a>>,
    ) {
        let Machine { system, actions, .. } = self.machine;
        self.distinct.clear();
        next.clear();
        for (score, rank, choice) in candidates {
            let parent = items[rank as usize];
            let configuration = match choice {
                IDLE => parent.configuration,
                _ => system.successor(&parent.configuration, actions.chosen(choice), self.arena),
            };
            if self.distinct.insert(configuration.fingerprint()) {
                let parent = Some(parent);
                next.push(self.bump.alloc(Item {
                    configuration,
                    parent,
                    choice,
                    score,
                    is_gold: is_gold(rank, choice),
                    history: None,
                }));
                if next.len() == self.width {
                    break;
                }
            }
        }
    }
}
