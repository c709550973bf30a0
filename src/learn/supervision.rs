//! Supervision: the correct actions in a configuration, and the canonical derivation.

use crate::configuration::{Configuration, Point};
use crate::decode::Machine;
use crate::system::{ActionId, Choice, Derivation, Move, Oracle, Permitted, TransitionSystem, gold_label};
use crate::tree::Gold;

/// Supervision of a sentence: a system with its actions, and a gold tree; finds correct actions.
#[derive(Debug, Clone, Copy)]
pub struct Supervision<'s, S> {
    /// The system with its actions.
    pub machine: Machine<'s, S>,
    /// The gold tree.
    pub gold: &'s Gold,
}

/// Gold derivations of a sentence: those that greedy training, beams and their diagnosis take for correct.
#[derive(Debug, Clone, Copy)]
pub enum GoldSide<'t> {
    /// The canonical derivation alone.
    Canonical(&'t [Choice]),
    /// Every derivation by choices of least cost: the model chooses among them.
    LeastCost,
}

impl<S: TransitionSystem> Supervision<'_, S> {
    /// Replaces `correct` by the correct choices in `c`, in ascending order, after `n_steps` of a derivation.
    #[inline]
    pub fn correct<C: Configuration>(&self, side: GoldSide, c: &C, n_steps: usize, correct: &mut Vec<Choice>)
    where
        S: Oracle<C>,
    {
        match side {
            GoldSide::Canonical(derivation) => {
                correct.clear();
                correct.push(derivation[n_steps]);
            }
            GoldSide::LeastCost => self.correct_choices(c, correct),
        }
    }

    /// Replaces `correct` by the choices of least labelled cost, in ascending order; never empty where anything is
    /// permitted.
    ///
    /// While the gold tree is reachable these are the zero-cost choices. Elsewhere (after exploring, or for a tree
    /// that the system cannot derive) the least cost may be above zero. An arc of the gold tree must bear its gold label; on
    /// an arc that is not in the gold tree every label costs the same, so the model may choose (as Goldberg's trainer does).
    pub fn correct_choices<C: Configuration>(&self, c: &C, correct: &mut Vec<Choice>)
    where
        S: Oracle<C>,
    {
        correct.clear();
        let mut least = u32::MAX;
        for point in 0..self.machine.system.n_points(c) as Point {
            let permitted = self.machine.system.permitted(c, point);
            let costs = self.machine.system.costs(self.gold, c, point, permitted.moves);
            let Some(cost) = costs.least().filter(|&cost| cost <= least) else { continue };
            if cost < least {
                correct.clear();
                least = cost;
            }
            for mv in permitted.moves.iter().filter(|&mv| costs.get(mv) == Some(least)) {
                let at_point = |action| Choice { point, action };
                match self.gold_action(c, point, mv, permitted) {
                    Some(action) => correct.push(at_point(action)),
                    None => correct.extend(self.permitted_actions(mv, permitted).map(at_point)),
                }
            }
        }
    }

    /// Replaces `losses`, by point and action, by what each permitted action loses: 2 for each head that it puts out
    /// of reach, and 1 for a wrong label on a gold arc, times the arc's weight, beyond what the best action loses. Where the oracle's costs are exact
    /// these add up, over a derivation, to the Hamming loss of heads and labels; where they are not, to an estimate.
    pub fn losses<C: Configuration>(&self, c: &C, losses: &mut Vec<Vec<i32>>)
    where
        S: Oracle<C>,
    {
        let Machine { system, actions, .. } = self.machine;
        let n_points = system.n_points(c);
        losses.resize(n_points.max(losses.len()), Vec::new());
        let mut least = u32::MAX;
        for (point, losses) in losses[..n_points].iter_mut().enumerate() {
            let point = point as Point;
            let permitted = system.permitted(c, point);
            let costs = system.costs(self.gold, c, point, permitted.moves);
            losses.clear();
            losses.resize(actions.width(), 0);
            for (mv, cost) in permitted.moves.iter().filter_map(|mv| Some((mv, costs.get(mv)?))) {
                let gold = self.gold_action(c, point, mv, permitted);
                let of_label = self.label_loss(c, point, mv) as i32;
                for id in actions.of_move(mv) {
                    let wrong_label = gold.is_some_and(|gold| gold != id);
                    losses[usize::from(id)] = 2 * cost as i32 + if wrong_label { of_label } else { 0 };
                }
                least = least.min(cost);
            }
        }
        if least != u32::MAX {
            losses[..n_points].iter_mut().flatten().for_each(|loss| *loss = (*loss - 2 * least as i32).max(0));
        }
    }

    /// The loss of a wrong label on the arc of `mv`, if that is a gold arc: its weight.
    pub fn label_loss<C: Configuration>(&self, c: &C, point: Point, mv: Move) -> u32
    where
        S: Oracle<C>,
    {
        let arc = if self.gold.is_weighted() { self.machine.system.arc(c, point, mv) } else { None };
        arc.map_or(1, |(_, dependent)| self.gold.weight(dependent))
    }

    /// `mv` with its gold label, if it makes a gold arc and that label is permitted here.
    pub fn gold_action<C: Configuration>(&self, c: &C, point: Point, mv: Move, permitted: Permitted) -> Option<ActionId>
    where
        S: Oracle<C>,
    {
        let label = gold_label(&self.machine.system, self.gold, c, point, mv)?;
        self.machine.actions.id(mv, label).filter(|&id| self.machine.actions.permits(permitted, id))
    }

    fn permitted_actions(&self, mv: Move, permitted: Permitted) -> impl Iterator<Item = ActionId> {
        self.machine.actions.of_move(mv).filter(move |&id| self.machine.actions.permits(permitted, id))
    }

    /// The canonical derivation of the gold tree: that of the static oracle, or for a tree that the system cannot derive,
    /// one of least cost.
    pub fn derivation<C: Configuration>(&self, arena: C::Arena) -> Vec<Choice>
    where
        S: Oracle<C>,
    {
        let mut c: C = self.machine.system.initial(arena, self.gold.n_words());
        let derivation = Derivation::canonical::<_, C>(&self.machine.system, self.gold, arena)
            .unwrap_or_else(|| Derivation::least_cost::<_, C>(&self.machine.system, self.gold, arena));
        let choices = derivation.actions.iter().map(|action| {
            let permitted = self.machine.system.permitted(&c, action.point);
            let known = self
                .machine
                .actions
                .id(action.mv, action.label)
                .filter(|&id| self.machine.actions.permits(permitted, id));
            // An arc that is not in the tree may ask for a label that its move never bears.
            let id = known.or_else(|| self.permitted_actions(action.mv, permitted).next());
            c = self.machine.system.successor(&c, *action, arena);
            Choice { point: action.point, action: id.expect("every permitted move has a permitted action") }
        });
        choices.collect()
    }
}
