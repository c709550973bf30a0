//! The file of records: one line of JSON per finished cell, appended and synced, so that a run killed at any moment loses at
//! most the cell in hand.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cell::Cell;
use super::provenance::Revisions;
use super::record::Record;
use crate::error::{Error, Location, Problem, Result};

/// The records of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Store {
    records: Vec<Record>,
    by_key: HashMap<String, Vec<usize>>,
    /// Whether the last line was torn by an interruption; it is dropped.
    pub torn: bool,
}

/// What the store knows of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Status<'a> {
    /// It was run with this code.
    Done(&'a Record),
    /// It was run with other code.
    Stale(&'a Record),
    /// It was not run.
    Missing,
}

impl Store {
    /// Reads the records in `path`; a file that does not exist holds none.
    ///
    /// # Errors
    /// If the file cannot be read, or a line other than a torn last one is not a record.
    pub fn read(path: &Path) -> Result<Store> {
        let (records, torn) = read_lines(path)?;
        let mut store = Store { torn, ..Store::default() };
        records.into_iter().for_each(|record| store.insert(record));
        Ok(store)
    }

    /// Adds a record that was just made.
    pub fn insert(&mut self, record: Record) {
        self.by_key.entry(record.key.clone()).or_default().push(self.records.len());
        self.records.push(record);
    }

    /// All records, oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What is known of `cell` when the code is at `revisions`: the newest record of that revision, else the newest at all.
    pub fn status(&self, cell: &Cell, revisions: &Revisions) -> Status<'_> {
        let revision = revisions.of(cell.options.system);
        let of_cell = || self.by_key.get(&cell.key).into_iter().flatten().rev().map(|&i| &self.records[i]);
        match of_cell().find(|r| r.provenance.revision == revision) {
            Some(record) => Status::Done(record),
            None => of_cell().next().map_or(Status::Missing, Status::Stale),
        }
    }

    /// The record to use for `cell`: one of the revision, or any if stale ones are accepted.
    pub fn usable(&self, cell: &Cell, revisions: &Revisions, accept_stale: bool) -> Option<&Record> {
        match self.status(cell, revisions) {
            Status::Done(record) => Some(record),
            Status::Stale(record) if accept_stale => Some(record),
            Status::Stale(_) | Status::Missing => None,
        }
    }

    /// The number of records that belong to none of `cells`: made with other options, data or profiles.
    pub fn n_foreign(&self, cells: &[Cell]) -> usize {
        let keys: std::collections::HashSet<&str> = cells.iter().map(|c| c.key.as_str()).collect();
        self.records.iter().filter(|r| !keys.contains(r.key.as_str())).count()
    }
}

/// The records in `path`, and whether the last line was torn by an interruption, which drops it; a file that does not exist
/// holds none.
///
/// # Errors
/// If the file cannot be read, or a line other than a torn last one is not a record.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<(Vec<T>, bool)> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), false)),
        Err(e) => return Err(Error::io(path)(e)),
    };
    let mut records = Vec::new();
    for (i, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            return Ok((records, true));
        }
        records.push(serde_json::from_slice(line).map_err(|e| Problem {
            location: Location { path: path.display().to_string(), line: i + 1, sentence: None },
            found: e.to_string(),
            expected: "the record of a cell; delete the line to run the cell again".to_owned(),
        })?);
    }
    Ok((records, false))
}

/// Appends records.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
}

impl Writer {
    /// Opens `path` for appending, creating it and its folder, and cuts off a torn last line.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(path: &Path) -> Result<Writer> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        let mut file = File::options().create(true).append(true).read(true).open(path).map_err(Error::io(path))?;
        let text = std::fs::read(path).map_err(Error::io(path))?;
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        file.set_len(whole as u64).map_err(Error::io(path))?;
        file.seek(SeekFrom::End(0)).map_err(Error::io(path))?;
        Ok(Writer { file, path: path.to_owned() })
    }

    /// Appends one record and waits until it is on disk.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, record: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(record).map_err(|e| Error::Usage(e.to_string()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(Error::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{plan, record};

    fn stored(folder: &Path, n: usize) -> (PathBuf, Vec<Record>) {
        let path = folder.join("results/records.jsonl");
        let records: Vec<Record> = plan().cells.iter().take(n).map(|c| record(c, "r1")).collect();
        let mut writer = Writer::open(&path).unwrap();
        records.iter().for_each(|r| writer.append(r).unwrap());
        (path, records)
    }

    #[test]
    fn records_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let (path, records) = stored(folder.path(), 4);
        let mut back = Store::read(&path).unwrap();
        // Paths are a matter of the machine and not recorded.
        for record in &mut back.records {
            let data = plan().cells.into_iter().find(|c| c.key == record.key).unwrap().data;
            record.train.path.clone_from(&data.train.path);
            record.dev.path.clone_from(&data.dev.path);
            record.test.path.clone_from(&data.test.path);
        }
        assert_eq!(back.records(), records);
        assert!(!back.torn);
    }

    #[test]
    fn a_line_torn_anywhere_is_dropped_and_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let (path, records) = stored(folder.path(), 2);
        let whole = std::fs::read(&path).unwrap();
        let first_len = whole.iter().position(|&b| b == b'\n').unwrap() + 1;
        for end in [first_len + 1, (first_len + whole.len()) / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..end]).unwrap();
            let store = Store::read(&path).unwrap();
            assert!(store.torn);
            assert_eq!(store.records().len(), 1);
            Writer::open(&path).unwrap().append(&records[1]).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole, "resuming gives the same bytes");
        }
    }

    #[test]
    fn a_spoilt_line_elsewhere_is_an_error_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = stored(folder.path(), 2);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.replace_range(0..1, "x");
        std::fs::write(&path, text).unwrap();
        let message = Store::read(&path).unwrap_err().to_string();
        assert!(message.contains("records.jsonl:1: expected value"), "{message}");
    }

    #[test]
    fn the_newest_record_of_this_revision_counts() {
        let plan = plan();
        let (cell, other) = (&plan.cells[0], &plan.cells[1]);
        let mut store = Store::default();
        assert_eq!(store.status(cell, &"r2".into()), Status::Missing);
        store.insert(record(cell, "r1"));
        assert!(matches!(store.status(cell, &"r2".into()), Status::Stale(r) if r.provenance.revision == "r1"));
        assert!(store.usable(cell, &"r2".into(), false).is_none());
        assert!(store.usable(cell, &"r2".into(), true).is_some());
        store.insert(record(cell, "r2"));
        store.insert(record(cell, "r3"));
        assert!(matches!(store.status(cell, &"r2".into()), Status::Done(r) if r.provenance.revision == "r2"));
        assert!(matches!(store.status(cell, &"r0".into()), Status::Stale(r) if r.provenance.revision == "r3"));
        assert_eq!(store.n_foreign(&plan.cells), 0);
        assert_eq!(store.n_foreign(std::slice::from_ref(other)), 3);
    }
}
