//! Roll-outs: what an action costs by the loss of the derivation that a policy finishes after it.

use rand::rngs::Xoshiro256PlusPlus;

use super::score_matrix::{MoveOption, ScoreMatrix};
use super::{LearningToSearch, LocalLearner, RollOut, draw, from_least, reference};
use crate::configuration::Point;
use crate::decode::{Item, Machine};
use crate::model::{DroppedFeatures, Trainable};
use crate::scorer::{Decisions, Stages};
use crate::system::{ActionId, Choice, TransitionSystem};
use crate::tree::{Gold, Tree};

/// The loss of a tree: 2 for each wrong head, 1 for each wrong label of a right one, times the weight of the arc.
pub fn loss(gold: &Gold, tree: &Tree) -> u32 {
    tree.words()
        .map(|word| match gold.head(word) == tree.head(word) {
            false => 2 * gold.weight(word),
            true => u32::from(gold.label(word) != tree.label(word)) * gold.weight(word),
        })
        .sum()
}

impl<'a, S: TransitionSystem> LocalLearner<'_, 'a, '_, S> {
    /// Replaces the costs of `options` by those of roll-outs, if any are called for.
    pub(super) fn roll_out(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        search: LearningToSearch,
        stream: &mut Xoshiro256PlusPlus,
        options: &mut [MoveOption],
    ) {
        let learned_share = match search.roll_out {
            RollOut::None => return,
            RollOut::Reference if !search.run_reference => return,
            RollOut::Reference => 0.0,
            RollOut::Learned => 1.0,
            RollOut::Mixture => match search.reference_share {
                Some(share) => 1.0 - share,
                None => search.learned_share(self.objective.n_examples()),
            },
        };
        // One policy finishes all the options of a configuration: their costs are compared with each other.
        let learned = draw(stream, learned_share);
        if options.len() < 2 || !learned && !search.run_reference {
            return;
        }
        for option in &mut *options {
            let choice = self.labelled(option);
            option.cost = self.loss_after(item, choice, learned) as f32;
        }
        from_least(options);
    }

    /// The loss of the derivation after `choice` and then the learned policy or the reference.
    pub(super) fn loss_after(&mut self, item: &'a Item<'a, S::Shared<'a>>, choice: Choice, learned: bool) -> u32 {
        let machine = self.setting.machine;
        let mut item = machine.successor(item, choice, 0, false, self.arena);
        let mut options = Vec::new();
        while !machine.is_terminal(item) {
            let choice = if learned {
                self.predict(item)
            } else {
                self.reference_options(item, &mut options);
                let option = options[reference(&options)];
                self.reference_choice(&option)
            };
            item = machine.successor(item, choice, 0, false, self.arena);
        }
        loss(self.supervision.gold, &machine.tree(item, self.context.input.n_nodes()))
    }

    /// Any action of the reference's move: with the gold label, if the arc is a gold one.
    fn reference_choice(&self, option: &MoveOption) -> Choice {
        let permitted = |id: &ActionId| self.setting.machine.actions.permits(option.permitted, *id);
        let first = || self.setting.machine.actions.of_move(option.mv).find(permitted);
        let action = option.gold.or_else(first).expect("every permitted move has a permitted action");
        Choice { point: option.point, action }
    }

    /// The move with the gold label, or else with the label of the highest score.
    fn labelled(&mut self, option: &MoveOption) -> Choice {
        let best = |action| Choice { point: option.point, action };
        option.gold.map_or_else(
            || {
                best(best_label(
                    &self.setting.machine,
                    self.setting.stages,
                    &mut self.scores,
                    option,
                    &*self.parameters,
                ))
            },
            best,
        )
    }

    /// Prediction of the learned policy.
    fn predict(&mut self, item: &'a Item<'a, S::Shared<'a>>) -> Choice {
        let (machine, stages) = (self.setting.machine, self.setting.stages);
        let n_points = machine.system.n_points(&item.configuration);
        let model = (&*self.parameters, &mut *self.memory);
        self.spare.fill(model, self.context, item, n_points, 0..n_points as Point, DroppedFeatures::default());
        let scores = &mut self.spare;
        let mut best: Option<(f32, MoveOption, ActionId)> = None;
        for point in 0..n_points as Point {
            let permitted = machine.system.permitted(&item.configuration, point);
            let mask = machine.actions.mask(permitted);
            for mv in permitted.moves.iter() {
                let option = MoveOption { point, mv, permitted, cost: 0.0, gold: None, label_cost: 1.0 };
                let mut offer = |output: u32, action: ActionId| {
                    let score = scores.get(point, output);
                    if best.as_ref().is_none_or(|(highest, ..)| score > *highest) {
                        best = Some((score, option, action));
                    }
                };
                let mut actions = machine.actions.of_move(mv).filter(|&id| mask[id as usize] == 0);
                match stages.decisions() {
                    Decisions::Joint => actions.for_each(|id| offer(u32::from(id), id)),
                    Decisions::Separate => actions.by_ref().take(1).for_each(|id| offer(stages.output(mv), id)),
                }
            }
        }
        let (_, option, action) = best.expect("a configuration that is not terminal permits something");
        let separate = stages.of_labels(option.mv).is_some();
        let action = if separate { best_label(&machine, stages, scores, &option, &*self.parameters) } else { action };
        Choice { point: option.point, action }
    }
}

/// The permitted action of a move with the highest score, the first of them on ties.
fn best_label<S: TransitionSystem>(
    machine: &Machine<S>,
    stages: &Stages,
    scores: &mut ScoreMatrix,
    option: &MoveOption,
    model: &dyn Trainable,
) -> ActionId {
    if let Some(stage) = stages.of_labels(option.mv) {
        scores.see_stage(model, stage, option.point);
    }
    let permitted = |id: &ActionId| machine.actions.permits(option.permitted, *id);
    let score = |id: ActionId| scores.get(option.point, u32::from(id));
    let better = |best: ActionId, id: ActionId| if score(id) > score(best) { id } else { best };
    let best = machine.actions.of_move(option.mv).filter(permitted).reduce(better);
    best.expect("every permitted move has a permitted action")
}
