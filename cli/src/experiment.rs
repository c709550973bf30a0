//! `treebeam experiment`.

mod bounds;
mod folder;
mod init;
mod opened;
mod peers;
mod programs;
mod submit;
mod throughput;
mod trainings;
mod verify;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use indicatif::HumanDuration;
use toml::{Table, Value};

use crate::write_json_line;
use opened::{Experiment, How, State};
use treebeam::error::{Error, counted};
use treebeam_lab::experiment::{Overrides, Spec, TreebankSource, read_toml};

/// Commands of `treebeam experiment`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Write a specification that runs as it stands, with comments, to begin with
    Init {
        /// The experiment's name: letters, digits, `-` and `_`
        #[arg(default_value = "mine")]
        name: String,
        /// The file to write, which must not be there yet [default: NAME.toml]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// List the specifications in a folder
    List {
        /// The folder
        #[arg(default_value = "experiments")]
        folder: PathBuf,
        /// Print a JSON object a line, for each specification
        #[arg(long)]
        json: bool,
    },
    /// Show the cells of experiments with their states and estimated costs
    ///
    /// With --json, a list with an object for each cell: `key` (for `experiment run --cell`), `title`, wall `seconds`, `memory` in
    /// bytes, `records` (the number of records that these two are estimated from, 0 for a rule of thumb), and `state`: done, stale
    /// (run with other code), running (claimed by a live process), interrupted (to be resumed) or missing.
    Plan {
        #[command(flatten)]
        experiments: Experiments,
        /// A list for programs, such as those that hand out work on a cluster
        #[arg(long)]
        json: bool,
    },
    /// Run missing cells of experiments, then write their tables and plots
    ///
    /// An interrupted run continues where it stopped, also within a training. Any number of processes may run the same experiments
    /// in the same folder. A cell is rerun if its options, its data or the code behind its figures changed. Experiments share cells.
    Run {
        #[command(flatten)]
        experiments: Experiments,
        /// Run only these cells, by their keys or prefixes of them (`experiment plan`); write no tables
        #[arg(long = "cell", value_name = "KEY", num_args = 1..)]
        cells: Vec<String>,
        /// Write a checkpoint of a training after an iteration if the last one is at least this many seconds old
        #[arg(long, default_value_t = 30.0, value_name = "S", value_parser = crate::range::seconds)]
        checkpoint_seconds: f64,
        /// Print the cells, which of them are done, and how long the others may take; run nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Submit missing cells of experiments to a cluster
    ///
    /// Cells are grouped to tasks of some minutes. The jobs run copies of the specifications and the program. Interrupted tasks
    /// continue from their checkpoints. A last job gathers the records and writes the tables.
    Submit {
        #[command(flatten)]
        experiments: Experiments,
        #[command(flatten)]
        options: submit::SubmitOptions,
    },
    /// Count the cells of experiments by state, from their records alone
    Status {
        #[command(flatten)]
        experiments: Experiments,
        /// An object with counts for each experiment
        #[arg(long)]
        json: bool,
    },
    /// Rerun a sample of the recorded cells, and compare
    ///
    /// Cells run in a folder of their own. The counts of every iteration and the errors in each test sentence are compared; times,
    /// memory and machines are not. An interrupted verification continues where it stopped. The exit code is 1 if a cell fails or
    /// gives other figures than its record.
    Verify {
        #[command(flatten)]
        experiments: Experiments,
        #[command(flatten)]
        options: verify::VerifyOptions,
        /// Write a checkpoint of a training after an iteration if the last one is at least this many seconds old
        #[arg(long, default_value_t = 30.0, value_name = "S", value_parser = crate::range::seconds)]
        checkpoint_seconds: f64,
    },
    /// Write tables and plots of what has been run
    Table {
        #[command(flatten)]
        experiments: Experiments,
    },
}

/// Selection of experiments, and how they are run.
#[derive(Debug, clap::Args)]
pub struct Experiments {
    /// The specifications, TOML files
    #[arg(required = true)]
    specs: Vec<PathBuf>,
    /// The folder of results; with several specifications, the folder that theirs are in [default: results/NAME; runs/NAME if --set
    /// changes what is run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder of treebanks, with a folder for each: train, dev and test files, named as in Universal Dependencies or plainly
    #[arg(long, value_name = "DIR", env = "TREEBEAM_TREEBANKS")]
    treebanks: Option<PathBuf>,
    /// The scale, one of the specification's profiles
    #[arg(long, value_name = "NAME", default_value = "quick")]
    profile: String,
    /// Change `treebanks`, `seeds`, `tags`, `max-train-sentences` or `transitions` of the profile, or an option of all trainings: --set
    /// 'treebanks=en_ewt it_partut' --set iterations=3. Keys that an experiment does not have are passed over
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Use records that were made by other code
    #[arg(long)]
    accept_stale: bool,
    /// Cells to run side by side, one thread each; 1 gives clean figures of speed and memory [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = crate::range::threads)]
    jobs: Option<usize>,
    /// Decode the test data so many times, and take the median time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::range::whole::<u16>(1..=65_535))]
    repeat: u16,
}

/// Runs the subcommand.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    treebeam::process::start_threads();
    match command {
        Command::Init { name, output } => init::run(&name, output),
        Command::List { folder, json } => list(&folder, json),
        Command::Plan { experiments, json } => {
            let opened = experiments.open()?;
            if json {
                let mut planned = Vec::new();
                for experiment in &opened {
                    planned.extend(experiment.planned()?);
                }
                writeln!(treebeam::console::output(), "{}", serde_json::to_string_pretty(&planned)?)?;
            } else {
                show(&opened, experiments.jobs())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Run { experiments, cells, checkpoint_seconds, dry_run } => {
            let checkpoint_every = Duration::from_secs_f64(checkpoint_seconds);
            let mut opened = experiments.open()?;
            let jobs = experiments.jobs();
            if dry_run {
                show(&opened, jobs)?;
                return Ok(ExitCode::SUCCESS);
            }
            let only = if cells.is_empty() { None } else { Some(keys(&opened, &cells)?) };
            if opened.len() > 1 && only.is_none() {
                report_plan(&opened, jobs);
            }
            let how = How { jobs, checkpoint_every, only };
            let mut n_failed = 0;
            for experiment in &mut opened {
                n_failed += experiment.run(&how)?;
            }
            Ok(ExitCode::from(u8::from(n_failed > 0)))
        }
        Command::Submit { experiments, options } => {
            submit::submit(&experiments, &experiments.open()?, &options)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Status { experiments, json } => {
            status(&experiments.open()?, json)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Verify { experiments, options, checkpoint_seconds } => {
            let checkpoint_every = Duration::from_secs_f64(checkpoint_seconds);
            let how = How { jobs: experiments.jobs(), checkpoint_every, only: None };
            let all_agree = verify::run(&experiments, &options, &how)?;
            Ok(ExitCode::from(u8::from(!all_agree)))
        }
        Command::Table { experiments } => {
            for experiment in &mut experiments.open()? {
                experiment.write_tables()?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The folder in which the folders of results lie that are committed.
const RESULTS: &str = "results";

/// The folder in which those of runs lie that are somebody's own.
const RUNS: &str = "runs";

type Opened = Box<dyn Experiment>;

impl Experiments {
    fn open(&self) -> anyhow::Result<Vec<Opened>> {
        let overrides = Overrides::parse(&self.settings)?;
        let open = |spec: &PathBuf| -> anyhow::Result<Opened> {
            Ok(match kind_of(spec)?.as_deref() {
                None => Box::new(trainings::open(self, spec, &overrides)?),
                Some("bounds") => Box::new(bounds::open(self, spec, &overrides)?),
                Some("throughput") => Box::new(throughput::open(self, spec, &overrides)?),
                Some("peers") => Box::new(peers::open(self, spec, &overrides)?),
                Some(other) => {
                    let what = format!(
                        "{}: kind `{other}`; expected bounds, throughput or peers, or none for trainings",
                        spec.display()
                    );
                    return Err(Error::Usage(what).into());
                }
            })
        };
        let opened = self.specs.iter().map(open).collect::<anyhow::Result<Vec<Opened>>>()?;
        let names: Vec<&str> = opened.iter().map(|experiment| experiment.name()).collect();
        for (number, name) in names.iter().enumerate() {
            if let Some(other) = names[..number].iter().position(|other| other == name) {
                let [path, other] = [number, other].map(|number| self.specs[number].display());
                return Err(Error::Usage(format!(
                    "{path}: the experiment is called `{name}`, and so is that of {other}: the tables of one would replace those of the \
                     other; expected names that differ"
                ))
                .into());
            }
        }
        Ok(opened)
    }

    /// Cells to run side by side.
    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores)
    }

    /// The folder of results of the experiment `name`. What runs something else than the specification says is somebody's own run:
    /// it does not go where the results of the specification lie.
    fn folder(&self, name: &str, is_own: bool) -> PathBuf {
        match &self.out {
            Some(out) if self.specs.len() > 1 => out.join(name),
            Some(out) => out.clone(),
            None => Path::new(if is_own { RUNS } else { RESULTS }).join(name),
        }
    }

    /// The command that makes the tables of `spec` again.
    fn command(&self, spec: &Path) -> String {
        let mut command = format!("treebeam experiment table {}", self.arguments(&[spec.to_owned()]));
        if self.accept_stale {
            command += " --accept-stale";
        }
        command
    }

    /// The arguments that say which cells of `specs` are meant.
    fn arguments(&self, specs: &[PathBuf]) -> String {
        let specs: Vec<String> = specs.iter().map(|spec| portable(spec).display().to_string()).collect();
        let settings: String = self.settings.iter().map(|setting| format!(" --set '{setting}'")).collect();
        format!("{} --profile {}{settings}", specs.join(" "), self.profile)
    }
}

/// The kind of cell that the specification at `path` is of; none for trainings.
fn kind_of(path: &Path) -> anyhow::Result<Option<String>> {
    let table: Table = read_toml(path)?;
    match table.get("kind") {
        None => Ok(None),
        Some(Value::String(kind)) => Ok(Some(kind.clone())),
        Some(other) => {
            let what = format!("{}: kind = {other}; expected the name of a kind in quotes", path.display());
            Err(Error::Usage(what).into())
        }
    }
}

/// The keys that begin as `wanted` say.
fn keys(opened: &[Opened], wanted: &[String]) -> anyhow::Result<HashSet<String>> {
    let all: Vec<String> = opened.iter().flat_map(|experiment| experiment.keys()).collect();
    let mut keys = HashSet::new();
    for beginning in wanted {
        let mut found: Vec<&String> = all.iter().filter(|key| key.starts_with(beginning)).collect();
        found.sort();
        found.dedup();
        match found[..] {
            [key] => keys.insert(key.clone()),
            [] => {
                let what = format!("--cell {beginning}: no such cell; `treebeam experiment plan` lists the keys");
                return Err(Error::Usage(what).into());
            }
            [..] => {
                let what = format!("--cell {beginning}: {} cells; expected more of the key", found.len());
                return Err(Error::Usage(what).into());
            }
        };
    }
    Ok(keys)
}

/// Prints how many cells of each experiment stand how.
fn status(opened: &[Opened], json: bool) -> anyhow::Result<()> {
    let mut counted = serde_json::Map::new();
    for experiment in opened {
        let mut counts: BTreeMap<&str, usize> = State::ALL.iter().map(|state| (state.name(), 0)).collect();
        for cell in experiment.planned()? {
            *counts.entry(cell.state.name()).or_default() += 1;
        }
        let name = experiment.name();
        if !json {
            let counts: Vec<String> =
                State::ALL.iter().map(|state| format!("{} {}", counts[state.name()], state.name())).collect();
            writeln!(treebeam::console::output(), "{name}: {}", counts.join(", "))?;
        }
        counted.insert(name.to_owned(), serde_json::to_value(counts)?);
    }
    if json {
        writeln!(treebeam::console::output(), "{}", serde_json::to_string_pretty(&counted)?)?;
    }
    Ok(())
}

fn show(opened: &[Opened], jobs: usize) -> anyhow::Result<()> {
    for experiment in opened {
        experiment.show(jobs)?;
    }
    Ok(())
}

/// Prints what is to be run and how long it may take.
fn report_plan(opened: &[Opened], jobs: usize) {
    let readable = |time: Option<Duration>| time.map_or("unknown".to_owned(), |time| HumanDuration(time).to_string());
    let mut total = Some(Duration::ZERO);
    for experiment in opened {
        let (name, (n_cells, n_missing, time)) = (experiment.name(), experiment.outline(jobs));
        eprintln!("{name:<26} {n_missing:>5} of {n_cells:>5} cells to run, about {}", readable(time));
        total = total.zip(time).map(|(total, time)| total + time);
    }
    eprintln!("in all about {} with {jobs} jobs, judging by the records in the folders of results", readable(total));
}

/// Keys that specifications of all kinds have, save those of trainings.
#[derive(serde::Deserialize)]
struct Outline {
    title: String,
    profiles: BTreeMap<String, OutlineProfile>,
}

#[derive(serde::Deserialize)]
struct OutlineProfile {
    treebanks: Option<Vec<String>>,
}

/// A specification as it is listed.
#[derive(serde::Serialize)]
struct Listed {
    specification: PathBuf,
    title: String,
    profiles: BTreeMap<String, Scale>,
}

/// Size of an experiment. Of kinds other than trainings only the treebanks are known before they are planned.
#[derive(serde::Serialize)]
struct Scale {
    treebanks: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<usize>,
}

impl Listed {
    fn read(path: PathBuf) -> anyhow::Result<Listed> {
        if kind_of(&path)?.is_some() {
            let Outline { title, profiles } = read_toml(&path)?;
            let scale = |profile: OutlineProfile| Scale {
                treebanks: profile.treebanks.map_or(1, |treebanks| treebanks.len()),
                seeds: None,
                cells: None,
            };
            let profiles = profiles.into_iter().map(|(name, profile)| (name, scale(profile))).collect();
            return Ok(Listed { specification: path, title, profiles });
        }
        let spec = Spec::read(&path)?;
        let rows = |column| spec.rows.iter().filter(|row| row.is_in(column)).count();
        let n_pairs: usize = spec.columns.iter().map(rows).sum();
        let mut profiles = BTreeMap::new();
        for (name, profile) in &spec.profiles {
            let treebanks = profile.treebanks.iter().map(|name| Ok(name.parse::<TreebankSource>()?.treebanks().len()));
            let (treebanks, seeds) = (treebanks.sum::<Result<usize, Error>>()?, profile.seeds.len());
            let cells = Some(treebanks * seeds * n_pairs);
            profiles.insert(name.clone(), Scale { treebanks, seeds: Some(seeds), cells });
        }
        Ok(Listed { specification: path, title: spec.title, profiles })
    }
}

fn list(folder: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut out = treebeam::console::output();
    for path in paths {
        let listed = Listed::read(path)?;
        if json {
            write_json_line(&mut out, &listed)?;
            continue;
        }
        writeln!(out, "{}\n    {}", listed.specification.display(), listed.title)?;
        for (name, &Scale { treebanks, seeds, cells }) in &listed.profiles {
            let parts = [(cells, "cell"), (Some(treebanks), "treebank"), (seeds, "seed")];
            let counts: Vec<String> = parts.iter().filter_map(|(n, what)| n.map(|n| counted(n, what))).collect();
            writeln!(out, "    {name}: {}", counts.join(", "))?;
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
