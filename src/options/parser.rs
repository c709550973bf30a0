//! Parsers by name: transition systems and graph-based parsers answer to the same flag.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::sync::OnceLock;

use crate::graph::GraphKind;
use crate::system::SystemKind;

/// What `--system` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParserName {
    /// A transition system.
    Transitions(SystemKind),
    /// A graph-based parser.
    Graph(GraphKind),
}

impl ValueEnum for ParserName {
    fn value_variants<'a>() -> &'a [ParserName] {
        static ALL: OnceLock<Vec<ParserName>> = OnceLock::new();
        ALL.get_or_init(|| {
            let systems = SystemKind::value_variants().iter().copied().map(ParserName::Transitions);
            systems.chain(GraphKind::value_variants().iter().copied().map(ParserName::Graph)).collect()
        })
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            ParserName::Transitions(kind) => kind.to_possible_value(),
            ParserName::Graph(kind) => kind.to_possible_value(),
        }
    }
}
