//! Handing cells to a cluster: tasks, scripts, jobs.
//!
//! Everything rests on what any engine could use: `experiment plan --json` says which cells there are and what they cost,
//! `experiment run --cell` runs some of them. Each finished cell is a file; a cell that is interrupted goes on from its
//! checkpoint; a claim keeps two processes from running the same one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

use super::opened::{Planned, State};
use super::{Experiments, Opened};
use crate::shell::quoted;
use treebeam::files::write_whole;
use treebeam_lab::experiment::Provenance;

/// Scheduler that runs the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Scheduler {
    /// Slurm: arrays of jobs, and one that depends on them and writes the tables
    Slurm,
}

/// Options of `treebeam experiment submit`.
#[derive(Debug, clap::Args)]
pub struct SubmitOptions {
    /// Scheduler that runs the cells
    #[arg(long, value_enum, default_value = "slurm")]
    engine: Scheduler,
    /// Tasks that may run at once [default: the cluster's limit]
    #[arg(long, value_name = "P", value_parser = crate::range::whole::<u32>(1..=1_000_000))]
    max_running: Option<u32>,
    /// Least estimated seconds of a task, which runs several cells
    #[arg(long, value_name = "S", default_value_t = 600, value_parser = crate::range::whole::<u32>(1..=31_536_000))]
    task_seconds: u32,
    /// A line for sbatch, such as --partition=short; may be given several times
    #[arg(long = "sbatch-option", value_name = "OPTION", allow_hyphen_values = true, value_parser = directive)]
    sbatch_options: Vec<String>,
    /// The folder of the plan, the copy of the program, scripts and logs [default: slurm/NAME-1, or the next that is free]
    #[arg(long, value_name = "DIR")]
    job_folder: Option<PathBuf>,
    /// Print the scripts; write and submit nothing
    #[arg(long)]
    print: bool,
}

/// The largest array where the cluster does not say: Slurm's default.
const MAX_ARRAY_SIZE: usize = 1001;

/// Estimates are rough: a task gets so many times the time that its cells are likely to take.
const GENEROSITY: f64 = 4.0;

/// The least time that a task gets, in minutes.
const LEAST_MINUTES: f64 = 30.0;

/// Memory beyond what a cell is likely to take, in megabytes.
const SPARE_MEGABYTES: u64 = 512;

/// An option for sbatch is what stands in one line of a script: in the next line would be a command.
fn directive(text: &str) -> Result<String, String> {
    let is_line = !text.chars().any(char::is_control);
    is_line.then(|| text.to_owned()).ok_or_else(|| "expected one line".to_owned())
}

/// Cells that one job runs, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
struct Task {
    keys: Vec<String>,
    seconds: f64,
    memory: u64,
}

/// The cells put together, in their order, to tasks of at least `least` seconds.
fn pack<'p>(cells: impl Iterator<Item = &'p Planned>, least: f64) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for cell in cells {
        match tasks.last_mut() {
            Some(task) if task.seconds < least => task.add(cell),
            _ => {
                let mut task = Task::default();
                task.add(cell);
                tasks.push(task);
            }
        }
    }
    tasks
}

impl Task {
    fn add(&mut self, cell: &Planned) {
        self.keys.push(cell.key.clone());
        self.seconds += cell.seconds;
        self.memory = self.memory.max(cell.memory);
    }
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// Parts that all scripts of a submission share.
struct Scripts<'s> {
    name: String,
    /// The folder that the program is run in.
    here: PathBuf,
    /// The folder of the submission, absolute.
    folder: PathBuf,
    experiments: &'s Experiments,
    options: &'s SubmitOptions,
}

impl Scripts<'_> {
    /// The beginning of a script: the shell, and the options of sbatch.
    fn head(&self, kind: &str, directives: &[String]) -> String {
        let mut text = format!("#!/bin/sh\n#SBATCH --job-name={}\n", quoted(&format!("treebeam {} {kind}", self.name)));
        let log = self.folder.join("logs").join(if kind == "cells" { "%A_%a.log" } else { "gather.%j.log" });
        let fixed = ["--cpus-per-task=1".to_owned(), "--open-mode=append".to_owned()];
        let log = format!("--output={}", quoted_path(&log));
        for directive in fixed.iter().chain([&log]).chain(directives).chain(&self.options.sbatch_options) {
            let _ = writeln!(text, "#SBATCH {directive}");
        }
        let _ = write!(text, "set -eu\ncd {}\n", quoted_path(&self.here));
        text
    }

    /// The arguments that name the experiments; the specifications are those in `folder`, if it is given.
    fn arguments(&self, folder: Option<&Path>) -> String {
        let Experiments { specs, out, treebanks, profile, settings, accept_stale, repeat, .. } = self.experiments;
        let mut words: Vec<String> = Vec::new();
        for (number, spec) in specs.iter().enumerate() {
            words.push(match folder {
                Some(folder) => quoted_path(&folder.join(frozen_name(number, spec))),
                None => quoted_path(spec),
            });
        }
        words.extend(["--profile".to_owned(), quoted(profile)]);
        let paths = [("--out", out), ("--treebanks", treebanks)];
        for (option, path) in paths.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
            words.extend([option.to_owned(), quoted_path(path)]);
        }
        for setting in settings {
            words.extend(["--set".to_owned(), quoted(setting)]);
        }
        words.extend(accept_stale.then(|| "--accept-stale".to_owned()));
        words.extend(["--repeat".to_owned(), repeat.to_string()]);
        words.join(" ")
    }

    /// The script of the tasks from number `first` on, `tasks`.
    fn array(&self, first: usize, tasks: &[Task]) -> String {
        let last = tasks.len() - 1;
        let running = self.options.max_running.map_or(String::new(), |most| format!("%{most}"));
        let seconds = tasks.iter().map(|task| task.seconds).fold(0.0, f64::max);
        let minutes = (GENEROSITY * seconds / 60.0).max(LEAST_MINUTES).ceil();
        let memory = tasks.iter().map(|task| task.memory).max().unwrap_or_default();
        let megabytes = memory.div_ceil(1 << 20) * 3 / 2 + SPARE_MEGABYTES;
        let mut text = self.head(
            "cells",
            &[
                format!("--array=0-{last}{running}"),
                format!("--time={minutes}"),
                format!("--mem={megabytes}M"),
                "--requeue".to_owned(),
            ],
        );
        let (program, list) = (self.folder.join("treebeam"), self.folder.join("tasks"));
        let _ = writeln!(text, "keys=$(sed -n \"$((SLURM_ARRAY_TASK_ID + {}))p\" {})", first + 1, quoted_path(&list));
        let arguments = self.arguments(Some(&self.folder.join("specifications")));
        let _ = writeln!(
            text,
            "exec {} experiment run {arguments} --jobs 1 --checkpoint-seconds 60 --cell $keys",
            quoted_path(&program)
        );
        text
    }

    /// The script that gathers the records and writes the tables.
    fn gather(&self) -> String {
        let mut text = self.head("tables", &["--time=60".to_owned(), format!("--mem={}M", 4 * SPARE_MEGABYTES)]);
        let program = quoted_path(&self.folder.join("treebeam"));
        let _ = writeln!(text, "exec {program} experiment table {}", self.arguments(None));
        text
    }
}

/// File name of the copy of a specification; two may have the same name.
fn frozen_name(number: usize, spec: &Path) -> String {
    let name = spec.file_name().unwrap_or_default().to_string_lossy();
    format!("{}-{name}", number + 1)
}

/// Submits what is missing of the experiments.
///
/// # Errors
/// If nothing can be written or the cluster refuses.
pub fn submit(experiments: &Experiments, opened: &[Opened], options: &SubmitOptions) -> anyhow::Result<()> {
    let Scheduler::Slurm = options.engine;
    let mut planned = Vec::new();
    for experiment in opened {
        planned.extend(experiment.planned()?);
    }
    let mut seen = std::collections::HashSet::new();
    let to_run = planned.iter().filter(|cell| match cell.state {
        State::Missing | State::Interrupted => true,
        State::Stale => !experiments.accept_stale,
        State::Done | State::Running => false,
    });
    let tasks = pack(to_run.filter(|cell| seen.insert(&cell.key)), f64::from(options.task_seconds));
    if tasks.is_empty() {
        eprintln!("nothing to run");
        return Ok(());
    }
    let name = match opened {
        [one] => one.name().to_owned(),
        _ => format!("{} experiments", opened.len()),
    };
    let here = std::env::current_dir().context("the current folder")?;
    let folder = here.join(options.job_folder.clone().unwrap_or_else(|| free_folder(&name)));
    let scripts = Scripts { name, here, folder: folder.clone(), experiments, options };
    let most = max_array_size();
    let script = |(number, chunk)| scripts.array(number * most, chunk);
    let arrays: Vec<String> = tasks.chunks(most).enumerate().map(script).collect();
    let n_cells: usize = tasks.iter().map(|task| task.keys.len()).sum();
    let hours = tasks.iter().map(|task| task.seconds).sum::<f64>() / 3600.0;
    eprintln!("{n_cells} cells in {} tasks, about {hours:.1} hours of one core", tasks.len());
    if options.print {
        let text = arrays.iter().chain([&scripts.gather()]).fold(String::new(), |text, script| text + script + "\n");
        std::io::Write::write_all(&mut treebeam::console::output(), text.as_bytes())?;
        return Ok(());
    }
    ensure_sbatch()?;
    freeze(&scripts, &planned, &tasks)?;
    let mut jobs: Vec<String> = Vec::new();
    for (number, script) in arrays.iter().enumerate() {
        // One array after the other, so that no more tasks run at once than asked for.
        let after = jobs.last().filter(|_| options.max_running.is_some());
        let dependency = after.map(|job| format!("--dependency=afterany:{job}"));
        jobs.push(sbatch(&folder.join(format!("cells-{}.sh", number + 1)), script, dependency)?);
    }
    let dependency = format!("--dependency=afterany:{}", jobs.join(":"));
    let gather = sbatch(&folder.join("tables.sh"), &scripts.gather(), Some(dependency))?;
    eprintln!(
        "submitted jobs {}; job {gather} writes the tables; {} holds scripts and logs",
        jobs.join(", "),
        folder.display()
    );
    eprintln!("how things stand: treebeam experiment status {}", scripts.arguments(None));
    Ok(())
}

/// `slurm/NAME-1`, or the first that does not exist yet.
fn free_folder(name: &str) -> PathBuf {
    let folder = |number: u32| Path::new("slurm").join(format!("{}-{number}", name.replace(' ', "-")));
    (1..).map(folder).find(|path| !path.exists()).unwrap_or_else(|| folder(0))
}

/// Writes the plan, the tasks, a copy of the program with its revision, and copies of the specifications.
fn freeze(scripts: &Scripts, planned: &[Planned], tasks: &[Task]) -> anyhow::Result<()> {
    let folder = &scripts.folder;
    for sub in ["logs", "specifications"] {
        let path = folder.join(sub);
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
    }
    let program = std::env::current_exe().context("the path of this program")?;
    let copy = folder.join("treebeam");
    std::fs::copy(&program, &copy).with_context(|| format!("{} to {}", program.display(), copy.display()))?;
    for (number, spec) in scripts.experiments.specs.iter().enumerate() {
        let copy = folder.join("specifications").join(frozen_name(number, spec));
        std::fs::copy(spec, &copy).with_context(|| format!("{} to {}", spec.display(), copy.display()))?;
    }
    let lines: String = tasks.iter().map(|task| task.keys.join(" ") + "\n").collect();
    write_whole(&folder.join("tasks"), lines.as_bytes())?;
    write_whole(&folder.join("plan.json"), &serde_json::to_vec_pretty(planned)?)?;
    let provenance = Provenance::of_this_process(1);
    write_whole(&folder.join("program.json"), &serde_json::to_vec_pretty(&provenance)?)?;
    Ok(())
}

/// Before anything is written: whether there is a Slurm to submit to.
fn ensure_sbatch() -> anyhow::Result<()> {
    match Command::new("sbatch").arg("--version").output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
            "there is no sbatch on the path; on the cluster's login node there is one, and --print shows the scripts"
        ),
        _ => Ok(()),
    }
}

/// Writes a script and submits it; the number of its job.
fn sbatch(path: &Path, script: &str, dependency: Option<String>) -> anyhow::Result<String> {
    write_whole(path, script.as_bytes())?;
    let mut command = Command::new("sbatch");
    let output = command.arg("--parsable").args(dependency).arg(path).output().context("sbatch")?;
    let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "sbatch {}: {}", path.display(), complaint.trim());
    // With several clusters, the name of the cluster follows.
    let job = printed.trim().split(';').next().unwrap_or_default();
    ensure!(!job.is_empty(), "sbatch {}: no number of a job in `{}`", path.display(), printed.trim());
    Ok(job.to_owned())
}

/// The most tasks in one array, as the cluster says.
fn max_array_size() -> usize {
    let output = Command::new("scontrol").args(["show", "config"]).output();
    let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let value = printed.lines().find_map(|line| line.trim_start().strip_prefix("MaxArraySize")?.split('=').nth(1));
    value.and_then(|value| value.trim().parse().ok()).filter(|&size| size > 0).unwrap_or(MAX_ARRAY_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(key: &str, seconds: f64, memory: u64) -> Planned {
        let (experiment, title) = (String::new(), String::new());
        Planned { experiment, key: key.to_owned(), title, seconds, memory, records: 0, state: State::Missing }
    }

    #[test]
    fn cells_are_put_together_until_they_take_long_enough() {
        let cells = [cell("a", 300.0, 1), cell("b", 400.0, 9), cell("c", 700.0, 2), cell("d", 1.0, 3)];
        let tasks = pack(cells.iter(), 600.0);
        let keys: Vec<Vec<&str>> = tasks.iter().map(|task| task.keys.iter().map(String::as_str).collect()).collect();
        assert_eq!(keys, [vec!["a", "b"], vec!["c"], vec!["d"]]);
        assert_eq!((tasks[0].seconds, tasks[0].memory), (700.0, 9));
    }
}
