//! Families of systems: those whose configurations are of one form. What decodes and learns is compiled once for each family,
//! whose systems stand behind a trait object.

use std::fmt::Debug;

use super::{Oracle, OracleKind, System};
use crate::configuration::{
    ArenaConfiguration, Configuration, PlainConfiguration, PlainLists, PlainPending, PlainTwoStacks, PlainView,
    SharedConfiguration, SharedLists, SharedPending, SharedTwoStacks, Stacks as _,
};
use crate::tree::Roots;

/// A system as decoding and learning see it: its transitions and oracles over shared configurations and over plain ones. There
/// is one for each family, a reference to whichever system of it.
pub trait TransitionSystem: System + Copy + 'static + for<'a> Oracle<Self::Shared<'a>> + Oracle<Self::Plain> {
    /// Its configurations as decoding and learning keep them: sharing what they have in common.
    type Shared<'a>: SharedConfiguration<'a>;
    /// Its configurations as the reference and exhaustive search keep them: each by itself.
    type Plain: Configuration<Arena = ()> + PlainView;

    /// The system, if it is one over a stack and a buffer: for what there is for these alone, merging and tabulation.
    fn over_stacks(self) -> Option<&'static dyn OverStacks> {
        None
    }
}

/// Makes the families: for each the trait of its systems, and the reference to one of them.
macro_rules! families {
    ($($(#[$of_family:meta])* $family:ident, $interface:ident: $shared:ident, $plain:ty;)+) => {
        $(
            #[doc = concat!("Systems of the family [`AnySystem::", stringify!($family), "`]; implemented for all that have the parts.")]
            pub trait $interface:
                for<'a> Oracle<$shared<'a>> + Oracle<$plain>
            {
            }

            impl<S> $interface for S where
                S: for<'a> Oracle<$shared<'a>> + Oracle<$plain>
            {
            }
        )+

        /// A system of whichever family.
        #[derive(Debug, Clone, Copy)]
        pub enum AnySystem {
            $($(#[$of_family])* $family(&'static dyn $interface),)+
        }

        impl AnySystem {
            /// The system, whatever its family.
            pub fn system(&self) -> &'static dyn System {
                match *self { $(AnySystem::$family(system) => system,)+ }
            }
        }
    };
}

families! {
    /// A stack and a buffer.
    Stacks, OverStacks: ArenaConfiguration, PlainConfiguration;
    /// Covington's lists.
    Lists, OverLists: SharedLists, PlainLists;
    /// A list of pending nodes.
    Pending, OverPending: SharedPending, PlainPending;
    /// Two stacks and a buffer.
    TwoStacks, OverTwoStacks: SharedTwoStacks, PlainTwoStacks;
}

impl TransitionSystem for &'static dyn OverStacks {
    type Shared<'a> = ArenaConfiguration<'a>;
    type Plain = PlainConfiguration;

    fn over_stacks(self) -> Option<&'static dyn OverStacks> {
        Some(self)
    }
}

impl TransitionSystem for &'static dyn OverLists {
    type Shared<'a> = SharedLists<'a>;
    type Plain = PlainLists;
}

impl TransitionSystem for &'static dyn OverPending {
    type Shared<'a> = SharedPending<'a>;
    type Plain = PlainPending;
}

impl TransitionSystem for &'static dyn OverTwoStacks {
    type Shared<'a> = SharedTwoStacks<'a>;
    type Plain = PlainTwoStacks;
}

/// Evaluates an expression with the system that a [`SystemKind`](crate::system::SystemKind) names, once for each family: the
/// one place where the choice among them is made.
///
/// `with_system!(kind, roots, |system| expression)`: with the oracle to train with by default;
/// `with_system!(kind, roots, oracle, |system| expression)`: with this one.
#[macro_export]
macro_rules! with_system {
    ($kind:expr, $roots:expr, |$system:ident| $body:expr) => {
        $crate::with_system!(@ $kind.system($roots), |$system| $body)
    };
    ($kind:expr, $roots:expr, $oracle:expr, |$system:ident| $body:expr) => {
        $crate::with_system!(@ $kind.with_oracle($roots, $oracle), |$system| $body)
    };
    (@ $any:expr, |$system:ident| $body:expr) => {
        match $any {
            $crate::system::AnySystem::Stacks($system) => $body,
            $crate::system::AnySystem::Lists($system) => $body,
            $crate::system::AnySystem::Pending($system) => $body,
            $crate::system::AnySystem::TwoStacks($system) => $body,
        }
    };
}

/// A system in the list of all: how to make it with each setting.
#[derive(Debug)]
pub struct Entry {
    /// The facts about it.
    pub info: &'static super::SystemInfo,
    origin: Origin,
    /// The system that tags and makes the same arcs, as soon as it was asked for; none if there is none.
    joint: std::sync::OnceLock<Option<super::SystemKind>>,
    /// Those that were made, by setting and oracle.
    made: std::sync::OnceLock<Vec<(Roots, OracleKind, AnySystem)>>,
}

/// How a system is made.
#[derive(Debug)]
enum Origin {
    /// With this setting and this oracle, which is one of its own.
    Made(fn(Roots, OracleKind) -> AnySystem),
    /// As [`Joint`](super::Joint), over this system.
    Joint(super::SystemKind),
}

impl Entry {
    /// The entry of a system, which is made with a setting and one of its oracles.
    pub const fn new(info: &'static super::SystemInfo, make: fn(Roots, OracleKind) -> AnySystem) -> Entry {
        Entry { info, origin: Origin::Made(make), joint: std::sync::OnceLock::new(), made: std::sync::OnceLock::new() }
    }

    /// The system that tags and makes the arcs of `parser`, whose entry this is; none if that is not over a stack and a buffer in which all
    /// words are at first, or tags.
    pub(super) fn joint(&self, parser: super::SystemKind) -> Option<super::SystemKind> {
        *self.joint.get_or_init(|| {
            let is_over_stacks = match parser.system(parser.roots()[0]) {
                AnySystem::Stacks(system) => {
                    let initial: PlainConfiguration = system.initial((), 1);
                    initial.buffer_len() > 0
                }
                _ => false,
            };
            let joint = || {
                let info: &_ = Box::leak(Box::new(super::joint::info(self.info)));
                let (joint, made) = Default::default();
                super::SystemKind::of(Box::leak(Box::new(Entry { info, origin: Origin::Joint(parser), joint, made })))
            };
            (is_over_stacks && !self.info.moves.contains(&super::Move::Tag)).then(joint)
        })
    }

    fn make(&self, roots: Roots, oracle: OracleKind) -> AnySystem {
        match self.origin {
            Origin::Made(make) => make(roots, oracle),
            Origin::Joint(parser) => match parser.with_oracle(roots, oracle) {
                AnySystem::Stacks(parser) => {
                    AnySystem::Stacks(Box::leak(Box::new(super::Joint::new(self.info, parser))))
                }
                other => other,
            },
        }
    }

    /// The system with this setting and this oracle; with its default one if it has no such oracle. Each is made but once.
    pub(super) fn get(&self, roots: Roots, oracle: OracleKind) -> AnySystem {
        let all = self.made.get_or_init(|| {
            let settings = [Roots::Single, Roots::Several].into_iter();
            let of = |roots| self.info.oracles.iter().map(move |&oracle| (roots, oracle, self.make(roots, oracle)));
            settings.flat_map(of).collect()
        });
        let oracle = if self.info.oracles.contains(&oracle) { oracle } else { self.info.greedy_oracle() };
        let found = all.iter().find(|(of_roots, of_oracle, _)| (*of_roots, *of_oracle) == (roots, oracle));
        found.expect("all settings were made").2
    }
}
