//! Training and development data made ready for a graph-based parser.

use std::collections::BTreeSet;

use super::decoders::{GraphSearch, Parses};
use super::parser::check_length;
use super::{ArcLabels, ArcScores, ArcSide, Eisner, GraphHeader, GraphModel, GraphOptions, GraphParser};
use crate::decode::{Parsed, confidence};
use crate::error::{Error, Problem, Result};
use crate::eval::Counts;
use crate::features::{Columns, Input, Vocabulary};
use crate::model::{LabelDecoding, Notes};
use crate::neural::WordVectors;
use crate::parallel;
use crate::training::Nonprojective;
use crate::training::prepare::{
    MAX_LOOKED_AT, TrainingTrees, best_constant, compare, development, is_partial, provenance,
};
use crate::tree::{LabelId, Labels, NO_LABEL, NO_NODE, Node, ROOT, Roots, Tree, is_projective};
use crate::treebank::Treebank;

/// All that training reads.
#[derive(Debug)]
pub struct GraphData {
    header: GraphHeader,
    label_decoding: LabelDecoding,
    columns: Columns,
    inventory: ArcLabels,
    /// Sentences with the trees to learn.
    examples: Vec<(Input, Tree)>,
    dev: Vec<(Input, Tree)>,
    n_read: usize,
    /// Vocabulary of a network, if one is to be trained, and the vectors of words that it begins with.
    vocabulary: Option<Vocabulary>,
    vectors: Option<WordVectors>,
}

impl GraphData {
    /// Prepares `train` and `dev` for these options.
    ///
    /// # Errors
    /// If a tree is malformed, a sentence too long, or no training sentence left.
    pub fn new(options: &GraphOptions, train: &Treebank, dev: Option<&Treebank>) -> Result<GraphData> {
        if !train.names().is_empty() {
            let what = "--train NAME=FILE: graph-based parsers do not read the source; expected --train FILE, or a transition system";
            return Err(Error::Usage(what.to_owned()));
        }
        let both = train.sentences.iter().chain(dev.iter().flat_map(|dev| &dev.sentences));
        both.into_iter().try_for_each(check_length)?;
        let TrainingTrees { mut kept, labels, n_read, open: _ } = TrainingTrees::new(
            train,
            Labels::default(),
            options.roots,
            options.nonprojective,
            options.lift,
            !options.system.is_projective(),
        )?;
        if let Some((sentence, tree)) = kept.iter().find(|(_, tree)| is_partial(tree)) {
            let is_open = |&word: &Node| tree.head(word) == NO_NODE || tree.label(word) == NO_LABEL;
            let word = tree.words().find(is_open).unwrap_or(ROOT);
            let found = format!("word {word}, whose HEAD or DEPREL is `_`");
            let expected = "whole trees, as graph-based parsers learn them; a transition system learns of partial ones, and \
                            `treebeam parse --keep-heads --keep-labels` with its model completes them";
            return Err(Problem { location: sentence.location(word), found, expected: expected.to_owned() }.into());
        }
        for (_, tree) in &mut kept {
            if options.system.is_projective() && !is_projective(tree) {
                *tree = closest_projective(tree, options.roots);
            }
        }
        let arc = |tree: &Tree, word: Node| (ArcSide::of(tree.head(word), word), tree.label(word));
        let arcs: BTreeSet<(ArcSide, LabelId)> =
            kept.iter().flat_map(|(_, tree)| tree.words().map(move |word| arc(tree, word))).collect();
        let mut header = GraphHeader {
            system: options.system,
            roots: options.roots,
            word_column: options.word_column,
            word_shape: options.word_shape,
            tag_column: options.tag_column,
            labels: labels.names().to_vec(),
            arcs: arcs.into_iter().collect(),
            lift: (options.nonprojective == Nonprojective::Lift).then_some(options.lift),
            confidence: None,
            network: options.network()?,
            training: serde_json::to_value(options).expect("options are plain data"),
            provenance: provenance(train, &kept, dev),
        };
        let (label_decoding, columns, inventory) = (header.label_decoding(), header.columns(), header.inventory());
        let dimensions = header.network.as_mut().map(|network| &mut network.dimensions);
        let vectors = WordVectors::of_training(options.vectors.as_deref(), &columns, options.word_units, dimensions)?;
        let mut dev = development(dev, options.roots, label_decoding.labels(), &columns)?;
        let examples = kept.into_iter().map(|(sentence, tree)| (Input::new(&columns, sentence), tree));
        let mut examples: Vec<(Input, Tree)> = examples.collect();
        let mut vocabulary = None;
        if header.network.is_some() {
            let inputs = examples.iter().map(|(input, _)| input);
            header.provenance.vectors = vectors.as_ref().map(|vectors| vectors.origin(inputs.clone()));
            let known = Vocabulary::new(inputs, columns.len(), 1);
            let known = vectors.as_ref().map_or_else(|| known.clone(), |vectors| vectors.complete(&known));
            examples.iter_mut().chain(&mut dev).for_each(|(input, _)| input.number(&known));
            vocabulary = Some(known);
        }
        Ok(GraphData { header, label_decoding, columns, inventory, examples, dev, n_read, vocabulary, vectors })
    }

    /// The number of sentences in the training file, those that were left out included.
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// The header of models trained on these data, but for the iteration.
    pub fn header(&self) -> &GraphHeader {
        &self.header
    }

    /// Adds notes to models trained on these data.
    pub fn annotate(&mut self, notes: Notes) {
        self.header.provenance.notes = notes;
    }

    /// The inventory of labels.
    pub fn inventory(&self) -> &ArcLabels {
        &self.inventory
    }

    /// The training sentences and the trees to learn, in the treebank's order.
    pub fn examples(&self) -> &[(Input, Tree)] {
        &self.examples
    }

    /// True if there are development data.
    pub fn has_dev(&self) -> bool {
        !self.dev.is_empty()
    }

    /// Calibrates confidences on the development data, or as many of their sentences as are needed; see
    /// [`confidence`](crate::decode::confidence).
    pub(super) fn calibrate(&self, model: &mut GraphModel) -> Result<()> {
        const K: usize = 8;
        let dev = &self.dev[..self.dev.len().min(MAX_CALIBRATED)];
        if dev.len() >= confidence::MIN_SENTENCES {
            let read = |i: usize, input: &mut Input| input.clone_from(&dev[i].0);
            let best = GraphParser::new(model, 1)?.parse_with(dev.len(), &read, K);
            let found: Vec<(Vec<Parsed>, Tree)> =
                best.into_iter().zip(dev.iter().map(|(_, gold)| gold.clone())).collect();
            let mut calibration = confidence::calibration(&found, model.scorer.scale());
            if let Some(calibration) = calibration.as_mut().filter(|_| model.header.system.has_marginals()) {
                let step = dev.len().div_ceil(confidence::MAX_OF_MARGINALS);
                let golds: Vec<&Tree> = dev.iter().step_by(step).map(|(_, gold)| gold).collect();
                let parse = |marginals| {
                    let parser = GraphParser::new(model, 1).expect("the caller's thread is there");
                    let parser = parser.with_marginals(Some(marginals));
                    let best = parser.parse_with(golds.len(), &|i, input| read(i * step, input), 1);
                    best.into_iter().flatten().collect()
                };
                calibration.marginals = Some(confidence::marginals(&golds, model.scorer.scale(), parse));
            }
            model.header.confidence = calibration;
        }
        Ok(())
    }

    pub(super) fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    pub(super) fn vectors(&self) -> Option<&WordVectors> {
        self.vectors.as_ref()
    }

    pub(super) fn search(&self) -> GraphSearch<'_> {
        let (kind, roots) = (self.header.system, self.header.roots);
        GraphSearch { kind, roots, columns: &self.columns, inventory: &self.inventory, marginals: None }
    }

    /// Correct heads and labels on the development data, over all words and full labels; `None` without such data.
    pub(super) fn score_dev<P: Parses>(&self, parameters: &P) -> Option<Counts> {
        self.has_dev().then(|| self.score(parameters, &self.dev, |tree| self.label_decoding.finish(tree)))
    }

    /// Words of the first training sentences with the right head and label: as predicted, and by the best
    /// [constant](best_constant).
    pub(super) fn score_train<P: Parses>(&self, parameters: &P) -> [u64; 2] {
        let examples = &self.examples[..self.examples.len().min(MAX_LOOKED_AT)];
        let predicted = self.score(parameters, examples, |tree| tree);
        [predicted.labelled, best_constant(examples.iter().map(|(_, gold)| gold))]
    }

    /// Correct heads and labels of the best trees of sentences, once they are finished.
    fn score<P: Parses>(
        &self,
        parameters: &P,
        sentences: &[(Input, Tree)],
        finish: impl Fn(Tree) -> Tree + Sync,
    ) -> Counts {
        let parts: Vec<&[(Input, Tree)]> = sentences.chunks(P::SIDE_BY_SIDE).collect();
        let counts = parallel::map_with(parts.len(), P::Workspace::default, |workspace, number| {
            let part = parts[number];
            let inputs: Vec<_> = part.iter().map(|(input, _)| (input, None)).collect();
            let parsed = parameters.k_best(workspace, self.search(), &inputs, 1);
            let compare =
                |((_, gold), mut best): (&(Input, Tree), Vec<Parsed>)| compare(gold, &finish(best.swap_remove(0).tree));
            part.iter().zip(parsed).map(compare).sum::<Counts>()
        });
        counts.into_iter().sum()
    }
}

/// The sentences that confidences are calibrated on, at most.
const MAX_CALIBRATED: usize = 500;

/// The projective tree that shares most arcs with `tree`, and among those the one in which most other words hang on one that
/// dominates them in `tree`, as after lifting. Labels stay.
fn closest_projective(tree: &Tree, roots: Roots) -> Tree {
    let n = tree.n_words();
    let mut scores = ArcScores::default();
    scores.reset(n);
    for word in tree.words() {
        let mut ancestor = tree.head(word);
        scores.set(ancestor, word, n as i32 + 1);
        while ancestor != ROOT {
            ancestor = tree.head(ancestor);
            debug_assert!(ancestor != NO_NODE);
            scores.set(ancestor, word, 1);
        }
    }
    // A gold tree may have several roots where parsers may have but one: then the tree with one root is learned.
    let mut heads = Vec::new();
    Eisner::default().decode(&scores, roots, &mut heads);
    Tree::new(&heads, tree.labels())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::all_trees;

    /// No projective tree shares more arcs, and projective trees stay.
    #[test]
    fn the_closest_tree_is_the_closest() {
        for n in 1..=5 {
            let projective: Vec<Tree> = all_trees(n, Roots::Single).filter(is_projective).collect();
            for tree in all_trees(n, Roots::Single) {
                let shared = |other: &Tree| tree.words().filter(|&word| tree.head(word) == other.head(word)).count();
                let closest = closest_projective(&tree, Roots::Single);
                assert!(is_projective(&closest) && closest.n_roots() == 1);
                assert_eq!(Some(shared(&closest)), projective.iter().map(shared).max(), "{tree:?}");
                assert!(!is_projective(&tree) || closest == tree);
            }
        }
    }
}
