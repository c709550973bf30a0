//! Files that are being written, and what becomes of them if the process is told to stop.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The temporary files that exist now.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file's name, known to [`remove_all`] as long as this lives.
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
#[cfg(feature = "cli")]
fn remove_all() {
    for path in OPEN.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

/// The same where nothing can be waited for: if the list of these files is in use at this moment, they are left.
#[cfg(feature = "cli")]
pub fn remove_unfinished() {
    if let Ok(open) = OPEN.try_lock() {
        for path in &*open {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// From now on, a signal to stop removes unfinished outputs, says so and ends the process with exit code 128 and the signal's
/// number. Signals that whoever started the process has it ignore, as `nohup` does, stay ignored.
#[cfg(feature = "cli")]
pub fn clean_up_on_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGBUS, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
        // A file that may grow no further is an error of the write, which has a message, and not the end of the process.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
        let ignored = ignored_signals();
        // Who reads a mapped file that was cut short gets this signal at every attempt, until the process ends here.
        let wanted = [(SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGBUS, "SIGBUS")];
        let wanted: Vec<(i32, &str)> =
            wanted.into_iter().filter(|(signal, _)| ignored >> (signal - 1) & 1 == 0).collect();
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted.iter().map(|(signal, _)| signal)) else {
            return;
        };
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                remove_all();
                let name = wanted.iter().find(|(number, _)| *number == signal).map_or("a signal", |(_, name)| name);
                if signal == SIGBUS {
                    crate::console::say(format_args!(
                        "error: a model was changed while it was used; write the new one elsewhere and rename it"
                    ));
                }
                crate::console::say(format_args!(
                    "stopped by {name}: outputs that were not finished are gone, and what stood in their place is as it was"
                ));
                std::process::exit(128 + signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
    }
}

/// A bit for each signal that the process ignores, signal 1 being the lowest, where Linux tells.
#[cfg(all(unix, feature = "cli"))]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
