//! One decision: its options with their scores and costs, which of them is predicted, and which is followed.

use super::correct::{AmongCorrect, CorrectTransition};
use super::score_matrix::{MoveOption, ScoreMatrix};
use crate::configuration::Point;
use crate::decode::Machine;
use crate::learn::objective::{LocalObjective, ScoredOption};
use crate::model::Trainable;
use crate::neural::exp;
use crate::scorer::Stages;
use crate::system::{Choice, Move, TransitionSystem};

/// The options of one decision.
#[derive(Debug, Default)]
pub struct Decision {
    /// The point and output of each.
    pub options: Vec<(Point, u32)>,
    scored: Vec<ScoredOption>,
    gradient: Vec<(u32, f32)>,
    /// The places of the correct options that were chosen; none if that is left to the objective.
    chosen: Vec<usize>,
    candidates: Vec<CorrectTransition>,
}

/// Policy of one step: the way on from a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Follow {
    /// By the prediction.
    Learned,
    /// By what the reference prefers.
    Reference,
    /// By the prediction if it is right, else by the best of the right options.
    Corrected,
    /// By an option drawn from their probabilities, each to a power.
    Drawn {
        /// The power.
        power: f64,
        /// Random number between 0 and 1.
        unit: f64,
    },
}

impl Decision {
    fn clear(&mut self) {
        self.options.clear();
        self.scored.clear();
        self.chosen.clear();
    }

    fn push(&mut self, point: Point, output: u32, cost: f32, scores: &ScoreMatrix) {
        self.options.push((point, output));
        self.scored.push(ScoredOption { score: scores.get(point, output), cost, gradient: 0.0 });
    }

    /// The options are whole actions.
    pub fn set_actions<S: TransitionSystem>(
        &mut self,
        moves: &[MoveOption],
        scores: &ScoreMatrix,
        machine: &Machine<S>,
    ) {
        self.clear();
        for option in moves {
            self.extend_actions(option, option.cost, scores, machine);
        }
    }

    /// The options are a correct action and the predicted one, which is not.
    pub fn set_pair(&mut self, correct: Choice, predicted: Choice, scores: &ScoreMatrix) {
        self.clear();
        let mut pair = [(correct, 0.0), (predicted, 1.0)];
        // In the order in which ties are broken.
        pair.sort_unstable_by_key(|&(choice, _)| choice);
        for (Choice { point, action }, cost) in pair {
            self.push(point, u32::from(action), cost, scores);
        }
    }

    /// The options are the correct actions, which are in ascending order, and the predicted one, which is not among them.
    pub fn set_correct(&mut self, correct: &[Choice], predicted: Choice, scores: &ScoreMatrix) {
        self.clear();
        let (before, behind) = correct.split_at(correct.partition_point(|&choice| choice < predicted));
        let mut push = |cost: f32, choices: &[Choice]| {
            for &Choice { point, action } in choices {
                self.push(point, u32::from(action), cost, scores);
            }
        };
        push(0.0, before);
        push(1.0, &[predicted]);
        push(0.0, behind);
    }

    /// Chooses among the correct options, if there are several. `mv` gives an option's move by its place and output; the options of
    /// a move stand together.
    pub fn choose(
        &mut self,
        among: &mut AmongCorrect,
        canonical: Option<(Point, Move)>,
        mv: &dyn Fn(usize, u32) -> Move,
    ) {
        let Decision { options, scored, chosen, candidates, .. } = self;
        candidates.clear();
        for (place, (&(point, output), option)) in options.iter().zip(scored).enumerate() {
            if option.cost != 0.0 {
                continue;
            }
            let candidate = CorrectTransition { place, point, mv: mv(place, output), score: option.score };
            match candidates.last_mut() {
                Some(last) if (last.point, last.mv) == (point, candidate.mv) => {
                    if candidate.score > last.score {
                        *last = candidate;
                    }
                }
                _ => candidates.push(candidate),
            }
        }
        among.choose(canonical, candidates);
        chosen.clear();
        chosen.extend(candidates.iter().map(|candidate| candidate.place));
    }

    /// The correct options that were chosen, by point and output with their scores; none if that is left to the objective.
    #[cfg(test)]
    pub fn chosen(&self) -> impl Iterator<Item = (Point, u32, f32)> {
        self.chosen.iter().map(|&place| (self.options[place].0, self.options[place].1, self.scored[place].score))
    }

    /// True if the prediction is correct.
    pub fn is_right(&self) -> bool {
        self.scored[self.predicted()].cost == 0.0
    }

    /// The options are the labels of a move.
    pub fn set_labels<S: TransitionSystem>(&mut self, option: &MoveOption, scores: &ScoreMatrix, machine: &Machine<S>) {
        self.clear();
        self.extend_actions(option, 0.0, scores, machine);
    }

    fn extend_actions<S: TransitionSystem>(
        &mut self,
        option: &MoveOption,
        cost: f32,
        scores: &ScoreMatrix,
        machine: &Machine<S>,
    ) {
        let mask = machine.actions.mask(option.permitted);
        for id in machine.actions.of_move(option.mv).filter(|&id| mask[id as usize] == 0) {
            let wrong = option.gold.is_some_and(|gold| gold != id);
            self.push(option.point, u32::from(id), if wrong { cost + option.label_cost } else { cost }, scores);
        }
    }

    /// The options are moves.
    pub fn set_moves(&mut self, moves: &[MoveOption], scores: &ScoreMatrix, stages: &Stages) {
        self.clear();
        for option in moves {
            self.push(option.point, stages.output(option.mv), option.cost, scores);
        }
    }

    /// Index of the reference's action for a move among whole actions.
    pub fn position(&self, option: &MoveOption) -> usize {
        let is_it = |&(place, &(point, output)): &(usize, &(Point, u32))| match option.gold {
            Some(gold) => (point, output) == (option.point, u32::from(gold)),
            None => point == option.point && self.scored[place].cost == 0.0 && option.cost == 0.0,
        };
        self.options.iter().enumerate().find(is_it).map_or(0, |(place, _)| place)
    }

    /// The option of the highest score, the first of them on ties.
    pub fn predicted(&self) -> usize {
        self.best(|_| true)
    }

    fn best(&self, among: impl Fn(&ScoredOption) -> bool) -> usize {
        let mut best: Option<(usize, f32)> = None;
        for (place, option) in self.scored.iter().enumerate().filter(|(_, option)| among(option)) {
            if best.is_none_or(|(_, highest)| option.score > highest) {
                best = Some((place, option.score));
            }
        }
        best.expect("there is such an option").0
    }

    /// The option to follow, and whether the prediction is right. Options that are `unexplored`, by their outputs, are followed where
    /// they are right and nowhere else.
    pub fn decide(
        &self,
        reference: usize,
        follow: &mut dyn FnMut(bool) -> Follow,
        unexplored: impl Fn(u32) -> bool,
    ) -> (usize, bool) {
        let predicted = self.predicted();
        let is_right = self.scored[predicted].cost == 0.0;
        let chosen = match follow(is_right) {
            Follow::Learned => predicted,
            Follow::Reference => reference,
            Follow::Drawn { power, unit } => self.drawn(power, unit),
            Follow::Corrected if is_right => predicted,
            Follow::Corrected => self.corrected(),
        };
        let is_free = |place: usize| self.scored[place].cost == 0.0;
        let is_unexplored = |place: usize| unexplored(self.options[place].1);
        let leaves_it_open = is_free(chosen)
            || !is_unexplored(chosen) && !(0..self.options.len()).any(|place| is_free(place) && is_unexplored(place));
        (if leaves_it_open { chosen } else { self.corrected() }, is_right)
    }

    /// The right option that is followed instead of a wrong one.
    fn corrected(&self) -> usize {
        match self.chosen[..] {
            [only] => only,
            _ => self.best(|option| option.cost == 0.0),
        }
    }

    /// The option that `unit`, between 0 and 1, falls on if options of the score s have a share of exp(power · s).
    fn drawn(&self, power: f64, unit: f64) -> usize {
        let highest = self.scored.iter().fold(f32::NEG_INFINITY, |highest, option| highest.max(option.score));
        let weight = |option: &ScoredOption| f64::from(exp(power as f32 * (option.score - highest)));
        let mut left = unit * self.scored.iter().map(weight).sum::<f64>();
        let fallen_on = self.scored.iter().position(|option| {
            left -= weight(option);
            left < 0.0
        });
        fallen_on.unwrap_or_else(|| self.predicted())
    }

    /// Gives `credit` the gradients of the options' scores, by point.
    pub fn gradients(
        &mut self,
        stage: usize,
        reference: usize,
        scores: &ScoreMatrix,
        (model, objective): (&dyn Trainable, &mut LocalObjective),
        mut credit: impl FnMut(Point, &[(u32, f32)]),
    ) {
        let Decision { options, scored, gradient, chosen, .. } = self;
        objective.gradients(stage, scored, (reference, chosen), |right, wrong| {
            let [right, wrong] =
                [right, wrong].map(|place| options[place]).map(|(point, output)| (scores.point(point), output));
            model.squared_distance(right, wrong)
        });
        let mut rest = &scored[..];
        let mut places = &options[..];
        while let Some(&(point, _)) = places.first() {
            let n = places.iter().take_while(|(other, _)| *other == point).count();
            gradient.clear();
            gradient.extend(places[..n].iter().zip(rest).map(|(&(_, output), option)| (output, option.gradient)));
            credit(point, gradient);
            (places, rest) = (&places[n..], &rest[n..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// Options come as often as their probabilities to the power say: all alike to the power 0, the best one to a large power.
    #[test]
    fn what_is_drawn_follows_the_probabilities() {
        let probabilities: [f64; 4] = [0.5, 0.3, 0.15, 0.05];
        let scored = probabilities.map(|p| ScoredOption { score: p.ln() as f32 + 3.0, cost: 1.0, gradient: 0.0 });
        let decision = Decision { scored: scored.to_vec(), ..Decision::default() };
        for power in [0.0, 0.75, 1.0, 100.0] {
            let mut stream = random::stream(1, "draw", &[]);
            let mut counts = [0.0; 4];
            for _ in 0..20_000 {
                counts[decision.drawn(power, random::unit(&mut stream))] += 1.0 / 20_000.0;
            }
            let raised = probabilities.map(|p| p.powf(power));
            let sum: f64 = raised.iter().sum();
            for (found, share) in counts.iter().zip(raised) {
                assert!((found - share / sum).abs() < 0.015, "{power}: {counts:?}");
            }
        }
        assert_eq!(decision.drawn(1.0, 1.0), 0, "what falls behind the last one is the prediction");
    }
}
