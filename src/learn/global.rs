//! Global training: a structured perceptron over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! With a static oracle the gold side is one derivation; with a dynamic one, every derivation of the gold tree is followed, and
//! the model chooses among them.

use super::Update;
use super::change::Change;
use super::pursuit::{Pair, Pursuit};
use super::violation::Step;
use crate::configuration::{Arena, View as _};
use crate::decode::{IDLE, Item, Workspace};
use crate::model::Weights;
use crate::system::TransitionSystem;

/// Decodes the sentence in `workspace.input` with the current weights and leaves the changes that `update` calls for in
/// `changes`; whether there are any.
pub fn learn<S: TransitionSystem, W: Weights>(
    pursuit: &Pursuit<S, W>,
    update: Update,
    workspace: &mut Workspace,
    changes: &mut Vec<Change>,
) -> bool {
    let decoder = &pursuit.decoder;
    workspace.start(decoder.actions.width());
    let (bump, mut scratch) = workspace.parts();
    let arena = Arena::new(bump, scratch.label_sets, decoder.features.masks());
    let mut pair: Pair<S::Shared<'_>> = pursuit.start(arena, scratch.input.n_words());
    let mut trace: Vec<Step> = Vec::new();
    let mut prefixes: Vec<(&Item<_>, &Item<_>)> = Vec::new();
    while pursuit.advance(&mut pair, arena, &mut scratch) {
        let step = pair.step();
        trace.push(step);
        prefixes.push((pair.items[0], pair.gold_items[0]));
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
        for (item, change) in [(predicted[i], -1), (gold[i], 1)] {
            let action = match item.choice {
                IDLE => decoder.actions.idle(),
                choice => Some(choice.action),
            };
            let Some(action) = action else { continue };
            let before = item.parent.expect("only initial items have no parent");
            let cells = before.cells(item.choice.point);
            let features = scratch.scorer.features(decoder.features, scratch.input, scratch.label_sets, &cells);
            changes.extend(features.iter().map(|&feature| (feature, action, change)));
        }
    }
    true
}
