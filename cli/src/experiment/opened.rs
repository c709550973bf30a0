//! An experiment of any kind with what has been run of it: planned, shown, run, and its tables written.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde::Serialize;

use super::Experiments;
use super::verify::{self, Verified};
use treebeam::console::{is_quiet, note, shows_progress};
use treebeam::error::Error;
use treebeam::files::{Packing, read_text};
use treebeam_lab::experiment::{
    Estimate, Event, Folder, Golden, Kind, Pace, Runner, Status, Store, Stored, Unreadable, estimate, run,
};

/// Operations on an experiment, whatever its kind.
pub trait Experiment {
    /// Its name.
    fn name(&self) -> &str;

    /// Numbers of cells and of missing ones, and the time that the missing ones will take, as far as records say.
    fn outline(&self, jobs: usize) -> (usize, usize, Option<Duration>);

    /// The keys of its cells.
    fn keys(&self) -> Vec<String>;

    /// Its cells, each once.
    fn planned(&self) -> anyhow::Result<Vec<Planned>>;

    /// Prints the plan for people.
    fn show(&self, jobs: usize) -> anyhow::Result<()>;

    /// Runs what is missing of all cells, or of those with these keys; how many cells failed.
    fn run(&mut self, how: &How) -> anyhow::Result<usize>;

    /// Runs a sample of the cells that have records again, and compares.
    fn verify(&mut self, options: &verify::VerifyOptions, how: &How) -> anyhow::Result<Verified>;

    /// Writes tables and plots, and prints the Markdown.
    fn write_tables(&mut self) -> anyhow::Result<()>;
}

/// A cell in the output of `experiment plan --json`.
#[derive(Debug, Serialize)]
pub struct Planned {
    /// The experiment's name.
    pub experiment: String,
    /// The cell's key.
    pub key: String,
    /// Description that distinguishes it from others.
    pub title: String,
    /// Seconds by the clock that it is likely to take.
    pub seconds: f64,
    /// Bytes of memory that it is likely to take.
    pub memory: u64,
    /// The number of records that both figures rest on; 0 for a rule of thumb.
    pub records: usize,
    /// State of the cell.
    pub state: State,
}

/// State of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has a record that counts.
    Done,
    /// It has a record that was made by other code.
    Stale,
    /// A process runs it.
    Running,
    /// It was interrupted and goes on from a checkpoint.
    Interrupted,
    /// It was not run.
    Missing,
}

/// Settings for running cells.
#[derive(Debug)]
pub struct How {
    /// Number of cells run side by side.
    pub jobs: usize,
    /// Greatest age of checkpoints.
    pub checkpoint_every: Duration,
    /// Only the cells with these keys; then no tables are written.
    pub only: Option<HashSet<String>>,
}

/// The experiment whose tables lie in a folder.
fn experiment_of(folder: &Path) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    let paths = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_document = |path: &PathBuf| Packing::unpacked(path).extension().is_some_and(|ending| ending == "json");
    let name = |path: PathBuf| serde_json::from_str::<Named>(&read_text(&path).ok()?).ok();
    paths.filter(is_document).find_map(name).map(|named| named.name)
}

/// An experiment with its records.
pub struct Opened<K: Kind> {
    pub kind: K,
    pub name: String,
    pub cells: Vec<K::Cell>,
    pub store: Store<K::Record>,
    /// The folders in which other experiments' folders of results lie.
    beside: Vec<PathBuf>,
    pub accept_stale: bool,
    pub folder: Folder,
    /// The command that makes the tables again.
    pub command: String,
    /// Treebanks that cannot be read, and why: their cells are not among the others.
    pub unreadable: Vec<Unreadable>,
    tables: Box<Tables<K>>,
}

/// Function that writes tables and plots, and prints the Markdown.
type Tables<K> = dyn Fn(&Opened<K>) -> anyhow::Result<()>;

impl State {
    /// All of them.
    pub const ALL: [State; 5] = [State::Done, State::Running, State::Interrupted, State::Stale, State::Missing];

    /// As `plan` prints it.
    pub fn name(self) -> &'static str {
        match self {
            State::Done => "done",
            State::Stale => "stale",
            State::Running => "running",
            State::Interrupted => "interrupted",
            State::Missing => "missing",
        }
    }
}

impl<K: Kind> Opened<K> {
    /// The experiment `name` of the specification at `path` with its records. `is_own` is true if something else is run than the
    /// specification says; `tables` writes tables and plots, and prints the Markdown.
    pub fn new(
        args: &Experiments,
        path: &Path,
        (name, is_own): (&str, bool),
        (kind, cells): (K, Vec<K::Cell>),
        tables: Box<Tables<K>>,
    ) -> anyhow::Result<Opened<K>> {
        let out = &*args.folder(name, is_own);
        let folder = Folder::new(out);
        if let Some(other) = experiment_of(out).filter(|other| other != name) {
            let what =
                format!("{}: the results of `{other}`; expected a folder of its own for `{name}`", out.display());
            return Err(Error::Usage(what).into());
        }
        let store = Store::open(&folder)?;
        if store.torn {
            eprintln!("{}: the last record is torn; its cell counts as missing", folder.records().display());
        }
        let mut beside = vec![PathBuf::from(super::RESULTS)];
        if let Some(parent) = out.parent().filter(|parent| *parent != Path::new(super::RESULTS)) {
            beside.push(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() });
        }
        let (name, accept_stale, command) = (name.to_owned(), args.accept_stale, args.command(path));
        let unreadable = Vec::new();
        Ok(Opened { kind, name, cells, store, beside, accept_stale, folder, command, unreadable, tables })
    }

    /// The records of other experiments, which may have run `missing` cells or say how long these take. Of all
    /// experiments they are many: nobody holds them longer than needed.
    fn others(&self, missing: &[&K::Cell]) -> Vec<K::Record> {
        if missing.is_empty() { Vec::new() } else { records_in(&self.beside, self.folder.path()) }
    }

    /// Status of a cell.
    pub fn status(&self, cell: &K::Cell) -> Status<'_, K::Record> {
        self.store.status_of(self.kind.key(cell), |record| self.kind.is_current(cell, record))
    }

    /// The record of a cell that tables are made of.
    pub fn usable(&self, cell: &K::Cell) -> Option<&K::Record> {
        self.status(cell).usable(self.accept_stale)
    }

    /// The cells without a usable record, each key once.
    fn missing(&self) -> Vec<&K::Cell> {
        let mut seen = HashSet::new();
        let is_missing = |c: &&K::Cell| self.usable(c).is_none();
        self.cells.iter().filter(is_missing).filter(|cell| seen.insert(self.kind.key(cell))).collect()
    }

    /// The record among `others` of this cell, made by the same code.
    fn elsewhere<'o>(&self, cell: &K::Cell, others: &'o [K::Record]) -> Option<&'o K::Record> {
        others.iter().find(|r| r.key() == self.kind.key(cell) && self.kind.is_current(cell, r))
    }

    /// Estimated time for cells, save those that are taken over from `others`, and the number of records behind it.
    fn estimate(&self, cells: &[&K::Cell], others: &[K::Record], jobs: usize) -> Option<Estimate> {
        let is_to_run = |cell: &&&K::Cell| self.elsewhere(cell, others).is_none();
        let to_run: Vec<&K::Cell> = cells.iter().filter(is_to_run).copied().collect();
        estimate(&self.kind, &to_run, &self.records_with(others), jobs)
    }

    /// The records of this experiment and of others, by which costs are judged.
    fn records_with<'o>(&'o self, others: &'o [K::Record]) -> Vec<&'o K::Record> {
        self.store.records().iter().chain(others).collect()
    }

    fn state(&self, cell: &K::Cell) -> anyhow::Result<State> {
        let key = self.kind.key(cell);
        let checkpoint = self.folder.checkpoint(key, Golden::whole());
        Ok(match self.status(cell) {
            Status::Done(_) => State::Done,
            _ if self.folder.holder(key)?.is_some() => State::Running,
            _ if checkpoint.exists() => State::Interrupted,
            Status::Stale(_) => State::Stale,
            Status::Missing => State::Missing,
        })
    }

    pub fn warn(&self) {
        let n_foreign = self.store.n_foreign(self.cells.iter().map(|cell| self.kind.key(cell)));
        if n_foreign > 0 {
            eprintln!("{n_foreign} records belong to other options, data or profiles and are not used here");
        }
        for (name, error) in &self.unreadable {
            eprintln!("error: treebank `{name}`: {error}; its cells are left out");
        }
    }

    /// Takes over what other experiments have run with the same code.
    fn adopt(&mut self) -> anyhow::Result<()> {
        let missing = self.missing();
        let others = self.others(&missing);
        let adopted = |cell: &K::Cell| Some(self.kind.adopt(cell, self.elsewhere(cell, &others)?));
        let found: Vec<K::Record> = missing.into_iter().filter_map(adopted).collect();
        if found.is_empty() {
            return Ok(());
        }
        note(format_args!("{}: {} cells were run for other experiments", self.name, found.len()));
        let _lock = self.folder.lock()?;
        for record in found {
            Store::keep(&self.folder, &record)?;
            self.store.insert(record);
        }
        Ok(())
    }

    /// Replaces records by those of the same cells in `records`, on disk, too.
    pub fn take(&mut self, records: Vec<K::Record>) -> anyhow::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        self.gather()?;
        let lock = self.folder.lock()?;
        self.store.refresh(&self.folder)?;
        self.store.replace(records);
        self.store.write(&self.folder.records())?;
        drop(lock);
        Ok(())
    }

    /// Keys of the cells that have a record in `store`, and of the trainings that only these share.
    fn done(&self, store: &Store<K::Record>) -> HashSet<&str> {
        let is_done = |cell: &&K::Cell| {
            matches!(store.status_of(self.kind.key(cell), |record| self.kind.is_current(cell, record)), Status::Done(_))
        };
        let (done, left): (Vec<&K::Cell>, Vec<&K::Cell>) = self.cells.iter().partition(is_done);
        let needed: HashSet<&str> = left.iter().filter_map(|cell| self.kind.shared_training(cell)).collect();
        let of_cells = done.iter().map(|cell| self.kind.key(cell));
        let all = of_cells.chain(done.iter().filter_map(|cell| self.kind.shared_training(cell)));
        all.filter(|key| !needed.contains(key)).collect()
    }

    /// Gathers the records of single cells into one file.
    fn gather(&mut self) -> anyhow::Result<()> {
        if self.folder.cells()?.is_empty() {
            return Ok(());
        }
        let lock = self.folder.lock()?;
        let order: Vec<&str> = self.cells.iter().map(|cell| self.kind.key(cell)).collect();
        Ok(self.store.gather(&self.folder, &order, &lock)?)
    }

    /// Runs `cells` in `folder`, where other processes may run `of_others`; their records go into `store`. How long they take is
    /// judged by `records`. Returns the number of cells that failed.
    pub fn run_cells(
        &self,
        folder: &Folder,
        (cells, of_others): (&[&K::Cell], &[&K::Cell]),
        store: &mut Store<K::Record>,
        records: &[&K::Record],
        how: &How,
    ) -> anyhow::Result<usize> {
        let bar = progress(cells.len() as u64);
        let mut pace = Pace::new(&self.kind, cells, records);
        let start = Instant::now();
        folder.sweep(&self.done(store), &folder.lock()?)?;
        let runner = Runner { kind: &self.kind, folder, jobs: self.jobs(how), checkpoint_every: how.checkpoint_every };
        let n_failed = run(&runner, cells, of_others, store, &mut |event| {
            let failed = matches!(event, Event::Failed(..));
            let line = match event {
                Event::Finished(cell, record) => {
                    pace.finished(self.kind.key(cell));
                    format!("{}: {:.1} s", self.kind.title(cell), record.seconds())
                }
                Event::Found(cell, _) => {
                    pace.finished(self.kind.key(cell));
                    format!("{}: run by another process", self.kind.title(cell))
                }
                Event::Failed(cell, error) => {
                    pace.failed(self.kind.key(cell));
                    format!("error: {}: {error}", self.kind.title(cell))
                }
                Event::Waiting(n, holder) => {
                    return bar.suspend(|| {
                        note(format_args!("waiting for {n} cells that other processes run, one of them {holder}"));
                    });
                }
            };
            let time = pace.remaining(start.elapsed()).map(|time| format!("about {} left", HumanDuration(time)));
            bar.set_message(time.clone().unwrap_or_default());
            bar.inc(1);
            // A hidden bar swallows lines.
            if !bar.is_hidden() {
                bar.println(line);
            } else if failed || !is_quiet() {
                let time = time.map_or(String::new(), |time| format!(", {time}"));
                eprintln!("{line} ({} of {}{time})", cells.len() - pace.n_left(), cells.len());
            }
        })?;
        bar.finish_and_clear();
        Ok(n_failed)
    }

    /// Number of cells run side by side.
    pub fn jobs(&self, how: &How) -> usize {
        how.jobs.min(self.kind.most_jobs())
    }
}

impl<K: Kind> Experiment for Opened<K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn outline(&self, jobs: usize) -> (usize, usize, Option<Duration>) {
        let missing = self.missing();
        let time = self.estimate(&missing, &self.others(&missing), jobs).map(|e| e.time);
        (self.cells.len(), missing.len(), time)
    }

    fn keys(&self) -> Vec<String> {
        self.cells.iter().map(|cell| self.kind.key(cell).to_owned()).collect()
    }

    fn planned(&self) -> anyhow::Result<Vec<Planned>> {
        let others = self.others(&self.cells.iter().collect::<Vec<_>>());
        let records = self.records_with(&others);
        let mut seen = HashSet::new();
        let mut planned = Vec::new();
        for cell in self.cells.iter().filter(|cell| seen.insert(self.kind.key(cell))) {
            let cost = self.kind.cost(cell, &records);
            planned.push(Planned {
                experiment: self.name.clone(),
                key: self.kind.key(cell).to_owned(),
                title: self.kind.title(cell),
                seconds: cost.seconds,
                memory: cost.memory,
                records: cost.n_records,
                state: self.state(cell)?,
            });
        }
        self.warn();
        Ok(planned)
    }

    fn show(&self, jobs: usize) -> anyhow::Result<()> {
        let mut out = treebeam::console::output();
        let mut n_stale = 0;
        for cell in &self.cells {
            let state = self.state(cell)?;
            n_stale += usize::from(state == State::Stale);
            let key: String = self.kind.key(cell).chars().take(12).collect();
            writeln!(out, "{:<12}{key}  {}", state.name(), self.kind.title(cell))?;
        }
        let missing = self.missing();
        writeln!(out, "{} cells, {} to run, {n_stale} stale", self.cells.len(), missing.len())?;
        match self.estimate(&missing, &self.others(&missing), jobs) {
            _ if missing.is_empty() => writeln!(out, "nothing to run")?,
            Some(estimate) => {
                let (time, n) = (HumanDuration(estimate.time), estimate.n_records);
                writeln!(out, "about {time} with {jobs} jobs, judging by {n} or more records of each kind")?;
            }
            None => writeln!(out, "no record yet to judge the time by")?,
        }
        self.warn();
        Ok(())
    }

    fn run(&mut self, how: &How) -> anyhow::Result<usize> {
        self.adopt()?;
        let is_wanted = |cell: &&K::Cell| how.only.as_ref().is_none_or(|keys| keys.contains(self.kind.key(cell)));
        let (missing, of_others): (Vec<&K::Cell>, Vec<_>) = self.missing().into_iter().partition(is_wanted);
        let n_wanted = self.cells.iter().filter(is_wanted).count();
        let jobs = self.jobs(how);
        let others = self.others(&missing);
        let time = about(self.estimate(&missing, &others, jobs));
        let n_done = n_wanted.saturating_sub(missing.len());
        note(format_args!("{}: {} cells to run, {n_done} done before, {jobs} at once{time}", self.name, missing.len()));
        self.warn();
        let mut store = self.store.clone();
        let n_failed =
            self.run_cells(&self.folder, (&missing, &of_others), &mut store, &self.records_with(&others), how)?;
        let n_missing = missing.len();
        self.store = store;
        if how.only.is_none() {
            self.write_tables()?;
        }
        if n_failed > 0 {
            eprintln!("{n_failed} of {n_missing} cells failed");
        }
        Ok(n_failed + self.unreadable.len())
    }

    fn verify(&mut self, options: &verify::VerifyOptions, how: &How) -> anyhow::Result<Verified> {
        verify::verify(self, options, how)
    }

    fn write_tables(&mut self) -> anyhow::Result<()> {
        self.gather()?;
        let n_cells = self.cells.len();
        let n_stale = self.cells.iter().filter(|cell| matches!(self.status(cell), Status::Stale(_))).count();
        if n_stale > 0 && !self.accept_stale {
            eprintln!("{n_stale} of {n_cells} cells have only records made by other code; --accept-stale uses them");
        }
        (self.tables)(self)
    }
}

/// The records of the experiments whose folders lie in `folders`, save those in `out`; those that cannot be read are none of its
/// business.
fn records_in<R: Stored>(folders: &[PathBuf], out: &Path) -> Vec<R> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut folders: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|path| path != out).collect();
    folders.retain(|folder| Folder::new(folder).has_records());
    folders.sort();
    let stores = folders.iter().filter_map(|folder| Store::open(&Folder::new(folder)).ok());
    stores.flat_map(|store: Store<R>| store.records().to_vec()).collect()
}

/// A time as a part of a sentence.
pub fn about(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(Estimate { time, .. }) if !time.is_zero() => format!(", about {}", HumanDuration(time)),
        _ => String::new(),
    }
}

fn progress(n: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed} gone, {msg}");
    if !shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(n).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_secs(1));
    }
    bar
}
