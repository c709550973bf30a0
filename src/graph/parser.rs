//! Parsing with a model.

use rayon::prelude::*;

use super::scorer::Reward;
use super::{ArcLabels, ArcScorer, GraphDecoder, GraphKind, GraphModel};
use crate::decode::Parsed;
use crate::error::{Error, Problem, Result};
use crate::features::{Columns, Input};
use crate::linear::Weights;
use crate::tree::{LabelId, Node, ROOT, Roots, Tree};
use crate::treebank::Sentence;

/// The longest sentence, in words: space is quadratic in its length, and a chart over so many takes a quarter of a gigabyte.
pub(super) const MAX_WORDS: usize = 2048;

/// The problem that `sentence` is too long, if it is.
///
/// # Errors
/// The problem itself.
pub fn check_length(sentence: &Sentence) -> Result<()> {
    if sentence.n_words() <= MAX_WORDS {
        return Ok(());
    }
    let found = format!("a sentence of {} words", sentence.n_words());
    let expected =
        format!("at most {MAX_WORDS}: graph-based parsers score every pair of words; use a transition system");
    Err(Problem { location: sentence.location(ROOT), found, expected }.into())
}

/// What decides how scores become a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'m> {
    pub kind: GraphKind,
    pub roots: Roots,
    pub columns: &'m Columns,
    pub inventory: &'m ArcLabels,
}

/// Scratch memory of parsing one sentence after another; one per thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    pub scorer: ArcScorer,
    decoder: GraphDecoder,
    heads: Vec<Node>,
    labels: Vec<LabelId>,
}

impl Workspace {
    /// The best tree of the sentence in `input`, with its score; with a `reward`, that of wrong arcs is part of it.
    pub fn decode<W: Weights>(&mut self, search: Search, weights: &W, input: &Input, reward: Option<Reward>) -> Parsed {
        self.scorer.score(search.columns, search.inventory, weights, input, reward);
        self.decoder.decode(search.kind, &self.scorer.arcs, search.roots, &mut self.heads);
        self.labels.clear();
        self.labels.extend(self.heads.iter().zip(1..).map(|(&head, dependent)| self.scorer.label(head, dependent)));
        Parsed { tree: Tree::new(&self.heads, &self.labels), score: self.scorer.arcs.of_tree(&self.heads) }
    }
}

/// A model with the threads to parse with it.
#[derive(Debug)]
pub struct GraphParser<'m> {
    model: &'m GraphModel,
    pool: rayon::ThreadPool,
}

impl<'m> GraphParser<'m> {
    /// A parser on `threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(model: &'m GraphModel, threads: usize) -> Result<GraphParser<'m>> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start {threads} threads: {error}")))?;
        Ok(GraphParser { model, pool })
    }

    /// The best tree of each sentence, in the order of the sentences whatever the number of threads.
    ///
    /// # Errors
    /// If a sentence is too long.
    pub fn parse(&self, sentences: &[Sentence]) -> Result<Vec<Parsed>> {
        sentences.iter().try_for_each(check_length)?;
        let model = self.model;
        let search = model.search();
        let parse = |workspace: &mut Workspace, sentence: &Sentence| {
            let input = Input::new(&model.columns, sentence);
            let parsed = workspace.decode(search, &model.weights, &input, None);
            Parsed { tree: model.label_decoding.finish(parsed.tree), score: parsed.score }
        };
        let parsed = || sentences.par_iter().map_init(Workspace::default, parse).collect();
        Ok(self.pool.install(parsed))
    }
}

impl GraphModel {
    fn search(&self) -> Search<'_> {
        let (kind, roots) = (self.header.system, self.header.roots);
        Search { kind, roots, columns: &self.columns, inventory: &self.inventory }
    }
}
