//! Training. It runs on a thread of its own, so that the main one can listen for Ctrl-C all the time.

use std::fmt::Arguments;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use treebeam::error::{Error, Problems, Result};
use treebeam::files::{Output, Paths};
use treebeam::graph::{self, GraphData};
use treebeam::learn::{IterationReport, Run, TrainingData, start};
use treebeam::options::{GivenOptions, Options};
use treebeam::training::{Drive, Next, Observer};
use treebeam::treebank::{Format, Survey, Treebank};

use crate::errors::{exception, from_json};
use crate::model::{Model, load, warn};
use crate::options::of_training;
use crate::sentences::Source;

/// How often Ctrl-C is listened for.
const LISTEN: Duration = Duration::from_millis(50);
/// How long a run that is given up is waited for; it looks up after each sentence.
const PATIENCE: Duration = Duration::from_secs(5);

/// Trains a model, writes it to `model` and reads it from there.
#[pyfunction]
#[pyo3(signature = (train, model, *, dev = None, on_iteration = None, threads = None, auto = false, skip_invalid = false,
    resume = false, checkpoint_seconds = 10.0, **options))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn train(
    py: Python<'_>,
    train: &Bound<'_, PyAny>,
    model: PathBuf,
    dev: Option<&Bound<'_, PyAny>>,
    on_iteration: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    auto: bool,
    skip_invalid: bool,
    resume: bool,
    checkpoint_seconds: f64,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Model> {
    let given = of_training(options)?;
    let resolved = given.resolve().map_err(exception)?;
    for remark in given.remarks(&resolved) {
        warn(py, &remark)?;
    }
    let job = Job {
        train: Source::of(train)?,
        dev: dev.map(Source::of).transpose()?,
        model: model.clone(),
        given,
        options: resolved,
        threads,
        auto,
        skip_invalid,
        resume,
        checkpoint_seconds,
    };
    job.check().map_err(exception)?;
    let (tell, events) = channel();
    // Receivers are for one thread, and Python's own is let go while it waits.
    let events = Mutex::new(events);
    let stop = Arc::new(AtomicBool::new(false));
    let mut watcher = Watcher { tell: tell.clone(), stop: Arc::clone(&stop) };
    std::thread::spawn(move || {
        let done = job.run(&mut watcher);
        // Nobody waits any more for a run that was given up.
        let _ = tell.send(Event::Done(done));
    });
    let listened = listen(py, &events, on_iteration);
    if listened.is_err() {
        stop.store(true, Ordering::Relaxed);
        py.detach(|| wait(&events));
    }
    listened?;
    load(py, model)
}

/// What the thread that trains has to say.
enum Event {
    /// An iteration is over; whether to go on is waited for.
    Iteration(IterationReport, SyncSender<Next>),
    Warning(String),
    Done(Result<()>),
}

/// Follows a run to its end.
fn listen(py: Python<'_>, events: &Mutex<Receiver<Event>>, on_iteration: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    loop {
        let event = py.detach(|| next(events));
        py.check_signals()?;
        match event {
            Ok(Event::Iteration(report, answer)) => {
                let next = match on_iteration {
                    Some(call) => call.call1((described(py, &report)?,))?.extract::<bool>().unwrap_or(true),
                    None => true,
                };
                let _ = answer.send(if next { Next::GoOn } else { Next::Finish });
            }
            Ok(Event::Warning(line)) => warn(py, &line)?,
            Ok(Event::Done(done)) => return done.map_err(exception),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("training broke off; its message is on standard error"));
            }
        }
    }
}

/// The next event, if there is one soon.
fn next(events: &Mutex<Receiver<Event>>) -> Result<Event, RecvTimeoutError> {
    events.lock().expect("no other thread listens").recv_timeout(LISTEN)
}

/// Waits for a run that was given up, but not for ever.
fn wait(events: &Mutex<Receiver<Event>>) {
    let began = Instant::now();
    while began.elapsed() < PATIENCE && !matches!(next(events), Ok(Event::Done(_))) {}
}

/// The report of an iteration as a dictionary.
fn described<'py>(py: Python<'py>, report: &IterationReport) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(report).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let described = from_json(py, &text)?;
    let (uas, las) = (report.dev.map(|dev| dev.uas()), report.dev.map(|dev| dev.las()));
    described.set_item("uas", uas)?;
    described.set_item("las", las)?;
    Ok(described)
}

/// Tells the main thread of the run, and listens whether it is to be given up.
struct Watcher {
    tell: Sender<Event>,
    stop: Arc<AtomicBool>,
}

impl Observer for Watcher {
    fn begins(&mut self, _: &dyn Run) {}

    fn tick(&mut self, _: u32, _: usize) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn report(&mut self, report: &IterationReport) -> Next {
        let (answer, answered) = sync_channel(1);
        if self.tell.send(Event::Iteration(report.clone(), answer)).is_err() {
            return Next::GiveUp;
        }
        answered.recv().unwrap_or(Next::GiveUp)
    }

    fn note(&mut self, _: Arguments<'_>) {}

    fn warn(&mut self, line: Arguments<'_>) {
        let line = line.to_string();
        let line = line.strip_prefix("note: ").or(line.strip_prefix("warning: ")).unwrap_or(&line).to_owned();
        let _ = self.tell.send(Event::Warning(line));
    }
}

/// All that a run is made of.
struct Job {
    train: Source,
    dev: Option<Source>,
    model: PathBuf,
    given: GivenOptions,
    options: Options,
    threads: Option<usize>,
    auto: bool,
    skip_invalid: bool,
    resume: bool,
    checkpoint_seconds: f64,
}

impl Job {
    /// Refuses outputs that would replace an input, and those that cannot be written: now rather than after hours.
    fn check(&self) -> Result<()> {
        let mut paths = Paths::default();
        for source in [Some(&self.train), self.dev.as_ref()].into_iter().flatten() {
            if let Source::File(path) = source {
                paths = paths.input(path);
            }
        }
        if let Options::Transitions(options) = &self.options {
            paths = paths.input(Path::new(&options.features));
        }
        paths.output(&self.model)?.output(&Drive::checkpoint(&self.model))?;
        if !(0.0..=1e9).contains(&self.checkpoint_seconds) {
            let found = format!("checkpoint_seconds: found {}; expected from 0 to 1e9", self.checkpoint_seconds);
            return Err(Error::Usage(found));
        }
        if self.threads.is_some_and(|threads| !(1..=treebeam::parser::MAX_THREADS as usize).contains(&threads)) {
            let most = treebeam::parser::MAX_THREADS;
            return Err(Error::Usage(format!("threads: expected a number from 1 to {most}")));
        }
        Output::check(&self.model)
    }

    fn run(mut self, watcher: &mut Watcher) -> Result<()> {
        let train = self.treebank(&self.train, "train", watcher)?;
        let dev = self.dev.as_ref().map(|dev| self.treebank(dev, "dev", watcher)).transpose()?;
        if self.auto {
            self.follow_recommendations(&train)?;
        }
        self.options = self.given.suited(self.options.clone(), train.sentences.len());
        let Job { model, resume, checkpoint_seconds, threads, .. } = &self;
        let drive = Drive { model, resume: *resume, checkpoint_seconds: *checkpoint_seconds };
        match &self.options {
            Options::Transitions(options) => {
                let data = TrainingData::new(options, &train, dev.as_ref())?;
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                let threads = threads.unwrap_or(cores.min(options.replicas as usize));
                drive.run(&mut *start(options, &data, threads)?, watcher)?;
            }
            Options::Graph(options) => {
                let data = GraphData::new(options, &train, dev.as_ref())?;
                drive.run(&mut *graph::start(options, &data, threads.unwrap_or(1))?, watcher)?;
            }
        }
        Ok(())
    }

    fn treebank(&self, source: &Source, name: &str, watcher: &mut Watcher) -> Result<Treebank> {
        match source {
            Source::File(path) if self.skip_invalid => {
                let mut problems = Problems::new(10);
                let (treebank, n_skipped) = Treebank::read_valid(path, None, &mut problems)?;
                if n_skipped > 0 {
                    let path = path.display();
                    watcher.warn(format_args!("{path}: {n_skipped} invalid sentences are left out\n{problems}"));
                }
                Ok(treebank)
            }
            Source::File(path) => Treebank::read(path, None),
            Source::Sentences(sentences) if sentences.is_empty() => {
                Err(Error::Usage(format!("{name}: there are no sentences; expected one at least")))
            }
            Source::Sentences(sentences) => {
                Ok(Treebank::of_sentences(Path::new(name), Format::Conllu, sentences.clone()))
            }
        }
    }

    /// Takes over what the treebank recommends, of what was not given.
    fn follow_recommendations(&mut self, train: &Treebank) -> Result<()> {
        let Ok(survey) = Survey::of(train) else {
            // Training will say what is wrong.
            return Ok(());
        };
        let mut taken = false;
        for recommendation in self.options.recommendations(&survey) {
            taken |= self.given.complete(&recommendation.given);
        }
        if taken {
            self.options = self.given.resolve()?;
        }
        Ok(())
    }
}
