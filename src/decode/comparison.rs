//! Beams whose items are compared in other ways, where derivations of one sentence differ in length.
//!
//! * **Which items.** By `steps`, those that have taken equally many transitions: some stand words ahead of others, and what is
//!   complete waits, which is scored like a transition (Zhu et al. 2013) where the system has it. By `words`, those that have
//!   consumed equally many words: each item goes on until it has consumed one more (word-synchronous search; Stern, Fried &
//!   Klein 2017 use it for constituents), so that all have read the same part of the sentence, and nobody waits. A word is
//!   consumed when it leaves the buffer or when Covington's focus moves on; one that comes back to the buffer (by SWAP or
//!   UNSHIFT) is consumed again. Easy-first consumes a word with each move, so that both are the same.
//! * **By what.** By the sum of the scores of their actions, or with `length` by that sum divided by the number of transitions,
//!   so that long derivations are neither preferred nor put back for their length. Waiting is not scored then.
//!
//! Complexity: by words, a beam takes as many steps as there are words, times the most transitions that any item takes at one.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::{Beam, Candidate, Decoder, IDLE, Identities, Item, Parsed, Scratch, Workspace, selected};
use crate::configuration::{Arena, SharedConfiguration, View};
use crate::model::{Align, Comparison, Normalise};
use crate::scorer::{Context, Scorer};
use crate::system::TransitionSystem;

/// What a score is multiplied with before it is divided by a length, so that no difference is lost.
const FINE: i128 = 1 << 32;

impl Comparison {
    fn by_length(self) -> bool {
        self.normalise == Normalise::Length
    }

    /// How many candidates to select for a beam of `width`, before [`Comparison::choose`] chooses among them.
    pub fn selected(self, width: usize) -> usize {
        if self.by_length() { usize::MAX } else { selected(width) }
    }

    /// The best of the successors of `items`, in order; `candidates` are all of them or the best, in the order of their scores.
    pub fn choose<'c, C>(self, candidates: &'c [Candidate], items: &[&Item<C>], width: usize) -> Cow<'c, [Candidate]> {
        if !self.by_length() {
            return Cow::Borrowed(candidates);
        }
        let lengths: Vec<usize> = items.iter().map(|item| item.length()).collect();
        let mut chosen = candidates.to_vec();
        chosen.sort_by_cached_key(|candidate| {
            let length = lengths[candidate.rank() as usize] + usize::from(candidate.choice() != IDLE);
            Reverse(mean(candidate.score(), length))
        });
        chosen.truncate(selected(width));
        Cow::Owned(chosen)
    }

    /// Lets all items go on until they are no further from the end than `target` words, and keeps the best of them. `distance` says
    /// how far an item is, `advance` gives the successors of some.
    pub fn consume<'a, C: View<'a>>(
        self,
        items: &mut Vec<&'a Item<'a, C>>,
        (target, width): (usize, usize),
        distinct: &mut Identities,
        distance: &dyn Fn(&Item<'a, C>) -> usize,
        advance: &mut Advance<'_, 'a, C>,
    ) {
        let (mut done, mut open): (Vec<&Item<_>>, Vec<&Item<_>>) =
            items.drain(..).partition(|item| distance(item) <= target);
        let mut next = Vec::new();
        while !open.is_empty() {
            advance(&open, distinct, &mut next);
            open.clear();
            for item in next.drain(..) {
                if distance(item) <= target { done.push(item) } else { open.push(item) }
            }
        }
        self.keep_best(&mut done, width, distinct);
        *items = done;
    }

    /// Sorts items that have consumed as many words, and keeps the best; of equals, what came first.
    pub fn keep_best<'a, C: View<'a>>(self, done: &mut Vec<&'a Item<'a, C>>, width: usize, distinct: &mut Identities) {
        done.sort_by_cached_key(|item| {
            let divided = if self.by_length() { mean(item.score, item.length()) } else { i128::from(item.score) };
            Reverse(divided)
        });
        distinct.clear();
        done.retain(|item| distinct.insert(item.identity()));
        done.truncate(width);
    }
}

/// Appends the successors of some items to others.
type Advance<'f, 'a, C> = dyn FnMut(&[&'a Item<'a, C>], &mut Identities, &mut Vec<&'a Item<'a, C>>) + 'f;

fn mean(score: i64, length: usize) -> i128 {
    (i128::from(score) * FINE).div_euclid(length.max(1) as i128)
}

impl<C> Item<'_, C> {
    /// The number of transitions so far; waiting is none.
    pub fn length(&self) -> usize {
        let items = std::iter::successors(Some(self), |item| item.parent);
        items.filter(|item| item.parent.is_some() && item.choice != IDLE).count()
    }
}

impl<S: TransitionSystem, C: Scorer> Decoder<'_, S, C> {
    /// How far an item is from the end: 0 there, else one more than the words that are left to be consumed.
    pub fn distance<'a>(&self, item: &Item<'a, S::Shared<'a>>) -> usize {
        if self.machine.is_terminal(item) { 0 } else { item.configuration.n_waiting() + 1 }
    }

    /// What [`Decoder::decode`] does, by beams whose items are compared in this way.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn decode_comparing(
        &self,
        workspace: &mut Workspace<C::Memory>,
        comparison: Comparison,
        width: usize,
        k: usize,
    ) -> Vec<Parsed> {
        // A single item is the best one, by whatever it is compared.
        if comparison == Comparison::default() || width <= 1 {
            return self.decode(workspace, width, k);
        }
        let machine = &self.machine;
        let n_words = workspace.input.n_words();
        workspace.start();
        let (bump, context, mut scratch) = workspace.parts(machine.actions);
        self.scorer.begin(scratch.memory, context);
        let arena = Arena::new(bump, context.label_sets, self.scorer.masks());
        let (items, n_scored) = self.last_beam(arena, context, &mut scratch, comparison, width);
        let parsed = |item: &&Item<_>| Parsed { tree: machine.tree(item, n_words), score: item.score };
        let parsed = items.iter().take(k).map(parsed).collect();
        workspace.n_scored += n_scored;
        parsed
    }

    /// The last beam, best first, and how many configurations were scored.
    fn last_beam<'a>(
        &self,
        arena: Arena<'a>,
        context: Context,
        Scratch { memory, selection, distinct }: &mut Scratch<C::Memory>,
        comparison: Comparison,
        width: usize,
    ) -> (Vec<&'a Item<'a, S::Shared<'a>>>, u64) {
        let mut n_scored = 0;
        let mut items = vec![self.machine.initial(arena, context.input.n_words())];
        let mut target = self.distance(items[0]);
        let mut queries = Vec::new();
        let mut advance = |open: &[&'a Item<'a, S::Shared<'a>>], distinct: &mut Identities, next: &mut Vec<_>| {
            self.score(open, memory, context, &mut queries);
            n_scored += open.len() as u64;
            let mut beam = Beam::new(comparison.selected(width), open[0].score, selection);
            self.offer(&mut beam, open, memory, context, &queries);
            let chosen = comparison.choose(beam.finish(), open, width);
            self.build(open, &chosen, width, distinct, arena, |_| false, |item| next.push(item));
        };
        while !items.iter().all(|item| self.machine.is_terminal(item)) {
            match comparison.align {
                Align::Steps => {
                    let mut next = Vec::new();
                    advance(&items, distinct, &mut next);
                    items = next;
                }
                Align::Words => {
                    target = target.saturating_sub(1);
                    let distance = |item: &Item<'a, S::Shared<'a>>| self.distance(item);
                    comparison.consume(&mut items, (target, width), distinct, &distance, &mut advance);
                }
            }
        }
        (items, n_scored)
    }
}
