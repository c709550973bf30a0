//! Global training: a structured loss over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! With a static oracle the gold side is one derivation; with a dynamic one, every derivation of the gold tree is followed, and
//! the model chooses among them. An [`Update`] says which pair of prefixes is compared; the loss is by how much the predicted
//! one outscores the gold one.

use super::Update;
use super::pursuit::{Beams, Pursuit};
use super::violation::PrefixScores;
use crate::configuration::Arena;
use crate::decode::{IDLE, Item, Workspace};
use crate::model::Trainable;
use crate::scorer::{Query, Scorer as _};
use crate::system::{Permitted, TransitionSystem};

/// Decodes the sentence in `workspace.input` with the parameters as they are and adds the gradient that `update` calls for to
/// `gradient`; whether there is any.
pub fn learn<'p, S: TransitionSystem, T: Trainable>(
    pursuit: &Pursuit<'p, S, T::Scorer<'p>>,
    model: &T,
    update: Update,
    workspace: &mut Workspace<T::Memory>,
    gradient: &mut T::Gradient,
) -> bool {
    let decoder = &pursuit.decoder;
    workspace.start();
    let (bump, context, mut scratch) = workspace.parts(decoder.machine.actions);
    decoder.scorer.begin(scratch.memory, context);
    let arena = Arena::new(bump, context.label_sets, decoder.scorer.masks());
    let mut beams: Beams<S::Shared<'_>> = pursuit.start(arena, context.input.n_words());
    let mut trace: Vec<PrefixScores> = Vec::new();
    let mut prefixes: Vec<(&Item<_>, &Item<_>)> = Vec::new();
    while pursuit.advance(&mut beams, arena, context, &mut scratch) {
        let step = beams.scores();
        trace.push(step);
        prefixes.push((beams.items[0], beams.gold_items[0]));
        if update.stops_early() && !step.gold_in_beam {
            break;
        }
    }

    let Some(chosen) = update.choose(&trace) else { return false };
    let (predicted, gold) = prefixes[chosen];
    let predicted: Vec<&Item<_>> = predicted.history().collect();
    let gold: Vec<&Item<_>> = gold.history().collect();
    // Both are as long, last item first. What both did before they parted cancels.
    let Some(parted) = (0..predicted.len() - 1).rev().find(|&i| predicted[i].choice != gold[i].choice) else {
        return false;
    };
    for i in 0..=parted {
        for (item, slope) in [(predicted[i], 1.0), (gold[i], -1.0)] {
            let action = match item.choice {
                IDLE => decoder.machine.actions.idle(),
                choice => Some(choice.action),
            };
            let Some(action) = action else { continue };
            let before = item.parent.expect("only initial items have no parent");
            let point = if item.choice == IDLE { 0 } else { item.choice.point };
            let query = Query { view: before, point, permitted: Permitted::default() };
            model.credit(scratch.memory, context, query, None, 0, &[(u32::from(action), slope)], gradient);
        }
    }
    true
}
