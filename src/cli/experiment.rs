//! `treebeam experiment`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::experiment::{
    Cell, Event, Overrides, Plan, Provenance, Runner, Spec, Status, Store, Summary, Treebeam, Writer, code_revision,
    estimate, figures, markdown, run as run_cells, tsv,
};
use crate::output::Output;
use crate::report::svg;

/// Options of `treebeam experiment`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the specifications in a folder
    List {
        /// The folder
        #[arg(default_value = "experiments")]
        folder: PathBuf,
    },
    /// Run what is missing of an experiment, then write its tables and plots
    ///
    /// Every finished cell is kept at once, so a run that is interrupted goes on where it stopped. A cell is run again if
    /// its options, its data or the code have changed since.
    Run {
        #[command(flatten)]
        experiment: Experiment,
        /// Cells to run side by side, one thread each [default: the number of cores]. Use 1 for clean figures of speed and memory
        #[arg(long, value_name = "N")]
        jobs: Option<usize>,
        /// Decode the test data so many times, and take the median time
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        repeat: u16,
        /// Print the cells, which of them are done, and how long the others may take; run nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write tables and plots of what has been run
    Table {
        #[command(flatten)]
        experiment: Experiment,
    },
}

#[derive(Debug, clap::Args)]
struct Experiment {
    /// The specification, a TOML file
    spec: PathBuf,
    /// The folder of results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder of treebanks
    #[arg(long, value_name = "DIR", env = "TREEBEAM_TREEBANKS")]
    treebanks: Option<PathBuf>,
    /// The scale, one of the specification's profiles
    #[arg(long, value_name = "NAME", default_value = "quick")]
    profile: String,
    /// Change `treebanks`, `seeds` or `max-train-sentences` of the profile, or an option of all trainings:
    /// --set 'treebanks=en_ewt tr_imst' --set iterations=3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Use records that were made by other code
    #[arg(long)]
    accept_stale: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::List { folder } => list(&folder),
        Command::Run { experiment, jobs, repeat, dry_run } => {
            let jobs = jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1);
            let opened = experiment.open()?;
            if dry_run { opened.show(jobs) } else { opened.run(jobs, repeat.into()) }
        }
        Command::Table { experiment } => {
            let opened = experiment.open()?;
            opened.write_tables()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(folder: &Path) -> anyhow::Result<ExitCode> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut out = std::io::stdout().lock();
    for path in paths {
        let spec = Spec::read(&path)?;
        writeln!(out, "{}\n    {}", path.display(), spec.title)?;
        for (name, profile) in &spec.profiles {
            let (treebanks, seeds) = (profile.treebanks.len(), profile.seeds.len());
            let cells = treebanks * seeds * spec.rows.len() * spec.columns.len();
            writeln!(out, "    {name}: {cells} cells, {treebanks} treebanks, {seeds} seeds")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// An experiment with its records.
struct Opened {
    plan: Plan,
    store: Store,
    revision: String,
    accept_stale: bool,
    out: PathBuf,
    /// The command that makes the tables again.
    command: String,
}

impl Experiment {
    fn open(self) -> anyhow::Result<Opened> {
        let spec = Spec::read(&self.spec)?;
        let overrides = Overrides::parse(&self.settings)?;
        let plan = Plan::new(&spec, &self.profile, &overrides, self.treebanks.as_deref())?;
        let out = self.out.unwrap_or_else(|| Path::new("results").join(&spec.name));
        let store = Store::read(&out.join(RECORDS))?;
        if store.torn {
            eprintln!("{}: the last record is torn; its cell counts as missing", out.join(RECORDS).display());
        }
        let mut command =
            format!("treebeam experiment table {} --profile {}", portable(&self.spec).display(), self.profile);
        for setting in &self.settings {
            command += &format!(" --set '{setting}'");
        }
        if self.accept_stale {
            command += " --accept-stale";
        }
        Ok(Opened { plan, store, revision: code_revision(), accept_stale: self.accept_stale, out, command })
    }
}

/// `path` without what it says about this machine, for files that others read: relative to the current folder if it is in
/// there, else its name only.
fn portable(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let name = || path.file_name().map_or_else(|| path.to_owned(), PathBuf::from);
    match path.is_absolute() {
        true => path.strip_prefix(&here).map_or_else(|_| name(), Path::to_owned),
        false => path.to_owned(),
    }
}

/// The name of the file of records in the folder of results.
const RECORDS: &str = "records.jsonl";

impl Opened {
    /// The cells without a usable record.
    fn missing(&self) -> Vec<&Cell> {
        let is_missing = |c: &&Cell| self.store.usable(c, &self.revision, self.accept_stale).is_none();
        self.plan.cells.iter().filter(is_missing).collect()
    }

    /// Prints the plan.
    fn show(&self, jobs: usize) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        let mut n_stale = 0;
        for cell in &self.plan.cells {
            let status = match self.store.status(cell, &self.revision) {
                Status::Done(_) => "done",
                Status::Stale(_) => "stale",
                Status::Missing => "missing",
            };
            n_stale += usize::from(status == "stale");
            writeln!(out, "{status:<8}{}  {}  decoded at {:?}", &cell.key[..12], cell.title(), cell.decode)?;
        }
        let missing = self.missing();
        writeln!(out, "{} cells, {} to run, {n_stale} stale", self.plan.cells.len(), missing.len())?;
        match estimate(&missing, self.store.records(), jobs) {
            _ if missing.is_empty() => writeln!(out, "nothing to run")?,
            Some(estimate) => {
                let (time, n) = (HumanDuration(estimate.time), estimate.n_records);
                writeln!(out, "about {time} with {jobs} jobs, judging by {n} or more records of each kind")?;
            }
            None => writeln!(out, "no record yet to judge the time by")?,
        }
        self.tell_foreign();
        Ok(ExitCode::SUCCESS)
    }

    fn tell_foreign(&self) {
        let n_foreign = self.store.n_foreign(&self.plan.cells);
        if n_foreign > 0 {
            eprintln!("{n_foreign} records belong to other options, data or profiles and are not used here");
        }
    }

    fn run(mut self, jobs: usize, repetitions: usize) -> anyhow::Result<ExitCode> {
        let mut writer = Writer::open(&self.out.join(RECORDS))?;
        let missing: Vec<Cell> = self.missing().into_iter().cloned().collect();
        let missing: Vec<&Cell> = missing.iter().collect();
        let n_done = self.plan.cells.len() - missing.len();
        eprintln!("{}: {} cells to run, {n_done} done before, {jobs} at once", self.plan.spec.name, missing.len());
        self.tell_foreign();
        let bar = progress(missing.len() as u64);
        let provenance = Provenance { revision: self.revision.clone(), ..Provenance::of_this_process(jobs) };
        let runner =
            Runner { engine: &Treebeam, experiment: &self.plan.spec.name, provenance: &provenance, repetitions };
        let outcome = run_cells(&runner, &missing, &mut writer, &mut self.store, &mut |event| {
            bar.inc(1);
            let line = match event {
                Event::Finished(cell, record) => format!("{}: {:.1} s", cell.title(), record.training.wall_s),
                Event::Failed(cell, error) => format!("error: {}: {error}", cell.title()),
            };
            // A hidden bar swallows lines.
            if bar.is_hidden() { eprintln!("{line}") } else { bar.println(line) }
        })?;
        bar.finish_and_clear();
        self.write_tables()?;
        if outcome.n_failed > 0 {
            eprintln!("{} of {} cells failed", outcome.n_failed, missing.len());
            return Ok(ExitCode::from(1));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes tables and plots, and prints the Markdown.
    fn write_tables(&self) -> anyhow::Result<()> {
        let summary = Summary::new(&self.plan, &self.store, &self.revision, self.accept_stale);
        let n_cells = self.plan.cells.len();
        let is_stale = |c: &&Cell| matches!(self.store.status(c, &self.revision), Status::Stale(_));
        let n_stale = self.plan.cells.iter().filter(is_stale).count();
        if n_stale > 0 && !self.accept_stale {
            eprintln!("{n_stale} of {n_cells} cells have only records made by other code; --accept-stale uses them");
        }
        std::fs::create_dir_all(&self.out).with_context(|| self.out.display().to_string())?;
        let profile = &self.plan.profile_name;
        let text = markdown(&summary, &self.command);
        self.write(&format!("{profile}.md"), &text)?;
        self.write(&format!("{profile}.tsv"), &tsv(&summary, &self.command))?;
        for figure in figures(&summary) {
            let comment = format!("Generated by `{}`: do not edit.", self.command);
            self.write(&format!("{profile}-{}.svg", figure.name), &svg(&figure, &comment)?)?;
        }
        std::io::stdout().lock().write_all(text.as_bytes())?;
        Ok(())
    }

    /// Writes a file of results, whole or not at all.
    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.out.join(name);
        let mut output = Output::create(&path)?;
        output.write_all(text.as_bytes()).with_context(|| path.display().to_string())?;
        output.finish()?;
        eprintln!("wrote {}", path.display());
        Ok(())
    }
}

fn progress(n: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cells, {elapsed} gone, about {eta} left");
    let bar = ProgressBar::new(n).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_secs(1));
    }
    bar
}
