//! The shortcut against roll-outs, and the perceptron of real weights against that of integers.

use std::path::PathBuf;

use bumpalo::Bump;

use super::*;
use crate::configuration::LabelSets;
use crate::decode::Scorer;
use crate::features::Input;
use crate::learn::base::{BaseOptions, Learner, Objective};
use crate::learn::change::Online;
use crate::learn::exploration::Exploration;
use crate::learn::{TrainOptions, TrainingData, greedy};
use crate::model::{Averages, FrozenWeights, LiveWeights};
use crate::system::SystemKind;
use crate::treebank::generate::{Options, sentences};
use crate::treebank::{Format, Treebank};
use crate::with_system;

fn data(options: &TrainOptions, n_sentences: usize, non_projective: bool) -> TrainingData {
    let sentences = sentences(Options { seed: 51, n_sentences, non_projective }).collect();
    let treebank = Treebank { path: PathBuf::new(), format: Format::Conllu, sentences, sha256: String::new() };
    TrainingData::new(options, &treebank, None).unwrap()
}

fn options(system: SystemKind) -> TrainOptions {
    let features = if system.features() == "covington" { "covington" } else { "stack" }.to_owned();
    TrainOptions { system, features, ..TrainOptions::default() }
}

/// On random walks: of every permitted action the cost that the oracle tells is that of rolling out the reference.
#[test]
fn the_shortcut_tells_what_roll_outs_cost() {
    for (system, non_projective) in [
        (SystemKind::ArcHybrid, false),
        (SystemKind::ArcHybridRootless, false),
        (SystemKind::ArcEager, false),
        (SystemKind::ArcStandard, false),
        (SystemKind::EasyFirst, false),
        (SystemKind::Covington, true),
    ] {
        let options = options(system);
        let data = data(&options, 12, non_projective);
        let mut n_costly = 0;
        with_system!(system, options.roots, |system| {
            for (number, example) in data.examples().iter().enumerate() {
                n_costly += costly_on_a_walk(system, &data, &example.input, &example.gold, number as u64);
            }
        });
        assert!(n_costly > 100, "{system}: {n_costly} of all actions cost anything");
    }
}

/// Asserts that costs agree on a random walk; how many actions were costly.
fn costly_on_a_walk<S: TransitionSystem>(
    system: S,
    data: &TrainingData,
    input: &Input,
    gold: &crate::tree::Gold,
    number: u64,
) -> usize {
    let (features, actions) = (data.features(), data.actions());
    let decoder = Decoder { system, features, actions, weights: &() };
    let supervision = Supervision { system, actions, gold };
    let base = Base::new(BaseOptions::of(Learner::Perceptron), Objective::Perceptron, data.parts(), 1);
    let (bump, label_sets) = (Bump::new(), LabelSets::new(actions.n_labels()));
    let arena = Arena::new(&bump, &label_sets, features.masks());
    let mut searcher = Searcher {
        decoder: &decoder,
        supervision: &supervision,
        parts: data.parts(),
        source: Source { features, input, label_sets: &label_sets, scorer: &mut Scorer::default() },
        arena,
        n_words: input.n_words(),
        frame: Frame::default(),
        spare: Frame::default(),
        dropout: None,
        example: Example::default(),
    };
    let mut stream = random::stream(9, "walk", &[number]);
    let mut item = decoder.initial(arena, input.n_words());
    let mut options = Vec::new();
    let mut n_costly = 0;
    while !system.is_terminal(&item.configuration) {
        searcher.reference_options(item, &mut options);
        let mut known: Vec<(Choice, u32)> = Vec::new();
        for option in &options {
            for action in actions.of_move(option.mv).filter(|&id| actions.permits(option.permitted, id)) {
                let wrong_label = option.gold.is_some_and(|gold| gold != action);
                let choice = Choice { point: option.point, action };
                known.push((choice, option.cost as u32 + u32::from(wrong_label)));
            }
        }
        let losses: Vec<u32> =
            known.iter().map(|&(choice, _)| searcher.loss_after(item, choice, false, &base)).collect();
        let least = *losses.iter().min().unwrap();
        for (&(choice, cost), loss) in known.iter().zip(&losses) {
            assert_eq!(cost, loss - least, "{}: {:?}", S::NAME, actions.chosen(choice));
        }
        n_costly += known.iter().filter(|(_, cost)| *cost > 0).count();
        let chosen = known[random::below(known.len() as u64, &mut stream) as usize].0;
        item = decoder.successor(item, chosen, 0, false, arena);
    }
    n_costly
}

/// Running the reference's roll-outs changes nothing; running learned ones does.
#[test]
fn roll_outs_of_the_reference_change_nothing() {
    for decisions in [Decisions::Joint, Decisions::Separate] {
        let options = TrainOptions { decisions, ..options(SystemKind::ArcHybrid) };
        let data = data(&options, 20, false);
        let train = |search: Search| {
            let mut base = Base::new(BaseOptions::of(Learner::Adagrad), Objective::Regression, data.parts(), 1);
            let mut workspace = Workspace::new(data.actions().n_labels());
            with_system!(options.system, options.roots, |system| {
                let (features, actions) = (data.features(), data.actions());
                let decoder = Decoder { system, features, actions, weights: &() };
                for (number, example) in data.examples().iter().enumerate() {
                    let supervision = Supervision { system, actions, gold: &example.gold };
                    let stream = random::stream(3, "search", &[number as u64]);
                    let guide = Guide::Search { search, pass: 0, stream };
                    workspace.input.clone_from(&example.input);
                    learn(&decoder, &supervision, data.parts(), guide, None, &mut workspace, &mut base);
                }
            });
            base.sections()
        };
        let shortcut = Preset::Aggrevate.search();
        let run = Search { run_reference: true, ..shortcut };
        let learned = Search { roll_out: RollOut::Learned, ..shortcut };
        assert!(train(shortcut) == train(run), "{decisions:?}");
        assert!(train(shortcut) != train(learned), "{decisions:?}");
    }
}

/// With the perceptron's rule, real weights and integers are the same, averages included.
#[test]
fn the_perceptron_is_the_perceptron() {
    for system in [SystemKind::ArcEager, SystemKind::EasyFirst] {
        let options = options(system);
        let data = data(&options, 30, false);
        let (features, actions) = (data.features(), data.actions());
        let mut base = Base::new(BaseOptions::of(Learner::Perceptron), Objective::Perceptron, data.parts(), 1);
        let mut live = LiveWeights::default();
        let mut workspace = Workspace::new(actions.n_labels());
        for pass in 0..3 {
            for (number, example) in data.examples().iter().enumerate() {
                let teacher = || Teacher::Dynamic(Exploration::new(1, 0.5, 1, pass, number));
                let counts = with_system!(options.system, options.roots, |system| {
                    let decoder = Decoder { system, features, actions, weights: &() };
                    let supervision = Supervision { system, actions, gold: &example.gold };
                    workspace.input.clone_from(&example.input);
                    let guide = Guide::Greedy(teacher());
                    let real = learn(&decoder, &supervision, data.parts(), guide, None, &mut workspace, &mut base);
                    workspace.input.clone_from(&example.input);
                    let memory = &mut Online(&mut live);
                    (real, greedy::learn(&decoder, &supervision, teacher(), &mut workspace, memory))
                });
                live.tick();
                assert_eq!(counts.0, counts.1, "{system}, pass {pass}, sentence {number}");
            }
        }
        let (real, _) = Base::freeze(std::slice::from_ref(&base), data.parts().width());
        let integers = FrozenWeights::average(std::slice::from_ref(&live), actions.width());
        assert_eq!((real.n_features(), real.n_weights()), (integers.n_features(), integers.n_weights()));
        live.for_each_row(|feature, _| {
            let scores = |weights: &FrozenWeights| {
                let mut scores = vec![0; actions.width()];
                crate::model::Weights::add_features(weights, &[feature], &mut scores);
                scores
            };
            assert_eq!(scores(&real), scores(&integers));
        });
    }
}
