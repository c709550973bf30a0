//! Global training against exact search: the structured perceptron as Collins (2002) has it, without search errors.
//!
//! The predicted derivation is the best of all; the gold one is the canonical one, or the best of those that lose least. Each
//! that is not gold scores at least as much as the gold one: every mistake is a violation (Huang, Fayong & Guo 2012), and the
//! whole derivations are compared. With loss-augmented decoding the Hamming loss of heads and labels is added to scores,
//! which tabulation can do as the loss is a sum over arcs.

use super::global::{AdditionOrder, GlobalOptions, learn_difference};
use super::supervision::{GoldSide, Supervision};
use crate::decode::Workspace;
use crate::decode::exact::{Loss, Tabulation};
use crate::model::Trainable;
use crate::scorer::{Opaque, Query};
use crate::system::{Choice, OverStacks, Permitted};

/// Decodes the sentence in `workspace.input` and adds to `gradient` that of the difference between the scores of the predicted
/// and the gold derivation; whether there is any.
pub fn learn(
    tabulation: &Tabulation,
    supervision: &Supervision<&'static dyn OverStacks>,
    gold_side: GoldSide,
    options: GlobalOptions,
    model: &dyn Trainable,
    workspace: &mut Workspace,
    gradient: &mut Opaque,
) -> bool {
    let Supervision { machine, gold } = *supervision;
    let scorer = model.scorer();
    let loss = |weight| Some(Loss { gold, weight }).filter(|_| weight != 0);
    let margin = options.loss_weight(model.unit());
    let (predicted, highest) = tabulation.search(&*scorer, machine.actions, workspace, loss(margin.into()));
    let best_gold;
    let gold: &[Choice] = match gold_side {
        GoldSide::Canonical(derivation) => derivation,
        GoldSide::LeastCost => {
            let forbidding = Some(Loss::forbidding(gold));
            (best_gold, _) = tabulation.search(&*scorer, machine.actions, workspace, forbidding);
            &best_gold
        }
    };
    let (arena, context, scratch) = workspace.begin(&*scorer, machine.actions);
    let [predicted, of_gold] =
        [&predicted[..], gold].map(|choices| machine.derive(choices.iter().copied(), arena, context.input.n_nodes()));
    if !learn_difference(AdditionOrder::FirstFirst, predicted, of_gold, (model, scratch.memory, context), gradient) {
        return false;
    }
    if let Some(aggressiveness) = options.aggressiveness {
        let mut gold_score = 0;
        for item in of_gold.history() {
            let Some(before) = item.parent else { break };
            let query = Query { view: before.view(item.choice.point), permitted: Permitted::default() };
            let scores = scorer.score_one(scratch.memory, context, &query);
            gold_score += i64::from(scores[usize::from(item.choice.action)]);
        }
        model.lengthen(gradient, (highest - gold_score) as f32 / model.unit(), aggressiveness);
    }
    true
}
