//! The options of training: every one stands here once, and nowhere else.
//!
//! An entry says what the option is, for the command line, for the reference and for this library's documentation; how the command line
//! shows it; its range; the type that it is given as; and, for each kind of parser that has it, the type and the default of what is run:
//!
//! ```text
//! /// The width of the beam. Default: 8
//! #[arg(value_name = "B", help_heading = "Training")]
//! #[range(Whole(1, 1 << 12))]
//! beam: i64 => transitions(usize = 8);
//! ```
//!
//! `transitions` are parsers of transition systems, `graph` graph-based ones; `graph(T = default, networks)` is for biaffine parsers alone.
//! Defaults that follow other options are made in [`TrainOptions::of`], [`TrainOptions::with_scorer`] and [`GraphOptions::of`]. What is
//! `unwritten` is left out of model files and records where it has its default.

use std::any::Any;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::range::Range::{self, *};
#[cfg(feature = "cli")]
use super::range::number;
use super::{Correct, GraphKind, Objective, ParserKind, Preset, RestartFrom, RollIn, RollOut, Training, Update};
use crate::decode::SearchKind;
use crate::error::Result;
use crate::features::{ColumnName, WordShape};
use crate::linear::Learner;
use crate::model::{Activation, Layers, ScorerKind};
use crate::scorer::Decisions;
use crate::system::{OracleKind, SystemKind};
use crate::training::{Iterations, Keep, Nonprojective};
use crate::tree::Roots;
use crate::tree::lift::Scheme;

/// Properties of an option beside its value.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The name as [`stringify`] spells it, with underscores.
    pub field: &'static str,
    /// The numbers that it may be.
    pub range: Option<Range>,
    /// True if parsers of transition systems have it.
    pub of_transitions: bool,
    /// True if graph-based parsers have it.
    pub of_graph: bool,
    /// True if of the graph-based ones only those with a network have it.
    pub of_networks: bool,
}

impl Known {
    /// The name as flags, specifications and files spell it.
    pub fn name(&self) -> String {
        self.field.replace('_', "-")
    }

    /// True if a graph-based parser of this kind has it.
    pub fn is_of(&self, kind: GraphKind) -> bool {
        self.of_graph && (kind.is_biaffine() || !self.of_networks)
    }

    /// The parsers that have it, in words.
    pub fn parsers(&self) -> &'static str {
        match (self.of_transitions, self.of_graph, self.of_networks) {
            (true, true, true) => "transition systems and biaffine parsers",
            (true, ..) => "transition systems",
            (false, _, true) => "biaffine parsers",
            (false, _, false) => "graph-based parsers",
        }
    }
}

/// Result of filling an option that is run where another value is given.
trait Fill<Given> {
    fn fill(self, given: Option<Given>) -> Self;
}

impl<T> Fill<T> for T {
    fn fill(self, given: Option<T>) -> T {
        given.unwrap_or(self)
    }
}

impl<T> Fill<T> for Option<T> {
    fn fill(self, given: Option<T>) -> Option<T> {
        given.or(self)
    }
}

/// Whole numbers are given as 64 bits, so that one out of its range gets an error that names the range; what is filled in is in range.
macro_rules! filled_by_whole_numbers {
    ($($number:ty),*) => {$(
        impl Fill<i64> for $number {
            fn fill(self, given: Option<i64>) -> $number {
                given.map_or(self, |given| given as $number)
            }
        }

        impl Fill<i64> for Option<$number> {
            fn fill(self, given: Option<i64>) -> Option<$number> {
                given.map(|given| given as $number).or(self)
            }
        }
    )*};
}

filled_by_whole_numbers!(u8, u32, usize);

impl Fill<ParserKind> for SystemKind {
    fn fill(self, given: Option<ParserKind>) -> SystemKind {
        match given {
            Some(ParserKind::Transitions(system)) => system,
            _ => self,
        }
    }
}

impl Fill<ParserKind> for GraphKind {
    fn fill(self, given: Option<ParserKind>) -> GraphKind {
        match given {
            Some(ParserKind::Graph(kind)) => kind,
            _ => self,
        }
    }
}

macro_rules! options {
    ($(
        $(#[doc = $doc:literal])+
        #[arg($($arg:tt)+)]
        $(#[range($range:expr)])?
        $field:ident: $given:ty =>
            $(transitions($of_transitions:ty = $transitions:expr $(, $unwritten:ident)?))?
            $(graph($of_graph:ty = $graph:expr $(, $networks:ident)?))?;
    )+) => {
        /// The options of training that are given, of whatever parser: the flags of `treebeam train`, the keys of specifications and of the
        /// headers of model files, the keyword arguments of Python's `train`. [`GivenOptions::resolve`] says what is run.
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
        pub struct GivenOptions {
            $(
                $(#[doc = $doc])+
                #[cfg_attr(feature = "cli", arg(long, $($arg)+))]
                $(#[cfg_attr(feature = "cli", arg(value_parser = number::<$given>($range), allow_negative_numbers = true))])?
                pub $field: Option<$given>,
            )+
        }

        /// The options of a training run of a transition system. They are written into the model's header; two runs with equal options on
        /// equal data make equal models. [`GivenOptions`] says what each means.
        ///
        /// # Examples
        /// ```
        /// use treebeam::prelude::*;
        /// # treebeam_systems::register();
        ///
        /// // What depends on the system and on the kind of training follows them.
        /// let defaults = TrainOptions::of(treebeam_systems::SWAP, Training::Global, Learner::default());
        /// let options = TrainOptions { beam: 16, iterations: 10.into(), ..defaults };
        /// assert_eq!(options.features, "stack");
        /// options.check()?;
        /// // What contradicts itself is refused, with the option to change.
        /// let odd = TrainOptions { oracle: OracleKind::MonotonicFirst, ..options };
        /// assert!(odd.check().is_err());
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        pub struct TrainOptions {
            $($(
                #[doc = concat!("See [`GivenOptions::", stringify!($field), "`].")]
                pub $field: $of_transitions,
            )?)+
        }

        /// The options of a training run of a graph-based parser, written into the model's header. [`GivenOptions`] says what each means.
        #[derive(Debug, Clone, PartialEq)]
        pub struct GraphOptions {
            $($(
                #[doc = concat!("See [`GivenOptions::", stringify!($field), "`].")]
                pub $field: $of_graph,
            )?)+
        }

        /// Every option, in order.
        pub const KNOWN: &[Known] = &[$(Known {
            field: stringify!($field),
            range: first(&[$($range)?]),
            of_transitions: any(&[$(stringify!($of_transitions))?]),
            of_graph: any(&[$(stringify!($of_graph))?]),
            of_networks: any(&[$($(stringify!($networks))?)?]),
        },)+];

        impl GivenOptions {
            /// The options that are given.
            pub fn given(&self) -> Vec<&'static Known> {
                let is_given = [$(self.$field.is_some()),+];
                KNOWN.iter().zip(is_given).filter(|&(_, is_given)| is_given).map(|(known, _)| known).collect()
            }

            /// These options with those of `other` that are not given here; whether there are any.
            pub fn complete(&mut self, other: &GivenOptions) -> bool {
                let mut completed = false;
                $(if self.$field.is_none() && other.$field.is_some() {
                    self.$field.clone_from(&other.$field);
                    completed = true;
                })+
                completed
            }

            /// Leaves out the options that are not to be kept.
            pub fn retain(&mut self, keeps: impl Fn(&Known) -> bool) {
                let mut known = KNOWN.iter();
                $(if !known.next().is_some_and(&keeps) {
                    self.$field = None;
                })+
            }

            /// Checks that numbers are in their ranges.
            ///
            /// # Errors
            /// If one is not, with the range.
            pub fn check_ranges(&self) -> Result<()> {
                check_ranges(&[$((stringify!($field), &self.$field)),+])
            }

            /// `defaults`, with what is given in place of them. Numbers are in their ranges.
            pub(super) fn over(self, defaults: TrainOptions) -> TrainOptions {
                TrainOptions { $($($field: <$of_transitions as Fill<$given>>::fill(defaults.$field, self.$field),)?)+ }
            }

            /// The same for graph-based parsers.
            pub(super) fn over_graph(self, defaults: GraphOptions) -> GraphOptions {
                GraphOptions { $($($field: <$of_graph as Fill<$given>>::fill(defaults.$field, self.$field),)?)+ }
            }
        }

        impl Default for TrainOptions {
            fn default() -> TrainOptions {
                TrainOptions { $($($field: $transitions,)?)+ }
            }
        }

        impl Default for GraphOptions {
            fn default() -> GraphOptions {
                GraphOptions { $($($field: $graph,)?)+ }
            }
        }

        impl TrainOptions {
            /// As [`GivenOptions::check_ranges`].
            ///
            /// # Errors
            /// As there.
            pub fn check_ranges(&self) -> Result<()> {
                check_ranges(&[$($((stringify!($field), &self.$field as &$of_transitions),)?)+])
            }

            /// The options by name, as files have them.
            pub fn written(&self) -> Vec<(String, Value)> {
                let mut written = Vec::new();
                $($(
                    if true $(&& { let _ = stringify!($unwritten); self.$field != $transitions })? {
                        write(&mut written, stringify!($field), &self.$field as &$of_transitions);
                    }
                )?)+
                written
            }
        }

        impl GraphOptions {
            /// As [`GivenOptions::check_ranges`].
            ///
            /// # Errors
            /// As there.
            pub fn check_ranges(&self) -> Result<()> {
                check_ranges(&[$($((stringify!($field), &self.$field as &$of_graph),)?)+])
            }

            /// The options by name, as files have them.
            pub fn written(&self) -> Vec<(String, Value)> {
                let mut written = Vec::new();
                $($(write(&mut written, stringify!($field), &self.$field as &$of_graph);)?)+
                written
            }
        }
    };
}

options! {
    /// Transition system or graph-based parser; other defaults follow it. Default: `arc-eager`. Defaults of `biaffine`: `--learner adam`,
    /// `--batch 8`, `--dropout 0.33`, `--rate 0.001`, `--average-from 0`, and `--iterations 12` or, with little data, as many as make
    /// 18,000 mini-batches, at most 60
    #[arg(help_heading = "Model")]
    system: ParserKind => transitions(SystemKind = SystemKind::default()) graph(GraphKind = GraphKind::Eisner);

    /// Scorer: weights of sparse features, or a network over embeddings, which reads `--places` in place of `--features`. Default:
    /// `linear`. Defaults of networks: `--learner adam`, `--batch 8`, `--replicas 1`, `--average-from 0`, and `--training greedy`, unless
    /// an option is given that only global training has, such as `--init` or `--beam`. Greedy and l2s: `--objective softmax`,
    /// `--dropout 0.3`, and `--iterations 8` (bilstm and stack-lstm: 12) or, with little data, as many as make 12,000 (18,000)
    /// mini-batches, at most 60. Global: `--objective crf` (`--search exact`: `loss-augmented`; `--merge` or `--layers output`:
    /// `perceptron`), `--update early` and `--iterations 3`. A stack-lstm reads no places; systems without a linked stack show it the next
    /// four words on each side
    #[arg(help_heading = "Model")]
    scorer: ScorerKind => transitions(ScorerKind = ScorerKind::Linear, unwritten);

    /// Tag words in the derivation of the tree, with a system over one stack and a buffer: each word gets its tag, a value of
    /// `--tag-column`, as it becomes the first of the buffer. Features read tags of words that have one. Parsing fills the column, too
    #[arg(help_heading = "Model", num_args = 0, default_missing_value = "true")]
    joint_tags: bool => transitions(bool = false, unwritten);

    /// Feature set: a built-in one (`treebeam features list`), the path of a .feat file, or several of these joined with +. Default: the
    /// system's own: `zn11` for arc-eager's systems, `stack` for the others with one stack, `covington` for Covington's and 2-planar, and
    /// `easy-first`
    #[arg(value_name = "SET", help_heading = "Model")]
    features: String => transitions(String = "zn11".to_owned());

    /// Greedy training on single decisions, global training on whole derivations in a beam, or learning to search. Default: `global`;
    /// networks: `greedy`, unless an option is given that only global training has
    #[arg(help_heading = "Training")]
    training: Training => transitions(Training = Training::Global);

    /// Learner: turns gradients of the objective into changes of the weights. Default: `perceptron`; global with `--objective crf` or
    /// `softmax-margin`: `adagrad`; networks: `adam`, or else `adagrad` or `momentum`; graph-based: `mira`, or else `perceptron`; biaffine:
    /// `adam` only
    #[arg(help_heading = "Training")]
    learner: Learner => transitions(Learner = Learner::Perceptron, unwritten) graph(Learner = Learner::Mira);

    /// Graph-based, with `--learner mira`: the longest step. Default: `1`
    #[arg(value_name = "C", help_heading = "Training, graph-based parsers", hide = true)]
    #[range(Above(0.0, 1000.0))]
    aggressiveness: f64 => graph(f64 = 1.0);

    /// Loss that training minimises: global `perceptron`, `loss-augmented`, `crf` or `softmax-margin`, else the others and `softmax-margin`.
    /// Default: global `perceptron`, mira: `loss-augmented`; else `regression`; adagrad: `softmax`; mira and svm: `hinge`; perceptron: `perceptron`
    #[arg(help_heading = "Training, learners", hide = true)]
    objective: Objective => transitions(Option<Objective> = None);

    /// Learning rate: η; of ftrl α, of mira and svm C. Default: sgd and sgd-plus 0.5, adagrad and svm 0.1, ftrl 0.005, mira 1, adam 0.001;
    /// with `--objective loss-augmented` sgd 0.03; adam in global training 0.0003, and with `--init` less in proportion where scarce data
    /// make mini-batches smaller than 8 sentences
    #[arg(value_name = "R", help_heading = "Training, learners", hide = true)]
    #[range(Above(0.0, 1e6))]
    rate: f64 => transitions(Option<f64> = None) graph(Option<f64> = None, networks);

    /// With `--learner sgd`: λ of the L2 penalty, λ/2 times the squared norm of the weights. Default: `0`
    #[arg(value_name = "LAMBDA", help_heading = "Training, learners", hide = true)]
    #[range(Closed(0.0, 1e6))]
    l2: f64 => transitions(Option<f64> = None);

    /// Global, with `--objective loss-augmented` or `softmax-margin`: the score that a loss of 1 adds. Default: `1`
    #[arg(value_name = "W", help_heading = "Training, learners", hide = true)]
    #[range(Above(0.0, 1000.0))]
    loss_weight: f64 => transitions(Option<f64> = None);

    /// Probability of leaving a feature out of an example; networks: a hidden unit. Default: `0`; networks trained on single decisions:
    /// `0.3`; biaffine: `0.33`
    #[arg(value_name = "P", help_heading = "Training, learners", hide = true)]
    #[range(Below(0.0, 1.0))]
    dropout: f64 => transitions(f64 = 0.0, unwritten) graph(Option<f64> = None, networks);

    /// Leave out features that occur fewer times in the first pass. Default: `1`; nn: `2`
    #[arg(value_name = "N", help_heading = "Training, learners", hide = true)]
    #[range(Whole(1, 255))]
    min_count: i64 => transitions(Option<u8> = None);

    /// Least gradient that begins a weight; smaller ones change only weights that have begun. Saves memory in training on single decisions
    /// with `--objective softmax` or `softmax-margin`, where most gradients are tiny; not for sgd-plus and nn. Default: `0.02` where it is
    /// allowed, else `0`
    #[arg(value_name = "G", help_heading = "Training, learners", hide = true)]
    #[range(Closed(0.0, 1.0))]
    min_gradient: f64 => transitions(Option<f64> = None);

    /// With `--learner nn`: hidden units for each action, at most 32 for one decision; networks: hidden units. Default: `5`; networks: `200`
    #[arg(value_name = "H", help_heading = "Training, learners", hide = true)]
    #[range(Whole(1, 4096))]
    hidden: i64 => transitions(Option<u32> = None);

    /// Networks: activation function of hidden units. Default: `relu`
    #[arg(help_heading = "Training, networks")]
    activation: Activation => transitions(Option<Activation> = None);

    /// Networks: the places that are read: a built-in set (`treebeam features list`), or the path of a .feat file that begins with
    /// `network`. Default: `full`; bilstm: `extended`. A stack-lstm and biaffine parsers take a file without places, which
    /// says what is read of words
    #[arg(value_name = "SET", help_heading = "Training, networks")]
    places: String => transitions(Option<String> = None) graph(Option<String> = None, networks);

    /// Networks: size of the embedding of a word. Default: `64`; with `--vectors` that of these
    #[arg(value_name = "N", help_heading = "Training, networks")]
    #[range(Whole(1, 4096))]
    word_units: i64 => transitions(Option<u32> = None) graph(Option<u32> = None, networks);

    /// Networks: pre-trained word vectors, in word2vec's text form, with or without its head line, in its binary form if the name ends in
    /// `.bin`, or in finalfusion's; also .gz and .zst. Words of the file alone are known to the model, too. Not with `--init`. Default:
    /// random embeddings
    #[arg(value_name = "FILE", help_heading = "Training, networks")]
    vectors: String => transitions(Option<String> = None) graph(Option<String> = None, networks);

    /// With `--scorer bilstm` or `--system biaffine`: layers of the encoder; `stack-lstm`: of each of the three. Default: `2`
    #[arg(value_name = "N", help_heading = "Training, networks")]
    #[range(Whole(1, 8))]
    lstm_layers: i64 => transitions(Option<u32> = None) graph(Option<u32> = None, networks);

    /// With `--scorer bilstm` or `--system biaffine`: outputs of each direction of a layer; `stack-lstm`: of a layer, and size of the
    /// vector of a token or a tree. Default: `128`
    #[arg(value_name = "U", help_heading = "Training, networks")]
    #[range(Whole(1, 4096))]
    lstm_units: i64 => transitions(Option<u32> = None) graph(Option<u32> = None, networks);

    /// With `--system biaffine`: size of the vectors of head and dependent that score arcs. Default: `200`
    #[arg(value_name = "U", help_heading = "Training, networks")]
    #[range(Whole(1, 4096))]
    arc_units: i64 => graph(Option<u32> = None, networks);

    /// With `--system biaffine`: size of those that score labels. Default: `64`
    #[arg(value_name = "U", help_heading = "Training, networks")]
    #[range(Whole(1, 4096))]
    label_units: i64 => graph(Option<u32> = None, networks);

    /// Model to continue from, with the same system. A network continues on the same data, with its vocabulary and layout. A linear
    /// perceptron with the same features continues its weights and their average, also on other data, whose labels and words are added.
    /// Default: random parameters, or no weights
    #[arg(value_name = "MODEL", help_heading = "Training")]
    init: String => transitions(Option<String> = None);

    /// Networks: the layers that learn. `output` begins with a model that has learned the others (`--init`); in global training its default
    /// is `--objective perceptron`, and `--learner perceptron` takes steps of one length (`--rate`, 0.003) and keeps the average of all.
    /// Default: `all`
    #[arg(help_heading = "Training, networks")]
    layers: Layers => transitions(Layers = Layers::All, unwritten);

    /// With `--learner nn`: how its layers learn, `sgd-plus` or `ftrl`. Default: `ftrl`
    #[arg(value_name = "LEARNER", help_heading = "Training, learners", hide = true)]
    nn_update: Learner => transitions(Option<Learner> = None);

    /// Decide on moves and labels together, or in stages. Default: `joint`
    #[arg(help_heading = "Training, learners", hide = true)]
    decisions: Decisions => transitions(Decisions = Decisions::Joint, unwritten);

    /// Algorithm: a preset of `--roll-in` and `--roll-out`, which may be overridden. Default: `l2s`
    #[arg(help_heading = "Training, learning to search")]
    preset: Preset => transitions(Option<Preset> = None);

    /// Roll-in policy: reaches the configurations that are learned from. Global, `learned`: beams start in the model's own derivation, as
    /// often as `--explore-from` and `--explore-prob` say. Default: `mix-per-roll`; global: `reference`
    #[arg(value_name = "POLICY", help_heading = "Training, learning to search", hide = true)]
    roll_in: RollIn => transitions(Option<RollIn> = None);

    /// Roll-out policy: completes a derivation to estimate the cost of an action. Default: `reference`
    #[arg(value_name = "POLICY", help_heading = "Training, learning to search", hide = true)]
    roll_out: RollOut => transitions(Option<RollOut> = None);

    /// In mixtures the learned policy has probability 1 − (1 − alpha)^t after t examples. Default: `0.00001`
    #[arg(value_name = "A", help_heading = "Training, learning to search", hide = true)]
    #[range(Between(0.0, 1.0))]
    alpha: f64 => transitions(Option<f64> = None);

    /// With `--roll-out mixture`: probability of the reference. Default: lols `0.5`, else by `--alpha`
    #[arg(value_name = "P", help_heading = "Training, learning to search", hide = true)]
    #[range(Closed(0.0, 1.0))]
    reference_share: f64 => transitions(Option<f64> = None);

    /// Run the reference's roll-outs even where the oracle gives their losses, as a check
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "YES", help_heading = "Training, learning to search", hide = true)]
    run_reference: bool => transitions(bool = false, unwritten);

    /// Oracle: the canonical derivation, or every correct action. Default: the system's own, mostly `dynamic`; arc-eager-nonmonotonic:
    /// `monotonic-first`; swap: `non-deterministic`, global `lazy`; covington-nonmonotonic: `upper`, global `static`; covington and
    /// 2-planar: global `static`
    #[arg(help_heading = "Training")]
    oracle: OracleKind => transitions(OracleKind = OracleKind::Dynamic);

    /// File of word clusters for the attributes `.c4`, `.c6` and `.c`, such as those of `--features zn11+clusters`: a path of 0 and 1, a
    /// tab and a word a line, as programs for Brown clusters write them. The model keeps them
    #[arg(value_name = "FILE", help_heading = "Model")]
    clusters: String => transitions(Option<String> = None, unwritten);

    /// File of weights of arcs in the dynamic oracle's costs and in losses: a label, a tab and a whole number a line. For arc-hybrid and
    /// easy-first, and with `--roots several` arc-eager, arc-eager-start and arc-eager-zpar. Default: each counts 1
    #[arg(value_name = "FILE", help_heading = "Training", hide = true)]
    arc_weights: String => transitions(Option<String> = None, unwritten);

    /// Greedy, with a static oracle and `--objective perceptron`: predictions in training include actions that are not permitted
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "YES", help_heading = "Training", hide = true)]
    unpermitted: bool => transitions(bool = false, unwritten);

    /// Greedy, with a linear model: file of initial weights, a feature, an action and a weight a line, separated by tabs. The model has no
    /// other features. Default: every weight is 0
    #[arg(value_name = "FILE", help_heading = "Training, learners", hide = true)]
    initial_weights: String => transitions(Option<String> = None, unwritten);

    /// Greedy, with an oracle that is not static: the correct transition that is reinforced, and followed where the prediction is wrong;
    /// `all` not with `--learner mira` or `--objective multiclass`. Default: `canonical` for perceptrons of arc-standard; else by
    /// objective: `perceptron` and `hinge` `best-scored`; `softmax`, `softmax-margin` and `regression` `all`; `multiclass` the first that
    /// makes a gold arc
    #[arg(value_name = "WHICH", help_heading = "Training")]
    correct: Correct => transitions(Option<Correct> = None);

    /// Greedy with a dynamic oracle, or global with `--roll-in learned`: explore after this many iterations (k of Goldberg & Nivre 2013).
    /// Default: `1`
    #[arg(value_name = "K", help_heading = "Training")]
    #[range(Whole(0, 1_000_000))]
    explore_from: i64 => transitions(u32 = 1);

    /// Greedy with a dynamic oracle: probability of following a wrong prediction (p). Global with `--roll-in learned`: probability of
    /// starting a sentence's beam at a random step of the model's own derivation. Default: `0.9`
    #[arg(value_name = "P", help_heading = "Training")]
    #[range(Closed(0.0, 1.0))]
    explore_prob: f64 => transitions(f64 = 0.9);

    /// Greedy with a dynamic oracle and `--objective softmax` or `softmax-margin`: with probability `--explore-prob` the transition to
    /// follow is drawn from the model's probabilities, raised to this power (Ballesteros et al. 2016 always draw, with 0.75); 0 is uniform.
    /// Default: the best-scored transition
    #[arg(value_name = "A", help_heading = "Training", hide = true)]
    #[range(Closed(0.0, 100.0))]
    explore_power: f64 => transitions(Option<f64> = None);

    /// Global, with a linear model: the first iterations that train greedily, with exploration if there is a dynamic oracle; averages begin
    /// after them. Networks use `--init`. Default: `0`
    #[arg(value_name = "K", help_heading = "Training")]
    #[range(Whole(0, 1_000_000))]
    pretrain: i64 => transitions(u32 = 0, unwritten);

    /// Global: where in the derivation to update. Default: `max-violation`; swap, arc-hybrid-swap, covington and
    /// covington-nonmonotonic: `laso`; with `--objective crf` or `softmax-margin`: `early`; with `--search exact`: `standard`
    #[arg(help_heading = "Training")]
    update: Update => transitions(Update = Update::MaxViolation);

    /// With `--update restart` or `restart-early`: the items of the beam that both beams start again from. Default: `best`
    #[arg(value_name = "ITEMS", help_heading = "Training", hide = true)]
    restart_from: RestartFrom => transitions(RestartFrom = RestartFrom::Best, unwritten);

    /// Global: beam search, or exact search by tabulation, in training and by default in parsing. Exact search needs features that read
    /// words by position only, such as `minimal`, or such a network (`--places minimal`), whose objective is then `loss-augmented`.
    /// Default: `beam`
    #[arg(help_heading = "Training")]
    search: SearchKind => transitions(SearchKind = SearchKind::Beam, unwritten);

    /// Global: width of the beam in training and, by default, in parsing. Default: `8`
    #[arg(value_name = "B", help_heading = "Training")]
    #[range(Whole(1, crate::model::MAX_BEAM as u64))]
    beam: i64 => transitions(usize = 8);

    /// Global: merge items of a beam that look the same to all features, in training and by default in parsing; for arc-standard,
    /// arc-hybrid and arc-eager with `--objective perceptron`, except stack-lstm. Default: `false`
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "YES", help_heading = "Training")]
    merge: bool => transitions(bool = false, unwritten);

    /// Passes over the training data, or `plateau`: until the development LAS has not risen for `--patience` iterations. Default: 15;
    /// graph-based: 10; networks: see `--scorer`
    #[arg(value_name = "I", help_heading = "Training")]
    #[range(WholeOr(1, 1_000_000, "plateau"))]
    iterations: Iterations => transitions(Iterations = Iterations::Number(15)) graph(Iterations = Iterations::Number(10));

    /// With `--iterations plateau`: stop after so many iterations without a better score. Default: `5`
    #[arg(value_name = "N", help_heading = "Training")]
    #[range(Whole(1, 1_000_000))]
    patience: i64 => transitions(Option<u32> = None) graph(Option<u32> = None);

    /// With `--iterations plateau`: the most iterations. Default: `100`
    #[arg(value_name = "N", help_heading = "Training", hide = true)]
    #[range(Whole(1, 1_000_000))]
    max_iterations: i64 => transitions(Option<u32> = None) graph(Option<u32> = None);

    /// First iterations to leave out of the average, if there are more. Default: `3`; graph-based: `1`; networks, and with `--init`: `0`
    #[arg(value_name = "K", help_heading = "Training", hide = true)]
    #[range(Whole(0, 1_000_000))]
    average_from: i64 => transitions(u32 = 3) graph(u32 = 1);

    // PERF: on English-EWT at width 8 the labelled attachment score is 87.63 with one, 87.73 with two, 87.85 with four.
    /// Models to train in different random orders, whose averages are added up. Default: `4`; networks and `--learner nn` or `svm`: `1`
    #[arg(value_name = "N", help_heading = "Training")]
    #[range(Whole(1, 1000))]
    replicas: i64 => transitions(u32 = 4);

    /// The seed of shuffling and exploration. Default: `1`
    #[arg(value_name = "S", help_heading = "Training")]
    #[range(Whole(0, u64::MAX))]
    seed: u64 => transitions(u64 = 1) graph(u64 = 1);

    /// Sentences of a mini-batch, in parallel with `--threads`. Networks: fewer if a pass over the data would have less than 256
    /// mini-batches. Default: `1`; networks: `8`
    #[arg(value_name = "N", help_heading = "Training", hide = true)]
    #[range(Whole(1, 1 << 20))]
    batch: i64 => transitions(usize = 1) graph(Option<u32> = None, networks);

    /// Non-projective training trees: drop them, follow actions of least cost (graph-based: learn the projective tree that shares most
    /// arcs), or lift them. Default: `min-cost`
    #[arg(help_heading = "Training")]
    nonprojective: Nonprojective => transitions(Nonprojective = Nonprojective::MinCost) graph(Nonprojective = Nonprojective::MinCost);

    /// With `--nonprojective lift`: the scheme of labels that record lifts. Default: `head`
    #[arg(value_name = "SCHEME", help_heading = "Training", hide = true)]
    lift: Scheme => transitions(Scheme = Scheme::Head) graph(Scheme = Scheme::Head);

    /// Number of words that may depend on the root. Default: `single`; 2-planar: `several` only
    #[arg(help_heading = "Model")]
    roots: Roots => transitions(Roots = Roots::Single) graph(Roots = Roots::Single);

    /// The column that .w atoms read. Default: `form`
    #[arg(value_name = "COLUMN", help_heading = "Model")]
    word_column: ColumnName => transitions(ColumnName = ColumnName::Form) graph(ColumnName = ColumnName::Form);

    /// Read words as they are written, or in lower case with digits made equal. Default: `normalised`
    #[arg(value_name = "SHAPE", help_heading = "Model", hide = true)]
    word_shape: WordShape => transitions(WordShape = WordShape::Normalised) graph(WordShape = WordShape::Normalised);

    /// The column that .p atoms read. Default: `upos`
    #[arg(value_name = "COLUMN", help_heading = "Model")]
    tag_column: ColumnName => transitions(ColumnName = ColumnName::Upos) graph(ColumnName = ColumnName::Upos);

    /// Weights to keep: of the best iteration on the development data, or of the last. Default: `best`
    #[arg(help_heading = "Training", hide = true)]
    keep: Keep => transitions(Keep = Keep::Best) graph(Keep = Keep::Best);
}

/// True if there are any.
const fn any(of: &[&str]) -> bool {
    !of.is_empty()
}

/// The first of them.
const fn first(ranges: &[Range]) -> Option<Range> {
    match ranges {
        [range, ..] => Some(*range),
        [] => None,
    }
}

/// Checks that each of these options that is a number is in its range.
fn check_ranges(options: &[(&str, &dyn Any)]) -> Result<()> {
    for (field, value) in options {
        let known = KNOWN.iter().find(|known| known.field == *field);
        if let Some((range, known)) = known.and_then(|known| Some((known.range?, known))) {
            range.check(*value, &known.name())?;
        }
    }
    Ok(())
}

/// Adds an option as it is written, if it has a value.
fn write(written: &mut Vec<(String, Value)>, field: &str, value: &impl Serialize) {
    match serde_json::to_value(value) {
        Ok(Value::Null) | Err(_) => {}
        Ok(value) => written.push((field.replace('_', "-"), value)),
    }
}

impl Serialize for TrainOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.written())
    }
}

impl Serialize for GraphOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = self.written();
        // Keys of records are checksums of what is written here, in the order in which it was written first.
        let place = |name| written.iter().position(|(other, _)| other == name);
        if let (Some(batch), Some(after)) =
            (place("batch"), ["dropout", "rate", "aggressiveness"].into_iter().find_map(place))
        {
            let batch = written.remove(batch);
            written.insert(after + 1, batch);
        }
        serializer.collect_map(written)
    }
}
