//! Messages on standard error. That nobody listens any more is no reason to stop: lines that cannot be written are
//! lost.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Writes a line to standard error: a warning, an error, or what was asked for. What files and their names hold is no command
/// for the terminal.
pub fn say(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(&line.to_string()));
}

/// Text with its control characters escaped, but for line ends and tabs, as a terminal may show it.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_command = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if is_command(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(harmless("a\tb\n"), "a\tb\n");
        assert_eq!(harmless("\u{1b}]0;x\u{7}\u{9b}1m\r"), "\\u{1b}]0;x\\u{7}\\u{9b}1m\\r");
    }
}
