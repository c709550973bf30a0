//! Training and development data made ready: features' inputs, gold trees, canonical derivations.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::initial::{InitialWeights, Terms};
use super::linear_start::LinearStart;
use super::network::{Init, NetworkStart};
use super::supervision::Supervision;
use super::watch::{ReportDecision, Watch, Watched};
use super::{Learner, TrainOptions, Training, arc_weights};
use crate::configuration::{Arena, Reads};
use crate::decode::{Decoder, Machine, Strategy, Workspace, confidence};
use crate::error::{Error, Problem, Result};
use crate::eval::Counts;
use crate::features::{Clusters, Columns, FeatureSet, Input, Vocabulary};
use crate::model::{ArcLabel, Header, LabelDecoding, Layers, Model, Network, Notes, Scoring};
use crate::neural::WordVectors;
use crate::parallel;
use crate::scorer::{Scorer, Stages};
use crate::system::{Actions, Choice, Move, System, TransitionSystem};
use crate::training::Nonprojective;
use crate::training::prepare::{
    MAX_LOOKED_AT, Open, TrainingTrees, best_constant, compare, development, gold, is_partial, provenance,
};
use crate::tree::{Gold, LabelId, NO_LABEL, NO_NODE, Node, ROOT, Tree};
use crate::treebank::unknown_source;
use crate::treebank::{Column, Sentence, Treebank};
use crate::with_system;

/// One training sentence.
#[derive(Debug)]
pub struct Example {
    /// Input of features.
    pub input: Input,
    /// The gold tree, lifted if the options say so.
    pub gold: Gold,
    /// The canonical derivation.
    pub derivation: Vec<Choice>,
    /// The line of the treebank's file on which the sentence begins.
    pub line: usize,
}

/// All that training reads.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions::default();
/// let data = TrainingData::new(&options, &train, None)?;
/// assert_eq!((data.n_read(), data.examples().len()), (60, 60));
/// // From every word's arc follows which labels an action may bear.
/// assert!(data.actions().len() > data.header().labels.len());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct TrainingData {
    header: Header,
    label_decoding: LabelDecoding,
    columns: Columns,
    actions: Actions,
    stages: Stages,
    strategy: Strategy,
    examples: Vec<Example>,
    /// Trees with the labels of finished trees, and numbers beyond these for labels that training never saw.
    dev: Vec<(Input, Tree)>,
    n_read: usize,
    open: Open,
    /// Initial network, if one is to be trained.
    network: Option<NetworkStart>,
    initial_weights: InitialWeights,
    /// Model whose weights a perceptron goes on with, if there is one.
    linear_start: Option<LinearStart>,
    watch: Option<Watch>,
}

impl TrainingData {
    /// Prepares `train` and `dev` for these options.
    ///
    /// # Errors
    /// If the feature set does not parse, a tree is malformed, or no training sentence is left.
    pub fn new(options: &TrainOptions, train: &Treebank, dev: Option<&Treebank>) -> Result<TrainingData> {
        let derives_all = options.system.info().derives_all;
        let target = options.target();
        let (train, dev) = (train.for_target(target), dev.map(|dev| dev.for_target(target)));
        let (train, dev) = (&*train, dev.as_deref());
        let (init, mut linear_start) = match options.init.as_deref() {
            Some(path) if options.scorer.is_linear() => (None, Some(LinearStart::read(path)?)),
            path => (path.map(Init::read).transpose()?, None),
        };
        let known = linear_start.as_ref().map(LinearStart::labels).transpose()?.unwrap_or_default();
        let TrainingTrees { kept, mut labels, n_read, open } =
            TrainingTrees::new(train, known, options.roots, options.nonprojective, options.lift, derives_all)?;
        check_partial(options, &kept)?;
        let mut arcs: BTreeSet<ArcLabel> = BTreeSet::new();
        let any = options.system.system(options.roots);
        kept.iter().for_each(|(_, tree)| add_arcs(any.system(), tree, &mut arcs));
        let joint = options.system.info().is_joint().then(|| Column::from(options.tag_column));
        let given = match joint {
            Some(column) => kept
                .iter()
                .map(|(sentence, _)| sentence.tags(column, &mut labels))
                .collect::<std::result::Result<_, Problem>>()?,
            None => vec![Vec::new(); kept.len()],
        };
        let of_tag = |&label: &LabelId| ArcLabel { mv: Move::Tag, label, from_root: true };
        arcs.extend(given.iter().flatten().map(of_tag));
        let set = FeatureSet::load_for(&options.features, options.system)?;
        let set = set.expanded(kept.iter().map(|(sentence, _)| *sentence))?;
        let network = options.network()?;
        let clusters = clusters(options, &set, network.as_ref())?;
        if set.reads_source() && train.names().is_empty() {
            let what = "reads the source of sentences, and the treebank has no name; expected --train NAME=FILE, several times";
            return Err(Error::Usage(format!("--features {}: a template {what}", set.name)));
        }
        if options.layers == Layers::Output && init.is_none() {
            let what = "--layers output leaves the network's hidden units as they are; expected --init with the model that has learned them";
            return Err(Error::Usage(what.to_owned()));
        }
        let mut header = Header {
            system: options.system,
            roots: options.roots,
            features: set.name,
            feature_text: set.text,
            sources: sources(train, dev)?,
            clusters,
            word_column: options.word_column,
            word_shape: options.word_shape,
            tag_column: options.tag_column,
            tags: match target.or(joint) {
                // They are its labels.
                Some(_) => Vec::new(),
                None => tags(kept.iter().map(|(sentence, _)| *sentence), options.tag_column.into()),
            },
            labels: labels.names().to_vec(),
            arcs: arcs.into_iter().collect(),
            root_label: root_label(kept.iter().map(|(_, tree)| tree)),
            beam: options.decoding_beam(),
            gaps: Vec::new(),
            confidence: None,
            lift: (options.nonprojective == Nonprojective::Lift).then_some(options.lift),
            decisions: options.decisions,
            network,
            training: serde_json::to_value(options).expect("options are plain data"),
            provenance: provenance(train, &kept, dev),
        };
        let compiled = header.compile()?;
        if let Some(init) = &init {
            init.lay_out(options, &mut header)?;
        }
        if let Some(start) = &mut linear_start {
            start.lay_out(&mut header)?;
        }
        let strategy = Strategy::new(options.search, options.decoding_beam(), options.merge, &header)?;
        let system = options.system;
        let learned = || kept.iter().map(|(sentence, _)| *sentence);
        learned().try_for_each(|sentence| system.check_training_length(sentence))?;
        let columns = header.columns()?;
        learned().chain(dev.iter().flat_map(|dev| &dev.sentences)).try_for_each(|sentence| {
            header.check_length(sentence)?;
            columns.check(sentence)?;
            strategy.check(sentence)
        })?;
        let (labels, actions) = header.labels_and_actions()?;
        let dimensions = header.network.as_mut().map(|network| &mut network.dimensions);
        let vectors = WordVectors::of_training(options.vectors.as_deref(), &columns, options.word_units, dimensions)?;
        let weights = options.arc_weights.as_deref().map(|path| arc_weights::read(path, &labels)).transpose()?;
        let example = |workspace: &mut Workspace, number: usize| {
            let (sentence, ref tree) = kept[number];
            workspace.start(&Reads::of([]));
            let gold = gold(tree.clone());
            let gold = if joint.is_some() { gold.with_tags(&given[number]) } else { gold };
            let gold = if let Some(weights) = &weights { gold.weighted(weights) } else { gold };
            let (arena, ..) = workspace.parts(&actions);
            // The derivation of a part of a tree is chosen by the model.
            let derivation = if gold.is_partial() {
                Vec::new()
            } else {
                with_system!(options.system, options.roots, options.oracle, |system| {
                    derivation(system, &actions, &gold, arena)
                })
            };
            Example { input: Input::new(&columns, sentence), gold, derivation, line: sentence.location(ROOT).line }
        };
        let examples = parallel::map_with(kept.len(), || Workspace::new(labels.len()), example);
        let label_decoding = LabelDecoding::new(labels, header.lift);
        let dev = development(dev, options.roots, label_decoding.labels(), &columns)?;
        let stages = header.stages(&actions);
        let set = &header.feature_set()?.0;
        let terms = Terms { set, features: &compiled, labels: label_decoding.labels(), actions: &actions };
        let initial_weights = options.initial_weights.as_deref().map(|path| InitialWeights::read(path, terms));
        let initial_weights = initial_weights.transpose()?.unwrap_or_default();
        let (network, watch) = (None, None);
        let mut data = TrainingData {
            header,
            label_decoding,
            columns,
            actions,
            stages,
            strategy,
            examples,
            dev,
            n_read,
            open,
            network,
            initial_weights,
            linear_start,
            watch,
        };
        if let Some(network) = data.header.network.clone() {
            let sizes = (data.header.labels.len(), data.actions.width());
            let start = NetworkStart::new(network, data.inputs(), &data.columns, sizes, init, vectors);
            data.header.provenance.vectors = start.vectors(data.inputs());
            data.number(start.vocabulary());
            data.network = Some(start);
        }
        Ok(data)
    }

    /// Calls `report` with each of the first decisions of greedy training on `train`, the treebank that these data are of.
    ///
    /// # Errors
    /// If the feature set does not parse.
    pub fn watch(&mut self, train: &Treebank, n_decisions: usize, report: Box<ReportDecision>) -> Result<()> {
        let set = self.header.feature_set()?.0;
        let features = self.header.compile()?;
        let labels = self.label_decoding.labels().clone();
        self.watch = Some(Watch::new(&train.sentences, labels, (set, features), n_decisions, report));
        Ok(())
    }

    /// Watching of training on this sentence, if decisions are still to be printed.
    pub(super) fn watched<'d>(&'d self, example: &Example) -> Option<Watched<'d>> {
        let watch = self.watch.as_ref().filter(|watch| watch.goes_on())?;
        Some(Watched { watch, initial: &self.initial_weights, line: example.line })
    }

    /// Weights to begin with.
    pub fn initial_weights(&self) -> &InitialWeights {
        &self.initial_weights
    }

    /// Model whose weights a perceptron goes on with, if there is one.
    pub(super) fn linear_start(&self) -> Option<&LinearStart> {
        self.linear_start.as_ref()
    }

    /// Adds notes to models trained on these data.
    pub fn annotate(&mut self, notes: Notes) {
        self.header.provenance.notes = notes;
    }

    /// Inputs of the training sentences.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Input> + Clone {
        self.examples.iter().map(|example| &example.input)
    }

    /// Initial network, if one is to be trained.
    pub fn network(&self) -> Option<&NetworkStart> {
        self.network.as_ref()
    }

    /// The number of sentences in the training file, those that were left out included.
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// The unknown parts of the training trees.
    pub fn open(&self) -> Open {
        self.open
    }

    /// The header of models trained on these data, but for the iteration.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The columns of sentences that are read.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Gives all sentences the numbers that their values have in `vocabulary`, for scorers that want them.
    pub fn number(&mut self, vocabulary: &Vocabulary) {
        self.examples.iter_mut().for_each(|example| example.input.number(vocabulary));
        self.dev.iter_mut().for_each(|(input, _)| input.number(vocabulary));
    }

    /// The actions.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// The stages of decisions.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// Search strategy for derivations.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The training sentences, in the treebank's order.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// True if there are development data.
    pub fn has_dev(&self) -> bool {
        !self.dev.is_empty()
    }

    /// Correct heads and labels on the development data, over all words and full labels; `None` without such data.
    pub fn score_dev(&self, scorer: &dyn Scorer) -> Option<Counts> {
        let of = |workspace: &mut Workspace, number: usize| {
            let (input, gold) = &self.dev[number];
            compare(gold, &self.label_decoding.finish(self.predict(scorer, input, workspace)))
        };
        self.has_dev().then(|| self.sum_of_counts(self.dev.len(), &of))
    }

    /// Words of the first training sentences with the right head and label: as predicted, and where all words
    /// hang on the same neighbour, or on the root, by the same label, whichever is best.
    pub fn score_train(&self, scorer: &dyn Scorer) -> [u64; 2] {
        let examples = &self.examples[..self.examples.len().min(MAX_LOOKED_AT)];
        let of = |workspace: &mut Workspace, number: usize| {
            let Example { input, gold, .. } = &examples[number];
            compare(&known(gold), &self.predict(scorer, input, workspace))
        };
        let predicted = self.sum_of_counts(examples.len(), &of);
        let trees: Vec<_> = examples.iter().map(|example| known(&example.gold)).collect();
        [predicted.labelled, best_constant(trees.iter().map(|tree| &**tree))]
    }

    /// The sum of the counts of so many sentences.
    fn sum_of_counts(&self, n: usize, of: &(dyn Fn(&mut Workspace, usize) -> Counts + Sync)) -> Counts {
        parallel::map_with(n, || Workspace::new(self.actions.n_labels()), of).into_iter().sum()
    }

    /// The best tree of a sentence, its labels as they are learned.
    fn predict(&self, scorer: &dyn Scorer, input: &Input, workspace: &mut Workspace) -> Tree {
        workspace.input.clone_from(input);
        let mut parsed = with_system!(self.header.system, self.header.roots, |system| {
            Decoder::new(system, &self.actions, scorer).find(workspace, self.strategy, 1)
        });
        parsed.swap_remove(0).tree
    }

    /// Calibrates margins and confidences on the development data, or as many of their sentences as are needed; see
    /// [`margin`](crate::decode::margin) and [`confidence`](crate::decode::confidence). Models that are decoded greedily need neither, and
    /// beams that compare otherwise than by steps no margins.
    pub fn calibrate<F: Scoring>(&self, model: &mut Model<F>) {
        let dev = &self.dev[..self.dev.len().min(MAX_CALIBRATED)];
        if self.has_dev() && self.strategy.takes_margins() {
            let inputs: Vec<&Input> = dev.iter().map(|(input, _)| input).collect();
            model.calibrate(&inputs);
        }
        let compares = match self.strategy {
            Strategy::Exact(tabulation) => tabulation.has_marginals(),
            Strategy::Beam { width } | Strategy::Merged { width, .. } => width > 1,
        };
        let has_trees = self.header.tags_column().is_none();
        if dev.len() >= confidence::MIN_SENTENCES && compares && has_trees {
            let golds: Vec<(&Input, &Tree)> = dev.iter().map(|(input, gold)| (input, gold)).collect();
            model.calibrate_confidence(&golds, self.strategy);
        }
    }
}

/// Refuses partial trees where derivations of whole ones are learned.
fn check_partial(options: &TrainOptions, kept: &[(&Sentence, Tree)]) -> Result<()> {
    let what = match options.training {
        Training::L2s => "--training l2s",
        _ if options.learner == Learner::Svm => "--learner svm",
        _ => return Ok(()),
    };
    let Some((sentence, tree)) = kept.iter().find(|(_, tree)| is_partial(tree)) else { return Ok(()) };
    let is_open = |&word: &Node| tree.head(word) == NO_NODE || tree.label(word) == NO_LABEL;
    let word = tree.words().find(is_open).unwrap_or(ROOT);
    let found = format!("word {word}, whose HEAD or DEPREL is `_`");
    let expected = format!(
        "whole trees for {what}; others are learned by --training greedy and global, and completed by `treebeam parse --keep-heads --keep-labels`"
    );
    Err(Problem { location: sentence.location(word), found, expected }.into())
}

/// The gold tree without the arcs that are not known.
fn known(gold: &Gold) -> Cow<'_, Tree> {
    if !gold.is_partial() {
        return Cow::Borrowed(gold.tree());
    }
    let mut tree = gold.tree().clone();
    for word in gold.tree().words().filter(|&word| gold.weight(word) == 0) {
        tree.attach(word, NO_NODE, NO_LABEL);
    }
    Cow::Owned(tree)
}

/// The names of the treebanks that a model learns from, in their order.
///
/// # Errors
/// If the development data are of another one.
fn sources(train: &Treebank, dev: Option<&Treebank>) -> Result<Vec<String>> {
    let names = train.names();
    match dev.and_then(|dev| dev.names().into_iter().find(|name| !names.contains(name))) {
        None => Ok(names),
        Some(unknown) => Err(unknown_source("--dev", &unknown, &names)),
    }
}

/// The clusters that the features read.
///
/// # Errors
/// If there are none for features that read them, or features read none.
fn clusters(options: &TrainOptions, features: &FeatureSet, network: Option<&Network>) -> Result<Option<Clusters>> {
    let read = match network {
        None => features.cluster_atom().map(|atom| (&features.name, atom.to_string())),
        Some(network) => {
            let input = network.inputs.iter().find(|input| input.is_cluster());
            input.zip(options.places.as_ref()).map(|(input, places)| (places, input.to_string()))
        }
    };
    match (&options.clusters, read) {
        (Some(path), Some(_)) => Clusters::read(Path::new(path)).map(Some),
        (None, None) => Ok(None),
        (None, Some((set, atom))) => {
            Err(Error::Usage(format!("features {set}: `{atom}` reads clusters of words; expected --clusters FILE")))
        }
        (Some(_), None) => Err(Error::Usage(
            "--clusters is read by features such as S0.c4, and there are none; expected a set that has them, such as --features \
             zn11+clusters, or in networks' sets by `reads c4`"
                .to_owned(),
        )),
    }
}

/// The different values of a column, in order; none if there are more than a set of tags has.
fn tags<'s>(sentences: impl Iterator<Item = &'s Sentence>, column: Column) -> Vec<String> {
    const MOST: usize = 512;
    let mut tags = BTreeSet::new();
    for sentence in sentences {
        tags.extend(sentence.words().map(|word| sentence.column(word, column)));
        if tags.len() > MOST {
            return Vec::new();
        }
    }
    tags.into_iter().map(str::to_owned).collect()
}

/// The sentences that margins and confidences are calibrated on, at most.
const MAX_CALIBRATED: usize = 2000;

/// Adds every arc of the tree with every move that can make it.
fn add_arcs(system: &dyn System, tree: &Tree, arcs: &mut BTreeSet<ArcLabel>) {
    for word in tree.words().filter(|&word| tree.head(word) != NO_NODE && tree.label(word) != NO_LABEL) {
        let (head, label) = (tree.head(word), tree.label(word));
        let moves = system.arc_moves(head, word);
        let of_move = |&mv| ArcLabel { mv, label, from_root: head == ROOT };
        arcs.extend(system.info().moves.iter().filter(|&&mv| moves.has(mv)).map(of_move));
    }
}

/// The canonical derivation of a gold tree.
fn derivation<'a, S: TransitionSystem>(system: S, actions: &Actions, gold: &Gold, arena: Arena<'a>) -> Vec<Choice> {
    let machine = Machine { system, actions, keeps_history: false };
    Supervision { machine, gold }.derivation::<S::Shared<'a>>(arena)
}

/// The most frequent label of arcs from the root, the first of them on ties.
fn root_label<'t>(trees: impl Iterator<Item = &'t Tree>) -> LabelId {
    let mut counts: BTreeMap<LabelId, usize> = BTreeMap::new();
    for tree in trees {
        for word in tree.words().filter(|&word| tree.head(word) == ROOT && tree.label(word) != NO_LABEL) {
            *counts.entry(tree.label(word)).or_default() += 1;
        }
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map_or(0, |(label, _)| label)
}
