//! Parsing many sentences with one model, on several threads.

use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::beam::NO_MARGIN;
use super::margin::{self, Lags, Margin};
use super::{Decoder, Parsed, Workspace};
use crate::error::{Error, Result};
use crate::features::Input;
use crate::linear::Linear;
use crate::model::{Comparison, Frozen, Header, Model};
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
    actions: Cow<'m, Actions>,
    comparison: Comparison,
    width: usize,
    margin: Option<i64>,
    pool: rayon::ThreadPool,
    /// One per thread.
    workspaces: Vec<Workspace<F::Memory>>,
}

impl<'m, F: Frozen> Parser<'m, F> {
    /// A parser that decodes with a beam of `width` on `threads` threads.
    ///
    /// # Errors
    /// If `width` is 0 or the threads cannot be started.
    pub fn new(model: &'m Model<F>, width: usize, threads: usize) -> Result<Parser<'m, F>> {
        if width == 0 {
            return Err(Error::Usage("a beam has at least width 1".to_owned()));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start {threads} threads: {error}")))?;
        let workspaces = (0..threads.max(1)).map(|_| Workspace::new(model.actions.n_labels())).collect();
        let (actions, comparison) = (Cow::Borrowed(&model.actions), model.header.comparison());
        Ok(Parser { model, actions, comparison, width, margin: None, pool, workspaces })
    }

    /// The same parser, whose beams compare their items in this way and not as the model was trained to.
    #[must_use]
    pub fn comparing(self, comparison: Comparison) -> Parser<'m, F> {
        let actions = self.model.actions.clone().with_scored_waiting(comparison.scores_waiting());
        Parser { actions: Cow::Owned(actions), comparison, ..self }
    }

    /// The parser that leaves out items of a beam which lag behind by more than this; see [`Margin`].
    #[must_use]
    pub fn with_margin(self, margin: Margin) -> Parser<'m, F> {
        let Header { lags, .. } = &self.model.header;
        Parser { margin: margin::margin(margin, lags, self.width, self.model.scorer.scale()), ..self }
    }

    /// By how much items may lag behind the best of their step, as a score; `None` if the beam alone prunes.
    pub fn margin(&self) -> Option<f64> {
        self.margin.map(|margin| margin as f64 / f64::from(self.model.scorer.scale()))
    }

    /// The `k` best trees of each sentence, in the order of the sentences whatever the number of threads.
    pub fn parse(&mut self, sentences: &[Sentence], k: usize) -> Vec<Vec<Parsed>> {
        let margin = self.margin.unwrap_or(NO_MARGIN);
        let search = Search { actions: &self.actions, comparison: self.comparison, width: self.width, margin, k };
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
    comparison: Comparison,
    width: usize,
    margin: i64,
    k: usize,
}

/// The `k` best trees of one sentence.
fn parse<F: Frozen>(
    model: &Model<F>,
    sentence: &Sentence,
    workspace: &mut Workspace<F::Memory>,
    Search { actions, comparison, width, margin, k }: Search,
) -> Vec<Parsed> {
    model.read(sentence, &mut workspace.input);
    let mut parsed = with_system!(model.header.system, model.header.roots, |system| {
        let decoder = Decoder::new(system, actions, model.scorer.scorer()).with_margin(margin);
        decoder.decode_comparing(workspace, comparison, width, k)
    });
    for parsed in &mut parsed {
        parsed.tree = model.label_decoding.finish(std::mem::replace(&mut parsed.tree, Tree::unattached(0)));
    }
    parsed
}

impl<F: Frozen> Model<F> {
    /// Notes in the header by how much the derivations that win lag behind on the way, on these sentences, at
    /// [the usual widths](margin::WIDTHS) and at the model's own. The threads are those of the current pool.
    pub fn calibrate(&mut self, inputs: &[&Input]) {
        let mut widths = margin::WIDTHS.to_vec();
        if !widths.contains(&self.header.beam) {
            widths.push(self.header.beam);
        }
        widths.retain(|&width| width > 1);
        self.header.lags = widths.into_iter().map(|width| self.lags(inputs, width)).collect();
    }

    fn lags(&self, inputs: &[&Input], width: usize) -> Lags {
        let workspace = || Workspace::<F::Memory>::new(self.actions.n_labels());
        let lag = |workspace: &mut Workspace<F::Memory>, input: &&Input| {
            workspace.input.clone_from(input);
            with_system!(self.header.system, self.header.roots, |system| {
                Decoder::new(system, &self.actions, self.scorer.scorer()).lag(workspace, width)
            })
        };
        let lags = inputs.par_iter().map_init(workspace, lag).collect();
        Lags::new(width, lags, self.scorer.scale())
    }
}
