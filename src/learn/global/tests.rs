//! Restarts against their definition over all derivations, and against greedy exploration.

use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::configuration::{Arena, Point};
use crate::decode::Machine;
use crate::learn::local::{self, Exploration, Policy, Setting};
use crate::learn::objective::LocalObjective;
use crate::learn::{TrainOptions, TrainingData};
use crate::linear::{Change, Perceptron};
use crate::random;
use crate::system::{Roots, SystemKind};
use crate::tree::{NO_LABEL, Tree, all_trees};
use crate::treebank::generate::{GeneratorOptions, sentences};
use crate::treebank::{Column, Format, Sentence, Treebank};
use crate::with_system;

const WIDTH: usize = 1 << 15;

fn data(system: SystemKind, sentences: Vec<Sentence>) -> TrainingData {
    let features = if system.info().features == "covington" { "covington" } else { "stack" }.to_owned();
    let options = TrainOptions { system, features, ..TrainOptions::default() };
    let treebank = Treebank { path: PathBuf::new(), format: Format::Conllu, sentences, sha256: String::new() };
    TrainingData::new(&options, &treebank, None).unwrap()
}

fn perceptron(data: &TrainingData) -> Perceptron {
    Perceptron::new(Arc::new(data.header().compile().unwrap()), data.stages().clone())
}

fn options(update: Update, restart_from: RestartFrom, width: usize) -> GlobalOptions {
    let objective = Objective::Perceptron;
    GlobalOptions { width, update, objective, loss_weight: 1.0, aggressiveness: None, restart_from }
}

fn machine<S>(system: S, data: &TrainingData) -> Machine<'_, S> {
    Machine { system, actions: data.actions(), keeps_history: false }
}

/// Updates from the sentence with this number, and their gradient.
fn learn_from<S: TransitionSystem>(
    system: S,
    data: &TrainingData,
    number: usize,
    options: GlobalOptions,
    model: &Perceptron,
) -> (u64, Opaque) {
    learn_in(Workspace::new(data.actions().n_labels()), system, data, number, options, model)
}

fn learn_in<S: TransitionSystem>(
    mut workspace: Workspace,
    system: S,
    data: &TrainingData,
    number: usize,
    options: GlobalOptions,
    model: &Perceptron,
) -> (u64, Opaque) {
    let example = &data.examples()[number];
    workspace.input.clone_from(&example.input);
    let supervision = Supervision { machine: machine(system, data), gold: &example.gold };
    learn(options, supervision, GoldSide::LeastCost, None, &mut workspace, TrainedParameters::PutOff(model))
}

/// Changes of a gradient, one for each weight.
fn changes(gradient: &mut Opaque) -> Vec<Change> {
    let mut all: Vec<Change> = gradient.get::<Vec<Change>>().clone();
    all.sort_unstable();
    let of_weight = all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    of_weight
        .map(|of| (of[0].0, of[0].1, of.iter().map(|change| change.2).sum()))
        .filter(|change| change.2 != 0)
        .collect()
}

/// A prefix of a derivation, among all of the same length.
struct Prefix<'a, S: TransitionSystem> {
    item: ItemOf<'a, S>,
    parent: usize,
    /// The least loss of a tree that it can be completed to.
    loss: u32,
}

/// All derivations from these items on, by number of steps; the first level are the items themselves.
fn all_derivations<'a, S: TransitionSystem>(
    machine: Machine<'a, S>,
    (arena, context): (Arena<'a>, Context<'a>),
    (model, memory): (&Perceptron, &mut Opaque),
    gold: &Tree,
    start: &[ItemOf<'a, S>],
) -> Vec<Vec<Prefix<'a, S>>> {
    let scorer = model.scorer();
    let first = start.iter().map(|&item| Prefix { item, parent: 0, loss: u32::MAX });
    let mut levels: Vec<Vec<Prefix<S>>> = vec![first.collect()];
    while levels[levels.len() - 1].iter().any(|prefix| !machine.is_terminal(prefix.item)) {
        context.interner.make_room();
        let mut next = Vec::new();
        for (parent, &Prefix { item, .. }) in levels[levels.len() - 1].iter().enumerate() {
            let mut add = |choice: Choice, gained: i32| {
                let item = machine.successor(item, choice, item.score + i64::from(gained), false, arena);
                next.push(Prefix { item, parent, loss: u32::MAX });
            };
            if machine.is_terminal(item) {
                let idle = context.actions.idle().map(|idle| {
                    let query = Query { view: item.view(0), permitted: Permitted::default() };
                    scorer.score_one(memory, context, &query)[usize::from(idle)]
                });
                add(IDLE, idle.unwrap_or(0));
                continue;
            }
            for point in 0..machine.system.n_points(&item.configuration) as Point {
                let permitted = machine.system.permitted(&item.configuration, point);
                let query = Query { view: item.view(point), permitted };
                let scores = scorer.score_one(memory, context, &query).to_vec();
                let actions =
                    (0..context.actions.len() as ActionId).filter(|&id| context.actions.permits(permitted, id));
                actions.for_each(|action| add(Choice { point, action }, scores[usize::from(action)]));
            }
        }
        levels.push(next);
    }
    for level in (0..levels.len()).rev() {
        let (before, of_level) = levels.split_at_mut(level);
        for prefix in &mut of_level[0] {
            if prefix.loss == u32::MAX {
                prefix.loss = hamming(&machine.tree(prefix.item, gold.n_words()), gold);
            }
            if let Some(before) = before.last_mut() {
                let loss = &mut before[prefix.parent].loss;
                *loss = prefix.loss.min(*loss);
            }
        }
    }
    levels
}

/// The loss of a tree: 2 for each head, 1 for each label on a right one.
fn hamming(tree: &Tree, gold: &Tree) -> u32 {
    let of_word = |word| match tree.head(word) == gold.head(word) {
        true => u32::from(tree.label(word) != gold.label(word) && gold.label(word) != NO_LABEL),
        false => 2,
    };
    gold.words().map(of_word).sum()
}

/// The highest score of these prefixes, and the one that has it, if there is only one.
fn best<'p, 'a, S>(prefixes: impl Iterator<Item = &'p Prefix<'a, S>> + Clone) -> (i64, Option<&'p Prefix<'a, S>>)
where
    'a: 'p,
    S: TransitionSystem + 'p,
{
    let highest = prefixes.clone().map(|prefix| prefix.item.score).max().expect("some prefix goes on");
    let of_score = prefixes.filter(|prefix| prefix.item.score == highest).collect::<Vec<_>>();
    let is_one = of_score.iter().all(|prefix| prefix.item.identity() == of_score[0].item.identity());
    (highest, is_one.then(|| of_score[0]))
}

/// Updates and their gradient by the definition, over all derivations; none if scores leave more than one choice.
fn by_definition<S: TransitionSystem>(
    system: S,
    data: &TrainingData,
    number: usize,
    from: RestartFrom,
    model: &Perceptron,
) -> Option<(u64, Opaque)> {
    let example = &data.examples()[number];
    let mut workspace = Workspace::new(data.actions().n_labels());
    workspace.input.clone_from(&example.input);
    let machine = machine(system, data);
    let scorer = model.scorer();
    let (arena, context, Scratch { memory, .. }) = workspace.begin(&*scorer, machine.actions);
    let (mut gradient, mut n_updates) = (Opaque::default(), 0);
    let mut start = vec![machine.initial(arena, example.gold.n_words())];
    loop {
        let levels = all_derivations(machine, (arena, context), (model, memory), example.gold.tree(), &start);
        let least = levels[0].iter().map(|prefix| prefix.loss).min()?;
        let mut largest: Option<(i64, usize, [ItemOf<S>; 2])> = None;
        for (step, level) in levels.iter().enumerate().skip(1) {
            let (predicted, wrong) = best(level.iter());
            let (gold, right) = best(level.iter().filter(|prefix| prefix.loss == least));
            let is_least = largest.is_some_and(|(most, ..)| predicted - gold < most);
            let wrong = match wrong {
                Some(wrong) if wrong.loss == least => continue,
                _ if is_least => continue,
                wrong => wrong?,
            };
            largest = Some((predicted - gold, step, [wrong.item, right?.item]));
        }
        let Some((_, step, [wrong, right])) = largest else { return Some((n_updates, gradient)) };
        n_updates += 1;
        learn_difference(AdditionOrder::LastFirst, wrong, right, (model, memory, context), &mut gradient);
        start = match from {
            RestartFrom::Best => vec![wrong],
            // Only the best of twins is in the beam.
            RestartFrom::Beam => levels[step].iter().map(|prefix| prefix.item).collect(),
        };
    }
}

/// Projective trees of so many words, one of every `every`.
fn trees(n_words: usize, every: usize, labels: [&str; 2]) -> impl Iterator<Item = Sentence> {
    let is_projective = |tree: &Tree| crate::tree::Gold::new(tree.clone()).is_projective();
    all_trees(n_words, Roots::Single).filter(is_projective).step_by(every).map(move |tree| {
        let words = tree.words().map(|word| {
            let (form, head) = (format!("w{}", word % 3), tree.head(word));
            let label = if head == 0 { "root" } else { labels[usize::from(word > head)] };
            [
                (Column::Form, form.clone()),
                (Column::Upos, form),
                (Column::Head, head.to_string()),
                (Column::Deprel, label.to_owned()),
            ]
        });
        Sentence::from_columns("all", Format::Conllu, words).unwrap()
    })
}

/// A model that has learned something, with some noise, so that no two derivations have the same score.
fn noisy_model<S: TransitionSystem>(system: S, data: &TrainingData) -> Perceptron {
    let mut model = perceptron(data);
    let mut stream = random::stream(7, "weights", &[]);
    for _ in 0..2 {
        for number in 0..data.examples().len() {
            let (_, mut gradient) =
                learn_from(system, data, number, options(Update::Restart, RestartFrom::Best, 4), &model);
            for (_, _, change) in gradient.get::<Vec<Change>>() {
                *change = *change * 30 + random::below(41, &mut stream) as i32 - 20;
            }
            model.learn(&mut gradient);
        }
    }
    model
}

/// In a beam as wide as the space of derivations.
#[test]
fn restarts_are_what_the_definition_says() {
    let mut most = 0;
    for kind in [crate::systems::ARC_STANDARD, crate::systems::ARC_HYBRID, crate::systems::ARC_EAGER] {
        let small = (2..=4).flat_map(|n| trees(n, 1, ["a", "b"])).collect();
        for (sentences, froms) in [
            (small, &[RestartFrom::Best, RestartFrom::Beam][..]),
            (trees(5, 12, ["a", "a"]).collect::<Vec<_>>(), &[RestartFrom::Best][..]),
        ] {
            let data = data(kind, sentences);
            with_system!(kind, Roots::Single, |system| {
                let model = noisy_model(system, &data);
                for &from in froms {
                    let (mut n_compared, mut n_updates) = (0, 0);
                    for number in 0..data.examples().len() {
                        let Some((expected, mut gradient)) = by_definition(system, &data, number, from, &model) else {
                            continue;
                        };
                        let options = options(Update::Restart, from, WIDTH);
                        let (found, mut of_beam) = learn_from(system, &data, number, options, &model);
                        assert_eq!(found, expected, "{kind}, {from:?}: sentence {number}");
                        assert_eq!(
                            changes(&mut of_beam),
                            changes(&mut gradient),
                            "{kind}, {from:?}: sentence {number}"
                        );
                        n_compared += 1;
                        n_updates += found;
                        most = most.max(found);
                    }
                    let n = data.examples().len();
                    assert!(
                        2 * n_compared > n && n_updates > 0,
                        "{kind}, {from:?}: {n_updates} updates in {n_compared} of {n}"
                    );
                }
            });
        }
    }
    assert!(most > 1, "no sentence has several updates");
}

/// The same changes where the arena is emptied as soon as beams start again from one item.
#[test]
fn restarts_need_little_memory() {
    use crate::systems::{ARC_EAGER, COVINGTON, COVINGTON_NONMONOTONIC, SWAP};
    for kind in [ARC_EAGER, SWAP, COVINGTON, COVINGTON_NONMONOTONIC] {
        let of_system =
            sentences(GeneratorOptions { seed: 72, n_sentences: 20, non_projective: kind != ARC_EAGER }).collect();
        let data = data(kind, of_system);
        with_system!(kind, Roots::Single, |system| {
            let model = noisy_model(system, &data);
            for update in [Update::Restart, Update::RestartEarly, Update::Laso] {
                let mut most = 0;
                for number in 0..data.examples().len() {
                    let options = options(update, RestartFrom::Best, 4);
                    let (n, mut expected) = learn_from(system, &data, number, options, &model);
                    let mut workspace = Workspace::new(data.actions().n_labels());
                    workspace.room = 0;
                    let (found, mut gradient) = learn_in(workspace, system, &data, number, options, &model);
                    assert_eq!(found, n, "{kind}, {update:?}: sentence {number}");
                    assert_eq!(changes(&mut gradient), changes(&mut expected), "{kind}, {update:?}: sentence {number}");
                    most = most.max(n);
                }
                assert!(most > 2, "{kind}, {update:?}: at most {most} updates");
            }
        });
    }
}

/// The same changes of the same weights, where these change at the end of a sentence and every prediction is followed.
#[test]
fn at_width_1_early_restarts_are_greedy_exploration() {
    use crate::systems::{ARC_EAGER, ARC_HYBRID, ARC_STANDARD, COVINGTON, EASY_FIRST};
    for kind in [ARC_STANDARD, ARC_HYBRID, ARC_EAGER, COVINGTON, EASY_FIRST] {
        let of_system =
            sentences(GeneratorOptions { seed: 71, n_sentences: 40, non_projective: kind == COVINGTON }).collect();
        let data = data(kind, of_system);
        with_system!(kind, Roots::Single, |system| {
            let mut model = perceptron(&data);
            let mut objective = LocalObjective::new(Objective::Perceptron, None, 1);
            let mut updates = [[0; 2]; 3];
            for (pass, [by_beam, by_decision]) in (0..).zip(&mut updates) {
                for number in 0..data.examples().len() {
                    let options = options(Update::RestartEarly, RestartFrom::Best, 1);
                    let (n, mut of_beam) = learn_from(system, &data, number, options, &model);
                    *by_beam += n;

                    let example = &data.examples()[number];
                    let mut workspace = Workspace::new(data.actions().n_labels());
                    workspace.input.clone_from(&example.input);
                    let machine = machine(system, &data);
                    let supervision = Supervision { machine, gold: &example.gold };
                    let exploration = Some(Exploration::new(0, 1.0, 1, pass, number));
                    let policy = Policy::Greedy { gold: GoldSide::LeastCost, exploration, among: None };
                    let (stages, watched) = (data.stages(), None);
                    let setting = Setting { machine, stages, reuse: false, unpermitted: false, watched };
                    let put_off = TrainedParameters::PutOff(&model);
                    let (n, mut gradient) =
                        local::learn(setting, &supervision, policy, None, &mut objective, &mut workspace, put_off);
                    *by_decision += n;
                    assert_eq!(changes(&mut of_beam), changes(&mut gradient), "{kind}, pass {pass}: sentence {number}");
                    model.learn(&mut gradient);
                }
                assert_eq!(by_beam, by_decision, "{kind}, pass {pass}");
            }
            assert!(updates[0][0] > 100 && updates[2][0] < updates[0][0], "{kind}: {updates:?}");
        });
    }
}
