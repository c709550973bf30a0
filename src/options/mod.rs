//! From the options that are given to the options that are run: the one place where defaults that depend on one another
//! are filled in, for the command line, for the specifications of experiments and for programs that use this library.
//!
//! Defaults that stand by themselves are those of [`TrainOptions::default`] and [`GraphOptions::default`]. Those that
//! depend on what else is given are made in [`TrainOptions::of`]: the oracle and the feature set follow the system, the
//! oracle follows the kind of training, and the number of replicas follows the learner.
//!
//! ```
//! use treebeam::options::{GivenOptions, Options, ParserKind};
//! use treebeam::system::SystemKind;
//!
//! let system = ParserKind::Transitions(SystemKind::Swap);
//! let given = GivenOptions { system: Some(system), beam: Some(16), ..GivenOptions::default() };
//! let Options::Transitions(options) = given.resolve()? else { unreachable!("swap is a transition system") };
//! assert_eq!((options.features.as_str(), options.beam), ("stack", 16));
//! # Ok::<(), treebeam::error::Error>(())
//! ```

mod any;
mod given;
mod parser;
mod recommend;
mod remarks;
mod suited;

pub use given::GivenOptions;
pub use parser::ParserKind;
pub use recommend::Recommendation;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::decode::SearchKind;
use crate::error::{Error, Result};
use crate::graph::{GraphKind, GraphOptions};
use crate::learn::{Correct, Learner, Objective, TrainOptions, Training, Update, check_ranges};
use crate::model::ScorerKind;
use crate::system::SystemKind;

/// What only graph-based parsers have.
pub const GRAPH_ONLY: [&str; 3] = ["aggressiveness", "arc-units", "label-units"];

/// All options of the kind of parser that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Options {
    /// Of a transition system.
    Transitions(TrainOptions),
    /// Of a graph-based parser.
    Graph(GraphOptions),
}

impl GivenOptions {
    /// The options that are run: those given, and defaults for the others.
    ///
    /// # Errors
    /// If a number is out of its range, the parser does not have an option that is given, or options contradict each
    /// other; the message names the option and what was expected.
    pub fn resolve(&self) -> Result<Options> {
        check_ranges(self)?;
        let given = match serde_json::to_value(self) {
            Ok(Value::Object(given)) => given,
            Ok(_) | Err(_) => unreachable!("options are an object of plain data"),
        };
        match self.system.unwrap_or(ParserKind::Transitions(TrainOptions::default().system)) {
            ParserKind::Transitions(system) => self.transitions(system, given).map(Options::Transitions),
            ParserKind::Graph(kind) => graph(kind, given).map(Options::Graph),
        }
    }

    fn transitions(&self, system: SystemKind, given: Map<String, Value>) -> Result<TrainOptions> {
        if let Some(name) = GRAPH_ONLY.iter().find(|name| given.contains_key(**name)) {
            return Err(foreign(name, "graph-based parsers", system.name()));
        }
        let default = TrainOptions::default();
        let scorer = self.scorer.unwrap_or_default();
        let training = self.training.unwrap_or(match scorer.is_linear() || self.asks_for_derivations() {
            true => default.training,
            // Whole derivations are hard to learn by a network that knows nothing.
            false => Training::Greedy,
        });
        let of_beams = self.objective.filter(|_| training == Training::Global);
        let is_probability = of_beams.is_some_and(|objective| objective.is_probability());
        // The perceptron has no steps for what is never right and never wrong, and no step is a violation there.
        let suited = match scorer {
            ScorerKind::FeedForward | ScorerKind::Bilstm | ScorerKind::StackLstm => Learner::Adam,
            ScorerKind::Linear if is_probability => Learner::Adagrad,
            ScorerKind::Linear => default.learner,
        };
        let mut defaults = TrainOptions::of(system, training, self.learner.unwrap_or(suited));
        if is_probability {
            defaults.update = Update::Early;
        }
        defaults = defaults.with_scorer(scorer);
        if self.search == Some(SearchKind::Exact) {
            defaults.update = Update::Standard;
        } else if self.merge == Some(true) && defaults.update == Update::Laso {
            // Where beams merge, the search does not go on from gold.
            defaults.update = Update::MaxViolation;
        }
        let mut options = overlaid(&defaults, given)?;
        options.check()?;
        // What is asked for and would be done anyway makes the same model. Probabilities are written all the same: they go with
        // updates of their own.
        let suited = TrainOptions { objective: None, ..options.clone() }.objective();
        if of_beams == Some(suited) && !is_probability {
            options.objective = None;
        }
        if options.correct == Correct::of(options.objective()) {
            options.correct = None;
        }
        Ok(options)
    }
}

impl GivenOptions {
    /// Whether something is given that only global training has.
    fn asks_for_derivations(&self) -> bool {
        let is_of_derivations = |objective| !Objective::all_of(Training::Greedy).contains(&objective);
        let searches = [self.search.is_some(), self.merge.is_some(), self.beam.is_some(), self.update.is_some()];
        let learns = [self.init.is_some(), self.layers.is_some(), self.pretrain.is_some(), self.loss_weight.is_some()];
        searches.contains(&true) || learns.contains(&true) || self.objective.is_some_and(is_of_derivations)
    }
}

fn graph(kind: GraphKind, given: Map<String, Value>) -> Result<GraphOptions> {
    let default = GraphOptions::of(kind);
    // Options without a default of their own are named only where they are set.
    let own = serde_json::to_value(default.with_all()).map_err(|e| Error::Usage(e.to_string()))?;
    if let Some(name) = given.keys().find(|name| own.get(name).is_none()) {
        let of = match name.as_str() {
            "arc-units" | "label-units" => "biaffine parsers",
            "batch" | "rate" | "dropout" | "word-units" | "vectors" | "lstm-layers" | "lstm-units" => {
                "transition systems and biaffine parsers"
            }
            _ => "transition systems",
        };
        return Err(foreign(name, of, kind.name()));
    }
    if let Some(learner) = given.get("learner").and_then(Value::as_str)
        && !kind.learners().iter().any(|known| known.name() == learner)
    {
        let known: Vec<&str> = kind.learners().iter().map(|known| known.name()).collect();
        let expected = known.join(" or ");
        return Err(Error::Usage(format!("{kind} is not trained by {learner}; expected --learner {expected}")));
    }
    let options = overlaid(&default, given)?;
    options.check()?;
    Ok(options)
}

/// The error for an option that the parser does not have.
fn foreign(name: &str, of: &str, parser: &str) -> Error {
    Error::Usage(format!("--{name} is for {of}, and `--system {parser}` is none; leave it out"))
}

/// `defaults`, with what is given in place of them.
fn overlaid<T: Serialize + DeserializeOwned>(defaults: &T, given: Map<String, Value>) -> Result<T> {
    let mut options = serde_json::to_value(defaults).map_err(|e| Error::Usage(e.to_string()))?;
    if let Value::Object(options) = &mut options {
        options.extend(given);
    }
    serde_json::from_value(options).map_err(|e| Error::Usage(e.to_string()))
}
