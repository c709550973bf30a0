//! The folder of an experiment's results, and who of several processes does what in it.
//!
//! | file | what it holds |
//! |---|---|
//! | `records.jsonl` or `records.jsonl.zst` | the records gathered so far, a line each: what is committed |
//! | `cells/KEY.json` | the record of a cell that has been run and not been gathered yet |
//! | `cells/KEY.claim` | who runs the cell; its time of change is the last sign of life |
//! | `cells/KEY.CODE.checkpoint` | what the cell needs to go on after it was interrupted |
//! | `cells/KEY.CODE.model`, `.history` | a model that several cells begin with, and how its training went, until all of them have been run |
//! | `cells/.lock` | locked for the moments in which claims are made and records are gathered |
//!
//! Every one of them appears whole or not at all. A process that is killed at any moment leaves a claim, which is void as soon
//! as the process is seen to be gone (on the same machine) or has given no sign of life for [`SILENCE`] (on another one). The next run
//! sweeps out void claims and whatever else was left.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use treebeam::error::{Error, Result};
use treebeam::files::{remove_abandoned, write_whole};

/// The name of the file of gathered records.
const RECORDS: &str = "records.jsonl";

/// The name of the file of gathered records that have been packed.
const PACKED_RECORDS: &str = "records.jsonl.zst";

/// The name that earlier versions gave such a file. It is read, and becomes one of today's name when a cell is gathered.
const EARLIER_RECORDS: &str = "records.jsonl.gz";

/// The name of the folder of what has not been gathered.
const CELLS: &str = "cells";

/// The beginning of the names of files that are made to learn the time.
const NOW: &str = ".now-";

/// Interval at which who runs a cell gives a sign of life.
const BEAT: Duration = Duration::from_secs(15);

/// Time that a claim of another machine lasts without one.
pub const SILENCE: Duration = Duration::from_secs(120);

/// The folder of results of one experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// Nobody else makes claims or gathers records in the folder while this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// A process that runs a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The name of its machine. Claims are never committed.
    pub host: String,
    /// Its number there.
    pub pid: u32,
    /// Time at which it was started, in the system's units, so that a later process with its number is not taken for it.
    pub started: Option<u64>,
    /// Distinguishes the claims of one process.
    pub number: u64,
}

/// Result of an attempt to claim a cell.
#[derive(Debug)]
pub enum Attempt {
    /// It is ours.
    Ours(Claim),
    /// Somebody else runs it.
    Taken(Holder),
}

/// The right to run a cell. It is given up when this is dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    holder: Holder,
    stop: Option<Sender<()>>,
    heart: Option<JoinHandle<()>>,
}

impl Folder {
    /// The folder at `path`, which need not exist yet.
    pub fn new(path: &Path) -> Folder {
        Folder { path: path.to_owned() }
    }

    /// Path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that gathered records may lie in: those of earlier versions, packed ones, plain ones. Several of them are there where
    /// some were put beside others, until the next cell is gathered.
    pub fn record_files(&self) -> [PathBuf; 3] {
        [EARLIER_RECORDS, PACKED_RECORDS, RECORDS].map(|name| self.path.join(name))
    }

    /// The name of the file to gather records in: records that somebody has packed stay packed.
    pub fn records_name(&self) -> &'static str {
        let is_packed = [EARLIER_RECORDS, PACKED_RECORDS].iter().any(|name| self.path.join(name).exists());
        if is_packed { PACKED_RECORDS } else { RECORDS }
    }

    /// The file to gather records in.
    pub fn records(&self) -> PathBuf {
        self.path.join(self.records_name())
    }

    /// True if there are results of an experiment in it.
    pub fn has_records(&self) -> bool {
        self.record_files().iter().any(|path| path.exists()) || self.path.join(CELLS).exists()
    }

    /// The file of the record of a cell that has not been gathered.
    pub fn cell(&self, key: &str) -> PathBuf {
        self.path.join(CELLS).join(format!("{key}.json"))
    }

    /// The file with which the cell goes on after an interruption, if the program still behaves as it did.
    pub fn checkpoint(&self, key: &str, golden: &str) -> PathBuf {
        self.path.join(CELLS).join(format!("{key}.{golden}.checkpoint"))
    }

    /// The file of the model of a training that several cells share; `key` is the training's.
    pub fn model(&self, key: &str, golden: &str) -> PathBuf {
        self.path.join(CELLS).join(format!("{key}.{golden}.model"))
    }

    fn claim_path(&self, key: &str) -> PathBuf {
        self.path.join(CELLS).join(format!("{key}.claim"))
    }

    /// The files of cells that have been run and not been gathered, by name.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn cells(&self) -> Result<Vec<PathBuf>> {
        let folder = self.path.join(CELLS);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io(folder)(error)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(Error::io(&folder))?.path();
            if path.extension() == Some(OsStr::new("json")) && path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Waits until nobody else has the lock, and takes it.
    ///
    /// # Errors
    /// If the folder cannot be made or its file system knows no locks.
    pub fn lock(&self) -> Result<Lock> {
        let folder = self.path.join(CELLS);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let path = folder.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(Error::io(&path))?;
        let unable = |error: io::Error| {
            let what =
                format!("{error}; results need a file system with locks: name a folder on another one with --out");
            Error::io(&path)(io::Error::new(error.kind(), what))
        };
        file.lock().map_err(unable)?;
        Ok(Lock { _file: file })
    }

    /// Claims the cell with this key, unless somebody else runs it. Claims of processes that are gone are taken over.
    ///
    /// # Errors
    /// If the claim cannot be read or written.
    pub fn claim(&self, key: &str, _lock: &Lock) -> Result<Attempt> {
        let path = self.claim_path(key);
        if let Some(holder) = self.holder(key)? {
            return Ok(Attempt::Taken(holder));
        }
        let holder = Holder::new();
        let text = serde_json::to_string(&holder).map_err(|error| Error::Usage(error.to_string()))?;
        write_whole(&path, text.as_bytes())?;
        let file = File::options().write(true).open(&path).map_err(Error::io(&path))?;
        let (stop, stopped) = mpsc::channel();
        let heart = std::thread::Builder::new().name("sign of life".to_owned()).spawn(move || {
            let mut file = file;
            while stopped.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                // Written anew rather than touched: so the time is that of the machine that keeps the file, whose clock is the
                // same for all who ask.
                let _ = file.rewind().and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_data());
            }
        });
        let heart = heart.map_err(|error| treebeam::process::no_threads(1, &error))?;
        Ok(Attempt::Ours(Claim { path, holder, stop: Some(stop), heart: Some(heart) }))
    }

    /// Process that runs the cell; none if there is none or it is known to be gone.
    ///
    /// # Errors
    /// If the claim cannot be read.
    pub fn holder(&self, key: &str) -> Result<Option<Holder>> {
        let path = self.claim_path(key);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        let holder: Option<Holder> = serde_json::from_slice(&text).ok();
        Ok(match holder {
            Some(holder) if holder.is_here() => holder.lives().then_some(holder),
            // Of another machine, or in a form that this program does not know.
            other => {
                let silent = self.silence(&path)?.is_some_and(|silence| silence > SILENCE);
                let unknown = || Holder { host: "unknown".to_owned(), pid: 0, started: None, number: 0 };
                (!silent).then(|| other.unwrap_or_else(unknown))
            }
        })
    }

    /// Removes what killed processes have left: claims of theirs, files that they were writing, and checkpoints and models of cells that
    /// are `done`, by key.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn sweep(&self, done: &HashSet<&str>, _lock: &Lock) -> Result<()> {
        let folder = self.path.join(CELLS);
        for of_files in [&self.path, &folder] {
            remove_abandoned(of_files).map_err(Error::io(of_files))?;
        }
        for entry in std::fs::read_dir(&folder).map_err(Error::io(&folder))? {
            let path = entry.map_err(Error::io(&folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let key = name.split('.').next().unwrap_or_default();
            let is_left = match path.extension().and_then(OsStr::to_str) {
                Some("claim") => self.holder(key)?.is_none(),
                Some("checkpoint" | "seconds" | "model" | "history") => {
                    done.contains(key) && self.holder(key)?.is_none()
                }
                // The file that gives the time is only locked for a moment.
                _ => {
                    name.starts_with(NOW)
                        && self.silence(&path)?.is_some_and(|silence| silence > Duration::from_secs(1))
                }
            };
            if is_left {
                // A file that cannot be removed does no harm.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// Age of the file, by the clock of the machine that keeps it; none if it is gone.
    fn silence(&self, path: &Path) -> Result<Option<Duration>> {
        let Ok(written) = std::fs::metadata(path).and_then(|data| data.modified()) else { return Ok(None) };
        let folder = self.path.join(CELLS);
        let now = tempfile::Builder::new().prefix(NOW).tempfile_in(&folder).and_then(|file| file.as_file().metadata());
        let now = now.and_then(|data| data.modified()).unwrap_or_else(|_| SystemTime::now());
        // No sign of life is given in the future: a date there is as far from one as a date in the past.
        Ok(Some(now.duration_since(written).unwrap_or_else(|ahead| ahead.duration())))
    }
}

impl Holder {
    /// This process.
    fn new() -> Holder {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let pid = std::process::id();
        Holder { host: host(), pid, started: started(pid), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// True if it is this process, one of whose threads runs the cell.
    pub fn is_this_process(&self) -> bool {
        self.pid == std::process::id() && self.is_here() && self.lives()
    }

    /// True if it is on this machine.
    fn is_here(&self) -> bool {
        self.host == host()
    }

    /// True if a process of this machine is still there.
    fn lives(&self) -> bool {
        match started(self.pid) {
            Some(started) => self.started.is_none_or(|since| since == started),
            // Some systems have no folder of processes.
            None => !Path::new("/proc/self").exists(),
        }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

impl Claim {
    /// True if the claim is still ours: a machine that slept for long may have lost it.
    pub fn is_ours(&self) -> bool {
        let text = std::fs::read(&self.path).unwrap_or_default();
        serde_json::from_slice::<Holder>(&text).is_ok_and(|holder| holder == self.holder)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(heart) = self.heart.take() {
            let _ = heart.join();
        }
        if self.is_ours() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The text of the file at `path`; none if there is no such file.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error)),
    }
}

/// The name of this machine, with that of its boot, so that numbers of processes mean something.
fn host() -> String {
    let read = |path: &str| std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let (name, boot) = (read("/proc/sys/kernel/hostname"), read("/proc/sys/kernel/random/boot_id"));
    format!("{name} {}", boot.split('-').next().unwrap_or("")).trim().to_owned()
}

/// Time at which a process of this machine was started, in ticks since the boot; none if there is no such process, or if it has
/// ended and only waits for its parent to notice.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; what follows are the state and numbers.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    (!matches!(*fields.first()?, "Z" | "X")).then_some(())?;
    fields.get(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(folder: &Folder, key: &str) -> Attempt {
        folder.claim(key, &folder.lock().unwrap()).unwrap()
    }

    #[test]
    fn claims_of_processes_that_are_gone_are_taken_over() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let Attempt::Ours(claim) = take(&folder, "a") else { panic!("nobody has claimed it") };
        let path = place.path().join("cells/a.claim");
        let write = |holder: &Holder, age: Duration| {
            std::fs::write(&path, serde_json::to_vec(holder).unwrap()).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        };
        let here = Holder { number: 0, ..claim.holder.clone() };
        let is_claimed = || matches!(take(&folder, "a"), Attempt::Taken(_));

        write(&here, 2 * SILENCE);
        assert!(is_claimed(), "a process that lives and is silent may be stopped, and goes on later");
        assert!(!claim.is_ours());
        write(&Holder { started: Some(1), ..here.clone() }, Duration::ZERO);
        assert!(!is_claimed(), "another process has got its number");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = Holder { pid: child.id(), started: None, ..here.clone() };
        child.wait().unwrap();
        write(&gone, Duration::ZERO);
        assert!(!is_claimed(), "the process has ended");

        let elsewhere = Holder { host: "elsewhere".to_owned(), ..gone };
        write(&elsewhere, Duration::ZERO);
        assert!(is_claimed(), "only signs of life say what runs on another machine");
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() + 2 * SILENCE).unwrap();
        assert!(!is_claimed(), "no sign of life is given in the future");
        write(&elsewhere, Duration::ZERO);
        assert!(is_claimed());
        write(&elsewhere, 2 * SILENCE);
        assert!(!is_claimed());
        std::fs::write(&path, "{").unwrap();
        assert!(is_claimed(), "what cannot be read may be a claim of a later version");
    }

    #[test]
    fn of_many_at_once_one_takes_over() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        drop(folder.lock().unwrap());
        let gone = Holder { started: Some(1), ..Holder::new() };
        std::fs::write(place.path().join("cells/a.claim"), serde_json::to_vec(&gone).unwrap()).unwrap();
        let attempts: Vec<Attempt> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| take(&folder, "a"))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(attempts.iter().filter(|attempt| matches!(attempt, Attempt::Ours(_))).count(), 1);
    }
}
