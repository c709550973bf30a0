//! Many cells side by side: in this process, and in any number of others on the same folder.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use super::folder::{Attempt, Claim, Folder, Holder, Lock};
use super::golden::Golden;
use super::kind::{Desk, Kind};
use super::store::{Status, Store};
use treebeam::error::{Error, Result};

/// Events that a run tells while it goes on.
#[derive(Debug)]
pub enum Event<'a, C, R> {
    /// A cell has been run and its record is on disk.
    Finished(&'a C, &'a R),
    /// Another process has run the cell meanwhile.
    Found(&'a C, &'a R),
    /// A cell could not be run, or its record not be written; the others go on.
    Failed(&'a C, &'a Error),
    /// All cells that are left are run by other processes, of which this is one.
    Waiting(usize, &'a Holder),
}

/// Outcome of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cells that left a record.
    pub n_finished: usize,
    /// Cells that other processes have run meanwhile.
    pub n_found: usize,
    /// Cells that failed.
    pub n_failed: usize,
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
        runner.desk(cell).clear_shared();
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
    fn desk(&self, cell: &K::Cell) -> Desk {
        let Runner { kind, folder, checkpoint_every, .. } = self;
        let (key, golden) = (kind.key(cell), Golden::whole());
        Desk {
            checkpoint: folder.checkpoint(key, golden),
            checkpoint_every: *checkpoint_every,
            shared_model: folder.model(kind.shared_training(cell).unwrap_or(key), golden),
        }
    }

    /// Claims the cell, unless somebody else runs it or the training that it shares with others.
    fn claim(&self, cell: &K::Cell, lock: &Lock) -> Result<std::result::Result<Claims, Holder>> {
        let training = self.kind.shared_training(cell).filter(|_| !self.desk(cell).has_shared_model());
        let shared = match training.map(|training| self.folder.claim(training, lock)).transpose()? {
            Some(Attempt::Held(holder)) => return Ok(Err(holder)),
            Some(Attempt::Ours(claim)) => Some(claim),
            None => None,
        };
        Ok(match self.folder.claim(self.kind.key(cell), lock)? {
            Attempt::Ours(cell) => Ok(Claims { cell, _shared: shared }),
            Attempt::Held(holder) => Err(holder),
        })
    }
}

/// Next task of a thread.
enum Next<'a, C, R> {
    Run(&'a C, Claims),
    Found(&'a C, R),
    Wait(usize, Holder),
    Stop,
}

/// Function that gets the events of a run.
pub type Observer<'o, K> = &'o mut dyn FnMut(Event<<K as Kind>::Cell, <K as Kind>::Record>);

/// Runs `cells`, of an experiment whose cells in `others` are left to other processes. Each record goes to disk as soon as its cell is done, and into `store`. Results do not depend on the number of
/// jobs or of processes, only the order of the records does. When all that is left is run by other processes, waits for them, and
/// takes over what they leave.
///
/// # Errors
/// If claims cannot be made in the folder.
pub fn run<K: Kind>(
    runner: &Runner<K>,
    cells: &[&K::Cell],
    others: &[&K::Cell],
    store: &mut Store<K::Record>,
    observer: Observer<K>,
) -> Result<Outcome> {
    let mut pending = cells.to_vec();
    pending.reverse();
    let mut sharing: HashMap<&str, Vec<&K::Cell>> = HashMap::new();
    for &cell in cells.iter().chain(others) {
        if let Some(training) = runner.kind.shared_training(cell) {
            sharing.entry(training).or_default().push(cell);
        }
    }
    let shared = Mutex::new(Shared::<K> { pending, sharing, store });
    let stop = AtomicBool::new(false);
    // Plain threads, not a rayon pool: a rayon worker that waits for parallel work inside a cell may start another cell
    // meanwhile on the same stack, which would spoil its clock and could wait for the decoding lock that it holds itself.
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for number in 0..runner.jobs.clamp(1, cells.len().max(1)).min(runner.kind.most_jobs()) {
            let (sender, shared, stop) = (sender.clone(), &shared, &stop);
            let started = std::thread::Builder::new().spawn_scoped(scope, move || work(runner, shared, stop, &sender));
            match started {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(treebeam::process::no_threads(1, &error)),
                // Those that were started do the work of all.
                Err(_) => break,
            }
        }
        drop(sender);

        let mut outcome = Outcome::default();
        let mut waits = false;
        let mut broken = None;
        for message in receiver {
            match message {
                Message::Finished(cell, record) => {
                    observer(Event::Finished(cell, &record));
                    outcome.n_finished += 1;
                }
                Message::Found(cell, record) => {
                    observer(Event::Found(cell, &record));
                    outcome.n_found += 1;
                }
                Message::Failed(cell, error) => {
                    observer(Event::Failed(cell, &error));
                    outcome.n_failed += 1;
                }
                Message::Waiting(n, holder) if !waits && !holder.is_this_process() => {
                    waits = true;
                    observer(Event::Waiting(n, &holder));
                }
                Message::Waiting(..) => {}
                Message::Broken(error) => broken = Some(error),
            }
        }
        broken.map_or(Ok(outcome), Err)
    })
}

enum Message<'a, C, R> {
    Finished(&'a C, R),
    Found(&'a C, R),
    Failed(&'a C, Error),
    Waiting(usize, Holder),
    Broken(Error),
}

type Messages<'a, K> = mpsc::Sender<Message<'a, <K as Kind>::Cell, <K as Kind>::Record>>;

/// One thread of a run.
fn work<'a, K: Kind>(runner: &Runner<K>, shared: &Mutex<Shared<'a, K>>, stop: &AtomicBool, messages: &Messages<'a, K>) {
    while !stop.load(Ordering::Relaxed) {
        // The lock must be free again while the cell runs.
        let found = next(runner, &mut lock(shared));
        let message = match found {
            Ok(Next::Stop) => return,
            Ok(Next::Found(cell, record)) => Message::Found(cell, record),
            Ok(Next::Wait(n, holder)) => {
                let message = Message::Waiting(n, holder);
                std::thread::sleep(POLL);
                message
            }
            Ok(Next::Run(cell, claims)) => match run_one(runner, cell, &claims.cell) {
                Ok(record) => {
                    let mut shared = lock(shared);
                    shared.store.insert(record.clone());
                    // A model that stays in the folder does no harm.
                    let _ = shared.tidy_after(runner, cell);
                    Message::Finished(cell, record)
                }
                Err(error) => Message::Failed(cell, error),
            },
            Err(error) => {
                stop.store(true, Ordering::Relaxed);
                Message::Broken(error)
            }
        };
        if messages.send(message).is_err() {
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
    let mut held = None;
    for place in (0..shared.pending.len()).rev() {
        let cell = shared.pending[place];
        let key = kind.key(cell);
        shared.store.refresh_cell(folder, key)?;
        if let Status::Done(record) = shared.store.status_of(key, |record| kind.is_current(cell, record)) {
            let record = record.clone();
            shared.pending.remove(place);
            shared.tidy_after(runner, cell)?;
            return Ok(Next::Found(cell, record));
        }
        match runner.claim(cell, &lock)? {
            Ok(claims) => {
                shared.pending.remove(place);
                return Ok(Next::Run(cell, claims));
            }
            // What another thread of this process holds is no news.
            Err(holder) => held = held.filter(|held: &Holder| !held.is_this_process()).or(Some(holder)),
        }
    }
    // Something is left, and all of it is held.
    Ok(held.map_or(Next::Stop, |holder| Next::Wait(shared.pending.len(), holder)))
}

/// Runs a cell and writes its record.
fn run_one<K: Kind>(runner: &Runner<K>, cell: &K::Cell, claim: &Claim) -> Result<K::Record> {
    let Runner { kind, folder, .. } = runner;
    let (key, desk) = (kind.key(cell), runner.desk(cell));
    let record = std::panic::catch_unwind(AssertUnwindSafe(|| kind.run(cell, &desk)))
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
    desk.clear();
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

    /// Runs the cells of the test's plan that are missing, then gathers; titles of those that failed.
    fn run_missing(engine: FakeEngine, path: &Path, jobs: usize) -> (Outcome, Vec<String>) {
        let plan = plan();
        let folder = Folder::new(path);
        let mut store = Store::open(&folder).unwrap();
        let missing: Vec<&Cell> = plan.cells.iter().filter(|c| store.usable(c, false).is_none()).collect();
        let mut failed = Vec::new();
        let kind = trainings(engine, "r1");
        let runner = Runner { kind: &kind, folder: &folder, jobs, checkpoint_every: Duration::MAX };
        let outcome = run(&runner, &missing, &[], &mut store, &mut |event| {
            if let Event::Failed(cell, error) = event {
                failed.push(format!("{}: {error}", cell.title()));
            }
        });
        let order: Vec<&str> = plan.cells.iter().map(|cell| cell.key.as_str()).collect();
        store.gather(&folder, &order, &folder.lock().unwrap()).unwrap();
        (outcome.unwrap(), failed)
    }

    fn figures(path: &Path) -> Vec<String> {
        let store: Store = Store::open(&Folder::new(path)).unwrap();
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
        let faulty = FakeEngine { faults: vec![(3, Fault::Error), (5, Fault::Panic)] };
        let (outcome, failed) = run_missing(faulty, folder.path(), 2);
        assert_eq!(outcome, Outcome { n_finished: 22, n_found: 0, n_failed: 2 });
        assert!(failed.iter().any(|f| f.contains("no such luck")), "{failed:?}");
        assert!(failed.iter().any(|f| f.contains("internal error: out of luck")), "{failed:?}");
        let (outcome, _) = run_missing(FakeEngine::default(), folder.path(), 2);
        assert_eq!(outcome, Outcome { n_finished: 2, n_found: 0, n_failed: 0 });
        let (outcome, _) = run_missing(FakeEngine::default(), folder.path(), 2);
        assert_eq!(outcome, Outcome::default());
    }

    #[test]
    fn a_record_that_cannot_be_written_is_told_with_its_path_and_the_others_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let key = plan().cells[4].key.clone();
        let obstacle = folder.path().join(format!("cells/{key}.json"));
        std::fs::create_dir_all(obstacle.join("x")).unwrap();
        let plan = plan();
        let (kind, place) = (trainings(FakeEngine::default(), "r1"), Folder::new(folder.path()));
        let cells: Vec<&Cell> = plan.cells.iter().collect();
        let runner = Runner { kind: &kind, folder: &place, jobs: 2, checkpoint_every: Duration::MAX };
        let mut error = String::new();
        // A folder in the place of the record: no record can be read or written there.
        let mut store = Store::default();
        let cells: Vec<&Cell> = cells.into_iter().filter(|cell| cell.key != key).collect();
        let outcome = run(&runner, &cells, &[], &mut store, &mut |_| ()).unwrap();
        assert_eq!(outcome.n_finished, 23);
        let claim = place.claim(&key, &place.lock().unwrap()).unwrap();
        if let Attempt::Ours(claim) = claim {
            error = run_one(&runner, &plan.cells[4], &claim).unwrap_err().to_string();
        }
        assert!(error.contains(&format!("{key}.json")) && error.contains("make room or mend the folder"), "{error}");
    }

    #[test]
    fn figures_do_not_depend_on_jobs_or_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        let (one, three) = (folder.path().join("one"), folder.path().join("three"));
        run_missing(FakeEngine::default(), &one, 1);
        run_missing(FakeEngine::default(), &three, 3);
        assert_eq!(figures(&one), figures(&three));
        let records = three.join("records.jsonl");
        let text = std::fs::read(&records).unwrap();
        // Records are gathered in the order of the plan, whoever finished when.
        let keys = |folder: &Path| -> Vec<String> {
            Store::<crate::experiment::Record>::read(&folder.join("records.jsonl"))
                .unwrap()
                .records()
                .iter()
                .map(|r| r.key.clone())
                .collect()
        };
        assert_eq!(keys(&three), keys(&one));
        std::fs::write(&records, &text[..text.len() / 2]).unwrap();
        assert!(figures(&three).len() < figures(&one).len());
        run_missing(FakeEngine::default(), &three, 2);
        assert_eq!(figures(&one), figures(&three));
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
        let desk = runner.desk(b);
        assert_eq!(desk.shared_model, runner.desk(a).shared_model);
        std::fs::write(&desk.shared_model, "").unwrap();
        assert!(runner.claim(b, &lock).unwrap().is_err(), "what went before it is not there yet");
        std::fs::write(desk.shared_history(), "").unwrap();
        assert!(runner.claim(b, &lock).unwrap().is_ok());
        drop((claims, lock));

        let mut store = Store::open(&folder).unwrap();
        let cells: Vec<&Cell> = plan.cells.iter().collect();
        let mut there = Vec::new();
        let runner = Runner { jobs: 1, ..runner };
        run(&runner, &cells[..1], &cells[1..], &mut store, &mut |_| there.push(desk.has_shared_model())).unwrap();
        assert!(there.pop().is_some_and(|there| there), "another process will need it");
        run(&runner, &cells, &[], &mut store, &mut |_| there.push(desk.has_shared_model())).unwrap();
        assert!(!desk.has_shared_model(), "{there:?}");
        assert_eq!(there.len(), 3);
    }

    #[test]
    fn runs_side_by_side_share_the_cells_and_each_ends_with_all_records() {
        let place = tempfile::tempdir().unwrap();
        let outcomes: Vec<(Outcome, usize)> = std::thread::scope(|scope| {
            let run_all = || {
                let (plan, folder) = (plan(), Folder::new(place.path()));
                let (kind, mut store) = (trainings(FakeEngine::default(), "r1"), Store::default());
                let runner = Runner { kind: &kind, folder: &folder, jobs: 2, checkpoint_every: Duration::MAX };
                let outcome =
                    run(&runner, &plan.cells.iter().collect::<Vec<_>>(), &[], &mut store, &mut |_| ()).unwrap();
                // Whoever is first gathers, and the others find what has been gathered.
                store.gather(&folder, &[], &folder.lock().unwrap()).unwrap();
                (outcome, store.records().len())
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(run_all)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(outcomes.iter().map(|(outcome, _)| outcome.n_finished).sum::<usize>(), 24, "{outcomes:?}");
        assert!(
            outcomes.iter().all(|(outcome, n)| outcome.n_finished + outcome.n_found == 24 && *n == 24),
            "{outcomes:?}"
        );
        assert_eq!(figures(place.path()).len(), 24);
    }
}
