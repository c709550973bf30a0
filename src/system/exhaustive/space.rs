//! Every configuration that any sequence of transitions reaches.

use std::ops::Range;

use hashbrown::HashMap;

use crate::configuration::{Configuration, PlainView, Point};
use crate::system::{Action, Move, Permitted, Transitions};
use crate::tree::{Gold, LabelId, NO_LABEL, NO_NODE, Node, ROOT, Tree};

/// The configurations of a system for sentences of one length, and the transitions between them.
///
/// Every transition leads on along [`Space::order`], so that a pass over it backwards is a dynamic programme over all
/// derivations.
#[derive(Debug)]
pub struct Space<C> {
    /// The configurations by number; 0 is the initial one.
    pub configurations: Vec<C>,
    /// Permitted actions in each configuration, at each point.
    pub permitted: Vec<Vec<Permitted>>,
    /// The tree that each configuration has built, if it is terminal.
    built: Vec<Option<Tree>>,
    /// The least number of transitions from the initial configuration to each.
    pub steps: Vec<usize>,
    /// For each configuration but the initial one the number of another that leads to it in the fewest transitions, and how.
    came_from: Vec<(usize, Action)>,
    /// The numbers of all configurations, each before those that its transitions lead to.
    pub order: Vec<usize>,
    /// [`SystemInfo::headless_are_roots`](crate::system::SystemInfo::headless_are_roots).
    headless_are_roots: bool,
    /// Transitions by the configuration that they leave: `transitions[first[c]..first[c + 1]]`.
    transitions: Vec<(Action, usize)>,
    first: Vec<usize>,
}

impl<C: PlainView + Configuration<Arena = ()>> Space<C> {
    /// All configurations of `system` for `n_words`, in which arcs bear labels below `n_labels`.
    ///
    /// # Panics
    /// If transitions lead round in a circle, which the system promises not to happen.
    pub fn of<S: Transitions<C>>(system: &S, n_words: usize, n_labels: LabelId) -> Space<C> {
        let initial: C = system.initial((), n_words);
        let mut numbers: HashMap<C, usize> = [(initial.clone(), 0)].into_iter().collect();
        let mut space = Space {
            configurations: vec![initial],
            permitted: Vec::new(),
            built: Vec::new(),
            steps: vec![0],
            came_from: vec![(0, Action::bare(Move::Idle))],
            order: Vec::new(),
            headless_are_roots: system.info().headless_are_roots,
            transitions: Vec::new(),
            first: vec![0],
        };
        while let Some(c) = space.configurations.get(space.built.len()).cloned() {
            let number = space.built.len();
            let step = space.steps[number];
            let terminal = system.is_terminal(&c);
            let n_points = if terminal { 0 } else { system.n_points(&c) };
            let permitted: Vec<Permitted> = (0..n_points).map(|point| system.permitted(&c, point as Point)).collect();
            for (point, permitted) in permitted.iter().enumerate() {
                for mv in permitted.moves.iter() {
                    let labels = if mv.makes_arc() { (0..n_labels).collect() } else { vec![NO_LABEL] };
                    for label in labels {
                        let action = Action::labelled(mv, label).at(point as Point);
                        let successor = system.successor(&c, action, ());
                        let next = space.configurations.len();
                        let to = *numbers.entry(successor).or_insert_with_key(|successor| {
                            space.configurations.push(successor.clone());
                            space.steps.push(step + 1);
                            space.came_from.push((number, action));
                            next
                        });
                        space.transitions.push((action, to));
                    }
                }
            }
            space.permitted.push(permitted);
            space.built.push(terminal.then(|| c.tree()));
            space.first.push(space.transitions.len());
        }
        space.order = space.sorted();
        assert_eq!(space.order.len(), space.len(), "{}: transitions lead round in a circle", system.info().name);
        space
    }

    /// The numbers of the configurations, each before those that its transitions lead to; those in circles are left out.
    fn sorted(&self) -> Vec<usize> {
        let mut n_before = vec![0; self.len()];
        self.transitions.iter().for_each(|&(_, to)| n_before[to] += 1);
        let mut order = vec![0];
        let mut done = 0;
        while let Some(&c) = order.get(done) {
            done += 1;
            for &(_, to) in self.transitions(c) {
                n_before[to] -= 1;
                if n_before[to] == 0 {
                    order.push(to);
                }
            }
        }
        order
    }

    /// The number of configurations.
    pub fn len(&self) -> usize {
        self.configurations.len()
    }

    /// True if there is no configuration, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.configurations.is_empty()
    }

    /// The numbers of the configurations.
    pub fn numbers(&self) -> Range<usize> {
        0..self.len()
    }

    /// True if configuration `c` is terminal.
    pub fn is_terminal(&self, c: usize) -> bool {
        self.built[c].is_some()
    }

    /// The transitions that leave configuration `c`, each with the number of the one it leads to.
    pub fn transitions(&self, c: usize) -> &[(Action, usize)] {
        &self.transitions[self.first[c]..self.first[c + 1]]
    }

    /// The transitions of a shortest derivation of configuration `c`.
    pub fn path(&self, mut c: usize) -> Vec<Action> {
        let mut path = Vec::with_capacity(self.steps[c]);
        while c != 0 {
            let (before, action) = self.came_from[c];
            path.push(action);
            c = before;
        }
        path.reverse();
        path
    }

    /// For every configuration the number of derivations that reach it.
    pub fn n_derivations(&self) -> Vec<u64> {
        let mut ways = vec![0; self.len()];
        ways[0] = 1;
        for &c in &self.order {
            for &(_, to) in self.transitions(c) {
                ways[to] += ways[c];
            }
        }
        ways
    }

    /// For every configuration the true loss: the least number of words with a wrong head or label, each with the weight of its gold
    /// arc, in any tree that can still be derived. Configurations that lead nowhere have [`u32::MAX`].
    pub fn losses(&self, gold: &Gold) -> Vec<u32> {
        let mut losses = vec![u32::MAX; self.len()];
        for &c in self.order.iter().rev() {
            losses[c] = if let Some(built) = &self.built[c] {
                // A word that is left without a head hangs on the root, by the label of such words, if that counts.
                let wrong = |&word: &Node| match built.head(word) {
                    NO_NODE => !(self.headless_are_roots && gold.head(word) == ROOT),
                    head => head != gold.head(word) || !gold.has_label(word, built.label(word)),
                };
                gold.tree().words().filter(wrong).map(|word| gold.weight(word)).sum()
            } else {
                self.transitions(c).iter().map(|&(_, to)| losses[to]).min().unwrap_or(u32::MAX)
            };
        }
        losses
    }
}
