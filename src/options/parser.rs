//! Parsers by name: transition systems and graph-based parsers answer to the same option.

use std::sync::LazyLock;

use crate::graph::GraphKind;
use crate::system::SystemKind;

/// Parser that the option `system` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParserKind {
    /// A transition system.
    Transitions(SystemKind),
    /// A graph-based parser.
    Graph(GraphKind),
}

static ALL: LazyLock<Vec<ParserKind>> = LazyLock::new(|| {
    let systems = SystemKind::all().iter().copied().map(ParserKind::Transitions);
    systems.chain(GraphKind::ALL.map(ParserKind::Graph)).collect()
});

static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| ALL.iter().map(|parser| parser.name()).collect());

impl ParserKind {
    /// Every parser, the transition systems first.
    pub fn all() -> &'static [ParserKind] {
        &ALL
    }

    /// The name as flags, specifications, records and model files spell it.
    pub fn name(self) -> &'static str {
        match self {
            ParserKind::Transitions(system) => system.name(),
            ParserKind::Graph(kind) => kind.name(),
        }
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for ParserKind {
    fn value_variants<'a>() -> &'a [ParserKind] {
        ParserKind::all()
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            ParserKind::Transitions(kind) => kind.to_possible_value(),
            ParserKind::Graph(kind) => kind.to_possible_value(),
        }
    }
}

impl serde::Serialize for ParserKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for ParserKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ParserKind, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let found = ALL.iter().copied().find(|parser| parser.name() == name);
        found.ok_or_else(|| serde::de::Error::unknown_variant(&name, &NAMES))
    }
}
