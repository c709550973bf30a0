//! Parsing many sentences with one model, on several threads.

use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::beam::NO_MARGIN;
use super::margin::{self, Margin};
use super::{Decoder, Parsed, SearchKind, Strategy, Workspace};
use crate::error::{Error, Result};
use crate::linear::Linear;
use crate::model::{Frozen, Header, Model};
use crate::system::Actions;
use crate::tree::Tree;
use crate::treebank::Sentence;
use crate::with_system;

/// A model with the threads and the scratch memory to parse with it.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
///
/// let train = generate::treebank(generate::Options { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
/// let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
///
/// // One model is decoded at any width; 1 is greedy.
/// let [greedy, beam] = [1, 8].map(|width| Parser::new(&model, width, 2));
/// let test: Vec<Sentence> = generate::sentences(generate::Options { seed: 2, n_sentences: 5, non_projective: false }).collect();
/// let (greedy, beam) = (greedy?.parse(&test, 1), beam?.parse(&test, 3));
/// for (greedy, beam) in greedy.iter().zip(&beam) {
///     // The best trees come first.
///     assert!(beam.windows(2).all(|pair| pair[0].score >= pair[1].score));
///     println!("{:?} {:?}", model.labels().names_of(&greedy[0].tree), beam[0].tree.heads());
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Parser<'m, F: Frozen = Linear> {
    model: &'m Model<F>,
    /// The actions, among them waiting where the way of searching scores it.
    actions: Cow<'m, Actions>,
    strategy: Strategy,
    margin: Option<i64>,
    pool: rayon::ThreadPool,
    /// One per thread.
    workspaces: Vec<Workspace<F::Memory>>,
}

impl<'m, F: Frozen> Parser<'m, F> {
    /// A parser that decodes with a beam of `width`, which merges or compares items as the model was trained to, on `threads`
    /// threads.
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
        if strategy.width() == Some(0) {
            return Err(Error::Usage("a beam has at least width 1".to_owned()));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start {threads} threads: {error}")))?;
        let workspaces = (0..threads.max(1)).map(|_| Workspace::new(model.actions.n_labels())).collect();
        let actions = match strategy {
            Strategy::Beam { comparison, .. } if comparison != model.header.comparison() => {
                Cow::Owned(model.actions.clone().with_scored_waiting(comparison.scores_waiting()))
            }
            _ => Cow::Borrowed(&model.actions),
        };
        Ok(Parser { model, actions, strategy, margin: None, pool, workspaces })
    }

    /// The parser that leaves out items of a beam which lag behind by more than this; see [`Margin`].
    #[must_use]
    pub fn with_margin(self, margin: Margin) -> Parser<'m, F> {
        let Header { lags, .. } = &self.model.header;
        let width = self.strategy.width().unwrap_or(1);
        Parser { margin: margin::margin(margin, lags, width, self.model.scorer.scale()), ..self }
    }

    /// By how much items may lag behind the best of their step, as a score; `None` if the beam alone prunes.
    pub fn margin(&self) -> Option<f64> {
        self.margin.map(|margin| margin as f64 / f64::from(self.model.scorer.scale()))
    }

    /// How many configurations have been scored: the items of beams, or the choices of positions of exact search.
    pub fn n_scored(&self) -> u64 {
        self.workspaces.iter().map(|workspace| workspace.n_scored).sum()
    }

    /// The `k` best trees of each sentence, in the order of the sentences whatever the number of threads.
    pub fn parse(&mut self, sentences: &[Sentence], k: usize) -> Vec<Vec<Parsed>> {
        let margin = self.margin.unwrap_or(NO_MARGIN);
        let search = Search { actions: &self.actions, strategy: self.strategy, margin, k };
        let model = self.model;
        if let [workspace] = &mut self.workspaces[..] {
            return sentences.iter().map(|sentence| parse(model, sentence, workspace, search)).collect();
        }
        // Threads take the next sentence when they have finished one: sentences differ much in length.
        let next = AtomicUsize::new(0);
        let work = |workspace: &mut Workspace<F::Memory>| {
            let mut done = Vec::new();
            while let Some((i, sentence)) = {
                let i = next.fetch_add(1, Ordering::Relaxed);
                sentences.get(i).map(|sentence| (i, sentence))
            } {
                done.push((i, parse(model, sentence, workspace, search)));
            }
            done
        };
        let workspaces = &mut self.workspaces;
        let done: Vec<Vec<(usize, Vec<Parsed>)>> =
            self.pool.install(|| workspaces.par_iter_mut().with_max_len(1).map(work).collect());
        let mut parsed: Vec<Vec<Parsed>> = vec![Vec::new(); sentences.len()];
        for (i, trees) in done.into_iter().flatten() {
            parsed[i] = trees;
        }
        parsed
    }
}

/// What is looked for in each sentence, and how.
#[derive(Debug, Clone, Copy)]
struct Search<'s> {
    actions: &'s Actions,
    strategy: Strategy,
    margin: i64,
    k: usize,
}

/// The `k` best trees of one sentence.
fn parse<F: Frozen>(
    model: &Model<F>,
    sentence: &Sentence,
    workspace: &mut Workspace<F::Memory>,
    Search { actions, strategy, margin, k }: Search,
) -> Vec<Parsed> {
    model.read(sentence, &mut workspace.input);
    let mut parsed = with_system!(model.header.system, model.header.roots, |system| {
        Decoder::new(system, actions, model.scorer.scorer()).with_margin(margin).find(workspace, strategy, k)
    });
    for parsed in &mut parsed {
        parsed.tree = model.label_decoding.finish(std::mem::replace(&mut parsed.tree, Tree::unattached(0)));
    }
    parsed
}
