//! Beams of interned side states: for systems with a stack and features that read sides of nodes.
//!
//! They find the same trees with the same scores as [`Decoder::decode_by_beam`](super::Decoder::decode_by_beam), to the
//! bit, in less time.

mod select;

use bumpalo::Bump;

use self::select::{Keys, Offer};
use super::{Decoder, IDLE, Identities, Item, Machine, Parsed, Selection};
use crate::configuration::{Configuration, Interned as _, Interner};
use crate::scorer::{Context, Query, Scorer, SideScores};
use crate::system::{Choice, FORBIDDEN, InternedOf, Permitted, TransitionSystem};

/// Scratch memory for any number of sentences; one per thread.
#[derive(Debug, Default)]
pub struct InternedBeam {
    interner: Interner,
    keys: Keys,
    selection: Selection,
    distinct: Identities,
    offers: Vec<Offer>,
    /// How many configurations have been scored.
    pub(super) n_scored: u64,
}

/// The widest beam that the numbers of candidates have room for.
pub const MAX_WIDTH: usize = 1 << 16;

type Items<'a, S> = Vec<&'a Item<'a, InternedOf<'a, S>>>;

impl InternedBeam {
    /// The best trees of the sentence of `context`, best first: at most `k` of the final beam's items; `None` if the system
    /// has no such configurations, or the scorer reads what their states do not tell. `bump` is empty.
    pub fn decode<'a, S: TransitionSystem, C: Scorer>(
        &'a mut self,
        Decoder { machine, scorer, margin }: &Decoder<'_, S, C>,
        memory: &mut C::Memory,
        context: Context<'a>,
        bump: &'a Bump,
        (width, k): (usize, usize),
    ) -> Option<Vec<Parsed>> {
        let sides = scorer.sides()?;
        let n_words = context.input.n_words();
        let InternedBeam { interner, keys, selection, distinct, offers, n_scored } = self;
        let interner = &*interner;
        let arena = InternedOf::<'a, S>::arena(bump, context.label_sets, interner)?;
        interner.start(&sides.is_read, sides.reads_size, n_words);
        scorer.begin_sides(memory, context);
        let configuration: InternedOf<'a, S> = machine.system.initial(arena, n_words);
        let (parent, choice, score) = (None, IDLE, 0);
        let mut items: Items<'a, S> =
            vec![bump.alloc(Item { configuration, parent, choice, score, is_gold: false, history: None })];
        let mut next: Items<'a, S> = Vec::with_capacity(width);
        let mut queries = Vec::with_capacity(width);
        let mut builder = Builder { machine: *machine, arena, bump, width, distinct };
        while !items.iter().all(|item| machine.system.is_terminal(&item.configuration)) {
            interner.make_room();
            queries.clear();
            items.iter().for_each(|item| queries.extend(query(machine, item)));
            *n_scored += queries.len() as u64;
            let scores = scorer.score_sides(memory, context, &interner.tables(), &queries)?;
            offer(machine, &items, scores, offers);
            let is_done = keys.select((width, *margin), offers, scores).is_some_and(|selected| {
                builder.build(&items, selected.candidates(), &mut next);
                next.len() == width || selected.are_all
            });
            if !is_done {
                let candidates = keys.select_all((width, *margin), offers, scores, selection).iter();
                builder.build(&items, candidates.map(|c| (c.score(), c.rank(), c.choice())), &mut next);
            }
            std::mem::swap(&mut items, &mut next);
        }
        let parsed = |item: &&'a Item<'a, _>| Parsed { tree: machine.tree(item, n_words), score: item.score };
        Some(items.iter().take(k).map(parsed).collect())
    }
}

/// What is to be scored of an item: its actions, or its waiting, or nothing.
#[inline]
fn query<'a, S: TransitionSystem>(
    Machine { system, actions, .. }: &Machine<'_, S>,
    item: &'a Item<'a, InternedOf<'a, S>>,
) -> Option<Query<&'a InternedOf<'a, S>>> {
    let view = &item.configuration;
    match system.is_terminal(view) {
        false => Some(Query { view, point: 0, permitted: system.permitted(view, 0) }),
        true => actions.idle().map(|_| Query { view, point: 0, permitted: Permitted::default() }),
    }
}

/// Says what each item offers.
#[inline]
fn offer<'a, S: TransitionSystem>(
    Machine { system, actions, .. }: &Machine<'_, S>,
    items: &Items<'a, S>,
    scores: &SideScores,
    offers: &mut Vec<Offer>,
) {
    offers.clear();
    let mut queries = 0..;
    let mut next = || scores.of_query(queries.next().unwrap_or_default());
    for item in items {
        let base = item.score;
        if !system.is_terminal(&item.configuration) {
            offers.push(Offer { base, signature: Some(next()), gained: 0 });
            continue;
        }
        // Where nothing is permitted, every score has FORBIDDEN added.
        let gained = actions.idle().map_or(0, |idle| scores.sums.get(next())[idle as usize] - FORBIDDEN);
        offers.push(Offer { base, signature: None, gained });
    }
}

/// What builds the items of a step.
struct Builder<'a, 'b, S: TransitionSystem> {
    machine: Machine<'b, S>,
    arena: <InternedOf<'a, S> as Configuration>::Arena,
    bump: &'a Bump,
    width: usize,
    distinct: &'b mut Identities,
}

impl<'a, S: TransitionSystem> Builder<'a, '_, S> {
    /// Builds the successors that `candidates` stand for, best first, until there are enough, of twins only the best: see
    /// [`Decoder::build`].
    #[inline]
    fn build(
        &mut self,
        items: &Items<'a, S>,
        candidates: impl Iterator<Item = (i64, u32, Choice)>,
        next: &mut Items<'a, S>,
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
            if self.distinct.insert(configuration.identity()) {
                let parent = Some(parent);
                next.push(self.bump.alloc(Item {
                    configuration,
                    parent,
                    choice,
                    score,
                    is_gold: false,
                    history: None,
                }));
                if next.len() == self.width {
                    break;
                }
            }
        }
    }
}
