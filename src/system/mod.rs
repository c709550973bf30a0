//! Transition systems, one file each: preconditions, effects, static oracle, dynamic-oracle costs.
//!
//! To add a system, write its file and add its line to the list below. The command line, specifications, model files,
//! `treebeam oracle`, the tests over all systems and the benchmarks then include it.

mod action;
mod completion;
mod coverage;
mod derivation;
mod eager;
pub mod exhaustive;
mod kind;
mod length;
mod one_root;
mod reachable;
#[cfg(test)]
mod tests;

pub use action::{Action, ActionId, Actions, Choice, FORBIDDEN, Move, MoveSet, Permitted};
pub use coverage::Coverage;
pub use derivation::Derivation;
pub use kind::SystemKind;
pub use length::MAX_WORDS_IF_QUADRATIC;

/// The transition systems: the files that hold them and the names of their types. To add a system is to add a line here;
/// [`SystemKind`] and [`with_system!`](crate::with_system) follow from the list, and so do the modules and the exports of
/// this folder. Names on the command line are in this order.
#[macro_export]
#[doc(hidden)]
macro_rules! for_all_systems {
    ([$($expand:tt)+] $($arguments:tt)*) => {
        $($expand)+! {
            [$($arguments)*]
            mod arc_standard: ArcStandard;
            mod arc_eager: ArcEager;
            mod arc_eager_nonmonotonic: ArcEagerNonmonotonic;
            mod arc_eager_repair: ArcEagerRepair;
            mod arc_eager_start: ArcEagerStart;
            mod arc_eager_unshift: ArcEagerUnshift;
            mod arc_eager_zpar: ArcEagerZpar;
            mod arc_hybrid: ArcHybrid;
            mod arc_hybrid_rootless: ArcHybridRootless;
            mod attardi: Attardi;
            pub mod covington: Covington, CovingtonNonlocal, CovingtonNonmonotonic;
            mod easy_first: EasyFirst;
            mod swap: Swap;
            mod two_planar: TwoPlanar;
        }
    };
}

/// The modules of the listed systems, and their exports.
macro_rules! modules {
    ([] $($visibility:vis mod $module:ident: $($system:ident),+;)+) => {
        $(
            $visibility mod $module;
            pub use $module::{$($system),+};
        )+
    };
}

for_all_systems!([modules]);

use std::ops::Range;

use crate::choice::choice;
use crate::configuration::{Configuration, PlainView, Point, SharedConfiguration};
pub use crate::tree::Roots;
use crate::tree::{Gold, LabelId, Node, ROOT};

/// What a system is, however its configurations are kept.
pub trait System: Copy + Send + Sync + 'static {
    /// The system's name, as it is spelled everywhere.
    const NAME: &'static str;
    /// One line about the system: who defined it, and what sets it apart.
    const ABOUT: &'static str;
    /// The moves of the system.
    const MOVES: &'static [Move];
    /// Its oracles, the one to train with by default last.
    const ORACLES: &'static [OracleKind] = &[OracleKind::Static, OracleKind::Dynamic];
    /// Whether it derives every tree with as many roots as it allows. If not, it derives every projective one, and perhaps
    /// others.
    const DERIVES_ALL: bool = false;
    /// Whether it has derivations of projective trees only.
    const PROJECTIVE_ONLY: bool = !Self::DERIVES_ALL;
    /// The most words of a sentence that is parsed; fewer where derivations may be as long as the square of that.
    const MAX_WORDS: usize = crate::tree::MAX_WORDS;
    /// The most words of a sentence that the oracle is asked about; more where neither its time nor its memory is quadratic in them.
    const MAX_TRAINING_WORDS: usize = MAX_WORDS_IF_QUADRATIC;
    /// How many words it can be told to leave on the root.
    const ROOTS: &'static [Roots] = &[Roots::Single, Roots::Several];
    /// The oracle to train beams with by default.
    const BEAM_ORACLE: OracleKind = Self::ORACLES[Self::ORACLES.len() - 1];
    /// The feature set to train with by default.
    const FEATURES: &'static str = "zn11";
    /// Whether the buffer is always a suffix of the sentence whose words, but for B0, have no arcs yet. Then B0 tells what
    /// is behind it, and features of words behind B0 are memoised with those of B0.
    const BUFFER_IS_SUFFIX: bool = true;
    /// Whether a move changes what is seen from few points only. Then greedy decoding and training score the others but
    /// once.
    const LOCAL_POINTS: bool = false;
    /// Whether greedy training with the non-deterministic oracle stays in a configuration until the prediction is correct,
    /// instead of following a correct action at once.
    const CORRECTS_ITSELF: bool = false;
    /// Whether the loss takes a word that no move has attached for one that hangs on the root, where it will end. If not,
    /// such a word counts as wrong.
    const HEADLESS_ARE_ROOTS: bool = true;

    /// Its configurations as decoding and learning keep them: sharing what they have in common.
    type Shared<'a>: SharedConfiguration<'a>;
    /// Its configurations as the reference and exhaustive search keep them: each by itself.
    type Plain: Configuration<Arena = ()> + PlainView;

    /// The system with this one of its oracles.
    #[must_use]
    fn with_oracle(self, _: OracleKind) -> Self {
        self
    }

    /// How good the costs of its oracle are.
    fn exactness(&self) -> Exactness {
        Exactness::ExactForProjective
    }

    /// The moves that can make the arc from `head` to `dependent`.
    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        let mv = if head == ROOT || head < dependent { Move::Right } else { Move::Left };
        MoveSet::default().with(mv, true)
    }

    /// The most transitions that a derivation for `n_words` can have.
    fn max_derivation_len(&self, n_words: usize) -> usize;
}

/// The transitions of a system over configurations of type `C`. It knows nothing of gold trees, features or weights.
pub trait Transitions<C: Configuration>: System {
    /// The configuration before the first transition.
    fn initial(&self, arena: C::Arena, n_words: usize) -> C;
    /// Whether the derivation is complete.
    fn is_terminal(&self, c: &C) -> bool;
    /// The number of points at which a move may be taken: one for most systems, one for each pair of neighbours in
    /// easy-first, one for each word in reach in non-local Covington.
    fn n_points(&self, _: &C) -> usize {
        1
    }
    /// The moves that may be taken at `point`, and which of them would make an arc from the root.
    fn permitted(&self, c: &C, point: Point) -> Permitted;
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

choice! {
    /// The gold side of training: which actions are correct.
    pub enum OracleKind {
        /// The next action of the canonical derivation.
        Static = "static",
        /// Swap: the next action of the canonical derivation that swaps as late as possible.
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
    /// Whether it prescribes one derivation.
    pub fn is_static(self) -> bool {
        matches!(self, OracleKind::Static | OracleKind::Lazy)
    }

    /// Whether it is defined wherever the derivation has got to, so that training may explore.
    pub fn explores(self) -> bool {
        !self.is_static() && self != OracleKind::NonDeterministic
    }
}

impl SystemKind {
    /// Whether there is a derivation of every tree.
    pub fn derives_all(self, roots: Roots) -> bool {
        fn of<S: System>(_: &S) -> bool {
            S::DERIVES_ALL
        }
        crate::with_system!(self, roots, |system| of(&system))
    }

    /// Whether there are derivations of projective trees only.
    pub fn makes_projective_only(self, roots: Roots) -> bool {
        fn of<S: System>(_: &S) -> bool {
            S::PROJECTIVE_ONLY
        }
        crate::with_system!(self, roots, |system| of(&system))
    }
}

/// How close the costs of an oracle come to the true loss.
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
    pub(super) fn relative(&self, permitted: MoveSet) -> MoveCosts {
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

/// What a system knows about gold trees: its static and its dynamic oracle.
pub trait Oracle<C: Configuration>: Transitions<C> {
    /// The move of the static oracle and where it is taken. Only defined on the configurations of its own derivation.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move);

    /// The unlabelled cost at `point` of each move in `permitted`: by how much it raises the number of wrong heads of the
    /// best tree that can still be reached.
    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts;
}

/// A whole system: its transitions and oracles over shared configurations, over those of interned states, and over plain ones. Implemented for whatever has
/// the parts.
pub trait TransitionSystem:
    System
    + for<'a> Oracle<<Self as System>::Shared<'a>>
    + for<'a> Oracle<InternedOf<'a, Self>>
    + Oracle<<Self as System>::Plain>
{
}

impl<S> TransitionSystem for S where
    S: System
        + for<'a> Oracle<<S as System>::Shared<'a>>
        + for<'a> Oracle<InternedOf<'a, S>>
        + Oracle<<S as System>::Plain>
{
}

/// A system's configurations with interned states in their cells.
pub type InternedOf<'a, S> = <<S as System>::Shared<'a> as SharedConfiguration<'a>>::Interned;

/// The label that the arc of `mv` should bear, if it is a gold arc: another label costs 1 more (the loss counts words
/// whose head or label is wrong). On an arc that is not in the gold tree every label costs the same.
pub fn gold_label<C: Configuration, S: Transitions<C>>(
    system: &S,
    gold: &Gold,
    c: &C,
    point: Point,
    mv: Move,
) -> Option<LabelId> {
    let (head, dependent) = system.arc(c, point, mv)?;
    (gold.head(dependent) == head).then(|| gold.label(dependent))
}
