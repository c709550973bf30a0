//! Transition systems as decoding and learning know them: by traits alone. The systems themselves are in the crate
//! `treebeam-systems`, one file each.
//!
//! | file | content |
//! |---|---|
//! | `action` | moves, actions, and the inventory of actions that a model chooses from |
//! | `family` | systems behind trait objects, one for each form of configurations |
//! | `joint` | systems that tag and parse |
//! | `kind` | systems by name |
//! | `derivation` | derivations that follow a gold tree |
//! | `bounds` | bounds of a loss beside the loss |
//! | `coverage` | how much of a treebank a system derives |
//! | `length` | how long sentences may be |
//! | `exhaustive` | proof of oracles by exhaustion |

mod action;
mod bounds;
mod coverage;
mod derivation;
pub mod exhaustive;
mod family;
mod joint;
mod kind;
mod length;

pub use action::{Action, ActionId, Actions, Choice, FORBIDDEN, Move, MoveSet, Permitted};
pub use bounds::{Bounds, LossBounds};
pub use coverage::Coverage;
pub use derivation::Derivation;
pub use family::{AnySystem, OverLists, OverPending, OverStacks, OverTwoStacks, TransitionSystem};
pub use joint::Joint;
pub use kind::{Entry, SystemKind, register};
pub use length::MAX_WORDS_IF_QUADRATIC;

use std::fmt::Debug;
use std::ops::Range;

use crate::choice::choice;
use crate::configuration::{Configuration, Point};
pub use crate::tree::Roots;
use crate::tree::{Gold, LabelId, NO_LABEL, Node, ROOT};

/// Facts about a system that do not depend on a configuration. A system states what is special about it, and takes the rest
/// from [`SystemInfo::new`].
#[derive(Debug, Clone, Copy)]
pub struct SystemInfo {
    /// The system's name, as it is spelled everywhere.
    pub name: &'static str,
    /// One line about the system: who defined it, and what sets it apart.
    pub about: &'static str,
    /// The moves of the system.
    pub moves: &'static [Move],
    /// Its oracles, the one to train with by default last.
    pub oracles: &'static [OracleKind],
    /// The oracle to train beams with by default; the last of `oracles` if none is named.
    pub beam_oracle: Option<OracleKind>,
    /// The strategy of updates to train beams with by default, as the option `--update` spells it.
    pub beam_update: &'static str,
    /// The choice among correct transitions that greedy perceptrons learn by default, as the option `--correct` spells it: the
    /// best on development data (`make spurious-choices`), or that of the papers where there is no difference.
    pub correct: &'static str,
    /// The feature set to train with by default.
    pub features: &'static str,
    /// The feature set of the words between which it makes arcs: what `minimal` stands for.
    pub minimal_features: &'static str,
    /// True if it derives every tree with as many roots as it allows. If not, it derives every projective one, and
    /// perhaps others.
    pub derives_all: bool,
    /// True if it has derivations of projective trees only.
    pub projective_only: bool,
    /// The number of words that it can leave on the root.
    pub roots: &'static [Roots],
    /// The most words of a sentence that is parsed; fewer where derivations may be as long as the square of that.
    pub max_words: usize,
    /// The most words of a sentence that the oracle is asked about; more where neither its time nor its memory is quadratic in them.
    pub max_training_words: usize,
    /// True if the buffer is always a suffix of the sentence whose words, but for B0, have no arcs yet. Then B0
    /// determines what is behind it, and features of words behind B0 are memoised with those of B0.
    pub buffer_is_suffix: bool,
    /// True if a move changes what is seen from few points only. Then greedy decoding and training score the others but
    /// once.
    pub local_points: bool,
    /// True if greedy training with the non-deterministic oracle stays in a configuration until the prediction is
    /// correct, instead of following a correct action at once.
    pub corrects_itself: bool,
    /// The move, if there is one, that greedy training makes where it is correct and nowhere else, whatever the model predicts:
    /// the oracle has no costs for what comes after it in the wrong place.
    pub unexplored: Option<Move>,
    /// True if the loss takes a word that no move has attached for one that hangs on the root, where it will end. If
    /// not, such a word counts as wrong.
    pub headless_are_roots: bool,
    /// True if labels are tags of a column, and all words hang on the root: it tags, and does not parse.
    pub tags: bool,
    /// The deduction system by which all its derivations are tabulated, if there is one: for exact search and merged beams.
    pub tabulation: Option<Deduction>,
}

impl SystemInfo {
    /// A projective system over a stack and a buffer, with a static and a dynamic oracle, and with defaults for the rest.
    pub const fn new(name: &'static str, about: &'static str, moves: &'static [Move]) -> SystemInfo {
        SystemInfo {
            name,
            about,
            moves,
            oracles: &[OracleKind::Static, OracleKind::Dynamic],
            beam_oracle: None,
            beam_update: "max-violation",
            correct: "best-scored",
            features: "zn11",
            minimal_features: "minimal",
            derives_all: false,
            projective_only: true,
            roots: &[Roots::Single, Roots::Several],
            max_words: crate::tree::MAX_WORDS,
            max_training_words: MAX_WORDS_IF_QUADRATIC,
            buffer_is_suffix: true,
            local_points: false,
            corrects_itself: false,
            unexplored: None,
            headless_are_roots: true,
            tags: false,
            tabulation: None,
        }
    }

    /// True if it tags and parses.
    pub fn is_joint(&self) -> bool {
        !self.tags && self.moves.contains(&Move::Tag)
    }

    /// The oracle to train greedily with by default.
    pub const fn greedy_oracle(&self) -> OracleKind {
        self.oracles[self.oracles.len() - 1]
    }
}

/// Deduction systems that tabulate the derivations of a transition system (Kuhlmann, Gómez-Rodríguez & Satta 2011).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deduction {
    /// That of arc-standard.
    Standard,
    /// That of arc-hybrid.
    Hybrid,
    /// That of arc-eager.
    Eager,
}

/// A system, however its configurations are kept.
pub trait System: Debug + Send + Sync {
    /// The facts about it.
    fn info(&self) -> &'static SystemInfo;

    /// Exactness of the oracle's costs.
    fn exactness(&self) -> Exactness {
        Exactness::ExactForProjective
    }

    /// True if costs count arcs by their [weights](crate::tree::Gold::weight), as those of arc-decomposable systems can; exactly, as far
    /// as they are exact for arcs that count 1.
    fn weighs_arcs(&self) -> bool {
        false
    }

    /// True if derivations of least cost take the static oracle's move where it is of least cost. Then that is defined in all
    /// configurations.
    fn prefers_static(&self) -> bool {
        false
    }

    /// The moves that can make the arc from `head` to `dependent`.
    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        let mv = if head == ROOT || head < dependent { Move::Right } else { Move::Left };
        MoveSet::default().with(mv, true)
    }

    /// The most transitions that a derivation for `n_words` can have.
    fn max_derivation_len(&self, n_words: usize) -> usize;

    /// Bounds of the loss of this gold tree's configurations, if the oracle goes by such. The search for the loss itself gives up after
    /// `max_configurations`.
    fn bounds<'g>(&self, _gold: &'g Gold, _max_configurations: usize) -> Option<Box<dyn LossBounds + 'g>> {
        None
    }
}

impl<S: System + ?Sized> System for &S {
    fn info(&self) -> &'static SystemInfo {
        (**self).info()
    }

    fn exactness(&self) -> Exactness {
        (**self).exactness()
    }

    fn weighs_arcs(&self) -> bool {
        (**self).weighs_arcs()
    }

    fn prefers_static(&self) -> bool {
        (**self).prefers_static()
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        (**self).arc_moves(head, dependent)
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        (**self).max_derivation_len(n_words)
    }

    fn bounds<'g>(&self, gold: &'g Gold, max_configurations: usize) -> Option<Box<dyn LossBounds + 'g>> {
        (**self).bounds(gold, max_configurations)
    }
}

/// The transitions of a system over configurations of type `C`. It knows nothing of gold trees, features or weights.
pub trait Transitions<C: Configuration>: System {
    /// The configuration before the first transition.
    fn initial(&self, arena: C::Arena, n_words: usize) -> C;
    /// True if the derivation is complete.
    fn is_terminal(&self, c: &C) -> bool;
    /// The number of points at which a move may be taken: one for most systems, one for each pair of neighbours in
    /// easy-first, one for each word in reach in non-local Covington.
    fn n_points(&self, _: &C) -> usize {
        1
    }
    /// The moves that may be taken at `point`, and which of them would make an arc from the root.
    fn permitted(&self, c: &C, point: Point) -> Permitted;
    /// [`Transitions::permitted`], or `None` if the derivation is complete.
    ///
    /// PERF: behind a trait object one call costs less than two: 1 % of all instructions of a beam of 64.
    fn permitted_unless_terminal(&self, c: &C, point: Point) -> Option<Permitted> {
        (!self.is_terminal(c)).then(|| self.permitted(c, point))
    }
    /// The arc that `mv` would make at `point`, as (head, dependent).
    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)>;
    /// The words, besides the dependent of its own arc, that lose their heads when `mv` is made at `point`.
    fn detached(&self, _: &C, _: Point, _: Move) -> [Option<Node>; 2] {
        [None; 2]
    }
    /// The configuration after `action`, which must be permitted.
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C;

    /// The points from which the configuration `after` a move at `point` may look different. From a point before them it
    /// looks as it did before the move, and so does it from one behind them, but for the change in number.
    fn points_touched(&self, after: &C, _point: Point) -> Range<Point> {
        0..self.n_points(after) as Point
    }
    /// A name for a point that stays the same while its number changes. Names are in the order of the points.
    fn point_name(&self, _: &C, point: Point) -> Node {
        point
    }
    /// The point of this name, if it is still there.
    fn point_named(&self, c: &C, name: Node) -> Option<Point> {
        Some(name).filter(|&name| usize::from(name) < self.n_points(c))
    }
}

impl<C: Configuration, S: Transitions<C> + ?Sized> Transitions<C> for &S {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        (**self).initial(arena, n_words)
    }

    #[inline]
    fn is_terminal(&self, c: &C) -> bool {
        (**self).is_terminal(c)
    }

    #[inline]
    fn n_points(&self, c: &C) -> usize {
        (**self).n_points(c)
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        (**self).permitted(c, point)
    }

    #[inline]
    fn permitted_unless_terminal(&self, c: &C, point: Point) -> Option<Permitted> {
        (**self).permitted_unless_terminal(c, point)
    }

    #[inline]
    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        (**self).arc(c, point, mv)
    }

    #[inline]
    fn detached(&self, c: &C, point: Point, mv: Move) -> [Option<Node>; 2] {
        (**self).detached(c, point, mv)
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        (**self).successor(c, action, arena)
    }

    fn points_touched(&self, after: &C, point: Point) -> Range<Point> {
        (**self).points_touched(after, point)
    }

    fn point_name(&self, c: &C, point: Point) -> Node {
        (**self).point_name(c, point)
    }

    fn point_named(&self, c: &C, name: Node) -> Option<Point> {
        (**self).point_named(c, name)
    }
}

choice! {
    /// The gold side of training: which actions are correct.
    pub enum OracleKind {
        /// The next action of the canonical derivation.
        Static = "static",
        /// Swap and arc-eager systems: the next action of the canonical derivation that swaps, or reduces, as late as possible.
        Lazy = "lazy",
        /// Every action after which the gold tree can still be derived. Only defined where it can.
        NonDeterministic = "non-deterministic",
        /// Every action of least cost, wherever the derivation has got to.
        Dynamic = "dynamic",
        /// Non-monotonic arc-eager: dynamic, and of actions of least cost those that the monotonic system would take, if any.
        MonotonicFirst = "monotonic-first",
        /// Non-monotonic Covington: dynamic, by the lower bound of the loss.
        Lower = "lower",
        /// Non-monotonic Covington: dynamic, by the tighter upper bound.
        PcUpper = "pc-upper",
        /// Non-monotonic Covington: dynamic, by the upper bound.
        Upper = "upper",
    }
}

impl OracleKind {
    /// True if it prescribes one derivation.
    pub fn is_static(self) -> bool {
        matches!(self, OracleKind::Static | OracleKind::Lazy)
    }

    /// True if it is defined wherever the derivation has got to, so that training may explore.
    pub fn explores(self) -> bool {
        !self.is_static() && self != OracleKind::NonDeterministic
    }
}

/// Exactness of an oracle: distance of its costs from the true loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// Equal to the loss in every configuration that any transitions reach, for projective gold trees: with
    /// [`Roots::Several`] for all of them, with [`Roots::Single`] for those in which one word hangs on the root. For
    /// other gold trees an approximation.
    ExactForProjective,
    /// 0 for exactly the moves after which the gold tree can still be derived, wherever it can be, for gold trees with as
    /// many roots as the system allows. Elsewhere an approximation.
    FreeWhereReachable,
    /// A verdict, 0 or 1, on the derivations that take none but moves of cost 0: after these the gold tree, with as many
    /// roots as the system allows, can always be derived. There may be other such moves. Elsewhere without meaning.
    SoundOnItsWay,
    /// Not the loss, though a move of least cost is mostly of least loss.
    Approximate,
    /// Equal to the loss in every configuration that any transitions reach, for every gold tree with as many roots as the
    /// system allows, whether it derives the tree or not.
    Exact,
    /// The difference that the move makes to a bound of the loss.
    Bound,
}

/// The cost of each move in one configuration; `None` is a move that is not permitted, which is another thing than a
/// costly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoveCosts([Option<u32>; Move::COUNT]);

impl MoveCosts {
    /// The cost of `mv`, if it is permitted.
    pub fn get(&self, mv: Move) -> Option<u32> {
        self.0[mv as usize]
    }

    /// Sets the cost of `mv`.
    pub fn set(&mut self, mv: Move, cost: u32) {
        self.0[mv as usize] = Some(cost);
    }

    /// Taken as losses after the moves: what each of `permitted` costs beyond the best of all.
    #[must_use]
    pub fn relative(&self, permitted: MoveSet) -> MoveCosts {
        let least = self.least().unwrap_or(0);
        let mut costs = MoveCosts::default();
        for mv in permitted.iter() {
            costs.0[mv as usize] = self.get(mv).map(|loss| loss - least);
        }
        costs
    }

    /// The least cost of any permitted move.
    pub fn least(&self) -> Option<u32> {
        self.0.iter().flatten().copied().min()
    }
}

/// Static and dynamic oracle of a system.
pub trait Oracle<C: Configuration>: Transitions<C> {
    /// The move of the static oracle and where it is taken. Only defined on the configurations of its own derivation, unless
    /// [`System::prefers_static`].
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move);

    /// The unlabelled cost at `point` of each move in `permitted`: the increase of the number of wrong heads of the
    /// best tree that can still be reached, where each counts by its [weight](Gold::weight).
    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts;

    /// Costs by which the arcs that count are kept, heads alone: if moves of least cost are taken, all of them are made that
    /// moves of cost 0 from the first configuration on can make together. [`Oracle::costs`], where these are exact; elsewhere
    /// not all moves that would keep the arcs are of cost 0, but one of the permitted moves of all points always is.
    fn keeping_costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        self.costs(gold, c, point, permitted)
    }
}

impl<C: Configuration, S: Oracle<C> + ?Sized> Oracle<C> for &S {
    #[inline]
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        (**self).static_move(gold, c)
    }

    #[inline]
    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        (**self).costs(gold, c, point, permitted)
    }

    fn keeping_costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        (**self).keeping_costs(gold, c, point, permitted)
    }
}

/// The label that the arc of `mv` should bear, if it is a gold arc: another label costs 1 more (the loss counts words
/// whose head or label is wrong). On an arc that is not in the gold tree, or does not count, every label costs the same.
pub fn gold_label<C: Configuration, S: Transitions<C> + ?Sized>(
    system: &S,
    gold: &Gold,
    c: &C,
    point: Point,
    mv: Move,
) -> Option<LabelId> {
    let (head, dependent) = system.arc(c, point, mv)?;
    let counts = gold.head(dependent) == head && gold.weight(dependent) > 0;
    counts.then(|| gold.label(dependent)).filter(|&label| label != NO_LABEL)
}
