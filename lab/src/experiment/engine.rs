//! Calls of training, decoding and scoring: the only file here that knows them.

use std::borrow::Borrow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::kind::CellFiles;
use super::record::{Epoch, Scores, TrainingRecord};
use super::tags::{Tagging, Tags, is_joint, tagged, tagged_beside};
use treebeam::decode::{Margin, Parsed, Parser, Strategy};
use treebeam::diagnosis::{Diagnosis, diagnose};
use treebeam::error::{Error, Result};
use treebeam::eval::{Analysis, Classes, Granularity, PunctuationRule, count};
use treebeam::files::write_whole;
use treebeam::graph::{self, GraphData, GraphModel, GraphParser};
use treebeam::learn::{IterationReport, Run, Stop, TrainOptions, TrainingData, start};
use treebeam::model::Frozen as _;
use treebeam::options::Options;
use treebeam::process;
use treebeam::scorers;
use treebeam::tree::{Labels, Node, Roots};
use treebeam::treebank::{Column, Sentence, Treebank};

/// Engine that runs cells. Clocks, locks and records are not its business, see [`super::measure`].
pub trait Engine: Sync {
    /// A trained model with the data that it is to be decoded on.
    type Trained;
    /// Parsed sentences.
    type Parsed;

    /// Tags the cell's data, if they are to be, on one thread; once for all cells of the treebank. No clock counts it.
    ///
    /// # Errors
    /// If the data cannot be read or tagged.
    fn tag(&self, _cell: &Cell) -> Result<Option<Tagging>> {
        Ok(None)
    }

    /// Reads the cell's data and trains, on one thread. What was trained before an interruption is found in `files`.
    /// The time of the training is that which went into it before it was interrupted.
    ///
    /// # Errors
    /// If the data cannot be read or the options do not fit them.
    fn train(&self, cell: &Cell, files: &CellFiles) -> Result<(Self::Trained, TrainingRecord)>;

    /// Parses one portion with a beam of `width` on one thread. Only this is timed.
    ///
    /// # Errors
    /// If `width` is 0 or the thread cannot be started.
    fn parse(&self, trained: &Self::Trained, on: Evaluated, width: usize) -> Result<Self::Parsed>;

    /// Model errors and search errors in the test data at this width; `None` if they cannot be
    /// distinguished.
    ///
    /// # Errors
    /// If a gold tree is malformed.
    fn diagnose(&self, trained: &Self::Trained, width: usize) -> Result<Option<Diagnosis>>;

    /// Scores what [`Engine::parse`] gave for the portion, sentence by sentence.
    fn score(&self, trained: &Self::Trained, on: Evaluated, parsed: &Self::Parsed) -> Vec<Scores>;

    /// Correct words of what [`Engine::parse`] gave for the test data, by classes of gold trees.
    fn classes(&self, trained: &Self::Trained, parsed: &Self::Parsed) -> Classes;

    /// Words of the test data that the model gave the right tag, if it tags and parses.
    fn right_tags(&self, _trained: &Self::Trained, _parsed: &Self::Parsed) -> Option<u64> {
        None
    }
}

/// A portion that is parsed and scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// The test data.
    Test,
    /// The development data.
    Dev,
}

/// The engine of this library.
#[derive(Debug, Clone, Copy, Default)]
pub struct Treebeam;

/// A model with the data that it is to be decoded on.
#[derive(Debug)]
pub struct Trained {
    model: AnyModel,
    margin: Margin,
    dev: Gold,
    test: Gold,
}

/// A model of either kind of parser.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a cell")]
enum AnyModel {
    Transitions(scorers::AnyModel),
    Graph(GraphModel),
}

impl AnyModel {
    /// The labels of its trees.
    fn labels(&self) -> &Labels {
        match self {
            AnyModel::Transitions(model) => model.label_decoding.labels(),
            AnyModel::Graph(model) => model.label_decoding.labels(),
        }
    }
}

/// Course of a training run beside the model.
#[derive(Debug, Serialize, Deserialize)]
struct Finished {
    reports: Vec<IterationReport>,
    stop: Option<Stop>,
    kept_epoch: u32,
    n_features: u64,
    /// Seconds by the clock that are not on the cell's own clock.
    seconds_before: f64,
    /// Processor seconds of the training that came first.
    cpu_before: f64,
}

/// Clock beside a checkpoint: how long the run had taken when it was written.
#[derive(Debug, Serialize, Deserialize)]
struct Spent {
    iteration: usize,
    /// Seconds by the clock, of processes that are gone.
    seconds: f64,
}

/// Goes on from the cell's checkpoint, if there is one: the seconds that the run had taken until then. `None` if the
/// checkpoint cannot be used; the run is then to be begun anew.
fn resume(run: &mut (impl Run + ?Sized), files: &CellFiles) -> Option<f64> {
    if !files.checkpoint.exists() {
        return Some(0.0);
    }
    if let Err(error) = run.load(&files.checkpoint) {
        // A checkpoint is a help and no more.
        treebeam::console::say(format_args!("{error}; the cell is run from the beginning"));
        return None;
    }
    let spent: Option<Spent> = read_json(&files.clock());
    let learning = || run.reports().iter().map(|report| report.seconds).sum();
    Some(spent.filter(|spent| spent.iteration == run.reports().len()).map_or_else(learning, |spent| spent.seconds))
}

/// Trains to the end, with checkpoints. The clock was started at `start`; `before` are the seconds that the run had taken before it
/// was interrupted.
fn train_to_the_end(run: &mut (impl Run + ?Sized), files: &CellFiles, start: Instant, before: f64) -> Result<()> {
    let mut saved = Instant::now();
    let mut can_save = true;
    while !run.is_done() {
        run.iterate(&mut |_| ())?;
        if can_save && saved.elapsed() >= files.checkpoint_every && !run.is_done() {
            let seconds = before + start.elapsed().as_secs_f64();
            let spent = Spent { iteration: run.reports().len(), seconds };
            let written = write_json(&files.clock(), &spent).and_then(|()| run.save(&files.checkpoint));
            if let Err(error) = written {
                treebeam::console::say(format_args!("{error}; the cell goes on without checkpoints"));
                can_save = false;
            }
            saved = Instant::now();
        }
    }
    Ok(())
}

/// Value that a process wrote as JSON into `path`; none if it cannot be read.
fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    std::fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec(value).map_err(|error| Error::Usage(error.to_string()))?;
    write_whole(path, &text)
}

/// The run that `begin` begins, brought to its end, or gone on with from its checkpoint; and the seconds that processes
/// which are gone took. The clock was started at `began`; `before` are the seconds that they took for what came first.
fn ended<R: Run + ?Sized>(
    begin: impl Fn() -> Result<Box<R>>,
    files: &CellFiles,
    began: Instant,
    before: f64,
) -> Result<(Box<R>, f64)> {
    let mut run = begin()?;
    let before = match resume(&mut *run, files) {
        // Checkpoints know what all of it took.
        Some(seconds) if seconds > 0.0 => seconds,
        Some(_) => before,
        None => {
            run = begin()?;
            before
        }
    };
    train_to_the_end(&mut *run, files, began, before)?;
    Ok((run, before))
}

impl Finished {
    /// Course of a run whose model is of `kept_epoch` and knows so many features.
    fn of(run: &(impl Run + ?Sized), kept_epoch: u32, n_features: usize, seconds_before: f64) -> Finished {
        Finished {
            reports: run.reports().to_vec(),
            stop: run.stopping().stop(run.reports()),
            kept_epoch,
            n_features: n_features as u64,
            seconds_before,
            cpu_before: 0.0,
        }
    }

    /// Processor seconds of its iterations, if the system measures them.
    fn cpu_seconds(&self) -> Option<f64> {
        self.reports.iter().map(|report| report.cpu_seconds).sum()
    }

    /// The same in a record.
    fn training(self) -> TrainingRecord {
        let epoch = |report: &IterationReport| Epoch {
            epoch: report.iteration,
            updates: report.updates,
            seconds: report.seconds,
            dev: report.dev,
        };
        TrainingRecord {
            epochs: self.reports.iter().map(epoch).collect(),
            kept_epoch: self.kept_epoch,
            n_features: self.n_features,
            wall_s: self.seconds_before,
            cpu_s: self.cpu_seconds().map(|cpu_s| self.cpu_before + cpu_s),
            stop: self.stop,
        }
    }
}

/// Trains a parser of a transition system, as [`ended`] does.
fn of_transitions(
    options: &TrainOptions,
    data: &TrainingData,
    files: &CellFiles,
    began: Instant,
    before: f64,
) -> Result<(scorers::AnyModel, Finished)> {
    let (run, before) = ended(|| start(options, data, 1), files, began, before)?;
    let model = run.model()?;
    let finished = Finished::of(&*run, model.header.provenance.iteration, model.scorer.size().features, before);
    Ok((model, finished))
}

/// Course of the training that the cell shares with others; its model stands in `files` afterwards. It is trained
/// unless it stands there, which another cell may have seen to.
fn shared<D: Borrow<TrainingData>>(
    options: &TrainOptions,
    data: impl FnOnce() -> Result<D>,
    files: &CellFiles,
    began: Instant,
) -> Result<Finished> {
    let history = files.shared_history();
    if let Some(finished) = read_json(&history).filter(|_| files.shared_model.exists()) {
        return Ok(finished);
    }
    let own_files = files.of_shared();
    let (model, finished) = of_transitions(options, data()?.borrow(), &own_files, began, 0.0)?;
    model.write(&files.shared_model)?;
    let seconds = finished.seconds_before + began.elapsed().as_secs_f64();
    let of_others = Finished { seconds_before: seconds, ..finished };
    write_json(&history, &of_others)?;
    own_files.clear();
    // The cell's own clock has the time of this process.
    Ok(Finished { seconds_before: seconds - began.elapsed().as_secs_f64(), ..of_others })
}

impl Trained {
    fn gold(&self, on: Evaluated) -> &Gold {
        match on {
            Evaluated::Dev => &self.dev,
            Evaluated::Test => &self.test,
        }
    }

    /// The sentences of a portion with their gold and their parsed trees.
    fn analyses<'a>(
        &'a self,
        on: Evaluated,
        parsed: &'a [Parsed],
    ) -> impl Iterator<Item = (&'a Sentence, [Analysis<'a>; 2])> {
        let (gold, labels) = (self.gold(on), self.model.labels());
        gold.treebank.sentences.iter().zip(&gold.heads).zip(parsed).map(|((sentence, heads), Parsed { tree, .. })| {
            let labels_of_gold = sentence.words().map(|word| sentence.deprel(word)).collect();
            let labels_of_tree = tree.labels().iter().map(|&label| labels.name(label)).collect();
            let gold = Analysis { heads: heads.clone(), labels: labels_of_gold };
            (sentence, [gold, Analysis { heads: tree.heads().to_vec(), labels: labels_of_tree }])
        })
    }
}

impl Engine for Treebeam {
    type Trained = Trained;
    type Parsed = Vec<Parsed>;

    fn tag(&self, cell: &Cell) -> Result<Option<Tagging>> {
        match cell.tags {
            Tags::Jackknifed => Ok(tagged(&cell.data, cell.tags, cell.options.columns().1)?.1.clone()),
            Tags::Gold | Tags::None => Ok(None),
        }
    }

    fn train(&self, cell: &Cell, files: &CellFiles) -> Result<(Trained, TrainingRecord)> {
        let began = Instant::now();
        let Cell { options, data, .. } = cell;
        let as_learned = |treebank: Treebank| treebank.for_target(options.target()).into_owned();
        let column = options.columns().1;
        let tagged = match cell.tags {
            Tags::Jackknifed if is_joint(options) => tagged_beside(data, column)?,
            tags => Arc::unwrap_or_clone(tagged(data, tags, column)?),
        };
        let [train, dev, test] = tagged.0.map(as_learned);
        // Cells run side by side on one thread each; without a pool of its own this one would spread over all.
        let pool = process::thread_pool(1)?;
        let (model, finished) = match options {
            Options::Transitions(options) => {
                let data_for = |options: &TrainOptions| pool.install(|| TrainingData::new(options, &train, Some(&dev)));
                let (data, mut model, finished) = match cell.after.as_ref().and_then(Options::transitions) {
                    Some(first) => {
                        let first = shared(first, || data_for(first), files, began)?;
                        let init = Some(files.shared_model.display().to_string());
                        let options = &TrainOptions { init, ..options.clone() };
                        let data = data_for(options)?;
                        let (model, finished) = of_transitions(options, &data, files, began, first.seconds_before)?;
                        let cpu_before = first.cpu_seconds().unwrap_or_default();
                        (data, model, Finished { cpu_before, ..finished })
                    }
                    None if cell.shared_training.is_some() => {
                        let data = data_for(options)?;
                        let finished = shared(options, || Ok(&data), files, began)?;
                        (data, scorers::AnyModel::read_file(&files.shared_model)?, finished)
                    }
                    None => {
                        let data = data_for(options)?;
                        let (model, finished) = of_transitions(options, &data, files, began, 0.0)?;
                        (data, model, finished)
                    }
                };
                if cell.margin != Margin::None {
                    pool.install(|| data.calibrate(&mut model));
                }
                (AnyModel::Transitions(model), finished)
            }
            Options::Graph(options) => {
                let data = pool.install(|| GraphData::new(options, &train, Some(&dev)))?;
                let (run, before) = ended(|| graph::start(options, &data, 1), files, began, 0.0)?;
                let model = run.model()?;
                let (kept, size) = (model.header.provenance.iteration, model.scorer.size());
                let finished = Finished::of(&*run, kept, size.features, before);
                (AnyModel::Graph(model), finished)
            }
        };
        let gold = |portion, input| match cell.tags {
            Tags::Gold => Gold::new(input, None),
            Tags::Jackknifed | Tags::None => Gold::new(as_learned(data.read(portion)?), Some(input)),
        };
        let (dev, test) = (gold(&data.dev, dev)?, gold(&data.test, test)?);
        Ok((Trained { model, margin: cell.margin, dev, test }, finished.training()))
    }

    fn parse(&self, trained: &Trained, on: Evaluated, width: usize) -> Result<Vec<Parsed>> {
        let sentences = &trained.gold(on).input().sentences;
        match &trained.model {
            AnyModel::Transitions(model) => {
                let strategy = Strategy::trained(width, &model.header)?;
                let parsed = Parser::with(model, strategy, 1)?.with_margin(trained.margin).parse(sentences, 1);
                Ok(parsed.into_iter().filter_map(|best| best.into_iter().next()).collect())
            }
            AnyModel::Graph(model) => GraphParser::new(model, 1)?.parse(sentences),
        }
    }

    fn diagnose(&self, trained: &Trained, width: usize) -> Result<Option<Diagnosis>> {
        match &trained.model {
            // The best derivation of all is found: there are no search errors.
            AnyModel::Transitions(model) if Strategy::trained(width, &model.header)?.width().is_none() => Ok(None),
            AnyModel::Transitions(model) => diagnose(model, trained.test.input(), width, trained.margin),
            // The best tree of all is found exactly: there are no search errors.
            AnyModel::Graph(_) => Ok(None),
        }
    }

    fn score(&self, trained: &Trained, on: Evaluated, parsed: &Vec<Parsed>) -> Vec<Scores> {
        let gold = trained.gold(on);
        let scores =
            trained.analyses(on, parsed).map(|(sentence, [right, system])| gold.score(sentence, &right, &system));
        scores.collect()
    }

    fn classes(&self, trained: &Trained, parsed: &Vec<Parsed>) -> Classes {
        let mut classes = Classes::default();
        for (_, [gold, system]) in trained.analyses(Evaluated::Test, parsed) {
            classes.add(&gold, &system);
        }
        classes
    }

    fn right_tags(&self, trained: &Trained, parsed: &Vec<Parsed>) -> Option<u64> {
        let AnyModel::Transitions(model) = &trained.model else { return None };
        let (column, labels) = (model.header.joint_target()?, trained.model.labels());
        let sentences = &trained.gold(Evaluated::Test).treebank.sentences;
        let right = sentences.iter().zip(parsed).map(|(sentence, Parsed { tags, .. })| {
            let pairs = sentence.words().zip(tags);
            pairs.filter(|&(word, &tag)| sentence.column(word, column) == labels.name(tag)).count() as u64
        });
        Some(right.sum())
    }
}

/// Sentences to score against.
#[derive(Debug)]
struct Gold {
    treebank: Treebank,
    /// The same with the tags that are read, if those are others.
    input: Option<Treebank>,
    /// The heads of each sentence's words.
    heads: Vec<Vec<Node>>,
    rule: PunctuationRule,
}

impl Gold {
    fn new(treebank: Treebank, input: Option<Treebank>) -> Result<Gold> {
        // Several roots are no mistake here, as for `treebeam eval`.
        let heads = treebank.sentences.iter().map(|s| s.heads(Roots::Several)).collect::<Result<_, _>>()?;
        let upos = treebank.sentences.iter().flat_map(|s| s.words().map(|word| s.column(word, Column::Upos)));
        let rule = PunctuationRule::for_tags(upos);
        Ok(Gold { treebank, input, heads, rule })
    }

    /// The sentences that are parsed.
    fn input(&self) -> &Treebank {
        self.input.as_ref().unwrap_or(&self.treebank)
    }

    /// Scores one sentence, over whole labels.
    fn score(&self, sentence: &Sentence, gold: &Analysis, system: &Analysis) -> Scores {
        let is_word = |i: usize| {
            let word = i as Node + 1;
            !self.rule.applies(sentence.form(word), sentence.column(word, Column::Upos))
        };
        Scores {
            with_punctuation: count(gold, system, |_| true, Granularity::Full),
            without_punctuation: count(gold, system, is_word, Granularity::Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use treebeam::treebank::generate;

    #[test]
    fn a_shared_training_is_done_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (checkpoint, shared_model) = (at("cell.checkpoint"), at("first.model"));
        let files = CellFiles { checkpoint, checkpoint_every: Duration::ZERO, shared_model };
        let treebank =
            generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 30, non_projective: false });
        let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
        let first = shared(&options, || TrainingData::new(&options, &treebank, None), &files, Instant::now()).unwrap();
        let again = || -> Result<TrainingData> { panic!("trained again") };
        let second = shared(&options, again, &files, Instant::now()).unwrap();
        let of = |finished: &Finished| {
            let updates: Vec<u64> = finished.reports.iter().map(|report| report.updates).collect();
            (updates, finished.kept_epoch, finished.n_features)
        };
        assert_eq!(of(&second), of(&first));
        assert!(second.seconds_before > first.seconds_before, "the time on another cell's clock counts");
        assert!(!files.of_shared().checkpoint.exists() && !files.of_shared().clock().exists());
        files.clear_shared();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
