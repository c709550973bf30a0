//! Training in beams of interned side states: what training in [any beams](super) computes, to the bit, in less time.
//!
//! The gold beam stands beside the free one, and as long as gold has not fallen off, both score the same configurations, once.
//! The two prefixes that the parameters learn from are derived once more, as configurations that every scorer reads.

use super::{GlobalOptions, learn_pair};
use crate::configuration::Arena;
use crate::decode::interned::{InternedItem, WIDTHS};
use crate::decode::{IDLE, Item, NO_MARGIN, Workspace};
use crate::learn::supervision::{GoldSide, Supervision};
use crate::learn::violation::PrefixScores;
use crate::learn::{Objective, Update};
use crate::model::Trainable;
use crate::scorer::{Context, Scorer as _};
use crate::system::{Choice, TransitionSystem};

impl GlobalOptions {
    /// True if it asks for nothing but the scores of two prefixes, of items that have taken equally many steps.
    fn is_plain(&self) -> bool {
        WIDTHS.contains(&self.width) && self.objective == Objective::Perceptron && self.update != Update::Laso
    }
}

/// Decodes the sentence in `workspace.input`: the number of updates and their gradient; `None` if the options, the system or the
/// scorer is not for such beams.
pub fn learn<S: TransitionSystem, T: Trainable>(
    options: GlobalOptions,
    supervision: Supervision<S>,
    gold_side: GoldSide,
    workspace: &mut Workspace<T::Memory>,
    model: &T,
) -> Option<(u64, T::Gradient)> {
    let scorer = model.scorer();
    let machine = supervision.machine.over_stacks()?;
    if !options.is_plain() || scorer.sides().is_none() {
        return None;
    }
    workspace.start();
    let Workspace { bump, label_sets, memory, input, interned, .. } = workspace;
    let context = Context { input, label_sets, actions: supervision.machine.actions };
    let supervision = Supervision { machine, gold: supervision.gold };
    let GlobalOptions { width, update, .. } = options;
    let (mut search, initial) = interned.start(machine, &scorer, memory, context, bump)?;
    let (mut items, mut gold_items) = (vec![initial], vec![initial]);
    let (mut next, mut next_gold) = (Vec::with_capacity(width), Vec::with_capacity(width));
    let mut trace: Vec<PrefixScores> = Vec::new();
    let mut prefixes: Vec<(InternedItem, InternedItem)> = Vec::new();
    let mut correct_by_rank: Vec<(u32, Choice)> = Vec::new();
    let mut buffer = Vec::new();
    let correct = |item: InternedItem, n_steps: usize, correct: &mut Vec<Choice>| {
        if machine.system.is_terminal(&item.configuration) {
            correct.clear();
            correct.push(IDLE);
        } else {
            supervision.correct(gold_side, &item.configuration, n_steps, correct);
        }
    };
    let is_open = |item: &InternedItem| !machine.system.is_terminal(&item.configuration);
    while items.iter().chain(&gold_items).any(is_open) {
        let n_steps = trace.len();
        let scores = search.score(&scorer, memory, context, &items, &gold_items)?;
        correct_by_rank.clear();
        for (rank, &item) in (0..).zip(&items).filter(|(_, item)| item.is_gold) {
            correct(item, n_steps, &mut buffer);
            correct_by_rank.extend(buffer.iter().map(|&choice| (rank, choice)));
        }
        let is_gold = |rank: u32, choice: Choice| correct_by_rank.binary_search(&(rank, choice)).is_ok();
        search.advance((width, NO_MARGIN), &items, scores, is_gold, &mut next);
        search.advance_beside(width, &gold_items, scores, |item, into| correct(item, n_steps, into), &mut next_gold);
        std::mem::swap(&mut items, &mut next);
        std::mem::swap(&mut gold_items, &mut next_gold);
        let (predicted, gold) = (items[0], gold_items[0]);
        trace.push(PrefixScores {
            predicted: predicted.score,
            gold: gold.score,
            predicted_is_gold: predicted.is_gold,
            gold_in_beam: items.iter().any(|item| item.is_gold),
        });
        prefixes.push((predicted, gold));
        if update.stops_early() && trace.last().is_some_and(|step| !step.gold_in_beam) {
            break;
        }
    }
    let mut gradient = T::Gradient::default();
    let updated = update.choose(&trace).is_some_and(|step| {
        // Nothing is scored any more, so that cells need no keys.
        let arena = Arena::new(bump, label_sets, &[]);
        scorer.begin(memory, context);
        let derive = |item: InternedItem| {
            let mut items: Vec<&Item<_>> = item.history().collect();
            items.pop();
            let initial = machine.initial(arena, context.input.n_words());
            let succeed =
                |parent, item: &Item<_>| machine.successor(parent, item.choice, item.score, item.is_gold, arena);
            items.into_iter().rev().fold(initial, succeed)
        };
        let (predicted, gold) = prefixes[step];
        learn_pair(options, (derive(predicted), derive(gold)), (model, memory, context), &mut gradient)
    });
    Some((u64::from(updated), gradient))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::learn::global::learn_in_any_beams;
    use crate::learn::local::Parameters;
    use crate::learn::{Learner, TrainOptions, Training, TrainingData};
    use crate::linear::Perceptron;
    use crate::model::Averaged as _;
    use crate::system::SystemKind;
    use crate::treebank::generate::{Options, sentences};
    use crate::treebank::{Format, Treebank};
    use crate::with_system;

    /// Trains a perceptron in these beams and in any: the updates and the changes of every sentence are the same. How many sentences
    /// called for an update, if these beams are for the system and the options.
    fn compare(options: &TrainOptions, data: &TrainingData) -> Option<usize> {
        let features = Arc::new(data.header().compile().unwrap());
        let mut model = Perceptron::new(features, data.stages().clone());
        let mut workspace = Workspace::new(data.actions().n_labels());
        let mut n_updates = 0;
        for pass in 1..=2 {
            for (number, example) in data.examples().iter().enumerate() {
                let (updated, mut gradient) = with_system!(options.system, options.roots, options.oracle, |system| {
                    let keeps_history = model.scorer().reads_history();
                    let machine = crate::decode::Machine { system, actions: data.actions(), keeps_history };
                    let supervision = Supervision { machine, gold: &example.gold };
                    let side = match options.oracle.is_static() {
                        true => GoldSide::Canonical(&example.derivation),
                        false => GoldSide::LeastCost,
                    };
                    workspace.input.clone_from(&example.input);
                    let learned = learn(options.global_options(), supervision, side, &mut workspace, &model)?;
                    let parameters = Parameters::PutOff(&model);
                    let reference =
                        learn_in_any_beams(options.global_options(), supervision, side, &mut workspace, parameters);
                    let of = (options.system, options.update, options.oracle, options.beam);
                    assert!(learned == reference, "{of:?}, pass {pass}, sentence {number}");
                    learned
                });
                model.learn(&mut gradient);
                model.end_sentence();
                n_updates += updated as usize;
            }
        }
        Some(n_updates)
    }

    #[test]
    fn interned_beams_learn_what_any_beams_learn() {
        let sentences = sentences(Options { seed: 77, n_sentences: 14, non_projective: true }).collect();
        let treebank = Treebank { path: PathBuf::new(), format: Format::Conllu, sentences, sha256: String::new() };
        let updates = [Update::MaxViolation, Update::Early, Update::Standard, Update::Latest, Update::Hybrid];
        let mut systems = std::collections::BTreeSet::new();
        for &system in SystemKind::all() {
            for (number, &oracle) in system.oracles().iter().enumerate() {
                for (place, update) in updates.into_iter().enumerate() {
                    let beam = [2, 3, 8, 20, 64][(place + number) % updates.len()];
                    let options = TrainOptions::of(system, Training::Global, Learner::Perceptron);
                    let options = TrainOptions { oracle, update, beam, ..options };
                    let data = TrainingData::new(&options, &treebank, None).unwrap();
                    if let Some(n_updates) = compare(&options, &data) {
                        assert!(n_updates > 5, "{system}, {update:?}: {n_updates} updates");
                        systems.insert(system.name());
                    }
                }
            }
        }
        assert!(systems.len() >= 10 && systems.contains("arc-eager") && systems.contains("swap"), "{systems:?}");
    }

    #[test]
    fn other_lessons_are_for_other_beams() {
        let plain = TrainOptions::default().global_options();
        assert!(plain.is_plain());
        assert!(!GlobalOptions { update: Update::Laso, ..plain }.is_plain());
        assert!(!GlobalOptions { objective: Objective::LossAugmented, ..plain }.is_plain());
        assert!(!GlobalOptions { width: 1, ..plain }.is_plain());
    }
}
