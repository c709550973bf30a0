//! A training from treebanks to a model file, as the command line and Python run it.

mod files;
mod findings;
mod jackknife;

use std::path::{Path, PathBuf};

use crate::error::{Error, Problems, Result, counted, remaining};
use crate::files::{Output, Paths};
use crate::graph::{self, GraphData, GraphHeader};
use crate::learn::{self, Learner, TrainOptions, Training, TrainingData};
use crate::model::{Header, Notes, Provenance, VectorsOrigin};
use crate::options::{GivenOptions, Options};
use crate::parallel;
use crate::parser::MAX_THREADS;
use crate::process;
use crate::scorer::Decisions;
use crate::training::prepare::Open;
use crate::training::{Drive, IterationReport, Observer, Run, Written};
use crate::treebank::Treebank;

pub use files::NamedFile;
pub use jackknife::{annotated, jackknife};

/// Sentences that are left out and listed, for each kind of problem.
const LISTED: usize = 10;

/// The number of decisions to watch, and the receiver of a report on each, in whole lines.
pub type Watching = (usize, fn(&str));

/// A training from treebanks to a model file.
///
/// # Examples
/// ```
/// use treebeam::job::Job;
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
/// let folder = tempfile::tempdir().unwrap();
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let given = GivenOptions { iterations: Some(2.into()), ..GivenOptions::default() };
/// let job = Job::new(given, folder.path().join("en.model"))?;
/// job.check(&[], &[])?;
/// // Nobody observes the run.
/// let done = job.run(train, None, &mut ())?.expect("nobody gives it up");
/// assert_eq!(done.reports.len(), 2);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Job {
    given: GivenOptions,
    options: Options,
    /// The model file.
    pub model: PathBuf,
    /// Threads; `None`: one for each replica, up to the number of cores. The model does not depend on their number.
    pub threads: Option<usize>,
    /// True if to take over what the treebank recommends, for options that are not given.
    pub auto: bool,
    /// True if to leave out sentences that are malformed or whose annotation is no tree.
    pub skip_invalid: bool,
    /// True if to go on from a checkpoint, if there is one.
    pub resume: bool,
    /// A checkpoint is written after an iteration if the last one is at least so old.
    pub checkpoint_seconds: f64,
    /// Licence and origin, for the model's header.
    pub notes: Notes,
    /// The number of decisions of greedy training to watch, and the receiver of reports on them.
    pub watch: Option<Watching>,
}

/// A training that is done.
#[derive(Debug, Clone)]
pub struct Done {
    /// The model.
    pub written: Written,
    /// Sentences in one pass, of all replicas.
    pub n_sentences: usize,
    /// The iterations; with `resume`, also those of the run before.
    pub reports: Vec<IterationReport>,
}

impl Job {
    /// The training that the options amount to, with its defaults for the rest.
    ///
    /// # Errors
    /// As [`GivenOptions::resolve`].
    pub fn new(given: GivenOptions, model: PathBuf) -> Result<Job> {
        let options = given.resolve()?;
        Ok(Job {
            given,
            options,
            model,
            threads: None,
            auto: false,
            skip_invalid: false,
            resume: false,
            checkpoint_seconds: 10.0,
            notes: Notes::default(),
            watch: None,
        })
    }

    /// The options before any treebank was seen.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Refuses what cannot come to a good end, now rather than after hours: outputs that would replace an input or another output or that
    /// cannot be written, two inputs from one stream, numbers out of their ranges.
    ///
    /// # Errors
    /// The first of these.
    pub fn check(&self, inputs: &[&Path], outputs: &[&Path]) -> Result<()> {
        if self.threads.is_some_and(|threads| !(1..=MAX_THREADS as usize).contains(&threads)) {
            return Err(Error::Usage(format!("threads: expected a number from 1 to {MAX_THREADS}")));
        }
        if !(0.0..=1e9).contains(&self.checkpoint_seconds) {
            let found = self.checkpoint_seconds;
            return Err(Error::Usage(format!("checkpoint_seconds: found {found}; expected from 0 to 1e9")));
        }
        // Names of sets that are built in are no files.
        let features = self.options.features().into_iter().flat_map(|sets| sets.split('+'));
        let features = features.filter(|set| set.ends_with(".feat"));
        let read = self.options.files().into_iter().chain(features).map(Path::new);
        let mut paths = inputs.iter().copied().chain(read).fold(Paths::default(), Paths::input).output(&self.model)?;
        if self.model != Path::new("-") {
            paths = paths.output(&Drive::checkpoint(&self.model))?;
        }
        outputs.iter().try_fold(paths, |paths, output| paths.output(output))?;
        Output::check(&self.model)
    }

    /// Reads a treebank; if that is asked for, without the sentences that cannot be trained on, not even in part, which are counted and
    /// listed.
    ///
    /// # Errors
    /// If it cannot be read, or is malformed and nothing may be left out.
    pub fn read(&self, path: &Path, observer: &mut dyn Observer) -> Result<Treebank> {
        if !self.skip_invalid {
            // No word of a file in another format would be left. A pipe cannot be read again.
            let others_are_valid = || {
                let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
                !is_file || Treebank::read_valid(path, None, self.options.target(), &mut Problems::new(0)).is_ok()
            };
            return Treebank::read(path, None).map_err(|error| match error {
                Error::Problem(mut problem) if problem.location.line > 0 && others_are_valid() => {
                    problem.expected += "; --skip-invalid trains on the other sentences";
                    Error::Problem(problem)
                }
                error => error,
            });
        }
        let mut problems = Problems::new(LISTED);
        let (treebank, n_skipped) = Treebank::read_valid(path, None, self.options.target(), &mut problems)?;
        problems.kept().iter().for_each(|(_, problem)| observer.warn(format_args!("warning: {problem}")));
        problems.more().for_each(|(rule, more)| observer.warn(format_args!("warning: {}", remaining(rule, more))));
        if n_skipped > 0 {
            let (path, n_kept) = (path.display(), treebank.sentences.len());
            observer
                .warn(format_args!("warning: {path}: {n_skipped} invalid sentences are left out, {n_kept} are kept"));
        }
        Ok(treebank)
    }

    /// Trains and writes the model, with checkpoints beside it; `None` if the observer gave the run up. Frees the treebanks once training
    /// data are made of them.
    ///
    /// # Errors
    /// If the data do not fit the options, training diverges, or a file cannot be read or written.
    pub fn run(&self, train: Treebank, dev: Option<Treebank>, observer: &mut dyn Observer) -> Result<Option<Done>> {
        self.train(train, dev, observer).map_err(|error| match error {
            Error::Problems(problems) if !self.skip_invalid => {
                Error::Problems(problems.with_remedy("; --skip-invalid trains on the other sentences"))
            }
            error => error,
        })
    }

    fn train(&self, train: Treebank, dev: Option<Treebank>, observer: &mut dyn Observer) -> Result<Option<Done>> {
        let target = self.options.target();
        let options = self.findings(
            &train.for_target(target),
            dev.as_ref().map(|dev| dev.for_target(target)).as_deref(),
            observer,
        )?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let preparing = || process::thread_pool(self.threads.unwrap_or(cores));
        match &options {
            Options::Transitions(options) => {
                let mut data = parallel::within(&preparing()?, || TrainingData::new(options, &train, dev.as_ref()))?;
                data.annotate(self.notes.clone());
                if let Some((n_decisions, report)) = self.watch {
                    check_watch(options)?;
                    data.watch(&train.for_target(target), n_decisions, Box::new(report))?;
                }
                let open = data.open();
                describe(&train, dev.as_ref(), data.n_read() - data.examples().len() - open.left_out, observer);
                drop((train, dev));
                describe_open(open, observer);
                observer.note(format_args!(
                    "{}, {}, {} labels, {} actions, seed {}",
                    options.system,
                    inputs(data.header())?,
                    data.actions().n_labels(),
                    data.actions().len(),
                    options.seed
                ));
                note_vectors(&data.header().provenance, observer);
                if let Some(summary) = options.summary() {
                    observer.note(format_args!("{summary}"));
                }
                let threads = self.threads.unwrap_or(cores.min(options.replicas as usize));
                self.drive(&mut *learn::start(options, &data, threads)?, observer)
            }
            Options::Graph(options) => {
                let mut data = parallel::within(&preparing()?, || GraphData::new(options, &train, dev.as_ref()))?;
                data.annotate(self.notes.clone());
                describe(&train, dev.as_ref(), data.n_read() - data.examples().len(), observer);
                drop((train, dev));
                observer.note(format_args!(
                    "{}, {}, {} labels, seed {}",
                    options.system,
                    inputs_of_arcs(data.header()),
                    data.header().labels.len(),
                    options.seed
                ));
                note_vectors(&data.header().provenance, observer);
                self.drive(&mut *graph::start(options, &data, self.threads.unwrap_or(1))?, observer)
            }
        }
    }

    fn drive(&self, run: &mut dyn Run, observer: &mut dyn Observer) -> Result<Option<Done>> {
        let Job { model, resume, checkpoint_seconds, .. } = self;
        let drive = Drive { model, resume: *resume, checkpoint_seconds: *checkpoint_seconds };
        let written = drive.run(run, observer)?;
        let done = |written| Done { written, n_sentences: run.n_sentences(), reports: run.reports().to_vec() };
        Ok(written.map(done))
    }
}

/// Refuses to watch training other than single decisions of one sparse linear model.
fn check_watch(options: &TrainOptions) -> Result<()> {
    let is_linear = options.scorer.is_linear() && !matches!(options.learner, Learner::Nn | Learner::Svm);
    let is_plain = options.replicas == 1 && options.batch == 1 && options.decisions == Decisions::Joint;
    if options.training == Training::Greedy && is_linear && is_plain {
        return Ok(());
    }
    let what = "--watch shows one decision after the other; expected --training greedy, --replicas 1, --batch 1, --decisions joint \
                and a linear model that is learned online";
    Err(Error::Usage(what.to_owned()))
}

/// The inputs of a transition system's scorer.
fn inputs(header: &Header) -> Result<String> {
    Ok(match &header.network {
        None => format!("features {} ({} templates)", header.features, header.feature_set()?.0.templates.len()),
        Some(network) => {
            let (n_places, n_labels, hidden) = (network.places.len(), network.labels.len(), network.hidden);
            format!("{n_places} places and {n_labels} of labels, {hidden} hidden units ({})", network.activation.name())
        }
    })
}

/// The same of a graph-based parser.
fn inputs_of_arcs(header: &GraphHeader) -> String {
    match &header.network {
        None => format!("features of arcs ({} templates)", header.system.n_templates()),
        Some(network) => network.to_string(),
    }
}

/// Coverage of the word vectors that a network begins with.
fn note_vectors(provenance: &Provenance, observer: &mut dyn Observer) {
    if let Some(VectorsOrigin { words, train_words, covered: 0, .. }) = &provenance.vectors {
        observer.warn(format_args!(
            "warning: --vectors: none of the {train_words} words in the training data has a vector among {words}; are they of the same \
             language, and is --word-column the right one?"
        ));
    } else if let Some(VectorsOrigin { words, train_words, covered, .. }) = &provenance.vectors {
        observer.note(format_args!("vectors of {words} words, {covered} of {train_words} in the training data"));
    }
}

/// Notes how many heads of the training trees are unknown.
fn describe_open(Open { words, sentences, left_out }: Open, observer: &mut dyn Observer) {
    if sentences > 0 {
        let (words, sentences) = (counted(words, "word"), counted(sentences, "sentence"));
        observer.note(format_args!("{words} in {sentences} without a head: what is known alone is learned"));
    }
    if left_out > 0 {
        observer.note(format_args!("{} without any head left out", counted(left_out, "sentence")));
    }
}

fn describe(train: &Treebank, dev: Option<&Treebank>, n_left_out: usize, observer: &mut dyn Observer) {
    let left_out = match n_left_out {
        0 => String::new(),
        n => format!("; {n} that are not projective left out"),
    };
    for (treebank, left_out) in [(train, &*left_out)].into_iter().chain(dev.map(|dev| (dev, ""))) {
        let (path, n_sentences, n_words) = (treebank.path.display(), treebank.sentences.len(), treebank.n_words());
        observer.note(format_args!("{path}: {n_sentences} sentences, {n_words} words{left_out}"));
    }
}
