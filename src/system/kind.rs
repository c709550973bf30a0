//! Transition systems by name, and the one place where the choice among them is made.

use super::{OracleKind, Roots, System};
use crate::error::{Error, Result};
use crate::{for_all_systems, with_system};

/// Makes [`SystemKind`] of the list of systems.
macro_rules! kinds {
    ([] $($visibility:vis mod $module:ident: $($system:ident),+;)+) => {
        /// The transition systems by name.
        ///
        /// # Examples
        /// ```
        /// use treebeam::system::{OracleKind, SystemKind};
        ///
        /// let system = SystemKind::named("arc-eager").unwrap();
        /// assert_eq!((system, system.name()), (SystemKind::ArcEager, "arc-eager"));
        /// assert!(system.oracles().contains(&OracleKind::Dynamic));
        /// assert!(SystemKind::ALL.iter().all(|&system| SystemKind::named(system.name()) == Some(system)));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SystemKind {
            $($(
                #[doc = concat!("[`", stringify!($system), "`](super::", stringify!($system), ")")]
                $system,
            )+)+
        }

        impl SystemKind {
            /// Every system.
            pub const ALL: &'static [SystemKind] = &[$($(SystemKind::$system,)+)+];
            /// The names of all systems, in the order of [`SystemKind::ALL`].
            const NAMES: &'static [&'static str] = &[$($(<super::$system as System>::NAME,)+)+];
        }
    };
}

for_all_systems!([kinds]);

impl SystemKind {
    /// The name as flags, specifications, records and model files spell it.
    pub fn name(self) -> &'static str {
        SystemKind::NAMES[self as usize]
    }

    /// The system of this name, if there is one.
    pub fn named(name: &str) -> Option<SystemKind> {
        SystemKind::ALL.iter().copied().find(|system| system.name() == name)
    }

    /// One line about the system: who defined it, and what sets it apart.
    pub fn about(self) -> &'static str {
        with_system!(self, Roots::Single, |system| about(&system))
    }

    /// Its oracles, the one to train with by default last.
    pub fn oracles(self) -> &'static [OracleKind] {
        with_system!(self, Roots::Single, |system| oracles(&system))
    }

    /// The oracle to train greedily with by default.
    pub fn greedy_oracle(self) -> OracleKind {
        *self.oracles().last().expect("every system has an oracle")
    }

    /// The oracle to train beams with by default.
    pub fn beam_oracle(self) -> OracleKind {
        with_system!(self, Roots::Single, |system| beam_oracle(&system))
    }

    /// How many words it can be told to leave on the root.
    pub fn roots(self) -> &'static [Roots] {
        with_system!(self, Roots::Single, |system| roots(&system))
    }

    /// `preferred`, or the setting that the system has instead.
    pub fn own_roots(self, preferred: Roots) -> Roots {
        let own = self.roots();
        if own.contains(&preferred) { preferred } else { own[0] }
    }

    /// Whether it can be told to leave `roots` words on the root.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_roots(self, roots: Roots) -> Result<()> {
        match roots {
            roots if self.roots().contains(&roots) => Ok(()),
            Roots::Several => Err(Error::Usage(format!("{self} leaves one word on the root; expected --roots single"))),
            Roots::Single => {
                Err(Error::Usage(format!("{self} cannot leave one word alone on the root; expected --roots several")))
            }
        }
    }

    /// The feature set to train with by default.
    pub fn features(self) -> &'static str {
        with_system!(self, Roots::Single, |system| features(&system))
    }

    /// Whether words behind the front of the buffer have no arcs yet: [`System::BUFFER_IS_SUFFIX`].
    pub fn buffer_is_suffix(self) -> bool {
        with_system!(self, Roots::Single, |system| buffer_is_suffix(&system))
    }

    /// The set of the words between which it makes arcs: what `minimal` stands for.
    pub fn minimal(self) -> &'static str {
        let in_stack = matches!(self, SystemKind::ArcStandard | SystemKind::Attardi | SystemKind::Swap);
        if in_stack { "minimal-stack" } else { "minimal" }
    }
}

fn about<S: System>(_: &S) -> &'static str {
    S::ABOUT
}

fn oracles<S: System>(_: &S) -> &'static [OracleKind] {
    S::ORACLES
}

fn roots<S: System>(_: &S) -> &'static [Roots] {
    S::ROOTS
}

fn beam_oracle<S: System>(_: &S) -> OracleKind {
    S::BEAM_ORACLE
}

fn buffer_is_suffix<S: System>(_: &S) -> bool {
    S::BUFFER_IS_SUFFIX
}

fn features<S: System>(_: &S) -> &'static str {
    S::FEATURES
}

impl std::fmt::Display for SystemKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for SystemKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for SystemKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SystemKind, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        SystemKind::named(&name).ok_or_else(|| serde::de::Error::unknown_variant(&name, SystemKind::NAMES))
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for SystemKind {
    fn value_variants<'a>() -> &'a [SystemKind] {
        SystemKind::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()).help(self.about()))
    }
}

/// Runs generic code with the system that a [`SystemKind`] names: the one place where the choice is made.
///
/// `with_system!(kind, roots, |system| expression)` evaluates the expression with `system` bound to the concrete type.
#[macro_export]
macro_rules! with_system {
    ($kind:expr, $roots:expr, |$system:ident| $body:expr) => {
        $crate::for_all_systems!([$crate::match_system] $kind, $roots, $system, $body)
    };
}

/// The arms of [`with_system!`](crate::with_system).
#[macro_export]
#[doc(hidden)]
macro_rules! match_system {
    (
        [$kind:expr, $roots:expr, $system:ident, $body:expr]
        $($visibility:vis mod $module:ident: $($type:ident),+;)+
    ) => {
        match $kind {
            $($($crate::system::SystemKind::$type => {
                let $system = $crate::system::$type::new($roots);
                $body
            })+)+
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever adds a system and forgets to list it, so that no test would look at it, is told.
    #[test]
    fn every_file_of_a_system_is_listed() {
        fn names(folder: &std::path::Path, found: &mut Vec<String>) {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    names(&path, found);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let stated = text.lines().filter_map(|line| line.strip_prefix("    const NAME: &'static str = \""));
                found.extend(stated.map(|rest| rest.trim_end_matches("\";").to_owned()));
            }
        }
        let mut found = Vec::new();
        names(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/system"), &mut found);
        let mut listed: Vec<&str> = SystemKind::ALL.iter().map(|system| system.name()).collect();
        found.sort();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for &system in SystemKind::ALL {
            assert_eq!(serde_json::to_string(&system).unwrap(), format!("\"{system}\""));
            assert_eq!(serde_json::from_str::<SystemKind>(&format!("\"{system}\"")).unwrap(), system);
            #[cfg(feature = "cli")]
            assert_eq!(<SystemKind as clap::ValueEnum>::from_str(system.name(), false), Ok(system));
        }
        let told = serde_json::from_str::<SystemKind>("\"arc-eagre\"").unwrap_err().to_string();
        assert!(told.starts_with("unknown variant `arc-eagre`, expected one of `arc-standard`, `arc-eager`"), "{told}");
    }
}
