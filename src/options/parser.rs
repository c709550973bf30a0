//! Parsers by name: transition systems and graph-based parsers answer to the same option.

use std::sync::LazyLock;

use crate::choice::choice;
use crate::linear::Learner;
use crate::system::SystemKind;

choice! {
    /// The graph-based parsers by name.
    pub enum GraphKind {
        /// Graph-based: the best projective tree (Eisner 1996).
        Eisner = "eisner",
        /// Graph-based: the best projective tree, arcs scored with the next sibling (McDonald & Pereira 2006).
        Eisner2 = "eisner-2",
        /// Graph-based: the best projective tree, arcs scored with the next sibling and the grandparent (Koo & Collins 2010).
        Eisner3 = "eisner-3",
        /// Graph-based: the best tree, projective or not (Chu & Liu 1965; Edmonds 1967; McDonald et al. 2005).
        Mst = "mst",
        /// Graph-based: the most probable tree, projective or not, by a network over words in their sentence (Dozat & Manning 2017).
        Biaffine = "biaffine",
        /// Graph-based: the same, the most probable projective tree.
        BiaffineProjective = "biaffine-projective",
    }
}

impl GraphKind {
    /// Parsers whose scores are sums of weights of sparse features.
    pub const LINEAR: [GraphKind; 4] = [GraphKind::Eisner, GraphKind::Eisner2, GraphKind::Eisner3, GraphKind::Mst];

    /// True if a network makes scores.
    pub fn is_biaffine(self) -> bool {
        matches!(self, GraphKind::Biaffine | GraphKind::BiaffineProjective)
    }

    /// Learners that may train it.
    pub fn learners(self) -> &'static [Learner] {
        if self.is_biaffine() { &[Learner::Adam] } else { &[Learner::Perceptron, Learner::Mira] }
    }

    /// True if all trees are projective.
    pub fn is_projective(self) -> bool {
        !matches!(self, GraphKind::Mst | GraphKind::Biaffine)
    }
}

/// Parser that the option `system` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParserKind {
    /// A transition system.
    Transitions(SystemKind),
    /// A graph-based parser.
    Graph(GraphKind),
}

static ALL: LazyLock<Vec<ParserKind>> = LazyLock::new(|| {
    let systems = SystemKind::with_tagger().iter().copied().map(ParserKind::Transitions);
    systems.chain(GraphKind::ALL.map(ParserKind::Graph)).collect()
});

/// Those that `joint-tags` asks for, besides.
static WITH_JOINT: LazyLock<Vec<ParserKind>> = LazyLock::new(|| {
    let joint = SystemKind::all().iter().filter_map(|system| system.joint()).map(ParserKind::Transitions);
    ALL.iter().copied().chain(joint).collect()
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
        &WITH_JOINT
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            ParserKind::Transitions(kind) => Some(kind.to_possible_value()?.hide(kind.info().is_joint())),
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
        let found = WITH_JOINT.iter().copied().find(|parser| parser.name() == name);
        found.ok_or_else(|| serde::de::Error::unknown_variant(&name, &NAMES))
    }
}
