//! Experiments whose cells are trainings.

use std::cell::OnceCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use super::Experiments;
use super::folder::{write, write_document};
use crate::experiment::{
    Cell, Event, Overrides, Plan, Provenance, Record, Revisions, Runner, Spec, Status, Store, Treebeam, Writer,
    estimate, run as run_cells,
};
use crate::report::{Summary, document, tsv};

/// The name of the file of records in the folder of results.
const RECORDS: &str = "records.jsonl";

/// An experiment with its records.
pub struct Trainings {
    plan: Plan,
    store: Store,
    /// The records of the experiments whose results lie beside these, once they are asked for.
    others: OnceCell<Vec<Record>>,
    revisions: Revisions,
    accept_stale: bool,
    out: PathBuf,
    /// The command that makes the tables again.
    command: String,
}

impl Trainings {
    pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Trainings> {
        let spec = Spec::read(path)?;
        let plan = Plan::new(&spec, &args.profile, overrides, args.treebanks.as_deref())?;
        let out = args.folder(&spec.name);
        let store = Store::read(&out.join(RECORDS))?;
        if store.torn {
            eprintln!("{}: the last record is torn; its cell counts as missing", out.join(RECORDS).display());
        }
        let (revisions, accept_stale, command) = (Revisions::of_this_checkout(), args.accept_stale, args.command(path));
        Ok(Trainings { plan, store, others: OnceCell::new(), revisions, accept_stale, out, command })
    }

    fn others(&self) -> &[Record] {
        self.others.get_or_init(|| records_beside(&self.out))
    }

    /// The cells without a usable record.
    fn missing(&self) -> Vec<&Cell> {
        let is_missing = |c: &&Cell| self.store.usable(c, &self.revisions, self.accept_stale).is_none();
        self.plan.cells.iter().filter(is_missing).collect()
    }

    /// The record that another experiment has of this cell, with the code as it is.
    fn elsewhere(&self, cell: &Cell) -> Option<&Record> {
        self.others()
            .iter()
            .find(|r| r.key == cell.key && r.provenance.revision == self.revisions.of(cell.options.system))
    }

    /// How long cells will take, and on how many records that rests.
    fn estimate(&self, cells: &[&Cell], jobs: usize) -> Option<crate::experiment::Estimate> {
        let to_run: Vec<&Cell> = cells.iter().filter(|cell| self.elsewhere(cell).is_none()).copied().collect();
        let records: Vec<&Record> = self.store.records().iter().chain(self.others()).collect();
        estimate(&to_run, &records, jobs)
    }

    pub fn plan(&self, jobs: usize) -> (&str, usize, usize, Option<Duration>) {
        let missing = self.missing();
        let time = self.estimate(&missing, jobs).map(|e| e.time);
        (&self.plan.spec.name, self.plan.cells.len(), missing.len(), time)
    }

    /// Prints the plan.
    pub fn show(&self, jobs: usize) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let mut n_stale = 0;
        for cell in &self.plan.cells {
            let status = match self.store.status(cell, &self.revisions) {
                Status::Done(_) => "done",
                Status::Stale(_) => "stale",
                Status::Missing => "missing",
            };
            n_stale += usize::from(status == "stale");
            writeln!(out, "{status:<8}{}  {}  decoded at {:?}", &cell.key[..12], cell.title(), cell.decode)?;
        }
        let missing = self.missing();
        writeln!(out, "{} cells, {} to run, {n_stale} stale", self.plan.cells.len(), missing.len())?;
        match self.estimate(&missing, jobs) {
            _ if missing.is_empty() => writeln!(out, "nothing to run")?,
            Some(estimate) => {
                let (time, n) = (HumanDuration(estimate.time), estimate.n_records);
                writeln!(out, "about {time} with {jobs} jobs, judging by {n} or more records of each kind")?;
            }
            None => writeln!(out, "no record yet to judge the time by")?,
        }
        self.tell_foreign();
        Ok(())
    }

    fn tell_foreign(&self) {
        let n_foreign = self.store.n_foreign(&self.plan.cells);
        if n_foreign > 0 {
            eprintln!("{n_foreign} records belong to other options, data or profiles and are not used here");
        }
    }

    /// Runs what is missing and writes the tables; how many cells failed.
    pub fn run(&mut self, jobs: usize, repetitions: usize) -> anyhow::Result<usize> {
        let mut writer = Writer::open(&self.out.join(RECORDS))?;
        self.adopt(&mut writer)?;
        let mut remaining: Vec<Cell> = self.missing().into_iter().cloned().collect();
        let missing = remaining.clone();
        let missing: Vec<&Cell> = missing.iter().collect();
        let n_done = self.plan.cells.len() - missing.len();
        let time = match self.estimate(&missing, jobs) {
            Some(estimate) if !missing.is_empty() => format!(", about {}", HumanDuration(estimate.time)),
            _ => String::new(),
        };
        let name = &self.plan.spec.name;
        eprintln!("{name}: {} cells to run, {n_done} done before, {jobs} at once{time}", missing.len());
        self.tell_foreign();
        let bar = progress(missing.len() as u64);
        let provenance = Provenance::of_this_process(jobs);
        let (engine, revisions) = (&Treebeam, &self.revisions);
        let runner =
            Runner { engine, experiment: &self.plan.spec.name, provenance: &provenance, revisions, repetitions };
        let mut seen: Vec<Record> = self.store.records().iter().chain(self.others()).cloned().collect();
        let outcome = run_cells(&runner, &missing, &mut writer, &mut self.store, &mut |event| {
            let line = match event {
                Event::Finished(cell, record) => {
                    remaining.retain(|c| c.key != cell.key);
                    seen.push(record.clone());
                    format!("{}: {:.1} s", cell.title(), record.training.wall_s)
                }
                Event::Failed(cell, error) => {
                    remaining.retain(|c| c.key != cell.key);
                    format!("error: {}: {error}", cell.title())
                }
            };
            let left = estimate(&remaining.iter().collect::<Vec<_>>(), &seen.iter().collect::<Vec<_>>(), jobs);
            let left = left.map_or(String::new(), |left| format!("about {} left", HumanDuration(left.time)));
            bar.set_message(left.clone());
            bar.inc(1);
            // A hidden bar swallows lines.
            if bar.is_hidden() {
                eprintln!("{line} ({} of {}, {left})", missing.len() - remaining.len(), missing.len());
            } else {
                bar.println(line);
            }
        })?;
        bar.finish_and_clear();
        self.write_tables()?;
        if outcome.n_failed > 0 {
            eprintln!("{} of {} cells failed", outcome.n_failed, missing.len());
        }
        Ok(outcome.n_failed)
    }

    /// Takes over what other experiments have run with the same code.
    fn adopt(&mut self, writer: &mut Writer) -> anyhow::Result<()> {
        // One that ran just before may have left more than there was when this one was opened.
        self.others.take();
        let of_cell = |cell: &&Cell| {
            let record = self.elsewhere(cell)?.clone();
            let (column, row) = (cell.column.clone(), cell.row.clone());
            Some(Record { column, row, ..record })
        };
        let found: Vec<Record> = self.missing().iter().filter_map(of_cell).collect();
        if !found.is_empty() {
            eprintln!("{}: {} cells were run for other experiments", self.plan.spec.name, found.len());
        }
        for record in found {
            writer.append(&record)?;
            self.store.insert(record);
        }
        Ok(())
    }

    /// Writes tables and plots, and prints the Markdown.
    pub fn write_tables(&self) -> anyhow::Result<()> {
        let summary = Summary::new(&self.plan, &self.store, &self.revisions, self.accept_stale);
        let n_cells = self.plan.cells.len();
        let is_stale = |c: &&Cell| matches!(self.store.status(c, &self.revisions), Status::Stale(_));
        let n_stale = self.plan.cells.iter().filter(is_stale).count();
        if n_stale > 0 && !self.accept_stale {
            eprintln!("{n_stale} of {n_cells} cells have only records made by other code; --accept-stale uses them");
        }
        let table = format!("{}.tsv", self.plan.profile_name);
        write(&self.out, &table, &tsv(&summary, &self.command))?;
        let document = document(&summary, &self.command, vec![table, RECORDS.to_owned()]);
        write_document(&self.out, &document, &self.command)
    }
}

/// The records in the folders beside `out`; those that cannot be read are none of its business.
fn records_beside(out: &Path) -> Vec<Record> {
    let folder = out.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Some(entries) = folder.and_then(|folder| std::fs::read_dir(folder).ok()) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|path| path != out).collect();
    folders.sort();
    let stores = folders.iter().filter_map(|folder| Store::read(&folder.join(RECORDS)).ok());
    stores.flat_map(|store| store.records().to_vec()).collect()
}

fn progress(n: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed} gone, {msg}");
    let bar = ProgressBar::new(n).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_secs(1));
    }
    bar
}
