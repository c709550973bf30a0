//! The choice among several correct transitions, where the oracle leaves one: spurious ambiguity in training.
//!
//! Several derivations make the same tree, so that in many configurations more than one transition is correct: of least cost.
//! The choice among them is made twice:
//!
//! * **what is reinforced**: the chosen transition against the wrong ones. Correct ones that are not chosen are neither
//!   reinforced nor punished: they are left out of the example.
//! * **what is followed** where the model is not followed: the chosen transition, unless the model's own prediction is correct,
//!   for that is followed in any case (CHOOSE-NEXT of Goldberg & Nivre 2012, who draw at random where it is not).
//!
//! The perceptron learns from mistakes alone, so it chooses only where the prediction is not correct.
//!
//! A transition is a move at a point. Where its arc is not a gold one all its labels cost the same; then the label of the highest
//! score stands for it.

use rand::rngs::Xoshiro256PlusPlus;

use crate::configuration::Point;
use crate::options::Correct;
use crate::random;
use crate::system::Move;

/// A choice that is not the objective's own, on one sentence.
#[derive(Debug, Clone)]
pub struct AmongCorrect {
    /// Choice among correct transitions.
    pub correct: Correct,
    stream: Xoshiro256PlusPlus,
}

/// A correct transition of a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectTransition {
    /// The place, among the decision's options, of its best-scored action.
    pub place: usize,
    /// Point at which it is taken.
    pub point: Point,
    /// Its move.
    pub mv: Move,
    /// The score of the action.
    pub score: f32,
}

impl AmongCorrect {
    /// A choice that draws, if it draws, from `stream`.
    pub fn new(correct: Correct, stream: Xoshiro256PlusPlus) -> AmongCorrect {
        AmongCorrect { correct, stream }
    }

    /// Leaves the chosen ones of `candidates`, of which there is at least one: a single one, or with [`Correct::All`] all.
    /// `canonical` is what the static oracle says.
    pub fn choose(&mut self, canonical: Option<(Point, Move)>, candidates: &mut Vec<CorrectTransition>) {
        if candidates.len() < 2 || self.correct == Correct::All {
            return;
        }
        let is_canonical = |candidate: &CorrectTransition| canonical == Some((candidate.point, candidate.mv));
        let chosen = match self.correct {
            Correct::Random => candidates[random::below(candidates.len() as u64, &mut self.stream) as usize],
            // The canonical one is known only if it was asked for.
            _ => candidates.iter().copied().find(is_canonical).unwrap_or_else(|| best(candidates)),
        };
        candidates.clear();
        candidates.push(chosen);
    }
}

/// The candidate of the highest score, the first of them on ties.
fn best(candidates: &[CorrectTransition]) -> CorrectTransition {
    let better = |best: CorrectTransition, candidate: CorrectTransition| {
        if candidate.score > best.score { candidate } else { best }
    };
    candidates.iter().copied().reduce(better).expect("some option is correct")
}
