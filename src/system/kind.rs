//! Transition systems by name, and the list of those that the program has.

use std::fmt;
use std::sync::OnceLock;

use super::joint::{self, Joint, SUFFIX};
use super::{AnySystem, Move, OracleKind, OverStacks, Roots, SystemInfo};
use crate::configuration::{PlainConfiguration, Stacks as _};
use crate::error::{Error, Result};

/// A transition system by name.
///
/// # Examples
/// ```
/// use treebeam::system::{OracleKind, SystemKind};
///
/// treebeam_systems::register();
/// let system = SystemKind::named("arc-eager").unwrap();
/// assert_eq!((system, system.name()), (treebeam_systems::ARC_EAGER, "arc-eager"));
/// assert!(system.oracles().contains(&OracleKind::Dynamic));
/// assert!(SystemKind::all().iter().all(|&system| SystemKind::named(system.name()) == Some(system)));
/// ```
#[derive(Clone, Copy)]
pub struct SystemKind(&'static Entry);

/// The systems that names stand for.
#[derive(Debug, Default)]
struct Registered {
    all: &'static [SystemKind],
    /// Those of them that parse.
    parsers: Vec<SystemKind>,
    names: Vec<&'static str>,
    default: Option<SystemKind>,
}

static REGISTERED: OnceLock<Registered> = OnceLock::new();

/// Makes known the systems that names may stand for, in the order in which they are listed, and the one that is taken where
/// none is named. The first call counts.
pub fn register(systems: &'static [SystemKind], default: SystemKind) {
    REGISTERED.get_or_init(|| Registered {
        all: systems,
        parsers: systems.iter().copied().filter(|system| !system.info().tags).collect(),
        names: systems.iter().map(|system| system.name()).collect(),
        default: Some(default),
    });
}

fn registered() -> &'static Registered {
    #[cfg(test)]
    crate::systems::register();
    static NONE: Registered = Registered { all: &[], parsers: Vec::new(), names: Vec::new(), default: None };
    REGISTERED.get().unwrap_or(&NONE)
}

impl SystemKind {
    /// The system of this entry.
    pub const fn of(entry: &'static Entry) -> SystemKind {
        SystemKind(entry)
    }

    /// Every system that was [registered](register) and makes trees: all but the tagger.
    pub fn all() -> &'static [SystemKind] {
        &registered().parsers
    }

    /// Every system that was [registered](register), the tagger too.
    pub fn with_tagger() -> &'static [SystemKind] {
        registered().all
    }

    /// The system of this name, if there is one.
    pub fn named(name: &str) -> Option<SystemKind> {
        let parser = name.strip_suffix(SUFFIX);
        let found = SystemKind::with_tagger().iter().copied().find(|system| system.name() == parser.unwrap_or(name))?;
        if parser.is_some() { found.joint() } else { Some(found) }
    }

    /// The system that tags and makes the same arcs; none if there is none, which only systems over one stack and a buffer have.
    pub fn joint(self) -> Option<SystemKind> {
        if self.info().is_joint() { Some(self) } else { self.0.joint(self) }
    }

    /// The system with this setting of roots and the oracle `dynamic` if it has one, else the one to train greedily with by
    /// default.
    pub fn system(self, roots: Roots) -> AnySystem {
        self.with_oracle(roots, OracleKind::Dynamic)
    }

    /// The system with this setting of roots and this one of its oracles, or its default one if it has no such oracle.
    pub fn with_oracle(self, roots: Roots, oracle: OracleKind) -> AnySystem {
        self.0.get(roots, oracle)
    }

    /// The system with this setting of roots, which is one over a stack and a buffer.
    ///
    /// # Panics
    /// If it is of another family.
    pub fn over_stacks(self, roots: Roots) -> &'static dyn OverStacks {
        match self.system(roots) {
            AnySystem::Stacks(system) => system,
            _ => panic!("{self} is no system over a stack and a buffer"),
        }
    }

    /// The facts about it.
    pub fn info(self) -> &'static SystemInfo {
        self.0.info
    }

    /// The name as flags, specifications, records and model files spell it.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Its oracles, the one to train with by default last.
    pub fn oracles(self) -> &'static [OracleKind] {
        self.info().oracles
    }

    /// The oracle to train greedily with by default.
    pub fn greedy_oracle(self) -> OracleKind {
        self.info().greedy_oracle()
    }

    /// The oracle to train beams with by default.
    pub fn beam_oracle(self) -> OracleKind {
        self.info().beam_oracle.unwrap_or(self.greedy_oracle())
    }

    /// Root settings that the system supports: numbers of words that may hang on the root.
    pub fn roots(self) -> &'static [Roots] {
        self.info().roots
    }

    /// `preferred`, or the setting that the system has instead.
    pub fn own_roots(self, preferred: Roots) -> Roots {
        let own = self.roots();
        if own.contains(&preferred) { preferred } else { own[0] }
    }

    /// Checks that the system has this oracle.
    ///
    /// # Errors
    /// If it has not, with those that it has.
    pub fn check_oracle(self, oracle: OracleKind) -> Result<()> {
        if self.oracles().contains(&oracle) {
            return Ok(());
        }
        let known: Vec<&str> = self.oracles().iter().map(|oracle| oracle.name()).collect();
        let (oracle, known) = (oracle.name(), known.join(" or "));
        Err(Error::Usage(format!("{self} has no {oracle} oracle; expected --oracle {known}")))
    }

    /// Checks that the system supports the root setting `roots`.
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
}

impl Default for SystemKind {
    /// The system that is taken where none is named.
    ///
    /// # Panics
    /// If no systems were [registered](register).
    fn default() -> SystemKind {
        registered().default.expect("transition systems are registered first: treebeam_systems::register()")
    }
}

impl PartialEq for SystemKind {
    fn eq(&self, other: &SystemKind) -> bool {
        self.name() == other.name()
    }
}

impl Eq for SystemKind {}

impl PartialOrd for SystemKind {
    fn partial_cmp(&self, other: &SystemKind) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SystemKind {
    fn cmp(&self, other: &SystemKind) -> std::cmp::Ordering {
        self.name().cmp(other.name())
    }
}

impl std::hash::Hash for SystemKind {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for SystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for SystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        SystemKind::named(&name).ok_or_else(|| serde::de::Error::unknown_variant(&name, &registered().names))
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for SystemKind {
    fn value_variants<'a>() -> &'a [SystemKind] {
        SystemKind::with_tagger()
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()).help(self.info().about))
    }
}

/// A system in the list of all: how to make it with each setting.
#[derive(Debug)]
pub struct Entry {
    /// The facts about it.
    pub info: &'static SystemInfo,
    origin: Origin,
    /// The system that tags and makes the same arcs, as soon as it was asked for; none if there is none.
    joint: OnceLock<Option<SystemKind>>,
    /// Those that were made, by setting and oracle.
    made: OnceLock<Vec<(Roots, OracleKind, AnySystem)>>,
}

/// Origin of a system: made by itself, or over another one.
#[derive(Debug)]
enum Origin {
    /// With this setting and this oracle, which is one of its own.
    Made(fn(Roots, OracleKind) -> AnySystem),
    /// As [`Joint`], over this system.
    Joint(SystemKind),
}

impl Entry {
    /// The entry of a system, which is made with a setting and one of its oracles.
    pub const fn new(info: &'static SystemInfo, make: fn(Roots, OracleKind) -> AnySystem) -> Entry {
        Entry { info, origin: Origin::Made(make), joint: OnceLock::new(), made: OnceLock::new() }
    }

    /// The system that tags and makes the arcs of `parser`, whose entry this is; none if that is not over a stack and a buffer in which all
    /// words are at first, or tags.
    fn joint(&self, parser: SystemKind) -> Option<SystemKind> {
        *self.joint.get_or_init(|| {
            let is_over_stacks = match parser.system(parser.roots()[0]) {
                AnySystem::Stacks(system) => {
                    let initial: PlainConfiguration = system.initial((), 1);
                    initial.buffer_len() > 0
                }
                _ => false,
            };
            let joint = || {
                let info: &_ = Box::leak(Box::new(joint::info(self.info)));
                let (joint, made) = Default::default();
                SystemKind::of(Box::leak(Box::new(Entry { info, origin: Origin::Joint(parser), joint, made })))
            };
            (is_over_stacks && !self.info.moves.contains(&Move::Tag)).then(joint)
        })
    }

    fn make(&self, roots: Roots, oracle: OracleKind) -> AnySystem {
        match self.origin {
            Origin::Made(make) => make(roots, oracle),
            Origin::Joint(parser) => match parser.with_oracle(roots, oracle) {
                AnySystem::Stacks(parser) => AnySystem::Stacks(Box::leak(Box::new(Joint::new(self.info, parser)))),
                other => other,
            },
        }
    }

    /// The system with this setting and this oracle; with its default one if it has no such oracle. Each is made but once.
    fn get(&self, roots: Roots, oracle: OracleKind) -> AnySystem {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &system in SystemKind::all() {
            assert_eq!(serde_json::to_string(&system).unwrap(), format!("\"{system}\""));
            assert_eq!(serde_json::from_str::<SystemKind>(&format!("\"{system}\"")).unwrap(), system);
            #[cfg(feature = "cli")]
            assert_eq!(<SystemKind as clap::ValueEnum>::from_str(system.name(), false), Ok(system));
        }
        let message = serde_json::from_str::<SystemKind>("\"arc-eagre\"").unwrap_err().to_string();
        assert!(
            message.starts_with("unknown variant `arc-eagre`, expected one of `arc-standard`, `arc-eager`"),
            "{message}"
        );
    }
}
