//! The options of training on the command line.

use std::str::FromStr;

use treebeam::decode::SearchKind;
use treebeam::error::{Error, Result};
use treebeam::features::{ColumnName, WordShape};
use treebeam::learn::{
    Correct, Iterations, Keep, Learner, Nonprojective, Objective, Preset, RollIn, RollOut, Training, Update,
    check_ranges,
};
use treebeam::model::{Activation, Align, Layers, Normalise, ScorerKind};
use treebeam::options::{GivenOptions, ParserKind};
use treebeam::scorer::Decisions;
use treebeam::system::{OracleKind, Roots};
use treebeam::tree::lift::Scheme;

/// Everything that decides what is computed. What is not given has the library's default. Options that few need are hidden until
/// `--help-all` asks for them.
#[derive(Debug, clap::Args, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainingArgs {
    /// The transition system, or a graph-based parser [default: arc-eager]
    #[arg(long, value_enum, help_heading = "Model")]
    system: Option<ParserKind>,
    /// What makes scores: weights of sparse features, or a network over embeddings, for which the feature set does not matter
    /// [default: linear]
    #[arg(long, value_enum, help_heading = "Model")]
    scorer: Option<ScorerKind>,
    /// A built-in feature set (see `treebeam features list`), the path of a .feat file, or several of these with + between
    /// them [default: the system's own, such as zn11 for arc-eager, stack for arc-standard and arc-hybrid]
    #[arg(long, value_name = "SET", help_heading = "Model")]
    features: Option<String>,
    /// How many words may hang on the root [default: single; 2-planar: several]
    #[arg(long, value_enum, help_heading = "Model")]
    roots: Option<Roots>,
    /// Allow several words on the root; short for --roots several
    #[arg(long, conflicts_with = "roots", help_heading = "Model")]
    #[serde(skip)]
    multi_root: bool,
    /// The column that .w atoms read [default: form]
    #[arg(long, value_enum, value_name = "COLUMN", help_heading = "Model")]
    word_column: Option<ColumnName>,
    /// Read words as they are written, or in lower case with digits made equal [default: normalised]
    #[arg(long, value_enum, value_name = "SHAPE", help_heading = "Model", hide = true)]
    word_shape: Option<WordShape>,
    /// The column that .p atoms read [default: upos]
    #[arg(long, value_enum, value_name = "COLUMN", help_heading = "Model")]
    tag_column: Option<ColumnName>,
    /// Greedy: one decision at a time. Global: whole derivations in a beam. L2s: learning to search [default: global;
    /// networks: greedy, unless an option is given that only global training has]
    #[arg(long, value_enum, help_heading = "Training")]
    training: Option<Training>,
    /// The gold side: the canonical derivation, or every correct action [default: the system's own, mostly dynamic]
    #[arg(long, value_enum, help_heading = "Training")]
    oracle: Option<OracleKind>,
    /// Greedy: which of several correct transitions is reinforced, and followed where the prediction is wrong [default: what
    /// the objective does: perceptron and hinge best-scored; likelihoods and regression all]
    #[arg(long, value_enum, value_name = "WHICH", help_heading = "Training")]
    correct: Option<Correct>,
    /// Greedy with a dynamic oracle: explore after this many iterations [default: 1]
    #[arg(long, value_parser = number::<i64>("explore-from"), allow_negative_numbers = true, value_name = "K", help_heading = "Training")]
    explore_from: Option<i64>,
    /// Greedy with a dynamic oracle: the probability of following a wrong prediction [default: 0.9]
    #[arg(long, value_parser = number::<f64>("explore-prob"), allow_negative_numbers = true, value_name = "P", help_heading = "Training")]
    explore_prob: Option<f64>,
    /// Greedy with a dynamic oracle, of probabilities: draw the transition that is followed from them, each to this power [default: the
    /// best-scored one]
    #[arg(long, value_parser = number::<f64>("explore-power"), allow_negative_numbers = true, value_name = "A", help_heading = "Training", hide = true)]
    explore_power: Option<f64>,
    /// Global: so many of the iterations, the first ones, train greedily, with exploration if the system has a dynamic oracle; averages
    /// begin after them [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "K", help_heading = "Training")]
    pretrain: Option<i64>,
    /// Global: where to update [default: max-violation; swap, covington and covington-nonmonotonic: laso; with --objective crf or
    /// softmax-margin: early; with --search exact: standard]
    #[arg(long, value_enum, help_heading = "Training")]
    update: Option<Update>,
    /// Global: in a beam, or exactly, by tabulation, with features that read words by position only such as `minimal` [default:
    /// beam]
    #[arg(long, value_enum, help_heading = "Training")]
    search: Option<SearchKind>,
    /// Global: the width of the beam, in training and, unless told otherwise, in parsing [default: 8]
    #[arg(long, value_parser = number::<i64>("beam"), allow_negative_numbers = true, value_name = "B", help_heading = "Training")]
    beam: Option<i64>,
    /// Global: let items of a beam that look the same to all features become one, in training and, unless told otherwise, in
    /// parsing; for arc-standard, arc-hybrid and arc-eager
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Training", value_name = "YES")]
    merge: Option<bool>,
    /// Global: which items of a beam are compared, in training and, unless told otherwise, in parsing: those that have taken equally
    /// many steps, or consumed equally many words [default: steps]
    #[arg(long, value_enum, help_heading = "Training", hide = true)]
    align: Option<Align>,
    /// Global: what their scores are divided by before they are compared [default: nothing]
    #[arg(long, value_enum, help_heading = "Training", hide = true)]
    normalise: Option<Normalise>,
    /// Passes over the training data, or `plateau`: until the labelled attachment score on the development data has not risen for
    /// as long as --patience says [default: 15; graph-based: 10; networks: 8, with an encoder 12, and more where data are few]
    #[arg(long, allow_negative_numbers = true, value_name = "I", help_heading = "Training")]
    iterations: Option<Iterations>,
    /// With --iterations plateau: stop after so many iterations without a better score [default: 5]
    #[arg(long, value_parser = number::<i64>("patience"), allow_negative_numbers = true, value_name = "N", help_heading = "Training")]
    patience: Option<i64>,
    /// With --iterations plateau: the most iterations [default: 100]
    #[arg(long, value_parser = number::<i64>("max-iterations"), allow_negative_numbers = true, value_name = "N", help_heading = "Training", hide = true)]
    max_iterations: Option<i64>,
    /// Leave the first iterations out of the average, if there are more [default: 3; graph-based: 1]
    #[arg(long, value_parser = number::<i64>("average-from"), allow_negative_numbers = true, value_name = "K", help_heading = "Training", hide = true)]
    average_from: Option<i64>,
    /// Train so many times, in other random orders, and add up the models [default: 4; networks: 1]
    #[arg(long, value_parser = number::<i64>("replicas"), allow_negative_numbers = true, value_name = "N", help_heading = "Training")]
    replicas: Option<i64>,
    /// The seed of shuffling and exploration [default: 1]
    #[arg(long, value_parser = crate::range::number, value_name = "S", help_heading = "Training")]
    #[serde(skip)]
    seed: Option<u64>,
    /// Sentences whose updates are made together, in parallel with --threads [default: 1]
    #[arg(long, value_parser = number::<i64>("batch"), allow_negative_numbers = true, value_name = "N", help_heading = "Training", hide = true)]
    batch: Option<i64>,
    /// Non-projective training trees: leave them out, follow actions of least cost, or lift them [default: min-cost]
    #[arg(long, value_enum, help_heading = "Training")]
    nonprojective: Option<Nonprojective>,
    /// With --nonprojective lift: what labels remember of lifts [default: head]
    #[arg(long, value_enum, value_name = "SCHEME", help_heading = "Training", hide = true)]
    lift: Option<Scheme>,
    /// The weights to keep: of the iteration that is best on the development data, or of the last [default: best]
    #[arg(long, value_enum, help_heading = "Training", hide = true)]
    keep: Option<Keep>,
    /// What changes the weights [default: perceptron; with --training global and --objective crf or softmax-margin: adagrad];
    /// graph-based: how far an update goes, perceptron or mira [default: mira]
    #[arg(long, value_enum, help_heading = "Training")]
    learner: Option<Learner>,
    /// What training minimises: global perceptron, loss-augmented, crf or softmax-margin [default: perceptron; mira:
    /// loss-augmented], else regression, multiclass, softmax, hinge, perceptron or softmax-margin [default: regression;
    /// asgd, adagrad, dual-averaging: softmax; mira and svm: hinge; perceptron: perceptron]
    #[arg(long, value_enum, help_heading = "Training, learners", hide = true)]
    objective: Option<Objective>,
    /// The learner's rate: η, of ftrl α, of mira and svm C [default: sgd, sgd-plus, dual-averaging 0.5 (global 0.1), asgd,
    /// adagrad and svm 0.1, ftrl 0.005, mira 1]
    #[arg(long, value_parser = number::<f64>("rate"), allow_negative_numbers = true, value_name = "R", help_heading = "Training, learners", hide = true)]
    rate: Option<f64>,
    /// With --learner sgd or dual-averaging: half of so many times the squared norm of the weights is added to the loss [default: 0]
    #[arg(
        long,
        value_parser = number::<f64>("l2"),
        allow_negative_numbers = true,
        value_name = "LAMBDA",
        help_heading = "Training, learners",
        hide = true
    )]
    l2: Option<f64>,
    /// Global, with --objective loss-augmented or softmax-margin: how much a loss of 1 adds to a score [default: 1]
    #[arg(long, value_parser = number::<f64>("loss-weight"), allow_negative_numbers = true, value_name = "W", help_heading = "Training, learners", hide = true)]
    loss_weight: Option<f64>,
    /// The probability with which each feature of a configuration is left out of its example [default: 0]
    #[arg(long, value_parser = number::<f64>("dropout"), allow_negative_numbers = true, value_name = "P", help_heading = "Training, learners", hide = true)]
    dropout: Option<f64>,
    /// Leave out features that come fewer times in the first pass [default: 1; nn: 2]
    #[arg(long, value_parser = number::<i64>("min-count"), allow_negative_numbers = true, value_name = "N", help_heading = "Training, learners", hide = true)]
    min_count: Option<i64>,
    /// A weight begins with a gradient of at least this size, and takes no memory before [default: 0.02 on single decisions with
    /// softmax or softmax-margin, else 0]
    #[arg(long, value_parser = number::<f64>("min-gradient"), allow_negative_numbers = true, value_name = "G", help_heading = "Training, learners", hide = true)]
    min_gradient: Option<f64>,
    /// With --learner nn: hidden units for each action, at most 32 for one decision [default: 5]; networks: hidden units [default:
    /// 200]
    #[arg(long, value_parser = number::<i64>("hidden"), allow_negative_numbers = true, value_name = "H", help_heading = "Training, learners", hide = true)]
    hidden: Option<i64>,
    /// Networks: what hidden units make of their sums [default: relu]
    #[arg(long, value_enum, help_heading = "Training, networks")]
    activation: Option<Activation>,
    /// Networks: what is read of a configuration: focus, extended, full, minimal, or the path of a .feat file; see `treebeam features
    /// list` [default: full; bilstm: extended]
    #[arg(long, value_name = "SET", help_heading = "Training, networks")]
    places: Option<String>,
    /// Networks: the numbers in an embedding of a word [default: 64; with --vectors as many as these have]
    #[arg(long, value_parser = number::<i64>("word-units"), allow_negative_numbers = true, value_name = "N", help_heading = "Training, networks")]
    word_units: Option<i64>,
    /// Networks: word vectors to begin with, in word2vec's text form (.bin: binary) or finalfusion's; words that only the file has are
    /// known, too
    #[arg(long, value_name = "FILE", help_heading = "Training, networks")]
    vectors: Option<String>,
    /// With --scorer bilstm: layers of the encoder; stack-lstm: of each of the three [default: 2]
    #[arg(long, value_parser = number::<i64>("lstm-layers"), allow_negative_numbers = true, value_name = "N", help_heading = "Training, networks")]
    lstm_layers: Option<i64>,
    /// With --scorer bilstm: the numbers that each direction of a layer gives on; stack-lstm: that a layer does [default: 128]
    #[arg(long, value_parser = number::<i64>("lstm-units"), allow_negative_numbers = true, value_name = "U", help_heading = "Training, networks")]
    lstm_units: Option<i64>,
    /// With --system biaffine: units of a head, and of a dependent, that arcs are scored by [default: 200]
    #[arg(long, value_parser = number::<i64>("arc-units"), allow_negative_numbers = true, value_name = "U", help_heading = "Training, networks")]
    arc_units: Option<i64>,
    /// With --system biaffine: the same for labels [default: 64]
    #[arg(long, value_parser = number::<i64>("label-units"), allow_negative_numbers = true, value_name = "U", help_heading = "Training, networks")]
    label_units: Option<i64>,
    /// Networks: a model to go on from, trained on the same data with the same system
    #[arg(long, value_name = "MODEL", help_heading = "Training, networks")]
    init: Option<String>,
    /// Networks: which layers learn [default: all]
    #[arg(long, value_enum, help_heading = "Training, networks")]
    layers: Option<Layers>,
    /// With --learner nn: how its layers learn, sgd-plus or ftrl [default: ftrl]
    #[arg(long, value_enum, value_name = "LEARNER", help_heading = "Training, learners", hide = true)]
    nn_update: Option<Learner>,
    /// Whether moves and labels are decided on together [default: joint]
    #[arg(long, value_enum, help_heading = "Training, learners", hide = true)]
    decisions: Option<Decisions>,
    /// The algorithm; sets roll-in and roll-out, which may be overridden [default: l2s]
    #[arg(long, value_enum, help_heading = "Training, learning to search")]
    preset: Option<Preset>,
    /// Who decides which configurations are learned from [default: mix-per-roll]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Training, learning to search", hide = true)]
    roll_in: Option<RollIn>,
    /// Who finishes the derivations whose losses are costs [default: reference]
    #[arg(long, value_enum, value_name = "POLICY", help_heading = "Training, learning to search", hide = true)]
    roll_out: Option<RollOut>,
    /// In mixtures the learned policy has probability 1 − (1 − alpha)^t after t examples [default: 0.00001]
    #[arg(
        long,
        value_parser = number::<f64>("alpha"),
        allow_negative_numbers = true,
        value_name = "A",
        help_heading = "Training, learning to search",
        hide = true
    )]
    alpha: Option<f64>,
    /// With --roll-out mixture: how often the reference rolls out [default: lols 0.5, else by alpha]
    #[arg(
        long,
        value_parser = number::<f64>("reference-share"),
        allow_negative_numbers = true,
        value_name = "P",
        help_heading = "Training, learning to search",
        hide = true
    )]
    reference_share: Option<f64>,
    /// Run the reference's roll-outs even where the oracle tells their losses; the result is the same if it is exact
    #[arg(long, help_heading = "Training, learning to search", hide = true)]
    run_reference: bool,
    /// Graph-based, with mira: the longest step [default: 1]
    #[arg(
        long,
        value_parser = number::<f64>("aggressiveness"),
        allow_negative_numbers = true,
        value_name = "C",
        help_heading = "Training, graph-based parsers",
        hide = true
    )]
    aggressiveness: Option<f64>,
}

/// A number for the option `name`. Whether it is in the option's range is seen when all options are known; what is no number is
/// told with that range, too.
fn number<T: FromStr>(name: &'static str) -> impl Fn(&str) -> std::result::Result<T, String> + Clone + Send + Sync {
    move |text| {
        text.parse().map_err(|_| {
            let no_number = serde_json::Map::from_iter([(name.to_owned(), serde_json::Value::Null)]);
            let told = check_ranges(&no_number).err().map_or_else(String::new, |error| error.to_string());
            told.split(';').next().unwrap_or_default().to_owned()
        })
    }
}

impl TrainingArgs {
    /// The options that were given.
    ///
    /// # Errors
    /// Never, as long as every option of the command line is one of the library.
    pub fn given(&self) -> Result<GivenOptions> {
        // By way of TOML, which knows numbers that are not finite.
        let given = toml::Table::try_from(self).map_err(|e| Error::Usage(e.to_string()))?;
        let given: GivenOptions = given.try_into().map_err(|e| Error::Usage(e.message().to_owned()))?;
        Ok(GivenOptions {
            roots: if self.multi_root { Some(Roots::Several) } else { given.roots },
            run_reference: given.run_reference.filter(|&run| run),
            seed: self.seed,
            ..given
        })
    }
}
