//! The records of an experiment, of whatever kind: those that have been gathered in one file, a line of JSON each, and those of
//! cells that have been run since, a file each. So two processes never write the same file, a run that is killed at any moment
//! loses at most the cells in hand, and what is committed is one file.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::folder::{Folder, Lock, read_if_there};
use super::kind::{FORMAT, Stored};
use super::record::Record;
use treebeam::error::{Error, Location, Problem, Result};
use treebeam::files::{Packing, archive, open_to_keep, write_whole};

/// The records of an experiment.
#[derive(Debug, Clone)]
pub struct Store<R = Record> {
    records: Vec<R>,
    by_key: HashMap<String, Vec<usize>>,
    /// True if the last line of the gathered records was torn, as earlier versions could leave it; it is dropped.
    pub torn: bool,
    /// Lengths and times of the files of gathered records when they were read.
    read: [Stamp; 3],
}

/// Length and time of a file; none if there is none.
type Stamp = Option<(u64, SystemTime)>;

/// Status of a cell in the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Status<'a, R = Record> {
    /// It was run with the code that this program has.
    Done(&'a R),
    /// It was run with other code.
    Stale(&'a R),
    /// It was not run.
    Missing,
}

impl<R> Default for Store<R> {
    fn default() -> Store<R> {
        Store { records: Vec::new(), by_key: HashMap::new(), torn: false, read: [None; 3] }
    }
}

impl<R: Stored> Store<R> {
    /// Reads the gathered records of `folder` and those of single cells; a folder that does not exist holds none.
    ///
    /// # Errors
    /// If a file cannot be read, or a line or file other than a torn last line is not a record.
    pub fn open(folder: &Folder) -> Result<Store<R>> {
        // Cells first: between the two they may be gathered, and to see one twice is better than to miss it.
        let cells = folder.cells()?;
        let mut loose = Vec::new();
        for path in &cells {
            loose.extend(read_if_there(path)?.map(|text| one(path, 0, text.trim_ascii())).transpose()?);
        }
        let mut store = Store::gathered(folder)?;
        for record in loose {
            store.insert(record);
        }
        Ok(store)
    }

    /// Reads the gathered records of `folder`.
    fn gathered(folder: &Folder) -> Result<Store<R>> {
        let mut store = Store::default();
        store.refresh(folder)?;
        Ok(store)
    }

    /// Reads the records in `path`, unpacked if its name ends in `.gz` or `.zst`; a file that does not exist holds none.
    ///
    /// # Errors
    /// If the file cannot be read, or a line other than a torn last one is not a record.
    pub fn read(path: &Path) -> Result<Store<R>> {
        let (records, torn) = read_lines(path)?;
        let mut store = Store { torn, ..Store::default() };
        records.into_iter().for_each(|record| store.insert(record));
        Ok(store)
    }

    /// Adds what others have gathered since this was read.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn refresh(&mut self, folder: &Folder) -> Result<()> {
        let paths = folder.record_files();
        let stamps = paths.each_ref().map(|path| stamp(path));
        if stamps != self.read {
            // Plain records are read before packed ones: meanwhile another process may pack them.
            let [earlier, packed, plain] = &paths;
            let beside = read_lines(plain)?;
            let files = [read_lines(earlier)?, read_lines(packed)?, beside];
            self.torn = files.iter().any(|(_, torn)| *torn);
            files.into_iter().flat_map(|(records, _)| records).for_each(|record| self.insert(record));
            self.read = stamps;
        }
        Ok(())
    }

    /// Adds the record of the cell with this key if there is one that has not been gathered.
    ///
    /// # Errors
    /// If its file cannot be read or is no record.
    pub fn refresh_cell(&mut self, folder: &Folder, key: &str) -> Result<()> {
        let path = folder.cell(key);
        if let Some(text) = read_if_there(&path)? {
            self.insert(one(&path, 0, text.trim_ascii())?);
        }
        Ok(())
    }

    /// Adds a record; one of the same cell, of the same behaviour, is replaced.
    pub fn insert(&mut self, record: R) {
        let same = self.by_key.entry(record.key().to_owned()).or_default();
        let is_same = |&i: &usize| is_same_behaviour(self.records[i].provenance(), record.provenance());
        match same.iter().position(is_same) {
            Some(place) => {
                let i = same.remove(place);
                same.push(i);
                self.records[i] = record;
            }
            None => {
                same.push(self.records.len());
                self.records.push(record);
            }
        }
    }

    /// Puts each of `records` in the place of the newest one of its cell.
    ///
    /// # Panics
    /// If a cell has none.
    pub fn replace(&mut self, records: Vec<R>) {
        for record in records {
            let newest = self.by_key.get(record.key()).and_then(|same| same.last()).expect("the cell has a record");
            self.records[*newest] = record;
        }
    }

    /// All records, oldest first.
    pub fn records(&self) -> &[R] {
        &self.records
    }

    /// The records of the cell with this key, newest first.
    pub fn of_key(&self, key: &str) -> impl Iterator<Item = &R> {
        self.by_key.get(key).into_iter().flatten().rev().map(|&i| &self.records[i])
    }

    /// Status of the cell with this key: the newest record that is current, else the newest at all.
    pub fn status_of(&self, key: &str, is_current: impl Fn(&R) -> bool) -> Status<'_, R> {
        match self.of_key(key).find(|record| is_current(record)) {
            Some(record) => Status::Done(record),
            None => self.of_key(key).next().map_or(Status::Missing, Status::Stale),
        }
    }

    /// The number of records that belong to none of the cells with these keys: made with other options, data or profiles.
    pub fn n_foreign<'k>(&self, keys: impl Iterator<Item = &'k str>) -> usize {
        let keys: HashSet<&str> = keys.collect();
        self.records.iter().filter(|r| !keys.contains(r.key())).count()
    }

    /// Writes the record of a cell, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn keep(folder: &Folder, record: &R) -> Result<()> {
        write_whole(&folder.cell(record.key()), &line(record)?)
    }

    /// Gathers the records of single cells into one file, in the order in which `order` has their keys, and removes their files.
    /// Writes nothing if there is nothing to gather.
    ///
    /// # Errors
    /// If a file cannot be read or written; then none is removed.
    pub fn gather(&mut self, folder: &Folder, order: &[&str], _lock: &Lock) -> Result<()> {
        let cells = folder.cells()?;
        if cells.is_empty() {
            return Ok(());
        }
        let mut gathered: Store<R> = Store::gathered(folder)?;
        let places: HashMap<&str, usize> = order.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        let mut loose: Vec<R> = Vec::new();
        for path in &cells {
            let text = std::fs::read(path).map_err(Error::io(path))?;
            loose.push(one(path, 0, text.trim_ascii())?);
        }
        loose.sort_by_key(|record| places.get(record.key()).copied().unwrap_or(usize::MAX));
        loose.into_iter().for_each(|record| gathered.insert(record));
        let place = folder.records();
        gathered.write(&place)?;
        // Records that lie beside the packed ones are among them now.
        let beside = folder.record_files().into_iter().filter(|path| *path != place && path.exists());
        for path in cells.into_iter().chain(beside) {
            std::fs::remove_file(&path).map_err(Error::io(path))?;
        }
        self.refresh(folder)
    }

    /// Writes all records into one file, whole or not at all, packed if its name ends in `.zst`.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = Vec::new();
        for record in &self.records {
            text.extend(line(record)?);
        }
        archive(path, &text)
    }
}

impl Store<Record> {
    /// Status of `cell`.
    pub fn status(&self, cell: &Cell) -> Status<'_> {
        self.status_of(&cell.key, |record| cell.is_current(record))
    }

    /// The record to use for `cell`: a current one, or any if stale ones are accepted.
    pub fn usable(&self, cell: &Cell, accept_stale: bool) -> Option<&Record> {
        self.status(cell).usable(accept_stale)
    }
}

impl<'a, R> Status<'a, R> {
    /// The record to use, if stale ones are accepted or not.
    pub fn usable(self, accept_stale: bool) -> Option<&'a R> {
        match self {
            Status::Done(record) => Some(record),
            Status::Stale(record) if accept_stale => Some(record),
            Status::Stale(_) | Status::Missing => None,
        }
    }
}

/// True if a record replaces another one of the same cell: both are of the same behaviour or, in earlier formats, of the same
/// revision.
fn is_same_behaviour(a: &super::Provenance, b: &super::Provenance) -> bool {
    a.golden == b.golden && (a.golden.is_some() || a.revision == b.revision)
}

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// A record as a line of JSON, with its format.
fn line<R: Stored>(record: &R) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Line<'r, R> {
        format: u32,
        #[serde(flatten)]
        record: &'r R,
    }
    let mut line = serde_json::to_vec(&Line { format: FORMAT, record }).map_err(|e| Error::Usage(e.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

/// The record in `text`, the line of `path` with this number, or all of it if the number is 0.
fn one<R: Stored>(path: &Path, line: usize, text: &[u8]) -> Result<R> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default = "first")]
        format: u32,
    }
    fn first() -> u32 {
        1
    }
    let what = match (line, Packing::of(path)) {
        (0, _) => "delete the file",
        (_, None) => "delete the line",
        (_, Some(_)) => "unpack the file and delete the line",
    };
    let problem = |found: String, expected: String| Problem {
        location: Location { path: path.display().to_string(), line, sentence: None },
        found,
        expected,
    };
    let unfit = |found: String| problem(found, format!("the record of a cell; {what} to run the cell again"));
    let head: Head = serde_json::from_slice(text).map_err(|error| unfit(error.to_string()))?;
    if head.format > FORMAT {
        let expected =
            format!("format {FORMAT} or an earlier one; use the version of treebeam that wrote it, or a later one");
        return Err(problem(format!("a record of format {}", head.format), expected).into());
    }
    let record: R = serde_json::from_slice(text).map_err(|error| unfit(error.to_string()))?;
    if let Some(found) = record.impossible() {
        return Err(unfit(found).into());
    }
    Ok(record.upgraded(head.format))
}

/// The records in `path`, and whether the last line was torn by an interruption, which drops it; a file that does not exist
/// holds none.
fn read_lines<R: Stored>(path: &Path) -> Result<(Vec<R>, bool)> {
    let mut text = Vec::new();
    match open_to_keep(path).and_then(|mut input| input.read_to_end(&mut text)) {
        Ok(_) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), false)),
        Err(e) => return Err(Error::io(path)(e)),
    }
    let mut records = Vec::new();
    for (i, line) in text.split_inclusive(|&b| b == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            return Ok((records, true));
        }
        records.push(one(path, i + 1, line)?);
    }
    Ok((records, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{plan, record};
    use std::path::PathBuf;

    fn stored(folder: &Path, n: usize) -> (PathBuf, Vec<Record>) {
        let path = folder.join("records.jsonl");
        let records: Vec<Record> = plan().cells.iter().take(n).map(|c| record(c, "r1")).collect();
        let mut store = Store::default();
        records.iter().for_each(|r| store.insert(r.clone()));
        store.write(&path).unwrap();
        (path, records)
    }

    #[test]
    fn impossible_counts_and_times_are_errors_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let (path, records) = stored(folder.path(), 1);
        let refused = |spoil: &dyn Fn(&mut Record)| {
            let mut record = records[0].clone();
            spoil(&mut record);
            std::fs::write(&path, line(&record).unwrap()).unwrap();
            let error = Store::<Record>::read(&path).unwrap_err().to_string();
            assert!(error.contains("records.jsonl:1: ") && error.contains("delete the line"), "{error}");
            error
        };
        let counts = refused(&|record| record.decodings[0].test.without_punctuation.heads += 1 << 40);
        assert!(counts.contains(" words of a decoding, without punctuation"), "{counts}");
        let none = refused(&|record| record.decodings[0].test.with_punctuation = Default::default());
        assert!(none.contains("a decoding of 0 words"), "{none}");
        let time = refused(&|record| record.decodings[0].wall_s[0] = -1.5);
        assert!(time.contains("a time of -1.5 seconds"), "{time}");
    }

    #[test]
    fn a_spoilt_line_elsewhere_and_a_later_format_are_errors_with_their_number() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = stored(folder.path(), 2);
        let text = std::fs::read_to_string(&path).unwrap();
        let message = |text: String| {
            std::fs::write(&path, text).unwrap();
            Store::<Record>::read(&path).unwrap_err().to_string()
        };
        let error = message(text.replacen('{', "x", 1));
        assert!(error.contains("records.jsonl:1: expected value"), "{error}");
        let error = message(text.replacen("\"format\":3", "\"format\":4", 1));
        assert!(
            error.contains("records.jsonl:1: a record of format 4; expected format 3 or an earlier one"),
            "{error}"
        );
    }

    /// A file as the first version wrote it: with a revision instead of checksums of the code, and without formats.
    #[test]
    fn records_of_format_1_are_read_and_are_of_their_revision() {
        let text = include_str!("../../../tests/results/records-format-1.jsonl");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        std::fs::write(&path, text).unwrap();
        let store: Store = Store::read(&path).unwrap();
        let [record] = store.records() else { panic!("one record") };
        assert_eq!(record.provenance.revision, "85f79b1694a427105eda5a3e2ae707f59c440cbe");
        assert!(record.provenance.golden.is_none() && record.provenance.clean.is_none());
        assert_eq!(record.training.cpu_s, None, "it counted a thread that waited");
        assert!(text.contains("\"cpu_s\":0."), "{text}");
        let cell = &plan().cells[0];
        assert!(!cell.is_current(record));
        // Written anew they are of this format and say no more than before.
        store.write(&path).unwrap();
        assert_eq!(Store::<Record>::read(&path).unwrap().records(), store.records());
    }

    #[test]
    fn the_newest_record_of_this_code_counts() {
        let plan = plan();
        let other = &plan.cells[1];
        let cell = &Cell { golden: "r2".to_owned(), ..plan.cells[0].clone() };
        let mut store = Store::default();
        assert_eq!(store.status(cell), Status::Missing);
        store.insert(record(cell, "r1"));
        assert!(matches!(store.status(cell), Status::Stale(r) if r.provenance.revision == "r1"));
        assert!(store.usable(cell, false).is_none());
        assert!(store.usable(cell, true).is_some());
        store.insert(record(cell, "r2"));
        store.insert(record(cell, "r3"));
        assert!(matches!(store.status(cell), Status::Done(r) if r.provenance.revision == "r2"));
        let changed = Cell { golden: "r0".to_owned(), ..cell.clone() };
        assert!(matches!(store.status(&changed), Status::Stale(r) if r.provenance.revision == "r3"));
        store.insert(record(cell, "r2"));
        assert_eq!(store.records().len(), 3, "one record for a cell and a behaviour");
        let mut unknown = record(cell, "r4");
        unknown.provenance.golden = None;
        store.insert(unknown);
        assert!(matches!(store.status(cell), Status::Done(_)), "what is not known is not current");
        let keys = || plan.cells.iter().map(|c| c.key.as_str());
        assert_eq!(store.n_foreign(keys()), 0);
        assert_eq!(store.n_foreign(std::iter::once(other.key.as_str())), 4);
    }

    #[test]
    fn single_cells_are_read_found_later_and_gathered() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let (_, records) = stored(place.path(), 1);
        let lock = folder.lock().unwrap();
        let mut early: Store = Store::open(&folder).unwrap();
        let cells = plan().cells;
        for cell in [&cells[3], &cells[2]] {
            Store::keep(&folder, &record(cell, "r1")).unwrap();
        }
        assert_eq!(Store::<Record>::open(&folder).unwrap().records().len(), 3);
        early.refresh_cell(&folder, &cells[2].key).unwrap();
        assert_eq!(early.records().len(), 2);
        let order: Vec<&str> = cells.iter().map(|cell| cell.key.as_str()).collect();
        early.gather(&folder, &order, &lock).unwrap();
        assert!(folder.cells().unwrap().is_empty());
        assert_eq!(early.records().len(), 3);
        let gathered: Store = Store::read(&folder.records()).unwrap();
        let keys: Vec<&str> = gathered.records().iter().map(|record| record.key.as_str()).collect();
        assert_eq!(keys, [&records[0].key, &cells[2].key, &cells[3].key].map(String::as_str));
        std::fs::write(folder.cell("spoilt"), "{").unwrap();
        let error = Store::<Record>::open(&folder).unwrap_err().to_string();
        assert!(error.contains("spoilt.json: ") && error.contains("delete the file"), "{error}");
    }

    #[test]
    fn packed_records_are_read_stay_packed_and_take_in_what_lies_beside_them() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path());
        let (plain, records) = stored(place.path(), 2);
        let earlier = place.path().join("records.jsonl.gz");
        let packed = place.path().join("records.jsonl.zst");
        let keys = |store: &Store| -> Vec<String> { store.records().iter().map(|record| record.key.clone()).collect() };
        assert_eq!(folder.records(), plain);
        let text = std::fs::read(&plain).unwrap();
        write_whole(&earlier, &text).unwrap();
        assert!(std::fs::metadata(&earlier).unwrap().len() < text.len() as u64);
        assert_eq!(folder.records(), packed);
        std::fs::remove_file(&plain).unwrap();
        let mut store: Store = Store::open(&folder).unwrap();
        assert_eq!(keys(&store), [&records[0].key, &records[1].key].map(String::clone));

        // One that lies beside them, as older programs or other machines leave it, and one that is not gathered.
        let cells = plan().cells;
        let mut beside = Store::default();
        beside.insert(record(&cells[2], "r1"));
        beside.write(&plain).unwrap();
        store.refresh(&folder).unwrap();
        assert_eq!(store.records().len(), 3);
        let lock = folder.lock().unwrap();
        Store::keep(&folder, &record(&cells[3], "r1")).unwrap();
        store.gather(&folder, &[], &lock).unwrap();
        assert!(packed.exists() && !plain.exists() && !earlier.exists());
        assert_eq!(keys(&Store::read(&packed).unwrap()), keys(&store));
        assert_eq!(store.records().len(), 4);

        let whole = std::fs::read(&packed).unwrap();
        std::fs::write(&packed, &whole[..whole.len() / 2]).unwrap();
        let error = Store::<Record>::open(&folder).unwrap_err().to_string();
        assert!(error.contains("records.jsonl.zst: ") && error.contains("cut off or damaged"), "{error}");
        std::fs::remove_file(&packed).unwrap();
        write_whole(&packed, b"{}\n").unwrap();
        let error = Store::<Record>::open(&folder).unwrap_err().to_string();
        assert!(
            error.contains("records.jsonl.zst:1: ") && error.contains("unpack the file and delete the line"),
            "{error}"
        );
    }
}
