//! Greedy training: one decision at a time (Goldberg & Nivre 2013, algorithms 2 and 3).
//!
//! Most decisions are right and change nothing, so scores are memoised as in decoding, from one update to the next.

use super::change::Memory;
use super::exploration::Exploration;
use super::supervision::Supervision;
use crate::configuration::{Arena, Point, Role, View as _};
use crate::decode::{Decoder, Workspace, best_permitted};
use crate::system::{Choice, TransitionSystem};

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

/// The most corrections that a system makes in one configuration before it moves on, if
/// [it stays until it is correct](crate::system::System::CORRECTS_ITSELF). Where correct and predicted action have all their
/// features in common no correction would ever be enough.
pub const MAX_CORRECTIONS: u32 = 200;

/// Learns from the sentence in `workspace.input`; the number of updates.
///
/// With a dynamic oracle a prediction among the correct actions is followed; after an update the best correct action is, or
/// the wrong prediction if the policy says so. With a non-deterministic oracle some systems stay where they are after an
/// update that takes effect at once.
pub fn learn<S: TransitionSystem, W, M: Memory>(
    decoder: &Decoder<S, W>,
    supervision: &Supervision<S>,
    teacher: Teacher,
    workspace: &mut Workspace,
    memory: &mut M,
) -> u64 {
    learn_with(decoder, supervision, teacher, workspace, memory, S::LOCAL_POINTS)
}

/// The same; `reuse` says whether scores at points that a move did not touch are kept, as long as weights do not change.
/// The result is the same if they are not.
fn learn_with<S: TransitionSystem, W, M: Memory>(
    decoder: &Decoder<S, W>,
    supervision: &Supervision<S>,
    mut teacher: Teacher,
    workspace: &mut Workspace,
    memory: &mut M,
    reuse: bool,
) -> u64 {
    let n_words = workspace.input.n_words();
    workspace.start(decoder.actions.width());
    let Workspace { bump, label_sets, scorer, input, .. } = workspace;
    let arena = Arena::new(bump, label_sets, &[]);
    let system = decoder.system;
    let reuse = reuse && !decoder.features.reads_history();
    let mut configuration: S::Shared<'_> = system.initial(arena, n_words);
    let mut history = None;
    let mut correct: Vec<Choice> = Vec::new();
    let mut scored = Scored::default();
    // The points whose scores are not those of the configuration and the weights.
    let mut stale = 0..system.n_points(&configuration) as Point;
    let (mut step, mut updates, mut corrections) = (0, 0, 0);
    while !system.is_terminal(&configuration) {
        let weights = memory.weights();
        scored.resize(system.n_points(&configuration), stale.start);
        for point in stale.clone() {
            let mut cells = configuration.cells(point);
            cells[Role::A as usize] = history;
            scored.set(point, scorer.score_once(decoder.features, weights, input, label_sets, &cells));
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
        let is_correct = correct.binary_search(&predicted).is_ok();
        let follow = if is_correct {
            predicted
        } else {
            let good = scored.best_of(&correct);
            for (choice, change) in [(good, 1), (predicted, -1)] {
                let mut cells = configuration.cells(choice.point);
                cells[Role::A as usize] = history;
                let features = scorer.features(decoder.features, input, label_sets, &cells);
                memory.reward(features, choice.action, change);
            }
            updates += 1;
            if M::AT_ONCE {
                scorer.forget();
            }
            match &mut teacher {
                Teacher::NonDeterministic if S::CORRECTS_ITSELF && M::AT_ONCE && corrections < MAX_CORRECTIONS => {
                    corrections += 1;
                    stale = 0..system.n_points(&configuration) as Point;
                    continue;
                }
                Teacher::Dynamic(exploration) => {
                    if exploration.follow_mistake() {
                        predicted
                    } else {
                        good
                    }
                }
                Teacher::Static(_) | Teacher::NonDeterministic => good,
            }
        };
        configuration = system.successor(&configuration, decoder.actions.chosen(follow), arena);
        history = decoder.features.reads_history().then(|| arena.history(follow.action, history));
        step += 1;
        corrections = 0;
        stale = if reuse && (is_correct || !M::AT_ONCE) {
            system.points_touched(&configuration, follow.point)
        } else {
            0..system.n_points(&configuration) as Point
        };
    }
    updates
}

/// Scores of one configuration, point by point.
#[derive(Debug, Default)]
struct Scored {
    /// By point.
    rows: Vec<Vec<i32>>,
    /// Rows to be used again.
    spare: Vec<Vec<i32>>,
}

impl Scored {
    /// Makes room for `n_points`. If there were more, those from `stale` on give way and those behind them move up.
    fn resize(&mut self, n_points: usize, stale: Point) {
        let n_gone = self.rows.len().saturating_sub(n_points);
        self.spare.extend(self.rows.drain(stale as usize..stale as usize + n_gone));
        while self.rows.len() < n_points {
            self.rows.push(self.spare.pop().unwrap_or_default());
        }
    }

    fn set(&mut self, point: Point, scores: &[i32]) {
        let row = &mut self.rows[point as usize];
        row.clear();
        row.extend_from_slice(scores);
    }

    /// The permitted choice of the highest score, the first of them on ties.
    fn best_permitted<'m>(&self, mask: impl Fn(Point) -> &'m [i32]) -> Choice {
        let mut best: Option<(i32, Choice)> = None;
        for (point, row) in self.rows.iter().enumerate() {
            let point = point as Point;
            if let Some((score, action)) = best_permitted(row, mask(point))
                && best.is_none_or(|(highest, _)| score > highest)
            {
                best = Some((score, Choice { point, action }));
            }
        }
        best.expect("a configuration that is not terminal permits something").1
    }

    /// The one of `choices` with the highest score, the first of them on ties.
    fn best_of(&self, choices: &[Choice]) -> Choice {
        let score = |choice: &Choice| self.rows[choice.point as usize][choice.action as usize];
        let best = choices.iter().rev().max_by_key(|choice| score(choice));
        *best.expect("some choice is correct")
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::learn::change::{Deferred, Online};
    use crate::learn::{TrainOptions, TrainingData};
    use crate::model::LiveWeights;
    use crate::system::{ActionId, EasyFirst, Roots, SystemKind};
    use crate::treebank::generate::{Options, sentences};
    use crate::treebank::{Format, Treebank};

    fn easy_first_data() -> TrainingData {
        let sentences = sentences(Options { seed: 31, n_sentences: 40, non_projective: false }).collect();
        let treebank = Treebank { path: PathBuf::new(), format: Format::Conllu, sentences, sha256: String::new() };
        let features = "easy-first".to_owned();
        let options = TrainOptions { system: SystemKind::EasyFirst, features, ..TrainOptions::default() };
        TrainingData::new(&options, &treebank, None).unwrap()
    }

    /// Two passes over the data; updates by pass, and the weights.
    fn train(data: &TrainingData, explore: Option<f64>, reuse: bool, batch: bool) -> (Vec<u64>, LiveWeights) {
        let system = EasyFirst::new(Roots::Single);
        let (features, actions) = (data.features(), data.actions());
        let decoder = Decoder { system, features, actions, weights: &() };
        let mut workspace = Workspace::new(actions.n_labels());
        let mut weights = LiveWeights::default();
        let mut updates = vec![0; 3];
        for (pass, updates) in updates.iter_mut().enumerate() {
            for (number, example) in data.examples().iter().enumerate() {
                let supervision = Supervision { system, actions, gold: &example.gold };
                let teacher = match explore {
                    None => Teacher::NonDeterministic,
                    Some(p) => Teacher::Dynamic(Exploration::new(1, p, 1, pass as u32, number)),
                };
                workspace.input.clone_from(&example.input);
                if batch {
                    let mut memory = Deferred { weights: &weights, changes: Vec::new() };
                    *updates += learn_with(&decoder, &supervision, teacher, &mut workspace, &mut memory, reuse);
                    memory.changes.into_iter().for_each(|(feature, action, by)| weights.update(feature, action, by));
                } else {
                    let mut memory = Online(&mut weights);
                    *updates += learn_with(&decoder, &supervision, teacher, &mut workspace, &mut memory, reuse);
                }
                weights.tick();
            }
        }
        (updates, weights)
    }

    #[test]
    fn scores_that_are_kept_are_those_of_scoring_again() {
        let data = easy_first_data();
        for explore in [None, Some(0.5)] {
            for batch in [false, true] {
                let (updates, weights) = train(&data, explore, true, batch);
                let (updates_anew, weights_anew) = train(&data, explore, false, batch);
                assert_eq!(updates, updates_anew, "{explore:?}, {batch}");
                assert!(weights.sections() == weights_anew.sections(), "{explore:?}, {batch}");
                // Weights that never made a difference would prove nothing.
                assert!(updates[0] > 0 && updates[1] < updates[0]);
            }
        }
    }

    /// Weights that no reward changes, though it may be said that they do.
    struct Unmoved<const AT_ONCE: bool>(LiveWeights);

    impl<const AT_ONCE: bool> Memory for Unmoved<AT_ONCE> {
        const AT_ONCE: bool = AT_ONCE;

        fn weights(&self) -> &LiveWeights {
            &self.0
        }

        fn reward(&mut self, _: &[u64], _: ActionId, _: i32) {}
    }

    /// With the non-deterministic oracle easy-first stays where it is while it is wrong, until it gives up; but where
    /// changes are put off it moves on at once, for nothing would change.
    #[test]
    fn easy_first_corrects_itself() {
        let data = easy_first_data();
        let system = EasyFirst::new(Roots::Single);
        let (features, actions) = (data.features(), data.actions());
        let decoder = Decoder { system, features, actions, weights: &() };
        let mut workspace = Workspace::new(actions.n_labels());
        for example in data.examples() {
            let supervision = Supervision { system, actions, gold: &example.gold };
            workspace.input.clone_from(&example.input);
            let mut n_wrong = |teacher| {
                learn(&decoder, &supervision, teacher, &mut workspace, &mut Unmoved::<false>(LiveWeights::default()))
            };
            let once = n_wrong(Teacher::NonDeterministic);
            assert!(once > 0);
            assert_eq!(n_wrong(Teacher::Dynamic(Exploration::new(0, 0.0, 1, 0, 0))), once);
            let mut at_once = Unmoved::<true>(LiveWeights::default());
            let again = learn(&decoder, &supervision, Teacher::NonDeterministic, &mut workspace, &mut at_once);
            assert_eq!(again, once * u64::from(MAX_CORRECTIONS + 1));
        }
    }
}
