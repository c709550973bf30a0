//! Network description: the part of a model's header that scorers with networks have.

use serde::{Deserialize, Serialize};

use crate::choice::choice;
use crate::configuration::{Role, Slot};
use crate::error::{Error, Result};
use crate::features::{Attribute, MAX_DIMENSION, N_COLUMNS, NetworkSet, Place, check_inputs};

choice! {
    /// Kind of scorer.
    #[derive(Default)]
    pub enum ScorerKind {
        /// Weights of sparse features.
        #[default]
        Linear = "linear",
        /// A network of one hidden layer over embeddings (Chen & Manning 2014).
        FeedForward = "feed-forward",
        /// The same over the outputs of a bidirectional long short-term memory that reads the sentence (Kiperwasser & Goldberg 2016).
        Bilstm = "bilstm",
        /// A hidden layer over long short-term memories of the stack, the buffer and the actions so far, which compose partial trees
        /// (Dyer et al. 2015).
        StackLstm = "stack-lstm",
    }
}

impl ScorerKind {
    /// True if it is the linear one, so that it need not be written.
    pub fn is_linear(&self) -> bool {
        *self == ScorerKind::Linear
    }
}

choice! {
    /// Layers of a network that learn.
    #[derive(Default)]
    pub enum Layers {
        /// All of them.
        #[default]
        All = "all",
        /// The last one, over hidden units that stay as they are (Weiss et al. 2015).
        Output = "output",
    }
}

choice! {
    /// Activation function of hidden units.
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
    /// Inputs beside word and tag; if there are none, prefix, suffix and shape are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Attribute>,
    /// The numbers in an embedding of a word, a tag, and of each of `inputs`: the columns of a sentence in their order. 0: the column is not
    /// read.
    pub dimensions: [usize; N_COLUMNS],
    /// The numbers in an embedding of a label.
    pub label_dimension: usize,
    /// Encoder of embeddings into vectors of words in their sentence; without it embeddings are read as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<Lstm>,
    /// Long short-term memories of the stack, the buffer and the actions so far. `places` then are S0, A and B0, which stand for
    /// these three, and M0, where systems have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<Lstm>,
    /// Hidden units.
    pub hidden: usize,
    /// Activation function of these.
    pub activation: Activation,
    /// True if scores are the logarithms of the probabilities of actions: after training on single decisions.
    pub normalised: bool,
}

impl Network {
    /// A network that reads the places of `set`; `between` says whether there are words between the focus words, as in
    /// Covington's systems.
    pub fn new(
        set: &NetworkSet,
        encoder: Option<Lstm>,
        (hidden, activation): (usize, Activation),
        between: bool,
        normalised: bool,
    ) -> Network {
        let known = |places: &[Place]| -> Vec<Place> {
            places.iter().filter(|place| between || place.role != Role::M0).copied().collect()
        };
        Network {
            places: known(&set.places),
            labels: known(&set.labels),
            inputs: set.inputs.clone(),
            dimensions: set.dimensions,
            label_dimension: set.label_dimension,
            encoder,
            stacks: None,
            hidden,
            activation,
            normalised,
        }
    }

    /// Checks that only the words in places that exact search knows are read: S0, S1 and the buffer.
    ///
    /// # Errors
    /// The first other input, for a message.
    pub fn check_positional(&self) -> std::result::Result<(), String> {
        if self.stacks.is_some() {
            return Err("the whole stack and all actions so far".to_owned());
        }
        let is_known = |role: Role| role.in_buffer() || matches!(role, Role::S0 | Role::S1);
        let others = self.places.iter().find(|place| place.slot != Slot::Node || !is_known(place.role));
        match others.or(self.labels.first()) {
            Some(place) => Err(place.to_string()),
            None => Ok(()),
        }
    }

    /// The network that reads the stack, the buffer and the actions so far as long short-term memories make vectors of them.
    #[must_use]
    pub fn with_stacks(self, stacks: Lstm, between: bool) -> Network {
        let roles = [Role::S0, Role::M0, Role::A, Role::B0].into_iter().filter(|role| between || *role != Role::M0);
        let places = roles.map(|role| Place { role, slot: Slot::Node }).collect();
        Network { places, labels: Vec::new(), encoder: None, stacks: Some(stacks), ..self }
    }

    /// Kind of scorer of the network.
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

    /// Checks that the network can be computed.
    ///
    /// # Errors
    /// If not, with what is wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::Usage(message));
        let sizes = [self.label_dimension, self.hidden];
        let too_long = self.dimensions.iter().chain(&sizes).find(|size| **size > MAX_DIMENSION);
        if let Some(size) = too_long.or(sizes.iter().find(|size| **size == 0)) {
            return wrong(format!("the network has a layer of {size} numbers; expected from 1 to {MAX_DIMENSION}"));
        }
        check_inputs(&self.inputs, &self.dimensions)?;
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
        let by_role = |places: &[Place]| places.is_sorted_by_key(|place| place.role);
        if !self.places.iter().all(Place::is_node) || !self.labels.iter().all(Place::is_label) || self.places.is_empty()
        {
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
        let set = |name: &str| NetworkSet::load(name).unwrap();
        let network = Network::new(&set("full"), None, (200, Activation::Cube), false, true);
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
        for (places, n) in [("focus", 4), ("extended", 11), ("full", 18)] {
            let network = Network::new(&set(places), None, (200, Activation::Tanh), false, true);
            network.check().unwrap();
            assert_eq!(network.places.len(), n);
            assert_eq!(Network::new(&set(places), None, (200, Activation::Tanh), true, true).places.len(), n + 1);
            assert_eq!(network.check_positional().unwrap_err(), if n == 4 { "S2" } else { "S0.l1" });
        }
        for places in ["minimal", "minimal-stack"] {
            let network = Network::new(&set(places), None, (200, Activation::Tanh), true, true);
            network.check_positional().unwrap();
            assert!(Network { dimensions: [0; N_COLUMNS], ..network.clone() }.check().is_err());
            Network { dimensions: [0, 8, 0, 0, 0], ..network }.check().unwrap();
        }
    }
}
