//! Global training against exact search: the structured perceptron as Collins (2002) has it, without search errors.
//!
//! The predicted derivation is the best of all; the gold one is the canonical one, or the best of those that lose least. Each
//! that is not gold scores at least as much as the gold one: every mistake is a violation (Huang, Fayong & Guo 2012), and the
//! whole derivations are compared. With loss-augmented decoding the Hamming loss of heads and labels is added to scores,
//! which tabulation can do as the loss is a sum over arcs.

use super::global::GlobalOptions;
use super::supervision::{GoldSide, Supervision};
use crate::configuration::{Arena, ArenaConfiguration};
use crate::decode::exact::{Loss, Tabulation};
use crate::decode::{Item, Machine, Workspace};
use crate::model::Trainable;
use crate::scorer::{Context, Opaque, Query};
use crate::system::{Choice, OverStacks, Permitted};

/// Penalty of the gold derivation for a wrong word: more than any scores make up for.
const FORBIDDING: i64 = 1 << 44;

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
            (best_gold, _) = tabulation.search(&*scorer, machine.actions, workspace, loss(-FORBIDDING));
            &best_gold
        }
    };
    let (arena, context, scratch) = workspace.begin(&*scorer, machine.actions);
    if !difference(&machine, arena, (&predicted, gold), (model, scratch.memory, context), gradient) {
        return false;
    }
    if let Some(aggressiveness) = options.aggressiveness {
        let mut item: &Item<_> = machine.initial(arena, context.input.n_words());
        let mut gold_score = 0;
        for &choice in gold {
            let query = Query { view: item.view(choice.point), permitted: Permitted::default() };
            let scores = scorer.score_one(scratch.memory, context, &query);
            gold_score += i64::from(scores[usize::from(choice.action)]);
            item = machine.successor(item, choice, 0, false, arena);
        }
        model.lengthen(gradient, (highest - gold_score) as f32 / model.unit(), aggressiveness);
    }
    true
}

/// Adds to `gradient` that of the difference between the scores of two derivations, predicted and gold; whether there is any. What
/// both do before they part cancels.
pub(super) fn difference<'a>(
    machine: &Machine<&'static dyn OverStacks>,
    arena: Arena<'a>,
    (predicted, gold): (&[Choice], &[Choice]),
    (model, memory, context): (&dyn Trainable, &mut Opaque, Context),
    gradient: &mut Opaque,
) -> bool {
    let Some(parted) = predicted.iter().zip(gold).position(|(predicted, gold)| predicted != gold) else {
        return false;
    };
    for (derivation, slope) in [(predicted, 1.0), (gold, -1.0)] {
        let mut item: &Item<ArenaConfiguration<'a>> = machine.initial(arena, context.input.n_words());
        for (step, &choice) in derivation.iter().enumerate() {
            if step >= parted {
                let query = Query { view: item.view(choice.point), permitted: Permitted::default() };
                let slopes = [(u32::from(choice.action), slope)];
                model.credit(memory, context, &query, None, 0, &slopes, gradient);
            }
            item = machine.successor(item, choice, 0, false, arena);
        }
    }
    true
}
