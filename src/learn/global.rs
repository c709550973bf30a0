//! Global training: a structured perceptron over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! Two beams advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix after
//! gold has fallen off the free one. With a static oracle the second holds one derivation; with a dynamic one, every
//! derivation of the gold tree is followed, and the model chooses among them.

use super::Update;
use super::change::Change;
use super::supervision::Supervision;
use super::violation::Step;
use crate::configuration::Arena;
use crate::decode::{Beam, Candidate, Decoder, Item, Workspace, selected};
use crate::model::Weights;
use crate::system::{ActionId, Oracle};

/// The gold side of one sentence.
#[derive(Debug, Clone, Copy)]
pub enum GoldSide<'t> {
    /// The canonical derivation.
    Static(&'t [ActionId]),
    /// Any derivation of least cost.
    Dynamic,
}

/// Decodes the sentence in `workspace.input` with the current weights and leaves the changes that `update` calls for in
/// `changes`; whether there are any.
pub fn learn<S: Oracle, W: Weights>(
    decoder: &Decoder<S, W>,
    supervision: &Supervision<S>,
    gold_side: GoldSide,
    update: Update,
    width: usize,
    workspace: &mut Workspace,
    changes: &mut Vec<Change>,
) -> bool {
    let n_words = workspace.input.n_words();
    workspace.start(decoder.features, decoder.actions.width());
    let Workspace { bump, label_sets, scorer, input, candidates, distinct } = workspace;
    let arena = Arena::new(bump, label_sets, decoder.features.masks());
    let mut items: Vec<&Item> = vec![decoder.initial(arena, n_words)];
    let mut gold_items = items.clone();
    let mut trace: Vec<Step> = Vec::new();
    let mut prefixes: Vec<(&Item, &Item)> = Vec::new();
    let mut correct = Vec::new();
    let mut correct_by_rank: Vec<(u32, ActionId)> = Vec::new();

    for step in 0..decoder.system.derivation_len(n_words) {
        let correct_actions = |item: &Item, correct: &mut Vec<ActionId>| match gold_side {
            GoldSide::Static(derivation) => {
                correct.clear();
                correct.push(derivation[step]);
            }
            GoldSide::Dynamic => {
                let permitted = decoder.system.permitted(&item.configuration);
                supervision.correct_actions(&item.configuration, permitted, correct);
            }
        };

        let mut beam = Beam::new(selected(width), candidates);
        correct_by_rank.clear();
        for (rank, item) in items.iter().enumerate() {
            let scores = scorer.score(decoder.features, decoder.weights, input, label_sets, &item.configuration);
            let permitted = decoder.system.permitted(&item.configuration);
            beam.offer_all(rank as u32, item.score, scores, decoder.actions.mask(permitted));
            if item.is_gold {
                correct_actions(item, &mut correct);
                correct_by_rank.extend(correct.iter().map(|&action| (rank as u32, action)));
            }
        }
        let is_gold = |c: &Candidate| correct_by_rank.binary_search(&(c.rank, c.action)).is_ok();
        let mut next: Vec<&Item> = Vec::with_capacity(width);
        decoder.build(&items, beam.finish(), width, distinct, arena, is_gold, |item| next.push(item));

        let mut beam = Beam::new(selected(width), candidates);
        for (rank, item) in gold_items.iter().enumerate() {
            let scores = scorer.score(decoder.features, decoder.weights, input, label_sets, &item.configuration);
            correct_actions(item, &mut correct);
            for &action in &correct {
                let score = item.score + i64::from(scores[action as usize]);
                beam.offer(Candidate { score, rank: rank as u32, action });
            }
        }
        let mut next_gold: Vec<&Item> = Vec::with_capacity(gold_items.len());
        decoder.build(&gold_items, beam.finish(), width, distinct, arena, |_| true, |item| next_gold.push(item));

        (items, gold_items) = (next, next_gold);
        let (predicted, gold) = (items[0], gold_items[0]);
        trace.push(Step {
            predicted: predicted.score,
            gold: gold.score,
            predicted_is_gold: predicted.is_gold,
            gold_in_beam: items.iter().any(|item| item.is_gold),
        });
        prefixes.push((predicted, gold));
        if update.stops_early() && !trace[step].gold_in_beam {
            break;
        }
    }

    let Some(chosen) = update.choose(&trace) else { return false };
    let (predicted, gold) = prefixes[chosen];
    let predicted: Vec<&Item> = predicted.history().collect();
    let gold: Vec<&Item> = gold.history().collect();
    // Both are as long, last item first. What both did before they parted cancels.
    let Some(parted) = (0..predicted.len() - 1).rev().find(|&i| predicted[i].action != gold[i].action) else {
        return false;
    };
    for i in 0..=parted {
        for (item, change) in [(predicted[i], -1), (gold[i], 1)] {
            let before = item.parent.expect("only initial items have no parent");
            let features = scorer.features(decoder.features, input, label_sets, &before.configuration);
            changes.extend(features.iter().map(|&feature| (feature, item.action, change)));
        }
    }
    true
}
