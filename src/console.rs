//! Messages on standard error, and text for people on standard output. That nobody listens to messages any more is no reason to
//! stop: lines that cannot be written are lost.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, StdoutLock, Write};
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

/// Standard output for tables and JSON, whose names and values come from files.
pub fn output() -> Harmless<StdoutLock<'static>> {
    Harmless::new(io::stdout().lock())
}

/// A writer that passes text on, control characters but for line ends and tabs being escaped as in JSON, `\u001b`: they are no
/// commands for a terminal then, and JSON stays what it is.
#[derive(Debug)]
pub struct Harmless<W> {
    inner: W,
    /// True behind the first byte of a character of two bytes that may be a control character.
    is_within: bool,
    escaped: Vec<u8>,
}

/// The first byte of the control characters U+0080 to U+009F in UTF-8.
const FIRST: u8 = 0xc2;

impl<W: Write> Harmless<W> {
    /// A writer that passes its text on to `inner`.
    pub fn new(inner: W) -> Harmless<W> {
        Harmless { inner, is_within: false, escaped: Vec::new() }
    }

    /// The writer that it passed its text on to.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.escaped.clear();
        for &byte in bytes {
            let was_within = std::mem::replace(&mut self.is_within, byte == FIRST);
            let is_command = byte < b' ' && byte != b'\n' && byte != b'\t' || byte == 0x7f;
            match was_within {
                true if (0x80..=0x9f).contains(&byte) => write!(self.escaped, "\\u{byte:04x}")?,
                true => self.escaped.extend([FIRST, byte]),
                false if is_command => write!(self.escaped, "\\u{byte:04x}")?,
                false if self.is_within => {}
                false => self.escaped.push(byte),
            }
            self.is_within &= !was_within;
        }
        self.inner.write_all(&self.escaped)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
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
    fn text_on_standard_output_is_no_command_and_json_stays_json() {
        let text = "a\u{1b}[2J\tb\u{9b}1m é\u{a0}\u{7f}\u{ad}\n";
        let expected = "a\\u001b[2J\tb\\u009b1m é\u{a0}\\u007f\u{ad}\n";
        for chunk in [1, 2, 3, text.len()] {
            let mut output = Harmless::new(Vec::new());
            text.as_bytes().chunks(chunk).for_each(|bytes| output.write_all(bytes).unwrap());
            assert_eq!(String::from_utf8(output.inner).unwrap(), expected, "in chunks of {chunk}");
        }
        let mut json = Harmless::new(Vec::new());
        serde_json::to_writer(&mut json, text).unwrap();
        assert!(!json.inner.contains(&0x9b) && serde_json::from_slice::<String>(&json.inner).unwrap() == text);
    }

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(harmless("a\tb\n"), "a\tb\n");
        assert_eq!(harmless("\u{1b}]0;x\u{7}\u{9b}1m\r"), "\\u{1b}]0;x\\u{7}\\u{9b}1m\\r");
    }
}
