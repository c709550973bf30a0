//! The options of training on the command line.

use crate::cli::parser_name::ParserName;
use crate::error::{Error, Result};
use crate::features::{ColumnName, WordShape};
use crate::graph::{GraphKind, GraphOptions, Learner as GraphLearner};
use crate::learn::{Keep, Learner, Nonprojective, Objective, Preset, RollIn, RollOut, TrainOptions, Training, Update};
use crate::model::Decisions;
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
    /// Greedy: one decision at a time. Global: whole derivations in a beam. L2s: learning to search [default: global]
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
    /// What learns from single decisions, with --training greedy and l2s [default: perceptron]; graph-based: how far an
    /// update goes, perceptron or mira [default: mira]
    #[arg(long, value_enum, help_heading = "Training")]
    learner: Option<Learner>,
    /// What the learner minimises [default: regression; asgd and adagrad: softmax; mira: hinge;
    /// perceptron: perceptron]
    #[arg(long, value_enum, help_heading = "Training, base learners")]
    objective: Option<Objective>,
    /// The learner's rate: η, of ftrl α, of mira C [default: sgd and sgd-plus 0.5, asgd and adagrad 0.1, ftrl 0.005, mira 1]
    #[arg(long, value_name = "R", help_heading = "Training, base learners")]
    rate: Option<f64>,
    /// The probability with which each feature of a configuration is left out of its example [default: 0]
    #[arg(long, value_name = "P", help_heading = "Training, base learners")]
    dropout: Option<f64>,
    /// Leave out features that come fewer times in the first pass [default: 1; nn: 2]
    #[arg(long, value_name = "N", help_heading = "Training, base learners")]
    min_count: Option<u8>,
    /// With --learner nn: hidden units for each action, at most 32 for one decision [default: 5]
    #[arg(long, value_name = "H", help_heading = "Training, base learners")]
    hidden: Option<u32>,
    /// With --learner nn: how its layers learn, sgd-plus or ftrl [default: ftrl]
    #[arg(long, value_enum, value_name = "LEARNER", help_heading = "Training, base learners")]
    nn_update: Option<Learner>,
    /// Whether moves and labels are decided on together [default: joint]
    #[arg(long, value_enum, help_heading = "Training, base learners")]
    decisions: Option<Decisions>,
    /// The algorithm; sets roll-in and roll-out, which may be overridden [default: l2s]
    #[arg(long, value_enum, help_heading = "Training, learning to search")]
    preset: Option<Preset>,
    /// Who decides which configurations are learned from [default: mix-per-roll]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Training, learning to search")]
    roll_in: Option<RollIn>,
    /// Who finishes the derivations whose losses are costs [default: reference]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Training, learning to search")]
    roll_out: Option<RollOut>,
    /// In mixtures the learned policy has probability 1 − (1 − alpha)^t after t examples [default: 0.00001]
    #[arg(long, value_name = "A", help_heading = "Training, learning to search")]
    alpha: Option<f64>,
    /// With --roll-out mixture: how often the reference rolls out [default: lols 0.5, else by alpha]
    #[arg(long, value_name = "P", help_heading = "Training, learning to search")]
    reference_share: Option<f64>,
    /// Run the reference's roll-outs even where the oracle tells their losses; the result is the same if it is exact
    #[arg(long, help_heading = "Training, learning to search")]
    run_reference: bool,
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
                let given = [("--aggressiveness", self.aggressiveness.is_some())];
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
                    ("--objective", self.objective.is_some()),
                    ("--rate", self.rate.is_some()),
                    ("--dropout", self.dropout.is_some()),
                    ("--min-count", self.min_count.is_some()),
                    ("--hidden", self.hidden.is_some()),
                    ("--nn-update", self.nn_update.is_some()),
                    ("--decisions", self.decisions.is_some()),
                    ("--preset", self.preset.is_some()),
                    ("--roll-in", self.roll_in.is_some()),
                    ("--roll-out", self.roll_out.is_some()),
                    ("--alpha", self.alpha.is_some()),
                    ("--reference-share", self.reference_share.is_some()),
                    ("--run-reference", self.run_reference),
                ];
                refuse(&given, "is for transition systems", system.name())?;
                let learner = match self.learner {
                    None => GraphOptions::default().learner,
                    Some(Learner::Perceptron) => GraphLearner::Perceptron,
                    Some(Learner::Mira) => GraphLearner::Mira,
                    Some(other) => {
                        let (other, system) = (other.name(), system.name());
                        let expected = "expected --learner perceptron or mira";
                        return Err(Error::Usage(format!("{system} is not trained by {other}; {expected}")));
                    }
                };
                Ok(Options::Graph(GraphOptions { learner, ..self.graph(system) }))
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
            learner: default.learner,
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
            Training::Greedy | Training::L2s => *system.oracles().last().expect("every system has an oracle"),
            Training::Global => system.beam_oracle(),
        };
        let learner = self.learner.unwrap_or(default.learner);
        let replicas = if learner == Learner::Nn { 1 } else { default.replicas };
        TrainOptions {
            learner,
            objective: self.objective,
            rate: self.rate,
            dropout: self.dropout.unwrap_or(default.dropout),
            min_count: self.min_count,
            hidden: self.hidden,
            nn_update: self.nn_update,
            decisions: self.decisions.unwrap_or(default.decisions),
            preset: self.preset,
            roll_in: self.roll_in,
            roll_out: self.roll_out,
            alpha: self.alpha,
            reference_share: self.reference_share,
            run_reference: self.run_reference,
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
            replicas: self.replicas.unwrap_or(replicas),
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
