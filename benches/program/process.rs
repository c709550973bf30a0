//! Runs of the program, with what they used.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, bail};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use treebeam::files::Output as File;

/// The program that cargo built for this benchmark.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_treebeam");

/// What a process used, from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of the processor, of all threads, the system's work included.
    pub cpu_s: f64,
}

/// A command that runs the program with these arguments.
pub fn treebeam<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command
}

/// Runs `command` to its end; no other child may run meanwhile.
///
/// # Errors
/// If it cannot be started, or fails: with the end of what it said.
pub fn run(command: &mut Command) -> anyhow::Result<(Used, Output)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let cpu_before = children_cpu_s()?;
    let start = Instant::now();
    let output = command.output().with_context(|| name.clone())?;
    let used = Used { wall_s: start.elapsed().as_secs_f64(), cpu_s: children_cpu_s()? - cpu_before };
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let last = told.trim().lines().next_back().unwrap_or("it said nothing");
        bail!("{name}: {}: {last}", output.status);
    }
    Ok((used, output))
}

/// Seconds of the processor that all children used that have ended.
fn children_cpu_s() -> anyhow::Result<f64> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("getrusage")?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(micros as f64 / 1e6)
}

/// What a run wrote as JSON into `path`.
///
/// # Errors
/// If it cannot be read.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Writes a file of results, whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut file = File::create(path)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).with_context(|| path.display().to_string())?;
    file.finish()?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// The folder for what is needed again but not kept: `name` in cargo's target folder.
pub fn work_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The first line that `program --version` prints, or `unknown`.
pub fn version(program: &str) -> String {
    let output = Command::new(program).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}
