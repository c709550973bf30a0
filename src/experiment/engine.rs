//! Where an experiment calls training, decoding and scoring: the only file here that knows them.

use super::cell::Cell;
use super::record::Epoch;
use crate::decode::{Parsed, Parser};
use crate::diagnosis::{Diagnosis, diagnose};
use crate::error::{Error, Result};
use crate::eval::{Analysis, Counts, Granularity, PunctuationRule, count};
use crate::learn::{IterationReport, TrainingData, start};
use crate::linear::LinearModel;
use crate::model::Frozen as _;
use crate::tree::{Node, Roots};
use crate::treebank::{Column, Sentence, Treebank};

/// What runs cells. Clocks, locks and records are not its business, see [`super::measure`].
pub trait Engine: Sync {
    /// A trained model with the data that it is to be decoded on.
    type Trained;
    /// Parsed sentences.
    type Parsed;

    /// Reads the cell's data and trains, on one thread.
    ///
    /// # Errors
    /// If the data cannot be read or the options do not fit them.
    fn train(&self, cell: &Cell) -> Result<Self::Trained>;

    /// The iterations, the number of the kept one (from 1), and the number of features with weights.
    fn history(&self, trained: &Self::Trained) -> (Vec<Epoch>, u32, u64);

    /// Parses one portion with a beam of `width` on one thread. Only this is timed.
    ///
    /// # Errors
    /// If `width` is 0 or the thread cannot be started.
    fn parse(&self, trained: &Self::Trained, on: Evaluated, width: usize) -> Result<Self::Parsed>;

    /// Whether the model or the search is to blame for what is wrong in the test data at this width; `None` if that cannot be
    /// told.
    ///
    /// # Errors
    /// If a gold tree is malformed.
    fn diagnose(&self, trained: &Self::Trained, width: usize) -> Result<Option<Diagnosis>>;

    /// Scores what [`Engine::parse`] gave for the portion, sentence by sentence.
    fn score(&self, trained: &Self::Trained, on: Evaluated, parsed: &Self::Parsed) -> Vec<SentenceScore>;
}

/// A portion that is parsed and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// The test data.
    Test,
    /// The development data.
    Dev,
}

/// The counts of one sentence under both rules for punctuation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SentenceScore {
    /// All words.
    pub with_punctuation: Counts,
    /// All words but punctuation.
    pub without_punctuation: Counts,
}

/// The engine of this library.
#[derive(Debug, Clone, Copy, Default)]
pub struct Treebeam;

/// A model with the data that it is to be decoded on.
#[derive(Debug)]
pub struct Trained {
    model: LinearModel,
    reports: Vec<IterationReport>,
    dev: Gold,
    test: Gold,
}

impl Trained {
    fn gold(&self, on: Evaluated) -> &Gold {
        match on {
            Evaluated::Dev => &self.dev,
            Evaluated::Test => &self.test,
        }
    }
}

impl Engine for Treebeam {
    type Trained = Trained;
    type Parsed = Vec<Vec<Parsed>>;

    fn train(&self, cell: &Cell) -> Result<Trained> {
        let Cell { options, data, .. } = cell;
        let [train, dev] = [data.read(&data.train)?, data.read(&data.dev)?];
        // Cells run side by side on one thread each; without a pool of its own this one would spread over all.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .map_err(|error| Error::Usage(format!("cannot start a thread: {error}")))?;
        let training_data = pool.install(|| TrainingData::new(options, &train, Some(&dev)))?;
        let mut run = start(options, &training_data, 1)?;
        for _ in 0..options.iterations {
            run.iterate(&mut |_| ());
        }
        let (model, reports) = (run.model()?, run.reports().to_vec());
        let test = Gold::new(data.read(&data.test)?)?;
        Ok(Trained { model, reports, dev: Gold::new(dev)?, test })
    }

    fn history(&self, trained: &Trained) -> (Vec<Epoch>, u32, u64) {
        let epoch = |report: &IterationReport| Epoch {
            epoch: report.iteration,
            updates: report.updates,
            seconds: report.seconds,
            dev: report.dev,
        };
        let epochs = trained.reports.iter().map(epoch).collect();
        (epochs, trained.model.header.provenance.iteration, trained.model.scorer.size().features as u64)
    }

    fn parse(&self, trained: &Trained, on: Evaluated, width: usize) -> Result<Vec<Vec<Parsed>>> {
        Ok(Parser::new(&trained.model, width, 1)?.parse(&trained.gold(on).treebank.sentences, 1))
    }

    fn diagnose(&self, trained: &Trained, width: usize) -> Result<Option<Diagnosis>> {
        diagnose(&trained.model, &trained.test.treebank, width)
    }

    fn score(&self, trained: &Trained, on: Evaluated, parsed: &Vec<Vec<Parsed>>) -> Vec<SentenceScore> {
        let gold = trained.gold(on);
        let labels = trained.model.label_decoding.labels();
        let sentences = gold.treebank.sentences.iter().zip(&gold.heads).zip(parsed);
        let score = |((sentence, heads), parsed): ((&Sentence, &Vec<Node>), &Vec<Parsed>)| {
            let tree = &parsed[0].tree;
            let system = Analysis {
                heads: tree.heads().to_vec(),
                labels: tree.labels().iter().map(|&label| labels.name(label)).collect(),
            };
            gold.score(sentence, heads, &system)
        };
        sentences.map(score).collect()
    }
}

/// Sentences to score against.
#[derive(Debug)]
struct Gold {
    treebank: Treebank,
    /// The heads of each sentence's words.
    heads: Vec<Vec<Node>>,
    rule: PunctuationRule,
}

impl Gold {
    fn new(treebank: Treebank) -> Result<Gold> {
        // Several roots are no mistake here, as for `treebeam eval`.
        let heads = treebank.sentences.iter().map(|s| s.heads(Roots::Several)).collect::<Result<_, _>>()?;
        let upos = treebank.sentences.iter().flat_map(|s| s.words().map(|word| s.column(word, Column::Upos)));
        let rule = PunctuationRule::for_tags(upos);
        Ok(Gold { treebank, heads, rule })
    }

    /// Scores one sentence, over whole labels.
    fn score(&self, sentence: &Sentence, heads: &[Node], system: &Analysis) -> SentenceScore {
        let gold =
            Analysis { heads: heads.to_vec(), labels: sentence.words().map(|word| sentence.deprel(word)).collect() };
        let is_word = |i: usize| {
            let word = i as Node + 1;
            !self.rule.applies(sentence.form(word), sentence.column(word, Column::Upos))
        };
        SentenceScore {
            with_punctuation: count(&gold, system, |_| true, Granularity::Full),
            without_punctuation: count(&gold, system, is_word, Granularity::Full),
        }
    }
}
