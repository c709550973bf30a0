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
use crate::tree::{Gold, LabelId, Labels, NO_LABEL, NO_NODE, ROOT, Roots, Tree, completed, is_projective};
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
    /// Words of these trees that have no head, sentences with such words, and sentences that were left out because they have no others.
    pub open: Open,
}

/// The unknown parts of training trees.
#[derive(Debug, Clone, Copy, Default)]
pub struct Open {
    /// Words without a head, of sentences that are trained on.
    pub words: usize,
    /// Sentences that are trained on and have such words, or arcs without a label.
    pub sentences: usize,
    /// Sentences that were left out, as none of their words has a head.
    pub left_out: usize,
}

impl<'t> TrainingTrees<'t> {
    /// The trees of `train`, of which those that are not projective are treated as `nonprojective` says; if the parser
    /// `derives_all` trees, none is left out. Where heads or labels of some words are not known, the tree is partial; one that has no
    /// projective completion is not lifted but left out. Labels that are `known` keep their numbers.
    ///
    /// # Errors
    /// If a tree is malformed, or no sentence is left.
    pub fn new(
        train: &'t Treebank,
        known: Labels,
        roots: Roots,
        nonprojective: Nonprojective,
        scheme: Scheme,
        derives_all: bool,
    ) -> Result<TrainingTrees<'t>> {
        let lifts = nonprojective == Nonprojective::Lift;
        let (mut plain, mut labels) = if lifts { (Labels::default(), known) } else { (known, Labels::default()) };
        let trees = train.partial_trees(valid_roots(roots, train), &mut plain)?;
        let mut kept: Vec<(&Sentence, Tree)> = train.sentences.iter().zip(trees).collect();
        let n_read = kept.len();
        kept.retain(|(_, tree)| tree.heads().iter().any(|&head| head != NO_NODE));
        let mut open = Open { left_out: n_read - kept.len(), ..Open::default() };
        match nonprojective {
            Nonprojective::MinCost => labels = plain,
            Nonprojective::Drop => {
                kept.retain(|(_, tree)| derives_all || is_projective_in_part(tree));
                labels = plain;
            }
            Nonprojective::Lift => {
                kept.retain(|(_, tree)| !is_partial(tree) || is_projective_in_part(tree));
                for (_, tree) in &mut kept {
                    *tree = match is_partial(tree) {
                        true => relabelled(tree, |label| labels.intern(plain.name(label))),
                        false => projectivise(tree, &plain, scheme, &mut labels),
                    };
                }
            }
        }
        for (_, tree) in kept.iter().filter(|(_, tree)| is_partial(tree)) {
            open.sentences += 1;
            open.words += tree.heads().iter().filter(|&&head| head == NO_NODE).count();
        }
        if kept.is_empty() {
            return Err(Error::Usage(format!("{}: no sentence is left to train on", train.path.display())));
        }
        if labels.is_empty() {
            let expected = "expected DEPREL of some words, which is `_` everywhere";
            return Err(Error::Usage(format!("{}: no labels to learn; {expected}", train.path.display())));
        }
        Ok(TrainingTrees { kept, labels, n_read, open })
    }
}

/// True if heads or labels of some words are not known.
pub fn is_partial(tree: &Tree) -> bool {
    tree.words().any(|word| tree.head(word) == NO_NODE || tree.label(word) == NO_LABEL)
}

/// True if the tree, or a completion of it, is projective.
fn is_projective_in_part(tree: &Tree) -> bool {
    is_projective(&Tree::new(&completed(tree.heads(), roots_of(tree)), tree.labels()))
}

/// The gold side of a training tree, which may be partial.
pub fn gold(tree: Tree) -> Gold {
    if is_partial(&tree) { Gold::partial(&tree, roots_of(&tree)) } else { Gold::new(tree) }
}

/// One root, unless the tree has several: a treebank may have more than the system leaves.
fn roots_of(tree: &Tree) -> Roots {
    if tree.n_roots() > 1 { Roots::Several } else { Roots::Single }
}

fn relabelled(tree: &Tree, mut label: impl FnMut(LabelId) -> LabelId) -> Tree {
    let known = |old: &LabelId| if *old == NO_LABEL { NO_LABEL } else { label(*old) };
    let labels: Vec<LabelId> = tree.labels().iter().map(known).collect();
    Tree::new(tree.heads(), &labels)
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
    // Unknown heads are not counted.
    Counts::of_sentence(gold.words().filter(|&word| gold.head(word) != NO_NODE).map(is_same))
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
