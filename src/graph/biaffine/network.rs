//! The layout of the network, as headers have it.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::features::{Attribute, DIMENSIONS, MAX_DIMENSION, N_COLUMNS, NetworkSet, check_inputs};
use crate::model::Lstm;
use crate::neural::encoder::EncoderShape;
use crate::options::GraphOptions;

/// The sizes of a biaffine parser's network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BiaffineNetwork {
    /// Inputs beside word and tag; none: prefix, suffix and shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Attribute>,
    /// The numbers in an embedding of a word, a tag, and of each of `inputs`: the columns of a sentence in their order. 0: the column is not
    /// read.
    pub dimensions: [usize; N_COLUMNS],
    /// Encoder of embeddings into vectors of words in their sentence.
    pub encoder: Lstm,
    /// Units of a head, and of a dependent, that arcs are scored by.
    pub arc_units: usize,
    /// The same for labels.
    pub label_units: usize,
}

impl GraphOptions {
    /// The layout of the network that scores arcs, if one does.
    ///
    /// # Errors
    /// If the file that says what is read of words is malformed, or has places.
    pub fn network(&self) -> Result<Option<BiaffineNetwork>> {
        if !self.system.is_biaffine() {
            return Ok(None);
        }
        let or = |given: Option<u32>, default: usize| given.map_or(default, |given| given as usize);
        let (mut inputs, mut dimensions) = (Vec::new(), DIMENSIONS);
        if let Some(name) = &self.places {
            let set = NetworkSet::load(name)?;
            set.check_places(Some("a biaffine parser reads all words of the sentence"))?;
            dimensions = set.dimensions_of_fields(self.word_column != self.tag_column);
            inputs = set.inputs;
        }
        dimensions[0] = or(self.word_units, dimensions[0]);
        Ok(Some(BiaffineNetwork {
            inputs,
            dimensions,
            encoder: Lstm { layers: or(self.lstm_layers, 2), units: or(self.lstm_units, 128) },
            arc_units: or(self.arc_units, 200),
            label_units: or(self.label_units, 64),
        }))
    }
}

impl std::fmt::Display for BiaffineNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BiaffineNetwork { encoder: Lstm { layers, units }, arc_units, label_units, .. } = self;
        write!(
            f,
            "biaffine network over {layers} layers of 2 x {units}, {arc_units} units of arcs, {label_units} of labels"
        )?;
        let inputs: Vec<String> = self.inputs.iter().map(ToString::to_string).collect();
        if inputs.is_empty() { Ok(()) } else { write!(f, ", which reads {}", inputs.join(" ")) }
    }
}

impl BiaffineNetwork {
    /// The numbers in the embeddings of a word.
    pub fn dimension(&self) -> usize {
        self.dimensions.iter().sum()
    }

    /// The sizes of the encoder.
    pub(super) fn shape(&self) -> EncoderShape {
        EncoderShape { layers: self.encoder.layers, units: self.encoder.units, inputs: self.dimension() }
    }

    /// All units of a word: as a dependent and as a head of arcs, then the same of labels.
    pub(super) fn width(&self) -> usize {
        2 * (self.arc_units + self.label_units)
    }

    /// First unit and number of units of each kind.
    pub(super) fn kinds(&self) -> [(usize, usize); 4] {
        let [arc, label] = [self.arc_units, self.label_units];
        [(0, arc), (arc, arc), (2 * arc, label), (2 * arc + label, label)]
    }

    /// Checks that the network can be computed.
    ///
    /// # Errors
    /// If not, with what is wrong.
    pub fn check(&self) -> Result<()> {
        let Lstm { layers, units } = self.encoder;
        let read = self.dimensions.iter().filter(|size| **size > 0);
        let mut sizes = read.chain([&units, &self.arc_units, &self.label_units]);
        check_inputs(&self.inputs, &self.dimensions)?;
        if let Some(size) = sizes.find(|size| !(1..=MAX_DIMENSION).contains(*size)) {
            let found = format!("the network has a layer of {size} numbers; expected from 1 to {MAX_DIMENSION}");
            return Err(Error::Usage(found));
        }
        if !(1..=8).contains(&layers) {
            return Err(Error::Usage(format!("the encoder has {layers} layers; expected from 1 to 8")));
        }
        Ok(())
    }
}
