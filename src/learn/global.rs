//! Global training: a structured perceptron over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! Two beams advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix after
//! gold has fallen off the free one. With a static oracle the second holds one derivation; with a dynamic one, every
//! derivation of the gold tree is followed, and the model chooses among them.

use super::Update;
use super::change::Change;
use super::supervision::Supervision;
use super::violation::Step;
use crate::configuration::{Arena, View as _};
use crate::decode::{Beam, Candidate, Decoder, IDLE, Item, Scorer, Workspace, selected};
use crate::model::Weights;
use crate::system::{Choice, TransitionSystem};

/// The gold side of one sentence.
#[derive(Debug, Clone, Copy)]
pub enum GoldSide<'t> {
    /// The canonical derivation.
    Static(&'t [Choice]),
    /// Any derivation of least cost.
    Dynamic,
}

/// Decodes the sentence in `workspace.input` with the current weights and leaves the changes that `update` calls for in
/// `changes`; whether there are any.
pub fn learn<S: TransitionSystem, W: Weights>(
    decoder: &Decoder<S, W>,
    supervision: &Supervision<S>,
    gold_side: GoldSide,
    update: Update,
    width: usize,
    workspace: &mut Workspace,
    changes: &mut Vec<Change>,
) -> bool {
    let n_words = workspace.input.n_words();
    workspace.start(decoder.actions.width());
    let Workspace { bump, label_sets, scorer, input, selection, terms, distinct } = workspace;
    let arena = Arena::new(bump, label_sets, decoder.features.masks());
    let mut items: Vec<&Item<S::Shared<'_>>> = vec![decoder.initial(arena, n_words)];
    let mut gold_items = items.clone();
    let mut trace: Vec<Step> = Vec::new();
    let mut prefixes: Vec<(&Item<_>, &Item<_>)> = Vec::new();
    let mut correct = Vec::new();
    let mut correct_by_rank: Vec<(u32, Choice)> = Vec::new();

    for step in 0.. {
        if items.iter().chain(&gold_items).all(|item| decoder.system.is_terminal(&item.configuration)) {
            break;
        }
        let correct_choices = |item: &Item<S::Shared<'_>>, correct: &mut Vec<Choice>| {
            correct.clear();
            match gold_side {
                _ if decoder.system.is_terminal(&item.configuration) => correct.push(IDLE),
                GoldSide::Static(derivation) => correct.push(derivation[step]),
                GoldSide::Dynamic => supervision.correct_choices(&item.configuration, correct),
            }
        };

        decoder.score(&items, scorer, input, label_sets, terms);
        let mut beam = Beam::new(selected(width), items[0].score, selection);
        let mut of_items = terms.chunks_exact(Scorer::n_terms(decoder.features));
        correct_by_rank.clear();
        for (rank, item) in items.iter().enumerate() {
            decoder.offer(&mut beam, rank as u32, item, scorer, &mut of_items);
            if item.is_gold {
                correct_choices(item, &mut correct);
                correct_by_rank.extend(correct.iter().map(|&choice| (rank as u32, choice)));
            }
        }
        let is_gold = |c: Candidate| correct_by_rank.binary_search(&(c.rank(), c.choice())).is_ok();
        let mut next: Vec<&Item<_>> = Vec::with_capacity(width);
        decoder.build(&items, beam.finish(), width, distinct, arena, is_gold, |item| next.push(item));

        let mut beam = Beam::new(selected(width), gold_items[0].score, selection);
        for (rank, item) in gold_items.iter().enumerate() {
            correct_choices(item, &mut correct);
            decoder.offer_only(&mut beam, rank as u32, item, &correct, scorer, input, label_sets);
        }
        let mut next_gold: Vec<&Item<_>> = Vec::with_capacity(gold_items.len());
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
            let features = scorer.features(decoder.features, input, label_sets, &cells);
            changes.extend(features.iter().map(|&feature| (feature, action, change)));
        }
    }
    true
}
