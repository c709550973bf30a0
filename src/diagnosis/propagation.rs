//! Wrong arcs after the first one of a sentence.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::decode::{Item, Machine};
use crate::system::TransitionSystem;
use crate::tree::{Gold, Node};

/// Number of parts that the length of a derivation, or of a sentence, is divided into.
pub const PARTS: usize = 10;

/// Counts of arcs before and after the first wrong one of their sentence: one whose head or label is not gold.
///
/// The arcs of the final tree stand in the order in which the derivation made them; where arcs replace others, the last
/// one of its word counts. A word that is left to the root comes after the last transition, several of them in their
/// order. Counts by part are by place in this order, in tenths. Arcs of tags do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Propagation {
    /// All sentences.
    pub sentences: u64,
    /// Arcs before the first wrong one, in sentences with a wrong one.
    pub arcs_before: u64,
    /// Transitions before the one that made the first wrong arc.
    pub steps_before: u64,
    /// By part: arcs of all sentences before which no arc is wrong, the first wrong one included.
    pub while_right: [u64; PARTS],
    /// By part: arcs that are the first wrong ones.
    pub first_wrong: [u64; PARTS],
    /// By part: arcs after the first wrong one.
    pub after: [u64; PARTS],
    /// By part: wrong arcs after the first wrong one.
    pub wrong_after: [u64; PARTS],
}

impl AddAssign for Propagation {
    fn add_assign(&mut self, other: Propagation) {
        self.sentences += other.sentences;
        self.arcs_before += other.arcs_before;
        self.steps_before += other.steps_before;
        for part in 0..PARTS {
            self.while_right[part] += other.while_right[part];
            self.first_wrong[part] += other.first_wrong[part];
            self.after[part] += other.after[part];
            self.wrong_after[part] += other.wrong_after[part];
        }
    }
}

/// `n` of `all`, from 0 to 1; not a number if there are none.
fn rate(n: [u64; PARTS], all: [u64; PARTS]) -> f64 {
    n.iter().sum::<u64>() as f64 / all.iter().sum::<u64>() as f64
}

impl Propagation {
    /// True if nothing was counted, as in older records.
    pub fn is_unknown(&self) -> bool {
        self.sentences == 0
    }

    /// Sentences with a wrong arc.
    pub fn with_wrong(&self) -> u64 {
        self.first_wrong.iter().sum()
    }

    /// The share of wrong arcs, from 0 to 1, among those before which none is wrong: the hazard of a first mistake.
    pub fn rate_while_right(&self) -> f64 {
        rate(self.first_wrong, self.while_right)
    }

    /// The share of wrong arcs, from 0 to 1, among those after the first wrong one.
    pub fn rate_after(&self) -> f64 {
        rate(self.wrong_after, self.after)
    }

    /// The share of wrong arcs after the first wrong one if they were as frequent, part by part, as first mistakes are
    /// while all is right (direct standardisation); not finite if a part has no arcs of the latter kind.
    pub fn expected_after(&self) -> f64 {
        let parts = (0..PARTS).filter(|&part| self.after[part] > 0);
        let wrong =
            parts.map(|part| self.after[part] as f64 * self.first_wrong[part] as f64 / self.while_right[part] as f64);
        wrong.sum::<f64>() / self.after.iter().sum::<u64>() as f64
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
        let mut counts = Propagation { sentences: 1, ..Propagation::default() };
        let mut is_right = true;
        for (place, &word) in words.iter().enumerate() {
            let part = place * PARTS / words.len();
            let is_wrong = tree.head(word) != gold.head(word) || !gold.has_label(word, tree.label(word));
            let (arcs, wrong) = match is_right {
                true => (&mut counts.while_right, &mut counts.first_wrong),
                false => (&mut counts.after, &mut counts.wrong_after),
            };
            arcs[part] += 1;
            wrong[part] += u64::from(is_wrong);
            if is_right && is_wrong {
                is_right = false;
                counts.arcs_before = place as u64;
                counts.steps_before = made_at[usize::from(word)] as u64;
            }
        }
        counts
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
            let part = place * PARTS / order.len();
            match (order[..place].iter().all(is_right), is_right(arc)) {
                (true, true) => counts.while_right[part] += 1,
                (true, false) => {
                    counts.while_right[part] += 1;
                    counts.first_wrong[part] += 1;
                    (counts.arcs_before, counts.steps_before) = (place as u64, arc.0 as u64);
                }
                (false, true) => counts.after[part] += 1,
                (false, false) => {
                    counts.after[part] += 1;
                    counts.wrong_after[part] += 1;
                }
            }
        }
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
        assert_eq!(counts, naive(&trees, &tree, &gold), "{:?}: {trees:?} for {gold:?}", machine.system.info().name);
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
                let n_arcs: u64 = sum.while_right.iter().chain(&sum.after).sum();
                assert_eq!(n_arcs as usize, (0..60).map(|n| 1 + n % 14).sum::<usize>());
                assert!(sum.with_wrong() > 10 && sum.with_wrong() < 60, "{}: {sum:?}", kind.name());
            }
        }
        assert_eq!(some, [true; 2], "some arcs were replaced, and some words were left to the root");
    }

    /// Two parts: first mistakes are twice as frequent in the second, where most of the arcs after a mistake are.
    #[test]
    fn expected_errors_are_standardised_by_part() {
        let by_part = |first: u64, last: u64| {
            let mut counts = [0; PARTS];
            (counts[0], counts[PARTS - 1]) = (first, last);
            counts
        };
        let counts = Propagation {
            sentences: 100,
            while_right: by_part(100, 50),
            first_wrong: by_part(10, 10),
            after: by_part(10, 30),
            wrong_after: by_part(2, 8),
            ..Propagation::default()
        };
        let rates = [counts.rate_while_right(), counts.rate_after(), counts.expected_after()];
        for (rate, expected) in rates.into_iter().zip([20.0 / 150.0, 10.0 / 40.0, (10.0 * 0.1 + 30.0 * 0.2) / 40.0]) {
            assert!((rate - expected).abs() < 1e-12, "{rate} for {expected}");
        }
        assert!(Propagation { while_right: by_part(100, 0), ..counts }.expected_after().is_infinite());
        assert!(Propagation::default().expected_after().is_nan());
    }
}
