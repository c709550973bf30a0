//! The gold side: which actions are correct in a configuration, and the canonical derivation.

use crate::configuration::{Arena, ArenaConfiguration};
use crate::system::{ActionId, Actions, Derivation, Move, Oracle, Permitted, gold_label};
use crate::tree::Gold;

/// What tells correct actions: a system, its actions, a gold tree.
#[derive(Debug, Clone, Copy)]
pub struct Supervision<'s, S> {
    /// The system.
    pub system: S,
    /// The actions.
    pub actions: &'s Actions,
    /// The gold tree.
    pub gold: &'s Gold,
}

impl<S: Oracle> Supervision<'_, S> {
    /// Replaces `correct` by the actions of least labelled cost, in ascending order; never empty where any action is
    /// permitted.
    ///
    /// Where the gold tree is still reachable these are the zero-cost actions. Elsewhere (after exploring, or for a tree
    /// that the system cannot derive) the least cost may be above zero. An arc of the gold tree must bear its gold label; on
    /// an arc that is not in the gold tree every label costs the same, so the model may choose (as Goldberg's trainer does).
    pub fn correct_actions(
        &self,
        configuration: &ArenaConfiguration,
        permitted: Permitted,
        correct: &mut Vec<ActionId>,
    ) {
        correct.clear();
        let costs = self.system.costs(self.gold, configuration, permitted.moves);
        let Some(least) = costs.least() else { return };
        for mv in permitted.moves.iter().filter(|&mv| costs.get(mv) == Some(least)) {
            match self.gold_action(configuration, mv, permitted) {
                Some(action) => correct.push(action),
                None => correct.extend(self.permitted_actions(mv, permitted)),
            }
        }
    }

    /// `mv` with its gold label, if it makes a gold arc and that label is permitted here.
    fn gold_action(&self, configuration: &ArenaConfiguration, mv: Move, permitted: Permitted) -> Option<ActionId> {
        let label = gold_label(&self.system, self.gold, configuration, mv)?;
        self.actions.id(mv, label).filter(|&id| self.actions.permits(permitted, id))
    }

    fn permitted_actions(&self, mv: Move, permitted: Permitted) -> impl Iterator<Item = ActionId> {
        self.actions.of_move(mv).filter(move |&id| self.actions.permits(permitted, id))
    }

    /// The canonical derivation of the gold tree: that of the static oracle, or for a tree that the system cannot derive,
    /// one of least cost.
    pub fn derivation(&self, arena: Arena) -> Vec<ActionId> {
        let mut configuration: ArenaConfiguration = self.system.initial(arena, self.gold.n_words());
        let canonical = Derivation::least_cost::<_, ArenaConfiguration>(&self.system, self.gold, arena);
        let ids = canonical.actions.iter().map(|action| {
            let permitted = self.system.permitted(&configuration);
            let known = self.actions.id(action.mv, action.label).filter(|&id| self.actions.permits(permitted, id));
            // An arc that is not in the tree may ask for a label that its move never bears.
            let id = known.or_else(|| self.permitted_actions(action.mv, permitted).next());
            configuration = self.system.successor(&configuration, *action, arena);
            id.expect("every permitted move has a permitted action")
        });
        ids.collect()
    }
}
