//! Whichever parser the model is for.

use anyhow::{bail, ensure};

use crate::cli::loaded::Loaded;
use crate::decode::{Margin, Parsed, Parser};
use crate::features::ColumnName;
use crate::graph::GraphParser;
use crate::linear::Weights as _;
use crate::model::{Align, Comparison, Frozen as _, Normalise};
use crate::tree::Labels;
use crate::treebank::Sentence;

/// A parser over a model of either kind.
#[derive(Debug)]
pub enum Engine<'m> {
    /// A transition system in a beam of this width.
    Transitions(Box<Parser<'m>>, usize),
    /// A graph-based parser.
    Graph(GraphParser<'m>),
}

impl<'m> Engine<'m> {
    /// A parser over `model` on `threads` threads.
    ///
    /// # Errors
    /// If the threads cannot be started, or the options are not for this kind of parser.
    pub fn new(
        model: &'m Loaded,
        beam: Option<usize>,
        (margin, (align, normalise)): (Option<Margin>, (Option<Align>, Option<Normalise>)),
        k_best: usize,
        threads: usize,
    ) -> anyhow::Result<Engine<'m>> {
        ensure!(k_best > 0, "--k-best must be at least 1");
        match model {
            Loaded::Transitions(model) => {
                let width = beam.unwrap_or(model.header.beam);
                let most = crate::cli::range::MAX_BEAM;
                ensure!(
                    (1..=most).contains(&(width as u64)),
                    "the model's header says that its beam is {width} wide; expected a width from 1 to {most}; --beam sets another"
                );
                let trained = model.header.comparison();
                let asked = Comparison {
                    align: align.unwrap_or(trained.align),
                    normalise: normalise.unwrap_or(trained.normalise),
                };
                let is_plain = asked == Comparison::default();
                if !is_plain && margin.is_some_and(|margin| !matches!(margin, Margin::None)) {
                    bail!("--margin is calibrated for --align steps and --normalise nothing; expected --margin none");
                }
                // Lists of trees are not what margins are calibrated for.
                let usual = if k_best == 1 && is_plain { Margin::Auto } else { Margin::None };
                let margin = margin.unwrap_or(usual);
                if matches!(margin, Margin::Quantile(_)) && model.header.lags.is_empty() {
                    bail!(
                        "--margin {margin}: the model was not calibrated, which takes training with a beam and --dev; expected auto or none"
                    );
                }
                if width > 1 && model.header.beam == 1 {
                    crate::console::say(format_args!(
                        "warning: the model was trained to be decoded greedily; a beam of {width} mostly makes its trees worse, by many points of LAS"
                    ));
                }
                let parser = Parser::new(model, width, threads)?.with_margin(margin);
                let parser = if asked == trained { parser } else { parser.comparing(asked) };
                Ok(Engine::Transitions(Box::new(parser), width))
            }
            Loaded::Graph(model) => {
                let system = model.header.system;
                if beam.is_some() {
                    bail!("--beam is for transition systems, and the model is for `{system}`, whose search is exact");
                }
                if margin.is_some() {
                    bail!("--margin is for transition systems, and the model is for `{system}`, whose search is exact");
                }
                ensure!(
                    align.is_none() && normalise.is_none(),
                    "--align and --normalise are for transition systems, and the model is for `{system}`"
                );
                ensure!(k_best == 1, "--k-best is for transition systems; `{system}` finds the one best tree");
                Ok(Engine::Graph(GraphParser::new(model, threads)?))
            }
        }
    }

    /// The width of the beam, if there is one.
    pub fn beam(&self) -> Option<usize> {
        match self {
            Engine::Transitions(_, width) => Some(*width),
            Engine::Graph(_) => None,
        }
    }

    /// By how much items may lag behind the best of their step, as a score, if that prunes.
    pub fn margin(&self) -> Option<f64> {
        match self {
            Engine::Transitions(parser, _) => parser.margin(),
            Engine::Graph(_) => None,
        }
    }

    /// Whether the parser takes the sentence.
    ///
    /// # Errors
    /// If it is too long for this kind of parser.
    pub fn check(&self, sentence: &Sentence) -> crate::error::Result<()> {
        match self {
            Engine::Transitions(..) => Ok(()),
            Engine::Graph(_) => crate::graph::check_length(sentence),
        }
    }

    /// The `k` best trees of each sentence, in the order of the sentences.
    ///
    /// # Errors
    /// If a sentence cannot be parsed.
    pub fn parse(&mut self, sentences: &[Sentence], k: usize) -> crate::error::Result<Vec<Vec<Parsed>>> {
        match self {
            Engine::Transitions(parser, _) => Ok(parser.parse(sentences, k)),
            Engine::Graph(parser) => Ok(parser.parse(sentences)?.into_iter().map(|parsed| vec![parsed]).collect()),
        }
    }
}

impl Loaded {
    /// The labels of parsed trees.
    pub fn labels(&self) -> &Labels {
        match self {
            Loaded::Transitions(model) => model.label_decoding.labels(),
            Loaded::Graph(model) => model.label_decoding.labels(),
        }
    }

    /// The columns that features of words and of tags read.
    pub fn columns(&self) -> (ColumnName, ColumnName) {
        match self {
            Loaded::Transitions(model) => (model.header.word_column, model.header.tag_column),
            Loaded::Graph(model) => (model.header.word_column, model.header.tag_column),
        }
    }

    /// The tags of the training data, if the model tells them.
    pub fn tags(&self) -> &[String] {
        match self {
            Loaded::Transitions(model) => &model.header.tags,
            Loaded::Graph(_) => &[],
        }
    }

    /// What a score of 1.0 is in the model's fixed point.
    pub fn scale(&self) -> u32 {
        match self {
            Loaded::Transitions(model) => model.scorer.scale(),
            Loaded::Graph(model) => model.weights.scale(),
        }
    }
}
