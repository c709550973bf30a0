//! The options of training on the command line.

use crate::cli::parser_name::ParserName;
use crate::error::{Error, Result};
use crate::features::{ColumnName, WordShape};
use crate::graph::{GraphKind, GraphOptions, Learner};
use crate::learn::{Keep, Nonprojective, TrainOptions, Training, Update};
use crate::system::{OracleKind, Roots, SystemKind};
use crate::tree::lift::Scheme;

/// Everything that decides what is computed. What is not given has the library's default.
#[derive(Debug, clap::Args)]
pub struct TrainingArgs {
    /// The transition system, or a graph-based parser [default: arc-eager]
    #[arg(long, value_enum, help_heading = "Model")]
    system: Option<ParserName>,
    /// A built-in feature set (see `treebeam features list`) or the path of a .feat file [default: zn11]
    #[arg(long, value_name = "SET", help_heading = "Model")]
    features: Option<String>,
    /// How many words may hang on the root [default: single]
    #[arg(long, value_enum, help_heading = "Model")]
    roots: Option<Roots>,
    /// Allow several words on the root; short for --roots several
    #[arg(long, conflicts_with = "roots", help_heading = "Model")]
    multi_root: bool,
    /// The column that .w atoms read [default: form]
    #[arg(long, value_enum, value_name = "COLUMN", help_heading = "Model")]
    word_column: Option<ColumnName>,
    /// Read words as they are written, or in lower case with digits made equal [default: normalised]
    #[arg(long, value_enum, value_name = "SHAPE", help_heading = "Model")]
    word_shape: Option<WordShape>,
    /// The column that .p atoms read [default: upos]
    #[arg(long, value_enum, value_name = "COLUMN", help_heading = "Model")]
    tag_column: Option<ColumnName>,
    /// Greedy: one decision at a time. Global: whole derivations in a beam [default: global]
    #[arg(long, value_enum, help_heading = "Training")]
    training: Option<Training>,
    /// The gold side: the canonical derivation, or every correct action [default: dynamic, if the system has it]
    #[arg(long, value_enum, help_heading = "Training")]
    oracle: Option<OracleKind>,
    /// Greedy with a dynamic oracle: explore after this many iterations [default: 1]
    #[arg(long, value_name = "K", help_heading = "Training")]
    explore_from: Option<u32>,
    /// Greedy with a dynamic oracle: the probability of following a wrong prediction [default: 0.9]
    #[arg(long, value_name = "P", help_heading = "Training")]
    explore_prob: Option<f64>,
    /// Global: where to update [default: max-violation]
    #[arg(long, value_enum, help_heading = "Training")]
    update: Option<Update>,
    /// Global: the width of the beam, in training and, unless told otherwise, in parsing [default: 8]
    #[arg(long, value_name = "B", help_heading = "Training")]
    beam: Option<usize>,
    /// Passes over the training data [default: 15; graph-based: 10]
    #[arg(long, value_name = "I", help_heading = "Training")]
    iterations: Option<u32>,
    /// Leave the first iterations out of the average, if there are more [default: 3; graph-based: 1]
    #[arg(long, value_name = "K", help_heading = "Training")]
    average_from: Option<u32>,
    /// Train so many times, in other random orders, and add up the models [default: 4]
    #[arg(long, value_name = "N", help_heading = "Training")]
    replicas: Option<u32>,
    /// The seed of shuffling and exploration [default: 1]
    #[arg(long, value_name = "S", help_heading = "Training")]
    seed: Option<u64>,
    /// Sentences whose updates are made together, in parallel with --threads [default: 1]
    #[arg(long, value_name = "N", help_heading = "Training")]
    batch: Option<usize>,
    /// Non-projective training trees: leave them out, follow actions of least cost, or lift them [default: min-cost]
    #[arg(long, value_enum, help_heading = "Training")]
    nonprojective: Option<Nonprojective>,
    /// With --nonprojective lift: what labels remember of lifts [default: head]
    #[arg(long, value_enum, value_name = "SCHEME", help_heading = "Training")]
    lift: Option<Scheme>,
    /// The weights to keep: of the iteration that is best on the development data, or of the last [default: best]
    #[arg(long, value_enum, help_heading = "Training")]
    keep: Option<Keep>,
    /// Graph-based: how far an update goes [default: mira]
    #[arg(long, value_enum, help_heading = "Training, graph-based parsers")]
    learner: Option<Learner>,
    /// Graph-based, with mira: the longest step [default: 1]
    #[arg(long, value_name = "C", help_heading = "Training, graph-based parsers")]
    aggressiveness: Option<f64>,
}

/// The options of the kind of parser that was asked for.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(untagged)]
pub enum Options {
    /// Of a transition system.
    Transitions(TrainOptions),
    /// Of a graph-based parser.
    Graph(GraphOptions),
}

impl Options {
    /// Whether the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        match self {
            Options::Transitions(options) => options.check(),
            Options::Graph(options) => options.check(),
        }
    }
}

impl TrainingArgs {
    /// The options with defaults filled in.
    ///
    /// # Errors
    /// If an option was given that the parser does not have.
    pub fn resolve(&self) -> Result<Options> {
        match self.system.unwrap_or(ParserName::Transitions(TrainOptions::default().system)) {
            ParserName::Transitions(system) => {
                let given =
                    [("--learner", self.learner.is_some()), ("--aggressiveness", self.aggressiveness.is_some())];
                refuse(&given, "is for graph-based parsers", system.name())?;
                Ok(Options::Transitions(self.transitions(system)))
            }
            ParserName::Graph(system) => {
                let given = [
                    ("--features", self.features.is_some()),
                    ("--training", self.training.is_some()),
                    ("--oracle", self.oracle.is_some()),
                    ("--explore-from", self.explore_from.is_some()),
                    ("--explore-prob", self.explore_prob.is_some()),
                    ("--update", self.update.is_some()),
                    ("--beam", self.beam.is_some()),
                    ("--batch", self.batch.is_some()),
                    ("--replicas", self.replicas.is_some()),
                ];
                refuse(&given, "is for transition systems", system.name())?;
                Ok(Options::Graph(self.graph(system)))
            }
        }
    }

    fn roots(&self) -> Option<Roots> {
        if self.multi_root { Some(Roots::Several) } else { self.roots }
    }

    fn graph(&self, system: GraphKind) -> GraphOptions {
        let default = GraphOptions::default();
        GraphOptions {
            system,
            learner: self.learner.unwrap_or(default.learner),
            aggressiveness: self.aggressiveness.unwrap_or(default.aggressiveness),
            iterations: self.iterations.unwrap_or(default.iterations),
            average_from: self.average_from.unwrap_or(default.average_from),
            seed: self.seed.unwrap_or(default.seed),
            nonprojective: self.nonprojective.unwrap_or(default.nonprojective),
            lift: self.lift.unwrap_or(default.lift),
            roots: self.roots().unwrap_or(default.roots),
            word_column: self.word_column.unwrap_or(default.word_column),
            word_shape: self.word_shape.unwrap_or(default.word_shape),
            tag_column: self.tag_column.unwrap_or(default.tag_column),
            keep: self.keep.unwrap_or(default.keep),
        }
    }

    fn transitions(&self, system: SystemKind) -> TrainOptions {
        let default = TrainOptions::default();
        let training = self.training.unwrap_or(default.training);
        let own_oracle = match training {
            Training::Greedy => *system.oracles().last().expect("every system has an oracle"),
            Training::Global => system.beam_oracle(),
        };
        TrainOptions {
            system,
            features: self.features.clone().unwrap_or_else(|| system.features().to_owned()),
            training,
            oracle: self.oracle.unwrap_or(own_oracle),
            explore_from: self.explore_from.unwrap_or(default.explore_from),
            explore_prob: self.explore_prob.unwrap_or(default.explore_prob),
            update: self.update.unwrap_or(default.update),
            beam: self.beam.unwrap_or(default.beam),
            iterations: self.iterations.unwrap_or(default.iterations),
            average_from: self.average_from.unwrap_or(default.average_from),
            replicas: self.replicas.unwrap_or(default.replicas),
            seed: self.seed.unwrap_or(default.seed),
            batch: self.batch.unwrap_or(default.batch),
            nonprojective: self.nonprojective.unwrap_or(default.nonprojective),
            lift: self.lift.unwrap_or(default.lift),
            roots: self.roots().unwrap_or(default.roots),
            word_column: self.word_column.unwrap_or(default.word_column),
            word_shape: self.word_shape.unwrap_or(default.word_shape),
            tag_column: self.tag_column.unwrap_or(default.tag_column),
            keep: self.keep.unwrap_or(default.keep),
        }
    }
}

/// Refuses options that were given and do not apply.
fn refuse(given: &[(&str, bool)], what_for: &str, system: &str) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            Err(Error::Usage(format!("{flag} {what_for}, and `--system {system}` is none; leave it out")))
        }
    }
}
