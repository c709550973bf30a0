//! Training. It runs on a thread of its own, so that the main one can listen for Ctrl-C all the time.

use std::fmt::Arguments;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use treebeam::error::{Error, Result};
use treebeam::features::Name;
use treebeam::job::Job;
use treebeam::process::no_threads;
use treebeam::training::{IterationReport, Next, Observer};
use treebeam::treebank::{Format, Treebank};

use crate::errors::{exception, from_json, guarded};
use crate::memory::Watch;
use crate::model::{Model, load, warn};
use crate::options::of_training;
use crate::sentences::{Source, text};

/// Interval between checks for Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);
/// Time to wait for a run that is given up; it checks after each sentence.
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
    guarded(|| {
        let given = of_training(options)?;
        let mut job = Job::new(given.clone(), model.clone()).map_err(exception)?;
        (job.threads, job.auto, job.skip_invalid) = (threads, auto, skip_invalid);
        (job.resume, job.checkpoint_seconds) = (resume, checkpoint_seconds);
        for remark in given.remarks(job.options()) {
            warn(py, &remark)?;
        }
        let (train, dev) = (parts("train", train)?, dev.map(|dev| parts("dev", dev)).transpose()?);
        let files: Vec<&Path> =
            train.iter().chain(dev.iter().flatten()).filter_map(|part| part.source.path()).collect();
        job.check(&files, &[]).map_err(exception)?;
        let memory = Watch::begin()?;
        let (sender, events) = channel();
        // Receivers are for one thread, and Python's own is let go while it waits.
        let events = Mutex::new(events);
        let stop = Arc::new(AtomicBool::new(false));
        let mut watcher = Watcher { sender: sender.clone(), stop: Arc::clone(&stop), memory };
        let training = move || {
            let done = run(&job, &train, dev.as_deref(), &mut watcher);
            // Nobody waits any more for a run that was given up.
            let _ = sender.send(Event::Done(done));
        };
        std::thread::Builder::new().spawn(training).map_err(|error| exception(no_threads(1, &error)))?;
        let listened = listen(py, &events, on_iteration);
        if listened.is_err() {
            stop.store(true, Ordering::Relaxed);
            py.detach(|| wait(&events));
        }
        // What failed may have failed for want of memory.
        listened.or_else(|error| memory.check().and(Err(error)))?;
        load(py, model)
    })
}

/// Event of the thread that trains.
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

/// Reports the run to the main thread, and learns from it if it is to be given up.
struct Watcher {
    sender: Sender<Event>,
    stop: Arc<AtomicBool>,
    memory: Watch,
}

impl Observer for Watcher {
    fn tick(&mut self, _: u32, _: usize) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) || self.memory.is_short() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn report(&mut self, report: &IterationReport) -> Next {
        let (answer, answered) = sync_channel(1);
        if self.sender.send(Event::Iteration(report.clone(), answer)).is_err() {
            return Next::GiveUp;
        }
        answered.recv().unwrap_or(Next::GiveUp)
    }

    fn warn(&mut self, line: Arguments<'_>) {
        let line = line.to_string();
        let line = line.strip_prefix("note: ").or(line.strip_prefix("warning: ")).unwrap_or(&line).to_owned();
        let _ = self.sender.send(Event::Warning(line));
    }
}

/// One of the treebanks of a keyword.
struct Part {
    name: Option<Name>,
    /// Name of sentences that are in memory, for messages.
    place: String,
    source: Source,
}

/// The treebanks of a keyword: those of a dictionary, with their names, or one or several without a name.
fn parts(keyword: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let mut parts = Vec::new();
    let Ok(named) = object.cast::<PyDict>() else {
        add(&mut parts, None, keyword.to_owned(), object)?;
        return Ok(parts);
    };
    if named.is_empty() {
        return Err(PyValueError::new_err(format!("{keyword}: there are no treebanks; expected one at least")));
    }
    for (key, treebank) in named {
        let Some(name) = key.extract::<String>().ok().and_then(|name| Name::new(&name)) else {
            let (found, longest) = (key.repr()?, Name::LONGEST);
            let expected = format!("a name of at most {longest} letters, none of them = or |");
            return Err(PyValueError::new_err(format!(
                "{keyword}: found {found} before a treebank; expected {expected}"
            )));
        };
        add(&mut parts, Some(name), format!("{keyword}[{}]", key.repr()?), &treebank)?;
    }
    Ok(parts)
}

/// Adds a treebank; or several, of a list that begins with a path or CoNLL-U text, as no list of sentences does.
fn add(parts: &mut Vec<Part>, name: Option<Name>, place: String, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_treebank = |item: &Bound<'_, PyAny>| Ok::<_, PyErr>(text(item)?.is_some() || item.hasattr("__fspath__")?);
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if !is_list || object.is_empty()? || !is_treebank(&object.get_item(0)?)? {
        parts.push(Part { name, place, source: Source::of(object)? });
        return Ok(());
    }
    for (number, item) in object.try_iter()?.enumerate() {
        let (item, place) = (item?, format!("{place}[{number}]"));
        if !is_treebank(&item)? {
            let found = item.get_type().name()?;
            let expected = "a path or CoNLL-U text, as the first item is";
            return Err(PyValueError::new_err(format!("{place}: found a {found}; expected {expected}")));
        }
        parts.push(Part { name, place, source: Source::of(&item)? });
    }
    Ok(())
}

/// Reads what is not in memory, and trains.
fn run(job: &Job, train: &[Part], dev: Option<&[Part]>, watcher: &mut Watcher) -> Result<()> {
    let train = treebank(job, train, watcher)?;
    let dev = dev.map(|dev| treebank(job, dev, watcher)).transpose()?;
    job.run(train, dev, watcher).map(drop)
}

fn treebank(job: &Job, parts: &[Part], watcher: &mut Watcher) -> Result<Treebank> {
    let mut treebanks = Vec::new();
    for Part { name, place, source } in parts {
        let treebank = match source {
            Source::File(path) => job.read(path, watcher)?,
            Source::Sentences(sentences) if sentences.is_empty() => {
                return Err(Error::Usage(format!("{place}: there are no sentences; expected one at least")));
            }
            Source::Sentences(sentences) => Treebank::of_sentences(Path::new(place), Format::Conllu, sentences.clone()),
        };
        treebanks.push((name.as_ref().map(Name::as_str), treebank));
    }
    Treebank::together(treebanks)
}
