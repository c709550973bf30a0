//! Moves, actions and the inventory of actions that a model chooses from.

use crate::configuration::Point;
use crate::error::Error;
use crate::tree::{LabelId, NO_LABEL};

/// An unlabelled transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Move {
    /// Moves B0 onto the stack.
    Shift,
    /// Pops S0.
    Reduce,
    /// Makes a left arc: the dependent precedes its head.
    Left,
    /// Makes a right arc: the head precedes its dependent.
    Right,
    /// Passes over a pair of words without an arc.
    NoArc,
    /// Moves S1 back to the buffer.
    Swap,
    /// Moves S0 back to the buffer.
    Unshift,
    /// Makes an arc from S0 to S2.
    Left2,
    /// Makes an arc from S2 to S0.
    Right2,
    /// Makes an arc from S1 to S0 and pops S0.
    RightReduce,
    /// Waits after the end of a derivation for longer ones. Never permitted; but a system whose derivations differ in length
    /// has it among its moves, so that a model learns what a transition is worth that others make meanwhile.
    Idle,
    /// Makes the other one of two stacks the active one.
    Switch,
    /// Gives B0 its tag, as the label of an arc from the root, and moves it onto the stack.
    Tag,
}

impl Move {
    /// The number of moves over all systems.
    pub const COUNT: usize = 13;
    /// Every move, in the order of their numbers.
    pub const ALL: [Move; Move::COUNT] = [
        Move::Shift,
        Move::Reduce,
        Move::Left,
        Move::Right,
        Move::NoArc,
        Move::Swap,
        Move::Unshift,
        Move::Left2,
        Move::Right2,
        Move::RightReduce,
        Move::Idle,
        Move::Switch,
        Move::Tag,
    ];

    /// True if the move makes an arc, and so bears a label.
    pub fn makes_arc(self) -> bool {
        matches!(self, Move::Left | Move::Right | Move::Left2 | Move::Right2 | Move::RightReduce | Move::Tag)
    }

    /// The move's name in capitals, as the literature prints it.
    pub fn name(self) -> &'static str {
        match self {
            Move::Shift => "SHIFT",
            Move::Reduce => "REDUCE",
            Move::Left => "LEFT",
            Move::Right => "RIGHT",
            Move::NoArc => "NO-ARC",
            Move::Swap => "SWAP",
            Move::Unshift => "UNSHIFT",
            Move::Left2 => "LEFT-2",
            Move::Right2 => "RIGHT-2",
            Move::RightReduce => "RIGHT-REDUCE",
            Move::Idle => "IDLE",
            Move::Switch => "SWITCH",
            Move::Tag => "TAG",
        }
    }
}

/// A set of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct MoveSet(u16);

impl MoveSet {
    /// The set with `mv` added if `included`.
    #[inline]
    #[must_use]
    pub fn with(self, mv: Move, included: bool) -> MoveSet {
        MoveSet(self.0 | (included as u16) << mv as u16)
    }

    /// True if `mv` is in the set.
    #[inline]
    pub fn has(self, mv: Move) -> bool {
        self.0 >> mv as u16 & 1 == 1
    }

    /// True if no move is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The moves in the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Move> {
        Move::ALL.into_iter().filter(move |&mv| self.has(mv))
    }

    /// The set as bits, one a move.
    #[inline]
    pub fn bits(self) -> u16 {
        self.0
    }
}

/// Set of permitted moves and labels in one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permitted {
    /// The moves that may be taken.
    pub moves: MoveSet,
    /// The moves whose arc would come from the root, taken or not: they bear labels of root arcs.
    pub from_root: MoveSet,
}

/// A move with its label, and where it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The move.
    pub mv: Move,
    /// The label of the arc it makes; [`NO_LABEL`] if it makes none.
    pub label: LabelId,
    /// The point at which it is taken; 0 in systems that have one point.
    pub point: Point,
}

impl Action {
    /// A move that makes no arc.
    pub fn bare(mv: Move) -> Action {
        Action { mv, label: NO_LABEL, point: 0 }
    }

    /// A move that makes an arc.
    pub fn labelled(mv: Move, label: LabelId) -> Action {
        Action { mv, label, point: 0 }
    }

    /// The action taken at `point`.
    #[inline]
    #[must_use]
    pub fn at(self, point: Point) -> Action {
        Action { point, ..self }
    }
}

/// An action by its number, and where it is taken: what a model chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The point.
    pub point: Point,
    /// The move and its label.
    pub action: ActionId,
}

/// An action's number in its [`Actions`].
pub type ActionId = u16;

/// The score of an output that must not be chosen: low enough to lose against everything, high enough that adding a score
/// cannot overflow.
pub const FORBIDDEN: i32 = i32::MIN / 2;

/// The inventory of actions: which labels each move may bear, and where each action stands in a vector of scores.
///
/// Actions of one move stand side by side. Vectors are padded to a multiple of [`Actions::LANES`] so that sums over them
/// vectorise.
///
/// # Examples
/// ```
/// use treebeam::system::{Actions, Move};
///
/// // Of three labels, 0 was seen on left arcs from words, 2 on those from the root, 1 on right arcs from both.
/// let arcs = [(Move::Left, 0, false), (Move::Left, 2, true), (Move::Right, 1, false), (Move::Right, 1, true)];
/// let actions = Actions::new(&[Move::Shift, Move::Left, Move::Right], 3, arcs)?;
/// assert_eq!((actions.len(), actions.width()), (4, 16));
/// let left = actions.id(Move::Left, 2).unwrap();
/// assert_eq!((actions.get(left).mv, actions.get(left).label), (Move::Left, 2));
/// assert_eq!(actions.id(Move::Left, 1), None);
/// # Ok::<(), treebeam::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actions {
    actions: Vec<Action>,
    /// By move: the number of its first action, and one past its last.
    ranges: [(ActionId, ActionId); Move::COUNT],
    /// By move and label: the action, if it exists.
    by_label: Vec<Option<ActionId>>,
    n_labels: usize,
    root_label: LabelId,
    width: usize,
    /// By pattern of [`Permitted`]: 0 where an action may be taken, [`FORBIDDEN`] elsewhere.
    masks: Vec<i32>,
    /// By the bits of a set of moves: its part in the number of a pattern.
    of_moves: Vec<u32>,
    /// By the bits of a set of moves that make arcs from the root: its part in the number of a pattern.
    of_root: Vec<u32>,
}

impl Actions {
    /// The padding of score vectors.
    pub const LANES: usize = 16;

    /// The inventory for `moves`. `arcs` lists (move, label, whether from the root) for every arc of the training trees; a
    /// label may be borne by a move only where it was seen with it, from the root or from a word.
    ///
    /// # Errors
    /// If there are more than 65,535 actions, or an arc bears a label from `n_labels` up.
    pub fn new(
        moves: &[Move],
        n_labels: usize,
        arcs: impl IntoIterator<Item = (Move, LabelId, bool)>,
    ) -> Result<Actions, Error> {
        let mut seen = vec![[false; 2]; Move::COUNT * n_labels];
        for (mv, label, from_root) in arcs {
            // Arcs may come from a file.
            if label as usize >= n_labels {
                return Err(Error::Usage(format!("an arc bears label {label}; expected one below {n_labels}")));
            }
            seen[mv as usize * n_labels + label as usize][usize::from(from_root)] = true;
        }
        // A move that was never seen with any label must still be possible, or decoding could get stuck.
        for &mv in moves.iter().filter(|mv| mv.makes_arc()) {
            let of_move = &mut seen[mv as usize * n_labels..(mv as usize + 1) * n_labels];
            for side in 0..2 {
                if of_move.iter().all(|seen| !seen[side]) {
                    of_move.iter_mut().for_each(|seen| seen[side] = true);
                }
            }
        }
        let mut actions = Vec::new();
        let mut sides = Vec::new();
        let mut ranges = [(0, 0); Move::COUNT];
        let mut by_label = vec![None; Move::COUNT * n_labels];
        let overflow = || Error::Usage(format!("{n_labels} labels make more than 65,535 actions"));
        for &mv in Move::ALL.iter().filter(|mv| moves.contains(mv)) {
            let first = ActionId::try_from(actions.len()).map_err(|_| overflow())?;
            if mv.makes_arc() {
                for label in 0..n_labels {
                    let place = mv as usize * n_labels + label;
                    if seen[place] != [false; 2] {
                        by_label[place] = Some(ActionId::try_from(actions.len()).map_err(|_| overflow())?);
                        actions.push(Action::labelled(mv, label as LabelId));
                        sides.push(seen[place]);
                    }
                }
            } else {
                actions.push(Action::bare(mv));
                sides.push([true; 2]);
            }
            ranges[mv as usize] = (first, ActionId::try_from(actions.len()).map_err(|_| overflow())?);
        }
        let width = actions.len().next_multiple_of(Self::LANES);
        let arc_moves: Vec<Move> = moves.iter().copied().filter(|mv| mv.makes_arc()).collect();
        let of_moves = parts(moves, 0);
        let of_root = parts(&arc_moves, moves.len());
        let mut masks = vec![FORBIDDEN; width << (moves.len() + arc_moves.len())];
        for (pattern, mask) in masks.chunks_exact_mut(width).enumerate() {
            let is_in = |parts: &[u32], mv: Move| pattern as u32 & parts[1 << mv as usize] != 0;
            for &mv in moves.iter().filter(|&&mv| is_in(&of_moves, mv)) {
                let (first, end) = (usize::from(ranges[mv as usize].0), usize::from(ranges[mv as usize].1));
                let side = usize::from(is_in(&of_root, mv));
                for (mask, _) in mask[first..end].iter_mut().zip(&sides[first..end]).filter(|(_, sides)| sides[side]) {
                    *mask = 0;
                }
            }
        }
        let root_label = 0;
        Ok(Actions { actions, ranges, by_label, n_labels, root_label, width, masks, of_moves, of_root })
    }

    /// The same inventory, with `label` for words that no move attached; without this, it is label 0.
    ///
    /// # Errors
    /// If there is no such label.
    pub fn with_root_label(self, label: LabelId) -> Result<Actions, Error> {
        if label as usize >= self.n_labels {
            let n_labels = self.n_labels;
            return Err(Error::Usage(format!("words on the root bear label {label}; expected one below {n_labels}")));
        }
        Ok(Actions { root_label: label, ..self })
    }

    /// The number of actions.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// True if there is no action.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The length of a vector of scores: [`Actions::len`], padded.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of labels.
    pub fn n_labels(&self) -> usize {
        self.n_labels
    }

    /// The action with number `id`.
    #[inline]
    pub fn get(&self, id: ActionId) -> Action {
        self.actions[id as usize]
    }

    /// The action of `choice`, at its point.
    #[inline]
    pub fn chosen(&self, choice: Choice) -> Action {
        self.get(choice.action).at(choice.point)
    }

    /// The number of IDLE, if the system has it.
    #[inline]
    pub fn idle(&self) -> Option<ActionId> {
        self.of_move(Move::Idle).next()
    }

    /// The label of a word that no move attached to the root.
    pub fn root_label(&self) -> LabelId {
        self.root_label
    }

    /// The number of `mv` with `label`, if the inventory has it. Labels of other treebanks may be beyond its own.
    pub fn id(&self, mv: Move, label: LabelId) -> Option<ActionId> {
        if mv.makes_arc() {
            let is_known = usize::from(label) < self.n_labels;
            is_known.then(|| self.by_label[mv as usize * self.n_labels + label as usize]).flatten()
        } else {
            self.of_move(mv).next()
        }
    }

    /// The actions of `mv`.
    pub fn of_move(&self, mv: Move) -> impl Iterator<Item = ActionId> + use<> {
        let (first, end) = self.ranges[mv as usize];
        first..end
    }

    /// All actions, by number.
    pub fn all(&self) -> &[Action] {
        &self.actions
    }

    /// A vector of [`Actions::width`]: 0 where the action is among `permitted`, [`FORBIDDEN`] elsewhere.
    #[inline]
    pub fn mask(&self, permitted: Permitted) -> &[i32] {
        let pattern =
            self.of_moves[permitted.moves.bits() as usize] | self.of_root[permitted.from_root.bits() as usize];
        &self.masks[pattern as usize * self.width..][..self.width]
    }

    /// True if action `id` may be taken where `permitted` holds.
    pub fn permits(&self, permitted: Permitted, id: ActionId) -> bool {
        self.mask(permitted)[id as usize] == 0
    }
}

/// By the bits of a set of moves: the same set as bits in the order of `moves`, from bit `first` on. Moves that are not
/// among `moves` leave no trace.
fn parts(moves: &[Move], first: usize) -> Vec<u32> {
    let bit = |set: usize, (place, &mv): (usize, &Move)| u32::from(set >> mv as usize & 1 == 1) << (first + place);
    (0..1 << Move::COUNT).map(|set| moves.iter().enumerate().map(|item| bit(set, item)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_go_where_they_were_seen() {
        let moves = [Move::Shift, Move::Left, Move::Right];
        let arcs = [(Move::Left, 0, false), (Move::Right, 1, false), (Move::Right, 2, true)];
        let actions = Actions::new(&moves, 3, arcs).unwrap();
        assert_eq!(actions.len(), 6); // SHIFT; LEFT 0, and 1 and 2 for the root, never seen; RIGHT 1 and 2
        let permitted = Permitted {
            moves: MoveSet::default().with(Move::Right, true),
            from_root: MoveSet::default().with(Move::Right, true),
        };
        let allowed: Vec<Action> = (0..actions.len() as ActionId)
            .filter(|&id| actions.permits(permitted, id))
            .map(|id| actions.get(id))
            .collect();
        assert_eq!(allowed, [Action::labelled(Move::Right, 2)]);
        let id = actions.id(Move::Right, 1).unwrap();
        assert_eq!(actions.get(id), Action::labelled(Move::Right, 1));
        assert_eq!(actions.id(Move::Right, 0), None);
        // A label that the inventory does not know is not one of the next move's.
        assert_eq!((actions.id(Move::Left, 3), actions.id(Move::Left, 4)), (None, None));
        assert_eq!(actions.width() % Actions::LANES, 0);
    }
}
