//! Training and development data made ready: features' inputs, gold trees, canonical derivations.

use bumpalo::Bump;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

use super::prepare::{TrainingTrees, compare, development, provenance};
use super::supervision::Supervision;
use super::{Nonprojective, TrainOptions};
use crate::configuration::{Arena, LabelSets};
use crate::decode::{Decoder, Workspace};
use crate::error::Result;
use crate::eval::Counts;
use crate::features::{Compiled, FeatureSet, Input};
use crate::model::{ArcLabel, FrozenWeights, Header, Layer, Outcome, Parts, Reading, Readout};
use crate::system::{Actions, Choice, System, TransitionSystem};
use crate::tree::{Gold, LabelId, ROOT, Tree};
use crate::treebank::Treebank;
use crate::with_system;

/// One training sentence.
#[derive(Debug)]
pub struct Example {
    /// What features read.
    pub input: Input,
    /// The gold tree, lifted if the options say so.
    pub gold: Gold,
    /// The canonical derivation.
    pub derivation: Vec<Choice>,
}

/// All that training reads.
#[derive(Debug)]
pub struct TrainingData {
    header: Header,
    outcome: Outcome,
    features: Compiled,
    actions: Actions,
    parts: Parts,
    examples: Vec<Example>,
    /// Trees with labels of the outcome, and numbers beyond these for labels that training never saw.
    dev: Vec<(Input, Tree)>,
    n_read: usize,
}

impl TrainingData {
    /// Prepares `train` and `dev` for these options.
    ///
    /// # Errors
    /// If the feature set does not parse, a tree is malformed, or no training sentence is left.
    pub fn new(options: &TrainOptions, train: &Treebank, dev: Option<&Treebank>) -> Result<TrainingData> {
        with_system!(options.system, options.roots, |system| {
            TrainingData::with(system.with_oracle(options.oracle), options, train, dev)
        })
    }

    fn with<S: TransitionSystem>(
        system: S,
        options: &TrainOptions,
        train: &Treebank,
        dev: Option<&Treebank>,
    ) -> Result<TrainingData> {
        let TrainingTrees { kept, labels, n_read } =
            TrainingTrees::new(train, options.roots, options.nonprojective, options.lift, S::DERIVES_ALL)?;
        let arcs: BTreeSet<ArcLabel> = kept.iter().flat_map(|(_, tree)| arcs_of(system, tree)).collect();
        let set = FeatureSet::load(&options.features)?;
        let header = Header {
            system: options.system,
            roots: options.roots,
            features: set.name,
            feature_text: set.text,
            word_column: options.word_column,
            word_shape: options.word_shape,
            tag_column: options.tag_column,
            labels: labels.names().to_vec(),
            arcs: arcs.into_iter().collect(),
            root_label: root_label(kept.iter().map(|(_, tree)| tree)),
            beam: options.decoding_beam(),
            lift: (options.nonprojective == Nonprojective::Lift).then_some(options.lift),
            decisions: options.decisions,
            layers: Vec::new(),
            training: serde_json::to_value(options).expect("options are plain data"),
            provenance: provenance(train, kept.len(), dev),
        };
        let (labels, features, actions) = header.compile()?;
        let examples = kept
            .into_par_iter()
            .map_init(
                || (Bump::new(), LabelSets::new(labels.len())),
                |(bump, sets), (sentence, tree)| {
                    bump.reset();
                    let gold = Gold::new(tree);
                    let supervision = Supervision { system, actions: &actions, gold: &gold };
                    let derivation = supervision.derivation::<S::Shared<'_>>(Arena::new(bump, sets, &[]));
                    Example { input: Input::new(features.columns(), sentence), gold, derivation }
                },
            )
            .collect();
        let outcome = Outcome::new(labels, header.lift);
        let dev = development(dev, options.roots, outcome.labels(), features.columns())?;
        let parts = Parts::new(header.decisions, &actions);
        Ok(TrainingData { header, outcome, features, actions, parts, examples, dev, n_read })
    }

    /// The number of sentences in the training file, those that were left out included.
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// The header of models trained on these data, but for the iteration.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The compiled features.
    pub fn features(&self) -> &Compiled {
        &self.features
    }

    /// The actions.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// The parts of decisions.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The training sentences, in the treebank's order.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Whether there are development data.
    pub fn has_dev(&self) -> bool {
        !self.dev.is_empty()
    }

    /// Correct heads and labels on the development data, over all words and full labels; `None` without such data.
    pub fn score_dev(&self, weights: &FrozenWeights, layers: &[Layer], beam: usize) -> Option<Counts> {
        let readout = &Readout::new(self.parts.clone(), layers).expect("the layers are those of the parts");
        let weights = &Reading { weights, readout };
        with_system!(self.header.system, self.header.roots, |system| {
            let decoder = Decoder { system, features: &self.features, actions: &self.actions, weights };
            let n_labels = self.actions.n_labels();
            let counts = self.dev.par_iter().map_init(
                || Workspace::new(n_labels),
                |workspace, (input, gold)| {
                    workspace.input.clone_from(input);
                    let tree = decoder.decode(workspace, beam, 1).swap_remove(0).tree;
                    compare(gold, &self.outcome.finish(tree))
                },
            );
            self.has_dev().then(|| counts.collect::<Vec<_>>().into_iter().sum())
        })
    }
}

/// Every arc of the tree with every move that can make it.
fn arcs_of<S: System>(system: S, tree: &Tree) -> impl Iterator<Item = ArcLabel> + '_ {
    tree.words().flat_map(move |word| {
        let (head, label) = (tree.head(word), tree.label(word));
        let moves = system.arc_moves(head, word);
        S::MOVES.iter().filter(move |&&mv| moves.has(mv)).map(move |&mv| ArcLabel {
            mv,
            label,
            from_root: head == ROOT,
        })
    })
}

/// The most frequent label of arcs from the root, the first of them on ties.
fn root_label<'t>(trees: impl Iterator<Item = &'t Tree>) -> LabelId {
    let mut counts: BTreeMap<LabelId, usize> = BTreeMap::new();
    for tree in trees {
        for word in tree.words().filter(|&word| tree.head(word) == ROOT) {
            *counts.entry(tree.label(word)).or_default() += 1;
        }
    }
    counts.into_iter().rev().max_by_key(|&(_, count)| count).map_or(0, |(label, _)| label)
}
