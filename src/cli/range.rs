//! The ranges of numbers on the command line. Errors name them.

use clap::builder::RangedU64ValueParser;

use crate::parser::{MAX_BEAM, MAX_THREADS};

/// A number of threads.
pub fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_THREADS)
}

/// The width of a beam, or a number of its items.
pub fn beam() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MAX_BEAM)
}

/// Seconds, as a number that is neither negative nor beyond counting.
///
/// # Errors
/// If it is not from 0 to a thousand million.
pub fn seconds(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1e9;
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=MOST).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0 to 1,000,000,000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_can_be_counted() {
        assert_eq!(["0", "1.5", "1e9"].map(super::seconds), [Ok(0.0), Ok(1.5), Ok(1e9)]);
        for text in ["inf", "nan", "-1", "1e10", "", "x"] {
            assert!(super::seconds(text).is_err(), "{text}");
        }
    }
}
