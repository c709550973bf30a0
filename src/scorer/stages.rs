//! Stages of a decision, and the lanes of scores of each.
//!
//! With **joint** decisions an action is chosen as a whole. With **separate** ones the move is chosen first and then its label:
//! moves have lanes of their own, and the lanes of actions are the scores of labels, given the move.

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

/// The stages of a decision, each with the lanes of its options.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stages {
    decisions: Decisions,
    /// The lanes of each stage. With separate decisions moves come first, though their lanes stand last.
    lanes: Vec<Range<u32>>,
    /// With separate decisions: each move's lane, and the lanes of its actions.
    moves: Vec<(Move, u32, Range<u32>)>,
    width: usize,
}

impl Stages {
    /// The stages for an inventory of actions.
    pub fn new(decisions: Decisions, actions: &Actions) -> Stages {
        let n_actions = actions.len() as u32;
        if decisions == Decisions::Joint {
            let lanes = vec![Range { start: 0, end: n_actions }];
            return Stages { decisions, lanes, moves: Vec::new(), width: actions.width() };
        }
        let of_move = |mv| {
            let mut ids = actions.of_move(mv).map(u32::from);
            let first = ids.next()?;
            Some((mv, first..ids.last().unwrap_or(first) + 1))
        };
        let moves = Move::ALL.into_iter().filter_map(of_move).zip(n_actions..);
        let moves: Vec<(Move, u32, Range<u32>)> = moves.map(|((mv, range), lane)| (mv, lane, range)).collect();
        let end = n_actions + moves.len() as u32;
        let labels = moves.iter().filter(|(mv, ..)| mv.makes_arc()).map(|(_, _, range)| range.clone());
        let lanes = std::iter::once(n_actions..end).chain(labels).collect();
        Stages { decisions, lanes, moves, width: (end as usize).next_multiple_of(Actions::LANES) }
    }

    /// Joint or separate decisions.
    pub fn decisions(&self) -> Decisions {
        self.decisions
    }

    /// The lanes of each stage.
    pub fn lanes(&self) -> &[Range<u32>] {
        &self.lanes
    }

    /// The number of lanes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// With separate decisions: each move with its lane and the lanes of its actions.
    pub(crate) fn moves(&self) -> &[(Move, u32, Range<u32>)] {
        &self.moves
    }

    /// With separate decisions: the lane of a move.
    ///
    /// # Panics
    /// If there is no such move.
    pub fn lane(&self, mv: Move) -> u32 {
        let known = self.moves.iter().find(|(other, ..)| *other == mv);
        known.expect("the system has the move").1
    }

    /// With separate decisions: the stage that decides on the labels of a move, if it makes an arc.
    pub fn of_labels(&self, mv: Move) -> Option<usize> {
        let place = self.moves.iter().filter(|(mv, ..)| mv.makes_arc()).position(|(other, ..)| *other == mv);
        place.map(|place| place + 1)
    }
}
