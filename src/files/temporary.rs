//! Files that are being written, and what becomes of them if the process is told to stop.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The temporary files that exist now.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file's name, known to [`remove_unfinished`] as long as this lives.
#[derive(Debug)]
pub(super) struct Registered(PathBuf);

impl Registered {
    pub(super) fn new(path: &Path) -> Registered {
        // The process may change its folder, the file does not.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Registered(path)
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

/// The same where nothing can be waited for: if the list of these files is in use at this moment, they are left.
pub fn try_remove_unfinished() {
    if let Ok(open) = OPEN.try_lock() {
        for path in &*open {
            let _ = std::fs::remove_file(path);
        }
    }
}
