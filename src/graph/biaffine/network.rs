//! The layout of the network, as headers have it.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::features::{MAX_DIMENSION, N_COLUMNS};
use crate::model::Lstm;
use crate::neural::encoder::Shape;
use crate::options::GraphOptions;

/// The sizes of a biaffine parser's network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BiaffineNetwork {
    /// The numbers in an embedding of a word, a tag, a prefix, a suffix and a shape: the columns of a sentence in their order.
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
    pub fn network(&self) -> Option<BiaffineNetwork> {
        let or = |given: Option<u32>, default: usize| given.map_or(default, |given| given as usize);
        self.system.is_biaffine().then(|| BiaffineNetwork {
            dimensions: [or(self.word_units, 64), 32, 24, 24, 16],
            encoder: Lstm { layers: or(self.lstm_layers, 2), units: or(self.lstm_units, 128) },
            arc_units: or(self.arc_units, 200),
            label_units: or(self.label_units, 64),
        })
    }
}

impl std::fmt::Display for BiaffineNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BiaffineNetwork { encoder: Lstm { layers, units }, arc_units, label_units, .. } = self;
        write!(
            f,
            "biaffine network over {layers} layers of 2 x {units}, {arc_units} units of arcs, {label_units} of labels"
        )
    }
}

impl BiaffineNetwork {
    /// The numbers in the embeddings of a word.
    pub fn dimension(&self) -> usize {
        self.dimensions.iter().sum()
    }

    /// The sizes of the encoder.
    pub(super) fn shape(&self) -> Shape {
        Shape { layers: self.encoder.layers, units: self.encoder.units, inputs: self.dimension() }
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
        let sizes = self.dimensions.iter().chain([&units, &self.arc_units, &self.label_units]);
        if let Some(size) = sizes.into_iter().find(|size| !(1..=MAX_DIMENSION).contains(*size)) {
            let found = format!("the network has a layer of {size} numbers; expected from 1 to {MAX_DIMENSION}");
            return Err(Error::Usage(found));
        }
        if !(1..=8).contains(&layers) {
            return Err(Error::Usage(format!("the encoder has {layers} layers; expected from 1 to 8")));
        }
        Ok(())
    }
}
