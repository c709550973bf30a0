//! The packed forest, and the best derivations of its items (Huang & Chiang 2005, algorithm 3).
//!
//! The derivations of an item are known from its edges and from those of the two items that each of them combines. The next best
//! one is found from those before: it uses the next best derivation of one of the two, or the next edge. Derivations of an item
//! that make the same arcs have the same future, so that only the best of them counts.
//!
//! Nothing here calls itself: derivations may be as deep as sentences are long.

use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::configuration::ArenaConfiguration;
use crate::system::ActionId;

/// An item's number among all of a sentence: items that it is made of have lower numbers.
pub(super) type Number = u32;

/// All items of a sentence.
#[derive(Debug)]
pub(super) struct MergedForest<'a> {
    pub items: Vec<MergedItem<'a>>,
    pub origins: Vec<Origin<'a>>,
}

/// An item: all push computations from one origin that lead to the same signature.
#[derive(Debug)]
pub(super) struct MergedItem<'a> {
    /// One of the configurations that it stands for. The stack below S0 is that of the first predictor.
    pub configuration: ArenaConfiguration<'a>,
    pub origin: u32,
    /// The best score since the origin.
    pub inside: i64,
    /// Incoming edges, best first; none just after a push.
    pub edges: Vec<MergedEdge>,
}

/// A word just pushed, as far as the stacks below it are distinguished.
#[derive(Debug, Default)]
pub(super) struct Origin<'a> {
    /// The score of the best way here.
    pub base: i64,
    /// Predictors: the items from which the word was pushed, best first.
    pub predictors: Vec<Predictor<'a>>,
}

/// An item from which a word was pushed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Predictor<'a> {
    pub item: Number,
    pub push: ActionId,
    /// The score of the push.
    pub score: i64,
    /// The fingerprint of its arc.
    pub arc: u64,
    /// The configuration behind the push.
    pub pushed: ArenaConfiguration<'a>,
}

/// The push computation of `popped`, which began from one of its origin's predictors, ended by `pop`.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergedEdge {
    pub popped: Number,
    pub predictor: u32,
    pub pop: ActionId,
    /// The score of the pop.
    pub score: i64,
    /// The fingerprints of the arcs of push and pop.
    pub arc: u64,
}

/// Remaining tasks of writing down a derivation.
enum Task {
    Act(ActionId),
    /// The derivation of this rank of an item, since its origin.
    Derive(Number, usize),
}

/// A derivation of an item, since its origin: an edge, and which derivations of the two items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Derivation {
    score: i64,
    /// The edge's number, and the ranks of the derivations of the predictor and of the popped item.
    way: Reverse<(usize, usize, usize)>,
    arcs: u64,
}

/// Known derivations of an item.
#[derive(Debug, Default)]
struct Known {
    /// The best ones.
    best: Vec<Derivation>,
    /// Those among which the next best is.
    next: BinaryHeap<Derivation>,
    /// The ways that lead to more of these.
    ways: Vec<(usize, usize, usize)>,
    /// The arcs of the best ones.
    arcs: HashSet<u64>,
}

impl Known {
    /// True if there are no more than these.
    fn is_all(&self) -> bool {
        self.next.is_empty() && self.ways.is_empty()
    }
}

impl MergedForest<'_> {
    /// The score of the best derivation of an item from the beginning on.
    pub fn prefix(&self, item: Number) -> i64 {
        let MergedItem { origin, inside, .. } = self.items[item as usize];
        self.origins[origin as usize].base + inside
    }

    fn predictor(&self, edge: &MergedEdge) -> &Predictor<'_> {
        let MergedItem { origin, .. } = self.items[edge.popped as usize];
        &self.origins[origin as usize].predictors[edge.predictor as usize]
    }

    /// The best derivation of an item from the beginning on.
    pub fn best(&self, item: Number) -> Vec<ActionId> {
        let mut tasks = vec![Task::Derive(item, 0)];
        let mut origin = self.items[item as usize].origin;
        while let Some(predictor) = self.origins[origin as usize].predictors.first() {
            tasks.extend([Task::Act(predictor.push), Task::Derive(predictor.item, 0)]);
            origin = self.items[predictor.item as usize].origin;
        }
        self.write(tasks, |_, _| (0, 0, 0))
    }

    /// Writes down what the tasks say, the last one first; `way` gives the edge and the ranks of a derivation.
    fn write(&self, mut tasks: Vec<Task>, way: impl Fn(Number, usize) -> (usize, usize, usize)) -> Vec<ActionId> {
        let mut derivation = Vec::new();
        while let Some(task) = tasks.pop() {
            let (item, rank) = match task {
                Task::Act(action) => {
                    derivation.push(action);
                    continue;
                }
                Task::Derive(item, rank) => (item, rank),
            };
            let edges = &self.items[item as usize].edges;
            if edges.is_empty() {
                continue;
            }
            let (edge, of_predictor, of_popped) = way(item, rank);
            let edge = &edges[edge];
            let predictor = self.predictor(edge);
            tasks.extend([
                Task::Act(edge.pop),
                Task::Derive(edge.popped, of_popped),
                Task::Act(predictor.push),
                Task::Derive(predictor.item, of_predictor),
            ]);
        }
        derivation
    }

    /// The best derivations of items whose origin is the beginning, at most `k`, best first, no two with the same arcs.
    pub fn best_of(&self, items: &[Number], k: usize) -> Vec<(Vec<ActionId>, i64)> {
        let mut known = HashMap::new();
        let mut next = BinaryHeap::new();
        let candidate = |known: &mut HashMap<Number, Known>, place: usize, rank: usize| {
            self.find(known, items[place], rank);
            let derivation = known.get(&items[place])?.best.get(rank)?;
            Some((derivation.score, Reverse(place), Reverse(rank), derivation.arcs))
        };
        next.extend((0..items.len()).filter_map(|place| candidate(&mut known, place, 0)));
        let (mut found, mut arcs) = (Vec::new(), HashSet::new());
        while found.len() < k
            && let Some((score, Reverse(place), Reverse(rank), of)) = next.pop()
        {
            if arcs.insert(of) {
                let way = |item: Number, rank: usize| known[&item].best[rank].way.0;
                found.push((self.write(vec![Task::Derive(items[place], rank)], way), score));
            }
            next.extend(candidate(&mut known, place, rank + 1));
        }
        found
    }

    /// Makes known the derivation of this rank of an item, if there is one.
    fn find(&self, known: &mut HashMap<Number, Known>, item: Number, rank: usize) {
        let mut wanted = vec![(item, rank)];
        while let Some(&(item, rank)) = wanted.last() {
            let of = known.entry(item).or_insert_with(|| self.first(item));
            if of.best.len() > rank || of.is_all() {
                wanted.pop();
                continue;
            }
            if let Some(&way) = of.ways.last() {
                let (edge, of_predictor, of_popped) = way;
                let edge = &self.items[item as usize].edges[edge];
                let predictor = self.predictor(edge);
                let parts = [(predictor.item, of_predictor), (edge.popped, of_popped)];
                let missing = parts
                    .into_iter()
                    .find(|(part, rank)| known.get(part).is_none_or(|part| part.best.len() <= *rank && !part.is_all()));
                if let Some(missing) = missing {
                    wanted.push(missing);
                    continue;
                }
                let found = parts.map(|(part, rank)| known[&part].best.get(rank).copied());
                let Some(of) = known.get_mut(&item) else { continue };
                of.ways.pop();
                if let [Some(a), Some(b)] = found {
                    let score = a.score + predictor.score + b.score + edge.score;
                    let arcs = a.arcs.wrapping_add(b.arcs).wrapping_add(edge.arc);
                    of.next.push(Derivation { score, way: Reverse(way), arcs });
                }
                continue;
            }
            if let Some(derivation) = of.next.pop() {
                let Reverse((edge, of_predictor, of_popped)) = derivation.way;
                of.ways.push((edge, of_predictor, of_popped + 1));
                if of_popped == 0 {
                    of.ways.push((edge, of_predictor + 1, 0));
                }
                if (of_predictor, of_popped) == (0, 0) && edge + 1 < self.items[item as usize].edges.len() {
                    of.ways.push((edge + 1, 0, 0));
                }
                if of.arcs.insert(derivation.arcs) {
                    of.best.push(derivation);
                }
            }
        }
    }

    /// Initial derivations of an item.
    fn first(&self, item: Number) -> Known {
        let mut known = Known::default();
        if self.items[item as usize].edges.is_empty() {
            known.best.push(Derivation { score: 0, way: Reverse((0, 0, 0)), arcs: 0 });
        } else {
            known.ways.push((0, 0, 0));
        }
        known
    }
}
