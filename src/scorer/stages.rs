//! Stages of a decision, and the outputs of each.
//!
//! With **joint** decisions an action is chosen as a whole. With **separate** ones the move is chosen first and then its label:
//! moves have outputs of their own, and the outputs of actions are the scores of labels, given the move.

use std::ops::Range;

use crate::choice::choice;
use crate::system::{Actions, Move};

choice! {
    /// Decisions of a transition: moves and labels chosen jointly or in turn.
    #[derive(Default)]
    pub enum Decisions {
        /// One decision, of a move with its label.
        #[default]
        Joint,
        /// The move first, then its label.
        Separate,
    }
}

impl Decisions {
    /// True if they are joint.
    pub fn is_joint(&self) -> bool {
        *self == Decisions::Joint
    }
}

/// The stages of a decision, each with the outputs of its options.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stages {
    decisions: Decisions,
    /// The outputs of each stage. With separate decisions moves come first, though their outputs stand last.
    outputs: Vec<Range<u32>>,
    /// With separate decisions: each move's output, and the outputs of its actions.
    moves: Vec<(Move, u32, Range<u32>)>,
    width: usize,
}

impl Stages {
    /// The stages for an inventory of actions.
    pub fn new(decisions: Decisions, actions: &Actions) -> Stages {
        let n_actions = actions.len() as u32;
        if decisions == Decisions::Joint {
            let outputs = vec![Range { start: 0, end: n_actions }];
            return Stages { decisions, outputs, moves: Vec::new(), width: actions.width() };
        }
        let of_move = |mv| {
            let mut ids = actions.of_move(mv).map(u32::from);
            let first = ids.next()?;
            Some((mv, first..ids.last().unwrap_or(first) + 1))
        };
        let moves = Move::ALL.into_iter().filter_map(of_move).zip(n_actions..);
        let moves: Vec<(Move, u32, Range<u32>)> = moves.map(|((mv, range), output)| (mv, output, range)).collect();
        let end = n_actions + moves.len() as u32;
        let labels = moves.iter().filter(|(mv, ..)| mv.makes_arc()).map(|(_, _, range)| range.clone());
        let outputs = std::iter::once(n_actions..end).chain(labels).collect();
        Stages { decisions, outputs, moves, width: (end as usize).next_multiple_of(Actions::LANES) }
    }

    /// Joint or separate decisions.
    pub fn decisions(&self) -> Decisions {
        self.decisions
    }

    /// The outputs of each stage.
    pub fn outputs(&self) -> &[Range<u32>] {
        &self.outputs
    }

    /// The number of outputs, padded to whole vectors.
    pub fn width(&self) -> usize {
        self.width
    }

    /// With separate decisions: each move with its output and the outputs of its actions.
    pub(crate) fn moves(&self) -> &[(Move, u32, Range<u32>)] {
        &self.moves
    }

    /// With separate decisions: the output of a move.
    ///
    /// # Panics
    /// If there is no such move.
    pub fn output(&self, mv: Move) -> u32 {
        let known = self.moves.iter().find(|(other, ..)| *other == mv);
        known.expect("the system has the move").1
    }

    /// With separate decisions: the stage that decides on the labels of a move, if it makes an arc.
    pub fn of_labels(&self, mv: Move) -> Option<usize> {
        let place = self.moves.iter().filter(|(mv, ..)| mv.makes_arc()).position(|(other, ..)| *other == mv);
        place.map(|place| place + 1)
    }
}
