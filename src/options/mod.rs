//! From the options that are given to the options that are run: the one place where defaults that depend on one another
//! are filled in, for the command line, for the specifications of experiments and for programs that use this library.
//!
//! Defaults that stand by themselves are those of `list.rs`. Those that
//! depend on what else is given are made in [`TrainOptions::of`]: the oracle and the feature set follow the system, the
//! oracle follows the kind of training, and the number of replicas follows the learner.
//!
//! ```
//! use treebeam::options::{GivenOptions, Options, ParserKind};
//! use treebeam::system::SystemKind;
//! # treebeam_systems::register();
//!
//! let system = ParserKind::Transitions(treebeam_systems::SWAP);
//! let given = GivenOptions { system: Some(system), beam: Some(16), ..GivenOptions::default() };
//! let Options::Transitions(options) = given.resolve()? else { unreachable!("swap is a transition system") };
//! assert_eq!((options.features.as_str(), options.beam), ("stack", 16));
//! # Ok::<(), treebeam::error::Error>(())
//! ```

mod any;
mod check;
mod choices;
mod graph;
mod list;
mod parser;
mod range;
mod recommend;
mod remarks;
mod search;
mod suited;
mod transitions;

pub use choices::{Correct, Objective, RestartFrom, Training, Update};
pub use list::{GivenOptions, GraphOptions, KNOWN, Known, TrainOptions};
pub use parser::{GraphKind, ParserKind};
pub use range::Range;
#[cfg(feature = "cli")]
pub(crate) use range::number;
pub use recommend::Recommendation;
pub use search::{LearningToSearch, Preset, RollIn, RollOut};
pub(crate) use suited::batch_of;

use crate::suggest::with_suggestion;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::decode::SearchKind;
use crate::error::{Error, Result};
use crate::linear::Learner;
use crate::model::ScorerKind;
use crate::system::SystemKind;

/// All options of the kind of parser that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Options {
    /// Of a transition system.
    Transitions(TrainOptions),
    /// Of a graph-based parser.
    Graph(GraphOptions),
}

/// Options by name, as specifications, headers of model files and Python give them: numbers, names and truth values.
///
/// # Errors
/// If there is no option of a name, or a value does not fit its option; the message names it.
pub fn of_names<T: DeserializeOwned>(named: Map<String, Value>) -> Result<T> {
    if let Some((_, instead)) = REMOVED.iter().find(|(name, _)| named.contains_key(*name)) {
        return Err(Error::Usage((*instead).to_owned()));
    }
    let one_by_one = named.clone();
    serde_json::from_value(Value::Object(named)).map_err(|whole| {
        let alone = |(name, value)| {
            let alone = Map::from_iter([(String::clone(name), Value::clone(value))]);
            serde_json::from_value::<T>(Value::Object(alone)).err().map(|error| (name, error.to_string()))
        };
        Error::Usage(match one_by_one.iter().find_map(alone) {
            Some((_, error)) if error.starts_with("unknown field") => with_suggestion(&error),
            Some((name, error)) => format!("--{name}: {}", with_suggestion(&error)),
            None => whole.to_string(),
        })
    })
}

/// Options of earlier versions, and what says the same today.
const REMOVED: [(&str, &str); 1] = [("multi-root", "there is no --multi-root any more; expected --roots several")];

impl GivenOptions {
    /// Options by name, see [`of_names`].
    ///
    /// # Errors
    /// As there.
    pub fn of_names(named: Map<String, Value>) -> Result<GivenOptions> {
        // JSON has null for numbers that are not finite.
        let null = KNOWN
            .iter()
            .find_map(|known| Some((known, known.range?)).filter(|_| named.get(&known.name()) == Some(&Value::Null)));
        match null {
            Some((known, range)) => range.check(&f64::NAN, &known.name()).and_then(|()| of_names(named)),
            None => of_names(named),
        }
    }

    /// The options that are run: those given, and defaults for the others.
    ///
    /// # Errors
    /// If a number is out of its range, the parser does not have an option that is given, or options contradict each
    /// other; the message names the option and what was expected.
    pub fn resolve(&self) -> Result<Options> {
        self.check_ranges()?;
        match self.system.unwrap_or(ParserKind::Transitions(TrainOptions::default().system)) {
            ParserKind::Transitions(system) => self.transitions(system).map(Options::Transitions),
            ParserKind::Graph(kind) => self.graph(kind).map(Options::Graph),
        }
    }

    /// The options that were run, of what was written down of them: what is left out there had its default, whatever the others are.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn as_written(self) -> Result<Options> {
        self.check_ranges()?;
        Ok(match self.system {
            Some(ParserKind::Graph(_)) => Options::Graph(self.over_graph(GraphOptions::default())),
            _ => Options::Transitions(self.over(TrainOptions::default())),
        })
    }

    fn transitions(&self, system: SystemKind) -> Result<TrainOptions> {
        if let Some(known) = self.given().into_iter().find(|known| !known.of_transitions) {
            return Err(foreign(known, system.name()));
        }
        let system = match self.joint_tags {
            Some(true) => system.joint().ok_or_else(|| {
                let what = "--joint-tags tags words as they become the first of the buffer, before there is a stack";
                Error::Usage(format!("{what}, and that is not so in {system}; expected a system such as arc-eager"))
            })?,
            _ => system,
        };
        let joint_tags = system.info().is_joint();
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
        if self.init.is_some() {
            // The average goes on, too.
            defaults.average_from = 0;
        }
        if self.search == Some(SearchKind::Exact) {
            defaults.update = Update::Standard;
        } else if self.merge == Some(true) && defaults.update == Update::Laso {
            // Merging beams do not go on from the gold prefix.
            defaults.update = Update::MaxViolation;
        }
        let rolls_in = self.roll_in == Some(RollIn::Learned);
        if training == Training::Global && (rolls_in || self.update.is_some_and(Update::restarts)) {
            // The one that knows the costs in all configurations, if there is one.
            defaults.oracle = system.greedy_oracle();
        }
        let mut options = TrainOptions { system, joint_tags, ..self.clone().over(defaults) };
        if training == Training::Greedy && !options.oracle.is_static() && options.objective() == Objective::Perceptron {
            options.correct.get_or_insert(Correct::of_system(system));
        }
        options.check()?;
        // An objective that is the default makes the same model. Probabilities are recorded nevertheless, as they go with
        // updates of their own.
        let suited = TrainOptions { objective: None, ..options.clone() }.objective();
        if of_beams == Some(suited) && !is_probability {
            options.objective = None;
        }
        if options.correct == Correct::of(options.objective()) {
            options.correct = None;
        }
        if training == Training::Global && options.roll_in == Some(RollIn::Reference) {
            options.roll_in = None;
        }
        Ok(options)
    }

    fn graph(&self, kind: GraphKind) -> Result<GraphOptions> {
        if let Some(known) = self.given().into_iter().find(|known| !known.is_of(kind)) {
            return Err(foreign(known, kind.name()));
        }
        let options = self.clone().over_graph(GraphOptions::of(kind));
        options.check()?;
        Ok(options)
    }

    /// True if something is given that only global training has.
    fn asks_for_derivations(&self) -> bool {
        let is_of_derivations = |objective| !Objective::all_of(Training::Greedy).contains(&objective);
        let searches = [self.search.is_some(), self.merge.is_some(), self.beam.is_some(), self.update.is_some()];
        let learns = [self.init.is_some(), self.layers.is_some(), self.pretrain.is_some(), self.loss_weight.is_some()];
        searches.contains(&true) || learns.contains(&true) || self.objective.is_some_and(is_of_derivations)
    }
}

/// The error for an option that the parser does not have.
fn foreign(known: &Known, parser: &str) -> Error {
    let (name, of) = (known.name(), known.parsers());
    Error::Usage(format!("--{name} is for {of}, and `--system {parser}` is none; leave it out"))
}
