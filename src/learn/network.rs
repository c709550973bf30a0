//! Initial network of a training run: its vocabulary, and the parameters of another model or random ones.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::{Iterations, TrainOptions, Training, TrainingData};
use crate::error::{Error, Result};
use crate::features::Vocabulary;
use crate::files::{hex, read_whole};
use crate::linear::Learner;
use crate::model::{Header, Model, Network, VectorsOrigin};
use crate::neural::{
    FeedForward, FeedForwardLearner, FeedForwardModel, Layout, LearnerSettings, Noise, Parameters, Rule, Sizes, Vectors,
};

/// The model that `--init` names.
#[derive(Debug)]
pub struct Init {
    path: String,
    sha256: String,
    model: FeedForwardModel,
}

impl Init {
    /// Reads the model.
    ///
    /// # Errors
    /// If there is none, or it has no network.
    pub fn read(path: &str) -> Result<Init> {
        let bytes = read_whole(Path::new(path))?;
        let sha256 = hex(&Sha256::digest(&bytes));
        Ok(Init { path: path.to_owned(), sha256, model: Model::from_bytes(&bytes, Path::new(path))? })
    }

    /// Gives the model to come the layout of this one's network.
    ///
    /// # Errors
    /// If the options ask for another layout, or this model was made for another system, other labels or other columns.
    pub fn lay_out(&self, options: &TrainOptions, header: &mut Header) -> Result<()> {
        let (path, of) = (&self.path, &self.model.header);
        let wrong =
            |what: &str| Err(Error::Usage(format!("--init {path}: the model has another {what}; expected the same")));
        let (Some(network), Some(asked)) = (&of.network, &header.network) else {
            return Err(Error::Usage(format!(
                "--init {path}: expected the model of a network, and --scorer feed-forward, bilstm or stack-lstm"
            )));
        };
        let other_columns = (of.word_column, of.tag_column, of.word_shape)
            != (header.word_column, header.tag_column, header.word_shape);
        let differs = [
            (of.system != header.system, "transition system"),
            (of.labels != header.labels || of.arcs != header.arcs, "inventory of labels"),
            (other_columns, "choice of columns"),
        ];
        let differs = differs.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what);
        if let Some(what) = differs.or_else(|| difference(options, network, asked)) {
            return wrong(what);
        }
        header.provenance.init_sha256 = Some(self.sha256.clone());
        header.network = Some(Network { normalised: asked.normalised, ..network.clone() });
        Ok(())
    }
}

/// Difference between what `options` ask for, as the network `asked`, and `network`.
fn difference(options: &TrainOptions, network: &Network, asked: &Network) -> Option<&'static str> {
    let places = |network: &Network| (network.places.clone(), network.labels.clone());
    let layers = |network: &Network| network.lstm().map(|lstm| lstm.layers);
    let units = |network: &Network| network.lstm().map(|lstm| lstm.units);
    let differs = [
        (options.hidden.is_some() && network.hidden != asked.hidden, "number of hidden units"),
        (options.activation.is_some_and(|activation| activation != network.activation), "activation"),
        (network.kind() != asked.kind(), "kind of network"),
        (options.places.is_some() && places(network) != places(asked), "choice of places"),
        (options.word_units.is_some() && network.dimensions != asked.dimensions, "length of embeddings"),
        (options.lstm_layers.is_some() && layers(network) != layers(asked), "number of layers"),
        (options.lstm_units.is_some() && units(network) != units(asked), "number of units"),
    ];
    differs.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
}

impl TrainOptions {
    /// Checks that training by these options can go on from a model that was trained by `first`, as far as options
    /// tell: inventories of labels are those of the data.
    ///
    /// # Errors
    /// If one of the two has no network, or they are of different systems, columns or layouts.
    pub fn check_follows(&self, first: &TrainOptions) -> Result<()> {
        let (Some(network), Some(asked)) = (first.network()?, self.network()?) else {
            return Err(Error::Usage(
                "only networks go on from other models; expected `scorer` feed-forward, bilstm or stack-lstm in both rows"
                    .to_owned(),
            ));
        };
        let columns = |options: &TrainOptions| (options.word_column, options.tag_column, options.word_shape);
        let what = match () {
            () if first.system != self.system => Some("transition system"),
            () if columns(first) != columns(self) => Some("choice of columns"),
            () => difference(self, &network, &asked),
        };
        match what {
            None => Ok(()),
            Some(what) => Err(Error::Usage(format!("the model has another {what}; expected the same"))),
        }
    }
}

/// Initial network of a training run.
#[derive(Debug)]
pub struct NetworkStart {
    layout: Layout,
    vocabulary: Vocabulary,
    sizes: Sizes,
    init: Option<FeedForward>,
    vectors: Option<Vectors>,
}

impl NetworkStart {
    /// A network of this layout for these data, which begins with the parameters of `init` or with these vectors of
    /// words, if there are any.
    pub fn new(network: Network, data: &TrainingData, init: Option<Init>, vectors: Option<Vectors>) -> NetworkStart {
        let init = init.map(|init| init.model.scorer);
        let inputs = data.examples().iter().map(|example| &example.input);
        let vocabulary = match &init {
            Some(init) => init.known().clone(),
            None => Vocabulary::new(inputs, data.columns().len(), 1),
        };
        let vocabulary = match &vectors {
            Some(vectors) => vectors.complete(&vocabulary),
            None => vocabulary,
        };
        let sizes = Sizes::new(&vocabulary, data.header().labels.len(), data.actions().width());
        NetworkStart { layout: Layout::new(network), vocabulary, sizes, init, vectors }
    }

    /// The vectors of words that the network begins with, if there are any.
    pub fn vectors(&self, data: &TrainingData) -> Option<VectorsOrigin> {
        let inputs = data.examples().iter().map(|example| &example.input);
        Some(self.vectors.as_ref()?.origin(inputs))
    }

    /// The values that the network knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// A network that is to be trained on `data`.
    pub fn learner(&self, options: &TrainOptions, data: &TrainingData, seed: u64) -> FeedForwardLearner {
        let network = &self.layout.network;
        let mut parameters = match &self.init {
            Some(init) => init.parameters().clone(),
            None => Parameters::random(network, &self.sizes, seed),
        };
        if let Some(vectors) = &self.vectors {
            vectors.fill(&self.vocabulary, &mut parameters.tensors[0]);
        }
        let noise = Noise::new(seed, &self.vocabulary, data.examples().iter().map(|example| &example.input));
        let parts = (self.layout.clone(), data.columns().clone(), self.vocabulary.clone());
        let settings = learner_settings(options, data.examples().len());
        let learner = FeedForwardLearner::new(parts, self.sizes, parameters, settings, noise);
        // What encoders and stacks make of a token depends on its sentence.
        match network.encoder.is_none() && network.stacks.is_none() {
            true => learner.with_common_tokens(data.examples().iter().map(|example| &example.input)),
            false => learner,
        }
    }
}

/// The rate of a network's learner.
pub fn rate(options: &TrainOptions) -> f64 {
    options.rate.unwrap_or(match (options.learner, options.training) {
        (Learner::Perceptron, _) => 0.003,
        (Learner::Adagrad, _) => 0.01,
        (Learner::Momentum, _) => 0.05,
        (_, Training::Global) => 0.0003,
        _ => 0.001,
    })
}

/// Weight of self-normalisation: the squared logarithm of the probabilities' divisor in the loss of single decisions.
/// Global training begins with sums of scores, which would compare nothing if each configuration's were off by a number
/// of its own.
const SELF_NORMALISING: f32 = 0.1;

/// Weight of self-normalisation in the options; see [`LocalObjective::self_normalising`](super::LocalObjective::self_normalising).
pub fn self_normalising(options: &TrainOptions) -> f32 {
    if options.scorer.is_linear() { 0.0 } else { SELF_NORMALISING }
}

/// Steps that a pass over the data has at least, if there are as many sentences.
const LEAST_STEPS: usize = 256;

/// The sentences of a mini-batch: as many as the options say, but fewer where so few mini-batches would be left that nothing is
/// learned from them.
pub fn batch(options: &TrainOptions, n_sentences: usize) -> usize {
    batch_of(options.batch, n_sentences)
}

/// The same of those that `asked` says.
pub fn batch_of(asked: usize, n_sentences: usize) -> usize {
    asked.min(n_sentences / LEAST_STEPS).max(1)
}

/// Steps that a network's training on single decisions, or arcs, takes at least, by default: without an encoder, and with one. PERF:
/// those of 8 and 12 iterations over English-EWT. On 500 Hungarian sentences 12 iterations give 65.8 (`feed-forward`), 62.5
/// (`bilstm`, both with arc-hybrid), 61.4 (`stack-lstm`, arc-standard) and 59.5 (`biaffine`) LAS on development data, 24 of the first and
/// 36 of the others 68.7, 66.4, 65.9 and 66.5 (after 34).
const SUFFICIENT_STEPS: [usize; 2] = [12_000, 18_000];

/// The most iterations by default: very small treebanks are known by heart before.
const MOST_ITERATIONS: usize = 60;

/// The iterations that a network takes over so many sentences in mini-batches unless told otherwise: those that suit large data, or
/// as many as it takes to make enough steps.
pub fn suited_iterations(iterations: u32, has_encoder: bool, n_sentences: usize, batch: usize) -> u32 {
    let n_steps = n_sentences.div_ceil(batch).max(1);
    let sufficient = SUFFICIENT_STEPS[usize::from(has_encoder)].div_ceil(n_steps).min(MOST_ITERATIONS);
    iterations.max(sufficient as u32)
}

/// The rate at which global training goes on from another model unless told otherwise, if it is not that of a large treebank: this
/// for each sentence of a mini-batch. PERF: with mini-batches of 1 (500 Hungarian sentences) 0.0003, 0.0001 and 0.00003 give 71.2, 71.5 and 71.6
/// (`feed-forward`; without global training 70.4), 66.5, 66.9 and 67.0 (`bilstm`; 67.0), 66.3, 66.4 and 66.6 (`stack-lstm`; 66.8).
pub fn suited_rate(options: &TrainOptions, n_sentences: usize) -> Option<f64> {
    let full = TrainOptions::default().with_scorer(options.scorer).batch;
    let part = batch(options, n_sentences) as f64 / full as f64;
    (part < 1.0).then(|| rate(options) * part)
}

/// Settings of the learner of a network, by the options, for so many sentences.
fn learner_settings(options: &TrainOptions, n_sentences: usize) -> LearnerSettings {
    let global = options.training == Training::Global;
    let n_batches = n_sentences.div_ceil(batch(options, n_sentences)) as u64;
    // How long it takes to the plateau nobody knows.
    let n_steps = match options.iterations {
        Iterations::Number(n) => Some(n_batches * u64::from(n)),
        Iterations::Plateau => None,
    };
    let second = if global { 0.999 } else { 0.99 };
    let rule = Rule { learner: options.learner, rate: rate(options), second, n_steps };
    LearnerSettings { rule, divisor: if global { 1.0 } else { 10.0 }, layers: options.layers }
}
