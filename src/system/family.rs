//! Families of systems: those whose configurations are of one form. What decodes and learns is compiled once for each family,
//! whose systems stand behind a trait object.

use std::fmt::Debug;

use super::{Oracle, System};
use crate::configuration::{
    ArenaConfiguration, Configuration, PlainConfiguration, PlainLists, PlainPending, PlainTwoStacks, PlainView,
    SharedConfiguration, SharedLists, SharedPending, SharedTwoStacks,
};

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
