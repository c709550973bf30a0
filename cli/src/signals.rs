//! Signals to stop, and what becomes of unfinished outputs then.

/// From now on, a signal to stop removes unfinished outputs, says so and ends the process with exit code 128 and the signal's
/// number. Signals that whoever started the process has it ignore, as `nohup` does, stay ignored.
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
                treebeam::files::remove_unfinished();
                let name = wanted.iter().find(|(number, _)| *number == signal).map_or("a signal", |(_, name)| name);
                if signal == SIGBUS {
                    eprintln!(
                        "error: a model was changed while it was used; write the new one elsewhere and rename it"
                    );
                }
                eprintln!(
                    "stopped by {name}: outputs that were not finished are gone, and what stood in their place is as it was"
                );
                std::process::exit(128 + signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
    }
}

/// A bit for each signal that the process ignores, signal 1 being the lowest, where Linux tells.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
