//! Parsing with a model.

use std::sync::Arc;

use super::decoders::{Decoders, GivenInput, GraphSearch, Parses};
use super::scorer::Reward;
use super::{Chart, Filled, GraphModel, GraphScorer, Heads, Order, PartScorer, k_best};
use crate::decode::{Given, GivenOf, Parsed, ReadInput, pool};
use crate::error::Result;
use crate::features::Input;
use crate::linear::{FrozenWeights, Weights};
use crate::model::{Marginals, ModelRef};
use crate::parallel;
use crate::tree::{LabelId, Node};
use crate::treebank::{Sentence, Words};

/// The longest sentence, in words: space is quadratic in its length, and a chart over so many takes a quarter of a gigabyte.
pub(super) const MAX_WORDS: usize = 2048;

/// The problem that `sentence` is too long, if it is.
///
/// # Errors
/// The problem itself.
pub fn check_length<W: Words + ?Sized>(sentence: &W) -> Result<()> {
    crate::treebank::check_length(sentence, MAX_WORDS, || {
        format!("at most {MAX_WORDS}: graph-based parsers score every pair of words; use a transition system")
    })
}

/// Scratch memory of parsing one sentence after another by sums of weights.
#[derive(Debug, Clone, Default)]
pub struct GraphWorkspace {
    pub scorer: PartScorer,
    decoders: Decoders,
    /// Made for the first sentence that needs it.
    chart: Option<Chart>,
    candidates: Heads,
}

impl GraphWorkspace {
    /// The best tree of the sentence in `input`, with its score; with a `reward`, that of wrong arcs is part of it.
    pub fn decode<W: Weights>(
        &mut self,
        search: GraphSearch,
        weights: &W,
        input: &Input,
        reward: Option<Reward>,
    ) -> Parsed {
        let best = self.k_best_with(search, weights, (input, None), reward, 1);
        best.into_iter().next().expect("there is a tree over any words")
    }

    /// The `k` best trees with labels, the best first; fewer if there are not so many.
    pub fn k_best<W: Weights>(
        &mut self,
        search: GraphSearch,
        weights: &W,
        sentence: GivenInput,
        k: usize,
    ) -> Vec<Parsed> {
        self.k_best_with(search, weights, sentence, None, k)
    }

    fn k_best_with<W: Weights>(
        &mut self,
        search: GraphSearch,
        weights: &W,
        (input, given): GivenInput,
        reward: Option<Reward>,
        k: usize,
    ) -> Vec<Parsed> {
        let GraphWorkspace { scorer, decoders, chart, candidates } = self;
        let GraphSearch { kind, roots, columns, inventory, marginals } = search;
        let (n, order) = (input.n_words(), kind.order());
        if order == Order::First || n > order.exact_words() || given.is_some() {
            scorer.arcs.score(columns, inventory, weights, input, reward);
        }
        given.into_iter().for_each(|given| scorer.arcs.arcs.keep(given));
        if order == Order::First && k == 1 && marginals.is_none() {
            let label = |head, dependent| scorer.arcs.label(head, dependent);
            return vec![decoders.best_tree(kind, roots, &scorer.arcs.arcs, label)];
        }
        if order == Order::First {
            let scores = scorer.arcs.arcs.clone();
            let labels = |head: Node, dependent: Node, labels: &mut Vec<(i64, LabelId)>| {
                scorer.arcs.labels(inventory, weights, (head, dependent), labels);
            };
            return decoders.k_best(search, &scores, labels, k);
        }
        if n > order.exact_words() {
            let best = decoders.best(kind, roots, &scorer.arcs.arcs);
            candidates.best(&scorer.arcs.arcs, best, order.most_heads(n));
        } else {
            candidates.all(n);
        }
        if let Some(given) = given {
            // The given heads that a tree of arcs alone keeps.
            let best = decoders.best(kind, roots, &scorer.arcs.arcs).to_vec();
            let is_kept = |head: Node, word: Node| given.has_head(word) && !given.contradicts(head, word);
            candidates.retain(|head, word| !is_kept(best[usize::from(word) - 1], word) || is_kept(head, word));
        }
        let chart = chart.get_or_insert_with(|| Chart::new(order));
        let scores = &mut scorer.start(search, weights, input, reward);
        chart.fill(n, roots, candidates, scores);
        k_best(&mut Filled { chart, scores }, n, k)
    }
}

impl Parses for FrozenWeights {
    type Workspace = GraphWorkspace;
    const SIDE_BY_SIDE: usize = 1;

    fn k_best(
        &self,
        workspace: &mut GraphWorkspace,
        search: GraphSearch,
        sentences: &[GivenInput],
        k: usize,
    ) -> Vec<Vec<Parsed>> {
        sentences.iter().map(|&sentence| workspace.k_best(search, self, sentence, k)).collect()
    }
}

/// A model with the threads to parse with it.
#[derive(Debug)]
pub struct GraphParser<'m> {
    model: ModelRef<'m, GraphModel>,
    /// None if there is but one thread, the caller's.
    pool: Option<Arc<rayon::ThreadPool>>,
    marginals: Option<Marginals>,
}

impl<'m> GraphParser<'m> {
    /// A parser on `threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(model: &'m GraphModel, threads: usize) -> Result<GraphParser<'m>> {
        GraphParser::over(ModelRef::Borrowed(model), threads)
    }

    /// As [`GraphParser::new`], with a share in the model: a parser that may be kept as long as it is of use.
    ///
    /// # Errors
    /// As [`GraphParser::new`].
    pub fn shared(model: Arc<GraphModel>, threads: usize) -> Result<GraphParser<'static>> {
        GraphParser::over(ModelRef::Shared(model), threads)
    }

    fn over(model: ModelRef<'_, GraphModel>, threads: usize) -> Result<GraphParser<'_>> {
        Ok(GraphParser { model, pool: pool(threads)?, marginals: None })
    }

    /// The parser that computes exact marginals, calibrated so, if its kind [has](super::GraphKind::has_marginals) any.
    #[must_use]
    pub fn with_marginals(self, marginals: Option<Marginals>) -> GraphParser<'m> {
        let marginals = marginals.filter(|_| self.model.header.system.has_marginals());
        let scale = self.model.scorer.scale();
        GraphParser { marginals: marginals.map(|marginals| marginals.scaled(scale)), ..self }
    }

    /// The threads, unless the caller's is the only one.
    pub fn pool(&self) -> Option<&Arc<rayon::ThreadPool>> {
        self.pool.as_ref()
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

    /// The `k` best labelled trees of each of `n` sentences, none of them [too long](check_length); `read` reads what the model
    /// [reads](GraphModel::read_words) of each, from 0.
    pub fn parse_with(&self, n: usize, read: &ReadInput, k: usize) -> Vec<Vec<Parsed>> {
        self.parse_given(n, read, &|_| None, k)
    }

    /// As [`GraphParser::parse_with`], where the trees keep what is given, as far as it can be: arcs that contradict given heads are charged
    /// more than all others together can make up for, and given labels take the place of others in the best trees.
    pub fn parse_given(&self, n: usize, read: &ReadInput, given: &GivenOf, k: usize) -> Vec<Vec<Parsed>> {
        match &self.model.scorer {
            GraphScorer::Linear(weights) => self.parse_by(weights, n, read, given, k),
            GraphScorer::Biaffine(network) => self.parse_by(network, n, read, given, k),
        }
    }

    fn parse_by<P: Parses>(
        &self,
        parameters: &P,
        n: usize,
        read: &ReadInput,
        given: &GivenOf,
        k: usize,
    ) -> Vec<Vec<Parsed>> {
        let model = &*self.model;
        let search = GraphSearch { marginals: self.marginals, ..model.search() };
        let finish = |best: Vec<Parsed>, given: &Option<Given>| {
            let least = given.as_ref().and_then(|given| best.iter().map(|parsed| given.n_lost(&parsed.tree)).min());
            let keeps = |parsed: &Parsed| given.as_ref().is_none_or(|given| Some(given.n_lost(&parsed.tree)) == least);
            let best = best.into_iter().filter(keeps).map(|parsed| match given {
                None => Parsed { tree: model.label_decoding.finish(parsed.tree), ..parsed },
                Some(given) => given.finish(&model.label_decoding, parsed),
            });
            Parsed::best(best, k)
        };
        let parse = |workspace: &mut P::Workspace, part: usize| {
            let numbers = part * P::SIDE_BY_SIDE..n.min((part + 1) * P::SIDE_BY_SIDE);
            let given: Vec<Option<Given>> = numbers.clone().map(given).collect();
            let mut inputs = vec![Input::default(); numbers.len()];
            numbers.zip(&mut inputs).for_each(|(i, input)| read(i, input));
            let sentences: Vec<_> = inputs.iter().zip(&given).map(|(input, given)| (input, given.as_ref())).collect();
            let found = parameters.k_best(workspace, search, &sentences, k);
            found.into_iter().zip(&given).map(|(best, given)| finish(best, given)).collect::<Vec<Vec<Parsed>>>()
        };
        let parts = n.div_ceil(P::SIDE_BY_SIDE);
        let parsed: Vec<Vec<Vec<Parsed>>> = match &self.pool {
            None => {
                let mut workspace = P::Workspace::default();
                (0..parts).map(|part| parse(&mut workspace, part)).collect()
            }
            Some(pool) => parallel::within(pool, || parallel::map_with(parts, P::Workspace::default, parse)),
        };
        parsed.into_iter().flatten().collect()
    }
}

impl GraphModel {
    /// Replaces `input` by what the model reads of `sentence`, keeping the memory.
    pub fn read_words(&self, sentence: &dyn Words, input: &mut Input) {
        input.read(&self.columns, self.scorer.vocabulary(), sentence);
    }

    fn search(&self) -> GraphSearch<'_> {
        let (kind, roots) = (self.header.system, self.header.roots);
        GraphSearch { kind, roots, columns: &self.columns, inventory: &self.inventory, marginals: None }
    }
}
