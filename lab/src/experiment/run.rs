//! Many cells side by side: in this process, and in any number of others on the same folder.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use super::folder::{Attempt, Claim, Folder, Holder, Lock};
use super::golden::Golden;
use super::kind::{CellFiles, Kind};
use super::store::{Status, Store};
use treebeam::error::{Error, Result};

/// Events that a run reports while it goes on.
#[derive(Debug)]
pub enum Event<'a, C, R> {
    /// A cell has been run and its record is on disk.
    Finished(&'a C, R),
    /// Another process has run the cell meanwhile.
    Found(&'a C, R),
    /// A cell could not be run, or its record not be written; the others go on.
    Failed(&'a C, Error),
    /// All cells that are left are run by other processes, of which this is one.
    Waiting(usize, Holder),
}

/// Settings that all cells of a run have in common.
#[derive(Debug)]
pub struct Runner<'a, K> {
    /// Their kind.
    pub kind: &'a K,
    /// Folder of their records.
    pub folder: &'a Folder,
    /// Number of cells that are run side by side.
    pub jobs: usize,
    /// Greatest age of checkpoints.
    pub checkpoint_every: Duration,
}

/// Interval at which to look whether other processes have finished.
const POLL: Duration = Duration::from_millis(500);

/// State that the threads of a run share.
struct Shared<'a, K: Kind> {
    /// Cells that nobody has begun, as far as is known.
    pending: Vec<&'a K::Cell>,
    /// For each training that cells share, those of them that had not been run at the start, by whichever process they will be.
    sharing: HashMap<&'a str, Vec<&'a K::Cell>>,
    store: &'a mut Store<K::Record>,
    /// Why claims cannot be made, so that all threads have stopped.
    broken: Option<Error>,
}

impl<'a, K: Kind> Shared<'a, K> {
    /// Removes the model of the training that the cell shares with others, if all of them have been run.
    fn tidy_after(&mut self, runner: &Runner<K>, cell: &K::Cell) -> Result<()> {
        let Runner { kind, folder, .. } = runner;
        let Some(sharing) = kind.shared_training(cell).and_then(|training| self.sharing.get(training)) else {
            return Ok(());
        };
        self.store.refresh(folder)?;
        for other in sharing {
            let key = kind.key(other);
            self.store.refresh_cell(folder, key)?;
            if !matches!(self.store.status_of(key, |record| kind.is_current(other, record)), Status::Done(_)) {
                return Ok(());
            }
        }
        runner.files(cell).clear_shared();
        Ok(())
    }
}

/// The right to run a cell and, if it may come to that, the training that it shares with others.
struct Claims {
    cell: Claim,
    _shared: Option<Claim>,
}

impl<K: Kind> Runner<'_, K> {
    /// Files of the cell.
    fn files(&self, cell: &K::Cell) -> CellFiles {
        let Runner { kind, folder, checkpoint_every, .. } = self;
        let (key, golden) = (kind.key(cell), Golden::whole());
        CellFiles {
            checkpoint: folder.checkpoint(key, golden),
            checkpoint_every: *checkpoint_every,
            shared_model: folder.model(kind.shared_training(cell).unwrap_or(key), golden),
        }
    }

    /// Claims the cell, unless somebody else runs it or the training that it shares with others.
    fn claim(&self, cell: &K::Cell, lock: &Lock) -> Result<std::result::Result<Claims, Holder>> {
        let training = self.kind.shared_training(cell).filter(|_| !self.files(cell).has_shared_model());
        let shared = match training.map(|training| self.folder.claim(training, lock)).transpose()? {
            Some(Attempt::Taken(holder)) => return Ok(Err(holder)),
            Some(Attempt::Ours(claim)) => Some(claim),
            None => None,
        };
        Ok(match self.folder.claim(self.kind.key(cell), lock)? {
            Attempt::Ours(cell) => Ok(Claims { cell, _shared: shared }),
            Attempt::Taken(holder) => Err(holder),
        })
    }
}

/// Next task of a thread.
enum Next<'a, C, R> {
    Run(&'a C, Claims),
    Report(Event<'a, C, R>),
    Stop,
}

/// Function that gets the events of a run.
pub type Observer<'o, K> = &'o mut dyn FnMut(Event<<K as Kind>::Cell, <K as Kind>::Record>);

/// Runs `cells`, of an experiment whose cells in `others` are left to other processes. Each record goes to disk as soon as its cell is done, and into `store`. Results do not depend on the number of
/// jobs or of processes, only the order of the records does. When all that is left is run by other processes, waits for them, and
/// takes over what they leave. Returns the number of cells that failed.
///
/// # Errors
/// If claims cannot be made in the folder.
pub fn run<K: Kind>(
    runner: &Runner<K>,
    cells: &[&K::Cell],
    others: &[&K::Cell],
    store: &mut Store<K::Record>,
    observer: Observer<K>,
) -> Result<usize> {
    let mut pending = cells.to_vec();
    pending.reverse();
    let mut sharing: HashMap<&str, Vec<&K::Cell>> = HashMap::new();
    for &cell in cells.iter().chain(others) {
        if let Some(training) = runner.kind.shared_training(cell) {
            sharing.entry(training).or_default().push(cell);
        }
    }
    let shared = Mutex::new(Shared::<K> { pending, sharing, store, broken: None });
    // Plain threads, not a rayon pool: a rayon worker that waits for parallel work inside a cell may start another cell
    // meanwhile on the same stack, which would spoil its clock and could wait for the decoding lock that it holds itself.
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for number in 0..runner.jobs.clamp(1, cells.len().max(1)).min(runner.kind.most_jobs()) {
            let (sender, shared) = (sender.clone(), &shared);
            match std::thread::Builder::new().spawn_scoped(scope, move || work(runner, shared, &sender)) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(treebeam::process::no_threads(1, &error)),
                // Those that were started do the work of all.
                Err(_) => break,
            }
        }
        drop(sender);

        let (mut n_failed, mut waits) = (0, false);
        for event in receiver {
            match &event {
                Event::Finished(..) | Event::Found(..) => {}
                Event::Failed(..) => n_failed += 1,
                Event::Waiting(_, holder) if waits || holder.is_this_process() => continue,
                Event::Waiting(..) => waits = true,
            }
            observer(event);
        }
        let broken = lock(&shared).broken.take();
        broken.map_or(Ok(n_failed), Err)
    })
}

/// One thread of a run.
fn work<'a, K: Kind>(
    runner: &Runner<K>,
    shared: &Mutex<Shared<'a, K>>,
    events: &mpsc::Sender<Event<'a, K::Cell, K::Record>>,
) {
    loop {
        // The lock must be free again while the cell runs.
        let found = next(runner, &mut lock(shared));
        let event = match found {
            Ok(Next::Stop) => return,
            Ok(Next::Report(event)) => {
                if matches!(event, Event::Waiting(..)) {
                    std::thread::sleep(POLL);
                }
                event
            }
            Ok(Next::Run(cell, claims)) => match run_one(runner, cell, &claims.cell) {
                Ok(record) => {
                    let mut shared = lock(shared);
                    shared.store.insert(record.clone());
                    // A model that stays in the folder does no harm.
                    let _ = shared.tidy_after(runner, cell);
                    Event::Finished(cell, record)
                }
                Err(error) => Event::Failed(cell, error),
            },
            Err(error) => {
                let mut shared = lock(shared);
                shared.pending.clear();
                shared.broken = Some(error);
                return;
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

fn lock<'l, 'a, K: Kind>(shared: &'l Mutex<Shared<'a, K>>) -> MutexGuard<'l, Shared<'a, K>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Claims the first cell that nobody runs and nobody has run.
fn next<'a, K: Kind>(runner: &Runner<K>, shared: &mut Shared<'a, K>) -> Result<Next<'a, K::Cell, K::Record>> {
    if shared.pending.is_empty() {
        return Ok(Next::Stop);
    }
    let Runner { kind, folder, .. } = runner;
    let lock = folder.lock()?;
    shared.store.refresh(folder)?;
    let mut holder = None;
    for place in (0..shared.pending.len()).rev() {
        let cell = shared.pending[place];
        let key = kind.key(cell);
        shared.store.refresh_cell(folder, key)?;
        if let Status::Done(record) = shared.store.status_of(key, |record| kind.is_current(cell, record)) {
            let record = record.clone();
            shared.pending.remove(place);
            shared.tidy_after(runner, cell)?;
            return Ok(Next::Report(Event::Found(cell, record)));
        }
        match runner.claim(cell, &lock)? {
            Ok(claims) => {
                shared.pending.remove(place);
                return Ok(Next::Run(cell, claims));
            }
            // Claims of other threads of this process are no news.
            Err(other) => holder = holder.filter(|holder: &Holder| !holder.is_this_process()).or(Some(other)),
        }
    }
    // Something is left, and all of it is claimed.
    Ok(holder.map_or(Next::Stop, |holder| Next::Report(Event::Waiting(shared.pending.len(), holder))))
}

/// Runs a cell and writes its record.
fn run_one<K: Kind>(runner: &Runner<K>, cell: &K::Cell, claim: &Claim) -> Result<K::Record> {
    let Runner { kind, folder, .. } = runner;
    let (key, files) = (kind.key(cell), runner.files(cell));
    let record = std::panic::catch_unwind(AssertUnwindSafe(|| kind.run(cell, &files)))
        .unwrap_or_else(|panic| Err(Error::Usage(format!("internal error: {}", text_of(&*panic)))))?;
    // Whoever took the cell over while this machine slept writes its record.
    if claim.is_ours() {
        let path = folder.cell(key);
        let remedy = |error: Error| {
            let path = path.display();
            Error::Usage(format!(
                "{error}; the record {path} is lost: make room or mend the folder, and run the cell again"
            ))
        };
        Store::keep(folder, &record).map_err(remedy)?;
    }
    files.clear();
    Ok(record)
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{FakeEngine, Fault, plan, trainings};
    use crate::experiment::{Cell, Store};
    use std::path::Path;

    /// Runs the cells of the test's plan that are missing; how many have a record now, and titles of those that failed.
    fn run_missing(engine: FakeEngine, path: &Path) -> (usize, Vec<String>) {
        let plan = plan();
        let folder = Folder::new(path);
        let mut store = Store::open(&folder).unwrap();
        let missing: Vec<&Cell> = plan.cells.iter().filter(|c| store.usable(c, false).is_none()).collect();
        let (mut n_finished, mut failed) = (0, Vec::new());
        let kind = trainings(engine, "r1");
        let runner = Runner { kind: &kind, folder: &folder, jobs: 2, checkpoint_every: Duration::MAX };
        let n_failed = run(&runner, &missing, &[], &mut store, &mut |event| match event {
            Event::Failed(cell, error) => failed.push(format!("{}: {error}", cell.title())),
            _ => n_finished += 1,
        });
        assert_eq!(n_failed.unwrap(), failed.len());
        (n_finished, failed)
    }

    #[test]
    fn a_failing_and_a_panicking_cell_do_not_stop_the_others_and_are_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let faulty = FakeEngine { faults: vec![(3, Fault::Error), (5, Fault::Panic)] };
        let (n_finished, failed) = run_missing(faulty, folder.path());
        assert_eq!((n_finished, failed.len()), (22, 2));
        assert!(failed.iter().any(|f| f.contains("no such luck")), "{failed:?}");
        assert!(failed.iter().any(|f| f.contains("internal error: out of luck")), "{failed:?}");
        assert_eq!(run_missing(FakeEngine::default(), folder.path()).0, 2);
        assert_eq!(run_missing(FakeEngine::default(), folder.path()).0, 0);
    }

    #[test]
    fn a_record_that_cannot_be_written_is_reported_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let plan = plan();
        let (kind, place) = (trainings(FakeEngine::default(), "r1"), Folder::new(folder.path()));
        let runner = Runner { kind: &kind, folder: &place, jobs: 1, checkpoint_every: Duration::MAX };
        let cell = &plan.cells[4];
        let Attempt::Ours(claim) = place.claim(&cell.key, &place.lock().unwrap()).unwrap() else {
            panic!("nobody has claimed it")
        };
        // A folder in the place of the record: no record can be written there.
        std::fs::create_dir_all(place.cell(&cell.key).join("x")).unwrap();
        let error = run_one(&runner, cell, &claim).unwrap_err().to_string();
        assert!(
            error.contains(&format!("{}.json", cell.key)) && error.contains("make room or mend the folder"),
            "{error}"
        );
    }

    #[test]
    fn a_training_that_cells_share_is_done_by_one_of_them_and_its_model_goes_with_the_last() {
        let place = tempfile::tempdir().unwrap();
        let (mut plan, folder) = (plan(), Folder::new(place.path()));
        plan.cells.truncate(3);
        plan.cells[0].shared_training = Some("first".to_owned());
        plan.cells[1].shared_training = Some("first".to_owned());
        let kind = trainings(FakeEngine::default(), "r1");
        let runner = Runner { kind: &kind, folder: &folder, jobs: 2, checkpoint_every: Duration::MAX };
        let lock = folder.lock().unwrap();
        let [a, b, other] = &plan.cells[..] else { panic!("there are three") };
        let claims = runner.claim(a, &lock).unwrap();
        assert!(runner.claim(b, &lock).unwrap().is_err_and(|holder| holder.is_this_process()), "it is under way");
        assert!(runner.claim(other, &lock).unwrap().is_ok());
        let files = runner.files(b);
        assert_eq!(files.shared_model, runner.files(a).shared_model);
        std::fs::write(&files.shared_model, "").unwrap();
        assert!(runner.claim(b, &lock).unwrap().is_err(), "what went before it is not there yet");
        std::fs::write(files.shared_history(), "").unwrap();
        assert!(runner.claim(b, &lock).unwrap().is_ok());
        drop((claims, lock));

        let mut store = Store::open(&folder).unwrap();
        let cells: Vec<&Cell> = plan.cells.iter().collect();
        let mut there = Vec::new();
        let runner = Runner { jobs: 1, ..runner };
        run(&runner, &cells[..1], &cells[1..], &mut store, &mut |_| there.push(files.has_shared_model())).unwrap();
        assert!(there.pop().is_some_and(|there| there), "another process will need it");
        run(&runner, &cells, &[], &mut store, &mut |_| there.push(files.has_shared_model())).unwrap();
        assert!(!files.has_shared_model(), "{there:?}");
        assert_eq!(there.len(), 3);
    }
}
