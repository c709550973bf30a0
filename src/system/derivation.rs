//! Derivations that follow a gold tree.

use super::{Action, Move, MoveCosts, MoveSet, Oracle};
use crate::configuration::{Configuration, Point};
use crate::tree::{Gold, NO_LABEL, NO_NODE, ROOT, Tree};

/// A sequence of transitions from the initial configuration to a terminal one, and the tree it made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The transitions, first to last.
    pub actions: Vec<Action>,
    /// The arcs made by them, and to words without one, arcs from the root.
    pub tree: Tree,
}

impl Derivation {
    /// The canonical derivation of the gold tree, by the static oracle; `None` if the system does not derive the tree.
    pub fn canonical<S: Oracle<C>, C: Configuration>(system: &S, gold: &Gold, arena: C::Arena) -> Option<Derivation> {
        Begun::new(system, gold, arena).canonical()
    }

    /// A derivation that takes a move of least cost in every configuration, where several are the static oracle's if the system
    /// [prefers](super::System::prefers_static) it, or else the first of LEFT, RIGHT, REDUCE, SHIFT and others, at the first
    /// point. With exact costs no other derivation gets more heads right.
    pub fn least_cost<S: Oracle<C>, C: Configuration>(system: &S, gold: &Gold, arena: C::Arena) -> Derivation {
        Begun::new(system, gold, arena).least_cost()
    }

    /// As [`Derivation::least_cost`], by the [costs that keep arcs](Oracle::keeping_costs): a derivation of the arcs that count, all of
    /// them if the system derives them together.
    pub fn keeping<S: Oracle<C>, C: Configuration>(system: &S, gold: &Gold, arena: C::Arena) -> Derivation {
        let costs = |c: &C, point: Point, permitted: MoveSet| system.keeping_costs(gold, c, point, permitted);
        Begun::new(system, gold, arena).least(costs)
    }

    /// The derivation that begins with `moves` and goes on by the static oracle, if that leads to the gold tree, or else by moves
    /// of least cost.
    ///
    /// # Errors
    /// If one of `moves` is not permitted: the number of those before it.
    pub fn after<S: Oracle<C>, C: Configuration>(
        system: &S,
        gold: &Gold,
        arena: C::Arena,
        moves: &[(Point, Move)],
    ) -> Result<Derivation, usize> {
        let mut begun = Begun::new(system, gold, arena);
        for (number, &(point, mv)) in moves.iter().enumerate() {
            begun.take(point, mv).ok_or(number)?;
        }
        Ok(begun.clone().canonical().unwrap_or_else(|| begun.least_cost()))
    }
}

/// The beginning of a derivation.
struct Begun<'g, S, C: Configuration> {
    system: &'g S,
    gold: &'g Gold,
    arena: C::Arena,
    configuration: C,
    derivation: Derivation,
}

impl<S, C: Configuration> Clone for Begun<'_, S, C> {
    fn clone(&self) -> Self {
        let Begun { system, gold, arena, ref configuration, ref derivation } = *self;
        Begun { system, gold, arena, configuration: configuration.clone(), derivation: derivation.clone() }
    }
}

impl<'g, S: Oracle<C>, C: Configuration> Begun<'g, S, C> {
    fn new(system: &'g S, gold: &'g Gold, arena: C::Arena) -> Self {
        let configuration = system.initial(arena, gold.n_words());
        let derivation = Derivation { actions: Vec::new(), tree: Tree::unattached(gold.n_words()) };
        Begun { system, gold, arena, configuration, derivation }
    }

    /// [`Derivation::canonical`] from here on.
    fn canonical(self) -> Option<Derivation> {
        let Begun { system, gold, .. } = self;
        self.follow(|c| Some(system.static_move(gold, c))).filter(|derivation| derivation.tree == *gold.tree())
    }

    /// [`Derivation::least_cost`] from here on.
    fn least_cost(self) -> Derivation {
        let Begun { system, gold, .. } = self;
        self.least(|c, point, permitted| system.costs(gold, c, point, permitted))
    }

    /// The same by these costs.
    fn least(self, costs: impl Fn(&C, Point, MoveSet) -> MoveCosts) -> Derivation {
        let Begun { system, gold, .. } = self;
        let rank = |mv: Move| match mv {
            Move::Left => 0,
            Move::Right => 1,
            Move::Reduce => 2,
            Move::Shift => 3,
            other => 4 + other as usize,
        };
        self.follow(|c: &C| {
            let preferred = system.prefers_static().then(|| system.static_move(gold, c));
            let at_point = |point| {
                let costs = costs(c, point, system.permitted(c, point).moves);
                system.info().moves.iter().filter_map(move |&mv| {
                    let cost = costs.get(mv)?;
                    Some((cost, preferred != Some((point, mv)), point, rank(mv), mv))
                })
            };
            let best = (0..system.n_points(c) as Point).flat_map(at_point).min();
            best.map(|(.., point, _, mv)| (point, mv))
        })
        .expect("a configuration that is not terminal permits a move")
    }

    /// Takes the moves that `choose` names until the end. `None` if a move is not permitted.
    fn follow(mut self, choose: impl Fn(&C) -> Option<(Point, Move)>) -> Option<Derivation> {
        while !self.system.is_terminal(&self.configuration) {
            let (point, mv) = choose(&self.configuration)?;
            self.take(point, mv)?;
        }
        let Begun { gold, mut derivation, .. } = self;
        for word in gold.tree().words() {
            if derivation.tree.head(word) == NO_NODE {
                derivation.tree.attach(word, ROOT, gold.label(word));
            }
        }
        Some(derivation)
    }

    /// Takes a move, at its point; `None` if it is not permitted. Every arc bears the gold label of its dependent, those of words
    /// left over as well.
    fn take(&mut self, point: Point, mv: Move) -> Option<()> {
        let Begun { system, gold, arena, configuration, derivation } = self;
        let is_permitted = !system.is_terminal(configuration)
            && usize::from(point) < system.n_points(configuration)
            && system.permitted(configuration, point).moves.has(mv);
        if !is_permitted {
            return None;
        }
        for word in system.detached(configuration, point, mv).into_iter().flatten() {
            derivation.tree.attach(word, NO_NODE, NO_LABEL);
        }
        let action = match system.arc(configuration, point, mv) {
            Some((head, dependent)) => {
                let label = gold.label(dependent);
                derivation.tree.attach(dependent, head, label);
                // A label that is not known may be any.
                Action::labelled(mv, if label == NO_LABEL { 0 } else { label }).at(point)
            }
            None => Action::bare(mv).at(point),
        };
        derivation.actions.push(action);
        *configuration = system.successor(configuration, action, *arena);
        Some(())
    }
}
