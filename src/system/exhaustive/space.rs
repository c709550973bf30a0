//! Every configuration that any sequence of transitions reaches.

use std::ops::Range;

use hashbrown::HashMap;

use crate::configuration::PlainConfiguration;
use crate::system::{Action, Permitted, TransitionSystem};
use crate::tree::{Gold, LabelId};

/// The configurations of a system for sentences of one length, and the transitions between them.
///
/// Configurations are numbered breadth first: each transition leads to a higher number, so that a pass over the numbers
/// backwards is a dynamic programme over all derivations.
#[derive(Debug)]
pub struct Space {
    /// The configurations by number; 0 is the initial one.
    pub configurations: Vec<PlainConfiguration>,
    /// What the system permits in each.
    pub permitted: Vec<Permitted>,
    /// Whether each is terminal.
    pub terminal: Vec<bool>,
    /// The number of transitions from the initial configuration to each.
    pub steps: Vec<usize>,
    /// Transitions by the configuration that they leave: `transitions[first[c]..first[c + 1]]`.
    transitions: Vec<(Action, usize)>,
    first: Vec<usize>,
}

impl Space {
    /// All configurations of `system` for `n_words`, in which arcs bear labels below `n_labels`.
    ///
    /// # Panics
    /// If two derivations of one configuration differ in length, which the system promises not to happen.
    pub fn of<S: TransitionSystem>(system: &S, n_words: usize, n_labels: LabelId) -> Space {
        let initial: PlainConfiguration = system.initial((), n_words);
        let mut numbers: HashMap<PlainConfiguration, usize> = [(initial.clone(), 0)].into_iter().collect();
        let mut space = Space {
            configurations: vec![initial],
            permitted: Vec::new(),
            terminal: Vec::new(),
            steps: vec![0],
            transitions: Vec::new(),
            first: vec![0],
        };
        while let Some(c) = space.configurations.get(space.terminal.len()).cloned() {
            let step = space.steps[space.terminal.len()];
            let (terminal, permitted) = (system.is_terminal(&c), system.permitted(&c));
            let moves = permitted.moves.iter().filter(|_| !terminal);
            for action in moves.flat_map(|mv| {
                let labels = if mv.makes_arc() { 0..n_labels } else { 0..1 };
                labels.map(move |label| if mv.makes_arc() { Action { mv, label } } else { Action::bare(mv) })
            }) {
                let successor = system.successor(&c, action, ());
                let next = space.configurations.len();
                let to = *numbers.entry(successor).or_insert_with_key(|successor| {
                    space.configurations.push(successor.clone());
                    space.steps.push(step + 1);
                    next
                });
                assert_eq!(space.steps[to], step + 1, "{} reaches {to} by derivations of two lengths", S::NAME);
                space.transitions.push((action, to));
            }
            space.permitted.push(permitted);
            space.terminal.push(terminal);
            space.first.push(space.transitions.len());
        }
        space
    }

    /// The number of configurations.
    pub fn len(&self) -> usize {
        self.configurations.len()
    }

    /// Whether there is no configuration, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.configurations.is_empty()
    }

    /// The numbers of the configurations.
    pub fn numbers(&self) -> Range<usize> {
        0..self.len()
    }

    /// The transitions that leave configuration `c`, each with the number of the one it leads to.
    pub fn transitions(&self, c: usize) -> &[(Action, usize)] {
        &self.transitions[self.first[c]..self.first[c + 1]]
    }

    /// For every configuration the number of derivations that reach it.
    pub fn n_derivations(&self) -> Vec<u64> {
        let mut ways = vec![0; self.len()];
        ways[0] = 1;
        for c in self.numbers() {
            for &(_, to) in self.transitions(c) {
                ways[to] += ways[c];
            }
        }
        ways
    }

    /// For every configuration the true loss: the least number of words with a wrong head or label in any tree that can
    /// still be derived. Configurations that lead nowhere have [`u32::MAX`].
    pub fn losses(&self, gold: &Gold) -> Vec<u32> {
        let mut losses = vec![u32::MAX; self.len()];
        for c in self.numbers().rev() {
            losses[c] = if self.terminal[c] {
                let built = &self.configurations[c];
                let wrong = |&word: &u16| built.head(word) != gold.head(word) || built.label(word) != gold.label(word);
                gold.tree().words().filter(wrong).count() as u32
            } else {
                self.transitions(c).iter().map(|&(_, to)| losses[to]).min().unwrap_or(u32::MAX)
            };
        }
        losses
    }
}
