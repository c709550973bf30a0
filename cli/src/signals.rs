//! Signals to stop, and what becomes of unfinished outputs then.

/// From now on, a signal to stop removes unfinished outputs, says so and ends the process with exit code 128 and the signal's
/// number. Signals that whoever started the process has it ignore, as `nohup` does, stay ignored.
pub fn clean_up_on_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{
            SIGALRM, SIGBUS, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
        };
        // A file that may grow no further is an error of the write, which has a message, and not the end of the process.
        let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
        let ignored = ignored_signals();
        // All that end a process by default, except those that report faults of the program and those that cannot be
        // caught.
        let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2, SIGBUS];
        let wanted = wanted.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else {
            return;
        };
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                treebeam::files::remove_unfinished();
                let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
                eprintln!(
                    "stopped by {name}: outputs that were not finished are gone, and what stood in their place is as it was"
                );
                std::process::exit(128 + signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
    }
}

/// A bit for each signal that the process ignores, signal 1 being the lowest; only Linux says so.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
