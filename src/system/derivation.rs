//! Derivations that follow a gold tree.

use super::{Action, Move, Oracle};
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
        Derivation::follow(system, gold, arena, |c: &C| Some(system.static_move(gold, c)))
            .filter(|derivation| derivation.tree == *gold.tree())
    }

    /// A derivation that takes a move of least cost in every configuration, where several are the first of LEFT, RIGHT,
    /// REDUCE, SHIFT and others, at the first point. With exact costs no other derivation gets more heads right.
    pub fn least_cost<S: Oracle<C>, C: Configuration>(system: &S, gold: &Gold, arena: C::Arena) -> Derivation {
        let rank = |mv: Move| match mv {
            Move::Left => 0,
            Move::Right => 1,
            Move::Reduce => 2,
            Move::Shift => 3,
            other => 4 + other as usize,
        };
        Derivation::follow(system, gold, arena, |c: &C| {
            let at_point = |point| {
                let costs = system.costs(gold, c, point, system.permitted(c, point).moves);
                system.info().moves.iter().filter_map(move |&mv| Some((costs.get(mv)?, point, rank(mv), mv)))
            };
            let best = (0..system.n_points(c) as Point).flat_map(at_point).min();
            best.map(|(_, point, _, mv)| (point, mv))
        })
        .expect("a configuration that is not terminal permits a move")
    }

    /// Takes the moves that `choose` names until the end; every arc bears the gold label of its dependent, those of words left
    /// over as well. `None` if a
    /// move is not permitted.
    fn follow<S: Oracle<C>, C: Configuration>(
        system: &S,
        gold: &Gold,
        arena: C::Arena,
        choose: impl Fn(&C) -> Option<(Point, Move)>,
    ) -> Option<Derivation> {
        let mut c: C = system.initial(arena, gold.n_words());
        let mut derivation = Derivation { actions: Vec::new(), tree: Tree::unattached(gold.n_words()) };
        while !system.is_terminal(&c) {
            let (point, mv) = choose(&c).filter(|&(point, mv)| system.permitted(&c, point).moves.has(mv))?;
            for word in system.detached(&c, point, mv).into_iter().flatten() {
                derivation.tree.attach(word, NO_NODE, NO_LABEL);
            }
            let action = match system.arc(&c, point, mv) {
                Some((head, dependent)) => {
                    let label = gold.label(dependent);
                    derivation.tree.attach(dependent, head, label);
                    Action::labelled(mv, label).at(point)
                }
                None => Action::bare(mv).at(point),
            };
            derivation.actions.push(action);
            c = system.successor(&c, action, arena);
        }
        for word in gold.tree().words() {
            if derivation.tree.head(word) == NO_NODE {
                derivation.tree.attach(word, ROOT, gold.label(word));
            }
        }
        Some(derivation)
    }
}
