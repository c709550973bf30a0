//! Initial network of a training run: its vocabulary, and the parameters of another model or random ones.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{TrainOptions, Training};
use crate::error::{Error, Result};
use crate::features::{Columns, Input, Vocabulary};
use crate::files::{hex, read_whole};
use crate::model::{Header, Model, Network, VectorsOrigin};
use crate::neural::{
    FeedForward, FeedForwardLearner, FeedForwardModel, Layout, LearnerSettings, Noise, OptimiserRule, WordVectors,
    initial_parameters,
};
use crate::options::batch_of;

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
    let places = |network: &Network| (network.places.clone(), network.labels.clone(), network.inputs.clone());
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
    /// show: inventories of labels are those of the data.
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
    layout: Arc<Layout>,
    /// Numbers of labels and of outputs.
    sizes: (usize, usize),
    init: Option<FeedForward>,
    vectors: Option<WordVectors>,
}

impl NetworkStart {
    /// A network of this layout for sentences of these `inputs`, which begins with the parameters of `init` or with these vectors of
    /// words, if there are any. `sizes` are the numbers of labels and of outputs.
    pub fn new<'i>(
        network: Network,
        inputs: impl Iterator<Item = &'i Input> + Clone,
        columns: &Columns,
        sizes: (usize, usize),
        init: Option<Init>,
        vectors: Option<WordVectors>,
    ) -> NetworkStart {
        let init = init.map(|init| init.model.scorer);
        let vocabulary = match &init {
            Some(init) => init.known().clone(),
            None => Vocabulary::new(inputs, columns.len(), 1),
        };
        let vocabulary = match &vectors {
            Some(vectors) => vectors.complete(&vocabulary),
            None => vocabulary,
        };
        let layout = Arc::new(Layout::new(network, columns.clone(), vocabulary));
        NetworkStart { layout, sizes, init, vectors }
    }

    /// The vectors of words that the network begins with, if there are any.
    pub fn vectors<'i>(&self, inputs: impl Iterator<Item = &'i Input>) -> Option<VectorsOrigin> {
        Some(self.vectors.as_ref()?.origin(inputs))
    }

    /// The values that the network knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.layout.vocabulary
    }

    /// A network that is to be trained on sentences of these `inputs`.
    pub fn learner<'i>(
        &self,
        options: &TrainOptions,
        inputs: impl ExactSizeIterator<Item = &'i Input> + Clone,
        seed: u64,
    ) -> FeedForwardLearner {
        let (network, vocabulary) = (&self.layout.network, &self.layout.vocabulary);
        let mut parameters = match &self.init {
            Some(init) => init.parameters().clone(),
            None => initial_parameters(&self.layout, self.sizes.0, self.sizes.1, seed),
        };
        if let Some(vectors) = &self.vectors {
            vectors.fill(vocabulary, &mut parameters.tensors[0]);
        }
        let noise = Noise::new(seed, vocabulary, inputs.clone());
        let settings = learner_settings(options, inputs.len());
        let learner = FeedForwardLearner::new(Arc::clone(&self.layout), parameters, settings, noise);
        // Encoders' and stacks' vectors of a token depend on the sentence.
        match network.encoder.is_none() && network.stacks.is_none() {
            true => learner.with_common_tokens(inputs),
            false => learner,
        }
    }
}

/// Weight of self-normalisation: the squared logarithm of the probabilities' divisor in the loss of single decisions.
/// Global training begins with sums of scores, which would compare nothing if each configuration's were off by a number
/// of its own.
const SELF_NORMALISING: f32 = 0.1;

/// Weight of self-normalisation in the options; see [`LocalObjective::self_normalising`](super::LocalObjective::self_normalising).
pub fn self_normalising(options: &TrainOptions) -> f32 {
    if options.scorer.is_linear() { 0.0 } else { SELF_NORMALISING }
}

/// Settings of the learner of a network, by the options, for so many sentences.
fn learner_settings(options: &TrainOptions, n_sentences: usize) -> LearnerSettings {
    let global = options.training == Training::Global;
    let n_steps = options.iterations.n_steps(n_sentences.div_ceil(batch_of(options.batch, n_sentences)));
    let second = if global { 0.999 } else { 0.99 };
    let rule = OptimiserRule { learner: options.learner, rate: options.network_rate(), second, n_steps };
    LearnerSettings { rule, divisor: if global { 1.0 } else { 10.0 }, layers: options.layers }
}
