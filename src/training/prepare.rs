//! Preparation of training and development data for every kind of parser: trees to learn, and trees to be scored
//! against.

use hashbrown::HashMap;

use crate::choice::choice;
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::features::{Columns, Input};
use crate::model::Provenance;
use crate::random;
use crate::tree::lift::{Scheme, projectivise};
use crate::tree::{LabelId, Labels, ROOT, Roots, Tree, is_projective};
use crate::treebank::{Sentence, Treebank};

choice! {
    /// Training trees that the system cannot derive.
    pub enum Nonprojective {
        /// Leave them out.
        Drop,
        /// Keep them, and follow actions of least cost.
        MinCost,
        /// Make them projective by lifting, say so in the labels, and undo it after parsing (Nivre & Nilsson 2005).
        Lift,
    }
}

/// The trees of a treebank that are trained on.
#[derive(Debug)]
pub struct TrainingTrees<'t> {
    /// Sentences and their trees, lifted if asked for.
    pub kept: Vec<(&'t Sentence, Tree)>,
    /// The labels of these trees.
    pub labels: Labels,
    /// The number of sentences in the treebank, those that were left out included.
    pub n_read: usize,
}

impl<'t> TrainingTrees<'t> {
    /// The trees of `train`, of which those that are not projective are treated as `nonprojective` says; if the parser
    /// `derives_all` trees, none is left out.
    ///
    /// # Errors
    /// If a tree is malformed, or no sentence is left.
    pub fn new(
        train: &'t Treebank,
        roots: Roots,
        nonprojective: Nonprojective,
        scheme: Scheme,
        derives_all: bool,
    ) -> Result<TrainingTrees<'t>> {
        let mut plain = Labels::default();
        let trees = train.trees(valid_roots(roots, train), &mut plain)?;
        let mut kept: Vec<(&Sentence, Tree)> = train.sentences.iter().zip(trees).collect();
        let n_read = kept.len();
        let mut labels = Labels::default();
        match nonprojective {
            Nonprojective::MinCost => labels = plain,
            Nonprojective::Drop => {
                kept.retain(|(_, tree)| derives_all || is_projective(tree));
                labels = plain;
            }
            Nonprojective::Lift => {
                for (_, tree) in &mut kept {
                    *tree = projectivise(tree, &plain, scheme, &mut labels);
                }
            }
        }
        if kept.is_empty() {
            return Err(Error::Usage(format!("{}: no sentence is left to train on", train.path.display())));
        }
        Ok(TrainingTrees { kept, labels, n_read })
    }
}

/// Provenance of a model that is trained on `kept` of `train`, without its iteration and its score.
pub fn provenance(train: &Treebank, kept: &[(&Sentence, Tree)], dev: Option<&Treebank>) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        train_sha256: train.sha256.clone(),
        train_sentences: kept.len(),
        train_words: Some(kept.iter().map(|(_, tree)| tree.n_words()).sum()),
        dev_sha256: dev.map(|dev| dev.sha256.clone()),
        generator: random::GENERATOR.to_owned(),
        ..Provenance::default()
    }
}

/// The inputs and trees of development data, with numbers beyond those of `labels` for labels that training never saw.
///
/// # Errors
/// If a tree is malformed.
pub fn development(
    dev: Option<&Treebank>,
    roots: Roots,
    labels: &Labels,
    columns: &Columns,
) -> Result<Vec<(Input, Tree)>> {
    let Some(dev) = dev else { return Ok(Vec::new()) };
    let trees = dev.trees(valid_roots(roots, dev), &mut labels.clone())?;
    let inputs = dev.sentences.iter().map(|sentence| Input::new(columns, sentence));
    Ok(inputs.zip(trees).collect())
}

/// Counts of correct words in a tree, over all words and full labels.
pub fn compare(gold: &Tree, system: &Tree) -> Counts {
    let is_same = |word| (gold.head(word) == system.head(word), gold.label(word) == system.label(word));
    Counts::of_sentence(gold.words().map(is_same))
}

/// Number of training sentences that a model parses, at the end, to see if it has learned anything.
pub(crate) const MAX_LOOKED_AT: usize = 200;

/// The words of `trees` that have the right head and label if all words hang on their left neighbours, or all on their right ones, or
/// all on the root, by one label: the most of all these ways.
pub(crate) fn best_constant<'t>(trees: impl Iterator<Item = &'t Tree>) -> u64 {
    let mut counts: HashMap<(usize, LabelId), u64> = HashMap::new();
    for tree in trees {
        for word in tree.words() {
            let heads = [word - 1, word + 1, ROOT];
            for way in (0..heads.len()).filter(|&way| heads[way] == tree.head(word)) {
                *counts.entry((way, tree.label(word))).or_default() += 1;
            }
        }
    }
    counts.into_values().max().unwrap_or(0)
}

/// Definition of a valid tree in `treebank`: several words may hang from the root if its format or the options say so.
fn valid_roots(roots: Roots, treebank: &Treebank) -> Roots {
    match roots {
        Roots::Several => Roots::Several,
        Roots::Single => treebank.format.roots(),
    }
}
