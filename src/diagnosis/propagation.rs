//! Wrong arcs after the first one of a sentence.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::decode::{Item, Machine};
use crate::system::TransitionSystem;
use crate::tree::{Gold, Node};

/// Counts of arcs before and after the first wrong one of their sentence: one whose head or label is not gold.
///
/// The arcs of the final tree stand in the order in which the derivation made them; where arcs replace others, the last
/// one of its word counts. A word that is left to the root comes after the last transition, several of them in their
/// order. Arcs of tags do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Propagation {
    /// All sentences.
    pub sentences: u64,
    /// Sentences with a wrong arc.
    pub with_wrong: u64,
    /// Arcs that no wrong arc of their sentence precedes, of all sentences; first wrong arcs are among them.
    pub while_right: u64,
    /// Arcs before the first wrong one, in sentences with a wrong one.
    pub before: u64,
    /// Mean of `before` over all orders of each sentence's arcs: (n - w) / (w + 1) for n arcs with w wrong ones.
    pub before_at_random: f64,
    /// Transitions before the one that made the first wrong arc.
    pub steps_before: u64,
    /// Arcs after the first wrong one.
    pub after: u64,
    /// Wrong arcs after the first wrong one.
    pub wrong_after: u64,
}

impl AddAssign for Propagation {
    fn add_assign(&mut self, other: Propagation) {
        self.sentences += other.sentences;
        self.with_wrong += other.with_wrong;
        self.while_right += other.while_right;
        self.before += other.before;
        self.before_at_random += other.before_at_random;
        self.steps_before += other.steps_before;
        self.after += other.after;
        self.wrong_after += other.wrong_after;
    }
}

impl Propagation {
    /// True if nothing was counted, as in older records.
    pub fn is_unknown(&self) -> bool {
        self.sentences == 0
    }

    /// The share of wrong arcs, from 0 to 1, among those that no wrong one precedes: the hazard of a first mistake.
    pub fn rate_while_right(&self) -> f64 {
        self.with_wrong as f64 / self.while_right as f64
    }

    /// The share of wrong arcs, from 0 to 1, among those after the first wrong one.
    pub fn rate_after(&self) -> f64 {
        self.wrong_after as f64 / self.after as f64
    }

    /// The share of wrong arcs after the first wrong one, from 0 to 1, if each sentence's arcs came in random order: with as many mistakes,
    /// independent of each other.
    pub fn rate_after_at_random(&self) -> f64 {
        self.wrong_after as f64 / ((self.before + self.after) as f64 - self.before_at_random)
    }

    /// Counts of the derivation that ends in `item`, beside the gold tree.
    pub(super) fn of<'a, S: TransitionSystem>(
        machine: Machine<'_, S>,
        item: &'a Item<'a, S::Shared<'a>>,
        gold: &Gold,
    ) -> Propagation {
        let transitions = item.transitions();
        let mut made_at = vec![transitions.len(); gold.n_words() + 1];
        for (step, [before, after]) in transitions.iter().enumerate() {
            let action = machine.actions.chosen(after.choice);
            for word in machine.system.detached(&before.configuration, action.point, action.mv).into_iter().flatten() {
                made_at[usize::from(word)] = transitions.len();
            }
            if let Some((_, dependent)) = machine.system.arc(&before.configuration, action.point, action.mv) {
                made_at[usize::from(dependent)] = step;
            }
        }
        let tree = machine.tree(item, gold.n_words());
        let gold = gold.of_parser();
        let mut words: Vec<Node> = gold.tree().words().collect();
        words.sort_by_key(|&word| made_at[usize::from(word)]);
        let is_wrong = |word: Node| tree.head(word) != gold.head(word) || !gold.has_label(word, tree.label(word));
        let n_words = words.len() as u64;
        let counts = Propagation { sentences: 1, while_right: n_words, ..Propagation::default() };
        let Some(place) = words.iter().position(|&word| is_wrong(word)) else { return counts };
        let (before, after) = (place as u64, &words[place + 1..]);
        let wrong_after = after.iter().filter(|&&word| is_wrong(word)).count() as u64;
        Propagation {
            with_wrong: 1,
            while_right: before + 1,
            before,
            before_at_random: (n_words - wrong_after - 1) as f64 / (wrong_after + 2) as f64,
            steps_before: made_at[usize::from(words[place])] as u64,
            after: after.len() as u64,
            wrong_after,
            ..counts
        }
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::configuration::{Arena, Interner, PlainView as _, Point};
    use crate::random::{Xoshiro256PlusPlus, below, stream};
    use crate::system::{Actions, Choice, SystemKind};
    use crate::tree::{LabelId, NO_NODE, Tree};
    use crate::with_system;

    const N_LABELS: LabelId = 3;

    /// By the definition: each arc of the final tree was made when it came to stay, and those before it are looked at again.
    fn naive(trees: &[Tree], last: &Tree, gold: &Tree) -> Propagation {
        let steps = trees.len() - 1;
        let made_at = |word: Node| {
            let has_it = |tree: &Tree| (tree.head(word), tree.label(word)) == (last.head(word), last.label(word));
            (1..=steps).rev().take_while(|&n| has_it(&trees[n])).last().map_or(steps, |n| n - 1)
        };
        let mut order: Vec<(usize, Node)> = gold.words().map(|word| (made_at(word), word)).collect();
        order.sort_unstable();
        let is_right =
            |&(_, word): &(usize, Node)| (last.head(word), last.label(word)) == (gold.head(word), gold.label(word));
        let mut counts = Propagation { sentences: 1, ..Propagation::default() };
        for (place, arc) in order.iter().enumerate() {
            let is_while_right = order[..place].iter().all(is_right);
            counts.while_right += u64::from(is_while_right);
            counts.after += u64::from(!is_while_right);
            counts.wrong_after += u64::from(!is_while_right && !is_right(arc));
            if is_while_right && !is_right(arc) {
                (counts.with_wrong, counts.before, counts.steps_before) = (1, place as u64, arc.0 as u64);
            }
        }
        // The sum over n of the probability that the first n are right.
        let (n_arcs, n_right) = (order.len(), order.iter().filter(|arc| is_right(arc)).count());
        let next_is_right = (0..n_right).map(|n| (n_right - n) as f64 / (n_arcs - n) as f64);
        let (mut all_are_right, mut sum) = (1.0, 0.0);
        for probability in next_is_right {
            all_are_right *= probability;
            sum += all_are_right;
        }
        counts.before_at_random = if n_right < n_arcs { sum } else { 0.0 };
        counts
    }

    /// The tree of the words alone, with some arcs made others.
    fn changed(tree: &Tree, n_words: usize, rng: &mut Xoshiro256PlusPlus) -> Tree {
        let mut gold = Tree::unattached(n_words);
        for word in gold.words() {
            let (head, label) = (tree.head(word), tree.label(word));
            let other = below(n_words as u64 + 1, rng) as Node;
            match below(8, rng) {
                0 if other != word => gold.attach(word, other, label),
                1 => gold.attach(word, head, (label + 1) % N_LABELS),
                _ => gold.attach(word, head, label),
            }
        }
        gold
    }

    /// Counts of a random derivation, and true if an arc was replaced and if a word was left to the root.
    fn check<S: TransitionSystem>(system: S, n_words: usize, rng: &mut Xoshiro256PlusPlus) -> (Propagation, [bool; 2]) {
        let moves = system.info().moves;
        let arcs = moves.iter().filter(|mv| mv.makes_arc());
        let arcs = arcs.flat_map(|&mv| (0..N_LABELS).flat_map(move |label| [(mv, label, false), (mv, label, true)]));
        let actions = &Actions::new(moves, N_LABELS.into(), arcs).unwrap();
        let (bump, interner) = (Bump::new(), Interner::new(N_LABELS.into()));
        let arena = Arena::new(&bump, &interner);
        let is_joint = system.info().is_joint();
        let n_nodes = if is_joint { 2 * n_words } else { n_words };
        let machine = Machine { system, actions, keeps_history: false };
        let mut plain: S::Plain = machine.system.initial((), n_nodes);
        let (mut trees, mut choices) = (vec![plain.tree()], Vec::new());
        while !machine.system.is_terminal(&plain) {
            let at_point = |point: Point| {
                let permitted = machine.system.permitted(&plain, point);
                let ids = permitted.moves.iter().flat_map(move |mv| actions.of_move(mv));
                ids.filter(move |&id| actions.permits(permitted, id)).map(move |action| Choice { point, action })
            };
            let open: Vec<Choice> = (0..machine.system.n_points(&plain) as Point).flat_map(at_point).collect();
            let choice = open[below(open.len() as u64, rng) as usize];
            plain = machine.system.successor(&plain, actions.chosen(choice), ());
            trees.push(plain.tree());
            choices.push(choice);
        }
        let item = machine.derive(choices, arena, n_nodes);
        let tree = machine.tree(item, n_nodes);
        let gold = changed(&tree, n_words, rng);
        let side = Gold::new(gold.clone());
        let side = if is_joint { side.with_tags(&vec![N_LABELS; n_words]) } else { side };
        let counts = Propagation::of(machine, item, &side);
        let expected = naive(&trees, &tree, &gold);
        assert!((counts.before_at_random - expected.before_at_random).abs() < 1e-9, "{counts:?} for {expected:?}");
        let expected = Propagation { before_at_random: counts.before_at_random, ..expected };
        assert_eq!(counts, expected, "{}: {trees:?} for {gold:?}", machine.system.info().name);
        let replaces = |pair: &[Tree]| gold.words().any(|w| ![NO_NODE, pair[1].head(w)].contains(&pair[0].head(w)));
        let has_replaced = trees.windows(2).any(replaces);
        (counts, [has_replaced, gold.words().any(|word| plain.tree().head(word) == NO_NODE)])
    }

    #[test]
    fn counts_are_those_of_the_definition() {
        let mut some = [false; 2];
        for &kind in SystemKind::all() {
            for kind in [Some(kind), kind.joint()].into_iter().flatten() {
                let mut rng = stream(1, kind.name(), &[]);
                let mut sum = Propagation::default();
                for n in 0..60 {
                    let n_words = 1 + n % 14;
                    let (counts, found) =
                        with_system!(kind, kind.roots()[0], |system| check(system, n_words, &mut rng));
                    sum += counts;
                    some = [0, 1].map(|i| some[i] || found[i]);
                }
                assert_eq!(sum.sentences, 60);
                let n_arcs = sum.while_right + sum.after;
                assert_eq!(n_arcs as usize, (0..60).map(|n| 1 + n % 14).sum::<usize>());
                assert!(sum.with_wrong > 10 && sum.with_wrong < 60, "{}: {sum:?}", kind.name());
            }
        }
        assert_eq!(some, [true; 2], "some arcs were replaced, and some words were left to the root");
    }

    /// Two sentences of three arcs: the first arc alone is wrong, and the last two are.
    #[test]
    fn rates_are_of_arcs() {
        let counts = Propagation {
            sentences: 2,
            with_wrong: 2,
            while_right: 1 + 2,
            before: 1,
            before_at_random: 2.0 / 2.0 + 1.0 / 3.0,
            steps_before: 4,
            after: 2 + 1,
            wrong_after: 1,
        };
        let rates = [counts.rate_while_right(), counts.rate_after(), counts.rate_after_at_random()];
        for (rate, expected) in rates.into_iter().zip([2.0 / 3.0, 1.0 / 3.0, 1.0 / (4.0 - 4.0 / 3.0)]) {
            assert!((rate - expected).abs() < 1e-12, "{rate} for {expected}");
        }
    }
}
