//! What is given: some of the options, in a file or as flags.

use serde::{Deserialize, Serialize};

use super::ParserKind;
use crate::decode::SearchKind;
use crate::features::{ColumnName, WordShape};
use crate::learn::{
    Correct, Iterations, Keep, Learner, Nonprojective, Objective, Preset, RollIn, RollOut, Training, Update,
};
use crate::model::{Activation, Align, Layers, Normalise, ScorerKind};
use crate::scorer::Decisions;
use crate::system::OracleKind;
use crate::tree::Roots;
use crate::tree::lift::Scheme;

/// Makes a struct of which every field may be left out.
macro_rules! all_optional {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }
    };
}

all_optional! {
    /// The options of training that are given, of whatever parser; [`GivenOptions::resolve`] says what is run. See
    /// [`TrainOptions`](crate::learn::TrainOptions) and [`GraphOptions`](crate::graph::GraphOptions) for what each means.
    ///
    /// Whole numbers are wider than in those, so that one out of range gets an error that names the range.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    GivenOptions {
        /// The parser.
        system: ParserKind,
        /// What makes scores.
        scorer: ScorerKind,
        /// The feature set.
        features: String,
        /// Greedy or global training, or learning to search.
        training: Training,
        /// What learns from single decisions; of graph-based parsers, how far an update goes.
        learner: Learner,
        /// What the learner minimises.
        objective: Objective,
        /// The learner's rate.
        rate: f64,
        /// How much the squared norm of the weights counts.
        l2: f64,
        /// How much a loss of 1 adds to a score.
        loss_weight: f64,
        /// The probability with which each feature of a configuration is left out of its example.
        dropout: f64,
        /// How often a feature must come in the first pass.
        min_count: i64,
        /// How large the gradient must be that a weight begins with.
        min_gradient: f64,
        /// Hidden units: for each action, or of the network.
        hidden: i64,
        /// What hidden units of a network make of their sums.
        activation: Activation,
        /// What a network reads of a configuration.
        places: String,
        /// The numbers in an embedding of a word.
        word_units: i64,
        /// The word vectors that a network begins with.
        vectors: String,
        /// Layers of an encoder or of each stack.
        lstm_layers: i64,
        /// The numbers that each direction of an encoder's layer, or a layer of each stack, gives on.
        lstm_units: i64,
        /// Units of a head, and of a dependent, that a biaffine parser scores arcs by.
        arc_units: i64,
        /// The same for labels.
        label_units: i64,
        /// The model whose parameters a network begins with.
        init: String,
        /// Which layers of a network learn.
        layers: Layers,
        /// How the layers of a network learn.
        nn_update: Learner,
        /// Whether moves and labels are decided on together.
        decisions: Decisions,
        /// The algorithm of learning to search.
        preset: Preset,
        /// Who decides which configurations are learned from.
        roll_in: RollIn,
        /// Who finishes the derivations whose losses are costs.
        roll_out: RollOut,
        /// How fast the learned policy takes over in mixtures.
        alpha: f64,
        /// The probability of the reference in a mixed roll-out.
        reference_share: f64,
        /// Whether the reference's roll-outs are run even where the oracle tells their losses.
        run_reference: bool,
        /// The gold side.
        oracle: OracleKind,
        /// Which of several correct transitions is reinforced and followed.
        correct: Correct,
        /// The iterations before exploration begins.
        explore_from: i64,
        /// The probability of following the model's own choice.
        explore_prob: f64,
        /// The power of the probabilities that are drawn from.
        explore_power: f64,
        /// How many of the first iterations train greedily.
        pretrain: i64,
        /// Where in the derivation to update.
        update: Update,
        /// How the best derivation is looked for.
        search: SearchKind,
        /// The width of the training beam.
        beam: i64,
        /// Whether items of a beam that look the same to all features become one.
        merge: bool,
        /// Which items of a beam are compared.
        align: Align,
        /// What their scores are divided by.
        normalise: Normalise,
        /// Passes over the training data.
        iterations: Iterations,
        /// Iterations to the plateau: how many without a better score.
        patience: i64,
        /// Iterations to the plateau: the most.
        max_iterations: i64,
        /// The iterations that averages leave out.
        average_from: i64,
        /// How many times to train.
        replicas: i64,
        /// The seed of shuffling and exploration.
        seed: u64,
        /// Sentences per mini-batch.
        batch: i64,
        /// What to do with non-projective training trees.
        nonprojective: Nonprojective,
        /// What labels remember of lifting.
        lift: Scheme,
        /// How many words may hang on the root.
        roots: Roots,
        /// The column that word atoms read.
        word_column: ColumnName,
        /// What word atoms make of their column.
        word_shape: WordShape,
        /// The column that tag atoms read.
        tag_column: ColumnName,
        /// Which iteration's weights become the model.
        keep: Keep,
        /// Graph-based parsers, with MIRA: the longest step.
        aggressiveness: f64,
    }
}
