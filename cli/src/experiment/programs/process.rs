//! Runs of programs, with what they used.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wait4::Wait4;

/// Resources that a process used, from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of the processor, of all threads, the system's work included.
    pub cpu_s: f64,
    /// Its peak memory; none in records of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_rss_bytes: Option<u64>,
}

/// Runs `command` to its end.
///
/// # Errors
/// If it cannot be started, or fails: with the end of what it said.
pub fn run(command: &mut Command) -> anyhow::Result<Used> {
    run_into(command, Stdio::null())
}

/// The same, with standard output to `output`.
///
/// # Errors
/// As [`run`].
pub fn run_into(command: &mut Command, output: Stdio) -> anyhow::Result<Used> {
    let name = command.get_program().to_string_lossy().into_owned();
    let log = tempfile::NamedTempFile::new().context("a file for what a program says")?;
    let errors = File::options().write(true).open(log.path()).context("a file for what a program says")?;
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| name.clone())?;
    let used = child.wait4().with_context(|| name.clone())?;
    let wall_s = start.elapsed().as_secs_f64();
    if !used.status.success() {
        let said = std::fs::read(log.path()).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let last = said.trim().lines().next_back().unwrap_or("it said nothing");
        bail!("{name}: {}: {last}", used.status);
    }
    let cpu_s = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok(Used { wall_s, cpu_s, peak_rss_bytes: Some(used.rusage.maxrss) })
}

/// Value that a run wrote as JSON into `path`.
///
/// # Errors
/// If it cannot be read.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}
