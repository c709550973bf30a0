//! Parsing many sentences with one model, on several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::exact::Loss;
use super::margin::{self, Margin};
use super::{Decoder, Given, NO_MARGIN, Parsed, SearchKind, Strategy, Workspace};
use crate::error::{Error, Result};
use crate::features::Input;
use crate::linear::Linear;
use crate::model::{Header, Marginals, Model, ModelRef, Scoring};
use crate::parallel;
use crate::process;
use crate::scorer::Scorer;
use crate::system::{Actions, Roots, SystemKind};
use crate::treebank::Sentence;
use crate::with_system;

/// A model with the threads and the scratch memory to parse with it.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
/// let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
///
/// // One model is decoded at any width; 1 is greedy.
/// let [greedy, beam] = [1, 8].map(|width| Parser::new(&model, width, 2));
/// let other = generate::GeneratorOptions { seed: 2, n_sentences: 5, non_projective: false };
/// let test: Vec<Sentence> = generate::sentences(other).collect();
/// let (greedy, beam) = (greedy?.parse(&test, 1), beam?.parse(&test, 3));
/// for (greedy, beam) in greedy.iter().zip(&beam) {
///     // The best trees come first.
///     assert!(beam.windows(2).all(|pair| pair[0].score >= pair[1].score));
///     println!("{:?} {:?}", model.labels().names_of(&greedy[0].tree), beam[0].tree.heads());
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Parser<'m, F = Linear> {
    model: ModelRef<'m, Model<F>>,
    strategy: Strategy,
    margin: Option<i64>,
    marginals: Option<Marginals>,
    /// None if there is but one thread, the caller's.
    pool: Option<Arc<rayon::ThreadPool>>,
    /// One per thread.
    workspaces: Vec<Workspace>,
}

impl<'m, F: Scoring> Parser<'m, F> {
    /// A parser that decodes with a beam of `width`, which merges as the model was trained to, on `threads` threads.
    ///
    /// # Errors
    /// If `width` is 0 or the threads cannot be started.
    pub fn new(model: &'m Model<F>, width: usize, threads: usize) -> Result<Parser<'m, F>> {
        let merges = model.header.merges();
        Parser::with(model, Strategy::new(SearchKind::Beam, width, merges, &model.header)?, threads)
    }

    /// A parser that searches in this way, which must be one for the model, on `threads` threads.
    ///
    /// # Errors
    /// If a width is 0 or the threads cannot be started.
    pub fn with(model: &'m Model<F>, strategy: Strategy, threads: usize) -> Result<Parser<'m, F>> {
        Parser::over(ModelRef::Borrowed(model), strategy, threads)
    }

    /// As [`Parser::with`], with a share in the model: a parser that may be kept as long as it is of use.
    ///
    /// # Errors
    /// As [`Parser::with`].
    pub fn shared(model: Arc<Model<F>>, strategy: Strategy, threads: usize) -> Result<Parser<'static, F>> {
        Parser::over(ModelRef::Shared(model), strategy, threads)
    }

    fn over(model: ModelRef<'_, Model<F>>, strategy: Strategy, threads: usize) -> Result<Parser<'_, F>> {
        if strategy.width() == Some(0) {
            return Err(Error::Usage("a beam has at least width 1".to_owned()));
        }
        let pool = pool(threads)?;
        let workspaces = (0..threads.max(1)).map(|_| Workspace::new(model.actions.n_labels())).collect();
        Ok(Parser { model, strategy, margin: None, marginals: None, pool, workspaces })
    }

    /// The parser that leaves out items of a beam with a larger score gap than this to the best; see [`Margin`].
    #[must_use]
    pub fn with_margin(self, margin: Margin) -> Parser<'m, F> {
        let Header { gaps, .. } = &self.model.header;
        let width = self.strategy.width().unwrap_or(1);
        Parser { margin: margin::margin(margin, gaps, width, self.model.scorer.scale()), ..self }
    }

    /// The parser that computes exact marginals, calibrated so, if it searches exactly.
    #[must_use]
    pub fn with_marginals(self, marginals: Option<Marginals>) -> Parser<'m, F> {
        let scale = self.model.scorer.scale();
        Parser { marginals: marginals.map(|marginals| marginals.scaled(scale)), ..self }
    }

    /// Margin of pruning, as a score: largest score gap of items to the best of their step; `None` if the beam alone
    /// prunes.
    pub fn margin(&self) -> Option<f64> {
        self.margin.map(|margin| margin as f64 / f64::from(self.model.scorer.scale()))
    }

    /// The threads, unless the caller's is the only one.
    pub fn pool(&self) -> Option<&Arc<rayon::ThreadPool>> {
        self.pool.as_ref()
    }

    /// Number of configurations that have been scored: the items of beams, or the choices of positions of exact search.
    pub fn n_scored(&self) -> u64 {
        self.workspaces.iter().map(|workspace| workspace.n_scored).sum()
    }

    /// The `k` best trees of each sentence, in the order of the sentences whatever the number of threads.
    pub fn parse(&mut self, sentences: &[Sentence], k: usize) -> Vec<Vec<Parsed>> {
        let model = self.model.clone();
        self.parse_with(sentences.len(), &|i, input| model.read(&sentences[i], input), k)
    }

    /// The `k` best trees of each of `n` sentences, `read` fills in what the model [reads](Model::read) of each, from 0.
    pub fn parse_with(&mut self, n: usize, read: &ReadInput, k: usize) -> Vec<Vec<Parsed>> {
        self.parse_given(n, read, &|_| None, k)
    }

    /// As [`Parser::parse_with`], where the trees keep what is given. Where anything is, beams do not merge.
    pub fn parse_given(&mut self, n: usize, read: &ReadInput, given: &GivenOf, k: usize) -> Vec<Vec<Parsed>> {
        let model = &*self.model;
        let Header { system, roots, .. } = model.header;
        let Parser { strategy, margin, marginals, .. } = *self;
        let search = Search {
            system,
            roots,
            actions: &model.actions,
            strategy,
            margin: margin.unwrap_or(NO_MARGIN),
            marginals,
            k,
        };
        let scorer = model.scorer.scorer();
        let parse = |i: usize, workspace: &mut Workspace| {
            read(i, &mut workspace.input);
            let given = given(i);
            let parsed = match &given {
                None => search.find(&*scorer, workspace),
                Some(given) => search.find_given(&*scorer, workspace, given),
            };
            let finished = parsed.into_iter().map(|parsed| match &given {
                None => Parsed { tree: model.label_decoding.finish(parsed.tree), ..parsed },
                Some(given) => given.finish(&model.label_decoding, parsed),
            });
            match model.header.joint_target() {
                None => Parsed::best(finished, k),
                Some(_) => Parsed::best(finished.map(Parsed::with_tags_apart), k),
            }
        };
        let Some(pool) = &self.pool else {
            let workspace = &mut self.workspaces[0];
            return (0..n).map(|i| parse(i, workspace)).collect();
        };
        // Threads take the next sentence when they have finished one: sentences differ much in length.
        let next = AtomicUsize::new(0);
        let work = |_, workspace: &mut Workspace| {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= n {
                    return done;
                }
                done.push((i, parse(i, workspace)));
            }
        };
        let workspaces = &mut self.workspaces;
        let done: Vec<Vec<(usize, Vec<Parsed>)>> = parallel::within(pool, || parallel::map_mut(workspaces, work));
        let mut parsed: Vec<Vec<Parsed>> = vec![Vec::new(); n];
        for (i, trees) in done.into_iter().flatten() {
            parsed[i] = trees;
        }
        parsed
    }
}

/// Search of a sentence: its input and settings.
#[derive(Debug, Clone, Copy)]
pub struct Search<'s> {
    /// The transition system.
    pub system: SystemKind,
    /// Number of words that may hang on the root.
    pub roots: Roots,
    /// The actions that scores are for.
    pub actions: &'s Actions,
    /// Search strategy.
    pub strategy: Strategy,
    /// Margin of pruning: largest score gap of items of a beam; [`NO_MARGIN`] for any.
    pub margin: i64,
    /// Calibration of exact marginals, in the fixed point of scores, if exact search is to compute any.
    pub marginals: Option<Marginals>,
    /// Number of trees to find.
    pub k: usize,
}

impl Search<'_> {
    /// The best trees of the sentence in the workspace, by this scorer.
    pub fn find(&self, scorer: &dyn Scorer, workspace: &mut Workspace) -> Vec<Parsed> {
        let Search { system, roots, actions, strategy, margin, k, .. } = *self;
        let mut found = with_system!(system, roots, |system| {
            Decoder::new(system, actions, scorer).with_margin(margin).find(workspace, strategy, k)
        });
        self.add_marginals(scorer, workspace, None, &mut found);
        found
    }

    /// The best trees that keep what is given, as far as the system can; beams do not merge.
    pub fn find_given(&self, scorer: &dyn Scorer, workspace: &mut Workspace, given: &Given) -> Vec<Parsed> {
        // Margins were calibrated on derivations that are free.
        let Search { system, roots, actions, strategy, k, .. } = *self;
        if let Strategy::Exact(tabulation) = strategy {
            let mut found = vec![tabulation.decode_given(scorer, actions, workspace, given)];
            self.add_marginals(scorer, workspace, Some(Loss::forbidding(given.gold())), &mut found);
            return found;
        }
        let width = strategy.width().unwrap_or(1);
        with_system!(system, roots, |system| {
            Decoder::new(system, actions, scorer).decode_given(workspace, width, k, given)
        })
    }

    /// Adds their marginals to the trees, if they are asked for.
    fn add_marginals(&self, scorer: &dyn Scorer, workspace: &mut Workspace, loss: Option<Loss>, found: &mut [Parsed]) {
        if let (Strategy::Exact(tabulation), Some(marginals)) = (self.strategy, self.marginals) {
            for Parsed { tree, confidences, .. } in found {
                *confidences = tabulation.confidences(scorer, self.actions, workspace, loss, (tree, marginals));
            }
        }
    }
}

/// Reader that fills in the input of the sentence with this number, from 0.
pub type ReadInput<'r> = dyn Fn(usize, &mut Input) + Sync + 'r;

/// The arcs that are given of the sentence with this number, from 0, if any are.
pub type GivenOf<'g> = dyn Fn(usize) -> Option<Given> + Sync + 'g;

/// A pool of so many threads; none for one, which is the caller's.
///
/// # Errors
/// If they cannot be started.
pub(crate) fn pool(threads: usize) -> Result<Option<Arc<rayon::ThreadPool>>> {
    if threads <= 1 {
        return Ok(None);
    }
    Ok(Some(Arc::new(process::thread_pool(threads)?)))
}
