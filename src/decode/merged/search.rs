//! Items, origins, and a step of the beam.

use hashbrown::HashMap;

use super::candidates::{Candidates, Offers};
use super::forest::{MergedEdge, MergedForest, MergedItem, Number, Origin, Predictor};
use super::merging::Merging;
use crate::configuration::{Arena, ArenaConfiguration, SharedConfiguration as _, View};
use crate::decode::selected;
use crate::features::SentenceSignature;
use crate::scorer::{Context, Opaque, Query, Scorer};
use crate::system::{ActionId, Actions, Move, OverStacks};

/// Largest number of candidates that a step takes for each item that it may keep: most of them are merged.
const CANDIDATES_PER_ITEM: usize = 32;

/// Beam search of one sentence that merges items of one signature.
#[derive(Debug)]
pub struct MergedSearch<'a, 's> {
    merging: &'s Merging,
    system: &'static dyn OverStacks,
    signature: Option<SentenceSignature>,
    actions: &'s Actions,
    arena: Arena<'a>,
    forest: MergedForest<'a>,
    /// By step: the items, best first.
    steps: Vec<Vec<Number>>,
    width: usize,
    /// Number of derivations to find.
    k: usize,
    /// Most actions to look at that differ in labels alone and lead to the same item.
    most_labels: Option<usize>,
    /// Outcomes of the candidates of the last step.
    outcomes: HashMap<Taken, Successor>,
    offers: Vec<Offers>,
}

/// A candidate that was taken: the item, the predictor below after a pop, and the action; of actions that differ in labels which
/// nothing reads, the first.
type Taken = (Number, u32, ActionId);

/// Place of a derivation after a step: the item, and the predictor of its origin that it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Successor {
    /// The item's number.
    pub item: u32,
    /// The predictor's number among those of the item's origin, as far as the last action was a push.
    pub predictor: u32,
}

impl<'a, 's> MergedSearch<'a, 's> {
    /// The search before the first step, for the `k` best derivations.
    pub fn new(merging: &'s Merging, arena: Arena<'a>, context: Context<'s>, (width, k): (usize, usize)) -> Self {
        let system = merging.system.over_stacks(merging.roots);
        let configuration = system.initial(arena, context.input.n_nodes());
        let signature = merging.signature.as_ref();
        MergedSearch {
            merging,
            system,
            signature: signature.map(|signature| signature.of_sentence(context.input)),
            actions: context.actions,
            arena,
            forest: MergedForest {
                items: vec![MergedItem { configuration, origin: 0, inside: 0, edges: Vec::new() }],
                origins: vec![Origin::default()],
            },
            steps: vec![vec![0]],
            width,
            k,
            most_labels: signature.filter(|signature| !signature.reads_labels()).map(|_| k),
            outcomes: HashMap::new(),
            offers: Vec::new(),
        }
    }

    /// The items of the last step, best first.
    pub fn items(&self) -> &[u32] {
        self.steps.last().map_or(&[], |items| items)
    }

    /// Number of items that have been scored: those of all steps but the last.
    pub fn n_scored(&self) -> u64 {
        (self.forest.items.len() - self.items().len()) as u64
    }

    /// The score of the best derivation of an item.
    pub fn score(&self, item: u32) -> i64 {
        self.forest.prefix(item)
    }

    /// The best derivation of the best item after so many steps.
    pub fn best_after(&self, n_steps: usize) -> Vec<ActionId> {
        self.forest.best(self.steps[n_steps][0])
    }

    /// The best derivations of the last step, at most `k`, best first, no two of which make the same arcs.
    pub fn best_derivations(&self, k: usize) -> Vec<(Vec<ActionId>, i64)> {
        match k {
            1 => self.items().iter().take(1).map(|&item| (self.forest.best(item), self.score(item))).collect(),
            _ => self.forest.best_of(self.items(), k),
        }
    }

    /// Place in the last step of the derivation that an item of the step before contained and that `action` continued;
    /// `predictor` has the stack below after a pop. `None` if it has fallen off the beam.
    pub fn successor(&self, item: u32, predictor: u32, action: ActionId) -> Option<Successor> {
        let predictor = if self.merging.pushes(self.actions.get(action).mv) { 0 } else { predictor };
        self.outcomes.get(&(item, predictor, self.representative(action))).copied()
    }

    /// True if an action pushes a word.
    pub fn pushes(&self, action: ActionId) -> bool {
        self.merging.pushes(self.actions.get(action).mv)
    }

    /// The action that stands for `action` where labels do not matter.
    fn representative(&self, action: ActionId) -> ActionId {
        match self.most_labels {
            Some(_) => self.actions.of_move(self.actions.get(action).mv).next().unwrap_or(action),
            None => action,
        }
    }

    /// Takes a step; false, and nothing is done, if all derivations are complete.
    pub fn advance(&mut self, scorer: &dyn Scorer, memory: &mut Opaque, context: Context) -> bool {
        let configuration = |item: Number| self.forest.items[item as usize].configuration;
        let step: Vec<Number> = self.items().to_vec();
        if step.iter().all(|&item| self.system.is_terminal(&configuration(item))) {
            return false;
        }
        let query = |&item: &Number| {
            let c = configuration(item);
            let view = View { cells: c.cells(0), history: None };
            Query { view, permitted: self.system.permitted(&c, 0) }
        };
        let queries: Vec<Query> = step.iter().map(query).collect();
        let scores = scorer.score(memory, context, &queries);
        let mut offers = std::mem::take(&mut self.offers);
        offers.resize_with(step.len(), Offers::default);
        for (rank, (&item, query)) in step.iter().zip(&queries).enumerate() {
            let (row, mask) = (scores.row(rank), self.actions.mask(query.permitted));
            self.offer(item, &mut offers[rank], query.permitted.moves.iter(), |action| {
                (mask[usize::from(action)] == 0).then(|| i64::from(row[usize::from(action)]))
            });
        }
        let next = self.build(&step, &offers);
        self.steps.push(next);
        self.offers = offers;
        true
    }

    /// Goes back to before the first step.
    pub fn restart(&mut self, arena: Arena<'a>, context: Context<'s>) {
        let fresh = MergedSearch::new(self.merging, arena, context, (self.width, self.k));
        *self = MergedSearch {
            outcomes: std::mem::take(&mut self.outcomes),
            offers: std::mem::take(&mut self.offers),
            ..fresh
        };
    }

    /// Takes a step of the best item alone, by a permitted action that gains nothing.
    pub fn follow(&mut self, action: ActionId) {
        let step = self.items()[..1].to_vec();
        let mut offers = std::mem::take(&mut self.offers);
        offers.resize_with(1, Offers::default);
        self.offer(step[0], &mut offers[0], std::iter::once(self.actions.get(action).mv), |of_move| {
            (of_move == action).then_some(0)
        });
        let next = self.build(&step, &offers);
        self.steps.push(next);
        self.offers = offers;
    }

    /// Says what an item offers.
    fn offer(
        &self,
        item: Number,
        offers: &mut Offers,
        moves: impl Iterator<Item = Move>,
        score: impl Fn(ActionId) -> Option<i64>,
    ) {
        offers.pushes.clear();
        offers.pops.clear();
        for mv in moves {
            let list = if self.merging.pushes(mv) { &mut offers.pushes } else { &mut offers.pops };
            let first = list.len();
            list.extend(self.actions.of_move(mv).filter_map(|action| Some((score(action)?, action))));
            if let Some(most) = self.most_labels.filter(|&most| list.len() - first > most) {
                let of_move = &mut list[first..];
                of_move.select_nth_unstable_by_key(most - 1, |&(score, action)| (std::cmp::Reverse(score), action));
                list.truncate(first + most);
            }
        }
        for list in [&mut offers.pushes, &mut offers.pops] {
            list.sort_unstable_by_key(|&(score, action)| (std::cmp::Reverse(score), action));
        }
        let MergedItem { origin, inside, .. } = self.forest.items[item as usize];
        offers.prefix = self.forest.prefix(item);
        offers.with_predictors.clear();
        let predictors = &self.forest.origins[origin as usize].predictors;
        let with = |predictor: &Predictor| self.forest.prefix(predictor.item) + predictor.score + inside;
        offers.with_predictors.extend(predictors.iter().map(with));
    }

    /// Builds the items of the next step, best first.
    fn build(&mut self, step: &[Number], offers: &[Offers]) -> Vec<Number> {
        self.outcomes.clear();
        let mut next: Vec<Number> = Vec::new();
        // By key: the item.
        let mut known: HashMap<u64, Number> = HashMap::new();
        let most = match self.signature {
            Some(_) => self.width.saturating_mul(CANDIDATES_PER_ITEM),
            None => selected(self.width),
        };
        let mut candidates = Candidates::new(offers);
        for _ in 0..most {
            let Some(candidate) = candidates.next() else { break };
            let gained = candidates.gained(&candidate);
            let item = step[candidate.rank as usize];
            let taken = (item, candidate.predictor, self.representative(candidate.action));
            let successor = match candidate.is_push {
                true => self.push(item, candidate.action, candidate.score, gained, &mut known),
                false => self.pop(item, candidate.predictor, candidate.action, gained, &mut known),
            };
            let Some(successor) = successor else { continue };
            self.outcomes.entry(taken).or_insert(successor);
            if successor.item as usize + 1 == self.forest.items.len() && next.last() != Some(&successor.item) {
                next.push(successor.item);
                if next.len() == self.width {
                    break;
                }
            }
        }
        next
    }

    /// The key that distinguishes items of a step.
    fn key(&self, c: &ArenaConfiguration<'a>, origin: Option<u32>) -> u64 {
        let Some(signature) = &self.signature else { return c.identity() };
        let (s0, b0) = (c.stack_cell(), c.buffer_cell());
        let tables = self.arena.interner().states();
        match origin {
            Some(origin) => signature.key(&tables, (s0, b0), false, u64::from(origin) << 32),
            None => signature.key(&tables, (s0, b0), true, self.merging.preconditions(c) << 32 | 1),
        }
    }

    /// Items from pushing B0 onto an item; `score` is that of the best derivation. `None` for twins in a plain beam.
    fn push(
        &mut self,
        item: Number,
        action: ActionId,
        score: i64,
        gained: i64,
        known: &mut HashMap<u64, Number>,
    ) -> Option<Successor> {
        let before = self.forest.items[item as usize].configuration;
        let pushed = self.system.successor(&before, self.actions.get(action), self.arena);
        let arc = self.arc(&before, action);
        let predictor = Predictor { item, push: action, score: gained, arc, pushed };
        let key = self.key(&pushed, None);
        let MergedForest { items, origins } = &mut self.forest;
        if let Some(&item) = known.get(&key) {
            self.signature.as_ref()?;
            let predictors = &mut origins[items[item as usize].origin as usize].predictors;
            if predictors.len() == self.width {
                return None;
            }
            predictors.push(predictor);
            return Some(Successor { item, predictor: predictors.len() as u32 - 1 });
        }
        let (item, origin) = (items.len() as Number, origins.len() as u32);
        known.insert(key, item);
        origins.push(Origin { base: score, predictors: vec![predictor] });
        items.push(MergedItem { configuration: pushed, origin, inside: 0, edges: Vec::new() });
        Some(Successor { item, predictor: 0 })
    }

    /// Items from ending the push computation of `popped`, with one of its predictors below.
    fn pop(
        &mut self,
        popped: Number,
        predictor: u32,
        action: ActionId,
        gained: i64,
        known: &mut HashMap<u64, Number>,
    ) -> Option<Successor> {
        let MergedForest { items, origins } = &self.forest;
        let MergedItem { configuration, origin, inside, .. } = items[popped as usize];
        let predictors = &origins[origin as usize].predictors;
        let below = &predictors[predictor as usize];
        let before = match predictor {
            0 => configuration,
            _ => configuration.grafted(&predictors[0].pushed, &below.pushed, self.arena),
        };
        let arc = self.arc(&before, action).wrapping_add(below.arc);
        let MergedItem { origin, inside: inside_below, .. } = items[below.item as usize];
        let inside = inside_below + below.score + inside + gained;
        let configuration = self.system.successor(&before, self.actions.get(action), self.arena);
        let edge = MergedEdge { popped, predictor, pop: action, score: gained, arc };
        let key = self.key(&configuration, Some(origin));
        let items = &mut self.forest.items;
        let successor = |item| Some(Successor { item, predictor: 0 });
        if let Some(&item) = known.get(&key) {
            self.signature.as_ref()?;
            // The best derivation is known already.
            if self.k > 1 {
                items[item as usize].edges.push(edge);
            }
            return successor(item);
        }
        let item = items.len() as Number;
        known.insert(key, item);
        items.push(MergedItem { configuration, origin, inside, edges: vec![edge] });
        successor(item)
    }

    /// A fingerprint of the arc that an action makes; 0 if it makes none.
    fn arc(&self, before: &ArenaConfiguration<'a>, action: ActionId) -> u64 {
        let action = self.actions.get(action);
        self.system
            .arc(before, 0, action.mv)
            .map_or(0, |(head, dependent)| crate::configuration::fingerprint(head, dependent, action.label))
    }
}
