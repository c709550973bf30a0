//! Training and development data made ready: features' inputs, gold trees, canonical derivations.

use bumpalo::Bump;
use rayon::prelude::*;
use std::collections::BTreeSet;

use super::supervision::Supervision;
use super::{Nonprojective, TrainOptions};
use crate::configuration::{Arena, LabelSets};
use crate::decode::{Decoder, Workspace};
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::features::{Compiled, FeatureSet, Input};
use crate::model::{ArcLabel, FrozenWeights, Header, Provenance};
use crate::random;
use crate::system::{ActionId, Actions, Move, Oracle};
use crate::tree::{Gold, Labels, ROOT, Tree};
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
    pub derivation: Vec<ActionId>,
}

/// All that training reads.
#[derive(Debug)]
pub struct TrainingData {
    header: Header,
    labels: Labels,
    features: Compiled,
    actions: Actions,
    examples: Vec<Example>,
    dev: Vec<(Input, Tree)>,
}

impl TrainingData {
    /// Prepares `train` and `dev` for these options.
    ///
    /// # Errors
    /// If the feature set does not parse, a tree is malformed, or no training sentence is left.
    pub fn new(options: &TrainOptions, train: &Treebank, dev: Option<&Treebank>) -> Result<TrainingData> {
        with_system!(options.system, options.roots, |system| TrainingData::with(system, options, train, dev))
    }

    fn with<S: Oracle>(
        system: S,
        options: &TrainOptions,
        train: &Treebank,
        dev: Option<&Treebank>,
    ) -> Result<TrainingData> {
        let mut labels = Labels::default();
        let mut kept = Vec::new();
        for sentence in &train.sentences {
            let tree = sentence.tree(&mut labels)?;
            match options.nonprojective {
                Nonprojective::MinCost => {}
                Nonprojective::Drop => if !is_projective(&tree) { continue },
                Nonprojective::Lift => todo!(),
            }
            kept.push((sentence, tree));
        }
        if kept.is_empty() {
            return Err(Error::Usage(format!("{}: no sentence is left to train on", train.path)));
        }
        let arcs: BTreeSet<ArcLabel> = kept.iter().flat_map(|(_, tree)| arcs_of::<S>(tree)).collect();
        let set = FeatureSet::load(&options.features)?;
        let header = Header {
            system: options.system,
            roots: options.roots,
            features: set.name,
            feature_text: set.text,
            word_column: options.word_column,
            tag_column: options.tag_column,
            labels: labels.names().to_vec(),
            arcs: arcs.into_iter().collect(),
            beam: options.decoding_beam(),
            lifted: options.nonprojective == Nonprojective::Lift,
            training: serde_json::to_value(options).expect("options are plain data"),
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                train_sha256: train.sha256.clone(),
                train_sentences: kept.len(),
                dev_sha256: dev.map(|dev| dev.sha256.clone()),
                iteration: 0,
                generator: random::GENERATOR.to_owned(),
            },
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
                    let derivation = supervision.derivation(Arena::new(bump, sets, &[]));
                    Example { input: Input::new(features.columns(), sentence), gold, derivation }
                },
            )
            .collect();
        let mut dev_labels = labels.clone();
        let dev = dev.map_or(&[][..], |dev| &dev.sentences).iter().map(|sentence| {
            Ok((Input::new(features.columns(), sentence), sentence.tree(&mut dev_labels)?))
        });
        let dev = dev.collect::<Result<_>>()?;
        Ok(TrainingData { header, labels: dev_labels, features, actions, examples, dev })
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

    /// The training sentences, in the treebank's order.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Whether there are development data.
    pub fn has_dev(&self) -> bool {
        !self.dev.is_empty()
    }

    /// Correct heads and labels on the development data, over all words and full labels; `None` without such data.
    pub fn score_dev(&self, weights: &FrozenWeights, beam: usize) -> Option<Counts> {
        with_system!(self.header.system, self.header.roots, |system| {
            let decoder = Decoder { system, features: &self.features, actions: &self.actions, weights };
            let n_labels = self.actions.n_labels();
            let counts = self.dev.par_iter().map_init(
                || Workspace::new(n_labels),
                |workspace, (input, gold)| {
                    workspace.input.clone_from(input);
                    compare(gold, &decoder.decode(workspace, beam, 1)[0].tree)
                },
            );
            self.has_dev().then(|| counts.collect::<Vec<_>>().into_iter().sum())
        })
    }
}

fn compare(gold: &Tree, system: &Tree) -> Counts {
    let mut counts = Counts { sentences: 1, tokens: gold.n_words() as u64, ..Counts::default() };
    for word in gold.words() {
        let head = gold.head(word) == system.head(word);
        let label = gold.label(word) == system.label(word);
        counts.heads += u64::from(head);
        counts.labels += u64::from(label);
        counts.labelled += u64::from(head && label);
    }
    counts.exact_heads = u64::from(counts.heads == counts.tokens);
    counts.exact_labelled = u64::from(counts.labelled == counts.tokens);
    counts
}

fn arcs_of<S: Oracle>(tree: &Tree) -> impl Iterator<Item = ArcLabel> + '_ {
    tree.words().map(|word| {
        let head = tree.head(word);
        let mv = match head {
            ROOT => S::ROOT_MOVE,
            head if word < head => Move::Left,
            _ => Move::Right,
        };
        ArcLabel { mv, label: tree.label(word), from_root: head == ROOT }
    })
}

fn is_projective(tree: &Tree) -> bool {
    tree.words().all(|d| {
        let h = tree.head(d);
        (d.min(h) + 1..d.max(h)).all(|k| {
            let mut a = k;
            while a != ROOT && a != h { a = tree.head(a); }
            a == h
        })
    })
}
