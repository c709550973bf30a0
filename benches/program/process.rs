//! Runs of the program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, bail};
use treebeam::files::Output as File;

/// The program that cargo built for this benchmark.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_treebeam");

/// A command that runs the program with these arguments.
pub fn treebeam<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command
}

/// Runs `command` to its end.
///
/// # Errors
/// If it cannot be started, or fails: with the end of what it said.
pub fn run(command: &mut Command) -> anyhow::Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let last = message.trim().lines().next_back().unwrap_or("it said nothing");
        bail!("{name}: {}: {last}", output.status);
    }
    Ok(output)
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
