//! Parsing with a model.

use rayon::prelude::*;
use std::sync::Arc;

use super::eisner::Filled as FilledEisner;
use super::scorer::Reward;
use super::spanning::k_best_spanning;
use super::{
    ArcLabels, Chart, ChuLiuEdmonds, Derived, Eisner, Filled, GraphKind, GraphModel, GraphScorer, Heads, Order,
    PartScorer, biaffine, k_best,
};
use crate::decode::{Parsed, Read, pool};
use crate::error::Result;
use crate::features::{Columns, Input};
use crate::linear::Weights;
use crate::model::Held;
use crate::tree::{LabelId, Node, Roots, Tree};
use crate::treebank::{Sentence, Words};

/// The longest sentence, in words: space is quadratic in its length, and a chart over so many takes a quarter of a gigabyte.
pub(super) const MAX_WORDS: usize = 2048;

/// The sentences that a network reads side by side.
pub(super) const SIDE_BY_SIDE: usize = 16;

/// The problem that `sentence` is too long, if it is.
///
/// # Errors
/// The problem itself.
pub fn check_length<W: Words + ?Sized>(sentence: &W) -> Result<()> {
    crate::treebank::check_length(sentence, MAX_WORDS, || {
        format!("at most {MAX_WORDS}: graph-based parsers score every pair of words; use a transition system")
    })
}

/// Search: the settings by which scores become a tree.
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
    pub scorer: PartScorer,
    eisner: Eisner,
    chu_liu_edmonds: ChuLiuEdmonds,
    /// Made for the first sentence that needs it.
    chart: Option<Chart>,
    candidates: Heads,
    heads: Vec<Node>,
    labels: Vec<LabelId>,
}

impl Workspace {
    /// The best tree of the sentence in `input`, with its score; with a `reward`, that of wrong arcs is part of it.
    pub fn decode<W: Weights>(&mut self, search: Search, weights: &W, input: &Input, reward: Option<Reward>) -> Parsed {
        if search.kind.order() > Order::First {
            let best = self.k_best_of_parts(search, weights, input, reward, 1);
            return best.into_iter().next().expect("there is a tree over any words");
        }
        let scorer = &mut self.scorer.arcs;
        scorer.score(search.columns, search.inventory, weights, input, reward);
        match search.kind {
            GraphKind::Mst => self.chu_liu_edmonds.decode(&scorer.arcs, search.roots, &mut self.heads),
            _ => self.eisner.decode(&scorer.arcs, search.roots, &mut self.heads),
        }
        self.labels.clear();
        self.labels.extend(self.heads.iter().zip(1..).map(|(&head, dependent)| scorer.label(head, dependent)));
        Parsed { tree: Tree::new(&self.heads, &self.labels), score: scorer.arcs.of_tree(&self.heads) }
    }

    /// The `k` best trees with labels, the best first; fewer if there are not so many.
    pub fn k_best<W: Weights>(&mut self, search: Search, weights: &W, input: &Input, k: usize) -> Vec<Parsed> {
        if search.kind.order() > Order::First {
            return self.k_best_of_parts(search, weights, input, None, k);
        }
        let best = self.decode(search, weights, input, None);
        if k == 1 {
            return vec![best];
        }
        let scores = self.scorer.arcs.arcs.clone();
        let scorer = &mut self.scorer.arcs;
        let labels = |head: Node, dependent: Node, labels: &mut Vec<(i64, LabelId)>| {
            scorer.labels(search.inventory, weights, (head, dependent), labels);
        };
        let found = match search.kind {
            GraphKind::Mst => k_best_spanning(&mut self.chu_liu_edmonds, &scores, search.roots, labels, k),
            _ => {
                let filled = &mut FilledEisner { eisner: &self.eisner, scores: &scores, roots: search.roots, labels };
                k_best(filled, input.n_words(), k)
            }
        };
        found.into_iter().map(parsed).collect()
    }

    fn k_best_of_parts<W: Weights>(
        &mut self,
        search: Search,
        weights: &W,
        input: &Input,
        reward: Option<Reward>,
        k: usize,
    ) -> Vec<Parsed> {
        let (n, order) = (input.n_words(), search.kind.order());
        if n > order.exact_words() {
            let arcs = &mut self.scorer.arcs;
            arcs.score(search.columns, search.inventory, weights, input, reward);
            self.eisner.decode(&arcs.arcs, search.roots, &mut self.heads);
            self.candidates.best(&arcs.arcs, &self.heads, order.most_heads(n));
        } else {
            self.candidates.all(n);
        }
        let chart = self.chart.get_or_insert_with(|| Chart::new(order));
        let scores = &mut self.scorer.start(search, weights, input, reward);
        chart.fill(n, search.roots, &self.candidates, scores);
        k_best(&mut Filled { chart, scores }, n, k).into_iter().map(parsed).collect()
    }
}

fn parsed(derived: Derived) -> Parsed {
    Parsed { tree: Tree::new(&derived.heads, &derived.labels), score: derived.score }
}

/// A model with the threads to parse with it.
#[derive(Debug)]
pub struct GraphParser<'m> {
    model: Held<'m, GraphModel>,
    /// None if there is but one thread, the caller's.
    pool: Option<rayon::ThreadPool>,
}

impl<'m> GraphParser<'m> {
    /// A parser on `threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(model: &'m GraphModel, threads: usize) -> Result<GraphParser<'m>> {
        Ok(GraphParser { model: Held::Borrowed(model), pool: pool(threads)? })
    }

    /// As [`GraphParser::new`], with a share in the model: a parser that may be kept as long as it is of use.
    ///
    /// # Errors
    /// As [`GraphParser::new`].
    pub fn shared(model: Arc<GraphModel>, threads: usize) -> Result<GraphParser<'static>> {
        Ok(GraphParser { model: Held::Shared(model), pool: pool(threads)? })
    }

    /// The best tree of each sentence, in the order of the sentences whatever the number of threads.
    ///
    /// # Errors
    /// If a sentence is too long.
    pub fn parse(&self, sentences: &[Sentence]) -> Result<Vec<Parsed>> {
        Ok(self.k_best(sentences, 1)?.into_iter().flatten().collect())
    }

    /// The `k` best labelled trees of each sentence, the best first; fewer where there are not so many.
    ///
    /// # Errors
    /// If a sentence is too long.
    pub fn k_best(&self, sentences: &[Sentence], k: usize) -> Result<Vec<Vec<Parsed>>> {
        sentences.iter().try_for_each(check_length)?;
        Ok(self.parse_with(sentences.len(), &|i, input| self.model.read_words(&sentences[i], input), k))
    }

    /// The `k` best labelled trees of each of `n` sentences, none of them [too long](check_length); `read` tells what the model
    /// [reads](GraphModel::read_words) of each, from 0.
    pub fn parse_with(&self, n: usize, read: &Read, k: usize) -> Vec<Vec<Parsed>> {
        let model = &*self.model;
        let search = model.search();
        let finish = |parsed: Parsed| Parsed { tree: model.label_decoding.finish(parsed.tree), score: parsed.score };
        let input = |i: usize| {
            let mut input = Input::default();
            read(i, &mut input);
            input
        };
        match &model.scorer {
            GraphScorer::Linear(weights) => {
                let parse = |workspace: &mut Workspace, i: usize| {
                    workspace.k_best(search, weights, &input(i), k).into_iter().map(finish).collect()
                };
                self.each(n, &parse)
            }
            GraphScorer::Biaffine(network) => {
                // Sentences are encoded side by side.
                let parse = |workspace: &mut biaffine::Workspace, part: usize| {
                    let inputs: Vec<Input> =
                        (part * SIDE_BY_SIDE..n.min((part + 1) * SIDE_BY_SIDE)).map(input).collect();
                    let inputs: Vec<&Input> = inputs.iter().collect();
                    let found = workspace.k_best(network, (search.kind.is_projective(), search.roots), &inputs, k);
                    found.into_iter().map(|best| best.into_iter().map(finish).collect()).collect::<Vec<Vec<Parsed>>>()
                };
                self.each(n.div_ceil(SIDE_BY_SIDE), &parse).into_iter().flatten().collect()
            }
        }
    }

    /// Results of `parse` for each number below `n`, on all threads.
    fn each<W: Default, T: Send>(&self, n: usize, parse: &(dyn Fn(&mut W, usize) -> T + Sync)) -> Vec<T> {
        match &self.pool {
            None => {
                let mut workspace = W::default();
                (0..n).map(|i| parse(&mut workspace, i)).collect()
            }
            Some(pool) => pool.install(|| (0..n).into_par_iter().map_init(W::default, parse).collect()),
        }
    }
}

impl GraphModel {
    /// Replaces `input` by what the model reads of `sentence`, keeping the memory.
    pub fn read_words(&self, sentence: &dyn Words, input: &mut Input) {
        input.read(&self.columns, self.scorer.vocabulary(), sentence);
    }

    fn search(&self) -> Search<'_> {
        let (kind, roots) = (self.header.system, self.header.roots);
        Search { kind, roots, columns: &self.columns, inventory: &self.inventory }
    }
}
