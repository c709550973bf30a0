//! `treebeam experiment`.

mod bounds;
mod folder;
mod trainings;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use indicatif::HumanDuration;
use toml::Table;

use crate::error::Error;
use crate::experiment::{BoundsSpec, Overrides, Spec};
use bounds::Bounds;
use trainings::Trainings;

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
    /// Run what is missing of experiments, one after the other, then write their tables and plots
    ///
    /// Every finished cell is kept at once, so a run that is interrupted goes on where it stopped. A cell is run again if
    /// its options, its data or the code have changed since. What another experiment has run already is taken from there.
    Run {
        #[command(flatten)]
        experiments: Experiments,
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
        experiments: Experiments,
    },
}

#[derive(Debug, clap::Args)]
struct Experiments {
    /// The specifications, TOML files
    #[arg(required = true)]
    specs: Vec<PathBuf>,
    /// The folder of results, for one specification [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder of treebanks
    #[arg(long, value_name = "DIR", env = "TREEBEAM_TREEBANKS")]
    treebanks: Option<PathBuf>,
    /// The scale, one of the specification's profiles
    #[arg(long, value_name = "NAME", default_value = "quick")]
    profile: String,
    /// Change `treebanks`, `seeds` or `max-train-sentences` of the profile, or an option of all trainings:
    /// --set 'treebanks=en_ewt it_partut' --set iterations=3
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
        Command::Run { experiments, jobs, repeat, dry_run } => {
            let jobs = jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1).max(1);
            let mut opened = experiments.open()?;
            if dry_run {
                for experiment in &opened {
                    experiment.show(jobs)?;
                }
                return Ok(ExitCode::SUCCESS);
            }
            if opened.len() > 1 {
                tell_plan(&opened, jobs);
            }
            let mut n_failed = 0;
            for experiment in &mut opened {
                n_failed += experiment.run(jobs, repeat.into())?;
            }
            Ok(ExitCode::from(u8::from(n_failed > 0)))
        }
        Command::Table { experiments } => {
            for experiment in &experiments.open()? {
                experiment.write_tables()?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// An experiment with what has been run of it.
enum Opened {
    Trainings(Box<Trainings>),
    Bounds(Box<Bounds>),
}

impl Opened {
    /// Its name; how many cells it has and how many are missing; how long these will take, as far as records tell.
    fn plan(&self, jobs: usize) -> (&str, usize, usize, Option<Duration>) {
        match self {
            Opened::Trainings(trainings) => trainings.plan(jobs),
            Opened::Bounds(bounds) => bounds.plan(),
        }
    }

    fn show(&self, jobs: usize) -> anyhow::Result<()> {
        match self {
            Opened::Trainings(trainings) => trainings.show(jobs),
            Opened::Bounds(bounds) => bounds.show(),
        }
    }

    /// Runs what is missing; how many cells failed.
    fn run(&mut self, jobs: usize, repetitions: usize) -> anyhow::Result<usize> {
        match self {
            Opened::Trainings(trainings) => trainings.run(jobs, repetitions),
            Opened::Bounds(bounds) => bounds.run(jobs),
        }
    }

    fn write_tables(&self) -> anyhow::Result<()> {
        match self {
            Opened::Trainings(trainings) => trainings.write_tables(),
            Opened::Bounds(bounds) => bounds.write_tables(),
        }
    }
}

impl Experiments {
    fn open(self) -> anyhow::Result<Vec<Opened>> {
        if self.out.is_some() && self.specs.len() > 1 {
            return Err(Error::Usage("--out names one folder; expected one specification".to_owned()).into());
        }
        let overrides = Overrides::parse(&self.settings)?;
        let open = |spec: &PathBuf| match is_of_bounds(spec)? {
            true => Ok(Opened::Bounds(Box::new(Bounds::open(&self, spec, &overrides)?))),
            false => Ok(Opened::Trainings(Box::new(Trainings::open(&self, spec, &overrides)?))),
        };
        self.specs.iter().map(open).collect()
    }

    /// The folder of results of the experiment `name`.
    fn folder(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| Path::new("results").join(name))
    }

    /// The command that makes the tables of `spec` again.
    fn command(&self, spec: &Path) -> String {
        let mut command = format!("treebeam experiment table {} --profile {}", portable(spec).display(), self.profile);
        for setting in &self.settings {
            command += &format!(" --set '{setting}'");
        }
        if self.accept_stale {
            command += " --accept-stale";
        }
        command
    }
}

/// Whether the specification at `path` is one of bounds. One that cannot be read is not: its reader then says why.
fn is_of_bounds(path: &Path) -> anyhow::Result<bool> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    Ok(text.parse::<Table>().is_ok_and(|table| table.get("kind").is_some()))
}

/// Prints what is to be run and how long it may take.
fn tell_plan(opened: &[Opened], jobs: usize) {
    let told = |time: Option<Duration>| time.map_or("unknown".to_owned(), |time| HumanDuration(time).to_string());
    let mut total = Some(Duration::ZERO);
    for experiment in opened {
        let (name, n_cells, n_missing, time) = experiment.plan(jobs);
        eprintln!("{name:<26} {n_missing:>5} of {n_cells:>5} cells to run, about {}", told(time));
        total = total.zip(time).map(|(total, time)| total + time);
    }
    eprintln!("in all about {} with {jobs} jobs, judging by the records in the folders of results", told(total));
}

fn list(folder: &Path) -> anyhow::Result<ExitCode> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut out = std::io::stdout().lock();
    for path in paths {
        if is_of_bounds(&path)? {
            let spec = BoundsSpec::read(&path)?;
            writeln!(out, "{}\n    {}", path.display(), spec.title)?;
            for (name, profile) in &spec.profiles {
                writeln!(out, "    {name}: {} treebanks", profile.treebanks.len())?;
            }
            continue;
        }
        let spec = Spec::read(&path)?;
        writeln!(out, "{}\n    {}", path.display(), spec.title)?;
        for (name, profile) in &spec.profiles {
            let (treebanks, seeds) = (profile.treebanks.len(), profile.seeds.len());
            let rows = spec.rows.iter().filter(|row| row.open.is_none()).count();
            let cells = treebanks * seeds * rows * spec.columns.len();
            writeln!(out, "    {name}: {cells} cells, {treebanks} treebanks, {seeds} seeds")?;
        }
    }
    Ok(ExitCode::SUCCESS)
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
