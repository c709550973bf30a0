//! Files that are being written, and their fate if the process is asked to stop.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The beginning of temporary files' names.
pub(super) const TEMPORARY: &str = ".treebeam-";

/// Age from which on an empty temporary file that nobody has locked is abandoned: it is locked right after it is made.
const MOMENT: Duration = Duration::from_secs(1);

/// The temporary files that exist now.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file's name, known to [`remove_unfinished`] as long as this lives.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Registered {
    /// The file that `make` makes, and its name, which is known before anybody can remove unfinished files again.
    pub(super) fn make(
        make: impl FnOnce() -> std::io::Result<tempfile::NamedTempFile>,
    ) -> std::io::Result<(tempfile::NamedTempFile, Registered)> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let file = make()?;
        // The process may change its folder, the file does not.
        let path = std::path::absolute(file.path()).unwrap_or_else(|_| file.path().to_owned());
        open.push(path.clone());
        Ok((file, Registered(path)))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Removes all temporary files of outputs that are not finished. For a process that is about to end.
pub fn remove_unfinished() {
    for path in OPEN.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

/// Removes the temporary files of outputs in `folder` whose processes are gone, killed before they could do so.
///
/// # Errors
/// If the folder is there and cannot be read.
pub fn remove_abandoned(folder: &Path) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let is_temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if is_temporary && entry.file_type()?.is_file() && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn is_abandoned(path: &Path) -> std::io::Result<bool> {
    let file = File::options().write(true).open(path)?;
    if file.try_lock().is_err() {
        return Ok(false);
    }
    let about = file.metadata()?;
    // Clocks may differ, in either direction.
    let age = about.modified()?.elapsed().unwrap_or_else(|ahead| ahead.duration());
    Ok(about.len() > 0 || age > MOMENT)
}

/// As [`remove_unfinished`], where nothing can be waited for: if the list of these files is in use at this moment, they are left.
pub fn try_remove_unfinished() {
    if let Ok(open) = OPEN.try_lock() {
        for path in &*open {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Output;
    use std::io::Write as _;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut output = Output::create(&at("out")).unwrap();
        output.write_all(&vec![1; 1 << 20]).unwrap();
        std::fs::write(at(".treebeam-killed"), "half").unwrap();
        std::fs::write(at(".treebeam-new"), "").unwrap();
        std::fs::write(at(".other"), "half").unwrap();
        let old = File::create(at(".treebeam-old")).unwrap();
        old.set_modified(std::time::SystemTime::now() - 2 * MOMENT).unwrap();
        remove_abandoned(folder.path()).unwrap();
        let there = |name: &str| at(name).exists();
        assert_eq!(
            [".treebeam-killed", ".treebeam-new", ".treebeam-old", ".other"].map(there),
            [false, true, false, true]
        );
        output.finish().unwrap();
        assert!(there("out"));
        remove_abandoned(&at("none")).unwrap();
    }
}
