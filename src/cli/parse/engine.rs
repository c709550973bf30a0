//! Whichever parser the model is for.

use anyhow::{bail, ensure};

use crate::cli::loaded::Loaded;
use crate::cli::range;
use crate::decode::{Margin, Parsed, Parser, SearchKind, Strategy};
use crate::features::ColumnName;
use crate::graph::GraphParser;
use crate::linear::Weights as _;
use crate::model::{Align, Comparison, Frozen as _, Normalise};
use crate::scorers::AnyScorer;
use crate::tree::Labels;
use crate::treebank::Sentence;

/// Options of how the best tree is looked for.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Search in a beam, or exactly, by tabulation, with features that read words by position only [default: what the model was
    /// trained with, or beam if --beam is given]
    #[arg(long, value_enum)]
    pub search: Option<SearchKind>,
    /// The width of the beam, 1 being greedy [default: what the model was trained with]
    #[arg(long, value_name = "B", value_parser = range::beam())]
    pub beam: Option<usize>,
    /// Leave out items that lag behind the best of their step by more than the winners in the model's development data did:
    /// auto, none, or the percentage of these sentences that would have kept their trees, such as 99.5 [default: none]
    #[arg(long, value_name = "Q")]
    pub margin: Option<Margin>,
    /// Which items of a beam are compared: those that have taken equally many steps, or consumed equally many words [default: as
    /// the model was trained]
    #[arg(long, value_enum)]
    pub align: Option<Align>,
    /// What scores of items are divided by before they are compared [default: as the model was trained]
    #[arg(long, value_enum)]
    pub normalise: Option<Normalise>,
}

/// A parser over a model of either kind.
#[derive(Debug)]
pub enum Engine<'m> {
    /// A transition system that searches in this way.
    Transitions(Box<Parser<'m, AnyScorer>>, Strategy),
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
        &SearchArgs { search, beam, margin, align, normalise }: &SearchArgs,
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
                let mut strategy = match search.or(beam.map(|_| SearchKind::Beam)) {
                    Some(search) => Strategy::new(search, width, &model.header)?,
                    None => Strategy::trained(width, &model.header)?,
                };
                match &mut strategy {
                    Strategy::Exact(_) => {
                        ensure!(
                            beam.is_none() && margin.is_none() && align.is_none() && normalise.is_none(),
                            "exact search has no beam; leave out --beam, --margin, --align and --normalise, or --search exact"
                        );
                        ensure!(
                            k_best == 1,
                            "exact search finds the one best tree; for --k-best, search in a beam (--search beam)"
                        );
                        return Ok(Engine::Transitions(Box::new(Parser::with(model, strategy, threads)?), strategy));
                    }
                    Strategy::Beam { comparison, .. } => {
                        comparison.align = align.unwrap_or(comparison.align);
                        comparison.normalise = normalise.unwrap_or(comparison.normalise);
                        ensure!(
                            *comparison == Comparison::default() || matches!(margin, None | Some(Margin::None)),
                            "--margin is calibrated for --align steps and --normalise nothing; expected --margin none"
                        );
                    }
                }
                let margin = margin.unwrap_or_default();
                if matches!(margin, Margin::Quantile(_)) && model.header.lags.is_empty() {
                    bail!(
                        "--margin {margin}: the model was not calibrated, which takes training with a beam and --dev; expected auto or none"
                    );
                }
                // Probabilities of whole derivations can be compared, whoever made them.
                let comparable = model.header.network.as_ref().is_some_and(|network| network.normalised);
                if width > 1 && model.header.beam == 1 && !comparable {
                    crate::console::say(format_args!(
                        "warning: the model was trained to be decoded greedily; a beam of {width} mostly makes its trees worse, by many points of LAS"
                    ));
                }
                let parser = Parser::with(model, strategy, threads)?.with_margin(margin);
                Ok(Engine::Transitions(Box::new(parser), strategy))
            }
            Loaded::Graph(model) => {
                let system = model.header.system;
                if beam.is_some() || search == Some(SearchKind::Beam) {
                    bail!(
                        "beams are for transition systems, and the model is for `{system}`, whose search is exact; leave out --beam and --search"
                    );
                }
                if margin.is_some() {
                    bail!("--margin is for transition systems, and the model is for `{system}`, whose search is exact");
                }
                ensure!(
                    align.is_none() && normalise.is_none(),
                    "--align and --normalise are for transition systems, and the model is for `{system}`"
                );
                Ok(Engine::Graph(GraphParser::new(model, threads)?))
            }
        }
    }

    /// The width of the beam, if there is one.
    pub fn beam(&self) -> Option<usize> {
        match self {
            Engine::Transitions(_, strategy) => strategy.width(),
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
            Engine::Transitions(_, strategy) => strategy.check(sentence),
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
            Engine::Graph(parser) => parser.k_best(sentences, k),
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
