//! One decision: its options as the base learner sees them, which of them is predicted, and which is followed.

use super::frame::{Frame, MoveOption};
use crate::configuration::Point;
use crate::decode::Decoder;
use crate::learn::base::{Base, Scored};
use crate::model::Parts;
use crate::system::TransitionSystem;

/// The options of one decision, as the base learner sees them.
#[derive(Debug, Default)]
pub struct Example {
    /// The point and lane of each.
    pub options: Vec<(Point, u32)>,
    scored: Vec<Scored>,
    gradient: Vec<(u32, f32)>,
}

/// How to go on from a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// By the prediction.
    Learned,
    /// By what the reference prefers.
    Reference,
    /// By the prediction if it is right, else by the best of the right options.
    Corrected,
}

impl Example {
    fn clear(&mut self) {
        self.options.clear();
        self.scored.clear();
    }

    fn push(&mut self, point: Point, lane: u32, cost: f32, frame: &Frame) {
        self.options.push((point, lane));
        self.scored.push(Scored { score: frame.get(point, lane), cost, gradient: 0.0 });
    }

    /// The options are whole actions.
    pub fn set_actions<S: TransitionSystem>(&mut self, moves: &[MoveOption], frame: &Frame, decoder: &Decoder<S, ()>) {
        self.clear();
        for option in moves {
            self.extend_actions(option, option.cost, frame, decoder);
        }
    }

    /// The options are the labels of a move.
    pub fn set_labels<S: TransitionSystem>(&mut self, option: &MoveOption, frame: &Frame, decoder: &Decoder<S, ()>) {
        self.clear();
        self.extend_actions(option, 0.0, frame, decoder);
    }

    fn extend_actions<S: TransitionSystem>(
        &mut self,
        option: &MoveOption,
        cost: f32,
        frame: &Frame,
        decoder: &Decoder<S, ()>,
    ) {
        let mask = decoder.actions.mask(option.permitted);
        for id in decoder.actions.of_move(option.mv).filter(|&id| mask[id as usize] == 0) {
            let wrong = option.gold.is_some_and(|gold| gold != id);
            self.push(option.point, u32::from(id), cost + f32::from(u8::from(wrong)), frame);
        }
    }

    /// The options are moves.
    pub fn set_moves(&mut self, moves: &[MoveOption], frame: &Frame, parts: &Parts) {
        self.clear();
        for option in moves {
            self.push(option.point, parts.lane(option.mv), option.cost, frame);
        }
    }

    /// Where the reference's action for a move stands among whole actions.
    pub fn position(&self, option: &MoveOption) -> usize {
        let is_it = |&(place, &(point, lane)): &(usize, &(Point, u32))| match option.gold {
            Some(gold) => (point, lane) == (option.point, u32::from(gold)),
            None => point == option.point && self.scored[place].cost == 0.0 && option.cost == 0.0,
        };
        self.options.iter().enumerate().find(is_it).map_or(0, |(place, _)| place)
    }

    /// The option of the highest score, the first of them on ties.
    pub fn predicted(&self) -> usize {
        self.best(|_| true)
    }

    fn best(&self, among: impl Fn(&Scored) -> bool) -> usize {
        let mut best: Option<(usize, f32)> = None;
        for (place, option) in self.scored.iter().enumerate().filter(|(_, option)| among(option)) {
            if best.is_none_or(|(_, highest)| option.score > highest) {
                best = Some((place, option.score));
            }
        }
        best.expect("there is such an option").0
    }

    /// The option to follow, and whether the prediction is right.
    pub fn decide(&self, reference: usize, follow: &mut dyn FnMut(bool) -> Follow) -> (usize, bool) {
        let predicted = self.predicted();
        let is_right = self.scored[predicted].cost == 0.0;
        let chosen = match follow(is_right) {
            Follow::Learned => predicted,
            Follow::Reference => reference,
            Follow::Corrected if is_right => predicted,
            Follow::Corrected => self.best(|option| option.cost == 0.0),
        };
        (chosen, is_right)
    }

    /// The base learner learns from the options.
    pub fn learn(&mut self, part: usize, reference: usize, frame: &Frame, base: &mut Base) {
        let Example { options, scored, gradient } = self;
        base.gradients(part, scored, reference, |right, wrong| {
            let [(a, right), (b, wrong)] = [right, wrong].map(|place| options[place]);
            let (of_right, of_wrong) = (&frame.point(a).features, &frame.point(b).features);
            // What both have in common cancels, unless it counts for different lanes.
            let shared = match right == wrong {
                true => of_right.iter().filter(|feature| of_wrong.contains(feature)).count(),
                false => 0,
            };
            (of_right.len() + of_wrong.len() - 2 * shared) as f32
        });
        let mut rest = &scored[..];
        let mut places = &options[..];
        while let Some(&(point, _)) = places.first() {
            let n = places.iter().take_while(|(other, _)| *other == point).count();
            gradient.clear();
            gradient.extend(places[..n].iter().zip(rest).map(|(&(_, lane), option)| (lane, option.gradient)));
            let scores = frame.point(point);
            base.update(part, &scores.features, &scores.activations[part], gradient);
            (places, rest) = (&places[n..], &rest[n..]);
        }
    }
}
