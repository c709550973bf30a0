//! Messages on standard error. That nobody listens any more is no reason to stop: lines that cannot be written are
//! lost.

use std::fmt::Arguments;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Writes a line to standard error: a warning, an error, or what was asked for.
pub fn say(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes a line to standard error that [`set_quiet`] silences: progress, counts.
pub fn note(line: Arguments<'_>) {
    if !is_quiet() {
        say(line);
    }
}

/// From now on, says nothing but warnings and errors.
pub fn set_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// True if only warnings and errors are wanted.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// True if progress may be shown: somebody watches a terminal, and wants it.
pub fn shows_progress() -> bool {
    !is_quiet() && std::io::stderr().is_terminal()
}
