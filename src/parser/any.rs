//! The parser of a model of any kind.

use std::sync::Arc;

use super::given::Keeping;
use super::{KeepHeads, Loaded, MAX_BEAM, ParseOptions};
use crate::decode::{Margin, Parsed, Parser, SearchKind, Strategy, confidence};
use crate::error::{Error, Location, Result};
use crate::graph::GraphParser;
use crate::model::{Frozen as _, Marginals};
use crate::parallel;
use crate::scorers::{AnyModel, AnyScorer};
use crate::tree::Node;
use crate::treebank::{Column, Words, unknown_source};

/// A parser over a model of whichever kind, of which it has a share: it may be kept and used again.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use treebeam::parser::{Loaded, AnyParser, ParseOptions};
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
/// let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
/// let model = Loaded::Transitions(Arc::new(model.into()));
///
/// let options = ParseOptions { beam: Some(4), threads: 2, ..ParseOptions::default() };
/// let mut parser = AnyParser::new(&model, &options)?;
/// let parsed = parser.parse(&train.sentences)?;
/// assert_eq!(parsed.len(), 60);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct AnyParser {
    model: Loaded,
    parser: LoadedParser,
    options: ParseOptions,
    /// Calibration of exact marginals, if those are the confidences to report.
    marginals: Option<Marginals>,
    keeping: Keeping,
    warnings: Vec<String>,
}

#[derive(Debug)]
enum LoadedParser {
    /// A transition system that searches in this way.
    Transitions(Box<Parser<'static, AnyScorer>>, Strategy),
    /// A graph-based parser.
    Graph(GraphParser<'static>),
}

impl AnyParser {
    /// A parser over `model`.
    ///
    /// # Errors
    /// If the threads cannot be started, or the options are not for this kind of parser.
    pub fn new(model: &Loaded, options: &ParseOptions) -> Result<AnyParser> {
        options.check()?;
        let mut warnings = Vec::new();
        let calibrated = options.confidences.and(model.confidence()).and_then(|confidence| confidence.marginals);
        let mut marginals = calibrated;
        let parser = match model {
            Loaded::Transitions(model) => {
                let (parser, strategy) = transitions(model, options, calibrated, &mut warnings)?;
                marginals = calibrated.filter(|_| matches!(strategy, Strategy::Exact(_)));
                LoadedParser::Transitions(Box::new(parser.with_marginals(marginals)), strategy)
            }
            Loaded::Graph(graph) => {
                check_exact(model.system().name(), options)?;
                LoadedParser::Graph(GraphParser::shared(Arc::clone(graph), options.threads)?.with_marginals(marginals))
            }
        };
        if (options.keep_heads.is_some() || options.keep_labels) && model.tags_column().is_some() {
            return usage(
                "--keep-heads and --keep-labels are for models that do nothing but parse, and the model tags",
            );
        }
        let keeping = Keeping { heads: options.keep_heads, labels: options.keep_labels };
        if options.confidences.is_some() && model.tags_column().is_some() {
            return usage("--confidences is for models that do nothing but parse, and the model tags; leave it out");
        }
        if options.alternatives.is_some() && model.target().is_none() {
            return usage("--alternatives is for taggers, and the model parses; leave it out");
        }
        if options.confidences.is_some() && model.confidence().is_none() {
            let what = "the model was not calibrated for --confidences, which takes training with a beam and --dev of 50 sentences; the mean \
                        distance of scores in each sentence takes the place of a temperature";
            warnings.push(what.to_owned());
        }
        let sources = model.sources();
        match options.source {
            Some(name) if !sources.iter().any(|known| known == name.as_str()) => {
                return Err(unknown_source("--source", name.as_str(), sources));
            }
            None if sources.len() > 1 => warnings.push(format!(
                "the model was trained on {}, and takes the input for one like `{}`; --source says another",
                sources.join(", "),
                sources[0]
            )),
            _ => {}
        }
        Ok(AnyParser { model: model.clone(), parser, options: *options, marginals, keeping, warnings })
    }

    /// Warnings for the model's user, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The width of the beam, if there is one.
    pub fn beam(&self) -> Option<usize> {
        match &self.parser {
            LoadedParser::Transitions(_, strategy) => strategy.width(),
            LoadedParser::Graph(_) => None,
        }
    }

    /// Margin of pruning, as a score: largest score gap of items to the best of their step, if that prunes.
    pub fn margin(&self) -> Option<f64> {
        match &self.parser {
            LoadedParser::Transitions(parser, _) => parser.margin(),
            LoadedParser::Graph(_) => None,
        }
    }

    /// Number of configurations that have been scored, if there are any.
    pub fn n_scored(&self) -> Option<u64> {
        match &self.parser {
            LoadedParser::Transitions(parser, _) => Some(parser.n_scored()),
            LoadedParser::Graph(_) => None,
        }
    }

    /// True if items of a beam are merged.
    pub fn merges(&self) -> bool {
        matches!(self.parser, LoadedParser::Transitions(_, Strategy::Merged { .. }))
    }

    /// Results of `work` for each number below `n`, in their order, by the parser's threads.
    pub(super) fn each<T: Send>(&self, n: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
        parallel::map_on(self.pool().map(Arc::as_ref), n, work)
    }

    /// The threads, unless the caller's is the only one.
    pub fn pool(&self) -> Option<&Arc<rayon::ThreadPool>> {
        match &self.parser {
            LoadedParser::Transitions(parser, _) => parser.pool(),
            LoadedParser::Graph(parser) => parser.pool(),
        }
    }

    /// Checks that the parser takes the sentence.
    ///
    /// # Errors
    /// If it is too long for this kind of parser, or has heads or labels that are to be kept and cannot be.
    pub fn check(&self, sentence: &dyn Words) -> Result<()> {
        match (&self.parser, &self.model) {
            (LoadedParser::Transitions(_, strategy), Loaded::Transitions(model)) => {
                model.header.check_length(sentence)?;
                model.scorer.columns().check(sentence)?;
                strategy.check(sentence)?;
            }
            _ => crate::graph::check_length(sentence)?,
        }
        self.keeping.read(sentence, &self.model).map(|_| ())
    }

    /// The best trees of each sentence, as many as the options ask for, in the order of the sentences; with confidences, if the options ask
    /// for these.
    ///
    /// # Errors
    /// If a sentence cannot be parsed.
    pub fn parse<W: Words + Sync>(&mut self, sentences: &[W]) -> Result<Vec<Vec<Parsed>>> {
        sentences.iter().try_for_each(|sentence| self.check(sentence))?;
        let (model, n) = (&self.model, sentences.len());
        let read = |i: usize, input: &mut _| match &self.options.source {
            Some(name) => model.input(&OfSource { words: &sentences[i], source: name.as_str() }, input),
            None => model.input(&sentences[i], input),
        };
        // Sentences were checked.
        let keeping = Keeping { heads: self.keeping.heads.map(|_| KeepHeads::LeastLoss), ..self.keeping };
        let given = |i: usize| keeping.read(&sentences[i], model).ok().flatten();
        let width = self.options.alternatives.and_then(|_| self.beam()).unwrap_or(1);
        let k = if self.marginals.is_some() { self.options.k_best } else { self.options.n_trees() }.max(width);
        let mut found = match &mut self.parser {
            LoadedParser::Transitions(parser, _) => parser.parse_given(n, &read, &given, k),
            LoadedParser::Graph(parser) => parser.parse_given(n, &read, &given, k),
        };
        if self.options.confidences.is_some() && self.marginals.is_none() {
            for best in &mut found {
                confidence::assign(best, model.confidence(), model.scale());
                best.truncate(self.options.k_best);
            }
        }
        if let Some(n) = self.options.alternatives {
            for best in &mut found {
                let alternatives = confidence::alternatives(best, n, model.confidence(), model.scale());
                best.truncate(self.options.k_best);
                best.iter_mut().for_each(|parsed| parsed.alternatives.clone_from(&alternatives));
            }
        }
        Ok(found)
    }
}

/// Words as those of a treebank.
struct OfSource<'w> {
    words: &'w dyn Words,
    source: &'w str,
}

impl Words for OfSource<'_> {
    fn n_words(&self) -> usize {
        self.words.n_words()
    }

    fn column(&self, word: Node, column: Column) -> &str {
        self.words.column(word, column)
    }

    fn location(&self) -> Location {
        self.words.location()
    }

    fn further(&self, word: Node, name: &str) -> Option<&str> {
        self.words.further(word, name)
    }

    fn treebank(&self) -> Option<&str> {
        Some(self.source)
    }
}

/// The parser that the options ask for, of a transition system, with its way of searching.
fn transitions(
    model: &Arc<AnyModel>,
    options: &ParseOptions,
    marginals: Option<Marginals>,
    warnings: &mut Vec<String>,
) -> Result<(Parser<'static, AnyScorer>, Strategy)> {
    let &ParseOptions {
        search, beam, margin, merge, threads, keep_heads, keep_labels, confidences, alternatives, ..
    } = options;
    let n_trees = options.n_trees();
    let width = beam.unwrap_or(model.header.beam);
    if !(1..=MAX_BEAM).contains(&(width as u64)) {
        return Err(Error::Usage(format!(
            "the model's header says that its beam is {width} wide; expected a width from 1 to {MAX_BEAM}; --beam sets another"
        )));
    }
    let of_beams = beam.is_some() || merge == Some(true);
    let kind = search.or(of_beams.then_some(SearchKind::Beam));
    let kind = kind.unwrap_or(model.header.option("search").unwrap_or_default());
    // A model trained with merging does not merge where the search has no beam.
    let keeps = keep_heads.is_some() || keep_labels;
    if keeps && merge == Some(true) {
        return usage("--keep-heads and --keep-labels are for beams that do not merge; leave out --merge");
    }
    let merges = model.header.merges() && kind == SearchKind::Beam && !keeps;
    let strategy = Strategy::new(kind, width, merge.unwrap_or(merges), &model.header)?;
    match strategy {
        Strategy::Exact(_) => {
            if beam.is_some() || margin.is_some() {
                return usage("exact search has no beam; leave out --beam and --margin, or --search exact");
            }
            if n_trees > 1 && (marginals.is_none() || options.k_best > 1) {
                let expected = match options.k_best {
                    1 => {
                        "--confidences, search in a beam (--search beam), or train arc-hybrid or arc-eager with --dev of 50 sentences"
                    }
                    _ => "--k-best, search in a beam (--search beam)",
                };
                return usage(&format!("exact search finds the one best tree; for {expected}"));
            }
            return Ok((Parser::shared(Arc::clone(model), strategy, threads)?, strategy));
        }
        Strategy::Merged { .. } => {
            if !matches!(margin, None | Some(Margin::None)) {
                return usage("--merge has no margin; leave out --margin or --merge");
            }
        }
        Strategy::Beam { .. } => {}
    }
    if confidences.is_some() && width == 1 {
        let what = "--confidences compares the best trees of a beam, and greedy search finds but one; expected --beam with a width above 1";
        return usage(what);
    }
    // Margins are calibrated on where the best tree comes from, among items that are compared as they were.
    let takes_margins = strategy.takes_margins() && n_trees == 1 && alternatives.is_none();
    let margin = margin.unwrap_or(if takes_margins { Margin::Auto } else { Margin::None });
    if matches!(margin, Margin::Quantile(_)) && model.header.gaps.is_empty() {
        return usage(&format!(
            "--margin {margin}: the model was not calibrated, which takes training with a beam and --dev; expected auto or none"
        ));
    }
    // Probabilities of whole derivations can be compared, whoever made them.
    let comparable = model.header.network.as_ref().is_some_and(|network| network.normalised);
    if width > 1 && model.header.beam == 1 && !comparable {
        warnings.push(format!(
            "the model was trained to be decoded greedily; a beam of {width} mostly makes its trees worse, by many points of LAS"
        ));
    }
    Ok((Parser::shared(Arc::clone(model), strategy, threads)?.with_margin(margin), strategy))
}

/// Refuses what parsers without beams do not have.
fn check_exact(system: &str, options: &ParseOptions) -> Result<()> {
    let is_beam = options.search == Some(SearchKind::Beam);
    if options.beam.is_some() || is_beam {
        return usage(&format!(
            "beams are for transition systems, and the model is for `{system}`, whose search is exact; leave out --beam and --search"
        ));
    }
    if options.margin.is_some() {
        return usage(&format!(
            "--margin is for transition systems, and the model is for `{system}`, whose search is exact; leave it out"
        ));
    }
    if options.merge.is_some() {
        return usage(&format!("--merge is for transition systems, and the model is for `{system}`; leave it out"));
    }
    Ok(())
}

fn usage<T>(message: &str) -> Result<T> {
    Err(Error::Usage(message.to_owned()))
}
