//! The options of a parser, whatever its kind: what all of them have, and reading them back.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Map;

use super::{GivenOptions, GraphOptions, Options, TrainOptions, Training};
use crate::error::Result;
use crate::features::ColumnName;
use crate::training::{Nonprojective, Stopping};
use crate::tree::Roots;
use crate::treebank::Column;

/// `of_both!(all, options => what)`: what options of either kind of parser have.
macro_rules! of_both {
    ($all:expr, $options:ident => $what:expr) => {
        match $all {
            Options::Transitions($options) => $what,
            Options::Graph($options) => $what,
        }
    };
}

impl Options {
    /// The options of a transition system, if it is one.
    pub fn transitions(&self) -> Option<&TrainOptions> {
        match self {
            Options::Transitions(options) => Some(options),
            Options::Graph(_) => None,
        }
    }

    /// The features of a transition system, as they were asked for.
    pub fn features(&self) -> Option<&str> {
        self.transitions().map(|options| &*options.features)
    }

    /// The files that a training begins with: word vectors, another model, the places that a network reads.
    pub fn files(&self) -> Vec<&str> {
        let (vectors, init, weights, arcs, clusters, places) = match self {
            Options::Transitions(options) => {
                let TrainOptions { vectors, init, initial_weights, arc_weights, clusters, places, .. } = options;
                (vectors, init, initial_weights, arc_weights, clusters, places)
            }
            Options::Graph(options) => (&options.vectors, &None, &None, &None, &None, &options.places),
        };
        let places = places.iter().filter(|name| name.ends_with(".feat"));
        [vectors, init, weights, arcs, clusters].into_iter().flatten().chain(places).map(|path| &**path).collect()
    }

    /// The name of the system or parser.
    pub fn system(&self) -> &'static str {
        of_both!(self, options => options.system.name())
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        of_both!(self, options => options.seed)
    }

    /// Number of words that these options let hang from the root.
    pub fn roots(&self) -> Roots {
        of_both!(self, options => options.roots)
    }

    /// The columns that features of words and of tags read.
    pub fn columns(&self) -> (ColumnName, ColumnName) {
        of_both!(self, options => (options.word_column, options.tag_column))
    }

    /// The column that the model fills, if it is a tagger.
    pub fn target(&self) -> Option<Column> {
        self.transitions().and_then(TrainOptions::target)
    }

    /// Treatment of non-projective training trees.
    pub(super) fn nonprojective(&self) -> Nonprojective {
        of_both!(self, options => options.nonprojective)
    }

    /// The same with another seed.
    pub fn with_seed(&self, seed: u64) -> Options {
        match self.clone() {
            Options::Transitions(options) => Options::Transitions(TrainOptions { seed, ..options }),
            Options::Graph(options) => Options::Graph(GraphOptions { seed, ..options }),
        }
    }

    /// Condition on which training stops.
    pub fn stopping(&self) -> Stopping {
        of_both!(self, options => options.schedule().stopping)
    }

    /// Number of models that are trained and added up.
    pub fn replicas(&self) -> u32 {
        self.transitions().map_or(1, |options| options.replicas)
    }

    /// The width of the beam in training; 1 without a beam.
    pub fn training_beam(&self) -> usize {
        self.transitions().filter(|options| options.training == Training::Global).map_or(1, |options| options.beam)
    }

    /// The default width at which the model is decoded; that of graph-based parsers is always 1.
    pub fn decoding_beam(&self) -> usize {
        self.transitions().map_or(1, TrainOptions::decoding_beam)
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Options, D::Error> {
        GivenOptions::of_names(Map::deserialize(deserializer)?)
            .and_then(GivenOptions::as_written)
            .map_err(D::Error::custom)
    }
}
