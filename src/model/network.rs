//! What a network looks like: the part of a model's header that scorers with networks have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::choice::choice;
use crate::configuration::{Role, Slot};
use crate::error::{Error, Result};

choice! {
    /// What makes scores.
    #[derive(Default)]
    pub enum ScorerKind {
        /// Weights of sparse features.
        #[default]
        Linear = "linear",
        /// A network of one hidden layer over embeddings (Chen & Manning 2014).
        FeedForward = "feed-forward",
        /// The same over what a bidirectional long short-term memory makes of a sentence's words (Kiperwasser & Goldberg 2016).
        Bilstm = "bilstm",
        /// A hidden layer over long short-term memories of the stack, the buffer and the actions so far, which compose partial trees
        /// (Dyer et al. 2015).
        StackLstm = "stack-lstm",
    }
}

impl ScorerKind {
    /// Whether it is the linear one, so that it need not be written.
    pub fn is_linear(&self) -> bool {
        *self == ScorerKind::Linear
    }
}

choice! {
    /// What a network reads of a configuration.
    pub enum Places {
        /// Three words of the stack and one of the buffer: the positions of Kiperwasser & Goldberg (2016).
        Focus = "focus",
        /// These and the outermost dependents of them: the extended ones of the same.
        Extended = "extended",
        /// Four words of the stack and three of the buffer, dependents of the first of them, the head of S0, and labels of arcs.
        Full = "full",
    }
}

impl Places {
    /// The places of nodes and those of labels.
    fn lists(self) -> (&'static str, &'static str) {
        match self {
            Places::Focus => ("S0 S1 S2 M0 B0", ""),
            Places::Extended => ("S0 S0.l1 S0.r1 S1 S1.l1 S1.r1 S2 S2.l1 S2.r1 M0 B0 B0.l1", ""),
            Places::Full => (
                "S0 S0.l1 S0.l2 S0.r1 S0.r2 S0.h S1 S1.l1 S1.l2 S1.r1 S1.r2 S2 S3 M0 B0 B0.l1 B0.l2 B1 B2",
                "S0.label S0.l1.label S0.l2.label S0.r1.label S0.r2.label S1.label S1.l1.label S1.l2.label S1.r1.label \
                 S1.r2.label B0.l1.label B0.l2.label",
            ),
        }
    }
}

choice! {
    /// What a hidden unit makes of its sum.
    #[derive(Default)]
    pub enum Activation {
        /// max(0, x).
        #[default]
        Relu = "relu",
        /// x³ (Chen & Manning 2014).
        Cube = "cube",
        /// The hyperbolic tangent.
        Tanh = "tanh",
    }
}

/// The most numbers that an embedding or a hidden layer may have.
pub const MAX_DIMENSION: usize = 4096;

/// Long short-term memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Lstm {
    /// Layers, one upon the other.
    pub layers: usize,
    /// The numbers that a layer gives on; of bidirectional ones, that each direction does.
    pub units: usize,
}

/// The most layers of an encoder.
const MAX_LAYERS: usize = 8;

/// The layout of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Network {
    /// Places whose nodes' embeddings are read, those of one role together.
    pub places: Vec<Place>,
    /// Places whose arcs' labels are read, those of one role together and the roles in the order of `places`.
    pub labels: Vec<Place>,
    /// The numbers in an embedding of a word, a tag, a prefix, a suffix and a shape: the columns of a sentence in their order.
    pub dimensions: [usize; N_COLUMNS],
    /// The numbers in an embedding of a label.
    pub label_dimension: usize,
    /// What makes vectors of words in their sentence of embeddings; without it embeddings are read as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Lstm>,
    /// Long short-term memories of the stack, the buffer and the actions so far. `places` then are S0, A and B0, which stand for
    /// these three, and M0, where systems have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<Lstm>,
    /// Hidden units.
    pub hidden: usize,
    /// What these make of their sums.
    pub activation: Activation,
    /// Whether the probabilities of actions are scores, and not what they are made of: after training on single decisions.
    pub normalised: bool,
}

/// The columns of a sentence that networks read.
pub const N_COLUMNS: usize = 5;

/// The slots that a place may name, with their names, for nodes and for labels.
const NODES: [(&str, Slot); 7] = [
    ("", Slot::Node),
    ("l1", Slot::L1),
    ("l2", Slot::L2),
    ("r1", Slot::R1),
    ("r2", Slot::R2),
    ("h", Slot::Head),
    ("h2", Slot::Head2),
];
const LABELS: [(&str, Slot); 7] = [
    ("label", Slot::Label),
    ("l1.label", Slot::L1Label),
    ("l2.label", Slot::L2Label),
    ("r1.label", Slot::R1Label),
    ("r2.label", Slot::R2Label),
    ("h.label", Slot::HeadLabel),
    ("h2.label", Slot::Head2Label),
];

/// A place of a configuration: a cell, and what is read of it. It is written as in feature sets, `S0.l1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The cell.
    pub role: Role,
    /// The slot of the cell.
    pub slot: Slot,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = NODES.iter().chain(&LABELS).find(|(_, slot)| *slot == self.slot);
        match known {
            Some((name, _)) if !name.is_empty() => write!(f, "{}.{name}", self.role),
            _ => self.role.fmt(f),
        }
    }
}

impl FromStr for Place {
    type Err = Error;

    fn from_str(text: &str) -> Result<Place> {
        let (role, name) = text.split_once('.').unwrap_or((text, ""));
        let role =
            Role::ALL.into_iter().find(|known| known.to_string() == role && (*known != Role::A || name.is_empty()));
        let slot = NODES.iter().chain(&LABELS).find(|(known, _)| *known == name);
        match (role, slot) {
            (Some(role), Some(&(_, slot))) => Ok(Place { role, slot }),
            _ => Err(Error::Usage(format!("{text} is no place of a configuration; expected one such as S0 or S0.l1"))),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Place, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Network {
    /// A network that reads these places; `between` says whether there are words between the focus words, as in Covington's systems.
    pub fn new(
        places: Places,
        encoder: Option<Lstm>,
        (hidden, activation): (usize, Activation),
        between: bool,
        normalised: bool,
    ) -> Network {
        let parse = |text: &str| -> Vec<Place> {
            let places = text.split_whitespace().map(|place| place.parse().expect("the places are written right"));
            places.filter(|place: &Place| between || place.role != Role::M0).collect()
        };
        let (nodes, labels) = places.lists();
        Network {
            places: parse(nodes),
            labels: parse(labels),
            dimensions: [64, 32, 24, 24, 16],
            label_dimension: 24,
            encoder,
            stacks: None,
            hidden,
            activation,
            normalised,
        }
    }

    /// The network that reads the stack, the buffer and the actions so far as long short-term memories make vectors of them.
    #[must_use]
    pub fn with_stacks(self, stacks: Lstm, between: bool) -> Network {
        let roles = [Role::S0, Role::M0, Role::A, Role::B0].into_iter().filter(|role| between || *role != Role::M0);
        let places = roles.map(|role| Place { role, slot: Slot::Node }).collect();
        Network { places, labels: Vec::new(), encoder: None, stacks: Some(stacks), ..self }
    }

    /// What kind of scorer it makes.
    pub fn kind(&self) -> ScorerKind {
        match (self.stacks, self.encoder) {
            (Some(_), _) => ScorerKind::StackLstm,
            (None, Some(_)) => ScorerKind::Bilstm,
            (None, None) => ScorerKind::FeedForward,
        }
    }

    /// The sizes of its long short-term memories, if it has some.
    pub fn lstm(&self) -> Option<Lstm> {
        self.stacks.or(self.encoder)
    }

    /// The numbers in the embedding of a token.
    pub fn dimension(&self) -> usize {
        self.dimensions.iter().sum()
    }

    /// The numbers that the hidden layer reads of a token.
    pub fn vector_dimension(&self) -> usize {
        match (self.stacks, self.encoder) {
            (Some(stacks), _) => stacks.units,
            (None, Some(encoder)) => 2 * encoder.units,
            (None, None) => self.dimension(),
        }
    }

    /// Whether it can be computed.
    ///
    /// # Errors
    /// If not, with what is wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::Usage(message));
        let sizes = self.dimensions.iter().chain([&self.label_dimension, &self.hidden]);
        if let Some(size) = sizes.into_iter().find(|size| !(1..=MAX_DIMENSION).contains(*size)) {
            return wrong(format!("the network has a layer of {size} numbers; expected from 1 to {MAX_DIMENSION}"));
        }
        if let Some(Lstm { layers, units }) = self.lstm() {
            if !(1..=MAX_LAYERS).contains(&layers) {
                return wrong(format!(
                    "its long short-term memories have {layers} layers; expected from 1 to {MAX_LAYERS}"
                ));
            }
            if !(1..=MAX_DIMENSION).contains(&units) {
                return wrong(format!(
                    "its long short-term memories have {units} units; expected from 1 to {MAX_DIMENSION}"
                ));
            }
        }
        let is_stack = |place: &Place| [Role::S0, Role::M0, Role::A, Role::B0].contains(&place.role);
        let is_whole = |place: &Place| is_stack(place) && place.slot == Slot::Node;
        match self.stacks {
            Some(_) if self.encoder.is_some() => {
                return wrong("the network has both stacks and an encoder; expected one of them".to_owned());
            }
            Some(_) if !self.places.iter().all(is_whole) || !self.labels.is_empty() => {
                return wrong("the network has stacks but reads single places; expected S0, M0, A and B0".to_owned());
            }
            None if self.places.iter().any(|place| place.role == Role::A) => {
                return wrong("the network reads the actions but has no stacks".to_owned());
            }
            _ => (),
        }
        let is_node = |place: &Place| NODES.iter().any(|(_, slot)| *slot == place.slot);
        let is_label = |place: &Place| LABELS.iter().any(|(_, slot)| *slot == place.slot);
        let by_role = |places: &[Place]| places.is_sorted_by_key(|place| place.role);
        if !self.places.iter().all(is_node) || !self.labels.iter().all(is_label) || self.places.is_empty() {
            return wrong("the network reads labels as nodes, or nodes as labels".to_owned());
        }
        if !by_role(&self.places) || !by_role(&self.labels) || self.places.len() + self.labels.len() > MAX_DIMENSION {
            return wrong("the places of the network are not in the order of their roles, or too many".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_written_and_read() {
        let network = Network::new(Places::Full, None, (200, Activation::Cube), false, true);
        network.check().unwrap();
        let text = serde_json::to_string(&network).unwrap();
        assert!(text.contains("\"S0\",\"S0.l1\"") && text.contains("\"S0.l1.label\""), "{text}");
        assert_eq!(serde_json::from_str::<Network>(&text).unwrap(), network);
        assert!(serde_json::from_str::<Network>(&text.replace("S0.l1\"", "S0.l3\"")).is_err());
        let turned = Network { places: network.places.iter().rev().copied().collect(), ..network.clone() };
        assert!(turned.check().is_err() && Network { hidden: 0, ..network.clone() }.check().is_err());
        assert!(!text.contains("encoder"));
        for (layers, units, is_right) in
            [(2, 128, true), (0, 128, false), (9, 128, false), (1, 0, false), (1, 5000, false)]
        {
            let encoder = Some(Lstm { layers, units });
            assert_eq!(Network { encoder, ..network.clone() }.check().is_ok(), is_right);
        }
        for between in [true, false] {
            let stacks = network.clone().with_stacks(Lstm { layers: 2, units: 16 }, between);
            stacks.check().unwrap();
            assert_eq!((stacks.kind(), stacks.vector_dimension()), (ScorerKind::StackLstm, 16));
            let text = serde_json::to_string(&stacks).unwrap();
            assert_eq!(serde_json::from_str::<Network>(&text).unwrap(), stacks);
            assert!(Network { stacks: None, ..stacks.clone() }.check().is_err());
            assert!(Network { places: network.places.clone(), ..stacks }.check().is_err());
        }
        // As in the paper: four words, eleven with their outermost dependents.
        for (places, n) in [(Places::Focus, 4), (Places::Extended, 11), (Places::Full, 18)] {
            let network = Network::new(places, None, (200, Activation::Tanh), false, true);
            network.check().unwrap();
            assert_eq!(network.places.len(), n);
            assert_eq!(Network::new(places, None, (200, Activation::Tanh), true, true).places.len(), n + 1);
        }
    }
}
