//! Transition systems, one file each: preconditions, effects, static oracle, dynamic-oracle costs.
//!
//! To add a system, write its file and add one line to [`SystemKind`] and one to [`with_system!`](crate::with_system).

mod action;
mod arc_eager;
mod arc_eager_nonmonotonic;
mod arc_eager_repair;
mod arc_eager_start;
mod arc_eager_unshift;
mod arc_eager_zpar;
mod arc_hybrid;
mod arc_standard;
mod derivation;
mod eager;
pub mod exhaustive;
mod one_root;
mod tabulation;
#[cfg(test)]
mod tests;

pub use action::{Action, ActionId, Actions, Choice, FORBIDDEN, Move, MoveSet, Permitted};
pub use arc_eager::ArcEager;
pub use arc_eager_nonmonotonic::ArcEagerNonmonotonic;
pub use arc_eager_repair::ArcEagerRepair;
pub use arc_eager_start::ArcEagerStart;
pub use arc_eager_unshift::ArcEagerUnshift;
pub use arc_eager_zpar::ArcEagerZpar;
pub use arc_hybrid::ArcHybrid;
pub use arc_standard::ArcStandard;
pub use derivation::Derivation;

use crate::configuration::{Arena, Configuration, PlainView, Point, View};
pub use crate::tree::Roots;
use crate::tree::{Gold, LabelId, Node, ROOT};
use crate::with_system;

/// What a system is, however its configurations are kept.
pub trait System: Copy + Send + Sync + 'static {
    /// The system's name, as it is spelled everywhere.
    const NAME: &'static str;
    /// The moves of the system.
    const MOVES: &'static [Move];
    /// Its oracles, the one to train with by default last.
    const ORACLES: &'static [OracleKind] = &[OracleKind::Static, OracleKind::Dynamic];
    /// The feature set to train with by default.
    const FEATURES: &'static str = "zn11";
    /// Whether the buffer is always a suffix of the sentence whose words, but for B0, have no arcs yet. Then B0 tells what
    /// is behind it, and features of words behind B0 are memoised with those of B0.
    const BUFFER_IS_SUFFIX: bool = true;

    /// Its configurations as decoding and learning keep them: sharing what they have in common.
    type Shared<'a>: Configuration<Arena = Arena<'a>> + View<'a>;
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
    /// The configuration after `action`, which must be permitted.
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C;
}

/// The gold side of training: which actions are correct.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum OracleKind {
    /// The next action of the canonical derivation.
    Static,
    /// Swap: the next action of the canonical derivation that swaps as late as possible.
    Lazy,
    /// Every action after which the gold tree can still be derived. Only defined where it can.
    NonDeterministic,
    /// Every action of least cost, wherever the derivation has got to.
    Dynamic,
    /// Non-monotonic arc-eager: dynamic, and of actions of least cost those that the monotonic system would take, if any.
    MonotonicFirst,
    /// Non-monotonic Covington: dynamic, by the lower bound of the loss.
    Lower,
    /// Non-monotonic Covington: dynamic, by the tighter upper bound.
    PcUpper,
    /// Non-monotonic Covington: dynamic, by the upper bound.
    Upper,
}

impl OracleKind {
    /// The name as flags and specifications spell it.
    pub fn name(self) -> &'static str {
        match self {
            OracleKind::Static => "static",
            OracleKind::Lazy => "lazy",
            OracleKind::NonDeterministic => "non-deterministic",
            OracleKind::Dynamic => "dynamic",
            OracleKind::MonotonicFirst => "monotonic-first",
            OracleKind::Lower => "lower",
            OracleKind::PcUpper => "pc-upper",
            OracleKind::Upper => "upper",
        }
    }

    /// Whether it prescribes one derivation.
    pub fn is_static(self) -> bool {
        matches!(self, OracleKind::Static | OracleKind::Lazy)
    }

    /// Whether it is defined wherever the derivation has got to, so that training may explore.
    pub fn explores(self) -> bool {
        !self.is_static() && self != OracleKind::NonDeterministic
    }
}

/// How close the costs of an oracle come to the true loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// Equal to the loss in every configuration that any transitions reach, for projective gold trees: with
    /// [`Roots::Several`] for all of them, with [`Roots::Single`] for those in which one word hangs on the root. For
    /// other gold trees an approximation.
    ExactForProjective,
    /// Not the loss, though a move of least cost is mostly of least loss.
    Approximate,
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

/// A whole system: its transitions and oracles over shared and over plain configurations. Implemented for whatever has
/// the parts.
pub trait TransitionSystem:
    System + for<'a> Oracle<<Self as System>::Shared<'a>> + Oracle<<Self as System>::Plain>
{
}

impl<S> TransitionSystem for S where S: System + for<'a> Oracle<<S as System>::Shared<'a>> + Oracle<<S as System>::Plain>
{}

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

/// The transition systems by name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum SystemKind {
    /// Arc-standard (Nivre 2004), arcs between S0 and S1.
    ArcStandard,
    /// Arc-eager (Nivre 2003), the root behind the last word.
    ArcEager,
    /// Non-monotonic arc-eager (Honnibal, Goldberg & Johnson 2013).
    ArcEagerNonmonotonic,
    /// Arc-eager that moves words back to repair mistakes (Honnibal & Johnson 2015).
    ArcEagerRepair,
    /// Arc-eager with the root at the bottom of the stack (Nivre 2003).
    ArcEagerStart,
    /// Arc-eager with UNSHIFT (Nivre & Fernández-González 2014).
    ArcEagerUnshift,
    /// Arc-eager without a root, by ZPar's rules (Zhang & Clark 2011).
    ArcEagerZpar,
    /// Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), the root at the bottom of the stack.
    ArcHybrid,
}

impl SystemKind {
    /// Every system.
    pub const ALL: &'static [SystemKind] = &[
        SystemKind::ArcStandard,
        SystemKind::ArcEager,
        SystemKind::ArcEagerNonmonotonic,
        SystemKind::ArcEagerRepair,
        SystemKind::ArcEagerStart,
        SystemKind::ArcEagerUnshift,
        SystemKind::ArcEagerZpar,
        SystemKind::ArcHybrid,
    ];

    /// The name as flags, specifications, records and model files spell it.
    pub fn name(self) -> &'static str {
        with_system!(self, Roots::Single, |system| name(&system))
    }

    /// Its oracles, the one to train with by default last.
    pub fn oracles(self) -> &'static [OracleKind] {
        with_system!(self, Roots::Single, |system| oracles(&system))
    }

    /// The feature set to train with by default.
    pub fn features(self) -> &'static str {
        with_system!(self, Roots::Single, |system| features(&system))
    }
}

fn name<S: System>(_: &S) -> &'static str {
    S::NAME
}

fn oracles<S: System>(_: &S) -> &'static [OracleKind] {
    S::ORACLES
}

fn features<S: System>(_: &S) -> &'static str {
    S::FEATURES
}

impl std::fmt::Display for SystemKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs generic code with the system that a [`SystemKind`] names: the one place where the choice is made.
///
/// `with_system!(kind, roots, |system| expression)` evaluates the expression with `system` bound to the concrete type.
#[macro_export]
macro_rules! with_system {
    ($kind:expr, $roots:expr, |$system:ident| $body:expr) => {
        match $kind {
            $crate::system::SystemKind::ArcStandard => {
                let $system = $crate::system::ArcStandard::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEager => {
                let $system = $crate::system::ArcEager::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEagerNonmonotonic => {
                let $system = $crate::system::ArcEagerNonmonotonic::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEagerRepair => {
                let $system = $crate::system::ArcEagerRepair::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEagerStart => {
                let $system = $crate::system::ArcEagerStart::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEagerUnshift => {
                let $system = $crate::system::ArcEagerUnshift::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcEagerZpar => {
                let $system = $crate::system::ArcEagerZpar::new($roots);
                $body
            }
            $crate::system::SystemKind::ArcHybrid => {
                let $system = $crate::system::ArcHybrid::new($roots);
                $body
            }
        }
    };
}
