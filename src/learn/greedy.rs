//! Greedy training: one decision at a time (Goldberg & Nivre 2013, algorithms 2 and 3).

use super::change::Memory;
use super::exploration::Exploration;
use super::supervision::Supervision;
use crate::configuration::{Arena, Point, View as _};
use crate::decode::{Decoder, Workspace};
use crate::system::{ActionId, Choice, TransitionSystem};

/// The gold side of one sentence.
#[derive(Debug)]
pub enum Teacher<'t> {
    /// The canonical derivation, which is also followed.
    Static(&'t [Choice]),
    /// Every correct action, of which the model's favourite is followed.
    NonDeterministic,
    /// Every action of least cost; wrong predictions are followed as the policy says.
    Dynamic(Exploration),
}

/// Learns from the sentence in `workspace.input`; the number of updates.
///
/// With a dynamic oracle a prediction among the correct actions is followed; after an update the best correct action is, or
/// the wrong prediction if the policy says so.
pub fn learn<S: TransitionSystem, W, M: Memory>(
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
    let system = decoder.system;
    let mut configuration: S::Shared<'_> = system.initial(arena, n_words);
    let mut correct: Vec<Choice> = Vec::new();
    let mut scored = Scored::default();
    let mut updates = 0;
    for step in 0.. {
        if system.is_terminal(&configuration) {
            break;
        }
        let weights = memory.weights();
        scored.clear();
        for point in 0..system.n_points(&configuration) as Point {
            let cells = configuration.cells(point);
            let (scores, features) = scorer.score_plainly(decoder.features, weights, input, label_sets, &cells);
            scored.push(scores, features);
        }
        let mask = |point: Point| decoder.actions.mask(system.permitted(&configuration, point));
        let predicted = scored.best_permitted(mask);
        match &teacher {
            Teacher::Static(derivation) => {
                correct.clear();
                correct.push(derivation[step]);
            }
            Teacher::NonDeterministic | Teacher::Dynamic(_) => {
                supervision.correct_choices(&configuration, &mut correct)
            }
        }
        let follow = if correct.binary_search(&predicted).is_ok() {
            predicted
        } else {
            let good = scored.best_of(&correct);
            memory.reward(scored.features(good.point), good.action, 1);
            memory.reward(scored.features(predicted.point), predicted.action, -1);
            updates += 1;
            let follow_mistake = match &mut teacher {
                Teacher::Static(_) | Teacher::NonDeterministic => false,
                Teacher::Dynamic(exploration) => exploration.follow_mistake(),
            };
            if follow_mistake { predicted } else { good }
        };
        configuration = system.successor(&configuration, decoder.actions.chosen(follow), arena);
    }
    updates
}

/// Scores and features of one configuration, point by point.
#[derive(Debug, Default)]
struct Scored {
    scores: Vec<i32>,
    features: Vec<u64>,
    n_points: usize,
}

impl Scored {
    fn clear(&mut self) {
        self.scores.clear();
        self.features.clear();
        self.n_points = 0;
    }

    fn push(&mut self, scores: &[i32], features: &[u64]) {
        self.scores.extend_from_slice(scores);
        self.features.extend_from_slice(features);
        self.n_points += 1;
    }

    /// The features at `point`.
    fn features(&self, point: Point) -> &[u64] {
        let n = self.features.len() / self.n_points;
        &self.features[point as usize * n..][..n]
    }

    fn scores(&self, point: Point) -> &[i32] {
        let n = self.scores.len() / self.n_points;
        &self.scores[point as usize * n..][..n]
    }

    /// The permitted choice of the highest score, the first of them on ties.
    fn best_permitted<'m>(&self, mask: impl Fn(Point) -> &'m [i32]) -> Choice {
        let mut best: Option<(i32, Choice)> = None;
        for point in 0..self.n_points as Point {
            for (action, (&score, &permitted)) in self.scores(point).iter().zip(mask(point)).enumerate() {
                if permitted == 0 && best.is_none_or(|(highest, _)| score > highest) {
                    best = Some((score, Choice { point, action: action as ActionId }));
                }
            }
        }
        best.expect("a configuration that is not terminal permits something").1
    }

    /// The one of `choices` with the highest score, the first of them on ties.
    fn best_of(&self, choices: &[Choice]) -> Choice {
        let score = |choice: &Choice| self.scores(choice.point)[choice.action as usize];
        let best = choices.iter().rev().max_by_key(|choice| score(choice));
        *best.expect("some choice is correct")
    }
}
