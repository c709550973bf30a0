//! The shortcut against roll-outs, the perceptron of real weights against that of integers, and what is kept between decisions
//! against looking again.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bumpalo::Bump;

use super::*;
use crate::configuration::Interner;
use crate::features::Input;
use crate::learn::{Preset, TrainOptions, TrainingData};
use crate::linear::Learner;
use crate::linear::{Averages as _, FrozenWeights, LearnerOptions, Linear, Perceptron, Regressors, Weights as _};
use crate::model::{Averaged, Frozen as _};
use crate::system::{AnySystem, Move, OverPending, Roots, SystemKind};
use crate::systems::EASY_FIRST;
use crate::tree::Gold;
use crate::treebank::generate::{GeneratorOptions, sentences};
use crate::treebank::{Format, Treebank};
use crate::with_system;

fn data(options: &TrainOptions, n_sentences: usize, non_projective: bool) -> TrainingData {
    let sentences = sentences(GeneratorOptions { seed: 51, n_sentences, non_projective }).collect();
    let treebank = Treebank { path: PathBuf::new(), format: Format::Conllu, sentences, sha256: String::new() };
    TrainingData::new(options, &treebank, None).unwrap()
}

/// Systems of different kinds, each with whether its trees may be non-projective.
const SYSTEMS: [(SystemKind, bool); 6] = [
    (crate::systems::ARC_HYBRID, false),
    (crate::systems::ARC_HYBRID_ROOTLESS, false),
    (crate::systems::ARC_EAGER, false),
    (crate::systems::ARC_STANDARD, false),
    (crate::systems::EASY_FIRST, false),
    (crate::systems::COVINGTON, true),
];

fn options(system: SystemKind) -> TrainOptions {
    let features = if system.info().features == "covington" { "covington" } else { "stack" }.to_owned();
    TrainOptions { system, features, ..TrainOptions::default() }
}

/// On random walks: of every permitted action the oracle's cost is that of rolling out the reference.
#[test]
fn the_shortcut_has_the_costs_of_roll_outs() {
    for (system, non_projective) in SYSTEMS {
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

fn regressors(data: &TrainingData, learner: Learner) -> Regressors {
    let features = Arc::new(data.header().compile().unwrap());
    Regressors::new(features, data.stages().clone(), LearnerOptions::of(learner), 1)
}

fn perceptron(data: &TrainingData) -> Perceptron {
    Perceptron::new(Arc::new(data.header().compile().unwrap()), data.stages().clone())
}

/// Easy-first with one root.
fn easy_first() -> &'static dyn OverPending {
    match EASY_FIRST.system(Roots::Single) {
        AnySystem::Pending(system) => system,
        other => unreachable!("{other:?} has pending nodes"),
    }
}

fn setting<S: TransitionSystem>(system: S, data: &TrainingData, reuse: bool) -> Setting<'_, S> {
    let machine = Machine { system, actions: data.actions(), keeps_history: false };
    Setting { machine, stages: data.stages(), reuse, unpermitted: false, watched: None }
}

/// Learns from the sentence with this number; the number of wrong predictions.
fn learn_from<S: TransitionSystem>(
    setting: Setting<S>,
    data: &TrainingData,
    number: usize,
    policy: Policy,
    objective: &mut LocalObjective,
    parameters: TrainedParameters,
) -> (u64, Opaque) {
    let example = &data.examples()[number];
    let mut workspace = Workspace::new(data.actions().n_labels());
    workspace.input.clone_from(&example.input);
    let supervision = Supervision { machine: setting.machine, gold: &example.gold };
    learn(setting, &supervision, policy, None, objective, &mut workspace, parameters)
}

/// Gives `walk` a learner of the sentence whose model does not change, and whose item is the initial one.
fn with_learner<S: TransitionSystem, R>(
    system: S,
    data: &TrainingData,
    (input, gold): (&Input, &Gold),
    model: &Perceptron,
    walk: impl FnOnce(&mut LocalLearner<'_, '_, '_, S>) -> R,
) -> R {
    let setting = setting(system, data, false);
    let (machine, actions) = (setting.machine, data.actions());
    let supervision = Supervision { machine, gold };
    let (bump, interner) = (Bump::new(), Interner::new(actions.n_labels()));
    let context = Context { input, interner: &interner, actions };
    let mut memory = Opaque::default();
    model.begin(&mut memory, context);
    walk(&mut LocalLearner {
        setting,
        supervision: &supervision,
        context,
        memory: &mut memory,
        arena: Arena::new(&bump, &interner),
        objective: &mut LocalObjective::new(Objective::Perceptron, None, 1),
        parameters: TrainedParameters::PutOff(model),
        gradient: Opaque::default(),
        scores: ScoreMatrix::default(),
        spare: ScoreMatrix::default(),
        dropout: None,
        among: None,
        decision: Decision::default(),
        correct: Vec::new(),
        unexplored: None,
    })
}

/// Asserts that costs agree on a random walk; how many actions were costly.
fn costly_on_a_walk<S: TransitionSystem>(
    system: S,
    data: &TrainingData,
    input: &Input,
    gold: &Gold,
    number: u64,
) -> usize {
    with_learner(system, data, (input, gold), &perceptron(data), |learner| walk_of_costs(learner, number))
}

fn walk_of_costs<'a, S: TransitionSystem>(learner: &mut LocalLearner<'_, 'a, '_, S>, number: u64) -> usize {
    let (machine, actions, input) = (learner.setting.machine, learner.context.actions, learner.context.input);
    let mut stream = random::stream(9, "walk", &[number]);
    let mut item = machine.initial(learner.arena, input.n_words());
    let mut options = Vec::new();
    let mut n_costly = 0;
    while !machine.is_terminal(item) {
        learner.reference_options(item, &mut options);
        let mut known: Vec<(Choice, u32)> = Vec::new();
        for option in &options {
            for action in actions.of_move(option.mv).filter(|&id| actions.permits(option.permitted, id)) {
                let wrong_label = option.gold.is_some_and(|gold| gold != action);
                let choice = Choice { point: option.point, action };
                known.push((choice, option.cost as u32 + u32::from(wrong_label)));
            }
        }
        let losses: Vec<u32> = known.iter().map(|&(choice, _)| learner.loss_after(item, choice, false)).collect();
        let least = *losses.iter().min().unwrap();
        for (&(choice, cost), loss) in known.iter().zip(&losses) {
            assert_eq!(cost, loss - least, "{}: {:?}", machine.system.info().name, actions.chosen(choice));
        }
        n_costly += known.iter().filter(|(_, cost)| *cost > 0).count();
        let chosen = known[random::below(known.len() as u64, &mut stream) as usize].0;
        item = machine.successor(item, chosen, 0, false, learner.arena);
    }
    n_costly
}

/// Running the reference's roll-outs changes nothing; running learned ones does.
#[test]
fn roll_outs_of_the_reference_change_nothing() {
    for decisions in [Decisions::Joint, Decisions::Separate] {
        let options = TrainOptions { decisions, ..options(crate::systems::ARC_HYBRID) };
        let data = data(&options, 20, false);
        let train = |search: LearningToSearch| {
            let mut model = regressors(&data, Learner::Adagrad);
            let mut objective = LocalObjective::new(Objective::Regression, None, data.stages().outputs().len());
            with_system!(options.system, options.roots, |system| {
                for number in 0..data.examples().len() {
                    let stream = random::stream(3, "search", &[number as u64]);
                    let policy = Policy::Search { search, pass: 0, stream };
                    let at_once = TrainedParameters::AtOnce(&mut model);
                    let (_, mut rest) =
                        learn_from(setting(system, &data, false), &data, number, policy, &mut objective, at_once);
                    model.learn(&mut rest);
                    model.end_sentence();
                }
            });
            model
        };
        let shortcut = Preset::Aggrevate.search();
        let run = LearningToSearch { run_reference: true, ..shortcut };
        let learned = LearningToSearch { roll_out: RollOut::Learned, ..shortcut };
        assert!(train(shortcut).save() == train(run).save(), "{decisions:?}");
        assert!(train(shortcut).save() != train(learned).save(), "{decisions:?}");
    }
}

/// With the perceptron's rule, real weights and integers are the same, averages included.
#[test]
fn the_perceptron_is_the_perceptron() {
    let mut by_choice: Vec<Vec<i64>> = Vec::new();
    for (system, correct) in [
        (crate::systems::ARC_HYBRID, None),
        (crate::systems::ARC_HYBRID, Some(Correct::BestScored)),
        (crate::systems::ARC_HYBRID, Some(Correct::Canonical)),
        (crate::systems::ARC_HYBRID, Some(Correct::Random)),
        (crate::systems::ARC_EAGER, None),
        (crate::systems::EASY_FIRST, None),
        (crate::systems::EASY_FIRST, Some(Correct::Random)),
    ] {
        let options = options(system);
        let data = data(&options, 30, false);
        let mut sums = Vec::new();
        let (mut real, mut integer) = (regressors(&data, Learner::Perceptron), perceptron(&data));
        let mut objectives = [(); 2].map(|()| LocalObjective::new(Objective::Perceptron, None, 1));
        for pass in 0..3 {
            for number in 0..data.examples().len() {
                let policy = || {
                    let exploration = Some(Exploration::new(1, 0.5, 1, pass, number));
                    let stream = random::stream(1, "correct", &[u64::from(pass), number as u64]);
                    let among = correct.map(|correct| AmongCorrect::new(correct, stream));
                    Policy::Greedy { gold: GoldSide::LeastCost, exploration, among }
                };
                let [objective, other] = &mut objectives;
                let counts = with_system!(options.system, options.roots, |system| {
                    let setting = setting(system, &data, false);
                    let at_once = TrainedParameters::AtOnce(&mut real);
                    let (of_real, _) = learn_from(setting, &data, number, policy(), objective, at_once);
                    let at_once = TrainedParameters::AtOnce(&mut integer);
                    (of_real, learn_from(setting, &data, number, policy(), other, at_once).0)
                });
                real.end_sentence();
                integer.end_sentence();
                assert_eq!(counts.0, counts.1, "{system}, pass {pass}, sentence {number}");
            }
        }
        let (real, finished) = (Regressors::finish(&[&real]), Perceptron::finish(&[&integer]));
        assert_eq!(real.size(), finished.size());
        integer.weights().for_each_row(|feature, _| {
            let scores = |model: &Linear| {
                let weights: &FrozenWeights = model.weights();
                let mut scores = vec![0; data.actions().width()];
                weights.add_features(&[feature], &mut scores);
                scores
            };
            assert_eq!(scores(&real), scores(&finished));
            sums.extend(scores(&finished).into_iter().map(i64::from));
        });
        by_choice.push(sums);
    }
    // The perceptron itself reinforces the best-scored correct action; others would have learned something else.
    assert!(by_choice[0] == by_choice[1] && by_choice[5] != by_choice[6]);
    for (one, other) in [(1, 2), (1, 3)] {
        assert!(by_choice[one] != by_choice[other], "choices {one} and {other}");
    }
}

/// On walks, some along the canonical derivation and others at random: what is chosen is always of least cost, and what its name
/// says.
#[test]
fn what_is_chosen_is_correct() {
    for (system, non_projective) in SYSTEMS {
        let options = options(system);
        let data = data(&options, 12, non_projective);
        let mut model = perceptron(&data);
        let mut seen = Seen::default();
        with_system!(system, options.roots, |system| {
            let setting = setting(system, &data, false);
            for number in 0..data.examples().len() {
                let policy = Policy::Greedy { gold: GoldSide::LeastCost, exploration: None, among: None };
                let mut objective = LocalObjective::new(Objective::Perceptron, None, 1);
                learn_from(setting, &data, number, policy, &mut objective, TrainedParameters::AtOnce(&mut model));
            }
            for (number, example) in data.examples().iter().enumerate() {
                for derivation in [None, Some(&example.derivation[..])] {
                    with_learner(system, &data, (&example.input, &example.gold), &model, |learner| {
                        walk_of_choices(learner, number as u64, derivation, &mut seen);
                    });
                }
            }
        });
        assert!(seen.ambiguous > 20 && seen.not_best > 0 && seen.canonical > 100, "{system}: {seen:?}");
    }
}

/// Configurations and decisions that walks met.
#[derive(Debug, Default)]
struct Seen {
    /// Configurations with several correct transitions.
    ambiguous: usize,
    /// Those whose canonical transition has not the highest score.
    not_best: usize,
    /// Those on canonical derivations.
    canonical: usize,
}

fn walk_of_choices<'a, S: TransitionSystem>(
    learner: &mut LocalLearner<'_, 'a, '_, S>,
    number: u64,
    derivation: Option<&[Choice]>,
    seen: &mut Seen,
) {
    let (machine, actions, gold) = (learner.setting.machine, learner.context.actions, learner.supervision.gold);
    let mut stream = random::stream(9, "walk", &[number]);
    let mut item = machine.initial(learner.arena, learner.context.input.n_words());
    let (mut options, mut correct) = (Vec::new(), Vec::new());
    let transition = |point: Point, output: u32| (point, actions.get(output as ActionId).mv);
    for step in 0.. {
        if machine.is_terminal(item) {
            break;
        }
        let c = &item.configuration;
        let n_points = machine.system.n_points(c);
        let model = (&*learner.parameters, &mut *learner.memory);
        learner.scores.fill(model, learner.context, item, n_points, 0..n_points as Point, DroppedFeatures::default());
        learner.reference_options(item, &mut options);
        learner.decision.set_actions(&options, &learner.scores, &machine);
        learner.supervision.correct_choices(c, &mut correct);
        let highest = correct.iter().map(|c| learner_score(&learner.scores, c)).fold(f32::MIN, f32::max);
        let mut transitions: Vec<_> = correct.iter().map(|c| transition(c.point, u32::from(c.action))).collect();
        transitions.dedup();
        let canonical = machine.system.static_move(gold, c);
        let mut choose = |correct: Correct, seed: u64| {
            let among = &mut AmongCorrect::new(correct, random::stream(seed, "correct", &[]));
            let canonical = (correct == Correct::Canonical).then_some(canonical);
            learner.decision.choose(among, canonical, &|_, output| transition(0, output).1);
            learner.decision.chosen().collect::<Vec<_>>()
        };
        for which in [Correct::BestScored, Correct::Canonical, Correct::Random, Correct::All] {
            for (point, output, score) in choose(which, number) {
                assert!(
                    correct.contains(&Choice { point, action: output as ActionId }),
                    "{}: {which:?}",
                    machine.system.info().name
                );
                let label =
                    correct.iter().filter(|c| transition(c.point, u32::from(c.action)) == transition(point, output));
                let best = label.map(|c| learner_score(&learner.scores, c)).fold(f32::MIN, f32::max);
                assert_eq!(score, best, "{}: {which:?}: another label is better", machine.system.info().name);
            }
        }
        let moves = |chosen: Vec<(Point, u32, f32)>| -> Vec<(Point, Move)> {
            chosen.into_iter().map(|(point, output, _)| transition(point, output)).collect()
        };
        let [best] = choose(Correct::BestScored, 0)[..] else { panic!("one is best") };
        assert_eq!(best.2, highest);
        assert_eq!(moves(choose(Correct::All, 0)), transitions, "every correct transition is reinforced");
        let [preferred] = moves(choose(Correct::Canonical, 0))[..] else { panic!("one is canonical") };
        let expected = if transitions.contains(&canonical) { canonical } else { transition(best.0, best.1) };
        assert_eq!(preferred, expected);
        if transitions.len() > 1 {
            seen.ambiguous += 1;
            seen.not_best += usize::from(preferred != transition(best.0, best.1));
            let drawn: BTreeSet<_> = (0..400).flat_map(|seed| moves(choose(Correct::Random, seed))).collect();
            assert!(transitions.len() > 20 || drawn == transitions.iter().copied().collect(), "{drawn:?}");
        }
        let next = match derivation {
            Some(derivation) => {
                let right = derivation[step];
                assert_eq!(
                    preferred,
                    transition(right.point, u32::from(right.action)),
                    "{}",
                    machine.system.info().name
                );
                seen.canonical += 1;
                right
            }
            None => {
                let option = options[random::below(options.len() as u64, &mut stream) as usize];
                let permitted = |&id: &ActionId| actions.permits(option.permitted, id);
                let action = actions.of_move(option.mv).find(permitted).unwrap();
                Choice { point: option.point, action }
            }
        };
        item = machine.successor(item, next, 0, false, learner.arena);
    }
}

fn learner_score(scores: &ScoreMatrix, choice: &Choice) -> f32 {
    scores.get(choice.point, u32::from(choice.action))
}

/// Shared steps, by hand: with `all` the perceptron raises each of the correct transitions by an equal part, and the choice
/// among them is no longer the objective's.
#[test]
fn all_correct_transitions_share_a_step() {
    let options = options(crate::systems::ARC_HYBRID);
    let data = data(&options, 30, false);
    let train = |correct: Option<Correct>| {
        let mut model = regressors(&data, Learner::Perceptron);
        let mut objective = LocalObjective::new(Objective::Perceptron, None, 1);
        let mut steps = BTreeSet::new();
        with_system!(options.system, options.roots, |system| {
            for number in 0..data.examples().len() {
                let stream = random::stream(1, "correct", &[number as u64]);
                let among = correct.map(|correct| AmongCorrect::new(correct, stream));
                let policy = Policy::Greedy { gold: GoldSide::LeastCost, exploration: None, among };
                let setting = setting(system, &data, false);
                let put_off = TrainedParameters::PutOff(&model);
                let (_, mut gradient) = learn_from(setting, &data, number, policy, &mut objective, put_off);
                for slopes in
                    gradient.get::<Vec<crate::linear::ScoreGradients>>().iter().map(|update| update.gradient())
                {
                    let moving: Vec<f32> =
                        slopes.iter().map(|(_, slope)| *slope).filter(|slope| *slope != 0.0).collect();
                    if moving.is_empty() {
                        continue;
                    }
                    let raised: Vec<f32> = moving.iter().copied().filter(|slope| *slope < 0.0).collect();
                    assert!(raised.iter().all(|slope| *slope == -1.0 / raised.len() as f32), "{moving:?}");
                    assert_eq!(moving.iter().sum::<f32>(), 0.0);
                    steps.insert(raised.len());
                }
                model.learn(&mut gradient);
                model.end_sentence();
            }
        });
        steps
    };
    assert_eq!(train(None), BTreeSet::from([1]));
    assert_eq!(train(Some(Correct::Canonical)), BTreeSet::from([1]));
    assert!(train(Some(Correct::All)).is_superset(&BTreeSet::from([1, 2])));
}

fn easy_first_data() -> TrainingData {
    let features = "easy-first".to_owned();
    data(&TrainOptions { system: crate::systems::EASY_FIRST, features, ..TrainOptions::default() }, 40, false)
}

/// Three passes over the data; updates by pass, and what was learned.
fn train(data: &TrainingData, explore: Option<f64>, reuse: bool, put_off: bool) -> (Vec<u64>, Perceptron) {
    let setting = setting(easy_first(), data, reuse);
    let mut model = perceptron(data);
    let mut objective = LocalObjective::new(Objective::Perceptron, None, 1);
    let mut updates = vec![0; 3];
    for (pass, updates) in updates.iter_mut().enumerate() {
        for number in 0..data.examples().len() {
            let exploration = explore.map(|p| Exploration::new(1, p, 1, pass as u32, number));
            let policy = Policy::Greedy { gold: GoldSide::LeastCost, exploration, among: None };
            let parameters =
                if put_off { TrainedParameters::PutOff(&model) } else { TrainedParameters::AtOnce(&mut model) };
            let (n, mut gradient) = learn_from(setting, data, number, policy, &mut objective, parameters);
            *updates += n;
            model.learn(&mut gradient);
            model.end_sentence();
        }
    }
    (updates, model)
}

#[test]
fn scores_that_are_kept_are_those_of_scoring_again() {
    let data = easy_first_data();
    for explore in [None, Some(0.5)] {
        for put_off in [false, true] {
            let (updates, weights) = train(&data, explore, true, put_off);
            let (updates_anew, weights_anew) = train(&data, explore, false, put_off);
            assert_eq!(updates, updates_anew, "{explore:?}, {put_off}");
            assert!(weights.save() == weights_anew.save(), "{explore:?}, {put_off}");
            // Weights that never made a difference would prove nothing.
            assert!(updates[0] > 0 && updates[1] < updates[0]);
        }
    }
}

/// With the non-deterministic oracle easy-first stays where it is while it is wrong, until it is right; but where changes are
/// put off it moves on at once, for nothing would change.
#[test]
fn easy_first_corrects_itself() {
    let data = easy_first_data();
    let setting = setting(easy_first(), &data, true);
    let mut objective = LocalObjective::new(Objective::Perceptron, None, 1);
    let mut n_wrong = |model: &mut Perceptron, number, exploration, put_off: bool| {
        let policy = Policy::Greedy { gold: GoldSide::LeastCost, exploration, among: None };
        let parameters = if put_off { TrainedParameters::PutOff(model) } else { TrainedParameters::AtOnce(model) };
        learn_from(setting, &data, number, policy, &mut objective, parameters)
    };
    // A model that has learned the opposite of what it should, so that one correction is not enough.
    let mut contrary = perceptron(&data);
    for number in 0..data.examples().len() {
        let (_, mut gradient) = n_wrong(&mut contrary, number, None, true);
        gradient.get::<Vec<crate::linear::Change>>().iter_mut().for_each(|(_, _, change)| *change *= -3);
        contrary.learn(&mut gradient);
    }
    let never = || Some(Exploration::new(0, 0.0, 1, 0, 0));
    let mut sums = [0; 2];
    for number in 0..data.examples().len() {
        let mut count = |exploration, put_off| n_wrong(&mut contrary.clone(), number, exploration, put_off).0;
        let once = count(None, true);
        assert!(once > 0);
        assert_eq!(count(never(), true), once);
        sums[0] += count(never(), false);
        sums[1] += count(None, false);
    }
    assert!(sums[1] > 2 * sums[0], "{} corrections, {} where each decision is corrected but once", sums[1], sums[0]);
}
