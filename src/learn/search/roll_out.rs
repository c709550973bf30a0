//! Roll-outs: what an action costs by the loss of the derivation that a policy finishes after it.

use rand::rngs::Xoshiro256PlusPlus;

use super::frame::{Frame, MoveOption};
use super::{RollOut, Search, Searcher, draw, from_least, reference};
use crate::configuration::Point;
use crate::decode::{Decoder, Item};
use crate::learn::base::Base;
use crate::model::{Decisions, Parts};
use crate::system::{ActionId, Choice, TransitionSystem};
use crate::tree::{Gold, Tree};

/// The loss of a tree: 2 for each wrong head, 1 for each wrong label of a right one.
pub fn loss(gold: &Gold, tree: &Tree) -> u32 {
    tree.words()
        .map(|word| match gold.head(word) == tree.head(word) {
            false => 2,
            true => u32::from(gold.label(word) != tree.label(word)),
        })
        .sum()
}

impl<'a, S: TransitionSystem> Searcher<'_, 'a, S> {
    /// Replaces the costs of `options` by those of roll-outs, if any are called for.
    pub(super) fn roll_out(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        search: Search,
        stream: &mut Xoshiro256PlusPlus,
        base: &Base,
        options: &mut [MoveOption],
    ) {
        let learned_share = match search.roll_out {
            RollOut::None => return,
            RollOut::Reference if !search.run_reference => return,
            RollOut::Reference => 0.0,
            RollOut::Learned => 1.0,
            RollOut::Mixture => match search.reference_share {
                Some(share) => 1.0 - share,
                None => search.learned_share(base.n_examples()),
            },
        };
        // One policy finishes all the options of a configuration: their costs are compared with each other.
        let learned = draw(stream, learned_share);
        if options.len() < 2 || !learned && !search.run_reference {
            return;
        }
        for option in &mut *options {
            let choice = self.labelled(option, base);
            option.cost = self.loss_after(item, choice, learned, base) as f32;
        }
        from_least(options);
    }

    /// The loss of the derivation after `choice` and then the learned policy or the reference.
    pub(super) fn loss_after(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        choice: Choice,
        learned: bool,
        base: &Base,
    ) -> u32 {
        let mut item = self.decoder.successor(item, choice, 0, false, self.arena);
        let mut options = Vec::new();
        while !self.decoder.system.is_terminal(&item.configuration) {
            let choice = if learned {
                self.predict(item, base)
            } else {
                self.reference_options(item, &mut options);
                let option = options[reference(&options)];
                self.reference_choice(&option)
            };
            item = self.decoder.successor(item, choice, 0, false, self.arena);
        }
        loss(self.supervision.gold, &self.decoder.tree(item, self.n_words))
    }

    /// Any action of the reference's move: with the gold label, if the arc is a gold one.
    fn reference_choice(&self, option: &MoveOption) -> Choice {
        let permitted = |id: &ActionId| self.decoder.actions.permits(option.permitted, *id);
        let first = || self.decoder.actions.of_move(option.mv).find(permitted);
        let action = option.gold.or_else(first).expect("every permitted move has a permitted action");
        Choice { point: option.point, action }
    }

    /// The move with the gold label, or else with the label of the highest score.
    fn labelled(&mut self, option: &MoveOption, base: &Base) -> Choice {
        let best = |action| Choice { point: option.point, action };
        option.gold.map_or_else(|| best(best_label(self.decoder, self.parts, &mut self.frame, option, base)), best)
    }

    /// What the learned policy does.
    fn predict(&mut self, item: &Item<'a, S::Shared<'a>>, base: &Base) -> Choice {
        let (decoder, parts, frame) = (self.decoder, self.parts, &mut self.spare);
        let n_points = decoder.system.n_points(&item.configuration);
        frame.fill(&mut self.source, base, item, n_points);
        let mut best: Option<(f32, MoveOption, ActionId)> = None;
        for point in 0..n_points as Point {
            let permitted = decoder.system.permitted(&item.configuration, point);
            let mask = decoder.actions.mask(permitted);
            for mv in permitted.moves.iter() {
                let option = MoveOption { point, mv, permitted, cost: 0.0, gold: None };
                let mut offer = |lane: u32, action: ActionId| {
                    let score = frame.get(point, lane);
                    if best.as_ref().is_none_or(|(highest, ..)| score > *highest) {
                        best = Some((score, option, action));
                    }
                };
                let mut actions = decoder.actions.of_move(mv).filter(|&id| mask[id as usize] == 0);
                match parts.decisions() {
                    Decisions::Joint => actions.for_each(|id| offer(u32::from(id), id)),
                    Decisions::Separate => actions.by_ref().take(1).for_each(|id| offer(parts.lane(mv), id)),
                }
            }
        }
        let (_, option, action) = best.expect("a configuration that is not terminal permits something");
        let separate = parts.of_labels(option.mv).is_some();
        let action = if separate { best_label(decoder, parts, frame, &option, base) } else { action };
        Choice { point: option.point, action }
    }
}

/// The permitted action of a move with the highest score, the first of them on ties.
fn best_label<S: TransitionSystem>(
    decoder: &Decoder<S, ()>,
    parts: &Parts,
    frame: &mut Frame,
    option: &MoveOption,
    base: &Base,
) -> ActionId {
    if let Some(part) = parts.of_labels(option.mv) {
        frame.score(base, part, option.point);
    }
    let permitted = |id: &ActionId| decoder.actions.permits(option.permitted, *id);
    let score = |id: ActionId| frame.get(option.point, u32::from(id));
    let better = |best: ActionId, id: ActionId| if score(id) > score(best) { id } else { best };
    let best = decoder.actions.of_move(option.mv).filter(permitted).reduce(better);
    best.expect("every permitted move has a permitted action")
}
