//! Everything that decides what a training run computes.

use crate::error::{Error, Result};
use crate::features::{ColumnName, WordShape};
use crate::system::{OracleKind, Roots, SystemKind};
use crate::tree::lift::Scheme;
use serde::{Deserialize, Serialize};

/// The options of a training run. They are written into the model's header; two runs with equal options on equal data make
/// equal models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TrainOptions {
    /// The transition system.
    pub system: SystemKind,
    /// The feature set: the name of a built-in one, or a path to a `.feat` file.
    pub features: String,
    /// Greedy or global training.
    pub training: Training,
    /// The gold side: one canonical derivation, or every correct action.
    pub oracle: OracleKind,
    /// Greedy with a dynamic oracle: explore after this many iterations (k of Goldberg & Nivre 2013).
    pub explore_from: u32,
    /// Greedy with a dynamic oracle: the probability of following the model's own choice (p).
    pub explore_prob: f64,
    /// Global: where in the derivation to update.
    pub update: Update,
    /// Global: the width of the training beam. Also the width that the model is decoded at unless told otherwise.
    pub beam: usize,
    /// Passes over the training data.
    pub iterations: u32,
    /// Averages begin after this many iterations, if there are more: the first ones are far from where learning ends.
    pub average_from: u32,
    /// How many times to train, each time in another random order; the model is the sum of their averages. Linear models
    /// vote by adding up. PERF: on English-EWT at width 8 the labelled attachment score is 87.63 with one, 87.73 with two,
    /// 87.85 with four.
    pub replicas: u32,
    /// The seed of shuffling and exploration.
    pub seed: u64,
    /// Sentences per mini-batch: their updates are made together.
    pub batch: usize,
    /// What to do with non-projective training trees.
    pub nonprojective: Nonprojective,
    /// With lifting: what labels remember of it.
    pub lift: Scheme,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// The column that word atoms (`.w`) read.
    pub word_column: ColumnName,
    /// What word atoms make of their column.
    pub word_shape: WordShape,
    /// The column that tag atoms (`.p`) read.
    pub tag_column: ColumnName,
    /// Which iteration's weights become the model.
    pub keep: Keep,
}

impl Default for TrainOptions {
    fn default() -> TrainOptions {
        TrainOptions {
            system: SystemKind::ArcEager,
            features: "zn11".to_owned(),
            training: Training::Global,
            oracle: OracleKind::Dynamic,
            explore_from: 1,
            explore_prob: 0.9,
            update: Update::MaxViolation,
            beam: 8,
            iterations: 15,
            average_from: 3,
            replicas: 4,
            seed: 1,
            batch: 1,
            nonprojective: Nonprojective::MinCost,
            lift: Scheme::Head,
            roots: Roots::Single,
            word_column: ColumnName::Form,
            word_shape: WordShape::Normalised,
            tag_column: ColumnName::Upos,
            keep: Keep::Best,
        }
    }
}

/// Makes a fieldless enum that clap and serde spell the same way, in kebab case.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$item_doc])* $item,)* }
    };
}

choice! {
    /// The two schools.
    Training {
        /// One decision at a time, each corrected on the spot (beam of width 1).
        Greedy,
        /// Whole derivations in a beam: structured perceptron.
        Global,
    }
}

choice! {
    /// Where a structured perceptron compares the predicted with the gold prefix (Huang, Fayong & Guo 2012).
    Update {
        /// Where gold falls off the beam (Collins & Roark 2004).
        Early,
        /// At the end of the derivation, whether that is a violation or not.
        Standard,
        /// Where the predicted prefix outscores the gold one most.
        MaxViolation,
        /// At the last prefix that is a violation.
        Latest,
        /// At the end if that is a violation, else early.
        Hybrid,
    }
}

choice! {
    /// Training trees that the system cannot derive.
    Nonprojective {
        /// Leave them out.
        Drop,
        /// Keep them, and follow actions of least cost.
        MinCost,
        /// Make them projective by lifting, say so in the labels, and undo it after parsing (Nivre & Nilsson 2005).
        Lift,
    }
}

choice! {
    /// Which weights to keep.
    Keep {
        /// Those of the iteration with the best labelled attachment score on the development data.
        Best,
        /// Those of the last iteration.
        Last,
    }
}

impl TrainOptions {
    /// Whether the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Usage(message.to_owned()));
        if self.beam == 0 || self.beam > 1 << 20 {
            return wrong("--beam must be from 1 to 1,048,576");
        }
        if self.iterations == 0 {
            return wrong("--iterations must be at least 1");
        }
        if self.replicas == 0 {
            return wrong("--replicas must be at least 1");
        }
        if self.batch == 0 {
            return wrong("--batch must be at least 1");
        }
        if !self.system.oracles().contains(&self.oracle) {
            let known: Vec<&str> = self.system.oracles().iter().map(|oracle| oracle.name()).collect();
            let (system, oracle) = (self.system, self.oracle.name());
            return wrong(&format!("{system} has no {oracle} oracle; expected --oracle {}", known.join(" or ")));
        }
        self.system.check_roots(self.roots)?;
        if !(0.0..=1.0).contains(&self.explore_prob) {
            return wrong("--explore-prob must be from 0 to 1");
        }
        Ok(())
    }

    /// The width at which the model is decoded unless told otherwise: 1 after greedy training.
    pub fn decoding_beam(&self) -> usize {
        match self.training {
            Training::Greedy => 1,
            Training::Global => self.beam,
        }
    }
}
