//! Experiments on bounds of a loss.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Experiments;
use super::folder::write_document;
use crate::experiment::{
    BoundsCell, BoundsRecord, BoundsSpec, Overrides, Provenance, Writer, bounds_cells, code_revision, read_lines,
};
use crate::report::bounds_document;

/// The name of the file of records in the folder of results.
const RECORDS: &str = "walks.jsonl";

/// Seconds that a thousand transitions take, roughly: most have short searches.
const SECONDS: f64 = 0.1;

/// An experiment on bounds with what has been run of it.
pub struct Bounds {
    spec: BoundsSpec,
    profile: String,
    cells: Vec<BoundsCell>,
    records: Vec<BoundsRecord>,
    revision: String,
    accept_stale: bool,
    out: PathBuf,
    command: String,
}

impl Bounds {
    pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Bounds> {
        let spec = BoundsSpec::read(path)?;
        let cells = bounds_cells(&spec, path, &args.profile, overrides, args.treebanks.as_ref())?;
        let out = args.folder(&spec.name);
        let (records, torn) = read_lines(&out.join(RECORDS))?;
        if torn {
            eprintln!("{}: the last record is torn; its cell counts as missing", out.join(RECORDS).display());
        }
        let (profile, command, accept_stale) = (args.profile.clone(), args.command(path), args.accept_stale);
        Ok(Bounds { spec, profile, cells, records, revision: code_revision(), accept_stale, out, command })
    }

    /// The newest usable record of a cell.
    fn record(&self, cell: &BoundsCell) -> Option<&BoundsRecord> {
        let is_usable =
            |r: &&BoundsRecord| r.key == cell.key && (self.accept_stale || r.provenance.revision == self.revision);
        self.records.iter().rev().find(is_usable)
    }

    fn missing(&self) -> Vec<BoundsCell> {
        self.cells.iter().filter(|cell| self.record(cell).is_none()).cloned().collect()
    }

    pub fn plan(&self) -> (&str, usize, usize, Option<Duration>) {
        let missing = self.missing();
        let seconds: f64 = missing.iter().map(|cell| cell.walk.transitions as f64 / 1000.0 * SECONDS).sum();
        (&self.spec.name, self.cells.len(), missing.len(), Some(Duration::from_secs_f64(seconds)))
    }

    pub fn show(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        for cell in &self.cells {
            let status = if self.record(cell).is_some() { "done" } else { "missing" };
            writeln!(out, "{status:<8}{}  {}", &cell.key[..12], cell.data.source)?;
        }
        writeln!(out, "{} cells, {} to run", self.cells.len(), self.missing().len())?;
        Ok(())
    }

    pub fn run(&mut self, jobs: usize) -> anyhow::Result<usize> {
        let missing = self.missing();
        eprintln!("{}: {} of {} cells to run", self.spec.name, missing.len(), self.cells.len());
        let mut writer = Writer::open(&self.out.join(RECORDS))?;
        let provenance = Provenance { revision: self.revision.clone(), ..Provenance::of_this_process(jobs) };
        for (i, cell) in missing.iter().enumerate() {
            let record = cell.run(provenance.clone())?;
            writer.append(&record)?;
            eprintln!("{} of {}: {}", i + 1, missing.len(), record.treebank);
            self.records.push(record);
        }
        self.write_tables()?;
        Ok(0)
    }

    pub fn write_tables(&self) -> anyhow::Result<()> {
        let records: Vec<&BoundsRecord> = self.cells.iter().filter_map(|cell| self.record(cell)).collect();
        let (spec, n_cells, files) = (&self.spec, self.cells.len(), vec![RECORDS.to_owned()]);
        let document = bounds_document(spec, &self.profile, n_cells, &records, &self.command, files);
        write_document(&self.out, &document, &self.command)
    }
}
