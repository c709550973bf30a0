//! The ranges of numbers on the command line. Errors name them.

use std::ops::RangeInclusive;

use treebeam::error::thousands;
use treebeam::parser::{MAX_BEAM, MAX_THREADS};

/// A number of threads, or of jobs side by side.
///
/// # Errors
/// If it is none that can be.
pub fn threads(text: &str) -> Result<usize, String> {
    whole(1..=MAX_THREADS)(text)
}

/// The width of a beam, or a number of its items.
///
/// # Errors
/// If it is none that can be.
pub fn beam(text: &str) -> Result<usize, String> {
    whole(1..=MAX_BEAM)(text)
}

/// A whole number of this range.
pub fn whole<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let [least, most] = [range.start(), range.end()].map(|&end| thousands(end as usize));
            format!("expected a whole number from {least} to {most}")
        })
    }
}

/// A whole number that may be as large as 64 bits hold, such as a seed.
///
/// # Errors
/// If it is none.
pub fn number(text: &str) -> Result<u64, String> {
    whole(0..=u64::MAX)(text)
}

/// A probability.
///
/// # Errors
/// If it is not from 0 to 1.
pub fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
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
    fn whole_numbers_have_ranges_that_errors_name() {
        assert_eq!(super::whole::<u8>(1..=7)("7"), Ok(7));
        for text in ["0", "8", "-1", "1.5", "x", "", "99999999999999999999"] {
            let error = super::whole::<u8>(1..=7)(text).unwrap_err();
            assert_eq!(error, "expected a whole number from 1 to 7", "{text}");
        }
        assert_eq!(super::threads("0").unwrap_err(), "expected a whole number from 1 to 1,024");
        assert_eq!(super::number("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(super::probability("nan").unwrap_err(), "expected a number from 0 to 1");
    }

    #[test]
    fn seconds_can_be_counted() {
        assert_eq!(["0", "1.5", "1e9"].map(super::seconds), [Ok(0.0), Ok(1.5), Ok(1e9)]);
        for text in ["inf", "nan", "-1", "1e10", "", "x"] {
            assert!(super::seconds(text).is_err(), "{text}");
        }
    }
}
