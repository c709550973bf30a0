//! Many cells side by side.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::cell::Cell;
use super::engine::Engine;
use super::measure::{Repetitions, measure};
use super::provenance::{Provenance, Revisions};
use super::record::Record;
use super::store::{Store, Writer};
use crate::error::{Error, Result};

/// What a run tells while it goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// A cell has been run and its record is on disk.
    Finished(&'a Cell, &'a Record),
    /// A cell could not be run; the others go on.
    Failed(&'a Cell, &'a Error),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cells that left a record.
    pub n_finished: usize,
    /// Cells that failed.
    pub n_failed: usize,
}

/// What all cells of a run have in common.
#[derive(Debug)]
pub struct Runner<'a, E> {
    /// What runs them.
    pub engine: &'a E,
    /// The experiment's name.
    pub experiment: &'a str,
    /// The machine, and the number of cells side by side.
    pub provenance: &'a Provenance,
    /// The code.
    pub revisions: &'a Revisions,
    /// How often the test data are decoded for the sake of the clock.
    pub repetitions: Repetitions,
}

/// Runs `cells`, as many side by side as [`Provenance::jobs`] says. Each record goes to disk as soon as its cell is done, and
/// into `store`. Results do not depend on the number of jobs, only the order of the records does.
///
/// # Errors
/// If a record cannot be written. What is being run then comes to nothing, and no further cell is begun.
pub fn run<E: Engine>(
    runner: &Runner<E>,
    cells: &[&Cell],
    writer: &mut Writer,
    store: &mut Store,
    observer: &mut dyn FnMut(Event),
) -> Result<Outcome> {
    let Runner { engine, experiment, provenance, revisions, repetitions } = *runner;
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    // Plain threads, not a rayon pool: a rayon worker that waits for parallel work inside a cell may start another cell
    // meanwhile on the same stack, which would spoil its clock and could wait for the decoding lock that it holds itself.
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..provenance.jobs.clamp(1, cells.len().max(1)) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let measured = std::panic::catch_unwind(AssertUnwindSafe(|| measure(engine, cell, repetitions)))
                        .unwrap_or_else(|panic| Err(Error::Usage(format!("internal error: {}", text_of(&*panic)))));
                    let revision = revisions.of(cell.options.system).to_owned();
                    let provenance = Provenance { revision, ..provenance.clone() };
                    let record = measured.map(|m| Record::new(cell, experiment, provenance, m));
                    if sender.send((cell, record)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);

        let mut outcome = Outcome::default();
        for (cell, record) in receiver {
            match record {
                Ok(record) => {
                    if let Err(error) = writer.append(&record) {
                        stop.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                    observer(Event::Finished(cell, &record));
                    store.insert(record);
                    outcome.n_finished += 1;
                }
                Err(error) => {
                    observer(Event::Failed(cell, &error));
                    outcome.n_failed += 1;
                }
            }
        }
        Ok(outcome)
    })
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{FakeEngine, Fault, plan, provenance};

    /// Runs the cells of the test's plan that are missing; titles of those that failed.
    fn run_missing(engine: &FakeEngine, path: &std::path::Path, jobs: usize) -> (Outcome, Vec<String>) {
        let plan = plan();
        let mut store = Store::read(path).unwrap();
        let missing: Vec<&Cell> =
            plan.cells.iter().filter(|c| store.usable(c, &"r1".into(), false).is_none()).collect();
        let mut writer = Writer::open(path).unwrap();
        let mut failed = Vec::new();
        let provenance = Provenance { jobs, ..provenance("r1") };
        let revisions = "r1".into();
        let runner =
            Runner { engine, experiment: "test", provenance: &provenance, revisions: &revisions, repetitions: 1 };
        let outcome = run(&runner, &missing, &mut writer, &mut store, &mut |event| {
            if let Event::Failed(cell, error) = event {
                failed.push(format!("{}: {error}", cell.title()));
            }
        });
        (outcome.unwrap(), failed)
    }

    fn figures(path: &std::path::Path) -> Vec<String> {
        let store = Store::read(path).unwrap();
        let mut all: Vec<String> = store
            .records()
            .iter()
            .map(|r| format!("{} {:?}", r.key, r.decodings.iter().map(|d| (d.width, d.test)).collect::<Vec<_>>()))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_failing_and_a_panicking_cell_do_not_stop_the_others_and_are_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let faulty = FakeEngine { faults: vec![(3, Fault::Error), (5, Fault::Panic)] };
        let (outcome, failed) = run_missing(&faulty, &path, 2);
        assert_eq!(outcome, Outcome { n_finished: 22, n_failed: 2 });
        assert!(failed.iter().any(|f| f.contains("no such luck")), "{failed:?}");
        assert!(failed.iter().any(|f| f.contains("internal error: out of luck")), "{failed:?}");
        let (outcome, _) = run_missing(&FakeEngine::default(), &path, 2);
        assert_eq!(outcome, Outcome { n_finished: 2, n_failed: 0 });
        let (outcome, _) = run_missing(&FakeEngine::default(), &path, 2);
        assert_eq!(outcome, Outcome::default());
    }

    #[test]
    fn figures_do_not_depend_on_jobs_or_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let (one, three) = (folder.path().join("one.jsonl"), folder.path().join("three.jsonl"));
        run_missing(&FakeEngine::default(), &one, 1);
        run_missing(&FakeEngine::default(), &three, 3);
        assert_eq!(figures(&one), figures(&three));
        let text = std::fs::read(&three).unwrap();
        std::fs::write(&three, &text[..text.len() / 2]).unwrap();
        assert!(figures(&three).len() < figures(&one).len());
        run_missing(&FakeEngine::default(), &three, 2);
        assert_eq!(figures(&one), figures(&three));
    }
}
