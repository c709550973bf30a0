//! Greedy training: one decision at a time (Goldberg & Nivre 2013, algorithms 2 and 3).

use super::change::Memory;
use super::exploration::Exploration;
use super::supervision::Supervision;
use crate::configuration::{Arena, ArenaConfiguration};
use crate::decode::{Decoder, Workspace};
use crate::system::{ActionId, Oracle};

/// The gold side of one sentence.
#[derive(Debug)]
pub enum Teacher<'t> {
    /// The canonical derivation, which is also followed.
    Static(&'t [ActionId]),
    /// Every action of least cost; wrong predictions are followed as the policy says.
    Dynamic(Exploration),
}

/// Learns from the sentence in `workspace.input`; the number of updates.
///
/// With a dynamic oracle a prediction among the correct actions is followed; after an update the best correct action is, or
/// the wrong prediction if the policy says so.
pub fn learn<S: Oracle, W, M: Memory>(
    decoder: &Decoder<S, W>,
    supervision: &Supervision<S>,
    mut teacher: Teacher,
    workspace: &mut Workspace,
    memory: &mut M,
) -> u64 {
    let n_words = workspace.input.n_words();
    workspace.start(decoder.features, decoder.actions.width());
    let Workspace { bump, label_sets, scorer, input, .. } = workspace;
    let arena = Arena::new(bump, label_sets, &[]);
    let mut configuration: ArenaConfiguration = decoder.system.initial(arena, n_words);
    let mut correct: Vec<ActionId> = Vec::new();
    let mut updates = 0;
    for step in 0..decoder.system.derivation_len(n_words) {
        let permitted = decoder.system.permitted(&configuration);
        let mask = decoder.actions.mask(permitted);
        let (scores, features) =
            scorer.score_plainly(decoder.features, memory.weights(), input, label_sets, &configuration);
        let predicted = best((0..decoder.actions.len() as ActionId).filter(|&a| mask[a as usize] == 0), scores);
        match &teacher {
            Teacher::Static(derivation) => {
                correct.clear();
                correct.push(derivation[step]);
            }
            Teacher::Dynamic(_) => supervision.correct_actions(&configuration, permitted, &mut correct),
        }
        let follow = if correct.binary_search(&predicted).is_ok() {
            predicted
        } else {
            let good = best(correct.iter().copied(), scores);
            memory.correct(features, good, predicted);
            updates += 1;
            let follow_mistake = match &mut teacher {
                Teacher::Static(_) => false,
                Teacher::Dynamic(exploration) => exploration.follow_mistake(),
            };
            if follow_mistake { predicted } else { good }
        };
        configuration = decoder.system.successor(&configuration, decoder.actions.get(follow), arena);
    }
    updates
}

/// The action of the highest score, the first of them on ties.
fn best(actions: impl Iterator<Item = ActionId>, scores: &[i32]) -> ActionId {
    let mut best: Option<(i32, ActionId)> = None;
    for action in actions {
        let score = scores[action as usize];
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, action));
        }
    }
    best.expect("some action is permitted").1
}
